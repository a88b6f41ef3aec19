"""The cube formulas once more, slow and plain: what the compiled ones are compared with.

Money is Janowski's closed form; a match score is worked out by recursion over the cubes, from the highest down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

Probabilities = Sequence[float]
Chance = Callable[[int, int], float]
"""The chance to win a match, from what both players still need."""


def through(x: float, points: list[tuple[float, float]]) -> float:
    """The broken line through these points, at x."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if x <= x1 and x1 > x0:
            return y0 + (x - x0) / (x1 - x0) * (y1 - y0)
    return points[-1][1]


def shares(p: Probabilities) -> tuple[float, float, float, float]:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = p
    won, lost = (win or math.inf), ((1 - win) or math.inf)
    return win_gammon / won, win_backgammon / won, lose_gammon / lost, lose_backgammon / lost


def money(p: Probabilities, owner: str | None, x: float, *, jacoby: bool) -> float:
    """The equity of a money game with a cube of 1 that nobody turns now."""
    win = p[0]
    g, b, lg, lb = shares(p)
    w, l = 1 + g + b, 1 + lg + lb  # noqa: E741  the letters of the paper
    take, cash = (l - 0.5) / (w + l + 0.5), (l + 1) / (w + l + 0.5)
    if jacoby and owner is None:
        w = l = 1.0  # noqa: E741
    dead = win * (w + l) - l
    live = {
        None: [(0, -l), (take, -1), (cash, 1), (1, w)],
        "player": [(0, -l), (cash, 1), (1, w)],
        "opponent": [(0, -l), (take, -1), (1, w)],
    }[owner]
    return (1 - x) * dead + x * through(win, live)


class Match:
    """A match score with a chance function: worths in match winning chances."""

    def __init__(self, p: Probabilities, away: int, opponent_away: int, chance: Chance) -> None:
        self.p, self.away, self.opponent_away, self.chance = p, away, opponent_away, chance

    def win(self, cube: int, points: int) -> float:
        left = self.away - cube * points
        return 1.0 if left <= 0 else self.chance(left, self.opponent_away)

    def lose(self, cube: int, points: int) -> float:
        left = self.opponent_away - cube * points
        return 0.0 if left <= 0 else self.chance(self.away, left)

    def means(self, cube: int) -> tuple[float, float]:
        """What a won and a lost game are worth in the mean."""
        g, b, lg, lb = shares(self.p)
        won = (1 - g) * self.win(cube, 1) + (g - b) * self.win(cube, 2) + b * self.win(cube, 3)
        lost = (1 - lg) * self.lose(cube, 1) + (lg - lb) * self.lose(cube, 2) + lb * self.lose(cube, 3)
        return won, lost

    def take(self, cube: int) -> float:
        """Where the player takes: owning twice the cube is worth what dropping is."""
        won, lost = self.means(2 * cube)
        if 2 * cube >= self.away:
            line = [(0.0, lost), (1.0, won)]
        else:
            line = [(0.0, lost), (self.cash(2 * cube), self.win(2 * cube, 1)), (1.0, won)]
        return crossing(line, self.lose(cube, 1))

    def cash(self, cube: int) -> float:
        """Where the opponent drops: twice the cube with them is worth what their dropping is."""
        won, lost = self.means(2 * cube)
        if 2 * cube >= self.opponent_away:
            line = [(0.0, lost), (1.0, won)]
        else:
            line = [(0.0, lost), (self.take(2 * cube), self.lose(2 * cube, 1)), (1.0, won)]
        return crossing(line, self.win(cube, 1))

    def value(self, cube: int, owner: str | None, x: float) -> float:
        """The worth with a cube that nobody turns now."""
        won, lost = self.means(cube)
        line = [(0.0, lost)]
        if owner != "player" and cube < self.opponent_away:
            line.append((self.take(cube), self.lose(cube, 1)))
        if owner != "opponent" and cube < self.away:
            line.append((self.cash(cube), self.win(cube, 1)))
        line.append((1.0, won))
        dead = lost + self.p[0] * (won - lost)
        return (1 - x) * dead + x * through(self.p[0], line)


def crossing(line: list[tuple[float, float]], y: float) -> float:
    """Where a rising broken line reaches y, 0 to 1."""
    for (x0, y0), (x1, y1) in pairwise(line):
        if y <= y1 and y1 > y0:
            return max(0.0, x0 + (y - y0) / (y1 - y0) * (x1 - x0))
    return 1.0
