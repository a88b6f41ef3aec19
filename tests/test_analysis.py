"""Matches analysed: against engines asked by hand, sums that have to come out, and records of every kind."""

from __future__ import annotations

import dataclasses
import html.parser
import json
import math
import random
import re
import types
from pathlib import Path
from typing import Any

import pytest
from match_play import after_crawford, roll_opening

import gammon
from gammon import Action, Match, Phase, Position, Roll, Rules, State
from gammon.analysis import CLOSE_CUBE, Analysis, Judgement
from gammon.analysis._judge import NOTHING_AT_STAKE
from gammon.analysis._result import error_mark, luck_mark, summary
from gammon.dice import RandomDice, SequenceDice
from gammon.engine import Engine
from gammon.errors import Interrupted, InvalidArgumentError

MATCHES = Path(__file__).parent / "data" / "matches"


def played(match: Match, choose: Any, most: int = 400) -> Match:
    """Plays on until the match is over or has so many events; `choose` picks one of the legal actions."""
    while not match.is_over and match.event_count < most:
        match.apply(choose(match, match.legal_actions()))
    return match


class Perfect:
    """Does what an engine says, in plays and with the cube."""

    def __init__(self, plies: int) -> None:
        self.engine = Engine(plies, threads=1)

    def __call__(self, match: Match, actions: list[Action]) -> Action:
        by_kind: dict[str, Action] = {
            action.kind: action for action in actions if action.player in (match.to_act, None)
        }
        if match.phase is Phase.ROLLED:
            return Action("play", match.to_act, play=self.engine.best_play(match.state))
        if match.phase in (Phase.DOUBLED, Phase.BEAVERED):
            answer = self.engine.cube_decision(match.state).action
            return by_kind["beaver" if answer == "raccoon" else answer]
        if "double" in by_kind and self.engine.cube_decision(match.state).action.split("/")[0].endswith("double"):
            found = self.engine.cube_decision(match.state).decision
            if found.best > found.no_double:
                return by_kind["double"]
        return by_kind["roll"]


class Wild:
    """Anything that is legal, resignations more rarely."""

    def __init__(self, seed: int, resigns: float = 0.0) -> None:
        self.random = random.Random(seed)
        self.resigns = resigns

    def __call__(self, match: Match, actions: list[Action]) -> Action:
        if self.random.random() >= self.resigns:
            actions = [action for action in actions if action.kind != "resign"]
        return self.random.choice(actions)


@pytest.fixture(scope="module")
def wild() -> Match:
    """A short match full of errors."""
    return played(Match(Rules.match(5), dice=RandomDice(seed=5), names=("Ann", "Bob")), Wild(5), 120)


@pytest.mark.parametrize(
    ("rules", "plies", "seed"),
    [
        (Rules.match(3), 0, 1),
        (Rules.match(3), 1, 2),
        (Rules.money(), 1, 3),
        (Rules.money(jacoby=False, beavers=0), 0, 4),
    ],
)
def test_an_engine_finds_no_error_in_its_own_play(rules: Rules, plies: int, seed: int) -> None:
    match = played(Match(rules, dice=RandomDice(seed=seed)), Perfect(plies), 150)
    analysis = gammon.analyze(match, plies=plies)
    assert sum(judgement.counts for judgement in analysis.decisions) > 20
    assert {j.reason for j in analysis.decisions} <= {"", "forced", "the cube is dead"}
    assert max(judgement.error for judgement in analysis.decisions) < 1e-12
    assert [player.performance_rating for player in analysis.players] == pytest.approx([0, 0], abs=1e-9)
    assert analysis.worst() == () or analysis.worst()[0].error < 1e-12


def test_a_blunder_costs_what_the_ranking_says() -> None:
    match = Match(Rules.match(5), dice=SequenceDice([(3, 1)]))
    match.roll()
    state = match.state
    match.play("24/20")
    for plies in (0, 1, 2):
        found = gammon.analyze(match, plies=plies).decisions[0]
        # Without a filter every play is judged to the end.
        everything: tuple[tuple[None, ...], ...] = ((None,), (None, None), (None, None, None))
        ranking = Engine(plies, filters=everything).rank_plays(state)
        made = next(ranked for ranked in ranking if ranked.play == state.position.play("24/20", Roll(3, 1)))
        assert found.error == pytest.approx(-made.difference, abs=1e-12)
        assert found.best.action == str(ranking[0].play) == "8/5 6/5"
        assert found.chosen is not None
        assert found.chosen.plies == plies
        assert found.mark == "very bad"
        best, chosen = ranking[0].mwc, made.mwc
        assert best is not None
        assert chosen is not None
        assert found.cost == pytest.approx(best - chosen, abs=1e-12)


