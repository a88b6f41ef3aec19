"""Positions out of simulated games: each once, sampled by class, in memory that does not grow with the games."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gammon import batch
from gammon._long_work import Progress, reporter
from gammon._ray import Ranges
from gammon.dice import _seed
from gammon.errors import Interrupted, InvalidArgumentError
from gammon.simulation._dataset import (
    MANIFEST,
    Compression,
    Dataset,
    EncodedPart,
    FileFormat,
    Writer,
    check_files,
    check_format,
    compression_of,
    encoded,
    read_columns,
    read_manifest,
)
from gammon.simulation._result import PLAY, last_of_game

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PositionTable", "Positions", "collect_positions"]

MOST_PARTS = 1 << 16
_HELD = 1 << 20
"""Rows that are held before equal ones among them are put together."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclasses.dataclass(frozen=True, eq=False)
class PositionTable:
    """One row for each distinct position before a roll, seen by the player on roll, in the order of their bytes.

    Attributes:
        positions: int8[N, 28].
        classes: uint8[N], places in `gammon.batch.CLASSES`.
        counts: uint64[N], how often it came up.
        points: int64[N], what the player on roll won in all of those games, stake and cube included.
        wins: uint64[N], how many of them that player won.
        evaluations: float32[N, 5], the five probabilities; None if the games were not evaluated.

    >>> import gammon, tempfile
    >>> from gammon.simulation import collect_positions
    >>> with tempfile.TemporaryDirectory() as place:
    ...     result = gammon.simulate(10, seed=1, out=place + "/games", record=True)
    ...     table = next(collect_positions(place + "/games", place + "/positions", buckets=1).tables())
    >>> len(table) == len(table.counts) <= result.plies
    True
    """

    positions: NDArray[np.int8]
    classes: NDArray[np.uint8]
    counts: NDArray[np.uint64]
    points: NDArray[np.int64]
    wins: NDArray[np.uint64]
    evaluations: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.positions)


