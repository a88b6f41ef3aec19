"""Users' players: what they are asked, thousands of games at once, and whether their answers can be relied on."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from gammon import _core
from gammon.errors import ArrayError, InvalidArgumentError
from gammon.rules import Rules
from gammon.simulation._plan import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Choices", "Decisions", "Policy", "Questioner", "check_policy"]

CHOOSE, DOUBLE, TAKE = range(3)


@dataclasses.dataclass(frozen=True, eq=False)
class Choices:
    """Rolls to be played, a row for each, seen by the player on roll. Every row has at least two candidates.

    Attributes:
        positions: int8[N, 28], the array form.
        rolls: uint8[N, 2], the larger die first.
        candidates: int8[M, 28], the distinct results of all rows, seen by the player who rolls next.
        offsets: int64[N + 1]: row i has the candidates from offsets[i] to offsets[i + 1].
        away: int16[N, 2], the points that player and opponent still need in a match; 0 without one.
        cube: int16[N, 2], the level of the cube (its value is 2 to that power) and its owner: 0 nobody, 1 the player,
            -1 the opponent.
        phase: int8[N], 1 in the Crawford game, 2 after it, else 0.
        stake: int32[N], what multiplies the cube.
        noise: uint64[N], a random word for each decision: a function of (seed, game, turn) alone.

    >>> from gammon import batch, simulate
    >>> class Fewest:
    ...     def choose(self, choices):
    ...         ours = batch.pips(choices.candidates)[:, 1].astype(float)
    ...         return choices.best(-ours)
    >>> simulate(20, (Fewest(), "random"), seed=1).games
    20
    """

    positions: NDArray[np.int8]
    rolls: NDArray[np.uint8]
    candidates: NDArray[np.int8]
    offsets: NDArray[np.int64]
    away: NDArray[np.int16]
    cube: NDArray[np.int16]
    phase: NDArray[np.int8]
    stake: NDArray[np.int32]
    noise: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def counts(self) -> NDArray[np.int64]:
        """int64[N], how many candidates each row has.

        >>> from gammon import simulate
        >>> def last(choices):
        ...     return choices.counts - 1
        >>> simulate(20, (last, "random"), seed=1).games
        20
        """
        return np.diff(self.offsets)

    def best(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """The index of the greatest of each row's values, the first of equal ones.

        `values` has one number for each candidate: float[M]. Since candidates are seen by the opponent, the values are
        most often what an evaluator gives with the sign turned.

        Raises `ArrayError` for another number of values.

        >>> from gammon import batch, simulate
        >>> def race(choices):
        ...     return choices.best(-batch.pips(choices.candidates)[:, 1].astype(float))
        >>> simulate(20, (race, "random"), seed=1).games
        20
        """
        values = np.asarray(values)
        if values.shape != (len(self.candidates),):
            raise ArrayError(f"values: shape ({len(self.candidates)},), not {values.shape}")
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        starts = self.offsets[:-1]
        greatest = np.repeat(np.maximum.reduceat(values, starts), self.counts)
        places = np.where(values == greatest, np.arange(len(values)), len(values))
        first: NDArray[np.int64] = np.minimum.reduceat(places, starts) - starts
        return first

    def rows(self, rows: NDArray[np.integer[Any]]) -> Choices:
        """Some rows, in the order given.

        >>> from gammon import simulate
        >>> def first(choices):
        ...     some = choices.rows(np.arange(0, len(choices), 2))
        ...     assert some.counts.tolist() == choices.counts[::2].tolist()
        ...     return np.zeros(len(choices), dtype=np.int64)
        >>> simulate(20, (first, "random"), seed=1).games
        20
        """
        counts = self.counts[rows]
        offsets = np.concatenate(([0], np.cumsum(counts)))
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][rows] - offsets[:-1], counts)
        columns = {
            field.name: getattr(self, field.name)[rows]
            for field in dataclasses.fields(self)
            if field.name not in ("candidates", "offsets")
        }
        return Choices(candidates=self.candidates[places], offsets=offsets, **columns)


@dataclasses.dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions about the cube, a row for each, seen by the player who decides. The columns are those of `Choices`.

    Whether to double is asked before the roll of a player who may. Whether to take is asked of the other one, with the
    position as that player sees it and the cube as it lies before the double.

    >>> from gammon import simulate
    >>> class Cautious:
    ...     def choose(self, choices):
    ...         return np.zeros(len(choices), dtype=np.int64)
    ...     def double(self, decisions):
    ...         return np.zeros(len(decisions), dtype=bool)
    ...     def take(self, decisions):
    ...         return decisions.cube[:, 0] < 2
    >>> simulate(20, (Cautious(), "random"), cube=True, seed=1).cube[0].doubles
    0
    """

    positions: NDArray[np.int8]
    away: NDArray[np.int16]
    cube: NDArray[np.int16]
    phase: NDArray[np.int8]
    stake: NDArray[np.int32]
    noise: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.positions)

    def rows(self, rows: NDArray[np.integer[Any]]) -> Decisions:
        """Some rows, in the order given.

        >>> from gammon import batch
        >>> pairs, stake, noise = np.zeros((2, 2), np.int16), np.ones(2, np.int32), np.array([7, 8], np.uint64)
        >>> asked = Decisions(batch.random_positions(2, seed=1), pairs, pairs, np.zeros(2, np.int8), stake, noise)
        >>> asked.rows(np.array([1])).noise.tolist()
        [8]
        """
        return Decisions(**{field.name: getattr(self, field.name)[rows] for field in dataclasses.fields(self)})


