"""Money: tables with a stake, what everybody owes after a session, and the rake (rules 10.3, 10.4).

Amounts are exact: they are taken as `Decimal`, int or text ("0.05"); a float is read as the decimal that it prints as.
"""

from __future__ import annotations

import decimal
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from gammon.dice import DiceSource
from gammon.errors import IllegalActionError, InvalidArgumentError
from gammon.match import Match
from gammon.rules import Rules

__all__ = ["Amount", "Settlement", "Stakes", "Table", "settle"]

Amount: TypeAlias = Decimal | int | str | float
"""Money, taken exactly."""

_EXACT = decimal.Context(prec=200, traps=[decimal.Inexact, decimal.InvalidOperation, decimal.Overflow])
_MOST_DIGITS = 30


def exact(name: str, amount: Amount) -> Decimal:
    """An amount of money as an exact decimal."""
    if isinstance(amount, bool) or not isinstance(amount, Decimal | int | str | float):
        raise InvalidArgumentError(f"{name} is an amount, not {amount!r}")
    try:
        number = Decimal(repr(amount)) if isinstance(amount, float) else Decimal(amount)
    except decimal.InvalidOperation:
        raise InvalidArgumentError(f"{name} is an amount, not {amount!r:.60}") from None
    digits = number.as_tuple()
    if not number.is_finite() or number.adjusted() > _MOST_DIGITS or not isinstance(digits.exponent, int):
        raise InvalidArgumentError(f"{name} is a finite amount, not {amount!r:.60}")
    if digits.exponent < -_MOST_DIGITS or len(digits.digits) > 2 * _MOST_DIGITS:
        raise InvalidArgumentError(f"{name} has at most {_MOST_DIGITS} decimal places, unlike {amount!r:.60}")
    return number


