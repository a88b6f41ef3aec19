"""Many positions at once: flat numpy arrays in, flat numpy arrays out, the GIL released.

A batch of positions is ``int8[N, 28]``. Column 0 is the opponent's bar as a count <= 0, columns 1 to 24 the points as
the player on roll numbers them (own checkers > 0, the opponent's < 0), 25 own bar, 26 own off, 27 the opponent's off.
Rolls are ``uint8[N, 2]`` in any order of the dice. Row i answers row i; answers of different lengths come as
``(values, offsets)``: row i owns ``values[offsets[i]:offsets[i + 1]]``. Empty arrays work.

Arrays of another dtype or shape raise `ArrayError`, impossible contents `InvalidPositionError`; the message names the
row. `threads` is None for one on each core; the answer is the same for any number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from gammon import _core
from gammon._long_work import interruptible

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "count_plays",
    "features",
    "flip",
    "from_ids",
    "legal_plays",
    "legal_positions",
    "pips",
    "random_positions",
    "to_ids",
]


def legal_positions(
    positions: NDArray[np.int8],
    rolls: NDArray[np.uint8],
    *,
    view: Literal["mover", "next"] = "mover",
    out: NDArray[np.int8] | None = None,
    threads: int | None = None,
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The distinct results of each row's roll, in canonical order; none for a dance or a finished game.

    Args:
        positions: int8[N, 28].
        rolls: uint8[N, 2].
        view: "mover" for the view of the player who made the play, "next" for the player who rolls next.
        out: int8[K, 28] to write to, K at least the number of results.
        threads: None for one on each core.

    Returns:
        int8[M, 28] (the first M rows of `out` if it is given) and offsets int64[N + 1].

    >>> import numpy as np
    >>> from gammon import Position, batch
    >>> values, offsets = batch.legal_positions(Position.start().to_array()[None], np.array([[3, 1]], np.uint8))
    >>> values.shape, offsets.tolist()
    ((16, 28), [0, 16])
    """
    values, offsets = _core.legal_positions(positions, rolls, view, out, threads)
    if values is not None:
        return values, offsets
    assert out is not None
    return out[: offsets[-1]], offsets


def legal_plays(
    positions: NDArray[np.int8],
    rolls: NDArray[np.uint8],
    *,
    view: Literal["mover", "next"] = "mover",
    threads: int | None = None,
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int64]]:
    """The distinct plays of each row's roll: results and canonical steps.

    Returns:
        int8[M, 28], steps int8[M, 4, 2] as (from, to) with 25 for the bar, 0 for off and -1 where there is no step,
        and offsets int64[N + 1].

    >>> import numpy as np
    >>> from gammon import Position, batch
    >>> _, steps, _ = batch.legal_plays(Position.start().to_array()[None], np.array([[3, 1]], np.uint8))
    >>> steps[0].tolist()
    [[24, 23], [24, 21], [-1, -1], [-1, -1]]
    """
    return _core.legal_plays(positions, rolls, view, threads)


def count_plays(
    positions: NDArray[np.int8], rolls: NDArray[np.uint8], *, threads: int | None = None
) -> NDArray[np.int64]:
    """How many distinct results each row's roll has, int64[N]; 0 for a dance.

    >>> import numpy as np
    >>> from gammon import Position, batch
    >>> batch.count_plays(Position.start().to_array()[None], np.array([[3, 1]], np.uint8)).tolist()
    [16]
    """
    return _core.count_plays(positions, rolls, threads)


def flip(positions: NDArray[np.int8]) -> NDArray[np.int8]:
    """The same checkers as the opponent sees them, int8[N, 28].

    >>> from gammon import batch
    >>> rows = batch.random_positions(3, seed=1)
    >>> bool((batch.flip(batch.flip(rows)) == rows).all())
    True
    """
    return _core.flip(positions)


def pips(positions: NDArray[np.int8]) -> NDArray[np.uint16]:
    """Pip counts, uint16[N, 2]: the player's and the opponent's.

    >>> from gammon import Position, batch
    >>> batch.pips(Position.start().to_array()[None]).tolist()
    [[167, 167]]
    """
    return _core.pips(positions)


def from_ids(ids: Iterable[str] | NDArray[np.str_], *, checkers: int = 15) -> NDArray[np.int8]:
    """The positions of GNU Position IDs, int8[N, 28]; those of `checkers` that are not on the board are off.

    Raises:
        NotationError: for an ID that cannot be read, with its row.
        InvalidPositionError: for one that is no position, with its row.

    >>> from gammon import batch
    >>> batch.from_ids(["4HPwATDgc/ABMA"])[0, 6]
    np.int8(5)
    """
    return _core.from_ids([str(id) for id in ids], checkers)


def to_ids(positions: NDArray[np.int8]) -> NDArray[np.str_]:
    """The GNU Position IDs of positions, an array of dtype <U14.

    >>> from gammon import Position, batch
    >>> batch.to_ids(Position.start().to_array()[None]).tolist()
    ['4HPwATDgc/ABMA']
    """
    return _core.to_ids(positions)


def random_positions(n: int, seed: int) -> NDArray[np.int8]:
    """The first `n` positions before a roll in random games of a seed, int8[n, 28]; `n` is at most 2**26.

    Raises:
        InvalidArgumentError: for a number out of range.
        Interrupted: on Ctrl-C.

    >>> from gammon import batch
    >>> batch.random_positions(1000, seed=1).shape
    (1000, 28)
    """
    with interruptible():
        return _core.random_positions(n, seed)


def features(positions: NDArray[np.int8], encoding: str = "raw196") -> NDArray[np.float32]:
    """Positions as inputs for an evaluator, float32[N, K]; the encodings are in ``docs/encodings.md``.

    >>> from gammon import batch
    >>> batch.features(batch.random_positions(2, seed=1)).shape
    (2, 196)
    """
    return _core.features(positions, encoding)
