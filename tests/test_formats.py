"""Files of other programs: the cases, matches written by GNU Backgammon, dialects, boards, and what is refused."""

from __future__ import annotations

import gc
import io
import json as _json
import math
import re
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from gammon import (
    ArrayError,
    FileFormatError,
    InvalidArgumentError,
    InvalidPositionError,
    Match,
    MissingExtraError,
    Position,
    Roll,
    Rules,
    State,
    batch,
    formats,
    render,
)
from gammon.cube import Cube
from gammon.formats import fibs, json, mat, parquet, sgf, text
from gammon.formats._compare import differences
from gammon.match import Comment, Event, Fault, Offer, Phase

DATA = Path(__file__).parent / "data"
CASES, MATCHES = DATA / "cases", DATA / "matches"
FACTS: list[dict[str, Any]] = [_json.loads(line) for line in (DATA / "I_facts.jsonl").read_text().splitlines()]


def game_text(*rows: str, length: int = 5, names: str = " Ann : 0      Bob : 0", end: str = "\n") -> str:
    return f" {length} point match\n\n Game 1\n{names}\n" + "\n".join(rows) + end


def plays(match: Match) -> list[str]:
    return [str(event.play) for event in match.record if event.kind == "play"]


def faults(match: Match) -> list[str]:
    return [fault.what for fault in match.errors]


class TestReferenceData:
    """Matches that GNU Backgammon played, saved as SGF and exported as text: final scores are facts."""

    def test_there_are_six(self) -> None:
        assert len(FACTS) == 6

    @pytest.mark.parametrize("fact", FACTS, ids=lambda fact: str(fact["match"]))
    @pytest.mark.parametrize("suffix", ["mat", "sgf", "snowie.txt"])
    def test_facts(self, fact: dict[str, Any], suffix: str) -> None:
        match = formats.load(MATCHES / f"{fact['match']}.{suffix}", strict=True)
        assert match.errors == []
        assert list(match.score) == fact["final_score"]
        assert match.names == (fact["player0"], fact["player1"])
        assert (match.rules.length or 0) == fact["length"]
        for game, wanted in zip(match.games, fact["games"], strict=True):
            assert list(game.start_points) == wanted["score_before"]
            assert (game.winner, game.points) == (wanted["winner"], wanted["points"])
            assert (game.ending == "resignation") == wanted["resigned"]
            assert game.is_crawford == wanted["crawford"]
        kinds = [event.kind for event in match.record]
        assert kinds.count("play") == fact["actions"]["move"]
        assert kinds.count("drop") == fact["actions"].get("drop", 0)
        turns = kinds.count("double") + kinds.count("beaver")
        assert turns == fact["actions"].get("double", 0)
        assert kinds.count("resign") == fact["actions"].get("resign", 0)

    @pytest.mark.parametrize("fact", FACTS, ids=lambda fact: str(fact["match"]))
    def test_all_three_forms_say_the_same(self, fact: dict[str, Any]) -> None:
        forms = [formats.load(MATCHES / f"{fact['match']}.{suffix}") for suffix in ("mat", "sgf", "snowie.txt")]
        for match in forms:
            match.tags = {}
        assert differences(forms[0], forms[1]) == differences(forms[0], forms[2]) == ()


class TestCases:
    def load(self, name: str) -> Match:
        return formats.load(CASES / name)

    @pytest.mark.parametrize(
        "name",
        [
            *("m01_plain", "m03_numeric_bar_off", "m05_losses", "m09_latin1", "m13_header_swapped"),
            *("m15_len65", "m17_long_name", "m23_wins_on_own_row"),
        ],
    )
    def test_nothing_is_wrong_with_these(self, name: str) -> None:
        path = CASES / f"{name}.mat"
        match = formats.load(path, strict=True)
        assert match.errors == []
        assert mat.losses(match) == sgf.losses(match) == ()

    def test_m01_plain(self) -> None:
        match = self.load("m01_plain.mat")
        assert match.score == (1, 2)
        assert [(game.winner, game.points, game.ending) for game in match.games] == [
            (0, 1, "drop"),
            (1, 2, "resignation"),
        ]
        assert match.games[1].cube == 2

    def test_m03_numeric_bar_and_off(self) -> None:
        match = self.load("m03_numeric_bar_off.mat")
        assert plays(match) == ["24/20 13/10", "8/5* 6/5", "bar/22 13/9", "24/18 13/11"]

    def test_m05_losses_before_the_winner(self) -> None:
        match = self.load("m05_losses.mat")
        assert (match.score, match.is_over) == ((3, 0), True)
        assert match.games[0].level == 3

    def test_m07_a_value_that_is_none(self) -> None:
        match = self.load("m07_wins_4016.mat")
        assert match.score == (1, 0)
        assert match.errors == [Fault(7, 7, "a win of 4016 with the value at 1", "1 counted")]
        assert match.record[-3].roll == Roll(6, 1)
        with pytest.raises(FileFormatError, match=r"line 7, column 7: a win of 4016"):
            formats.load(CASES / "m07_wins_4016.mat", strict=True)

    def test_m09_latin_1(self) -> None:
        assert self.load("m09_latin1.mat").names == ("Kévin", "Jürgen")

    def test_m11_an_illegal_play(self) -> None:
        match = self.load("m11_illegal_under.mat")
        (fault,) = match.errors
        assert (fault.line, fault.column) == (5, 6)
        assert "2 numbers can be played" in fault.what
        events = [event for event in match.record if event.kind == "play"]
        assert [event.illegal for event in events] == [True, False, False, False]
        assert events[0].play == "8/5"
        with pytest.raises(FileFormatError, match="line 5, column 6"):
            formats.load(CASES / "m11_illegal_under.mat", strict=True)

    def test_m13_the_columns_name_the_players(self) -> None:
        match = self.load("m13_header_swapped.mat")
        assert match.names == ("Bob", "Alice")
        assert match.tags == {"Player 1": "Alice", "Player 2": "Bob"}

    def test_m15_a_long_match(self) -> None:
        assert self.load("m15_len65.mat").rules == Rules.match(65)

    def test_m17_a_long_name(self) -> None:
        match = self.load("m17_long_name.mat")
        assert match.names == ("A" * 60, "Bob")
        assert match.score == (1, 0)

    def test_m19_a_truncated_file(self) -> None:
        match = self.load("m19_truncated.mat")
        assert (match.score, match.state.cube) == ((1, 0), Cube(2, "opponent"))
        assert [fault.line for fault in match.errors] == [13]
        assert "ends in the middle of game 2" in match.errors[0].what

    def test_m21_a_crawford_double(self) -> None:
        """Cases S15 and M24 too."""
        match = self.load("m21_crawford_double.mat")
        assert match.state.is_crawford
        assert faults(match) == ["cannot double in the Crawford game"]
        double = next(event for event in match.record if event.kind == "double")
        assert double.on_record
        assert "Crawford game" in double.notes

    def test_m23_a_result_on_its_own_row(self) -> None:
        match = self.load("m23_wins_on_own_row.mat")
        assert (match.score, len(match.games)) == ((1, 0), 1)


