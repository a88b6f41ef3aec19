"""What rollouts come to."""

from __future__ import annotations

import dataclasses
import math
import os
from typing import Any, Literal, TypeAlias

from gammon._checks import whole
from gammon._long_work import Progress
from gammon.bearoff import OneSided, TwoSided
from gammon.cube import Cube, Ladder, _verdict
from gammon.dice import Roll
from gammon.engine._values import DEFAULT_FILTERS, DEFAULT_REPLIES, Filters
from gammon.errors import InvalidArgumentError
from gammon.evaluator import Model
from gammon.match._state import State
from gammon.position import Position

__all__ = [
    "LAST_TURN",
    "MOST_CANDIDATES",
    "MOST_TRIALS",
    "Five",
    "Kind",
    "RolloutCandidate",
    "RolloutResult",
    "Standing",
    "whole",
]

Kind: TypeAlias = Literal["position", "plays", "cube"]
Five: TypeAlias = tuple[float, float, float, float, float]
Standing: TypeAlias = tuple[list[tuple[int, bool, list[float]]], list[tuple[int, float, float]]]
"""For each candidate its trials, whether it still gets more, and sums; for each pair the trials of both, and sums."""

MOST_TRIALS = (1 << 53) - 1
MOST_CANDIDATES = 4096
LAST_TURN = (1 << 31) - 1


