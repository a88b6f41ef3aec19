"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from gammon.errors import FileFormatError, InvalidArgumentError

__all__ = ["check_apart", "check_target", "read_small", "renamed_target", "whole"]

MOST_SMALL = 1 << 26
"""Bytes of a file that is read at once: a recipe, a log, a manifest, a match or a rollout in JSON."""


def read_small(path: str | os.PathLike[str]) -> bytes:
    """All of a file that cannot be large. Raises `FileFormatError` for one that is, or that never ends.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.json")
    ...     _ = path.write_text("{}")
    ...     read_small(path)
    b'{}'
    """
    with open(os.fspath(path), "rb") as file:
        content = file.read(MOST_SMALL + 1)
    if len(content) > MOST_SMALL:
        raise FileFormatError(f"{os.fspath(path)}: larger than {MOST_SMALL} bytes")
    return content


def check_apart(sources: Iterable[str | os.PathLike[str]], target: str | os.PathLike[str]) -> None:
    """Refuses to write over what is read: what the new file does not hold would be lost for good.

    Raises `InvalidArgumentError` if the target is one of the sources, also by another name.

    >>> check_apart(["match.mat"], "match.sgf")
    """
    place = os.path.realpath(target)
    if any(os.path.realpath(source) == place or _is_same_file(source, place) for source in sources):
        raise InvalidArgumentError(f"{os.fspath(target)} is what is read: name another file or folder to write")


def _is_same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Two names of one file."""
    return os.path.exists(one) and os.path.isfile(other) and os.path.samefile(one, other)


def check_target(path: str | os.PathLike[str]) -> None:
    """Raises `OSError` if no file can be written there: before long work whose result would be lost.

    >>> check_target("no-such-folder/match.sgf")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] there is no folder no-such-folder: 'no-such-folder/match.sgf'
    """
    target = os.fspath(path)
    if target == "-":
        raise FileNotFoundError(errno.ENOENT, "nothing is written to streams; a file of that name is ./-", target)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), target)
    folder = os.path.dirname(target) or os.curdir
    if not os.path.isdir(folder):
        if os.path.exists(folder):
            raise NotADirectoryError(errno.ENOTDIR, f"{folder} is no folder", target)
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder}", target)
    # What `access` says of root is whether the file system can be written to.
    if not os.access(target if os.path.exists(target) else folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)


def renamed_target(path: str | os.PathLike[str]) -> str:
    """The place to which the core may rename a file that goes to `path`: that of the file, if `path` is a link to one.

    Raises as `check_target` does, and `FileExistsError` for a device or a pipe, which the file would take the place of.

    >>> renamed_target("match.sgf")
    'match.sgf'
    """
    check_target(path)
    place = os.fspath(path)
    if os.path.exists(place) and not os.path.isfile(place):
        raise FileExistsError(errno.EEXIST, "it is there and no plain file", place)
    return os.path.realpath(place) if os.path.islink(place) else place


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[str]:
    """The name under which to write what goes to `path`: it gets there when all is written, and is gone otherwise.

    What a link leads to is written, not the link; a device or a pipe, such as ``/dev/null``, is written to as it is,
    since to rename a file onto it would take its place.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole(pathlib.Path(folder, "a.txt")) as partial:
    ...         _ = pathlib.Path(partial).write_text("all of it")
    ...     os.listdir(folder)
    ['a.txt']
    """
    check_target(path)
    target = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(target):
        yield os.fspath(path)
        return
    partial = f"{target}.partial"
    try:
        yield partial
        os.replace(partial, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(partial)
        raise