class TestDialects:
    def read(self, data: str | bytes, **options: Any) -> Match:
        return mat.loads(data, **options)

    @pytest.mark.parametrize(
        "dance", ["Cannot Move", "Can't Move", "cannot move", "Can\u2019t move", "", "No Move", "-"]
    )
    def test_every_spelling_of_a_dance_m06(self, dance: str) -> None:
        board = Position.from_points({6: 10, 5: 4}, opponent={1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 8: 3}, bar=1)
        xgid = State(board, on_roll=0, rules=Rules.match(5)).xgid
        match = self.read(
            game_text(
                f'; [Position "{xgid}"]', f"  1) 66: {dance:<24} 21: 8/6 8/7", f"  2) 31: {dance:<24} 21: 7/6 8/6"
            )
        )
        assert plays(match) == ["", "8/7 8/6", "", "8/6 7/6"]
        assert match.errors == []

    def test_what_comes_before_the_first_roll(self) -> None:
        head = " 3 point match\n\n Game 1\n Ann : 0                 Bob : 0\n"
        for cell, what in (("Cannot Move", "a dance before the first roll"), ("Doubles => 2", "before the first roll")):
            match = mat.loads(f"{head}  1) {cell}               31: 8/5 6/5\n")
            assert any(what in fault.what for fault in match.errors), match.errors
            assert [str(event.play) for event in match.record if event.kind == "play"] == ["8/5 6/5"]

    def test_an_empty_cell_is_a_dance_m06(self) -> None:
        board = Position.from_points({1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 8: 3}, opponent={6: 10, 5: 4}, opponent_bar=1)
        xgid = State(board, on_roll=0, rules=Rules.match(5)).xgid
        match = self.read(
            game_text(f'; [Position "{xgid}"]', "  1) 21: 8/6 8/7                ", "  2) 31: 8/5 7/6", end="\n")
        )
        assert match.errors == []
        assert plays(match) == ["8/7 8/6", "8/5 7/6"]

    def test_an_unknown_play_and_a_resignation_m07(self) -> None:
        match = self.read(game_text("  1) 31: 8/5 6/5             61: ????", "      Wins 2 points"))
        assert (match.games[0].winner, match.games[0].points, match.errors) == (0, 2, [])

    def test_an_unknown_play_in_mid_game(self) -> None:
        match = self.read(game_text("  1) 31: 8/5 6/5             61: ????", "  2) 42: 8/4 6/4"))
        assert plays(match) == ["8/5 6/5", "????", "8/4 6/4"]
        assert faults(match) == ["the play of 61 is missing"]

    def test_the_result_names_the_winner_m09(self) -> None:
        rows = ["  1) 31: 8/5 6/5             61: 13/7 8/7"]
        assert self.read(game_text(*rows, "  Bob wins 2 points")).games[0].winner == 1
        assert self.read(game_text(*rows, "                              Ann wins 1 point.")).games[0].winner == 0
        left, right = game_text(*rows, "      Wins 1 point"), game_text(*rows, " " * 34 + "Wins 1 point")
        assert [self.read(file).games[0].winner for file in (left, right)] == [0, 1]

    def test_the_score_of_the_next_game_counts_more_than_the_column(self) -> None:
        next_game = "\n Game 2\n Ann : 0      Bob : 1\n"
        match = self.read(game_text("  1) 31: 8/5 6/5             61: 13/7 8/7", "      Wins 1 point", next_game))
        assert match.games[0].winner == 1
        assert len(match.errors) == 1

    def test_low_die_first_and_unsorted_steps_m12(self) -> None:
        match = self.read(game_text("  1) 13: 6/5 8/5             24: 6/4 8/4"))
        assert plays(match) == ["8/5 6/5", "8/4 6/4"]
        assert match.record[0].throws == ((3, 1),)
        assert match.errors == []

    def test_sixty_lines_of_comments_m17(self) -> None:
        remarks = "".join(f"; remark {number}\n" for number in range(60))
        match = self.read(remarks + game_text("  1) 31: 8/5 6/5"))
        assert [comment.text for comment in match.comments] == [f"remark {number}" for number in range(60)]
        assert match.errors == []

    def test_beavers_m25(self) -> None:
        match = formats.load(MATCHES / "s_beaver.mat")
        assert match.rules.beavers == 2
        assert [event.kind for event in match.record].count("beaver") == 3
        assert [game.points for game in match.games] == [8, 1, 16]

    @pytest.mark.parametrize(
        "step", ["8/", "/5", "8//5", "99/98", "8/5/", "8/5(9)", "a/b", "8/5x", "8-", "****", "8/5***", "é/5"]
    )
    def test_a_malformed_step_never_crashes_m35(self, step: str) -> None:
        for row in (f"  1) 31: {step} 6/5            42: 8/4 6/4", f"  1) 31: 6/5 {step}"):
            match = self.read(game_text(row))
            assert match.errors
            assert len(plays(match)) >= 1 or match.comments

    def test_tags_and_comments_are_kept(self) -> None:
        head = '; [Site "XG"]\n; [Event "A \\"big\\" one"]\n; a remark\n\n'
        match = self.read(head + game_text("  1) 31: 8/5 6/5", "; in the game", "  2) 42: 24/20 13/11"))
        assert match.tags["Site"] == "XG"
        assert [(comment.event, comment.text) for comment in match.comments] == [(0, "a remark"), (2, "in the game")]

    def test_rules_in_tags(self) -> None:
        head = '; [Crawford "Off"]\n; [CubeLimit "1024"]\n; [Variation "Nackgammon"]\n'
        match = self.read(head + game_text("  1) 31: 8/5 6/5"))
        assert match.rules == Rules.match(5, crawford=False, cube_limit=1024, variant="nackgammon")
        money = '; [Jacoby "Off"]\n; [Beavers "3"]\n' + game_text("  1) 31: 8/5 6/5", length=0)
        assert self.read(money).rules == Rules.money(jacoby=False, beavers=3)

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
    @pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
    def test_encodings_and_line_ends(self, encoding: str, line_end: str) -> None:
        file = game_text("  1) 31: 8/5 6/5            42: 8/4 6/4", names=" Zoë : 0      Jürgen : 0")
        data = file.replace("\n", line_end).encode(encoding)
        for match in (self.read(data), formats.loads(data), *formats.scan(io.BytesIO(data))):
            assert (match.names, match.turn, match.errors) == (("Zoë", "Jürgen"), 3, [])

    def test_tabs(self) -> None:
        match = self.read(game_text("1)\t31: 8/5 6/5\t\t42: 8/4 6/4", "2)\t63: 24/15"))
        assert plays(match) == ["8/5 6/5", "8/4 6/4", "24/15"]
        right = self.read(game_text("1)\t\t\t\t\t31: 8/5 6/5", names="Ann : 0\t\t\tBob : 0"))
        assert right.record[0].throws == ((1, 3),)

    @pytest.mark.parametrize(
        ("row", "names"),
        [
            (" A B : 3    C D : 1", ("A B", "C D")),
            (" a:b : 3    c: d : 1", ("a:b", "c: d")),
            (" x : 3 : 3    y : 1", ("x : 3", "y")),
            (" LongName:3 Other:1", ("LongName", "Other")),
            ("Ann : 3\tBob : 1", ("Ann", "Bob")),
            (" zoonk,1666 : 3                   nori,1699 : 1", ("zoonk,1666", "nori,1699")),
            (" Game 7 : 3     Money : 1", ("Game 7", "Money")),
        ],
    )
    def test_names(self, row: str, names: tuple[str, str]) -> None:
        match = self.read(game_text("  1) 31: 8/5 6/5", names=row))
        assert (match.names, match.score, match.errors) == (names, (3, 1), [])

    def test_columns_that_change_sides(self) -> None:
        second = "\n Game 2\n Bob : 0         Ann : 1\n  1) 31: 8/5 6/5\n"
        match = self.read(game_text("  1) 31: 8/5 6/5", "      Wins 1 point", second))
        assert (match.names, match.score, match.errors) == (("Ann", "Bob"), (1, 0), [])
        assert match.record[-2].throws == ((1, 3),)

    @pytest.mark.parametrize("word", ["Money session", "Unlimited match", "0 point match", "money game"])
    def test_money(self, word: str) -> None:
        assert self.read(f"{word}\n\nGame 1\nAnn : 0    Bob : 0\n 1) 31: 8/5 6/5\n").rules.length is None

    def test_a_length_within_a_line(self) -> None:
        match = self.read("Ann against Bob, a 7 point match\n\nGame 1\nAnn : 0    Bob : 0\n 1) 31: 8/5 6/5\n")
        assert (match.rules.length, match.comments[0].text) == (7, "Ann against Bob, a 7 point match")

    def test_a_gammon_without_jacoby_is_found_out(self) -> None:
        end = Position.from_points({1: 1}, opponent={6: 15})
        xgid = State(end, on_roll=0, rules=Rules.money(jacoby=False)).xgid
        rows = [f'; [Position "{xgid}"]', "  1) 21: 1/off", "      Wins {} points"]
        for points, jacoby in ((2, False), (1, True)):
            match = self.read(game_text(*rows[:2], rows[2].format(points), length=0))
            assert (match.rules.jacoby, match.score, match.errors) == (jacoby, (points, 0), [])

    def test_points_cut_to_what_counts_are_right(self) -> None:
        end = Position.from_points({1: 1}, opponent={6: 15})
        xgid = State(end, on_roll=0, rules=Rules.match(1)).xgid
        match = self.read(
            game_text(f'; [Position "{xgid}"]', "  1) 21: 1/off", "      Wins 1 point and the match", length=1)
        )
        assert (match.score, match.games[0].counted, match.errors) == ((2, 0), 1, [])

    def test_aborted_games_are_kept(self) -> None:
        second = "\n Game 2\n Ann : 0         Bob : 0\n  1) 31: 8/5 6/5\n"
        match = self.read(game_text("  1) 31: 8/5 6/5", second, length=0))
        assert [event.kind for event in match.record] == ["roll", "play", "abandon", "roll", "play"]
        assert faults(match) == ["game 1 has no result"]

    def test_a_missing_result_is_in_the_next_score(self) -> None:
        second = "\n Game 2\n Ann : 0         Bob : 2\n  1) 31: 8/5 6/5\n"
        match = self.read(game_text("  1) 31: 8/5 6/5", second))
        assert (match.score, match.games[0].level, match.games[0].winner) == ((0, 2), 2, 1)

    def test_missing_games_and_scores(self) -> None:
        second = "\n Game 4\n Ann : 3         Bob : 2\n  1) 31: 8/5 6/5\n"
        match = self.read(game_text("  1) 31: 8/5 6/5", "      Wins 1 point", second))
        assert match.score == (3, 2)
        assert faults(match) == ["the score is 3-2, and by the games so far 1-0"]

    @pytest.mark.parametrize(
        ("dice", "written", "point", "count"),
        [("65", "14/8 15/10 6/8", 8, 4), ("33", "13/3 7/4", 3, 1), ("21", "13/11 11/10 10/9", 9, 1)],
    )
    def test_illegal_plays_of_real_files(self, dice: str, written: str, point: int, count: int) -> None:
        """A hop backwards, one of ten pips, three hops of two dice (case m11): the game goes on from there."""
        board = Position.from_points({24: 1, 15: 1, 14: 1, 13: 3, 8: 2, 7: 1, 6: 5}, opponent={6: 5, 13: 5})
        xgid = State(board, on_roll=0, rules=Rules.match(5)).xgid
        match = self.read(game_text(f'; [Position "{xgid}"]', f"  1) {dice}: {written}", "  2) "))
        assert plays(match) == [written]
        assert match.record[-1].notes == ("illegal",)
        assert match.position.flip()[point] == count

    def test_sixteen_checkers_are_an_error_where_they_arise_r20(self) -> None:
        """A board on the way through a game: never carried along until something looks beyond an array."""
        board = Position.from_points({24: 2, 13: 5, 8: 3, 6: 5}, opponent={24: 2, 13: 5, 8: 3, 6: 5})
        good = State(board, on_roll=0, rules=Rules.match(5)).xgid
        bad = good.replace("-b----E", "-b----F")
        assert bad != good
        with pytest.raises(InvalidPositionError, match="16 checkers"):
            State.from_xgid(bad)
        match = self.read(game_text(f'; [Position "{bad}"]', "  1) 31: 8/5 6/5"))
        assert match.errors == [
            Fault(5, 1, "not a position: the player has 16 checkers, more than 15", "kept as a comment")
        ]
        kept = json.dumps(self.read(game_text("  1) 31: 8/5 6/5            42: 8/4 6/4")))
        assert kept.count("8/5 6/5") == 1
        with pytest.raises(FileFormatError, match="7/5"):
            json.loads(kept.replace("8/5 6/5", "7/5 6/5"))
        cells = board.to_array()
        cells[6] += 1
        with pytest.raises(InvalidPositionError, match="16 checkers"):
            Position.from_array(cells)
        rows = batch.random_positions(3, seed=1)
        rows[1] = cells
        for call in (batch.evaluate, batch.to_ids, lambda rows: batch.features(rows, "raw196")):
            with pytest.raises((ArrayError, InvalidPositionError), match=r"(?s)1.*16 checkers"):
                call(rows)

    def test_a_hit_that_is_none_is_no_illegal_play(self) -> None:
        match = self.read(game_text("  1) 31: 8/5* 6/5"))
        assert plays(match) == ["8/5 6/5"]
        assert not match.record[-1].illegal
        assert match.errors[0].done == "the mark of the hit is left out"

    def test_a_missing_turn_is_passed_over(self) -> None:
        match = self.read(game_text("  1) 31: 8/5 6/5", "  2) 42: 8/4 6/4"))
        assert plays(match) == ["8/5 6/5", "8/4 6/4"]
        assert faults(match) == ["the turn of Bob is missing"]

    def test_wrong_cubes(self) -> None:
        rows = ["  1) 31: 8/5 6/5             Doubles => 4", "  2) Takes                   61: 13/7 8/7"]
        match = self.read(game_text(*rows))
        assert match.state.cube.value == 4
        assert faults(match) == ["a double to 4 with the value at 1"]
        unanswered = self.read(
            game_text("  1) 31: 8/5 6/5             Doubles => 2", "  2)     " + " " * 22 + "61: 13/7 8/7")
        )
        assert (unanswered.state.cube.value, faults(unanswered)) == (
            2,
            ["the double has no answer, and the game goes on"],
        )
        stray = self.read(game_text("  1) 31: 8/5 6/5             Takes"))
        assert faults(stray) == ["a take without a double"]

    def test_a_resignation_that_is_none(self) -> None:
        """The game goes on after it, and at the end of the file a double awaits its answer."""
        rows = ["  1) 31: 8/5 6/5 Drops         62: 24/18 13/11", "  2)  Doubles => 2"]
        match = self.read(game_text(*rows))
        assert faults(match) == [
            "a drop without a double",
            "Bob has resigned, and the game goes on",
        ]
        assert match.phase is Phase.DOUBLED

    def test_a_resignation_with_an_open_double(self) -> None:
        """Who has doubled and resigns has not been answered; who is doubled and resigns drops."""
        rows = ["  1) 31: 8/5 6/5               62: 24/18 13/11", "  2)  Doubles => 2            {}"]
        game = mat.loads(game_text(*rows).format("Resigns"), strict=False).games[0]
        assert (game.winner, game.points) == (0, 1)
        game = mat.loads(game_text(*rows, "  3) Resigns").format(""), strict=False).games[0]
        assert (game.winner, game.points) == (1, 2)

    def test_big_cubes(self) -> None:
        rows = ["  1) 31: 8/5 6/5               62: 24/18 13/11", "  2)  Doubles => 128            Takes"]
        match = self.read(game_text(*rows, length=0))
        assert match.rules.cube_limit is None
        assert match.state.cube.value == 128

    def test_more_games_than_the_match_has(self) -> None:
        second = "\n Game 2\n Ann : 1         Bob : 0\n  1) 31: 8/5 6/5\n"
        match = self.read(game_text("  1) 31: 8/5 6/5", "      Wins 1 point", second, length=1))
        assert match.rules.length is None
        assert len(match.games) == 1
        assert match.in_game
        assert any("after the match to 1" in fault for fault in faults(match))

    def test_text_after_the_end_of_a_game_is_kept(self) -> None:
        match = self.read(game_text("  1) 31: 8/5 6/5", "      Wins 1 point", "  2) 42: 8/4 6/4"))
        assert len(match.errors) == 1
        assert "8/4 6/4" in match.comments[0].text

    def test_positions_are_set(self) -> None:
        xgid = "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:0:0:0:5:10"
        match = self.read(game_text(f"  1) Set position {xgid}", "  2)                          42: 8/4 6/4"))
        assert match.errors == []
        assert match.record[0].kind == "position"
        assert match.state.cube == Cube(2, "opponent")

    def test_fibs_like_dashes(self) -> None:
        match = self.read(game_text("  1) 3-1: 8-5 6-5             4-2: 8-4 6-4"))
        assert plays(match) == ["8/5 6/5", "8/4 6/4"]
        assert match.errors == []

    def test_gnu_writes_a_result_behind_an_unplayed_roll(self) -> None:
        rows = ["  1) 31: 8/5 6/5                 61: 13/7 8/7", "  2) 53:       Wins 1 point "]
        assert self.read(game_text(*rows)).games[0].winner == 0

    def test_unknown_lines_are_kept(self) -> None:
        match = self.read(game_text("  1) 31: 8/5 6/5", "what is this"))
        assert [comment.text for comment in match.comments] == ["what is this"]
        assert match.errors[0].line == 6


