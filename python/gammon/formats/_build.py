"""From what the readers found in a file to a `Match`: every play is checked by the core, and nothing is dropped.

A reader gives entries in the order of the file. Here they meet the rules: what the file leaves out (a take that goes
without saying, a turn on the bar, the end of a game) is added, what it has wrong is kept as far as a record can keep
it, and either is a fault unless every program writes it so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gammon.dice import Roll
from gammon.errors import GammonError, IllegalActionError, IllegalPlayError, InvalidPositionError, NotationError
from gammon.formats._faults import Faults
from gammon.formats._rules import FULL_VARIANTS
from gammon.match import Comment, Event, GameState, Match, Offer, Phase, State
from gammon.match._codec import LONGEST_TEXT, AbsentDice
from gammon.match._events import play_event, roll_event
from gammon.match._machine import highest_resignation
from gammon.position import Position
from gammon.rules import MAX_LENGTH, Rules

__all__ = ["Entry", "GameText", "MatchText", "Setup", "build", "match_at"]

UNKNOWN_PLAY = "????"
_NO_CHECKER = re.compile(r"(?<![\d/])(?:0|off)/(?:0|off)(?![\d/])", re.IGNORECASE)
"""How some programs write a die that is left when the last checker is off."""
MOST_POINTS = 1 << 20
_USUAL_LIMIT = 64


class Setup(NamedTuple):
    """A board that is edited: what is not given stays as it is."""

    clear: frozenset[int] = frozenset()
    """Places in player 0's numbering that are emptied first, 25 being both bars."""
    own: tuple[int, ...] = ()
    """Where a checker of player 0 is added."""
    other: tuple[int, ...] = ()
    """Where one of player 1 is added, in player 0's numbering too."""
    on_roll: int | None = None
    value: int | None = None
    owner: int | None = None
    centred: bool = False

    @property
    def places_only(self) -> bool:
        """Whether neither the cube nor the player on roll is said."""
        return self.on_roll is None and self.value is None and self.owner is None and not self.centred


class Entry(NamedTuple):
    """One thing that a file says of a game. `player` is a seat; None where the file does not say whose it is."""

    kind: str
    """turn, roll, dance, double, beaver, take, drop, resign, result, losses, abandon, position, setup, comment."""
    player: int | None
    line: int
    column: int
    text: str = ""
    roll: tuple[int, int] | None = None
    number: int | None = None
    """A cube value, points, the level of a resignation, which is 0 where the result has to say who resigns; for a turn
    0 if it says that nothing can be played."""
    state: State | None = None
    """Where the game stands; of a turn, where it stands after it, seen by the opponent."""
    setup: Setup | None = None
    notes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Properties that the file has beside it."""


@dataclass
class GameText:
    """A game of a file."""

    number: int
    line: int
    score: tuple[int, int] | None = None
    entries: list[Entry] = field(default_factory=list)
    crawford: bool | None = None
    """Whether the file calls it the Crawford game; None if it does not say."""


@dataclass
class MatchText:
    """What a reader found."""

    length: int | None = None
    names: tuple[str, str] = ("White", "Black")
    tags: dict[str, str] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    games: list[GameText] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    """Fields of the rules that the file states."""
    last_line: int = 1
    cut_off: bool = False
    """The file ends in the middle of a line."""


class _Retry(Exception):
    """The file contradicts a rule that it does not state: once more, with the other one."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings


def build(text: MatchText, faults: Faults) -> Match:
    """The match that a file describes, with its faults."""
    guessed: dict[str, Any] = {}
    for _ in range(4):
        found = faults.fork()
        try:
            match = _Builder(text, guessed, found).build()
        except _Retry as retry:
            guessed |= retry.settings
            continue
        match.errors = found.take()
        return match
    raise AssertionError("three rules can be guessed, and each only once")


