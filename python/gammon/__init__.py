"""Backgammon: positions, dice, legal plays, batches and simulation, with the hot core in Rust.

>>> import gammon
>>> position = gammon.Position.start()
>>> [str(play) for play in position.plays(gammon.Roll(6, 1)) if "8/7" in str(play)]
['24/18 8/7', '13/7 8/7', '8/7 8/2']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gammon import dice
from gammon._core import __version__
from gammon.dice import Roll
from gammon.errors import (
    AmbiguousPlayError,
    ArrayError,
    FileFormatError,
    GammonError,
    IllegalActionError,
    IllegalPlayError,
    Interrupted,
    InvalidArgumentError,
    InvalidPositionError,
    MissingExtraError,
    ModelFormatError,
    NotationError,
    NotInDatabaseError,
)
from gammon.play import Play, Plays, perft
from gammon.position import Outcome, Position

if TYPE_CHECKING:
    from gammon import batch, cube, evaluator, met, render, simulation, training
    from gammon.evaluator import Evaluator, Model
    from gammon.simulation import SimulationResult, simulate

# What needs numpy or is not always wanted is loaded when it is first used (PEP 562).
_LAZY = {
    "Evaluator": "gammon.evaluator",
    "Model": "gammon.evaluator",
    "SimulationResult": "gammon.simulation",
    "batch": "gammon.batch",
    "cube": "gammon.cube",
    "evaluator": "gammon.evaluator",
    "met": "gammon.met",
    "render": "gammon.render",
    "simulate": "gammon.simulation",
    "simulation": "gammon.simulation",
    "training": "gammon.training",
}

__all__ = [
    "AmbiguousPlayError",
    "ArrayError",
    "Evaluator",
    "FileFormatError",
    "GammonError",
    "IllegalActionError",
    "IllegalPlayError",
    "Interrupted",
    "InvalidArgumentError",
    "InvalidPositionError",
    "MissingExtraError",
    "Model",
    "ModelFormatError",
    "NotInDatabaseError",
    "NotationError",
    "Outcome",
    "Play",
    "Plays",
    "Position",
    "Roll",
    "SimulationResult",
    "__version__",
    "batch",
    "cube",
    "dice",
    "evaluator",
    "met",
    "perft",
    "render",
    "simulate",
    "simulation",
    "training",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'gammon' has no attribute {name!r}")
    module = importlib.import_module(_LAZY[name])
    value = module if module.__name__ == f"gammon.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_LAZY))