def test_a_missed_double_and_a_wrong_take() -> None:
    """A race that is won: no double loses what doubling gains, and a take what a drop keeps."""
    race = Position.from_points({1: 2}, opponent={1: 2})
    state = State(race, on_roll=1, rules=Rules.money(jacoby=False, beavers=0))
    match = Match.from_state(state, dice=SequenceDice([(2, 1)]))
    match.roll()
    match.play("1/off(2)")
    [double, play] = gammon.analyze(match, plies=0).decisions
    # Whoever rolls wins: doubled, the opponent drops and it is the same point.
    assert (double.kind, double.action, double.player, double.error) == ("double", "no double", 1, 0.0)
    assert double.verdict == "double/drop"
    assert play.reason == "forced"

    match = Match.from_state(state, dice=SequenceDice([(2, 1)]))
    match.double()
    match.take()
    decisions = gammon.analyze(match, plies=0).decisions
    assert [(j.kind, j.player, j.action, j.error) for j in decisions] == [
        ("double", 1, "double", 0.0),
        ("answer", 0, "take", 1.0),
    ]
    assert decisions[1].mark == "very bad"
    assert decisions[1].best.action == "drop"
    assert dict(decisions[1].worths) == {"no_double": 1.0, "double_take": 2.0, "double_drop": 1.0}


def test_errors_above_one_and_chances_of_zero_r19() -> None:
    """A take that loses a gammon for certain costs three points, of which none is cut off; a 0 is a number."""
    lost = State(
        Position.from_points({1: 2}, opponent={13: 8, 12: 7}), on_roll=1, rules=Rules.money(jacoby=False, beavers=0)
    )
    match = Match.from_state(lost, dice=SequenceDice([(2, 1)]))
    match.double()
    match.take()
    match.roll()
    match.play("1/off(2)")
    analysis = gammon.analyze(match, plies=0)
    answer = next(j for j in analysis.decisions if j.kind == "answer")
    assert (answer.error, answer.cost, answer.mark) == (3.0, 3.0, "very bad")
    assert analysis.players[0].cube_error == 3.0
    stored = next(row for row in analysis.to_dict()["decisions"] if row["kind"] == "answer")
    assert stored["error"] == 3.0
    taken = next(option for option in stored["options"] if option["action"] == "take")
    assert list(taken["probabilities"].values()) == [0, 0, 0, 1, 0]
    # At double match point no chance is left: it is 0, and no missing number either.
    hopeless = Position.from_points({6: 8, 5: 6}, opponent={1: 2})
    last = State(hopeless, on_roll=0, points=(4, 4), post_crawford=True, rules=Rules.match(5))
    found = Engine(0).evaluate(last)
    assert (found.probabilities.win, found.mwc) == (0.0, 0.0)
    match = Match.from_state(last, dice=SequenceDice([(2, 1)]))
    match.roll()
    match.play(str(match.state.position.plays(Roll(2, 1))[0]))
    play = next(j for j in gammon.analyze(match, plies=0).decisions if j.kind == "play")
    assert (play.best.mwc, play.best.probabilities[0], play.error, play.cost) == (0.0, 0.0, 0.0, 0.0)


def test_costs_are_points_at_the_value_of_the_game() -> None:
    race = Position.from_points({1: 2}, opponent={1: 2})
    cube = gammon.cube.Cube(4, "player")
    match = Match.from_state(State(race, on_roll=0, cube=cube, stake=2, rules=Rules.money(jacoby=False)))
    match.double()
    match.take()
    answer = gammon.analyze(match, plies=0).decisions[1]
    assert (answer.error, answer.cost) == (1.0, 8.0)


def test_cube_errors_are_differences_of_the_decision(wild: Match) -> None:
    engine = Engine(1, threads=1)
    analysis = gammon.analyze(wild, engine=engine)
    doubles = [j for j in analysis.decisions if j.kind == "double" and not j.reason]
    assert {j.action for j in doubles} == {"double", "no double"}
    for judgement in doubles:
        found = engine.cube_decision(judgement.state).decision
        doubled = min(worth for worth in (found.double_take, found.double_drop) if not math.isnan(worth))
        worth = {"double": doubled, "no double": found.no_double}
        assert judgement.error == pytest.approx(max(worth.values()) - worth[judgement.action], abs=1e-12)
        close = abs(doubled - found.no_double) < CLOSE_CUBE or "too good" in found.action
        assert judgement.counts == (judgement.action == "double" or judgement.error > 0 or close)
    answers = [j for j in analysis.decisions if j.kind == "answer" and not j.reason]
    assert answers
    for judgement in answers:
        found = engine.cube_decision(judgement.state).decision
        worth = {"take": -found.double_take, "drop": -found.double_drop}
        assert judgement.error == pytest.approx(max(worth.values()) - worth[judgement.action], abs=1e-12)
        assert judgement.counts


