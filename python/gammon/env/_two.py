"""Two agents, for PettingZoo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from gammon.dice import _seed
from gammon.env._table import HIGH, LOW, SIZES, ActionSpace, IllegalAction, Table, action_place, checked, rules_of
from gammon.errors import IllegalActionError, InvalidArgumentError
from gammon.render import text
from gammon.rules import Rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BackgammonAEC", "aec"]

AGENTS = ("player_0", "player_1")


class BackgammonAEC(AECEnv):  # type: ignore[misc]
    """Backgammon for two agents: a game, or a match under match rules. See `aec`.

    ``docs/env/pettingzoo.md`` has the layout of observations and actions.

    >>> env = BackgammonAEC()
    >>> env.reset(seed=1)
    >>> env.possible_agents, int(env.observe(env.agent_selection)["action_mask"].sum()) > 0
    (['player_0', 'player_1'], True)
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "gammon_backgammon_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        *,
        rules: Rules | None = None,
        variant: str = "standard",
        actions: ActionSpace = "play",
        illegal_action: IllegalAction = "lose",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        checked(illegal_action, actions)
        if render_mode not in (None, "ansi"):
            raise InvalidArgumentError(f"render_mode is 'ansi' or None, not {render_mode!r}")
        self.rules = rules_of(rules, variant)
        self._actions = actions
        self._illegal_action = illegal_action
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        size = SIZES[actions]
        self.action_spaces = {agent: spaces.Discrete(size) for agent in AGENTS}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(LOW, HIGH, dtype=np.int32),
                    "action_mask": spaces.Box(0, 1, (size,), dtype=np.int8),
                }
            )
            for agent in AGENTS
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations.

        >>> env = BackgammonAEC()
        >>> env.reset(seed=1)
        >>> env.observation_space("player_0").contains(env.observe("player_0"))
        True
        """
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions.

        >>> BackgammonAEC().action_space("player_0")
        Discrete(3060)
        """
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins an episode. The dice follow from the seed; without one it is drawn.

        Raises `InvalidArgumentError` for a seed outside 0 to 2**64 - 1.

        >>> env = BackgammonAEC()
        >>> env.reset(seed=1)
        >>> env.agents, env.agent_selection in env.agents
        (['player_0', 'player_1'], True)
        """
        self._table = Table(self.rules, _seed(seed), self._actions)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self._table.seat]

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What an agent sees: always the board as it stands at the decision; the mask is empty for who waits.

        >>> env = BackgammonAEC()
        >>> env.reset(seed=1)
        >>> seen = env.observe(env.agent_selection)
        >>> seen["observation"].shape, bool(seen["action_mask"].any())
        ((38,), True)
        """
        table = self._table
        row = table.observation_of(AGENTS.index(agent))
        decides = agent == self.agent_selection and not table.over
        return {"observation": row, "action_mask": table.mask() if decides else np.zeros(table.size, dtype=np.int8)}

    def step(self, action: SupportsIndex | None) -> None:
        """Takes an action of the agent who decides; None for one whose episode is over.

        Raises `IllegalActionError` for an action that there is not, with ``illegal_action="raise"``.

        >>> env = BackgammonAEC()
        >>> env.reset(seed=1)
        >>> first = env.agent_selection
        >>> env.step(0)
        >>> env.agent_selection != first, env.rewards[first]
        (True, 0.0)
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        table = self._table
        self._cumulative_rewards[agent] = 0.0
        place = None if action is None else action_place(action)
        legal = place in table.actions()
        if not legal and self._illegal_action == "raise":
            raise IllegalActionError(f"{agent} has no action {action} now")
        if legal:
            assert place is not None
            table.act(place)
        else:
            table.lose()
            self.infos[agent] = {"illegal": True}
        if table.over:
            self.rewards = dict(zip(AGENTS, table.rewards, strict=True))
            self.terminations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[table.seat]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The board as text, seen by the player who decides.

        >>> env = BackgammonAEC(render_mode="ansi")
        >>> env.reset(seed=1)
        >>> print(env.render().splitlines()[0])
        +13-14-15-16-17-18------19-20-21-22-23-24-+
        """
        return text(self._table.describe()) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is open.

        >>> BackgammonAEC().close()
        """


def aec(
    *,
    rules: Rules | None = None,
    variant: str = "standard",
    actions: ActionSpace = "play",
    illegal_action: IllegalAction = "lose",
    render_mode: str | None = None,
) -> BackgammonAEC:
    """Backgammon as a PettingZoo environment for the agents "player_0" and "player_1".

    Args:
        rules: the rules; None for cubeless games in which gammons count.
        variant: the start of each game where there are no rules.
        actions: "play": an action is a whole play, by its place among the legal ones; "step": one step of one checker.
        illegal_action: what an action does that there is not: "lose" ends the episode as the worst loss for who acted,
            "raise" raises `IllegalActionError` and changes nothing.
        render_mode: "ansi" for text, or None.

    Raises:
        InvalidArgumentError: for an option that there is not.

    >>> env = aec()
    >>> env.reset(seed=1)
    >>> env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    """
    return BackgammonAEC(
        rules=rules, variant=variant, actions=actions, illegal_action=illegal_action, render_mode=render_mode
    )
