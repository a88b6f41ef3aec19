"""Two-sided tables: against recorded equities, GNU Backgammon's own table, and what they promise at their edges."""

from __future__ import annotations

import functools
import itertools
import json
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import gammon
from gammon import Position, Roll
from gammon.bearoff import CubeAction, TwoSided
from gammon.cube import Cube, Ladder, Score
from gammon.met import MatchEquityTable

DATA = Path(__file__).parent / "data" / "D_bearoff_twosided.jsonl"
CENTRED, OWNED, OPPONENT = Cube(), Cube(2, "player"), Cube(2, "opponent")
HALF_QUANTUM = 0.5 / 32767.5 + 1e-9


@pytest.fixture(scope="module")
def seven() -> TwoSided:
    return TwoSided.build(points=6, checkers=7)


@pytest.fixture(scope="module")
def four() -> TwoSided:
    return TwoSided.build(points=6, checkers=4)


def side(*counts: int) -> dict[int, int]:
    return {point: count for point, count in enumerate(counts, 1) if count}


def position(own: tuple[int, ...], opponent: tuple[int, ...]) -> Position:
    return Position.from_points(side(*own), opponent=side(*opponent))


def recorded() -> Iterator[dict[str, object]]:
    yield from map(json.loads, DATA.read_text().splitlines())


