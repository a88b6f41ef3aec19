"""The doubling cube: its place, scores, what a game is worth at each cube, and what to do with it.

Every number is seen by the player on roll. Equities are normalised: to win a single game with the cube as it lies is 1
and to lose one is -1, for money and at match scores alike. ``docs/cube.md`` derives the formulas.

>>> decision = decide([0.7, 0.15, 0.01, 0.05, 0.0])
>>> decision.action, round(decision.no_double, 3), round(decision.double_take, 3)
('double/take', 0.681, 0.816)
>>> decide([0.7, 0.15, 0.01, 0.05, 0.0], score=Score(2, 4)).action
'no double'
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast, overload

from gammon import _core
from gammon._checks import instance, power_of_two, whole
from gammon.errors import ArrayError, InvalidArgumentError
from gammon.met import Equity, MatchEquities, MatchEquityTable
from gammon.position import Position
from gammon.scoring import (
    CrawfordPhase,
    counted_level,
    crawford_phase,
    first_doubling_turn,
    is_dead,
    is_over_limit,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gammon.rules import Rules

__all__ = [
    "Cube",
    "Decision",
    "Decisions",
    "Ladder",
    "Level",
    "MarketWindow",
    "Owner",
    "Score",
    "ScoreGraph",
    "ScoreNode",
    "TurningPoint",
    "TurningPoints",
    "decide",
    "efficiency",
]

Owner: TypeAlias = Literal["player", "opponent"]
"""Who has the cube: the player on roll or the other one. A centred cube has the owner None."""

MAX_LEVEL = 15
MAX_CUBE = 1 << MAX_LEVEL
"""The largest cube that any format can hold."""

MAX_AWAY = 32767
"""The longest match that any format can hold."""

MAX_GRAPH_LENGTH = 128
"""A score graph has about the square of the length as nodes: longer ones would not fit into memory comfortably."""

OUTCOMES = (-3, -2, -1, 1, 2, 3)
"""The six ends of a game in the order of a level's worths: from a lost backgammon to a won one."""

_DEFAULT_EFFICIENCY = 0.68
_UNLIMITED = 255
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Cube:
    """The doubling cube as the player on roll sees it: its value, and who owns it (None: it is centred).

    Raises `InvalidArgumentError` for a value that is no power of 2 from 1 to 2^15, or an unknown owner.

    >>> Cube(2, "player").flip()
    Cube(value=2, owner='opponent')
    """

    value: int = 1
    owner: Owner | None = None

    def __post_init__(self) -> None:
        """Refuses what is no cube."""
        power_of_two("a cube", self.value, MAX_CUBE)
        if self.owner not in (None, "player", "opponent"):
            raise InvalidArgumentError(f"owner is None, 'player' or 'opponent', not {self.owner!r}")

    @property
    def level(self) -> int:
        """How often it has been turned from 1: its value is 2 to that power.

        >>> Cube(8).level
        3
        """
        return self.value.bit_length() - 1

    def flip(self) -> Cube:
        """The same cube as the other player sees it.

        >>> Cube(2, "player").flip()
        Cube(value=2, owner='opponent')
        """
        owners: dict[Owner | None, Owner | None] = {None: None, "player": "opponent", "opponent": "player"}
        return Cube(self.value, owners[self.owner])


