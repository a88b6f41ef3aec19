"""Boards in plain text."""

from __future__ import annotations

from gammon.render._scene import Direction, Drawable, Scene, Side, View, clean, mark, read

_HEIGHT = 5
_NOTE_COLUMNS = 36
_ABOUT_CHECKERS = (1, 7, 11)
"""The lines whose notes speak of X and O."""
_DISCS = {"X": "●", "O": "○"}
_BORDERS = str.maketrans("-|", "─│")
# Cyan and yellow can be told apart by nearly everybody, on dark and on light screens.
_COLORS = {"X": "\x1b[1;36m", "O": "\x1b[1;33m", "frame": "\x1b[2m"}
_PLAIN = "\x1b[0m"


def text(
    drawable: Drawable,
    *,
    view: View | None = None,
    direction: Direction | None = None,
    unicode: bool = False,
    color: bool = False,
) -> str:
    """The board of a position, state, play or match as text, at most 80 columns wide and 14 lines high.

    X is the player on roll of a position or play, and seat 0 of a state or match; O is the other one. The points have
    the numbers that the side on roll gives them. Who sits below bears off on the right unless `direction` says
    otherwise. A point with more than five checkers shows how many there are; on the bar and off they are numbers. A
    play is drawn on the board before it.

    Args:
        drawable: what to show.
        view: who sits below: "player" (on roll) or "opponent", or a seat 0 or 1. Left out, it is the player on roll,
            and seat 0 of a match, whose board then stays as it is from turn to turn.
        direction: how the checkers of the player below go round; left out, "counterclockwise", or as the match has it.
        unicode: draw lines and discs instead of ASCII.
        color: add ANSI colors.

    Raises:
        InvalidArgumentError: for what cannot be drawn, or an unknown view or direction.

    >>> from gammon import Position, render
    >>> print(render.text(Position.start()))
    +13-14-15-16-17-18------19-20-21-22-23-24-+
    | X           O    |   | O              X | O: 167 pips
    | X           O    |   | O              X |
    | X           O    |   | O                |
    | X                |   | O                |
    | X                |   | O                |
    |                  |BAR|                  |
    | O                |   | X                |
    | O                |   | X                |
    | O           X    |   | X                |
    | O           X    |   | X              O |
    | O           X    |   | X              O | X: 167 pips
    +12-11-10--9--8--7-------6--5--4--3--2--1-+
    """
    scene = read(drawable, view, direction)
    left_to_right = list(range(13, 25)), list(range(12, 0, -1))
    if scene.direction == "clockwise":
        for points in left_to_right:
            points.reverse()
    upper, lower = left_to_right
    ink = _Ink(unicode, color)
    lines = [ink.edge(_edge(scene, upper), "┌┐")]
    lines += [_line(scene, ink, upper, row, scene.above) for row in range(_HEIGHT)]
    lines.append(ink.frame("|") + " " * 18 + ink.frame("|") + "BAR" + ink.frame("|") + " " * 18 + ink.frame("|"))
    lines += [_line(scene, ink, lower, row, scene.below) for row in reversed(range(_HEIGHT))]
    lines.append(ink.edge(_edge(scene, lower), "└┘"))
    for number, note in _notes(scene, ascii_only=not unicode).items():
        # Names stand as they are: one of them may be X.
        lines[number] += " " + (ink.note(note) if number in _ABOUT_CHECKERS else note)
    if scene.heading:
        lines.append(scene.heading)
    return "\n".join(lines)


class _Ink:
    """How the parts of a board are written: letters or discs, with or without colors."""

    def __init__(self, unicode: bool, color: bool) -> None:
        self.unicode, self.color = unicode, color

    def _paint(self, text: str, color: str) -> str:
        return f"{_COLORS[color]}{text}{_PLAIN}" if self.color else text

    def checker(self, text: str, seat: int) -> str:
        """A count and a letter, or one of them, in the color of the seat."""
        letter = mark(seat)
        return self._paint(text.replace(letter, _DISCS[letter]) if self.unicode else text, letter)

    def frame(self, text: str) -> str:
        return self._paint(text.translate(_BORDERS) if self.unicode else text, "frame")

    def edge(self, text: str, corners: str) -> str:
        return self.frame(corners[0] + text[1:-1] + corners[1] if self.unicode else text)

    def note(self, text: str) -> str:
        """A note whose X and O, words of their own, are drawn like checkers."""
        words = text.split(" ")
        for number, word in enumerate(words):
            letter = word.rstrip(":")
            if letter in _DISCS:
                words[number] = self.checker(letter, "XO".index(letter)) + word[1:]
        return " ".join(words)


def _edge(scene: Scene, points: list[int]) -> str:
    """A border with the numbers of its points. Single figures have a line on either side."""
    numbers = [f"{scene.label(point):->2}" for point in points]
    return "+" + "-".join(numbers[:6]) + "------" + "-".join(numbers[6:]) + "-+"


def _line(scene: Scene, ink: _Ink, points: list[int], row: int, side: Side) -> str:
    """A line of points, so many rows from the edge, and the bar of `side` if it is the row at the edge."""
    cells = [_cell(scene, ink, point, row) for point in points]
    bar = "   "
    if row == 0 and side.bar:
        text = f"{side.bar}{mark(side.seat)}"
        bar = ink.checker(text, side.seat) + " " * (3 - len(text))
    border = ink.frame("|")
    return f"{border}{''.join(cells[:6])}{border}{bar}{border}{''.join(cells[6:])}{border}"


def _cell(scene: Scene, ink: _Ink, point: int, row: int) -> str:
    """What stands on a point, so many rows from the edge of the board: three columns."""
    count = scene.points[point]
    if row >= abs(count):
        return "   "
    seat = (scene.below if count > 0 else scene.above).seat
    over = row == _HEIGHT - 1 and abs(count) > _HEIGHT
    text = str(abs(count)) if over else mark(seat)
    return f" {ink.checker(text, seat)}{' ' * (2 - len(text))}"


def _notes(scene: Scene, *, ascii_only: bool) -> dict[int, str]:
    """What stands beside the board, by line."""
    notes = {1: _counts(scene.above), 11: _counts(scene.below)}
    for line, side in ((2, scene.above), (10, scene.below)):
        words = _player(scene, side, ascii_only=ascii_only)
        if words:
            notes[line] = words
    if scene.cube is not None:
        notes[{"above": 3, "middle": 6, "below": 9}[scene.cube_place]] = f"cube {scene.cube}"
    if scene.status:
        # The longest play has 26 columns.
        notes[7] = scene.said(mark(scene.below.seat), mark(scene.above.seat)).replace(" plays ", " ")
    return notes


def _counts(side: Side) -> str:
    return f"{mark(side.seat)}: {side.pips} pips" + (f", {side.off} off" if side.off else "")


def _player(scene: Scene, side: Side, *, ascii_only: bool) -> str:
    words = []
    if side.points is not None:
        of = f" of {scene.length}" if scene.length is not None else ""
        words.append(f"{side.points}{of} point{'s' * ((scene.length or side.points) != 1)}")
    if side.clock is not None:
        minutes, seconds = divmod(int(side.clock), 60)
        words.append(f"{minutes}:{seconds:02}")
    if side.name is not None:
        rest = sum(len(word) + 2 for word in words)
        words.insert(0, clean(side.name, _NOTE_COLUMNS - rest, ascii_only=ascii_only))
    return ", ".join(words)
