"""Bytes, paths and open files as text, in whatever encoding they are."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, TypeAlias

from gammon.errors import FileFormatError, InvalidArgumentError
from gammon.files import whole

__all__ = ["Input", "Target", "decode", "lines_of", "name_of", "naming", "open_lines", "read_all", "write_text"]

Input: TypeAlias = "str | os.PathLike[str] | IO[Any]"
"""A path or an open file, of bytes or of text."""

Target: TypeAlias = "str | os.PathLike[str] | IO[Any]"
"""A path or a file that is open for writing, of bytes or of text."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes | str) -> str:
    """Text of UTF-8, UTF-16 and UTF-32 with a mark, and of UTF-8 or Latin-1 without; line by line if they are mixed.

    >>> decode("Jürgen".encode()) == decode("Jürgen".encode("latin-1")) == decode("Jürgen".encode("utf-8-sig"))
    True
    """
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "\n".join(_decode_line(line) for line in re.split(rb"\r\n|\r|\n", data))


def _decode_line(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252") if not any(byte in _NOT_IN_CP1252 for byte in line) else line.decode("latin-1")


_NOT_IN_CP1252 = frozenset((0x81, 0x8D, 0x8F, 0x90, 0x9D))


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends: LF, CR LF or CR, and nothing else."""
    return _LINE_END.split(text)


def name_of(source: Input) -> str:
    """What to call a source in messages."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return str(getattr(source, "name", "<file>"))


@contextmanager
def naming(source: Input) -> Iterator[None]:
    """Puts the name of the source before what is wrong with it."""
    try:
        yield
    except FileFormatError as error:
        raise FileFormatError(f"{name_of(source)}: {error}") from None


def read_all(source: Input) -> bytes | str:
    """All of a file. Raises `FileNotFoundError` and other errors of the system as they are."""
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as file:
            return file.read()
    if not hasattr(source, "read"):
        raise InvalidArgumentError(f"a file is a path or an open file, not {source!r:.60}")
    data = source.read()
    if not isinstance(data, bytes | str):
        raise InvalidArgumentError(f"a file gives bytes or text, not {type(data).__name__}")
    return data


LONGEST_LINE = 1 << 20
"""A longer line is no text of a match."""


def open_lines(source: Input) -> Iterator[str]:
    """The lines of a file one by one, without their ends, decoded each by itself; never more than a line in memory.

    As `lines_of` has it, a last line that is empty says that the one before it is complete.
    """
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as file:
            yield from _decoded(file)
    elif hasattr(source, "readline"):
        yield from _decoded(source)
    else:
        raise InvalidArgumentError(f"a file is a path or an open file, not {source!r:.60}")


def _decoded(file: IO[Any]) -> Iterator[str]:
    first, number, ended = True, 0, False
    while line := file.readline(LONGEST_LINE):
        number += 1
        ended = line[-1:] in (b"\n", "\n", b"\r", "\r")
        if len(line) >= LONGEST_LINE:
            raise FileFormatError(f"line {number}, column 1: a line of {LONGEST_LINE} characters or more")
        if first and isinstance(line, bytes) and line[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            yield from lines_of(decode(line + file.read()))
            return
        text = decode(line) if first else line if isinstance(line, str) else _decode_line(line)
        first = False
        # A file with CR alone comes as one line.
        yield from lines_of(text.removesuffix("\n").removesuffix("\r"))
    if ended:
        yield ""


def write_text(text: str, target: Target) -> None:
    """Writes a text in UTF-8; a path only appears when everything is written."""
    data = text.encode("utf-8", errors="replace")
    if isinstance(target, str | os.PathLike):
        with whole(target) as partial, open(partial, "wb") as file:
            file.write(data)
        return
    try:
        target.write(data)
    except TypeError:
        target.write(text)
