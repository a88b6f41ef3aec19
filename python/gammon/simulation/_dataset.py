"""Simulated games on disk: numbered parts, a manifest, and going on after an interruption."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import itertools
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from gammon import batch
from gammon._core import __version__
from gammon._ray import Ranges
from gammon.errors import (
    FileFormatError,
    InvalidArgumentError,
    InvalidPositionError,
    MissingExtraError,
    NotationError,
)
from gammon.files import read_small, whole
from gammon.position import Position
from gammon.rules import Rules
from gammon.simulation._result import GameTable, TurnTable, game_table, turn_table

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor
    from types import ModuleType

__all__ = ["Answer", "Dataset", "EncodedPart", "Settings", "Writer", "encode"]

Answer: TypeAlias = "dict[str, dict[str, Any]]"
"""What the core says of the games that it has played: sums and tables."""

VERSION = 2
"""Of what is written. Version 1 is read: it has no "bits", and its parts are in the manifest."""
_READ = (1, VERSION)
MANIFEST = "manifest.json"
PARTS = "parts.jsonl"
ROW_GROUP = 1 << 18
LONGEST_PART = 1 << 20
"""Bytes of the line of a part: one that is written has about a thousand at most."""

FileFormat: TypeAlias = Literal["parquet", "numpy"]
ENDINGS = {"parquet": "parquet", "numpy": "npz"}
Compression: TypeAlias = Literal["bits", "zstd", "lz4", "none"]
COMPRESSIONS = ("bits", "zstd", "lz4", "none")

_POSITIONS = ("positions", "last")
"""Columns that "bits" is for."""
KEY_BYTES = 10


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("data sets need pyarrow: pip install 'gammon[data]'") from error
    return pyarrow, pyarrow.parquet


Content: TypeAlias = "Any"
"""The bytes of a file, or a buffer with them."""


ReadPlan = TypeVar("ReadPlan", bound="Plan")


class Plan(Protocol):
    """What a directory is filled with, part by part: all that its bytes depend on."""

    FORMAT: ClassVar[str]

    @property
    def file_format(self) -> FileFormat:
        """What kind of files they are."""
        ...

    @property
    def compression(self) -> Compression:
        """Of positions in Parquet."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        ...

    @classmethod
    def from_dict(cls: type[ReadPlan], data: dict[str, Any]) -> ReadPlan:
        """The plan again."""
        ...

    def parts(self) -> Ranges:
        """The first unit of each part and the one after its last."""
        ...


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a data set of games holds: all that its bytes depend on."""

    FORMAT: ClassVar[str] = "gammon simulation"

    n: int
    players: tuple[str, str]
    models: tuple[str | None, str | None]
    """The SHA-256 checksum of each player's model file, None for who has none."""
    rules: Rules | None
    variant: str
    paired: bool
    seed: int
    record: bool
    part_games: int
    evaluator: str | None = None
    """The SHA-256 checksum of the model file whose evaluations are kept; None if there are none."""
    file_format: FileFormat = "parquet"
    compression: Compression = "bits"

    @property
    def checkers(self) -> int | None:
        """How many each side has; None if they are not equal."""
        return checkers_of(self.rules, self.variant)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        from gammon.match import _codec as codec

        data = dataclasses.asdict(self)
        data["players"] = list(self.players)
        data["models"] = list(self.models)
        data["rules"] = None if self.rules is None else codec.rules_to_dict(self.rules)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Settings:
        """The settings again."""
        from gammon.match import _codec as codec

        rules = None if data["rules"] is None else codec.rules_from_dict(data["rules"], "settings.rules")
        return cls(**{**data, "players": tuple(data["players"]), "models": tuple(data["models"]), "rules": rules})

    def parts(self) -> Ranges:
        """The first unit of each part and the one after its last."""
        return Ranges.of(self.n, self.part_games)


