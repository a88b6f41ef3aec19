"""What a game is worth and who may turn the cube: the rules that the match and the cube's tables share.

Plain numbers in, plain numbers out, and no state, so that `Match` and the compiled ladder cannot disagree.
A *value* is stake x cube (rule 7.3), a *level* is 1 for a single game, 2 for a gammon, 3 for a backgammon (rule 6.2),
points are a pair by seat, and `length` is the match length, None for a money session.
"""

from __future__ import annotations

import enum

__all__ = [
    "CrawfordPhase",
    "counted_level",
    "counted_points",
    "crawford_phase",
    "first_doubling_turn",
    "is_dead",
    "is_over_limit",
    "is_turned",
    "match_winner",
    "owns_cube",
    "tie_factor",
]

LEVELS = {1: "single", 2: "gammon", 3: "backgammon"}
"""The words for the levels of a game, by what they multiply the value with (rule 6.2)."""


class CrawfordPhase(enum.Enum):
    """Where a game of a match stands to the Crawford game (rule 7.7).

    >>> crawford_phase((4, 2), 5) is CrawfordPhase.CRAWFORD
    True
    """

    NONE = "none"
    """Neither or both of the players need one point, or the game is for money."""
    CRAWFORD = "crawford"
    """The Crawford game: no doubling."""
    POST_CRAWFORD = "post-crawford"
    """One player needs one point, and the Crawford game is over or there is none in this match."""


def crawford_phase(
    points: tuple[int, int], length: int | None, *, crawford: bool = True, played: bool = False
) -> CrawfordPhase:
    """The phase of a game that starts at these points (rule 7.7).

    `played` says whether the match has had its Crawford game already.

    >>> crawford_phase((4, 2), 5)
    <CrawfordPhase.CRAWFORD: 'crawford'>
    >>> crawford_phase((4, 3), 5, played=True)
    <CrawfordPhase.POST_CRAWFORD: 'post-crawford'>
    >>> crawford_phase((4, 4), 5)
    <CrawfordPhase.NONE: 'none'>
    """
    if length is None or match_winner(points, length) is not None:
        return CrawfordPhase.NONE
    if (points[0] == length - 1) == (points[1] == length - 1):
        return CrawfordPhase.NONE
    return CrawfordPhase.POST_CRAWFORD if played or not crawford else CrawfordPhase.CRAWFORD


def is_turned(owner: object | None) -> bool:
    """Whether the cube has been turned in this game: offered and taken, so that somebody owns it (rule 7.6).

    >>> is_turned(None), is_turned("player")
    (False, True)
    """
    return owner is not None


def owns_cube(owner: object | None, player: object) -> bool:
    """Whether a player may turn the cube: it is centred (owner None) or theirs (rule 7.2).

    >>> owns_cube(None, 0), owns_cube(1, 0)
    (True, False)
    """
    return owner is None or owner == player


def counted_level(level: int, *, jacoby: bool, turned: bool) -> int:
    """The level that a game counts at: under Jacoby, gammons count single unless the cube was turned (rule 7.6).

    >>> counted_level(2, jacoby=True, turned=False)
    1
    """
    return 1 if jacoby and not turned else level


def counted_points(points: int, have: int, length: int | None) -> int:
    """The points of a game that count: no more than are still needed (rule 9.1).

    >>> counted_points(6, 3, 7)
    4
    """
    return points if length is None else min(points, max(0, length - have))


def is_dead(points: int, value: int, length: int | None) -> bool:
    """Whether the cube is dead for a player: a single game at this value already wins the match (rule 7.11).

    >>> is_dead(3, 2, 5), is_dead(2, 2, 5)
    (True, False)
    """
    return length is not None and points + value >= length


def is_over_limit(value: int, limit: int | None) -> bool:
    """Whether a value is more than the cube limit allows (rule 7.1).

    >>> is_over_limit(3 * 16, 64), is_over_limit(3 * 32, 64)
    (False, True)
    """
    return limit is not None and value > limit


def tie_factor(die: int, ties: int, *, automatic_doubles: int | None, six_six_triples: bool) -> int:
    """What a tie of the opening throw multiplies the stake with, after `ties` that did so in this game (rule 7.5).

    >>> tie_factor(3, 0, automatic_doubles=1, six_six_triples=True), tie_factor(3, 1, automatic_doubles=1,
    ...     six_six_triples=True), tie_factor(6, 9, automatic_doubles=None, six_six_triples=True)
    (2, 1, 3)
    """
    if automatic_doubles is not None and ties >= automatic_doubles:
        return 1
    return 3 if six_six_triples and die == 6 else 2


def first_doubling_turn(*, started: bool, holland: bool) -> int:
    """The first turn of a game, counting both players' from 1, on which a player may double.

    The starter has rolled on turn 1 already (rule 7.2). Holland asks that each side has rolled twice, which is for the
    trailing player of a post-Crawford game only (rule 7.9): the caller says whether that is so.

    >>> first_doubling_turn(started=True, holland=True), first_doubling_turn(started=False, holland=True)
    (5, 6)
    """
    if holland:
        return 5 if started else 6
    return 3 if started else 2


def match_winner(points: tuple[int, int], length: int | None) -> int | None:
    """The seat that has reached the match length, if one has (rule 9.1).

    >>> match_winner((3, 5), 5), match_winner((3, 4), 5), match_winner((30, 4), None)
    (1, None, None)
    """
    if length is None:
        return None
    return next((seat for seat in (0, 1) if points[seat] >= length), None)