@dataclass(frozen=True, slots=True)
class Stakes:
    """What is played for.

    `amount` is the money for each point of a session, or, in a match, what the loser pays the winner. `fee` is paid by
    each player for each game, in addition; `rake` is the share of each winner's winnings that the house keeps, 0 to 1.

    Raises `InvalidArgumentError` for amounts below 0, a rake above 1, and what is no exact amount.

    >>> Stakes(10, rake="0.05")
    Stakes(amount=Decimal('10'), fee=Decimal('0'), rake=Decimal('0.05'))
    """

    amount: Decimal
    fee: Decimal = Decimal(0)
    rake: Decimal = Decimal(0)

    def __init__(self, amount: Amount = 0, *, fee: Amount = 0, rake: Amount = 0) -> None:
        for name, value in (("amount", amount), ("fee", fee), ("rake", rake)):
            number = exact(name, value)
            if number < 0 or (name == "rake" and number > 1):
                raise InvalidArgumentError(f"{name} is {'0 to 1' if name == 'rake' else 'at least 0'}, not {value!r}")
            object.__setattr__(self, name, number)

    def __repr__(self) -> str:
        return f"Stakes(amount={self.amount!r}, fee={self.fee!r}, rake={self.rake!r})"

    @property
    def needed(self) -> Decimal:
        """What a player has to have to sit down: one amount and the fee (rule 10.3).

        >>> Stakes(10, fee="0.50").needed
        Decimal('10.50')
        """
        return _EXACT.add(self.amount, self.fee)


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a session or match comes to, by seat: `balances` after everything, `fees` and `rake` that the house takes.

    Balances and charges sum to zero exactly.

    >>> Settlement((Decimal(-11), Decimal(8)), fees=(Decimal(1), Decimal(1)), rake=(Decimal(0), Decimal(1))).house
    Decimal('3')
    """

    balances: tuple[Decimal, Decimal]
    fees: tuple[Decimal, Decimal]
    rake: tuple[Decimal, Decimal]

    @property
    def house(self) -> Decimal:
        """All charges together.

        >>> charges = (Decimal(1), Decimal(1))
        >>> Settlement((Decimal(8), Decimal(-11)), fees=charges, rake=(Decimal(1), Decimal(0))).house
        Decimal('3')
        """
        total = Decimal(0)
        for charge in (*self.fees, *self.rake):
            total = _EXACT.add(total, charge)
        return total


def settle(match: Match, stakes: Stakes) -> Settlement:
    """What everybody has won or lost so far (rule 10.3).

    In a session every finished game moves its points times the amount. In a match nothing moves before it is won.

    >>> from gammon.dice import SequenceDice
    >>> match = Match(Rules.money(), dice=SequenceDice([(3, 1)]))
    >>> roll = match.roll()
    >>> match.resign("single")
    >>> match.accept()
    >>> settle(match, Stakes(10, fee=1, rake="0.05")).balances
    (Decimal('-11'), Decimal('8.50'))
    """
    wins: list[tuple[int, Decimal]] = []
    if match.rules.length is None:
        wins = [(game.winner, _EXACT.multiply(stakes.amount, Decimal(game.points))) for game in match.games]
    elif match.winner is not None:
        wins = [(match.winner, stakes.amount)]
    fee = _EXACT.multiply(stakes.fee, Decimal(len(match.games)))
    balances = [-fee, -fee]
    rake = [Decimal(0), Decimal(0)]
    for winner, won in wins:
        kept = _EXACT.multiply(won, stakes.rake)
        rake[winner] = _EXACT.add(rake[winner], kept)
        balances[winner] = _EXACT.add(balances[winner], _EXACT.subtract(won, kept))
        balances[1 - winner] = _EXACT.subtract(balances[1 - winner], won)
    return Settlement((balances[0], balances[1]), (fee, fee), (rake[0], rake[1]))


@dataclass
class Table:
    """A session that is opened with a stake and rules, and joined by the players (rule 10.4).

    `stakes=None` is play for fun.

    >>> table = Table(Rules.money(), Stakes(5, fee=1))
    >>> table.join("Ann", funds=20)
    0
    >>> table.join("Bob", funds=5)
    Traceback (most recent call last):
    ...
    gammon.errors.IllegalActionError: Bob cannot cover 6, one amount and the fee, with 5
    """

    rules: Rules
    stakes: Stakes | None = None
    names: list[str] = field(default_factory=list, init=False)

    def join(self, name: str, funds: Amount | None = None) -> int:
        """Gives a player a seat, 0 or 1. With `funds`, whoever cannot cover one amount and the fee is refused.

        Raises:
            IllegalActionError: for that (rule 10.3), if the table is full, or if somebody of this name sits there.
            InvalidArgumentError: for a name that is none, or funds that are no amount.

        >>> table = Table(Rules.money(), Stakes(5, fee=1))
        >>> table.join("Ann", funds=20), table.join("Bob")
        (0, 1)
        """
        if not isinstance(name, str) or not name:
            raise InvalidArgumentError(f"a player has a name, not {name!r}")
        if len(self.names) == 2:
            raise IllegalActionError(f"the table is full: {self.names[0]} and {self.names[1]} are playing")
        if name in self.names:
            raise IllegalActionError(f"{name} sits at the table already")
        if self.stakes is not None and funds is not None and exact("funds", funds) < self.stakes.needed:
            needed = self.stakes.needed
            raise IllegalActionError(f"{name} cannot cover {needed}, one amount and the fee, with {funds}")
        self.names.append(name)
        return len(self.names) - 1

    def start(self, dice: DiceSource | None = None) -> Match:
        """The session or match between the two who have joined. Raises `IllegalActionError` before both have.

        >>> table = Table(Rules.match(5))
        >>> _ = table.join("Ann"), table.join("Bob")
        >>> table.start()
        <Match 'Ann' against 'Bob', Rules.match(5), 0-0, opening>
        """
        if len(self.names) < 2:
            raise IllegalActionError(f"two players are needed, not {len(self.names)}")
        return Match(self.rules, names=self.names, dice=dice)

    def settle(self, match: Match) -> Settlement:
        """What the match at this table comes to; all zero when it is for fun.

        >>> table = Table(Rules.match(5), Stakes(100))
        >>> _ = table.join("Ann"), table.join("Bob")
        >>> match = table.start()
        >>> match.concede(0)
        >>> table.settle(match).balances
        (Decimal('-100'), Decimal('100'))
        """
        return settle(match, Stakes() if self.stakes is None else self.stakes)