class TestSgf:
    def test_an_analysed_match(self) -> None:
        match = sgf.load(DATA / "gnubg_analysed.sgf", strict=True)
        assert match.score == (10, 1)
        event = next(place for place, notes in match.annotations.items() if "A" in dict(notes))
        found, played = sgf.candidates(match, event)
        assert len(found) > 1
        assert played is not None
        assert found[played].play.split()[0].count("/") == 1
        assert len(found[0].numbers) >= 7
        assert 0 < found[0].numbers[1] < 1
        assert sgf.losses(match) == ()

    def test_plays_that_are_rolled_out(self) -> None:
        match = sgf.load(DATA / "gnubg_rollout.sgf", strict=True)
        event = next(place for place, notes in match.annotations.items() if "A" in dict(notes))
        found, played = sgf.candidates(match, event)
        assert played is not None
        assert [candidate.play for candidate in found[:2]] == ["8/3 6/3", "13/8 24/21"]
        assert [candidate.rollout for candidate in found[:3]] == [True, True, False]
        assert found[0].numbers[:2] == (0.4339563251, 0.1254737973)
        assert [len(candidate.numbers) for candidate in found[:3]] == [7, 7, 7]
        assert sgf.losses(match) == ()

    def test_numbers_may_be_infinite(self) -> None:
        match = sgf.loads("(;GM[6];B[43lpad]A[0][lpad E ver 3 0.5 0.1 0.0 0.1 0.0 -inf 0C 0 1 0.0 1]LU[-inf])")
        found, _ = sgf.candidates(match, 1)
        assert found[0].numbers[-1] == -math.inf

    def test_an_edited_board(self) -> None:
        match = sgf.load(DATA / "gnubg_edited.sgf")
        assert [event.kind for event in match.record] == [
            "roll",
            "position",
            "position",
            "roll",
            "play",
            "roll",
            "play",
        ]
        assert len(match.errors) == 1
        assert sgf.losses(match) == ()

    def test_variants_and_information(self) -> None:
        match = sgf.load(DATA / "gnubg_nackgammon.sgf")
        assert match.rules == Rules.match(3, variant="nackgammon")
        assert match.tags["Event"] == "My ] event: x"
        assert match.state.roll == Roll(2, 1)

    def test_a_dance_has_no_steps(self) -> None:
        closed = "AE[a:y]AW[a][a][b][b][c][c][d][d][e][e][f][f]AB[y][s]PL[B]"
        match = sgf.loads(f"(;GM[6];{closed};B[31])")
        assert plays(match) == [""]
        assert match.errors == []

    def test_mi_has_many_values_in_any_order(self) -> None:
        match = sgf.loads("(;GM[6]MI[bs:2][game:3][length:7][ws:1][nonsense];W[31hefe])")
        assert (match.rules.length, match.score) == (7, (1, 2))

    def test_escapes_and_comments(self) -> None:
        match = sgf.loads("(;GM[6]PW[A\\]B\\\\C]PB[x]C[first\\\nline];W[31hefe]C[a \\] and \\[])")
        assert match.names[0] == "A]B\\C"
        assert [comment.text for comment in match.comments] == ["firstline", "a ] and ["]
        assert sgf.loads(sgf.dumps(match)) == match

    def test_encodings(self) -> None:
        tree = "(;GM[6]CA[{}]PW[Zoë]PB[b];W[31hefe])"
        for charset in ("UTF-8", "ISO-8859-1", "no-such-thing"):
            encoding = "latin-1" if charset == "ISO-8859-1" else "utf-8"
            assert sgf.loads(tree.format(charset).encode(encoding)).names[0] == "Zoë"

    def test_variations(self) -> None:
        match = sgf.loads("(;GM[6];W[31hefe](;B[42qusu];W[61mghg])(;B[21qrsu]))")
        assert plays(match) == ["8/5 6/5", "8/4 6/4", "13/7 8/7"]
        assert len(match.errors) == 1

    @pytest.mark.parametrize("steps", ["he", "h", "hefefefe", "zz", "yy", "??", "hé", "HEFE", "hzez"])
    def test_a_malformed_step_never_crashes_m35(self, steps: str) -> None:
        match = sgf.loads(f"(;GM[6];W[31{steps}])")
        assert match.errors
        assert len(plays(match)) == 1

    def test_several_matches(self) -> None:
        one = "(;GM[6]MI[length:3][game:0][ws:0][bs:0]PW[a]PB[b];W[31hefe])"
        assert len(list(sgf.scan(io.StringIO(one * 3)))) == 3
        with pytest.raises(FileFormatError, match="scan"):
            sgf.loads(one * 2)

    def test_another_game_is_refused(self) -> None:
        with pytest.raises(FileFormatError, match="no game"):
            sgf.loads("(;GM[1]FF[4];B[aa])")

    def test_beavers_and_resignations(self) -> None:
        match = formats.load(MATCHES / "s_beaver.sgf")
        assert [event.kind for event in match.record].count("beaver") == 3


