"""The rules of the game around the board (rules 6, 7 and 9), each through the public API and by its number."""

import json
from pathlib import Path

import pytest
from match_play import RACE, RULE_SETS, Hands, at_score, opened, random_match

import gammon
from gammon import Action, Match, Offer, Phase, Position, Roll, Rules, State
from gammon.cube import Cube, Score
from gammon.dice import CardDice, ManualDice, RandomDice, SequenceDice
from gammon.errors import (
    FileFormatError,
    IllegalActionError,
    IllegalPlayError,
    InvalidArgumentError,
    NotationError,
)
from gammon.match import _machine as machine
from gammon.scoring import CrawfordPhase

GAMMON = Position.from_points({1: 1}, opponent={6: 15})
"""Player 0 bears off the last checker and wins a gammon (case S01)."""
BACKGAMMON = Position.from_points({1: 1}, opponent={6: 14, 20: 1})
BACKGAMMON_BAR = Position.from_points({1: 1}, opponent={6: 14}, opponent_bar=1)
SINGLE = Position.from_points({1: 1}, opponent={6: 14})


def refused(call, *words):
    """The message of a refusal, which has to contain these words."""
    with pytest.raises(IllegalActionError) as refusal:
        call()
    for word in words:
        assert word in str(refusal.value)
    return str(refusal.value)


def kinds(match):
    return [action.kind for action in match.legal_actions()]


def seats(match, kind):
    return [action.player for action in match.legal_actions() if action.kind == kind]


def levels(match, seat):
    return [action.level for action in match.legal_actions() if action.kind == "resign" and action.player == seat]


def last_roll(rules, *, cube=1, owner=None):
    """Player 0 has rolled 2-1 in the starting position of the rules, with the cube as given."""
    match = Match(rules, dice=SequenceDice([(2, 1)]))
    match.roll()
    if cube > 1:
        match.director("cube", value=cube, owner=owner)
    return match


# 6: the end of a game.


def test_rule_6_1_the_first_to_bear_off_all_checkers_wins():
    match = last_roll(Rules.money(start=RACE))
    match.play("3/1 2/1")
    assert match.phase is Phase.ON_ROLL
    match = last_roll(Rules.money(start=SINGLE))
    match.play("1/off")
    assert match.phase is Phase.GAME_OVER
    assert [game.winner for game in match.games] == [0]


@pytest.mark.parametrize(
    ("start", "level"), [(SINGLE, 1), (GAMMON, 2), (BACKGAMMON, 3), (BACKGAMMON_BAR, 3)], ids=range(4)
)
@pytest.mark.parametrize("starter", [0, 1])
def test_rule_6_2_single_gammon_backgammon_times_stake_and_cube(start, level, starter):
    """Rule 6.2, cases S01 and S05: 1, 2 or 3 times stake x cube, multiplied once; colours swapped too."""
    for stake_ties, cube in [(0, 1), (0, 4), (1, 2), (2, 4)]:
        rules = Rules.money(jacoby=False, automatic_doubles=None, start=start if starter == 0 else start.flip())
        throw = (2, 1) if starter == 0 else (1, 2)
        match = Match(rules, dice=SequenceDice([(5, 5)] * stake_ties + [throw]))
        match.roll()
        if cube > 1:
            match.director("cube", value=cube, owner=starter)
        match.play("1/off")
        (game,) = match.games
        assert (game.winner, game.level, game.ending) == (starter, level, "play")
        assert game.points == level * 2**stake_ties * cube == match.score[starter]


def test_case_s05_cube_4_gammon_8_backgammon_12():
    for start, points in ((GAMMON, 8), (BACKGAMMON, 12)):
        match = last_roll(Rules.money(start=start), cube=4, owner=1)
        match.play("1/off")
        assert match.games[0].points == points


def test_rule_6_3_either_player_may_resign_on_either_side_s_turn():
    match = opened(Rules.money(jacoby=False))
    for seat in (0, 1):
        assert levels(match, seat) == [1, 2, 3]
    match.resign("gammon", player=0)
    assert match.phase is Phase.RESIGNED
    assert match.state.offer is Offer.RESIGN_2
    assert (match.state.offered_by, match.state.to_act) == (0, 1)
    assert [(action.kind, action.player) for action in match.legal_actions()] == [("accept", 1), ("decline", 1)]
    refused(match.resign, "a resignation awaits the answer of player 1")
    refused(match.roll, "a resignation awaits")
    refused(match.double, "a resignation awaits")
    refused(lambda: match.accept(player=0), "it is player 1 who answers")
    match.decline()
    assert match.phase is Phase.ON_ROLL
    match.resign(2, player=0)
    match.accept()
    assert match.score == (0, 2)
    assert match.games[0].ending == "resignation"


def test_rule_6_3_not_before_the_opening_roll_nor_while_a_double_waits():
    match = Match()
    refused(match.resign, "the opening throw is still to be made")
    match = opened()
    match.double()
    refused(match.resign, "a double awaits the answer of player 0")
    assert kinds(match) == ["take", "drop", "beaver"]


def test_rule_6_3_between_roll_and_play_the_roll_stays():
    match = Match(dice=SequenceDice([(3, 1)]))
    match.roll()
    match.resign(player=1)
    match.decline(player=0)
    assert match.phase is Phase.ROLLED
    assert match.state.roll == Roll(3, 1)


def test_rule_6_3_levels_that_cannot_be_lost_any_more_are_refused_s03_s09():
    """Rule 6.3, cases S03 and S09."""
    rules = Rules.money(jacoby=False, start=SINGLE)
    match = last_roll(rules)
    assert levels(match, 0) == levels(match, 1) == [1]
    refused(lambda: match.resign("gammon", player=1), "player 1 cannot lose a gammon any more")
    match = last_roll(Rules.money(jacoby=False, start=GAMMON))
    assert levels(match, 1) == [1, 2]
    refused(lambda: match.resign("backgammon", player=1), "player 1 cannot lose a backgammon any more")
    match = last_roll(Rules.money(jacoby=False, start=BACKGAMMON))
    assert levels(match, 1) == [1, 2, 3]
    match = last_roll(Rules.money(jacoby=False, start=BACKGAMMON_BAR))
    assert levels(match, 1) == [1, 2, 3]
    for point, level in ((19, 3), (18, 2)):
        far = Position.from_points({1: 1}, opponent={6: 14, point: 1})
        match = last_roll(Rules.money(jacoby=False, start=far))
        assert levels(match, 1)[-1] == level, f"a straggler on the loser's {point}"
    contact = Position.from_points({20: 1, 1: 14}, opponent={7: 15})
    match = last_roll(Rules.money(jacoby=False, start=contact))
    assert levels(match, 1) == [1, 2, 3]


def test_rule_6_3_under_jacoby_only_a_single_game_until_the_cube_is_turned():
    match = opened(Rules.money())
    assert levels(match, 0) == levels(match, 1) == [1]
    refused(lambda: match.resign("gammon"), "under Jacoby")
    match.double()
    match.take()
    assert levels(match, 0) == [1, 2, 3]
    match.resign("backgammon")
    match.accept()
    assert match.games[0].points == 6


def test_case_s11_one_resignation_scores_one_game_once():
    match = opened()
    match.resign()
    match.accept()
    refused(match.accept, "the game is over")
    assert len(match.games) == 1
    assert match.score == (1, 0)


def test_a_level_of_resignation_is_a_word_or_a_number():
    match = opened()
    for level in ("triple", 0, 4, True, None, 1.5):
        with pytest.raises(InvalidArgumentError, match="a level is 1, 2, 3 or single, gammon, backgammon"):
            match.resign(level)