@runtime_checkable
class Policy(Protocol):
    """A user's player, called on thousands of games at once.

    `choose` gives for each row an index within the row's own candidates: int64[N]. `double` and `take`, which answer
    `Decisions` with bool[N], may be missing: then the player never doubles and always takes. An answer must depend on
    its own row alone; `check_policy` tests that.

    >>> from gammon import simulate
    >>> class First:
    ...     def choose(self, choices):
    ...         return np.zeros(len(choices), dtype=np.int64)
    >>> isinstance(First(), Policy), simulate(20, (First(), "random"), seed=1).games
    (True, 20)
    """

    def choose(self, c: Choices, /) -> NDArray[np.int64]:
        """The index of the play that is made in each row."""
        ...


PolicyLike: TypeAlias = Policy | Callable[[Choices], "NDArray[np.int64]"]


class Questioner:
    """Asks a policy and checks what it answers."""

    def __init__(self, policy: PolicyLike, name: str) -> None:
        choose = getattr(policy, "choose", None)
        if choose is None and callable(policy):
            choose = policy
        if not callable(choose):
            raise InvalidArgumentError(f"{name} is a name or has a method choose, unlike {policy!r}")
        self.policy = policy
        self.name = name
        self._choose = choose
        self._double = getattr(policy, "double", None)
        self._take = getattr(policy, "take", None)
        for method in ("double", "take"):
            if not callable(getattr(policy, method, min)):
                raise InvalidArgumentError(f"{name}.{method} cannot be called")

    def parts(self, slot: int) -> tuple[int, str, bool | None, bool | None]:
        """What the core has to know: who is asked for what."""
        return slot, "asked", None if self._double else False, None if self._take else True

    def answer(self, kind: int, question: Choices | Decisions) -> NDArray[Any]:
        """The checked answer."""
        if isinstance(question, Choices):
            return self._indices(question, self._choose(question))
        ask = self._double if kind == DOUBLE else self._take
        what = "double" if kind == DOUBLE else "take"
        assert ask is not None
        answer = ask(question)
        if not isinstance(answer, np.ndarray) or answer.dtype != np.bool_ or answer.shape != (len(question),):
            raise ArrayError(f"{self.name}.{what}: bool of shape ({len(question)},), not {_describe(answer)}")
        return answer

    def _indices(self, question: Choices, answer: object) -> NDArray[np.int64]:
        if not isinstance(answer, np.ndarray) or answer.dtype.kind not in "iu" or answer.shape != (len(question),):
            raise ArrayError(f"{self.name}.choose: int64 of shape ({len(question)},), not {_describe(answer)}")
        wrong = np.flatnonzero((answer < 0) | (answer >= question.counts))
        if len(wrong):
            row = int(wrong[0])
            raise InvalidArgumentError(
                f"{self.name}.choose: row {row}: index {answer[row]}, but the row has {question.counts[row]} candidates"
            )
        return answer.astype(np.int64, copy=False)


