"""Boards in plain text."""

from __future__ import annotations

from gammon.position import Position

_HEIGHT = 5


def text(position: Position) -> str:
    """The board as the player on roll sees it, in ASCII: X is the player on roll, O the opponent.

    X moves from 24 to 1 and bears off to the right below. A point with more than five checkers shows how many there
    are; on the bar and off they are numbers.

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
    upper = [_column(position[point]) for point in range(13, 25)]
    lower = [_column(position[point]) for point in range(12, 0, -1)]
    lines = ["+13-14-15-16-17-18------19-20-21-22-23-24-+"]
    for row in range(_HEIGHT):
        bar = f"{position.opponent_bar}O" if row == 0 and position.opponent_bar else ""
        note = _note("O", position.opponent_pips, position.opponent_off) if row == 0 else ""
        lines.append(_line(upper, row, bar) + note)
    lines.append("|                  |BAR|                  |")
    for row in reversed(range(_HEIGHT)):
        bar = f"{position.bar}X" if row == 0 and position.bar else ""
        note = _note("X", position.pips, position.off) if row == 0 else ""
        lines.append(_line(lower, row, bar) + note)
    lines.append("+12-11-10--9--8--7-------6--5--4--3--2--1-+")
    return "\n".join(lines)


def _column(count: int) -> list[str]:
    """The letters of a point from the edge of the board to the middle."""
    letter = "X" if count > 0 else "O"
    column = [letter if row < abs(count) else " " for row in range(_HEIGHT)]
    if abs(count) > _HEIGHT:
        column[-1] = str(abs(count))
    return column


def _line(columns: list[list[str]], row: int, bar: str) -> str:
    left, right = ("".join(f"{column[row]:^3}" for column in half) for half in (columns[:6], columns[6:]))
    return f"|{left}|{bar:^3}|{right}|"


def _note(letter: str, pips: int, off: int) -> str:
    return f" {letter}: {pips} pips" + (f", {off} off" if off else "")
