"""Thousands of games side by side, as numpy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

from gammon import _core
from gammon.dice import _seed
from gammon.errors import ArrayError, IllegalActionError, InvalidArgumentError
from gammon.position import Position
from gammon.rules import Rules
from gammon.simulation._plan import compiled, rules_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["VectorEnv", "VectorObservation"]


class VectorObservation(NamedTuple):
    """How n games stand, each seen by the player who decides: the one on roll, or who is offered a double.

    Actions of row i are 0 to counts[i] - 1; a dance is the single action 0, and about the cube 0 is no and 1 is yes.

    >>> seen, infos = VectorEnv(3).reset(seed=1)
    >>> seen.positions.shape, bool((seen.counts >= 1).all())
    ((3, 28), True)
    """

    positions: NDArray[np.int8]
    """int8[n, 28], the array form."""
    rolls: NDArray[np.uint8]
    """uint8[n, 2], the larger die first; 0 where the decision is about the cube."""
    seats: NDArray[np.int8]
    """int8[n], the seat that decides, 0 or 1."""
    counts: NDArray[np.int64]
    """int64[n], how many actions there are, at least 1."""
    offsets: NDArray[np.int64]
    """int64[n + 1], where the actions of each row begin among all."""
    candidates: NDArray[np.int8] | None
    """int8[offsets[-1], 28], what each action leads to, seen by the other player; None unless asked for. The checkers
    stay as they are where the decision is about the cube."""
    kinds: NDArray[np.int8] | None = None
    """int8[n], the decision: 0 a play, 1 whether to double, 2 whether to take. This and what follows: with rules."""
    away: NDArray[np.int16] | None = None
    """int16[n, 2], the points that the player and the other one still need; 0 without a match."""
    cube: NDArray[np.int16] | None = None
    """int16[n, 2], the level of the cube (its value is 2 to that power), before a double that is offered; its owner: 0
    nobody, 1 the player, -1 the other one."""
    phase: NDArray[np.int8] | None = None
    """int8[n], 1 in the Crawford game, 2 after it, else 0."""
    stake: NDArray[np.int32] | None = None
    """int32[n], what multiplies the cube."""


class VectorEnv:
    """n games or matches side by side; each step takes one decision in every one of them, for whichever seat it is.

    Without rules they are cubeless games, and every step is a turn. With rules the cube and matches come in, as in
    `gammon.simulate`: nobody beavers, doubles early or doubles a dead cube.

    A game that ends is followed by a new one within the same step (autoreset mode "same-step"): the observation is the
    new game's, and the last position is in the infos. The games of row i have the dice of
    ``RandomDice(seed, game=i)``, ``game=i + n``, ``game=i + 2 * n``, and so on; of matches 65536 times as far on.

    Args:
        n: how many games, 0 to 2**20.
        rules: the rules, for money or a match; None for cubeless games in which gammons count.
        variant: the start of each game where there are no rules.
        illegal_action: what an action does that there is not: "lose" ends the game as a lost backgammon at the value of
            the game, or the match as a lost one; "raise" raises `IllegalActionError` and changes nothing.
        candidates: whether observations hold what every action leads to.

    Raises:
        InvalidArgumentError: for a number of games out of range, or an option that there is not.

    >>> import gammon
    >>> import numpy as np
    >>> env = VectorEnv(3)
    >>> seen, infos = env.reset(seed=1)
    >>> seen, rewards, terminated, truncated, infos = env.step(np.zeros(3, dtype=np.int64))
    >>> rewards.shape, bool(terminated.any())
    ((3, 2), False)
    >>> seen, _ = VectorEnv(2, rules=gammon.Rules.match(5)).reset(seed=1)
    >>> seen.away.tolist()
    [[5, 5], [5, 5]]
    """

    autoreset_mode: Literal["same-step"] = "same-step"

    def __init__(
        self,
        n: int,
        *,
        rules: Rules | None = None,
        variant: str = "standard",
        illegal_action: Literal["lose", "raise"] = "lose",
        candidates: bool = False,
    ) -> None:
        if illegal_action not in ("lose", "raise"):
            raise InvalidArgumentError(f"illegal_action is 'lose' or 'raise', not {illegal_action!r}")
        self.rules = rules_for(rules, None, variant)
        self._start = Position.start(variant)
        self._games: _core.Vector | _core.Tables = _core.Vector(self._start, 0, n)
        self._ready = False
        self.n = int(n)
        self.illegal_action = illegal_action
        self.candidates = bool(candidates)
        self.seed: int | None = None

    def reset(self, *, seed: int | None = None) -> tuple[VectorObservation, dict[str, Any]]:
        """Begins n new games. Without a seed one is drawn; it is in `.seed` and in the infos.

        Raises `InvalidArgumentError` for a seed outside 0 to 2**64 - 1.

        >>> seen, infos = VectorEnv(3).reset(seed=1)
        >>> seen.positions.shape, infos
        ((3, 28), {'seed': 1})
        """
        self.seed = _seed(seed)
        if self.rules is None:
            self._games = _core.Vector(self._start, self.seed, self.n)
        else:
            self._games = _core.Tables(compiled(self.rules, "standard", self.seed, paired=False), self.n)
        self._ready = True
        return self._see(), {"seed": self.seed}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[VectorObservation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Takes an action in each game.

        Args:
            actions: int64[n].

        Returns:
            The observation; rewards float32[n, 2], what seats 0 and 1 won (points with stake and cube, or 1 and -1 for
            a match), which add up to 0; terminated bool[n]; truncated bool[n], always False; infos with
            "last_positions" int8[K, 28] of the K games that ended, in order and seen by the player whose turn it was,
            and "illegal" bool[n].

        Raises:
            IllegalActionError: for an action that there is not, with ``illegal_action="raise"``; or before `reset`.
            ArrayError: for another dtype or shape.

        >>> env = VectorEnv(3)
        >>> seen, infos = env.reset(seed=1)
        >>> seen, rewards, terminated, truncated, infos = env.step(seen.counts - 1)
        >>> rewards.tolist(), infos["illegal"].tolist()
        ([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], [False, False, False])
        """
        if not self._ready:
            raise IllegalActionError("reset comes before the first step")
        if not isinstance(actions, np.ndarray) or actions.dtype != np.int64 or actions.shape != (self.n,):
            what = (
                f"{actions.dtype} of shape {actions.shape}" if isinstance(actions, np.ndarray) else repr(actions)[:60]
            )
            raise ArrayError(f"actions: int64 of shape ({self.n},), not {what}")
        if self.illegal_action == "raise":
            wrong = self._games.first_illegal(actions)
            if wrong is not None:
                row, count = wrong
                raise IllegalActionError(f"row {row}: there are {count} actions, and none of them is {actions[row]}")
        done = self._games.step(actions)
        terminated = cast("NDArray[np.bool_]", done["ended"])
        infos = {"last_positions": done["last"], "illegal": done["illegal"]}
        return self._see(), done["rewards"], terminated, np.zeros(self.n, dtype=np.bool_), infos

    def _see(self) -> VectorObservation:
        return VectorObservation(**{"candidates": None, **self._games.see(self.candidates)})