def test_rule_6_4_a_match_can_be_conceded():
    match = opened(Rules.match(5))
    match.concede(1)
    assert (match.phase, match.winner, match.ending) == (Phase.MATCH_OVER, 0, "concession")
    assert match.score == (0, 0)
    assert match.legal_actions() == []
    assert not match.is_recorded
    refused(lambda: match.concede(0), "the match is over")
    match.record_result()
    assert match.is_recorded
    refused(lambda: match.director("award match", winner=1), "the result is recorded, which is final")
    refused(lambda: opened().concede(0), "only a match can be conceded")


# 7.1 to 7.3: the cube.


def test_rule_7_1_every_game_starts_with_the_cube_in_the_middle_at_1():
    """Rule 7.1, case S28."""
    match = opened(Rules.money(), (2, 1), (6, 5))
    match.double()
    match.take()
    match.resign()
    match.accept()
    assert match.state.cube == Cube(2, "opponent")
    match.roll()
    assert match.state.cube == Cube(1, None)
    assert match.state.stake == 1


def test_rule_7_1_the_limit_caps_stake_times_cube():
    rules = Rules.money(automatic_doubles=None, six_six_triples=True, beavers=0, cube_limit=64)
    match = Match(rules, dice=SequenceDice([(6, 6), (3, 1), *[(2, 1)] * 9]))
    match.roll()
    assert match.state.stake == 3
    doubles = 0
    while True:
        match.play(str(match.state.position.plays(match.state.roll)[0]))
        if "double" not in kinds(match):
            break
        match.double()
        match.take()
        doubles += 1
        match.roll()
    assert match.state.cube.value == 16
    assert match.state.value == 48
    assert doubles == 4
    refused(match.double, "cannot double to 96: the cube limit is 64")


def test_rule_7_1_an_automatic_double_above_the_limit_has_no_effect():
    rules = Rules.money(automatic_doubles=None, six_six_triples=True, cube_limit=5)
    match = Match(rules, dice=SequenceDice([(3, 3), (6, 6), (4, 4), (5, 5), (4, 1)]))
    match.roll()
    assert match.state.stake == 4
    assert match.record[0].notes == (
        "automatic double",
        "over the cube limit",
        "automatic double",
        "over the cube limit",
    )


def test_rule_7_1_without_a_limit_the_cube_ends_where_no_format_has_a_face():
    match = opened(Rules.money(cube_limit=None, beavers=None))
    match.double()
    for _ in range(14):
        match.beaver()
    assert match.state.cube.value == 1 << 14
    assert kinds(match) == ["take", "drop"]
    refused(match.beaver, "no face above 32768")
    match.take()
    assert match.state.cube.value == 1 << 15


def test_rule_7_1_the_director_may_correct_the_cube():
    match = opened(Rules.match(9))
    match.director("cube", value=4, owner=1)
    assert match.state.cube == Cube(4, "player")
    match.director("cube", value=1)
    assert match.state.cube == Cube(1, None)
    for value, owner, words in [(3, 0, "power of two"), (2, None, "has an owner"), (128, 1, "above the limit")]:
        refused(lambda value=value, owner=owner: match.director("cube", value=value, owner=owner), words)


def test_rule_7_2_only_on_turn_before_rolling_with_a_cube_that_is_centred_or_theirs_s23():
    """Rule 7.2, case S23: out of turn, after the roll and not the owner are different errors."""
    match = opened(Rules.money(), (2, 1), (6, 5))
    out_of_turn = refused(lambda: match.double(player=0), "player 0 cannot double out of turn")
    match.double()
    match.take()
    not_owner = refused(match.double, "player 1 cannot double: player 0 owns the cube")
    match.roll()
    after_the_roll = refused(match.double, "player 1 cannot double after the roll")
    assert len({out_of_turn, not_owner, after_the_roll}) == 3
    match.play("13/11 6/5")
    match.double()
    assert match.state.offered_by == 0


def test_rule_7_2_the_starter_cannot_double_on_the_first_turn_the_other_may():
    match = Match(dice=SequenceDice([(3, 1)]))
    match.roll()
    refused(match.double, "player 0 cannot double on the first turn")
    match.play("8/5 6/5")
    assert "double" in kinds(match)


def test_rule_7_2_a_player_closed_out_may_double_and_rolls_otherwise():
    closed = Position.from_points({6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 13: 3}, opponent={6: 14}, opponent_bar=1)
    match = Match(Rules.money(start=closed), dice=SequenceDice([(2, 1), (6, 5)]))
    match.roll()
    match.play("13/11 13/12")
    assert kinds(match)[:2] == ["roll", "double"]
    match.roll()
    (dance,) = [action for action in match.legal_actions() if action.kind == "play"]
    assert dance.play.steps == ()
    match.play("")
    assert match.state.on_roll == 0


def test_rule_7_3_take_doubles_the_value_drop_loses_the_value_before():
    match = opened(Rules.money(automatic_doubles=1))
    match.double()
    assert match.state.cube == Cube(1, None)
    assert (match.state.offer, match.state.offered_by, match.state.to_act) == (Offer.DOUBLE, 1, 0)
    match.take()
    assert match.state.cube == Cube(2, "opponent")
    assert match.phase is Phase.ON_ROLL
    match.undo()
    match.drop()
    assert (match.score, match.games[0].level, match.games[0].ending) == ((0, 1), 1, "drop")


def test_rule_7_3_an_offer_cannot_be_withdrawn_nor_an_answer_changed():
    match = opened(None, (2, 1))
    match.double()
    refused(match.roll, "a double awaits the answer of player 0")
    refused(match.double, "a double awaits the answer of player 0")
    refused(lambda: match.take(player=1), "it is player 0 who answers")
    match.take()
    refused(match.drop, "there is no double to answer")
    refused(match.take, "there is no double to answer")


def test_rule_7_3_a_drop_pays_a_single_game_whatever_the_board():
    lost = Position.from_points({1: 2}, opponent={6: 14, 20: 1})
    match = Match(Rules.money(start=lost, jacoby=False), dice=SequenceDice([(1, 2), (6, 5), (1, 3), (5, 4)]))
    match.roll()
    match.play(str(match.state.position.plays(match.state.roll)[0]))
    match.double()
    match.drop()
    assert match.score == (1, 0)


# 7.4 to 7.6: money play.


def test_rule_7_4_double_beaver_raccoon():
    """From 1: double 2, beaver 4, raccoon 8; dropping the beaver loses 2, the raccoon 4."""
    match = opened(Rules.money(beavers=2), (2, 1))
    match.double()
    match.beaver()
    assert match.phase is Phase.BEAVERED
    assert (match.state.offer, match.state.offered_by) == (Offer.BEAVER, 0)
    assert match.state.cube == Cube(2, "opponent")
    assert seats(match, "take") == seats(match, "drop") == seats(match, "beaver") == [1]
    match.beaver()
    assert (match.state.offer, match.state.offered_by, match.state.cube) == (Offer.RACCOON, 1, Cube(4, "opponent"))
    assert kinds(match) == ["take", "drop"]
    refused(match.beaver, "2 further turn(s) may follow one double")
    match.take()
    assert match.state.cube == Cube(8, "opponent")
    assert match.state.on_roll == 1, "the first doubler rolls"
    match.undo()
    match.drop()
    assert match.score == (0, 4)
    match.undo(2)
    match.drop()
    assert match.score == (2, 0)


@pytest.mark.parametrize(("beavers", "turns"), [(0, 0), (1, 1), (2, 2), (5, 5), (None, 5)])
def test_rule_7_4_how_many_further_turns(beavers, turns):
    match = opened(Rules.money(beavers=beavers))
    match.double()
    done = 0
    while "beaver" in kinds(match):
        match.beaver()
        done += 1
        assert match.state.offered_by == done % 2 ^ 1
        assert match.state.cube.owner == "opponent"
    assert done == turns
    words = {0: "no beavers", None: "the cube limit is 64", 5: "further turn(s)"}.get(beavers, "further turn(s)")
    refused(match.beaver, words)
    match.take()
    assert match.state.value == 2 ** (turns + 1)
    assert match.state.cube.owner == "opponent"


