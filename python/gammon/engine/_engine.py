"""The engine: an evaluator with tables, and the search above them."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from gammon import _core
from gammon._checks import instance, whole
from gammon._long_work import Progress, interruptible
from gammon.bearoff import OneSided, TwoSided
from gammon.cube import Decision, Ladder, TurningPoint, _verdict
from gammon.dice import Roll
from gammon.engine._result import LAST_TURN, RolloutResult
from gammon.engine._rollout import rollout
from gammon.engine._values import (
    DEFAULT_FILTERS,
    DEFAULT_REPLIES,
    MAX_PLIES,
    CubeDecision,
    CubeWorths,
    Evaluation,
    Filters,
    Probabilities,
    RankedPlay,
    Ranking,
    check_mapped,
    checked_filters,
    checked_replies,
    roll_of,
)
from gammon.errors import IllegalActionError, InvalidArgumentError
from gammon.evaluator import AnyModel, Model, _ask, _resolve
from gammon.match import Offer, State
from gammon.met import MatchEquityTable
from gammon.play import Play
from gammon.position import Position
from gammon.rules import Rules

__all__ = ["Bearoff", "Engine"]

Bearoff: TypeAlias = "TwoSided | str | os.PathLike[str] | Literal[False] | None"
"""The two-sided table of an engine: None for the one of 6 points by 6 checkers, False for no tables at all."""

_Game: TypeAlias = "tuple[str | None, _core.Ladder | None, int, str | None, int | None]"


class Engine:
    """An evaluator with exact tables, which looks some plies ahead.

    A Position is taken for a cubeless money game; a State for what it says: cube, score and rules. Every number is seen
    by the player on roll. The answers are the same for any number of threads, and whatever was asked before.
    ``docs/engine.md`` says what is worked out.

    Args:
        plies: how many rolls to look ahead, 0 to 3, counted as GNU Backgammon does: 0 is the bare evaluator.
        model: "fast", which it is if it is None, "strong", a model file, or anything that evaluates a batch
            (`gammon.Evaluator`; slower).
        bearoff: a two-sided table for money, or its file, which is asked besides the one-sided one of 6 points by 15
            checkers; None for `TwoSided.default()`, False for no tables.
        threads: for two plies and more; None for one on each core.
        filters: which candidates are judged deeper, `Engine.FILTERS` if None.
        replies: inside the tree, how many replies to each roll are evaluated, those that look best to a model taken for
            a straight line; None for all.
        nodes: the most positions to evaluate for an answer: it then comes from the deepest search that was finished.
        seconds: the same by time, by which answers differ from run to run.
        met: the match equities; the default table if None.
        cache: how many answers each thread remembers, 0 to 2^24. It changes no result.

    Raises:
        InvalidArgumentError: for a setting out of range, or a table at a match score.
        ModelFormatError: for a file that is no model.

    >>> import gammon
    >>> engine = Engine(plies=1)
    >>> ranking = engine.rank_plays(gammon.Position.start(), gammon.Roll(3, 1))
    >>> str(ranking[0].play), len(ranking), ranking[0].plies
    ('8/5 6/5', 16, 1)
    >>> state = gammon.State(gammon.Position.from_points({1: 2}, opponent={1: 2}), on_roll=0)
    >>> engine.cube_decision(state).action
    'double/drop'
    """

    __slots__ = (
        "_bearoff",
        "_cache",
        "_filters",
        "_met",
        "_model",
        "_nodes",
        "_plies",
        "_replies",
        "_searcher",
        "_seconds",
        "_threads",
    )

    FILTERS: Filters = DEFAULT_FILTERS
    """For 1 ply: twelve more within 0.24 of the best at 0-ply. For 2: those, and of them at 1-ply six within 0.12. For
    3: sixteen within 0.32, eight within 0.16, four within 0.06."""

    def __init__(
        self,
        plies: int = 0,
        model: AnyModel = None,
        bearoff: Bearoff = None,
        threads: int | None = None,
        *,
        filters: Filters | None = None,
        replies: int | None = DEFAULT_REPLIES,
        nodes: int | None = None,
        seconds: float | None = None,
        met: MatchEquityTable | None = None,
        cache: int = 1 << 15,
    ) -> None:
        """Reads the model; tables are built when they are first needed."""
        whole("plies", plies, 0, MAX_PLIES)
        whole("cache", cache, 0, 1 << 24)
        if threads is not None:
            whole("threads", threads, 1, 1024)
        if nodes is not None:
            whole("nodes", nodes, 0, (1 << 63) - 1)
        if seconds is not None and not 0 <= seconds < 1e9:
            raise InvalidArgumentError(f"seconds is a number from 0 to 1e9, not {seconds!r}")
        if isinstance(bearoff, (str, os.PathLike)):
            bearoff = TwoSided.open(bearoff)
        if isinstance(bearoff, TwoSided) and bearoff.is_at_score:
            raise InvalidArgumentError("an engine takes a two-sided table for money, not one at a match score")
        if bearoff is not None and bearoff is not False and not isinstance(bearoff, TwoSided):
            raise InvalidArgumentError(f"bearoff is a TwoSided, a path, None or False, not {bearoff!r}")
        if isinstance(bearoff, TwoSided):
            check_mapped("bearoff", bearoff)
        if met is not None:
            instance("met", met, MatchEquityTable, "MatchEquityTable.default()")
        self._plies = plies
        self._model = _resolve(model)
        self._bearoff = bearoff
        self._threads = threads
        self._filters = Engine.FILTERS if filters is None else checked_filters(filters)
        self._replies = checked_replies(replies)
        self._nodes = nodes
        self._seconds = seconds
        self._met = met
        self._cache = cache
        self._searcher: _core.Searcher | None = None

    @property
    def plies(self) -> int:
        """How many rolls it looks ahead.

        >>> Engine(plies=2).plies
        2
        """
        return self._plies

    @property
    def model(self) -> Any:
        """What evaluates: a `Model`, or the callable that it was made with.

        >>> Engine().model == Model.default()
        True
        """
        return self._model

    @property
    def replies(self) -> int | None:
        """How many replies to each roll are evaluated inside the tree; None for all.

        >>> Engine(replies=8).replies
        8
        """
        return self._replies

    @property
    def filters(self) -> Filters:
        """Which candidates are judged deeper.

        >>> Engine().filters == Engine.FILTERS, len(Engine.FILTERS)
        (True, 3)
        """
        return self._filters

    @property
    def met(self) -> MatchEquityTable:
        """The match equities.

        >>> Engine().met
        <MatchEquityTable 'gammon 25' to 25 points>
        """
        return MatchEquityTable.default() if self._met is None else self._met

    def replaced(self, *, plies: int | None = None, threads: int | None = None) -> Engine:
        """An engine with other plies or threads, and the same otherwise.

        >>> Engine(plies=2, cache=1).replaced(plies=0, threads=1)
        Engine(plies=0, threads=1, cache=1)
        """
        (own_plies, model, bearoff, own_threads), named = self._arguments()
        wanted = (own_plies if plies is None else plies, own_threads if threads is None else threads)
        return Engine(wanted[0], model, bearoff, wanted[1], **named)

    def evaluate(self, x: Position | State, *, turn: int | None = None) -> Evaluation:
        """What a position or a state is worth to the player on roll, before the roll.

        A roll that the state holds is not looked at.

        Args:
            x: a position, which means money without a cube; or a state.
            turn: which turn of the game it is, counted from 1 over both sides, as `Match.turn`. It matters where the
                rules make somebody wait with a double (rule 7.9); None: nobody has to wait any more.

        Raises:
            InvalidArgumentError: for a match that is over, a cube that the rules do not have, or a turn below 1.
            IllegalActionError: while an offer awaits its answer.

        >>> from gammon import Position
        >>> evaluation = Engine().evaluate(Position.from_points({1: 2}, opponent={1: 2}))
        >>> evaluation.equity, evaluation.probabilities.win
        (1.0, 1.0)
        """
        position, game, ladder = self._game(x, turn)
        with interruptible():
            five, _, best, reached = self._search().evaluate(position, game, self._settings())
        equity, mwc = best, None
        if ladder is not None:
            equity = float(ladder.to_equity(best, game[2]))
            mwc = best if ladder.unit == "mwc" else None
        return Evaluation(Probabilities(*five), equity, mwc, *reached)

    def rank_plays(self, x: Position | State, roll: Roll | str | None = None, *, turn: int | None = None) -> Ranking:
        """The plays of a roll, best first, with what they are worth; empty for a dance or a finished game.

        Args:
            x: before the roll is played.
            roll: None for the roll that a state holds.
            turn: as for `evaluate`: the turn of this roll.

        Raises:
            InvalidArgumentError: as `evaluate`, and without a roll.
            NotationError: for a text that is no roll.
            IllegalActionError: while an offer awaits its answer.

        >>> ranking = Engine().rank_plays(Position.start(), "31")
        >>> [str(ranked.play) for ranked in ranking[:1]], len(ranking)
        (['8/5 6/5'], 16)
        """
        ranked, reached = self._rank(x, roll, turn, only_best=False)
        return Ranking(tuple(ranked), *reached)

    def best_play(self, x: Position | State, roll: Roll | str | None = None, *, turn: int | None = None) -> Play:
        """The first of `rank_plays`, found faster; the empty play for a dance.

        Raises as `rank_plays` does, and `IllegalPlayError` if the game is over.

        >>> from gammon import Position, Roll
        >>> str(Engine(plies=1).best_play(Position.start(), "31"))
        '8/5 6/5'
        """
        ranked, _ = self._rank(x, roll, turn, only_best=True)
        if ranked:
            return ranked[0].play
        return _position(x).play("", _roll(x, roll))

    def cube_decision(self, x: State, *, turn: int | None = None) -> CubeDecision:
        """What to do with the cube: whether to double, or how to answer a double, a beaver or a raccoon.

        Args:
            x: before the roll.
            turn: as for `evaluate`. Who has to wait with a double cannot double: the action is "unavailable". What one
                would be worth is there nevertheless.

        Raises:
            IllegalActionError: after a roll, while a resignation is pending, and for an early double, which is answered
                once the turn is over.
            InvalidArgumentError: as `evaluate`, and for a Position, which has no cube.

        >>> from gammon import Position, State
        >>> race = Position.from_points({6: 2, 5: 2, 4: 2}, opponent={6: 2, 5: 2, 4: 3})
        >>> found = Engine().cube_decision(State(race, on_roll=0))
        >>> found.action, round(found.decision.no_double, 3)
        ('double/drop', 0.818)
        """
        if not isinstance(x, State):
            raise InvalidArgumentError(f"a decision about the cube needs a State, not {x!r}")
        if x.roll is not None:
            raise IllegalActionError(f"the roll {x.roll} is to be played: the cube cannot be turned now")
        if x.offer is None:
            return self._double(x, turn)
        if x.offer.level is not None:
            raise IllegalActionError(f"{x.offer.value} is pending: it is no turn of the cube")
        if x.offer is Offer.DOUBLE and x.offered_by != x.on_roll:
            raise IllegalActionError("an early double is answered once the player on roll has finished the turn")
        return self._double(x, turn) if x.offer is Offer.DOUBLE else self._answer(x, turn)

    def rollout(
        self,
        x: Position | State,
        trials: int = 1296,
        seed: int | None = 0,
        *,
        roll: Roll | str | None = None,
        plays: Sequence[Play | str] | int = 5,
        cube_decision: bool = False,
        cubeful: bool | None = None,
        plies: int = 0,
        truncate: int | None = None,
        variance_reduction: bool = True,
        min_trials: int = 324,
        stop_standard_error: float | None = None,
        stop_difference: float | None = None,
        threads: int | None = None,
        backend: Literal["local", "ray"] = "local",
        address: str | None = None,
        progress: Progress = None,
        turn: int | None = None,
    ) -> RolloutResult:
        """Plays a position, the plays of a roll or a cube decision out many times, as `gammon.engine.rollout`.

        Model, tables, match equities, filters and replies are those of the engine, and its threads if `threads` is
        None; with ``backend="ray"`` each chunk of trials has one then. How deep the players look is asked for here,
        whatever the engine's own `plies`: at 1 ply trials take about seven times as long, at 2 plies about seventy
        times.

        Raises:
            InvalidArgumentError: as `gammon.engine.rollout`, and for an engine whose model is not a `Model`.
            IllegalPlayError: for a play that the roll does not allow.
            NotationError: for a text that is no roll.
            Interrupted: on Ctrl-C, with the trials finished so far in `.result`.

        >>> from gammon import Position
        >>> race = Position.from_points({6: 2, 3: 1}, opponent={5: 2, 2: 1})
        >>> round(Engine().rollout(race, trials=36).best.equity, 3)
        0.151
        """
        if not isinstance(self._model, Model):
            raise InvalidArgumentError(f"a rollout needs a Model, not {self._model!r}")
        races: OneSided | Literal["default"] | None = None
        exact: TwoSided | Literal["default"] | None = None
        if self._bearoff is not False:
            races = "default"
            exact = "default" if self._bearoff is None else self._bearoff
        return rollout(
            x,
            roll=roll,
            plays=plays,
            cube_decision=cube_decision,
            cubeful=cubeful,
            trials=trials,
            seed=seed,
            plies=plies,
            model=self._model,
            truncate=truncate,
            variance_reduction=variance_reduction,
            races=races,
            exact=exact,
            min_trials=min_trials,
            stop_standard_error=stop_standard_error,
            stop_difference=stop_difference,
            met=self._met,
            threads=self._threads if threads is None and backend == "local" else threads,
            backend=backend,
            address=address,
            progress=progress,
            filters=self._filters,
            replies=self._replies,
            turn=turn,
        )

    def _double(self, state: State, turn: int | None) -> CubeDecision:
        """The decision whether to double, or whether to take a double that is pending."""
        position, game, ladder = self._cubeful(state, turn)
        with interruptible():
            numbers, action, five, reached = self._search().decide(position, game, self._settings())
        points = [TurningPoint(*numbers[place : place + 2]) for place in (5, 7, 9)]
        no_double, taken, dropped, beaver, best = numbers[:5]
        verdict = _verdict(action, state.cube)
        decision = Decision(no_double, taken, dropped, beaver, best, verdict, *points)
        if state.offer is not None:
            verdict = _best_answer(decision, "beaver")
        return _cube_decision(verdict, decision, five, reached, state, ladder)

    def _answer(self, state: State, turn: int | None) -> CubeDecision:
        """The answer to a beaver or a raccoon: the cube lies with who was doubled, and stays there."""
        position, (_, compiled, level, _, turn), ladder = self._cubeful(state, turn)
        assert state.offer is not None
        by_roller = state.offered_by == state.on_roll
        further = {Offer.BEAVER: 1, Offer.RACCOON: 2}[state.offer]
        worths = []
        five: Sequence[float] = ()
        reached = (self._plies, True, 0)
        allowed = state.rules.beavers is None or further < state.rules.beavers
        for turns in (0, 1, 2):
            there = ladder.endless or level + turns < len(ladder.levels)
            if not there or (turns == 2 and not allowed):
                worths.append(math.nan)
                continue
            game = (None, compiled, level + turns, "opponent", turn)
            with interruptible():
                chances, rolling, _, (plies, complete, nodes) = self._search().evaluate(
                    position, game, self._settings()
                )
            five = five or chances
            reached = (min(reached[0], plies), reached[1] and complete, reached[2] + nodes)
            worths.append(float(ladder.to_equity(rolling, level)))
        no_turn, taken, turned = worths
        dropped = 1.0 if by_roller else -1.0
        # Who answers picks what is worst for the other one; seen by the player on roll.
        best = (min if by_roller else max)(worth for worth in (taken, dropped, turned) if not math.isnan(worth))
        nowhere = TurningPoint(math.nan, math.nan)
        names = {taken: "take", dropped: "drop", turned: "raccoon" if state.offer is Offer.BEAVER else "beaver"}
        decision = Decision(no_turn, taken, dropped, turned, best, names[best], nowhere, nowhere, nowhere)
        return _cube_decision(names[best], decision, five, reached, state, ladder)

    def _rank(
        self, x: Position | State, roll: Roll | str | None, turn: int | None, *, only_best: bool
    ) -> tuple[list[RankedPlay], tuple[int, bool, int]]:
        dice = _roll(x, roll)
        position, game, ladder = self._game(x, turn)
        with interruptible():
            rows, reached = self._search().rank(position, dice, game, self._settings(), only_best)
        in_match = ladder is not None and ladder.unit == "mwc"
        best = rows[0][3] if rows else 0.0
        ranked = [
            RankedPlay(play, equity, equity - best, Probabilities(*five), worth if in_match else None, plies)
            for play, five, worth, equity, plies in rows
        ]
        return ranked, reached

    def _game(self, x: Position | State, turn: int | None) -> tuple[Position, _Game, Ladder | None]:
        if isinstance(x, Position):
            return x, ("points", None, 0, None, None), None
        if not isinstance(x, State):
            raise InvalidArgumentError(f"an engine judges a Position or a State, not {x!r}")
        if x.offer is not None:
            raise IllegalActionError(f"{x.offer.value} awaits its answer: ask cube_decision, or leave the offer out")
        return self._cubeful(x, turn)

    def _cubeful(self, state: State, turn: int | None) -> tuple[Position, _Game, Ladder]:
        if turn is not None:
            whole("turn", turn, 1, LAST_TURN)
        ladder, compiled = _ladder(state.rules, state.score, state.stake, self.met, state.on_roll)
        return state.position, (None, compiled, state.cube.level, state.cube.owner, turn), ladder

    def _settings(self) -> tuple[int, Any, int | None, int | None, float | None, int | None]:
        threads = self._threads if isinstance(self._model, Model) else 1
        return self._plies, self._filters, self._replies, self._nodes, self._seconds, threads

    def _search(self) -> _core.Searcher:
        if self._searcher is None:
            one = two = None
            if self._bearoff is not False:
                one = OneSided.default()._table
                two = (TwoSided.default() if self._bearoff is None else self._bearoff)._table
            model = self._model
            asked = model._network if isinstance(model, Model) else functools.partial(_ask, model)
            self._searcher = _core.Searcher(asked, one, two, self._cache)
        return self._searcher

    def _arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What it was made with: positional ones, and those by name that are not the default."""
        default = self._model == Model.default()
        named = {
            "filters": None if self._filters == Engine.FILTERS else self._filters,
            "replies": self._replies,
            "nodes": self._nodes,
            "seconds": self._seconds,
            "met": self._met,
            "cache": self._cache,
        }
        usual = {"replies": DEFAULT_REPLIES, "cache": 1 << 15}
        kept = {name: value for name, value in named.items() if value != usual.get(name)}
        return (self._plies, None if default else self._model, self._bearoff, self._threads), kept

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, self._arguments()

    def __repr__(self) -> str:
        values, named = self._arguments()
        names = dict(zip(("plies", "model", "bearoff", "threads"), values, strict=True))
        shown = {name: value for name, value in names.items() if value is not None} | named
        return f"Engine({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def __eq__(self, other: object, /) -> bool:
        if not isinstance(other, Engine):
            return NotImplemented
        # Tables have no equality of their own: those of one recipe or file are equal.
        return self._plies == other._plies and repr(self) == repr(other) and self._met == other._met

    def __hash__(self) -> int:
        return hash((self._plies, self._filters, self._nodes, self._seconds))


