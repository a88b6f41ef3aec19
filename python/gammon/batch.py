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

    from gammon.evaluator import AnyModel, Model, Objective

__all__ = [
    "CLASSES",
    "best_positions",
    "classes",
    "count_plays",
    "evaluate",
    "features",
    "flip",
    "from_ids",
    "from_keys",
    "legal_plays",
    "legal_positions",
    "pips",
    "random_positions",
    "roll_values",
    "to_ids",
    "to_keys",
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

    Raises:
        InvalidArgumentError: for another view.
        ArrayError: also for an `out` that is too small.

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


CLASSES = ("over", "bearoff", "race", "crashed", "contact")
"""The classes of positions, in the order of their numbers."""


def classes(positions: NDArray[np.int8]) -> NDArray[np.uint8]:
    """The class of each position, uint8[N]: its place in `CLASSES`.

    "over": a side has no checker left to bear off; "bearoff": no contact and all checkers at home; "race": no contact;
    "crashed": contact, and a side has at most 6 checkers that are not deep on its two lowest points; "contact".

    Args:
        positions: int8[N, 28].

    >>> from gammon import Position, batch
    >>> [batch.CLASSES[number] for number in batch.classes(Position.start().to_array()[None])]
    ['contact']
    """
    return _core.classes(positions)


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


def from_keys(keys: NDArray[np.uint8], *, checkers: int = 15) -> NDArray[np.int8]:
    """The positions of the bits of Position IDs, int8[N, 28]; those of `checkers` that are not on the board are off.

    Args:
        keys: uint8[N, 10], the 80 bits of each ID from the lowest: what its letters are the base64 of.
        checkers: how many each side has in all.

    Raises:
        NotationError: for bits that do not close every point, with their row.
        InvalidPositionError: for those that are no position, with their row.

    >>> from gammon import batch
    >>> rows = batch.random_positions(3, seed=1)
    >>> bool((batch.from_keys(batch.to_keys(rows)) == rows).all())
    True
    """
    return _core.from_keys(keys, checkers)


def to_keys(positions: NDArray[np.int8]) -> NDArray[np.uint8]:
    """The bits of the Position IDs of positions, uint8[N, 10]: what `to_ids` writes in letters.

    >>> import base64
    >>> from gammon import Position, batch
    >>> base64.b64encode(batch.to_keys(Position.start().to_array()[None])[0])
    b'4HPwATDgc/ABMA=='
    """
    return _core.to_keys(positions)


def random_positions(n: int, seed: int) -> NDArray[np.int8]:
    """The first `n` positions before a roll in random games of a seed, int8[n, 28].

    Args:
        n: 0 to 2**26.
        seed: 0 to 2**64 - 1.

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

    Args:
        positions: int8[N, 28].
        encoding: its name.

    Raises:
        InvalidArgumentError: for an encoding that there is not, with those that there are.

    >>> from gammon import batch
    >>> batch.features(batch.random_positions(2, seed=1)).shape
    (2, 196)
    """
    return _core.features(positions, encoding)


def evaluate(positions: NDArray[np.int8], *, model: AnyModel = None, threads: int | None = None) -> NDArray[np.float32]:
    """How likely each end of the game is, float32[N, 5], for the player on roll; a finished row is exact.

    Args:
        positions: int8[N, 28].
        model: "fast", which it is if it is None, "strong", a path, or an `Evaluator`.
        threads: None for one on each core; an evaluator of your own has its own ways.

    Returns:
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon: nested, from 0 to 1.

    Raises:
        ModelFormatError: for a file that is no model.
        ArrayError: also for an evaluator that does not answer as it should.

    >>> import numpy as np
    >>> from gammon import Position, batch
    >>> over = Position.from_points({}, opponent={24: 15})
    >>> batch.evaluate(over.to_array()[None]).tolist()
    [[1.0, 1.0, 1.0, 0.0, 0.0]]
    """
    from gammon.evaluator import Model, _ask, _resolve

    evaluator = _resolve(model)
    if isinstance(evaluator, Model):
        return evaluator._network.evaluate(positions, threads)
    _core.pips(positions)  # refuses what are no positions
    return _ask(evaluator, positions)


def best_positions(
    positions: NDArray[np.int8],
    rolls: NDArray[np.uint8],
    *,
    view: Literal["mover", "next"] = "mover",
    objective: Objective = "points",
    model: AnyModel = None,
    threads: int | None = None,
) -> NDArray[np.int8]:
    """The position after the best play of each row's roll by the model's evaluation, int8[N, 28] (0-ply, cubeless).

    A dance and a finished game leave the checkers as they are. Among equals it is the first in canonical order.

    Args:
        positions: int8[N, 28].
        rolls: uint8[N, 2].
        view: "mover" for the view of the player who made the play, "next" for the player who rolls next.
        objective: "points" counts gammons, "win" does not (double match point).
        model: "fast", which it is if it is None, "strong", a path, or an `Evaluator`.
        threads: None for one on each core.

    Raises:
        InvalidArgumentError: for another view or objective.
        ModelFormatError: for a file that is no model.

    >>> import numpy as np
    >>> from gammon import Position, Roll, batch
    >>> best = batch.best_positions(Position.start().to_array()[None], np.array([[3, 1]], np.uint8))
    >>> Position.from_array(best[0]) == Position.start().play("8/5 6/5", Roll(3, 1)).after
    True
    """
    from gammon.evaluator import Model, _ask, _resolve

    evaluator = _resolve(model)
    if isinstance(evaluator, Model):
        return evaluator._network.best_positions(positions, rolls, objective, view, threads)
    import numpy as np

    from gammon.errors import InvalidArgumentError

    if objective not in ("win", "points"):
        raise InvalidArgumentError(f'objective is "win" or "points", not {objective!r}')
    candidates, offsets = legal_positions(positions, rolls, view="next", threads=threads)
    best = flip(positions)
    if len(candidates):
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = _ask(evaluator, candidates).T
        value = win if objective == "win" else 2 * win + win_gammon + win_backgammon - lose_gammon - lose_backgammon
        rows = np.flatnonzero(np.diff(offsets))
        least = np.minimum.reduceat(value, offsets[rows])
        owner = np.repeat(np.arange(len(rows)), np.diff(offsets)[rows])
        places = np.flatnonzero(value == least[owner])
        _, first = np.unique(owner[places], return_index=True)
        best[rows] = candidates[places[first]]
    if view == "mover":
        return flip(best)
    if view != "next":
        raise InvalidArgumentError(f'view is "mover" or "next", not {view!r}')
    return best


def roll_values(
    positions: NDArray[np.int8],
    *,
    objective: Objective = "points",
    model: str | Model | None = None,
    threads: int | None = None,
) -> NDArray[np.float32]:
    """What each of the 21 rolls is worth to the player on roll with its best play, float32[N, 21], as `Roll.all()`.

    Points from -3 to 3, or with the objective "win" the chance to win. The mean by `Roll.weight` is the value of the
    position one ply deeper; how far a roll is above that mean is its luck.

    Args:
        positions: int8[N, 28].
        objective: "points" or "win".
        model: "fast", which it is if it is None, "strong", a path, or a `Model`.
        threads: None for one on each core.

    Raises:
        InvalidArgumentError: for another objective, and for an evaluator that is no `Model`.
        ModelFormatError: for a file that is no model.

    >>> from gammon import Position, Roll, batch
    >>> values = batch.roll_values(Position.start().to_array()[None])[0]
    >>> values[Roll(3, 1).index] > values[Roll(4, 1).index]
    np.True_
    """
    from gammon.evaluator import _resolve_model

    return _resolve_model(model)._network.roll_values(positions, objective, threads)
