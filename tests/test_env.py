"""Environments: the official checkers, endings, rewards, masks and what an illegal action does (cases E01 to E24)."""

from __future__ import annotations

import builtins
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gammon
from gammon import Rules
from gammon.env import VectorEnv

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

KINDS: dict[str, dict[str, Any]] = {
    "cubeless": {},
    "steps": {"actions": "step"},
    "money": {"rules": Rules.money(automatic_doubles=2)},
    "money by steps": {"rules": Rules.money(), "actions": "step"},
    "match": {"rules": Rules.match(3, variant="hypergammon")},
    "match by steps": {"rules": Rules.match(2), "actions": "step"},
    "nackgammon": {"variant": "nackgammon"},
}
every_kind = pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)


def chosen(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


class TestCheckers:
    """The official ones; they only warn about choices of form, such as dictionaries that hold a mask."""

    @every_kind
    def test_gymnasium(self, options: dict[str, Any]) -> None:
        from gymnasium.utils.env_checker import check_env

        check_env(gammon.env.BackgammonEnv(**options), skip_render_check=True)

    def test_made_by_name(self) -> None:
        env = gymnasium.make("gammon.env:gammon/Backgammon-v0", rules=Rules.match(1), disable_env_checker=True)
        assert isinstance(env.unwrapped, gammon.env.BackgammonEnv)
        observation, _ = env.reset(seed=1)
        assert env.observation_space.contains(observation)

    @every_kind
    def test_pettingzoo(self, options: dict[str, Any]) -> None:
        from pettingzoo.test import api_test, seed_test

        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Observation")
            api_test(gammon.env.aec(**options), num_cycles=300)
            seed_test(lambda: gammon.env.aec(**options), num_cycles=150)


class TestOneAgent:
    @every_kind
    def test_random_play_ends_and_masks_are_never_stale(self, options: dict[str, Any]) -> None:
        """E01 to E03, E24: observations and masks are good at every decision, and episodes end."""
        env = gammon.env.BackgammonEnv(illegal_action="raise", **options)
        rng = np.random.default_rng(1)
        for seed in range(4):
            observation, info = env.reset(seed=seed)
            rewards = 0.0
            for _ in range(20_000):
                assert env.observation_space.contains(observation)
                row, mask = observation["observation"], observation["action_mask"]
                assert np.array_equal(env.action_masks(), mask.astype(bool))
                if row[35] == 0 and env.action_space.n == 3060:
                    roll = gammon.Roll(*row[28:30].tolist())
                    plays = gammon.Position.from_array(row[:28].astype(np.int8)).plays(roll)
                    assert mask.sum() == max(1, len(plays))
                    assert [play.next for play in plays] == [gammon.Position.from_array(c) for c in info["candidates"]]
                illegal = int(np.flatnonzero(mask == 0)[0])
                with pytest.raises(gammon.IllegalActionError, match=str(illegal)):
                    env.step(illegal)
                observation, reward, terminated, truncated, info = env.step(chosen(mask, rng))
                rewards += float(reward)
                assert not truncated
                if terminated:
                    break
            assert terminated
            assert rewards == reward != 0
            assert not observation["action_mask"].any()
            with pytest.raises(gammon.IllegalActionError, match="reset"):
                env.step(0)

    def test_the_same_seed_is_the_same_episode(self) -> None:
        def episode(seed: int) -> list[bytes]:
            env = gammon.env.BackgammonEnv(rules=Rules.money())
            observation, _ = env.reset(seed=seed)
            rows = []
            terminated = False
            while not terminated:
                rows.append(observation["observation"].tobytes())
                observation, _, terminated, _, _ = env.step(int(np.flatnonzero(observation["action_mask"])[-1]))
            return rows

        assert episode(3) == episode(3) != episode(4)

    def test_illegal_actions_lose(self) -> None:
        for options, lost in (({}, -3.0), ({"rules": Rules.match(5)}, -1.0)):
            env = gammon.env.BackgammonEnv(**options)
            env.reset(seed=1)
            _, reward, terminated, _, info = env.step(3059)
            assert (reward, terminated, info["illegal"]) == (lost, True, True)

    @every_kind
    def test_against_a_policy(self, options: dict[str, Any]) -> None:
        class First:
            def choose(self, c: gammon.Choices) -> np.ndarray:
                legal, _ = gammon.batch.legal_positions(c.positions, c.rolls, view="next")
                assert np.array_equal(legal, c.candidates)
                return np.zeros(len(c), dtype=np.int64)

            def double(self, d: gammon.Decisions) -> np.ndarray:
                return np.ones(len(d), dtype=np.bool_)

        env = gammon.env.BackgammonEnv(First(), **options)
        rng = np.random.default_rng(2)
        kinds = set()
        for seed in range(3):
            observation, _ = env.reset(seed=seed)
            terminated = False
            while not terminated:
                kinds.add(int(observation["observation"][35]))
                observation, _, terminated, _, _ = env.step(chosen(observation["action_mask"], rng))
        if "rules" in options:
            assert kinds == {0, 1, 2}

    def test_steps_are_the_plays(self) -> None:
        """Every play is reached by exactly one sequence of steps."""
        from gammon.env._table import Table, rules_of

        for seed in range(30):
            whole = Table(rules_of(None, "standard"), seed, "play")
            expected = sorted(candidate.tobytes() for candidate in whole.candidates())

            def ends(path: tuple[int, ...], seed: int = seed) -> list[bytes]:
                table = Table(rules_of(None, "standard"), seed, "step")
                seat = table.seat
                for action in path:
                    table.act(action)
                if table.seat != seat:
                    return [table.match.state.position.to_array().tobytes()]
                return [end for action in table.actions() for end in ends((*path, action))]

            assert sorted(ends(())) == expected

    def test_render(self) -> None:
        env = gammon.env.BackgammonEnv(render_mode="ansi")
        env.reset(seed=1)
        text = env.render()
        assert text is not None
        assert "\n" in text
        assert gammon.env.BackgammonEnv().render() is None

    @pytest.mark.parametrize(
        "options",
        [
            {"opponent": "nobody"},
            {"actions": "hop"},
            {"illegal_action": "ignore"},
            {"render_mode": "human"},
            {"rules": 7},
            {"opponent": 3},
            {"variant": "tavla"},
        ],
        ids=str,
    )
    def test_options_that_there_are_not(self, options: dict[str, Any]) -> None:
        with pytest.raises(gammon.GammonError):
            gammon.env.BackgammonEnv(**options)


class TestTwoAgents:
    @every_kind
    def test_rewards_sum_to_zero_and_episodes_end(self, options: dict[str, Any]) -> None:
        """E03, E04."""
        env = gammon.env.aec(**options)
        rng = np.random.default_rng(3)
        for seed in range(4):
            env.reset(seed=seed)
            totals = dict.fromkeys(env.possible_agents, 0.0)
            for agent in env.agent_iter(max_iter=100_000):
                observation, reward, terminated, truncated, _ = env.last()
                totals[agent] += reward
                assert env.observation_space(agent).contains(observation)
                other = next(name for name in env.possible_agents if name != agent)
                assert not env.observe(other)["action_mask"].any()
                assert env.observation_space(other).contains(env.observe(other))
                env.step(None if terminated or truncated else chosen(observation["action_mask"], rng))
            assert not env.agents
            assert sum(totals.values()) == 0
            assert totals["player_0"] != 0

    def test_illegal_actions(self) -> None:
        env = gammon.env.aec()
        env.reset(seed=1)
        loser = env.agent_selection
        env.step(3059)
        assert env.rewards[loser] == -3
        assert sum(env.rewards.values()) == 0
        assert all(env.terminations.values())
        strict = gammon.env.aec(illegal_action="raise", render_mode="ansi")
        strict.reset(seed=1)
        before = strict.render()
        with pytest.raises(gammon.IllegalActionError, match="3059"):
            strict.step(3059)
        assert strict.render() == before


class TestVector:
    @pytest.mark.parametrize("variant", ["standard", "hypergammon"])
    def test_every_step(self, variant: str) -> None:
        """Counts and candidates are those of the batch functions; rewards sum to zero; games end and go on."""
        env = VectorEnv(50, variant=variant, candidates=True)
        seen, _ = env.reset(seed=5)
        rng = np.random.default_rng(4)
        games = 0
        for _ in range(400):
            counts = gammon.batch.count_plays(seen.positions, seen.rolls)
            assert np.array_equal(seen.counts, np.maximum(counts, 1))
            assert np.array_equal(seen.offsets, np.concatenate(([0], np.cumsum(seen.counts))))
            legal, _ = gammon.batch.legal_positions(seen.positions, seen.rolls, view="next")
            assert seen.candidates is not None
            plays = np.repeat(counts > 0, seen.counts)
            assert np.array_equal(seen.candidates[plays], legal)
            assert np.array_equal(seen.candidates[~plays], gammon.batch.flip(seen.positions[counts == 0]))
            actions = (rng.random(50) * seen.counts).astype(np.int64)
            before, chosen_rows = seen, seen.candidates[seen.offsets[:-1] + actions]
            seen, rewards, terminated, truncated, infos = env.step(actions)
            assert np.array_equal(seen.positions[~terminated], chosen_rows[~terminated])
            assert np.array_equal(seen.seats[~terminated], 1 - before.seats[~terminated])
            assert (rewards.sum(axis=1) == 0).all()
            assert np.array_equal(terminated, rewards.any(axis=1))
            assert not truncated.any()
            assert not infos["illegal"].any()
            for row, last in zip(np.flatnonzero(terminated), infos["last_positions"], strict=True):
                outcome = gammon.Position.from_array(last).outcome
                assert outcome is not None
                assert rewards[row, before.seats[row]] == outcome.points
            games += terminated.sum()
        assert games > 100

    def test_dice_are_those_of_games(self) -> None:
        env = VectorEnv(4)
        seen, infos = env.reset(seed=9)
        assert infos == {"seed": 9}
        for row in range(4):
            dice = gammon.dice.RandomDice(9, game=row)
            throw = dice.throw()
            while throw[0] == throw[1]:
                throw = dice.throw()
            assert seen.rolls[row].tolist() == sorted(throw, reverse=True)
            assert seen.seats[row] == (throw[1] > throw[0])
        again, _ = VectorEnv(4).reset(seed=9)
        assert np.array_equal(again.positions, seen.positions)
        assert env.reset()[1]["seed"] != env.reset()[1]["seed"]

    def test_illegal_actions(self) -> None:
        env = VectorEnv(3)
        seen, _ = env.reset(seed=1)
        _, rewards, terminated, _, infos = env.step(np.array([0, 5000, -1]))
        assert terminated.tolist() == infos["illegal"].tolist() == [False, True, True]
        assert rewards[1, seen.seats[1]] == -3
        strict = VectorEnv(3, illegal_action="raise")
        before, _ = strict.reset(seed=1)
        with pytest.raises(gammon.IllegalActionError, match="row 1"):
            strict.step(np.array([0, 5000, 0]))
        after, *_ = strict.step(np.zeros(3, dtype=np.int64))
        assert np.array_equal(after.seats, 1 - before.seats)

    @pytest.mark.parametrize(
        "actions",
        [np.zeros(2, dtype=np.int64), np.zeros(3), np.zeros((3, 1), dtype=np.int64), [0, 0, 0], None],
        ids=str,
    )
    def test_actions_of_another_kind(self, actions: Any) -> None:
        env = VectorEnv(3)
        env.reset(seed=1)
        with pytest.raises(gammon.ArrayError, match="actions"):
            env.step(actions)

    def test_faults(self) -> None:
        for make in (
            lambda: VectorEnv(-1),
            lambda: VectorEnv(2**21),
            lambda: VectorEnv(1, illegal_action="ignore"),  # type: ignore[arg-type]
            lambda: VectorEnv(1, variant="tavla"),
            lambda: VectorEnv(1).step(np.zeros(1, dtype=np.int64)),
            lambda: VectorEnv(1).reset(seed=-1),
        ):
            call: Callable[[], Any] = make
            with pytest.raises(gammon.GammonError):
                call()
        assert VectorEnv(0).reset(seed=1)[0].positions.shape == (0, 28)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("_single", "_two"):
        monkeypatch.delitem(sys.modules, f"gammon.env.{module}", raising=False)
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] in ("gymnasium", "pettingzoo"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.split(".")[0])
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    for name in ("BackgammonEnv", "aec"):
        with pytest.raises(gammon.MissingExtraError, match=r"gammon\[env\]"):
            getattr(gammon.env, name)


def test_vector_env_needs_neither() -> None:
    script = """
    import sys
    sys.modules["gymnasium"] = sys.modules["pettingzoo"] = None
    import gammon
    gammon.env.VectorEnv(1).reset(seed=1)
    try:
        gammon.env.BackgammonEnv()
    except gammon.MissingExtraError as error:
        print(error)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True, timeout=60, capture_output=True)
    assert b"gammon[env]" in run.stdout
