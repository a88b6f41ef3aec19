"""Rollouts: what a position, plays of a roll or a cube decision come to when they are played out."""

from __future__ import annotations

import dataclasses
import math
import os
import time
from collections.abc import Sequence
from typing import Literal, TypeAlias

from gammon import _core
from gammon._checks import instance, whole
from gammon._long_work import Progress, reporter
from gammon.bearoff import OneSided, TwoSided
from gammon.cube import Cube, Ladder, Level, _five
from gammon.dice import Roll, _seed
from gammon.engine._cluster import Backend, Trials, on_cluster
from gammon.engine._result import (
    LAST_TURN,
    MOST_CANDIDATES,
    MOST_TRIALS,
    Kind,
    RolloutCandidate,
    RolloutResult,
    Standing,
)
from gammon.engine._values import (
    DEFAULT_FILTERS,
    DEFAULT_REPLIES,
    MAX_PLIES,
    Filters,
    check_mapped,
    checked_filters,
    checked_replies,
    roll_of,
)
from gammon.errors import Interrupted, InvalidArgumentError
from gammon.evaluator import Model, _resolve_model
from gammon.match._state import GameState, State
from gammon.met import MatchEquityTable
from gammon.play import Play
from gammon.position import Position

__all__ = ["blank_candidate", "level_on", "reload", "rollout", "run", "with_estimates"]

_DEFAULT: Literal["default"] = "default"