class EncodedPart(NamedTuple):
    """A part of a data set as the bytes of its files."""

    files: dict[str, tuple[Content, int]]
    """Content and rows of each kind of table."""
    sums: dict[str, Any]


def encode(settings: Settings, answer: Answer) -> EncodedPart:
    """What the games of a part left, as files: the same bytes wherever it is done."""
    tables = {"games": answer["games"]}
    if settings.record:
        tables["turns"] = answer["acts"]
    return EncodedPart(encoded(settings, tables), answer["sums"])


def encoded(settings: Plan, tables: dict[str, dict[str, Any]]) -> dict[str, tuple[Content, int]]:
    """Tables as files, with their rows."""
    if settings.file_format == "numpy":
        return {kind: _npz(columns) for kind, columns in tables.items()}
    return {kind: _parquet(columns, settings.compression) for kind, columns in tables.items()}


def _parquet(columns: dict[str, Any], compression: Compression) -> tuple[Content, int]:
    pyarrow, parquet = _pyarrow()
    if compression == "bits":
        columns = {key: _bits(values) if key in _POSITIONS else values for key, values in columns.items()}
    arrays = {key: _column(pyarrow, values) for key, values in columns.items()}
    # No column has empty places, and none has to come back as a type that only Arrow knows.
    schema = pyarrow.schema([pyarrow.field(key, values.type, nullable=False) for key, values in arrays.items()])
    table = pyarrow.table(arrays, schema=schema)
    sink = pyarrow.BufferOutputStream()
    # Dictionaries, delta encodings and statistics cost more than they save: LZ4 finds the runs of plain numbers in less
    # time than any of them takes, and in half that of Zstandard.
    plain = "zstd" if compression == "zstd" else "lz4"
    wide = "none" if compression == "bits" else compression
    methods = {key: wide if values.ndim > 1 else plain for key, values in columns.items()}
    parquet.write_table(
        table,
        sink,
        compression=methods,
        use_dictionary=False,
        write_statistics=False,
        store_schema=False,
        row_group_size=ROW_GROUP,
    )
    return sink.getvalue(), table.num_rows


def _bits(positions: Any) -> Any:
    """Positions as the bits of their IDs; what are bits already stays."""
    return batch.to_keys(positions) if positions.dtype == np.int8 else positions


def _npz(columns: dict[str, Any]) -> tuple[Content, int]:
    """A file of `numpy.savez`, without the time of day in it."""
    import zipfile

    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for key, values in columns.items():
            entry = zipfile.ZipInfo(f"{key}.npy")
            entry.create_system = 3
            with archive.open(entry, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.ascontiguousarray(values), allow_pickle=False)
    return content.getvalue(), len(next(iter(columns.values())))


def check_format(file_format: str, compression: str) -> None:
    """Refuses what there is not, and Parquet without pyarrow."""
    if file_format not in ENDINGS:
        raise InvalidArgumentError(f"file_format is 'parquet' or 'numpy', not {file_format!r}")
    if compression not in COMPRESSIONS:
        known = ", ".join(map(repr, COMPRESSIONS))
        raise InvalidArgumentError(f"compression is one of {known}, not {compression!r}")
    if file_format == "numpy" and compression != "bits":
        raise InvalidArgumentError(f"compression {compression!r} is for Parquet: numpy's files are not compressed")
    if file_format == "parquet":
        _pyarrow()


def checkers_of(rules: Rules | None, variant: str) -> int | None:
    """How many checkers each side has; None if one has more than the other, which the bits of an ID do not show."""
    start = Position.start(variant) if rules is None else rules.position
    cells = start.to_array()
    own, opponent = (int(np.maximum(side[1:27], 0).sum()) for side in (cells, start.flip().to_array()))
    return own if own == opponent else None


def compression_of(file_format: FileFormat, compression: Compression, checkers: int | None) -> Compression:
    """What is done to positions: numpy's files are plain, and unequal sides have no bits."""
    if file_format == "numpy":
        return "none"
    return "zstd" if compression == "bits" and checkers is None else compression