def _rules(text: MatchText, guessed: dict[str, Any]) -> Rules:
    """The rules that the file states, and for the rest those that it needs."""
    highest, beavers_needed = _cube_use(text)
    settings = dict(text.settings)
    limit = settings.get("cube_limit", _USUAL_LIMIT)
    if limit is not None and highest > limit:
        settings["cube_limit"] = None
    if "variant" in guessed:
        settings["variant"] = guessed["variant"]
    length = guessed.get("length", text.length)
    if length is not None:
        for name in ("jacoby", "beavers", "automatic_doubles"):
            settings.pop(name, None)
        return Rules.match(length, **settings)
    settings.pop("crawford", None)
    if "jacoby" not in settings:
        settings["jacoby"] = guessed.get("jacoby", text.length is None)
    needed = beavers_needed if text.length is None else 0
    beavers = settings.get("beavers", 1)
    if beavers is not None and needed > beavers:
        settings["beavers"] = needed
    if settings.get("use_cube") is False:
        settings["jacoby"] = settings["jacoby"] and guessed.get("jacoby", True)
    return Rules.money(**settings)


def _cube_use(text: MatchText) -> tuple[int, int]:
    """The highest value that is named, and how many beavers follow one double; a format may call them doubles."""
    highest = longest = 0
    for game in text.games:
        run = 0
        for entry in game.entries:
            if entry.kind == "turn":
                run = 0
                continue
            turned = entry.kind in ("double", "beaver")
            run = run + 1 if turned else 0
            longest = max(longest, run - 1)
            if turned:
                highest = max(highest, entry.number or 0)
            elif entry.state is not None:
                highest = max(highest, entry.state.value)
            elif entry.setup is not None:
                highest = max(highest, entry.setup.value or 0)
    return highest, longest


def match_at(state: State, names: tuple[str, str] = ("White", "Black")) -> Match:
    """A match that stands at a state: score, position, cube, dice and offer are set, not played to.

    Raises `IllegalActionError` for a game that is over, which no match goes on from.
    """
    rules, seat = state.rules, state.on_roll
    match = Match(rules, names=names, dice=AbsentDice("manual"))
    if state.points != (0, 0) or state.post_crawford:
        match.set_score(state.points, post_crawford=state.post_crawford)
    if state.game_state is GameState.NONE and state.position in (rules.position, rules.position.flip()):
        return match
    turns = {Offer.BEAVER: 1, Offer.RACCOON: 2}.get(state.offer, 0) if state.offer is not None else 0
    value = state.cube.value >> turns
    owner = None if state.cube.owner is None else seat if state.cube.owner == "player" else 1 - seat
    if turns:
        owner = None if value == 1 else seat
    board = state.position if seat == 0 else state.position.flip()
    match.set_position(board, seat, value=value, owner=owner, stake=state.stake)
    if state.roll is not None:
        match.add(roll_event(seat, (state.roll.high, state.roll.low)))
    if state.offer is not None and state.offered_by is not None:
        if state.offer.level is not None:
            match.resign(state.offer.level, player=state.offered_by)
        else:
            match.double(player=state.offered_by if not turns else seat, on_record=True)
            for _ in range(turns):
                match.beaver()
    return match


