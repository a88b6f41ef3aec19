"""The library's plays against the slow twin: many random pairs, and boards built to be extreme."""

from __future__ import annotations

import base64
import multiprocessing
import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

import boards
import numpy as np
import pytest
import twin
from hypothesis import assume, example, given
from hypothesis import strategies as st

import gammon

# Pairs for one process; each process has its own seed.
CHUNK = 5_000


def differences(seed: int, pairs: int) -> tuple[int, int, list[str]]:
    """Compares pairs of position and roll: how many, how many results, and what differed.

    Half of the positions come from random play (of all four starts), the others are built to be rare.
    """
    rng = random.Random(seed)
    played = gammon.batch.random_positions(pairs // 2, seed)
    rows = [tuple(row) for row in played.tolist()]
    rows += [boards.random_board(rng) for _ in range(pairs - len(rows))]
    rolls = [(rng.randint(1, 6), rng.randint(1, 6)) for _ in rows]
    positions = np.array(rows, dtype=np.int8)
    dice = np.array(rolls, dtype=np.uint8)
    values, offsets = gammon.batch.legal_positions(positions, dice, threads=1)
    counts = gammon.batch.count_plays(positions, dice).tolist()
    found = [tuple(row) for row in values.tolist()]
    bounds = offsets.tolist()
    faults = []
    for row, (board, roll) in enumerate(zip(rows, rolls, strict=True)):
        ours = found[bounds[row] : bounds[row + 1]]
        expected = twin.results(board, *roll)
        if set(ours) != expected or len(ours) != len(expected) or counts[row] != len(expected):
            faults.append(f"{twin.position_id(board)} {roll} {board}")
    return len(rows), len(found), faults


def compare(pairs: int, first_seed: int) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        seeds = range(first_seed, first_seed + pairs // CHUNK)
        parts = list(pool.map(differences, seeds, [CHUNK] * len(seeds)))
    assert sum(part[0] for part in parts) >= pairs
    assert sum(part[1] for part in parts) > 10 * pairs, "the pairs have suspiciously few results"
    assert [fault for part in parts for fault in part[2]] == []


def test_200_000_random_pairs() -> None:
    compare(200_000, 1_000)


@pytest.mark.slow
def test_2_000_000_random_pairs() -> None:
    compare(2_000_000, 100_000)


def test_random_boards_reach_the_edges() -> None:
    """The random boards are what they are meant to be: else the comparison above proves less than it says."""
    rng = random.Random(5)
    made = [boards.random_board(rng) for _ in range(3_000)]
    assert sum(board[25] >= 3 for board in made) > 100
    assert sum(board[25] > 0 and board[0] < 0 for board in made) > 30
    assert sum(twin.checkers(board) < 15 for board in made) > 100
    assert sum(sum(board[1:26]) == 1 for board in made) > 10
    assert sum(max(place for place in range(1, 26) if board[place] > 0) <= 6 for board in made) > 100
    assert sum(max(board[1:26]) >= 10 for board in made) > 30
    played = Counter(numbers_played(board, *rng.choice(boards.ROLLS)) for board in made)
    assert all(played[numbers] > 30 for numbers in range(5)), played


def numbers_played(board: twin.Board, first: int, second: int) -> int:
    """How many numbers of a roll can be played."""
    orders = [(first,) * 4] if first == second else [(first, second), (second, first)]
    return max(sum(map(bool, twin.played_in_order(board, order))) - 1 for order in orders)


# One side's checkers as places in its own numbering, extreme in one way each.
bar_heavy = st.builds(
    lambda on_bar, rest: ([25] * on_bar + rest)[:15],
    st.integers(1, 15),
    st.lists(st.integers(1, 24), max_size=14),
)
few = st.lists(st.integers(1, 25), min_size=1, max_size=3)
stacked = st.builds(lambda place, n: [place] * n, st.integers(1, 25), st.integers(1, 15))
two_stacks = st.builds(
    lambda a, b, n, m: ([a] * n + [b] * m)[:15], *[st.integers(1, 25)] * 2, *[st.integers(1, 14)] * 2
)
prime = st.builds(
    lambda lowest, length, rest: ([p for p in range(lowest, min(lowest + length, 25)) for _ in range(2)] + rest)[:15],
    st.integers(1, 22),
    st.integers(3, 7),
    st.lists(st.integers(1, 25), max_size=5),
)
bearing_off = st.lists(st.integers(1, 7), min_size=1, max_size=15)
blots = st.lists(st.integers(1, 24), min_size=1, max_size=15, unique=True)
anywhere = st.lists(st.integers(1, 25), min_size=1, max_size=15)
one_side = st.one_of(bar_heavy, few, stacked, two_stacks, prime, bearing_off, blots, anywhere)


@st.composite
def extreme_boards(draw: st.DrawFn) -> twin.Board:
    """A playable board."""
    cells = [0] * 28
    for place in draw(one_side):
        cells[place] += 1
    for place in draw(one_side):
        if cells[25 - place] <= 0:
            cells[25 - place] -= 1
    own, opponent = (sum(max(sign * cell, 0) for cell in cells[:26]) for sign in (1, -1))
    assume(opponent > 0)
    assume(not boards.is_shut_out(cells))
    return boards.with_off(cells, draw(st.sampled_from([15, 15, own])), draw(st.sampled_from([15, 15, opponent])))


throws = st.tuples(st.integers(1, 6), st.integers(1, 6))

Answer = TypeVar("Answer")


def attempt(call: Callable[[], Answer], *errors: type[gammon.GammonError]) -> Answer | gammon.GammonError:
    """What a call returns, or the expected error that it raises; any other error fails the test."""
    try:
        return call()
    except errors as error:
        return error


def handle(board: twin.Board) -> gammon.Position:
    return gammon.Position.from_array(np.array(board, dtype=np.int8))


def cells(position: gammon.Position) -> twin.Board:
    return tuple(position.to_array().tolist())


@given(extreme_boards(), throws)
@example(boards.from_letters("------D-----b-----Ae------"), (6, 5))
def test_extreme_boards(board: twin.Board, throw: tuple[int, int]) -> None:
    plays = handle(board).plays(gammon.Roll(*throw))
    results = [cells(play.after) for play in plays]
    assert set(results) == twin.results(board, *throw)
    assert len(set(results)) == len(results)


@given(extreme_boards(), throws)
def test_checkers_are_conserved_and_pips_fall(board: twin.Board, throw: tuple[int, int]) -> None:
    roll = gammon.Roll(*throw)
    position = handle(board)
    assert position.pips == twin.pips(board)
    assert position.opponent_pips == twin.pips(twin.flip(board))
    for play in position.plays(roll):
        after = cells(play.after)
        assert twin.checkers(after) == twin.checkers(board)
        assert twin.checkers(twin.flip(after)) == twin.checkers(twin.flip(board))
        numbers = [roll.high] * 4 if roll.is_double else [roll.high, roll.low]
        assert len(play.steps) <= len(numbers)
        lost = position.pips - play.after.pips
        assert lost == sum(start - to for start, to in play.steps)
        off = any(to == 0 for _, to in play.steps)
        if not off and len(play.steps) == len(numbers):
            assert lost == sum(numbers)
        elif not off:
            assert lost in {roll.high * len(play.steps), roll.low}
        else:
            assert 0 < lost <= sum(numbers)
        # The opponent only loses what is hit.
        hits = -after[0] + board[0]
        assert 0 <= hits <= len(play.steps)


@given(extreme_boards(), throws)
def test_steps_are_legal_one_by_one(board: twin.Board, throw: tuple[int, int]) -> None:
    """The canonical steps, in their order, are what the twin allows, with each die used once."""
    roll = gammon.Roll(*throw)
    for play in handle(board).plays(roll):
        reached = {(board, tuple([roll.high] * 4 if roll.is_double else [roll.high, roll.low]))}
        for step in play.steps:
            reached = {
                (twin.make_step(at, *step), dice[:place] + dice[place + 1 :])
                for at, dice in reached
                for place, die in enumerate(dice)
                if step in twin.single_steps(at, die)
            }
        assert {at for at, _ in reached} == {cells(play.after)}
        assert list(play.steps) == sorted(play.steps, key=lambda step: -step[0])


@given(extreme_boards())
def test_flip_ids_and_arrays_round_trip(board: twin.Board) -> None:
    position = handle(board)
    assert cells(position) == board
    assert cells(position.flip()) == twin.flip(board)
    assert position.flip().flip() == position
    assert position.id == twin.position_id(board)
    assert gammon.Position.from_array(position.to_array()) == position
    assert gammon.Position.from_id(position.id).id == position.id
    assert cells(gammon.Position.from_id(position.id)) == boards.with_off([*board[:26], 0, 0])
    own = {place: board[place] for place in range(1, 25) if board[place] > 0}
    opponent = {25 - place: -board[place] for place in range(1, 25) if board[place] < 0}
    built = gammon.Position.from_points(
        own, opponent=opponent, bar=board[25], opponent_bar=-board[0], off=board[26], opponent_off=board[27]
    )
    assert built == position
    assert [position[place] for place in range(1, 25)] == list(board[1:25])
    assert (position.bar, position.off) == (board[25], board[26])
    assert (position.opponent_bar, position.opponent_off) == (-board[0], board[27])
    own_places = [place for place in range(1, 26) if board[place] > 0]
    opponent_places = [place for place in range(25) if board[place] < 0]
    assert position.is_contact == (max(own_places) > min(opponent_places))
    assert not position.is_over
    assert position.outcome is None


@given(extreme_boards(), throws)
def test_a_listed_play_is_legal_by_itself(board: twin.Board, throw: tuple[int, int]) -> None:
    roll = gammon.Roll(*throw)
    position = handle(board)
    plays = position.plays(roll)
    for play in list(plays)[:40]:
        assert position.play(str(play), roll) == play
        assert play in plays
        assert str(play) in plays
        assert play.after in plays
    if not plays:
        empty = position.play("", roll)
        assert empty.steps == ()
        assert empty.after == position
        assert empty.next == position.flip()


@given(extreme_boards(), throws, st.data())
def test_a_play_that_is_not_listed_is_illegal(board: twin.Board, throw: tuple[int, int], data: st.DataObject) -> None:
    """A listed play with one step changed, left out or added, told in single steps."""
    roll = gammon.Roll(*throw)
    position = handle(board)
    plays = position.plays(roll)
    assume(len(plays) > 0)
    steps = list(data.draw(st.sampled_from(list(plays))).steps)
    place = data.draw(st.integers(0, len(steps) - 1))
    start = data.draw(st.integers(1, 25))
    changed = (start, max(start - data.draw(st.integers(1, 6)), 0))
    match data.draw(st.sampled_from(["change", "leave out", "add"])):
        case "change":
            steps[place] = changed
        case "leave out":
            del steps[place]
        case _:
            steps.append(changed)
    names = {25: "bar", 0: "off"}
    text = " ".join(f"{names.get(start, start)}/{names.get(to, to)}" for start, to in steps)
    legal = {tuple(own_changes(board, cells(play.after))): play for play in plays}
    moved = [0] * 27
    for start, to in steps:
        moved[start] -= 1
        moved[26 if to == 0 else to] += 1
    answer = attempt(lambda: position.play(text, roll), gammon.IllegalPlayError, gammon.AmbiguousPlayError)
    if isinstance(answer, gammon.IllegalPlayError):
        assert text in str(answer)
        assert text not in plays
        single = all(start - to in throw for start, to in steps)
        same = [play for play in plays if sorted(play.steps) == sorted(steps)]
        assert not (single and same), f"{text} is listed"
    elif isinstance(answer, gammon.Play):
        assert tuple(moved[1:]) in legal, f"{text} was read as {answer}"
        assert answer in plays


def own_changes(before: twin.Board, after: twin.Board) -> list[int]:
    """How many of the player's checkers each place 1 to 26 gains."""
    return [max(after[place], 0) - max(before[place], 0) for place in range(1, 27)]


def _packed(bits: list[bool]) -> bytes:
    """80 bits, the lowest first."""
    return sum(bit << place for place, bit in enumerate(bits)).to_bytes(10, "little")


ID_ERRORS = (gammon.NotationError, gammon.InvalidPositionError)


@given(st.text(max_size=20) | st.text("ABCDEFGH/+", min_size=14, max_size=14), st.integers(1, 15))
def test_any_text_as_an_id(text: str, checkers: int) -> None:
    answer = attempt(lambda: gammon.Position.from_id(text, checkers=checkers), *ID_ERRORS)
    if isinstance(answer, gammon.Position):
        assert answer.id == text
        assert twin.checkers(cells(answer)) == checkers
    else:
        assert str(answer)
        assert "\n" not in str(answer)


@given(st.binary(min_size=10, max_size=10) | st.lists(st.booleans(), min_size=80, max_size=80).map(_packed))
def test_any_80_bits_as_an_id(data: bytes) -> None:
    text = base64.b64encode(data).decode().rstrip("=")
    answer = attempt(lambda: gammon.Position.from_id(text), *ID_ERRORS)
    if isinstance(answer, gammon.Position):
        assert answer.id == text
        assert cells(answer) == tuple(gammon.batch.from_ids([text])[0].tolist())
    else:
        with pytest.raises(type(answer), match="row 0"):
            gammon.batch.from_ids([text])


@given(extreme_boards(), throws, st.text(max_size=30) | st.text("0123456789/*() barof,-", max_size=30))
def test_any_text_as_a_play(board: twin.Board, throw: tuple[int, int], text: str) -> None:
    roll = gammon.Roll(*throw)
    position = handle(board)
    answer = attempt(lambda: position.play(text, roll), gammon.NotationError, gammon.IllegalPlayError)
    if isinstance(answer, gammon.Play):
        assert answer in position.plays(roll) or (answer.steps == () and not position.plays(roll))
    else:
        assert str(answer)


@given(
    st.lists(st.integers(-128, 127), min_size=28, max_size=28) | st.lists(st.integers(-1, 1), min_size=28, max_size=28)
)
def test_any_28_cells_as_a_position(row: list[int]) -> None:
    array = np.array(row, dtype=np.int8)
    answer = attempt(lambda: gammon.Position.from_array(array), gammon.InvalidPositionError)
    if isinstance(answer, gammon.Position):
        assert cells(answer) == tuple(row)
        assert all(0 <= twin.checkers(side) <= 15 for side in (tuple(row), twin.flip(tuple(row))))
    else:
        assert str(answer)
        with pytest.raises(gammon.InvalidPositionError, match="row 0"):
            gammon.batch.flip(array[None, :])


points = st.dictionaries(st.integers(-3, 30), st.integers(-3, 20), max_size=6)


@given(points, points)
def test_any_points_as_a_position(own: dict[int, int], opponent: dict[int, int]) -> None:
    answer = attempt(lambda: gammon.Position.from_points(own, opponent=opponent), gammon.InvalidPositionError)
    if isinstance(answer, gammon.Position):
        assert all(answer[point] == count for point, count in own.items() if count)
        assert all(answer[25 - point] == -count for point, count in opponent.items() if count)
    else:
        assert str(answer)
