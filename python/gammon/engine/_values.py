"""What an engine answers with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, overload

from gammon import _core
from gammon._checks import whole
from gammon.bearoff import TwoSided
from gammon.cube import Decision
from gammon.dice import Roll, _as_roll
from gammon.errors import InvalidArgumentError
from gammon.match import Offer, State
from gammon.play import Play
from gammon.position import Position

__all__ = [
    "DEFAULT_FILTERS",
    "DEFAULT_REPLIES",
    "MAX_PLIES",
    "MOST_REPLIES",
    "CubeDecision",
    "CubeWorths",
    "Evaluation",
    "Filter",
    "Filters",
    "Probabilities",
    "RankedPlay",
    "Ranking",
    "checked_filters",
    "checked_replies",
    "roll_of",
]

MAX_PLIES = 3


class Probabilities(NamedTuple):
    """How likely each end of a game is, for the player on roll; gammons include backgammons.

    >>> Probabilities(0.6, 0.2, 0.01, 0.1, 0.0).equity
    0.31
    """

    win: float
    """Winning at all."""
    win_gammon: float
    """Winning a gammon or a backgammon."""
    win_backgammon: float
    """Winning a backgammon."""
    lose_gammon: float
    """Losing a gammon or a backgammon."""
    lose_backgammon: float
    """Losing a backgammon."""

    @property
    def equity(self) -> float:
        """Points with a cube of 1 that nobody turns.

        >>> Probabilities(0.6, 0.2, 0.01, 0.1, 0.0).equity
        0.31
        """
        won = self.win_gammon + self.win_backgammon
        return round(2 * self.win - 1 + won - self.lose_gammon - self.lose_backgammon, 15)

    def flip(self) -> Probabilities:
        """The same game as the other player sees it.

        >>> Probabilities(0.75, 0.5, 0.0, 0.125, 0.0).flip()
        Probabilities(win=0.25, win_gammon=0.125, win_backgammon=0.0, lose_gammon=0.5, lose_backgammon=0.0)
        """
        return Probabilities(1 - self.win, self.lose_gammon, self.lose_backgammon, self.win_gammon, self.win_backgammon)


class Filter(NamedTuple):
    """How many candidates that were judged so far are judged again deeper.

    >>> from gammon import Position
    >>> from gammon.engine import Engine
    >>> narrow = Engine(plies=1, filters=[[Filter(accept=2, extra=0, threshold=0.0)]])
    >>> [play.plies for play in narrow.rank_plays(Position.start(), "42")[:3]]
    [1, 1, 0]
    """

    accept: int
    """So many in any case, at least one."""
    extra: int
    """So many more, ..."""
    threshold: float
    """... whose equity is no further than this from the best one's."""


Filters: TypeAlias = Sequence[Sequence[Filter | None]]
"""For searches of 1, 2 and 3 plies: what is kept after each pass. The pass at 0-ply is always made, a later one where
it has a filter."""

DEFAULT_FILTERS: Filters = tuple(
    tuple(None if kept is None else Filter(*kept) for kept in passes) for passes in _core.default_filters()
)
DEFAULT_REPLIES = _core.DEFAULT_REPLIES
MOST_REPLIES = 4096


def check_mapped(name: str, table: TwoSided) -> None:
    """Refuses a table that is read look-up by look-up: one that fails in the middle of a search would be guessed at."""
    if not table._mmap:
        raise InvalidArgumentError(f"{name} is a table read through a memory map, not {table!r}")


def checked_filters(filters: Filters) -> Filters:
    """Filters as tuples; `InvalidArgumentError` if they are none."""

    def check(kept: Filter | None) -> Filter | None:
        if kept is None:
            return None
        accept, extra, threshold = kept
        whole("accept", accept, 0, 1 << 16)
        whole("extra", extra, 0, 1 << 16)
        if not threshold >= 0:
            raise InvalidArgumentError(f"threshold is at least 0, not {threshold!r}")
        return Filter(accept, extra, float(threshold))

    checked = tuple(tuple(check(kept) for kept in passes) for passes in filters)
    if len(checked) > MAX_PLIES or any(len(passes) > depth for depth, passes in enumerate(checked, 1)):
        raise InvalidArgumentError(
            f"filters are for searches of 1 to {MAX_PLIES} plies, with at most as many passes, not {filters!r}"
        )
    return checked


def checked_replies(replies: int | None) -> int | None:
    """How many replies to each roll are evaluated; `InvalidArgumentError` for less than one."""
    if replies is not None:
        whole("replies", replies, 1, MOST_REPLIES)
    return replies


