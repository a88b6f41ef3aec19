"""`Match`: a match or money session as it is played, with its record, clock and dice."""

from __future__ import annotations

import dataclasses
import time as _time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from gammon._checks import whole
from gammon._notebook import picture
from gammon.clock import LIFTED_DICE_SECONDS, Clock, ClockReading, ClockSettings, TimeSource
from gammon.dice import CardDice, DiceSource, RandomDice, Roll, SequenceDice, _as_roll
from gammon.errors import FileFormatError, GammonError, IllegalActionError, InvalidArgumentError, NotationError
from gammon.match import _codec as codec
from gammon.match import _machine as machine
from gammon.match._codec import AbsentDice
from gammon.match._events import Comment, Event, Fault, changed, play_event, roll_event
from gammon.match._moment import Game, Moment
from gammon.match._sheet import ScoreSheet, score_sheet
from gammon.match._state import Action, Phase, State
from gammon.play import Play
from gammon.position import Position
from gammon.rules import Rules
from gammon.scoring import LEVELS, CrawfordPhase

__all__ = ["Match"]

FORMAT = "gammon match"
VERSION = 1

DIRECTIONS = ("clockwise", "counterclockwise")

MOST_TIES = 1000
"""No honest source of dice ties so often in a row: whoever waits longer waits for ever."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """A dice source and where it stands."""

    source: DiceSource
    numbers: tuple[int, ...]

    def is_same(self, other: _Place) -> bool:
        return self.source is other.source and self.numbers == other.numbers


class _Done:
    """An event that happened, and what has to be put back to undo it. Never changed; no dataclass, which costs time."""

    __slots__ = ("before", "clock", "event", "places")

    def __init__(self, event: Event, before: Moment, places: tuple[_Place, _Place], clock: ClockReading | None) -> None:
        self.event = event
        self.before = before
        self.places = places
        self.clock = clock


class _PlayDone:
    """The play of a plain turn: the moment before it, after the roll, is only made when somebody asks."""

    __slots__ = ("event", "places", "unrolled")

    clock = None

    def __init__(self, event: Event, unrolled: Moment, places: tuple[_Place, _Place]) -> None:
        self.event = event
        self.unrolled = unrolled
        self.places = places

    @property
    def before(self) -> Moment:
        play = self.event.play
        assert isinstance(play, Play)
        return self.unrolled.rolled(play.roll)


@dataclasses.dataclass(frozen=True, slots=True)
class _Undone:
    """An event that was undone, and what has to be put back to do it again."""

    done: _Done | _PlayDone
    after: Moment
    places: tuple[_Place, _Place]
    clock: ClockReading | None


class Match:
    """A match to a number of points, or a money session: the rules of the game as a state machine.

    Whoever acts is a seat, 0 or 1; the named actions take the one whose turn it is unless `player` says otherwise.
    What is not allowed raises `IllegalActionError` with the reason and changes nothing; an argument that is none, such
    as a player who is no seat, raises `InvalidArgumentError`. `docs/match.md` lists the phases, what can be done in
    each, and how each rule is reached.

    Args:
        rules: what is played; a money session if left out.
        names: of the players in seats 0 and 1.
        dice: where the throws come from; `RandomDice()` if left out.
        time: the clock's time source, in seconds.
        points: the score to begin with, for a match that is taken up in the middle.
        post_crawford: whether it had its Crawford game before that.
        direction: how player 0's checkers go round, for pictures: "clockwise" or "counterclockwise" (rule 9.12).

    >>> from gammon.dice import SequenceDice
    >>> match = Match(Rules.match(5), names=("Ann", "Bob"), dice=SequenceDice([(3, 1), (6, 4)]))
    >>> match.roll()
    Roll(3, 1)
    >>> str(match.play("8/5 6/5"))
    '8/5 6/5'
    >>> match.double()
    >>> match.drop()
    >>> match.score
    (0, 1)
    """

    def __init__(
        self,
        rules: Rules | None = None,
        *,
        names: Sequence[str] = ("White", "Black"),
        dice: DiceSource | None = None,
        time: TimeSource = _time.monotonic,
        points: tuple[int, int] = (0, 0),
        post_crawford: bool = False,
        direction: str = "counterclockwise",
    ) -> None:
        if not isinstance(rules, Rules | None):
            raise InvalidArgumentError(f"rules are Rules, such as Rules.match(7), not {rules!r}")
        if not isinstance(names, list | tuple) or len(names) != 2:
            raise InvalidArgumentError(f"names are two texts, not {names!r}")
        for name in names:
            _optional_text("a name", name)
            if name is None:
                raise InvalidArgumentError(f"names are two texts, not {names!r}")
        if direction not in DIRECTIONS:
            raise InvalidArgumentError(f"direction is one of {', '.join(DIRECTIONS)}, not {direction!r}")
        self.rules = Rules.money() if rules is None else rules
        _check_start(self.rules, points, post_crawford)
        self._start = (points[0], points[1]), post_crawford
        self._state: State | None = None
        self.names: tuple[str, str] = (names[0], names[1])
        self.direction = direction
        self._dice: DiceSource = RandomDice() if dice is None else _checked_source(dice)
        self._first_dice = codec.dice_to_dict(self._dice)
        self._left = self._place()
        """Where the last throw of this match left the source: others may throw from it too."""
        self._time = time
        self._moment = machine.begin(self.rules, self._start[0], crawford_played=post_crawford)
        self._done: list[_Done | _PlayDone] = []
        self._undone: list[_Undone] = []
        self.clock: Clock | None = None
        """The clock, if the match is played with one."""
        self.tags: dict[str, str] = {}
        """What a file says about the match: "Event", "Site", "EventDate", ..., as it has them."""
        self.comments: list[Comment] = []
        """Remarks in a file, each with its place in the record."""
        self.annotations: dict[int, tuple[tuple[str, tuple[str, ...]], ...]] = {}
        """By the number of an event in the record: properties of a file that the record has no field for."""
        self.errors: list[Fault] = []
        """What was wrong in the file that the match was read from, and what was done about it."""
        self._set_clock(None)

    @classmethod
    def from_state(
        cls,
        state: State,
        *,
        names: Sequence[str] = ("White", "Black"),
        dice: DiceSource | None = None,
        time: TimeSource = _time.monotonic,
        direction: str = "counterclockwise",
    ) -> Match:
        """A match that is taken up in the middle of a game, which is taken to be past its first turns.

        Raises `InvalidArgumentError` for a finished game, or an offer that could not have been made.

        >>> race = Position.from_points({6: 2}, opponent={6: 2})
        >>> match = Match.from_state(State(race, on_roll=1, rules=Rules.match(5), points=(2, 3)))
        >>> match.double()
        >>> match.to_act
        0
        """
        if not isinstance(state, State):
            raise InvalidArgumentError(f"a match is taken up from a State, not {state!r}")
        moment = machine.taken_up(state)
        match = cls(
            state.rules,
            names=names,
            dice=dice,
            time=time,
            direction=direction,
            points=state.points,
            post_crawford=state.post_crawford and state.rules.crawford,
        )
        match._state = state
        match._moment = moment
        if match.clock is not None and moment.to_act is not None:
            match.clock.start(moment.to_act)
        return match

    # What it looks like.

    @property
    def phase(self) -> Phase:
        """Where the state machine stands.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> match.phase, match.roll(), match.phase
        (<Phase.OPENING: 'opening'>, Roll(3, 1), <Phase.ROLLED: 'rolled'>)
        """
        return self._moment.phase

    @property
    def state(self) -> State:
        """The match as it is now.

        >>> state = Match(Rules.match(5), points=(2, 3)).state
        >>> state.points, state.score
        ((2, 3), Score(away=3, opponent_away=2, post_crawford=False))
        """
        return self._state_of(self._moment)

    def _state_of(self, moment: Moment) -> State:
        return moment.state(self.rules, self._phase_of(moment))

    @property
    def position(self) -> Position:
        """The board as the player on roll sees it; between games the finished one.

        >>> Match().position == Position.start()
        True
        """
        return self._moment.position

    @property
    def on_roll(self) -> int:
        """The seat that is on roll, also while an offer is pending; between games it means nothing.

        >>> match = Match(dice=SequenceDice([(1, 3)]))
        >>> match.roll(), match.on_roll
        (Roll(3, 1), 1)
        """
        return self._moment.on_roll

    @property
    def value(self) -> int:
        """What the game is played for: stake x cube (rule 7.3).

        >>> match = Match()
        >>> match.set_position(Position.start(), on_roll=0, value=4)
        >>> match.value
        4
        """
        return self._moment.value

    @property
    def moment(self) -> Moment:
        """The whole inner state, as the functions of `gammon.match._machine` take it.

        >>> moment = Match(Rules.match(5)).moment
        >>> moment.phase, moment.turn, moment.points
        (<Phase.OPENING: 'opening'>, 0, (0, 0))
        """
        return self._moment

    @property
    def event_count(self) -> int:
        """How many events the record has.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.play("8/5 6/5")
        >>> match.event_count
        2
        """
        return len(self._done)

    @property
    def score(self) -> tuple[int, int]:
        """The points of the two players, raw (rule 9.1).

        >>> Match(Rules.match(5), points=(2, 3)).score
        (2, 3)
        """
        return self._moment.points

    @property
    def pending_points(self) -> tuple[int, int]:
        """Points that do not come from a game and count from the next one (rule 7.7).

        >>> match = Match(Rules.tournament(9), dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.director("penalty points", player=0, points=1)
        >>> match.score, match.pending_points
        ((0, 0), (0, 1))
        """
        return self._moment.pending

    @property
    def games(self) -> tuple[Game, ...]:
        """The games that are finished.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.resign(), match.accept()
        >>> [(game.winner, game.points) for game in match.games]
        [(1, 1)]
        """
        return self._moment.games

    @property
    def game_phase(self) -> CrawfordPhase:
        """Where this game stands to the Crawford game; between games, where the next one would (rule 7.7).

        >>> Match(Rules.match(5), points=(4, 2)).game_phase
        <CrawfordPhase.CRAWFORD: 'crawford'>
        """
        return self._phase_of(self._moment)

    def _phase_of(self, moment: Moment) -> CrawfordPhase:
        return moment.crawford if moment.in_game else machine.upcoming_phase(self.rules, moment)

    @property
    def in_game(self) -> bool:
        """Whether a game is being played: from its opening roll to its end.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> match.in_game, match.roll(), match.in_game
        (False, Roll(3, 1), True)
        """
        return self._moment.in_game

    @property
    def is_over(self) -> bool:
        """Whether the match is won or the session ended.

        >>> match = Match(Rules.match(5))
        >>> match.concede(0)
        >>> match.is_over
        True
        """
        return self._moment.phase is Phase.MATCH_OVER

    @property
    def winner(self) -> int | None:
        """Who has won the match; None before that, and in a session.

        >>> match = Match(Rules.match(5))
        >>> match.concede(0)
        >>> match.winner
        1
        """
        return self._moment.winner

    @property
    def ending(self) -> str | None:
        """How the match ended: "points", "concession", "time", "lateness", "award", "exclusion"; a session: "left".

        >>> match = Match(Rules.match(5))
        >>> match.concede(0)
        >>> match.ending
        'concession'
        """
        return self._moment.ending

    @property
    def is_recorded(self) -> bool:
        """Whether the result is recorded, and so final.

        >>> match = Match(Rules.match(5))
        >>> match.concede(0)
        >>> match.is_recorded
        False
        """
        return self._moment.recorded

    @property
    def to_act(self) -> int | None:
        """The seat whose decision it is; None between games.

        >>> match = Match(dice=SequenceDice([(1, 3)]))
        >>> match.to_act, match.roll(), match.to_act
        (None, Roll(3, 1), 1)
        """
        return self._moment.to_act

    @property
    def turn(self) -> int:
        """The turn of the game, counting both players' from 1; 0 before the opening throw.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.play("8/5 6/5")
        >>> match.turn
        2
        """
        return self._moment.turn

    @property
    def dice(self) -> DiceSource:
        """Where the throws come from.

        >>> Match(dice=RandomDice(seed=1)).dice
        RandomDice(seed=1, game=0)
        """
        return self._dice

    @property
    def record(self) -> tuple[Event, ...]:
        """Everything that happened, in order.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.play("8/5 6/5")
        >>> [str(event) for event in match.record]
        ['roll 31', 'player 0: play 8/5 6/5']
        """
        return tuple(done.event for done in self._done)

    def history(self) -> Iterator[tuple[State, Event]]:
        """Each event with the state that it met.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> match.roll()
        Roll(3, 1)
        >>> [(state.on_roll, event.kind) for state, event in match.history()]
        [(0, 'roll')]
        """
        for done in self._done:
            yield self._state_of(done.before), done.event

    def moments(self) -> Iterator[tuple[Moment, Event]]:
        """Like `history`, with the whole inner state: for those who ask `gammon.match._machine` what was allowed.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.play("8/5 6/5")
        >>> [(moment.turn, event.kind) for moment, event in match.moments()]
        [(0, 'roll'), (1, 'play')]
        """
        for done in self._done:
            yield done.before, done.event

    def games_before(self, index: int) -> int:
        """How many games were finished before the event of this index in the record; its length stands for now.

        Raises `InvalidArgumentError` for an index outside the record.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.resign(), match.accept()
        >>> match.games_before(2), match.games_before(3)
        (0, 1)
        """
        whole("index", index, 0, len(self._done))
        if index == len(self._done):
            return len(self._moment.games)
        done = self._done[index]
        return len(done.unrolled.games if isinstance(done, _PlayDone) else done.before.games)

    def game_history(self, number: int) -> list[tuple[State, Event]]:
        """Like `history`, of one game by its number from 1; what happened before its opening throw belongs to it.

        Raises `InvalidArgumentError` for a number below 1; a game that there is not has no events.

        >>> match = Match(dice=SequenceDice([(3, 1), (6, 2)]))
        >>> match.apply(Action("roll"))
        >>> match.resign()
        >>> match.accept()
        >>> match.apply(Action("roll"))
        >>> [event.kind for _, event in match.game_history(1)], [event.kind for _, event in match.game_history(2)]
        (['roll', 'resign', 'accept'], ['roll'])
        """
        whole("number", number, 1, 1 << 31)
        afters = [done.before for done in self._done[1:]] + [self._moment] * bool(self._done)
        return [
            (self._state_of(done.before), done.event)
            for done, after in zip(self._done, afters, strict=True)
            if min(len(done.before.games), len(after.games)) == number - 1
        ]

    def legal_actions(self) -> list[Action]:
        """Every action of the game that `apply` would take now, of either player; none when the match is over.

        >>> [action.kind for action in Match().legal_actions()]
        ['roll']
        """
        return machine.legal_actions(self.rules, self._moment)

    def score_sheet(self) -> ScoreSheet:
        """The running table of the match or session, as data and, by `str`, as text (rule 9.13).

        >>> match = Match(Rules.match(5), names=("Ann", "Bob"), dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.resign("gammon"), match.accept()
        >>> print(match.score_sheet())
        5-point match            Ann   Bob
        1  gammon, resignation    .     2    0 - 2
        """
        moments = [done.before for done in self._done[1:]] + [self._moment] * bool(self._done)
        steps = [(done.event, after.games, after.points) for done, after in zip(self._done, moments, strict=True)]
        return score_sheet(self.rules, self.names, self._start[0], steps)

    def __repr__(self) -> str:
        points = f"{self.score[0]}-{self.score[1]}"
        return f"<Match {self.names[0]!r} against {self.names[1]!r}, {self.rules!r}, {points}, {self.phase.value}>"

    def _repr_svg_(self) -> str:
        return picture(self)

    def __eq__(self, other: object) -> bool:
        """Equal if everything that is saved is equal, the seconds of a clock apart."""
        return self._key() == other._key() if isinstance(other, Match) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    # The actions of the game.

    def apply(self, action: Action) -> None:
        """Takes an action, such as one of `legal_actions`.

        Raises:
            IllegalActionError: if it cannot be taken, with the reason.
            IllegalPlayError, NotationError: for a play that is not legal or cannot be read.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> match.apply(Action("roll"))
        >>> match.apply(Action("roll", player=0))
        Traceback (most recent call last):
        ...
        gammon.errors.IllegalActionError: cannot roll: the dice are thrown, and 31 is to be played
        """
        if not isinstance(action, Action):
            raise InvalidArgumentError(f"an Action is applied, not {action!r}")
        if action.kind == "roll":
            self.roll(action.roll, player=action.player)
        elif action.kind == "play":
            assert action.play is not None
            self.play(action.play, player=action.player)
        elif action.kind == "resign":
            assert action.level is not None
            self.resign(action.level, player=action.player)
        else:
            self._act(action.kind, action.player)

    def roll(self, dice: Roll | str | None = None, *, player: int | None = None) -> Roll:
        """Throws the dice. Between games this is the opening throw, with its ties, of the next game.

        `dice` gives the throw instead of taking it from the source; for an opening `player` then says who starts.

        Raises:
            IllegalActionError: if nobody, or somebody else, is to roll now.
            InvalidArgumentError: for given dice of an opening without a player, and from a source that has no throw.
            NotationError: for a text that is no roll.

        >>> match = Match(dice=SequenceDice([(3, 1), (6, 4)]))
        >>> match.roll(), str(match.play("8/5 6/5")), match.roll()
        (Roll(3, 1), '8/5 6/5', Roll(6, 4))
        >>> Match().roll("52", player=1)
        Roll(5, 2)
        """
        opening = self._moment.phase in (Phase.OPENING, Phase.GAME_OVER)
        event = Event("roll", player=self._roller(player), given=dice is not None)
        if dice is None:
            self._happen(event, self._throw_opening if opening else self._throw)
        else:
            throw = _given_throw(dice, player if opening else 0)
            self._happen(event, lambda: self._throw_given(throw), trial=(throw,))
        roll = self._moment.roll
        assert roll is not None
        return roll

    def _roller(self, player: int | None) -> int | None:
        """Nobody alone rolls in the opening."""
        if self._moment.phase in (Phase.OPENING, Phase.GAME_OVER):
            return None
        return self._moment.on_roll if player is None else player

    def double(self, *, player: int | None = None, on_record: bool = False) -> None:
        """Offers the next value of the cube.

        A player who is not on roll may offer an early double where the rules allow it (rule 7.10). `on_record` keeps a
        double that was really made although a rule refuses it: in the Crawford game, with a dead cube, against Holland.
        Raises `IllegalActionError` with the rule that refuses it.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.play("8/5 6/5"), match.double()
        >>> match.phase, match.to_act
        (<Phase.DOUBLED: 'doubled'>, 0)
        """
        seat = self._moment.on_roll if player is None else player
        self._happen(Event("double", player=seat, on_record=bool(on_record)))

    def take(self, *, player: int | None = None) -> None:
        """Accepts the double, or the beaver or raccoon. Raises `IllegalActionError` if none awaits the answer.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.play("8/5 6/5"), match.double(), match.take()
        >>> match.value, match.state.cube
        (2, Cube(value=2, owner='opponent'))
        """
        self._act("take", player)

    def drop(self, *, player: int | None = None) -> None:
        """Refuses the double and loses the value before it (rule 7.3). Raises as `take` does.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.play("8/5 6/5"), match.double(), match.drop()
        >>> match.score
        (0, 1)
        """
        self._act("drop", player)

    def beaver(self, *, player: int | None = None) -> None:
        """Turns the cube again at once: a beaver, and in answer to one a raccoon, and so on (rule 7.4).

        Raises `IllegalActionError` if no turn of the cube awaits the answer, or the rules allow no further one.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.play("8/5 6/5"), match.double(), match.beaver(), match.take()
        >>> match.value, match.state.cube.owner
        (4, 'opponent')
        """
        self._act("beaver", player)

    def play(
        self, play: Play | str, *, player: int | None = None, illegal: bool = False, on_record: bool = False
    ) -> Play | str:
        """Plays the roll and ends the turn; the empty text is the play of one who cannot move.

        `illegal=True` keeps a play that breaks the rules as written, where the rules have it on record (rule 9.8).
        With `on_record=True` as well it is kept under any rules, and steps that cannot be made at all are left out:
        that is how a play comes in that was really made, or written down, elsewhere.
        Returns the play, or its text if it is illegal.

        Raises:
            IllegalActionError: if no roll of the player is to be played, and for `illegal=True` where no rule keeps it.
            IllegalPlayError: for a play that is not legal, with the rule.
            NotationError: for a text that cannot be read; `AmbiguousPlayError` if it means several plays.
            InvalidArgumentError: for what is neither a `Play` nor a text.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> match.roll(), str(match.play("8/5 6/5"))
        (Roll(3, 1), '8/5 6/5')
        """
        if not isinstance(play, Play | str):
            raise InvalidArgumentError(f"a play is a Play or a text, not {play!r}")
        if isinstance(play, str) and not codec.is_unicode(play):
            raise NotationError(f"cannot read half a character in {play!r:.60}")
        moment = self._moment
        seat = moment.on_roll if player is None else player
        if isinstance(play, str) and not illegal and moment.phase is Phase.ROLLED and moment.roll is not None:
            play = moment.position.play(play, moment.roll)
        self._happen(
            Event("play", player=seat, play=play, illegal=bool(illegal), on_record=bool(illegal and on_record))
        )
        event = self._done[-1].event
        assert event.play is not None
        return event.play

    def resign(self, level: int | str = 1, *, player: int | None = None) -> None:
        """Offers to lose a "single" game (1), a "gammon" (2) or a "backgammon" (3) (rule 6.3).

        Raises:
            InvalidArgumentError: for a level that is none of these.
            IllegalActionError: if nothing can be resigned now, or the player cannot lose that much.

        >>> match = Match(Rules.match(5), dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.resign("gammon")
        >>> match.state.offer, match.to_act
        (Offer.RESIGN_2, 1)
        """
        number = {name: number for number, name in LEVELS.items()}.get(level) if isinstance(level, str) else level
        if number not in LEVELS or isinstance(number, bool):
            raise InvalidArgumentError(f"a level is 1, 2, 3 or {', '.join(LEVELS.values())}, not {level!r}")
        self._happen(Event("resign", player=self._actor(player), level=number))

    def accept(self, *, player: int | None = None) -> None:
        """Accepts the resignation: the game ends at its level. Raises `IllegalActionError` if there is none.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.resign(), match.accept()
        >>> match.score
        (0, 1)
        """
        self._act("accept", player)

    def decline(self, *, player: int | None = None) -> None:
        """Refuses the resignation: the game goes on. Raises `IllegalActionError` if there is none.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.resign(), match.decline()
        >>> match.phase
        <Phase.ROLLED: 'rolled'>
        """
        self._act("decline", player)

    def _actor(self, player: int | None) -> int | None:
        if player is not None:
            return player
        return self._moment.on_roll if self._moment.to_act is None else self._moment.to_act

    def _act(self, kind: str, player: int | None) -> None:
        if kind == "double" and player is None:
            player = self._moment.on_roll
        self._happen(Event(kind, player=self._actor(player)))

    # Ends of a match or session.

    def concede(self, player: int) -> None:
        """Gives the match to the opponent; final when the result is recorded (rule 6.4).

        >>> match = Match(Rules.match(5))
        >>> match.concede(0)
        >>> match.winner, match.ending
        (1, 'concession')
        """
        self._happen(Event("concede", player=player))

    def leave(self, player: int) -> None:
        """Ends a money session, between games (rule 9.1).

        >>> match = Match()
        >>> match.leave(0)
        >>> match.is_over, match.winner, match.ending
        (True, None, 'left')
        """
        self._happen(Event("leave", player=player))

    def record_result(self) -> None:
        """Records the result of a match that is over: nothing but `undo` changes it after that (rules 6.4, 7.8).

        >>> match = Match(Rules.match(5))
        >>> match.concede(0)
        >>> match.record_result()
        >>> match.is_recorded
        True
        """
        self._happen(Event("record_result"))

    # Illegal plays and void doubles.

    def contest(self, *, player: int | None = None) -> None:
        """The opponent contests an illegal play: board and dice go back, and a legal one is made (rule 9.8).

        >>> match = Match(Rules.tournament(5), dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.play("8/3", illegal=True), match.contest()
        >>> match.phase, match.to_act
        (<Phase.ROLLED: 'rolled'>, 0)
        """
        self._happen(Event("contest", player=self._objector(player)))

    def condone(self, *, player: int | None = None) -> None:
        """The opponent lets an illegal play stand (rule 9.8).

        >>> match = Match(Rules.tournament(5), dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.play("8/3", illegal=True), match.condone()
        >>> match.on_roll, match.position.opponent_pips
        (1, 162)
        """
        self._happen(Event("condone", player=self._objector(player)))

    def _objector(self, player: int | None) -> int | None:
        disputed = self._moment.disputed
        return 1 - disputed.on_roll if player is None and disputed is not None else player

    def void_crawford_double(self) -> None:
        """Undoes what a double in the Crawford game did, before the result is recorded (rule 7.8).

        >>> match = Match(Rules.match(2), points=(1, 0), dice=SequenceDice([(3, 1), (5, 2)]))
        >>> _ = match.roll(), match.play("8/5 6/5")
        >>> _ = match.double(on_record=True), match.drop()
        >>> match.void_crawford_double()
        >>> match.phase, match.score
        (<Phase.ON_ROLL: 'on roll'>, (1, 0))
        """
        self._happen(Event("void_crawford_double"))

    # At the table (rules 9.6, 9.7, 9.9).

    def dice_fault(
        self,
        reason: Literal["cocked", "not together", "wrong side", "thrown early", "lifted"],
        *,
        player: int | None = None,
        again: int | None = None,
    ) -> None:
        """The dice on the board do not count and are thrown again (rule 9.9).

        For "wrong side", "thrown early" and "lifted" it is the opponent who asks, as `player`. `again` is the die, of
        those shown, that was still rolling when it was "lifted" and is thrown again alone; None throws both again.

        >>> match = Match(dice=SequenceDice([(3, 1), (6, 4), (5, 2)]))
        >>> _ = match.roll(), match.play("8/5 6/5"), match.roll()
        >>> match.dice_fault("cocked")
        >>> match.roll()
        Roll(5, 2)
        """
        event = Event("dice_fault", player=player, reason=reason, again=_optional_int("again", again))
        kept = self._kept_die(again) if reason == "lifted" else None
        if kept is None:
            self._happen(event)
        else:
            self._happen(event, lambda: self._throw_one(kept), trial=((kept, 1),))

    def _kept_die(self, again: int | None) -> int | None:
        """The die that stays when the other is thrown again; None if both are, or nothing can be."""
        roll = self._moment.roll
        if roll is None or self._moment.turn == 1 or again not in (roll.high, roll.low):
            return None
        return roll.low if again == roll.high else roll.high

    def set_up(self, position: Position) -> None:
        """The next game was started from this position, as player 0 sees it: a wrong one (rule 9.7).

        Raises `IllegalActionError` during a game, and for a position that is finished.

        >>> match = Match(Rules.tournament(5), dice=SequenceDice([(3, 1)]))
        >>> match.set_up(Position.start("nackgammon"))
        >>> match.roll(), match.position.pips
        (Roll(3, 1), 194)
        """
        if not isinstance(position, Position):
            raise InvalidArgumentError(f"a game is set up from a Position, not {position!r}")
        self._happen(Event("setup", position=position))

    def set_position(
        self, position: Position, on_roll: int, *, value: int = 1, owner: int | None = None, stake: int = 1
    ) -> None:
        """The game goes on from this position, as player 0 sees it, with this player on roll and the cube like that.

        For problems, edited boards and gaps in a record; between games it begins the next one. The player may double.

        Raises `IllegalActionError` for a position that is finished, or a value or stake that the rules do not allow.

        >>> match = Match()
        >>> match.set_position(Position.from_points({6: 2}, opponent={6: 3}), on_roll=1, value=2, owner=1)
        >>> match.state.position[6], match.state.cube
        (3, Cube(value=2, owner='player'))
        """
        if not isinstance(position, Position):
            raise InvalidArgumentError(f"a game goes on from a Position, not {position!r}")
        self._happen(
            Event(
                "position",
                player=on_roll,
                position=position,
                value=None if value == 1 else _optional_int("value", value),
                owner=owner,
                stake=None if stake == 1 else _optional_int("stake", stake),
            )
        )

    def set_score(self, points: tuple[int, int], reason: str | None = None, *, post_crawford: bool = False) -> None:
        """The score is this, between games: the record begins later, or lacks something.

        `post_crawford` says that the Crawford game has been played already.

        Raises `IllegalActionError` during a game, `InvalidArgumentError` for what is no pair of whole numbers.

        >>> match = Match(Rules.match(7))
        >>> match.set_score((6, 2))
        >>> match.game_phase
        <CrawfordPhase.CRAWFORD: 'crawford'>
        """
        try:
            first, second = (_optional_int("points", number) for number in points)
        except (TypeError, ValueError):
            raise InvalidArgumentError(f"points are a pair of whole numbers, not {points!r}") from None
        if first is None or second is None:
            raise InvalidArgumentError(f"points are a pair of whole numbers, not {points!r}")
        if not isinstance(post_crawford, bool):
            raise InvalidArgumentError(f"post_crawford is True or False, not {post_crawford!r}")
        text = _optional_text("reason", reason)
        self._happen(Event("score", score=(first, second), post_crawford=post_crawford, reason=text))

    def abandon(self, reason: str | None = None) -> None:
        """The game is broken off and counts for nobody.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.abandon("the record ends here")
        >>> match.phase, match.score
        (<Phase.GAME_OVER: 'game over'>, (0, 0))
        """
        self._happen(Event("abandon", reason=_optional_text("reason", reason)))

    def correct_setup(self, player: int) -> None:
        """A player demands the right starting position; turns are played again with their dice (rule 9.7).

        >>> match = Match(Rules.tournament(5), dice=SequenceDice([(3, 1)]))
        >>> _ = match.set_up(Position.start("nackgammon")), match.roll(), match.correct_setup(1)
        >>> match.position == Position.start()
        True
        """
        self._happen(Event("correct_setup", player=player))

    def found_checker(self, owner: int, *, point: int | None = None, on_bar: bool) -> None:
        """A checker was found outside the board; the opponent of its owner has decided what follows (rule 9.6).

        `point` is where the record has it, in the owner's numbering; None if it is missing there too. It goes to the
        bar, or the owner plays on without it.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.found_checker(0, point=24, on_bar=True)
        >>> match.position.bar, match.position[24]
        (1, 1)
        """
        self._happen(Event("found_checker", player=owner, point=_optional_int("point", point), on_bar=bool(on_bar)))

    # Tournament (rules 9.3 to 9.5, 9.10).

    def late_arrival(self, minutes: tuple[float, float]) -> None:
        """How many minutes each player came late, by seat, before the first game (rule 9.4).

        The opponent receives the penalty points at once. Raises `IllegalActionError` under rules without penalties.

        >>> match = Match(Rules.tournament(9))
        >>> match.late_arrival((12, 0))
        >>> match.score
        (0, 1)
        """
        try:
            first, second = minutes
        except (TypeError, ValueError):
            raise InvalidArgumentError(f"minutes are a pair, one for each player, not {minutes!r}") from None
        self._happen(Event("late_arrival", minutes=(first, second)))

    def take_break(self, player: int, minutes: float = 5) -> None:
        """A player takes a break of so many minutes, 5 at most, between games (rule 9.5).

        Raises `IllegalActionError` under rules without breaks, during a game, or if the player has had all of them.

        >>> match = Match(Rules.tournament(9), dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.resign(), match.accept()
        >>> match.take_break(0, minutes=4)
        >>> str(match.record[-1])
        'player 0: take break 4 minutes'
        """
        if isinstance(minutes, bool) or not isinstance(minutes, int | float):
            raise InvalidArgumentError(f"minutes are a number, not {minutes!r}")
        self._happen(Event("take_break", player=player, minutes=(minutes,)))

    def director(
        self,
        decision: Literal["warning", "penalty points", "award game", "award match", "exclusion", "cube", "clock"],
        *,
        player: int | None = None,
        points: int | None = None,
        winner: int | None = None,
        value: int | None = None,
        owner: int | None = None,
        reason: str | None = None,
    ) -> None:
        """A decision of the director (rules 7.1, 9.3, 9.10).

        "warning" and "exclusion" concern `player`; "penalty points" are `points` against `player`, which the opponent
        receives; "award game" gives `points` to `winner`; "award match" names the `winner`; "cube" sets `value` and
        `owner`; "clock" imposes a clock for the rest.

        >>> match = Match(Rules.tournament(5))
        >>> match.director("award match", winner=1, reason="the opponent has left")
        >>> match.winner, match.ending
        (1, 'award')
        """
        numbers = {"points": points, "value": value}
        for name, number in numbers.items():
            _optional_int(name, number)
        event = Event(
            "decision",
            player=player,
            decision=decision,
            points=points,
            winner=winner,
            value=value,
            owner=owner,
            reason=_optional_text("reason", reason),
        )
        self._happen(event)

    def appeal(self, player: int, reason: str | None = None) -> None:
        """A player appeals the decision that was just made; nothing goes on until the committee has decided.

        >>> match = Match(Rules.tournament(5), dice=SequenceDice([(3, 1)]))
        >>> _ = match.director("warning", player=0), match.appeal(0)
        >>> match.roll()
        Traceback (most recent call last):
        ...
        gammon.errors.IllegalActionError: an appeal awaits the committee
        """
        self._happen(Event("appeal", player=player, reason=_optional_text("reason", reason)))

    def committee(self, *, upheld: bool, reason: str | None = None) -> None:
        """The committee upholds the decision, or puts everything back to before it; either is final (rule 9.10).

        >>> match = Match(Rules.tournament(5))
        >>> _ = match.director("award match", winner=1), match.appeal(0, "it was a misunderstanding")
        >>> match.committee(upheld=False)
        >>> match.is_over
        False
        """
        self._happen(Event("committee", upheld=bool(upheld), reason=_optional_text("reason", reason)))

    # The clock (rule 9.3).

    def demand_clock(self, player: int) -> None:
        """A player wants the match played with a clock, before the first game.

        >>> match = Match(Rules.tournament(5), time=lambda: 0.0)
        >>> match.demand_clock(0)
        >>> match.clock.left(0)
        600.0
        """
        self._happen(Event("demand_clock", player=player))

    def stop_clock(self, reason: str) -> None:
        """Stops the clock for one of the reasons in `gammon.clock.STOP_REASONS`.

        Raises `IllegalActionError` without a clock, for another reason, or if it is stopped already.

        >>> match = Match(Rules.match(5, clock=ClockSettings()), dice=SequenceDice([(3, 1)]), time=lambda: 0.0)
        >>> _ = match.roll(), match.stop_clock("director called")
        >>> match.clock.reading().stopped
        'director called'
        """
        if self.clock is not None and (stopped := self.clock.reading().stopped) is not None:
            raise IllegalActionError(f"the clock is stopped already: {stopped}")
        self._happen(Event("stop_clock", reason=_optional_text("reason", reason)))

    def resume_clock(self) -> None:
        """Lets the clock run on. Raises `IllegalActionError` if it is not stopped, or there is none.

        >>> match = Match(Rules.match(5, clock=ClockSettings()), dice=SequenceDice([(3, 1)]), time=lambda: 0.0)
        >>> _ = match.roll(), match.stop_clock("director called"), match.resume_clock()
        >>> match.clock.reading().stopped is None
        True
        """
        if self.clock is not None and self.clock.reading().stopped is None:
            raise IllegalActionError("the clock is not stopped")
        self._happen(Event("resume_clock"))

    def claim_time(self, player: int | None = None) -> None:
        """A player, or the director (None), claims that time has run out; it loses the match.

        >>> hands = [0.0]
        >>> match = Match(Rules.match(5, clock=ClockSettings()), dice=SequenceDice([(3, 1)]), time=lambda: hands[0])
        >>> roll, hands[0] = match.roll(), 1000.0
        >>> match.claim_time(1)
        >>> match.winner, match.ending
        (1, 'time')
        """
        self._happen(Event("claim_time", player=player))

    def time_fault(self, player: int, reason: Literal["lifted early", "taken away"]) -> None:
        """A player lifted the dice too early or took them away after turning the clock: a minute for the other.

        >>> match = Match(Rules.match(5, clock=ClockSettings()), dice=SequenceDice([(3, 1)]), time=lambda: 0.0)
        >>> _ = match.roll(), match.time_fault(0, "lifted early")
        >>> match.clock.left(1)
        660.0
        """
        self._happen(Event("time_fault", player=player, reason=reason))

    # Dice.

    def change_dice(self, dice: DiceSource) -> None:
        """Takes the throws from another source from now on, between games only (rule 2.4).

        Raises `IllegalActionError` during a game, `InvalidArgumentError` for what is no `DiceSource`.

        >>> match = Match(dice=RandomDice(seed=1))
        >>> match.change_dice(SequenceDice([(3, 1)]))
        >>> match.roll()
        Roll(3, 1)
        """
        if self._moment.in_game:
            raise IllegalActionError("the dice are changed between games, not during one")
        self._dice = _checked_source(dice)

    def _throw(self) -> tuple[tuple[int, int], ...]:
        roll = self._dice.roll()
        return ((roll.high, roll.low),)

    def _throw_opening(self) -> tuple[tuple[int, int], ...]:
        """Throws until the dice differ (rule 2.2)."""
        if self._moment.phase is Phase.GAME_OVER:
            self._dice.new_game()
        throws: list[tuple[int, int]] = []
        while not throws or throws[-1][0] == throws[-1][1]:
            if len(throws) == MOST_TIES:
                raise InvalidArgumentError(f"the dice source has thrown {MOST_TIES} ties in a row")
            first, second = self._dice.throw()
            Roll(first, second)
            throws.append((first, second))
        return tuple(throws)

    def _throw_given(self, throw: tuple[int, int]) -> tuple[tuple[int, int], ...]:
        """A throw that somebody gives; the source begins a new game all the same."""
        if self._moment.phase is Phase.GAME_OVER:
            self._dice.new_game()
        return (throw,)

    def _throw_elsewhere(self, throws: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        """Throws of another source, the ties of an opening included."""
        self._throw_given(throws[-1])
        return throws

    def _throw_one(self, kept: int) -> tuple[tuple[int, int], ...]:
        """One die again, beside the one that is kept (rule 9.9)."""
        return ((kept, self._dice.throw()[0]),)

    def _place(self) -> _Place:
        source = self._dice
        numbers: tuple[int, ...] = ()
        if isinstance(source, RandomDice | CardDice):
            numbers = (source.game, source.turn, source.draw)
        elif isinstance(source, SequenceDice):
            numbers = (source.used, len(source.dice))
        return _Place(source, numbers)

    def _places(self) -> tuple[_Place, _Place]:
        """Where the source stands, and where this match left it."""
        if self._done and isinstance(self._dice, AbsentDice):
            last = self._done[-1].places
            if last[0].source is self._dice and last[1] is self._left:
                return last
        return self._place(), self._left

    def _go_to(self, places: tuple[_Place, _Place]) -> None:
        """Puts the dice source back to where it stood."""
        place, self._left = places
        source = self._dice = place.source
        if isinstance(source, RandomDice | CardDice):
            source.game, source.turn, source.draw = place.numbers
        elif isinstance(source, SequenceDice):
            source.used = place.numbers[0]

    # Events.

    def _happen(
        self,
        event: Event,
        throws: Callable[[], tuple[tuple[int, int], ...]] | None = None,
        trial: tuple[tuple[int, int], ...] = ((2, 1),),
    ) -> None:
        """The one door for everything that happens now. If it raises, nothing has changed.

        `throws` takes the event's dice from the source; before that, the event is tried with the dice of `trial`, so
        that a roll which is refused costs the source nothing, and nobody has to enter it.
        """
        for name in ("player", "winner", "owner"):
            seat = getattr(event, name)
            if seat is not None and (isinstance(seat, bool) or not isinstance(seat, int) or seat not in (0, 1)):
                raise InvalidArgumentError(f"{name} is 0 or 1, not {seat!r}")
        places = self._places()
        reading = None if self.clock is None else self.clock.reading()
        event = changed(event, clock=reading)
        if throws is not None:
            machine.advance(self.rules, self._moment, changed(event, throws=trial))
        try:
            if throws is not None:
                event = self._with_dice(event, throws)
            after, event = machine.advance(self.rules, self._moment, event)
        except BaseException:
            self._go_to(places)
            raise
        self._undone.clear()
        self._append(_Done(event, self._moment, places, reading), after)

    def add(self, event: Event) -> Event:
        """Adds an event that happened elsewhere, dice included: the door for records in other forms.

        Nothing is taken from the dice source, and there is no clock. Returns the event with the remarks of the rules;
        raises as the named actions do, and then nothing has changed.

        >>> match = Match()
        >>> match.add(Event("roll", throws=((3, 1),), given=True)).roll
        Roll(3, 1)
        >>> match.state.on_roll
        0
        """
        if self.clock is not None:
            raise IllegalActionError("a match with a clock takes no events from elsewhere")
        if event.throws and not isinstance(self._dice, AbsentDice):
            throws = event.throws
            self._happen(changed(event, given=True), lambda: self._throw_elsewhere(throws))
            return self._done[-1].event
        before, places = self._moment, self._places()
        self._moment, event = machine.advance(self.rules, before, event)
        self._undone.clear()
        self._done.append(_Done(event, before, places, None))
        return event

    def add_turn(self, player: int, play: Play) -> None:
        """Adds a roll and its legal play that happened elsewhere: `add` of both events, several times as fast.

        Raises as `add` does.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.play("8/5 6/5")
        >>> match.add_turn(1, match.position.play("24/18 13/11", "62"))
        >>> [event.kind for event in match.record]
        ['roll', 'play', 'roll', 'play']
        """
        roll = play.roll
        rolled_event, event = roll_event(player, (roll.high, roll.low)), play_event(player, play)
        moment = self._moment
        after = None
        if self.clock is None and isinstance(self._dice, AbsentDice) and player == moment.on_roll:
            after = machine.plain_turn(moment, play)
        if after is None:
            self.add(rolled_event)
            self.add(event)
            return
        places = self._places()
        self._undone.clear()
        self._done += (_Done(rolled_event, moment, places, None), _PlayDone(event, moment, places))
        self._moment = after

    def _append(self, done: _Done, after: Moment) -> None:
        self._done.append(done)
        self._moment = after
        self._tell_clock(done)

    def _with_dice(self, event: Event, throws: Callable[[], tuple[tuple[int, int], ...]]) -> Event:
        """The event with its throws, and where the source stood if this match did not leave it there."""
        rebuildable = isinstance(self._dice, RandomDice | CardDice | SequenceDice)
        elsewhere = rebuildable and not self._place().is_same(self._left)
        source = codec.dice_to_dict(self._dice) if elsewhere else None
        event = changed(event, throws=throws(), source=source, given=event.given or not rebuildable)
        self._left = self._place()
        return event

    # The clock follows whoever has to act.

    def _set_clock(self, reading: ClockReading | None) -> None:
        """Makes, restores or removes the clock."""
        points = self._moment.clock_points
        if points is None:
            self.clock = None
            return
        if self.clock is None:
            self.clock = Clock(self.rules.clock or ClockSettings(), points, time=self._time)
        if reading is not None:
            self.clock.restore(reading)

    def _tell_clock(self, done: _Done) -> None:
        before, after, event = done.before, self._moment, done.event
        if before.clock_points != after.clock_points:
            self.clock = None
            self._set_clock(None)
            if self.clock is not None and after.to_act is not None:
                self.clock.start(after.to_act)
            return
        if self.clock is None:
            return
        if event.kind == "stop_clock":
            assert event.reason is not None
            self.clock.stop(event.reason)
        elif event.kind == "resume_clock":
            self.clock.resume()
        elif event.kind == "time_fault":
            assert event.player is not None
            self.clock.give(1 - event.player, LIFTED_DICE_SECONDS)
        if event.kind == "contest":
            self._turn_clock(after.to_act)
            if self.clock.reading().stopped is None:
                self.clock.stop("illegal play")
        elif event.kind == "play" or before.to_act != after.to_act:
            if before.contested and self.clock.reading().stopped == "illegal play":
                self.clock.resume()
            self._turn_clock(after.to_act)

    def _turn_clock(self, player: int | None) -> None:
        assert self.clock is not None
        if player is None:
            self.clock.end_turn()
        else:
            self.clock.start(player)

    # Undo and redo.

    def undo(self, steps: int = 1) -> None:
        """Takes back so many events: board, cube, score, clock and dice are as they were.

        The same throw comes again if the dice are thrown again. Raises `IllegalActionError` if there are fewer events.

        >>> match = Match(dice=RandomDice(seed=1))
        >>> roll = match.roll()
        >>> match.undo()
        >>> match.roll() == roll
        True
        """
        self._require_steps(steps, len(self._done), "undo")
        for _ in range(steps):
            done = self._done.pop()
            reading = None if self.clock is None else self.clock.reading()
            self._undone.append(_Undone(done, self._moment, self._places(), reading))
            self._moment = done.before
            self._stand(done.places, done.clock)

    def redo(self, steps: int = 1) -> None:
        """Does again what was undone last. Raises `IllegalActionError` if there is less to do again.

        >>> match = Match(dice=SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.undo(), match.redo()
        >>> match.state.roll
        Roll(3, 1)
        """
        self._require_steps(steps, len(self._undone), "redo")
        for _ in range(steps):
            undone = self._undone.pop()
            self._done.append(undone.done)
            self._moment = undone.after
            self._stand(undone.places, undone.clock)

    def _stand(self, places: tuple[_Place, _Place], reading: ClockReading | None) -> None:
        self._go_to(places)
        if reading is None:
            self.clock = None
        self._set_clock(reading)

    @staticmethod
    def _require_steps(steps: int, there: int, what: str) -> None:
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 0:
            raise InvalidArgumentError(f"steps are 0 or more, not {steps!r}")
        if steps > there:
            raise IllegalActionError(f"cannot {what} {steps} event(s): there are {there}")

    # Saving.

    def to_dict(self) -> dict[str, Any]:
        """The match as plain JSON data, with all that it takes to go on exactly: record, dice, clock (rule 10.1).

        >>> match = Match(Rules.match(3), dice=RandomDice(seed=1))
        >>> Match.from_dict(match.to_dict()) == match
        True
        """
        return {
            "format": FORMAT,
            "version": VERSION,
            "rules": codec.rules_to_dict(self.rules),
            "names": list(self.names),
            "direction": self.direction,
            "points": list(self._start[0]),
            "post_crawford": self._start[1],
            "state": None if self._state is None else codec.state_to_dict(self._state),
            "dice": {"first": self._first_dice, "now": codec.dice_to_dict(self._dice)},
            "events": [codec.event_to_dict(done.event) for done in self._done],
            "undone": [
                {
                    "event": codec.event_to_dict(undone.done.event),
                    "clock": None if undone.clock is None else codec.reading_to_dict(undone.clock),
                }
                for undone in self._undone
            ],
            "clock": None if self.clock is None else codec.reading_to_dict(self.clock.reading()),
        }

    def _key(self) -> dict[str, Any]:
        data = self.to_dict()
        for event in [*data["events"], *(undone["event"] for undone in data["undone"])]:
            event.pop("clock", None)
        return data | {"clock": None, "undone": [undone["event"] for undone in data["undone"]]}

    @classmethod
    def from_dict(cls, data: object, *, dice: DiceSource | None = None, time: TimeSource = _time.monotonic) -> Match:
        """A match from `to_dict`: its record is played again, so that nothing illegal can come in.

        Args:
            data: what `to_dict` gave, also after a trip through JSON.
            dice: where the throws come from now; needed for a source that is not one of the library's generators.
            time: the clock's time source; a clock that was running goes on from what it showed.

        Raises:
            FileFormatError: with the path of the field that is wrong.

        >>> import json
        >>> match = Match(Rules.match(3), dice=RandomDice(seed=1))
        >>> Match.from_dict(json.loads(json.dumps(match.to_dict()))) == match
        True
        """
        fields = {"format", "version", "rules", "names", "direction", "points", "post_crawford", "state"}
        fields |= {"dice", "events", "undone", "clock"}
        checked = codec.read_dict(data, "match", fields)
        if checked["format"] != FORMAT:
            codec.fail("format", f"{FORMAT!r} is expected, not {codec.shown(checked['format'])}")
        version = codec.read_int(checked["version"], "version", 0)
        if version != VERSION:
            codec.fail("version", f"version {version} cannot be read, only {VERSION}")
        names = [
            codec.read_text(name, f"names[{seat}]")
            for seat, name in enumerate(codec.read_list(checked["names"], "names", 2))
        ]
        if len(names) != 2:
            codec.fail("names", f"two names are expected, not {len(names)}")
        if checked["direction"] not in DIRECTIONS:
            codec.fail("direction", f"one of {', '.join(DIRECTIONS)} is expected")
        points = [
            codec.read_int(number, f"points[{seat}]")
            for seat, number in enumerate(codec.read_list(checked["points"], "points", 2))
        ]
        post_crawford = codec.read_bool(checked["post_crawford"], "post_crawford")
        rules = codec.rules_from_dict(checked["rules"], "rules")
        try:
            _check_start(rules, points, post_crawford)
        except InvalidArgumentError as error:
            codec.fail("points", str(error))
        sources = codec.read_dict(checked["dice"], "dice", {"first", "now"})
        first = codec.dice_from_dict(sources["first"], "dice.first")
        match = cls(
            rules,
            names=names,
            dice=AbsentDice(codec.kind_of_dice(sources["first"])) if first is None else first,
            time=time,
            points=(points[0], points[1]),
            post_crawford=post_crawford,
            direction=checked["direction"],
        )
        match._first_dice = sources["first"]
        if checked["state"] is not None:
            match._take_up(checked["state"])
        match._replay(codec.read_list(checked["events"], "events"), "events")
        match._replay_undone(codec.read_list(checked["undone"], "undone"))
        match._set_clock(match._read_clock(match._moment, checked["clock"], "clock"))
        match._go_on_with(sources["now"], dice)
        return match

    def _take_up(self, value: object) -> None:
        """The state in which a match that was read was taken up."""
        try:
            state = codec.state_from_dict(value, "state", self.rules, self._start)
            self._moment = machine.taken_up(state)
        except InvalidArgumentError as error:
            codec.fail("state", str(error))
        self._state = state

    def _go_on_with(self, now: object, dice: DiceSource | None) -> None:
        """The dice source from which a match that was read goes on."""
        source = codec.dice_from_dict(now, "dice.now")
        if dice is not None:
            self._dice = _checked_source(dice)
        elif source is None:
            self._dice = AbsentDice(codec.kind_of_dice(now))
        elif codec.dice_to_dict(self._dice) != now:
            self._dice = source

    def _read_clock(self, moment: Moment, value: object, path: str) -> ClockReading | None:
        """A reading of the clock, which is there exactly when the match has one."""
        if (moment.clock_points is None) != (value is None):
            codec.fail(
                path, "there is no clock to read" if value is not None else "the reading of the clock is missing"
            )
        return None if value is None else codec.reading_from_dict(value, path)

    def _replay(self, events: list[Any], path: str) -> None:
        for index, data in enumerate(events):
            where = f"{path}[{index}]"
            event = codec.event_from_dict(data, where)
            try:
                self._happen_again(event, where)
            except FileFormatError:
                raise
            except (GammonError, OverflowError) as error:
                codec.fail(where, str(error))

    def _replay_undone(self, entries: list[Any]) -> None:
        """What was undone is done once more, last first, and undone again."""
        there = len(self._done)
        readings = []
        for index in reversed(range(len(entries))):
            where = f"undone[{index}]"
            entry = codec.read_dict(entries[index], where, {"event", "clock"})
            self._replay([entry["event"]], f"{where}.event")
            readings.append(self._read_clock(self._moment, entry["clock"], f"{where}.clock"))
        self.undo(len(self._done) - there)
        self._undone = [
            dataclasses.replace(undone, clock=reading)
            for undone, reading in zip(self._undone, reversed(readings), strict=True)
        ]

    def _happen_again(self, event: Event, path: str) -> None:
        """An event of a record: like `_happen`, with the dice and the clock of then."""
        reading = event.clock
        if (self._moment.clock_points is None) != (reading is None):
            codec.fail(
                path, "there is no clock to read" if reading is not None else "the reading of the clock is missing"
            )
        if event.source is not None:
            source = codec.dice_from_dict(event.source, f"{path}.source")
            if source is None:
                codec.fail(f"{path}.source", "a source that cannot be rebuilt gives its dice with the event")
            self._dice = source
        places = self._places()
        self._throw_again(event, path)
        if isinstance(event.play, str) and not event.illegal and self._moment.phase is Phase.ROLLED:
            assert self._moment.roll is not None
            event = changed(event, play=self._moment.position.play(event.play, self._moment.roll))
        after, event = machine.advance(self.rules, self._moment, event)
        self._done.append(_Done(event, self._moment, places, reading))
        self._moment = after

    def _throw_again(self, event: Event, path: str) -> None:
        """Takes the dice of a recorded throw from the source once more, and checks that they are the same."""
        if event.kind == "roll":
            opening = self._moment.phase in (Phase.OPENING, Phase.GAME_OVER)
            if event.given:
                self._throw_given((2, 1))
                throws = event.throws
            else:
                throws = self._throw_opening() if opening else self._throw()
        elif event.kind == "dice_fault" and event.again is not None and event.throws:
            throws = event.throws if event.given else self._throw_one(event.throws[0][0])
        else:
            return
        if throws != event.throws:
            codec.fail(f"{path}.throws", f"{codec.shown(event.throws)} is not what the dice source throws here")
        self._left = self._place()


def _check_start(rules: Rules, points: Sequence[int], post_crawford: bool) -> None:
    """The score that a match begins with has to be one that a game can start at."""
    if not isinstance(points, list | tuple) or len(points) != 2:
        raise InvalidArgumentError(f"points are a pair, not {points!r}")
    for number in points:
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < codec.BIGGEST:
            raise InvalidArgumentError(f"points are 0 or more, not {points!r}")
        if rules.length is not None and number >= rules.length:
            raise InvalidArgumentError(f"a match to {rules.length} does not begin at {points[0]}-{points[1]}")
    if not isinstance(post_crawford, bool):
        raise InvalidArgumentError(f"post_crawford is True or False, not {post_crawford!r}")
    if post_crawford and (rules.length is None or not rules.crawford or rules.length - 1 not in points):
        raise InvalidArgumentError(f"the Crawford game is not over at {points[0]}-{points[1]} of {rules.length}")


def _checked_source(dice: DiceSource) -> DiceSource:
    if not isinstance(dice, DiceSource):
        raise InvalidArgumentError(f"dice are a source such as RandomDice(seed), not {dice!r}")
    return dice


def _given_throw(dice: Roll | str, starter: int | None) -> tuple[int, int]:
    """Given dice as a throw; the larger die of an opening belongs to the one who starts."""
    roll = _as_roll(dice, "dice are")
    if starter is None:
        raise InvalidArgumentError("given dice of an opening do not say who starts: pass player=")
    return (roll.high, roll.low) if starter == 0 else (roll.low, roll.high)


def _optional_int(name: str, value: int | None) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < codec.BIGGEST):
        raise InvalidArgumentError(f"{name} is a whole number from 0, not {value!r}")
    return value


def _optional_text(name: str, value: str | None) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > codec.LONGEST_TEXT or not codec.is_unicode(value):
        raise InvalidArgumentError(f"{name} is a text of at most {codec.LONGEST_TEXT} characters, not {value!r:.60}")
    return value