def test_rule_7_4_at_any_redouble():
    match = opened(Rules.money(), (2, 1), (6, 5))
    match.double()
    match.take()
    match.roll()
    match.play("13/11 6/5")
    match.double()
    match.beaver()
    match.take()
    assert match.state.cube == Cube(8, "opponent")


def test_rule_7_5_automatic_doubles():
    """Rule 7.5, cases S07 and S19: 3-3, 5-5, 4-1 starts at 4, centred; the next drop pays 4."""
    match = Match(Rules.money(automatic_doubles=None), dice=SequenceDice([(3, 3), (5, 5), (4, 1)]))
    match.roll()
    assert (match.state.stake, match.state.cube, match.state.value) == (4, Cube(1, None), 4)
    match.play("24/23 13/9")
    match.double()
    match.drop()
    assert match.score == (0, 4)


def test_rule_7_5_six_six_triples():
    rules = Rules.money(automatic_doubles=None, six_six_triples=True)
    match = Match(rules, dice=SequenceDice([(6, 6), (2, 2), (4, 1)]))
    match.roll()
    assert match.state.stake == 6


@pytest.mark.parametrize(("number", "stake"), [(0, 1), (1, 2), (2, 4), (3, 8), (None, 8)])
def test_rule_7_5_a_number_limits_the_ties_that_count(number, stake):
    match = Match(Rules.money(automatic_doubles=number), dice=SequenceDice([(3, 3), (5, 5), (1, 1), (4, 1)]))
    match.roll()
    assert match.state.stake == stake
    assert match.record[0].throws == ((3, 3), (5, 5), (1, 1), (4, 1))


def test_rule_7_5_never_in_match_play():
    match = Match(Rules.match(5), dice=SequenceDice([(3, 3), (4, 1)]))
    match.roll()
    assert match.state.stake == 1


def test_rule_7_6_jacoby():
    """Rule 7.6, case S07: an automatic double is not a turn of the cube."""
    rules = Rules.money(start=GAMMON, automatic_doubles=None)
    match = Match(rules, dice=SequenceDice([(3, 3), (2, 1)]))
    match.roll()
    match.play("1/off")
    assert (match.games[0].level, match.games[0].points) == (2, 2)
    match = last_roll(Rules.money(start=GAMMON), cube=2, owner=0)
    match.play("1/off")
    assert match.games[0].points == 4
    match = last_roll(Rules.money(start=BACKGAMMON, jacoby=False))
    match.play("1/off")
    assert match.games[0].points == 3


# 7.7 to 7.11: match play.


def test_rule_7_7_the_crawford_game_is_played_once_without_the_cube():
    match = at_score((4, 0), Rules.match(5), (3, 1), (3, 1))
    assert match.state.is_crawford
    assert match.state.score == Score(1, 5)
    match.roll()
    match.play("8/5 6/5")
    assert match.state.is_crawford
    assert kinds(match)[0] == "roll"
    assert "double" not in kinds(match)
    refused(match.double, "cannot double in the Crawford game")
    match.resign(player=0)
    match.accept()
    assert match.score == (4, 1)
    assert match.games[-1].is_crawford
    assert match.state.post_crawford
    match.roll()
    assert match.state.score == Score(1, 4, post_crawford=True)
    match.play("8/5 6/5")
    match.double()
    match.drop()
    assert match.score == (4, 2)
    assert match.game_phase is CrawfordPhase.POST_CRAWFORD
    assert sum(game.is_crawford for game in match.games) == 1


def test_rule_7_7_no_crawford_game_at_double_match_point():
    match = at_score((4, 4), Rules.match(5), (3, 1))
    assert match.game_phase is CrawfordPhase.NONE
    match.roll()
    match.play("8/5 6/5")
    assert not match.state.is_crawford
    assert match.state.score == Score(1, 1)
    refused(match.double, "the cube is dead")
    match = Match(Rules.match(1), dice=SequenceDice([(3, 1)]))
    match.roll()
    match.play("8/5 6/5")
    refused(match.double, "the cube is dead")


def test_rule_7_7_crawford_can_be_switched_off():
    match = at_score((4, 0), Rules.match(5, crawford=False), (1, 3))
    match.roll()
    match.play("8/5 6/5", player=1)
    assert not match.state.is_crawford
    assert match.state.score == Score(1, 5, post_crawford=True)
    refused(match.double, "player 0 cannot double: the cube is dead")


def test_rule_7_7_points_that_come_from_no_game_count_from_the_next_s25():
    """Rule 7.7, case S25: a game in progress keeps its status; the next one is judged by score and history."""
    match = opened(Rules.tournament(3, early_double=False), (2, 1), (3, 1), (6, 5))
    match.director("penalty points", player=0, points=2)
    assert match.score == (0, 0)
    assert match.pending_points == (0, 2)
    assert not match.state.is_crawford
    match.double()
    match.drop()
    assert match.score == (0, 3)
    assert match.winner == 1
    match.undo(2)
    match.resign(player=1)
    match.accept()
    assert match.score == (1, 2)
    assert match.game_phase is CrawfordPhase.CRAWFORD


def crawford_double(*dice, points=(4, 0), rules=None):
    """A double of player 1 in the Crawford game, on record."""
    match = at_score(points, rules or Rules.match(5), (3, 1), *dice)
    match.roll()
    match.play("8/5 6/5")
    refused(match.double, "Crawford")
    match.double(on_record=True)
    assert match.record[-1].notes == ("Crawford game",)
    return match


def test_rule_7_8_a_crawford_double_on_record_is_void_in_a_game_in_progress_s15():
    """Rule 7.8, cases S15 and M24."""
    match = crawford_double((2, 1), (6, 5))
    match.take()
    match.roll()
    assert match.state.cube == Cube(2, "opponent")
    match.void_crawford_double()
    assert match.state.cube == Cube(1, None)
    assert match.state.roll == Roll(2, 1)
    refused(match.void_crawford_double, "no double was made")
    match = crawford_double()
    match.void_crawford_double()
    assert match.phase is Phase.ON_ROLL
    assert match.state.offer is None


def test_rule_7_8_a_game_that_was_played_out_is_rescored_at_1():
    match = crawford_double(rules=Rules.match(9), points=(8, 2))
    match.take()
    match.resign("gammon", player=0)
    match.accept()
    assert match.score == (8, 6)
    match.void_crawford_double()
    assert match.score == (8, 4)
    assert (match.games[-1].points, match.games[-1].counted, match.games[-1].cube) == (2, 2, 1)


def test_rule_7_8_a_match_that_the_double_decided_goes_on():
    match = crawford_double(points=(4, 3))
    match.take()
    match.resign(player=0)
    match.accept()
    assert (match.phase, match.winner) == (Phase.MATCH_OVER, 1)
    match.void_crawford_double()
    assert (match.phase, match.winner, match.score) == (Phase.GAME_OVER, None, (4, 4))


def test_rule_7_8_a_game_that_was_dropped_is_taken_up_again():
    match = crawford_double((2, 1))
    match.drop()
    assert match.score == (4, 1)
    match.void_crawford_double()
    assert match.score == (4, 0)
    assert (match.phase, match.state.on_roll, match.state.cube) == (Phase.ON_ROLL, 1, Cube())
    match.roll()


def test_rule_7_8_a_dropped_game_counts_single_once_a_later_game_has_begun():
    match = crawford_double((3, 1), points=(8, 2), rules=Rules.match(9))
    match.take()
    match.director("cube", value=2, owner=0)
    match.roll(Roll(2, 1))
    match.play("13/11 6/5")
    match.double(on_record=True)
    match.drop()
    assert match.score == (10, 2)
    match.void_crawford_double()
    assert match.score == (8, 2)
    assert (match.state.cube, match.state.on_roll) == (Cube(), 1), "before the first of its doubles"
    match.undo()
    assert match.winner == 0
    match.undo(2)
    match.resign("gammon", player=0)
    match.accept()
    match.roll()
    assert match.score == (8, 6)
    match.void_crawford_double()
    assert match.score == (8, 4)
    match.undo(3)
    assert match.score == (8, 2)


