"""What FIBS answers to `oldmoves` and `moves`: the games of a match, one thing a line, X to the left.

Read only; `docs/formats/fibs.md` has the layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gammon.formats._build import Entry, GameText, MatchText, build, fits_match
from gammon.formats._faults import Faults
from gammon.match import Match

__all__ = ["Reader", "recognises"]

_PLAYERS = re.compile(r"(\S{1,100}) is X - (\S{1,100}) is O\b")
_SCORE = re.compile(r"Score is (\d{1,6})-(\d{1,6}) in an? (?:(\d{1,5}) point|unlimited) match\b")
_LINE = re.compile(r"([XO]): (.*)")
_ROLL = re.compile(r"\(([1-6]) ([1-6])\)(.*)")
_WINS = re.compile(r"wins (\d{1,7}) points?\b")
_STEP = re.compile(r"(bar|\d{1,2})-(off|\d{1,2})(\*?)", re.IGNORECASE)
_HEADERS = re.compile(r"^(?:> )?(?:\S{1,100} is X - \S{1,100} is O\b|Score is \d{1,6}-\d{1,6} in an? )", re.MULTILINE)
_OF_THE_CUBE = {
    "doubles": "double",
    "redoubles": "double",
    "beavers": "beaver",
    "raccoons": "beaver",
    "otters": "beaver",
    "accepts": "take",
    "takes": "take",
    "rejects": "drop",
    "drops": "drop",
}


def recognises(text: str) -> bool:
    """Whether there are games in a text."""
    return _HEADERS.search(text) is not None


class Reader:
    """Takes lines, and gives a match when the next one begins."""

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.faults = Faults(strict=strict)
        self.text: MatchText | None = None
        self.names: tuple[str, str] | None = None
        self.score: tuple[int, int] | None = None
        self.length: int | None = None
        self.in_header = False
        self.resigning: Entry | None = None
        self.line = 0
        self.unended = False

    def read(self, lines: Iterable[str]) -> Iterator[Match]:
        """The matches of a text; lines of other kinds are skipped."""
        for line in lines:
            match = self.take(line)
            if match is not None:
                yield match
        match = self.end()
        if match is not None:
            yield match

    def end(self) -> Match | None:
        """The last match, after the last line."""
        if self.text is None:
            return None
        self.text.cut_off = self.unended
        return self.finish()

    def take(self, line: str) -> Match | None:
        """Reads a line; gives the match before it if it begins another one."""
        self.line += 1
        self.unended = bool(line)
        line = line.strip().removeprefix("> ")
        if players := _PLAYERS.match(line):
            self.header()
            self.names = players[1], players[2]
        elif score := _SCORE.match(line):
            self.header()
            self.score = int(score[1]), int(score[2])
            self.length = int(score[3]) if score[3] else None
        elif self.names is not None and (found := _LINE.fullmatch(line)):
            finished = self.begin_game() if self.in_header else None
            self.turn("XO".index(found[1]), found[2].strip(), found.start(2) + 1)
            return finished
        return None

    def finish(self) -> Match:
        """The match that was read."""
        text, faults = self.text, self.faults
        assert text is not None
        self.end_game()
        text.last_line = self.line
        self.text, self.faults = None, Faults(strict=self.strict)
        return build(text, faults)

    def header(self) -> None:
        if not self.in_header:
            self.in_header = True
            self.score = None

    def begin_game(self) -> Match | None:
        """The first line of a game: its header is complete."""
        self.in_header = False
        finished = None
        if self.text is not None:
            self.end_game()
            if not self.goes_on(self.text):
                finished = self.finish()
        if self.text is None:
            assert self.names is not None
            self.text = MatchText(length=self.length, names=self.names, settings={"jacoby": False, "cube_limit": None})
            if self.length is not None and not fits_match(self.length):
                self.fault(1, f"a match to {self.length}", "read as a session")
                self.text.length = None
            if self.score is None:
                self.fault(1, "a game without a line `Score is ...`", "read as an unlimited match")
                self.text.length = None
        self.text.games.append(GameText(len(self.text.games) + 1, self.line, self.score))
        return finished

    def goes_on(self, text: MatchText) -> bool:
        """Whether the next game belongs to the match: a later one has more points."""
        before = text.games[-1]
        if self.names != text.names or (self.score is not None and self.length != text.length):
            return False
        if self.score is None or before.score is None:
            return True
        ended = any(entry.kind == "result" for entry in before.entries)
        return sum(self.score) > sum(before.score) or (not ended and self.score == before.score)

    def end_game(self) -> None:
        """A resignation that nobody has answered stays one."""
        if self.resigning is not None:
            self.entries.append(self.resigning)
            self.resigning = None

    @property
    def entries(self) -> list[Entry]:
        assert self.text is not None
        return self.text.games[-1].entries

    def turn(self, seat: int, what: str, column: int) -> None:
        """What a player did."""
        word = what.rstrip(".! ").lower()

        def add(kind: str, text: str = "", number: int | None = None, roll: tuple[int, int] | None = None) -> None:
            self.entries.append(Entry(kind, seat, self.line, column, text, number=number, roll=roll))

        if word.startswith(("wants to resign", "resigns")):
            self.end_game()
            self.resigning = Entry("resign", seat, self.line, column, what)
            return
        if self.resigning is not None and self.resigning.player != seat and word in ("accepts", "rejects"):
            if word == "rejects":
                # How much was offered is not in the text, so this is no event of the record.
                add("comment", f"{'XO'[1 - seat]}: {self.resigning.text}, {'XO'[seat]}: {what}")
                self.resigning = None
            self.end_game()
            return
        self.end_game()
        if (roll := _ROLL.fullmatch(what)) is not None:
            dice = int(roll[1]), int(roll[2])
            self.play(seat, dice, roll[3].strip(), column)
        elif (wins := _WINS.match(word)) is not None:
            add("result", what, int(wins[1]))
        elif word in _OF_THE_CUBE:
            add(_OF_THE_CUBE[word], what)
        else:
            self.fault(column, f"{what!r} cannot be read", "kept as a comment")
            add("comment", what)

    def play(self, seat: int, dice: tuple[int, int], written: str, column: int) -> None:
        dances = re.match(r"can.?t move", written) is not None
        text = "" if dances else _STEP.sub(_own_view, written.rstrip("."))
        number = 0 if dances else None
        self.entries.append(Entry("turn", seat, self.line, column, text, roll=dice, number=number))

    def fault(self, column: int, what: str, done: str) -> None:
        self.faults.add(self.line, column, what, done)


def _own_view(step: re.Match[str]) -> str:
    """A step in the player's own numbering: one player of a board moves from 24 to 1, the other from 1 to 24."""
    start, end = step[1].lower(), step[2].lower()
    if start == "bar":
        up = end != "off" and int(end) <= 6
    elif end == "off":
        up = int(start) >= 19
    else:
        up = int(end) > int(start)
    places = [place if not place.isdecimal() else str(25 - int(place) if up else int(place)) for place in (start, end)]
    return f"{places[0]}/{places[1]}{step[3]}"
