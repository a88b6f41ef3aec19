"""Every exception that gammon raises on purpose.

All derive from `GammonError` and from the built-in that a user would expect. `Interrupted` alone is a
`KeyboardInterrupt`, so that no ``except Exception`` swallows it.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "AmbiguousPlayError",
    "ArrayError",
    "FileFormatError",
    "GammonError",
    "IllegalActionError",
    "IllegalPlayError",
    "Interrupted",
    "InvalidArgumentError",
    "InvalidPositionError",
    "MissingExtraError",
    "ModelFormatError",
    "NotInDatabaseError",
    "NotationError",
]


class GammonError(Exception):
    """The base of all errors of this library."""


class InvalidArgumentError(GammonError, ValueError):
    """An argument outside its range: a seed, a number of threads, a name that does not exist."""


class ArrayError(GammonError, TypeError, ValueError):
    """An array of the wrong dtype (a TypeError to numpy's users) or shape (a ValueError to them)."""


class InvalidPositionError(GammonError, ValueError):
    """Checkers that are no position (rule 1.6); the message names all faults together."""


class NotationError(GammonError, ValueError):
    """A text that cannot be read: a play, a roll, an ID."""


class AmbiguousPlayError(NotationError):
    """A text that means several plays with different results."""


class IllegalPlayError(GammonError, ValueError):
    """A play that the rules do not allow; the message says which rule."""


class IllegalActionError(GammonError, ValueError):
    """An action that the state of a match does not allow."""


class NotInDatabaseError(GammonError, KeyError):
    """A position that a table does not hold."""

    def __str__(self) -> str:
        """The message itself: KeyError would print its repr."""
        return str(self.args[0]) if self.args else ""


class FileFormatError(GammonError, ValueError):
    """A file that is not what it should be."""


class ModelFormatError(GammonError, ValueError):
    """A model file that is not what it should be."""


class MissingExtraError(GammonError, ImportError):
    """A part that needs an optional dependency; the message names the extra to install."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during long work.

    Attributes:
        result: what was finished until then, of the same type as the whole result; None if nothing can be kept.
    """

    def __init__(self, message: str = "interrupted", result: Any = None) -> None:
        super().__init__(message)
        self.result = result
