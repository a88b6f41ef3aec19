"""Ending a game whose player does not come back: the stakes are divided by what the position is worth (rule 10.2).

The position is valued by a callable, an *evaluator*, which is asked about states before a roll and without an offer
only. What lies between, thrown dice and pending doubles, is played out here, both sides acting best.
"""

from __future__ import annotations

import dataclasses
import math
import time as _time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol

from gammon.clock import TimeSource
from gammon.cube import MAX_CUBE, Cube, Owner
from gammon.dice import Roll
from gammon.engine import Engine
from gammon.errors import IllegalActionError, InvalidArgumentError, NotInDatabaseError
from gammon.match import Match, Offer, State
from gammon.met import MatchEquities, MatchEquityTable
from gammon.position import Position
from gammon.scoring import (
    CrawfordPhase,
    counted_level,
    crawford_phase,
    is_over_limit,
    is_turned,
    match_winner,
)
from gammon.settlement import Amount, exact

__all__ = [
    "Adjudication",
    "BearoffEvaluator",
    "EngineEvaluator",
    "Estimate",
    "Evaluator",
    "EvenChances",
    "Interruption",
    "adjudicate",
]


_MOST_EQUITY = 3.0 * MAX_CUBE
"""A backgammon at the largest cube."""

RETURN_WINDOW = 300.0
"""How many seconds a player may be away before the game is adjudicated (rule 10.2)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a state is worth to the player on roll, and how that was found.

    `value` is the cubeful equity for a value (stake x cube) of 1 in money play, in a match the winning chance, 0 to 1.
    `method` names plies or rollout; `standard_error` is in the unit of `value`, 0 if the value is exact.

    >>> Estimate(0.25, "2-ply", standard_error=0.01).value
    0.25
    """

    value: float
    method: str = ""
    standard_error: float = 0.0


class Evaluator(Protocol):
    """Whatever values a state before a roll and without an offer, doubling now included.

    >>> from gammon import Position
    >>> def pips(state):
    ...     return (state.position.opponent_pips - state.position.pips) / 100
    >>> ahead = Position.from_points({1: 2}, opponent={6: 2})
    >>> adjudicate(State(ahead, on_roll=0), pips, amount=50).shares
    (Decimal('5.0'), Decimal('-5.0'))
    """

    def __call__(self, state: State, /) -> Estimate | float:
        """The estimate for the player on roll."""
        ...


PLIES = 2
"""How far the engine looks ahead if nothing is said."""


@dataclass(frozen=True, slots=True)
class EngineEvaluator:
    """What an engine says: the usual evaluator.

    >>> from gammon import Position
    >>> EngineEvaluator(Engine(0))(State(Position.from_points({1: 2}, opponent={1: 2}), on_roll=0))
    Estimate(value=1.0, method='0-ply', standard_error=0.0)
    """

    engine: Engine = dataclasses.field(default_factory=lambda: Engine(PLIES))

    def __call__(self, state: State, /) -> Estimate:
        """The engine's cubeful equity, or its match winning chance."""
        found = self.engine.evaluate(state)
        return Estimate(found.equity if found.mwc is None else found.mwc, f"{found.plies}-ply")


@dataclass(frozen=True, slots=True)
class EvenChances:
    """The trivial evaluator: every game that is not finished is even.

    In a match both players win a single game at its present value equally often.

    >>> from gammon import Position
    >>> EvenChances()(State(Position.start(), on_roll=0)).value
    0.0
    """

    met: MatchEquities | None = None

    def __call__(self, state: State, /) -> Estimate:
        """No equity, or the mean of what follows a single game."""
        if state.rules.length is None:
            return Estimate(0.0, "even chances")
        met = MatchEquityTable.default() if self.met is None else self.met
        win, lose = (_mwc_after(state, seat, state.value, met) for seat in (state.on_roll, 1 - state.on_roll))
        return Estimate((win + lose) / 2, "even chances")


class _TwoSidedTable(Protocol):
    def equity(self, position: Position, cube: Literal["none"] | Cube = ..., *, jacoby: bool | None = ...) -> float: ...