def roll_of(x: Position | State, roll: Roll | str | None) -> Roll | None:
    """The roll that is given, or else the one that a state holds."""
    if roll is None:
        return x.roll if isinstance(x, State) else None
    return _as_roll(roll)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a position is worth to the player on roll, before the roll.

    >>> from gammon import Position
    >>> from gammon.engine import Engine
    >>> evaluation = Engine().evaluate(Position.from_points({1: 2}, opponent={1: 2}))
    >>> evaluation.equity, evaluation.mwc, evaluation.plies
    (1.0, None, 0)
    """

    probabilities: Probabilities
    equity: float
    """Of a Position: cubeless points. Of a State: with the best use of the cube from now on, normalised so that winning
    a single game with the cube as it lies is 1 and losing one -1."""
    mwc: float | None
    """The chance to win the match; None for money and for a Position."""
    plies: int
    """How far was looked ahead."""
    complete: bool
    """Whether that is as far as was asked for: False if a limit of nodes or time cut the search short."""
    nodes: int
    """How many positions were evaluated on the way."""


@dataclass(frozen=True, slots=True)
class RankedPlay:
    """A play and what it is worth to the player who makes it.

    >>> from gammon import Position
    >>> from gammon.engine import Engine
    >>> first = Engine().rank_plays(Position.start(), "31")[0]
    >>> str(first.play), first.difference, first.mwc
    ('8/5 6/5', 0.0, None)
    """

    play: Play
    equity: float
    """As `Evaluation.equity`."""
    difference: float
    """Its equity minus that of the first play: 0 or less, except where a search judged this play less deep."""
    probabilities: Probabilities
    """How likely each end of the game is after it, for the player who makes it."""
    mwc: float | None
    """The chance to win the match; None for money and for a Position."""
    plies: int
    """How far was looked ahead for it."""


@dataclass(frozen=True, slots=True)
class Ranking(Sequence[RankedPlay]):
    """The plays of a roll: those that were judged deepest first, each group best first. Empty for a dance.

    >>> from gammon import Position
    >>> from gammon.engine import Engine
    >>> ranking = Engine().rank_plays(Position.start(), "31")
    >>> len(ranking), [str(ranked.play) for ranked in ranking[:1]], ranking.plies
    (16, ['8/5 6/5'], 0)
    """

    plays: tuple[RankedPlay, ...]
    plies: int
    """How far was looked ahead for the first."""
    complete: bool
    """Whether that is as far as was asked for: False if a limit of nodes or time cut the search short."""
    nodes: int
    """How many positions were evaluated on the way."""

    def __len__(self) -> int:
        """The number of plays."""
        return len(self.plays)

    @overload
    def __getitem__(self, place: int) -> RankedPlay: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[RankedPlay, ...]: ...

    def __getitem__(self, place: int | slice) -> RankedPlay | tuple[RankedPlay, ...]:
        """A play by its place, or several."""
        return self.plays[place]

    def __iter__(self) -> Iterator[RankedPlay]:
        """The plays in order."""
        return iter(self.plays)


class CubeWorths(NamedTuple):
    """The equities of a `Decision` in another unit, for the player on roll; NaN for an action that there is not.

    >>> from gammon import Position, Rules, State
    >>> from gammon.engine import Engine
    >>> ahead = Position.from_points({1: 2}, opponent={1: 4})
    >>> at_score = State(ahead, on_roll=0, rules=Rules.match(3))
    >>> worths = Engine().cube_decision(at_score).mwc
    >>> round(worths.double_drop, 3) == round(worths.best, 3), round(worths.double_drop, 2)
    (True, 0.6)
    """

    no_double: float
    double_take: float
    double_drop: float
    beaver: float
    best: float


@dataclass(frozen=True, slots=True)
class CubeDecision:
    """What to do with the cube, and what every action is worth to the player on roll.

    >>> from gammon import Position, State
    >>> from gammon.engine import Engine
    >>> race = Position.from_points({6: 2, 5: 2, 4: 2}, opponent={6: 2, 5: 2, 4: 3})
    >>> decision = Engine().cube_decision(State(race, on_roll=0))
    >>> decision.action, decision.mwc, decision.decision.double_drop
    ('double/drop', None, 1.0)
    """

    action: str
    """What the player whose decision it is does best. Before a roll the verdict of `decision`, such as "no double",
    "redouble/take" or "too good". With a turn of the cube pending: "take", "drop", "beaver" or "raccoon"."""
    decision: Decision
    """Equities with the cube as it lies before the double. While a beaver or a raccoon is pending: `double_take` is
    accepting it, `double_drop` dropping it, `beaver` turning the cube once more."""
    probabilities: Probabilities
    """How likely each end of the game is, if the cube stays where it is."""
    mwc: CubeWorths | None
    """The same actions as chances to win the match; None for money."""
    offer: Offer | None
    """The turn of the cube that awaits its answer."""
    plies: int
    """How far was looked ahead."""
    complete: bool
    """Whether that is as far as was asked for: False if a limit of nodes or time cut the search short."""
    nodes: int
    """How many positions were evaluated on the way."""
