"""One agent against a chosen opponent, for Gymnasium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces

from gammon import _core
from gammon.env._table import (
    HIGH,
    LOW,
    PLAY,
    SIZES,
    TAKE,
    ActionSpace,
    IllegalAction,
    Table,
    action_place,
    checked,
    rules_of,
)
from gammon.errors import IllegalActionError, InvalidArgumentError
from gammon.render import text
from gammon.rules import Rules
from gammon.simulation._players import PlayerLike, network_seat, player_from
from gammon.simulation._policy import Choices, Decisions, Questioner

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BackgammonEnv"]

Observation = dict[str, Any]


class BackgammonEnv(gymnasium.Env[Observation, int]):
    """Backgammon for one agent: a game, or a match under match rules, against an opponent.

    The agent sits at seat 0. ``docs/env/gymnasium.md`` has the layout of observations and actions.

    Args:
        opponent: a player of `gammon.simulate`: "random", "baseline", "fast", "strong", a level such as "expert", a
            `gammon.Model` or the path of its file, or a `gammon.Policy`.
        rules: the rules; None for cubeless games in which gammons count.
        variant: the start of each game where there are no rules.
        actions: "play": an action is a whole play, by its place among the legal ones; "step": one step of one checker.
        illegal_action: what an action does that there is not: "lose" ends the episode as the worst loss, "raise" raises
            `IllegalActionError` and changes nothing.
        render_mode: "ansi" for text, or None.

    Raises:
        InvalidArgumentError: for an option that there is not.

    >>> env = BackgammonEnv()
    >>> observation, info = env.reset(seed=1)
    >>> observation["observation"].shape, int(observation["action_mask"].sum()) == len(info["candidates"])
    ((38,), True)
    >>> observation, reward, terminated, truncated, info = env.step(0)
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ["ansi"],
        "render_fps": 1,
    }

    def __init__(
        self,
        opponent: PlayerLike = "random",
        *,
        rules: Rules | None = None,
        variant: str = "standard",
        actions: ActionSpace = "play",
        illegal_action: IllegalAction = "lose",
        render_mode: str | None = None,
    ) -> None:
        checked(illegal_action, actions)
        if render_mode not in (None, "ansi"):
            raise InvalidArgumentError(f"render_mode is 'ansi' or None, not {render_mode!r}")
        kind, what = player_from(opponent, "opponent")
        self._opponent = Questioner(what, "opponent") if kind == "policy" else None
        self._network = network_seat((kind, what))
        self._baseline = what == "baseline"
        self.rules = rules_of(rules, variant)
        self._actions = actions
        self._illegal_action = illegal_action
        self.render_mode = render_mode
        self._table: Table | None = None
        self.action_space = spaces.Discrete(SIZES[actions])  # type: ignore[assignment]
        self.observation_space = spaces.Dict(
            {
                "observation": spaces.Box(LOW, HIGH, dtype=np.int32),
                "action_mask": spaces.Box(0, 1, (SIZES[actions],), dtype=np.int8),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins an episode. The dice follow from the seed.

        >>> env = BackgammonEnv()
        >>> observation, info = env.reset(seed=1)
        >>> observation["observation"].shape, len(info["candidates"]) > 0
        ((38,), True)
        """
        super().reset(seed=seed)
        while True:
            self._table = Table(self.rules, int(self.np_random.integers(1 << 63)), self._actions)
            self._let_opponent_play(self._table)
            # A game that the opponent ends before the agent's first decision teaches nothing.
            if not self._table.over:
                return self._see(self._table)

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Takes an action and lets the opponent answer, up to the agent's next decision.

        Returns observation, reward (what the agent won when the episode ends, else 0), terminated, truncated (always
        False) and info: "candidates" int8[n, 28] with what each play leads to, seen by the opponent; "illegal".

        Raises `IllegalActionError` before `reset` and after the last step, and for an action that there is not with
        ``illegal_action="raise"``.

        >>> env = BackgammonEnv()
        >>> _ = env.reset(seed=1)
        >>> observation, reward, terminated, truncated, info = env.step(0)
        >>> reward, terminated, truncated, info["illegal"]
        (0.0, False, False, False)
        """
        table = self._table
        if table is None or table.over:
            raise IllegalActionError("reset comes before the first step and after the last one")
        place = action_place(action)
        if place not in table.actions():
            if self._illegal_action == "raise":
                raise IllegalActionError(f"there is no action {action} now")
            table.lose()
            observation, info = self._see(table)
            return observation, table.rewards[0], True, False, {**info, "illegal": True}
        table.act(place)
        self._let_opponent_play(table)
        observation, info = self._see(table)
        return observation, table.rewards[0], table.over, False, info

    def _see(self, table: Table) -> tuple[Observation, dict[str, Any]]:
        observation = {"observation": table.observation(), "action_mask": table.mask()}
        return observation, {"candidates": table.candidates(), "illegal": False}

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[size], the actions that there are now, under the name that stable-baselines3's contrib looks for.

        Raises `IllegalActionError` before `reset`.

        >>> env = BackgammonEnv()
        >>> observation, info = env.reset(seed=1)
        >>> mask = env.action_masks()
        >>> mask.dtype.name, int(mask.sum()) == len(info["candidates"])
        ('bool', True)
        """
        if self._table is None:
            raise IllegalActionError("reset comes first")
        return self._table.mask().astype(np.bool_)

    def render(self) -> str | None:
        """The board as text, seen by the player who decides.

        >>> env = BackgammonEnv(render_mode="ansi")
        >>> _ = env.reset(seed=1)
        >>> print(env.render().splitlines()[0])
        +13-14-15-16-17-18------19-20-21-22-23-24-+
        """
        if self.render_mode is None or self._table is None:
            return None
        return text(self._table.describe())

    def _let_opponent_play(self, table: Table) -> None:
        while not table.over and table.seat == 1:
            if table.kind == PLAY:
                table.choose(self._opponents_choice(table))
            else:
                table.act(self._opponents_decision(table))

    def _opponents_choice(self, table: Table) -> int:
        """The place of the opponent's play: opponents choose whole plays, whatever the agent does."""
        if table.plays < 2:
            return 0
        if self._network is not None:
            return table.place_of(self._network.play(table.match.state, table.noise()))
        if self._baseline:
            state = table.match.state
            assert state.roll is not None
            return table.place_of(_core.baseline_play(state.position, state.roll))
        if self._opponent is None:
            return table.noise() * table.plays >> 64
        candidates = table.candidates()
        choices = Choices(
            rolls=table.observation()[None, 28:30].astype(np.uint8),
            candidates=candidates,
            offsets=np.array([0, len(candidates)], dtype=np.int64),
            **_columns(table),
        )
        return int(self._opponent.answer(PLAY, choices)[0])

    def _opponents_decision(self, table: Table) -> int:
        """Whether the opponent doubles or takes; one without a say never doubles and always takes."""
        if self._network is not None:
            doubles, takes = self._network.cube(table.match.state, table.noise())
            return int(takes if table.kind == TAKE else doubles)
        fixed = table.kind == TAKE if self._opponent is None else self._opponent.parts(1)[1 + table.kind]
        if fixed is not None:
            return int(fixed)
        assert self._opponent is not None
        return int(self._opponent.answer(table.kind, Decisions(**_columns(table)))[0])


def _columns(table: Table) -> dict[str, Any]:
    """The decision as a policy is shown it, in a batch of one row."""
    row = table.observation()
    return {
        "positions": row[None, :28].astype(np.int8),
        "away": row[None, 30:32].astype(np.int16),
        "cube": row[None, 32:34].astype(np.int16),
        "phase": row[34:35].astype(np.int8),
        "stake": row[36:37].copy(),
        "noise": np.array([table.noise()], dtype=np.uint64),
    }