@dataclass(frozen=True, slots=True)
class BearoffEvaluator:
    """Values of a two-sided bear-off table (`gammon.bearoff.TwoSided`) in money play, another evaluator's elsewhere.

    Exact as far as the table is. A cube that the limit stops within the game is taken to go on.

    >>> from gammon import Position
    >>> from gammon.bearoff import TwoSided
    >>> judge = BearoffEvaluator(TwoSided.default())
    >>> judge(State(Position.from_points({1: 2}, opponent={1: 2}), on_roll=0)).value
    1.0
    """

    table: _TwoSidedTable
    otherwise: Evaluator = dataclasses.field(default_factory=EvenChances)

    def __call__(self, state: State, /) -> Estimate | float:
        """The table's equity where it holds the position."""
        rules = state.rules
        if rules.length is not None:
            return self.otherwise(state)
        cube: Literal["none"] | Cube = state.cube
        jacoby = rules.jacoby and not is_turned(state.cube.owner)
        if not rules.use_cube or is_over_limit(2 * state.value, rules.cube_limit):
            cube = "none"
            if jacoby:
                # Gammons would never count, which is no game that a table knows.
                return self.otherwise(state)
        try:
            return Estimate(self.table.equity(state.position, cube, jacoby=jacoby), "bear-off table")
        except NotInDatabaseError:
            return self.otherwise(state)


@dataclass(frozen=True, slots=True)
class Adjudication:
    """How the stakes are divided, by seat.

    `shares` are what each player receives: in money play plus and minus the same amount, in a match the parts of the
    prize. `value` is player 0's equity for a value of 1, or match winning chance; `unit` says which.

    >>> from gammon import Position
    >>> from gammon.bearoff import TwoSided
    >>> race = State(Position.from_points({1: 2}, opponent={1: 2}), on_roll=1)
    >>> divided = adjudicate(race, BearoffEvaluator(TwoSided.default()), amount=10)
    >>> divided.shares, divided.value, divided.unit
    ((Decimal('-10.0'), Decimal('10.0')), -1.0, 'equity')
    """

    shares: tuple[Decimal, Decimal]
    value: float
    unit: Literal["equity", "mwc"]
    evaluator: str
    method: str
    standard_error: float


def adjudicate(
    match: Match | State,
    evaluator: Evaluator | Engine | None = None,
    *,
    amount: Amount = 1,
    met: MatchEquities | None = None,
) -> Adjudication:
    """Divides the stakes of a game that cannot be finished (rule 10.2). The match itself is left as it is.

    Args:
        match: the match, or its state.
        evaluator: values states, as does an `Engine`; one at 2-ply, with these match equities, if None.
        amount: money per point, or the prize of a match.
        met: match equities for what follows the game; the default table if None.

    Raises:
        InvalidArgumentError: for an evaluator that answers outside what is possible, or match equities of your own
            without an evaluator that goes with them.

    >>> from gammon import Position, Roll
    >>> wins_now = Position.from_points({1: 1}, opponent={1: 1})
    >>> adjudicate(State(wins_now, on_roll=0, roll=Roll(2, 1)), amount=10).shares
    (Decimal('10.0'), Decimal('-10.0'))
    """
    state = match.state if isinstance(match, Match) else match
    if not isinstance(state, State):
        raise InvalidArgumentError(f"a match or a state is adjudicated, not {state!r}")
    stakes = exact("amount", amount)
    if stakes < 0:
        raise InvalidArgumentError(f"amount is at least 0, not {amount!r:.60}")
    judge = _Judge(_evaluator(evaluator, met), met)
    between = isinstance(match, Match) and not match.in_game
    winner = match.winner if isinstance(match, Match) else None
    best = judge.between_games(state, winner) if between else judge.worth(_without_resignation(state))
    name = (
        type(judge.evaluator).__name__
        if not isinstance(judge.evaluator, type(adjudicate))
        else judge.evaluator.__name__
    )
    if state.rules.length is None:
        equity = best.value if state.on_roll == 0 else -best.value
        moved = Decimal(repr(equity)) * state.value * stakes
        return Adjudication((moved, -moved), equity, "equity", name, best.method, best.standard_error)
    mwc = best.value if state.on_roll == 0 else 1.0 - best.value
    share = Decimal(repr(mwc)) * stakes
    return Adjudication((share, stakes - share), mwc, "mwc", name, best.method, best.standard_error)


def _evaluator(evaluator: Evaluator | Engine | None, met: MatchEquities | None) -> Evaluator:
    if isinstance(evaluator, Engine):
        return EngineEvaluator(evaluator)
    if evaluator is not None:
        return evaluator
    if met is None or isinstance(met, MatchEquityTable):
        return EngineEvaluator(Engine(PLIES, met=met))
    raise InvalidArgumentError(f"an engine knows match equity tables only: give an evaluator that goes with {met!r}")