@dataclasses.dataclass(frozen=True)
class _Settings:
    """All that the bytes of the files depend on."""

    FORMAT: ClassVar[str] = "gammon positions"

    source: str
    """The SHA-256 checksum of the checksums of the files that the positions are from."""
    shares: tuple[float, ...]
    seed: int
    buckets: int
    file_format: FileFormat
    compression: Compression
    checkers: int | None = 15
    """How many each side has; None if they are not equal."""

    def to_dict(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "shares": list(self.shares)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> _Settings:
        return cls(**{**data, "shares": tuple(data["shares"])})

    def parts(self) -> Ranges:
        return Ranges.of(self.buckets, 1)


class Positions:
    """A directory that `collect_positions` has written.

    Args:
        path: the directory.
        check: whether to compare the checksum of every file with the manifest.

    Raises `FileFormatError` for what is no such directory, and `FileNotFoundError` if there is none.

    Attributes:
        complete: whether all of it is there.

    >>> import gammon, tempfile
    >>> from gammon.simulation import Positions, collect_positions
    >>> with tempfile.TemporaryDirectory() as place:
    ...     result = gammon.simulate(10, seed=1, out=place + "/games", record=True)
    ...     written = collect_positions(place + "/games", place + "/positions", buckets=2)
    ...     found = Positions(place + "/positions")
    ...     found.complete, len(found) == len(written)
    (True, True)
    """

    def __init__(self, path: str | os.PathLike[str], *, check: bool = True) -> None:
        self.path = Path(path)
        self._settings, _, self._parts = read_manifest(self.path, _Settings)
        self.complete: bool = len(self._parts) == len(self._settings.parts())
        if check:
            check_files(self.path, self._parts)

    def __len__(self) -> int:
        """How many positions there are."""
        return sum(part["files"]["positions"]["rows"] for part in self._parts)

    def tables(self) -> Iterator[PositionTable]:
        """The positions, part by part. No position is in two parts.

        >>> import gammon, tempfile
        >>> with tempfile.TemporaryDirectory() as place:
        ...     result = gammon.simulate(10, seed=1, out=place + "/games", record=True)
        ...     written = collect_positions(place + "/games", place + "/positions", buckets=2)
        ...     [table.positions.dtype.name for table in written.tables()]
        ['int8', 'int8']
        """
        for part in self._parts:
            name = part["files"]["positions"]["name"]
            settings = self._settings
            yield PositionTable(**read_columns(self.path / name, settings.file_format, settings.checkers))


def collect_positions(
    source: str | os.PathLike[str] | Dataset,
    out: str | os.PathLike[str],
    *,
    shares: Mapping[str, float] | None = None,
    seed: int | None = 0,
    buckets: int = 16,
    resume: bool = False,
    file_format: FileFormat = "parquet",
    compression: Compression = "bits",
    progress: Progress = None,
) -> Positions:
    """The distinct positions of a data set of games, or a share of each class of them.

    Positions fall into `buckets` by a hash. For each bucket the games are read once, so memory holds the distinct
    positions of one bucket, and time grows with the number of buckets. A position is taken or left as a whole, by a
    hash with `seed`, so counts and results of those that are taken are complete.

    Args:
        source: games with every action recorded; all of them, so the data set is complete.
        out: a directory of its own.
        shares: the share of the positions of each class that is taken, 0 to 1; 1 for those that are not named. The
            classes are those of `gammon.batch.CLASSES`.
        seed: 0 to 2**64 - 1; None draws one, or goes on with that of what is resumed.
        buckets: the number of parts, 1 to 65,536. A row takes about 50 bytes of memory.
        resume: go on with what `out` holds already. The files come out the same as without an interruption.
        file_format, compression: as in `gammon.simulate`.
        progress: a callable (done, total) in buckets x parts, or True for a bar.

    Raises:
        InvalidArgumentError: for games that were not recorded or are not complete; a class that there is not; numbers
            out of range; other settings than those that are resumed.
        FileFormatError: for damaged files.
        Interrupted: on Ctrl-C. Finished parts stay, and `resume` goes on with them.

    >>> import gammon, tempfile
    >>> from gammon.simulation import collect_positions
    >>> with tempfile.TemporaryDirectory() as place:
    ...     result = gammon.simulate(50, seed=1, out=place + "/games", record=True)
    ...     found = collect_positions(place + "/games", place + "/positions", buckets=2)
    ...     sum(int(table.counts.sum()) for table in found.tables()) == result.plies
    True
    """
    games = source if isinstance(source, Dataset) else Dataset(source)
    games._recorded()
    if not games.complete:
        raise InvalidArgumentError(f"{games.path} is not complete: resume its simulation first")
    if isinstance(buckets, bool) or not isinstance(buckets, int) or not 1 <= buckets <= MOST_PARTS:
        raise InvalidArgumentError(f"buckets is a whole number from 1 to {MOST_PARTS}, not {buckets!r}")
    wanted = _shares(shares or {})
    if seed is None and resume and (Path(out) / MANIFEST).exists():
        seed = Positions(out, check=False)._settings.seed
    check_format(file_format, compression)
    checkers = games.settings.checkers
    compression = compression_of(file_format, compression, checkers)
    settings = _Settings(_checksum(games), wanted, _seed(seed), buckets, file_format, compression, checkers)
    writer = Writer(out, settings, resume=resume)
    total = buckets * max(1, len(games))
    try:
        with reporter(progress, "collect", "parts") as report:
            for bucket, _ in writer.left():
                held, waiting = _nothing(games), []
                for place, part in enumerate(_rows(games, settings, bucket)):
                    waiting.append(part)
                    if sum(len(rows["counts"]) for rows in waiting) > max(_HELD, len(held["counts"])):
                        held, waiting = _united([held, *waiting]), []
                    if report is not None:
                        report(bucket * len(games) + place + 1, total)
                table = _united([held, *waiting])
                writer.add(EncodedPart(encoded(settings, {"positions": table}), {"rows": len(table["counts"])}))
    except KeyboardInterrupt as error:
        raise Interrupted(f"interrupted after {writer.done} of {buckets} parts") from error
    return Positions(out, check=False)


def _shares(shares: Mapping[str, float]) -> tuple[float, ...]:
    for name, share in shares.items():
        if name not in batch.CLASSES:
            raise InvalidArgumentError(f"shares: a class is one of {', '.join(batch.CLASSES)}, not {name!r}")
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise InvalidArgumentError(f"shares: a share is a number from 0 to 1, not {share!r}")
    return tuple(float(shares.get(name, 1)) for name in batch.CLASSES)


def _checksum(games: Dataset) -> str:
    sums = (entry["sha256"] for part in games._parts for entry in part["files"].values())
    return hashlib.sha256("".join(sums).encode()).hexdigest()


def _hashed(positions: NDArray[np.int8], seed: int) -> NDArray[np.uint64]:
    """A number for each position that looks random, the same on every machine."""
    words = np.ascontiguousarray(positions).view("<u4").astype(np.uint64)
    mixed = np.full(len(words), np.uint64(seed))
    for word in words.T:
        # The last steps of SplitMix64, after each word.
        mixed = (mixed ^ word) * _GOLDEN
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return mixed


def _rows(games: Dataset, settings: _Settings, bucket: int) -> Iterator[dict[str, Any]]:
    """The rows of a bucket, part by part of the games: a position with one count each."""
    names = ["game", "number", "player", "action", "positions", "evaluations"]
    if games.settings.evaluator is None:
        names.pop()
    shares = np.array(settings.shares)
    for part in games._parts:
        turns = games._read(part, "turns", names)
        rows = np.flatnonzero(turns["action"] == PLAY)
        positions = turns["positions"][rows]
        rows = rows[_hashed(positions, 0) % np.uint64(settings.buckets) == bucket]
        positions = turns["positions"][rows]
        classes = batch.classes(positions)
        # 53 bits make an exact float below 1.
        taken = (_hashed(positions, settings.seed) >> np.uint64(11)).astype(np.float64) * 2.0**-53 < shares[classes]
        rows, positions, classes = rows[taken], positions[taken], classes[taken]
        ends = games._read(part, "games", ["points"])
        # Both tables are in the order of games: a row is of the game that so many games before it have ended.
        ended = last_of_game(turns)
        points = ends["points"][(np.cumsum(ended) - ended)[rows]]
        points = np.where(turns["player"][rows] == 0, points, -points)
        columns = {
            "positions": positions,
            "classes": classes,
            "counts": np.ones(len(rows), dtype=np.uint64),
            "points": points,
            "wins": (points > 0).astype(np.uint64),
        }
        if games.settings.evaluator is not None:
            columns["evaluations"] = turns["evaluations"][rows]
        yield columns


def _nothing(games: Dataset) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "positions": np.zeros((0, 28), dtype=np.int8),
        "classes": np.zeros(0, dtype=np.uint8),
        "counts": np.zeros(0, dtype=np.uint64),
        "points": np.zeros(0, dtype=np.int64),
        "wins": np.zeros(0, dtype=np.uint64),
    }
    if games.settings.evaluator is not None:
        columns["evaluations"] = np.zeros((0, 5), dtype=np.float32)
    return columns


def _united(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Equal positions in one row, in the order of their bytes."""
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    positions = np.ascontiguousarray(columns["positions"])
    whole = positions.view(np.dtype((np.void, 28))).ravel()
    _, first, places = np.unique(whole, return_index=True, return_inverse=True)
    united = {}
    for name, values in columns.items():
        if name in ("counts", "points", "wins"):
            sums = np.zeros(len(first), dtype=values.dtype)
            np.add.at(sums, places, values)
            united[name] = sums
        else:
            united[name] = values[first]
    return united