def test_every_decision_is_there(wild: Match) -> None:
    analysis = gammon.analyze(wild, plies=0)
    kinds = [event.kind for event in wild.record]
    assert sum(j.kind == "play" for j in analysis.decisions) == kinds.count("play")
    assert sum(j.kind == "answer" for j in analysis.decisions) == kinds.count("take") + kinds.count("drop")
    assert sum(j.action == "double" for j in analysis.decisions) == kinds.count("double")
    assert len(analysis.rolls) == kinds.count("roll")
    missed = [j for j in analysis.decisions if j.action == "no double"]
    could = 0
    for state, event in wild.history():
        if event.kind == "roll" and event.player is not None:
            at = Match.from_state(state)
            could += any(a.kind == "double" and a.player == event.player for a in at.legal_actions())
    assert len(missed) == could


# Luck.


def test_luck_comes_to_nothing_over_all_rolls() -> None:
    state = State(Position.from_points({6: 5, 8: 3, 13: 5, 24: 2}, opponent={6: 5, 7: 2, 13: 5, 24: 3}), on_roll=1)
    for rules, points in ((Rules.money(), (0, 0)), (Rules.match(5), (1, 3))):
        there = dataclasses.replace(state, rules=rules, points=points)
        lucks = []
        for roll in Roll.all():
            match = Match.from_state(there, dice=SequenceDice([(roll.high, roll.low)]))
            match.roll()
            [luck] = gammon.analyze(match, plies=0).rolls
            assert (luck.player, luck.roll) == (1, roll)
            lucks.append((roll.weight, luck))
        assert sum(weight * luck.luck for weight, luck in lucks) == pytest.approx(0, abs=1e-12)
        best = Engine(0).rank_plays(there, "66")[0]
        assert lucks[-1][1].luck == pytest.approx(best.equity - lucks[-1][1].before, abs=1e-12)
        if rules.length is not None:
            assert sum(weight * (luck.luck_mwc or 0) for weight, luck in lucks) == pytest.approx(0, abs=1e-12)
        else:
            assert all(luck.luck_mwc is None for _, luck in lucks)


def test_the_luck_of_the_opening_counts_who_begins() -> None:
    match_score = Rules.match(5)
    total = 0.0
    for first in range(1, 7):
        for second in range(1, 7):
            if first != second:
                match = Match(match_score, points=(3, 1), dice=SequenceDice([(first, second)]))
                match.roll()
                [luck] = gammon.analyze(match, plies=0).rolls
                assert luck.player == (0 if first > second else 1)
                assert luck.luck_mwc is not None
                total += luck.luck_mwc if luck.player == 0 else -luck.luck_mwc
    assert total == pytest.approx(0, abs=1e-12)


def test_how_deep_luck_is_worked_out() -> None:
    match = Match(Rules.match(5), dice=SequenceDice([(3, 1)]))
    match.roll()
    deep = gammon.analyze(match, plies=2)
    assert (deep.plies, deep.luck_plies) == (2, 1)
    assert deep.rolls == gammon.analyze(match, plies=0, luck_plies=1).rolls != gammon.analyze(match, plies=0).rolls


def test_a_dance_has_its_luck() -> None:
    closed = Position.from_points({6: 2, 1: 1}, opponent=dict.fromkeys(range(1, 7), 2), bar=1)
    match = Match.from_state(State(closed, on_roll=0, rules=Rules.casual()), dice=SequenceDice([(6, 5)]))
    match.roll()
    match.play("")
    analysis = gammon.analyze(match, plies=0)
    assert analysis.rolls[0].luck == pytest.approx(0, abs=1e-12)
    assert [j.reason for j in analysis.decisions] == ["forced"]
    assert analysis.players[0].plays == analysis.players[0].unforced == 0


