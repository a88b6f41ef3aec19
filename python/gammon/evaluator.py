"""Evaluators: what says how likely each end of a game is.

An evaluator is anything that can be called with a batch of positions, ``int8[N, 28]`` (see `gammon.batch`), and answers
with ``float32[N, 5]``: for the player on roll, how likely a win, a gammon won (backgammons included), a backgammon won,
a gammon lost and a backgammon lost are. `Model` is the one that comes with the library or out of ``gammon train``.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

from gammon import _core
from gammon.errors import ArrayError, InvalidArgumentError, ModelFormatError
from gammon.position import Position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["AnyModel", "Evaluator", "Model", "Objective"]

Objective: TypeAlias = Literal["win", "points"]
"""What a play is chosen by: the chance to win, or points, in which gammons count."""

SHIPPED = ("fast", "strong")
"""The models that come with the library."""

# The largest model that could be: 1024 and 256 units.
_MOST_BYTES = 1 << 23


@runtime_checkable
class Evaluator(Protocol):
    """Anything that evaluates a batch of positions.

    The answer to a row must not depend on the other rows. Finished games need not be right: their rows are replaced.

    >>> import numpy as np
    >>> from gammon import batch
    >>> def race(positions):
    ...     pips = batch.pips(positions).astype(np.float32)
    ...     answer = np.zeros((len(positions), 5), np.float32)
    ...     answer[:, 0] = 1 / (1 + np.exp((pips[:, 0] - pips[:, 1] - 4) / 10))
    ...     return answer
    >>> batch.evaluate(batch.random_positions(3, seed=1), model=race).shape
    (3, 5)
    """

    def __call__(self, positions: NDArray[np.int8], /) -> NDArray[np.float32]:
        """``int8[N, 28]`` to ``float32[N, 5]``."""
        ...


AnyModel: TypeAlias = "Evaluator | str | os.PathLike[str] | None"
"""What a `model` argument takes: an evaluator, "fast" or "strong", a model file, or None for "fast"."""


class Model:
    """A network from a model file (``docs/formats/model.md``), ready to evaluate; immutable, pickled as its path.

    >>> from gammon import Model, Position
    >>> model = Model.default()
    >>> 0.45 < model.evaluate(Position.start())[0] < 0.6
    True
    """

    __slots__ = ("_network", "_path")

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Reads a model file.

        Raises:
            ModelFormatError: for a file that is no model, or a damaged one.
            OSError: for one that cannot be read.
        """
        self._path = Path(path).absolute()
        with open(self._path, "rb") as file:
            content = file.read(_MOST_BYTES + 1)
        try:
            self._network = _core.Network(content)
        except ModelFormatError as error:
            raise ModelFormatError(f"{os.fspath(path)}: {error}") from None

    @staticmethod
    def default() -> Model:
        """The model that comes with the library: ``fast``.

        >>> Model.default() == Model.default(), Model.default().path.stem
        (True, 'fast')
        """
        return shipped("fast")

    @staticmethod
    def strong() -> Model:
        """The stronger and slower of the two models that come with the library (``docs/strength.md``).

        >>> from gammon import Model
        >>> Model.strong().inputs
        'contact'
        """
        return shipped("strong")

    @property
    def path(self) -> Path:
        """Where it was read from.

        >>> Model.default().path.name
        'fast.gammon'
        """
        return self._path

    @property
    def layers(self) -> tuple[int, int]:
        """Units of its two hidden layers.

        >>> first, second = Model.default().layers
        >>> first % 64, second % 16
        (0, 0)
        """
        return self._network.layers

    @property
    def inputs(self) -> str:
        """What it sees: "raw", the places of the checkers alone, or "contact", also shots, blocks and races.

        >>> Model.default().inputs in ("raw", "contact")
        True
        """
        return self._network.inputs

    @property
    def parameters(self) -> int:
        """How many weights it has.

        >>> Model.strong().parameters > Model.default().parameters
        True
        """
        return self._network.parameters

    @property
    def kernel(self) -> str:
        """What evaluates on this processor: "portable", "avx2" or "avx512"; the answers are the same.

        >>> Model.default().kernel in ("portable", "avx2", "avx512")
        True
        """
        return self._network.kernel

    def evaluate(self, position: Position) -> tuple[float, float, float, float, float]:
        """The five probabilities of one position, for the player on roll; a finished game is exact.

        Win, win gammon, win backgammon, lose gammon, lose backgammon: nested, 0 to 1.

        >>> Model.default().evaluate(Position.from_points({}, opponent={6: 15}))
        (1.0, 1.0, 0.0, 0.0, 0.0)
        """
        return self._network.evaluate_one(position)

    def __call__(self, positions: NDArray[np.int8], /) -> NDArray[np.float32]:
        """A batch of positions, ``int8[N, 28]`` to ``float32[N, 5]``, on one thread for each core."""
        return self._network.evaluate(positions, None)

    def __repr__(self) -> str:
        return f"Model({os.fspath(self._path)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (os.fspath(self._path),)

    def __eq__(self, other: object, /) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self._network.to_bytes() == other._network.to_bytes()

    def __hash__(self) -> int:
        return hash(self._network.to_bytes())


