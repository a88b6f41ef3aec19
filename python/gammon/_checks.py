"""What arguments may be, checked and said in the same way everywhere."""

from __future__ import annotations

import operator
from typing import TypeVar

from gammon.errors import InvalidArgumentError

T = TypeVar("T")

MOST_SEED = (1 << 64) - 1
"""The largest seed: 64 bits."""


def whole(name: str, value: object, least: int, most: int) -> int:
    """A whole number within bounds, numpy's included; True and False are none."""
    number = None if isinstance(value, bool) or not hasattr(value, "__index__") else operator.index(value)
    if number is None or not least <= number <= most:
        highest = "2**64 - 1" if most == MOST_SEED else most
        wanted = f"{least}" if least == most else f"a whole number from {least} to {highest}"
        raise InvalidArgumentError(f"{name} is {wanted}, not {value!r:.60}")
    return number


def seed(value: object) -> int:
    """A seed of random numbers."""
    return whole("seed", value, 0, MOST_SEED)


def power_of_two(name: str, value: object, most: int) -> int:
    """A value that a cube can show, or that a cube can be limited to."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most or value.bit_count() != 1:
        raise InvalidArgumentError(f"{name} is a power of 2 from 1 to {most}, not {value!r:.60}")
    return value


def instance(name: str, value: object, kind: type[T], such_as: str) -> T:
    """A value of a class; the message for others has an example."""
    if not isinstance(value, kind):
        raise InvalidArgumentError(f"{name} is a {kind.__name__}, such as {such_as}, not {value!r:.60}")
    return value
