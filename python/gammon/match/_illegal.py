"""Carrying out a play as it was written, legal or not (rule 9.8)."""

from __future__ import annotations

import itertools
import re

from gammon.errors import IllegalPlayError, InvalidPositionError, NotationError
from gammon.position import Position

__all__ = ["after_as_written", "after_on_record"]

_PLACE = r"(?:bar|off|\d{1,2})"
_PATH = re.compile(rf"({_PLACE})((?:/{_PLACE}\*?)+)(?:\(([1-4])\))?", re.IGNORECASE)
_LONGEST = 200
_BAR = 25


def after_as_written(position: Position, text: str) -> Position:
    """The position, in the same player's view, after steps that are carried out as written, whatever the rules say.

    Checkers must be where the text takes them from, a lone opposing checker is hit, and the result must be a position
    (rule 1.6). Raises `NotationError` for a text that cannot be read, `IllegalPlayError` for one that cannot be done.

    >>> str(after_as_written(Position.start(), "13/3")[3])
    '1'
    """
    own = {point: max(0, position[point]) for point in range(1, _BAR)} | {_BAR: position.bar}
    other = {point: max(0, -position[point]) for point in range(1, _BAR)}
    other_bar, off = position.opponent_bar, position.off
    for start, end in _steps(text):
        if not own.get(start):
            raise IllegalPlayError(f"{text!r}: there is no checker on {_name(start)}")
        own[start] -= 1
        if end == 0:
            off += 1
            continue
        if other[end] == 1:
            other[end], other_bar = 0, other_bar + 1
        if other[end] > 1:
            raise IllegalPlayError(f"{text!r}: point {end} is held by the opponent, so this leads to no position")
        own[end] += 1
    cells = [-other_bar, *(own[point] - other[point] for point in range(1, _BAR)), own[_BAR]]
    try:
        return Position.from_array([*cells, off, position.opponent_off])
    except InvalidPositionError as error:
        raise IllegalPlayError(f"{text!r}: {error}") from error


def after_on_record(position: Position, text: str) -> tuple[Position, list[str]]:
    """The position after the steps of a text that can be made, and the parts of the text that cannot.

    For plays that were written down elsewhere and are nonsense in part: nothing is guessed, and nothing stops the
    reader. A lone opposing checker is hit.

    >>> after_on_record(Position.start(), "13/3 12/9 x")[1]
    ['12/9', 'x']
    """
    left_out: list[str] = []
    parts = text[:_LONGEST].replace(",", " ").split()
    for part in parts:
        match = _PATH.fullmatch(part)
        if match is None:
            left_out.append(part)
            continue
        times, single = int(match[3] or 1), part.split("(")[0]
        for done in range(times):
            try:
                position = after_as_written(position, single)
            except (IllegalPlayError, NotationError):
                left_out.append(part if times == 1 else f"{single}({times - done})")
                break
        if position.is_over:
            break
    return position, left_out


def _steps(text: str) -> list[tuple[int, int]]:
    """Every hop of a text, in its order; 25 is the bar and 0 is off."""
    if len(text) > _LONGEST:
        raise NotationError(f"a play is not {len(text)} characters long")
    steps: list[tuple[int, int]] = []
    for part in text.replace(",", " ").split():
        match = _PATH.fullmatch(part)
        if match is None:
            raise NotationError(f"cannot read {part!r} in {text!r} as a step")
        places = [_place(place) for place in [match[1], *match[2].replace("*", "").split("/")[1:]]]
        if places[0] == 0 or 0 in places[1:-1] or _BAR in places[1:] or max(places) > _BAR:
            raise NotationError(f"{part!r} in {text!r} does not go from the bar or a point to a point or off")
        steps += list(itertools.pairwise(places)) * int(match[3] or 1)
    if len(steps) > 4:
        raise IllegalPlayError(f"{text!r} has {len(steps)} steps, more than any roll gives")
    return steps


def _place(word: str) -> int:
    return {"bar": _BAR, "off": 0}[word.lower()] if word.isalpha() else int(word)


def _name(place: int) -> str:
    return "the bar" if place == _BAR else f"point {place}"
