"""The whole inner state of a match between two events, and the finished games in it. Immutable, by seat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gammon.cube import Cube, Owner
from gammon.dice import Roll
from gammon.match._state import GameState, Offer, Phase, State
from gammon.position import Position
from gammon.rules import Rules
from gammon.scoring import CrawfordPhase

__all__ = ["Game", "Moment"]


@dataclass(frozen=True, slots=True)
class Game:
    """A finished game: who won it, how, and what it was worth.

    `points` is the raw worth, `counted` what of it counts for the match (rule 9.1). `level` is what was won on the
    board (1 to 3), before Jacoby. `start_points` is the score at its start, `number` counts from 1, `turns` is how many
    turns were begun. `ending` is "play", "drop", "resignation" or "award".

    >>> from gammon import Match
    >>> from gammon.dice import SequenceDice
    >>> match = Match(Rules.match(3), dice=SequenceDice([(3, 1)]))
    >>> _ = match.roll(), match.resign("gammon"), match.accept()
    >>> game = match.games[0]
    >>> game.winner, game.points, game.ending
    (1, 2, 'resignation')
    """

    number: int
    winner: int
    points: int
    counted: int
    level: int
    ending: str
    stake: int = 1
    cube: int = 1
    crawford: CrawfordPhase = CrawfordPhase.NONE
    start_points: tuple[int, int] = (0, 0)
    starter: int | None = None
    turns: int = 0

    @property
    def is_crawford(self) -> bool:
        """Whether it was the Crawford game (rule 7.7).

        >>> game = Game(number=3, winner=0, points=1, counted=1, level=1, ending="drop")
        >>> game.is_crawford
        False
        """
        return self.crawford is CrawfordPhase.CRAWFORD


@dataclass(frozen=True)
class Moment:
    """Everything that an event can change. A seat is 0 or 1; a turn counts both players' turns of a game from 1.

    Without slots, so that `changed` can copy all fields at once: matches are read at thousands of turns a second.
    """

    phase: Phase
    position: Position
    on_roll: int = 0
    roll: Roll | None = None
    cube: int = 1
    owner: int | None = None
    stake: int = 1
    ties: int = 0
    """Ties of this game's opening throw that changed the stake (rule 7.5)."""
    offer: Offer | None = None
    offered_by: int | None = None
    further: int = 0
    """Further turns of the cube that have followed the pending double (rule 7.4)."""
    turn: int = 0
    starter: int | None = None
    opening_roll: Roll | None = None
    cocked: bool = False
    """The player on roll threw cocked dice and cannot double this turn (rule 9.9)."""
    crawford: CrawfordPhase = CrawfordPhase.NONE
    """The phase of the game in progress, settled by its opening throw (rule 7.7)."""
    games: tuple[Game, ...] = ()
    crawford_played: bool = False
    """The match had its Crawford game before the first of these games."""
    points: tuple[int, int] = (0, 0)
    pending: tuple[int, int] = (0, 0)
    """Points that do not come from a game and count from the next one (rule 7.7)."""
    winner: int | None = None
    ending: str | None = None
    """How the match or session ended."""
    recorded: bool = False
    start: Position | None = None
    """The wrong position that this game was started from, as player 0 sees it (rule 9.7); None if it is right."""
    replay: Roll | None = None
    """The roll that follows a turn that is played again (rule 9.7)."""
    disputed: Moment | None = None
    """The moment before an illegal play that can still be contested (rule 9.8)."""
    contested: bool = False
    """The turn is played again after a contest, so it has to be legal."""
    void_double: Moment | None = None
    """The moment before the first double of the Crawford game, which is void until the result (rule 7.8)."""
    decided: Moment | None = None
    """The moment before the director's last decision, while it can be appealed (rule 9.10)."""
    appealed: bool = False
    late: bool = False
    breaks: tuple[int, int] = (0, 0)
    clock_demands: tuple[int, ...] = ()
    clock_points: int | None = None
    """The points that the clock is set for; None while there is no clock."""

    def changed(self, **changes: Any) -> Moment:
        """A copy with other values in these fields: `dataclasses.replace`, at a tenth of its time."""
        fields = self.__dict__.copy()
        fields.update(changes)
        if len(fields) != len(self.__dict__):
            raise TypeError(f"a moment has no {', '.join(fields.keys() - self.__dict__.keys())}")
        copy = object.__new__(Moment)
        object.__setattr__(copy, "__dict__", fields)
        return copy

    def rolled(self, roll: Roll) -> Moment:
        """The moment after the player on roll has thrown."""
        return self.changed(phase=Phase.ROLLED, roll=roll, disputed=None)

    def after_turn(self, after: Position) -> Moment:
        """The moment after a roll and a play that leads to `after`, which is seen by who is on roll then.

        For the one turn that is like any other; written out, for it is what most of a record is.
        """
        fields = self.__dict__.copy()
        fields["position"], fields["on_roll"], fields["turn"] = after, 1 - self.on_roll, self.turn + 1
        fields["disputed"], fields["cocked"], fields["contested"] = None, False, False
        moment = object.__new__(Moment)
        object.__setattr__(moment, "__dict__", fields)
        return moment

    @property
    def in_game(self) -> bool:
        """From the opening roll to the end of the game."""
        return self.phase not in (Phase.OPENING, Phase.GAME_OVER, Phase.MATCH_OVER)

    @property
    def early(self) -> bool:
        """An early double awaits the end of the turn (rule 7.10)."""
        return self.offer is Offer.DOUBLE and self.phase in (Phase.ON_ROLL, Phase.ROLLED)

    @property
    def value(self) -> int:
        """The value of the game: stake x cube (rule 7.3)."""
        return self.stake * self.cube

    @property
    def to_act(self) -> int | None:
        """The seat whose decision it is; None when it is nobody's alone."""
        if not self.in_game:
            return None
        return self.on_roll if self.offered_by is None else 1 - self.offered_by

    @property
    def game_state(self) -> GameState:
        """Whether a game is going on, and if not, how the last one ended."""
        if self.in_game:
            return GameState.PLAYING
        if self.phase is Phase.OPENING:
            return GameState.NONE
        endings = {"drop": GameState.DROPPED, "resignation": GameState.RESIGNED}
        ending = self.games[-1].ending if self.games and not self.position.is_over else ""
        return endings.get(ending, GameState.OVER)

    def state(self, rules: Rules, crawford: CrawfordPhase) -> State:
        """The public state; `crawford` is the phase that holds for it."""
        owner: Owner | None = None if self.owner is None else "player" if self.owner == self.on_roll else "opponent"
        return State(
            position=self.position,
            on_roll=self.on_roll,
            roll=self.roll,
            cube=Cube(self.cube, owner),
            stake=self.stake,
            points=self.points,
            post_crawford=crawford is CrawfordPhase.POST_CRAWFORD,
            offer=self.offer,
            offered_by=self.offered_by,
            rules=rules,
            game_state=self.game_state,
        )
