"""Positions: the checkers of both sides, seen by the player on roll."""

from gammon._core import Outcome, Position

__all__ = ["Outcome", "Position"]