def test_rule_7_8_a_later_game_in_progress_keeps_going_when_a_drop_is_rescored():
    match = crawford_double((3, 1), points=(8, 2), rules=Rules.match(9))
    match.drop()
    match.roll()
    assert match.in_game
    match.void_crawford_double()
    assert match.in_game
    assert match.score == (8, 3)
    assert match.games[-1].points == 1


def test_rule_7_8_once_the_result_is_recorded_it_stands():
    match = crawford_double(points=(4, 3))
    match.take()
    match.resign(player=0)
    match.accept()
    match.record_result()
    refused(match.void_crawford_double, "the result is recorded")


def post_crawford(*dice, starter=0, **settings):
    """The game after the Crawford game of a match to 5, at 4-1, before its opening throw."""
    match = at_score((4, 0), Rules.match(5, **settings), (3, 1), *dice)
    match.roll()
    match.resign(player=0)
    match.accept()
    return match


@pytest.mark.parametrize("starter", [0, 1])
def test_rule_7_9_holland(starter):
    """From turn 5 if the trailing player started, turn 6 if not; the leader's cube is dead anyway."""
    opening = (3, 1) if starter == 0 else (1, 3)
    match = post_crawford(opening, *[(2, 1), (4, 3)] * 4, holland=True)
    match.roll()
    could = []
    while match.turn < 8:
        match.play(str(match.state.position.plays(match.state.roll)[0]))
        if match.state.on_roll == 1:
            if "double" in kinds(match):
                could.append(match.turn)
            else:
                refused(match.double, "Holland")
        match.roll()
    assert could == ([5, 7] if starter == 1 else [6, 8])


def test_rule_7_9_the_leader_is_not_restricted():
    match = post_crawford((1, 3), holland=True, dead_cube="allow")
    match.roll()
    match.play("8/5 6/5")
    assert match.state.on_roll == 0
    match.double()


def test_rule_7_9_only_after_the_crawford_game():
    match = opened(Rules.match(5, holland=True))
    assert "double" in kinds(match)
    match = post_crawford((3, 1))
    match.roll()
    match.play("8/5 6/5")
    assert "double" in kinds(match), "without holland"


def test_rule_7_10_early_double():
    match = opened(Rules.tournament(7), (2, 1), (6, 5))
    refused(lambda: match.double(player=0), "out of turn")
    match.roll()
    assert seats(match, "double") == [0]
    match.double(player=0)
    assert (match.phase, match.state.offer, match.state.offered_by) == (Phase.ROLLED, Offer.DOUBLE, 0)
    assert match.to_act == match.state.to_act == 1
    refused(match.take, "player 1 finishes the turn first")
    refused(lambda: match.double(player=0), "has offered an early double already")
    refused(match.resign, "early double")
    match.play("13/11 6/5")
    assert match.phase is Phase.DOUBLED
    assert (match.state.on_roll, match.state.to_act) == (0, 1)
    refused(match.roll, "a double awaits")
    match.take()
    assert match.state.cube == Cube(2, "opponent")
    assert match.state.on_roll == 0


def test_rule_7_10_only_one_who_could_double_next_turn():
    match = opened(Rules.tournament(7), (2, 1), (6, 5))
    match.double()
    match.drop()
    match = opened(Rules.tournament(7), (2, 1), (6, 5))
    match.double()
    match.take()
    match.roll()
    match.play("13/11 6/5")
    match.roll()
    assert seats(match, "double") == []
    refused(lambda: match.double(player=1), "player 0 owns the cube")


@pytest.mark.parametrize("starter", [0, 1])
def test_rule_7_10_and_7_9_the_next_turn_is_the_one_that_counts(starter):
    """Rules 7.9 and 7.10: early on turn 4 for turn 5, or on turn 5 for turn 6."""
    opening = (3, 1) if starter == 0 else (1, 3)
    match = post_crawford(opening, *[(2, 1), (4, 3)] * 4, holland=True, early_double=True)
    match.roll()
    could = []
    while match.turn < 8:
        if 1 in seats(match, "double"):
            could.append(match.turn)
        match.play(str(match.state.position.plays(match.state.roll)[0]))
        match.roll()
    assert could == ([4, 6] if starter == 1 else [5, 7])


def test_rule_7_10_it_lapses_if_the_play_ends_the_game():
    rules = Rules.tournament(7, start=Position.from_points({1: 1}, opponent={1: 1}))
    match = Match(rules, dice=SequenceDice([(3, 1)]))
    match.roll()
    match.double(player=1)
    match.play("1/off")
    assert match.record[-1].notes == ("the early double lapses",)
    assert match.score == (1, 0)


def test_rule_7_10_otherwise_it_is_an_error():
    match = opened(Rules.match(7), (2, 1))
    match.roll()
    refused(lambda: match.double(player=0), "player 0 cannot double out of turn")


def test_rule_7_11_the_dead_cube_s17():
    """Rule 7.11, case S17: a single game already wins the match."""
    match = at_score((0, 3), Rules.match(4, crawford=False), (3, 1))
    match.roll()
    match.play("8/5 6/5")
    refused(match.double, "player 1 cannot double: the cube is dead")
    match.double(on_record=True)
    assert match.record[-1].notes == ("dead cube",)
    match = at_score((0, 3), Rules.match(4, crawford=False, dead_cube="allow"), (3, 1))
    match.roll()
    match.play("8/5 6/5")
    match.double()
    assert match.record[-1].notes == ("dead cube",)


def test_rule_7_11_value_counts_too():
    match = opened(Rules.match(4), (2, 1), (6, 5))
    match.double()
    match.take()
    match.roll()
    match.play("13/11 6/5")
    match.double()
    match.take()
    match.roll()
    match.play(str(match.state.position.plays(match.state.roll)[0]))
    assert match.state.value == 4
    refused(match.double, "the cube is dead")


def test_no_cube_at_all():
    match = opened(Rules.casual())
    assert "double" not in kinds(match)
    refused(match.double, "no doubling cube")
    match.resign("gammon")
    match.accept()
    assert match.score == (2, 0)


# 9.1, 9.2: sessions and matches.


def test_rule_9_1_a_session_goes_on_until_somebody_leaves_between_games():
    match = opened(Rules.money(), (5, 4))
    refused(lambda: match.leave(0), "not during one")
    match.resign()
    match.accept()
    match.roll()
    match.resign(player=0)
    match.accept()
    assert match.score == (1, 1)
    match.leave(1)
    assert (match.phase, match.winner, match.ending) == (Phase.MATCH_OVER, None, "left")
    refused(match.roll, "the match is over")
    refused(lambda: match.leave(0), "ended already")
    refused(lambda: opened(Rules.match(3)).leave(0), "not left but conceded")


def test_rule_9_1_raw_and_counted_points_s29():
    """Rule 9.1, case S29."""
    match = at_score((3, 2), Rules.match(5), (1, 2))
    match.roll()
    match.director("cube", value=4, owner=1)
    match.resign("gammon", player=0)
    match.accept()
    game = match.games[-1]
    assert (game.points, game.counted) == (8, 3)
    assert match.score == (3, 10)
    assert match.winner == 1
    refused(match.roll, "the match is over")


def test_rule_9_2_gammons_and_backgammons_count_in_every_match():
    for start, points in ((GAMMON, 2), (BACKGAMMON, 3)):
        for rules in (Rules.match(9, start=start), Rules.tournament(9, start=start)):
            match = last_roll(rules)
            match.play("1/off")
            assert match.score == (points, 0)


# 9.6 to 9.10: at the table.


