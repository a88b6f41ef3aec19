"""Positions: starts, faults, outcomes."""

from __future__ import annotations

import numpy as np
import pytest

import gammon
from gammon.position import VARIANTS


class TestStarts:
    """Rules 1.2 and 1.5."""

    @pytest.mark.parametrize(
        ("variant", "points"),
        [
            ("standard", {24: 2, 13: 5, 8: 3, 6: 5}),
            ("nackgammon", {24: 2, 23: 2, 13: 4, 8: 3, 6: 4}),
            ("hypergammon", {24: 1, 23: 1, 22: 1}),
            ("longgammon", {24: 15}),
        ],
    )
    def test_rule_1_5(self, variant: str, points: dict[int, int]) -> None:
        position = gammon.Position.start(variant)
        checkers = sum(points.values())
        assert position == gammon.Position.from_points(points, opponent=points, checkers=checkers)
        assert position.flip() == position
        assert position.off == position.opponent_off == 0
        assert position.pips == sum(point * count for point, count in points.items())
        assert gammon.Position.from_id(position.id, checkers=checkers) == position

    def test_the_default_is_standard(self) -> None:
        assert gammon.Position.start() == gammon.Position.start("standard")
        assert gammon.Position.start().id == "4HPwATDgc/ABMA"
        assert gammon.Position.start().pips == 167

    def test_unknown_variant(self) -> None:
        with pytest.raises(ValueError, match=f'one of {", ".join(VARIANTS)}, not "tavla"'):
            gammon.Position.start("tavla")


class TestFaults:
    """Rule 1.6: what is no position, with every reason at once."""

    def test_rule_1_6_each(self) -> None:
        for own, opponent, reason in [
            ({6: 16}, {6: 1}, "16 checkers"),
            ({6: -1, 5: 2}, {6: 1}, "-1 checkers on point 6"),
            ({6: 1}, {19: 1}, "both sides have checkers on point 6"),
            ({}, {}, "neither side"),
        ]:
            with pytest.raises(gammon.InvalidPositionError, match=reason):
                gammon.Position.from_points(own, opponent=opponent)

    def test_all_together(self) -> None:
        with pytest.raises(gammon.InvalidPositionError) as error:
            gammon.Position.from_points({6: 16, 3: -1, 2: 1}, opponent={23: 1, 5: 17})
        for part in ["17", "18", "-1", "point 3", "point 2"]:
            assert part in str(error.value)

    def test_off_is_counted(self) -> None:
        position = gammon.Position.from_points({6: 3}, opponent={6: 2})
        assert (position.off, position.opponent_off) == (12, 13)
        missing = gammon.Position.from_points({6: 3}, opponent={6: 2}, off=0, opponent_off=1)
        assert (missing.off, missing.opponent_off) == (0, 1)
        with pytest.raises(gammon.InvalidPositionError, match="16"):
            gammon.Position.from_points({6: 3}, opponent={6: 2}, off=13)
        with pytest.raises(gammon.InvalidPositionError, match="-1"):
            gammon.Position.from_points({6: 3}, opponent={6: 2}, off=-1)

    def test_more_checkers_than_the_variant(self) -> None:
        with pytest.raises(gammon.InvalidPositionError):
            gammon.Position.from_points({6: 4}, opponent={6: 2}, checkers=3)
        with pytest.raises(gammon.InvalidPositionError):
            gammon.Position.from_id(gammon.Position.start().id, checkers=3)

    @pytest.mark.parametrize("checkers", [-1, 16, 300, 2**70])
    def test_checkers_out_of_range(self, checkers: int) -> None:
        with pytest.raises(ValueError, match=str(checkers)):
            gammon.Position.from_id("4HPwATDgc/ABMA", checkers=checkers)
        with pytest.raises(ValueError, match=str(checkers)):
            gammon.Position.from_points({6: 1}, opponent={6: 1}, checkers=checkers)

    @pytest.mark.parametrize("count", [2**31, 2**70, -(2**70)])
    def test_huge_counts(self, count: int) -> None:
        with pytest.raises(ValueError, match=r"\d"):
            gammon.Position.from_points({6: count}, opponent={6: 1})
        with pytest.raises(ValueError, match=r"\d"):
            gammon.Position.from_points({6: 1}, opponent={6: 1}, bar=count)

    @pytest.mark.parametrize("point", [0, 25, 26, -1, 2**70])
    def test_points_that_do_not_exist(self, point: int) -> None:
        with pytest.raises(ValueError, match=str(point)):
            gammon.Position.from_points({point: 1}, opponent={6: 1})
        with pytest.raises((IndexError, ValueError), match=r"\S"):
            gammon.Position.start()[26]
        with pytest.raises((IndexError, ValueError), match=r"\S"):
            gammon.Position.start()[-1]

    @pytest.mark.parametrize(
        "array",
        [
            np.zeros(27, np.int8),
            np.zeros(28, np.int16),
            np.zeros((1, 28), np.int8),
            np.zeros(28),
            np.zeros(28, np.uint8),
        ],
    )
    def test_arrays_of_another_kind(self, array: np.ndarray) -> None:
        with pytest.raises(gammon.GammonError, match=r"int8|28"):
            gammon.Position.from_array(array)

    @pytest.mark.parametrize("value", [None, 5, b"4HPwATDgc/ABMA", ["4HPwATDgc/ABMA"]])
    def test_ids_of_another_kind(self, value: object) -> None:
        with pytest.raises((TypeError, ValueError)):
            gammon.Position.from_id(value)  # type: ignore[arg-type]


class TestOutcome:
    """Rule 6.2."""

    @pytest.mark.parametrize(
        ("opponent", "bar", "off", "points"),
        [
            ({1: 14}, 0, 1, 1),
            ({1: 15}, 0, 0, 2),
            ({18: 15}, 0, 0, 2),
            ({19: 1, 1: 14}, 0, 0, 3),
            ({24: 1, 1: 14}, 0, 0, 3),
            ({1: 14}, 1, 0, 3),
            ({24: 1, 1: 13}, 0, 1, 1),
            ({1: 13}, 1, 1, 1),
            # A missing checker saves nothing (rule 9.6).
            ({1: 14}, 0, 0, 2),
        ],
    )
    def test_rule_6_2(self, opponent: dict[int, int], bar: int, off: int, points: int) -> None:
        position = gammon.Position.from_points({}, opponent=opponent, opponent_bar=bar, opponent_off=off)
        assert position.is_over
        assert position.outcome is not None
        assert position.outcome.points == points
        lost = position.flip().outcome
        assert lost is not None
        assert lost.points == -points
        assert len(position.plays(gammon.Roll(6, 5))) == 0
        with pytest.raises(gammon.IllegalPlayError, match="over"):
            position.play("6/5", gammon.Roll(6, 5))
        assert gammon.perft(position, 2) == 0

    def test_case_s01(self) -> None:
        """1/off wins a gammon."""
        position = gammon.Position.from_points({1: 1}, opponent={6: 15})
        after = position.play("1/off", gammon.Roll(2, 1)).after
        assert after.outcome is not None
        assert after.outcome.points == 2

    def test_case_r17(self) -> None:
        """Twelve on one point with opposing checkers on both sides of it is contact."""
        position = gammon.Position.from_points({10: 12}, opponent={5: 1, 23: 1})
        assert position.is_contact
        assert position.flip().is_contact
        race = gammon.Position.from_points({10: 12}, opponent={14: 1})
        assert not race.is_contact
