"""Playing the games."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from gammon import _core, _ray, batch
from gammon._checks import whole
from gammon._long_work import Progress, Report, reporter
from gammon.dice import _seed
from gammon.errors import Interrupted, InvalidArgumentError
from gammon.rules import Rules
from gammon.simulation._dataset import (
    MANIFEST,
    Answer,
    Compression,
    Dataset,
    EncodedPart,
    FileFormat,
    Settings,
    Writer,
    added,
    check_format,
    checkers_of,
    compression_of,
    encode,
)
from gammon.simulation._plan import GAMES_PER_MATCH, compiled, rules_for
from gammon.simulation._players import Evaluating, PlayerLike, Players, checksum, network_of
from gammon.simulation._policy import question
from gammon.simulation._result import CubeActions, SimulationResult, Wins, game_table, turn_table

__all__ = ["simulate"]

MOST_GAMES = (1 << 63) - 1
MOST_ROWS = 1 << 27
"""Rows of the table of games: 35 bytes each."""
MOST_RECORDED = 1 << 20
"""Games that are kept action by action: about 10 kB each."""
MOST_AT_ONCE = 1 << 20
_TICK = 0.05

Backend: TypeAlias = Literal["local", "ray"]


def simulate(
    n: int,
    players: Sequence[PlayerLike] = ("random", "random"),
    *,
    rules: Rules | None = None,
    cube: bool | None = None,
    variant: str = "standard",
    paired: bool = False,
    seed: int | None = 0,
    threads: int | None = None,
    backend: Backend = "local",
    address: str | None = None,
    batch_size: int = 4096,
    progress: Progress = None,
    per_game: bool = False,
    record: bool = False,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    part_games: int = 2048,
    evaluations: Evaluating = None,
    file_format: FileFormat = "parquet",
    compression: Compression = "bits",
) -> SimulationResult:
    """Plays n games, or n matches under match rules.

    Game k has the dice of ``gammon.dice.RandomDice(seed, game=k)``, and match k those of
    ``RandomDice(seed, game=k * 65536)``, whatever `threads` and `batch_size` are; k // 2 in place of k if paired. Under
    money rules every game is one by itself; ties of its opening double the stake as the rules say. Nobody resigns,
    beavers or doubles early, and a player whose cube is dead does not double.

    Args:
        n: games or matches, 0 to 2**63 - 1.
        players: players 0 and 1, each of them
            "random", which chooses evenly among the distinct plays, never doubles and always takes;
            "baseline", which plays by three plain rules, and has no more of a say about the cube;
            "fast", a `Model` or the path of a model file (``*.gammon``), a network that makes the play which leads to
            the best position for what the game is worth, and handles the cube as `gammon.cube.decide` says;
            or a `Policy`.
        rules: the rules; None for cubeless single games in which gammons count.
        cube: True for money with the cube where there are no rules.
        variant: the start of each game where there are no rules.
        paired: games 2k and 2k + 1 have the same dice, and the players change seats: luck evens out, so that fewer
            games compare two players. n is even then.
        seed: 0 to 2**64 - 1; None draws one, kept in the result, or goes on with that of what is resumed.
        threads: None for one on each core. Policies are called on the caller's thread. With Ray, how many processors
            each chunk of games uses: one if None.
        backend: "local" plays on this machine, "ray" on a Ray cluster (extra ``ray``): the result is the same. Policies
            are pickled, so what they are made of has to exist on every node.
        address: of the Ray cluster. None takes the one that ``ray.init`` has connected to, or that ``RAY_ADDRESS``
            names; else Ray is started on this machine for as long as the games take.
        batch_size: how many games are played at once where a policy is asked, 1 to 2**20.
        progress: a callable (done, total), or True for a bar.
        per_game: whether to keep a table of the games (at most 2**27), in `.per_game`.
        record: whether to keep every action (of at most 2**20 games in memory), in `.turns`.
        out: a directory for the tables, as Parquet in numbered parts (extra ``data``), in place of `.per_game` and
            `.turns`: the games, and with `record` every action. `gammon.simulation.Dataset` reads it.
        resume: go on with what `out` holds already. The files come out the same as without an interruption.
        part_games: games or matches in each part, an even number if paired.
        evaluations: "fast", a `Model` or the path of a model file: the five probabilities of every recorded position.
        file_format: "parquet", or "numpy" for ``.npz`` files, which need no extra.
        compression: of the positions in Parquet: "bits", which keeps the 80 bits of their IDs and is fastest;
            or as they are, by "zstd", which makes the smallest files and is used in place of "bits" where one side
            starts with more checkers than the other, "lz4", or "none".

    Raises:
        MissingExtraError: if `out` is given and pyarrow is missing, or Ray with ``backend="ray"``.
        FileFormatError: if the files that would be resumed are damaged.
        ModelFormatError: for a file that is no model.
        InvalidArgumentError: for a name that does not exist, a number out of range, or an index that a policy gives
            beyond the candidates.
        ArrayError: for an answer of a policy of another dtype or shape.
        Interrupted: on Ctrl-C, with the games finished so far in `.result`.

    >>> from gammon import Rules, simulate
    >>> result = simulate(1000, seed=1)
    >>> result.games, 90 < result.plies_per_game < 105
    (1000, True)
    >>> class Runner:
    ...     name = "runner"
    ...     def choose(self, c):
    ...         return c.best(gammon.batch.pips(c.candidates)[:, 0])
    >>> import gammon
    >>> simulate(100, (Runner(), "random"), rules=Rules.match(3), seed=1).matches
    100
    >>> simulate(100, ("fast", "random"), cube=True, seed=1).points_per_game > 1
    True
    """
    sides = Players(players)
    network = None if evaluations is None else network_of(evaluations, "evaluations")
    check_format(file_format if out is not None else "numpy", compression if out is not None else "bits")
    if network is not None and not record:
        raise InvalidArgumentError("evaluations are of recorded positions, so record is True with them")
    rules = rules_for(rules, cube, variant)
    n = whole("n", n, 0, MOST_GAMES)
    whole("batch_size", batch_size, 1, MOST_AT_ONCE)
    if not isinstance(paired, bool):
        raise InvalidArgumentError(f"paired is True or False, not {paired!r}")
    if paired and n % 2:
        raise InvalidArgumentError(f"paired games come in twos, so n is even, not {n}")
    if rules is not None and rules.is_match and n > MOST_GAMES // GAMES_PER_MATCH:
        raise InvalidArgumentError(f"n is at most {MOST_GAMES // GAMES_PER_MATCH} matches, not {n}")
    if per_game and n > MOST_ROWS:
        raise InvalidArgumentError(f"per_game holds at most {MOST_ROWS} games in memory, not {n}")
    whole("part_games", part_games, 1, MOST_RECORDED)
    if backend not in ("local", "ray"):
        raise InvalidArgumentError(f"backend is 'local' or 'ray', not {backend!r}")
    if address is not None and backend != "ray":
        raise InvalidArgumentError(f"address {address!r} is for backend='ray'")
    if out is None and resume:
        raise InvalidArgumentError("resume is True, but out does not say what to resume")
    if out is not None and (per_game or (paired and part_games % 2)):
        reason = "per_game is in the files of out" if per_game else f"part_games is even if paired, not {part_games}"
        raise InvalidArgumentError(reason)
    if record and out is None and n > MOST_RECORDED:
        raise InvalidArgumentError(f"record holds at most {MOST_RECORDED} games in memory, not {n}")
    if seed is None and out is not None and resume and os.path.exists(os.path.join(out, MANIFEST)):
        seed = Dataset(out, check=False).settings.seed
    seed = _seed(seed)
    compression = compression_of(file_format, compression, checkers_of(rules, variant))
    start = time.perf_counter()
    plain = backend == "local" and out is None and rules is None and not paired and not record and sides.all_random
    job = Job(
        sides,
        rules,
        variant,
        seed,
        paired=paired,
        per_game=per_game or out is not None,
        record=record,
        network=network,
        threads=1 if threads is None and backend == "ray" else threads,
        batch_size=batch_size,
        keys=out is not None and compression == "bits",
    )
    with reporter(progress, "simulate", "games" if rules is None or not rules.is_match else "matches") as report:
        if plain:
            found, error = _random_games(n, variant, seed, threads, report, per_game=per_game)
        elif out is not None:
            settings = Settings(
                n,
                sides.names,
                sides.models,
                rules,
                variant,
                paired,
                seed,
                record,
                part_games,
                None if network is None else checksum(network),
                file_format,
                compression,
            )
            writer = Writer(out, settings, resume=resume)
            found, error = _write(writer, settings, job, backend, address, report)
            record = False
        elif backend == "ray":
            found, error = _together(job, n, address, report)
        else:
            answer, error = job.play(0, n, report)
            found = _summed(answer)
    table = found.pop("per_game")
    turns = found.pop("turns")
    result = SimulationResult(
        players=sides.names,
        variant=variant,
        seed=seed,
        rules=rules,
        paired=paired,
        seconds=time.perf_counter() - start,
        per_game=game_table(table) if per_game else None,
        turns=turn_table(table, turns, rules=rules, variant=variant, seed=seed, paired=paired, names=sides.names)
        if record
        else None,
        **found,
    )
    if isinstance(error, KeyboardInterrupt):
        raise Interrupted(f"interrupted after {result.matches or result.games} of {n} games", result) from error
    if error is not None:
        raise error
    return result


def _random_games(
    n: int, variant: str, seed: int, threads: int | None, report: Report | None, *, per_game: bool
) -> tuple[dict[str, Any], BaseException | None]:
    """Cubeless random games by the shortest way."""
    sums, columns, error = _core.random_games(n, variant, seed, threads, report, per_game)
    games, plies, plies_squared, (wins0, wins1) = sums
    wins = (Wins(*wins0), Wins(*wins1))
    table = None
    if columns is not None:
        game, starter, points, played = columns
        rows = len(game)
        table = {
            "game": game,
            "number": np.zeros(rows, dtype=np.uint32),
            "starter": starter,
            "seat": np.zeros(rows, dtype=np.uint8),
            "points": points.astype(np.int64),
            "plies": played,
            "stake": np.ones(rows, dtype=np.uint32),
            "cube": np.ones(rows, dtype=np.uint32),
            "dropped": np.zeros(rows, dtype=np.bool_),
        }
    return {
        "games": games,
        "plies": plies,
        "plies_squared": plies_squared,
        "wins": wins,
        "points": wins[0].points - wins[1].points,
        "points_squared": sum(side.single + 4 * side.gammon + 9 * side.backgammon for side in wins),
        "samples": games,
        "cubes": (games,),
        "per_game": table,
        "turns": None,
    }, error


class Job:
    """Games or matches that can be played in any parts, here or elsewhere."""

    def __init__(
        self,
        players: Players,
        rules: Rules | None,
        variant: str,
        seed: int,
        *,
        paired: bool,
        per_game: bool,
        record: bool,
        network: _core.Network | None,
        threads: int | None,
        batch_size: int,
        keys: bool = False,
    ) -> None:
        self.players = players
        self.network = network
        self.keep = (per_game, record, keys)
        """Games, actions, and whether positions are the bits of their IDs."""
        self.threads = threads
        self.batch_size = batch_size
        self._what = (rules, variant, seed, paired)
        self._compiled: _core.Plan | None = None

    @property
    def plan(self) -> _core.Plan:
        """What is played."""
        if self._compiled is None:
            rules, variant, seed, paired = self._what
            self._compiled = compiled(rules, variant, seed, paired=paired)
        return self._compiled

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_compiled": None, "network": self.network and self.network.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.network = state["network"] and _core.Network(state["network"])

    def play(self, first: int, end: int, report: Report | None) -> tuple[Answer, BaseException | None]:
        """What the units `first` to `end` - 1 leave, and the error that cut them short: then samples that are not
        finished are left out."""
        answer, error = self._play(first, end, report)
        if self.network is not None:
            positions = answer["acts"]["positions"]
            if self.keep[2]:
                rules, variant, *_ = self._what
                checkers = checkers_of(rules, variant)
                assert checkers is not None
                positions = batch.from_keys(positions, checkers=checkers)
            answer["acts"]["evaluations"] = self.network.evaluate(positions, self.threads)
        return answer, error

    def _play(self, first: int, end: int, report: Report | None) -> tuple[Answer, BaseException | None]:
        error: BaseException | None
        parts = self.players.parts
        if self.players.all_built_in:
            return _core.play_out(self.plan, parts, self.keep, first, end, self.threads, report)
        arena = _core.Arena(self.plan, parts, self.keep, first, end, self.batch_size, self.threads)
        error = None
        try:
            self._ask(arena, end - first, report)
        except KeyboardInterrupt as interrupt:
            error = interrupt
        return arena.results(), error

    def nothing(self) -> Answer:
        """What no games leave."""
        return Job.play(self, 0, 0, None)[0]

    def _ask(self, arena: _core.Arena, total: int, report: Report | None) -> None:
        shown = time.monotonic()
        while asked := arena.advance():
            for slot, kind, columns in asked:
                questioner = self.players.asked[slot]
                assert questioner is not None
                answer = questioner.answer(kind, question(kind, columns))
                if kind == 0:
                    arena.choose(slot, answer)
                else:
                    arena.decide(slot, kind, answer)
            if report is not None and time.monotonic() - shown > _TICK:
                shown = time.monotonic()
                report(arena.done, total)
        if report is not None:
            report(arena.done, total)


def _on_cluster(
    job: Job, units: _ray.Ranges, address: str | None, report: Report | None, done: int, total: int
) -> Iterator[tuple[int, Answer]]:
    """What each range of units leaves, as the workers of a Ray cluster answer."""
    finished = done

    def tick() -> None:
        if report is not None:
            report(finished, total)

    for number, answer in _ray.run(_played, job, units, address=address, cpus=job.threads or 1, tick=tick):
        first, end = units[number]
        finished += end - first
        yield number, answer
    tick()


def _played(job: Job, units: tuple[int, int]) -> Answer:
    answer, error = job.play(*units, None)
    if error is not None:
        raise error
    return answer


def _together(
    job: Job, n: int, address: str | None, report: Report | None
) -> tuple[dict[str, Any], BaseException | None]:
    """Plays all units on a cluster and adds up what they left."""
    step = _chunk_size(n)
    units = _ray.Ranges.of(n, step)
    answer = job.nothing()
    sums = answer["sums"]
    tables: dict[int, Answer] = {}
    error: BaseException | None = None
    try:
        for number, part in _on_cluster(job, units, address, report, 0, n):
            sums = added(sums, part["sums"])
            if any(job.keep[:2]):
                tables[number] = part
    except KeyboardInterrupt as interrupt:
        error = interrupt
    parts = [answer, *(tables[number] for number in sorted(tables))]
    joined = {
        kind: {name: np.concatenate([part[kind][name] for part in parts]) for name in answer[kind]}
        for kind in ("games", "acts")
    }
    return _summed({"sums": sums, **joined}), error


def _chunk_size(n: int) -> int:
    """Units of each chunk where the caller does not say: a second of random games, less if there are few; even."""
    return max(16, min(1 << 16, n // 256 * 2))


def _write(
    writer: Writer, settings: Settings, job: Job, backend: Backend, address: str | None, report: Report | None
) -> tuple[dict[str, Any], BaseException | None]:
    """Plays what is left of a data set, part by part. A part that is cut short is left out."""
    error: BaseException | None = None
    before = 0 if writer.sums is None else writer.sums["games"]
    try:
        if backend == "ray":
            _write_from_cluster(writer, settings, job, address, report)
        else:
            error = _write_here(writer, settings, job, report)
    except KeyboardInterrupt as interrupt:
        error = interrupt
    sums = job.nothing()["sums"]
    if writer.sums is not None:
        sums = added(sums, writer.sums)
    return {**_summed({"sums": sums, "games": None, "acts": None}), "games_before": before}, error


def _write_here(writer: Writer, settings: Settings, job: Job, report: Report | None) -> BaseException | None:
    """Plays and writes on this machine; while one part is written the next one is played."""
    total = settings.n
    with writer:
        for first, end in writer.left():

            def shifted(done: int, _: int, before: int = first) -> None:
                assert report is not None
                report(before + done, total)

            answer, error = job.play(first, end, None if report is None else shifted)
            if error is not None:
                return error
            writer.add_soon(functools.partial(encode, settings, answer))
    return None


def _write_from_cluster(
    writer: Writer, settings: Settings, job: Job, address: str | None, report: Report | None
) -> None:
    """Writes in order what workers have played and encoded."""
    left = writer.left()
    waiting: dict[int, EncodedPart] = {}
    done = left[0][0] if left else settings.n
    shared = (job, settings)
    finished = done

    def tick() -> None:
        if report is not None:
            report(finished, settings.n)

    written = 0
    for number, part in _ray.run(_encoded, shared, left, address=address, cpus=job.threads or 1, tick=tick):
        waiting[number] = part
        finished += left[number][1] - left[number][0]
        while written in waiting:
            writer.add(waiting.pop(written))
            written += 1
    tick()


def _encoded(shared: tuple[Job, Settings], units: tuple[int, int]) -> EncodedPart:
    job, settings = shared
    return encode(settings, _played(job, units))


def _summed(answer: dict[str, Any]) -> dict[str, Any]:
    sums = answer["sums"]
    levels = list(sums["levels"])
    while levels and not levels[-1]:
        levels.pop()
    return {
        "games": sums["games"],
        "plies": sums["plies"],
        "plies_squared": sums["plies_squared"],
        "wins": tuple(Wins(*wins) for wins in sums["wins"]),
        "points": sums["points"],
        "points_squared": sums["points_squared"],
        "samples": sums["samples"],
        "match_wins": tuple(sums["match_wins"]),
        "match_wins_squared": sums["match_wins_squared"],
        "cube": tuple(CubeActions(*actions) for actions in sums["cube"]),
        "cubes": tuple(levels) or (0,),
        "per_game": answer["games"],
        "turns": answer["acts"],
    }