@dataclass(frozen=True, slots=True)
class Score:
    """The points that the player on roll and the opponent still need to win the match.

    `post_crawford` says that one of them needs one point and the Crawford game is over, or that there is none in this
    match (rule 7.7).

    Raises `InvalidArgumentError` for points outside 1 to 32767, and for `post_crawford` at a score without it.

    >>> Score(1, 3).is_crawford, Score(1, 3, post_crawford=True).is_crawford, Score(1, 1).is_crawford
    (True, False, False)
    """

    away: int
    opponent_away: int
    post_crawford: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        """Refuses what is no score."""
        object.__setattr__(self, "away", whole("away", self.away, 1, MAX_AWAY))
        object.__setattr__(self, "opponent_away", whole("opponent_away", self.opponent_away, 1, MAX_AWAY))
        if not isinstance(cast(object, self.post_crawford), bool):
            raise InvalidArgumentError(f"post_crawford is True or False, not {self.post_crawford!r}")
        if self.post_crawford and 1 not in (self.away, self.opponent_away):
            message = f"no post-Crawford game is played {self.away}-away, {self.opponent_away}-away"
            raise InvalidArgumentError(message)

    @property
    def is_crawford(self) -> bool:
        """Whether the next game is the Crawford game, which is played without the cube.

        >>> Score(1, 3).is_crawford, Score(1, 3, post_crawford=True).is_crawford
        (True, False)
        """
        return self._phase() is CrawfordPhase.CRAWFORD

    def _phase(self, *, crawford: bool = True) -> CrawfordPhase:
        length = max(self.away, self.opponent_away)
        points = (length - self.away, length - self.opponent_away)
        return crawford_phase(points, length, crawford=crawford, played=self.post_crawford)

    def flip(self) -> Score:
        """The same score as the other player sees it.

        >>> Score(2, 5).flip()
        Score(away=5, opponent_away=2, post_crawford=False)
        """
        return Score(self.opponent_away, self.away, post_crawford=self.post_crawford)

    def after(self, points: int, *, crawford: bool = True) -> Score | None:
        """The score of the next game after the player wins `points`, or after the opponent does if they are below 0.

        None if that ends the match. `crawford` says whether the match has a Crawford game.

        >>> Score(3, 5).after(2), Score(1, 5).after(-2), Score(1, 5).after(1)
        (Score(away=1, opponent_away=5, post_crawford=False), Score(away=1, opponent_away=3, post_crawford=True), None)
        """
        away, opponent_away = self.away - max(points, 0), self.opponent_away - max(-points, 0)
        if away <= 0 or opponent_away <= 0:
            return None
        played = self._phase(crawford=crawford) is not CrawfordPhase.NONE
        length = max(away, opponent_away)
        phase = crawford_phase((length - away, length - opponent_away), length, crawford=crawford, played=played)
        return Score(away, opponent_away, post_crawford=phase is CrawfordPhase.POST_CRAWFORD)