def _make(arguments: tuple[Any, ...], named: dict[str, Any]) -> Engine:
    return Engine(*arguments, **named)


@functools.lru_cache(maxsize=1024)
def _ladder(rules: Rules, score: Any, stake: int, met: MatchEquityTable, player: int) -> tuple[Ladder, _core.Ladder]:
    ladder = Ladder.of(rules, score, stake=stake, met=met, player=player)
    return ladder, ladder.compiled()


def _position(x: Position | State) -> Position:
    return x.position if isinstance(x, State) else x


def _roll(x: Position | State, roll: Roll | str | None) -> Roll:
    found = roll_of(x, roll)
    if found is None:
        raise InvalidArgumentError("roll is a Roll or a text such as '31', and there is none")
    return found


def _best_answer(decision: Decision, further: str) -> str:
    """The answer that is worst for the player on roll; a take among equals."""
    answers = {"take": decision.double_take, "drop": decision.double_drop, further: decision.beaver}
    known = {name: worth for name, worth in answers.items() if not math.isnan(worth)}
    if not known:
        raise IllegalActionError("the cube cannot be turned here: there is no double to answer")
    return min(known, key=lambda name: known[name])


def _cube_decision(
    action: str,
    decision: Decision,
    five: Sequence[float],
    reached: tuple[int, bool, int],
    state: State,
    ladder: Ladder,
) -> CubeDecision:
    mwc = None
    if ladder.unit == "mwc":
        names = ("no_double", "double_take", "double_drop", "beaver", "best")
        mwc = CubeWorths(*(ladder.from_equity(getattr(decision, name), state.cube.level) for name in names))
    return CubeDecision(action, decision, Probabilities(*five), mwc, state.offer, *reached)
