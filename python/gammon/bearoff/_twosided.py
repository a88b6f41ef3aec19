"""Two-sided databases: exact equities and match winning chances, with and without the cube."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from gammon import _core
from gammon._checks import whole
from gammon._long_work import Progress, interruptible, reporter
from gammon.dice import Roll
from gammon.errors import InvalidArgumentError
from gammon.files import renamed_target
from gammon.play import Play
from gammon.position import Position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gammon.cube import Cube, Ladder

__all__ = ["CubeAction", "Size", "TwoSided"]

CubeState: TypeAlias = 'Literal["none"] | Cube'
"""Where the cube is; "none" is a game in which nobody ever doubles."""
Seat: TypeAlias = Literal["player", "opponent"]
"""Who is on roll at a match score: the player of the first side or the one of the second."""

# By the numbers of the core's actions, in the words of gammon.cube, which stands above this package.
_VERDICTS = {0: "unavailable", 1: "no double", 3: "too good", 4: "double/take", 6: "double/drop"}
_MAX_POINTS = 18
_MAX_CHECKERS = 15


class Size(NamedTuple):
    """What building a table takes.

    >>> size = TwoSided.size(points=6, checkers=15, cubeful=False)
    >>> size.pairs, round(size.file_bytes / 1e9, 1)
    (2944581696, 6.2)
    """

    positions: tuple[int, int]
    """The positions of each side."""
    pairs: int
    """The pairs that are solved."""
    file_bytes: int
    """The bytes of the file."""
    memory_with_path: int
    """About how many bytes of memory a build into a file takes."""
    memory_without_path: int
    """About how many bytes of memory a build without a file takes."""


class CubeAction(NamedTuple):
    """What each action of the cube is worth to the player on roll: equity, or match winning chance at a score.

    NaN where the player may not double.

    >>> action = TwoSided.default().cube_action(Position.from_points({5: 1, 3: 1}, opponent={2: 2}))
    >>> action.action, round(action.no_double, 3)
    ('no double', -0.154)
    """

    no_double: float
    """Rolling without a double."""
    double_take: float
    """Doubling a cube that the opponent takes."""
    double_drop: float
    """Doubling a cube that the opponent drops."""
    best: float
    """The best of them, the opponent answering best."""
    action: str
    """As `gammon.cube.decide` words it: "no double", "double/take", "redouble/drop", "too good", "unavailable", ..."""


class TwoSided:
    """A two-sided bear-off database: both sides on their first points and past each other.

    Make one with `build`, `open` or `default`. Equities are multiples of the stake times the cube as it lies. They are
    kept in 16 bits: the quantum is 1/32767.5, or twice that where a gammon can be lost. Tables of up to 6 points by 8
    checkers are solved in double precision and rounded once; larger ones are solved on the rounded numbers
    (``docs/bearoff.md`` says how far off that gets).

    Gammons count where the loser has all 15 checkers left. A side that has borne off none and is short of 15 checkers
    could lose a gammon that the table does not know: such positions raise `NotInDatabaseError`.

    >>> from gammon import Position, Roll
    >>> from gammon.cube import Cube
    >>> table = TwoSided.build(points=6, checkers=3)
    >>> position = Position.from_points({6: 1}, opponent={1: 1})
    >>> round(table.equity(position), 4), round(table.equity(position, Cube()), 4)
    (0.5, 1.0)
    >>> play, equity = table.best_play(Position.from_points({6: 1, 4: 1}, opponent={6: 1, 2: 1}), Roll(2, 1))
    >>> str(play), round(equity, 3)
    ('6/5 4/2', -0.314)
    """

    __slots__ = ("_ladder", "_mmap", "_table")
    _ladder: Ladder | None
    _mmap: bool
    _table: _core.TwoSided

    def __init__(self) -> None:
        """Tables are built or opened."""
        raise TypeError("make a TwoSided with TwoSided.build, TwoSided.open or TwoSided.default")

    @classmethod
    def _of(cls, table: _core.TwoSided, ladder: Ladder | None = None, *, mmap: bool = True) -> TwoSided:
        self = object.__new__(cls)
        self._table = table
        self._ladder = ladder
        self._mmap = mmap
        return self

    @classmethod
    def build(
        cls,
        points: int = 6,
        checkers: int | tuple[int, int] = 6,
        *,
        cubeful: bool = True,
        jacoby: bool = False,
        ladder: Ladder | None = None,
        path: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> TwoSided:
        """Solves a table.

        Args:
            points: the first points of each side that it covers, 1 to 18.
            checkers: the most of each side, 1 to 15; a pair for sides that differ, either of which may be on roll. At a
                score the first is the player whose ladder it is.
            cubeful: also with the cube centred, owned, and owned by the opponent, both sides acting best.
            jacoby: also with the centred cube of rule 7.6, under which gammons count only once the cube is turned.
            ladder: what a game is worth at a match score (`gammon.cube.Ladder.match`): the table then holds match
                winning chances for every cube that can arise. A level whose cube the ladder values as dead though it
                may be turned is solved as it is played.
            path: a file to write to. It is needed for tables of more than 8 GiB, 6 points by 15 checkers with the cube
                among them. The table is streamed to ``PATH.partial``, beside a journal, and renamed when it is
                complete; an interrupted build goes on from there when it is started again.
            threads: None for one on each core; the result is the same for any number.
            progress: a callable (pairs done, pairs in all), or True for a bar.

        Raises:
            InvalidArgumentError: for a size that no table can have, or one too large for memory without a path.
            OSError: if the disk has too little room (before anything is written), or writing fails.
            Interrupted: on Ctrl-C; what was written to a path stays for the next build.

        >>> TwoSided.build(points=6, checkers=(3, 2))
        TwoSided.build(points=6, checkers=(3, 2), cubeful=True)
        """
        sides, values = _sizes(points, checkers, cubeful=cubeful, jacoby=jacoby, ladder=ladder)
        place = None if path is None else renamed_target(path)
        compiled = None if ladder is None else ladder.compiled()
        with reporter(progress, "two-sided table", "pairs") as report, interruptible():
            table = _core.TwoSided.build(points, sides, values, compiled, place, threads, report)
        return cls._of(table, ladder)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, mmap: bool = True) -> TwoSided:
        """Opens a file that `build` or `save` wrote.

        The header, the size and the checksum of the table of blocks are checked; the blocks only by `verify`.

        Args:
            path: the file.
            mmap: read it through a memory map, which is fastest. A file that is shortened while it is mapped ends the
                process; with False every look-up reads from the file.

        Raises:
            FileFormatError: if it is damaged, cut off or something else.
            OSError: if it cannot be read.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TwoSided.build(points=6, checkers=3).save(folder + "/table")
        ...     TwoSided.open(folder + "/table", mmap=False).pairs
        7056
        """
        return cls._of(_core.TwoSided.open(os.fspath(path), mmap), mmap=mmap)

    @classmethod
    def default(cls) -> TwoSided:
        """The table of 6 points by 6 checkers with the cube, built in memory on first use.

        >>> TwoSided.default() is TwoSided.default()
        True
        """
        return _default()

    @staticmethod
    def size(
        points: int = 6,
        checkers: int | tuple[int, int] = 6,
        *,
        cubeful: bool = True,
        jacoby: bool = False,
        ladder: Ladder | None = None,
    ) -> Size:
        """What building a table takes, without building it.

        Raises `InvalidArgumentError` for a size that no table can have.

        >>> size = TwoSided.size(points=6, checkers=15)
        >>> size.pairs, round(size.file_bytes / 1e9, 1)
        (2944581696, 24.8)
        """
        sides, values = _sizes(points, checkers, cubeful=cubeful, jacoby=jacoby, ladder=ladder)
        compiled = None if ladder is None else ladder.compiled()
        (first, second), *rest = _core.two_sided_size(points, sides, values, compiled)
        return Size((first, second), *rest)

    def save(self, path: str | os.PathLike[str], *, progress: Progress = None) -> None:
        """Writes the table to a file, by way of ``PATH.partial``.

        Raises `OSError` if the disk has too little room or writing fails, `Interrupted` on Ctrl-C.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TwoSided.build(points=6, checkers=3).save(folder + "/table")
        ...     TwoSided.open(folder + "/table", mmap=False).checkers
        (3, 3)
        """
        with reporter(progress, "save", "pairs") as report, interruptible():
            self._table.save(renamed_target(path), report)

    def save_gnubg(
        self,
        path: str | os.PathLike[str],
        *,
        like_gnu: bool = False,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        """Writes the table as GNU Backgammon's `makebearoff -t` would, for use there.

        Args:
            path: the file.
            like_gnu: solve it again in GNU Backgammon's 16-bit arithmetic: the file then has the same bytes as that of
                `makebearoff`. False rounds the values of this table, which drift less.
            threads: for `like_gnu`; None for one on each core.
            progress: a callable (pairs done, pairs in all), or True for a bar.

        Raises:
            FileFormatError: for what the format cannot hold: a match score, sides that differ, 15 checkers (it has no
                gammons), and files of more than 4 GiB.
            OSError: if writing fails.
            Interrupted: on Ctrl-C.

        >>> import tempfile
        >>> from gammon.bearoff import open_gnubg
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TwoSided.build(points=6, checkers=2).save_gnubg(folder + "/gnubg_ts.bd")
        ...     open_gnubg(folder + "/gnubg_ts.bd").cubeful
        True
        """
        with reporter(progress, "save", "pairs") as report, interruptible():
            _core.save_two_sided_gnubg(self._table, renamed_target(path), like_gnu, threads, report)

    def verify(self, *, progress: Progress = None) -> None:
        """Checks every block of its file against its checksum; a table in memory has none.

        Raises `FileFormatError` that names the first bad block, `Interrupted` on Ctrl-C.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TwoSided.build(points=6, checkers=3).save(folder + "/table")
        ...     TwoSided.open(folder + "/table", mmap=False).verify()
        """
        with reporter(progress, "verify", "pairs") as report, interruptible():
            self._table.verify(report)

    @property
    def points(self) -> int:
        """The points that it covers.

        >>> TwoSided.default().points
        6
        """
        return self._table.points

    @property
    def checkers(self) -> tuple[int, int]:
        """The most checkers of the two sides.

        >>> TwoSided.build(points=6, checkers=(3, 2)).checkers
        (3, 2)
        """
        first, second = self._table.checkers
        return first, second

    @property
    def cubeful(self) -> bool:
        """Whether a cube can be asked for.

        >>> TwoSided.default().cubeful
        True
        """
        return self._table.is_at_score or self._table.values > 1

    @property
    def jacoby(self) -> bool:
        """Whether it knows the centred cube of rule 7.6.

        >>> TwoSided.build(points=6, checkers=3, jacoby=True).jacoby
        True
        """
        return not self._table.is_at_score and self._table.values == 5

    @property
    def is_at_score(self) -> bool:
        """Whether it holds match winning chances instead of equities.

        >>> from gammon.cube import Ladder, Score
        >>> TwoSided.build(points=6, checkers=2, ladder=Ladder.match(Score(1, 1))).is_at_score
        True
        """
        return self._table.is_at_score

    @property
    def is_exact(self) -> bool:
        """Whether it was solved in double precision and rounded once.

        >>> TwoSided.default().is_exact
        True
        """
        return self._table.is_exact

    @property
    def pairs(self) -> int:
        """How many pairs of positions it answers.

        >>> TwoSided.default().pairs
        853776
        """
        return self._table.pairs

    @property
    def path(self) -> str | None:
        """Its file; None for a table in memory.

        >>> TwoSided.default().path is None
        True
        """
        place = self._table.path
        return None if place is None else os.fspath(place)

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
            position: without contact, within the table.
            cube: "none" for a game in which nobody doubles, else the cube, whose value does not matter for money.
            no_double: the player on roll does not double this turn.
            jacoby: whether gammons count single while the cube is centred (rule 7.6); None for what the table was
                built for.

        Raises:
            NotInDatabaseError: for contact, a position outside the table, a side that has borne off none and is short
                of 15 checkers, and a centred cube under rule 7.6 where that matters and the table was not built for it.
            InvalidArgumentError: for a cube asked of a cubeless table, or a table at a score.

        >>> from gammon.cube import Cube
        >>> position = Position.from_points({6: 1}, opponent={1: 1})
        >>> table = TwoSided.default()
        >>> round(table.equity(position), 3), round(table.equity(position, Cube(2, "player")), 3)
        (0.5, 1.0)
        """
        self._need_score(False, "equity", "mwc")
        return self._table.value(position, _state(cube), jacoby, 0, no_double)

    def equities(
        self,
        positions: NDArray[np.int8],
        cube: CubeState = "none",
        *,
        no_double: bool = False,
        jacoby: bool | None = None,
        threads: int | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The equities of many positions, int8[N, 28], and which of them the table holds.

        Returns:
            float64[N], NaN where `equity` raises NotInDatabaseError, and bool[N], False there.

        Raises:
            ArrayError: for an array of another dtype or shape.
            InvalidArgumentError: as `equity`.

        >>> import numpy as np
        >>> from gammon import Position
        >>> rows = [Position.from_points({2: 2}, opponent={1: 1}), Position.start()]
        >>> equities, known = TwoSided.default().equities(np.stack([row.to_array() for row in rows]))
        >>> equities.round(3).tolist(), known.tolist()
        ([0.444, nan], [True, False])
        """
        self._need_score(False, "equities", "mwcs")
        return self._table.lookup(positions, _state(cube), jacoby, 0, no_double, threads)

    def mwc(
        self,
        position: Position,
        cube: CubeState,
        *,
        on_roll: Seat = "player",
        no_double: bool = False,
    ) -> float:
        """The match winning chance of the player on roll, both sides acting best from now on.

        Args:
            position: without contact, within the table.
            cube: the cube, its value included, seen by the player on roll; "none" for a game in which nobody doubles.
            on_roll: "player" if the player whose ladder it is rolls, "opponent" if the other does.
            no_double: the player on roll does not double this turn.

        Raises:
            NotInDatabaseError: as `equity`, and for a cube that cannot arise at the score.
            InvalidArgumentError: for a table that is not at a score.

        >>> from gammon import Position
        >>> from gammon.cube import Cube, Ladder, Score
        >>> table = TwoSided.build(points=6, checkers=2, ladder=Ladder.match(Score(1, 1)))
        >>> round(table.mwc(Position.from_points({6: 1}, opponent={1: 1}), Cube()), 4)
        0.75
        """
        self._need_score(True, "mwc", "equity")
        return self._table.value(position, _state(cube), None, _seat(on_roll), no_double)

    def mwcs(
        self,
        positions: NDArray[np.int8],
        cube: CubeState,
        *,
        on_roll: Seat = "player",
        no_double: bool = False,
        threads: int | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The match winning chances of many positions, int8[N, 28], and which of them the table holds.

        float64[N], NaN where `mwc` raises NotInDatabaseError, and bool[N], False there.

        >>> from gammon.cube import Cube, Ladder, Score
        >>> table = TwoSided.build(points=6, checkers=2, ladder=Ladder.match(Score(1, 1)))
        >>> chances, known = table.mwcs(Position.from_points({6: 1}, opponent={1: 1}).to_array()[None], Cube())
        >>> chances.round(4).tolist(), known.tolist()
        ([0.75], [True])
        """
        self._need_score(True, "mwcs", "equities")
        return self._table.lookup(positions, _state(cube), None, _seat(on_roll), no_double, threads)

    def best_play(
        self,
        position: Position,
        roll: Roll | str,
        cube: CubeState = "none",
        *,
        jacoby: bool | None = None,
        on_roll: Seat = "player",
    ) -> tuple[Play, float]:
        """The best play of a roll and what it is worth to the player: equity, or match winning chance at a score.

        Of plays that are equally good the first in canonical order is taken. Arguments and errors are those of
        `equity` and `mwc`; a finished game raises `InvalidArgumentError`.

        >>> position = Position.from_points({6: 1, 4: 1}, opponent={6: 1, 2: 1})
        >>> play, equity = TwoSided.default().best_play(position, "21")
        >>> str(play), round(equity, 3)
        ('6/5 4/2', -0.314)
        """
        best = self._table.best_play(position, roll, _state(cube), jacoby, _seat(on_roll))
        if best is None:
            raise InvalidArgumentError(f"the game is over: {position!r}")
        return best

    def cube_action(
        self,
        position: Position,
        cube: Cube | None = None,
        *,
        jacoby: bool | None = None,
        on_roll: Seat = "player",
    ) -> CubeAction:
        """What to do with the cube before rolling, and what that is worth; a centred cube of 1 if None.

        Where two actions are equally good, doubling and taking are named. Arguments and errors are those of `equity`
        and `mwc`.

        >>> from gammon import Position
        >>> TwoSided.default().cube_action(Position.from_points({4: 1, 1: 1}, opponent={2: 1})).action
        'double/drop'
        """
        return _answered(cube, lambda state: self._table.cube_action(position, state, jacoby, _seat(on_roll)))

    def _need_score(self, wanted: bool, asked: str, other: str) -> None:
        if self._table.is_at_score is not wanted:
            kind = "is for money" if wanted else "is at a match score"
            raise InvalidArgumentError(f"the table {kind}: it has no {asked}, ask for {other}")

    def __repr__(self) -> str:
        """How it was made."""
        if self.path is not None:
            return f"TwoSided.open({self.path!r})" if self._mmap else f"TwoSided.open({self.path!r}, mmap=False)"
        first, second = self.checkers
        checkers = first if first == second else (first, second)
        more = f"ladder={self._ladder!r}" if self.is_at_score else f"cubeful={self.cubeful}"
        if self.jacoby:
            more += ", jacoby=True"
        return f"TwoSided.build(points={self.points}, checkers={checkers}, {more})"

    def __reduce__(self) -> tuple[Callable[..., TwoSided], tuple[Any, ...]]:
        """Pickles hold the path, or how to build it again."""
        if self.path is not None:
            return functools.partial(TwoSided.open, mmap=self._mmap), (self.path,)
        cubeful, jacoby = (True, False) if self.is_at_score else (self.cubeful, self.jacoby)
        return _rebuild, (self.points, self.checkers, cubeful, jacoby, self._ladder)


def _rebuild(points: int, checkers: tuple[int, int], cubeful: bool, jacoby: bool, ladder: Ladder | None) -> TwoSided:
    return TwoSided.build(points, checkers, cubeful=cubeful, jacoby=jacoby, ladder=ladder)


@functools.cache
def _default() -> TwoSided:
    return TwoSided.build()


def _sizes(
    points: int, checkers: int | tuple[int, int], *, cubeful: bool, jacoby: bool, ladder: Ladder | None
) -> tuple[tuple[int, int], int]:
    """The checkers of both sides and the numbers for each pair."""
    whole("points", points, 1, _MAX_POINTS)
    sides = checkers if isinstance(checkers, tuple) else (checkers, checkers)
    if len(sides) != 2:
        raise InvalidArgumentError(f"checkers is a number or a pair of them, not {checkers!r}")
    for side in sides:
        whole("checkers", side, 1, _MAX_CHECKERS)
    if jacoby and (ladder is not None or not cubeful):
        raise InvalidArgumentError("jacoby=True is for money with the cube: a ladder holds its own rules")
    if ladder is not None and not cubeful:
        raise InvalidArgumentError("a table at a score knows the cube; it also answers for a game without one")
    return sides, 5 if jacoby else 4 if cubeful else 1


def _state(cube: CubeState) -> tuple[str | None, int] | None:
    """The owner and the level of a cube."""
    if cube == "none":
        return None
    owner, value = getattr(cube, "owner", ""), getattr(cube, "value", 0)
    if owner == "" or not isinstance(value, int) or value < 1:
        raise InvalidArgumentError(f'cube is "none" or a gammon.cube.Cube, not {cube!r}')
    return owner, value.bit_length() - 1


def _answered(cube: Cube | None, ask: Callable[[tuple[str | None, int] | None], tuple[list[float], int]]) -> CubeAction:
    """What a table says of the cube, in words; a centred cube of 1 if None."""
    (no_double, take, drop, best), action = ask((None, 0) if cube is None else _state(cube))
    verdict = _VERDICTS[action]
    if cube is not None and cube.owner == "player":
        verdict = verdict.replace("double", "redouble")
    return CubeAction(no_double, take, drop, best, verdict)


def _seat(on_roll: Seat) -> int:
    if on_roll not in ("player", "opponent"):
        raise InvalidArgumentError(f"on_roll is 'player' or 'opponent', not {on_roll!r}")
    return 0 if on_roll == "player" else 1
