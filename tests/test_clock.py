"""The clock, alone and in a match (rule 9.3)."""

import json

import pytest
from match_play import RACE, Hands

from gammon import Match, Phase, Rules
from gammon.clock import Clock, ClockReading, ClockSettings
from gammon.dice import SequenceDice
from gammon.errors import IllegalActionError


def bronstein(points=1):
    hands = Hands()
    return Clock(ClockSettings(), points, time=hands), hands


def test_rule_9_3_two_minutes_a_point_and_twelve_seconds_of_delay():
    clock, hands = bronstein(7)
    assert clock.reading().reserve == (840, 840)
    for used, left in [(5, 840), (12, 840), (13, 839), (30, 821)]:
        clock.start(0)
        hands.now += used
        clock.end_turn()
        assert clock.reading().reserve == (left, 840)


def test_rule_9_3_time_is_out_when_a_turn_takes_more_than_reserve_and_delay():
    clock, hands = bronstein()
    clock.start(1)
    hands.now += 132
    assert clock.left(1) == 0
    assert clock.reading().ran_out == ()
    hands.now += 0.5
    assert clock.reading().ran_out == (1,)
    assert clock.claim(0) == 1
    assert clock.claim(None) == 1
    with pytest.raises(IllegalActionError, match="player 1 cannot claim the time: player 0 has not run out"):
        clock.claim(1)


def test_rule_9_3_unclaimed_play_goes_on_with_reserve_0():
    clock, hands = bronstein()
    clock.start(0)
    hands.now += 1000
    clock.start(1)
    assert clock.reading().reserve == (0, 120)
    hands.now += 3
    clock.start(0)
    hands.now += 12
    assert clock.left(0) == 0
    clock.start(1)
    assert clock.reading().reserve == (0, 120)
    assert clock.claim(1) == 0


def test_rule_9_3_if_both_are_out_the_one_who_ran_out_first_loses():
    clock, hands = bronstein()
    for seat in (1, 0):
        clock.start(seat)
        hands.now += 500
    clock.end_turn()
    assert clock.reading().ran_out == (1, 0)
    assert clock.claim(1) == clock.claim(0) == clock.claim(None) == 1
    with pytest.raises(IllegalActionError, match="nobody has run out of time"):
        bronstein()[0].claim(None)


def test_rule_9_3_fischer_adds_when_the_clock_is_turned():
    hands = Hands()
    clock = Clock(ClockSettings.fischer(8, reserve_per_point=60), 2, time=hands)
    clock.start(0)
    hands.now += 20
    assert clock.left(0) == 100
    clock.start(1)
    assert clock.reading().reserve == (108, 120)
    hands.now += 121
    assert clock.reading().ran_out == (1,)
    clock.end_turn()
    assert clock.reading().reserve == (108, 8)


def test_rule_9_3_stopping_and_going_on_within_the_same_turn():
    clock, hands = bronstein()
    clock.start(0)
    hands.now += 10
    clock.stop("die on the floor")
    hands.now += 1000
    clock.resume()
    hands.now += 5
    clock.end_turn()
    assert clock.reading().reserve == (117, 120)
    for call, words in [
        (lambda: clock.stop("coffee"), "a clock is not stopped for 'coffee'"),
        (clock.resume, "is not stopped"),
    ]:
        with pytest.raises(IllegalActionError, match=words):
            call()
    clock.stop("break")
    with pytest.raises(IllegalActionError, match="stopped already: break"):
        clock.stop("break")


def test_a_time_source_that_jumps_back_costs_nothing():
    clock, hands = bronstein()
    clock.start(0)
    hands.now -= 100
    clock.end_turn()
    assert clock.reading().reserve == (120, 120)


def test_a_reading_is_all_that_a_clock_needs_to_go_on():
    clock, hands = bronstein()
    clock.start(0)
    hands.now += 9
    reading = clock.reading()
    assert reading == ClockReading((120, 120), running=0, used=9)
    again = Clock(clock.settings, 1, time=(later := Hands()))
    later.now = 5000
    again.restore(reading)
    later.now += 4
    again.end_turn()
    assert again.reading().reserve == (119, 120)


def clocked(*dice, rules=None):
    hands = Hands()
    rules = rules or Rules.tournament(3, clock_use="required", early_double=True)
    match = Match(rules, dice=SequenceDice([(3, 1), *dice]), time=hands)
    return match, hands


def test_rule_9_3_the_clock_starts_to_play_to_answer_and_to_roll_after_a_take():
    match, hands = clocked((2, 1), (6, 5))
    assert match.clock.reading().running is None
    hands.now += 500
    match.roll()
    assert match.clock.reading().running == 0
    hands.now += 22
    match.play("8/5 6/5")
    assert match.clock.reading().reserve == (350, 360)
    assert match.clock.reading().running == 1
    hands.now += 14
    match.double()
    assert match.clock.reading().reserve == (350, 358)
    hands.now += 13
    match.take()
    assert match.clock.reading().reserve == (349, 358)
    assert match.clock.reading().running == 1, "a fresh delay to roll after the take"
    hands.now += 12
    match.roll()
    match.play("13/11 6/5")
    assert match.clock.reading().reserve == (349, 358)
    match.resign("gammon", player=0)
    assert match.clock.reading().running == 1
    match.accept()
    assert match.clock.reading().running is None, "between games"
    hands.now += 1000
    assert match.clock.reading().reserve == (349, 358)