def rollout(
    x: Position | State,
    *,
    roll: Roll | str | None = None,
    plays: Sequence[Play | str] | int = 5,
    cube_decision: bool = False,
    cubeful: bool | None = None,
    trials: int = 1296,
    seed: int | None = 0,
    plies: int = 0,
    model: Model | str | os.PathLike[str] | None = None,
    truncate: int | None = None,
    variance_reduction: bool = True,
    races: OneSided | Literal["default"] | None = _DEFAULT,
    exact: TwoSided | Literal["default"] | None = _DEFAULT,
    min_trials: int = 324,
    stop_standard_error: float | None = None,
    stop_difference: float | None = None,
    met: MatchEquityTable | None = None,
    threads: int | None = None,
    backend: Backend = "local",
    address: str | None = None,
    progress: Progress = None,
    resume: RolloutResult | None = None,
    filters: Filters | None = None,
    replies: int | None = DEFAULT_REPLIES,
    turn: int | None = None,
) -> RolloutResult:
    """Plays a position out many times: what it comes to on average, and how exact that is.

    Without a roll the position itself is rolled out; with one, its plays on common dice; with `cube_decision`, not to
    double and to double and be taken, on common dice.

    Args:
        x: a position, which means money without a cube; or a state, with its score, its cube, and its roll.
        roll: the roll whose plays are compared, or a text such as "31"; the state's if it has one.
        plays: the plays, or how many of the best at 0-ply.
        cube_decision: whether to compare doubling and not doubling.
        cubeful: whether the cube can be turned in the trials, and under the Jacoby rule gammons wait for that; None for
            a state, as its rules have it. Without it gammons count.
        trials: how many, at least 2; multiples of 36 have balanced dice, those of 1296 doubly so.
        seed: 0 to 2**64 - 1; None draws one, kept in the result.
        plies: how deep the players look, 0 to 3, for plays and for the cube. Luck is measured at 0-ply always, which
            does not bias the mean. ``docs/rollouts.md`` says what it costs.
        model: "fast", which it is if it is None, "strong", a path, or a `Model`.
        truncate: evaluate a trial after so many turns, at least 1; None plays it to the end.
        variance_reduction: take the luck of each roll off. The mean stays the same and the error gets much smaller,
            for about twenty times the work.
        races: a one-sided database, in which trials end when the cube is out of play, and by which cube decisions are
            made; None for none.
        exact: a two-sided database with the cube for money, in which trials end when the cube is out of play or can
            still be turned at least five times; None for none.
        min_trials: do not stop early before so many.
        stop_standard_error: stop when the standard error of every value is at most this.
        stop_difference: leave a candidate behind when the best is better by this many standard errors of the
            difference, and stop when only one is left; a cube decision stops when it is as clear.
        met: the match equities; the default table if None.
        threads: None for one on each core; the result is the same for any number. With Ray, how many processors each
            chunk of trials uses: one if None.
        backend: "local" plays on this machine, "ray" on a Ray cluster (extra ``ray``): the result is the same, where a
            rollout stops early included. Tables that were opened have to be at the same path on every node.
        address: of the Ray cluster, as in `gammon.simulate`.
        progress: a callable (trials done, trials in all), or True for a bar.
        resume: a result to go on with; its settings hold, and of those here only `trials`, `threads`,
            `backend`, `address` and `progress`.
        filters: of players that look ahead, which candidates are judged deeper; `Engine.FILTERS` if None.
        replies: of players that look ahead, how many replies to each roll are evaluated, as in `Engine`.
        turn: which turn of the game it is, counted from 1 over both sides, as `Match.turn`. The roll of turn 1, the
            opening, is no double; without `turn` any roll may come first. It matters too where the rules
            make somebody wait with a double (rule 7.9); None: nobody has to wait any more.

    Raises:
        InvalidArgumentError: for a finished game, an offer that is not answered yet, a cube that may not be turned, no
            legal play, or a setting out of range.
        MissingExtraError: without Ray for ``backend="ray"``.
        IllegalPlayError: for a play that the roll does not allow.
        NotationError: for a text that is no roll.
        Interrupted: on Ctrl-C, with the trials finished so far in `.result`, which can be resumed; None in place of
            fewer than two.

    >>> from gammon import Position
    >>> result = rollout(Position.start(), roll="31", plays=["8/5 6/5", "24/21 24/23"], trials=36)
    >>> result.best.action, result.candidates[1].behind > 0.1
    ('8/5 6/5', True)
    """
    checked_backend(backend, address)
    if resume is not None:
        if not isinstance(resume, RolloutResult):
            raise InvalidArgumentError(f"resume is a RolloutResult, not {resume!r}")
        if x != resume.start:
            raise InvalidArgumentError("the result to resume is that of another position")
        return resume.resume(trials, threads=threads, backend=backend, address=address, progress=progress)
    whole("trials", trials, 2, MOST_TRIALS)
    whole("min_trials", min_trials, 2, MOST_TRIALS)
    whole("plies", plies, 0, MAX_PLIES)
    if truncate is not None:
        whole("truncate", truncate, 1, 10_000)
    _flag("variance_reduction", variance_reduction)
    _flag("cube_decision", cube_decision)
    _least("stop_standard_error", stop_standard_error)
    _least("stop_difference", stop_difference)
    evaluator = _resolve_model(model)
    if turn is not None:
        whole("turn", turn, 1, LAST_TURN)
    state = _state(x)
    asked = roll_of(x, roll)
    if cube_decision and asked is not None:
        raise InvalidArgumentError(f"doubling comes before rolling, but there is a roll, {asked}")
    if met is not None:
        instance("met", met, MatchEquityTable, "MatchEquityTable.default()")
    ladder = _ladder(x, state, cubeful, met)
    live = any(any(known.may_double) for known in ladder.levels)
    if cube_decision:
        kind: Kind = "cube"
        starts = _cube_starts(state, ladder, turn)
    elif asked is not None:
        kind = "plays"
        starts = _play_starts(state, asked, plays, ladder, evaluator)
    else:
        kind = "position"
        starts = [("", state.position, state.cube)]
    loaded = _tables(races, exact)
    blank = RolloutResult(
        start=x,
        kind=kind,
        roll=asked,
        candidates=tuple(blank_candidate(*start) for start in starts),
        trials=0,
        max_trials=trials,
        seed=_seed(seed),
        cubeful=live,
        ladder=ladder,
        truncate=truncate,
        variance_reduction=variance_reduction,
        plies=plies,
        model=evaluator,
        tables=tuple(repr(table) for table in loaded if table is not None),
        min_trials=min_trials,
        stop_standard_error=stop_standard_error,
        stop_difference=stop_difference,
        filters=DEFAULT_FILTERS if filters is None else checked_filters(filters),
        replies=checked_replies(replies),
        turn=turn,
        _loaded=loaded,
    )
    return run(blank, threads, progress, backend, address)


# What is rolled out.


def _state(x: Position | State) -> State:
    if isinstance(x, Position):
        state = State(x, on_roll=0)
    elif isinstance(x, State):
        state = x
    else:
        raise InvalidArgumentError(f"a rollout starts from a Position or a State, not {x!r}")
    if state.position.is_over or state.game_state is not GameState.PLAYING:
        raise InvalidArgumentError(f"the game is over: {state.position.id}")
    if state.offer is not None:
        raise InvalidArgumentError(f"a rollout starts where somebody is to roll, not with an offer ({state.offer!r})")
    return state


