"""Batches: the same as the objects, in every memory layout, and errors that name the row."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable
from typing import Any

import boards
import numpy as np
import numpy.typing as npt
import pytest
import twin

import gammon
from gammon import batch

Positions = npt.NDArray[np.int8]
Rolls = npt.NDArray[np.uint8]


@pytest.fixture(scope="module", name="positions")
def positions_fixture() -> Positions:
    """Random play, and boards built to be rare."""
    import random

    rng = random.Random(3)
    rare = np.array([boards.random_board(rng) for _ in range(300)], dtype=np.int8)
    return np.concatenate([batch.random_positions(300, 3), rare])


@pytest.fixture(scope="module", name="rolls")
def rolls_fixture(positions: Positions) -> Rolls:
    return np.random.default_rng(4).integers(1, 7, (len(positions), 2), dtype=np.uint8)


class TestAgainstObjects:
    """Every batch function says what the objects say, row by row."""

    def test_legal_positions(self, positions: Positions, rolls: Rolls) -> None:
        values, offsets = batch.legal_positions(positions, rolls)
        assert values.dtype == np.int8
        assert offsets.dtype == np.int64
        assert values.shape == (offsets[-1], 28)
        assert offsets.shape == (len(positions) + 1,)
        assert offsets[0] == 0
        for row in range(len(positions)):
            plays = gammon.Position.from_array(positions[row]).plays(gammon.Roll(*rolls[row].tolist()))
            ours = values[offsets[row] : offsets[row + 1]]
            assert ours.tolist() == [play.after.to_array().tolist() for play in plays]

    def test_view_next(self, positions: Positions, rolls: Rolls) -> None:
        mover, offsets = batch.legal_positions(positions, rolls)
        following, next_offsets = batch.legal_positions(positions, rolls, view="next")
        assert np.array_equal(offsets, next_offsets)
        assert [tuple(row) for row in following.tolist()] == [twin.flip(tuple(row)) for row in mover.tolist()]

    def test_legal_plays(self, positions: Positions, rolls: Rolls) -> None:
        for view in ("mover", "next"):
            values, steps, offsets = batch.legal_plays(positions, rolls, view=view)
            expected, expected_offsets = batch.legal_positions(positions, rolls, view=view)
            assert np.array_equal(values, expected)
            assert np.array_equal(offsets, expected_offsets)
            assert steps.dtype == np.int8
            assert steps.shape == (len(values), 4, 2)
        for row in range(len(positions)):
            plays = gammon.Position.from_array(positions[row]).plays(gammon.Roll(*rolls[row].tolist()))
            for place, play in enumerate(plays):
                padded = [list(step) for step in play.steps] + [[-1, -1]] * (4 - len(play.steps))
                assert steps[offsets[row] + place].tolist() == padded

    def test_count_plays(self, positions: Positions, rolls: Rolls) -> None:
        counts = batch.count_plays(positions, rolls)
        assert np.issubdtype(counts.dtype, np.integer)
        assert counts.tolist() == np.diff(batch.legal_positions(positions, rolls)[1]).tolist()

    def test_flip(self, positions: Positions) -> None:
        flipped = batch.flip(positions)
        assert flipped.dtype == np.int8
        assert [tuple(row) for row in flipped.tolist()] == [twin.flip(tuple(row)) for row in positions.tolist()]
        assert np.array_equal(batch.flip(flipped), positions)

    def test_pips(self, positions: Positions) -> None:
        pips = batch.pips(positions)
        boards_ = [tuple(row) for row in positions.tolist()]
        assert pips.shape == (len(positions), 2)
        assert pips.tolist() == [[twin.pips(board), twin.pips(twin.flip(board))] for board in boards_]

    def test_ids(self, positions: Positions) -> None:
        ids = batch.to_ids(positions)
        assert ids.dtype == np.dtype("<U14")
        assert ids.tolist() == [twin.position_id(tuple(row)) for row in positions.tolist()]
        for given in (ids, ids.tolist(), tuple(ids.tolist())):
            back = batch.from_ids(given)
            assert np.array_equal(back[:, :26], positions[:, :26])
            assert np.array_equal(batch.to_ids(back), ids)
        start = gammon.Position.start("hypergammon")
        assert np.array_equal(batch.from_ids([start.id] * 2, checkers=3), [start.to_array()] * 2)

    def test_keys(self, positions: Positions) -> None:
        keys = batch.to_keys(positions)
        assert (keys.dtype, keys.shape) == (np.uint8, (len(positions), 10))
        letters = [base64.b64encode(key.tobytes()).decode().rstrip("=") for key in keys]
        assert letters == batch.to_ids(positions).tolist()
        back = batch.from_keys(keys)
        assert np.array_equal(back, batch.from_ids(letters))
        assert np.array_equal(batch.from_keys(keys[::-2]), back[::-2])
        assert batch.from_keys(keys[:0]).shape == (0, 28)
        start = gammon.Position.start("hypergammon").to_array()[None]
        assert np.array_equal(batch.from_keys(batch.to_keys(start), checkers=3), start)

    def test_keys_that_are_none(self) -> None:
        keys = batch.to_keys(batch.random_positions(3, seed=1))
        keys[1] = 255
        with pytest.raises(gammon.NotationError, match="row 1"):
            batch.from_keys(keys)
        keys[1] = 0
        with pytest.raises(gammon.InvalidPositionError, match="row 1"):
            batch.from_keys(keys)
        with pytest.raises(gammon.ArrayError, match=r"\(N, 10\)"):
            batch.from_keys(keys[:, :9])

    def test_ids_in_strange_memory(self, positions: Positions) -> None:
        ids = batch.to_ids(positions)
        expected = batch.from_ids(ids)
        assert np.array_equal(batch.from_ids(ids[::-2]), expected[::-2])
        assert np.array_equal(batch.from_ids(ids.astype("<U20")), expected)
        assert np.array_equal(batch.from_ids(ids.astype(">U14")), expected)
        assert np.array_equal(batch.from_ids(ids.astype(object)), expected)

    def test_features_contact404(self, positions: Positions) -> None:
        inputs = batch.features(positions, encoding="contact404")
        assert (inputs.dtype, inputs.shape) == (np.float32, (len(positions), 404))
        assert (inputs[:, :208] == batch.features(positions, encoding="places208")).all()
        features = inputs[:, 208:]
        assert (features >= 0).all()
        assert (features <= 1).all()
        mirrored = batch.features(batch.flip(positions), encoding="contact404")[:, 208:]
        assert (features[:, :98] == mirrored[:, 98:]).all()
        assert (features[:, 98:] == mirrored[:, :98]).all()

    def test_features_raw196(self, positions: Positions) -> None:
        """As docs/encodings.md has it."""
        inputs = batch.features(positions, encoding="raw196")
        assert inputs.dtype == np.float32
        assert inputs.shape == (len(positions), 196)
        assert np.array_equal(inputs, batch.features(positions))

        def side(board: twin.Board) -> list[float]:
            units = []
            for place in range(1, 25):
                n = max(board[place], 0)
                units += [float(n >= 1), float(n >= 2), float(n >= 3), max(n - 3, 0) / 2]
            return [*units, board[25] / 2, board[26] / 15]

        for row, board in zip(inputs.tolist(), positions.tolist(), strict=True):
            expected = side(tuple(board)) + side(twin.flip(tuple(board)))
            assert row == np.array(expected, dtype=np.float32).tolist()
        with pytest.raises(gammon.GammonError, match="raw197"):
            batch.features(positions, encoding="raw197")
        assert batch.features(positions[:0]).shape == (0, 196)

    def test_random_positions(self) -> None:
        positions = batch.random_positions(1_000, 5)
        assert positions.shape == (1_000, 28)
        assert positions.dtype == np.int8
        assert np.array_equal(batch.random_positions(1_000, 5), positions)
        assert np.array_equal(batch.random_positions(10, 5), positions[:10])
        assert not np.array_equal(batch.random_positions(1_000, 6), positions)
        handles = [gammon.Position.from_array(row) for row in positions]
        assert not any(position.is_over for position in handles)
        assert gammon.Position.start() in handles
        assert batch.random_positions(0, 5).shape == (0, 28)


LAYOUTS: dict[str, Callable[[npt.NDArray[Any]], npt.NDArray[Any]]] = {
    "Fortran": np.asfortranarray,
    "every second row": lambda array: np.repeat(array, 2, axis=0)[::2],
    "every second column": lambda array: np.repeat(array, 2, axis=1)[:, ::2],
    "rows backwards": lambda array: np.ascontiguousarray(array[::-1])[::-1],
    "columns backwards": lambda array: np.ascontiguousarray(array[:, ::-1])[:, ::-1],
    "transposed": lambda array: np.ascontiguousarray(array.T).T,
    "unaligned": lambda array: np.frombuffer(b"x" + array.tobytes(), array.dtype, offset=1).reshape(array.shape),
    "read only": lambda array: _locked(array.copy()),
    "part of a record": lambda array: _in_record(array),
}


class TestMemory:
    """Any strides in, the same answer out; what is given is not changed."""

    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
    def test_layouts(
        self, positions: Positions, rolls: Rolls, layout: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
    ) -> None:
        before = positions.copy(), rolls.copy()
        laid, laid_rolls = layout(positions), layout(rolls)
        assert np.array_equal(laid, positions)
        for function in (batch.legal_positions, batch.legal_plays, batch.count_plays):
            for ours, expected in zip(_all(function(laid, laid_rolls)), _all(function(positions, rolls)), strict=True):
                assert np.array_equal(ours, expected)
        for function in (batch.flip, batch.pips, batch.to_ids):
            assert np.array_equal(function(laid), function(positions))
        assert np.array_equal(positions, before[0])
        assert np.array_equal(rolls, before[1])

    def test_broadcast_rows(self) -> None:
        """All rows are one piece of memory."""
        start = np.broadcast_to(gammon.Position.start().to_array(), (21, 28))
        counts = batch.count_plays(start, np.array(boards.ROLLS, dtype=np.uint8))
        assert counts.sum() == 447

    def test_views_are_not_kept(self, positions: Positions, rolls: Rolls) -> None:
        """Answers own their memory: changing what was given, later, changes nothing."""
        given = positions.copy()
        flipped = batch.flip(given)
        values, _ = batch.legal_positions(given, rolls)
        copies = flipped.copy(), values.copy()
        given[:] = 0
        assert np.array_equal(flipped, copies[0])
        assert np.array_equal(values, copies[1])
        for answer in (flipped, values):
            assert not np.shares_memory(answer, given)
            answer[0, 0] = 0  # writable

    def test_empty(self) -> None:
        none, no_rolls = np.empty((0, 28), np.int8), np.empty((0, 2), np.uint8)
        values, offsets = batch.legal_positions(none, no_rolls)
        assert values.shape == (0, 28)
        assert offsets.tolist() == [0]
        values, steps, offsets = batch.legal_plays(none, no_rolls)
        assert (values.shape, steps.shape, offsets.tolist()) == ((0, 28), (0, 4, 2), [0])
        assert batch.count_plays(none, no_rolls).shape == (0,)
        assert batch.flip(none).shape == (0, 28)
        assert batch.pips(none).shape == (0, 2)
        assert batch.to_ids(none).shape == (0,)
        assert batch.to_ids(none).dtype == np.dtype("<U14")
        assert batch.from_ids([]).shape == (0, 28)
        assert batch.from_ids(np.empty(0, "<U14")).shape == (0, 28)

    def test_only_dances(self) -> None:
        closed = gammon.Position.from_points({}, opponent=dict.fromkeys(range(1, 7), 2), bar=2)
        rows = np.stack([closed.to_array()] * 21)
        values, offsets = batch.legal_positions(rows, np.array(boards.ROLLS, dtype=np.uint8))
        assert values.shape == (0, 28)
        assert offsets.tolist() == [0] * 22


class TestOut:
    """`out=` writes into the caller's array and returns the rows used as a view of it."""

    def test_filled(self, positions: Positions, rolls: Rolls) -> None:
        expected, expected_offsets = batch.legal_positions(positions, rolls)
        for spare in (0, 7):
            out = np.full((len(expected) + spare, 28), 99, np.int8)
            values, offsets = batch.legal_positions(positions, rolls, out=out)
            assert np.array_equal(values, expected)
            assert np.array_equal(offsets, expected_offsets)
            assert np.shares_memory(values, out)
            assert np.array_equal(out[: len(expected)], expected)
            assert (out[len(expected) :] == 99).all()

    def test_too_small(self, positions: Positions, rolls: Rolls) -> None:
        needed = len(batch.legal_positions(positions, rolls)[0])
        out = np.full((needed - 1, 28), 99, np.int8)
        with pytest.raises(ValueError, match=str(needed - 1)):
            batch.legal_positions(positions, rolls, out=out)

    @pytest.mark.parametrize(
        "out",
        [
            np.zeros((60_000, 27), np.int8),
            np.zeros((60_000, 28), np.int16),
            np.zeros(60_000 * 28, np.int8),
            np.asfortranarray(np.zeros((60_000, 28), np.int8)),
            np.zeros((120_000, 28), np.int8)[::2],
            np.zeros((60_000, 28), np.int8)[::-1],
        ],
    )
    def test_of_another_kind(self, positions: Positions, rolls: Rolls, out: npt.NDArray[Any]) -> None:
        assert len(batch.legal_positions(positions, rolls)[0]) < 60_000
        with pytest.raises(gammon.GammonError, match="out"):
            batch.legal_positions(positions, rolls, out=out)
        assert not out.any()

    def test_read_only(self, positions: Positions, rolls: Rolls) -> None:
        out = _locked(np.zeros((20_000, 28), np.int8))
        with pytest.raises((ValueError, TypeError), match=r"out|read"):
            batch.legal_positions(positions, rolls, out=out)
        assert not out.any()

    def test_overlapping_the_input(self, positions: Positions, rolls: Rolls) -> None:
        """Positions that lie in `out` themselves are read before it is written, or refused."""
        expected, _ = batch.legal_positions(positions, rolls)
        out = np.zeros((len(expected) + len(positions), 28), np.int8)
        out[: len(positions)] = positions
        try:
            values, _ = batch.legal_positions(out[: len(positions)], rolls, out=out)
        except ValueError:
            assert np.array_equal(out[: len(positions)], positions)
        else:
            assert np.array_equal(values, expected)


