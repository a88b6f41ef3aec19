"""The table of `gammon play`: reads what people type, does it in the match, and shows what happened."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gammon
from gammon import Event, GammonError, IllegalActionError, Match, Offer, Phase
from gammon.cli._players import Player
from gammon.errors import FileFormatError, InvalidArgumentError
from gammon.files import check_apart, read_small, whole

__all__ = ["Leaves", "Screen", "Table", "ask_for_dice", "read_line", "read_match", "write_file", "write_match"]

LONGEST_LINE = 1000
MOST_PLAYS_LISTED = 60
SCREEN_COLUMNS = 80

HELP = """\
Enter          the obvious: throw the dice, play the only play, begin the next game
8/5 6/5        a play: points from 24 to 1, bar and off; 6/4(2) is twice
plays          list the legal plays; a number then plays that one
roll, double, take, drop, beaver, accept, decline      (short: r d t p b a n)
resign         a single game; or: resign gammon, resign backgammon
early          double while the other player's dice are thrown, where the rules allow it
hint           what the engine would do: the best plays, or the cube
undo, redo     take back, as often as you like, and do again
board, cards   draw it again, on a board or in playing cards
score          the score sheet
claim          claim that the other player has run out of time
concede        give up the match;  leave: end a session, between two games
save FILE      keep the match, to go on with: gammon play --resume FILE
export FILE    .mat or .sgf, .json the whole record, .txt in words, .svg the board
quit           stop here"""


class Leaves(Exception):
    """Somebody leaves the table, or the input has ended."""


class Screen:
    """How things are shown: with discs and colors, or in plain ASCII; on a board or in cards."""

    def __init__(self, *, unicode: bool, color: bool, cards: bool) -> None:
        self.unicode, self.color, self.cards = unicode, color, cards

    def draw(self, match: Match) -> None:
        """Shows the match from seat 0."""
        if self.cards:
            print(gammon.render.cards(match, format="text"))
            print(self._beside_cards(match))
        else:
            print(gammon.render.text(match, unicode=self.unicode, color=self.color))

    @staticmethod
    def _beside_cards(match: Match) -> str:
        state = match.state
        lines = []
        for seat, color in ((0, "red"), (1, "black")):
            pips = state.position.pips if seat == state.on_roll else state.position.opponent_pips
            clock = "" if match.clock is None else f", {match.clock.left(seat):.0f} s left"
            lines.append(f"{color}: {plain(match.names[seat])}, {match.score[seat]} points, {pips} pips{clock}")
        if state.rules.use_cube and not state.is_crawford:
            owner = {None: "in the middle", "player": "of who is on roll", "opponent": "of the other player"}
            lines.append(f"cube {state.value} {owner[state.cube.owner]}")
        return "\n".join(lines)


def plain(text: str) -> str:
    """A name without anything that could move the cursor, cut if it is very long."""
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= 40 else text[:37] + "..."


def read_line(prompt: str) -> str:
    """One line of what people type; `Leaves` at the end of the input."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline(LONGEST_LINE)
    if not line:
        raise Leaves
    if not sys.stdin.isatty():
        # A script is not seen otherwise.
        print(plain(line.rstrip("\n")))
    return line.strip()


def ask_for_dice() -> str:
    """Two dice that somebody has thrown; in an opening that of seat 0 first."""
    while True:
        text = read_line("dice thrown> ")
        if text in ("quit", "q"):
            raise Leaves
        try:
            gammon.Roll.parse(text)
        except GammonError as error:
            print(f"! {error}")
            continue
        return text