def _describe(answer: object) -> str:
    if isinstance(answer, np.ndarray):
        return f"{answer.dtype} of shape {answer.shape}"
    return type(answer).__name__


def question(kind: int, columns: dict[str, Any]) -> Choices | Decisions:
    """What the core asks, as a policy is shown it."""
    return Choices(**columns) if kind == CHOOSE else Decisions(**columns)


def check_policy(policy: PolicyLike, *, seed: int = 0, games: int = 64, rounds: int = 60) -> None:
    """Plays a few games with a policy and tests that its answers can be relied on.

    Each batch is shown several times: once more, in another order, and in parts down to a single row. An answer must be
    the same each time, of the right dtype and shape, and the arrays must not be changed.

    Floating-point sums may come out differently in batches of other sizes, which matters where two plays are valued
    nearly alike: a policy that this test refuses may have to round its values.

    Args:
        policy: an object with `choose`, and perhaps `double` and `take`; or a callable for `choose` alone.
        seed: 0 to 2**64 - 1, for the dice.
        games: how many games are played at once.
        rounds: how many batches are asked.

    Raises:
        InvalidArgumentError: with the first row that is answered otherwise, or out of range.
        ArrayError: for an answer of another dtype or shape.

    >>> import numpy as np
    >>> check_policy(lambda c: np.zeros(len(c), dtype=np.int64))
    >>> check_policy(lambda c: np.arange(len(c)) % 2)
    Traceback (most recent call last):
    ...
    gammon.errors.InvalidArgumentError: policy: choose: row 0: the answer depends on other rows or on earlier calls: it was 0 and is 1 in another order
    """  # noqa: E501
    asker = Questioner(policy, "policy")
    slots: list[tuple[int, str, bool | None, bool | None, None, int, float]]
    slots = [(0, "asked", None, None, None, 0, 0.0)] * 2
    plan = compiled(Rules.money(), "standard", seed, paired=False)
    arena = _core.Arena(plan, slots, (False, False, False), 0, 1 << 40, games, 1)
    order = np.random.default_rng(seed)
    for _ in range(rounds):
        for slot, kind, columns in arena.advance():
            asked = question(kind, columns)
            if kind == CHOOSE:
                _check_batch(asker, kind, asked, order)
                # Games are played at random, whatever the policy answers, so that many kinds of positions come up.
                assert isinstance(asked, Choices)
                arena.choose(slot, (asked.noise % asked.counts.astype(np.uint64)).astype(np.int64))
                continue
            if asker.parts(0)[1 + kind] is None:
                _check_batch(asker, kind, asked, order)
            arena.decide(slot, kind, asked.noise % np.uint64(4) == 0 if kind == DOUBLE else asked.noise % 2 == 0)


def _check_batch(asker: Questioner, kind: int, asked: Choices | Decisions, order: np.random.Generator) -> None:
    what = ("choose", "double", "take")[kind]
    everything = np.arange(len(asked))
    before = [getattr(asked, field.name).copy() for field in dataclasses.fields(asked)]
    first = asker.answer(kind, asked).copy()
    for field, column in zip(dataclasses.fields(asked), before, strict=True):
        if not np.array_equal(getattr(asked, field.name), column):
            raise InvalidArgumentError(f"{asker.name}: {what}: it changes {field.name}")
    half = len(asked) // 2
    ways: list[tuple[str, list[NDArray[np.int64]]]] = [
        ("in another order", [everything[::-1], order.permutation(len(asked))]),
        ("when it is asked again", [everything]),
        ("in a part of the batch", [everything[:half], everything[half:], everything[-1:]]),
    ]
    for way, parts in ways:
        for rows in parts:
            if not len(rows):
                continue
            again = asker.answer(kind, asked.rows(rows))
            wrong = np.flatnonzero(again != first[rows])
            if len(wrong):
                row = int(rows[wrong].min())
                place = int(np.flatnonzero(rows == row)[0])
                raise InvalidArgumentError(
                    f"{asker.name}: {what}: row {row}: the answer depends on other rows or on earlier calls:"
                    f" it was {first[row]} and is {again[place]} {way}"
                )