class TestText:
    def test_our_own_boards_come_back(self) -> None:
        for row in batch.random_positions(500, seed=11):
            position = Position.from_array(row)
            if not position.is_over:
                match = text.loads(render.text(position))
                assert (match.position, match.on_roll, match.errors) == (position, 1, [])

    def test_boards_of_gnu_backgammon(self) -> None:
        boards = re.split(r"(?=^.*GNU Backgammon  Position ID)", (DATA / "gnubg_boards.txt").read_text(), flags=re.M)[
            1:
        ]
        assert len(boards) >= 12
        for board in boards:
            match = text.loads(board, strict=True)
            shown, names = text.read(re.sub(r".*(Position|Match) ID.*\n", "", board))
            state = match.state
            assert (shown.position, shown.on_roll, shown.roll, shown.cube, shown.points, shown.is_crawford) == (
                state.position,
                state.on_roll,
                state.roll,
                state.cube,
                state.points,
                state.is_crawford,
            )
            assert names == match.names == ("gnubg", "bob")

    def test_a_board_that_contradicts_its_id(self) -> None:
        board = f"XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10\n{render.text(Position.start('nackgammon'))}"
        match = text.loads(board)
        assert match.position == Position.start()
        assert faults(match) == ["the board shows another position than the ID"]
        with pytest.raises(FileFormatError, match="line 2"):
            text.loads(board, strict=True)

    @pytest.mark.parametrize(
        "identifier",
        [
            "XGID=-b----E-C---eE---c-e----B-:1:-1:1:42:2:3:0:7:6",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:1:0:6",
            "XGID=-b----E-C---eE---c-e----B-:1:-1:1:B:0:0:3:0:6",
            "XGID=-b----E-C---eE---c-e----B-:2:-1:1:R:0:0:3:0:6",
            "XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:6:2:0:7:6",
            "4HPwATDgc/ABMA:MOkqAQAAQAAE",
        ],
    )
    def test_identifiers_are_where_a_match_stands(self, identifier: str) -> None:
        match = formats.loads(identifier)
        wanted = State.from_xgid(identifier) if identifier.startswith("X") else State.from_gnubg_id(identifier)
        assert match.state == wanted

    def test_a_page_with_many_positions(self) -> None:
        page = "".join(
            f"XGID=-b----E-C---eE---c-e----B-:0:0:1:{dice}:0:0:3:0:10\n{render.text(Position.start())}\n{dice}\n\n"
            for dice in ("31", "42", "65")
        )
        assert [match.state.roll for match in formats.scan(io.StringIO(page))] == [Roll(3, 1), Roll(4, 2), Roll(6, 5)]
        assert faults(formats.loads(page)) == ["another position follows"]

    @pytest.mark.parametrize("damage", [("X", "Y"), ("13-14", "13-13"), ("| O   ", "| X   ")])
    def test_a_board_that_is_none(self, damage: tuple[str, str]) -> None:
        board = render.text(Position.start())
        with pytest.raises(FileFormatError):
            text.loads(board.replace(*damage, 1))


