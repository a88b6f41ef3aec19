"""The engine: look-ahead above an evaluator and exact tables, ranked plays, decisions about the cube, rollouts.

>>> from gammon import Position
>>> engine = Engine(plies=1)
>>> best = engine.rank_plays(Position.start(), "31")[0]
>>> str(best.play), best.plies
('8/5 6/5', 1)
"""

from gammon.engine._engine import Engine
from gammon.engine._player import Player
from gammon.engine._result import RolloutCandidate, RolloutResult
from gammon.engine._rollout import rollout
from gammon.engine._values import (
    CubeDecision,
    CubeWorths,
    Evaluation,
    Filter,
    Filters,
    Probabilities,
    RankedPlay,
    Ranking,
)
from gammon.levels import LEVELS, Level

__all__ = [
    "LEVELS",
    "CubeDecision",
    "CubeWorths",
    "Engine",
    "Evaluation",
    "Filter",
    "Filters",
    "Level",
    "Player",
    "Probabilities",
    "RankedPlay",
    "Ranking",
    "RolloutCandidate",
    "RolloutResult",
    "rollout",
]