@dataclasses.dataclass(frozen=True, slots=True)
class RolloutCandidate:
    """What one play, one action of the cube or the position itself came to, seen by the player who has the decision.

    Attributes:
        action: the play, "no double", "double/take", or "" for the position itself.
        position: where the trials start, seen by the player on roll there: after a play that is the opponent.
        cube: the cube in the trials' first position, seen by the player on roll there.
        trials: how many trials it had.
        probabilities: win, win gammon, win backgammon, lose gammon, lose backgammon, nested. Where a double was
            dropped, what the evaluator says of the position.
        probability_errors: the standard error of each.
        equity: points without a cube, -3 to 3, of these probabilities.
        equity_error: its standard error.
        value: what the game is worth with its cube and score, as equity: to win a single game with the cube as it lies
            before the decision is 1 and to lose one -1. For money without a cube the same as `equity`.
        value_error: its standard error.
        worth: the same in points or match winning chances.
        worth_error: its standard error.
        behind: by how much its value is less than that of the best, on the trials that both had.
        behind_error: the standard error of that, from the differences trial by trial.
        stopped: whether it was left behind before the end, because it was clearly not the best.

    >>> from gammon import Position
    >>> from gammon.engine import rollout
    >>> candidate = rollout(Position.from_points({1: 2}, opponent={1: 2}), trials=36).best
    >>> candidate.action, candidate.trials, candidate.equity
    ('', 36, 1.0)
    """

    action: str
    position: Position
    cube: Cube
    trials: int
    probabilities: Five
    probability_errors: Five
    equity: float
    equity_error: float
    value: float
    value_error: float
    worth: float
    worth_error: float
    behind: float
    behind_error: float
    stopped: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class RolloutResult:
    """What a rollout came to, and with what settings.

    `seconds` and the sums that `resume` goes on from are left out of comparisons and of `repr`: a result read back from
    its repr is equal, but only one that was computed or read with `from_dict` can go on.

    Attributes:
        start: what was rolled out.
        kind: "position", "plays" of a roll, or "cube" for doubling or not.
        roll: the roll whose plays are compared.
        candidates: what was compared, in the order in which it was given.
        trials: the most trials that a candidate had.
        max_trials: how many were wanted.
        seed: the seed of the dice.
        cubeful: whether the cube could be turned in the trials.
        ladder: what the game was worth, seen by the player who has the decision.
        truncate: turns after which a trial was evaluated; None if it was played to the end.
        variance_reduction: whether luck was taken off.
        plies: how deep the players looked.
        filters, replies: how they searched, as in `Engine`; at 0-ply nothing depends on them.
        turn: which turn of the game it was; None if nobody had to wait with a double any more.
        model: what evaluated.
        tables: the bear-off databases in which trials ended.
        min_trials, stop_standard_error, stop_difference: when to stop early.
        seconds: how long it took; of a resumed rollout in all.

    >>> from gammon import Position
    >>> from gammon.engine import rollout
    >>> result = rollout(Position.from_points({3: 2, 1: 1}, opponent={4: 2, 2: 1}), trials=36)
    >>> result.kind, result.trials, len(result.candidates)
    ('position', 36, 1)
    >>> RolloutResult.from_dict(result.to_dict()) == result
    True
    """

    start: Position | State
    kind: Kind
    roll: Roll | None
    candidates: tuple[RolloutCandidate, ...]
    trials: int
    max_trials: int
    seed: int
    cubeful: bool
    ladder: Ladder
    truncate: int | None
    variance_reduction: bool
    plies: int
    model: Model
    tables: tuple[str, ...]
    min_trials: int
    stop_standard_error: float | None
    stop_difference: float | None
    filters: Filters = DEFAULT_FILTERS
    replies: int | None = DEFAULT_REPLIES
    turn: int | None = None
    seconds: float = dataclasses.field(default=0.0, compare=False, repr=False)
    _sums: Standing | None = dataclasses.field(default=None, compare=False, repr=False)
    _loaded: tuple[OneSided | None, TwoSided | None] | None = dataclasses.field(default=None, compare=False, repr=False)

    @property
    def best(self) -> RolloutCandidate:
        """The candidate with the greatest value among those that were not left behind.

        >>> from gammon.engine import rollout
        >>> position = Position.from_points({6: 2, 3: 1}, opponent={5: 2, 2: 1})
        >>> rollout(position, roll="61", trials=36).best.action
        '6/5 6/off'
        """
        return max((candidate for candidate in self.candidates if not candidate.stopped), key=lambda c: c.value)

    @property
    def ranked(self) -> tuple[RolloutCandidate, ...]:
        """The candidates, the best first; those that were left behind come last.

        >>> from gammon.engine import rollout
        >>> position = Position.from_points({6: 2, 3: 1}, opponent={5: 2, 2: 1})
        >>> result = rollout(position, roll="61", trials=36)
        >>> result.ranked[0] == result.best, len(result.ranked) == len(result.candidates)
        (True, True)
        """
        return tuple(sorted(self.candidates, key=lambda c: (c.stopped, -c.value)))

    @property
    def decision(self) -> str:
        """The verdict on a cube decision in the words of `gammon.cube.decide`.

        Raises `InvalidArgumentError` for a rollout of anything else.

        >>> from gammon.engine import rollout
        >>> state = State(Position.from_points({1: 2}, opponent={1: 4}), on_roll=0)
        >>> rollout(state, cube_decision=True, trials=36).decision
        'double/drop'
        """
        if self.kind != "cube":
            raise InvalidArgumentError(f"this is a rollout of {self.kind}, not of a cube decision")
        rolling, take = (candidate.value for candidate in self.candidates)
        beaver = math.inf
        if self.ladder.beavers != 0 and self.ladder.unit == "points" and take < 0:
            # The cube stays where it is, at twice its value.
            beaver = 2 * take
        answer = 5 if beaver < min(take, 1.0) else 4 if take < 1 else 6
        if min(beaver, take, 1.0) >= rolling:
            return _verdict(answer, self._cube)
        return _verdict({5: 2, 4: 1, 6: 3}[answer], self._cube)

    @property
    def _cube(self) -> Cube:
        return self.start.cube if isinstance(self.start, State) else Cube()

    @property
    def trials_per_second(self) -> float:
        """Trials a second, of all candidates together; NaN if it took no time.

        >>> from gammon.engine import rollout
        >>> rollout(Position.from_points({6: 2, 3: 1}, opponent={5: 2, 2: 1}), trials=36).trials_per_second > 0
        True
        """
        return sum(candidate.trials for candidate in self.candidates) / self.seconds if self.seconds else math.nan

    def resume(
        self,
        trials: int,
        *,
        threads: int | None = None,
        backend: Literal["local", "ray"] = "local",
        address: str | None = None,
        progress: Progress = None,
    ) -> RolloutResult:
        """The same rollout with more trials: exactly what it would have come to without a break.

        Args:
            trials: how many in all.
            threads, backend, address, progress: as in `rollout`.

        Raises:
            InvalidArgumentError: if there are more trials already, or the sums are missing (a result made from its
                repr).
            MissingExtraError: without Ray for ``backend="ray"``.
            Interrupted: on Ctrl-C.

        >>> from gammon import Position
        >>> from gammon.engine import rollout
        >>> position = Position.from_points({3: 2, 1: 1}, opponent={4: 2, 2: 1})
        >>> rollout(position, trials=36).resume(72) == rollout(position, trials=72)
        True
        """
        whole("trials", trials, 2, MOST_TRIALS)
        if trials < self.trials:
            raise InvalidArgumentError(f"trials is how many there are to be in all, at least {self.trials}: {trials}")
        if self._sums is None:
            raise InvalidArgumentError("a result that was made from its repr has no sums to go on from")
        from gammon.engine._rollout import checked_backend, run

        checked_backend(backend, address)
        return run(dataclasses.replace(self, max_trials=trials), threads, progress, backend, address)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data for JSON: settings, estimates, and the sums that `resume` goes on from.

        ``docs/rollouts.md`` lists the fields.

        >>> from gammon.engine import rollout
        >>> data = rollout(Position.from_points({1: 2}, opponent={1: 2}), trials=36).to_dict()
        >>> data["format"], data["trials"]
        ('gammon rollout', 36)
        """
        from gammon.engine import _rollout_json

        return _rollout_json.to_dict(self)

    @classmethod
    def from_dict(
        cls,
        data: object,
        *,
        model: Model | str | os.PathLike[str] | None = None,
        races: OneSided | Literal["default"] | None = "default",
        exact: TwoSided | Literal["default"] | None = "default",
    ) -> RolloutResult:
        """The result that `to_dict` wrote, also in another process, ready to be resumed.

        Args:
            data: what `to_dict` gave, or JSON of it.
            model: what evaluated, if it is not the model that comes with the library or no longer where it was.
            races, exact: the bear-off databases, if they were not the default ones.

        Raises:
            FileFormatError: for data that is damaged, with the field.
            InvalidArgumentError: for a model or tables that are not those of the rollout.

        >>> import json
        >>> from gammon.engine import rollout
        >>> position = Position.from_points({6: 2, 3: 1}, opponent={5: 2, 2: 1})
        >>> text = json.dumps(rollout(position, trials=36).to_dict())
        >>> RolloutResult.from_dict(json.loads(text)).resume(72) == rollout(position, trials=72)
        True
        """
        from gammon.engine import _rollout_json

        return _rollout_json.from_dict(data, model, races, exact)

    def __str__(self) -> str:
        """A table for people: the best candidate first."""
        return _text(self)


def _text(result: RolloutResult) -> str:
    five = ("win", "win g", "win bg", "lose g", "lose bg")
    width = max(8, *(len(candidate.action) for candidate in result.candidates))
    lines = [f"{'':<{width}}  " + "".join(f"{name:>9}" for name in (*five, "equity", "value", "behind", "trials"))]
    for candidate in result.ranked:
        name = candidate.action or "position"
        shares = "".join(f"{chance:>9.2%}" for chance in candidate.probabilities)
        numbers = f"{candidate.equity:>+9.4f}{candidate.value:>+9.4f}{candidate.behind:>9.4f}{candidate.trials:>9}"
        lines.append(f"{name:<{width}}  {shares}{numbers}")
        shares = "".join(f"{error:>9.2%}" for error in candidate.probability_errors)
        numbers = f"{candidate.equity_error:>9.4f}{candidate.value_error:>9.4f}{candidate.behind_error:>9.4f}"
        lines.append(f"{'  +-':<{width}}  {shares}{numbers}")
    if result.kind == "cube":
        lines.append(f"{result.decision} (a double that is dropped: +1)")
    if result.ladder.unit == "mwc":
        lines += [
            f"{c.action or 'position'}: match winning chance {c.worth:.2%} +- {c.worth_error:.2%}"
            for c in result.ranked
        ]
    played = "with the cube" if result.cubeful else "without a cube"
    ends = "" if result.truncate is None else f", evaluated after {result.truncate} turns"
    luck = "luck taken off" if result.variance_reduction else "no variance reduction"
    lines.append(f"{result.trials} trials {played}, {result.plies}-ply{ends}, {luck}, seed {result.seed}")
    return "\n".join(lines)
