"""One-sided tables: recorded exact distributions, a twin with fractions, races, files and the command line."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gammon import Position, Roll
from gammon.bearoff import OneSided
from gammon.errors import (
    ArrayError,
    FileFormatError,
    Interrupted,
    InvalidArgumentError,
    NotInDatabaseError,
)

DATA = Path(__file__).parent / "data" / "C_bearoff_onesided.jsonl"


@pytest.fixture(scope="module")
def table() -> OneSided:
    return OneSided.default()


@pytest.fixture(scope="module")
def small() -> OneSided:
    return OneSided(points=4, checkers=4)


def padded(values: object, length: int) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    return np.pad(array, (0, length - len(array)))


def test_recorded_exact_distributions(table: OneSided) -> None:
    """160 positions whose distributions are known as exact fractions."""
    lines = [json.loads(line) for line in DATA.read_text().splitlines()]
    assert len(lines) == 160
    firsts = 0
    for line in lines:
        counts = line["pos"]
        assert table.index(counts) == line["index"]
        assert table.counts(line["index"]) == tuple(counts)
        length = 64
        exact = [float(Fraction(int(n), 36**k)) for k, n in enumerate(line["num"])]
        np.testing.assert_allclose(
            padded(table.distribution(counts), length), padded(exact, length), rtol=0, atol=1e-13
        )
        assert table.mean_rolls(counts) == pytest.approx(line["mean"], abs=1e-12)
        assert table.variance(counts) == pytest.approx(line["var"], abs=1e-11)
        assert table.epc(counts) == pytest.approx(line["mean"] * 49 / 6, abs=1e-11)
        pips = sum(point * count for point, count in enumerate(counts, 1))
        assert table.wastage(counts) == pytest.approx(line["mean"] * 49 / 6 - pips, abs=1e-11)
        if "g_num" in line:
            firsts += 1
            first = [float(Fraction(int(n), 36**k)) for k, n in enumerate(line["g_num"])]
            seen = table.first_off_distribution(counts)
            np.testing.assert_allclose(padded(seen, length), padded(first, length), rtol=0, atol=1e-13)
        else:
            assert table.first_off_distribution(counts).tolist() == [1.0]
    assert firsts > 10


def mean_twin(points: int):
    """The least mean number of rolls as a fraction, by the general generator of plays."""

    @cache
    def mean(counts: tuple[int, ...]) -> Fraction:
        if not any(counts):
            return Fraction(0)
        position = Position.from_points(
            {point: count for point, count in enumerate(counts, 1) if count}, opponent={1: 1}, checkers=15
        )
        total = Fraction(0)
        for roll in Roll.all():
            after = [
                tuple(max(play.after[point], 0) for point in range(1, points + 1)) for play in position.plays(roll)
            ]
            total += roll.weight * min(mean(counts) for counts in after)
        return 1 + total / 36

    return mean


def test_means_against_fractions() -> None:
    points, checkers = 3, 4
    table = OneSided(points, checkers)
    mean = mean_twin(points)
    assert table.positions == 35
    for index in range(table.positions):
        counts = table.counts(index)
        assert table.index(counts) == index
        assert table.mean_rolls(counts) == pytest.approx(float(mean(counts)), abs=1e-13)


def test_a_position_far_from_home_against_fractions() -> None:
    table = OneSided(points=9, checkers=2)
    mean = mean_twin(9)
    for counts in [(0, 0, 0, 0, 0, 0, 0, 0, 2), (1, 0, 0, 0, 0, 0, 0, 1, 0), (0, 0, 0, 0, 0, 0, 2, 0, 0)]:
        assert table.mean_rolls(counts) == pytest.approx(float(mean(counts)), abs=1e-13)


def test_six_point_stack(table: OneSided) -> None:
    assert table.positions == 54_264
    assert table.index([0, 0, 0, 0, 0, 15]) == 54_263
    assert table.distribution([0] * 6).tolist() == [1.0]
    assert table.mean_rolls([]) == 0.0
    assert table.win_probability(Position.from_points({6: 1}, opponent={1: 1})) == 0.75


def test_races(table: OneSided) -> None:
    """The sum over both numbers of rolls."""
    position = Position.from_points({6: 3, 4: 2}, opponent={6: 2, 5: 4})
    own, theirs = table.distribution([0, 0, 0, 2, 0, 3]), table.distribution([0, 0, 0, 0, 4, 2])
    expected = sum(p * theirs[k:].sum() for k, p in enumerate(own))
    assert table.win_probability(position) == pytest.approx(expected, abs=1e-14)
    chances = table.race_chances(position)
    assert chances.win == table.win_probability(position)
    assert chances.win_gammon == chances.lose_gammon == 0.0
    values, known = table.win_probabilities(np.stack([position.to_array(), Position.start().to_array()]))
    assert values[0] == chances.win
    assert np.isnan(values[1])
    assert known.tolist() == [True, False]
    assert table.win_probabilities(np.empty((0, 28), np.int8))[0].shape == (0,)


def test_gammon_chances(table: OneSided) -> None:
    position = Position.from_points({1: 4}, opponent={6: 15})
    own, first = table.distribution([4]), table.first_off_distribution([0, 0, 0, 0, 0, 15])
    expected = sum(p * first[k:].sum() for k, p in enumerate(own))
    chances = table.race_chances(position)
    assert chances.win_gammon == pytest.approx(expected, abs=1e-14)
    assert 0.0 < chances.win_gammon < 1.0
    assert chances.win == 1.0
    other = table.race_chances(position.flip())
    # The player rolls once more than before the opponent finishes.
    theirs = sum(p * first[k + 1 :].sum() for k, p in enumerate(own))
    assert other.lose_gammon == pytest.approx(theirs, abs=1e-14)
    assert other.win_gammon == 0.0
    missing = Position.from_points({1: 4}, opponent={6: 14}, opponent_off=0)
    with pytest.raises(NotInDatabaseError, match="none off"):
        table.race_chances(missing)
    finished = Position.from_points({}, opponent={6: 15})
    assert table.race_chances(finished) == (1.0, 1.0, 0.0)
    assert table.race_chances(finished.flip()) == (0.0, 0.0, 1.0)


def test_a_checker_off_saves_the_gammon() -> None:
    """Five checkers are all of this table, but ten are off."""
    table = OneSided(points=6, checkers=5)
    assert table.race_chances(Position.from_points({1: 2}, opponent={6: 5})).win_gammon == 0.0
    full = Position.from_points({1: 2}, opponent={6: 5}, checkers=5)
    assert table.race_chances(full).win_gammon == 1.0


@pytest.mark.parametrize("counts", [[0] * 6 + [1], [16], [0, 0, 0, 0, 0, 15, 1], [8, 8], [15, 1]])
def test_outside_the_table(table: OneSided, counts: list[int]) -> None:
    error = InvalidArgumentError if max(counts) > 15 else NotInDatabaseError
    for ask in (table.distribution, table.mean_rolls, table.first_off_distribution, table.index, table.epc):
        with pytest.raises(error):
            ask(counts)


@pytest.mark.parametrize("counts", [[-1], [1.5], ["a"], 3, None])
def test_counts_that_are_none(small: OneSided, counts: object) -> None:
    with pytest.raises(InvalidArgumentError):
        small.distribution(counts)


def test_numpy_counts(small: OneSided) -> None:
    assert small.mean_rolls(np.array([1, 0, 1, 0], np.int8)) == small.mean_rolls([1, 0, 1])


def test_positions_outside(small: OneSided) -> None:
    for position in (
        Position.start(),
        Position.from_points({5: 1}, opponent={1: 1}),
        Position.from_points({1: 5}, opponent={1: 1}),
        Position.from_points({1: 1}, opponent={1: 1}, bar=1),
    ):
        with pytest.raises(NotInDatabaseError):
            small.win_probability(position)
    with pytest.raises(ArrayError):
        small.win_probabilities(np.zeros((1, 28), np.int64))


@pytest.mark.parametrize(("points", "checkers"), [(0, 3), (19, 3), (6, 0), (6, 16), (True, 3), (6, 2.0)])
def test_sizes_that_do_not_exist(points: int, checkers: int) -> None:
    with pytest.raises(InvalidArgumentError):
        OneSided(points, checkers)


def test_too_large_is_refused_with_positions_and_bytes() -> None:
    with pytest.raises(ValueError, match=r"1037158320.*bytes"):
        OneSided(points=18, checkers=15)
    assert OneSided.size(points=13)[0] <= 40_000_000 < OneSided.size(points=14)[0]


def test_the_same_for_any_number_of_threads() -> None:
    tables = [OneSided(6, 6, threads=threads) for threads in (1, 2, 8)]
    for index in range(tables[0].positions):
        first, *others = (table.distribution(table.counts(index)).tolist() for table in tables)
        assert all(other == first for other in others)


def test_progress_and_interruption() -> None:
    seen = []
    OneSided(6, 6, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (923, 923)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        OneSided(8, 12, threads=1, progress=stop)


def test_files(small: OneSided, tmp_path: Path) -> None:
    path = tmp_path / "table.gos"
    small.save(path)
    again = OneSided.open(path)
    for index in range(small.positions):
        counts = small.counts(index)
        assert again.distribution(counts).tolist() == small.distribution(counts).tolist()
        assert again.first_off_distribution(counts).tolist() == small.first_off_distribution(counts).tolist()
    assert repr(again) == f"OneSided.open({str(path)!r})"
    copy = pickle.loads(pickle.dumps(again))
    assert copy.mean_rolls([4]) == small.mean_rolls([4])
    size = path.stat().st_size
    small.save(path, precision="float32")
    assert path.stat().st_size < 0.7 * size
    assert OneSided.open(path).mean_rolls([0, 0, 0, 4]) == pytest.approx(small.mean_rolls([0, 0, 0, 4]), rel=1e-7)
    with pytest.raises(InvalidArgumentError):
        small.save(path, precision="float16")
    assert list(tmp_path.iterdir()) == [path]


def test_damaged_files(small: OneSided, tmp_path: Path) -> None:
    """Case R21."""
    path = tmp_path / "table.gos"
    small.save(path)
    good = path.read_bytes()
    cases = [b"", b"x", good[:40], good[:-1], good + b"\0", b"gnubg-OS" + good[8:], good[:100] + b"\xff" + good[101:]]
    for bad in cases:
        path.write_bytes(bad)
        with pytest.raises(FileFormatError, match=r"table\.gos"):
            OneSided.open(path)
    with pytest.raises(FileNotFoundError):
        OneSided.open(tmp_path / "none")
    with pytest.raises(OSError, match="none"):
        small.save(tmp_path / "none" / "table")


def test_repr_and_pickle(small: OneSided) -> None:
    assert repr(small) == "OneSided(points=4, checkers=4)"
    again = pickle.loads(pickle.dumps(small))
    assert again.distribution([1, 1]).tolist() == small.distribution([1, 1]).tolist()
    assert small == small
    assert again != small
    assert len({small, small}) == 1
    assert small.nbytes > 8 * small.positions
    assert small.counts(0) == (0, 0, 0, 0)
    for index in (-1, small.positions):
        with pytest.raises(InvalidArgumentError, match=str(index)):
            small.counts(index)


def gammon(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "gammon", *arguments], capture_output=True, text=True, check=False)


def test_command_line(tmp_path: Path) -> None:
    path = str(tmp_path / "table.gos")
    built = gammon("bearoff", "build", "one-sided", path, "--points", "5", "--checkers", "5", "--json")
    assert built.returncode == 0, built.stderr
    facts = json.loads(built.stdout)
    assert (facts["kind"], facts["points"], facts["checkers"], facts["positions"]) == ("one-sided", 5, 5, 252)
    info = json.loads(gammon("bearoff", "info", path, "--json").stdout)
    assert info["positions"] == 252
    assert gammon("bearoff", "info", path).stdout.startswith("one-sided, 5 points")
    assert "intact" in gammon("bearoff", "verify", path).stdout
    position = Position.from_points({5: 1}, opponent={1: 1})
    looked = json.loads(gammon("bearoff", "lookup", path, position.id, "--json").stdout)
    assert looked["win"] == pytest.approx(OneSided(5, 5).win_probability(position))
    assert "mean" in gammon("bearoff", "lookup", path, position.id).stdout
    refused = gammon("bearoff", "build", "one-sided", path, "--points", "18")
    assert refused.returncode == 2
    assert "1037158320" in refused.stderr
    assert refused.stderr.count("\n") == 1