class TestFibs:
    LINE = (
        "board:You:someplayer:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:6:2:0:0:1:1:1:0:1:-1:0:25"
        ":0:0:0:0:2:0:0:0"
    )

    def test_the_line_of_the_specification(self) -> None:
        match = formats.loads(f"> roll\n{self.LINE}\n")
        assert match.names == ("You", "someplayer")
        assert match.state == State(Position.start(), on_roll=0, roll=Roll(6, 2), rules=Rules.match(3, cube_limit=None))

    def test_a_real_line(self) -> None:
        line = (
            "board:mpgnu:buster:17:0:2:0:0:0:2: 1: 4: 3: 0: 1: 0: 1: 0: 0: 2: 0: 0: 0: 0: 0: 1: -2: -2: -1: -4: -4:"
            " 0: -1: 3: 6: 0: 0: 1: 1: 1: 0: -1: 1: 25: 0: 2: 0: 0: 0: 2: 2: 0: 0"
        )
        state, names = fibs.read(line)
        # X moves from 1 to 24 here, so the line has to be read from its other end.
        own = {point: state.position[point] for point in range(1, 25) if state.position[point] > 0}
        assert own == {1: 4, 2: 4, 3: 1, 4: 2, 5: 2}
        assert (state.position.off, state.position.opponent_off, state.position.opponent_bar) == (2, 0, 0)
        assert names == ("mpgnu", "buster")

    def test_the_other_colour_and_direction(self) -> None:
        board = [
            0,
            *[
                -count
                for count in reversed([-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2])
            ],
            0,
        ]
        fields = self.LINE.split(":")
        fields[6:32] = [str(count) for count in board]
        fields[32], fields[41], fields[42] = "-1", "-1", "1"
        state, _ = fibs.read(":".join(fields))
        assert (state.position, state.on_roll, state.roll) == (Position.start(), 0, Roll(6, 2))

    def test_a_double(self) -> None:
        fields = self.LINE.split(":")
        fields[32], fields[33], fields[34], fields[40] = "-1", "0", "0", "1"
        state, _ = fibs.read(":".join(fields))
        assert (state.offer, state.offered_by, state.to_act) == (Offer.DOUBLE, 1, 0)
        assert fibs.read(fibs.write(state))[0] == state

    def test_written_lines_come_back(self) -> None:
        for seed, row in enumerate(batch.random_positions(200, seed=3)):
            position = Position.from_array(row)
            if position.is_over:
                continue
            owner = (None, "player", "opponent")[seed % 3]
            state = State(
                position,
                on_roll=seed % 2,
                roll=Roll(6, 5) if seed % 4 < 2 else None,
                cube=Cube(1 if owner is None else 4, owner),  # type: ignore[arg-type]
                points=(seed % 5, 2),
                rules=Rules.match(9, cube_limit=None),
            )
            assert fibs.losses(state) == ()

    @pytest.mark.parametrize(
        ("index", "value"),
        [(3, "x"), (3, "-1"), (6, "99"), (33, "7"), (34, "0"), (37, "3"), (41, "0"), (42, "2"), (45, "16")],
    )
    def test_each_field_is_checked(self, index: int, value: str) -> None:
        fields = self.LINE.split(":")
        fields[index] = value
        with pytest.raises(FileFormatError):
            formats.loads(":".join(fields))

    def test_a_log_is_scanned(self) -> None:
        log = io.StringIO(f"hello\n{self.LINE}\nbye\n{self.LINE}\n")
        assert len(list(fibs.scan(log))) == 2


