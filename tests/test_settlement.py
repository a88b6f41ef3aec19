"""Money: settling, tables, and dividing the stakes of a game that cannot be finished (rules 10.1 to 10.4)."""

import dataclasses
from decimal import Decimal

import pytest
from match_play import RULE_SETS, Hands, at_score, opened, random_match

from gammon import Match, Offer, Position, Roll, Rules, State
from gammon.adjudication import BearoffEvaluator, EngineEvaluator, Estimate, EvenChances, Interruption, adjudicate
from gammon.bearoff import TwoSided
from gammon.clock import ClockSettings
from gammon.cube import Cube
from gammon.dice import SequenceDice
from gammon.engine import Engine
from gammon.errors import IllegalActionError, InvalidArgumentError, NotInDatabaseError
from gammon.met import MatchEquityTable
from gammon.settlement import Stakes, Table, settle

WINS_NOW = Position.from_points({1: 1}, opponent={1: 1})
RACE = Position.from_points({13: 15}, opponent={13: 15})


def session(*games):
    """A session in which player 1 resigns so many points, negative: player 0 does."""
    match = Match(Rules.casual(), dice=SequenceDice([(3, 1)] * len(games)))
    for points in games:
        match.roll()
        match.resign(abs(points), player=int(points > 0))
        match.accept()
    return match


def test_rule_10_3_amount_fee_and_rake():
    settlement = settle(session(2, -1, 3), Stakes(10, fee="0.5", rake="0.1"))
    # Player 0 wins 50 gross and 45 net of the rake, loses 10, and pays three fees.
    assert settlement.balances == (Decimal("33.5"), Decimal("-42.5"))
    assert settlement.fees == (Decimal("1.5"), Decimal("1.5"))
    assert settlement.rake == (Decimal(5), Decimal(1))
    assert sum(settlement.balances) + settlement.house == 0


@pytest.mark.parametrize("name", RULE_SETS)
def test_rule_10_3_balances_and_charges_sum_to_zero(name):
    match = random_match(RULE_SETS[name], 11, games=4)
    for stakes in (Stakes(1), Stakes("0.333", fee="0.07", rake="0.0333"), Stakes(0.1, fee=0.2, rake=1)):
        settlement = settle(match, stakes)
        assert sum(settlement.balances) + settlement.house == 0
        assert any(settlement.balances) or not (match.games and match.is_over)


def test_rule_10_3_a_match_pays_its_winner_once():
    match = at_score((4, 0), Rules.match(5), (3, 1))
    assert settle(match, Stakes(100)).balances == (0, 0)
    match.roll()
    match.resign("backgammon", player=1)
    match.accept()
    assert settle(match, Stakes(100, fee=1, rake="0.05")).balances == (93, -102)


@pytest.mark.parametrize(
    "wrong",
    [
        {"amount": -1},
        {"amount": "ten"},
        {"amount": float("nan")},
        {"amount": Decimal("Infinity")},
        {"amount": True},
        {"amount": None},
        {"amount": "1e40"},
        {"amount": "1e-40"},
        {"amount": "1" * 5000},
        {"rake": 1.01},
        {"rake": -0.1},
        {"fee": -1},
    ],
)
def test_amounts_that_are_none(wrong):
    with pytest.raises(InvalidArgumentError):
        Stakes(**({"amount": 1} | wrong))


def test_rule_10_3_a_player_has_to_cover_one_amount_and_the_fee():
    table = Table(Rules.money(), Stakes(5, fee=1))
    with pytest.raises(IllegalActionError, match=r"Ann cannot cover 6, one amount and the fee, with 5\.99"):
        table.join("Ann", funds="5.99")
    assert table.join("Ann", funds=6) == 0
    assert table.join("Bob") == 1


def test_rule_10_4_a_session_is_opened_with_a_stake_and_rules_and_joined():
    table = Table(Rules.money(beavers=0), Stakes(5))
    with pytest.raises(IllegalActionError, match="two players are needed, not 0"):
        table.start()
    table.join("Ann")
    with pytest.raises(IllegalActionError, match="Ann sits at the table already"):
        table.join("Ann")
    table.join("Bob")
    with pytest.raises(IllegalActionError, match="full: Ann and Bob"):
        table.join("Cleo")
    match = table.start(SequenceDice([(3, 1)]))
    assert (match.names, match.rules) == (("Ann", "Bob"), table.rules)
    match.roll()
    match.resign()
    match.accept()
    assert table.settle(match).balances == (-5, 5)