class TestEquities:
    def test_recorded_equities(self, seven: TwoSided) -> None:
        six = TwoSided.default()
        checked = 0
        for row in recorded():
            where = Position.from_id(str(row["id"]))
            assert where == position(row["me"], row["opp"])  # type: ignore[arg-type]
            cubeless, owned, centred, opponent = row["eq"]  # type: ignore[misc]
            for table in (seven,) if row["nchequers"] == 7 else (six, seven):
                for expected, cube, no_double in (
                    (cubeless, "none", False),
                    (owned, OWNED, True),
                    (centred, CENTRED, True),
                    (opponent, OPPONENT, False),
                ):
                    equity = table.equity(where, cube, no_double=no_double)
                    assert abs(equity - expected) <= HALF_QUANTUM, (row, cube)
                # A double pays twice a number of the table.
                assert table.equity(where, OWNED) == pytest.approx(row["owned_opt"], abs=2 * HALF_QUANTUM)
                assert table.equity(where, CENTRED) == pytest.approx(row["centred_opt"], abs=2 * HALF_QUANTUM)
                action = table.cube_action(where, CENTRED)
                assert action.double_take == pytest.approx(row["double_take"], abs=2 * HALF_QUANTUM)
                checked += 1
        assert checked > 300

    def test_tables_agree_where_they_overlap(self, seven: TwoSided) -> None:
        rows = np.stack([row.to_array() for row in map(Position.from_id, (str(r["id"]) for r in recorded()))])
        both = seven.equities(rows)[0], TwoSided.default().equities(rows)[0]
        known = ~np.isnan(both[1])
        assert known.sum() > 100
        assert np.array_equal(both[0][known], both[1][known])

    def test_known_values(self) -> None:
        # Two checkers on the ace against two: whoever rolls wins.
        table = TwoSided.default()
        assert table.equity(position((2,), (2,))) == 1
        # From the six point 27 of 36 throws bear off.
        assert table.equity(position((0, 0, 0, 0, 0, 1), (1,))) == pytest.approx(0.5, abs=HALF_QUANTUM)
        # 5 and 2: 19 of 36.
        assert table.equity(position((0, 1, 0, 0, 1), (1,))) == pytest.approx(2 / 36, abs=HALF_QUANTUM)

    def test_fifteen_on_the_ace(self) -> None:
        """All checkers on the ace: every roll takes two, every double four. Exact fractions, gammons included."""

        @functools.cache
        def rolling(i: int, j: int, access: str) -> Fraction:
            if i == 0:
                return Fraction(2 if j == 15 else 1)
            if j == 0:
                return Fraction(-2 if i == 15 else -1)
            return -sum(weight * option(j, max(i - off, 0), FLIPPED[access]) for off, weight in STEPS)

        def option(i: int, j: int, access: str) -> Fraction:
            value = rolling(i, j, access)
            if access in ("none", "opponent") or 0 in (i, j):
                return value
            return max(value, min(2 * rolling(i, j, "opponent"), Fraction(1)))

        STEPS = ((2, Fraction(5, 6)), (4, Fraction(1, 6)))
        FLIPPED = {"none": "none", "player": "opponent", "opponent": "player", "centred": "centred"}
        table = TwoSided.build(points=1, checkers=15)
        for i, j in itertools.product(range(1, 16), repeat=2):
            quantum = HALF_QUANTUM * (2 if 15 in (i, j) else 1)
            for access, cube in (("none", "none"), ("player", OWNED), ("centred", CENTRED), ("opponent", OPPONENT)):
                where = position((i,), (j,))
                equity = table.equity(where, cube, no_double=True)  # type: ignore[arg-type]
                assert abs(equity - rolling(i, j, access)) <= quantum
                best = table.equity(where, cube)  # type: ignore[arg-type]
                assert abs(best - option(i, j, access)) <= 2 * quantum
        assert table.equity(position((15,), (15,))) == pytest.approx(0.34043, abs=5e-5)

    @given(
        st.lists(st.integers(1, 6), min_size=1, max_size=6),
        st.lists(st.integers(1, 6), min_size=1, max_size=6),
    )
    def test_invariants(self, own: list[int], other: list[int]) -> None:
        table = TwoSided.default()
        where = Position.from_points(Counter(own), opponent=Counter(other))
        cubeless = table.equity(where)
        owned, centred, opponent = (table.equity(where, cube) for cube in (OWNED, CENTRED, OPPONENT))
        assert -1 <= opponent <= centred <= owned <= 1
        assert -1 <= cubeless <= 1
        # The mean of the best plays is the equity of rolling.
        for cube, rolling in (("none", cubeless), (CENTRED, table.equity(where, CENTRED, no_double=True))):
            mean = sum(roll.weight * table.best_play(where, roll, cube)[1] for roll in Roll.all()) / 36  # type: ignore[arg-type]
            assert mean == pytest.approx(rolling, abs=4 * HALF_QUANTUM)

    def test_finished_games(self) -> None:
        table = TwoSided.default()
        over = Position.from_points({}, opponent={2: 3})
        assert table.equity(over) == 1 == table.equity(over, CENTRED)
        assert table.equity(over.flip(), OWNED) == -1
        assert table.cube_action(over) == pytest.approx((1, math.nan, math.nan, 1, "unavailable"), nan_ok=True)
        with pytest.raises(ValueError, match="over"):
            table.best_play(over, Roll(2, 1))

    def test_seven_points(self) -> None:
        table = TwoSided.build(points=8, checkers=3, cubeful=False)
        # Home first: a checker on the 7 point cannot be borne off with one die.
        where = position((0, 0, 0, 0, 0, 0, 1), (1,))
        wins = sum(
            roll.weight for roll in Roll.all() if roll.high + roll.low >= 7 or (roll.is_double and 4 * roll.high >= 7)
        )
        assert table.equity(where) == pytest.approx(2 * wins / 36 - 1, abs=HALF_QUANTUM)