@pytest.mark.parametrize("cube", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_luck_and_errors_add_up_to_the_result(cube: bool, seed: int) -> None:
    """Where every worth is exact, what a game brought is what it was worth, plus all luck, minus all errors.

    The table keeps its equities in 16 bits.
    """
    generator = random.Random(seed)
    board = [{point: generator.randint(0, 2) for point in range(1, 6)} | {1: 1} for _ in range(2)]
    position = Position.from_points(board[0], opponent=board[1])
    if not (position.off and position.opponent_off and sum(board[0].values()) <= 6 >= sum(board[1].values())):
        position = Position.from_points({2: 2, 4: 1}, opponent={1: 2, 5: 1})
    rules = Rules.money(jacoby=False, beavers=0, cube_limit=None) if cube else Rules.casual()
    state = State(position, on_roll=seed % 2, rules=rules)
    match = played(Match.from_state(state, dice=RandomDice(seed=seed)), Wild(seed), 60)
    first = match.games[0]
    while match.event_count and len(match.games) > 1:
        match.undo()
    analysis = gammon.analyze(Match.from_dict(match.to_dict()), plies=0)
    sign = (1, -1)
    worth = Engine(0).evaluate(state).equity * sign[state.on_roll]
    in_first = [j for j in analysis.decisions if j.game == 1]
    assert not [j for j in in_first if j.reason not in ("", "forced")]
    lucky = sum(roll.cost * sign[roll.player] for roll in analysis.rolls if roll.game == 1)
    lost = sum(j.cost * sign[j.player] for j in in_first)
    assert worth + lucky - lost == pytest.approx(first.points * sign[first.winner], abs=2e-4)


# Totals.


def test_the_performance_rating_is_500_times_the_error_for_each_decision_that_counts(wild: Match) -> None:
    analysis = gammon.analyze(wild, plies=0)
    for player in analysis.players:
        mine = [j for j in analysis.decisions if j.player == player.player]
        counted = [j for j in mine if j.counts]
        assert {j.kind for j in counted} == {"play", "double", "answer"}
        assert player.performance_rating == pytest.approx(500 * sum(j.error for j in mine) / len(counted))
        assert player.decisions == len(counted)
        assert all(j.error == 0 for j in mine if not j.counts)
        assert player.cost == pytest.approx(sum(j.cost for j in mine))
        assert player.luck == pytest.approx(sum(r.luck for r in analysis.rolls if r.player == player.player))
        assert player.name == wild.names[player.player]
        assert sum(player.marks) == sum(bool(j.mark) for j in mine) > 5


def test_what_counts_as_a_play(wild: Match) -> None:
    analysis = gammon.analyze(wild, plies=0)
    for judgement in analysis.decisions:
        if judgement.kind != "play" or judgement.reason:
            continue
        worths = [ranked.equity for ranked in Engine(0).rank_plays(judgement.state)]
        assert judgement.counts == (max(worths) - min(worths) >= NOTHING_AT_STAKE or judgement.error > 0)
    assert [j for j in analysis.decisions if j.reason == "forced"]
    won = Position.from_points({1: 1, 2: 1, 3: 1}, opponent={6: 10}, opponent_off=5)
    match = Match.from_state(State(won, on_roll=0, rules=Rules.casual()), dice=SequenceDice([(2, 1)]))
    match.roll()
    match.play(match.state.position.plays(Roll(2, 1))[0])
    [play] = gammon.analyze(match, plies=0).decisions
    assert (play.error, play.counts, play.reason) == (0.0, False, "")
    assert len(play.options) > 1


def test_nothing_to_judge_is_no_rating() -> None:
    analysis = gammon.analyze(Match(Rules.match(3)))
    assert (analysis.decisions, analysis.rolls, analysis.course()) == ((), (), ())
    assert all(math.isnan(player.performance_rating) for player in analysis.players)
    assert analysis.to_dict()["players"][0]["performance_rating"] is None
    assert "Performance rating" in str(analysis)


def test_marks() -> None:
    assert [error_mark(error) for error in (0.0, 0.0399, 0.04, 0.0799, 0.08, 0.1599, 0.16, 3.0)] == [
        "",
        "",
        "doubtful",
        "doubtful",
        "bad",
        "bad",
        "very bad",
        "very bad",
    ]
    assert [luck_mark(luck) for luck in (0.61, 0.6, 0.31, 0.3, 0.0, -0.3, -0.31, -0.61)] == [
        "very lucky",
        "lucky",
        "lucky",
        "",
        "",
        "",
        "unlucky",
        "very unlucky",
    ]


# Records of every kind.


def reasons(match: Match) -> list[tuple[str, str, str]]:
    return [(j.kind, j.action, j.reason) for j in gammon.analyze(match, plies=0).decisions]


def test_illegal_plays_are_flagged() -> None:
    match = Match(Rules.tournament(5), dice=SequenceDice([(3, 1), (6, 4)]))
    match.roll()
    match.play("13/3", illegal=True)
    match.roll()
    match.play("24/14")
    analysis = gammon.analyze(match, plies=0)
    assert [(j.kind, j.action, j.reason) for j in analysis.decisions] == [
        ("play", "13/3", "illegal"),
        ("double", "no double", ""),
        ("play", "24/14", ""),
    ]
    assert [player.illegal for player in analysis.players] == [1, 0]
    assert analysis.decisions[0].options == ()
    assert analysis.decisions[0].chosen is None


def test_the_crawford_game_has_no_cube() -> None:
    match = Match(Rules.match(3), points=(2, 0), dice=RandomDice(seed=1))
    played(match, Wild(1), 20)
    assert {kind for kind, _, _ in reasons(match)} == {"play"}


def test_a_double_against_the_rules_is_not_judged() -> None:
    match = Match(Rules.tournament(3), points=(2, 0), dice=SequenceDice([(3, 1), (6, 4)]))
    match.roll()
    match.play("8/5 6/5")
    match.double(on_record=True)
    match.take()
    found = reasons(match)
    assert found[1] == ("double", "double", "the rules do not allow it")
    assert found[2][:2] == ("answer", "take")
    assert found[2][2]


def test_beavers_and_raccoons() -> None:
    start = Position.start()
    state = State(start, on_roll=0, rules=Rules.money(beavers=2, jacoby=False, cube_limit=None))
    match = Match.from_state(state, dice=SequenceDice([(3, 1)]))
    match.double()
    match.beaver()
    match.beaver()
    match.take()
    decisions = gammon.analyze(match, plies=0).decisions
    assert [(j.player, j.action) for j in decisions] == [(0, "double"), (1, "beaver"), (0, "raccoon"), (1, "take")]
    assert [option.action for option in decisions[1].options] == ["beaver", "take", "drop"]
    assert decisions[0].error > 0
    assert decisions[1].error == 0, "who owns the cube is better off at the start, and beavers"
    assert {option.action for option in decisions[2].options} == {"take", "drop", "raccoon"}
    assert all(j.counts for j in decisions)
    turned = {option.action: option.equity for option in decisions[2].options}
    # At twice the value everything is twice as much; the cube lies on the other side all the same.
    assert turned["raccoon"] == pytest.approx(2 * turned["take"], abs=1e-9)
    # The value before the turn that is dropped.
    assert turned["drop"] == -1.0


def test_an_early_double_is_judged_where_it_is_answered() -> None:
    match = Match(Rules.tournament(5), dice=SequenceDice([(3, 1), (6, 4), (5, 2)]))
    match.roll()
    match.play("8/5 6/5")
    match.roll()
    match.double(player=0)
    match.play("24/14")
    match.take()
    decisions = gammon.analyze(match, plies=0).decisions
    early = next(j for j in decisions if j.action == "double")
    assert (early.player, early.note, early.reason) == (0, "early", "")
    assert early.state.on_roll == 0
    assert early.event == 3
    assert [j.event for j in decisions] == sorted(j.event for j in decisions)


def test_resignations() -> None:
    """Who is sure to lose a single game resigns it for nothing, a gammon at a price; the answers are judged too."""
    lost = Position.from_points({6: 5, 5: 5}, opponent={1: 2})
    state = State(lost, on_roll=0, rules=Rules.money(jacoby=False))
    worth = Engine(0).evaluate(state).equity
    assert -1.001 < worth < -0.9
    for level, answer, errors in (
        ("single", "accept", (0.0, 0.0)),
        ("single", "decline", (0.0, max(0.0, 1 + worth))),
    ):
        match = Match.from_state(state, dice=RandomDice(seed=1))
        match.resign(level)
        match.accept() if answer == "accept" else match.decline()
        decisions = gammon.analyze(match, plies=0).decisions
        assert [(j.player, j.kind, j.action) for j in decisions] == [
            (0, "resign", "resign single"),
            (1, "resignation answer", answer),
        ]
        assert decisions[0].error == pytest.approx(max(0.0, worth + 1), abs=1e-9)
        assert decisions[1].error == pytest.approx(errors[1] if answer == "decline" else 0.0, abs=1e-9)
    equal = State(Position.start(), on_roll=1, rules=Rules.match(7))
    match = Match.from_state(equal)
    match.resign("gammon", player=0)
    match.accept()
    resigned, accepted = gammon.analyze(match, plies=0).decisions
    assert resigned.error > 1.5
    assert resigned.counts
    assert resigned.mark == "very bad"
    assert (accepted.error, accepted.counts) == (0.0, False)
    analysis = gammon.analyze(match, plies=0)
    assert (analysis.players[0].wrong_resignations, analysis.players[1].wrong_resignations) == (1, 0)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "rules",
    [
        Rules.money(beavers=None, automatic_doubles=2),
        Rules.match(5, holland=True),
        Rules.tournament(4),
        Rules.casual(),
        Rules.match(3, variant="nackgammon", dead_cube="allow"),
    ],
    ids=["money", "Holland", "tournament", "casual", "Nackgammon"],
)
def test_whatever_is_played_is_analysed(rules: Rules, seed: int) -> None:
    match = played(Match(rules, dice=RandomDice(seed=seed)), Wild(seed, resigns=0.05), 80)
    analysis = gammon.analyze(match, plies=0)
    assert len(analysis.decisions) > 3
    for judgement in analysis.decisions:
        assert judgement.error >= 0
        if not judgement.reason:
            assert judgement.chosen is not None
            assert judgement.best.equity == pytest.approx(judgement.error + judgement.chosen.equity)
    json.loads(analysis.to_json())
    assert str(analysis)


