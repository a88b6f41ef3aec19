"""Rollouts: right where the truth is known, the same however they are run, honest about their errors."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import pickle
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import philox
import pytest

import gammon
from gammon import Position, Roll, Rules, State, _core, batch
from gammon.bearoff import OneSided, TwoSided
from gammon.cube import Cube, Ladder, Level
from gammon.engine import RolloutCandidate, RolloutResult, rollout

# What reprs of results are made of.
NAMES = {
    **{name: getattr(gammon, name) for name in ("Position", "Roll", "Rules", "State", "Model")},
    "Cube": Cube,
    "Ladder": Ladder,
    "Level": Level,
    "GameState": gammon.GameState,
    "Filter": gammon.engine.Filter,
    "RolloutCandidate": RolloutCandidate,
    "RolloutResult": RolloutResult,
}

RACE = Position.from_points({6: 2, 5: 2, 3: 1}, opponent={6: 1, 5: 2, 4: 1, 2: 1})
MONEY = State(Position.start(), on_roll=0)
MATCH = State(Position.start(), on_roll=0, points=(2, 5), rules=Rules.match(7))
QUICK: dict[str, Any] = {"variance_reduction": False, "races": None, "exact": None}


def played_out(position: Position, after: Callable[[Position], list[Position]]) -> float:
    """The exact equity between two who play like this, over all rolls; `after` gives where each of the 21 leads to."""
    known: dict[str, float] = {}

    def equity(position: Position) -> float:
        if position.outcome is not None:
            return float(position.outcome.points)
        if position.id not in known:
            worths = [roll.weight * -equity(next) for roll, next in zip(Roll.all(), after(position), strict=True)]
            known[position.id] = sum(worths) / 36
        return known[position.id]

    return equity(position)


def checked(result: RolloutResult) -> RolloutResult:
    """What must hold of any result."""
    for candidate in result.candidates:
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = candidate.probabilities
        equity = 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon
        assert candidate.equity == pytest.approx(equity, abs=1e-9)
        assert all(error >= 0 for error in (*candidate.probability_errors, candidate.value_error))
        assert candidate.trials <= result.trials
    assert result.best.behind == 0
    assert all(c.behind >= 0 for c in result.candidates if c.trials == result.trials)
    return result


class TestTruth:
    def test_bear_offs_in_many_seeds(self) -> None:
        """Without tables: within three standard errors in 99 % of the seeds, scattered as claimed (case R05)."""
        rolls = np.array([[roll.high, roll.low] for roll in Roll.all()], np.uint8)

        def after(position: Position) -> list[Position]:
            rows = np.repeat(position.to_array()[None], 21, 0)
            return [Position.from_array(row) for row in gammon.batch.best_positions(rows, rolls, view="next")]

        # Not what the table says: the plays of the network cost both sides a little, which luck taken off would show.
        exact = played_out(RACE, after)
        assert 0 < abs(exact - TwoSided.default().equity(RACE)) < 0.02
        for reduced, trials in ((False, 180), (True, 72)):
            settings = {**QUICK, "variance_reduction": reduced}
            results = [rollout(RACE, trials=trials, seed=seed, **settings).best for seed in range(200)]
            off = [(result.equity - exact) / result.equity_error for result in results]
            assert sum(abs(z) <= 3 for z in off) >= 198
            claimed = math.sqrt(sum(result.equity_error**2 for result in results) / 200)
            scatter = math.sqrt(sum((result.equity - exact) ** 2 for result in results) / 200)
            # What pairs of stratified throws explain is not taken off: the claim is rather too large.
            assert 0.7 < scatter / claimed < 1.12, (scatter, claimed)

    @pytest.mark.parametrize("rules", [Rules.money(jacoby=False, beavers=0), Rules.match(5)], ids=["money", "match"])
    def test_errors_with_the_cube_and_without_luck_r05(self, rules: Rules) -> None:
        """They say how repeated runs scatter, and four times the trials halve them."""
        state = State(RACE, on_roll=0, rules=rules)
        settings: dict[str, Any] = {**QUICK, "variance_reduction": True}
        few = [rollout(state, trials=72, seed=seed, **settings) for seed in range(100)]
        assert all(result.cubeful for result in few)
        assert few[0].best.value_error > 0
        values = np.array([result.best.value for result in few])
        claimed = math.sqrt(sum(result.best.value_error**2 for result in few) / len(few))
        assert 0.7 < float(values.std(ddof=1)) / claimed < 1.2
        many = [rollout(state, trials=288, seed=seed, **settings) for seed in range(100, 120)]
        halved = math.sqrt(sum(result.best.value_error**2 for result in many) / len(many))
        assert halved == pytest.approx(claimed / 2, rel=0.15)
        both = math.hypot(claimed / 10, halved / math.sqrt(20))
        assert abs(float(values.mean()) - float(np.mean([result.best.value for result in many]))) < 3 * both

    def test_tables_take_over(self) -> None:
        result = checked(rollout(RACE, trials=36))
        assert result.best.equity == pytest.approx(TwoSided.default().equity(RACE), abs=2e-4)
        assert result.best.equity_error == 0
        for cube in (Cube(), Cube(2, "player"), Cube(2, "opponent")):
            state = State(RACE, on_roll=0, cube=cube, rules=Rules.money(jacoby=False))
            result = checked(rollout(state, trials=36))
            assert result.cubeful
            assert result.best.value == pytest.approx(TwoSided.default().equity(RACE, cube), abs=1e-9)
            assert result.best.worth == pytest.approx(result.best.value * cube.value)

    def test_cube_decisions_in_races_are_those_of_the_table(self) -> None:
        races = [
            ({6: 2, 5: 2, 3: 1}, {6: 1, 5: 2, 4: 1, 2: 1}),
            ({1: 2}, {6: 2, 5: 2}),
            ({4: 2, 1: 1}, {3: 2, 2: 1}),
            ({5: 1, 3: 1, 1: 1}, {4: 2}),
        ]
        verdicts = set()
        for own, opponent in races:
            position = Position.from_points(own, opponent=opponent)
            state = State(position, on_roll=0, rules=Rules.money(jacoby=False, beavers=0))
            result = checked(rollout(state, cube_decision=True, trials=36))
            known = TwoSided.default().cube_action(position, Cube())
            assert result.decision == known.action, position
            rolling, take = result.candidates
            assert rolling.value == pytest.approx(known.no_double, abs=1e-9)
            assert take.value == pytest.approx(known.double_take, abs=1e-9)
            verdicts.add(result.decision)
        assert len(verdicts) >= 3

    def test_luck_taken_off_changes_errors_only(self) -> None:
        with_luck = checked(rollout(MONEY, trials=1296, variance_reduction=False)).best
        without = checked(rollout(MONEY, trials=216)).best
        for name in ("equity", "value"):
            more = getattr(with_luck, name) - getattr(without, name)
            assert abs(more) < 3.5 * math.hypot(getattr(with_luck, f"{name}_error"), getattr(without, f"{name}_error"))
            # By trial, the error is at least halved.
            gain = getattr(with_luck, f"{name}_error") / getattr(without, f"{name}_error")
            assert gain * math.sqrt(1296 / 216) > 2

    def test_opening_plays(self) -> None:
        """The best 3-1, and a blunder behind it, on common dice."""
        result = checked(
            rollout(Position.start(), roll=Roll(3, 1), plays=["24/21 24/23", "8/5 6/5", "8/7 6/3"], trials=72)
        )
        assert [candidate.action for candidate in result.candidates] == ["24/23 24/21", "8/5 6/5", "8/7 6/3"]
        assert result.best.action == "8/5 6/5"
        assert result.ranked[0] == result.best
        blunder = result.candidates[2]
        assert blunder.behind > 3 * blunder.behind_error
        assert blunder.behind == pytest.approx(result.best.value - blunder.value)

    def test_truncated_after_a_turn_it_is_the_mean_over_the_rolls(self) -> None:
        model = gammon.Model.default()
        position = Position.start("nackgammon")
        total = 0.0
        for roll in Roll.all():
            worths = []
            for play in position.plays(roll):
                win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = model.evaluate(play.next)
                worths.append(1 - 2 * win - win_gammon - win_backgammon + lose_gammon + lose_backgammon)
            total += roll.weight / 36 * max(worths)
        for reduced in (False, True):
            result = rollout(position, trials=36, truncate=1, variance_reduction=reduced)
            assert result.best.equity == pytest.approx(total, abs=1e-5)

    def test_mwc_and_equity_go_together(self) -> None:
        result = checked(rollout(MATCH, trials=144, variance_reduction=False))
        ladder = Ladder.match(gammon.cube.Score(5, 2))
        assert result.ladder == ladder
        assert result.best.value == pytest.approx(ladder.to_equity(result.best.worth))
        assert 0.1 < result.best.worth < 0.5

    def test_double_match_point_is_for_wins(self) -> None:
        state = State(Position.start(), on_roll=0, points=(6, 6), post_crawford=True, rules=Rules.match(7))
        result = checked(rollout(state, trials=144, variance_reduction=False))
        assert not result.cubeful
        assert result.best.worth == pytest.approx(result.best.probabilities[0])


class TestDice:
    def test_later_throws_are_those_of_the_twin(self) -> None:
        for seed, trial in ((0, 0), (7, 50_000), (2**64 - 1, 3)):
            rolls = _core.rollout_dice(seed, trial, 9)
            for turn in range(3, 9):
                stream = philox.words(seed, philox.ROLLOUT, trial, turn, 0)
                first, second = (philox.below(stream, 6) + 1 for _ in range(2))
                assert rolls[turn] == (max(first, second), min(first, second))

    def test_first_throws_are_balanced(self) -> None:
        weights = {(roll.high, roll.low): roll.weight for roll in Roll.all()}
        for first in (0, 360, 36 * 5000):
            for turn in range(3):
                seen = [_core.rollout_dice(1, trial, 3)[turn] for trial in range(first, first + 36)]
                assert {roll: seen.count(roll) for roll in seen} == weights

    def test_a_rollout_leaves_the_dice_of_a_game_alone_r02(self) -> None:
        """Between two throws of one seed: the game goes on as it would have, and the trials have dice of their own."""

        def throws(between: Callable[[gammon.Match], object]) -> list[tuple[int, int]]:
            match = gammon.Match(Rules.money(), dice=gammon.dice.RandomDice(seed=9))
            for _ in range(6):
                between(match)
                match.roll()
                if match.phase is gammon.Phase.ROLLED:
                    match.play(str(match.state.position.plays(match.state.roll)[0]))
            return [throw for event in match.record for throw in event.throws]

        alone = throws(lambda match: None)
        assert len(alone) >= 6
        for settings in ({"seed": 9}, {"seed": None}, {"seed": 9, "plies": 1}):
            given: dict[str, Any] = {**QUICK, "trials": 36, "truncate": 3, **settings}
            assert throws(lambda match, given=given: rollout(match.state.position, **given)) == alone
        # Not even one seed gives both the same dice: 36 games and 36 trials, by their fourth throw.
        games = [[gammon.dice.RandomDice(9, game).throw() for _ in range(4)][3] for game in range(36)]
        trials = [_core.rollout_dice(9, trial, 4)[3] for trial in range(36)]
        assert sum((max(throw), min(throw)) == roll for throw, roll in zip(games, trials, strict=True)) < 10

    @pytest.mark.parametrize("trials", [7, 37, 50])
    def test_any_number_of_trials_is_unbiased_r03(self, trials: int) -> None:
        """No multiple of 36: over the seeds every throw is as frequent, so the mean is that of all games."""
        seeds = 3600
        for turn in range(3):
            counts: dict[tuple[int, int], int] = {}
            for seed in range(seeds):
                # Of the last whole block and of what is cut off from it: the last trial that is played.
                roll = _core.rollout_dice(seed, trials - 1, 3)[turn]
                counts[roll] = counts.get(roll, 0) + 1
            means = {(roll.high, roll.low): seeds * roll.weight / 36 for roll in Roll.all()}
            chi2 = sum((counts[roll] - mean) ** 2 / mean for roll, mean in means.items())
            assert chi2 < 52, "20 degrees of freedom: a chance of 1 in 10,000"
        table = TwoSided.default()
        race = Position.from_points({1: 3}, opponent={1: 2})
        results = [rollout(race, trials=trials, seed=seed, **QUICK).best.equity for seed in range(400)]
        error = float(np.std(results)) / math.sqrt(len(results))
        assert abs(float(np.mean(results)) - table.equity(race)) < 3 * error


class TestSameAgain:
    @pytest.mark.parametrize("state", [Position.start(), MONEY, MATCH], ids=["cubeless", "money", "match"])
    def test_threads_cuts_and_json(self, state: Position | State) -> None:
        settings: dict[str, Any] = {"trials": 120, "seed": 5, "variance_reduction": False}
        whole = checked(rollout(state, threads=1, **settings))
        assert rollout(state, threads=2, **settings) == rollout(state, threads=8, **settings) == whole
        cut = rollout(state, threads=2, **{**settings, "trials": 50})
        assert cut.trials == 50
        assert cut.resume(120, threads=8) == whole
        assert rollout(state, trials=120, resume=cut) == whole
        stored = RolloutResult.from_dict(json.dumps(cut.to_dict()))
        assert stored == cut
        assert stored.resume(77).resume(120) == whole
        assert pickle.loads(pickle.dumps(cut)).resume(120) == whole
        assert rollout(state, **{**settings, "seed": 6}) != whole

    def test_luck_taken_off_too(self) -> None:
        settings: dict[str, Any] = {"roll": Roll(6, 4), "plays": 3, "seed": 1}
        whole = rollout(MONEY, trials=40, threads=1, **settings)
        assert rollout(MONEY, trials=40, threads=2, **settings) == whole
        assert rollout(MONEY, trials=37, threads=2, **settings).resume(40) == whole

    def test_early_stops_do_not_depend_on_threads(self) -> None:
        settings: dict[str, Any] = {"roll": Roll(3, 1), "plays": 6, "trials": 5000, "min_trials": 36, "seed": 2}
        settings |= {"stop_difference": 1.5, "variance_reduction": False}
        one = checked(rollout(Position.start(), threads=1, **settings))
        assert checked(rollout(Position.start(), threads=8, **settings)) == one
        stopped = [candidate for candidate in one.candidates if candidate.stopped]
        assert stopped
        assert all(candidate.trials < one.trials or len(stopped) == 5 for candidate in stopped)
        assert all(candidate.behind > 0 for candidate in stopped)
        assert not one.best.stopped
        cut = rollout(Position.start(), threads=2, **{**settings, "trials": 50})
        assert cut.resume(5000) == one

    def test_repr_evaluates(self) -> None:
        for result in (
            rollout(RACE, trials=2),
            rollout(MATCH, trials=36, cube_decision=True, truncate=4),
            rollout(MONEY, trials=36, cubeful=False, roll=Roll(2, 1), plays=2, **QUICK),
        ):
            again = eval(repr(result), dict(NAMES))
            assert again == result
            assert hash(again) == hash(result)
            with pytest.raises(gammon.InvalidArgumentError, match="no sums"):
                again.resume(1000)

    def test_a_seed_that_is_drawn_is_kept(self) -> None:
        result = rollout(RACE, trials=2, seed=None, **QUICK)
        assert rollout(RACE, trials=2, seed=result.seed, **QUICK) == result


class TestFirstTurns:
    """Rule 7.9 (Holland): after the Crawford game who trails doubles from turn 5 on; the leader does not wait."""

    RULES = Rules.match(3, holland=True)
    NEXT = Position.start().play("8/5 6/5", Roll(3, 1)).next
    BEHIND = State(NEXT, on_roll=0, points=(1, 2), post_crawford=True, rules=RULES)

    def test_who_has_to_wait_rolls(self) -> None:
        free = rollout(self.BEHIND, cube_decision=True, trials=72)
        assert rollout(self.BEHIND, cube_decision=True, trials=72, turn=5).candidates == free.candidates
        values = {turn: rollout(self.BEHIND, trials=72, turn=turn).best.value for turn in (None, 5, 4, 2)}
        rolling, taken = (candidate.value for candidate in free.candidates)
        # The players double at once where they may; on turn 4 it is as if they did not now.
        assert values[None] == values[5] == pytest.approx(taken, abs=1e-12)
        assert values[4] == rolling
        assert len(set(values.values())) == 3
        with pytest.raises(gammon.InvalidArgumentError, match="may not turn the cube before turn 5, and this is 4"):
            rollout(self.BEHIND, cube_decision=True, turn=4)

    @pytest.mark.parametrize("plies", [0, 1])
    def test_after_a_play_it_is_the_next_turn(self, plies: int) -> None:
        ahead = State(Position.start(), on_roll=0, points=(2, 1), post_crawford=True, rules=self.RULES)
        after = dataclasses.replace(ahead, position=self.NEXT, on_roll=1)
        settings: dict[str, Any] = {"trials": 36, "truncate": 4, "plies": plies}
        for turn in (2, 3, 4, 5):
            played = rollout(ahead, roll="31", plays=["8/5 6/5"], turn=turn, **settings).best.worth
            assert played == pytest.approx(1 - rollout(after, turn=turn + 1, **settings).best.worth, abs=1e-12)
        worths = [rollout(after, turn=turn, **settings).best.worth for turn in (4, 5)]
        assert worths[0] < worths[1]

    def test_the_turn_is_part_of_the_result(self) -> None:
        result = rollout(self.BEHIND, trials=40, turn=2, **QUICK)
        assert result.turn == 2
        assert result != rollout(self.BEHIND, trials=40, turn=3, **QUICK)
        data = json.loads(json.dumps(result.to_dict()))
        assert RolloutResult.from_dict(data, races=None, exact=None).resume(80) == rollout(
            self.BEHIND, trials=80, turn=2, threads=2, **QUICK
        )
        before = {name: value for name, value in rollout(RACE, trials=36, **QUICK).to_dict().items() if name != "turn"}
        assert RolloutResult.from_dict(before).turn is None
        with pytest.raises(gammon.FileFormatError, match="turn"):
            RolloutResult.from_dict({**data, "turn": 0})
        for wrong in (0, -1, 1.5, True, 1 << 31):
            with pytest.raises(gammon.InvalidArgumentError, match="turn"):
                rollout(self.BEHIND, turn=wrong)  # type: ignore[arg-type]


class TestStopping:
    def test_at_a_standard_error(self) -> None:
        result = rollout(Position.start(), trials=100_000, min_trials=72, stop_standard_error=0.1, **QUICK)
        assert result.best.value_error <= 0.1
        assert 72 <= result.trials < 400
        assert result.trials % 36 == 0
        before = rollout(Position.start(), trials=result.trials - 36, **QUICK)
        assert before.trials == 72 - 36 or before.best.value_error > 0.1
        assert result.resume(200_000).trials == result.trials

    def test_when_a_cube_decision_is_clear(self) -> None:
        state = State(Position.from_points({1: 4}, opponent={6: 2, 5: 2}), on_roll=0, rules=Rules.money(jacoby=False))
        settings: dict[str, Any] = {**QUICK, "min_trials": 72, "stop_difference": 3.0}
        result = rollout(state, cube_decision=True, trials=100_000, **settings)
        assert result.trials < 2000
        assert result.decision == "double/drop"


class TestWrongInput:
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"trials": 1}, "trials is a whole number from 2"),
            ({"trials": 2.5}, "trials"),
            ({"trials": True}, "trials"),
            ({"seed": -1}, "seed is a whole number from 0 to"),
            ({"plies": 4}, "plies is a whole number from 0 to 3, not 4"),
            ({"truncate": 0}, "truncate is a whole number from 1"),
            ({"threads": 0}, "threads is 1 to 1024"),
            ({"stop_standard_error": 0}, "stop_standard_error is a number above 0"),
            ({"stop_difference": math.nan}, "stop_difference is a number above 0"),
            ({"min_trials": 0}, "min_trials"),
            ({"variance_reduction": 1}, "variance_reduction is True or False"),
            ({"cubeful": True}, "a cube needs a State"),
            ({"cube_decision": True}, "may not turn the cube"),
            ({"roll": 31}, "roll is a Roll or a text"),
            ({"roll": Roll(3, 1), "cube_decision": True}, "doubling comes before rolling"),
            ({"roll": Roll(3, 1), "plays": 0}, "plays is a whole number from 1"),
            ({"roll": Roll(3, 1), "plays": []}, "the number of plays"),
            ({"roll": Roll(3, 1), "plays": "8/5 6/5"}, "plays is a sequence"),
            ({"roll": Roll(3, 1), "plays": ["8/5 6/5", "6/5 8/5"]}, "come to the same"),
            ({"races": TwoSided.default()}, "races is a OneSided"),
            ({"exact": 7}, "exact is a TwoSided"),
            ({"model": lambda rows: rows}, "model is a Model"),
            ({"resume": 3}, "resume is a RolloutResult"),
        ],
    )
    def test_settings(self, settings: dict[str, Any], message: str) -> None:
        with pytest.raises(gammon.InvalidArgumentError, match=message):
            rollout(Position.start(), **settings)

    def test_starts(self) -> None:
        over = Position.from_points({}, opponent={1: 3})
        with pytest.raises(gammon.InvalidArgumentError, match="the game is over"):
            rollout(over)
        with pytest.raises(gammon.InvalidArgumentError, match="a Position or a State"):
            rollout("4HPwATDgc/ABMA")  # type: ignore[arg-type]
        offered = State(Position.start(), on_roll=0, offer=gammon.Offer.DOUBLE, offered_by=0)
        with pytest.raises(gammon.InvalidArgumentError, match="not with an offer"):
            rollout(offered)
        theirs = State(Position.start(), on_roll=0, cube=Cube(2, "opponent"))
        with pytest.raises(gammon.InvalidArgumentError, match="may not turn the cube"):
            rollout(theirs, cube_decision=True)
        crawford = State(Position.start(), on_roll=0, points=(6, 0), rules=Rules.match(7))
        with pytest.raises(gammon.InvalidArgumentError, match="may not turn the cube"):
            rollout(crawford, cube_decision=True)
        with pytest.raises(gammon.IllegalPlayError):
            rollout(Position.start(), roll=Roll(3, 1), plays=["13/7"])
        with pytest.raises(gammon.InvalidArgumentError, match="that of another position"):
            rollout(Position.start(), resume=rollout(RACE, trials=2))
        with pytest.raises(gammon.InvalidArgumentError, match="at least 36"):
            rollout(RACE, trials=36).resume(35)
        with pytest.raises(gammon.InvalidArgumentError, match="not of a cube decision"):
            _ = rollout(RACE, trials=2).decision

    def test_the_roll_as_a_text_and_of_a_state(self) -> None:
        by_roll = rollout(Position.start(), roll=Roll(3, 1), plays=2, trials=36, **QUICK)
        assert rollout(Position.start(), roll="31", plays=2, trials=36, **QUICK) == by_roll
        state = State(Position.start(), on_roll=0)
        holding = dataclasses.replace(state, roll=Roll(3, 1))
        shown = rollout(holding, plays=2, trials=36, **QUICK)
        assert shown.roll == Roll(3, 1)
        assert shown.candidates == rollout(state, roll="13", plays=2, trials=36, **QUICK).candidates
        with pytest.raises(gammon.NotationError):
            rollout(Position.start(), roll="77")

    def test_a_dance_is_the_only_play(self) -> None:
        shut = Position.from_points({13: 2}, bar=1, opponent={1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2})
        result = rollout(shut, roll=Roll(6, 5), trials=36, **QUICK)
        assert [candidate.action for candidate in result.candidates] == [""]

    def test_damaged_json(self) -> None:
        good = json.dumps(rollout(RACE, roll=Roll(2, 1), plays=2, trials=36, **QUICK).to_dict())
        assert RolloutResult.from_dict(good).trials == 36

        def damaged(change: Any) -> None:
            data = json.loads(good)
            change(data)
            with pytest.raises(gammon.FileFormatError):
                RolloutResult.from_dict(data)

        damaged(lambda data: data.update(format="other"))
        damaged(lambda data: data.update(more=1))
        damaged(lambda data: data.pop("seed"))
        damaged(lambda data: data["sums"]["candidates"].pop())
        damaged(lambda data: data["sums"]["candidates"][0]["numbers"].pop())
        damaged(lambda data: data["sums"]["candidates"][0].update(trials=35))
        damaged(lambda data: data["sums"]["candidates"][0]["numbers"].__setitem__(0, "x"))
        damaged(lambda data: data["sums"]["pairs"].clear())
        damaged(lambda data: data["candidates"][0]["position"].__setitem__(1, 15))
        damaged(lambda data: data["candidates"][0]["cube"].update(owner="nobody"))
        damaged(lambda data: data["ladder"]["levels"][0][0].pop())
        damaged(lambda data: data["ladder"]["levels"].clear())
        damaged(lambda data: data.update(roll=[7, 1]))
        damaged(lambda data: data.update(kind="cube", candidates=data["candidates"][:1]))
        with pytest.raises(gammon.FileFormatError, match="no JSON"):
            RolloutResult.from_dict("{")
        data = json.loads(good)
        data["model"] = {"path": "nowhere.gammon", "sha256": "0" * 64}
        with pytest.raises(gammon.InvalidArgumentError, match="another model"):
            RolloutResult.from_dict(data)
        data = json.loads(good)
        data["tables"] = ["OneSided(points=6, checkers=10)"]
        with pytest.raises(gammon.InvalidArgumentError, match="had the tables"):
            RolloutResult.from_dict(data)
        small = OneSided(points=6, checkers=10)
        stored = json.dumps(rollout(Position.start(), trials=2, races=small, exact=None).to_dict())
        assert RolloutResult.from_dict(stored, races=small, exact=None).tables == ("OneSided(points=6, checkers=10)",)


class TestLookingAhead:
    def test_bear_offs_agree_with_the_table(self) -> None:
        """The players have the tables, which their trials end in: so the table's value, at any depth."""
        for plies in (0, 1, 2):
            state = State(RACE, on_roll=0, rules=Rules.money(jacoby=False))
            result = checked(rollout(state, trials=36, plies=plies))
            assert result.best.value == pytest.approx(TwoSided.default().equity(RACE, Cube()), abs=1e-9)

    def test_without_tables_it_comes_to_the_same_as_without_looking_ahead(self) -> None:
        race = Position.from_points({6: 2, 2: 1}, opponent={6: 1, 4: 2})
        for plies in (0, 1):
            engine = gammon.Engine(plies, bearoff=False)

            def after(position: Position, engine: gammon.Engine = engine) -> list[Position]:
                return [engine.best_play(position, roll).next for roll in Roll.all()]

            exact = played_out(race, after)
            assert abs(exact - TwoSided.default().equity(race)) < 0.02
            for reduced in (False, True):
                settings = {**QUICK, "variance_reduction": reduced}
                result = checked(rollout(race, trials=1296, seed=5, plies=plies, **settings)).best
                assert abs(result.equity - exact) < 3 * result.equity_error
        assert rollout(RACE, trials=36, plies=2, **QUICK).plies == 2

    def test_threads_and_cuts_change_nothing(self) -> None:
        for plies, trials in ((1, 72), (2, 12)):
            settings: dict[str, Any] = {"plies": plies, "truncate": 5, "cube_decision": True}
            whole = rollout(MATCH, trials=trials, threads=1, **settings)
            assert rollout(MATCH, trials=trials, threads=2, **settings) == whole
            cut = rollout(MATCH, trials=trials // 2, threads=2, **settings)
            stored = RolloutResult.from_dict(json.dumps(cut.to_dict()))
            assert stored.resume(trials) == whole
            assert whole != rollout(MATCH, trials=trials, **{**settings, "plies": 0})

    def test_the_way_they_search_is_part_of_the_result(self) -> None:
        narrow = [[gammon.engine.Filter(1, 0, 0.0)]]
        result = rollout(RACE, trials=4, plies=1, filters=narrow, replies=2)
        stored = RolloutResult.from_dict(json.dumps(result.to_dict()))
        assert stored == result
        assert (stored.filters, stored.replies) == ((((1, 0, 0.0),),), 2)
        assert eval(repr(result), NAMES) == result


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupted_and_resumed_in_another_process(tmp_path: Path) -> None:
    script = """
        import json, os, signal, gammon
        from gammon.engine import rollout

        def progress(done, total):
            if done >= 20:
                os.kill(os.getpid(), signal.SIGINT)

        try:
            rollout(gammon.Position.start(), trials=10**9, seed=3, variance_reduction=False, progress=progress)
        except gammon.Interrupted as interrupt:
            print(json.dumps(interrupt.result.to_dict()))
        """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, timeout=300, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    stdout = run.stdout
    stored = RolloutResult.from_dict(stdout)
    assert stored.trials >= 2
    more = stored.trials + 100
    whole = rollout(Position.start(), trials=more, seed=3, variance_reduction=False)
    assert stored.resume(more) == whole


def test_progress_counts_trials() -> None:
    seen: list[tuple[int, int]] = []
    cut = rollout(RACE, trials=50, progress=lambda done, total: seen.append((done, total)), **QUICK)
    assert seen[-1] == (50, 50)
    seen.clear()
    cut.resume(90, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (90, 90)
    assert all(50 <= done <= 90 for done, _ in seen)


def test_text_for_people() -> None:
    text = str(rollout(MATCH, trials=36, cube_decision=True, **QUICK))
    for part in ("no double", "double/take", "match winning chance", "36 trials with the cube", "seed 0"):
        assert part in text


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("typer")
    return subprocess.run(
        [sys.executable, "-m", "gammon", "rollout", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
    )


class TestCommand:
    def test_json_is_that_of_the_function(self) -> None:
        run = command("standard", "--roll", "31", "--top", "2", "--trials", "36", "--seed", "4", "--json")
        assert (run.returncode, run.stderr) == (0, "")
        answer = json.loads(run.stdout)
        data = rollout(Position.start(), roll=Roll(3, 1), plays=2, trials=36, seed=4).to_dict()
        for name in ("seconds", "sums"):
            data.pop(name)
            answer.pop(name, None)
        assert answer.pop("interrupted") is False
        assert answer == json.loads(json.dumps(data))

    def test_a_cube_decision_is_stored_and_resumed(self, tmp_path: Path) -> None:
        out = str(tmp_path / "out.json")
        settings = ["--cube", "--seed", "1", "--truncate", "8", "--no-variance-reduction", "-o", out]
        run = command(MATCH.xgid, *settings, "--trials", "40")
        assert (run.returncode, run.stderr) == (0, "")
        assert "match winning chance" in run.stdout
        run = command("--resume", out, "--trials", "80", "--json")
        assert (run.returncode, run.stderr) == (0, "")
        whole = rollout(
            State.from_xgid(MATCH.xgid), cube_decision=True, trials=80, seed=1, truncate=8, variance_reduction=False
        )
        answer = json.loads(run.stdout)
        assert [candidate["value"] for candidate in answer["candidates"]] == [c.value for c in whole.candidates]
        assert answer["decision"] == whole.decision

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "either a POSITION or --resume"),
            (["standard", "--cube"], "may not turn the cube"),
            (["standard", "--cube", "--roll", "31"], "exclude each other"),
            (["standard", "--play", "8/5"], "--play needs --roll"),
            (["standard", "--roll", "31", "--play", "13/7"], "13/7"),
            (["standard", "--trials", "many"], "not a whole number"),
            (["standard", "--stop-se", "low"], "not a number"),
            (["standard", "--stop-se", "-1"], "a number above 0"),
            (["--resume", "nowhere.json"], "nowhere.json"),
            (["nonsense"], "nonsense"),
        ],
    )
    def test_what_is_wrong_takes_one_line(self, arguments: list[str], message: str) -> None:
        run = command(*arguments)
        assert run.returncode == 2
        assert run.stdout == ""
        assert message in run.stderr
        assert run.stderr.count("\n") == 1

    @pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
    def test_ctrl_c_keeps_what_there_is(self, tmp_path: Path) -> None:
        pytest.importorskip("typer")
        out = tmp_path / "out.json"
        # The command as it is, with somebody who presses Ctrl-C after twenty trials in place of a bar.
        script = f"""
            import contextlib, os, signal
            from gammon import cli
            from gammon.engine import _rollout

            @contextlib.contextmanager
            def reporter(*_):
                yield lambda done, total: os.kill(os.getpid(), signal.SIGINT) if done >= 20 else None

            _rollout.reporter = reporter
            cli.main(["rollout", "standard", "--trials", "1000000000", "--seed", "1", "-o", {str(out)!r}])
            """
        run = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, timeout=300, check=False
        )
        stdout = run.stdout
        assert (run.returncode, run.stderr) == (130, b"")
        assert b"Interrupted." in stdout
        assert RolloutResult.from_dict(out.read_text()).trials >= 2


def test_the_opening_is_no_double_r04() -> None:
    """36 trials of one roll each: the mean of the 15 rolls of an opening, but for how luck is measured."""
    start = Position.start()
    values = batch.roll_values(start.to_array()[None])[0]
    openings = [value for roll, value in zip(Roll.all(), values, strict=True) if not roll.is_double]
    found = rollout(start, trials=36, truncate=1, turn=1, races=None, exact=None).best
    assert found.equity == pytest.approx(np.mean(openings), abs=0.001)
    plain = rollout(start, trials=3600, truncate=1, turn=1, variance_reduction=False, races=None, exact=None).best
    assert plain.equity == pytest.approx(np.mean(openings), abs=4 * plain.equity_error)
    later = rollout(start, trials=36, truncate=1, races=None, exact=None).best
    assert later.equity > found.equity + 0.02