class TestJson:
    def test_all_of_a_match(self) -> None:
        match = formats.load(CASES / "m21_crawford_double.mat")
        match.tags["x"] = "y"
        back = json.loads(json.dumps(match))
        assert back == match
        assert (back.tags, back.comments, back.annotations, back.errors) == (
            match.tags,
            match.comments,
            match.annotations,
            match.errors,
        )
        analysed = sgf.load(DATA / "gnubg_analysed.sgf")
        assert json.loads(json.dumps(analysed, indent=1)).annotations == analysed.annotations

    def test_the_schema_names_the_fields(self) -> None:
        schema = _json.loads((DATA.parents[1] / "docs" / "formats" / "match.schema.json").read_text())
        match = sgf.load(DATA / "gnubg_analysed.sgf")
        match.comments.append(Comment(0, "x"))
        match.errors.append(Fault(1, 1, "a", "b"))
        data = _json.loads(json.dumps(match))
        assert set(schema["required"]) == set(match.to_dict())
        assert set(schema["properties"]) == set(data)
        assert set(schema["properties"]["rules"]["required"]) == set(data["rules"])
        known = set(schema["$defs"]["event"]["properties"])
        assert {name for event in data["events"] for name in event} <= known

    def test_many_matches_on_lines(self, tmp_path: Path) -> None:
        match = formats.load(CASES / "m01_plain.mat")
        path = tmp_path / "many.jsonl"
        path.write_text(json.dumps(match) * 3)
        assert [other == match for other in formats.scan(path)] == [True] * 3
        with pytest.raises(FileFormatError, match="scan"):
            formats.load(path)
        path.write_text(json.dumps(match, indent=2))
        assert list(formats.scan(path)) == [match]

    @pytest.mark.parametrize(
        "damage",
        [
            ('"version": 1', '"version": 2'),
            ('"names"', '"nombres"'),
            ('"format": "gammon match"', '"format": "chess"'),
            ('"play": "8/5 6/5"', '"play": "8/5 8/5"'),
            ('"throws": [[3, 1]]', '"throws": [[3, 7]]'),
            ("{", "["),
            ("1", "NaN"),
            ('"comments": [{"event": 0', '"comments": [{"event": 999'),
        ],
    )
    def test_damage_is_refused(self, damage: tuple[str, str]) -> None:
        match = formats.load(CASES / "m01_plain.mat")
        match.comments = []
        whole = json.dumps(match).replace("}\n", ', "comments": [{"event": 0, "text": "x"}]}\n')
        assert json.loads(whole).comments[0].text == "x"
        damaged = whole.replace(*damage, 1)
        assert damaged != whole
        with pytest.raises(FileFormatError):
            json.loads(damaged)