def test_rule_9_6_a_checker_outside_the_board_goes_to_the_bar():
    match = opened()
    match.found_checker(0, point=24, on_bar=True)
    position = match.state.position.flip()
    assert (position[24], position.bar) == (1, 1)
    assert match.record[-1].notes == ("to the bar",)


def test_rule_9_6_or_the_owner_plays_on_with_14():
    """A missing checker is neither on the board nor off: 14 borne off win, and it saves no gammon."""
    rules = Rules.match(9, start=Position.from_points({1: 2}, opponent={6: 15}))
    match = Match(rules, dice=SequenceDice([(2, 1)]))
    match.roll()
    match.found_checker(0, point=1, on_bar=False)
    match.found_checker(1, point=6, on_bar=False)
    position = match.state.position
    assert (position.off, position[1], position.opponent_off, position[19]) == (13, 1, 0, -14)
    match.play("1/off")
    assert (match.winner, match.games[0].level, match.score) == (None, 2, (2, 0))


def test_rule_9_6_a_missing_checker_can_be_put_on_the_bar_later():
    match = opened()
    match.found_checker(1, point=6, on_bar=False)
    match.found_checker(1, on_bar=True)
    assert match.state.position.bar == 1
    refused(lambda: match.found_checker(1, on_bar=True), "no checker outside the board")
    refused(lambda: match.found_checker(1, point=9, on_bar=True), "has no checker on 9")
    refused(lambda: match.found_checker(1, on_bar=False), "say from which point")
    lonely = last_roll(Rules.money(start=Position.from_points({1: 1}, opponent={1: 1})))
    refused(lambda: lonely.found_checker(0, point=1, on_bar=False), "the last checker")


def wrong_setup(*dice):
    match = Match(Rules.match(5), dice=SequenceDice([(3, 1), (6, 5), (4, 2), *dice]))
    match.set_up(Position.start("nackgammon"))
    match.roll()
    assert match.state.position == Position.start("nackgammon")
    return match


def test_rule_9_7_each_player_may_demand_the_right_start_until_the_end_of_the_first_turn():
    match = wrong_setup()
    match.correct_setup(0)
    assert (match.state.position, match.state.roll, match.state.on_roll) == (Position.start(), Roll(3, 1), 0)
    refused(lambda: match.correct_setup(1), "was right")
    match = wrong_setup()
    match.play("24/20")
    refused(lambda: match.correct_setup(0), "player 0 has finished the first turn")
    match.correct_setup(1)
    assert (match.state.position, match.state.roll, match.turn) == (Position.start(), Roll(3, 1), 1)
    match.play("8/5 6/5")
    assert match.phase is Phase.ON_ROLL


def test_rule_9_7_turns_are_replayed_with_the_same_dice_starter_and_cube():
    match = wrong_setup()
    match.play("24/20")
    match.double()
    match.take()
    match.roll()
    match.correct_setup(1)
    assert match.state.roll == Roll(3, 1)
    match.play("8/5 6/5")
    assert (match.phase, match.state.roll, match.state.on_roll) == (Phase.ROLLED, Roll(6, 5), 1)
    assert match.state.cube == Cube(2, "opponent")
    match.play("24/13")
    refused(lambda: match.correct_setup(1), "was right")


def test_rule_9_7_after_that_it_stands():
    match = wrong_setup()
    match.play("24/20")
    match.roll()
    match.play(str(match.state.position.plays(match.state.roll)[0]))
    refused(lambda: match.correct_setup(1), "player 1 has finished the first turn")
    refused(lambda: match.set_up(Position.start()), "before the opening throw")


def illegal(rules=None, text="13/7 13/11"):
    """Player 0 has played an illegal 3-1."""
    match = Match(rules or Rules.tournament(5), dice=SequenceDice([(3, 1), (6, 5), (4, 2)]))
    match.roll()
    match.play(text, illegal=True)
    return match


def test_rule_9_8_illegal_plays_are_rejected_by_default():
    match = Match(Rules.match(5), dice=SequenceDice([(3, 1)]))
    match.roll()
    with pytest.raises(IllegalPlayError):
        match.play("13/7 13/11")
    refused(lambda: match.play("13/7 13/11", illegal=True), "on_illegal_play")
    match = Match(Rules.tournament(5), dice=SequenceDice([(3, 1)]))
    match.roll()
    with pytest.raises(IllegalPlayError):
        match.play("13/7 13/11")


def test_rule_9_8_on_record_it_is_kept_as_written_and_can_be_contested():
    match = illegal()
    assert match.record[-1].play == "13/7 13/11"
    assert match.record[-1].notes == ("illegal",)
    position = match.state.position.flip()
    assert (position[13], position[11], position[7]) == (3, 1, 1)
    refused(lambda: match.contest(player=0), "only player 1")
    match.contest()
    assert (match.state.position, match.state.roll, match.state.on_roll) == (Position.start(), Roll(3, 1), 0)
    refused(lambda: match.play("13/7 13/11", illegal=True), "a legal one is to be made")
    match.play("8/5 6/5")
    refused(match.contest, "no illegal play that can be contested")


def test_rule_9_8_rolling_doubling_and_condoning_let_it_stand():
    match = illegal()
    match.roll()
    refused(match.contest, "no illegal play")
    match = illegal()
    match.double()
    refused(match.contest, "no illegal play")
    match = illegal()
    match.condone()
    refused(match.contest, "no illegal play")
    refused(match.condone, "no illegal play that can be condoned")


def test_rule_9_8_too_few_numbers_are_illegal_and_a_legal_play_is_no_illegal_one():
    match = illegal(text="8/5")
    assert match.record[-1].notes == ("illegal",)
    match = illegal(text="6/5 8/5")
    assert match.record[-1].notes == ()
    refused(match.contest, "no illegal play")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("13/1", "held by the opponent|blocked"),
        ("9/5", "no checker on point 9"),
        ("6/5(4) 6/1", "5 steps"),
        ("bar/24", "no checker on the bar"),
        ("13/26", "does not go"),
        ("off/3", "does not go"),
        ("hello", "cannot read"),
        ("6/5/" * 60, "characters long|cannot read"),
    ],
)
def test_rule_9_8_what_is_written_must_lead_to_a_position(text, message):
    match = Match(Rules.tournament(5), dice=SequenceDice([(3, 1)]))
    match.roll()
    before = match.to_dict()
    with pytest.raises((IllegalPlayError, NotationError), match=message):
        match.play(text, illegal=True)
    assert match.to_dict() == before


def test_rule_9_8_real_files_have_backward_hops_and_hits():
    match = Match(Rules.tournament(5), dice=SequenceDice([(6, 5), (4, 2)]))
    match.roll()
    match.play("6/14 13/3", illegal=True)
    match.roll()
    match.play("24/22", illegal=True)
    position = match.state.position
    assert position.bar == 1, "the blot on 3 was hit"
    assert position[14] == 1


def test_rule_9_8_a_play_that_ended_the_game_until_the_next_game_or_the_result():
    start = Position.from_points({3: 1, 1: 1}, opponent={1: 1})
    rules = Rules.tournament(1, start=start)
    match = Match(rules, dice=SequenceDice([(2, 1), (6, 5)]))
    match.roll()
    match.play("3/off 1/off", illegal=True)
    assert match.winner == 0
    match.contest()
    assert (match.winner, match.score, match.phase) == (None, (0, 0), Phase.ROLLED)
    match.undo()
    match.record_result()
    refused(match.contest, "the result is recorded")
    match = Match(Rules.tournament(5, start=start), dice=SequenceDice([(2, 1), (6, 5)]))
    match.roll()
    match.play("3/off 1/off", illegal=True)
    match.roll()
    refused(match.contest, "no illegal play")


