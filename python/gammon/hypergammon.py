"""Hypergammon solved: the exact value of every position of up to three checkers a side, contact included.

>>> from gammon import Position, hypergammon
>>> one = hypergammon.solve(checkers=1)
>>> start = Position.from_points({24: 1}, opponent={24: 1}, checkers=1)
>>> round(one.equity(start), 6)
0.452773
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from gammon import _core
from gammon._long_work import Progress, interruptible, reporter
from gammon.bearoff._twosided import CubeAction, CubeState, _answered, _state
from gammon.dice import Roll
from gammon.errors import InvalidArgumentError
from gammon.files import renamed_target
from gammon.play import Play
from gammon.position import Position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gammon.cube import Cube

__all__ = ["Hypergammon", "Values", "open", "solve"]


class Values(NamedTuple):
    """All that is known of a position, for the player on roll. With a cube: without a double this turn.

    >>> from gammon import hypergammon
    >>> start = Position.from_points({24: 1}, opponent={24: 1}, checkers=1)
    >>> values = hypergammon.solve(checkers=1).values(start)
    >>> round(values.win, 4), round(values.centred - values.cubeless, 4)
    (0.6016, 0.0865)
    """

    win: float
    """Winning at all. The five probabilities belong to the plays that maximise each side's cubeless equity."""
    win_gammon: float
    """Winning a gammon or a backgammon."""
    win_backgammon: float
    """Winning a backgammon."""
    lose_gammon: float
    """Losing a gammon or a backgammon."""
    lose_backgammon: float
    """Losing a backgammon."""
    cubeless: float
    """The equity without a cube."""
    owned: float
    """The money equity when the player owns the cube."""
    centred: float
    """The money equity with the cube centred."""
    centred_jacoby: float
    """The same where gammons count single until the cube is turned (rule 7.6)."""
    opponent_owned: float
    """The money equity when the opponent owns the cube."""