class TestParquet:
    def test_rows_of_decisions(self, tmp_path: Path) -> None:
        pytest.importorskip("pyarrow")
        matches = [formats.load(MATCHES / "s_beaver.mat"), formats.load(CASES / "m11_illegal_under.mat")]
        path = tmp_path / "decisions.parquet"
        written = parquet.dump(matches, path)
        table = parquet.load(path)
        formats.dump(matches[0], tmp_path / "one.parquet")
        assert 0 < parquet.load(tmp_path / "one.parquet").num_rows < written
        assert table.num_rows == written == sum(len(list(parquet.rows(match))) for match in matches)
        rows = table.to_pylist()
        assert {row["match"] for row in rows} == {0, 1}
        assert [row["legal"] for row in rows].count(False) == 1
        first = rows[0]
        assert first["position"] == [int(cell) for cell in Position.start().to_array()]
        assert (first["play"], first["die1"], first["die2"], first["cube"], first["length"]) == (
            "13/7 8/7",
            6,
            1,
            1,
            None,
        )
        assert first["game_points"] == 8
        for row in rows:
            assert Position.from_array(row["position"]).id == row["position_id"]
            if row["decision"] == "play" and row["legal"]:
                play = Position.from_array(row["position"]).play(row["play"], Roll(row["die1"], row["die2"]))
                assert play.after.id == row["after_id"]

    def test_another_file_is_refused(self, tmp_path: Path) -> None:
        pa = pytest.importorskip("pyarrow")
        pq = pytest.importorskip("pyarrow.parquet")
        path = tmp_path / "x.parquet"
        path.write_bytes(b"PAR1 nothing")
        with pytest.raises(FileFormatError, match="no Parquet"):
            parquet.load(path)
        with pytest.raises(FileFormatError, match=r"parquet\.load"):
            formats.load(path)
        pq.write_table(pa.table({"a": [1]}), path)
        with pytest.raises(FileFormatError, match="version"):
            parquet.load(path)

    def test_without_pyarrow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(MissingExtraError, match=r"gammon\[data\]"):
            parquet.dump([], "x.parquet")