@pytest.mark.parametrize("seed", range(3))
def test_who_has_to_wait_with_a_double_is_not_asked_rule_7_9(seed: int) -> None:
    """After the Crawford game, under Holland: no question before the third turn, and plays are judged by it."""
    match = after_crawford(Rules.match(3, holland=True), seed)
    roll_opening(match)
    engine = Engine(0, bearoff=False)
    while match.turn < 8:
        if match.phase is Phase.ROLLED:
            match.apply(Action("play", match.to_act, play=engine.best_play(match.state)))
        else:
            match.roll()
    turns = [before.turn for before, _ in match.moments()]
    analysis = gammon.analyze(match, engine=engine)
    asked = [turns[j.event] for j in analysis.decisions if j.game == 3 and j.player == 1 and j.kind == "double"]
    first = 5 if match.moment.starter == 1 else 6
    assert asked
    assert min(asked) == first
    early = [j for j in analysis.decisions if j.game == 3 and j.kind == "play" and j.counts and turns[j.event] < 4]
    assert early
    for judgement in early:
        best = engine.rank_plays(judgement.state, turn=turns[judgement.event])[0]
        assert judgement.best.equity == best.equity
    changed = [j for j in early if engine.rank_plays(j.state)[0].equity != j.best.equity]
    assert changed
    rolled = gammon.analyze(match, engine=engine, rollout=36, rollout_within=0.2)
    seen = 0
    for judgement in rolled.decisions:
        if judgement.game == 3 and judgement.kind == "play" and judgement.best.trials:
            plays = [option.action for option in judgement.options if option.trials]
            turn = turns[judgement.event]
            again = gammon.engine.rollout(judgement.state, plays=plays, trials=36, turn=turn)
            assert {c.value for c in again.candidates} == {o.equity for o in judgement.options if o.trials}
            seen += turn < 5
    assert seen