class Table:
    """A match with whoever sits at it: a built-in player, or None for a person, in each seat."""

    def __init__(
        self, match: Match, players: tuple[Player | None, Player | None], screen: Screen, save: Path | None
    ) -> None:
        self.match = match
        self.players = players
        self.screen = screen
        self.save = save
        self._listed: list[str] = []
        self._drawn: tuple[int, int] | None = None
        self._commands: dict[str, Callable[[str], object]] = {
            "accept": lambda _: match.accept(),
            "beaver": lambda _: match.beaver(),
            "board": lambda _: self._show(cards=False),
            "cards": lambda _: self._show(cards=True),
            "claim": lambda _: self._claim(),
            "concede": lambda _: match.concede(self._person()),
            "decline": lambda _: match.decline(),
            "double": lambda _: match.double(),
            "drop": lambda _: match.drop(),
            "early": lambda _: match.double(player=1 - match.state.on_roll),
            "export": self._export,
            "help": lambda _: print(HELP),
            "hint": lambda _: self._hint(),
            "leave": lambda _: match.leave(self._person()),
            "plays": lambda _: self._list_plays(),
            "quit": lambda _: self._quit(),
            "redo": lambda _: self._again(match.redo),
            "resign": lambda level: match.resign(level or "single", player=self._person()),
            "roll": lambda _: match.roll(),
            "save": self._save_to,
            "score": lambda _: print(sheet_text(match)),
            "take": lambda _: match.take(),
            "undo": lambda _: self._again(match.undo),
        }
        self._short = {"r": "roll", "d": "double", "t": "take", "p": "drop", "pass": "drop", "b": "beaver"}
        self._short |= {"a": "accept", "n": "decline", "u": "undo", "q": "quit", "exit": "quit", "h": "help"}
        self._short |= {"?": "help"}

    def play(self) -> None:
        """Goes on until the match is over or somebody leaves."""
        if not self.match.record:
            print("Type 'help' for what you can do.")
        while not self.match.is_over:
            self._draw_when_changed()
            done = len(self.match.record)
            seat = self.match.to_act
            player = None if seat is None else self.players[seat]
            if player is not None:
                self._do(lambda player=player: self.match.apply(player.act(self.match)))  # type: ignore[misc]
            elif self.match.phase is Phase.ROLLED and not self._plays():
                print("No legal play.")
                self._do(lambda: self.match.play(""))
            else:
                self._ask()
            self._tell(done)

    def _draw_when_changed(self) -> None:
        """The board, before a person is asked, if something has happened since."""
        seat = self.match.to_act
        where = (len(self.match.record), len(self.match.games))
        if (seat is None or self.players[seat] is None) and where != self._drawn:
            self._drawn = where
            self._listed = []
            self.screen.draw(self.match)

    def _ask(self) -> None:
        text = read_line(self._prompt())
        self._do(lambda: self._obey(text))

    def _do(self, action: Callable[[], object]) -> None:
        """Does something; what is not allowed is said in one line and changes nothing."""
        try:
            action()
        except (GammonError, OSError) as error:
            print("! " + plain_message(error))

    def _prompt(self) -> str:
        match = self.match
        seat = match.to_act
        if seat is None:
            return "Enter begins the next game> " if match.games else "Enter throws for the opening> "
        name = plain(match.names[seat])
        state = match.state
        if match.phase is Phase.ROLLED:
            return f"{name}, play {state.roll}> "
        if state.offer is not None and state.offer.level is not None:
            return f"{name}, accept or decline> "
        if match.phase in (Phase.DOUBLED, Phase.BEAVERED):
            more = any(action.kind == "beaver" for action in match.legal_actions())
            return f"{name}, take{', drop or beaver' if more else ' or drop'}> "
        may_double = any(action.kind == "double" and action.player == seat for action in match.legal_actions())
        return f"{name}, roll{' or double' if may_double else ''}> "

    def _obey(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        word = word.lower()
        name = self._short.get(word, word)
        if name in self._commands:
            self._commands[name](rest.strip())
        elif not text:
            self._do_the_obvious()
        elif text.isascii() and text.isdigit() and self._listed and len(text) <= 4:
            self._play_listed(int(text))
        elif "/" in text or text[0].isdigit():
            self.match.play(text)
        else:
            raise InvalidArgumentError(f"there is no command {plain(word)!r}; 'help' lists them")

    def _do_the_obvious(self) -> None:
        match = self.match
        if match.to_act is None or match.phase is Phase.ON_ROLL:
            match.roll()
        elif match.phase is Phase.ROLLED and len(self._plays()) == 1:
            match.play(self._plays()[0])
        else:
            print("Type what to do, or 'help'.")

    def _plays(self) -> gammon.Plays:
        state = self.match.state
        if self.match.phase is not Phase.ROLLED or state.roll is None:
            raise IllegalActionError("no dice are thrown")
        return state.position.plays(state.roll)

    def _list_plays(self) -> None:
        plays = self._plays()
        self._listed = [str(play) for play in plays]
        wide = max(map(len, self._listed[:MOST_PLAYS_LISTED]), default=0)
        shown = [f"{number:>4} {text:<{wide}}" for number, text in enumerate(self._listed[:MOST_PLAYS_LISTED], 1)]
        across = SCREEN_COLUMNS // (wide + 5)
        for start in range(0, len(shown), across):
            print("".join(shown[start : start + across]).rstrip())
        if len(plays) > len(shown):
            print(f"     ... {len(plays)} in all")

    def _hint(self) -> None:
        """What the engine would do, and what else there is; a number then makes that play."""
        from gammon.cli._hint import hint

        lines, self._listed = hint(self.match)
        print("\n".join(lines))

    def _play_listed(self, number: int) -> None:
        if not 1 <= number <= len(self._listed):
            raise InvalidArgumentError(f"the plays are numbered 1 to {len(self._listed)}, not {number}")
        self.match.play(self._listed[number - 1])

    def _person(self) -> int:
        """Who types: whose decision it is, or else the first person at the table."""
        seat = self.match.to_act
        if seat is not None and self.players[seat] is None:
            return seat
        return 0 if self.players[0] is None else 1

    def _claim(self) -> None:
        """Whoever can claim the time does: no other claim can be meant."""
        ran_out = () if self.match.clock is None else self.match.clock.reading().ran_out
        self.match.claim_time(1 - ran_out[0] if ran_out else self._person())

    def _again(self, step: Callable[[], None]) -> None:
        """Goes back or forth to where a person decides next."""
        step()
        while (seat := self.match.to_act) is not None and self.players[seat] is not None:
            try:
                step()
            except IllegalActionError:
                break
        self._drawn = None

    def _show(self, *, cards: bool) -> None:
        self.screen.cards = cards
        self._drawn = None

    def _quit(self) -> None:
        raise Leaves

    # Telling what happened.

    def _tell(self, done: int) -> None:
        """Says what happened since there were `done` events, and keeps the match."""
        if len(self.match.record) == done:
            return
        events = self.match.record[done:]
        for event in events:
            print(self._words(event))
        if events and events[-1].kind in ("play", "drop", "accept", "concede", "claim_time") and not self.match.in_game:
            self._tell_result()
        if self.save is not None:
            try:
                write_match(self.save, self.match)
            except OSError as error:
                print("! the match could not be saved: " + plain_message(error))

    def _tell_result(self) -> None:
        games = self.match.games
        if games:
            game = games[-1]
            levels = {1: "a single game", 2: "a gammon", 3: "a backgammon"}
            how = f"{levels[game.level]} by {game.ending}" if game.ending != "play" else levels[game.level]
            points = f"{game.points} point{'s' * (game.points != 1)}"
            print(f"{plain(self.match.names[game.winner])} wins {how}: {points}.")
        print(sheet_text(self.match))
        if self.match.is_over and self.match.winner is not None:
            print(f"{plain(self.match.names[self.match.winner])} has won the match.")

    def _words(self, event: Event) -> str:
        name = "" if event.player is None else plain(self.match.names[event.player]) + " "
        if event.kind == "roll":
            throws = ", ".join(f"{first}-{second}" for first, second in event.throws)
            return f"{name}rolls {event.roll}." if event.player is not None else f"Opening throw: {throws}."
        if event.kind == "play":
            return f"{name}plays {event.play}." if str(event.play) else f"{name}cannot move."
        if event.kind == "resign":
            return f"{name}offers to resign {Offer.resignation(event.level or 1).value.removeprefix('resign ')}."
        verbs = {"double": "doubles", "take": "takes", "drop": "drops", "beaver": "beavers", "accept": "accepts"}
        verbs |= {"decline": "declines", "concede": "concedes the match", "leave": "leaves"}
        return f"{name}{verbs.get(event.kind, event.kind.replace('_', ' '))}."

    # Files.

    def _save_to(self, name: str) -> None:
        if not name:
            raise InvalidArgumentError("save where? For example: save match.json")
        write_match(Path(name), self.match)
        print(f"Saved. Go on with: gammon play --resume {plain(name)}")

    def _export(self, name: str) -> None:
        if not name:
            raise InvalidArgumentError("export where? For example: export match.txt")
        if self.save is not None:
            check_apart([self.save], name)
        export(Path(name), self.match)
        print(f"Written to {plain(name)}.")


def plain_message(error: BaseException) -> str:
    """What went wrong, in one line."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in str(error)).split())


def in_words(match: Match) -> str:
    """The whole match for people: every event, and the score sheet."""
    lines = [f"{plain(match.names[0])} (player 0) against {plain(match.names[1])} (player 1), {match.rules!r}"]
    for state, event in match.history():
        if event.kind == "roll" and event.player is None:
            lines += ["", f"{state.points[0]} - {state.points[1]}"]
        lines.append(plain_line(str(event)))
    return "\n".join([*lines, "", sheet_text(match)]) + "\n"


def sheet_text(match: Match) -> str:
    """The score sheet without anything that could move the cursor."""
    return "\n".join(map(plain_line, str(match.score_sheet()).split("\n")))


def plain_line(text: str) -> str:
    """A line without anything that could move the cursor."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


EXPORTS = (".mat", ".sgf", ".json", ".svg", ".txt")


def check_export(path: Path) -> None:
    """Refuses, before a match begins, a file that it could not be written to at its end."""
    if path.suffix.lower() not in EXPORTS:
        raise InvalidArgumentError(f"a match is exported as {', '.join(EXPORTS)}, not as {path.suffix or path.name!r}")
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))


