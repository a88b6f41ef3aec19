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
    from gammon import (
        adjudication,
        analysis,
        batch,
        bearoff,
        cards,
        clock,
        cube,
        engine,
        env,
        evaluator,
        formats,
        hypergammon,
        match,
        met,
        notation,
        onnx,
        plot,
        render,
        rules,
        settlement,
        simulation,
        tournament,
        training,
    )
    from gammon.analysis import Analysis, analyze
    from gammon.engine import Engine
    from gammon.evaluator import Evaluator, Model
    from gammon.match import Action, Event, Game, GameState, Match, Offer, Phase, State
    from gammon.rules import Rules
    from gammon.simulation import Choices, Decisions, Policy, SimulationResult, check_policy, simulate

# What needs numpy or is not always wanted is loaded when it is first used (PEP 562).
_LAZY = {
    "Action": "gammon.match",
    "Analysis": "gammon.analysis",
    "Choices": "gammon.simulation",
    "Decisions": "gammon.simulation",
    "Engine": "gammon.engine",
    "Evaluator": "gammon.evaluator",
    "Event": "gammon.match",
    "Game": "gammon.match",
    "GameState": "gammon.match",
    "Match": "gammon.match",
    "Model": "gammon.evaluator",
    "Offer": "gammon.match",
    "Phase": "gammon.match",
    "Policy": "gammon.simulation",
    "Rules": "gammon.rules",
    "SimulationResult": "gammon.simulation",
    "State": "gammon.match",
    "adjudication": "gammon.adjudication",
    "analysis": "gammon.analysis",
    "analyze": "gammon.analysis",
    "batch": "gammon.batch",
    "bearoff": "gammon.bearoff",
    "cards": "gammon.cards",
    "check_policy": "gammon.simulation",
    "clock": "gammon.clock",
    "hypergammon": "gammon.hypergammon",
    "cube": "gammon.cube",
    "engine": "gammon.engine",
    "formats": "gammon.formats",
    "env": "gammon.env",
    "evaluator": "gammon.evaluator",
    "match": "gammon.match",
    "met": "gammon.met",
    "notation": "gammon.notation",
    "onnx": "gammon.onnx",
    "plot": "gammon.plot",
    "render": "gammon.render",
    "rules": "gammon.rules",
    "settlement": "gammon.settlement",
    "simulate": "gammon.simulation",
    "simulation": "gammon.simulation",
    "tournament": "gammon.tournament",
    "training": "gammon.training",
}

__all__ = [
    "Action",
    "AmbiguousPlayError",
    "Analysis",
    "ArrayError",
    "Choices",
    "Decisions",
    "Engine",
    "Evaluator",
    "Event",
    "FileFormatError",
    "Game",
    "GameState",
    "GammonError",
    "IllegalActionError",
    "IllegalPlayError",
    "Interrupted",
    "InvalidArgumentError",
    "InvalidPositionError",
    "Match",
    "MissingExtraError",
    "Model",
    "ModelFormatError",
    "NotInDatabaseError",
    "NotationError",
    "Offer",
    "Outcome",
    "Phase",
    "Play",
    "Plays",
    "Policy",
    "Position",
    "Roll",
    "Rules",
    "SimulationResult",
    "State",
    "__version__",
    "adjudication",
    "analysis",
    "analyze",
    "batch",
    "bearoff",
    "cards",
    "check_policy",
    "clock",
    "cube",
    "dice",
    "engine",
    "env",
    "evaluator",
    "formats",
    "hypergammon",
    "match",
    "met",
    "notation",
    "onnx",
    "perft",
    "plot",
    "render",
    "rules",
    "settlement",
    "simulate",
    "simulation",
    "tournament",
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