def added(one: Any, other: Any) -> Any:
    """Sums of the same shape, added."""
    if isinstance(one, dict):
        return {key: added(one[key], other[key]) for key in one}
    if isinstance(one, (list, tuple)):
        return [added(a, b) for a, b in zip(one, other, strict=True)]
    return one + other


class Writer:
    """A directory that is filled part by part. What is listed is finished and never touched again.

    Attributes:
        done: how many parts are finished.
        sums: what they sum up to; None of none.
    """

    def __init__(self, path: str | os.PathLike[str], settings: Plan, *, resume: bool) -> None:
        self.path = Path(path)
        self.settings = settings
        self.done = 0
        self.sums: dict[str, Any] | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._writing: Future[None] | None = None
        if resume and (self.path / MANIFEST).exists():
            for part in _resumed(self.path, settings):
                self._count(part)
            return
        if self.path.exists() and (not self.path.is_dir() or not _nothing_in(self.path)):
            there = (self.path / MANIFEST).exists()
            what = "resume=True goes on with it" if there else "a data set gets a directory of its own"
            raise InvalidArgumentError(f"out: {self.path} is there and not empty: {what}")
        self.path.mkdir(parents=True, exist_ok=True)
        self._write_manifest()

    def left(self) -> Ranges:
        """The parts that are still to be played."""
        return self.settings.parts()[self.done :]

    def __enter__(self) -> Writer:
        # Loaded where files are written: everything else starts sooner without it.
        from concurrent.futures import ThreadPoolExecutor

        self._thread = ThreadPoolExecutor(1)
        return self

    def __exit__(self, *_: object) -> None:
        # What is being written is finished, whatever ends the playing.
        assert self._thread is not None
        self._thread.shutdown()
        self._thread = None
        self._finish()

    def add_soon(self, encode: Callable[[], EncodedPart]) -> None:
        """Writes the next part by a thread of its own, after the one before it."""
        assert self._thread is not None
        self._finish()
        self._writing = self._thread.submit(lambda: self.add(encode()))

    def _finish(self) -> None:
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()

    def add(self, part: EncodedPart) -> None:
        """Writes the next part: first its files, each under another name until it is whole, then its line."""
        number = self.done
        first, end = self.settings.parts()[number]
        files = {}
        for kind, (content, rows) in part.files.items():
            name = f"{kind}-{number:06}.{ENDINGS[self.settings.file_format]}"
            with whole(self.path / name) as partial:
                Path(partial).write_bytes(content)
            files[kind] = {"name": name, "rows": rows, "sha256": hashlib.sha256(content).hexdigest()}
        line = {"first": first, "end": end, "files": files, "sums": part.sums}
        with open(self.path / PARTS, "ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
        self._count(line)

    def _count(self, part: dict[str, Any]) -> None:
        self.done += 1
        self.sums = part["sums"] if self.sums is None else added(self.sums, part["sums"])

    def _write_manifest(self) -> None:
        manifest = {
            "format": self.settings.FORMAT,
            "version": VERSION,
            "gammon": __version__,
            "settings": self.settings.to_dict(),
        }
        with whole(self.path / MANIFEST) as partial, open(partial, "w", encoding="utf-8") as file:
            json.dump(manifest, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())


def _nothing_in(path: Path) -> bool:
    """Whether a directory is empty, or has been left so early that its manifest is not there yet."""
    return all(file.name == f"{MANIFEST}.partial" for file in path.iterdir())


def _column(pyarrow: Any, values: Any) -> Any:
    """Rows of several numbers become binary values of fixed length: the bytes of the array's rows."""
    values = np.ascontiguousarray(values)
    if values.ndim == 1:
        return pyarrow.array(values)
    width = values.shape[1] * values.itemsize
    return pyarrow.FixedSizeBinaryArray.from_buffers(
        pyarrow.binary(width), len(values), [None, pyarrow.py_buffer(values)]
    )


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def read_manifest(path: Path, kind: type[ReadPlan]) -> tuple[ReadPlan, dict[str, Any], list[dict[str, Any]]]:
    """The settings of a directory, its whole manifest, and its finished parts, checked."""
    try:
        manifest = json.loads(read_small(path / MANIFEST))
        if manifest["format"] != kind.FORMAT or manifest["version"] not in _READ:
            raise FileFormatError(
                f"{path / MANIFEST}: versions {_READ[0]} to {VERSION} of {kind.FORMAT!r} are read, not"
                f" {manifest['version']} of {manifest['format']!r}"
            )
        plan = kind.from_dict(manifest["settings"])
        written = plan.file_format, plan.compression
        if written[0] not in ENDINGS or written[1] not in COMPRESSIONS:
            raise FileFormatError(f"{path / MANIFEST}: there are no files of the kind {written}")
        manifest["gammon"]  # a part that is resumed is compared with it
        most = len(plan.parts())
        parts = manifest["parts"] if manifest["version"] == 1 else _read_parts(path / PARTS, most)
        if len(parts) > most:
            raise FileFormatError(f"{path}: it has more parts than the {most} of its settings")
        for part in parts:
            part["sums"]
            for entry in part["files"].values():
                if Path(entry["name"]).name != entry["name"]:
                    raise FileFormatError(f"{path / PARTS}: {entry['name']!r:.100} is no name of a file beside it")
                entry["rows"], entry["sha256"]
    except FileFormatError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise FileFormatError(f"{path / MANIFEST}: it is no manifest of a {kind.FORMAT} ({error!r})") from error
    return plan, manifest, parts


def _read_parts(file: Path, most: int) -> list[dict[str, Any]]:
    """The lines of the parts, and one more than there can be at most."""
    return [json.loads(line) for line in itertools.islice(_lines(file), most + 1)]


def _lines(file: Path) -> Iterator[bytes]:
    """The lines of the parts, one at a time. One that was cut off is of a part that was not finished."""
    if not file.exists():
        return
    with open(file, "rb") as source:
        while (line := source.readline(LONGEST_PART + 1)).endswith(b"\n"):
            yield line
    if len(line) > LONGEST_PART:
        raise FileFormatError(f"{file}: a line is longer than {LONGEST_PART} bytes")


def check_files(path: Path, parts: list[dict[str, Any]]) -> None:
    """Compares every file with its checksum."""
    for part in parts:
        for entry in part["files"].values():
            _check_file(path, entry)


def _check_file(path: Path, entry: dict[str, Any]) -> None:
    file = path / entry["name"]
    if not file.is_file():
        raise FileFormatError(f"{file}: the manifest lists it, but it is not there")
    if _digest(file) != entry["sha256"]:
        raise FileFormatError(f"{file}: its checksum is not the one in the manifest")


def _resumed(path: Path, settings: Plan) -> list[dict[str, Any]]:
    """The finished parts of a data set that was made by the same settings."""
    _, manifest, parts = read_manifest(path, type(settings))
    if manifest["version"] != VERSION:
        raise InvalidArgumentError(
            f"{path} was begun by version {manifest['version']} of the format, which is read but not gone on with"
        )
    wanted = settings.to_dict()
    for name, value in manifest["settings"].items():
        if wanted.get(name) != value:
            raise InvalidArgumentError(
                f"{path} was begun with {name} {value!r}, so it is not resumed with {wanted.get(name)!r}"
            )
    if manifest["gammon"] != __version__:
        raise InvalidArgumentError(f"{path} was begun by gammon {manifest['gammon']}, this is {__version__}")
    check_files(path, parts)
    if (path / PARTS).exists():
        os.truncate(path / PARTS, sum(map(len, _lines(path / PARTS))))
    return parts


class Dataset:
    """A directory that ``gammon.simulate(..., out=...)`` has written.

    Args:
        path: the directory.
        check: whether to compare the checksum of every file with the manifest.

    Raises `FileFormatError` for what is no such directory, and `FileNotFoundError` if there is none.

    Attributes:
        settings: what was simulated.
        complete: whether all of it is there.

    >>> import gammon, tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     result = gammon.simulate(10, seed=1, out=place, record=True)
    ...     data = gammon.simulation.Dataset(place)
    ...     data.complete, sum(len(games) for games in data.games()), sum(map(len, data.turns())) == result.plies
    (True, 10, True)
    """

    def __init__(self, path: str | os.PathLike[str], *, check: bool = True) -> None:
        self.path = Path(path)
        if self.path.exists() and not (self.path / MANIFEST).is_file():
            raise FileFormatError(f"{self.path}: no folder of a simulation: it has no {MANIFEST}")
        self.settings, _, self._parts = read_manifest(self.path, Settings)
        self.complete: bool = len(self._parts) == len(self.settings.parts())
        if check:
            check_files(self.path, self._parts)

    def __len__(self) -> int:
        """How many parts there are."""
        return len(self._parts)

    def games(self) -> Iterator[GameTable]:
        """The table of games, part by part.

        >>> import gammon, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = gammon.simulate(10, seed=1, out=folder)
        ...     [len(table) for table in Dataset(folder).games()]
        [10]
        """
        for part in self._parts:
            yield game_table(self._read(part, "games"))

    def turns(self) -> Iterator[TurnTable]:
        """The table of actions, part by part; `InvalidArgumentError` if they were not recorded.

        >>> import gammon, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = gammon.simulate(10, seed=1, out=folder, record=True)
        ...     sum(len(table) for table in Dataset(folder).turns()) == result.plies
        True
        """
        settings = self._recorded()
        for part in self._parts:
            games, turns = self._read(part, "games"), self._read(part, "turns")
            yield turn_table(
                games,
                turns,
                rules=settings.rules,
                variant=settings.variant,
                seed=settings.seed,
                paired=settings.paired,
                names=settings.players,
            )

    def _recorded(self) -> Settings:
        if not self.settings.record:
            raise InvalidArgumentError(f"{self.path} holds no actions: it was made without record=True")
        return self.settings

    def _read(self, part: dict[str, Any], kind: str, names: list[str] | None = None) -> dict[str, Any]:
        settings = self.settings
        return read_columns(self.path / part["files"][kind]["name"], settings.file_format, settings.checkers, names)


_DTYPES: dict[str, type[np.generic]] = {"rolls": np.uint8, "evaluations": np.float32}


def read_columns(
    path: Path, file_format: FileFormat, checkers: int | None, names: list[str] | None = None
) -> dict[str, Any]:
    """The columns of a file, or those that are named; a side has so many checkers."""
    if file_format == "numpy":
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files if names is None or name in names}
    pyarrow, parquet = _pyarrow()
    table = parquet.read_table(path, columns=names)
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        flat = column.combine_chunks()
        if pyarrow.types.is_fixed_size_binary(flat.type):
            dtype = np.dtype(_DTYPES.get(name, np.int8))
            width = flat.type.byte_width
            values = np.frombuffer(flat.buffers()[1], dtype=np.uint8)[flat.offset * width :][: len(flat) * width]
            if name in _POSITIONS and width == KEY_BYTES:
                columns[name] = _from_bits(path, values.reshape(len(flat), width), checkers)
                continue
            columns[name] = values.view(dtype).reshape(len(flat), width // dtype.itemsize)
        else:
            columns[name] = flat.to_numpy(zero_copy_only=False)
    return columns


def _from_bits(path: Path, keys: Any, checkers: int | None) -> Any:
    if checkers is None:
        raise FileFormatError(f"{path}: positions as bits, but the sides do not have equally many checkers")
    try:
        return batch.from_keys(keys, checkers=checkers)
    except (NotationError, InvalidPositionError) as error:
        raise FileFormatError(f"{path}: {error}") from error