class TestThreads:
    """The number of threads changes nothing but the time."""

    def test_the_same(self) -> None:
        positions = batch.random_positions(20_000, 9)
        rolls = np.random.default_rng(9).integers(1, 7, (len(positions), 2), dtype=np.uint8)
        for function in (batch.legal_positions, batch.legal_plays, batch.count_plays):
            alone = _all(function(positions, rolls, threads=1))
            for threads in (2, 3, 8, None):
                for ours, expected in zip(_all(function(positions, rolls, threads=threads)), alone, strict=True):
                    assert np.array_equal(ours, expected)

    def test_in_pieces(self) -> None:
        positions = batch.random_positions(3_000, 10)
        rolls = np.random.default_rng(10).integers(1, 7, (len(positions), 2), dtype=np.uint8)
        whole, _ = batch.legal_positions(positions, rolls)
        pieces = [batch.legal_positions(positions[at : at + 7], rolls[at : at + 7])[0] for at in range(0, 3_000, 7)]
        assert np.array_equal(np.concatenate(pieces), whole)

    @pytest.mark.parametrize("threads", [0, -1, -(2**40), 2**70])
    def test_impossible_numbers(self, threads: int) -> None:
        positions = batch.random_positions(3, 1)
        with pytest.raises(ValueError, match=str(threads)):
            batch.count_plays(positions, np.ones((3, 2), np.uint8), threads=threads)

    def test_more_threads_than_work(self) -> None:
        positions = batch.random_positions(3, 1)
        rolls = np.ones((3, 2), np.uint8)
        few, many = (batch.legal_positions(positions, rolls, threads=threads) for threads in (1, 1_000))
        assert np.array_equal(few[0], many[0])

    def test_the_gil_is_released(self) -> None:
        """Another Python thread goes on counting during one long call."""
        positions = np.tile(batch.random_positions(20_000, 2), (50, 1))
        rolls = np.random.default_rng(2).integers(1, 7, (len(positions), 2), dtype=np.uint8)
        ticks: list[float] = []
        stop = threading.Event()

        def tick() -> None:
            while not stop.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        while not ticks:
            time.sleep(0.001)
        begin = time.perf_counter()
        batch.count_plays(positions, rolls, threads=1)
        end = time.perf_counter()
        stop.set()
        thread.join()
        assert end - begin > 0.03, "the call is too short to tell"
        # With the GIL held no tick falls strictly inside of the call.
        middle = [tick for tick in ticks if begin + 0.25 * (end - begin) < tick < begin + 0.75 * (end - begin)]
        assert middle

    def test_calls_from_many_threads(self, positions: Positions, rolls: Rolls) -> None:
        expected, _ = batch.legal_positions(positions, rolls)
        answers: list[Positions] = []

        def work() -> None:
            for _ in range(5):
                answers.append(batch.legal_positions(positions, rolls, threads=2)[0])

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == 30
        assert all(np.array_equal(answer, expected) for answer in answers)


