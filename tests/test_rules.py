"""The rules of the board, one by one: each test names the number of its rule."""

from __future__ import annotations

import philox
import pytest

import gammon
from gammon import Position, Roll


def texts(position: Position, dice: str) -> set[str]:
    return {str(play) for play in position.plays(Roll.parse(dice))}


def place(own: dict[int, int], opponent: dict[int, int], **others: int) -> Position:
    return Position.from_points(own, opponent=opponent, **others)


# The opponent's checkers for positions in which they do not matter: on the player's 24 point.
AWAY = {1: 2}


class TestBoard:
    def test_rule_1_1_numbering(self) -> None:
        """A player's point p is the opponent's point 25 - p."""
        for point in range(1, 25):
            position = place({point: 2}, {point: 3})
            assert position[point] == 2
            assert position[25 - point] == -3
            assert position.flip()[point] == 3
            assert position.flip()[25 - point] == -2

    def test_rule_1_2_start(self) -> None:
        start = Position.start()
        assert {point: start[point] for point in range(1, 25) if start[point] > 0} == {24: 2, 13: 5, 8: 3, 6: 5}
        assert sum(max(start[point], 0) for point in range(1, 25)) == 15
        assert start.flip() == start

    def test_rule_1_3_towards_lower_numbers(self) -> None:
        for play in Position.start().plays(Roll(6, 5)):
            assert all(start > to for start, to in play.steps)
        with pytest.raises(gammon.GammonError, match="lower"):
            Position.start().play("8/11 6/7", Roll(3, 1))

    def test_rule_1_4_fewer_checkers(self) -> None:
        position = place({6: 2}, {6: 3})
        assert (position.off, position.opponent_off) == (13, 12)
        missing = place({6: 2}, {6: 3}, off=3)
        assert (missing.off, missing.opponent_off) == (3, 12)
        assert place({6: 2}, {6: 3}, checkers=3).off == 1
        with pytest.raises(gammon.InvalidPositionError, match="15"):
            place({6: 16}, {6: 3})

    def test_rule_1_6_unreachable_but_playable(self) -> None:
        assert len(place({6: 15}, {1: 1}, opponent_bar=14).plays(Roll(1, 1))) == 5


class TestDice:
    def test_rule_2_2_a_tie_is_thrown_again(self) -> None:
        """The higher die starts, in games as in the source of dice; a tie takes the next throw."""
        table = gammon.simulate(200, seed=2, per_game=True).per_game
        assert table is not None
        ties = 0
        for game in range(200):
            dice = gammon.dice.RandomDice(seed=2, game=game)
            first, second = dice.throw()
            while first == second:
                ties += 1
                first, second = dice.throw()
            assert table.starter[game] == (second > first)
            assert philox.opening(2, game) == (second > first, (first, second))
        assert ties > 10


class TestMovement:
    def test_rule_3_1_one_checker_or_two_in_either_order(self) -> None:
        assert texts(place({20: 1, 10: 1}, AWAY), "31") == {"20/19 10/7", "20/17 10/9", "20/16", "10/6"}

    def test_rule_3_2_blocked_points(self) -> None:
        # 5 and 6 away are held: both landings in between are closed, so the 11 cannot be played.
        assert texts(place({20: 1}, {10: 2, 11: 2}), "65") == set()
        # One of them open: jumping over the other is allowed.
        assert texts(place({20: 1}, {10: 2}), "65") == {"20/9"}
        assert place({20: 1}, {10: 2}).play("20/9", Roll(6, 5)).steps == ((20, 14), (14, 9))
        # Own checkers and a single opposing one do not block.
        both = {"14/3", "14/9 14/8", "20/14/9", "20/15* 14/8", "20/15*/9"}
        assert texts(place({20: 1, 14: 3}, {10: 1, 24: 2}), "65") == both
        assert "20/15*/9" in texts(place({20: 1}, {10: 1, 11: 2}), "65")

    def test_rule_3_3_four_steps(self) -> None:
        assert texts(place({24: 1}, {6: 2}), "33") == {"24/12"}
        assert place({24: 1}, {6: 2}).play("24/12", Roll(3, 3)).steps == ((24, 21), (21, 18), (18, 15), (15, 12))

    @pytest.mark.parametrize(("blocked", "numbers"), [(12, 3), (15, 2), (18, 1), (21, 0)])
    def test_rule_3_4_as_many_as_possible(self, blocked: int, numbers: int) -> None:
        """A double: four numbers, else three, else two, else one."""
        plays = place({24: 1}, {25 - blocked: 2}).plays(Roll(3, 3))
        assert [len(play.steps) for play in plays] == ([numbers] if numbers else [])

    def test_rule_3_4_both_if_any_order_allows_it(self) -> None:
        # Only the 5 first leads on.
        position = place({20: 1, 8: 1}, {11: 2, 22: 2, 23: 2})
        assert all(len(play.steps) == 2 for play in position.plays(Roll(6, 5)))
        with pytest.raises(gammon.IllegalPlayError, match="2 numbers"):
            position.play("20/15", Roll(6, 5))

    def test_rule_3_5_the_higher(self) -> None:
        assert texts(place({13: 1}, {23: 2}), "65") == {"13/7"}

    def test_rule_3_5_the_only_one(self) -> None:
        assert texts(place({13: 1}, {18: 2, 23: 2}), "65") == {"13/8"}

    def test_rule_3_6_the_turn_passes(self) -> None:
        position = place({6: 5}, dict.fromkeys(range(1, 7), 2), bar=1)
        for roll in Roll.all():
            assert len(position.plays(roll)) == 0
            assert position.play("", roll).next == position.flip()

    def test_rule_3_7_the_last_checker(self) -> None:
        play = place({1: 1}, {6: 15}).plays(Roll(6, 6))[0]
        assert play.steps == ((1, 0),)
        assert play.after.is_over