def test_rule_9_8_an_early_double_does_not_condone_and_an_answer_stays():
    match = Match(Rules.tournament(7), dice=SequenceDice([(3, 1), (6, 5)]))
    match.roll()
    match.double(player=1)
    match.play("13/7 13/11", illegal=True)
    assert match.phase is Phase.DOUBLED
    match.contest()
    assert (match.phase, match.state.offer) == (Phase.ROLLED, Offer.DOUBLE)
    match.undo()
    match.take()
    match.contest()
    assert (match.phase, match.state.offer, match.state.cube) == (Phase.ROLLED, None, Cube(2, "player"))
    match.play("8/5 6/5")
    assert (match.phase, match.state.on_roll, match.state.cube) == (Phase.ON_ROLL, 1, Cube(2, "opponent"))


def test_rule_9_9_cocked_dice_are_thrown_again_without_a_double():
    match = opened(Rules.money(), (2, 1), (6, 6), (5, 4), (4, 3))
    match.roll()
    match.dice_fault("cocked")
    assert (match.phase, match.state.roll) == (Phase.ON_ROLL, None)
    assert "double" not in kinds(match)
    refused(match.double, "after a cocked throw")
    assert match.roll() == Roll(6, 6)
    match.play("13/7(2) 24/18(2)")
    assert "double" in kinds(match), "the other player may"
    refused(lambda: match.dice_fault("cocked"), "no dice on the board")


def test_rule_9_9_not_together_both_again():
    match = opened(Rules.money(), (2, 1), (6, 6))
    match.roll()
    match.dice_fault("not together")
    assert match.state.roll is None
    assert match.roll() == Roll(6, 6)


@pytest.mark.parametrize("reason", ["wrong side", "thrown early", "lifted"])
def test_rule_9_9_again_only_if_the_opponent_asks(reason):
    match = opened(Rules.money(), (2, 1), (6, 6))
    match.roll()
    refused(lambda: match.dice_fault(reason), "player 0 decides")
    refused(lambda: match.dice_fault(reason, player=1), "player 0 decides")
    match.dice_fault(reason, player=0)
    assert match.state.roll is None
    refused(lambda: match.dice_fault("dropped"), "not for 'dropped'")


def test_rule_9_9_lifted_while_one_die_still_rolled_that_die_or_both():
    match = opened(Rules.money(), (2, 1), (5, 4))
    match.roll()
    refused(lambda: match.dice_fault("lifted", player=0, again=6), "no die with 6")
    refused(lambda: match.dice_fault("cocked", again=2), "both dice are thrown again")
    match.dice_fault("lifted", player=0, again=2)
    assert match.state.roll == Roll(5, 1)
    assert match.record[-1].throws == ((1, 5),)
    match.undo()
    match.dice_fault("lifted", player=0, again=1)
    assert match.state.roll == Roll(5, 2), "the same throw for the other die"


def test_rule_9_9_in_the_opening_both_throw_again_and_ties_stay():
    match = Match(Rules.money(automatic_doubles=1), dice=SequenceDice([(2, 2), (3, 1), (1, 4)]))
    match.roll()
    refused(lambda: match.dice_fault("lifted", player=1, again=3), "in the opening both dice")
    match.dice_fault("cocked")
    assert match.phase is Phase.OPENING
    match.roll()
    assert (match.state.on_roll, match.state.roll, match.state.stake) == (1, Roll(4, 1), 2)


def test_rule_9_9_a_turn_ends_by_play():
    match = opened(Rules.money(), (2, 1))
    assert (match.state.on_roll, match.turn) == (1, 2)


def test_rule_9_10_the_director():
    match = opened(Rules.tournament(5), (2, 1), (3, 1))
    match.director("warning", player=0, reason="slow")
    assert str(match.record[-1]) == "player 0: decision warning (slow)"
    match.director("award game", winner=0, points=2)
    assert (match.score, match.games[0].ending, match.phase) == ((2, 0), "award", Phase.GAME_OVER)
    match.director("penalty points", player=0, points=1)
    assert match.score == (2, 1)
    match.director("exclusion", player=0)
    assert (match.winner, match.ending) == (1, "exclusion")
    match.undo()
    match.director("award match", winner=0)
    assert (match.winner, match.ending) == (0, "award")
    for call, words in [
        (lambda: match.director("penalty points", player=0, points=1), "the match is over"),
        (lambda: match.director("award game", winner=0, points=1), "the match is over"),
        (lambda: match.director("flogging", player=0), "a director decides"),
        (lambda: match.director("warning"), "needs a player"),
        (lambda: opened().director("exclusion", player=0), "match play"),
        (lambda: opened(Rules.match(3)).director("award game", winner=0, points=4), "points are 1 to 3"),
        (lambda: opened(Rules.match(3)).director("award game", points=2), "the winner is 0 or 1"),
    ]:
        refused(call, words)


def test_rule_9_10_a_decision_may_be_appealed_and_the_committee_is_final():
    match = opened(Rules.tournament(5), (2, 1))
    before = match.state
    match.director("award game", winner=0, points=2)
    match.appeal(1)
    assert match.legal_actions() == []
    refused(match.roll, "an appeal awaits the committee")
    match.committee(upheld=False)
    assert (match.state, match.score) == (before, (0, 0))
    refused(lambda: match.appeal(0), "no decision")
    match.undo(2)
    match.appeal(1)
    match.committee(upheld=True)
    assert match.score == (2, 0)
    refused(lambda: match.appeal(1), "no decision")
    refused(lambda: match.committee(upheld=True), "no appeal")
    match.director("warning", player=1)
    match.roll(Roll(3, 1), player=0)
    refused(lambda: match.appeal(1), "final once the game goes on")


def test_rule_9_10_an_appeal_may_come_while_the_clock_is_stopped():
    match = Match(Rules.tournament(5, clock_use="required"), dice=SequenceDice([(3, 1)]), time=Hands())
    match.roll()
    match.director("penalty points", player=0, points=1)
    match.stop_clock("director called")
    match.appeal(0)
    match.committee(upheld=False)
    assert match.pending_points == (0, 0)


def test_rule_9_8_what_the_director_did_before_a_contest_stays_done():
    match = illegal()
    match.director("penalty points", player=0, points=1)
    match.director("cube", value=2, owner=1)
    match.contest()
    assert (match.pending_points, match.state.cube) == ((0, 1), Cube(2, "opponent"))
    match = Match(
        Rules.tournament(5, start=Position.from_points({3: 1, 1: 1}, opponent={1: 1})), dice=SequenceDice([(2, 1)])
    )
    match.roll()
    match.play("3/off 1/off", illegal=True)
    match.director("penalty points", player=0, points=1)
    assert match.score == (1, 1)
    match.contest()
    assert (match.score, match.pending_points) == ((0, 0), (0, 1))


def test_rule_9_12_direction_stays_for_the_match():
    match = Match(direction="clockwise", dice=RandomDice(1))
    assert Match.from_dict(match.to_dict()).direction == "clockwise"
    with pytest.raises(InvalidArgumentError, match="direction is one of clockwise"):
        Match(direction="upwards")


def test_rule_9_13_one_score_sheet():
    match = at_score((1, 0), Rules.tournament(5), (3, 1), (2, 4))
    match.roll()
    match.director("penalty points", player=1, points=1)
    match.resign("gammon", player=0)
    match.accept()
    match.roll()
    sheet = match.score_sheet()
    assert [(row.game, row.what, row.points, row.score) for row in sheet.rows] == [
        (1, "award", (1, 0), (1, 0)),
        (2, "gammon, resignation", (0, 2), (1, 2)),
        (None, "penalty points", (1, 0), (2, 2)),
    ]
    assert str(sheet).splitlines()[0].split() == ["5-point", "match", "White", "Black"]
    assert "2 - 2" in str(sheet)


# The opening, dice and everything else that a match does.


def test_rule_2_1_2_2_the_higher_die_starts_and_ties_are_thrown_again():
    for throws, starter in [([(3, 1)], 0), ([(4, 4), (1, 6)], 1)]:
        match = Match(dice=SequenceDice(throws))
        assert match.roll() == Roll(*throws[-1])
        assert match.state.on_roll == starter


