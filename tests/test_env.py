"""Environments: the official checkers, endings, rewards, masks, illegal actions (cases E01 to E04, E24)."""

from __future__ import annotations

import builtins
import dataclasses
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gammon
from gammon import Match, Rules
from gammon.env import VectorEnv
from gammon.simulation._plan import first_game
from gammon.simulation._players import NetworkSeat

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
        """E01, E02, E03 and E24: observations and masks are good at every decision, and episodes end."""
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

    @pytest.mark.parametrize("action", [1.5, "a", np.float32(1.0)], ids=repr)
    def test_an_action_is_a_whole_number(self, action: Any) -> None:
        env = gammon.env.BackgammonEnv()
        env.reset(seed=1)
        with pytest.raises(gammon.InvalidArgumentError, match="an action is a whole number"):
            env.step(action)
        assert env.step(np.array(0))[4]["illegal"] is False

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
        with pytest.raises(gammon.InvalidArgumentError, match=r"a whole number, not 1\.5"):
            strict.step(1.5)
        assert strict.render() == before


@pytest.mark.parametrize("rules", [None, Rules.money(), Rules.match(3)], ids=repr)
def test_the_network_as_an_opponent(rules: Rules | None) -> None:
    """At a table it plays the games of a simulation, and an episode of the environment to its end."""
    turns = gammon.simulate(6, ("fast", "fast"), rules=rules, seed=4, record=True).turns
    assert turns is not None
    for game in range(6):
        assert by_the_network(rules, 4, game).to_dict()["events"] == turns.match(game).to_dict()["events"]
    assert (turns.action > 0).any() == (rules is not None)
    env = gammon.env.BackgammonEnv("fast", rules=rules)
    observation, _ = env.reset(seed=1)
    rng = np.random.default_rng(2)
    for _ in range(2000):
        observation, reward, terminated, _, _ = env.step(chosen(observation["action_mask"], rng))
        if terminated:
            break
    assert terminated
    assert reward != 0


def test_the_baseline_as_an_opponent() -> None:
    """It answers as in a simulation: an agent that plays as the opponent does there sees the same game."""
    env = gammon.env.BackgammonEnv("baseline")
    observation, _ = env.reset(seed=5)
    rng = np.random.default_rng(2)
    for _ in range(2000):
        table = env._table
        assert table is not None
        observation, _, terminated, _, _ = env.step(chosen(observation["action_mask"], rng))
        if terminated:
            break
    assert terminated
    plays = 0
    for state, event in table.match.history():
        if event.kind == "play" and event.player == 1 and len(state.position.plays(state.roll)):
            after = gammon._core.baseline_play(state.position, state.roll)
            assert state.position.play(str(event.play), state.roll).after == after
            plays += 1
    assert plays > 5


def by_the_network(rules: Rules | None, seed: int, game: int) -> Match:
    """A game or match that the network plays with itself, through `Match`."""
    seat = NetworkSeat(gammon.Model.default()._network)
    dice = gammon.dice.RandomDice(seed, first_game(rules, game, paired=False))
    match = Match(rules or Rules.money(use_cube=False, jacoby=False, beavers=0), dice=dice)
    while not match.is_over and (match.rules.is_match or not match.games):
        state = match.state
        if not match.in_game:
            match.roll()
        elif state.offer is not None:
            match.take() if seat.cube(dataclasses.replace(state, offer=None, offered_by=None))[1] else match.drop()
        elif state.roll is not None:
            plays = state.position.plays(state.roll)
            after = seat.play(state)
            match.play(
                next((play for play in plays if play.after == after), None) or state.position.play("", state.roll)
            )
        elif any(action.kind == "double" for action in match.legal_actions()) and seat.cube(state)[0]:
            match.double()
        else:
            match.roll()
    return match


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


RULES = [
    Rules.money(),
    Rules.money(variant="hypergammon", automatic_doubles=2, jacoby=False),
    Rules.match(3),
    Rules.match(1),
    Rules.tournament(5),
    Rules.casual(),
]


