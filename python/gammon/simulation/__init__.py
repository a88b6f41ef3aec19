"""Games by the million: built-in players or your own, single games, money with the cube, or matches."""

from gammon.simulation._dataset import Dataset
from gammon.simulation._plan import GAMES_PER_MATCH
from gammon.simulation._players import BUILT_IN
from gammon.simulation._policy import Choices, Decisions, Policy, check_policy
from gammon.simulation._positions import Positions, PositionTable, collect_positions
from gammon.simulation._result import CubeActions, GameTable, SimulationResult, TurnTable, Wins
from gammon.simulation._run import simulate

__all__ = [
    "BUILT_IN",
    "GAMES_PER_MATCH",
    "Choices",
    "CubeActions",
    "Dataset",
    "Decisions",
    "GameTable",
    "Policy",
    "PositionTable",
    "Positions",
    "SimulationResult",
    "TurnTable",
    "Wins",
    "check_policy",
    "collect_positions",
    "simulate",
]