def test_case_s27_thirty_opening_throws_decide_and_none_is_a_double():
    """Case S27 and rule 2.1."""
    decided = 0
    for first in range(1, 7):
        for second in range(1, 7):
            match = Match(dice=SequenceDice([(first, second), (6, 1)]))
            assert not match.roll().is_double
            decided += len(match.record[0].throws) == 1
    assert decided == 30


def test_rule_2_4_the_source_may_be_changed_between_games_only():
    match = opened(None, (2, 1))
    refused(lambda: match.change_dice(RandomDice(1)), "between games")
    match.resign()
    match.accept()
    match.change_dice(SequenceDice([(6, 2)]))
    assert match.roll() == Roll(6, 2)
    again = Match.from_dict(match.to_dict())
    assert again == match
    again.undo(2)
    match.undo(2)
    assert again == match


def test_random_dice_are_those_of_the_simulation():
    """RandomDice(seed, game=k) equals game k of simulate: opening, then turn by turn."""
    for game in range(20):
        match = Match(Rules.casual(variant="hypergammon"), dice=RandomDice(seed=9, game=game))
        source = RandomDice(seed=9, game=game)
        throw = source.throw()
        while throw[0] == throw[1]:
            throw = source.throw()
        assert match.roll() == Roll(*throw)
        assert match.state.on_roll == int(throw[1] > throw[0])
        while match.in_game:
            match.play(match.legal_actions()[0].play)
            if match.in_game:
                assert match.roll() == source.roll()
        source.new_game()
        throw = source.throw()
        while throw[0] == throw[1]:
            throw = source.throw()
        assert match.roll() == Roll(*throw)


def test_two_matches_may_share_a_source():
    dice = RandomDice(3)
    first, second = Match(dice=dice), Match(dice=dice)
    for match in (first, second, first, second):
        match.roll()
        match.play(match.legal_actions()[0].play)
    assert Match.from_dict(first.to_dict()) == first
    assert Match.from_dict(second.to_dict()) == second


def test_a_list_of_dice_may_be_long_and_may_grow():
    dice = SequenceDice([(3, 1)])
    match = Match(dice=dice)
    match.roll()
    match.play("8/5 6/5")
    dice.dice.append((2, 1))
    match.roll()
    assert Match.from_dict(match.to_dict()) == match
    match.undo(3)
    match.roll()
    assert Match.from_dict(match.to_dict()) == match
    long = SequenceDice([(3, 1), *[(2, 1)] * 150_000])
    match = Match(dice=long)
    match.roll()
    assert Match.from_dict(match.to_dict()) == match


def test_given_dice_and_manual_dice():
    match = Match(dice=ManualDice(lambda: "31"))
    match.roll()
    match.play("8/5 6/5")
    match.roll(Roll(6, 6))
    match.play("24/18(2) 13/7(2)")
    again = Match.from_dict(match.to_dict())
    assert again == match
    with pytest.raises(InvalidArgumentError, match="came from outside"):
        again.roll()
    assert again.roll(Roll(2, 1)) == Roll(2, 1)
    fed = Match.from_dict(match.to_dict(), dice=RandomDice(5))
    fed.roll()
    assert Match.from_dict(fed.to_dict()) == fed
    with pytest.raises(InvalidArgumentError, match="do not say who starts"):
        Match().roll(Roll(3, 1))
    refused(lambda: Match().roll(Roll(3, 3), player=0), "is a tie")
    match = Match()
    match.apply(Action("roll", player=1, roll=Roll(3, 1)))
    assert (match.state.on_roll, match.record[0].throws) == (1, ((1, 3),))


def test_a_refused_roll_costs_the_source_nothing():
    dice = SequenceDice([(3, 1), (2, 1)])
    match = Match(dice=dice)
    match.roll()
    refused(match.roll, "the dice are thrown")
    assert dice.used == 1
    match.play("8/5 6/5")
    refused(lambda: match.roll(player=0), "player 0 cannot roll out of turn")
    assert dice.used == 1
    match.roll()
    match.play("13/11 6/5")
    with pytest.raises(InvalidArgumentError, match="at its end"):
        match.roll()
    assert match.phase is Phase.ON_ROLL
    assert Match.from_dict(match.to_dict()) == match


def test_an_opening_that_cannot_be_finished_leaves_the_source_as_it_was():
    dice = SequenceDice([(3, 1), (4, 4)])
    match = Match(dice=dice)
    match.roll()
    match.resign()
    match.accept()
    with pytest.raises(InvalidArgumentError, match="at its end"):
        match.roll()
    assert (dice.used, match.phase) == (1, Phase.GAME_OVER)
    dice.dice.append((2, 1))
    assert match.roll() == Roll(2, 1)
    assert match.record[-1].throws == ((4, 4), (2, 1))


def test_a_source_that_always_ties_does_not_hang():
    class Loaded:
        def throw(self):
            return 4, 4

        def roll(self):
            return Roll(4, 4)

        def new_game(self):
            pass

    with pytest.raises(InvalidArgumentError, match="ties in a row"):
        Match(dice=Loaded()).roll()


def test_cards_as_dice_in_a_match():
    match = Match(dice=CardDice(seed=4))
    match.roll()
    match.play(match.legal_actions()[0].play)
    assert Match.from_dict(match.to_dict()) == match


def test_every_reason_has_a_message_of_its_own():
    """A wrong action says why: no two of these reasons share a message."""
    messages = []

    def why(call):
        messages.append(refused(call))

    fresh = Match()
    for kind in ("double", "take", "drop", "beaver", "resign", "accept", "decline"):
        why(getattr(fresh, kind))
    why(lambda: fresh.play("8/5 6/5"))
    match = opened(Rules.money(), (2, 1), (6, 5))
    why(lambda: match.play("8/5 6/5"))
    why(lambda: match.play("8/5 6/5", player=0))
    why(lambda: match.double(player=0))
    why(lambda: match.roll(player=0))
    why(match.take)
    why(match.accept)
    match.roll()
    why(match.roll)
    why(match.double)
    match.play("13/11 6/5")
    match.double()
    why(match.double)
    why(match.roll)
    why(lambda: match.take(player=0))
    match.beaver()
    why(match.beaver)
    match.take()
    why(match.double)
    match.resign()
    why(match.roll)
    why(match.resign)
    match.accept()
    why(lambda: match.play("8/5 6/5"))
    crawford = at_score((4, 0), Rules.match(5), (3, 1))
    crawford.roll()
    crawford.play("8/5 6/5")
    why(crawford.double)
    why(opened(Rules.casual()).double)
    why(opened(Rules.match(1)).double)
    assert len(set(messages)) == len(messages)


def test_states_are_values_and_refuse_nonsense():
    import copy
    import pickle

    match = opened(Rules.match(5))
    match.double()
    state = match.state
    names = vars(gammon) | {name: getattr(gammon, name) for name in ("Position", "Rules", "State", "Offer", "Roll")}
    assert eval(repr(state), {**names, "Cube": Cube, "GameState": gammon.GameState}) == state
    assert pickle.loads(pickle.dumps(state)) == copy.deepcopy(state) == state
    assert len({state, match.state}) == 1
    start = Position.start()
    for wrong in [
        {"on_roll": 2},
        {"on_roll": True},
        {"position": "4HPwATDgc/ABMA"},
        {"roll": (3, 1)},
        {"cube": 2},
        {"stake": 0},
        {"points": [0, 0]},
        {"points": (0, -1)},
        {"post_crawford": True},
        {"post_crawford": 1},
        {"offer": Offer.DOUBLE},
        {"offered_by": 0},
        {"offer": "double", "offered_by": 0},
        {"offer": Offer.DOUBLE, "offered_by": 3},
        {"rules": None},
    ]:
        with pytest.raises(InvalidArgumentError):
            State(**({"position": start, "on_roll": 0} | wrong))
    for wrong in [("fly",), ("roll", 2), ("play", 0), ("take", 0, Roll(2, 1)), ("resign", 0), ("roll", 0, None, "8/5")]:
        with pytest.raises(InvalidArgumentError):
            Action(*wrong)