def test_rule_9_3_time_out_counts_only_when_claimed_and_loses_the_match():
    match, hands = clocked((2, 1), (6, 5))
    match.roll()
    hands.now += 1000
    with pytest.raises(IllegalActionError, match="player 1 has not run out of it"):
        match.claim_time(0)
    match.play("8/5 6/5")
    match.roll()
    match.claim_time(1)
    assert (match.phase, match.winner, match.ending) == (Phase.MATCH_OVER, 1, "time")
    data = json.loads(json.dumps(match.to_dict()))
    assert Match.from_dict(data, time=Hands()).to_dict() == data
    match.undo()
    match.claim_time()
    assert match.winner == 1
    with pytest.raises(IllegalActionError, match="too late"):
        match.claim_time(1)


def test_rule_9_3_in_a_match_too_the_one_who_ran_out_first_loses():
    for by in (0, 1, None):
        match, hands = clocked((2, 1), (6, 5))
        match.roll()
        hands.now += 1000
        match.play("8/5 6/5")
        hands.now += 1000
        match.roll()
        match.claim_time(by)
        assert match.winner == 1


def test_rule_9_3_dice_lifted_early_give_the_other_player_a_minute():
    match, _ = clocked((2, 1))
    match.roll()
    match.time_fault(0, "lifted early")
    match.time_fault(1, "taken away")
    match.time_fault(1, "taken away")
    assert match.clock.reading().reserve == (480, 420)
    with pytest.raises(IllegalActionError, match="not for 'stolen'"):
        match.time_fault(1, "stolen")


@pytest.mark.parametrize(
    "reason", ["between games", "break", "die on the floor", "director called", "setting the clock"]
)
def test_rule_9_3_what_it_may_be_stopped_for(reason):
    match, hands = clocked()
    match.roll()
    match.stop_clock(reason)
    hands.now += 1000
    match.resume_clock()
    assert match.clock.reading().used == 0
    with pytest.raises(IllegalActionError, match="is not stopped"):
        match.resume_clock()
    with pytest.raises(IllegalActionError, match="not for 'lunch'"):
        match.stop_clock("lunch")


def test_rule_9_3_the_clock_stands_while_an_illegal_play_is_replayed():
    match, hands = clocked((2, 1))
    match.roll()
    hands.now += 13
    match.play("13/7 13/11", illegal=True)
    hands.now += 5
    match.contest()
    assert match.clock.reading().stopped == "illegal play"
    hands.now += 500
    match.play("8/5 6/5")
    assert match.clock.reading() == ClockReading((359, 360), running=1)


def test_rule_9_3_a_contest_while_the_clock_is_stopped_already():
    match, _ = clocked((2, 1))
    match.roll()
    match.play("13/7 13/11", illegal=True)
    match.stop_clock("director called")
    match.contest()
    assert match.clock.reading().stopped == "director called"
    match.play("8/5 6/5")
    match.resume_clock()
    assert match.clock.reading() == ClockReading((360, 360), running=1)


@pytest.mark.parametrize(("use", "demands"), [("option", (0, 1)), ("preference", (1,)), ("required", ())])
def test_rule_9_3_clock_use(use, demands):
    match = Match(Rules.tournament(5, clock_use=use), dice=SequenceDice([(3, 1)]), time=Hands())
    for seat in demands:
        assert match.clock is None
        match.demand_clock(seat)
    assert match.clock.reading().reserve == (600, 600)
    with pytest.raises(IllegalActionError, match="with a clock already"):
        match.demand_clock(0)


def test_rule_9_3_a_clock_is_demanded_before_the_first_game_or_imposed():
    match = Match(Rules.tournament(5), dice=SequenceDice([(3, 1), (2, 1)]), time=Hands())
    match.roll()
    with pytest.raises(IllegalActionError, match="before the first game"):
        match.demand_clock(0)
    match.resign("gammon", player=0)
    match.accept()
    match.roll()
    match.director("clock")
    assert match.clock.reading().reserve == (600, 600), (
        "two minutes for each of the five points still needed by player 0"
    )
    assert match.clock.reading().running == 0
    match.undo()
    assert match.clock is None
    match.redo()
    assert match.clock.reading().running == 0
    penal = Match(Rules.tournament(5, clock_use="penalty"))
    with pytest.raises(IllegalActionError, match="only the director imposes a clock"):
        penal.demand_clock(0)
    penal.director("clock")
    assert penal.clock is not None
    for rules in (Rules.match(3), Rules.money()):
        with pytest.raises(IllegalActionError, match="have no clock"):
            Match(rules).demand_clock(0)
    with pytest.raises(IllegalActionError, match="without a clock"):
        Match(Rules.match(3)).claim_time()


def test_undo_gives_the_time_back_and_redo_takes_it():
    match, hands = clocked((2, 1))
    match.roll()
    hands.now += 40
    match.play("8/5 6/5")
    hands.now += 7
    before = match.to_dict()
    match.undo()
    assert match.clock.reading() == ClockReading((360, 360), running=0, used=40)
    hands.now += 300
    match.redo()
    assert match.to_dict() == before


def test_rule_10_1_a_saved_clock_goes_on_from_what_it_showed():
    match, hands = clocked(rules=Rules.match(2, clock=ClockSettings.fischer(5), start=RACE))
    match.roll()
    hands.now += 30
    data = json.loads(json.dumps(match.to_dict()))
    later = Hands()
    later.now = 1e6
    again = Match.from_dict(data, time=later)
    later.now += 10
    assert again.clock.reading().used == 40
    assert again.clock.left(0) == 200