class TestHitting:
    def test_rule_4_1_a_blot_goes_to_the_bar(self) -> None:
        after = place({8: 1, 6: 1}, {20: 1, 24: 2}).play("8/5* 6/5", Roll(3, 1)).after
        assert (after[5], after.opponent_bar) == (2, 1)
        assert after.flip().bar == 1

    def test_rule_4_2_entering_first(self) -> None:
        """With a die d on the opponent's point d, the player's own 25 - d."""
        for die in range(1, 7):
            play = place({6: 5}, {24: 2}, bar=1).plays(Roll(die, die))[0]
            assert play.steps[0] == (25, 25 - die)
        position = place({6: 5}, {3: 2, 24: 2}, bar=1)
        assert all(play.steps[0] == (25, 24) for play in position.plays(Roll(3, 1)))
        with pytest.raises(gammon.IllegalPlayError, match="bar"):
            position.play("6/3 6/5", Roll(3, 1))
        hit = place({6: 5}, {1: 1, 24: 2}, bar=1).play("bar/24*/21", Roll(3, 1))
        assert hit.after.opponent_bar == 1

    def test_rule_4_3_several_on_the_bar(self) -> None:
        closed_but_3 = {1: 2, 2: 2, 4: 2, 5: 2, 6: 2}
        assert texts(place({6: 5}, closed_but_3, bar=2), "31") == {"bar/22"}
        assert texts(place({6: 5}, closed_but_3, bar=1), "31") == {"bar/22 6/5"}
        assert texts(place({13: 1}, {24: 2}, bar=3), "33") == {"bar/19 bar/22(2)", "bar/22(3) 13/10"}
        plays = place({13: 1}, {24: 2}, bar=3).plays(Roll(3, 3))
        assert all(play.steps[:3] == ((25, 22),) * 3 and len(play.steps) == 4 for play in plays)


class TestBearingOff:
    def test_rule_5_1_all_at_home(self) -> None:
        assert texts(place({7: 1, 6: 1}, AWAY), "54") == {"7/3 6/1", "7/2 6/2"}
        assert texts(place({7: 1, 6: 1}, AWAY), "61") == {"7/off", "7/1 6/5"}
        assert place({7: 1, 6: 1}, AWAY).play("7/off", Roll(6, 1)).steps == ((7, 6), (6, 0))
        with pytest.raises(gammon.IllegalPlayError, match="home"):
            place({13: 1, 6: 2, 5: 2}, AWAY).play("6/off 5/off", Roll(6, 5))

    def test_rule_5_2_not_compulsory(self) -> None:
        assert texts(place({6: 1, 2: 1}, AWAY), "21") == {"6/3", "6/4 2/1", "6/5 2/off"}

    def test_rule_5_3_a_checker_on_a_higher_point(self) -> None:
        assert texts(place({6: 2, 3: 2}, AWAY), "44") == {"6/2(2) 3/off(2)"}
        with pytest.raises(gammon.IllegalPlayError, match="higher point"):
            place({6: 2, 3: 2}, AWAY).play("3/off(2) 6/2(2)", Roll(5, 5))

    def test_rule_5_3_the_number_is_lost(self) -> None:
        """The higher checker cannot move, and none below is borne off for it."""
        assert texts(place({6: 1, 1: 1}, {22: 2}), "33") == set()

    def test_rule_5_3_none_is_higher(self) -> None:
        assert texts(place({3: 2, 1: 1}, AWAY), "65") == {"3/off(2)"}
        assert texts(place({5: 1}, AWAY), "11") == {"5/1"}

    def test_rule_5_4_after_a_hit(self) -> None:
        assert texts(place({3: 2, 2: 2}, AWAY, bar=1), "65") == {"bar/14"}
        # Home and off in one turn: 18/12/6, then off with what is left of the double.
        assert place({18: 1, 3: 2}, AWAY).plays(Roll(6, 6))[0].steps == ((18, 12), (12, 6), (6, 0), (3, 0))


class TestEnd:
    def test_rule_6_1_the_first_to_bear_off_all(self) -> None:
        after = place({2: 1, 1: 1}, {1: 1}).play("2/off 1/off", Roll(6, 5)).after
        assert after.is_over
        assert after.outcome is not None
        assert after.outcome.is_win