class Hypergammon:
    """A solved game of one, two or three checkers a side; make one with `solve` or `open`.

    Equities are multiples of the stake times the cube as it lies; doubling has no limit, and there are no beavers.
    Every value is within `error_bound` of the exact one.

    >>> from gammon import hypergammon
    >>> one = hypergammon.solve(checkers=1)
    >>> one.checkers, one.positions, one.error_bound <= 1e-9
    (1, 651, True)
    """

    __slots__ = ("_jacoby", "_path", "_solution", "_tolerance")
    _jacoby: bool
    _path: str | None
    _solution: _core.Hypergammon
    _tolerance: float

    def __init__(self) -> None:
        """Solutions are solved or opened."""
        raise TypeError("make a Hypergammon with gammon.hypergammon.solve or gammon.hypergammon.open")

    @classmethod
    def _of(cls, solution: _core.Hypergammon, *, jacoby: bool, path: str | None, tolerance: float) -> Hypergammon:
        self = object.__new__(cls)
        self._solution = solution
        self._jacoby = bool(jacoby)
        self._path = path
        self._tolerance = tolerance
        return self

    @property
    def checkers(self) -> int:
        """How many checkers each side has.

        >>> solve(checkers=1).checkers
        1
        """
        return self._solution.checkers

    @property
    def jacoby(self) -> bool:
        """Whether a centred cube means the Jacoby rule unless a question says otherwise.

        >>> solve(checkers=1, jacoby=True).jacoby
        True
        """
        return self._jacoby

    @property
    def positions(self) -> int:
        """How many positions there are.

        >>> solve(checkers=1).positions
        651
        """
        return self._solution.positions

    @property
    def error_bound(self) -> float:
        """How far any value can be from the exact one, but for rounding (below 1e-13).

        >>> solve(checkers=1, tolerance=1e-6).error_bound <= 1e-6
        True
        """
        return self._solution.error_bound

    @property
    def sweeps(self) -> int:
        """How often all positions were visited.

        >>> solve(checkers=1, tolerance=1e-3).sweeps < solve(checkers=1, tolerance=1e-9).sweeps
        True
        """
        return self._solution.sweeps

    @property
    def path(self) -> str | None:
        """Its file; None for a solution in memory.

        >>> solve(checkers=1).path is None
        True
        """
        return self._path

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file, by way of ``PATH.partial``; ``docs/formats/hypergammon.md`` has its layout.

        Raises `OSError` if writing fails.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     solve(checkers=1).save(folder + "/one.hyper")
        ...     open(folder + "/one.hyper").positions
        651
        """
        self._solution.save(renamed_target(path))

    def verify(self) -> None:
        """Checks all values of its file against their checksums. Raises `FileFormatError`.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     solve(checkers=1, path=folder + "/one.hyper").verify()
        """
        self._solution.verify(self._path or "")

    def values(self, position: Position) -> Values:
        """All values of a position.

        Raises `NotInDatabaseError` unless both sides have the game's number of checkers, those off included.

        >>> start = Position.from_points({24: 1}, opponent={24: 1}, checkers=1)
        >>> values = solve(checkers=1).values(start)
        >>> round(values.win, 4), round(values.centred, 4)
        (0.6016, 0.5393)
        """
        return Values(*self._solution.values(position))

    def probabilities(self, position: Position) -> tuple[float, float, float, float, float]:
        """Win, win gammon, win backgammon, lose gammon, lose backgammon, nested. Errors are those of `values`.

        >>> start = Position.from_points({24: 1}, opponent={24: 1}, checkers=1)
        >>> [round(chance, 4) for chance in solve(checkers=1).probabilities(start)]
        [0.6016, 0.6016, 0.0796, 0.3984, 0.0331]
        """
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon, *_ = self._solution.values(position)
        return win, win_gammon, win_backgammon, lose_gammon, lose_backgammon

    def equity(
        self,
        position: Position,
        cube: CubeState = "none",
        *,
        no_double: bool = False,
        jacoby: bool | None = None,
    ) -> float:
        """The equity for the player on roll, both sides acting best from now on. A finished game is worth what it pays.

        Args:
            position: any position of the game.
            cube: "none" for a game in which nobody doubles, else the cube.
            no_double: the player on roll does not double this turn.
            jacoby: whether gammons count single while the cube is centred (rule 7.6); None for `self.jacoby`.

        Raises:
            NotInDatabaseError: unless both sides have the game's number of checkers, those off included.

        >>> from gammon.cube import Cube
        >>> start = Position.from_points({24: 1}, opponent={24: 1}, checkers=1)
        >>> one = solve(checkers=1)
        >>> round(one.equity(start), 4), round(one.equity(start, Cube(2, "player")), 4)
        (0.4528, 0.7727)
        """
        return self._solution.value(position, _state(cube), self._rule(jacoby), no_double)

    def equities(
        self,
        positions: NDArray[np.int8],
        cube: CubeState = "none",
        *,
        no_double: bool = False,
        jacoby: bool | None = None,
        threads: int | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The equities of many positions, int8[N, 28]: float64[N], and bool[N], which of them belong to the game.

        Rows that do not are NaN. Raises `ArrayError` for an array of another dtype or shape.

        >>> rows = Position.from_points({24: 1}, opponent={24: 1}, checkers=1).to_array()[None]
        >>> equities, known = solve(checkers=1).equities(rows)
        >>> equities.round(4).tolist(), known.tolist()
        ([0.4528], [True])
        """
        return self._solution.lookup(positions, _state(cube), self._rule(jacoby), no_double, threads)

    def best_play(
        self, position: Position, roll: Roll | str, cube: CubeState = "none", *, jacoby: bool | None = None
    ) -> tuple[Play, float]:
        """The best play of a roll and its equity; of equal plays the first in canonical order.

        A dance is the empty play. Errors are those of `equity`; a finished game raises `InvalidArgumentError`.

        >>> position = Position.from_points({24: 1}, opponent={18: 1}, checkers=1)
        >>> play, equity = solve(checkers=1).best_play(position, "61")
        >>> str(play), round(equity, 4)
        ('24/17', -0.1474)
        """
        if position.is_over:
            raise InvalidArgumentError(f"the game is over: {position!r}")
        state, rule = _state(cube), self._rule(jacoby)
        best = self._solution.best_play(position, roll, state, rule)
        if best is not None:
            return best
        dance = position.play("", roll)
        return dance, -self._solution.value(dance.next, _flipped(state), rule, False)

    def cube_action(self, position: Position, cube: Cube | None = None, *, jacoby: bool | None = None) -> CubeAction:
        """What to do with the cube before rolling, and what that is worth; a centred cube of 1 if None.

        Where two actions are equally good, doubling and taking are named. Errors are those of `equity`.

        >>> start = Position.from_points({24: 1}, opponent={24: 1}, checkers=1)
        >>> solve(checkers=1).cube_action(start).action
        'double/take'
        """
        return _answered(cube, lambda state: self._solution.cube_action(position, state, self._rule(jacoby)))

    def _rule(self, jacoby: bool | None) -> bool:
        return self._jacoby if jacoby is None else bool(jacoby)

    def __repr__(self) -> str:
        """How it was made."""
        more = ", jacoby=True" if self._jacoby else ""
        if self._path is not None:
            return f"hypergammon.open({self._path!r}{more})"
        return f"hypergammon.solve(checkers={self.checkers}{more}, tolerance={self._tolerance!r})"

    def __reduce__(self) -> tuple[Callable[..., Hypergammon], tuple[Any, ...]]:
        """Pickles hold the path, or how to solve it again."""
        if self._path is not None:
            return _reopen, (self._path, self._jacoby)
        return _resolve, (self.checkers, self._jacoby, self._tolerance)