@pytest.mark.parametrize("name", sorted(path.name for path in MATCHES.glob("*.mat")) or ["none"])
def test_matches_of_another_program(name: str) -> None:
    match = gammon.formats.load(MATCHES / name)
    analysis = gammon.analyze(match, plies=0)
    assert len(analysis.decisions) > 40
    assert {j.reason for j in analysis.decisions} <= {"", "forced", "the cube is dead"}
    assert analysis.results == tuple(game.points * (1 - 2 * game.winner) for game in match.games)
    assert analysis.score == match.score


# How it is done.


def test_the_same_for_any_number_of_threads(wild: Match) -> None:
    one, two, five = (gammon.analyze(wild, plies=2, threads=threads) for threads in (1, 2, 5))
    assert one == two == five
    assert one == eval(
        repr(one),
        {**vars(gammon), **vars(gammon.analysis), **vars(gammon.cube), **vars(gammon.engine), **vars(gammon.match)},
    )


def test_progress_and_being_interrupted(wild: Match) -> None:
    seen: list[tuple[int, int]] = []
    analysis = gammon.analyze(wild, plies=0, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (len(analysis.decisions) + len(analysis.rolls),) * 2
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)

    def stop(done: int, total: int) -> None:
        if done >= 20:
            raise KeyboardInterrupt

    for threads in (1, 2):
        with pytest.raises(Interrupted) as caught:
            gammon.analyze(wild, plies=0, threads=threads, progress=stop)
        part = caught.value.result
        assert isinstance(part, Analysis)
        assert not part.complete
        # With more threads others may be finished by then.
        assert len(part.decisions) == 20 if threads == 1 else len(part.decisions) >= 10
        assert set(part.decisions) <= set(analysis.decisions)
        assert "interrupted" in str(part)