def _ladder(x: Position | State, state: State, cubeful: bool | None, met: MatchEquityTable | None) -> Ladder:
    """What the game is worth to the player on roll."""
    if cubeful is not None:
        _flag("cubeful", cubeful)
    if isinstance(x, Position):
        if cubeful:
            raise InvalidArgumentError("a position means money without a cube; a cube needs a State")
        return Ladder.money(jacoby=False, use_cube=False, beavers=0)
    if state.rules.length is not None and state.score is None:
        raise InvalidArgumentError(f"the match is over at {state.points}")
    ladder = Ladder.of(state.rules, state.score, stake=state.stake, met=met, player=state.on_roll)
    level = state.cube.level
    if not ladder.endless and level >= len(ladder.levels):
        raise InvalidArgumentError(f"a cube of {state.cube.value} is more than the rules allow")
    if cubeful is not False:
        return ladder
    worth = tuple(ladder.worth(points, level) for points in (-3, -2, -1, 1, 2, 3))
    still = Level(worth, (False, False))  # type: ignore[arg-type]
    return Ladder((still,), unit=ladder.unit)


def level_on(ladder: Ladder, cube: Cube) -> int:
    """The level of the cube on the ladder; one without doubling has one."""
    return cube.level if ladder.endless or len(ladder.levels) > 1 else 0


_Start: TypeAlias = tuple[str, Position, Cube]


def _cube_starts(state: State, ladder: Ladder, turn: int | None) -> list[_Start]:
    cube = state.cube
    known = ladder.levels[0 if ladder.endless else level_on(ladder, cube)]
    if not known.may_double[0] or cube.owner == "opponent":
        raise InvalidArgumentError("the player on roll may not turn the cube, so there is nothing to decide")
    if turn is not None and turn < ladder.first_double_turn[0]:
        first = ladder.first_double_turn[0]
        raise InvalidArgumentError(f"the player on roll may not turn the cube before turn {first}, and this is {turn}")
    word = "redouble" if cube.owner == "player" else "double"
    return [
        (f"no {word}", state.position, cube),
        (f"{word}/take", state.position, Cube(2 * cube.value, "opponent")),
    ]


def _play_starts(
    state: State, roll: Roll, plays: Sequence[Play | str] | int, ladder: Ladder, model: Model
) -> list[_Start]:
    legal = state.position.plays(roll)
    cube = state.cube.flip()
    chosen: list[Play]
    if isinstance(plays, int) and not isinstance(plays, bool):
        whole("plays", plays, 1, MOST_CANDIDATES)
        flipped = ladder.flip()
        still = Cube(1 << level_on(ladder, cube), cube.owner)
        chosen = list(legal)
        if len(chosen) > plays:
            chosen.sort(key=lambda play: flipped.value(model.evaluate(play.next), still, efficiency=0.0))
            del chosen[plays:]
    elif isinstance(plays, Sequence) and not isinstance(plays, str):
        chosen = [state.position.play(str(play), roll) for play in plays]
        if len({play.next for play in chosen}) < len(chosen):
            raise InvalidArgumentError(f"plays: two of {[str(play) for play in chosen]} come to the same")
        whole("the number of plays", len(chosen), 1, MOST_CANDIDATES)
    else:
        raise InvalidArgumentError(f"plays is a sequence of plays, or how many, not {plays!r}")
    if not chosen:
        chosen = [state.position.play("", roll)]
    return [(str(play), play.next, cube) for play in chosen]


