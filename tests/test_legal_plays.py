"""Legal plays against reference sets, golden counts, and faults that other programs had."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import boards
import numpy as np
import pytest
import twin

import gammon

DATA = Path(__file__).parent / "data"
NOTATION = [json.loads(line) for line in (DATA / "H_notation.jsonl").read_text().splitlines()]
GOLDEN = {
    record["what"] + record.get("roll", ""): record["value"]
    for record in map(json.loads, (DATA / "B_perft.jsonl").read_text().splitlines())
}


def board_of(me: list[int], opponent: list[int]) -> twin.Board:
    """The board of two lists of 25 counts: ace point first, bar last."""
    cells = [0] * 28
    for place in range(25):
        cells[place + 1] += me[place]
        cells[24 - place] -= opponent[place]
    return boards.with_off(cells)


def reference() -> list[dict[str, Any]]:
    with gzip.open(DATA / "A_legal_plays.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module", name="reference")
def reference_fixture() -> list[dict[str, Any]]:
    records = reference()
    assert len(records) == 332
    assert all(len(record["rolls"]) == 21 for record in records)
    return records


class TestReferenceSets:
    """Sets of results on which GNU Backgammon, gnubg-nn and a brute force agree."""

    def test_ids_are_the_boards(self, reference: list[dict[str, Any]]) -> None:
        for record in reference:
            position = gammon.Position.from_id(record["id"])
            assert tuple(position.to_array().tolist()) == board_of(record["me"], record["opp"])
            assert position.id == record["id"]

    def test_plays(self, reference: list[dict[str, Any]]) -> None:
        for record in reference:
            position = gammon.Position.from_id(record["id"])
            for key, expected in record["rolls"].items():
                plays = position.plays(gammon.Roll.parse(key))
                assert sorted(play.after.id for play in plays) == sorted(expected["res"]), (record["id"], key)
                assert len(plays) == expected["n"]
                assert {len(play.steps) for play in plays} <= {expected["used"]} or _ends_early(plays, expected["used"])

    def test_plays_with_colours_swapped(self, reference: list[dict[str, Any]]) -> None:
        """The other side is put on roll, and seen from there."""
        for record in reference:
            mirrored = gammon.Position.from_id(twin.position_id(board_of(record["opp"], record["me"])))
            position = mirrored.flip()
            assert position.id == record["id"]
            for key, expected in record["rolls"].items():
                plays = position.plays(gammon.Roll.parse(key))
                assert sorted(play.next.flip().id for play in plays) == sorted(expected["res"]), (record["id"], key)

    def test_batch(self, reference: list[dict[str, Any]]) -> None:
        pairs = [(record["id"], key, expected) for record in reference for key, expected in record["rolls"].items()]
        positions = gammon.batch.from_ids([pair[0] for pair in pairs])
        rolls = np.array([[int(die) for die in pair[1]] for pair in pairs], dtype=np.uint8)
        counts = gammon.batch.count_plays(positions, rolls)
        mover, offsets = gammon.batch.legal_positions(positions, rolls)
        following, next_offsets = gammon.batch.legal_positions(positions, rolls, view="next")
        played, steps, play_offsets = gammon.batch.legal_plays(positions, rolls)
        assert counts.tolist() == [pair[2]["n"] for pair in pairs]
        assert np.diff(offsets).tolist() == counts.tolist()
        assert np.array_equal(offsets, next_offsets)
        assert np.array_equal(offsets, play_offsets)
        assert np.array_equal(mover, played)
        assert np.array_equal(gammon.batch.flip(following), mover)
        ids = gammon.batch.to_ids(mover)
        for row, (_, key, expected) in enumerate(pairs):
            span = slice(offsets[row], offsets[row + 1])
            assert sorted(ids[span].tolist()) == sorted(expected["res"]), pairs[row][:2]
            used = (steps[span, :, 0] >= 0).sum(axis=1)
            assert set(used.tolist()) <= {expected["used"]} or set(used.tolist()) < {1, 2, 3, 4}, pairs[row][:2]
            assert steps.dtype == np.int8, key


def _ends_early(plays: gammon.Plays, used: int) -> bool:
    """A game that ends leaves numbers unplayed (rule 3.7)."""
    return all(play.after.is_over or len(play.steps) == used for play in plays)


class TestGoldenCounts:
    """Perft of the start."""

    def test_first_rolls(self) -> None:
        start = gammon.Position.start()
        by_roll = {key[-2:]: value for key, value in GOLDEN.items() if key.startswith("plays_by_roll")}
        assert by_roll
        for key, value in by_roll.items():
            assert len(start.plays(gammon.Roll.parse(key))) == value

    def test_perft(self) -> None:
        start = gammon.Position.start()
        assert gammon.perft(start, 0) == 1
        assert gammon.perft(start, 1) == GOLDEN["perft1"] == 447
        assert gammon.perft(start, 2) == 202_782

    def test_distinct_positions(self) -> None:
        """How many different positions the first two plays lead to."""
        start = gammon.Position.start().to_array()
        rolls = np.array(boards.ROLLS, dtype=np.uint8)
        first, _ = gammon.batch.legal_positions(np.tile(start, (21, 1)), rolls, view="next")
        openings = rolls[:, 0] != rolls[:, 1]
        after_opening, _ = gammon.batch.legal_positions(np.tile(start, (15, 1)), rolls[openings], view="next")
        assert len(np.unique(after_opening, axis=0)) == GOLDEN["distinct1_first_nondouble"]
        first = np.unique(first, axis=0)
        second, _ = gammon.batch.legal_positions(
            np.repeat(first, 21, axis=0), np.tile(rolls, (len(first), 1)), view="mover"
        )
        assert len(np.unique(second, axis=0)) == GOLDEN["distinct2"]

    @pytest.mark.slow
    def test_perft_3(self) -> None:
        """Depth 3, and once more by batches: the results of depth 2, and their counts for every roll summed."""
        rolls = np.array(boards.ROLLS, dtype=np.uint8)
        level = gammon.Position.start().to_array()[None, :]
        for _ in range(2):
            positions = np.repeat(level, 21, axis=0)
            results, offsets = gammon.batch.legal_positions(positions, np.tile(rolls, (len(level), 1)), view="next")
            dances = positions[np.diff(offsets) == 0]
            level = np.concatenate([results, gammon.batch.flip(dances)])
        assert len(level) == 202_782
        counts = gammon.batch.count_plays(np.repeat(level, 21, axis=0), np.tile(rolls, (len(level), 1)))
        assert (counts == 0).sum() == GOLDEN["perft3_pass_paths"]
        assert gammon.perft(gammon.Position.start(), 3) == np.maximum(counts, 1).sum()


@pytest.mark.parametrize(("position_id", "results"), [("AACAkCRJqqoAAA", 2220), ("RCCQACWllFIKAA", 2226)])
def test_the_largest_lists(position_id: str, results: int) -> None:
    position = gammon.Position.from_id(position_id)
    roll = gammon.Roll(1, 1)
    board = tuple(position.to_array().tolist())
    plays = position.plays(roll)
    assert len(plays) == results
    assert {tuple(play.after.to_array().tolist()) for play in plays} == twin.results(board, 1, 1)
    assert len({str(play) for play in plays}) == results
    values, offsets = gammon.batch.legal_positions(
        np.stack([position.to_array()] * 3), np.array([[1, 1]] * 3, dtype=np.uint8)
    )
    assert offsets.tolist() == [0, results, 2 * results, 3 * results]
    assert np.array_equal(values[:results], values[2 * results :])


def from_letters(letters: str) -> list[gammon.Position]:
    """The position of a case, and the same with colours swapped: the other side on roll in the mirrored board."""
    position = gammon.Position.from_array(np.array(boards.from_letters(letters), dtype=np.int8))
    swapped = gammon.Position.from_array(np.array(boards.from_letters(boards.swap_colours(letters)), dtype=np.int8))
    return [position, swapped.flip()]


def from_points(own: dict[int, int], opponent: dict[int, int]) -> list[gammon.Position]:
    """A position and the same as the flip of its mirror."""
    return [
        gammon.Position.from_points(own, opponent=opponent),
        gammon.Position.from_points(opponent, opponent=own).flip(),
    ]


def check(positions: list[gammon.Position], dice: str, *expected: str) -> None:
    """The plays of a roll are exactly these, in objects and batches, and each text is read as its play."""
    roll = gammon.Roll.parse(dice)
    assert positions[0] == positions[1], "the colours are not swapped"
    for position in positions:
        plays = position.plays(roll)
        assert [play.after for play in plays] == [play.next.flip() for play in plays]
        assert {position.play(text, roll) for text in expected} == set(plays)
        assert len(plays) == len(expected)
        array = position.to_array()[None, :]
        batch, _ = gammon.batch.legal_positions(array, np.array([[roll.high, roll.low]], dtype=np.uint8))
        assert [gammon.Position.from_array(row) for row in batch] == [play.after for play in plays]


def refused(positions: list[gammon.Position], dice: str, *texts: str) -> None:
    for position in positions:
        for text in texts:
            with pytest.raises(gammon.IllegalPlayError, match=r"\S"):
                position.play(text, gammon.Roll.parse(dice))
            assert text not in position.plays(gammon.Roll.parse(dice))


class TestCases:
    """Faults that other programs really had."""

    def test_l01_after_the_big_number_the_small_one_anywhere(self) -> None:
        check(from_letters("----b-M-A-------b-cdd---A-"), "62", "24/22 8/2")

    def test_l03_home_with_one_number_off_with_the_other(self) -> None:
        case = from_letters("-b-B-C---A-------------cj-")
        check(case, "64", "9/off")
        refused(case, "64", "9/3", "9/5", "9/3 5/1")

    def test_l05_entering_is_not_all(self) -> None:
        case = from_letters("-bCB-BCa----c----c-f--A-CA")
        check(case, "53", "bar/20 24/21", "bar/20 6/3", "bar/20 5/2")
        refused(case, "53", "bar/22", "bar/20", "bar/22 6/1")

    def test_l07_the_game_ends_with_numbers_unplayed(self) -> None:
        case = from_letters("-B-----------------o------")
        check(case, "11", "1/off(2)")
        assert case[0].play("1/off(2)", gammon.Roll(1, 1)).after.is_over

    def test_l09_either_number_but_not_both(self) -> None:
        case = from_letters("--b----------A-----e------")
        check(case, "65", "13/7")
        refused(case, "65", "13/8", "13/7/2", "13/2")

    def test_l11_the_rest_is_lost(self) -> None:
        case = from_letters("-------------B-----eb----B")
        check(case, "62", "bar/23")
        refused(case, "62", "bar/23 13/7", "bar/19", "bar/23(2)")

    def test_l13_both_enter_and_two_more(self) -> None:
        case = from_letters("-b----C------B----------bB")
        plays = case[0].plays(gammon.Roll(6, 6))
        assert len(plays) == 3
        assert "bar/19(2) 13/7(2)" in plays
        check(case, "66", *map(str, plays))
        assert {tuple(play.after.to_array().tolist()) for play in plays} == twin.results(
            tuple(case[0].to_array().tolist()), 6, 6
        )

    def test_l15_who_lands_on_10_comes_from_11(self) -> None:
        case = from_letters("-----------BbB------------")
        plays = case[1].plays(gammon.Roll(1, 1))
        assert len(plays) == 3
        assert all(start == 11 for play in plays for start, to in play.steps if to == 10)
        check(case, "11", *map(str, plays))

    def test_l17_a_lone_text_means_both_numbers(self) -> None:
        case = from_points({4: 1, 2: 1}, {1: 2})
        check(case, "42", "4/off 2/off", "4/2/off")
        for position in case:
            assert position.play("4/off", gammon.Roll(4, 2)).steps == ((4, 2), (2, 0))
            assert position.play("4/off", gammon.Roll(4, 2)).after[2] == 1

    def test_l19_not_through_the_blocked_point(self) -> None:
        case = from_letters("------D-----b-----Ae------")
        check(case, "65", "18/13/7")
        for position in case:
            assert position.play("18/7", gammon.Roll(6, 5)).steps == ((18, 13), (13, 7))
        refused(case, "65", "18/12/7")

    def test_l23_three_off_in_one_turn(self) -> None:
        case = from_points({1: 3}, {6: 2})
        check(case, "11", "1/off(3)")
        assert case[0].plays(gammon.Roll(1, 1))[0].steps == ((1, 0),) * 3

    def test_l27_both_on_the_bar_against_closed_boards(self) -> None:
        letters = "aBBBBBB------------bbbbbbA"
        for board in (boards.from_letters(letters), boards.from_letters(boards.swap_colours(letters))):
            with pytest.raises(gammon.InvalidPositionError, match="both sides are on the bar against closed boards"):
                gammon.Position.from_array(np.array(board, dtype=np.int8))
        closed = dict.fromkeys(range(1, 7), 2)
        with pytest.raises(gammon.InvalidPositionError, match="bar"):
            gammon.Position.from_points(closed, opponent=closed, bar=1, opponent_bar=1)
        with pytest.raises(gammon.InvalidPositionError, match="bar"):
            gammon.Position.from_id(twin.position_id(boards.from_letters(letters)))

    def test_l29_bearing_off_in_more_than_one_way(self) -> None:
        check(from_points({5: 1, 3: 1}, {1: 2}), "64", "5/off 3/off", "5/1 3/off")
        check(from_points({6: 1, 4: 1}, {1: 2}), "53", "6/1 4/1", "6/3 4/off")
        check(from_points({7: 1, 6: 1, 1: 1}, {1: 2}), "61", "7/off", "7/1 6/5")

    def test_p01_the_other_bar_survives(self) -> None:
        expected = gammon.Position.from_points({24: 1}, opponent={24: 3}, bar=2, opponent_bar=4)
        position = gammon.Position.from_id("AACAewAAgAYAAA")
        assert position == expected
        assert expected.id == "AACAewAAgAYAAA"
        assert [position[24], position.bar, position[1], position.opponent_bar] == [1, 2, -3, 4]
        assert gammon.batch.to_ids(expected.to_array()[None, :]).tolist() == ["AACAewAAgAYAAA"]
        assert gammon.Position.from_id(expected.flip().id).flip() == expected

    def test_p02_the_opponent_is_first(self) -> None:
        position = gammon.Position.from_points({6: 2}, opponent={1: 3})
        assert position.id == "BwAAAAYAAAAAAA"
        assert gammon.Position.from_id("BwAAAAYAAAAAAA") == position
        assert [position[6], position[24]] == [2, -3]
        assert [position.flip()[1], position.flip()[19]] == [3, -2]

    @pytest.mark.parametrize("bad", ["//////////////AA", "/78AAPD/AwAAAA", "AAAAAAAAAAAAAA", "4HPwATDgc/ABM"])
    def test_p03_what_is_no_position(self, bad: str) -> None:
        with pytest.raises((gammon.InvalidPositionError, gammon.NotationError)) as error:
            gammon.Position.from_id(bad)
        assert bad in str(error.value)


class TestNotation:
    """Plays as GNU Backgammon writes them."""

    def test_there_are_some(self) -> None:
        assert len(NOTATION) == 104

    @pytest.mark.parametrize("record", NOTATION, ids=lambda record: f"{record['id']} {record['roll']} {record['play']}")
    def test_is_read(self, record: dict[str, Any]) -> None:
        roll = gammon.Roll.parse(record["roll"])
        given = gammon.Position.from_id(record["id"])
        mirrored = twin.flip(tuple(given.to_array().tolist()))
        for position in (given, gammon.Position.from_array(np.array(mirrored, dtype=np.int8)).flip()):
            play = position.play(record["play"], roll)
            assert play.after.id == record["result"]
            assert position.play(str(play), roll) == play
            legs = " ".join(f"{start}/{to}" for start, to in record["legs"])
            assert position.play(legs, roll).after.id == record["result"]

    def test_every_play_reads_back(self) -> None:
        read = 0
        positions = [gammon.Position.from_array(row) for row in gammon.batch.random_positions(400, 11)]
        for position in positions[::4]:
            for roll in gammon.Roll.all():
                plays = position.plays(roll)
                assert len({str(play) for play in plays}) == len(plays)
                for play in plays:
                    assert position.play(str(play), roll) == play
                    read += 1
        assert read > 10_000
