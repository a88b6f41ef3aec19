"""One-sided databases: how many rolls a side needs to bear off."""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from gammon import _core
from gammon._checks import whole
from gammon._long_work import Progress, interruptible, reporter
from gammon.errors import InvalidArgumentError
from gammon.files import renamed_target
from gammon.position import Position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["OneSided", "RaceChances"]

_MAX_POINTS = 18
_MAX_CHECKERS = 15


class RaceChances(NamedTuple):
    """What a race comes to, for the player on roll.

    >>> chances = OneSided.default().race_chances(Position.from_points({6: 2}, opponent={3: 2}))
    >>> round(chances.win, 4), chances.lose_gammon
    (0.4654, 0.0)
    """

    win: float
    """Winning at all."""
    win_gammon: float
    """Winning a gammon."""
    lose_gammon: float
    """Losing a gammon."""


class OneSided:
    """A one-sided bear-off database: for every position of one side the distribution of the rolls it needs.

    It is built in memory when it is made: ``OneSided()`` has 6 points and 15 checkers. Its distributions are exact to
    the precision of float64. Plays are those that minimise the mean number of rolls to bear off all checkers; for the
    first checker off, those that minimise that mean. Of plays with equal means the one that leads to the lowest index
    is made.

    `counts` are the checkers on the ace point, the two point, and so on; missing ones at the end are 0.

    Args:
        points: the first points that it covers, 1 to 18.
        checkers: the most checkers, 1 to 15. A side with that many has borne off none.
        threads: None for one on each core; the result is the same for any number.
        progress: a callable (positions done, positions in all), or True for a bar.

    Raises:
        InvalidArgumentError: for a size that does not exist, and one of more than 40 million positions (13 points by 15
            checkers have 37 million), with the positions and bytes it would take.
        Interrupted: on Ctrl-C.

    >>> table = OneSided(points=6, checkers=4)
    >>> table.distribution([0, 0, 0, 0, 0, 1])
    array([0.  , 0.75, 0.25])
    >>> round(table.mean_rolls([2, 1]), 3), round(table.epc([2, 1]), 3)
    (1.833, 14.972)
    """

    __slots__ = ("_path", "_table")
    _path: tuple[str, bool] | None
    _table: _core.OneSided

    def __init__(
        self,
        points: int = 6,
        checkers: int = 15,
        *,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        """Builds the table."""
        whole("points", points, 1, _MAX_POINTS)
        whole("checkers", checkers, 1, _MAX_CHECKERS)
        with reporter(progress, "one-sided table", "positions") as report, interruptible():
            self._table = _core.OneSided.build(points, checkers, threads, report)
        self._path = None

    @classmethod
    def _of(cls, table: _core.OneSided, path: str, *, gnubg: bool) -> OneSided:
        self = object.__new__(cls)
        self._table = table
        self._path = (path, gnubg)
        return self

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> OneSided:
        """Reads a file that `save` wrote.

        Raises:
            FileFormatError: if it is damaged, cut off or something else.
            OSError: if it cannot be read.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     OneSided(points=6, checkers=4).save(folder + "/table")
        ...     OneSided.open(folder + "/table").positions
        210
        """
        place = os.fspath(path)
        return cls._of(_core.OneSided.open(place), place, gnubg=False)

    @classmethod
    def default(cls) -> OneSided:
        """The table of 6 points by 15 checkers, built in memory on first use.

        >>> OneSided.default() is OneSided.default()
        True
        """
        return _default()

    @staticmethod
    def size(points: int = 6, checkers: int = 15) -> tuple[int, int]:
        """How many positions a table has, and about how many bytes of memory it takes, without building it.

        Raises `InvalidArgumentError` for a size that does not exist.

        >>> OneSided.size(points=13)[0]
        37442160
        """
        whole("points", points, 1, _MAX_POINTS)
        whole("checkers", checkers, 1, _MAX_CHECKERS)
        return _core.one_sided_size(points, checkers)

    def save(self, path: str | os.PathLike[str], *, precision: str = "float64") -> None:
        """Writes the table to a file, by way of ``PATH.partial``; ``docs/formats/bearoff-one-sided.md`` has its layout.

        Args:
            path: the file.
            precision: "float64" keeps every bit; "float32" makes a file of about half the size, with each probability
                rounded by at most 6e-8 of itself.

        Raises:
            InvalidArgumentError: for another precision.
            OSError: if writing fails.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     OneSided(points=6, checkers=4).save(folder + "/table", precision="float32")
        ...     round(OneSided.open(folder + "/table").mean_rolls([2, 1]), 3)
        1.833
        """
        if precision not in ("float64", "float32"):
            raise InvalidArgumentError(f"precision is 'float64' or 'float32', not {precision!r}")
        self._table.save(renamed_target(path), precision == "float32")

    def save_gnubg(
        self,
        path: str | os.PathLike[str],
        *,
        like_gnu: bool = False,
        compressed: bool = True,
        gammons: bool = True,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        """Writes the table as GNU Backgammon's `makebearoff -o` would, for use there.

        Args:
            path: the file.
            like_gnu: solve it again in GNU Backgammon's 16-bit arithmetic, which decides near-ties by rounding: the
                file then has the same bytes as that of `makebearoff`. False rounds the exact values.
            compressed: leave out zeros (False: as `makebearoff -c`).
            gammons: with the rolls to the first checker off (False: as `makebearoff -g`).
            threads: for `like_gnu`; None for one on each core.
            progress: for `like_gnu`; a callable (positions done, positions in all), or True for a bar.

        Raises:
            FileFormatError: for a table of fewer than 15 checkers, which the format does not have.
            OSError: if writing fails.
            Interrupted: on Ctrl-C.

        >>> import tempfile
        >>> from gammon.bearoff import open_gnubg
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     OneSided.default().save_gnubg(folder + "/gnubg_os.bd", gammons=False)
        ...     open_gnubg(folder + "/gnubg_os.bd").has_gammons
        False
        """
        place = renamed_target(path)
        if not like_gnu:
            self._table.save_gnubg(place, compressed, gammons)
            return
        with reporter(progress, "one-sided table", "positions") as report, interruptible():
            _core.save_one_sided_like_gnubg(place, self.points, self.checkers, compressed, gammons, threads, report)

    @property
    def points(self) -> int:
        """The points that it covers.

        >>> OneSided.default().points
        6
        """
        return self._table.points

    @property
    def checkers(self) -> int:
        """The most checkers that it covers.

        >>> OneSided.default().checkers
        15
        """
        return self._table.checkers

    @property
    def positions(self) -> int:
        """How many positions it has, the empty one included.

        >>> OneSided.default().positions
        54264
        """
        return self._table.positions

    @property
    def has_gammons(self) -> bool:
        """Whether it knows the rolls to the first checker off; a file of GNU Backgammon may not.

        >>> OneSided.default().has_gammons
        True
        """
        return self._table.has_gammons

    @property
    def nbytes(self) -> int:
        """The bytes of memory that it takes.

        >>> OneSided(points=6, checkers=4).nbytes < OneSided.default().nbytes
        True
        """
        return self._table.bytes

    def index(self, counts: Iterable[int]) -> int:
        """The number of a position, in the order of GNU Backgammon.

        Errors are those of `distribution`.

        >>> OneSided(points=6, checkers=2).index([2])
        7
        """
        return self._table.index(_counts(counts))

    def counts(self, index: int) -> tuple[int, ...]:
        """The checkers on each point of the position with a number.

        Raises `InvalidArgumentError` for a number outside 0 to `positions` - 1.

        >>> OneSided(points=6, checkers=2).counts(7)
        (2, 0, 0, 0, 0, 0)
        """
        if isinstance(index, bool) or not 0 <= operator.index(index) < self.positions:
            raise InvalidArgumentError(f"positions have numbers 0 to {self.positions - 1}, not {index!r}")
        return tuple(self._table.counts(index))

    def distribution(self, counts: Iterable[int]) -> NDArray[np.float64]:
        """The probabilities of bearing off all checkers in exactly 0, 1, 2, ... rolls: float64[K], adding up to 1.

        Raises:
            NotInDatabaseError: for more checkers or points than the table has.
            InvalidArgumentError: for counts that are none.

        >>> OneSided.default().distribution([0, 0, 0, 0, 0, 1])
        array([0.  , 0.75, 0.25])
        """
        return self._table.distribution(_counts(counts))

    def first_off_distribution(self, counts: Iterable[int]) -> NDArray[np.float64]:
        """The probabilities that the first checker is off after exactly 0, 1, 2, ... rolls: float64[K].

        A side with fewer checkers than the table goes up to has one off: [1.0]. Errors are those of `distribution`;
        `NotInDatabaseError` also for a table without these distributions.

        >>> OneSided.default().first_off_distribution([0, 0, 15]).round(4)
        array([0.000e+00, 9.722e-01, 2.700e-02, 8.000e-04, 0.000e+00])
        """
        return self._table.first_off_distribution(_counts(counts))

    def mean_rolls(self, counts: Iterable[int]) -> float:
        """The mean number of rolls to bear off all checkers.

        Errors are those of `distribution`.

        >>> OneSided.default().mean_rolls([0, 0, 0, 0, 0, 1])
        1.25
        """
        return self._table.moments(_counts(counts))[0]

    def variance(self, counts: Iterable[int]) -> float:
        """The variance of the number of rolls to bear off all checkers.

        Errors are those of `distribution`.

        >>> round(OneSided.default().variance([0, 0, 0, 0, 0, 1]), 4)
        0.1875
        """
        return self._table.moments(_counts(counts))[1]

    def epc(self, counts: Iterable[int]) -> float:
        """The effective pip count: the mean number of rolls times 49/6, the mean pips of a roll.

        Errors are those of `distribution`.

        >>> round(OneSided.default().epc([2, 1]), 3)
        14.972
        """
        return self._table.moments(_counts(counts))[2]

    def wastage(self, counts: Iterable[int]) -> float:
        """The effective pip count minus the pip count.

        Errors are those of `distribution`.

        >>> round(OneSided.default().wastage([2, 1]), 3)
        10.972
        """
        return self._table.moments(_counts(counts))[3]

    def win_probability(self, position: Position) -> float:
        """The chance that the player on roll bears off first, when each side plays to minimise its own mean.

        Raises `NotInDatabaseError` for contact, the bar, and a side outside the table.

        >>> OneSided.default().win_probability(Position.from_points({6: 1}, opponent={1: 1}))
        0.75
        """
        return self._table.win_probability(position)

    def win_probabilities(self, positions: NDArray[np.int8]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """`win_probability` of many positions, int8[N, 28]: float64[N], and bool[N], which of them the table holds.

        Rows that it does not hold are NaN. Raises `ArrayError` for an array of another dtype or shape.

        >>> import numpy as np
        >>> rows = [Position.from_points({6: 1}, opponent={1: 1}), Position.start()]
        >>> chances, known = OneSided.default().win_probabilities(np.stack([row.to_array() for row in rows]))
        >>> chances.tolist(), known.tolist()
        ([0.75, nan], [True, False])
        """
        return self._table.win_probabilities(positions)

    def race_chances(self, position: Position) -> RaceChances:
        """The chances of winning, and of winning and losing a gammon.

        The winner of a gammon plays to bear off all checkers soon, the loser to bear off the first one soon. A side
        with a checker off loses no gammon.

        Raises:
            NotInDatabaseError: as `win_probability`; for a side that has none off without having all the checkers of
                the table; for a table without first checkers.

        >>> position = Position.from_points({1: 2}, opponent={6: 15})
        >>> chances = OneSided.default().race_chances(position)
        >>> chances.win, chances.win_gammon, chances.lose_gammon
        (1.0, 1.0, 0.0)
        """
        return RaceChances(*self._table.race_chances(position))

    def __eq__(self, other: object) -> bool:
        """Tables are equal if they are one."""
        return self is other

    def __hash__(self) -> int:
        """By identity."""
        return id(self)

    def __repr__(self) -> str:
        """How it was made."""
        if self._path is None:
            return f"OneSided(points={self.points}, checkers={self.checkers})"
        path, gnubg = self._path
        return f"open_gnubg({path!r})" if gnubg else f"OneSided.open({path!r})"

    def __reduce__(self) -> tuple[Callable[..., OneSided], tuple[Any, ...]]:
        """Pickles hold the path, or how to build it again."""
        if self._path is None:
            return OneSided, (self.points, self.checkers)
        path, gnubg = self._path
        return (_reopen_gnubg if gnubg else OneSided.open), (path,)


def _reopen_gnubg(path: str) -> OneSided:
    from gammon.bearoff._gnubg import open_gnubg

    table = open_gnubg(path)
    if not isinstance(table, OneSided):
        raise InvalidArgumentError(f"{path} is no longer a one-sided database")
    return table


@functools.cache
def _default() -> OneSided:
    return OneSided()


def _counts(counts: Iterable[int]) -> list[int]:
    """Checkers on each point, as whole numbers that a byte holds."""
    try:
        numbers = [operator.index(count) for count in counts]
    except TypeError:
        raise InvalidArgumentError(
            f"counts are checkers on the ace point, the two point, ..., not {counts!r}"
        ) from None
    if not all(0 <= number <= _MAX_CHECKERS for number in numbers):
        raise InvalidArgumentError(f"a point has 0 to {_MAX_CHECKERS} checkers: {numbers}")
    return numbers