GOOD = np.tile(gammon.Position.start().to_array(), (5, 1))
DICE = np.full((5, 2), 3, np.uint8)


class TestFaults:
    """What is not a batch is refused; the message names the row, the value, or what was expected."""

    @pytest.mark.parametrize(
        "positions",
        [
            GOOD.astype(np.int16),
            GOOD.astype(np.int64),
            GOOD.astype(np.uint8),
            GOOD.astype(np.float32),
            GOOD.astype(bool),
            GOOD.astype(object),
            GOOD[:, :27],
            GOOD[0],
            GOOD[None],
            np.zeros((5, 0), np.int8),
        ],
        ids=lambda array: f"{array.dtype} {array.shape}",
    )
    def test_positions_of_another_kind(self, positions: npt.NDArray[Any]) -> None:
        for call in (
            lambda: batch.legal_positions(positions, DICE),
            lambda: batch.legal_plays(positions, DICE),
            lambda: batch.count_plays(positions, DICE),
            lambda: batch.flip(positions),
            lambda: batch.pips(positions),
            lambda: batch.to_ids(positions),
        ):
            with pytest.raises((TypeError, ValueError), match=r"int8.*28|28.*int8"):
                call()

    @pytest.mark.parametrize("positions", [None, GOOD.tolist(), "4HPwATDgc/ABMA", 5])
    def test_no_array_at_all(self, positions: Any) -> None:
        with pytest.raises((TypeError, ValueError), match=r"\S"):
            batch.count_plays(positions, DICE)

    @pytest.mark.parametrize(
        "rolls",
        [
            DICE.astype(np.int8),
            DICE.astype(np.int64),
            DICE.astype(np.float64),
            DICE[:, :1],
            DICE[0],
            np.ones((5, 3), np.uint8),
        ],
        ids=lambda array: f"{array.dtype} {array.shape}",
    )
    def test_rolls_of_another_kind(self, rolls: npt.NDArray[Any]) -> None:
        for function in (batch.legal_positions, batch.legal_plays, batch.count_plays):
            with pytest.raises((TypeError, ValueError), match=r"uint8.*2|2.*uint8"):
                function(GOOD, rolls)

    def test_different_lengths(self) -> None:
        for function in (batch.legal_positions, batch.legal_plays, batch.count_plays):
            with pytest.raises(ValueError, match=r"5.*4|4.*5"):
                function(GOOD, DICE[:4])
            with pytest.raises(ValueError, match=r"5.*0|0.*5"):
                function(GOOD, DICE[:0])

    @pytest.mark.parametrize("die", [0, 7, 255])
    @pytest.mark.parametrize("row", [0, 3, 4])
    def test_a_die_that_does_not_exist(self, row: int, die: int) -> None:
        rolls = DICE.copy()
        rolls[row, 1] = die
        for function in (batch.legal_positions, batch.legal_plays, batch.count_plays):
            with pytest.raises(ValueError, match=rf"row {row}\b.*\b{die}\b"):
                function(GOOD, rolls)

    @pytest.mark.parametrize("row", [0, 2, 4])
    def test_a_row_that_is_no_position(self, row: int) -> None:
        bad = GOOD.copy()
        bad[row, 6] = 6
        for call in (
            lambda: batch.legal_positions(bad, DICE),
            lambda: batch.legal_plays(bad, DICE),
            lambda: batch.count_plays(bad, DICE),
            lambda: batch.flip(bad),
            lambda: batch.pips(bad),
            lambda: batch.to_ids(bad),
        ):
            with pytest.raises(gammon.InvalidPositionError, match=rf"row {row}\b.*16 checkers"):
                call()

    def test_the_first_bad_row_is_named_for_any_threads(self) -> None:
        bad = np.tile(GOOD, (4_000, 1))
        bad[[15_000, 1_234, 19_999], 6] = 6
        rolls = np.full((len(bad), 2), 1, np.uint8)
        for threads in (1, 2, 8):
            with pytest.raises(gammon.InvalidPositionError, match=r"row 1234\b"):
                batch.legal_positions(bad, rolls, threads=threads)

    @pytest.mark.parametrize("view", ["", "Mover", "opponent", None, 1])
    def test_unknown_view(self, view: Any) -> None:
        for function in (batch.legal_positions, batch.legal_plays):
            with pytest.raises((ValueError, TypeError), match=r"mover|str"):
                function(GOOD, DICE, view=view)

    @pytest.mark.parametrize("bad", ["", "4HPwATDgc/ABM", "4HPwATDgc/ABMAA", "4HPwATDgc_ABMA", "/78AAPD/AwAAAA", "é"])
    def test_ids(self, bad: str) -> None:
        good = gammon.Position.start().id
        for ids in ([good, good, bad, good], np.array([good, good, bad, good])):
            with pytest.raises((gammon.NotationError, gammon.InvalidPositionError), match=r"row 2\b"):
                batch.from_ids(ids)

    @pytest.mark.parametrize("bad", [5, "4HPwATDgc/ABMA", [5], [None], np.zeros(3), np.array([["4HPwATDgc/ABMA"]])])
    def test_ids_of_another_kind(self, bad: Any) -> None:
        with pytest.raises((TypeError, ValueError), match=r"\S"):
            batch.from_ids(bad)

    @pytest.mark.parametrize("n", [-1, -(2**70), 2**70, 2**62])
    def test_impossible_numbers_of_positions(self, n: int) -> None:
        with pytest.raises((ValueError, OverflowError, MemoryError), match=r"\S"):
            batch.random_positions(n, 1)

    @pytest.mark.parametrize("seed", [-1, 2**64])
    def test_impossible_seeds(self, seed: int) -> None:
        with pytest.raises(ValueError, match=str(seed)):
            batch.random_positions(1, seed)

    def test_the_largest_seed(self) -> None:
        assert batch.random_positions(3, 2**64 - 1).shape == (3, 28)


def _all(answer: Any) -> tuple[npt.NDArray[Any], ...]:
    return answer if isinstance(answer, tuple) else (answer,)


def _locked(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array


def _in_record(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array as a field of records, with other bytes in between."""
    records = np.zeros(len(array), [("before", np.int8), ("field", array.dtype, array.shape[1:]), ("after", np.int16)])
    records["field"] = array
    return records["field"]
