"""Rolls, and where dice come from: a generator, a list, a person, cards (rule 2.4).

A source has three methods: `throw` gives one die to each player for the opening (rule 2.1), `roll` gives the next roll,
and `new_game` begins a game. `gammon.Match` takes any of them, or anything of the same shape.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from typing import Literal, Protocol, runtime_checkable

from gammon import _core
from gammon._checks import MOST_SEED, whole
from gammon._checks import seed as _checked_seed
from gammon._core import Roll
from gammon.errors import InvalidArgumentError

__all__ = ["CardDice", "DiceSource", "ManualDice", "RandomDice", "Roll", "SequenceDice"]


@runtime_checkable
class DiceSource(Protocol):
    """Where the dice of a match come from.

    >>> class AlwaysThreeOne:
    ...     def throw(self):
    ...         return (3, 1)
    ...     def roll(self):
    ...         return Roll(3, 1)
    ...     def new_game(self):
    ...         pass
    >>> isinstance(AlwaysThreeOne(), DiceSource)
    True
    >>> from gammon import Match
    >>> Match(dice=AlwaysThreeOne()).roll()
    Roll(3, 1)
    """

    def throw(self) -> tuple[int, int]:
        """One die of player 0 and one of player 1, for the opening; a tie is thrown again by calling once more."""
        ...

    def roll(self) -> Roll:
        """The next roll of the game."""
        ...

    def new_game(self) -> None:
        """Begins the next game."""
        ...


def _seed(seed: int | None) -> int:
    if seed is None:
        return secrets.randbits(64)
    return _checked_seed(seed)


def _as_roll(value: Roll | str, what: str = "roll is") -> Roll:
    if isinstance(value, str):
        return Roll.parse(value)
    if not isinstance(value, Roll):
        raise InvalidArgumentError(f"{what} a Roll or a text such as '31', not {value!r}")
    return value


class _SeededDice:
    """Throws that are a function of (seed, game, turn, draw)."""

    _purpose: Literal["dice", "cards"]

    def __init__(self, seed: int | None = None, game: int = 0) -> None:
        self.seed = _seed(seed)
        self.game = whole("game", game, 0, MOST_SEED)
        self.turn = 0
        self.draw = 0

    def throw(self) -> tuple[int, int]:
        """One die of player 0 and one of player 1, for the opening.

        >>> RandomDice(seed=1).throw()
        (5, 4)
        """
        dice = _core.throw(self._purpose, self.seed, self.game, 0, self.draw)
        self.draw += 1
        return dice

    def roll(self) -> Roll:
        """The roll of the next turn.

        >>> dice = RandomDice(seed=1)
        >>> dice.roll(), dice.roll()
        (Roll(5, 3), Roll(4, 1))
        """
        self.turn += 1
        return Roll(*_core.throw(self._purpose, self.seed, self.game, self.turn, 0))

    def new_game(self) -> None:
        """Goes on to the dice of the next game.

        >>> dice = RandomDice(seed=1)
        >>> dice.new_game()
        >>> dice.roll() == RandomDice(seed=1, game=1).roll()
        True
        """
        self.game += 1
        self.turn = 0
        self.draw = 0

    def to_dict(self) -> dict[str, int | str]:
        """Where the source stands, as plain data for `from_dict`.

        >>> RandomDice(seed=1).to_dict()
        {'kind': 'dice', 'seed': 1, 'game': 0, 'turn': 0, 'draw': 0}
        """
        return {"kind": self._purpose, "seed": self.seed, "game": self.game, "turn": self.turn, "draw": self.draw}

    def __repr__(self) -> str:
        return f"{type(self).__name__}(seed={self.seed}, game={self.game})"


class RandomDice(_SeededDice):
    """Dice from the library's own generator; game k of a seed is game k of `gammon.simulate` with that seed.

    Args:
        seed: 0 to 2**64 - 1; None draws one from the operating system, kept in `.seed`.
        game: the number of the game to begin with.

    >>> dice = RandomDice(seed=1)
    >>> dice.throw() == RandomDice(seed=1).throw()
    True
    """

    _purpose = "dice"


class CardDice(_SeededDice):
    """Dice from cards (rule 8.2): a pack of six black cards and one of six red, ace to six.

    One of each is drawn, both go back and each pack is shuffled, so every draw is spread as two dice are.

    >>> sorted({CardDice(seed=s).throw()[0] for s in range(100)})
    [1, 2, 3, 4, 5, 6]
    """

    _purpose = "cards"


class SequenceDice:
    """Given dice: pairs for opening throws and rolls, in the order they are asked for.

    Raises InvalidArgumentError when the list is at its end.

    >>> dice = SequenceDice([(3, 1), (6, 6)])
    >>> dice.throw(), dice.roll()
    ((3, 1), Roll(6, 6))
    """

    def __init__(self, dice: Iterable[tuple[int, int] | Roll]) -> None:
        pairs = [(pair.high, pair.low) if isinstance(pair, Roll) else pair for pair in dice]
        for pair in pairs:
            Roll(*pair)
        self.dice: list[tuple[int, int]] = [(first, second) for first, second in pairs]
        self.used = 0

    def throw(self) -> tuple[int, int]:
        """The next pair, in the order given.

        Raises `InvalidArgumentError` at the end of the list.

        >>> SequenceDice([(1, 3)]).throw()
        (1, 3)
        """
        if self.used == len(self.dice):
            raise InvalidArgumentError(f"the list of {len(self.dice)} throws is at its end")
        self.used += 1
        return self.dice[self.used - 1]

    def roll(self) -> Roll:
        """The next pair as a roll.

        >>> SequenceDice([(1, 3)]).roll()
        Roll(3, 1)
        """
        return Roll(*self.throw())

    def new_game(self) -> None:
        """Nothing changes: the list goes on.

        >>> dice = SequenceDice([(3, 1), (6, 6)])
        >>> dice.roll(), dice.new_game(), dice.roll()
        (Roll(3, 1), None, Roll(6, 6))
        """

    def __repr__(self) -> str:
        return f"SequenceDice({self.dice[self.used :]!r})"


class ManualDice:
    """Dice that somebody enters: `ask` is called for each throw and returns two dice or a text such as "31".

    >>> ManualDice(lambda: "31").roll()
    Roll(3, 1)
    """

    def __init__(self, ask: Callable[[], tuple[int, int] | str]) -> None:
        self.ask = ask

    def throw(self) -> tuple[int, int]:
        """What was entered, in that order: the die of player 0 first.

        >>> ManualDice(lambda: "13").throw()
        (1, 3)
        """
        answer = self.ask()
        if isinstance(answer, str):
            Roll.parse(answer)
            first, second = (int(letter) for letter in answer if letter.isdigit())
            return first, second
        Roll(*answer)
        return answer

    def roll(self) -> Roll:
        """What was entered, as a roll.

        >>> ManualDice(lambda: (1, 3)).roll()
        Roll(3, 1)
        """
        return Roll(*self.throw())

    def new_game(self) -> None:
        """Nothing changes.

        >>> ManualDice(lambda: "31").new_game()
        """