class Level(NamedTuple):
    """A game with one value of the cube.

    >>> Ladder.money(cube_limit=2).levels[1]
    Level(worth=(-6.0, -4.0, -2.0, 2.0, 4.0, 6.0), may_double=(False, False), dead=False)
    """

    worth: tuple[float, float, float, float, float, float]
    """What the six ends of the game are worth to the player, from a lost backgammon to a won one."""
    may_double: tuple[bool, bool] = (True, True)
    """Whether player and opponent may turn a cube that is centred or theirs."""
    dead: bool = False
    """The game is valued as if nobody ever turned the cube, though they may."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """What a game is worth at each level of the cube, level k being a cube of 2^k: all that the formula needs to know.

    `Ladder.money` and `Ladder.match` make one from the rules; `Ladder.of` from `Rules` and a score.

    Args:
        levels: from the lowest. From the last one nobody can double. On an endless ladder it is the only one and each
            further level is worth twice the one below.
        endless: whether the cube can be turned for ever.
        gammons_while_centred: False if they count only once the cube was turned (rule 7.6).
        beavers: how many further turns of the cube may follow one double at once (rule 7.4); None for any number.
        first_double_turn: the first turn of a game, counted from 1 over both sides, on which player and opponent may
            double (rules 7.2 and 7.9).
        unit: "points", or "mwc" for match winning chances.

    Raises:
        InvalidArgumentError: for another unit, more than one level of an endless ladder, and levels that are no ladder.

    >>> ladder = Ladder.money(jacoby=False)
    >>> round(ladder.value([0.7, 0.2, 0.0, 0.1, 0.0], Cube(2, "player")), 6)
    1.476
    """

    levels: tuple[Level, ...]
    endless: bool = False
    gammons_while_centred: bool = True
    beavers: int | None = 0
    first_double_turn: tuple[int, int] = (2, 2)
    unit: Literal["points", "mwc"] = "points"

    def __post_init__(self) -> None:
        """Refuses what is no ladder."""
        if self.unit not in ("points", "mwc"):
            raise InvalidArgumentError(f"unit is 'points' or 'mwc', not {self.unit!r}")
        if self.endless and len(self.levels) != 1:
            raise InvalidArgumentError(f"an endless ladder is made of its lowest level, not of {len(self.levels)}")
        if self.beavers is not None:
            object.__setattr__(self, "beavers", whole("beavers", self.beavers, 0, _UNLIMITED))
        self.compiled()

    def compiled(self) -> _core.Ladder:
        """The ladder as compiled functions take it; made once for equal ladders.

        >>> Ladder.money().compiled() is Ladder.money().compiled()
        True
        """
        return _compile(self)

    @classmethod
    def money(
        cls,
        *,
        jacoby: bool = True,
        beavers: int | None = 1,
        stake: int = 1,
        cube_limit: int | None = None,
        use_cube: bool = True,
    ) -> Ladder:
        """Points of a money game.

        Args:
            jacoby: gammons count only once the cube was turned (rule 7.6).
            beavers: how many further turns of the cube may follow a double (rule 7.4); None for any number.
            stake: what multiplies the cube (rule 7.5).
            cube_limit: the most that stake x cube may be (rule 7.1); None for no limit.
            use_cube: False for a game without doubling.

        Raises `InvalidArgumentError` for a stake outside 1 to 2^15, or a limit below 1.

        >>> len(Ladder.money(cube_limit=64).levels), Ladder.money().endless
        (7, True)
        """
        whole("stake", stake, 1, MAX_CUBE)
        _check_limit(cube_limit)
        gammons = counted_level(2, jacoby=jacoby, turned=False) == 2

        def level(turns: int, *, last: bool) -> Level:
            return Level(_worth(lambda points: float((points * stake) << turns)), (not last, not last))

        if use_cube and cube_limit is None:
            return cls((level(0, last=False),), True, gammons, beavers)
        top = 0
        while use_cube and top < MAX_LEVEL and not is_over_limit(stake << (top + 1), cube_limit):
            top += 1
        return cls(tuple(level(turns, last=turns == top) for turns in range(top + 1)), False, gammons, beavers)

    @classmethod
    def match(
        cls,
        score: Score,
        met: MatchEquities | None = None,
        *,
        crawford: bool = True,
        holland: bool = False,
        cube_limit: int | None = None,
        use_cube: bool = True,
        player: int = 0,
    ) -> Ladder:
        """Match winning chances of a game at a score.

        A cube is dead for a player whom a single game already brings home; a centred cube at 2-away/2-away is valued
        as dead, since whoever turns it ends all doubling (``docs/cube.md`` says what speaks for and against it).

        Args:
            score: what the player and the opponent still need.
            met: the match equities; the default table if None.
            crawford: whether the match has a Crawford game (rule 7.7).
            holland: whether the trailing player of a post-Crawford game must wait (rule 7.9).
            cube_limit: the most that the cube may be (rule 7.1).
            use_cube: False for a match without doubling.
            player: which of the players of an asymmetric table the score is seen by.

        Raises `InvalidArgumentError` for a score that is none, or a limit below 1.

        >>> [level.may_double for level in Ladder.match(Score(2, 5)).levels[:4]]
        [(True, True), (False, True), (False, True), (False, False)]
        """
        instance("score", score, Score, "Score(2, 4)")
        _check_limit(cube_limit)
        table = MatchEquityTable.default() if met is None else met
        phase = score._phase(crawford=crawford)

        def worth(points: int) -> float:
            after = score.after(points, crawford=crawford)
            if after is None:
                return float(points > 0)
            away, opponent_away = after.away, after.opponent_away
            return table.mwc(away, opponent_away, post_crawford=after.post_crawford, player=player)

        def level(turns: int) -> Level:
            cube = 1 << turns
            allowed = use_cube and not is_over_limit(2 * cube, cube_limit)
            own = allowed and not is_dead(-score.away, cube, 0)
            other = allowed and not is_dead(-score.opponent_away, cube, 0)
            dead = turns == 0 and score.away == score.opponent_away == 2
            return Level(_worth(lambda points: worth(points * cube)), (own, other), dead)

        if phase is CrawfordPhase.CRAWFORD or not use_cube:
            return cls((level(0)._replace(may_double=(False, False)),), unit="mwc")
        # Once each single game wins the match, higher cubes change nothing.
        decided = (max(score.away, score.opponent_away) - 1).bit_length()
        known = [level(turns) for turns in range(min(decided, MAX_LEVEL) + 1)]
        levels = (*known, *[known[-1]] * (MAX_LEVEL + 1 - len(known)))
        waits = [
            holland and phase is CrawfordPhase.POST_CRAWFORD and own > other
            for own, other in ((score.away, score.opponent_away), (score.opponent_away, score.away))
        ]
        # Each player's turns are all odd or all even, so one number says it for who started and who did not.
        own_turn, other_turn = (
            min(first_doubling_turn(started=started, holland=wait) for started in (True, False)) for wait in waits
        )
        return cls(levels, first_double_turn=(own_turn, other_turn), unit="mwc")

    @classmethod
    def of(
        cls,
        rules: Rules,
        score: Score | None = None,
        *,
        stake: int = 1,
        met: MatchEquityTable | None = None,
        player: int = 0,
    ) -> Ladder:
        """The ladder of a game under these rules: of a match if there is a score, else for money.

        Raises `InvalidArgumentError` if the rules have a match length and there is no score, or the other way round.

        >>> from gammon.rules import Rules
        >>> Ladder.of(Rules.match(7), Score(7, 7)).unit, Ladder.of(Rules.money()).unit
        ('mwc', 'points')
        """
        if (rules.length is None) != (score is None):
            raise InvalidArgumentError(f"a match length of {rules.length} does not go with the score {score}")
        if score is None:
            return cls.money(
                jacoby=rules.jacoby,
                beavers=rules.beavers,
                stake=stake,
                cube_limit=rules.cube_limit,
                use_cube=rules.use_cube,
            )
        _check_no_stake(stake)
        return cls.match(
            score,
            met,
            crawford=rules.crawford,
            holland=rules.holland,
            cube_limit=rules.cube_limit,
            use_cube=rules.use_cube,
            player=player,
        )

    def flip(self) -> Ladder:
        """The same ladder as the other player sees it.

        >>> ladder = Ladder.match(Score(2, 5))
        >>> ladder.levels[1].may_double, ladder.flip().levels[1].may_double
        ((False, True), (True, False))
        """
        total = 1.0 if self.unit == "mwc" else 0.0

        def flipped(level: Level) -> Level:
            a, b, c, d, e, f = (total - worth for worth in level.worth)
            return Level((f, e, d, c, b, a), (level.may_double[1], level.may_double[0]), level.dead)

        turns = (self.first_double_turn[1], self.first_double_turn[0])
        levels = tuple(flipped(level) for level in self.levels)
        return Ladder(levels, self.endless, self.gammons_while_centred, self.beavers, turns, self.unit)

    def worth(self, outcome: int, level: int = 0) -> float:
        """What an outcome (-3 to 3 without 0) is worth to the player at a level, in the ladder's unit.

        Raises `InvalidArgumentError` for an outcome or a level that there is not.

        >>> Ladder.money().worth(2, level=1), Ladder.match(Score(2, 5)).worth(2)
        (4.0, 1.0)
        """
        if outcome not in OUTCOMES:
            raise InvalidArgumentError(f"an outcome is one of {OUTCOMES}, not {outcome!r}")
        whole("level", level, 0, MAX_LEVEL if self.endless else len(self.levels) - 1)
        if self.endless:
            return self.levels[0].worth[OUTCOMES.index(outcome)] * (1 << level)
        return self.levels[level].worth[OUTCOMES.index(outcome)]

    def to_equity(self, worth: float, level: int = 0) -> Equity:
        """Points or match winning chance as equity at a level of the cube.

        >>> Ladder.money(stake=2).to_equity(4.0)
        2.0
        """
        lose, win = self.worth(-1, level), self.worth(1, level)
        return Equity((2 * worth - win - lose) / (win - lose))

    def from_equity(self, equity: float, level: int = 0) -> float:
        """Equity at a level of the cube as points or match winning chance: the inverse of `to_equity`.

        >>> Ladder.money(stake=2).from_equity(2.0)
        4.0
        """
        lose, win = self.worth(-1, level), self.worth(1, level)
        return (win + lose + equity * (win - lose)) / 2

    def value(
        self, probabilities: Sequence[float], cube: Cube | None = None, *, efficiency: float = _DEFAULT_EFFICIENCY
    ) -> float:
        """What the game is worth to the player on roll, who does not double now, in the ladder's unit.

        Args:
            probabilities: five numbers: win, win gammon, win backgammon, lose gammon, lose backgammon, nested.
            cube: a centred 1 if None.
            efficiency: 0 for a cube that nobody will turn, 1 for one that is turned at the perfect moment.

        >>> Ladder.money(jacoby=False).value([0.5, 0.125, 0.0, 0.25, 0.0], efficiency=0)
        -0.125
        """
        cube = Cube() if cube is None else cube
        return self.compiled().value(_five(probabilities), cube.level, cube.owner, efficiency)


def _worth(of: Callable[[int], float]) -> tuple[float, float, float, float, float, float]:
    a, b, c, d, e, f = (of(points) for points in OUTCOMES)
    return (a, b, c, d, e, f)


@functools.lru_cache(maxsize=4096)
def _compile(ladder: Ladder) -> _core.Ladder:
    beavers = _UNLIMITED if ladder.beavers is None else ladder.beavers
    total = 1.0 if ladder.unit == "mwc" else 0.0
    levels = list(ladder.levels)
    gammons, turns = ladder.gammons_while_centred, ladder.first_double_turn
    return _core.Ladder(levels, ladder.endless, gammons, beavers, turns, total)


@dataclass(frozen=True, slots=True)
class ScoreNode:
    """A score of a match, by seat.

    >>> node = ScoreGraph.match(3).nodes[0]
    >>> node.away, node.phase.value, node.ladder.unit
    ((3, 3), 'none', 'mwc')
    """

    away: tuple[int, int]
    """The points that each player still needs."""
    phase: CrawfordPhase
    """Where its game stands to the Crawford game."""
    ladder: Ladder
    """What its game is worth to player 0."""
    next: tuple[tuple[int | None, ...], tuple[int | None, ...]]
    """For each winner, the node that 1, 2, ... points lead to; None where they end the match. More points than there
    are entries lead where the last does."""


@dataclass(frozen=True, slots=True)
class ScoreGraph:
    """All scores of a match and how one leads to the next: the plan that whole matches are simulated by.

    A money session is a single node that leads to itself: it has no entries in `next` and nobody needs any points.

    Raises `InvalidArgumentError` for links to nodes that there are not.

    >>> graph = ScoreGraph.match(3)
    >>> len(graph.nodes), graph.nodes[graph.start].away
    (11, (3, 3))
    >>> second = graph.next(graph.start, winner=0, points=2)
    >>> graph.nodes[second].away, graph.nodes[second].phase
    ((1, 3), <CrawfordPhase.CRAWFORD: 'crawford'>)
    """

    nodes: tuple[ScoreNode, ...]
    start: int = 0

    def __post_init__(self) -> None:
        """Refuses links that lead nowhere."""
        self.compiled()

    @classmethod
    def session(cls, ladder: Ladder) -> ScoreGraph:
        """A session, every game of which is played on the same ladder, seen by player 0.

        >>> graph = ScoreGraph.session(Ladder.money())
        >>> graph.next(graph.start, winner=0, points=2) == graph.start
        True
        """
        return cls((ScoreNode((0, 0), CrawfordPhase.NONE, ladder, ((), ())),))

    @classmethod
    def match(
        cls,
        length: int,
        met: MatchEquityTable | None = None,
        *,
        crawford: bool = True,
        holland: bool = False,
        cube_limit: int | None = None,
        use_cube: bool = True,
        start: Score | None = None,
    ) -> ScoreGraph:
        """The graph of a match.

        Args:
            length: the points to play to, at most 128.
            met, crawford, holland, cube_limit, use_cube: as in `Ladder.match`.
            start: the first score, seen by player 0; `length`-away for both if None.

        Raises:
            InvalidArgumentError: for a length out of range, and a start that such a match never has.

        >>> graph = ScoreGraph.match(5, start=Score(2, 4))
        >>> graph.nodes[graph.start].away
        (2, 4)
        """
        whole("length", length, 1, MAX_GRAPH_LENGTH)
        first = Score(length, length) if start is None else start
        if max(first.away, first.opponent_away) > length:
            raise InvalidArgumentError(f"a match to {length} points never has the score {first}")
        places: dict[tuple[int, int, bool], int] = {}
        order: list[Score] = []

        def place(away: int, opponent_away: int, post_crawford: bool) -> int:
            key = (away, opponent_away, post_crawford)
            if key not in places:
                places[key] = len(order)
                order.append(Score(away, opponent_away, post_crawford=post_crawford))
            return places[key]

        def link(score: Score, winner: int, points: int) -> int | None:
            away = score.away - points * (winner == 0)
            opponent_away = score.opponent_away - points * (winner == 1)
            if min(away, opponent_away) > 1:  # the many scores for which the Crawford game does not matter
                return place(away, opponent_away, False)
            after = score.after(points if winner == 0 else -points, crawford=crawford)
            return None if after is None else place(after.away, after.opponent_away, after.post_crawford)

        place(first.away, first.opponent_away, first.post_crawford)
        links: list[tuple[tuple[int | None, ...], tuple[int | None, ...]]] = []
        for score in order:  # grows while it is walked through
            own = tuple(link(score, 0, points) for points in range(1, score.away + 1))
            links.append((own, tuple(link(score, 1, points) for points in range(1, score.opponent_away + 1))))
        table = MatchEquityTable.default() if met is None else met

        def ladder(score: Score) -> Ladder:
            return Ladder.match(
                score, table, crawford=crawford, holland=holland, cube_limit=cube_limit, use_cube=use_cube
            )

        nodes = (
            ScoreNode((score.away, score.opponent_away), score._phase(crawford=crawford), ladder(score), next_)
            for score, next_ in zip(order, links, strict=True)
        )
        return cls(tuple(nodes))

    @classmethod
    def of(cls, rules: Rules, *, met: MatchEquityTable | None = None, stake: int = 1) -> ScoreGraph:
        """The graph of a match or session under these rules.

        Raises `InvalidArgumentError` for a match with a stake other than 1 (rule 7.5), or of more than 128 points.

        >>> from gammon.rules import Rules
        >>> len(ScoreGraph.of(Rules.match(3)).nodes), len(ScoreGraph.of(Rules.money()).nodes)
        (11, 1)
        """
        if rules.length is None:
            return cls.session(Ladder.of(rules, stake=stake))
        _check_no_stake(stake)
        return cls.match(
            rules.length,
            met,
            crawford=rules.crawford,
            holland=rules.holland,
            cube_limit=rules.cube_limit,
            use_cube=rules.use_cube,
        )

    def compiled(self) -> _core.ScoreGraph:
        """The graph as compiled functions take it.

        >>> type(ScoreGraph.match(3).compiled()).__name__
        'ScoreGraph'
        """
        return _core.ScoreGraph([(node.ladder.compiled(), *node.next) for node in self.nodes], self.start)

    def next(self, node: int, *, winner: int, points: int) -> int | None:
        """The node after player `winner` has won `points`, or None when that ends the match.

        Raises `InvalidArgumentError` for a node or a winner that there is not, or points below 1.

        >>> graph = ScoreGraph.match(3)
        >>> graph.nodes[graph.next(graph.start, winner=0, points=1)].away
        (2, 3)
        >>> graph.next(graph.start, winner=0, points=3) is None
        True
        """
        whole("node", node, 0, len(self.nodes) - 1)
        whole("winner", winner, 0, 1)
        whole("points", points, 1, 3 * MAX_CUBE * MAX_CUBE)
        links = self.nodes[node].next[winner]
        return links[min(points, len(links)) - 1] if links else node


class TurningPoint(NamedTuple):
    """A winning chance at which a decision turns, gammons being as likely among games won and lost as they are.

    >>> point = decide([0.7, 0.0, 0.0, 0.0, 0.0]).take_point
    >>> round(point.dead, 3), round(point.live, 3)
    (0.25, 0.2)
    """

    dead: float
    """If nobody turns the cube later."""
    live: float
    """If the cube is later turned at the perfect moment."""


class TurningPoints(NamedTuple):
    """`TurningPoint` for many rows.

    >>> import numpy as np
    >>> decide(np.array([[0.7, 0.0, 0.0, 0.0, 0.0], [0.7, 0.2, 0.0, 0.0, 0.0]])).take_point.dead.round(3)
    array([0.25 , 0.219])
    """

    dead: NDArray[np.float64]
    """float64[N]"""
    live: NDArray[np.float64]
    """float64[N]"""


class MarketWindow(NamedTuple):
    """The winning chances between which a double is right and taken, with a dead cube and a live one at its end.

    >>> window = decide([0.7, 0.0, 0.0, 0.0, 0.0]).market_window
    >>> round(window.opens, 3), round(window.closes.dead, 3)
    (0.5, 0.75)
    """

    opens: float
    """Where doubling gains as much as it risks."""
    closes: TurningPoint
    """Where the opponent begins to drop."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What each action of the cube is worth to the player on roll.

    Equities, by `Ladder.from_equity` points or match winning chances; NaN for an action that there is not.

    >>> decision = decide([0.74, 0.1, 0.0, 0.05, 0.0], score=Score(5, 5))
    >>> decision.action, round(decision.best, 3), decision.double_drop
    ('double/take', 0.888, 1.0)
    """

    no_double: float
    """Rolling without a double."""
    double_take: float
    """Doubling, and the opponent takes. Also known where the player may not double because the cube is dead."""
    double_drop: float
    """Doubling, and the opponent drops: 1."""
    beaver: float
    """Doubling, and the opponent turns again at once."""
    best: float
    """The best that the player can do."""
    action: str
    """The verdict; ``docs/cube.md`` lists them."""
    take_point: TurningPoint
    """The least winning chance with which the player could take a double."""
    cash_point: TurningPoint
    """The least winning chance with which the opponent would drop one."""
    double_point: TurningPoint
    """The least winning chance with which doubling is no error."""

    @property
    def market_window(self) -> MarketWindow:
        """The winning chances between which to double a cube that will be taken.

        >>> round(decide([0.7, 0.0, 0.0, 0.0, 0.0]).market_window.closes.live, 3)
        0.8
        """
        return MarketWindow(self.double_point.dead, self.cash_point)


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """`Decision` for many rows: each field an array over them.

    >>> import numpy as np
    >>> decisions = decide(np.array([[0.6, 0.1, 0.0, 0.1, 0.0], [0.9, 0.1, 0.0, 0.0, 0.0]]))
    >>> len(decisions), decisions.best.round(3).tolist()
    (2, [0.291, 1.0])
    """

    no_double: NDArray[np.float64]
    """float64[N]"""
    double_take: NDArray[np.float64]
    """float64[N]"""
    double_drop: NDArray[np.float64]
    """float64[N]"""
    beaver: NDArray[np.float64]
    """float64[N]"""
    best: NDArray[np.float64]
    """float64[N]"""
    action: NDArray[np.str_]
    """str[N]"""
    take_point: TurningPoints
    """A pair of float64[N]."""
    cash_point: TurningPoints
    """A pair of float64[N]."""
    double_point: TurningPoints
    """A pair of float64[N]."""

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.no_double)


VERDICTS = (
    "unavailable",
    "no double",
    "no double, beaver",
    "too good",
    "double/take",
    "double/beaver",
    "double/drop",
)
"""The verdicts in the order of the core's actions; a player who owns the cube redoubles."""


