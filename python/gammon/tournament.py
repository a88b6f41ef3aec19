"""The figures of tournament play: late arrivals, breaks, and what a director can decide (rules 9.4, 9.5, 9.10)."""

from __future__ import annotations

from gammon.errors import InvalidArgumentError

__all__ = [
    "BREAK_MINUTES",
    "DECISIONS",
    "breaks_allowed",
    "late_points",
    "late_points_for_both",
    "loses_by_lateness",
    "points_still_needed",
]

DECISIONS = ("warning", "penalty points", "award game", "award match", "exclusion", "cube", "clock")
"""What a director can decide (rules 7.1, 9.3, 9.10)."""

BREAK_MINUTES = 5
"""The longest that a break may take (rule 9.5)."""

MAX_MINUTES = 1_000_000
"""More than anybody waits; keeps scores within bounds."""

GRACE_MINUTES = 10
MINUTES_PER_POINT = 5


def late_points(minutes: float) -> int:
    """The penalty points of a player who arrives `minutes` minutes late (rule 9.4).

    Raises `InvalidArgumentError` for minutes outside 0 to 1,000,000.

    >>> [late_points(minutes) for minutes in (9.9, 10, 14.9, 15, 40)]
    [0, 1, 1, 2, 7]
    """
    if isinstance(minutes, bool) or not isinstance(minutes, int | float):
        raise InvalidArgumentError(f"minutes are a number, not {minutes!r}")
    if not 0 <= minutes <= MAX_MINUTES:
        raise InvalidArgumentError(f"a player is 0 to {MAX_MINUTES} minutes late, not {minutes!r}")
    if minutes < GRACE_MINUTES:
        return 0
    return 1 + int((minutes - GRACE_MINUTES) // MINUTES_PER_POINT)


def late_points_for_both(minutes: tuple[float, float]) -> tuple[int, int]:
    """The points that each player *receives* when they arrive so many minutes late, by seat (rule 9.4).

    A player's penalty points go to the opponent; if both are late, only the difference counts.

    Raises as `late_points` does.

    >>> late_points_for_both((25, 12))
    (0, 3)
    """
    first, second = (late_points(late) for late in minutes)
    return max(0, second - first), max(0, first - second)


def loses_by_lateness(points: int, length: int) -> bool:
    """Whether a player whose opponent receives so many points for a late arrival has lost the match (rule 9.4).

    >>> loses_by_lateness(late_points(40), 13), loses_by_lateness(late_points(35), 13)
    (True, False)
    """
    return points > length / 2


def breaks_allowed(length: int) -> int:
    """How many breaks each player may take in a match to `length` points (rule 9.5).

    >>> [breaks_allowed(length) for length in (6, 7, 11, 15, 21, 27)]
    [0, 1, 2, 3, 4, 5]
    """
    for below, breaks in ((7, 0), (11, 1), (15, 2), (21, 3)):
        if length < below:
            return breaks
    return 4 + (length - 21) // 6


def points_still_needed(points: tuple[int, int], length: int) -> int:
    """The larger number of points that a player still needs: what a clock imposed late is set for (rule 9.3).

    >>> points_still_needed((3, 5), 9)
    6
    """
    return length - min(points)
