"""Positions as programs print them: our own text board, GNU Backgammon's, and pages with an XGID or a GNU ID on them.

Such pages come from eXtreme Gammon and BGBlitz; Snowie's single line of 40 fields is read as well.

`loads` gives a match that stands there. What a board does not show is taken for granted: a money game, a centred cube.
`docs/formats/text.md` has the layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gammon.cube import Cube, Owner
from gammon.dice import Roll
from gammon.errors import FileFormatError, GammonError
from gammon.formats import _snowie
from gammon.formats._build import match_at
from gammon.formats._faults import Faults
from gammon.formats._input import Input, decode, lines_of, naming, read_all
from gammon.match import Match, State
from gammon.position import Position
from gammon.rules import MAX_LENGTH, Rules
from gammon.scoring import CrawfordPhase, crawford_phase

__all__ = ["load", "loads", "read", "recognises", "scan"]

X_SEAT = 1
"""X is player 1, as in GNU Backgammon; O is player 0."""

_EDGE = re.compile(r"\+([-\d]{30,60})\+(.*)")
_ROW = re.compile(r"\|(.{18})\|(.{3})\|(.{18})\|(.*)")
_XGID = re.compile(r"XGID=[-A-Za-z]{26}(?::[^:\s]{1,6}){9}")
_POSITION_ID = re.compile(r"Position[\s-]{0,3}ID\s{0,3}:\s{0,3}([A-Za-z0-9+/]{14})\b")
_MATCH_ID = re.compile(r"Match[\s-]{0,3}ID\s{0,3}:\s{0,3}([A-Za-z0-9+/]{12})\b")
_BARE_ID = re.compile(r"(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{14}:[A-Za-z0-9+/]{12})(?![A-Za-z0-9+/])")
_SIDES = re.compile(r"\s{0,8}X:(\S.{0,99}?)\s{2,9}O:(\S.{0,99})")
"""How eXtreme Gammon names the sides: X is who is on roll, in either seat."""
_COUNT = re.compile(r"\d{1,2}|[A-F]")
_UNNAMED = ("White", "Black")
_LONGEST_LINE = 400
_MOST_LINES = 2000


def loads(data: str | bytes, *, strict: bool = False) -> Match:
    """A match that stands at the position of a text.

    An ID in the text counts; a board that shows something else is a fault in `match.errors`, and strict it raises.

    Raises:
        FileFormatError: if there is neither a board nor an ID, or they are no position.

    >>> from gammon import render
    >>> loads(render.text(Position.start())).position == Position.start()
    True
    """
    faults = Faults(strict=strict)
    state, names = read(decode(data), faults)
    try:
        match = match_at(state, names)
    except GammonError as error:
        raise FileFormatError(str(error)) from error
    match.errors = faults.take()
    return match


def load(source: Input, *, strict: bool = False) -> Match:
    """The match of a file.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "board.txt")
    ...     written = path.write_text("XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:10")
    ...     load(path).state.roll
    Roll(4, 2)
    """
    with naming(source):
        return loads(read_all(source), strict=strict)


def read(text: str, faults: Faults | None = None) -> tuple[State, tuple[str, str]]:
    """The state of a text and the names of players 0 (O) and 1 (X).

    >>> state, names = read("4HPwATDgc/ABMA:cAkKAAAAAAAA")
    >>> state.roll, state.position == Position.start()
    (Roll(4, 2), True)
    """
    faults = faults or Faults()
    lines = [line[:_LONGEST_LINE] for line in lines_of(text)[:_MOST_LINES]]
    try:
        identified = _identified(lines)
        if identified is None:
            board = _Board.find(lines)
            if board is None:
                raise FileFormatError("no board and no ID in the text")
            return board.state(), board.names()
        further = _further(lines)
        if further is not None:
            faults.add(further, 1, "another position follows", "only the first is read: scan reads all")
        state, names = identified
        return state, _compared(lines, state, faults) if names is None else names
    except FileFormatError:
        raise
    except GammonError as error:
        raise FileFormatError(str(error)) from error


def _compared(lines: list[str], state: State, faults: Faults) -> tuple[str, str]:
    """The names on a page with an ID. The ID counts: a board that shows something else is a fault."""
    sides = next((found for line in lines if (found := _SIDES.fullmatch(line.rstrip()))), None)
    names = _UNNAMED
    board = _Board.find(lines)
    # The position as X sees it, and whether X is the player on roll whatever the seat.
    mine = _on_board(state.position)
    theirs = _on_board(state.position.flip())
    x_seat = X_SEAT if sides is None else state.on_roll
    if board is not None:
        names = board.names()
        try:
            shown = _on_board(board.position())
        except GammonError as error:
            faults.add(board.line, 1, f"the board cannot be read: {error}", "the ID counts")
        else:
            if sides is not None and shown == theirs != mine:
                x_seat = 1 - state.on_roll
            if shown != (mine if x_seat == state.on_roll else theirs):
                faults.add(board.line, 1, "the board shows another position than the ID", "the ID counts")
    if sides is not None:
        x, o = sides[1].strip(), sides[2].strip()
        names = (o, x) if x_seat == 1 else (x, o)
    return names


def _further(lines: list[str]) -> int | None:
    """The line of a second XGID."""
    found = [number for number, line in enumerate(lines, 1) if "XGID=" in line and _XGID.search(line)]
    return found[1] if len(found) > 1 else None


def scan(source: Input, *, strict: bool = False) -> Iterator[Match]:
    """A match for each position of a text with many XGIDs, such as an exported analysis; else the one of `load`.

    >>> import io
    >>> line = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{}:0:0:3:0:10\\n"
    >>> [str(match.state.roll) for match in scan(io.StringIO(line.format(42) + line.format(31)))]
    ['42', '31']
    """
    content = decode(read_all(source))
    parts = _XGID.split(content)
    identifiers = _XGID.findall(content)
    if len(identifiers) < 2:
        yield loads(content, strict=strict)
        return
    for identifier, after in zip(identifiers, parts[1:], strict=True):
        yield loads(f"{identifier}{after}", strict=strict)


def _on_board(position: Position) -> list[int]:
    return [position.opponent_bar, *(position[point] for point in range(1, 25)), position.bar]


def _identified(lines: list[str]) -> tuple[State, tuple[str, str] | None] | None:
    """The state of the first ID in a text, and the names if they are part of it."""
    position_id = None
    for line in lines:
        if "XGID=" in line and (found := _XGID.search(line)):
            return State.from_xgid(found[0]), None
        if "ID" in line:
            if found := _POSITION_ID.search(line):
                position_id = found[1]
            if position_id is not None and (found := _MATCH_ID.search(line)):
                return State.from_gnubg_id(f"{position_id}:{found[1]}"), None
        if ":" in line and (found := _BARE_ID.search(line)):
            return State.from_gnubg_id(found[1]), None
        if ";" in line and (found := _snowie.LINE.search(line)):
            return _snowie.read(found[0])
    return None


class _Board(NamedTuple):
    """A drawn board: two edges with the numbers of the points, and the rows between them."""

    line: int
    top: list[int]
    bottom: list[int]
    rows: list[re.Match[str]]
    notes: list[str]
    """What stands to the right of the upper edge, of each row, and of the lower edge."""

    @classmethod
    def find(cls, lines: list[str]) -> _Board | None:
        for start, line in enumerate(lines):
            edge = _EDGE.search(line) if "+" in line else None
            if edge is None:
                continue
            rows: list[re.Match[str]] = []
            for following in lines[start + 1 : start + 30]:
                row = _ROW.search(following)
                if row is not None:
                    rows.append(row)
                    continue
                lower = _EDGE.search(following) if "+" in following else None
                if lower is None or len(rows) < 3 or len(rows) % 2 == 0:
                    break
                notes = [edge[2], *(row[4] for row in rows), lower[2]]
                return cls(start + 1, _numbers(edge), _numbers(lower), rows, notes)
        return None

    def names(self) -> tuple[str, str]:
        """O and X, where they are named."""
        upper, lower = re.match(r"\s*O: (.*)", self.notes[0]), re.match(r"\s*X: (.*)", self.notes[-1])
        return _name(upper, "White"), _name(lower, "Black")

    def position(self) -> Position:
        """The board as X sees it."""
        numbers = set(range(1, 25))
        if set(self.top) | set(self.bottom) != numbers or len(self.top) != 12 or len(self.bottom) != 12:
            raise FileFormatError(f"line {self.line}: the edges of the board do not number the points 1 to 24")
        # The numbers are those of the player on roll: X's if X's outer board, 13 to 24, is above.
        mine = max(self.top) == 24
        middle = len(self.rows) // 2
        cells = [0] * 28
        halves = ((self.top, self.rows[:middle]), (self.bottom, self.rows[middle + 1 :]))
        for half, rows in halves:
            for column, number in enumerate(half):
                side, place = (1, column) if column < 6 else (3, column - 6)
                letters = [row[side][3 * place : 3 * place + 3].strip() for row in rows]
                cells[number if mine else 25 - number] = self.checkers(letters, number)
        bars = [[row[2] for row in half] for half in (self.rows[:middle], self.rows[middle + 1 :])]
        for letter, index, sign in (("X", 25, 1), ("O", 0, -1)):
            cells[index] = sign * sum(_on_bar(half, letter) for half in bars)
        for index, sign, letter in ((26, 1, "X"), (27, -1, "O")):
            on_board = sum(max(0, sign * cell) for cell in cells[:26])
            pips = re.search(rf"{letter}: \d+ pips(?:, (\d{{1,2}}) off)?", " ".join(self.notes))
            cells[index] = int(pips[1] or 0) if pips else max(0, 15 - on_board)
        return Position.from_array(cells)

    def checkers(self, letters: list[str], point: int) -> int:
        """The checkers of a column: its letters, or the number that stands among them."""
        signs = {letter for letter in letters if letter in ("X", "O")}
        written = [letter for letter in letters if letter and letter not in ("X", "O")]
        if len(signs) > 1 or len(written) > 1 or (written and not signs) or not all(map(_COUNT.fullmatch, written)):
            raise FileFormatError(f"line {self.line}: point {point} of the board cannot be read: {letters}")
        if not signs:
            return 0
        count = _count(written[0]) if written else 0
        return (count or sum(letter in signs for letter in letters)) * (1 if "X" in signs else -1)

    def state(self) -> State:
        """What a board shows: GNU Backgammon's says more beside it."""
        position = self.position()
        middle = 1 + len(self.rows) // 2
        upper, lower = " ".join(self.notes[1:middle]), " ".join(self.notes[middle + 1 : -1])
        everything = " ".join(self.notes)
        on_roll = X_SEAT if max(self.top) == 24 else 1 - X_SEAT
        if re.search(r"On roll|Rolled", upper):
            on_roll = 1 - X_SEAT
        elif re.search(r"On roll|Rolled", lower):
            on_roll = X_SEAT
        rolled = re.search(r"Rolled ([1-6])([1-6])", everything)
        length = re.search(r"(\d{1,5}) points? match", everything)
        rules = Rules.money(cube_limit=None)
        if length and 1 <= int(length[1]) <= MAX_LENGTH:
            rules = Rules.match(int(length[1]), cube_limit=None)
        points = _score(upper), _score(lower)
        value, owner = 1, None
        for note, seat in ((self.notes[0], 0), (self.notes[middle], None), (self.notes[-1], 1)):
            cube = re.search(r"\(Cube: (\d{1,5})\)", note)
            if cube:
                value, owner = int(cube[1]), seat
        seen: Owner | None = None if owner is None else "player" if owner == on_roll else "opponent"
        is_stake = owner is None and not rules.is_match
        phase = crawford_phase(points, rules.length)
        return State(
            position=position if on_roll == X_SEAT else position.flip(),
            on_roll=on_roll,
            roll=Roll(int(rolled[1]), int(rolled[2])) if rolled else None,
            cube=Cube(1 if is_stake else value, seen),
            stake=value if is_stake else 1,
            points=points,
            post_crawford=phase is CrawfordPhase.CRAWFORD and "Crawford" not in everything,
            rules=rules,
        )