def _check_no_stake(stake: object) -> None:
    if stake != 1:
        raise InvalidArgumentError(f"a match has no stake (rule 7.5), so it is 1, not {stake!r:.60}")


def _check_limit(limit: object) -> None:
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise InvalidArgumentError(f"cube_limit is a whole number of at least 1 or None, not {limit!r:.60}")


def _verdict(action: int, cube: Cube, answer: int | None = None) -> str:
    """The words for an action; with an answer, the double that it answers is optional."""
    text = VERDICTS[action] if answer is None else f"optional {VERDICTS[answer]}"
    return text.replace("double", "redouble") if cube.owner == "player" else text


def _five(probabilities: Sequence[float]) -> tuple[float, float, float, float, float]:
    try:
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = (float(p) for p in probabilities)
    except (TypeError, ValueError):
        message = "probabilities: five numbers (win, win gammon, win backgammon, lose gammon, lose backgammon), not "
        raise ArrayError(message + repr(probabilities)[:80]) from None
    return (win, win_gammon, win_backgammon, lose_gammon, lose_backgammon)


@overload
def decide(
    probabilities: Sequence[float],
    *,
    cube: Cube = ...,
    score: Score | None = ...,
    jacoby: bool = ...,
    beavers: int | None = ...,
    efficiency: float = ...,
    met: MatchEquityTable | None = ...,
    tolerance: float = ...,
    ladder: Ladder | None = ...,
) -> Decision: ...


