"""Match text: `.mat` of Jellyfish, and what GNU Backgammon, eXtreme Gammon, Galaxy and many more make of it.

One tolerant reader for all dialects, and a writer of the plain one. `docs/formats/mat.md` has the layout, the dialects
and what was done with each of their oddities.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from typing import Any

from gammon.cube import Cube, Owner
from gammon.errors import FileFormatError, GammonError, NotationError
from gammon.formats import _snowie
from gammon.formats._build import UNKNOWN_PLAY, Entry, GameText, MatchText, Setup, build, fits_match
from gammon.formats._compare import differences
from gammon.formats._faults import Faults
from gammon.formats._input import Input, Target, decode, lines_of, name_of, naming, open_lines, write_text
from gammon.formats._rules import apply_setting, rule_tags
from gammon.match import Event, Game, GameState, Match, Offer, State
from gammon.play import Play

__all__ = ["dump", "dumps", "load", "loads", "losses", "recognises", "scan"]


# The lines of a file.

_HEADER = re.compile(
    r"(?P<length>\d{1,9})[\s-]{0,3}points?\s{1,3}match\b|match\s{1,3}to\s{1,3}(?P<to>\d{1,9})\b"
    r"|(?:money|unlimited)\s{0,3}(?:games?|session|match|play)?\W*$",
    re.IGNORECASE,
)
_LENGTH = re.compile(r"\b(?P<length>\d{1,9})[\s-]{0,3}points?\s{1,3}match\b(?P<to>)", re.IGNORECASE)
_GAME = re.compile(r"game\s{0,3}#?\s{0,3}(\d{1,9})\b[^/]{0,40}$", re.IGNORECASE)
_TAG = re.compile(r'[;#%\s]*\[([^"\]]+)"(.*)"\s*\]')
_ROW = re.compile(r"\s*(\d{1,5})\s?[).](?!\d)")
_SCORE = re.compile(r":\s*(-?\d{1,9})")
_XGID = re.compile(r"XGID=[-A-Pa-p]{26}(?::-?\w{1,5}){9}")
_GNUBG_ID = re.compile(r"\b([A-Za-z0-9+/]{14}):([A-Za-z0-9+/]{12})(?![A-Za-z0-9+/])")

# Nine rows of ten are two plain turns. No two parts of the pattern can share a letter, so it takes linear time.
_WORD = r"[0-9/*()barof]+"
_PLAIN_ROW = re.compile(
    rf"\s{{0,4}}\d{{1,5}}\) {{0,4}}([1-6])([1-6]): ?({_WORD}(?: {_WORD}){{0,3}})? +"
    rf"([1-6])([1-6]): ?({_WORD}(?: {_WORD}){{0,3}})? *",
    re.IGNORECASE,
)

_CELL = re.compile(
    r"""(?P<roll>(?<![\d/(*-])(?P<first>\d)\s?-?\s?(?P<second>\d)\s{0,2}:)
    | \b(?P<double>(?:re)?doubles?)\b(?:\s{0,3}(?:={1,2}>|->|to|:)\s{0,3}(?P<cube>\d{1,9}))?
    | \b(?P<beaver>beavers?|rac?coons?|otters?|aardvarks?)\b[!?]?(?:\s{0,3}(?:={1,2}>|->|to|:)\s{0,3}(?P<beavered>\d{1,9}))?
    | \b(?P<take>takes?|accepts?)\b
    | \b(?P<drop>drops?|pass(?:es)?|rejects?|refuses?)\b
    | \b(?P<resign>resign(?:s|ed)?|gives\sup)\b(?:\s{0,3}[(]?(?:(?:for|with|a|the|=>)\s{1,3}){0,3}(?P<level>single|normal|game|match|gammon|backgammon|[123]\b))?
    | \b(?P<wins>wins?|won)\b(?:\s{1,3}(?:a\s{1,3})?(?P<won>\d{1,9}|single|gammon|backgammon)\b)?(?:\s{0,3}(?:points?|pts?|games?)\b)?
    | \b(?P<losses>loss(?:es)?|loses?|lost)\b(?:\s{1,3}(?:a\s{1,3})?(?P<lost>\d{1,9}|single|gammon|backgammon)\b)?(?:\s{0,3}(?:points?|pts?)\b)?
    | (?P<dance>\bcan\s?not\s{1,3}move\b|\bcan[^a-z\s]?t\s{1,3}move\b|\bno\s{1,3}(?:legal\s{1,3})?(?:moves?|plays?)\b|\bdanc(?:es?|ed)\b|\bfan(?:s|ned)?\b)""",  # noqa: E501
    re.IGNORECASE | re.VERBOSE,
)
_ILLEGAL = re.compile(r"[(]?\s?illegal\s(?:play|move)", re.IGNORECASE)
_LEVELS = {"single": 1, "normal": 1, "game": 1, "gammon": 2, "backgammon": 3}
_SET_POS = re.compile(r"Set\s?Pos\s?=\s?([-A-Pa-p]{26})(?![A-Za-z])")

_RIGHT_GAP = 8
"""A first cell further than this from its number stands in the right column."""
_LEFT_INDENT = 6
_RIGHT_LEAST, _RIGHT_USUAL, _RIGHT_MOST = 20, 33, 45
"""Where the right column begins; names and long plays can push single lines further."""
_MOST_LENGTH = 32767
_LONGEST_ROW = 1000
"""A longer line is no row: it is kept as a comment."""


class _Reader:
    """Takes the lines of one match and sorts them into games and entries."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.text = MatchText()
        self.game: GameText | None = None
        self.named = False
        self.expects_names = False
        self.swapped = False
        self.right_column: int | None = None
        self.names_column = 0
        self.line = 0

    def read(self, lines: Iterable[str], first_line: int = 1) -> MatchText:
        line = ""
        for number, line in enumerate(lines, first_line):
            self.line = number
            if not self.plain_row(line):
                self.any_line(line)
        self.text.last_line = self.line
        self.text.cut_off = bool(line)
        return self.text

    def plain_row(self, line: str) -> bool:
        """Two plain turns, the most common line by far."""
        if self.game is None or self.expects_names:
            return False
        match = _PLAIN_ROW.fullmatch(line)
        if match is None:
            return False
        first, second, left, third, fourth, right = match.groups("")
        seat = int(self.swapped)
        column = match.start(4) + 1
        self.right_column = column
        self.game.entries += (
            Entry("turn", seat, self.line, match.start(1) + 1, left, (int(first), int(second))),
            Entry("turn", 1 - seat, self.line, column, right, (int(third), int(fourth))),
        )
        return True

    def any_line(self, line: str) -> None:
        stripped = line.strip().strip("\0\x1a")
        if not stripped:
            return
        if stripped[0] in ";#%":
            self.comment(stripped)
        elif self.expects_names and self.names(line):
            self.expects_names = False
        elif (match := _HEADER.match(stripped)) and not _ROW.match(line):
            self.header(match, stripped)
        elif match := _GAME.match(stripped):
            self.begin_game(int(match[1]))
        elif self.game is None:
            if (found := _LENGTH.search(stripped[:_LONGEST_ROW])) and self.text.length is None:
                self.header(found, stripped)
            self.text.comments.append(stripped)
        elif stripped.lower().rstrip(".") == "and the match":
            return
        elif len(line) > _LONGEST_ROW:
            self.unknown(stripped, 1)
        else:
            self.row(line)

    def comment(self, stripped: str) -> None:
        """A tag, or any remark."""
        tag = _TAG.fullmatch(stripped)
        remark = stripped.lstrip(";#% ").rstrip()
        if self.game is not None:
            self.remark_in_game(remark, tag)
        elif tag is None or tag[1].strip() in self.text.tags:
            self.text.comments.append(remark)
        else:
            self.text.tags[tag[1].strip()] = tag[2]
            self.setting(tag[1].lower().replace(" ", ""), tag[2].strip())

    def remark_in_game(self, remark: str, tag: re.Match[str] | None) -> None:
        assert self.game is not None
        name = "" if tag is None else tag[1].strip()
        board = _SET_POS.match(remark)
        if board is not None:
            self.game.entries.append(Entry("setup", None, self.line, 1, remark, setup=_set_pos(board[1])))
            return
        if tag is not None and name == "Result" and tag[2] == "none":
            self.game.entries.append(Entry("abandon", None, self.line, 1))
        elif name != "Position" or not self.position(remark, 1):
            self.game.entries.append(Entry("comment", None, self.line, 1, remark))

    def setting(self, name: str, value: str) -> None:
        """A rule that a tag states."""
        apply_setting(self.text.settings, name, value)

    def header(self, match: re.Match[str], stripped: str) -> None:
        """The length of the match."""
        written = match["length"] or match["to"]
        length = int(written) if written else 0
        if self.text.games:
            if length != (self.text.length or 0):
                self.fault(1, f"a match to {length} in the middle of one to {self.text.length or 0}", "left out")
            return
        if length and not fits_match(length):
            self.fault(1, f"a match to {length}, of at most {_MOST_LENGTH}", "read as a session")
            length = 0
        self.text.length = length or None

    def begin_game(self, number: int) -> None:
        self.game = GameText(number, self.line)
        self.text.games.append(self.game)
        self.expects_names = True
        self.swapped = False
        self.right_column = None

    # The names and the score.

    def names(self, line: str) -> bool:
        """`White : 0      Black : 0`, where names may have spaces and colons of their own."""
        assert self.game is not None
        found = _split_names(line)
        if found is None:
            return False
        left, left_points, right, right_points, self.names_column = found
        names = (left, right)
        if not self.named:
            self.text.names = names
            self.named = True
        elif names == self.text.names[::-1] and left != right:
            self.swapped = True
        elif names != self.text.names:
            self.fault(1, f"the players are {left!r} and {right!r} here", f"read as {' and '.join(self.text.names)}")
        self.game.score = (right_points, left_points) if self.swapped else (left_points, right_points)
        return True

    # Rows.

    def row(self, line: str) -> None:
        """A row of the game, with a number or without: what it says in each column."""
        self.expects_names = False
        line = line.expandtabs()
        number = _ROW.match(line)
        start = number.end() if number else 0
        if self.position(line, start + 1):
            return
        cells = list(_CELL.finditer(_without_positions(line), start))
        before = line[start : cells[0].start()].strip() if cells else line[start:].strip()
        named = None
        if before and cells:
            named = self.seat_named(before, cells[0])
        if before and (not cells or named is None):
            self.unknown(line.strip(), start + 1)
            if not cells or cells[0].lastgroup is None:
                return
        if not cells:
            return
        sides = self.sides(line, start, cells, bool(number))
        skip = False
        for index, cell in enumerate(cells):
            end = cells[index + 1].start() if index + 1 < len(cells) else len(line)
            seat = sides[index] if not self.swapped else 1 - sides[index]
            if skip:
                skip = False
                continue
            after = line[cell.end() : end].strip(" .,\t\0")
            following = cells[index + 1] if index + 1 < len(cells) else None
            if cell["roll"] and following is not None and following["dance"] and not after:
                self.cell(cell, seat, "", danced=True)
                skip = True
            elif named is not None and index == 0 and (cell["wins"] or cell["losses"] or cell["resign"]):
                self.cell(cell, named, after)
            else:
                self.cell(cell, seat, after)

    def sides(self, line: str, start: int, cells: list[re.Match[str]], numbered: bool) -> list[int]:
        """The column of each cell, left 0 or right 1."""
        first = cells[0].start()
        # A dance is the text of the roll before it.
        starts = [
            cell for index, cell in enumerate(cells) if not (cell["dance"] and index and cells[index - 1]["roll"])
        ]
        numbered = numbered or (len(starts) == 2 and starts[0]["wins"] is None and starts[1]["wins"] is not None)
        if len(starts) >= 2 and first - start <= _RIGHT_GAP and numbered:
            sides = [0] + [1] * (len(cells) - 1)
            if cells[1] not in starts:
                sides[1] = 0
            if starts[1]["wins"] and cells[0]["roll"]:
                # A result that stands behind a roll that was not played keeps the indent of its own column.
                sides[1] = int(self.stands_right(starts[1].start()))
            elif starts[1]["roll"] or starts[1]["double"] or starts[1]["take"]:
                self.right_column = (starts[1].start() if starts[1]["roll"] else starts[1].start() - 1) + 1
            return sides
        right = not (numbered and first - start <= _RIGHT_GAP) and self.stands_right(first)
        return [int(right)] * len(cells)

    def stands_right(self, place: int) -> bool:
        """Whether something that stands by itself belongs to the right column: it is nearer to it than to the left."""
        column = self.right_column or self.names_column
        if not _RIGHT_LEAST <= column <= _RIGHT_MOST:
            column = _RIGHT_USUAL
        return place > (_LEFT_INDENT + column) / 2

    def seat_named(self, before: str, cell: re.Match[str]) -> int | None:
        """The seat of a player who is named before a result: `Bob wins 2 points`."""
        plain = before.rstrip(" :")
        for seat in (0, 1):
            if plain == self.text.names[seat]:
                return seat
        return None

    def cell(self, cell: re.Match[str], seat: int, after: str, *, danced: bool = False) -> None:
        """One thing that a player did."""
        column = cell.start() + 1
        if cell["roll"]:
            self.turn(seat, (int(cell["first"]), int(cell["second"])), after, column, danced)
            return
        text = f"{cell[0]} {after}".strip()
        add = self.add
        if cell["double"]:
            add("double", seat, column, text, _int(cell["cube"]))
        elif cell["beaver"]:
            add("beaver", seat, column, text, _int(cell["beavered"]))
        elif cell["take"]:
            add("take", seat, column, text)
        elif cell["drop"]:
            add("drop", seat, column, text)
        elif cell["resign"]:
            add("resign", seat, column, text, 0 if cell[0].lower().startswith("resigned") else _level(cell["level"]))
        elif cell["wins"]:
            add("result", seat, column, text, _points(cell["won"]))
        elif cell["losses"]:
            add("losses", seat, column, text, _points(cell["lost"]))
        else:
            add("dance", seat, column, text)

    def turn(self, seat: int, dice: tuple[int, int], text: str, column: int, danced: bool) -> None:
        if dice == (0, 0) and not text.strip("? "):
            # Nothing was rolled: somebody gives up, and the result says who.
            self.add("resign", seat, column, f"00: {text}".strip(), 0)
            return
        if not all(1 <= die <= 6 for die in dice):
            self.unknown(f"{dice[0]}{dice[1]}: {text}", column, "no dice")
            return
        illegal = _ILLEGAL.match(text)
        if illegal:
            text = text[illegal.end() :].strip(" :()")
            if ";" in text and (found := _snowie.LINE.search(text)):
                self.played_to(seat, dice, column, found[0])
                return
        if danced or not text.strip("-. "):
            self.add("turn", seat, column, "", 0 if danced or text else None, roll=dice)
        elif not text.strip("?"):
            self.add("roll", seat, column, UNKNOWN_PLAY, roll=dice)
        else:
            self.add("turn", seat, column, _plain_steps(text), roll=dice)

    def played_to(self, seat: int, dice: tuple[int, int], column: int, written: str) -> None:
        """A play of which the file has only the position after it, as Snowie writes positions."""
        try:
            state, names = _snowie.read(written)
        except GammonError as error:
            self.fault(column, str(error), "kept as an unknown play")
            self.add("turn", seat, column, UNKNOWN_PLAY, roll=dice)
            return
        # Its players are known by name: the seats in it are the program's own.
        if names[state.on_roll] == self.text.names[seat] and names[0] != names[1]:
            state = dataclasses.replace(state, position=state.position.flip())
        self.add("turn", seat, column, UNKNOWN_PLAY, roll=dice, state=state)

    def add(self, kind: str, seat: int, column: int, text: str = "", number: int | None = None, **more: Any) -> None:
        assert self.game is not None
        self.game.entries.append(Entry(kind, seat, self.line, column, text, number=number, **more))

    def position(self, text: str, column: int) -> bool:
        """A position that is set by an ID, if there is one."""
        assert self.game is not None
        if "XGID=" not in text and ":" not in text:
            return False
        found = _XGID.search(text) or _GNUBG_ID.search(text)
        if found is None:
            return False
        try:
            state = State.from_xgid(found[0]) if found[0].startswith("XGID") else State.from_gnubg_id(found[0])
        except GammonError as error:
            self.fault(column, str(error), "kept as a comment")
            return False
        self.game.entries.append(Entry("position", None, self.line, column, text.strip(), state=state))
        return True

    def unknown(self, text: str, column: int, why: str = "cannot be read") -> None:
        assert self.game is not None
        self.fault(column, f"{text!r} {why}", "kept as a comment")
        self.game.entries.append(Entry("comment", None, self.line, column, text))

    def fault(self, column: int, what: str, done: str) -> None:
        self.faults.add(self.line, column, what, done)


def _split_names(line: str) -> tuple[str, int, str, int, int] | None:
    """Left name and points, right name and points, and the column where the right name begins."""
    line = line.expandtabs().rstrip()
    scores = list(_SCORE.finditer(line))
    if len(scores) < 2 or scores[-1].end() != len(line):
        return None
    last = scores[-1]
    # The score of the left column is the first one with a wide gap behind it; without a gap, the last that can be.
    wide = [score for score in scores[:-1] if line[score.end() : score.end() + 2] == "  "]
    left = wide[0] if wide else scores[-2]
    rest = line[left.end() : last.start()]
    name = rest.strip()
    column = left.end() + len(rest) - len(rest.lstrip()) + 1
    return line[: left.start()].strip(), int(left[1]), name, int(last[1]), column


def _int(written: str | None) -> int | None:
    return None if written is None else int(written)


def _points(written: str | None) -> int | None:
    if written is None or written.isdecimal():
        return _int(written)
    return None


def _level(written: str | None) -> int | None:
    if written is None:
        return None
    return _LEVELS.get(written.lower()) or (int(written) if written.isdecimal() else None)


def _without_positions(line: str) -> str:
    """A line as long as before, with blanks for a position of Snowie's, whose names may be any words."""
    if ";" not in line:
        return line
    return _snowie.LINE.sub(lambda found: " " * len(found[0]), line)


def _set_pos(board: str) -> Setup:
    """The board of `Set Pos=`: as in an XGID, with the left player in upper case."""
    own = [place for place, letter in enumerate(board) if "A" <= letter <= "P" for _ in range(ord(letter) - 64)]
    other = [place or 25 for place, letter in enumerate(board) if "a" <= letter <= "p" for _ in range(ord(letter) - 96)]
    return Setup(clear=frozenset(range(1, 26)), own=tuple(own), other=tuple(other))


_DASH_STEP = re.compile(r"(\b\d{1,2}|bar)-(?=\d|off|o\b)", re.IGNORECASE)


def _plain_steps(text: str) -> str:
    """Steps in one spelling: a slash between the places."""
    return _DASH_STEP.sub(r"\1/", text) if "-" in text else text


# Reading.


def loads(data: str | bytes, *, strict: bool = False) -> Match:
    """The match of a text.

    Lenient, nothing is left out and `match.errors` lists what was wrong; strict, the first fault raises.

    Raises:
        FileFormatError: if there is no game in it, or there are several matches (`scan` reads those); strict, for
            any fault, with line and column.

    >>> match = loads("1 point match\\n\\nGame 1\\nAnn : 0   Bob : 0\\n  1) 31: 8/5 6/5   42: 8/4 6/4\\n")
    >>> match.names, match.turn, match.errors
    (('Ann', 'Bob'), 3, [])
    """
    matches = list(_scan(lines_of(decode(data)), strict, most=2))
    if len(matches) > 1:
        raise FileFormatError("the file holds several matches: read them with scan")
    if not matches:
        raise FileFormatError("no game in it: match text has lines such as 'Game 1'")
    return matches[0]


def load(source: Input, *, strict: bool = False) -> Match:
    """The match of a file. Raises as `loads` does, and what the system raises for a file that cannot be opened.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "match.mat")
    ...     dump(Match(names=("Ann", "Bob")), path)
    ...     load(path).names
    ('Ann', 'Bob')
    """
    with naming(source):
        matches = list(_scan(open_lines(source), strict, most=2))
    if len(matches) != 1:
        what = "several matches in it: read them with scan" if matches else "no game in it"
        raise FileFormatError(f"{name_of(source)}: {what}")
    return matches[0]


def scan(source: Input, *, strict: bool = False) -> Iterator[Match]:
    """The matches of a file one by one, so that only one is in memory.

    >>> import io
    >>> [match.names for match in scan(io.StringIO(dumps(Match(names=("Ann", "Bob"))) * 2))]
    [('Ann', 'Bob'), ('Ann', 'Bob')]
    """
    return _scan(open_lines(source), strict)


def _scan(lines: Iterable[str], strict: bool, most: int | None = None) -> Iterator[Match]:
    for index, (first_line, chunk) in enumerate(_chunks(lines)):
        if most is not None and index >= most:
            return
        faults = Faults(strict=strict)
        text = _Reader(faults).read(chunk, first_line)
        if text.games:
            yield build(text, faults)


def _chunks(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines of each match: a new one begins where a length is followed by a game 1."""
    chunk: list[str] = []
    first_line, games = 1, False
    head: int | None = None
    header = False
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if not stripped or stripped[0] == ";":
            if head is None and games and _TAG.fullmatch(stripped):
                head = len(chunk)
        elif games and _HEADER.match(stripped) and not _ROW.match(line):
            header = True
            head = len(chunk) if head is None else head
        elif game := _GAME.match(stripped):
            if header and head is not None and int(game[1]) == 1:
                yield first_line, [*chunk[:head], ""]
                first_line = number - (len(chunk) - head)
                chunk = chunk[head:]
            games, head, header = True, None, False
        else:
            head, header = None, False
        chunk.append(line)
    yield first_line, chunk


# Writing.


def dumps(match: Match) -> str:
    """The match as match text, in the plain dialect that GNU Backgammon, eXtreme Gammon and Galaxy read.

    `losses` says what it does not hold.

    >>> from gammon.dice import SequenceDice
    >>> match = Match(dice=SequenceDice([(3, 1)]), names=("Ann", "Bob"))
    >>> _ = match.roll()
    >>> _ = match.play("8/5 6/5")
    >>> print(dumps(match).splitlines()[-1])
      1) 31: 8/5 6/5
    """
    return _Writer(match).write()


def dump(match: Match, target: Target) -> None:
    """Writes the match to a file, in UTF-8.

    >>> import io
    >>> file = io.StringIO()
    >>> dump(Match(), file)
    >>> file.getvalue() == dumps(Match())
    True
    """
    write_text(dumps(match), target)


def losses(match: Match) -> tuple[str, ...]:
    """What match text does not hold of a match: one line for each difference, at most a hundred.

    >>> losses(Match())
    ()
    """
    return differences(match, loads(dumps(match)))


_LEFT_WIDTH = 28
_RESULT_INDENTS = (6, 34)


class _Writer:
    """Writes games row by row: a left cell waits until the right one is known."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.lines: list[str] = []
        self.left: str | None = None
        self.row = 0
        self.games = 0
        self.comments = sorted(match.comments, key=lambda comment: comment.event)

    def write(self) -> str:
        match, rules = self.match, self.match.rules
        while self.comments and self.comments[0].event == 0:
            self.comment(self.comments.pop(0).text)
        for name, value in (match.tags | rule_tags(rules)).items():
            self.lines.append(f'; [{_flat(name)} "{_flat(value)}"]')
        if self.lines:
            self.lines.append("")
        self.lines.append(f" {rules.length or 0} point match")
        games_seen = 0
        states = list(match.history())
        first = states[0][0] if states else match.state
        if first.game_state is GameState.PLAYING:
            self.taken_up(first)
        for index, (state, event) in enumerate(states):
            while self.comments and self.comments[0].event <= index:
                self.finish_row()
                self.comment(self.comments.pop(0).text)
            following = states[index + 1][1].kind if index + 1 < len(states) else None
            self.event(state, event, following)
            after = states[index + 1][0] if index + 1 < len(states) else match.state
            finished = len(match.games) if index + 1 == len(states) else self.finished(index + 1)
            if finished > games_seen:
                games_seen = finished
                self.result(match.games[finished - 1], after)
        now = match.state
        if now.roll is not None and match.in_game:
            self.cell(now.on_roll, f"{now.roll}: {UNKNOWN_PLAY}")
        self.finish_row()
        for comment in self.comments:
            self.comment(comment.text)
        if self.games == 0:
            self.begin_game(match.state.points)
        return "\n".join(self.lines) + "\n"

    def finished(self, index: int) -> int:
        """How many games were finished before the event of this index."""
        return self.match.games_before(index)

    def comment(self, text: str) -> None:
        self.lines += [f"; {line}".rstrip() for line in lines_of(text)]

    def begin_game(self, points: tuple[int, int]) -> None:
        self.games += 1
        self.row = 0
        self.left = None
        left, right = (f"{_flat(name)} : {score}" for name, score in zip(self.match.names, points, strict=True))
        self.lines += ["", f" Game {self.games}", f" {left:<30} {right}"]

    def cell(self, seat: int, text: str) -> None:
        if seat == 0:
            self.finish_row()
            self.left = text
            return
        self.row += 1
        left = self.left or ""
        gap = "" if len(left) < _LEFT_WIDTH else "  "
        self.lines.append(f"{self.row:3}) {left:<{_LEFT_WIDTH}}{gap}{text}".rstrip())
        self.left = None

    def finish_row(self) -> None:
        if self.left is not None:
            self.row += 1
            self.lines.append(f"{self.row:3}) {self.left}".rstrip())
            self.left = None

    def event(self, state: State, event: Event, following: str | None) -> None:
        kind, seat = event.kind, event.player
        if kind == "roll":
            if seat is None:
                self.begin_game(state.points)
            return
        if kind == "play":
            assert seat is not None
            self.cell(seat, f"{state.roll}: {_steps_of(event)}")
        elif kind == "double":
            assert seat is not None
            self.cell(seat, f" Doubles => {2 * state.value}")
        elif kind == "beaver":
            assert seat is not None
            self.cell(seat, f" Beavers => {4 * state.value}")
        elif kind == "take" and seat is not None:
            # After a beaver the game just goes on: that is how GNU Backgammon writes and reads it.
            if state.offer is Offer.DOUBLE or following != "roll":
                self.cell(seat, " Takes")
        elif kind == "drop" and seat is not None:
            self.cell(seat, " Drops")
        elif kind == "position":
            self.position(state, event)
        elif kind == "accept" and state.roll is not None:
            self.cell(state.on_roll, f"{state.roll}: {UNKNOWN_PLAY}")
        elif kind == "abandon":
            self.finish_row()
            self.lines.append('; [Result "none"]')

    def taken_up(self, state: State) -> None:
        """The match begins in the middle of a game."""
        self.begin_game(state.points)
        self.set_up(dataclasses.replace(state, roll=None, offer=None, offered_by=None))
        if state.offer is Offer.DOUBLE and state.offered_by == state.on_roll:
            self.cell(state.on_roll, f" Doubles => {2 * state.value}")

    def position(self, state: State, event: Event) -> None:
        """A set position, in a comment that other programs skip."""
        self.finish_row()
        if state.game_state is not GameState.PLAYING:
            self.begin_game(state.points)
        assert event.position is not None
        assert event.player is not None
        seat = event.player
        owner: Owner | None = None if event.owner is None else "player" if event.owner == seat else "opponent"
        shown = State(
            position=event.position if seat == 0 else event.position.flip(),
            on_roll=seat,
            cube=Cube(event.value or 1, owner),
            stake=event.stake or 1,
            points=state.points,
            rules=self.match.rules,
            post_crawford=state.post_crawford,
        )
        self.set_up(shown)

    def set_up(self, shown: State) -> None:
        try:
            self.lines.append(f'; [Position "{shown.xgid}"]')
        except NotationError as error:
            self.lines.append(f"; a position that has no XGID: {error}")

    def result(self, game: Game, after: State) -> None:
        winner = game.winner
        points = f"{game.points} point{'s' if game.points != 1 else ''}"
        ended = self.match.is_over and game is self.match.games[-1] and self.match.rules.length is not None
        text = f"Wins {points}{' and the match' if ended else ''}"
        if winner == 1 and self.left is not None:
            # GNU Backgammon takes a drop on a row of its own for the beginning of another turn.
            self.cell(1, f" {text}")
            return
        self.finish_row()
        self.lines.append(f"{' ' * _RESULT_INDENTS[winner]}{text}")


def _flat(text: str) -> str:
    """A text on one line, without what ends a tag."""
    return " ".join(text.replace('"', "'").split())


def _steps_of(event: Event) -> str:
    """The steps with numbers only, each by itself, as all programs read them."""
    play = event.play
    if isinstance(play, Play):
        pairs = zip(play.steps, play.hits, strict=True)
        return " ".join(f"{start}/{end}{'*' if hit else ''}" for (start, end), hit in pairs)
    return " ".join((play or "").split())


def recognises(text: str) -> bool:
    """Whether a text looks like match text: a line that begins a game.

    >>> recognises(dumps(Match())), recognises("a letter")
    (True, False)
    """
    return re.search(r"(?:^|[\r\n])[ \t]*game[ \t]{0,3}#?[ \t]{0,3}\d{1,9}\b", text, re.IGNORECASE) is not None