def test_rule_10_4_play_for_fun_has_no_stake():
    table = Table(Rules.money())
    table.join("Ann", funds=0)
    table.join("Bob")
    match = table.start(SequenceDice([(3, 1)]))
    match.roll()
    match.resign()
    match.accept()
    assert table.settle(match).balances == (0, 0)


# Adjudication.


def fixed(values, default=0.0):
    """An evaluator with given answers by (position id, cube value, on roll)."""
    asked = []

    def evaluator(state):
        assert state.roll is None
        assert state.offer is None
        asked.append(state)
        return values.get((state.cube.value, state.on_roll), default)

    evaluator.asked = asked
    return evaluator


def test_rule_10_2_money_equity_times_value_times_amount():
    state = State(RACE, on_roll=1, cube=Cube(4, "player"), stake=3)
    result = adjudicate(state, lambda state: Estimate(1.5, "2-ply", 0.01), amount=10)
    assert result.shares == (-180, 180), "the equity may exceed 1"
    assert (result.value, result.unit, result.method, result.standard_error) == (-1.5, "equity", "2-ply", 0.01)
    assert sum(result.shares) == 0


def test_rule_10_2_thrown_dice_are_played():
    result = adjudicate(State(WINS_NOW, on_roll=0, roll=Roll(2, 1)), EvenChances(), amount=10)
    assert result.shares == (10, -10)
    best = Position.from_points({1: 1, 6: 1}, opponent={1: 1})
    evaluator = fixed({(1, 1): 1.0})
    assert adjudicate(State(best, on_roll=0, roll=Roll(2, 1)), evaluator).value == -1.0
    assert len(evaluator.asked) == len(best.plays(Roll(2, 1)))
    assert all(state.on_roll == 1 for state in evaluator.asked)


def test_rule_10_2_the_best_play_is_chosen():
    """The opponent's equity is what the mover still has to bear off: the best play leaves least."""
    position = Position.from_points({6: 1, 3: 1, 1: 1}, opponent={6: 15})
    left = {play.next.opponent_pips for play in position.plays(Roll(3, 1))}
    assert len(left) == 1, "every play of a race moves as far, so the evaluator counts checkers"
    checkers = {15 - play.after.off for play in position.plays(Roll(3, 1))}
    assert checkers == {1, 2, 3}
    for jacoby in (True, False):
        state = State(position, on_roll=0, roll=Roll(3, 1), rules=Rules.money(jacoby=jacoby))
        assert adjudicate(state, lambda after: (15 - after.position.opponent_off) / 10).value == -0.1


def test_rule_10_2_a_gammon_counts_under_its_rules():
    gammon = Position.from_points({1: 1}, opponent={6: 15})
    for jacoby, cube, value in [(True, Cube(), 1.0), (True, Cube(2, "opponent"), 2.0), (False, Cube(), 2.0)]:
        state = State(gammon, on_roll=0, roll=Roll(2, 1), cube=cube, rules=Rules.money(jacoby=jacoby))
        assert adjudicate(state).value == value


def test_rule_10_2_a_pending_double_is_answered_best():
    doubled = State(RACE, on_roll=0, offer=Offer.DOUBLE, offered_by=0, rules=Rules.money(beavers=0))
    assert adjudicate(doubled, fixed({(2, 0): 0.4})).value == 0.8, "take"
    assert adjudicate(doubled, fixed({(2, 0): 0.6})).value == 1.0, "drop"
    beavered = dataclasses.replace(doubled, rules=Rules.money(beavers=1))
    assert adjudicate(beavered, fixed({(2, 0): -0.1, (4, 0): -0.2})).value == -0.8, "beaver and take"
    assert adjudicate(beavered, fixed({(2, 0): -0.1, (4, 0): -0.9})).value == -2.0, "beaver and drop"
    raccoon = dataclasses.replace(doubled, rules=Rules.money(beavers=2))
    values = {(2, 0): -0.1, (4, 0): -0.2, (8, 0): 0.0}
    assert adjudicate(raccoon, fixed(values)).value == -0.2, "the raccoon would answer the beaver, so it is a take"


def test_rule_10_2_the_standard_error_is_in_the_value_before_the_double():
    doubled = State(RACE, on_roll=0, offer=Offer.DOUBLE, offered_by=0, rules=Rules.money(beavers=0))
    result = adjudicate(doubled, lambda state: Estimate(0.25, "rollout", 0.01))
    assert (result.value, result.standard_error, result.method) == (0.5, 0.02, "rollout")


