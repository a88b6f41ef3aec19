"""Fixed corpora: positions before a roll in random games of seed 0, by kind, each with a roll from a fixed stream."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import gammon

KINDS = ("contact", "race", "bearoff", "bar")


def _is(kind: str, position: gammon.Position) -> bool:
    if kind == "bar":
        return position.bar > 0
    return position.class_ == kind and position.bar == 0


def _of_kind(kind: str, positions: NDArray[np.int8]) -> NDArray[np.int8]:
    return positions[[_is(kind, gammon.Position.from_array(row)) for row in positions]]


def corpus(kind: str, rows: int = 10_000) -> tuple[NDArray[np.int8], NDArray[np.uint8]]:
    """Positions int8[rows, 28] of a kind and rolls uint8[rows, 2], doubles as often as in play."""
    assert kind in KINDS
    drawn = 20 * rows
    while len(wanted := _of_kind(kind, gammon.batch.random_positions(drawn, seed=0))) < rows:
        drawn *= 2
    positions = wanted[:rows]
    rolls = np.random.Generator(np.random.Philox(0)).integers(1, 7, size=(rows, 2), dtype=np.uint8)
    return positions, rolls
