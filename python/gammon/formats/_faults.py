"""Faults of a file: collected, or raised at once."""

from __future__ import annotations

from gammon.errors import FileFormatError
from gammon.match import Fault

__all__ = ["MOST_FAULTS", "Faults"]

MOST_FAULTS = 10_000
"""A file with more faults than that is noise; they are counted, and no longer listed."""

_LONGEST = 200


class Faults:
    """Takes what is wrong in a file. Strict: the first one raises `FileFormatError` with its line and column."""

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.found: list[Fault] = []
        self.more = 0

    def add(self, line: int, column: int, what: str, done: str) -> None:
        """Notes a fault."""
        what = what if len(what) <= _LONGEST else f"{what[: _LONGEST - 3]}..."
        if self.strict:
            raise FileFormatError(f"line {line}, column {column}: {what}")
        if len(self.found) < MOST_FAULTS:
            self.found.append(Fault(line, column, what, done))
        else:
            self.more += 1

    def fork(self) -> Faults:
        """A collector that begins with the faults so far: what it finds can still be thrown away."""
        copy = Faults(strict=self.strict)
        copy.found, copy.more = self.found[:], self.more
        return copy

    def take(self) -> list[Fault]:
        """All faults in the order of their lines."""
        faults = sorted(self.found, key=lambda fault: (fault.line, fault.column))
        if self.more:
            line = faults[-1].line
            faults.append(Fault(line, 1, f"{self.more} more faults", "not listed"))
        return faults