class TestPlaysAndCube:
    def test_best_play(self, four: TwoSided) -> None:
        for own, other in (((1, 0, 1, 0, 1), (2, 1)), ((0, 2, 0, 0, 0, 2), (1, 1, 1)), ((4,), (4,))):
            where = position(own, other)
            for roll, cube in itertools.product(Roll.all(), ("none", CENTRED, OWNED, OPPONENT)):
                play, equity = four.best_play(where, roll, cube)  # type: ignore[arg-type]
                turned = cube if isinstance(cube, str) else cube.flip()
                all_plays = {p: -four.equity(p.next, turned) for p in where.plays(roll)}  # type: ignore[arg-type]
                assert equity == max(all_plays.values()) == all_plays[play]

    def test_cube_actions(self, four: TwoSided) -> None:
        expected = [
            (((0, 0, 0, 0, 0, 1), (1,)), "double/take"),
            (((1, 0, 0, 1), (0, 1)), "double/drop"),
            (((0, 0, 0, 0, 1, 1), (1,)), "no double"),
        ]
        for (own, other), words in expected:
            action = four.cube_action(position(own, other))
            assert isinstance(action, CubeAction)
            assert action.action == words
            assert action.best == max(action.no_double, min(action.double_take, action.double_drop))
            assert action.double_drop == 1
            owned = four.cube_action(position(own, other), OWNED)
            assert owned.action == words.replace("double", "redouble")
        waiting = four.cube_action(position((1,), (1,)), OPPONENT)
        assert waiting.action == "unavailable"
        assert math.isnan(waiting.double_take)

    def test_too_good(self) -> None:
        # One roll from a gammon that counts: playing on is worth more than the cash of 1.
        table = TwoSided.build(points=1, checkers=15, jacoby=True)
        where = position((2,), (15,))
        assert table.cube_action(where, jacoby=False).action == "too good"
        assert table.equity(where, CENTRED, jacoby=False) == 2
        assert table.cube_action(where).action == "double/drop"
        assert table.equity(where, CENTRED) == 1
        assert table.cube_action(where, OWNED).action == "too good"


class TestEdges:
    @pytest.mark.parametrize(
        ("where", "reason"),
        [
            (Position.start(), "past each other"),
            (Position.from_points({7: 1}, opponent={1: 1}), "points"),
            (Position.from_points({1: 7}, opponent={1: 1}), "7 checkers"),
            (Position.from_points({1: 1}, opponent={1: 7}), "7 checkers"),
            (Position.from_points({1: 2}, opponent={1: 1}, bar=1), "past each other"),
            (Position.from_points({1: 3}, opponent={1: 3}, checkers=3), "none off"),
            (Position.from_points({1: 3}, opponent={1: 3}, off=0, opponent_off=12), "none off"),
        ],
    )
    def test_outside(self, where: Position, reason: str) -> None:
        table = TwoSided.default()
        for ask in (
            lambda: table.equity(where),
            lambda: table.equity(where, CENTRED),
            lambda: table.best_play(where, Roll(2, 1)),
            lambda: table.cube_action(where),
        ):
            with pytest.raises(gammon.NotInDatabaseError, match=reason):
                ask()
        equities, known = table.equities(where.to_array()[None])
        assert np.isnan(equities).all()
        assert not known.any()

    def test_a_cube_of_a_cubeless_table(self) -> None:
        table = TwoSided.build(points=6, checkers=2, cubeful=False)
        where = position((2,), (2,))
        assert not table.cubeful
        for ask in (
            lambda: table.equity(where, CENTRED),
            lambda: table.best_play(where, Roll(2, 1), OWNED),
            lambda: table.cube_action(where),
            lambda: table.equities(where.to_array()[None], CENTRED),
        ):
            with pytest.raises(ValueError, match="cubeless"):
                ask()

    def test_jacoby(self) -> None:
        plain, jacoby = (TwoSided.build(points=1, checkers=15, jacoby=rule) for rule in (False, True))
        gammonish, single = position((3,), (15,)), position((3,), (14,))
        with pytest.raises(gammon.NotInDatabaseError, match="Jacoby"):
            plain.equity(gammonish, CENTRED, jacoby=True)
        assert plain.equity(single, CENTRED, jacoby=True) == plain.equity(single, CENTRED)
        assert plain.equity(gammonish, OWNED, jacoby=True) == plain.equity(gammonish, OWNED)
        assert jacoby.equity(gammonish, CENTRED) < jacoby.equity(gammonish, CENTRED, jacoby=False)
        assert jacoby.equity(gammonish, CENTRED, jacoby=False) == plain.equity(gammonish, CENTRED)
        assert jacoby.jacoby
        assert not plain.jacoby
        for table in (plain, jacoby):
            again = eval(repr(table), {"TwoSided": TwoSided})
            assert (again.jacoby, again.equity(single, CENTRED)) == (table.jacoby, table.equity(single, CENTRED))

    @pytest.mark.parametrize(
        "arguments",
        [
            {"points": 0},
            {"points": 19},
            {"checkers": 0},
            {"checkers": 16},
            {"checkers": (6, 16)},
            {"checkers": (6, 6, 6)},
            {"checkers": "6"},
            {"points": True},
            {"points": 18, "checkers": 15},
            {"cubeful": False, "jacoby": True},
            {"jacoby": True, "ladder": Ladder.match(Score(2, 2))},
            {"cubeful": False, "ladder": Ladder.match(Score(2, 2))},
            {"ladder": Ladder.money()},
            {"threads": 0},
        ],
    )
    def test_bad_arguments(self, arguments: dict[str, object]) -> None:
        with pytest.raises(gammon.InvalidArgumentError):
            TwoSided.build(**arguments)  # type: ignore[arg-type]

    def test_too_large_for_memory(self) -> None:
        with pytest.raises(ValueError, match=r"23\.6 GB"):
            TwoSided.build(points=6, checkers=15)
        size = TwoSided.size(points=6, checkers=15)
        assert size.positions == (54264, 54264)
        assert size.memory_with_path < 16e9
        assert TwoSided.size(points=6, checkers=15, cubeful=False).memory_without_path < 8e9

    def test_too_large_for_the_disk(self, tmp_path: Path) -> None:
        with pytest.raises(OSError, match="are needed"):
            TwoSided.build(points=9, checkers=12, path=tmp_path / "huge")
        assert not list(tmp_path.iterdir())

    def test_not_a_cube(self) -> None:
        table = TwoSided.default()
        for cube in (None, "centred", 2, object()):
            with pytest.raises(gammon.InvalidArgumentError, match="cube is"):
                table.equity(position((1,), (1,)), cube)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="build"):
            TwoSided()

    def test_sides_that_differ(self, four: TwoSided) -> None:
        table = TwoSided.build(points=6, checkers=(4, 2))
        assert table.checkers == (4, 2)
        for own, other in (((1, 0, 1, 0, 0, 2), (1, 1)), ((1, 1), (1, 1, 1, 1))):
            where = position(own, other)
            for asked in (where, where.flip()):
                assert table.equity(asked, CENTRED) == four.equity(asked, CENTRED)
        with pytest.raises(gammon.NotInDatabaseError):
            table.equity(position((3,), (3,)))


