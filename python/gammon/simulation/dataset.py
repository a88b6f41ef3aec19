"""Simulated games on disk: numbered parts, a manifest, and going on after an interruption."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from gammon._core import __version__
from gammon.errors import FileFormatError, InvalidArgumentError, MissingExtraError
from gammon.rules import Rules
from gammon.simulation.result import GameTable, TurnTable, game_table, turn_table

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor
    from types import ModuleType

__all__ = ["Answer", "Dataset", "EncodedPart", "Settings", "Writer", "encode"]

Answer: TypeAlias = "dict[str, dict[str, Any]]"
"""What the core says of the games that it has played: sums and tables."""

VERSION = 1
MANIFEST = "manifest.json"
ROW_GROUP = 1 << 18

FileFormat: TypeAlias = Literal["parquet", "numpy"]
ENDINGS = {"parquet": "parquet", "numpy": "npz"}
Compression: TypeAlias = Literal["zstd", "lz4", "none"]


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("data sets need pyarrow: pip install 'gammon[data]'") from error
    return pyarrow, pyarrow.parquet


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

    def parts(self) -> list[tuple[int, int]]:
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
    compression: Compression = "zstd"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        from gammon.match import codec

        data = dataclasses.asdict(self)
        data["players"] = list(self.players)
        data["models"] = list(self.models)
        data["rules"] = None if self.rules is None else codec.rules_to_dict(self.rules)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Settings:
        """The settings again."""
        from gammon.match import codec

        rules = None if data["rules"] is None else codec.rules_from_dict(data["rules"], "settings.rules")
        return cls(**{**data, "players": tuple(data["players"]), "models": tuple(data["models"]), "rules": rules})

    def parts(self) -> list[tuple[int, int]]:
        """The first unit of each part and the one after its last."""
        return [(first, min(first + self.part_games, self.n)) for first in range(0, self.n, self.part_games)]


class EncodedPart(NamedTuple):
    """A part of a data set as the bytes of its files."""

    files: dict[str, tuple[bytes, int]]
    """Content and rows of each kind of table."""
    sums: dict[str, Any]


def encode(settings: Settings, answer: Answer) -> EncodedPart:
    """What the games of a part left, as files: the same bytes wherever it is done."""
    tables = {"games": answer["games"]}
    if settings.record:
        tables["turns"] = answer["acts"]
    return EncodedPart(encoded(settings, tables), answer["sums"])


def encoded(settings: Plan, tables: dict[str, dict[str, Any]]) -> dict[str, tuple[bytes, int]]:
    """Tables as files, with their rows."""
    if settings.file_format == "numpy":
        return {kind: _npz(columns) for kind, columns in tables.items()}
    return {kind: _parquet(columns, settings.compression) for kind, columns in tables.items()}


def _parquet(columns: dict[str, Any], compression: Compression) -> tuple[bytes, int]:
    pyarrow, parquet = _pyarrow()
    table = pyarrow.table({key: _column(pyarrow, values) for key, values in columns.items()})
    sink = pyarrow.BufferOutputStream()
    # Dictionaries cost time and save nothing: compression finds the runs. Most bytes are positions, and most time goes
    # into compressing them.
    methods = {key: compression if values.ndim > 1 else "zstd" for key, values in columns.items()}
    parquet.write_table(
        table, sink, compression=methods, use_dictionary=False, write_statistics=False, row_group_size=ROW_GROUP
    )
    return sink.getvalue().to_pybytes(), table.num_rows


def _npz(columns: dict[str, Any]) -> tuple[bytes, int]:
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
    if compression not in ("zstd", "lz4", "none"):
        raise InvalidArgumentError(f"compression is 'zstd', 'lz4' or 'none', not {compression!r}")
    if file_format == "numpy" and compression != "zstd":
        raise InvalidArgumentError(f"compression {compression!r} is for Parquet: numpy's files are not compressed")
    if file_format == "parquet":
        _pyarrow()


class Writer:
    """A directory that is filled part by part. What is listed in the manifest is finished and never touched again."""

    def __init__(self, path: str | os.PathLike[str], settings: Plan, *, resume: bool) -> None:
        check_format(settings.file_format, settings.compression)
        self.path = Path(path)
        self.settings = settings
        self.parts: list[dict[str, Any]] = []
        self._thread: ThreadPoolExecutor | None = None
        self._writing: Future[None] | None = None
        manifest = self.path / MANIFEST
        if resume and manifest.exists():
            self.parts = _resumed(self.path, settings)
        elif self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            what = "resume=True goes on with it" if manifest.exists() else "a data set gets a directory of its own"
            raise InvalidArgumentError(f"out: {self.path} is there and not empty: {what}")
        self.path.mkdir(parents=True, exist_ok=True)
        self._write_manifest()

    def left(self) -> list[tuple[int, int]]:
        """The parts that are still to be played."""
        return self.settings.parts()[len(self.parts) :]

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
        """Writes the next part: first its files, each under another name until it is whole, then the manifest."""
        number = len(self.parts)
        first, end = self.settings.parts()[number]
        files = {}
        for kind, (content, rows) in part.files.items():
            name = f"{kind}-{number:06}.{ENDINGS[self.settings.file_format]}"
            partial = self.path / f"{name}.partial"
            partial.write_bytes(content)
            os.replace(partial, self.path / name)
            files[kind] = {"name": name, "rows": rows, "sha256": hashlib.sha256(content).hexdigest()}
        self.parts.append({"first": first, "end": end, "files": files, "sums": part.sums})
        self._write_manifest()

    def _write_manifest(self) -> None:
        manifest = {
            "format": self.settings.FORMAT,
            "version": VERSION,
            "gammon": __version__,
            "settings": self.settings.to_dict(),
            "complete": len(self.parts) == len(self.settings.parts()),
            "parts": self.parts,
        }
        partial = self.path / f"{MANIFEST}.partial"
        with open(partial, "w", encoding="utf-8") as file:
            json.dump(manifest, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, self.path / MANIFEST)


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


def read_manifest(path: Path, kind: str, settings_of: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """The manifest of a directory, checked; `settings_of` makes its settings out of plain data."""
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        if manifest["format"] != kind or manifest["version"] != VERSION:
            raise FileFormatError(
                f"{path / MANIFEST}: version {VERSION} of {kind!r} is read, not {manifest['version']} of"
                f" {manifest['format']!r}"
            )
        checked = {key: manifest[key] for key in ("format", "version", "gammon", "settings", "complete", "parts")}
        settings_of(checked["settings"])
    except FileFormatError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise FileFormatError(f"{path / MANIFEST}: it is no manifest of a {kind} ({error!r})") from error
    return checked


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
    manifest = read_manifest(path, settings.FORMAT, lambda data: data)
    wanted = settings.to_dict()
    for name, value in manifest["settings"].items():
        if wanted.get(name) != value:
            raise InvalidArgumentError(
                f"{path} was begun with {name} {value!r}, so it is not resumed with {wanted.get(name)!r}"
            )
    if manifest["gammon"] != __version__:
        raise InvalidArgumentError(f"{path} was begun by gammon {manifest['gammon']}, this is {__version__}")
    check_files(path, manifest["parts"])
    parts: list[dict[str, Any]] = manifest["parts"]
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
        manifest = read_manifest(self.path, Settings.FORMAT, Settings.from_dict)
        self.settings = Settings.from_dict(manifest["settings"])
        check_format(self.settings.file_format, self.settings.compression)
        self.complete: bool = manifest["complete"]
        self._parts: list[dict[str, Any]] = manifest["parts"]
        if check:
            check_files(self.path, self._parts)

    def __len__(self) -> int:
        """How many parts there are."""
        return len(self._parts)

    def games(self) -> Iterator[GameTable]:
        """The table of games, part by part."""
        for part in self._parts:
            yield game_table(self._read(part, "games"))

    def turns(self) -> Iterator[TurnTable]:
        """The table of actions, part by part; `InvalidArgumentError` if they were not recorded."""
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
        return read_columns(self.path / part["files"][kind]["name"], self.settings.file_format, names)


_DTYPES: dict[str, type[np.generic]] = {"rolls": np.uint8, "evaluations": np.float32}


def read_columns(path: Path, file_format: FileFormat, names: list[str] | None = None) -> dict[str, Any]:
    """The columns of a file, or those that are named."""
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
            columns[name] = values.view(dtype).reshape(len(flat), width // dtype.itemsize)
        else:
            columns[name] = flat.to_numpy(zero_copy_only=False)
    return columns