@overload
def decide(
    probabilities: NDArray[np.floating],
    *,
    cube: Cube = ...,
    score: Score | None = ...,
    jacoby: bool = ...,
    beavers: int | None = ...,
    efficiency: float | NDArray[np.floating] = ...,
    met: MatchEquityTable | None = ...,
    tolerance: float = ...,
    ladder: Ladder | None = ...,
) -> Decision | Decisions: ...


def decide(
    probabilities: Sequence[float] | NDArray[np.floating],
    *,
    cube: Cube = Cube(),
    score: Score | None = None,
    jacoby: bool = True,
    beavers: int | None = 1,
    efficiency: float | NDArray[np.floating] = _DEFAULT_EFFICIENCY,
    met: MatchEquityTable | None = None,
    tolerance: float = 0.0,
    ladder: Ladder | None = None,
) -> Decision | Decisions:
    """What to do with the cube, and what every action is worth, by Janowski's interpolation.

    Args:
        probabilities: five numbers (win, win gammon, win backgammon, lose gammon, lose backgammon), each including the
            one after it, or float[N, 5]; what evaluators give.
        cube: where the cube is, seen by the player on roll.
        score: what both players need in a match; None for money.
        jacoby: for money: gammons count only once the cube was turned (rule 7.6).
        beavers: for money: how many further turns of the cube may follow a double (rule 7.4); None for any number.
        efficiency: how much of the cube's theoretical power is used, 0 to 1; see `efficiency`. For float[N, 5] also
            float[N].
        met: the match equities; the default table if None.
        tolerance: call a double optional if doubling and not doubling differ by no more than this.
        ladder: what a game is worth, instead of score, jacoby, beavers and met.

    Returns:
        `Decision` for five numbers, `Decisions` for float[N, 5].

    Raises:
        InvalidArgumentError: for numbers that are no nested probabilities, with the row; an efficiency outside 0 to 1;
            a negative tolerance; a score at which the table gives no chance to gain.
        ArrayError: for an array of another shape.

    >>> decide([0.68, 0.0, 0.0, 0.0, 0.0], cube=Cube(2, "player")).action
    'no redouble'
    >>> decide([0.3, 0.0, 0.0, 0.0, 0.0]).action
    'no double, beaver'
    >>> import numpy as np
    >>> decide(np.array([[0.72, 0.1, 0.0, 0.05, 0.0], [0.9, 0.1, 0.0, 0.0, 0.0]])).action.tolist()
    ['double/take', 'double/drop']
    """
    if not tolerance >= 0:
        raise InvalidArgumentError(f"tolerance is at least 0, not {tolerance!r}")
    instance("cube", cube, Cube, "Cube(2, 'player')")
    if ladder is not None:
        instance("ladder", ladder, Ladder, "Ladder.money()")
        if score is not None or met is not None:
            raise InvalidArgumentError("a ladder says what a game is worth: give it without score and met")
    elif score is None:
        ladder = Ladder.money(jacoby=jacoby, beavers=beavers)
    else:
        instance("score", score, Score, "Score(2, 4)")
        ladder = _match_ladder(score, MatchEquityTable.default() if met is None else met)
    if getattr(probabilities, "ndim", 1) != 1:
        return _decide_rows(cast("NDArray[np.floating]", probabilities), cube, ladder, efficiency, tolerance)
    five = _five(cast("Sequence[float]", probabilities))
    numbers, action = ladder.compiled().decide(five, cube.level, cube.owner, float(efficiency))
    no_double, take, drop, beaver, best = numbers[:5]
    answer = None
    if action and tolerance:
        turned = beaver < min(take, drop)
        doubled = beaver if turned else min(take, drop)
        if abs(doubled - no_double) <= tolerance:
            answer = 5 if turned else 4 if take <= drop + _ROUNDING else 6
    points = [TurningPoint(*numbers[place : place + 2]) for place in (5, 7, 9)]
    return Decision(no_double, take, drop, beaver, best, _verdict(action, cube, answer), *points)