class TestVectorWithRules:
    @pytest.mark.parametrize("rules", RULES, ids=repr)
    def test_every_step_at_a_table(self, rules: Rules) -> None:
        """Each game is played along as a `Match` with the same dice, action by action."""
        n = 6
        env = VectorEnv(n, rules=rules, candidates=True)
        seen, _ = env.reset(seed=3)
        rng = np.random.default_rng(8)
        units = list(range(n))

        def begin(unit: int) -> Match:
            match = Match(rules, dice=gammon.dice.RandomDice(3, first_game(rules, unit, paired=False)))
            match.roll()
            return match

        matches = [begin(unit) for unit in units]
        ended, kinds = 0, set()
        for _ in range(500):
            actions = np.minimum((rng.random(n) * seen.counts).astype(np.int64), seen.counts - 1)
            # Drops are rare, so that cubes go high.
            actions[(seen.kinds == 2) & (rng.random(n) < 0.7)] = 1
            for row, match in enumerate(matches):
                state = match.state
                kind = int(seen.kinds[row])
                kinds.add(kind)
                assert seen.seats[row] == state.to_act
                mine = state.position if state.to_act == state.on_roll else state.position.flip()
                assert np.array_equal(seen.positions[row], mine.to_array())
                assert seen.stake[row] == state.stake
                level, owner = seen.cube[row].tolist()
                assert 1 << level == state.cube.value
                owners = {None: 0, "player": 1, "opponent": -1}
                assert owner == owners[state.cube.owner] * (1 if state.to_act == state.on_roll else -1)
                if rules.is_match:
                    away = [rules.length - points for points in state.points]
                    assert seen.away[row].tolist() == (away if state.to_act == 0 else away[::-1])
                    phase = {(True, False): 1, (False, True): 2}.get((state.is_crawford, state.post_crawford), 0)
                    assert seen.phase[row] == phase
                action = int(actions[row])
                candidates = seen.candidates[seen.offsets[row] : seen.offsets[row + 1]]
                if kind == 0:
                    assert state.roll == gammon.Roll(*seen.rolls[row].tolist())
                    plays = state.position.plays(state.roll)
                    assert seen.counts[row] == max(1, len(plays)) == len(candidates)
                    play = plays[action] if len(plays) else state.position.play("", state.roll)
                    assert np.array_equal(candidates[action], play.next.to_array())
                    match.play(play)
                else:
                    assert seen.counts[row] == 2
                    assert np.array_equal(candidates, np.stack([mine.flip().to_array()] * 2))
                    if kind == 1:
                        assert not state.roll
                        match.double() if action else match.roll()
                    else:
                        match.take() if action else match.drop()
                self.roll_on(match)
            seen, rewards, terminated, truncated, infos = env.step(actions)
            assert (rewards.sum(axis=1) == 0).all()
            assert not truncated.any()
            assert not infos["illegal"].any()
            for row, match in enumerate(matches):
                over = match.is_over or (not rules.is_match and len(match.games) > 0)
                assert terminated[row] == over
                if over:
                    ended += 1
                    game = match.games[-1]
                    won = 1 if rules.is_match else game.points
                    assert rewards[row, game.winner] == won
                    units[row] += n
                    matches[row] = begin(units[row])
                    self.roll_on(matches[row])
        assert ended > 5
        assert kinds == ({0, 1, 2} if rules.use_cube and rules != Rules.match(1) else {0})

    @staticmethod
    def roll_on(match: Match) -> None:
        """Rolls where nobody has a say before it."""
        while not match.is_over:
            if not match.in_game:
                if match.games and not match.rules.is_match:
                    return
                match.roll()
                continue
            state = match.state
            if state.offer is not None or state.roll is not None:
                return
            if any(action.kind == "double" for action in match.legal_actions()):
                return
            match.roll()

    def test_illegal_actions(self) -> None:
        for rules, lost in ((Rules.money(), 3), (Rules.match(3), 1)):
            env = VectorEnv(2, rules=rules)
            seen, _ = env.reset(seed=1)
            _, rewards, terminated, _, infos = env.step(np.array([0, 5000]))
            assert terminated.tolist() == infos["illegal"].tolist() == [False, True]
            assert rewards[1, seen.seats[1]] == -lost
            strict = VectorEnv(2, rules=rules, illegal_action="raise")
            strict.reset(seed=1)
            with pytest.raises(gammon.IllegalActionError, match="row 1"):
                strict.step(np.array([0, 5000]))

    def test_faults(self) -> None:
        with pytest.raises(gammon.InvalidArgumentError, match="variant"):
            VectorEnv(1, rules=Rules.money(), variant="nackgammon")
        with pytest.raises(gammon.InvalidArgumentError, match="rules"):
            VectorEnv(1, rules="money")  # type: ignore[arg-type]


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


@pytest.mark.parametrize("opponent", ["beginner", "expert"])
def test_a_level_as_an_opponent(opponent: str) -> None:
    """It plays to the end, the same again from the same seed, and noise or search make other plays than the network."""
    records = []
    for player in (opponent, opponent, "fast"):
        env = gammon.env.BackgammonEnv(player)
        seen, _ = env.reset(seed=3)
        over = False
        while not over:
            seen, _, over, _, _ = env.step(int(np.flatnonzero(seen["action_mask"])[0]))
        assert env._table is not None
        records.append([str(event) for event in env._table.match.record])
    assert records[0] == records[1] != records[2]