def _count(written: str) -> int:
    """A number of checkers; GNU Backgammon writes A for ten, B for eleven, ..."""
    return int(written, 16) if len(written) == 1 else int(written)


def _on_bar(half: list[str], letter: str) -> int:
    """The checkers of one side in one half of the bar: letters, or a number among them or beside one."""
    found = [row for row in half if letter in row]
    if not found:
        return 0
    written = [
        row.replace(letter, "").strip() for row in half if row.strip() and not set(row) & ({"X", "O"} - {letter})
    ]
    counts = [_count(count) for count in written if _COUNT.fullmatch(count)]
    return counts[0] if counts else len(found)


def _numbers(edge: re.Match[str]) -> list[int]:
    return [int(number) for number in re.findall(r"\d{1,2}", edge[1])]


def _name(found: re.Match[str] | None, default: str) -> str:
    if found is None:
        return default
    name = re.sub(r"\s*\(Cube: \d+\)\s*$|\s{2,}\d{1,3}\s*$", "", found[1]).strip()
    return default if re.match(r"\d+ pips", name) or not name else name


def _score(notes: str) -> int:
    found = re.search(r"(\d{1,6}) points?(?! match)\b", notes)
    return int(found[1]) if found else 0


def recognises(text: str) -> bool:
    """Whether a text has a board or an ID in it.

    >>> recognises("XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:10"), recognises("a letter")
    (True, False)
    """
    lines = [line[:_LONGEST_LINE] for line in lines_of(text[:200_000])[:_MOST_LINES]]
    patterns = (_XGID, _BARE_ID, _POSITION_ID, _snowie.LINE)
    if any(pattern.search(line) for line in lines for pattern in patterns):
        return True
    return any("+" in line and _EDGE.search(line) is not None for line in lines)
