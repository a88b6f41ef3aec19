"""Positions: the checkers of both sides, seen by the player on roll."""

from gammon._core import Outcome, Position

__all__ = ["VARIANTS", "Outcome", "Position"]

VARIANTS = ("standard", "nackgammon", "hypergammon", "longgammon")
"""The names that `Position.start` takes."""