def test_what_is_refused(wild: Match) -> None:
    for wrong in (
        {"plies": 4},
        {"plies": 1, "engine": Engine(2)},
        {"engine": "fast"},
        {"threads": 0},
        {"threads": True},
        {"rollout": 1},
        {"rollout": 2.0},
        {"rollout_within": -1},
        {"rollout": 36, "seed": -1},
        {"luck_plies": 9},
    ):
        with pytest.raises(InvalidArgumentError):
            gammon.analyze(wild, **wrong)
    with pytest.raises(InvalidArgumentError, match="a Match is analysed"):
        gammon.analyze(Position.start())  # type: ignore[arg-type]


def test_an_engine_of_ones_own() -> None:
    match = Match(dice=SequenceDice([(3, 1)]))
    match.roll()
    match.play("24/23 13/10")

    def even(positions: Any) -> Any:
        import numpy as np

        answer = np.zeros((len(positions), 5), dtype=np.float32)
        answer[:, 0] = 0.5
        return answer

    [play] = gammon.analyze(match, engine=Engine(0, model=even, bearoff=False)).decisions
    assert (play.error, play.counts) == (0.0, False)


def test_close_decisions_are_rolled_out() -> None:
    match = Match(Rules.match(5), dice=SequenceDice([(4, 3), (6, 4)]))
    match.roll()
    match.play("24/20 13/10")
    match.roll()
    match.play("24/14")
    plain = gammon.analyze(match, plies=0)
    rolled = gammon.analyze(match, plies=0, rollout=72, rollout_within=0.05)
    again = gammon.analyze(match, plies=0, rollout=72, rollout_within=0.05, threads=1)
    assert rolled == again
    first = rolled.decisions[0]
    options = [option for option in first.options if option.trials is not None]
    assert [option.action for option in options] != []
    assert options == list(first.options[: len(options)])
    assert all(option.trials == 72 and (option.standard_error or 0) > 0 for option in options)
    assert len(first.options) == len(plain.decisions[0].options)
    near = [o for o in plain.decisions[0].options if plain.decisions[0].best.equity - o.equity <= 0.05]
    assert {o.action for o in options} == {o.action for o in near} | {"24/20 13/10"}
    result = gammon.engine.rollout(first.state, plays=[option.action for option in options], trials=72, seed=0)
    assert {c.action: c.value for c in result.candidates} == {o.action: o.equity for o in options}
    # No double is far from a double here: that was left as it is.
    assert [o.trials for o in rolled.decisions[1].options] == [None, None]


def test_a_cube_decision_is_rolled_out() -> None:
    race = Position.from_points({6: 3, 5: 3, 4: 3}, opponent={6: 3, 5: 3, 4: 3})
    state = State(race, on_roll=0, rules=Rules.money(jacoby=False, beavers=0))
    match = Match.from_state(state)
    match.double()
    match.drop()
    decisions = gammon.analyze(match, plies=0, rollout=144, rollout_within=1.0).decisions
    result = gammon.engine.rollout(state, cube_decision=True, trials=144, seed=0)
    rolling, taken = result.candidates
    double, answer = decisions
    assert dict(double.worths) == {"no_double": rolling.value, "double_take": taken.value, "double_drop": 1.0}
    assert double.verdict == result.decision
    assert {o.action: o.equity for o in answer.options} == {"take": -taken.value, "drop": -1.0}
    assert answer.error == pytest.approx(max(0.0, 1.0 - taken.value))
    assert double.error == pytest.approx(max(0.0, rolling.value - min(1.0, taken.value)))


# What is written.