@functools.cache
def shipped(name: str) -> Model:
    """One of `SHIPPED`."""
    return Model(Path(__file__).parent / "data" / f"{name}.gammon")


def named(model: str | os.PathLike[str]) -> Model:
    """One of `SHIPPED`, else the model of a file; a file that is called like one of them is "./fast"."""
    return shipped(str(model)) if model in SHIPPED else Model(model)


def _resolve(model: AnyModel) -> Evaluator:
    """The evaluator that a `model` argument means."""
    if model is None:
        return Model.default()
    if isinstance(model, (str, os.PathLike)):
        return named(model)
    if callable(model):
        return model
    raise InvalidArgumentError(f"model is a name, a path, an evaluator or None, not {model!r}")


def _resolve_model(model: AnyModel) -> Model:
    """The network that a `model` argument means where no other evaluator will do."""
    found = _resolve(model) if isinstance(model, str | os.PathLike | None) else model
    if not isinstance(found, Model):
        raise InvalidArgumentError(f"model is a Model, its name or path, or None, not {model!r}")
    return found


def _ask(evaluator: Evaluator, positions: NDArray[np.int8]) -> NDArray[np.float32]:
    """What a user's evaluator answers, checked, with finished games put right."""
    import numpy as np

    answer = evaluator(positions)
    if not isinstance(answer, np.ndarray) or answer.shape != (len(positions), 5) or answer.dtype != np.float32:
        what = f"{answer.dtype} of shape {answer.shape}" if isinstance(answer, np.ndarray) else type(answer).__name__
        raise ArrayError(f"an evaluator answers {len(positions)} rows with float32[{len(positions)}, 5], not {what}")
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = answer.T
    slack = np.float32(1e-5)
    nested = (
        (win >= -slack)
        & (win <= 1 + slack)
        & (win_backgammon >= -slack)
        & (win_gammon <= win + slack)
        & (win_backgammon <= win_gammon + slack)
        & (lose_backgammon >= -slack)
        & (lose_gammon <= 1 - win + slack)
        & (lose_backgammon <= lose_gammon + slack)
    )
    if not nested.all():
        row = int(np.argmin(nested))
        raise ArrayError(f"an evaluator answers with nested probabilities; row {row} is {answer[row].tolist()}")
    over = (np.maximum(positions[:, 1:26], 0).sum(1) == 0) | (np.minimum(positions[:, :25], 0).sum(1) == 0)
    if over.any():
        answer = answer.copy()
        for row in np.flatnonzero(over).tolist():
            outcome = Position.from_array(positions[row]).outcome
            assert outcome is not None
            points = outcome.points
            answer[row] = [points >= 1, points >= 2, points >= 3, points <= -2, points <= -3]
    return answer