def blank_candidate(action: str, position: Position, cube: Cube) -> RolloutCandidate:
    """A candidate before its first trial."""
    nothing = _five([0.0] * 5)
    return RolloutCandidate(action, position, cube, 0, nothing, nothing, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


# Settings.


def _flag(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise InvalidArgumentError(f"{name} is True or False, not {value!r}")


def _least(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise InvalidArgumentError(f"{name} is a number above 0, not {value!r}")


def _tables(
    races: OneSided | Literal["default"] | None, exact: TwoSided | Literal["default"] | None
) -> tuple[OneSided | None, TwoSided | None]:
    if races == _DEFAULT:
        races = OneSided.default()
    if exact == _DEFAULT:
        exact = TwoSided.default()
    if not isinstance(races, OneSided | None):
        raise InvalidArgumentError(f"races is a OneSided, 'default' or None, not {races!r}")
    if not isinstance(exact, TwoSided | None):
        raise InvalidArgumentError(f"exact is a TwoSided, 'default' or None, not {exact!r}")
    if races is not None and not races.has_gammons:
        raise InvalidArgumentError(f"{races!r} does not know how long the first checker takes, so no gammons")
    if exact is not None and (exact.is_at_score or not exact.cubeful):
        raise InvalidArgumentError(f"exact is a table with the cube for money, not {exact!r}")
    if exact is not None:
        check_mapped("exact", exact)
    return races, exact


# The work.


def checked_backend(backend: object, address: object) -> None:
    """Refuses a word that says nothing, and an address where nobody is asked."""
    if backend not in ("local", "ray"):
        raise InvalidArgumentError(f"backend is 'local' or 'ray', not {backend!r}")
    if address is not None and backend != "ray":
        raise InvalidArgumentError(f"address {address!r} is for backend='ray'")


def trials_of(settings: RolloutResult, threads: int | None) -> Trials:
    """What the trials of a rollout depend on; with the processors of a chunk, one if `threads` is None."""
    loaded = settings._loaded
    if loaded is None:
        loaded = reload(settings.tables, _DEFAULT, _DEFAULT)
    turn = settings.turn
    if turn is not None and settings.kind == "plays":
        turn += 1
    starts = [
        (
            candidate.position,
            level_on(settings.ladder, candidate.cube),
            candidate.cube.owner,
            turn,
            settings.kind == "cube" and place == 0,
            settings.kind == "plays",
        )
        for place, candidate in enumerate(settings.candidates)
    ]
    player = (settings.plies, settings.filters, settings.replies)
    what = (starts, settings.seed, settings.truncate, settings.variance_reduction, player)
    return Trials(settings.ladder, what, settings.model._network, *loaded, 1 if threads is None else threads)


def run(
    settings: RolloutResult,
    threads: int | None,
    progress: Progress,
    backend: Backend = "local",
    address: str | None = None,
) -> RolloutResult:
    """Plays on from where a result stands until its `max_trials`."""
    began = time.perf_counter()
    trials = trials_of(settings, threads)
    core, ladder = trials.core(), settings.ladder
    level = level_on(ladder, settings.candidates[0].cube)
    standing = core.standing() if settings._sums is None else settings._sums
    unit = (ladder.worth(1, level) - ladder.worth(-1, level)) / 2
    error_wanted = None if settings.stop_standard_error is None else settings.stop_standard_error * unit
    drop = ladder.from_equity(1.0, level) if settings.kind == "cube" else None
    limits = (settings.max_trials, settings.min_trials, error_wanted, settings.stop_difference, drop)
    with reporter(progress, "rollout", "trials") as report:
        if backend == "ray":
            standing, error = on_cluster(trials, standing, limits, address, report)
        else:
            standing, error = core.run(trials.network, *trials.tables, standing, limits, threads, report)
    done = max(played for played, *_ in standing[0])
    result = None
    if done >= 2:
        seconds = settings.seconds + time.perf_counter() - began
        result = dataclasses.replace(with_estimates(settings, core, standing, level), seconds=seconds)
    if isinstance(error, KeyboardInterrupt):
        raise Interrupted(f"interrupted after {done} of {settings.max_trials} trials", result) from error
    if error is not None:
        raise error
    assert result is not None
    return result


def with_estimates(settings: RolloutResult, core: _core.Rollout, standing: Standing, level: int) -> RolloutResult:
    """The result with the estimates of a standing."""
    ladder = settings.ladder
    unit = (ladder.worth(1, level) - ladder.worth(-1, level)) / 2
    rows, _, behind = core.estimates(standing)
    candidates = []
    for place, candidate in enumerate(settings.candidates):
        (*five, equity, worth), (*errors, equity_error, worth_error) = rows[place]
        trials, alive, _ = standing[0][place]
        candidates.append(
            dataclasses.replace(
                candidate,
                trials=trials,
                probabilities=_five(five),
                probability_errors=_five(errors),
                equity=equity,
                equity_error=equity_error,
                value=float(ladder.to_equity(worth, level)),
                value_error=worth_error / unit,
                worth=worth,
                worth_error=worth_error,
                behind=behind[place][0] / unit,
                behind_error=behind[place][1] / unit,
                stopped=not alive,
            )
        )
    trials = max(trials for trials, *_ in standing[0])
    return dataclasses.replace(settings, candidates=tuple(candidates), trials=trials, _sums=standing)


def reload(
    tables: tuple[str, ...], races: OneSided | Literal["default"] | None, exact: TwoSided | Literal["default"] | None
) -> tuple[OneSided | None, TwoSided | None]:
    """The tables of a result: the default ones, or those given."""
    one = any(text.startswith(("OneSided", "open_gnubg")) for text in tables)
    two = any(text.startswith("TwoSided") for text in tables)
    loaded = _tables(races if one else None, exact if two else None)
    found = tuple(repr(table) for table in loaded if table is not None)
    if found != tables:
        raise InvalidArgumentError(f"the rollout had the tables {', '.join(tables)}, not {', '.join(found) or 'none'}")
    return loaded
