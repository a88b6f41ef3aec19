"""How strong the built-in players are: each level is a network of the library, with noise or with a search above it.

>>> LEVELS["beginner"].noise > LEVELS["advanced"].noise > LEVELS["master"].noise
True
"""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["LEVELS", "Level"]


class Level(NamedTuple):
    """How a player judges.

    >>> LEVELS["master"]
    Level(plies=2, noise=0.0, model='strong')
    """

    plies: int
    """How many rolls it looks ahead."""
    noise: float
    """The standard deviation of what it misjudges every equity by that it compares: of plays, and of the cube."""
    model: Literal["fast", "strong"] = "fast"
    """The network of the library that it asks."""


LEVELS: dict[str, Level] = {
    "beginner": Level(0, 0.16),
    "casual": Level(0, 0.08),
    "intermediate": Level(0, 0.045),
    "advanced": Level(0, 0.02),
    "expert": Level(1, 0.0, "strong"),
    "master": Level(2, 0.0, "strong"),
}
"""The levels by name, the weakest first. ``docs/players.md`` has the measured strength of each."""
