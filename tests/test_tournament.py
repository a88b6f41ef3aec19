"""Late arrivals, breaks and what a match makes of them (rules 9.4, 9.5)."""

import pytest
from match_play import opened

from gammon import Match, Phase, Rules
from gammon.dice import SequenceDice
from gammon.errors import IllegalActionError, InvalidArgumentError
from gammon.scoring import CrawfordPhase
from gammon.tournament import (
    breaks_allowed,
    late_points,
    late_points_for_both,
    loses_by_lateness,
    points_still_needed,
)


@pytest.mark.parametrize(
    ("minutes", "points"),
    [(0, 0), (9, 0), (9.99, 0), (10, 1), (14.9, 1), (15, 2), (19, 2), (20, 3), (25, 4), (40, 7), (60, 11)],
)
def test_rule_9_4_penalty_points(minutes, points):
    assert late_points(minutes) == points


@pytest.mark.parametrize(("length", "minutes"), [(13, 40), (7, 25), (1, 10)])
def test_rule_9_4_who_receives_more_than_half_has_won(length, minutes):
    """Rule 9.4: n = 13: 7 at 40 minutes; n = 7: 4 at 25; n = 1: 1 at 10; not a minute earlier."""
    assert loses_by_lateness(late_points(minutes), length)
    assert not loses_by_lateness(late_points(minutes - 1), length)
    for late, winner in [((minutes, 0), 1), ((0, minutes), 0)]:
        match = Match(Rules.tournament(length))
        match.late_arrival(late)
        assert (match.phase, match.winner, match.ending) == (Phase.MATCH_OVER, winner, "lateness")
        assert match.score[winner] == late_points(minutes)


def test_rule_9_4_points_go_to_the_opponent_before_the_first_game():
    match = Match(Rules.tournament(9), dice=SequenceDice([(3, 1)]))
    match.late_arrival((12, 0))
    assert match.score == (0, 1)
    assert match.score_sheet().rows[0].what == "late arrival"
    with pytest.raises(IllegalActionError, match="noted once, before the first game"):
        match.late_arrival((12, 0))
    match = opened(Rules.tournament(9))
    with pytest.raises(IllegalActionError, match="before the first game"):
        match.late_arrival((12, 0))
    with pytest.raises(IllegalActionError, match="no penalties for a late arrival"):
        Match(Rules.match(9)).late_arrival((12, 0))


def test_rule_9_4_if_both_are_late_only_the_difference_counts():
    assert late_points_for_both((25, 12)) == (0, 3)
    assert late_points_for_both((12, 25)) == (3, 0)
    assert late_points_for_both((30, 30)) == (0, 0)
    match = Match(Rules.tournament(7))
    match.late_arrival((40, 30))
    assert match.score == (0, 2)


def test_rule_9_4_points_count_for_the_crawford_game_of_the_first_game():
    match = Match(Rules.tournament(2), dice=SequenceDice([(3, 1)]))
    match.late_arrival((10, 0))
    assert match.score == (0, 1)
    assert match.game_phase is CrawfordPhase.CRAWFORD
    match.roll()
    assert match.state.is_crawford
    match.play("8/5 6/5")
    with pytest.raises(IllegalActionError, match="Crawford"):
        match.double()


def test_rule_9_4_other_penalty_points_win_only_by_reaching_the_length():
    match = Match(Rules.tournament(7))
    match.director("penalty points", player=0, points=6)
    assert (match.score, match.winner) == ((0, 6), None)
    match.director("penalty points", player=0, points=1)
    assert (match.score, match.winner) == ((0, 7), 1)


def test_rule_9_4_penalty_points_in_a_game_wait_for_its_end():
    match = opened(Rules.tournament(3), (3, 1))
    match.director("penalty points", player=0, points=3)
    assert match.in_game
    match.resign("single", player=1)
    match.accept()
    assert (match.score, match.winner) == ((1, 3), 1)
    match.undo(2)
    match.resign("backgammon", player=1)
    match.accept()
    assert (match.score, match.winner) == ((3, 0), 0), "the game ends before the next one could begin"


@pytest.mark.parametrize("minutes", [-1, float("nan"), float("inf"), 1e12, "10", None, True])
def test_minutes_are_a_number(minutes):
    with pytest.raises(InvalidArgumentError):
        late_points(minutes)
    with pytest.raises(InvalidArgumentError):
        Match(Rules.tournament(7)).late_arrival((minutes, 0))


@pytest.mark.parametrize(
    ("length", "breaks"),
    [(1, 0), (6, 0), (7, 1), (10, 1), (11, 2), (14, 2), (15, 3), (20, 3), (21, 4), (26, 4), (27, 5), (33, 6)],
)
def test_rule_9_5_breaks_for_each_player(length, breaks):
    assert breaks_allowed(length) == breaks
    match = opened(Rules.tournament(length, use_cube=False))
    match.resign(player=1)
    match.accept()
    if length == 1:
        return
    for seat in (0, 1):
        for _ in range(breaks):
            match.take_break(seat)
        with pytest.raises(IllegalActionError, match=f"has taken {breaks} breaks, of {breaks}"):
            match.take_break(seat)


def test_rule_9_5_between_games_only_and_five_minutes_at_most():
    match = opened(Rules.tournament(7))
    with pytest.raises(IllegalActionError, match="between games only"):
        match.take_break(0)
    match.resign()
    match.accept()
    for minutes in (5.5, 0, -1):
        with pytest.raises(IllegalActionError, match="at most 5 minutes"):
            match.take_break(0, minutes)
    match.take_break(0, 3)
    with pytest.raises(IllegalActionError, match="no breaks"):
        opened(Rules.match(7)).take_break(0)


def test_points_still_needed():
    assert points_still_needed((3, 5), 9) == 6