class TestBatch:
    def test_agrees_with_single_look_ups(self, four: TwoSided) -> None:
        rng = np.random.default_rng(5)
        wanted = [
            position(tuple(rng.multinomial(n, [1 / 6] * 6)), tuple(rng.multinomial(m, [1 / 6] * 6)))
            for n, m in rng.integers(1, 6, (300, 2)).tolist()
        ]
        rows = np.stack([row.to_array() for row in wanted])
        for cube in ("none", CENTRED, OWNED, OPPONENT):
            for threads in (1, 3):
                equities, known = four.equities(rows, cube, threads=threads)  # type: ignore[arg-type]
                assert equities.dtype == np.float64
                assert known.dtype == np.bool_
                for where, equity, is_known in zip(wanted, equities, known, strict=True):
                    if is_known:
                        assert equity == four.equity(where, cube)  # type: ignore[arg-type]
                    else:
                        with pytest.raises(gammon.NotInDatabaseError):
                            four.equity(where)
        assert 0 < known.sum() < len(known)

    def test_shapes(self, four: TwoSided) -> None:
        equities, known = four.equities(np.empty((0, 28), np.int8))
        assert equities.shape == known.shape == (0,)
        rows = np.stack([position((2,), (1, 1)).to_array()] * 6)
        assert np.array_equal(four.equities(rows)[0], four.equities(np.asfortranarray(rows))[0])
        for bad in (rows.astype(np.int16), rows[:, :27], rows[0]):
            with pytest.raises(gammon.ArrayError):
                four.equities(bad)
        wrong = rows.copy()
        wrong[4, 1] = 99
        with pytest.raises(gammon.InvalidPositionError, match="row 4"):
            four.equities(wrong)