class Interruption:
    """A player has gone: clocks stand still, and unless they come back within the window the game is adjudicated.

    Each interruption has a window of its own, so it runs anew (rule 10.2). The absent player is not penalised.

    Args:
        match: the match that is interrupted; its clock, if it runs, is stopped.
        window: seconds to wait.
        time: seconds, as for a clock.

    >>> from gammon import Match, Rules
    >>> seconds = iter([0.0, 100.0, 400.0])
    >>> gone = Interruption(Match(Rules.match(3)), window=300, time=lambda: next(seconds))
    >>> gone.seconds_left
    200.0
    >>> gone.adjudicate(amount=100).shares
    (Decimal('50.0'), Decimal('50.0'))
    """

    def __init__(self, match: Match, *, window: float = RETURN_WINDOW, time: TimeSource = _time.monotonic) -> None:
        self.match = match
        self.window = window
        self._time = time
        self._since = time()
        self._stopped = match.clock is not None and match.clock.reading().stopped is None
        if self._stopped and not match.is_over:
            match.stop_clock("interrupted")

    @property
    def seconds_left(self) -> float:
        """For how many seconds the player may still come back; never below 0.

        >>> hands = [0.0]
        >>> gone = Interruption(Match(), window=300, time=lambda: hands[0])
        >>> hands[0] = 100.0
        >>> gone.seconds_left
        200.0
        """
        return max(0.0, self.window - (self._time() - self._since))

    def resume(self) -> None:
        """The player is back: the clock runs on. Raises `IllegalActionError` once the window is over.

        >>> from gammon import Rules
        >>> from gammon.clock import ClockSettings
        >>> match = Match(Rules.match(3, clock=ClockSettings()))
        >>> Interruption(match).resume()
        >>> match.clock.reading().stopped is None
        True
        """
        if self.seconds_left == 0:
            raise IllegalActionError(f"the player did not come back within {self.window:g} seconds")
        if self._stopped:
            self.match.resume_clock()

    def adjudicate(
        self, evaluator: Evaluator | Engine | None = None, *, amount: Amount = 1, met: MatchEquities | None = None
    ) -> Adjudication:
        """Divides the stakes, once the window is over; see `adjudicate`. Raises `IllegalActionError` before that.

        >>> from gammon import Rules
        >>> gone = Interruption(Match(Rules.match(3)), window=0)
        >>> gone.adjudicate(amount=100).shares
        (Decimal('50.0'), Decimal('50.0'))
        """
        if self.seconds_left > 0:
            raise IllegalActionError(f"the player may still come back, for {self.seconds_left:g} seconds")
        return adjudicate(self.match, evaluator, amount=amount, met=met)


def _without_resignation(state: State) -> State:
    """A pending resignation is ignored."""
    if state.offer is not None and state.offer.level is not None:
        return dataclasses.replace(state, offer=None, offered_by=None)
    return state


def _mwc_after(state: State, winner: int, points: int, met: MatchEquities) -> float:
    """The match winning chance of the player on roll when a seat has won the game with so many points."""
    length = state.rules.length
    assert length is not None
    score = (state.points[0] + points, state.points[1]) if winner == 0 else (state.points[0], state.points[1] + points)
    done = match_winner(score, length)
    if done is not None:
        return float(done == state.on_roll)
    played = state.post_crawford or state.is_crawford
    phase = crawford_phase(score, length, crawford=state.rules.crawford, played=played)
    own, other = length - score[state.on_roll], length - score[1 - state.on_roll]
    return float(met.mwc(own, other, post_crawford=phase is CrawfordPhase.POST_CRAWFORD))