def _reopen(path: str, jacoby: bool) -> Hypergammon:
    return open(path, jacoby=jacoby)


def _resolve(checkers: int, jacoby: bool, tolerance: float) -> Hypergammon:
    return solve(checkers, jacoby=jacoby, tolerance=tolerance)


def _flipped(state: tuple[str | None, int] | None) -> tuple[str | None, int] | None:
    """The cube as the other player sees it."""
    if state is None or state[0] is None:
        return state
    return ("opponent" if state[0] == "player" else "player"), state[1]


def solve(
    checkers: int = 3,
    *,
    jacoby: bool = False,
    tolerance: float = 1e-9,
    path: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Hypergammon:
    """Solves hypergammon: bounds of every value from below and from above close in until they are near enough.

    Three checkers a side are 8 million positions (``docs/hypergammon.md`` has the times); one and two take moments.

    Args:
        checkers: 1 to 3 for each side.
        jacoby: whether a centred cube means the Jacoby rule unless a question says otherwise; both are solved.
        tolerance: the largest error of any value, 1e-12 to 1.
        path: a file to write to, which look-ups then read from.
        threads: None for one on each core; the result is the same for any number.
        progress: a callable (done, total), or True for a bar.

    Raises:
        InvalidArgumentError: for another number of checkers, or a tolerance out of range.
        OSError: if writing fails.
        Interrupted: on Ctrl-C.

    >>> solution = solve(checkers=1, tolerance=1e-6)
    >>> solution.positions, solution.error_bound <= 1e-6
    (651, True)
    """
    if isinstance(checkers, bool) or not isinstance(checkers, int) or not 1 <= checkers <= 3:
        raise InvalidArgumentError(f"checkers is 1, 2 or 3, not {checkers!r}")
    tolerance = float(tolerance)
    if not (math.isfinite(tolerance) and 1e-12 <= tolerance <= 1.0):
        raise InvalidArgumentError(f"tolerance is 1e-12 to 1, not {tolerance!r}")
    place = None if path is None else renamed_target(path)
    with reporter(progress, "hypergammon") as report, interruptible():
        solution = _core.Hypergammon.solve(checkers, tolerance, threads, report)
    if place is None:
        return Hypergammon._of(solution, jacoby=jacoby, path=None, tolerance=tolerance)
    solution.save(place)
    return open(place, jacoby=jacoby)


def open(path: str | os.PathLike[str], *, jacoby: bool = False) -> Hypergammon:
    """Opens a file that `solve` or `save` wrote. Look-ups read from it; `verify` checks all of it.

    Args:
        path: the file.
        jacoby: whether a centred cube means the Jacoby rule unless a question says otherwise.

    Raises:
        FileFormatError: if it is damaged, cut off or something else.
        OSError: if it cannot be read.

    >>> import pathlib, tempfile
    >>> from gammon import hypergammon
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "one.hyper")
    ...     solved = hypergammon.solve(checkers=1, path=path)
    ...     hypergammon.open(path).positions == solved.positions
    True
    """
    place = os.fspath(path)
    return Hypergammon._of(_core.Hypergammon.open(place), jacoby=jacoby, path=place, tolerance=math.nan)
