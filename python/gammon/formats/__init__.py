"""Files: positions, matches and sessions in the forms of a dozen programs, read without losing anything.

`load` and `loads` recognise the format by what is in the file; `dump` writes one. Each format has a module of its own
with `load`, `loads`, `dump`, `dumps` and `losses`, where they make sense, and a page in `docs/formats/`.

>>> match = loads("1 point match\\n\\nGame 1\\nAnn : 0   Bob : 0\\n  1) 31: 8/5 6/5   42: 8/4 6/5\\n")
>>> [str(fault) for fault in match.errors]
['line 5, column 20: illegal play "8/4 6/5" of 42: no die is left for 6/5 (kept as written)']
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from gammon.errors import FileFormatError, GammonError, InvalidArgumentError
from gammon.formats import fibs, json, mat, parquet, sgf, text
from gammon.formats._input import Input, Target, decode, name_of, naming, read_all
from gammon.match import Match

__all__ = [
    "FORMATS",
    "WRITTEN",
    "dump",
    "dumps",
    "fibs",
    "json",
    "load",
    "loads",
    "losses",
    "mat",
    "parquet",
    "recognise",
    "scan",
    "sgf",
    "text",
]

FORMATS: dict[str, ModuleType] = {"json": json, "sgf": sgf, "fibs": fibs, "mat": mat, "text": text}
"""The formats that hold matches or where one stands, in the order in which they are recognised."""

SUFFIXES = {".json": "json", ".jsonl": "json", ".sgf": "sgf", ".fibs": "fibs", ".mat": "mat", ".txt": "mat"}
"""The format that a suffix means."""

WRITTEN = ("mat", "sgf", "json", "fibs")
"""The formats that `dump` writes; besides them there is `parquet`, for rows of decisions."""

_HEAD = 1 << 15


def recognise(data: str | bytes, name: str = "") -> str:
    """The name of the format of a text: by what is in it, and by the suffix of `name` if that says nothing.

    Raises:
        FileFormatError: if it is none of them, with what was tried.

    >>> recognise("(;GM[6]PW[Ann]PB[Bob])")
    'sgf'
    """
    if isinstance(data, bytes) and data.startswith(b"PAR1"):
        raise FileFormatError(
            "a Parquet file is no match: gammon.formats.parquet.load reads one of decisions, gammon.simulation.Dataset "
            "the folder of a simulation"
        )
    content = decode(data[:_HEAD])
    if not content.strip():
        raise FileFormatError("the file is empty")
    for format_name, module in FORMATS.items():
        if module.recognises(content):
            return format_name
    suffix = os.path.splitext(name)[1].lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    raise FileFormatError(f"in no known format: tried {', '.join(FORMATS)}")


def loads(data: str | bytes, *, strict: bool = False, name: str = "") -> Match:
    """The match of a text or of the bytes of a file, in any of the formats.

    Lenient, everything is kept and `match.errors` says what was wrong; strict, the first fault raises.

    Raises:
        FileFormatError: for a text in no known format, without a game in it, or with several matches (`scan` reads
            those); strict, for any fault, with line and column.

    >>> loads("1 point match\\n\\nGame 1\\nAnn : 0   Bob : 0\\n  1) 31: 8/5 6/5   42: 8/4 6/4\\n").names
    ('Ann', 'Bob')
    """
    if not isinstance(data, str | bytes):
        raise InvalidArgumentError(f"a match is read from text or bytes, not {type(data).__name__}")
    match = FORMATS[recognise(data, name)].loads(data, strict=strict)
    assert isinstance(match, Match)
    return match


def load(source: Input, *, strict: bool = False) -> Match:
    """The match of a file, by path or open, in any of the formats. Raises as `loads` does.

    A file that is not there is `FileNotFoundError`.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "match.sgf")
    ...     dump(Match(names=("Ann", "Bob")), path)
    ...     load(path).names
    ('Ann', 'Bob')
    """
    data = read_all(source)
    try:
        return loads(data, strict=strict, name=name_of(source))
    except FileFormatError as error:
        raise FileFormatError(f"{name_of(source)}: {error}") from error


def scan(
    source: Input,
    *,
    strict: bool = False,
    on_error: Callable[[str, Exception], object] | None = None,
) -> Iterator[Match]:
    """The matches of a file, or of all files in a folder and its subfolders, one by one: only one is in memory.

    Args:
        source: a path or an open file.
        strict: whether the first fault of a file raises.
        on_error: is called with the name of a file that cannot be read and the exception, and the scan goes on; without
            it the exception is raised. Files in a folder that are in no known format are errors as well.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("a.json", "b.sgf"):
    ...         dump(Match(names=(name, "Bob")), pathlib.Path(folder, name))
    ...     [match.names[0] for match in scan(folder)]
    ['a.json', 'b.sgf']
    """
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        for path in files_in(source):
            yield from _scan_file(path, strict, on_error)
    else:
        yield from _scan_file(source, strict, on_error)


def files_in(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """The files of a folder and its subfolders, in the order of their names, but for those that begin with a dot."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if not name.startswith("."):
                yield Path(place, name)