class TestFiles:
    def test_content_counts_before_the_suffix(self, tmp_path: Path) -> None:
        match = formats.load(MATCHES / "m3_b.sgf")
        path = tmp_path / "wrong.mat"
        sgf.dump(match, path)
        assert formats.load(path) == match
        assert not list(tmp_path.glob("*.partial"))

    def test_formats_by_suffix(self, tmp_path: Path) -> None:
        match = formats.load(CASES / "m01_plain.mat")
        for suffix in ("mat", "txt", "sgf", "json"):
            formats.dump(match, tmp_path / f"x.{suffix}")
            assert differences(formats.load(tmp_path / f"x.{suffix}"), match) == ()
        formats.dump(match, tmp_path / "named", format="sgf")
        assert formats.load(tmp_path / "named").score == match.score
        for name, options in (("x.doc", {}), ("x.mat", {"format": "pdf"})):
            with pytest.raises(InvalidArgumentError):
                formats.dump(match, tmp_path / name, **options)

    @pytest.mark.parametrize("content", ["", "   \n", "hello", "1. e4 e5", "<html></html>", "[1, 2]", "\x00\x01\x02"])
    def test_unknown_and_empty_files_m31_m33(self, content: str, tmp_path: Path) -> None:
        path = tmp_path / "unknown"
        path.write_text(content)
        with pytest.raises(FileFormatError, match=r"tried json, sgf|empty"):
            formats.load(path)

    @pytest.mark.parametrize("content", ["hello", " 3 point match\n", '; [Site "x"]\n'])
    def test_a_file_without_games_m31(self, content: str, tmp_path: Path) -> None:
        path = tmp_path / "none.mat"
        path.write_text(content)
        with pytest.raises(FileFormatError, match=r"none\.mat: no game"):
            formats.load(path)
        with pytest.raises(FileFormatError, match="no game"):
            list(formats.scan(path))

    def test_a_missing_file(self) -> None:
        for read in (formats.load, mat.load, sgf.load, json.load, fibs.load, text.load):
            with pytest.raises(FileNotFoundError):
                read("no such file")
        with pytest.raises(FileNotFoundError):
            list(formats.scan("no such file"))

    def test_open_files(self) -> None:
        with open(CASES / "m01_plain.mat", "rb") as binary, open(CASES / "m01_plain.mat") as readable:
            assert formats.load(binary) == formats.load(readable)
        with pytest.raises(InvalidArgumentError):
            formats.load(7)  # type: ignore[arg-type]
        buffer = io.BytesIO()
        match = formats.load(CASES / "m01_plain.mat")
        mat.dump(match, buffer)
        assert mat.loads(buffer.getvalue()) == match
        lines = io.StringIO()
        mat.dump(match, lines)
        assert mat.loads(lines.getvalue()) == match

    def test_several_matches_in_a_file(self, tmp_path: Path) -> None:
        one = mat.dumps(formats.load(MATCHES / "m3_b.mat"))
        path = tmp_path / "all.mat"
        path.write_text(one * 3)
        found = list(formats.scan(path))
        assert [match.score for match in found] == [(3, 0)] * 3
        assert all(match.tags == found[0].tags and not match.errors for match in found)
        with pytest.raises(FileFormatError, match="several"):
            formats.load(path)
        with pytest.raises(FileFormatError, match="several"):
            mat.load(path)

    def test_a_header_before_each_game_is_one_match(self) -> None:
        content = mat.dumps(formats.load(MATCHES / "m3_b.mat")).replace(" Game 2", " 3 point match\n\n Game 2")
        assert mat.loads(content).score == (3, 0)

    def test_scanning_a_folder(self) -> None:
        seen = []
        found = list(formats.scan(DATA, on_error=lambda name, error: seen.append(Path(name).name)))
        assert len(found) > 30
        assert "A_legal_plays.jsonl.gz" in seen
        with pytest.raises(FileFormatError):
            list(formats.scan(DATA))

    def test_a_scan_holds_one_match_at_a_time(self, tmp_path: Path) -> None:
        path = tmp_path / "many.mat"
        one = mat.dumps(formats.load(CASES / "m01_plain.mat"))
        peaks = []
        for copies in (100, 500):
            path.write_text(one * copies)
            tracemalloc.start()
            for number, _ in enumerate(formats.scan(path), 1):
                if number % 20 == 0:
                    # The interpreter keeps thousands of freed tuples at hand; that is no memory of ours.
                    gc.collect()
            assert number == copies
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert peaks[1] < 1.2 * peaks[0]

    def test_a_match_that_begins_in_a_game(self) -> None:
        state = State.from_xgid("XGID=-b----E-C---eE---c-e----B-:1:1:1:42:2:3:0:7:6")
        match = Match.from_state(state, names=("Ann", "Bob"))
        match.play("8/4 6/4")
        for name in ("mat", "sgf"):
            back = formats.loads(formats.dumps(match, name))
            assert (back.position, back.score, back.state.cube, back.names) == (
                match.position,
                match.score,
                match.state.cube,
                match.names,
            )
            assert plays(back) == ["8/4 6/4"]
        assert json.loads(json.dumps(match)) == match

    def test_errors_are_no_part_of_a_value(self) -> None:
        assert formats.load(CASES / "m01_plain.mat").errors == []
        assert Match().errors == []
        assert str(Fault(1, 2, "a", "b")) == "line 1, column 2: a (b)"
        assert Event("abandon").kind == "abandon"
        assert Match().phase is Phase.OPENING


@pytest.mark.parametrize("thing", ["x", None, [Match()], Match().state], ids=["text", "none", "list", "state"])
def test_only_matches_are_written(thing: Any, tmp_path: Path) -> None:
    for write in (
        lambda: formats.dumps(thing),
        lambda: formats.dump(thing, tmp_path / "x.sgf"),
        lambda: formats.dump(thing, tmp_path / "x", format="mat"),
        lambda: formats.losses(thing, "mat"),
    ):
        with pytest.raises(InvalidArgumentError, match="a file of matches takes a Match"):
            write()
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_refused_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\x00junk")
    with pytest.raises(FileFormatError, match=r"a\.bin: in no known format"):
        list(formats.scan(tmp_path))
