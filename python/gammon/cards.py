"""The playing-card version: any position as a row of cards, in text, and read back (rule 8.1).

Twelve cards lie face down in a row, six and six with one crosswise between them for the bar, numbered 1 to 12 from the
left. Each has a field above and one below it. Red and black cards are the checkers.
"""

from __future__ import annotations

import re
from typing import Literal, NoReturn, TypeAlias

from gammon.errors import InvalidPositionError, NotationError
from gammon.position import Position

__all__ = ["Color", "Side", "card_of", "cards_needed", "from_text", "point_of", "to_text"]

Color: TypeAlias = Literal["red", "black"]
"""A player's checkers, by the color of the cards."""
Side: TypeAlias = Literal["above", "below"]
"""Which of the two fields of a card."""

BOARD_CARDS = 12
BAR_CARDS = 1
CHECKER_CARDS = 30
DICE_CARDS = 12


def card_of(point: int, color: Color = "red") -> tuple[int, Side]:
    """The card, and its side, of a player's point 1 to 24.

    Raises `NotationError` for another point or color.

    >>> card_of(24), card_of(8), card_of(24, "black")
    ((12, 'above'), (5, 'below'), (12, 'below'))
    """
    if not 1 <= point <= 24:
        raise NotationError(f"points are 1 to 24, not {point!r}")
    far, near = _sides(color)
    return (point - 12, far) if point > 12 else (13 - point, near)


def point_of(card: int, side: Side, color: Color = "red") -> int:
    """The point of a player that lies above or below a card 1 to 12.

    Raises `NotationError` for another card, side or color.

    >>> point_of(12, "above"), point_of(12, "above", "black")
    (24, 1)
    """
    if not 1 <= card <= BOARD_CARDS:
        raise NotationError(f"cards are 1 to {BOARD_CARDS}, not {card!r}")
    far, near = _sides(color)
    if side not in (far, near):
        raise NotationError(f"a card has a field above and one below, not {side!r}")
    return 12 + card if side == far else 13 - card


def _sides(color: Color) -> tuple[Side, Side]:
    """Where a color's points 13 to 24 and 1 to 12 lie."""
    if color not in ("red", "black"):
        raise NotationError(f"cards are red or black, not {color!r}")
    return ("above", "below") if color == "red" else ("below", "above")


def cards_needed(*, dice: bool = False, bar_card: bool = True) -> int:
    """How many cards the game takes: for the row, the bar, the checkers, and perhaps the dice (rule 8.4).

    >>> cards_needed(), cards_needed(dice=True, bar_card=False)
    (43, 54)
    """
    return BOARD_CARDS + BAR_CARDS * bar_card + CHECKER_CARDS + DICE_CARDS * dice


_ROW = "row    " + "  []" * 6 + "  ==" + "  []" * 6
_NUMBERS = "       " + "".join(f"{card:>4}" for card in range(1, 7)) + "    " + "".join(f"{c:>4}" for c in range(7, 13))


def to_text(position: Position, *, on_roll: Color = "red") -> str:
    """A position as a row of cards. Hit cards lie to the right, red ones above and black ones below.

    >>> print(to_text(Position.start()))
              1   2   3   4   5   6       7   8   9  10  11  12
    above    R5   .   .   .  B3   .      B5   .   .   .   .  R2   hit R0
    row      []  []  []  []  []  []  ==  []  []  []  []  []  []
    below    B5   .   .   .  R3   .      R5   .   .   .   .  B2   hit B0
    off      R0 B0
    on roll  red
    """
    far, _ = _sides(on_roll)
    red = position if far == "above" else position.flip()
    hits = {"above": f"R{red.bar}", "below": f"B{red.opponent_bar}"}
    lines = {}
    for side in ("above", "below"):
        fields = [_field(red[point_of(card, side)]) for card in range(1, 13)]
        cells = [f"{cell:>4}" for cell in [*fields[:6], "", *fields[6:]]]
        lines[side] = f"{side:<7}{''.join(cells)}   hit {hits[side]}"
    off = f"off      R{red.off} B{red.opponent_off}"
    return "\n".join([_NUMBERS, lines["above"], _ROW, lines["below"], off, f"on roll  {on_roll}"])


def _field(count: int) -> str:
    return "." if count == 0 else f"R{count}" if count > 0 else f"B{-count}"


def from_text(text: str) -> tuple[Position, Color]:
    """Reads `to_text` back: the position as the player on roll sees it, and that player's color.

    Raises:
        NotationError: for a text that is no such layout, with the line.
        InvalidPositionError: for cards that are no position.

    >>> from_text(to_text(Position.start(), on_roll="black")) == (Position.start(), "black")
    True
    """
    if not isinstance(text, str) or len(text) > 2000:
        raise NotationError("a layout of cards is a text of six lines")
    found: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].isdigit() or words[0] == "row":
            continue
        name = "on roll" if words[:2] == ["on", "roll"] else words[0]
        if name not in ("above", "below", "off", "on roll"):
            _refuse(number, f"a line begins with above, row, below, off or on roll, not {words[0]!r:.40}")
        if name in found:
            _refuse(number, f"there are two lines {name!r}")
        found[name] = (number, line[line.index(words[0]) + len(name) :] if name != "on roll" else " ".join(words[2:]))
    for name in ("above", "below", "off", "on roll"):
        if name not in found:
            raise NotationError(f"the line {name!r} is missing")
    points: dict[int, int] = {}
    bars = {"R": 0, "B": 0}
    for side, hit in (("above", "R"), ("below", "B")):
        number, rest = found[side]
        match = re.fullmatch(rf"((?:\s+(?:\.|[RB]\d+)){{12}})\s+hit\s+{hit}(\d+)\s*", rest, re.ASCII)
        if match is None:
            _refuse(number, f"twelve fields such as R5, B3 or . and then hit {hit}0 are expected")
        bars[hit] = _count(match[2], number)
        for card, cell in enumerate(match[1].split(), 1):
            point = point_of(card, side)  # type: ignore[arg-type]
            points[point] = 0 if cell == "." else _count(cell[1:], number) * (1 if cell[0] == "R" else -1)
    number, rest = found["off"]
    match = re.fullmatch(r"\s+R(\d+)\s+B(\d+)\s*", rest, re.ASCII)
    if match is None:
        _refuse(number, "the cards off are expected, such as R0 B0")
    number_on_roll, color = found["on roll"]
    if color not in ("red", "black"):
        _refuse(number_on_roll, f"red or black is on roll, not {color!r:.40}")
    cells = [-bars["B"], *(points[point] for point in range(1, 25)), bars["R"]]
    cells += [_count(match[1], number), _count(match[2], number)]
    red = Position.from_array(cells)
    return (red, "red") if color == "red" else (red.flip(), "black")


def _count(digits: str, line: int) -> int:
    if len(digits) > 2:
        raise InvalidPositionError(f"line {line}: nobody has {digits[:10]} cards")
    return int(digits)


def _refuse(line: int, message: str) -> NoReturn:
    raise NotationError(f"line {line}: {message}")