class Tags(html.parser.HTMLParser):
    """Checks that tags are closed, and collects them."""

    VOID = frozenset({"meta", "path", "rect", "circle", "line", "polygon", "polyline", "ellipse"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.attributes: set[str] = set()
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        if tag in self.VOID:
            return
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_report_is_one_safe_page(tmp_path: Path) -> None:
    names = ("<script>alert(1)</script>", '"><img src=x onerror=alert(2)>&amp;')
    match = played(Match(Rules.match(3), dice=RandomDice(seed=9), names=names), Wild(9), 60)
    analysis = gammon.analyze(match, plies=0)
    path = tmp_path / "report.html"
    analysis.report(path, boards=5)
    page = path.read_text("utf-8")
    tags = Tags()
    tags.feed(page)
    tags.close()
    assert tags.open == []
    assert not tags.seen & {"script", "img", "iframe", "object", "link", "form", "foreignobject"}
    assert not [name for name in tags.attributes if name.startswith("on") or name in {"src", "xlink:href"}]
    assert set(re.findall(r'href="(.)', page)) == {"#"}
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page
    said = "".join(tags.words)
    assert names[0] in said
    assert names[1] in said
    assert page.count("<section ") == 5
    anchors = set(re.findall(r'<section id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) == anchors
    assert len(anchors) == 5
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    with pytest.raises(InvalidArgumentError):
        analysis.report(path, boards=-1)


def test_reports_of_every_kind(tmp_path: Path) -> None:
    gammon.analyze(Match()).report(tmp_path / "empty.html")
    assert "No roll was judged" in (tmp_path / "empty.html").read_text()
    money = played(Match(Rules.money(), dice=RandomDice(seed=2)), Wild(2, resigns=0.05), 80)
    gammon.analyze(money, plies=0).report(tmp_path / "money.html")
    assert "points expected of the game" in (tmp_path / "money.html").read_text()


def test_json(wild: Match) -> None:
    analysis = gammon.analyze(wild, plies=0)
    data = json.loads(analysis.to_json())
    assert data == analysis.to_dict()
    assert (data["format"], data["version"], data["unit"]) == ("gammon analysis", 1, "mwc")
    assert len(data["decisions"]) == len(analysis.decisions)
    first = data["decisions"][0]
    assert Position.from_id(first["position"]) == analysis.decisions[0].state.position
    assert first["options"][0]["action"] == analysis.decisions[0].best.action
    total = sum(j["error"] for j in data["decisions"] if j["player"] == 1)
    assert data["players"][1]["error"] == pytest.approx(total)


def test_the_course_of_a_match(wild: Match) -> None:
    analysis = gammon.analyze(wild, plies=0)
    course = analysis.course()
    assert len(course) == len(analysis.rolls)
    assert all(0 <= value <= 1 for _, _, value in course)
    assert course[0][2] == pytest.approx(0.5, abs=1e-9)
    money = played(Match(Rules.money(), dice=RandomDice(seed=2)), Wild(2), 60)
    assert any(value < 0 for _, _, value in gammon.analyze(money, plies=0).course())


def test_worst(wild: Match) -> None:
    analysis = gammon.analyze(wild, plies=0)
    worst = analysis.worst(5)
    assert [j.error for j in worst] == sorted((j.error for j in analysis.decisions), reverse=True)[:5]
    assert {j.player for j in analysis.worst(8, player=1)} == {1}
    assert analysis.worst(0) == ()
    for wrong in ({"count": -1}, {"count": 1.5}, {"player": 2}, {"player": "Ann"}):
        with pytest.raises(InvalidArgumentError, match=re.escape(repr(next(iter(wrong.values()))))):
            analysis.worst(**wrong)
    lines = str(analysis).splitlines()
    assert [line for line in lines if worst[0].action in line and "very bad" in line]
    shown: list[str] = []
    analysis._repr_pretty_(types.SimpleNamespace(text=shown.append), False)
    assert shown == [str(analysis)]


def test_a_summary_by_hand() -> None:
    state = State(Position.start(), on_roll=0)

    def judged(kind: Any, action: str, error: float, counts: bool = True, player: int = 0) -> Judgement:
        return Judgement(
            0, 1, player, kind, state, action, error=error, cost=2 * error, mark=error_mark(error), counts=counts
        )

    found = summary(
        0,
        "Ann",
        [
            judged("play", "8/5 6/5", 0.0),
            judged("play", "6/5", 0.05),
            judged("play", "", 0.0, counts=False),
            judged("double", "no double", 0.1),
            judged("double", "no double", 0.0, counts=False),
            judged("double", "double", 0.2),
            judged("answer", "take", 0.3),
            judged("answer", "drop", 0.0),
            judged("resign", "resign single", 0.35),
            judged("play", "6/5", 9.0, player=1),
        ],
        [],
    )
    assert (found.plays, found.unforced, found.cube_decisions, found.close_cube) == (2, 2, 5, 4)
    assert (found.missed_doubles, found.wrong_doubles, found.wrong_takes, found.wrong_drops) == (1, 1, 1, 0)
    assert found.marks == (1, 1, 3)
    assert found.decisions == 2 + 4 + 1
    assert found.error == pytest.approx(1.0)
    assert found.cost == pytest.approx(2.0)
    assert found.performance_rating == pytest.approx(500 / 7)
