"""Bear-off databases: exact answers for positions where both sides are past each other and close to the end.

>>> from gammon import Position, bearoff
>>> table = bearoff.TwoSided.default()
>>> position = Position.from_points({6: 1, 5: 1}, opponent={4: 1, 1: 1})
>>> round(table.equity(position), 3)
-0.392
"""

from __future__ import annotations

from gammon.bearoff._gnubg import GnubgTwoSided, open_gnubg
from gammon.bearoff._onesided import OneSided, RaceChances
from gammon.bearoff._twosided import CubeAction, Seat, Size, TwoSided

__all__ = ["CubeAction", "GnubgTwoSided", "OneSided", "RaceChances", "Seat", "Size", "TwoSided", "open_gnubg"]
