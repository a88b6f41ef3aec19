"""Plays of a roll, and counting the tree of plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gammon import _core
from gammon._core import Play, Plays, Position

if TYPE_CHECKING:
    from gammon._long_work import Progress

__all__ = ["Play", "Plays", "perft"]


def perft(position: Position, depth: int, *, threads: int | None = None, progress: Progress = None) -> int:
    """Counts distinct results, summed over the 21 rolls at each level.

    A dance is one successor, a finished position has none, and depth 0 counts 1.

    Args:
        position: where to start.
        depth: rolls to look ahead, 0 to 20.
        threads: None for one on each core.
        progress: a callable (done, total), or True for a bar.

    Raises:
        InvalidArgumentError: for a depth or a number of threads out of range.
        Interrupted: on Ctrl-C.

    >>> from gammon import Position, perft
    >>> [perft(Position.start(), depth) for depth in range(3)]
    [1, 447, 202782]
    """
    from gammon._long_work import interruptible, reporter

    with reporter(progress, "perft") as report, interruptible():
        return _core.perft(position, depth, threads=threads, progress=report)
