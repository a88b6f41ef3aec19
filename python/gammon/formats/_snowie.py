"""Snowie's text of a position: one line of 40 fields with `;` between them.

GNU Backgammon exports it, and match texts of several programs have it in brackets where a play is illegal.
`docs/formats/text.md` has the fields.
"""

from __future__ import annotations

import re

from gammon.cube import Cube, Owner
from gammon.dice import Roll
from gammon.errors import NotationError
from gammon.match import State
from gammon.position import Position
from gammon.rules import MAX_LENGTH, Rules

__all__ = ["LINE", "read"]

_FIELDS = 40
_MOST = 1 << 20

LINE = re.compile(r"(?<![\d;])\d{1,5}(?:;[01]){3};[01];[^;\r\n]{0,100};[^;\r\n]{0,100}(?:;-?\d{1,7}){33};?")
"""Where such a position stands in a text."""


def read(text: str) -> tuple[State, tuple[str, str]]:
    """The state of a line, and the names of players 0 and 1.

    Raises:
        NotationError: for a line that cannot be read, with the field that is wrong.
        InvalidPositionError: for a board that is no position.

    >>> state, names = read("5;0;0;0;1;Bob;Ann;0;3;1;2;-1;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;1;1;4;2;")
    >>> names, state.points, state.cube.owner, state.position.bar, state.roll
    (('Ann', 'Bob'), (1, 3), 'opponent', 1, Roll(4, 2))
    """
    fields = text.strip().rstrip(";").split(";")
    if len(fields) != _FIELDS:
        raise NotationError(f"a position of Snowie has {_FIELDS} fields, not {len(fields)}: {text!r:.60}")

    def number(index: int, name: str, least: int, most: int) -> int:
        written = fields[index].strip()
        digits = written.removeprefix("-")
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 8) or not least <= int(written) <= most:
            raise NotationError(
                f"Snowie's field {index}, {name}, is a number from {least} to {most}, not {written!r:.20}"
            )
        return int(written)

    length = number(0, "the match length", 0, MAX_LENGTH)
    on_roll = number(4, "the player on roll", 0, 1)
    points = number(8, "the score", 0, _MOST), number(9, "the opponent's score", 0, _MOST)
    value = number(10, "the cube", 1, 1 << 15)
    owners: dict[int, Owner | None] = {1: "player", 0: None, -1: "opponent"}
    owner = owners[number(11, "the owner of the cube", -1, 1)]
    board = [number(12 + place, f"place {place} of the board", -15, 15) for place in range(26)]
    off = [15 - sum(max(0, sign * checkers) for checkers in board) for sign in (1, -1)]
    if board[0] > 0 or board[25] < 0 or min(off) < 0:
        raise NotationError(f"Snowie's fields 12 to 37 are no board: {';'.join(fields[12:38])}")
    dice = number(38, "a die", 0, 6), number(39, "a die", 0, 6)
    if (dice[0] == 0) != (dice[1] == 0):
        raise NotationError(f"Snowie's fields 38 and 39: {dice[0]} and {dice[1]} are no dice")
    crawford = number(7, "the Crawford game", 0, 1)
    at_one = length > 0 and length - 1 in points and points[0] != points[1]
    if length:
        rules = Rules.match(length, cube_limit=None)
    else:
        rules = Rules.money(jacoby=number(1, "Jacoby", 0, 1) == 1, cube_limit=None)
    is_stake = owner is None and not length
    state = State(
        position=Position.from_array([*board, *off]),
        on_roll=on_roll,
        roll=Roll(*dice) if dice[0] else None,
        cube=Cube(1 if is_stake else value, owner),
        stake=value if is_stake else 1,
        points=points if on_roll == 0 else points[::-1],
        post_crawford=at_one and not crawford,
        rules=rules,
    )
    names = fields[5].strip(), fields[6].strip()
    return state, names if on_roll == 0 else names[::-1]
