"""The built-in players: the network is what a slow player over the public functions is, with and without the cube."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_policies import Wild, same_tables

import gammon
from gammon import Choices, Decisions, Model, Rules
from gammon.cube import Cube, Ladder, ScoreGraph
from gammon.scoring import CrawfordPhase
from gammon.simulation.players import Players

OTHER = {"player": "opponent", "opponent": "player", None: None}
PHASES = (CrawfordPhase.NONE, CrawfordPhase.CRAWFORD, CrawfordPhase.POST_CRAWFORD)
OWNERS = {0: None, 1: "player", -1: "opponent"}


def probabilities(positions: np.ndarray) -> np.ndarray:
    """Nested exactly, which 32-bit floats may miss by a rounding."""
    five = gammon.batch.evaluate(positions).astype(np.float64)
    five[:, 3] = np.minimum(five[:, 3], 1 - five[:, 0])
    five[:, 4] = np.minimum(five[:, 4], five[:, 3])
    return five


class Twin:
    """The network at 0-ply through `gammon.batch` and `gammon.cube`, a row at a time where the cube counts."""

    name = "fast"

    def __init__(self, rules: Rules | None = None) -> None:
        self.ladders = {}
        for node in ScoreGraph.of(rules).nodes if rules else ():
            # A session has no score: its players are shown that nobody needs anything.
            away = node.away if rules.is_match else (0, 0)
            self.ladders[away, PHASES.index(node.phase)] = node.ladder

    def ladder(self, asked: Choices | Decisions, row: int, *, swapped: bool) -> Ladder:
        own, other = asked.away[row].tolist()
        return self.ladders[(other, own) if swapped else (own, other), int(asked.phase[row])]

    def choose(self, c: Choices) -> np.ndarray:
        if not self.ladders:
            five = gammon.batch.evaluate(c.candidates)
            win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = five.T
            one = np.float32(1)
            equity = (2 * win - one) + (win_gammon - lose_gammon) + (win_backgammon - lose_backgammon)
            return c.best(-equity)
        return np.array([self._choose(c, row) for row in range(len(c))], dtype=np.int64)

    def _choose(self, c: Choices, row: int) -> int:
        candidates = c.candidates[c.offsets[row] : c.offsets[row + 1]]
        level, owner = c.cube[row].tolist()
        decisions = gammon.cube.decide(
            probabilities(candidates),
            cube=Cube(1 << level, OTHER[OWNERS[owner]]),
            efficiency=efficiencies(candidates),
            ladder=self.ladder(c, row, swapped=True),
        )
        return int(np.argmin(decisions.no_double))

    def _decide(self, d: Decisions, row: int, doubler: bool) -> gammon.cube.Decision:
        """What the doubler faces, before the roll."""
        level, owner = d.cube[row].tolist()
        position = gammon.Position.from_array(d.positions[row])
        position = position if doubler else position.flip()
        return gammon.cube.decide(
            probabilities(position.to_array()[None])[0].tolist(),
            cube=Cube(1 << level, OWNERS[owner] if doubler else OTHER[OWNERS[owner]]),
            efficiency=gammon.cube.efficiency(position),
            ladder=self.ladder(d, row, swapped=not doubler),
        )

    def double(self, d: Decisions) -> np.ndarray:
        decisions = (self._decide(d, row, True) for row in range(len(d)))
        # Nobody beavers in a simulation.
        return np.array([min(cube.double_take, cube.double_drop) >= cube.no_double for cube in decisions])

    def take(self, d: Decisions) -> np.ndarray:
        decisions = (self._decide(d, row, False) for row in range(len(d)))
        return np.array([decision.double_take < decision.double_drop for decision in decisions])


def efficiencies(positions: np.ndarray) -> np.ndarray:
    return np.array([gammon.cube.efficiency(gammon.Position.from_array(row)) for row in positions])


class TestSameAsSlow:
    def test_cubeless(self) -> None:
        fast = gammon.simulate(120, ("fast", "fast"), seed=1, per_game=True, record=True)
        both = Twin()
        for players in ((both, both), (Twin(), "fast"), ("fast", Twin())):
            slow = gammon.simulate(120, players, seed=1, per_game=True, record=True, batch_size=50)
            assert slow == fast
            assert same_tables(slow, fast)

    @pytest.mark.parametrize(("rules", "units"), [(Rules.money(), 25), (Rules.match(3), 10)], ids=repr)
    def test_with_the_cube(self, rules: Rules, units: int) -> None:
        fast = gammon.simulate(units, ("fast", "fast"), rules=rules, seed=2, per_game=True, record=True)
        slow = gammon.simulate(units, (Twin(rules), Twin(rules)), rules=rules, seed=2, per_game=True, record=True)
        assert slow == fast
        assert same_tables(slow, fast)
        assert fast.cube[0].doubles > 0
        assert fast.cube[0].drops + fast.cube[1].drops > 0
        assert fast.cube[0].takes + fast.cube[1].takes > 0

    def test_at_double_match_point_only_wins_count(self) -> None:
        class Winner(Twin):
            def choose(self, c: Choices) -> np.ndarray:
                return c.best(-gammon.batch.evaluate(c.candidates)[:, 0])

        fast = gammon.simulate(60, ("fast", "fast"), rules=Rules.match(1), seed=3, record=True, per_game=True)
        slow = gammon.simulate(60, (Winner(), Winner()), rules=Rules.match(1), seed=3, record=True, per_game=True)
        assert slow == fast
        assert same_tables(slow, fast)


SHOTS = (0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3)


class Plain:
    """The rules of "baseline", a candidate at a time."""

    name = "baseline"

    def choose(self, c: Choices) -> np.ndarray:
        return c.best(np.array([self.worth(cells.tolist()) for cells in gammon.batch.flip(c.candidates)]))

    def worth(self, cells: list[int]) -> float:
        own = {point: count for point, count in enumerate(cells[:26]) if count > 0}
        enemies = {point: -count for point, count in enumerate(cells[:26]) if count < 0}
        worth = sum(count * (25 - point) for point, count in enemies.items())
        worth -= sum(count * point for point, count in own.items())
        worth += 5 * sum(1 for point in (4, 5, 6, 7) if own.get(point, 0) >= 2)
        hits = 0
        for blot in (point for point, count in own.items() if count == 1 and point < 25):
            away = min((blot - enemy for enemy in enemies if enemy < blot), default=99)
            hits += SHOTS[away] * (25 - blot + 8) if away <= 12 else 0
        return 36 * worth - hits


class TestBaseline:
    def test_it_plays_by_its_rules(self) -> None:
        for rules in (None, Rules.match(2)):
            quick = gammon.simulate(30, ("baseline", "baseline"), rules=rules, seed=1, per_game=True, record=True)
            slow = gammon.simulate(30, (Plain(), Plain()), rules=rules, seed=1, per_game=True, record=True)
            assert quick == slow
            assert same_tables(quick, slow)

    def test_between_random_and_the_network(self) -> None:
        assert gammon.simulate(200, ("baseline", "random"), paired=True, seed=1).points_per_game > 1
        assert gammon.simulate(200, ("fast", "baseline"), paired=True, seed=1).points_per_game > 0.2


class TestNames:
    def test_a_model_by_path_and_by_itself(self, tmp_path: Path) -> None:
        place = tmp_path / "mine.gammon"
        place.write_bytes(Model.default().path.read_bytes())
        fast = gammon.simulate(40, ("fast", "random"), seed=1)
        assert fast.players == ("fast", "random")
        assert fast.points_per_game > 1.5
        for player in (str(place), place, Model(place)):
            again = gammon.simulate(40, (player, "random"), seed=1)
            assert again.players == ("mine", "random")
            assert (again.points, again.plies) == (fast.points, fast.plies)

    def test_what_is_no_player(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            gammon.simulate(1, ("fast", str(tmp_path / "none.gammon")))
        (tmp_path / "bad.gammon").write_bytes(b"nothing")
        with pytest.raises(gammon.ModelFormatError, match="bad"):
            gammon.simulate(1, ("fast", tmp_path / "bad.gammon"))
        with pytest.raises(gammon.InvalidArgumentError, match="baseline, beginner, casual, expert, fast"):
            gammon.simulate(1, ("fast", "slow"))

    def test_pickled(self, tmp_path: Path) -> None:
        """The content of a model travels, not its path."""
        place = tmp_path / "mine.gammon"
        place.write_bytes(Model.default().path.read_bytes())
        policy = Wild()
        players = Players((place, policy))
        place.unlink()
        again = pickle.loads(pickle.dumps(players))
        assert again.names == ("mine", "Wild") or again.names == ("mine", "wild")
        assert again.models == players.models == Players(("fast", policy)).models
        assert again.asked[0] is None
        assert isinstance(again.asked[1].policy, Wild)
        both = pickle.loads(pickle.dumps(Players((policy, policy))))
        assert [part[0] for part in both.parts] == [0, 0]


def test_threads_change_nothing() -> None:
    def run(**how: Any) -> gammon.SimulationResult:
        return gammon.simulate(150, ("fast", "fast"), cube=True, seed=3, per_game=True, record=True, **how)

    alone = run(threads=1)
    for threads in (2, 5):
        assert run(threads=threads) == alone
        assert same_tables(run(threads=threads), alone)
    policy = Wild()
    mixed = gammon.simulate(60, ("fast", policy), cube=True, seed=3, threads=1, batch_size=3)
    assert mixed == gammon.simulate(60, ("fast", policy), cube=True, seed=3, threads=3, batch_size=50)


def test_paired_self_play_is_even() -> None:
    """The player rolls no dice of its own, so that the games of a pair mirror each other."""
    for rules in (None, Rules.money(), Rules.match(3)):
        result = gammon.simulate(40, ("fast", "fast"), rules=rules, paired=True, seed=1)
        assert result.points == 0


def test_a_data_set_knows_its_models(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    gammon.simulate(10, ("fast", "random"), seed=1, out=tmp_path / "data")
    weights = bytearray(Model.default().path.read_bytes())
    settings = gammon.simulation.Dataset(tmp_path / "data").settings
    assert settings.models[0] is not None
    assert settings.models[1] is None
    from gammon import _core

    other = tmp_path / "fast.gammon"
    trainer = _core.Trainer((64, 16), [], 1, None, "raw")
    other.write_bytes(trainer.model())
    assert other.read_bytes() != bytes(weights)
    with pytest.raises(gammon.InvalidArgumentError, match="models"):
        gammon.simulate(10, (other, "random"), seed=1, out=tmp_path / "data", resume=True)