class _Builder:
    def __init__(self, text: MatchText, guessed: dict[str, Any], faults: Faults) -> None:
        self.text = text
        self.guessed = guessed
        self.faults = faults
        names = [name[:LONGEST_TEXT] for name in text.names]
        self.match = Match(_rules(text, guessed), names=names, dice=AbsentDice("manual"))
        self.match.tags = dict(text.tags)
        self.entry = Entry("none", None, 1, 1)
        self.resigning: int | None = None
        self.resigning_level: int | None = None
        self.resigning_surely = True
        self.games_before = 0
        self.jacoby_shown = False
        self.stake = 1
        self.edited_before = False
        self.following: GameText | None = None
        self.losing: tuple[int | None, int | None] | None = None

    def build(self) -> Match:
        self.match.comments = [Comment(0, comment) for comment in self.text.comments]
        if "length" in self.guessed:
            self.fault(f"games go on after the match to {self.text.length} is won", "read as a session")
        for index, game in enumerate(self.text.games):
            following = self.text.games[index + 1] if index + 1 < len(self.text.games) else None
            self.game(game, following)
        return self.match

    def fault(self, what: str, done: str) -> None:
        self.faults.add(self.entry.line, self.entry.column, what, done)

    def keep_as_comment(self, text: str) -> None:
        self.match.comments.append(Comment(self.match.event_count, text))

    # Games.

    def game(self, game: GameText, following: GameText | None) -> None:
        self.entry = Entry("none", None, game.line, 1)
        self.resigning = self.resigning_level = self.losing = None
        self.resigning_surely = True
        self.stake = 1
        self.set_score(game)
        if self.match.is_over:
            raise _Retry(length=None)
        self.games_before = len(self.match.games)
        self.following = following
        for entry in game.entries:
            if self.resigning is not None and entry.kind in ("turn", "double"):
                self.entry = entry
                self.fault(
                    f"{self.name(self.resigning)} has resigned, and the game goes on", "the resignation left out"
                )
                self.resigning = self.resigning_level = None
                self.resigning_surely = True
            if entry.kind == "turn" and self.plain_turn(entry):
                continue
            self.entry = entry
            self.take_entry(entry)
        self.end(following)

    def set_score(self, game: GameText) -> None:
        """The score that the file gives at the head of a game counts, where it can be one."""
        if game.score is None or game.score == self.match.score:
            return
        shown = f"{game.score[0]}-{game.score[1]}"
        length = self.match.rules.length
        plausible = all(0 <= points < (length or MOST_POINTS) for points in game.score)
        first = self.match.event_count == 0
        computed = f"{self.match.score[0]}-{self.match.score[1]}"
        if not plausible:
            self.fault(f"the score at the head of the game is {shown}", f"{computed} kept")
            return
        if not first:
            self.fault(f"the score is {shown}, and by the games so far {computed}", f"set to {shown}")
        self.match.set_score(game.score, "the score in the file", post_crawford=game.crawford is False)

    def end(self, following: GameText | None) -> None:
        """The file has no more of this game."""
        if not self.in_game():
            return
        if self.losing is not None:
            loser, points = self.losing
            self.result(None if loser is None else 1 - loser, points)
            return
        if self.resigning is not None:
            scorer = None if self.resigning_surely else self.scorer()
            other = 1 - self.resigning if scorer is None else scorer
            if not self.ended_by_offer(other, None):
                self.win(other, self.resigning_level or 1)
            return
        if following is None:
            if self.text.cut_off:
                self.entry = Entry("none", None, self.text.last_line, 1)
                self.fault(f"the file ends in the middle of game {len(self.match.games) + 1}", "read so far")
            return
        self.entry = Entry("none", None, following.line, 1)
        winner = self.scorer()
        if winner is not None and following.score is not None:
            points = following.score[winner] - self.match.score[winner]
            self.fault(
                f"game {len(self.match.games) + 1} has no result",
                f"{self.name(winner)} wins {points} by the next score",
            )
            self.result(winner, points)
            return
        self.fault(f"game {len(self.match.games) + 1} has no result", "kept as broken off")
        self.match.abandon("no result in the file")

    def in_game(self) -> bool:
        return self.match.in_game

    def name(self, seat: int) -> str:
        return self.match.names[seat] or f"player {seat}"

    # Entries.

    def take_entry(self, entry: Entry) -> None:
        kind = entry.kind
        if kind == "comment":
            self.keep_as_comment(entry.text)
            return
        if kind == "result":
            self.result(entry.player, entry.number)
            return
        if kind == "losses":
            self.losing = (entry.player, entry.number)
            return
        if kind == "abandon":
            if self.in_game():
                self.match.abandon("no result in the file")
            return
        if self.ended():
            # A position after the end of a game begins nothing; anything else is one thing too many.
            self.keep_as_comment(entry.text or kind)
            self.fault(f"{entry.text or kind!r} after the end of the game", "kept as a comment")
            return
        before = self.match.event_count
        getattr(self, kind)(entry)
        self.edited_before = kind in ("setup", "position")
        if entry.notes and self.match.event_count > before:
            self.match.annotations[self.match.event_count - 1] = entry.notes

    def ended(self) -> bool:
        return self.match.is_over or len(self.match.games) > self.games_before

    def plain_turn(self, entry: Entry) -> bool:
        """A roll and its legal play by the player on roll, which is most of what there is; False for anything else."""
        moment = self.match.moment
        if moment.phase is not Phase.ON_ROLL or moment.on_roll != entry.player or not entry.text or entry.notes:
            return False
        assert entry.roll is not None
        try:
            play = moment.position.play(entry.text, Roll(*entry.roll))
        except GammonError:
            return False
        self.match.add_turn(moment.on_roll, play)
        self.edited_before = False
        return True

    def turn(self, entry: Entry) -> None:
        """A roll and its play."""
        player, dice = self.whose(entry), entry.roll
        assert dice is not None
        match = self.match
        if entry.state is not None and not self.in_game() and self.is_start(entry.state.position):
            return
        if match.phase is not Phase.ON_ROLL or match.on_roll != player:
            if match.phase is Phase.ROLLED and match.on_roll == player and _dice(match) == (max(dice), min(dice)):
                # The roll was there already by itself.
                self.play(player, entry)
                return
            self.ready_to_roll(player, dice)
        if match.phase is Phase.ON_ROLL:
            high, low = dice if dice[0] > dice[1] else (dice[1], dice[0])
            match.add(roll_event(player, (high, low)))
        self.play(player, entry)

    def is_start(self, position: Position) -> bool:
        """Whether a position that stands for the first play is just where the game begins, of a variant perhaps."""
        if position == self.match.rules.position:
            return True
        if "variant" not in self.text.settings and "variant" not in self.guessed:
            for variant in FULL_VARIANTS:
                if position == Position.start(variant):
                    raise _Retry(variant=variant)
        return False

    def roll(self, entry: Entry) -> None:
        """A roll that nobody played: the last thing in a file, or before a resignation."""
        player, dice = self.whose(entry), entry.roll
        assert dice is not None
        match = self.match
        if match.phase is Phase.ROLLED and match.on_roll == player:
            # The dice are set anew.
            self.set_position(match.position if player == 0 else match.position.flip(), player)
        if match.phase is not Phase.ON_ROLL or match.on_roll != player:
            self.ready_to_roll(player, dice)
        if self.match.phase is Phase.ON_ROLL:
            self.match.add(roll_event(player, (max(dice), min(dice))))

    def whose(self, entry: Entry) -> int:
        if entry.player is not None:
            return entry.player
        match = self.match
        if match.to_act is not None:
            return match.to_act
        return 0

    def play(self, player: int, entry: Entry) -> None:
        match = self.match
        position = match.position
        assert entry.roll is not None
        text = entry.text
        if entry.state is not None:
            self.play_to(player, entry, entry.state)
            return
        if not text and entry.number is None and len(position.plays(Roll(*entry.roll))):
            # Rolled and not played: the file may end here, or a resignation follows.
            return
        try:
            match.add(play_event(player, position.play(text, Roll(*entry.roll))))
            return
        except (IllegalPlayError, NotationError) as error:
            fault = error
            if "0/0" in text or "off/off" in text.lower():
                text = _NO_CHECKER.sub("", text)
                try:
                    match.add(play_event(player, position.play(text, Roll(*entry.roll))))
                    return
                except GammonError:
                    pass
            if "*" in text:
                try:
                    play = position.play(text.replace("*", ""), Roll(*entry.roll))
                except GammonError:
                    pass
                else:
                    self.fault(str(fault), "the mark of the hit is left out")
                    match.add(play_event(player, play))
                    return
        written = text[:LONGEST_TEXT]
        event = match.add(Event("play", player=player, play=written, illegal=True, on_record=True))
        left_out = [note for note in event.notes if note.startswith("left out")]
        self.fault(str(fault), f"kept as written{', with ' + '; '.join(left_out) if left_out else ''}")

    def play_to(self, player: int, entry: Entry, after: State) -> None:
        """A play of which the file only has the position that it leads to."""
        match = self.match
        assert entry.roll is not None
        for play in match.position.plays(Roll(*entry.roll)):
            if play.next == after.position:
                match.add(play_event(player, play))
                return
        match.add(Event("play", player=player, play=UNKNOWN_PLAY, illegal=True, on_record=True))
        self.fault("an illegal play that the file does not have", "kept as unknown, the board set as the file has it")
        if self.in_game():
            self.set_position(after.position if player == 1 else after.position.flip(), 1 - player)

    def ready_to_roll(self, player: int, dice: tuple[int, int]) -> None:
        """Brings the match to where this player can roll; what the file left out is filled in."""
        match = self.match
        if not self.in_game():
            self.opening(player, dice)
            return
        self.finish_offers(player)
        if not self.in_game():
            return
        self.finish_play()
        if self.in_game() and match.on_roll != player:
            self.pass_turn()

    def opening(self, player: int, dice: tuple[int, int]) -> None:
        first, second = max(dice), min(dice)
        if self.stake > 1:
            # The ties that doubled the stake are not in the file, so this is no opening throw of the record.
            self.match.set_position(self.match.rules.position, player, stake=self.stake)
            return
        if first == second:
            # Nobody can open with a double: the game stands at its start with this player on roll.
            self.fault(f"an opening roll of {first}{second}", f"{self.name(player)} is put on roll")
            self.match.set_position(self.match.rules.position, player)
            return
        self.match.add(roll_event(None, (first, second) if player == 0 else (second, first)))

    def finish_offers(self, player: int) -> None:
        """A double that goes unanswered while the game goes on was taken."""
        match = self.match
        if match.phase in (Phase.DOUBLED, Phase.BEAVERED):
            if match.phase is Phase.DOUBLED:
                self.fault("the double has no answer, and the game goes on", "a take is filled in")
            match.take()

    def finish_play(self) -> None:
        """A roll that goes without a play while the game goes on: a dance, or a play that the file does not know."""
        match = self.match
        if match.phase is not Phase.ROLLED:
            return
        roll = match.state.roll
        assert roll is not None
        if len(match.position.plays(roll)):
            self.fault(f"the play of {roll} is missing", "kept as unknown")
            match.add(Event("play", player=match.on_roll, play=UNKNOWN_PLAY, illegal=True, on_record=True))
        else:
            match.play("")

    def pass_turn(self) -> None:
        """The player on roll has no turn in the file: closed out on the bar, or missing."""
        match = self.match
        position, seat = match.position, match.on_roll
        if not self.edited_before and not (position.bar and all(position[point] <= -2 for point in range(19, 25))):
            self.fault(f"the turn of {self.name(seat)} is missing", "passed over")
        self.set_position(position if seat == 0 else position.flip(), 1 - seat)

    def set_position(self, position: Position, on_roll: int, **changes: int | None) -> None:
        """The board as player 0 sees it, and the cube as it lies, changes apart."""
        state = self.match.state
        owner = (
            None if state.cube.owner is None else state.on_roll if state.cube.owner == "player" else 1 - state.on_roll
        )
        cube: dict[str, Any] = {"value": state.cube.value, "owner": owner, "stake": state.stake}
        if not self.in_game():
            cube = {}
        self.match.set_position(position, on_roll, **(cube | changes))

    def dance(self, entry: Entry) -> None:
        """A turn without dice: a closed-out player need not roll."""
        player = self.whose(entry)
        match = self.match
        if match.phase is Phase.ROLLED and match.on_roll == player:
            self.play(player, entry._replace(text="", roll=_dice(match)))
            return
        if not self.in_game():
            self.fault("a dance before the first roll", "left out")
            return
        self.finish_offers(player)
        if match.phase is Phase.ON_ROLL and match.on_roll == player:
            self.pass_turn()

    # The cube.

    def double(self, entry: Entry) -> None:
        player, match = self.whose(entry), self.match
        if match.phase in (Phase.DOUBLED, Phase.BEAVERED):
            if match.to_act == player:
                self.beaver(entry)
                return
            self.finish_offers(player)
        self.finish_play()
        if not self.in_game():
            if self.ended():
                self.keep_as_comment(entry.text)
                self.fault("a double after the end of the game", "kept as a comment")
                return
            self.fault("a double before the first roll", f"{self.name(player)} is put on roll")
            match.set_position(match.rules.position, player)
        if match.on_roll != player:
            self.pass_turn()
        value = 2 * match.value
        if entry.number is not None and entry.number != value:
            if self.plausible_cube(entry.number):
                self.fault(f"a double to {entry.number} with the value at {match.value}", "the cube is set before it")
                self.recube(player, entry.number // 2)
            else:
                self.fault(f"a double to {entry.number} with the value at {match.value}", f"read as {value}")
        self.offer(player)

    def plausible_cube(self, value: int) -> bool:
        return 2 <= value <= 1 << 15 and value.bit_count() == 1 and value % (2 * self.match.state.stake) == 0

    def recube(self, player: int, value: int) -> None:
        """The cube lies with the player who turns it, at a value that the file implies."""
        position = self.match.position if self.match.on_roll == 0 else self.match.position.flip()
        stake = self.match.state.stake
        self.match.set_position(
            position,
            self.match.on_roll,
            value=value // stake,
            owner=player if value > stake else None,
            stake=stake,
        )

    def offer(self, player: int) -> None:
        match = self.match
        try:
            match.double(player=player)
            return
        except IllegalActionError as error:
            refusal = str(error)
        try:
            match.double(player=player, on_record=True)
            if "dead cube" not in match.record[-1].notes or "Crawford" in refusal:
                self.fault(refusal, "kept on record")
            return
        except IllegalActionError:
            pass
        try:
            self.recube(player, match.value)
            match.double(player=player, on_record=True)
            self.fault(refusal, "kept: the cube is given to who doubles")
        except IllegalActionError as error:
            self.keep_as_comment(self.entry.text or "double")
            self.fault(str(error), "kept as a comment")

    def beaver(self, entry: Entry) -> None:
        match = self.match
        if match.phase not in (Phase.DOUBLED, Phase.BEAVERED):
            self.double(entry)
            return
        expected = 4 * match.value
        if entry.number is not None and entry.number != expected:
            self.fault(f"a beaver to {entry.number} with the value at {match.value}", f"read as {expected}")
        try:
            match.beaver()
        except IllegalActionError as error:
            self.fault(str(error), "the cube is turned and set")
            beaverer = match.to_act
            match.take()
            value = min(2 * match.value, 1 << 15)
            position = match.position if match.on_roll == 0 else match.position.flip()
            match.set_position(position, match.on_roll, value=value, owner=beaverer)

    def take(self, entry: Entry) -> None:
        if self.match.phase in (Phase.DOUBLED, Phase.BEAVERED):
            self.check_answer(entry)
            self.match.take()
        else:
            self.keep_as_comment(entry.text or "take")
            self.fault("a take without a double", "kept as a comment")

    def drop(self, entry: Entry) -> None:
        match = self.match
        if match.phase in (Phase.DOUBLED, Phase.BEAVERED):
            self.check_answer(entry)
            match.drop()
        elif self.in_game():
            self.fault("a drop without a double", "read as a resignation")
            self.resigning, self.resigning_level = self.whose(entry), 1
        else:
            self.keep_as_comment(entry.text or "drop")
            self.fault("a drop without a double", "kept as a comment")

    def check_answer(self, entry: Entry) -> None:
        if entry.player is not None and entry.player != self.match.to_act:
            self.fault(
                f"{self.name(entry.player)} answers their own double", f"read as {self.name(1 - entry.player)}'s"
            )

    # Ends of games.

    def resign(self, entry: Entry) -> None:
        """A resignation, whose level the result may say."""
        if not self.in_game():
            self.keep_as_comment(entry.text or "resigns")
            self.fault("a resignation outside a game", "kept as a comment")
            return
        self.resigning, self.resigning_level = self.whose(entry), entry.number or None
        self.resigning_surely = entry.number != 0

    def possible_level(self, loser: int, level: int) -> int:
        """The level that is lost: not more than the rules let anybody lose (rule 6.3)."""
        match = self.match
        most = highest_resignation(match.rules, match.moment, loser)
        if level <= most:
            return level
        unturned = match.rules.jacoby and match.state.cube.owner is None
        if unturned and "jacoby" not in self.text.settings and "jacoby" not in self.guessed:
            raise _Retry(jacoby=False)
        self.fault(
            f"{self.name(loser)} loses {level} times the value, and could lose {most} times at most", f"read as {most}"
        )
        return most

    def result(self, winner: int | None, points: int | None) -> None:
        """The file says who won, or how many points, or both."""
        self.losing = None
        match = self.match
        if self.ended():
            self.check_result(winner, points)
            return
        if winner is None:
            winner = self.guess_winner()
        if not self.in_game():
            self.award(winner, points)
            return
        if match.phase is Phase.ROLLED and match.on_roll == winner and self.bear_off():
            self.check_result(winner, points)
            return
        scorer = self.scorer()
        if scorer is not None and scorer != winner and self.resigning is None:
            self.fault(
                f"{self.name(winner)} wins, and {self.name(scorer)} has more points in the next game",
                "the score counts",
            )
            winner = scorer
        if self.ended_by_offer(winner, points):
            return
        loser = 1 - winner
        if self.resigning is not None and self.resigning != loser and self.resigning_surely:
            self.fault(f"{self.name(self.resigning)} resigns, and wins", "the result counts")
        elif self.resigning is None and match.phase is Phase.RESIGNED:
            match.accept()
            self.check_result(winner, points)
            return
        self.win(winner, self.level(winner, points))

    def ended_by_offer(self, winner: int, points: int | None) -> bool:
        """Clears an offer without an answer; by a drop if the winner has made it, and then the game has ended."""
        match = self.match
        if match.phase not in (Phase.DOUBLED, Phase.BEAVERED):
            return False
        taken = [2 * level * match.value for level in (1, 2, 3)]
        if match.phase is Phase.BEAVERED and points in taken and winner != match.to_act:
            # Nobody writes the take of a beaver; this game goes on, and somebody resigns.
            match.take()
            return False
        if winner == match.to_act:
            self.finish_offers(winner)
            return False
        if points is not None and not self.is_worth(points, match.value, winner):
            self.fault(f"a win of {points} by a double at {match.value}", f"{match.value} counted")
        self.fault("the double has no answer, and the game ends", "a drop is filled in")
        match.drop()
        return True

    def bear_off(self) -> bool:
        """Plays the roll that the winner did not play in the file, if it ends the game."""
        match = self.match
        last = next((play for play in match.position.plays(Roll(*_dice(match))) if play.next.is_over), None)
        if last is None:
            return False
        self.fault(f"the last play, of {last.roll}, is missing", "the checkers are borne off")
        match.add(play_event(match.on_roll, last))
        return True

    def scorer(self, start: tuple[int, int] | None = None) -> int | None:
        """Who has won this game by the score at the head of the next one."""
        score = None if self.following is None else self.following.score
        if score is None:
            return None
        start = self.match.score if start is None else start
        more = [score[seat] - start[seat] for seat in (0, 1)]
        return next((seat for seat in (0, 1) if more[seat] > 0 and more[1 - seat] == 0), None)

    def by_score(self, start: tuple[int, int]) -> int | None:
        """How many points this game gave by the score at the head of the next one."""
        winner = self.scorer(start)
        if winner is None or self.following is None or self.following.score is None:
            return None
        return self.following.score[winner] - start[winner]

    def guess_winner(self) -> int:
        if self.resigning is not None:
            return 1 - self.resigning
        match = self.match
        if match.phase in (Phase.DOUBLED, Phase.BEAVERED) and match.to_act is not None:
            return 1 - match.to_act
        self.fault("the result does not say who wins", "read as the player who is not on roll")
        return 1 - match.on_roll

    def is_worth(self, points: int, worth: int, winner: int) -> bool:
        """Whether a number in the file is this many points; programs write what counts for the match, or all."""
        length, have = self.match.rules.length, self.match.score[winner]
        return points == worth or (length is not None and worth > points == length - have)

    def level(self, winner: int, points: int | None) -> int:
        """How many times the value was lost by a resignation."""
        value = self.match.value
        if points is None:
            return self.resigning_level or 1
        credited = self.by_score(self.match.score)
        for claim in (points, credited):
            for level in (1, 2, 3):
                if claim == level * value:
                    if claim != points:
                        self.fault(f"a win of {points} with the value at {value}", f"{claim} by the next score")
                    return level
        length, have = self.match.rules.length, self.match.score[winner]
        if length is not None and points == length - have and points < 3 * value:
            return -(-points // value)
        self.fault(f"a win of {points} with the value at {value}", f"{value * (self.resigning_level or 1)} counted")
        return self.resigning_level or 1

    def win(self, winner: int, level: int) -> None:
        """The loser resigns at this level, which the winner accepts."""
        match = self.match
        loser = 1 - winner
        if match.phase is Phase.RESIGNED:
            match.decline()
        match.add(Event("resign", player=loser, level=self.possible_level(loser, level)))
        match.add(Event("accept", player=winner))

    def award(self, winner: int, points: int | None) -> None:
        """A result without a game."""
        self.fault("a game of which the file has only the result", "kept as an award")
        most = self.match.rules.length or MOST_POINTS
        counted = points if points is not None and 1 <= points <= most else 1
        self.match.director("award game", winner=winner, points=counted, reason="only the result is in the file")

    def check_result(self, winner: int | None, points: int | None) -> None:
        """The result of a game that the record has ended already."""
        game = self.match.games[-1]
        if winner is not None and winner != game.winner:
            self.fault(
                f"{self.name(winner)} wins in the file, {self.name(game.winner)} on the board", "the board counts"
            )
            return
        if points is None or points in (game.points, game.counted):
            return
        rules, value = self.match.rules, game.stake * game.cube
        unturned = game.ending == "play" and game.level > 1 and game.cube == 1 and points == game.level * value
        if unturned and rules.jacoby:
            if self.by_score(game.start_points) == game.points:
                # Some programs write what the board gives, whether Jacoby lets it count or not.
                self.jacoby_shown = True
            if self.jacoby_shown:
                return
            if "jacoby" not in self.text.settings and "jacoby" not in self.guessed:
                raise _Retry(jacoby=False)
        self.fault(f"a win of {points}, which by board and cube is one of {game.points}", f"{game.points} counted")

    # Positions.

    def position(self, entry: Entry) -> None:
        """The board is set."""
        state = entry.state
        assert state is not None
        match = self.match
        if match.phase in (Phase.DOUBLED, Phase.BEAVERED):
            self.finish_offers(state.on_roll)
        if match.phase is Phase.RESIGNED:
            match.decline()
        seat = state.on_roll
        owner = None if state.cube.owner is None else seat if state.cube.owner == "player" else 1 - seat
        board = state.position if seat == 0 else state.position.flip()
        try:
            match.set_position(board, seat, value=state.cube.value, owner=owner, stake=state.stake)
        except GammonError as error:
            self.keep_as_comment(entry.text)
            self.fault(str(error), "kept as a comment")

    def setup(self, entry: Entry) -> None:
        """The board, the cube or the player on roll is edited."""
        setup, match = entry.setup, self.match
        assert setup is not None
        playing = self.in_game()
        edited = setup.clear or setup.own or setup.other or setup.on_roll is not None
        if not playing and not edited:
            # A cube in the middle before the first roll: automatic doubles.
            if setup.value is not None and setup.value > 1 and not match.rules.is_match:
                self.stake = setup.value
            return
        if match.phase in (Phase.DOUBLED, Phase.BEAVERED):
            self.finish_offers(match.on_roll)
        if match.phase is Phase.RESIGNED:
            match.decline()
        seat = setup.on_roll if setup.on_roll is not None else match.on_roll if playing else 0
        if setup.places_only and self.stands(setup):
            # The board that is there already.
            self.keep_as_comment(entry.text)
            return
        changes: dict[str, int | None] = {}
        if setup.value is not None:
            changes["value"] = setup.value
        if setup.owner is not None:
            changes["owner"] = setup.owner
        elif setup.centred:
            changes["owner"] = None
        try:
            self.set_position(self.edited(setup), seat, **changes)
        except GammonError as error:
            self.keep_as_comment(entry.text)
            self.fault(str(error), "kept as a comment")

    def stands(self, setup: Setup) -> bool:
        """Whether the board is as the edit makes it."""
        match = self.match
        board = match.rules.position
        if self.in_game():
            board = match.position if match.on_roll == 0 else match.position.flip()
        try:
            return self.edited(setup) == board
        except GammonError:
            return False

    def edited(self, setup: Setup) -> Position:
        """The board as player 0 sees it, after the edit."""
        match = self.match
        board = match.rules.position
        if self.in_game():
            board = match.position if match.on_roll == 0 else match.position.flip()
        own = [0, *(max(0, board[point]) for point in range(1, 25)), board.bar]
        other = [0, *(max(0, -board[point]) for point in range(1, 25)), board.opponent_bar]
        start = board.off + sum(own), board.opponent_off + sum(other)
        for place in setup.clear:
            own[place] = other[place] = 0
        for counts, places in ((own, setup.own), (other, setup.other)):
            for place in places:
                counts[place] += 1
        cells = [-other[25], *(own[point] - other[point] for point in range(1, 25)), own[25]]
        overlap = [point for point in range(1, 25) if own[point] and other[point]]
        if overlap:
            raise InvalidPositionError(f"both sides stand on {', '.join(map(str, overlap))}")
        return Position.from_array([*cells, max(0, start[0] - sum(own)), max(0, start[1] - sum(other))])


def _dice(match: Match) -> tuple[int, int]:
    roll = match.state.roll
    assert roll is not None
    return roll.high, roll.low


def fits_match(length: int) -> bool:
    """Whether a match can be that long."""
    return 1 <= length <= MAX_LENGTH