class TestFiles:
    @pytest.mark.parametrize("mmap", [True, False])
    def test_round_trip(self, four: TwoSided, tmp_path: Path, mmap: bool) -> None:
        saved, built = tmp_path / "saved", tmp_path / "built"
        four.save(saved)
        TwoSided.build(points=6, checkers=4, path=built, threads=1)
        assert saved.read_bytes() == built.read_bytes()
        assert saved.stat().st_size == TwoSided.size(points=6, checkers=4).file_bytes
        assert sorted(path.name for path in tmp_path.iterdir()) == ["built", "saved"]
        table = TwoSided.open(saved, mmap=mmap)
        table.verify()
        rows = gammon.batch.random_positions(3000, seed=3)
        rows = np.concatenate([rows, *(position((1, 1, k), (k, 1)).to_array()[None] for k in range(3))])
        for cube in ("none", CENTRED, OPPONENT):
            for mine, other in zip(table.equities(rows, cube), four.equities(rows, cube), strict=True):  # type: ignore[arg-type]
                assert np.array_equal(mine, other, equal_nan=True)
        assert (table.points, table.checkers, table.cubeful, table.jacoby) == (6, (4, 4), True, False)
        assert table.path == str(saved)

    def test_pickles(self, four: TwoSided, tmp_path: Path) -> None:
        where = position((1, 2), (0, 2))
        path = tmp_path / "table"
        four.save(path)
        score = TwoSided.build(points=6, checkers=(3, 2), ladder=Ladder.match(Score(2, 3)))
        for table in (four, TwoSided.open(path), TwoSided.open(path, mmap=False)):
            copy = pickle.loads(pickle.dumps(table))
            assert repr(copy) == repr(table)
            assert copy.equity(where, CENTRED) == four.equity(where, CENTRED)
            assert eval(repr(table)).equity(where) == four.equity(where)
        copy = pickle.loads(pickle.dumps(score))
        assert copy.mwc(position((1, 2), (0, 2)), CENTRED) == score.mwc(position((1, 2), (0, 2)), CENTRED)

    def test_damage_is_refused(self, tmp_path: Path) -> None:
        """Case R21."""
        path = tmp_path / "table"
        TwoSided.build(points=6, checkers=2, path=path)
        good = path.read_bytes()
        for content, reason in (
            (b"", "too short"),
            (b"gnubg-TS-06-06-1" + bytes(9000), "not a two-sided table"),
            (good[:-1], "bytes"),
            (good[:5000], "bytes|truncated"),
            (good + b"\0", "bytes"),
            (good[:20] + b"\7" + good[21:], "checksum of the header"),
            (good[:8] + b"\2" + good[9:], "version 2"),
            (good[:-3] + b"\7" + good[-2:], "table of blocks"),
        ):
            path.write_bytes(content)
            for mmap in (True, False):
                with pytest.raises(gammon.FileFormatError, match=reason):
                    TwoSided.open(path, mmap=mmap)
        middle = len(good) // 2
        path.write_bytes(good[:middle] + bytes([good[middle] ^ 255]) + good[middle + 1 :])
        with pytest.raises(gammon.FileFormatError, match="block"):
            TwoSided.open(path).verify()
        with pytest.raises(FileNotFoundError):
            TwoSided.open(tmp_path / "none")
        with pytest.raises(OSError, match="none"):
            TwoSided.build(points=6, checkers=2, path=tmp_path / "none" / "table")

    def test_an_interrupted_build_goes_on(self, tmp_path: Path) -> None:
        path = tmp_path / "table"
        whole = tmp_path / "whole"
        what = {"points": 5, "checkers": 12}
        TwoSided.build(**what, path=whole)  # type: ignore[arg-type]

        def stop(done: int, total: int) -> None:
            if done > total // 3:
                raise KeyboardInterrupt

        with pytest.raises(gammon.Interrupted):
            TwoSided.build(**what, path=path, progress=stop)  # type: ignore[arg-type]
        assert not path.exists()
        assert (tmp_path / "table.partial").exists()
        reports: list[tuple[int, int]] = []
        TwoSided.build(**what, path=path, progress=lambda done, total: reports.append((done, total)))  # type: ignore[arg-type]
        assert path.read_bytes() == whole.read_bytes()
        assert reports[-1] == (TwoSided.size(**what).pairs,) * 2  # type: ignore[arg-type]

    def test_two_builds_of_one_file(self, tmp_path: Path) -> None:
        path = tmp_path / "table"
        errors: list[BaseException] = []

        def build() -> None:
            try:
                TwoSided.build(points=6, checkers=8, path=path, threads=1)
            except OSError as error:
                errors.append(error)

        threads = [threading.Thread(target=build) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert path.exists()
        assert all("another build" in str(error) or "No such file" in str(error) for error in errors)
        TwoSided.open(path).verify()

    @pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a process of its own")
    def test_ctrl_c_is_heard_soon(self, tmp_path: Path) -> None:
        code = (
            "import sys, time, gammon\n"
            "from gammon.bearoff import TwoSided\n"
            "print('ready', flush=True)\n"
            "try:\n"
            f"    TwoSided.build(points=6, checkers=12, path={str(tmp_path / 'table')!r})\n"
            "except gammon.Interrupted:\n"
            "    print('interrupted', flush=True)\n"
        )
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(1.0)
            process.send_signal(signal.SIGINT)
            start = time.perf_counter()
            assert process.stdout.readline() == "interrupted\n"
            # 0.2 s is promised; a busy machine gets more.
            assert time.perf_counter() - start < 2
            assert process.wait(10) == 0


class TestScores:
    def test_double_match_point_is_the_cubeless_chance_r09(self, four: TwoSided) -> None:
        table = TwoSided.build(points=6, checkers=4, ladder=Ladder.match(Score(1, 1)))
        for own, other in (((1, 0, 1, 0, 1), (2, 1)), ((0, 2, 0, 0, 0, 2), (1, 1, 1)), ((4,), (4,))):
            where = position(own, other)
            for cube in ("none", CENTRED):
                for on_roll in ("player", "opponent"):
                    chance = table.mwc(where, cube, on_roll=on_roll)  # type: ignore[arg-type]
                    assert chance == pytest.approx((1 + four.equity(where)) / 2, abs=HALF_QUANTUM)
        assert pytest.approx(0.8777) == (1 + 0.7554) / 2

    def test_last_roll_by_hand(self) -> None:
        # 3-away against 3-away: 27 of 36 throws win now, else the opponent does for certain.
        met = MatchEquityTable.default()
        table = TwoSided.build(points=6, checkers=2, ladder=Ladder.match(Score(3, 3), met))
        where = position((0, 0, 0, 0, 0, 1), (1,))
        win1, lose1 = met.mwc(2, 3), 1 - met.mwc(2, 3)
        win2, lose2 = met.mwc(1, 3), 1 - met.mwc(1, 3)
        action = table.cube_action(where)
        assert action.no_double == pytest.approx(0.75 * win1 + 0.25 * lose1, abs=HALF_QUANTUM)
        # The taker of the cube redoubles when they get to roll: nothing more can be lost, 4 points win the match.
        assert action.double_take <= 0.75 * win2 + 0.25 * lose2 + HALF_QUANTUM
        assert action.double_drop == pytest.approx(win1, abs=1e-9)
        assert action.best == max(action.no_double, min(action.double_take, action.double_drop))
        assert table.mwc(where, CENTRED) == action.best

    def test_crawford_and_cubes_that_cannot_arise(self) -> None:
        table = TwoSided.build(points=6, checkers=2, ladder=Ladder.match(Score(1, 4)))
        where = position((1, 1), (2,))
        assert table.cube_action(where).action == "unavailable"
        for cube in (Cube(2, "player"), Cube(2), Cube(1 << 15, "opponent")):
            with pytest.raises(gammon.NotInDatabaseError, match="cannot arise"):
                table.mwc(where, cube)
        with pytest.raises(gammon.InvalidArgumentError, match="match score"):
            table.equity(where)
        with pytest.raises(gammon.InvalidArgumentError, match="for money"):
            TwoSided.default().mwc(where, CENTRED)
        with pytest.raises(gammon.InvalidArgumentError, match="on_roll"):
            table.mwc(where, CENTRED, on_roll="me")  # type: ignore[arg-type]

    def test_both_views_and_batches(self) -> None:
        score = Score(3, 5)
        table = TwoSided.build(points=6, checkers=3, ladder=Ladder.match(score))
        mirrored = TwoSided.build(points=6, checkers=3, ladder=Ladder.match(score.flip()))
        rows = [position((1, 0, 1, 0, 1), (2, 1)), position((0, 2), (1, 0, 2)), Position.start()]
        for cube in ("none", CENTRED, Cube(2, "player"), Cube(2, "opponent"), Cube(4, "opponent")):
            chances, known = table.mwcs(np.stack([row.to_array() for row in rows]), cube, on_roll="opponent")  # type: ignore[arg-type]
            assert known.tolist() == [True, True, False]
            for row, chance in zip(rows[:2], chances, strict=False):
                assert chance == table.mwc(row, cube, on_roll="opponent")  # type: ignore[arg-type]
                assert chance == pytest.approx(mirrored.mwc(row, cube), abs=2 * HALF_QUANTUM)  # type: ignore[arg-type]

    def test_a_long_ladder_is_close_to_money(self, four: TwoSided) -> None:
        # Points with a cube that stops at 64: nearly money, of which 1/65535 of the range of 192 is not much.
        table = TwoSided.build(
            points=6, checkers=4, ladder=Ladder.money(jacoby=False, beavers=0, cube_limit=64), path=None
        )
        for own, other in (((1, 0, 1, 0, 1), (2, 1)), ((0, 2, 0, 0, 0, 2), (1, 1, 1)), ((1, 1, 1), (0, 0, 1, 0, 1))):
            where = position(own, other)
            for cube in (CENTRED, Cube(2, "player"), Cube(2, "opponent")):
                assert table.mwc(where, cube) / cube.value == pytest.approx(four.equity(where, cube), abs=0.01)

    def test_files_keep_the_ladder(self, tmp_path: Path) -> None:
        path = tmp_path / "score"
        built = TwoSided.build(points=6, checkers=(3, 2), ladder=Ladder.match(Score(2, 3)), path=path)
        opened = TwoSided.open(path, mmap=False)
        assert opened.is_at_score
        assert not opened.jacoby
        where = position((1, 1), (2,))
        for cube in ("none", CENTRED, Cube(2, "player")):
            assert opened.mwc(where, cube) == built.mwc(where, cube)  # type: ignore[arg-type]


def unrank(checkers: int) -> NDArray[np.int8]:
    """Counts int8[n, 6] of all positions in the order of GNU Backgammon's index, by sorting instead of arithmetic."""
    counts = np.array([c for c in itertools.product(range(checkers + 1), repeat=6) if sum(c) <= checkers], np.int8)
    # s(k): checkers on the k highest points; larger s on more points comes later.
    sums = np.cumsum(counts[:, ::-1], axis=1)
    return counts[np.lexsort(sums.T)]


def arrays_of(own: NDArray[np.int8], other: NDArray[np.int8]) -> NDArray[np.int8]:
    rows = np.zeros((len(own), 28), np.int8)
    rows[:, 1:7] = own
    rows[:, 24:18:-1] = -other
    rows[:, 26] = 15 - own.sum(axis=1)
    rows[:, 27] = 15 - other.sum(axis=1)
    return rows


def gnu_table(checkers: int, tmp_path: Path) -> bytes:
    """What GNU Backgammon's builder makes, or its shipped table."""
    shipped = Path("/var/lib/gnubg/gnubg_ts0.bd")
    if checkers == 6 and shipped.exists():
        return shipped.read_bytes()
    builder = shutil.which("makebearoff", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
    if builder is None:
        pytest.skip("makebearoff is not installed")
    path = tmp_path / "gnu.bd"
    subprocess.run([builder, "-t", f"6x{checkers}", "-f", str(path)], check=True, capture_output=True, timeout=600)
    return path.read_bytes()


@pytest.mark.slow
def test_every_value_of_gnu_backgammons_table(tmp_path: Path) -> None:
    counts = unrank(6)
    n = len(counts)
    stored = np.frombuffer(gnu_table(6, tmp_path), "<u2", offset=40).reshape(n, n, 4)
    table = TwoSided.default()
    i, j = (index.ravel() for index in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    keep = i + j > 0
    i, j = i[keep], j[keep]
    rows = arrays_of(counts[i], counts[j])
    for slot, (cube, no_double) in enumerate((("none", False), (OWNED, True), (CENTRED, True), (OPPONENT, False))):
        equities, known = table.equities(rows, cube, no_double=no_double)  # type: ignore[arg-type]
        assert known.all()
        difference = (equities + 1) * 32767.5 - stored[i, j, slot]
        # GNU cuts to 16 bits at each step: its numbers drift by up to 4.3 units, downwards by about half a unit.
        assert 2.9 < np.abs(difference).max() < 4.5
        assert 0.3 < difference.mean() < 0.6


@pytest.mark.slow
def test_a_sample_of_a_large_table_follows_from_itself(tmp_path: Path) -> None:
    """10,000 pairs of a table that is solved on 16 bits, recomputed one ply deep from the table."""
    path = tmp_path / "table"
    table = TwoSided.build(points=6, checkers=10, path=path)
    rng = np.random.default_rng(1)
    for _ in range(10_000):
        own, other = (tuple(rng.multinomial(rng.integers(1, 11), [1 / 6] * 6)) for _ in range(2))
        where = position(own, other)
        for cube, no_double in (("none", False), (CENTRED, True)):
            mean = sum(roll.weight * table.best_play(where, roll, cube)[1] for roll in Roll.all()) / 36  # type: ignore[arg-type]
            assert table.equity(where, cube, no_double=no_double) == pytest.approx(mean, abs=2.1 * HALF_QUANTUM)  # type: ignore[arg-type]


def test_command_line(tmp_path: Path) -> None:
    pytest.importorskip("typer")
    path = tmp_path / "table.gts"

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gammon", "bearoff", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    built = run("build", "two-sided", str(path), "--checkers", "4")
    assert (built.returncode, built.stderr) == (0, "")
    assert "210 x 210 positions, 44,100 pairs" in built.stdout
    facts = json.loads(run("info", str(path), "--json").stdout)
    assert facts["checkers"] == [4, 4]
    assert facts["bytes"] == path.stat().st_size
    assert "equities for money, with the cube" in run("info", str(path)).stdout
    where = position((1, 0, 1), (1, 1))
    answer = json.loads(run("lookup", str(path), where.id, "--roll", "21", "--json").stdout)
    table = TwoSided.open(path)
    assert answer["equity"] == table.equity(where)
    assert answer["centred"] == table.equity(where, CENTRED)
    assert answer["cube"]["action"] == table.cube_action(where).action
    assert answer["best"]["play"] == str(table.best_play(where, Roll(2, 1))[0])
    assert "cubeless" in run("lookup", str(path), where.id, "--no-mmap").stdout
    assert "intact" in run("verify", str(path)).stdout
    scored = tmp_path / "score.gts"
    made = run("build", "two-sided", str(scored), "--checkers", "3", "--score", "3,5")
    assert (made.returncode, made.stderr) == (0, "")
    where = position((1, 0, 1), (1, 1))
    command = ("lookup", str(scored), where.id, "--cube", "2:player", "--second", "--roll", "21")
    answer = json.loads(run(*command, "--json").stdout)
    table = TwoSided.open(scored)
    assert answer["mwc"] == table.mwc(where, Cube(2, "player"), on_roll="opponent")
    assert answer["best"]["mwc"] == table.best_play(where, Roll(2, 1), Cube(2, "player"), on_roll="opponent")[1]
    assert "match winning chance" in run(*command).stdout
    bad = path.read_bytes()
    path.write_bytes(bad[:5000] + bytes([bad[5000] ^ 1]) + bad[5001:])
    broken = run("verify", str(path))
    assert broken.returncode == 2
    assert broken.stderr.count("\n") == 1
    assert "block" in broken.stderr
    for arguments in (
        ("info", str(tmp_path / "none")),
        ("lookup", str(path), "standard"),
        ("build", "two-sided", "x", "--points", "99"),
    ):
        wrong = run(*arguments)
        assert (wrong.returncode, wrong.stdout, wrong.stderr.count("\n")) == (2, "", 1)
