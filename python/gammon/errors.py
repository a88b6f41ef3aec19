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
    """The base of all errors of this library.

    >>> import gammon
    >>> gammon.Position.start("chess")
    Traceback (most recent call last):
    gammon.errors.InvalidArgumentError: variant is one of standard, nackgammon, hypergammon, longgammon, not "chess"
    >>> issubclass(gammon.InvalidArgumentError, gammon.GammonError)
    True
    """


class InvalidArgumentError(GammonError, ValueError):
    """An argument outside its range: a seed, a number of threads, a name that does not exist.

    >>> import gammon
    >>> gammon.simulate(10, seed=-1)
    Traceback (most recent call last):
    gammon.errors.InvalidArgumentError: seed is a whole number from 0 to 2**64 - 1, not -1
    """


class ArrayError(GammonError, TypeError, ValueError):
    """An array of the wrong dtype (a TypeError to numpy's users) or shape (a ValueError to them).

    >>> import gammon
    >>> import numpy as np
    >>> gammon.batch.pips(np.zeros((2, 28)))
    Traceback (most recent call last):
    gammon.errors.ArrayError: positions: int8 of shape (N, 28), not float64 of shape (2, 28)
    """


class InvalidPositionError(GammonError, ValueError):
    """Checkers that are no position (rule 1.6); the message names all faults together.

    >>> import gammon
    >>> gammon.Position.from_points({6: 16}, opponent={6: 2})
    Traceback (most recent call last):
    gammon.errors.InvalidPositionError: not a position: the player has 16 checkers, more than 15
    """


class NotationError(GammonError, ValueError):
    """A text that cannot be read: a play, a roll, an ID.

    >>> import gammon
    >>> gammon.Roll.parse("37")
    Traceback (most recent call last):
    gammon.errors.NotationError: a roll is two dice from 1 to 6, for example 31, not "37"
    """


class AmbiguousPlayError(NotationError):
    """A text that means several plays with different results.

    >>> import gammon
    >>> position = gammon.Position.from_points({24: 1, 3: 2}, opponent={6: 1, 2: 1})
    >>> position.play("24/18", gammon.Roll(5, 1))
    Traceback (most recent call last):
    gammon.errors.AmbiguousPlayError: ambiguous play "24/18": it could be 24/23*/18 or 24/19*/18
    """


class IllegalPlayError(GammonError, ValueError):
    """A play that the rules do not allow; the message says which rule.

    >>> import gammon
    >>> gammon.Position.start().play("24/12", gammon.Roll(6, 5))
    Traceback (most recent call last):
    gammon.errors.IllegalPlayError: illegal play "24/12" of 65: 24/19 lands on point 19, which is blocked
    """


class IllegalActionError(GammonError, ValueError):
    """An action that the state of a match does not allow.

    >>> import gammon
    >>> match = gammon.Match(gammon.Rules.match(3))
    >>> match.take()
    Traceback (most recent call last):
    gammon.errors.IllegalActionError: cannot take: the opening throw is still to be made
    """


class NotInDatabaseError(GammonError, KeyError):
    """A position that a table does not hold.

    >>> import gammon
    >>> gammon.bearoff.TwoSided.default().equity(gammon.Position.start())
    Traceback (most recent call last):
    gammon.errors.NotInDatabaseError: the sides are not past each other
    """

    def __str__(self) -> str:
        """The message itself: KeyError would print its repr."""
        return str(self.args[0]) if self.args else ""


class FileFormatError(GammonError, ValueError):
    """A file that is not what it should be.

    >>> import gammon
    >>> gammon.formats.loads("a letter")
    Traceback (most recent call last):
    gammon.errors.FileFormatError: in no known format: tried json, sgf, fibs, mat, text
    """


class ModelFormatError(GammonError, ValueError):
    """A model file that is not what it should be.

    >>> import os
    >>> import gammon
    >>> gammon.Model(os.devnull)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    gammon.errors.ModelFormatError: ...: not a model: it does not start with GAMMONNN
    """


class MissingExtraError(GammonError, ImportError):
    """A part that needs an optional dependency; the message names the extra to install.

    >>> import gammon
    >>> issubclass(gammon.MissingExtraError, ImportError)
    True
    >>> raise MissingExtraError("plots need matplotlib: pip install 'gammon[plot]'")
    Traceback (most recent call last):
    gammon.errors.MissingExtraError: plots need matplotlib: pip install 'gammon[plot]'
    """


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during long work.

    Attributes:
        result: what was finished until then, of the same type as the whole result; None if nothing can be kept.

    >>> import gammon
    >>> def stop(done, total):
    ...     raise KeyboardInterrupt
    >>> try:
    ...     gammon.simulate(100_000, seed=1, progress=stop)
    ... except gammon.Interrupted as interruption:
    ...     print(interruption.result.games < 100_000)
    True
    """

    def __init__(self, message: str = "interrupted", result: Any = None) -> None:
        super().__init__(message)
        self.result = result