def test_rule_10_2_an_early_double_is_answered_after_the_play():
    state = State(RACE, on_roll=1, roll=Roll(6, 6), offer=Offer.DOUBLE, offered_by=0, rules=Rules.money(beavers=0))
    assert adjudicate(state, fixed({(2, 0): 0.3})).value == 0.6
    assert adjudicate(state, fixed({(2, 0): 0.7})).value == 1.0
    thrown_again = dataclasses.replace(state, roll=None)
    assert adjudicate(thrown_again, fixed({(2, 0): 0.3})).value == pytest.approx(0.6)


def test_rule_10_2_a_pending_resignation_is_ignored():
    state = State(RACE, on_roll=0, offer=Offer.RESIGN_3, offered_by=1)
    assert adjudicate(state, fixed({(1, 0): 0.25})).value == 0.25


def test_rule_10_2_a_match_divides_the_prize_and_the_score_stays():
    match = opened(Rules.match(5), (2, 1))
    met = MatchEquityTable.default()
    result = adjudicate(match, lambda state: 0.6, amount=100)
    assert result.shares == (40, 60), "player 1 is on roll"
    assert result.unit == "mwc"
    assert match.score == (0, 0)
    match.double()
    result = adjudicate(match, lambda state: 0.99, amount=100)
    assert result.value == pytest.approx(1 - met.mwc(4, 5)), "a drop"
    even = adjudicate(opened(Rules.match(5)), EvenChances(), amount=1)
    assert even.value == pytest.approx(0.5)
    assert sum(even.shares) == 1


def test_rule_10_2_a_match_that_ends_with_the_roll_and_one_between_games():
    rules = Rules.match(3, start=WINS_NOW)
    match = Match(rules, dice=SequenceDice([(2, 1)]))
    met = MatchEquityTable.default()
    assert adjudicate(match, amount=100).value == pytest.approx(0.5)
    match.roll()
    assert adjudicate(match, amount=100).value == pytest.approx(met.mwc(2, 3))
    match.play("1/off")
    assert adjudicate(match, amount=100).value == pytest.approx(met.mwc(2, 3))
    match.concede(0)
    assert adjudicate(match, amount=100).shares == (0, 100)
    assert adjudicate(session(2), amount=5).shares == (0, 0)


@pytest.mark.parametrize("answer", [float("nan"), float("inf"), 1.5, -0.1])
def test_an_evaluator_that_answers_nonsense(answer):
    with pytest.raises(InvalidArgumentError, match="the evaluator says"):
        adjudicate(opened(Rules.match(5)), lambda state: answer)
    with pytest.raises(InvalidArgumentError, match="a match or a state is adjudicated"):
        adjudicate("4HPwATDgc/ABMA")


def test_rule_10_2_the_window_runs_anew_and_the_clock_stands_still():
    hands = Hands()
    match = Match(Rules.match(3, clock=ClockSettings()), dice=SequenceDice([(3, 1), (2, 1)]), time=hands)
    match.roll()
    away = Interruption(match, time=hands)
    hands.now += 299
    assert away.seconds_left == 1
    with pytest.raises(IllegalActionError, match="may still come back, for 1 seconds"):
        away.adjudicate()
    away.resume()
    assert match.clock.reading().used == 0
    again = Interruption(match, time=hands)
    assert again.seconds_left == 300
    hands.now += 300
    with pytest.raises(IllegalActionError, match="did not come back within 300 seconds"):
        again.resume()
    assert again.adjudicate(amount=10).unit == "mwc"
    assert match.score == (0, 0)


class OnePosition:
    """A table that holds one position."""

    def equity(self, position, cube="none", *, jacoby=None):
        if position != RACE:
            raise NotInDatabaseError("not here")
        return {"none": 0.1, None: 0.2, "player": 0.3, "opponent": -0.4}[cube if cube == "none" else cube.owner]