def _scan_file(source: Input, strict: bool, on_error: Callable[[str, Exception], object] | None) -> Iterator[Match]:
    try:
        yield from _matches(source, strict)
    except (GammonError, OSError) as error:
        if on_error is None:
            raise
        on_error(name_of(source), error)


def _matches(source: Input, strict: bool) -> Iterator[Match]:
    name = name_of(source)
    if not isinstance(source, str | os.PathLike):
        data = read_all(source)
        with naming(source):
            format_name = recognise(data, name)
        import io

        stream: Input = io.BytesIO(data) if isinstance(data, bytes) else io.StringIO(data)
    else:
        with open(source, "rb") as file:
            head = file.read(_HEAD)
        with naming(source):
            format_name, stream = recognise(head, name), source
    module = FORMATS[format_name]
    try:
        found = False
        for match in module.scan(stream, strict=strict):
            found = True
            yield match
        if not found:
            raise FileFormatError("no game in it")
    except FileFormatError as error:
        message = str(error)
        raise FileFormatError(message if message.startswith(f"{name}: ") else f"{name}: {message}") from error


def dumps(match: Match, format: str = "mat") -> str:
    """The match as text in one of the formats: "mat", "sgf", "json", "fibs" (where it stands).

    Raises `InvalidArgumentError` for a format that is not written, and for what is no `Match`.

    >>> loads(dumps(Match(names=("Ann", "Bob")), "sgf")).names
    ('Ann', 'Bob')
    """
    _require(format)
    _require_match(match)
    written = FORMATS[format].dumps(match)
    assert isinstance(written, str)
    return written


def dump(match: Match, target: Target, *, format: str | None = None) -> None:
    """Writes the match to a file: in the format that is named, else in that of the path's suffix.

    A path only appears when everything is written. What the format does not hold, `losses` says.

    Raises:
        InvalidArgumentError: for a format that is not written, a suffix that stands for none, and what is no `Match`.
        OSError: if writing fails.

    >>> import io
    >>> file = io.StringIO()
    >>> dump(Match(names=("Ann", "Bob")), file, format="json")
    >>> loads(file.getvalue()).names
    ('Ann', 'Bob')
    """
    if format is None:
        name = name_of(target)
        suffix = os.path.splitext(name)[1].lower()
        _require_match(match)
        if suffix == ".parquet":
            parquet.dump(match, name)
            return
        if suffix not in SUFFIXES:
            raise InvalidArgumentError(
                f"the suffix of {name!r} is none of {', '.join(SUFFIXES)}, .parquet: pass format="
            )
        format = SUFFIXES[suffix]
    _require(format)
    _require_match(match)
    FORMATS[format].dump(match, target)


def losses(match: Match, format: str) -> tuple[str, ...]:
    """What a format does not hold of a match, one line for each difference; a FIBS board has room for a state only.

    Raises `InvalidArgumentError` for a format that is not written, and for what is no `Match`.

    >>> losses(Match(), "mat")
    ()
    """
    _require(format)
    _require_match(match)
    found = FORMATS[format].losses(match.state if format == "fibs" else match)
    assert isinstance(found, tuple)
    return found


def _require_match(match: Match) -> None:
    if not isinstance(match, Match):
        raise InvalidArgumentError(f"a file of matches takes a Match, not {match!r:.60}")


def _require(format: str) -> None:
    if format not in WRITTEN:
        raise InvalidArgumentError(f"a format that is written is one of {', '.join(WRITTEN)}, not {format!r}")