def test_what_is_no_argument_is_refused():
    for wrong in [{"rules": 5}, {"names": "AB"}, {"names": ("A",)}, {"names": ("A", 1)}, {"dice": 6}]:
        with pytest.raises(InvalidArgumentError):
            Match(**wrong)
    match = opened()
    for call in [
        lambda: match.undo(-1),
        lambda: match.undo(True),
        lambda: match.apply("roll"),
        lambda: match.play(None),
        lambda: match.play("\ud800"),
        lambda: match.double(player=2),
        lambda: match.double(player="0"),
        lambda: match.roll("37"),
        lambda: match.roll(31),
        lambda: match.set_up("start"),
        lambda: match.director("cube", value=2.0, owner=0),
        lambda: match.late_arrival(5),
    ]:
        with pytest.raises((InvalidArgumentError, NotationError)):
            call()
    refused(lambda: match.undo(99), "cannot undo 99 event(s): there are 2")
    refused(match.redo, "cannot redo 1 event(s): there are 0")


def test_undo_of_any_number_of_steps_and_new_play():
    match = opened(None, (2, 1), (6, 5))
    match.double()
    match.take()
    match.roll()
    whole = match.to_dict()
    match.undo(5)
    assert match.phase is Phase.OPENING
    assert match.record == ()
    match.redo(5)
    assert match.to_dict() == whole
    match.undo(3)
    match.roll()
    assert match.state.roll == Roll(2, 1), "the same throw comes again"
    refused(match.redo, "cannot redo")


def test_history_and_the_record_keep_everything():
    match = opened(Rules.money(automatic_doubles=1), (2, 1))
    match.double()
    match.take()
    assert [event.kind for event in match.record] == ["roll", "play", "double", "take"]
    states = [state for state, _ in match.history()]
    assert [state.on_roll for state in states] == [0, 0, 1, 1]
    assert states[1].roll == Roll(3, 1)
    assert states[3].offer is Offer.DOUBLE
    assert [str(event) for event in match.record] == [
        "roll 31",
        "player 0: play 8/5 6/5",
        "player 1: double",
        "player 0: take",
    ]


def test_a_position_that_a_user_gives_starts_every_game():
    start = Position.from_points({13: 2, 1: 13}, opponent={6: 15})
    match = Match(Rules.money(start=start), dice=SequenceDice([(1, 2), (2, 1)]))
    match.roll()
    assert match.state.position == start.flip()
    match.resign()
    match.accept()
    match.roll()
    assert match.state.position == start


def test_the_clock_of_a_copy_does_not_make_it_another_match():
    match = Match(Rules.match(3, clock=gammon.clock.ClockSettings()), dice=SequenceDice([(3, 1)]), time=Hands())
    match.roll()
    assert Match.from_dict(match.to_dict()) == match
    assert Match.from_dict(match.to_dict(), time=Hands()).to_dict() == match.to_dict()


def test_a_match_can_be_taken_up_at_a_score():
    match = Match(Rules.match(5), points=(4, 2), dice=SequenceDice([(3, 1)]))
    assert match.state.is_crawford
    match = Match(Rules.match(5), points=(4, 2), post_crawford=True, dice=SequenceDice([(3, 1), (2, 4)]))
    assert match.state.post_crawford
    match.roll()
    match.play("8/5 6/5")
    match.double()
    match.drop()
    assert match.score == (4, 3)
    assert Match.from_dict(match.to_dict()) == match
    assert [(row.what, row.score) for row in match.score_sheet().rows] == [("carried over", (4, 2)), ("drop", (4, 3))]
    for rules, settings in [
        (Rules.match(5), {"points": (5, 0)}),
        (Rules.match(5), {"points": (-1, 0)}),
        (Rules.match(5), {"points": 3}),
        (Rules.match(5), {"points": (1, 2, 3)}),
        (Rules.match(5), {"points": (3, 3), "post_crawford": True}),
        (Rules.match(5, crawford=False), {"points": (4, 3), "post_crawford": True}),
        (Rules.money(), {"points": (4, 3), "post_crawford": True}),
        (Rules.match(5), {"points": (4, 3), "post_crawford": 1}),
    ]:
        with pytest.raises(InvalidArgumentError):
            Match(rules, **settings)


def test_the_history_of_one_game():
    match = opened(Rules.tournament(5), (6, 5), (3, 1))
    match.resign()
    match.accept()
    match.director("warning", player=0)
    match.roll()
    assert [event.kind for _, event in match.game_history(1)] == ["roll", "play", "resign", "accept"]
    assert [event.kind for _, event in match.game_history(2)] == ["decision", "roll"]
    assert match.game_history(3) == []
    assert Match().game_history(1) == []
    assert str(Match().score_sheet()) == "Session  White Black"


@pytest.mark.parametrize(
    "name", ["money, raccoons", "match, holland", "tournament", "match, dead cubes", "casual", "fischer"]
)
def test_a_match_taken_up_from_any_state_goes_on_as_the_other(name):
    """Every state of a random match can be taken up, and allows the same actions."""
    taken = 0

    def see(match):
        nonlocal taken
        if not match.in_game or match.turn < 7 or match.turn % 3:
            return
        again = Match.from_state(match.state, dice=RandomDice(1))
        assert again.state == match.state
        assert again.phase is match.phase
        assert again.game_phase is match.game_phase
        if match._moment.further < 2 and not match._moment.cocked:
            assert again.legal_actions() == match.legal_actions()
        assert Match.from_dict(json.loads(json.dumps(again.to_dict()))) == again
        taken += 1

    for seed in range(6):
        random_match(RULE_SETS[name], seed, games=5, see=see)
    assert taken > 8


def test_what_cannot_be_taken_up():
    race = Position.from_points({6: 2}, opponent={6: 2})
    for state in [
        State(Position.from_points({}, opponent={1: 1}), on_roll=0),
        State(race, on_roll=0, points=(5, 0), rules=Rules.match(5)),
        State(race, on_roll=0, roll=Roll(2, 1), offer=Offer.DOUBLE, offered_by=0),
        State(race, on_roll=0, offer=Offer.BEAVER, offered_by=0),
        State(race, on_roll=0, offer=Offer.RACCOON, offered_by=1),
        State(race, on_roll=0, roll=Roll(2, 1), offer=Offer.BEAVER, offered_by=1),
        None,
    ]:
        with pytest.raises(InvalidArgumentError):
            Match.from_state(state)
    match = Match.from_state(
        State(race, on_roll=1, cube=Cube(4, "player"), stake=3), dice=SequenceDice([(6, 6), (3, 1)])
    )
    assert match.record == ()
    match.roll()
    match.play("6/off(2)")
    assert match.score == (0, 12)
    match.roll()
    assert match.state.position == Position.start()
    match.undo(3)
    assert match.state.position == race
    data = match.to_dict()
    data["state"]["owner"] = "nobody"
    with pytest.raises(FileFormatError, match=r"state\.owner: 'nobody'"):
        Match.from_dict(data)


def test_the_example_of_the_documentation_runs(capsys):
    text = (Path(__file__).parent.parent / "docs" / "match.md").read_text(encoding="utf-8")
    code = text.split("```python\n")[1].split("```")[0]
    exec(code, {})
    assert "5-point match" in capsys.readouterr().out


def test_the_documentation_names_every_event_and_phase():
    text = (Path(__file__).parent.parent / "docs" / "match.md").read_text(encoding="utf-8")
    methods = {"setup": "set_up", "decision": "director"}
    for kind in machine._EVENTS:
        assert f"`{methods.get(kind, kind)}" in text, kind
    for phase in Phase:
        assert f"`{phase.name}`" in text, phase
