"""Text boards: golden files, and a reader that knows only the layout and must find the same position."""

from __future__ import annotations

import random
import re

import pytest
from drawings import FOLDER, STACKED, crawford_state, doubled, hostile, money_state, redoubled, texts

from gammon import InvalidArgumentError, Match, Position, Roll, Rules, State, batch, render

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def test_golden_files_are_all_there() -> None:
    assert len(texts()) > 15
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(texts())


@pytest.mark.parametrize("name", texts())
def test_golden(name: str) -> None:
    assert texts()[name] + "\n" == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def read(board: str, *, own: str = "X") -> Position:
    """The position, seen by the player with these letters, who is on roll: from the numbers at the edges alone."""
    lines = board.splitlines()
    position: dict[str, dict[int, int]] = {"X": {}, "O": {}}
    bars = dict.fromkeys("XO", 0)
    off = {"X": 0, "O": 0}
    for edge, rows in ((lines[0], lines[1:6]), (lines[12], lines[11:6:-1])):
        numbers = [int(number) for number in re.findall(r"\d+", edge)]
        assert len(numbers) == 12
        starts = [1 + 3 * column + (5 if column > 5 else 0) for column in range(12)]
        for number, start in zip(numbers, starts, strict=True):
            cells = [row[start : start + 3].strip() for row in rows]
            letters = [cell for cell in cells if cell and cell in "XO"]
            if letters:
                assert len(set(letters)) == 1
                count = int(cells[4]) if cells[4].isdigit() else len(letters)
                point = number if letters[0] == own else 25 - number
                position[letters[0]][point] = count
        bar = re.fullmatch(r"(\d+)([XO])", rows[0][20:23].strip())
        if bar:
            bars[bar[2]] = int(bar[1])
        note = re.search(r"([XO]): \d+ pips(?:, (\d+) off)?", rows[0][43:])
        assert note is not None
        off[note[1]] = int(note[2] or 0)
    other = "O" if own == "X" else "X"
    return Position.from_points(
        position[own],
        opponent=position[other],
        bar=bars[own],
        opponent_bar=bars[other],
        off=off[own],
        opponent_off=off[other],
    )


def test_every_position_can_be_read_from_its_board() -> None:
    chance = random.Random(5)
    cells = batch.random_positions(300, seed=11)
    positions = [Position.from_array(row) for row in cells] + [STACKED, Position.start("hypergammon")]
    for position in positions:
        direction = chance.choice(["clockwise", "counterclockwise"])
        for view in ("player", "opponent"):
            board = render.text(position, view=view, direction=direction)  # type: ignore[arg-type]
            assert read(board) == position
        state = State(position, on_roll=1)
        assert read(render.text(state), own="O") == position
        assert read(render.text(state, view=0), own="O") == position


@pytest.mark.parametrize("name", texts())
def test_it_fits_a_terminal(name: str) -> None:
    lines = ANSI.sub("", texts()[name]).splitlines()
    assert len(lines) <= 14
    assert all(len(line) <= 80 for line in lines)


def test_colors_and_discs_change_nothing_else() -> None:
    for drawable in (STACKED, money_state(), crawford_state(), doubled(), redoubled()):
        plain = render.text(drawable)
        assert plain.isascii()
        assert ANSI.sub("", render.text(drawable, color=True)) == plain
        discs = ANSI.sub("", render.text(drawable, color=True, unicode=True))
        assert discs == render.text(drawable, unicode=True)
        back = discs.translate(str.maketrans("●○─│┌┐└┘", "XO-|++++"))
        assert back == plain


def test_names_cannot_move_the_cursor_or_break_the_lines() -> None:
    for unicode in (False, True):
        board = render.text(hostile(), unicode=unicode)
        assert "\x1b" not in board
        assert "\u202e" not in board
        assert len(board.splitlines()) == 14
    assert render.text(hostile()).isascii()


def test_the_widest_notes_fit() -> None:
    four_hits = Position.from_points({13: 1, 11: 1, 8: 1}, opponent={1: 1, 13: 1, 15: 1, 18: 1}, bar=1)
    play = four_hits.play("bar/24* 13/12* 11/10* 8/7*", Roll(1, 1))
    assert "bar/24*" in render.text(play)
    long = Match(Rules.tournament(32767, clock_use="required"), names=("N" * 90, "字" * 90))
    for drawable in (play, long, long.state):
        for unicode in (False, True):
            lines = render.text(drawable, unicode=unicode).splitlines()
            widths = [sum(2 if letter == "字" else 1 for letter in line) for line in lines]
            assert max(widths) <= 80


def test_what_is_shown_between_games() -> None:
    match = Match(Rules.match(3), names=("Ann", "Bob"))
    match.roll(Roll(3, 1), player=0)
    match.resign("gammon")
    match.accept()
    assert "O won 2 points, by resignation" in render.text(match)
    match.concede(0)
    assert "O has won the match" in render.text(match)


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (lambda: render.text("start"), "start"),  # type: ignore[arg-type]
        (lambda: render.text(Position.start(), view="white"), "white"),  # type: ignore[arg-type]
        (lambda: render.text(Position.start(), view=0), "0"),
        (lambda: render.text(money_state(), view=True), "True"),
        (lambda: render.text(money_state(), view=2), "2"),  # type: ignore[arg-type]
        (lambda: render.text(Position.start(), direction="left"), "left"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_drawn(call, value: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgumentError, match=value):
        call()
