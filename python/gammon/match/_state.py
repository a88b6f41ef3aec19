"""What a match looks like at one moment, and what can be done in it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Literal, get_args

from gammon._checks import whole
from gammon._notebook import picture
from gammon.cube import Cube, Score
from gammon.dice import Roll
from gammon.errors import InvalidArgumentError
from gammon.play import Play
from gammon.position import Position
from gammon.rules import Rules
from gammon.scoring import CrawfordPhase, crawford_phase, match_winner

__all__ = ["Action", "ActionKind", "GameState", "Offer", "Phase", "State"]

ActionKind = Literal["roll", "double", "take", "drop", "beaver", "play", "resign", "accept", "decline"]
"""What a player can do."""
ACTION_KINDS: tuple[ActionKind, ...] = get_args(ActionKind)


class Phase(enum.Enum):
    """Where the state machine of a match stands. `docs/match.md` lists what can be done in each.

    >>> from gammon import Match
    >>> Match().phase
    <Phase.OPENING: 'opening'>
    """

    OPENING = "opening"
    """Before the opening throw of the first game."""
    ON_ROLL = "on roll"
    """A player may double or roll."""
    ROLLED = "rolled"
    """The dice are thrown and the play is to be made."""
    DOUBLED = "doubled"
    """A double awaits its answer."""
    BEAVERED = "beavered"
    """A further turn of the cube awaits its answer: a beaver, a raccoon, ... (rule 7.4)."""
    RESIGNED = "resignation offered"
    """A resignation awaits its answer."""
    GAME_OVER = "game over"
    """Between two games: the next opening throw begins the next one."""
    MATCH_OVER = "match over"
    """The match is won, or the session ended."""


class GameState(enum.Enum):
    """Whether a game is going on, and if not, how it ended.

    >>> State(Position.start(), on_roll=0).game_state
    GameState.PLAYING
    """

    NONE = "none"
    """No game has begun."""
    PLAYING = "playing"
    OVER = "over"
    """Played to its end, or awarded."""
    RESIGNED = "resigned"
    DROPPED = "dropped"
    """Ended by dropping a double."""

    def __repr__(self) -> str:
        return f"GameState.{self.name}"


class Offer(enum.Enum):
    """What one player has offered and the other has to answer.

    >>> Offer.resignation(2)
    Offer.RESIGN_2
    """

    DOUBLE = "double"
    BEAVER = "beaver"
    """The first, third, ... further turn of the cube, by the player who was doubled (rule 7.4)."""
    RACCOON = "raccoon"
    """The second, fourth, ... further turn, by the player who doubled."""
    RESIGN_1 = "resign single"
    RESIGN_2 = "resign gammon"
    RESIGN_3 = "resign backgammon"

    @property
    def level(self) -> int | None:
        """What a resignation would lose, in values of the game: 1 to 3; None for a turn of the cube.

        >>> Offer.RESIGN_2.level
        2
        """
        return {Offer.RESIGN_1: 1, Offer.RESIGN_2: 2, Offer.RESIGN_3: 3}.get(self)

    @classmethod
    def resignation(cls, level: int) -> Offer:
        """The resignation of a single game (1), gammon (2) or backgammon (3).

        Raises `InvalidArgumentError` for another level.

        >>> Offer.resignation(3)
        Offer.RESIGN_3
        """
        return (cls.RESIGN_1, cls.RESIGN_2, cls.RESIGN_3)[whole("level", level, 1, 3) - 1]

    def __repr__(self) -> str:
        return f"Offer.{self.name}"


def _seat(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value not in (0, 1):
        raise InvalidArgumentError(f"{name} is 0 or 1, not {value!r}")


@dataclass(frozen=True, slots=True)
class Action:
    """One action of the game: what `Match.legal_actions` lists and `Match.apply` does.

    `player` is the seat that acts, None for the opening throw, which both make. `roll` gives the dice of a `roll` that
    are not to come from the match's source. `play` belongs to `play`, `level` (1 to 3) to `resign`.

    Raises `InvalidArgumentError` for fields that do not belong together.

    >>> Action("resign", player=0, level=2)
    Action(kind='resign', player=0, roll=None, play=None, level=2)
    """

    kind: ActionKind
    player: int | None = None
    roll: Roll | None = None
    play: Play | str | None = None
    level: int | None = None

    def __post_init__(self) -> None:
        """Refuses what is no action; whether it is legal, the match says."""
        if self.kind not in ACTION_KINDS:
            raise InvalidArgumentError(f"an action is one of {', '.join(ACTION_KINDS)}, not {self.kind!r}")
        if self.player is not None:
            _seat("player", self.player)
        if self.roll is not None and (self.kind != "roll" or not isinstance(self.roll, Roll)):
            raise InvalidArgumentError(f"roll is a Roll and belongs to a roll, not to {self.kind} ({self.roll!r})")
        if (self.play is not None) != (self.kind == "play") or not isinstance(self.play, Play | str | None):
            raise InvalidArgumentError(f"play is a Play or text and belongs to a play: {self.kind} {self.play!r}")
        if (self.level is not None) != (self.kind == "resign") or self.level not in (None, 1, 2, 3):
            raise InvalidArgumentError(f"level is 1 to 3 and belongs to a resignation: {self.kind} {self.level!r}")


@dataclass(frozen=True, slots=True)
class State:
    """A match at one moment: everything that a Match ID or an XGID holds, by seat where it is not said otherwise.

    The position is seen by `on_roll`, also while an offer is pending, and the cube's owner is relative to `on_roll`.
    Between games it shows the finished game with the new score. An offer of DOUBLE by the player who is not on roll is
    an early double (rule 7.10): the player on roll finishes the turn first.

    Raises `InvalidArgumentError` for what no match can look like.

    >>> State(Position.start(), on_roll=0).to_act
    0
    """

    position: Position
    on_roll: int
    roll: Roll | None = None
    cube: Cube = field(default_factory=Cube)
    stake: int = 1
    points: tuple[int, int] = (0, 0)
    post_crawford: bool = False
    offer: Offer | None = None
    offered_by: int | None = None
    rules: Rules = field(default_factory=Rules.money)
    game_state: GameState = GameState.PLAYING

    def __post_init__(self) -> None:
        """Refuses what no match can look like."""
        if not isinstance(self.position, Position):
            raise InvalidArgumentError(f"position is a Position, not {self.position!r}")
        _seat("on_roll", self.on_roll)
        for name, kind in (("cube", Cube), ("rules", Rules)):
            if not isinstance(getattr(self, name), kind):
                raise InvalidArgumentError(f"{name} is a {kind.__name__}, not {getattr(self, name)!r}")
        if not isinstance(self.roll, Roll | None):
            raise InvalidArgumentError(f"roll is a Roll or None, not {self.roll!r}")
        if isinstance(self.stake, bool) or not isinstance(self.stake, int) or self.stake < 1:
            raise InvalidArgumentError(f"stake is at least 1, not {self.stake!r}")
        if not (isinstance(self.points, tuple) and len(self.points) == 2):
            raise InvalidArgumentError(f"points are a pair, not {self.points!r}")
        for points in self.points:
            if isinstance(points, bool) or not isinstance(points, int) or points < 0:
                raise InvalidArgumentError(f"points are 0 or more, not {self.points!r}")
        if not isinstance(self.post_crawford, bool):
            raise InvalidArgumentError(f"post_crawford is True or False, not {self.post_crawford!r}")
        if self.post_crawford and (self.rules.length is None or self.rules.length - 1 not in self.points):
            raise InvalidArgumentError(f"no post-Crawford game starts at {self.points} of {self.rules.length}")
        if not isinstance(self.offer, Offer | None):
            raise InvalidArgumentError(f"offer is an Offer or None, not {self.offer!r}")
        if (self.offer is None) != (self.offered_by is None):
            raise InvalidArgumentError(f"offer {self.offer!r} and offered_by {self.offered_by!r} belong together")
        if self.offered_by is not None:
            _seat("offered_by", self.offered_by)
        if not isinstance(self.game_state, GameState):
            raise InvalidArgumentError(f"game_state is a GameState, not {self.game_state!r}")

    # Identifiers of other programs; `docs/formats/ids.md` has their layout.

    @classmethod
    def from_xgid(cls, text: str, *, checkers: int = 15) -> State:
        """The state of an XGID; seat 1 is the player of the upper-case letters, whom XG draws at the bottom.

        Every field is checked. A centred cube above 1 in a money game is a stake (rule 7.5). `checkers` is what each
        side has in all.

        Raises:
            NotationError: for a text that is no XGID, with the field that is wrong.
            InvalidPositionError: for a board that is no position.

        >>> state = State.from_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:10")
        >>> state.on_roll, state.roll, state.rules
        (1, Roll(4, 2), Rules.money(cube_limit=1024))
        """
        from gammon.match import _ids as ids

        return ids.read_xgid(text, checkers)

    @property
    def xgid(self) -> str:
        """The XGID. `losses("xgid")` says what it does not hold.

        Raises `NotationError` if it would be that of another game: a value that is no power of 2, a score beyond the
        length, a number that is too large.

        >>> State(Position.start(), on_roll=1, roll=Roll(4, 2)).xgid
        'XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:6'
        """
        from gammon.match import _ids as ids

        return ids.write_xgid(self)

    @classmethod
    def from_gnubg_id(cls, text: str, *, checkers: int = 15) -> State:
        """The state of GNU Backgammon's "PositionID:MatchID"; seats 0 and 1 are its players 0 and 1.

        What the IDs do not hold is left open: no cube limit, no beavers. No checkers at all is a game that has not
        begun. Raises as `from_xgid` does.

        >>> State.from_gnubg_id("4HPwATDgc/ABMA:cAkKAAAAAAAA").roll
        Roll(4, 2)
        """
        from gammon.match import _ids as ids

        return ids.read_gnubg_id(text, checkers)

    @property
    def gnubg_id(self) -> str:
        """GNU Backgammon's "PositionID:MatchID"; `losses("gnubg_id")` says what it does not hold.

        Raises `NotationError` if it would be that of another game.

        >>> State(Position.start(), on_roll=1, roll=Roll(4, 2)).gnubg_id
        '4HPwATDgc/ABMA:cAkKAAAAAAAA'
        """
        from gammon.match import _ids as ids

        return ids.write_gnubg_id(self)

    def losses(self, format: Literal["xgid", "gnubg_id"]) -> tuple[str, ...]:
        """What an identifier does not hold of this state: one line for each field that comes back different.

        >>> State(Position.start(), on_roll=1).losses("gnubg_id")
        ('rules.beavers: 1 becomes 0', 'rules.cube_limit: 64 becomes None')
        """
        from gammon.match import _ids as ids

        return ids.losses(self, format)

    @property
    def to_act(self) -> int:
        """The seat whose decision it is: who answers the offer, else the player on roll.

        >>> doubled = State(Position.start(), on_roll=0, offer=Offer.DOUBLE, offered_by=0)
        >>> doubled.on_roll, doubled.to_act
        (0, 1)
        """
        return self.on_roll if self.offered_by is None else 1 - self.offered_by

    @property
    def value(self) -> int:
        """The value of the game: stake x cube (rule 7.3), which boards show.

        >>> State(Position.start(), on_roll=0, cube=Cube(2, "player"), stake=2).value
        4
        """
        return self.stake * self.cube.value

    @property
    def crawford_phase(self) -> CrawfordPhase:
        """Where the game stands to the Crawford game, from score, rules and `post_crawford` (rule 7.7).

        >>> State(Position.start(), on_roll=0, rules=Rules.match(5), points=(4, 2)).crawford_phase
        <CrawfordPhase.CRAWFORD: 'crawford'>
        """
        return crawford_phase(self.points, self.rules.length, crawford=self.rules.crawford, played=self.post_crawford)

    @property
    def is_crawford(self) -> bool:
        """Whether this is the Crawford game (rule 7.7).

        >>> State(Position.start(), on_roll=0, rules=Rules.match(5), points=(4, 2)).is_crawford
        True
        """
        return self.crawford_phase is CrawfordPhase.CRAWFORD

    @property
    def score(self) -> Score | None:
        """The points that the player on roll and the opponent still need; None for money, or when the match is over.

        >>> State(Position.start(), on_roll=1, rules=Rules.match(5), points=(1, 3)).score
        Score(away=2, opponent_away=4, post_crawford=False)
        """
        length = self.rules.length
        if length is None or match_winner(self.points, length) is not None:
            return None
        own, other = self.points[self.on_roll], self.points[1 - self.on_roll]
        post_crawford = self.crawford_phase is CrawfordPhase.POST_CRAWFORD
        return Score(length - own, length - other, post_crawford=post_crawford)

    def _repr_svg_(self) -> str:
        return picture(self)
