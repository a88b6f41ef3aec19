"""Bear-off databases of GNU Backgammon."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gammon import _core
from gammon.bearoff._onesided import OneSided
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

__all__ = ["GnubgTwoSided", "open_gnubg"]


class GnubgTwoSided:
    """A two-sided database of GNU Backgammon, asked as `TwoSided` is.

    Equities are multiples of the cube as it lies. They were cut to 16 bits at each step, so they drift: by up to 4 to 5
    units of 1/32767.5. There are no gammons: a side that has borne off none raises `NotInDatabaseError`.

    Open one with `open_gnubg`.

    >>> import pathlib, tempfile
    >>> from gammon.bearoff import TwoSided
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gnubg_ts.bd")
    ...     TwoSided.build(points=6, checkers=2).save_gnubg(path)
    ...     table = open_gnubg(path)
    >>> table.points, table.checkers, round(table.equity(Position.from_points({6: 1}, opponent={1: 1}, checkers=15)), 3)
    (6, 2, 0.5)
    """

    __slots__ = ("_path", "_table")
    _path: str
    _table: _core.GnubgTwoSided

    def __init__(self) -> None:
        """Databases are opened."""
        raise TypeError("open a GnubgTwoSided with gammon.bearoff.open_gnubg")

    @classmethod
    def _of(cls, table: _core.GnubgTwoSided, path: str) -> GnubgTwoSided:
        self = object.__new__(cls)
        self._table = table
        self._path = path
        return self

    @property
    def points(self) -> int:
        """The points that it covers.

        >>> import tempfile
        >>> from gammon.bearoff import TwoSided
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TwoSided.build(points=6, checkers=2).save_gnubg(folder + "/gnubg_ts.bd")
        ...     open_gnubg(folder + "/gnubg_ts.bd").points
        6
        """
        return self._table.points

    @property
    def checkers(self) -> int:
        """The most checkers of each side.

        >>> import tempfile
        >>> from gammon.bearoff import TwoSided
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TwoSided.build(points=6, checkers=2).save_gnubg(folder + "/gnubg_ts.bd")
        ...     open_gnubg(folder + "/gnubg_ts.bd").checkers
        2
        """
        return self._table.checkers

    @property
    def cubeful(self) -> bool:
        """Whether a cube can be asked for.

        >>> import tempfile
        >>> from gammon.bearoff import TwoSided
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TwoSided.build(points=6, checkers=2, cubeful=False).save_gnubg(folder + "/gnubg_ts.bd")
        ...     open_gnubg(folder + "/gnubg_ts.bd").cubeful
        False
        """
        return self._table.cubeful

    @property
    def path(self) -> str:
        """Its file.

        >>> import tempfile
        >>> from gammon.bearoff import TwoSided
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TwoSided.build(points=6, checkers=2).save_gnubg(folder + "/gnubg_ts.bd")
        ...     open_gnubg(folder + "/gnubg_ts.bd").path == folder + "/gnubg_ts.bd"
        True
        """
        return self._path

    def equity(self, position: Position, cube: CubeState = "none", *, no_double: bool = False) -> float:
        """The equity for the player on roll, both sides acting best from now on.

        Args:
            position: without contact, within the database.
            cube: "none" for a game in which nobody doubles, else the cube.
            no_double: the player on roll does not double this turn.

        Raises:
            NotInDatabaseError: for contact, a position outside the database, and a side that has borne off none.
            InvalidArgumentError: for a cube asked of a cubeless database.

        >>> import tempfile
        >>> from gammon.bearoff import TwoSided
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TwoSided.build(points=6, checkers=2).save_gnubg(folder + "/gnubg_ts.bd")
        ...     table = open_gnubg(folder + "/gnubg_ts.bd")
        >>> round(table.equity(Position.from_points({6: 1}, opponent={1: 1})), 3)
        0.5
        """
        return self._table.value(position, _state(cube), no_double)

    def equities(
        self,
        positions: NDArray[np.int8],
        cube: CubeState = "none",
        *,
        no_double: bool = False,
        threads: int | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The equities of many positions, int8[N, 28]: float64[N], and bool[N], which of them the database holds.

        Rows that it does not hold are NaN. Errors are `InvalidArgumentError` as for `equity`, and `ArrayError`.

        >>> import tempfile
        >>> from gammon.bearoff import TwoSided
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TwoSided.build(points=6, checkers=2).save_gnubg(folder + "/gnubg_ts.bd")
        ...     table = open_gnubg(folder + "/gnubg_ts.bd")
        >>> equities, known = table.equities(Position.from_points({6: 1}, opponent={1: 1}).to_array()[None])
        >>> equities.round(3).tolist(), known.tolist()
        ([0.5], [True])
        """
        return self._table.lookup(positions, _state(cube), no_double, threads)

    def best_play(self, position: Position, roll: Roll | str, cube: CubeState = "none") -> tuple[Play, float]:
        """The best play of a roll and its equity; of equal plays the first in canonical order.

        Errors are those of `equity`; a finished game raises `InvalidArgumentError`.

        >>> import tempfile
        >>> from gammon.bearoff import TwoSided
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TwoSided.build(points=6, checkers=2).save_gnubg(folder + "/gnubg_ts.bd")
        ...     table = open_gnubg(folder + "/gnubg_ts.bd")
        >>> play, equity = table.best_play(Position.from_points({6: 1, 4: 1}, opponent={6: 1, 2: 1}), "21")
        >>> str(play), round(equity, 3)
        ('6/5 4/2', -0.314)
        """
        best = self._table.best_play(position, roll, _state(cube))
        if best is None:
            raise InvalidArgumentError(f"the game is over: {position!r}")
        return best

    def cube_action(self, position: Position, cube: Cube | None = None) -> CubeAction:
        """What to do with the cube before rolling; a centred cube of 1 if None. Errors are those of `equity`.

        >>> import tempfile
        >>> from gammon.bearoff import TwoSided
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TwoSided.build(points=6, checkers=2).save_gnubg(folder + "/gnubg_ts.bd")
        ...     table = open_gnubg(folder + "/gnubg_ts.bd")
        >>> table.cube_action(Position.from_points({6: 1}, opponent={1: 1})).action
        'double/take'
        """
        return _answered(cube, lambda state: self._table.cube_action(position, state))

    def save_gnubg(self, path: str | os.PathLike[str]) -> None:
        """Writes the database again, byte for byte. Raises `OSError` if writing fails.

        >>> import pathlib, tempfile
        >>> from gammon.bearoff import TwoSided
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     first, again = pathlib.Path(folder, "first.bd"), pathlib.Path(folder, "again.bd")
        ...     TwoSided.build(points=6, checkers=2).save_gnubg(first)
        ...     open_gnubg(first).save_gnubg(again)
        ...     first.read_bytes() == again.read_bytes()
        True
        """
        self._table.save_gnubg(renamed_target(path))

    def __repr__(self) -> str:
        """How it was opened."""
        return f"open_gnubg({self._path!r})"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Pickles hold the path."""
        return open_gnubg, (self._path,)


def open_gnubg(path: str | os.PathLike[str]) -> OneSided | GnubgTwoSided:
    """Reads a bear-off database of GNU Backgammon (`makebearoff`).

    One-sided ones may be compressed or not, with or without the gammon part; their probabilities are multiples of
    1/65535. Two-sided ones may be cubeful or not. Files without a header (`makebearoff -H`) and approximations by
    normal distributions (`makebearoff -n`) are refused. The whole file is read into memory and checked: distributions
    must be whole, finished games worth 1.

    Raises:
        FileFormatError: for anything else, and for a damaged or cut-off file.
        OSError: if it cannot be read.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gnubg_os.bd")
    ...     OneSided.default().save_gnubg(path)
    ...     table = open_gnubg(path)
    >>> table.distribution([0, 0, 0, 1]).round(4)
    array([0.    , 0.9444, 0.0556])
    """
    place = os.fspath(path)
    one_sided, two_sided = _core.open_gnubg(place)
    if one_sided is not None:
        return OneSided._of(one_sided, place, gnubg=True)
    assert two_sided is not None
    return GnubgTwoSided._of(two_sided, place)