@dataclass(frozen=True, slots=True)
class _Judge:
    """Plays out what is between a state and the ones that the evaluator knows.

    Values are for the player on roll of the state asked about: money per value of that state, or MWC.
    """

    evaluator: Evaluator
    met: MatchEquities | None

    def worth(self, state: State) -> Estimate:
        """The best of a state: finished, rolled, doubled, or before the roll."""
        outcome = state.position.outcome
        if outcome is not None:
            return self.finished(state, abs(outcome.points), won=outcome.is_win)
        if state.roll is not None:
            return self.best_play(state)
        if state.offer is not None and state.offered_by != state.on_roll and state.offer is Offer.DOUBLE:
            return self.over_rolls(state)
        if state.offer is not None:
            further = {Offer.DOUBLE: 0, Offer.BEAVER: 1, Offer.RACCOON: 2}[state.offer]
            return self.answered(state, further)
        return self.asked(state)

    def between_games(self, state: State, winner: int | None) -> Estimate:
        """No game is being played: nothing moves, or the score alone speaks."""
        if state.rules.length is None:
            return Estimate(0.0, "between games")
        if winner is not None:
            return Estimate(float(winner == state.on_roll), "finished")
        return Estimate(_mwc_after(state, 0, 0, self.table()), "between games")

    def asked(self, state: State) -> Estimate:
        """What the evaluator says."""
        answer = self.evaluator(state)
        if not isinstance(answer, Estimate):
            number = not isinstance(answer, bool | str) and hasattr(answer, "__float__")
            if not number:
                raise InvalidArgumentError(f"an evaluator gives a number or an Estimate, not {answer!r:.60}")
            answer = Estimate(float(answer))
        estimate = answer
        low, high = (0.0, 1.0) if state.rules.length is not None else (-_MOST_EQUITY, _MOST_EQUITY)
        if not math.isfinite(estimate.value) or not low <= estimate.value <= high:
            raise InvalidArgumentError(f"the evaluator says {estimate.value!r} for {state.position.id}")
        return estimate

    def finished(self, state: State, level: int, *, won: bool) -> Estimate:
        """A game that ended, won or lost by the player on roll, at a level that Jacoby may flatten."""
        if state.rules.length is not None:
            points = level * state.value
            return Estimate(
                _mwc_after(state, state.on_roll if won else 1 - state.on_roll, points, self.table()), "finished"
            )
        counted = counted_level(level, jacoby=state.rules.jacoby, turned=is_turned(state.cube.owner))
        return Estimate(float(counted if won else -counted), "finished")

    def table(self) -> MatchEquities:
        return MatchEquityTable.default() if self.met is None else self.met

    def opposite(self, state: State, estimate: Estimate) -> Estimate:
        """The same for the other player."""
        value = -estimate.value if state.rules.length is None else 1.0 - estimate.value
        return dataclasses.replace(estimate, value=value)

    def over_rolls(self, state: State) -> Estimate:
        """Dice that are thrown again while an early double is pending: the mean of all rolls (rules 7.10, 9.9)."""
        estimates = [(roll.weight / 36, self.best_play(dataclasses.replace(state, roll=roll))) for roll in Roll.all()]
        value = sum(weight * estimate.value for weight, estimate in estimates)
        error = math.sqrt(sum((weight * estimate.standard_error) ** 2 for weight, estimate in estimates))
        return Estimate(value, estimates[0][1].method, error)

    def best_play(self, state: State) -> Estimate:
        """The best play of the dice that are thrown; an early double is answered after it (rule 7.10)."""
        assert state.roll is not None
        plays = list(state.position.plays(state.roll)) or [state.position.play("", state.roll)]
        results = []
        for play in plays:
            if play.after.is_over:
                results.append(
                    self.worth(dataclasses.replace(state, position=play.after, roll=None, offer=None, offered_by=None))
                )
                continue
            after = dataclasses.replace(
                state, position=play.next, on_roll=1 - state.on_roll, roll=None, cube=state.cube.flip()
            )
            results.append(self.opposite(state, self.worth(after)))
        return max(results, key=lambda estimate: estimate.value)

    def answered(self, state: State, further: int) -> Estimate:
        """A double, or a further turn of the cube, answered as is best for who answers (rules 7.3, 7.4).

        The cube shows the value before the turn on offer. The player on roll doubled first; the other will own it.
        """
        doubler_answers = further % 2 == 1
        options = [self.after_take(state), self.after_drop(state, lost=doubler_answers)]
        rules = state.rules
        may = rules.beavers is None or further < rules.beavers
        if may and not is_over_limit(4 * state.value, rules.cube_limit) and 4 * state.cube.value <= MAX_CUBE:
            turned = dataclasses.replace(state, cube=_doubled(state.cube))
            options.append(self.rescaled(state, 2, self.answered(turned, further + 1)))
        best: Callable[..., Estimate] = max if doubler_answers else min
        return best(options, key=lambda estimate: estimate.value)

    def after_take(self, state: State) -> Estimate:
        taken = dataclasses.replace(state, cube=_doubled(state.cube), offer=None, offered_by=None)
        return self.rescaled(state, 2, self.asked(taken))

    def after_drop(self, state: State, *, lost: bool) -> Estimate:
        """A single game at the value before the turn, lost or won by the player on roll."""
        if state.rules.length is None:
            return Estimate(-1.0 if lost else 1.0, "dropped")
        winner = 1 - state.on_roll if lost else state.on_roll
        return Estimate(_mwc_after(state, winner, state.value, self.table()), "dropped")

    def rescaled(self, state: State, times: int, estimate: Estimate) -> Estimate:
        """Equity at a higher cube in terms of this state's value; a match winning chance is what it is."""
        if state.rules.length is not None:
            return estimate
        error = estimate.standard_error * times
        return dataclasses.replace(estimate, value=estimate.value * times, standard_error=error)


def _doubled(cube: Cube) -> Cube:
    """The cube after a turn that was accepted: the player who was doubled owns it."""
    owner: Owner = "opponent"
    return Cube(2 * cube.value, owner)