@functools.lru_cache(maxsize=1024)
def _match_ladder(score: Score, met: MatchEquityTable) -> Ladder:
    return Ladder.match(score, met)


def _decide_rows(
    probabilities: NDArray[np.floating],
    cube: Cube,
    ladder: Ladder,
    efficiency: float | NDArray[np.floating],
    tolerance: float,
) -> Decisions:
    import numpy as np

    rows = np.asarray(probabilities)
    if rows.ndim != 2 or rows.dtype.kind != "f":
        raise ArrayError(f"probabilities: float of shape (N, 5), not {rows.dtype} of shape {rows.shape}")
    efficiencies = np.atleast_1d(np.asarray(efficiency, dtype=np.float64))
    columns, actions = ladder.compiled().decisions(
        rows.astype(np.float64, copy=False), cube.level, cube.owner, efficiencies
    )
    no_double, take, drop, beaver, best = columns[:5]
    texts = np.array([_verdict(action, cube) for action in range(len(VERDICTS))])[actions]
    if tolerance:
        with np.errstate(invalid="ignore"):
            turned = beaver < np.fmin(take, drop)
            doubled = np.where(turned, beaver, np.fmin(take, drop))
            optional = (actions > 0) & (np.abs(doubled - no_double) <= tolerance)
        answers = np.where(turned, 5, np.where(take <= drop + _ROUNDING, 4, 6))
        words = np.array([_verdict(0, cube, answer) for answer in range(len(VERDICTS))])
        texts = np.where(optional, words[answers], texts)
    points = [TurningPoints(columns[place], columns[place + 1]) for place in (5, 7, 9)]
    return Decisions(no_double, take, drop, beaver, best, texts, *points)


def efficiency(position: Position) -> float:
    """The efficiency of the cube in a position, 0 to 1.

    Without contact 0.75 - 4.5 / pips, pips being the mean of both sides, but not below 0: fitted to exact values
    (``docs/cube.md``). With contact 0.73 and in crashed positions 0.7: fitted to rollouts with a live cube. 0 once the
    game is over.

    >>> efficiency(Position.start())
    0.73
    """
    return _core.cube_efficiency(position)