def test_rule_10_2_a_bearoff_table_answers_what_it_holds():
    evaluator = BearoffEvaluator(OnePosition(), lambda state: Estimate(0.9, "elsewhere"))
    other = Position.start()
    for settings, value, method in [
        ({}, 0.2, "bear-off table"),
        ({"cube": Cube(2, "player")}, 0.3, "bear-off table"),
        ({"cube": Cube(2, "opponent")}, -0.4, "bear-off table"),
        ({"cube": Cube(64, "player")}, 0.1, "bear-off table"),
        ({"rules": Rules.casual()}, 0.1, "bear-off table"),
        ({"rules": Rules.money(use_cube=False)}, 0.9, "elsewhere"),
        ({"position": other}, 0.9, "elsewhere"),
        ({"rules": Rules.match(3)}, 0.9, "elsewhere"),
    ]:
        result = adjudicate(State(**({"position": RACE, "on_roll": 0} | settings)), evaluator)
        assert (result.value, result.method, result.evaluator) == (value, method, "BearoffEvaluator")


@pytest.mark.parametrize("cube", [Cube(), Cube(2, "player"), Cube(2, "opponent")])
def test_rule_10_2_exact_from_the_bearoff_table_inside_it(cube):
    """Before the roll the table's equity, after it that of its best play, and a double answered best."""
    table = TwoSided.default()
    evaluator = BearoffEvaluator(table)
    rules = Rules.money(jacoby=False, beavers=0)
    for own, other in [({6: 1, 4: 1}, {5: 2}), ({6: 2, 2: 1}, {4: 3}), ({1: 4}, {2: 4}), ({5: 3, 3: 1}, {6: 1, 1: 5})]:
        position = Position.from_points(own, opponent=other)
        state = State(position, on_roll=1, cube=cube, rules=rules)
        assert adjudicate(state, evaluator).value == -table.equity(position, cube)
        for roll in (Roll(2, 1), Roll(4, 4)):
            _, equity = table.best_play(position, roll, cube=cube)
            rolled = dataclasses.replace(state, roll=roll)
            assert adjudicate(rolled, evaluator).value == pytest.approx(-equity, abs=1e-12)
        if cube.owner != "opponent":
            doubled = dataclasses.replace(state, offer=Offer.DOUBLE, offered_by=1)
            taken = 2 * table.equity(position, Cube(2 * cube.value, "opponent"))
            assert adjudicate(doubled, evaluator).value == -min(1.0, taken)


def test_rule_10_2_the_engine_is_asked_if_nobody_else_is():
    """Money: equity times the value; a match: chances; dice and doubles played out before."""
    position = Position.from_points({6: 5, 8: 3, 13: 5, 24: 2}, opponent={6: 5, 7: 2, 13: 5, 24: 3})
    engine = Engine(2)
    for seat in (0, 1):
        state = State(position, on_roll=seat, cube=Cube(2, "player"), stake=2)
        result = adjudicate(state, amount=10)
        equity = engine.evaluate(state).equity * (1 if seat == 0 else -1)
        assert (result.value, result.method, result.evaluator) == (equity, "2-ply", "EngineEvaluator")
        assert float(result.shares[0]) == pytest.approx(equity * 4 * 10)
        there = State(position, on_roll=seat, rules=Rules.match(5), points=(1, 3))
        mwc = engine.evaluate(there).mwc
        assert mwc is not None
        assert adjudicate(there).value == pytest.approx(mwc if seat == 0 else 1 - mwc)
    rolled = State(position, on_roll=0, roll=Roll(3, 1), rules=Rules.match(5))
    best = Engine(0).rank_plays(rolled)[0]
    assert adjudicate(rolled, Engine(0)).value == pytest.approx(best.mwc)
    assert adjudicate(rolled, EngineEvaluator(Engine(0))).method == "0-ply"
    lost = State(Position.from_points({6: 15}, opponent={1: 1}), on_roll=0, offer=Offer.DOUBLE, offered_by=0)
    # A take: a beaver would be dropped. 17 rolls of 36 bear a checker off and save the gammon.
    assert adjudicate(lost, Engine(0)).value == pytest.approx(-2 * (1 + 19 / 36))
    even = MatchEquityTable.compute(gammon_rate=0.2, length=9)
    other = adjudicate(State(position, on_roll=0, rules=Rules.match(5), points=(1, 3)), met=even)
    assert other.value == pytest.approx(
        Engine(2, met=even).evaluate(State(position, on_roll=0, rules=Rules.match(5), points=(1, 3))).mwc
    )

    class Own:
        def mwc(self, away, opponent_away, *, post_crawford=False, player=0):
            return 0.5

    with pytest.raises(InvalidArgumentError, match="goes with"):
        adjudicate(rolled, met=Own())