def export(path: Path, match: Match) -> None:
    """Writes the match in the form that the name of the file asks for."""
    check_export(path)
    forms: dict[str, Callable[[], str]] = {
        ".mat": lambda: gammon.formats.dumps(match, "mat"),
        ".sgf": lambda: gammon.formats.dumps(match, "sgf"),
        ".json": lambda: json.dumps(match.to_dict(), indent=1) + "\n",
        ".svg": lambda: gammon.render.svg(match) + "\n",
        ".txt": lambda: in_words(match),
    }
    assert tuple(forms) == EXPORTS
    write_file(path, forms[path.suffix.lower()]())


def write_match(path: Path, match: Match) -> None:
    """Keeps the match as JSON, so that `read_match` goes on with it."""
    write_file(path, json.dumps(match.to_dict()) + "\n")


def write_file(path: Path, text: str) -> None:
    """Writes beside the file first: whatever happens, the file is whole, the old one or the new one."""
    with whole(path) as partial:
        Path(partial).write_text(text, encoding="utf-8")


def read_match(path: Path) -> Match:
    """A match that was kept. Raises `FileFormatError`, or `OSError` if there is no such file."""
    content = read_small(path)
    try:
        data: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{path}: no JSON: {error}") from None
    if isinstance(data, dict) and not data.keys().isdisjoint(("tags", "comments", "annotations", "errors")):
        raise FileFormatError(f"{path}: a match that was read from another file; what --save keeps can be gone on with")
    dice = data.get("dice") if isinstance(data, dict) else None
    now = dice.get("now") if isinstance(dice, dict) else None
    by_hand = isinstance(now, dict) and now.get("kind") == "manual"
    try:
        return Match.from_dict(data, dice=gammon.dice.ManualDice(ask_for_dice) if by_hand else None)
    except FileFormatError as error:
        raise FileFormatError(f"{path}: {error}") from None
