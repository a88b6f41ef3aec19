"""Hypergammon: a plain twin, self-consistency by the general generator, simulation, files and the command line."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gammon import Position, Roll, hypergammon
from gammon.cube import Cube
from gammon.errors import ArrayError, FileFormatError, Interrupted, InvalidArgumentError, NotInDatabaseError
from gammon.hypergammon import Hypergammon

CUBES = {"none": "none", "owned": Cube(2, "player"), "centred": Cube(), "theirs": Cube(2, "opponent")}


@pytest.fixture(scope="module")
def one() -> Hypergammon:
    return hypergammon.solve(checkers=1)


@pytest.fixture(scope="module")
def two() -> Hypergammon:
    return hypergammon.solve(checkers=2, tolerance=1e-7)


def place(own: int, other: int) -> Position | None:
    """A position of one checker a side, each seen by its owner; 25 is the bar."""
    if own + other == 25 and own != 0 and other != 0 and own != 25 and other != 25:
        return None
    if own == other == 0:
        return None
    return Position.from_points(
        {own: 1} if 0 < own < 25 else {},
        opponent={other: 1} if 0 < other < 25 else {},
        bar=int(own == 25),
        opponent_bar=int(other == 25),
        checkers=1,
    )


def landings(own: int, other: int, roll: Roll) -> set[tuple[int, int]]:
    """What a roll can lead to: one checker is never blocked. Written for this game alone."""
    found = set()
    high, low = roll.high, roll.low
    for dice in [(high, low), (low, high)] if high != low else [(high,) * 4]:
        here, there = own, other
        for die in dice:
            here = max(here - die, 0)
            if here == 0:
                break
            if here + there == 25 and there != 25:
                there = 25
        found.add((here, there))
    return found


def twin(jacoby: bool) -> dict[str, dict[tuple[int, int], float]]:
    """The game of one checker a side by plain value iteration, with the values of rolling without a double."""
    states = [(own, other) for own in range(1, 26) for other in range(1, 26) if place(own, other) is not None]

    @cache
    def after(state: tuple[int, int]) -> list[tuple[int, list[tuple[int, int]]]]:
        return [(roll.weight, sorted(landings(*state, roll))) for roll in Roll.all()]

    def lost(other: int) -> float:
        """What a finished game costs the side that still has its checker: a gammon, or a backgammon."""
        return -3.0 if other >= 19 else -2.0

    values = {name: dict.fromkeys(states, 0.0) for name in ("none", "owned", "centred", "theirs")}

    def seen(name: str, state: tuple[int, int]) -> float:
        """The value of the state for the player on roll in it, who may double where the name says so."""
        own, other = state
        if other == 0:
            return -1.0 if name == "centred" and jacoby else lost(own)
        value = values[name][state]
        if name in ("owned", "centred"):
            return max(value, min(2.0 * values["theirs"][state], 1.0))
        return value

    facing = {"none": "none", "owned": "theirs", "centred": "centred", "theirs": "owned"}
    for _ in range(400):
        change = 0.0
        for state in states:
            for name in values:
                total = 0.0
                for weight, results in after(state):
                    total += weight * max(-seen(facing[name], (other, own)) for own, other in results)
                change = max(change, abs(total / 36 - values[name][state]))
                values[name][state] = total / 36
        if change < 1e-13:
            return values
    raise AssertionError("the twin does not converge")


@pytest.mark.parametrize("jacoby", [False, True])
def test_one_checker_against_the_twin(one: Hypergammon, jacoby: bool) -> None:
    values = twin(jacoby)
    compared = 0
    for name, table in values.items():
        for (own, other), value in table.items():
            position = place(own, other)
            assert position is not None
            seen = one.equity(position, CUBES[name], no_double=True, jacoby=jacoby)
            assert seen == pytest.approx(value, abs=2e-9), (name, own, other)
            compared += 1
    assert compared == 4 * (625 - 24)


def check_one_step(solution: Hypergammon, position: Position) -> None:
    """Every value is the mean over the rolls of the best play, by the general generator."""
    values = solution.values(position)
    owner = {"none": "none", "owned": "theirs", "centred": "centred", "theirs": "owned"}
    for jacoby in (False, True):
        for name, cube in CUBES.items():
            mean = 0.0
            for roll in Roll.all():
                results = [play.next for play in position.plays(roll)] or [position.flip()]
                mean += roll.weight * max(-solution.equity(r, CUBES[owner[name]], jacoby=jacoby) for r in results)
            seen = solution.equity(position, cube, no_double=True, jacoby=jacoby)
            assert seen == pytest.approx(mean / 36, abs=4 * solution.error_bound)
    equity = 2 * values.win - 1 + values.win_gammon + values.win_backgammon
    equity -= values.lose_gammon + values.lose_backgammon
    assert equity == pytest.approx(values.cubeless, abs=8 * solution.error_bound)
    assert 1 >= values.win >= values.win_gammon >= values.win_backgammon >= 0
    assert 1 - values.win >= values.lose_gammon >= values.lose_backgammon >= 0
    assert values.owned >= values.centred - 4 * solution.error_bound


def random_position(generator: random.Random, checkers: int) -> Position:
    while True:
        own, other = ([generator.randint(0, 25) for _ in range(checkers)] for _ in range(2))
        if any(own) and any(other) and not {25 - p for p in own if 0 < p < 25} & set(other):
            return Position.from_points(
                {p: own.count(p) for p in own if 0 < p < 25},
                opponent={p: other.count(p) for p in other if 0 < p < 25},
                bar=own.count(25),
                opponent_bar=other.count(25),
                checkers=checkers,
            )


def test_two_checkers_are_consistent(two: Hypergammon) -> None:
    assert two.error_bound <= 1e-7
    generator = random.Random(1)
    for _ in range(40):
        check_one_step(two, random_position(generator, 2))


def test_simulation_of_best_play(two: Hypergammon) -> None:
    """Games played by `best_play` end as often as the probabilities say."""
    generator = random.Random(2)
    start = Position.from_points({24: 1, 23: 1}, opponent={24: 1, 23: 1}, checkers=2)
    games, points = 600, []
    for _ in range(games):
        position, sign = start, 1
        while not position.is_over:
            roll = Roll(generator.randint(1, 6), generator.randint(1, 6))
            play, _ = two.best_play(position, roll)
            position, sign = play.next, -sign
        assert position.outcome is not None
        points.append(sign * position.outcome.points)
    error = np.std(points) / np.sqrt(games)
    assert abs(np.mean(points) - two.equity(start)) < 4 * error
    win = np.mean(np.array(points) > 0)
    assert abs(win - two.values(start).win) < 4 * np.sqrt(0.25 / games)


def test_impossible_is_zero_and_certain_is_one(two: Hypergammon) -> None:
    """Case R07."""
    off = Position.from_points({24: 1}, opponent={24: 1, 3: 1}, off=1, checkers=2)
    values = two.values(off)
    assert values.lose_gammon == values.lose_backgammon == 0.0
    assert values.win_gammon > 0.0
    sure = Position.from_points({1: 1}, opponent={3: 2}, off=1, checkers=2)
    assert two.values(sure)[:6] == (1.0, 1.0, 0.0, 0.0, 0.0, 2.0)
    finished = Position.from_points({}, opponent={20: 2}, checkers=2)
    assert two.values(finished) == (1.0, 1.0, 1.0, 0.0, 0.0, 3.0, 3.0, 3.0, 1.0, 3.0)
    assert two.equity(finished.flip(), Cube(), jacoby=True) == -1.0


def test_best_play_and_cube_action(one: Hypergammon) -> None:
    position = place(6, 1)
    assert position is not None
    assert one.equity(position) == pytest.approx(1.0)
    # Won or lost at once: nothing is lost by doubling, and dropping costs 1.
    action = one.cube_action(position)
    assert action.double_drop == 1.0
    assert one.cube_action(position, Cube(2, "opponent")).action == "unavailable"
    assert "redouble" in one.cube_action(position, Cube(2, "player")).action or (
        one.cube_action(position, Cube(2, "player")).action == "too good"
    )
    play, equity = one.best_play(position, Roll(2, 1))
    assert (str(play), equity) == ("6/3", pytest.approx(-2.0))
    over = place(0, 5)
    assert over is not None
    with pytest.raises(InvalidArgumentError, match="over"):
        one.best_play(over, Roll(2, 1))


def test_a_dance(two: Hypergammon) -> None:
    """Both on the ace point of the opponent's home against a checker on the bar: a 1 does not enter."""
    position = Position.from_points({}, opponent={1: 2}, bar=2, checkers=2)
    play, equity = two.best_play(position, Roll(1, 1), Cube(2, "player"))
    assert play.steps == ()
    assert equity == -two.equity(position.flip(), Cube(2, "opponent"))


def test_batch(two: Hypergammon) -> None:
    generator = random.Random(3)
    positions = [random_position(generator, 2) for _ in range(50)]
    rows = np.stack([*(position.to_array() for position in positions), Position.start().to_array()])
    for cube in CUBES.values():
        values, known = two.equities(rows, cube)
        assert known.tolist() == [True] * 50 + [False]
        assert np.isnan(values[-1])
        assert values[:-1].tolist() == [two.equity(position, cube) for position in positions]
    assert two.equities(rows[:0])[0].shape == (0,)
    with pytest.raises(ArrayError):
        two.equities(rows.astype(np.int16))


def test_another_game(one: Hypergammon) -> None:
    for position in (
        Position.start(),
        Position.start("hypergammon"),
        Position.from_points({3: 1}, opponent={4: 1}),
        Position.from_points({3: 1}, opponent={4: 1}, off=0, checkers=2),
    ):
        with pytest.raises(NotInDatabaseError, match="checkers a side"):
            one.equity(position)


def test_jacoby_is_remembered(tmp_path: Path) -> None:
    solution = hypergammon.solve(checkers=1, jacoby=True, tolerance=1e-6)
    position = place(24, 24)
    assert position is not None
    assert solution.jacoby
    assert solution.equity(position, Cube()) == solution.equity(position, Cube(), jacoby=True)
    assert solution.equity(position, Cube(), no_double=True) != solution.equity(
        position, Cube(), no_double=True, jacoby=False
    )
    assert repr(solution) == "hypergammon.solve(checkers=1, jacoby=True, tolerance=1e-06)"
    path = tmp_path / "one.hyp"
    solution.save(path)
    again = pickle.loads(pickle.dumps(hypergammon.open(path, jacoby=True)))
    assert again.jacoby
    assert again.values(position) == solution.values(position)


def test_the_same_for_any_number_of_threads(two: Hypergammon) -> None:
    other = hypergammon.solve(checkers=2, tolerance=1e-7, threads=1)
    assert other.sweeps == two.sweeps
    generator = random.Random(4)
    for _ in range(200):
        position = random_position(generator, 2)
        assert other.values(position) == two.values(position)


def test_arguments() -> None:
    for checkers in (0, 4, True, "2"):
        with pytest.raises(InvalidArgumentError):
            hypergammon.solve(checkers=checkers)
    for tolerance in (0.0, -1.0, 2.0, float("nan"), 1e-15):
        with pytest.raises(InvalidArgumentError):
            hypergammon.solve(checkers=1, tolerance=tolerance)
    with pytest.raises(TypeError):
        Hypergammon()


def test_progress_and_interruption() -> None:
    seen: list[tuple[int, int]] = []
    hypergammon.solve(checkers=1, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (2000, 2000)
    assert seen == sorted(seen)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        hypergammon.solve(checkers=3, threads=1, progress=stop)


def test_a_solution_without_a_file_pickles_as_its_recipe(one: Hypergammon) -> None:
    again = pickle.loads(pickle.dumps(one))
    where = place(13, 11)
    assert where is not None
    assert again.values(where) == one.values(where)
    assert (again.checkers, again.jacoby) == (one.checkers, one.jacoby)


def test_files(one: Hypergammon, tmp_path: Path) -> None:
    """They come back, and damaged ones are refused (case R21)."""
    path = tmp_path / "one.hyp"
    solution = hypergammon.solve(checkers=1, path=path)
    assert solution.path == str(path)
    assert repr(solution) == f"hypergammon.open({str(path)!r})"
    solution.verify()
    position = place(13, 11)
    assert position is not None
    assert solution.values(position) == one.values(position)
    assert (solution.checkers, solution.positions, solution.sweeps) == (1, one.positions, one.sweeps)
    assert solution.error_bound == one.error_bound
    assert list(tmp_path.iterdir()) == [path]
    good = path.read_bytes()
    cases = [b"", good[:30], good[:-1], good + b"\0", b"gammonXX" + good[8:], good[:12] + b"\x02" + good[13:]]
    for bad in cases:
        path.write_bytes(bad)
        with pytest.raises(FileFormatError, match=r"one\.hyp"):
            hypergammon.open(path)
    path.write_bytes(good[:-3] + b"\x01" + good[-2:])
    opened = hypergammon.open(path)
    with pytest.raises(FileFormatError, match="row"):
        opened.verify()
    with pytest.raises(FileNotFoundError):
        hypergammon.open(tmp_path / "none")


def gammon(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "gammon", *arguments], capture_output=True, text=True, check=False)


def test_command_line(one: Hypergammon, tmp_path: Path) -> None:
    path = str(tmp_path / "one.hyp")
    built = gammon("hypergammon", "build", path, "--checkers", "1", "--json")
    assert built.returncode == 0, built.stderr
    facts = json.loads(built.stdout)
    assert (facts["checkers"], facts["positions"]) == (1, one.positions)
    position = place(24, 24)
    assert position is not None
    looked = gammon("hypergammon", "lookup", path, position.id, "--roll", "21", "--json")
    assert looked.returncode == 0, looked.stderr
    answer = json.loads(looked.stdout)
    assert answer["values"]["cubeless"] == one.equity(position)
    assert answer["best"]["play"] == str(one.best_play(position, Roll(2, 1))[0])
    assert "cubeless" in gammon("hypergammon", "lookup", path, position.id).stdout
    wrong = gammon("hypergammon", "lookup", path, "hypergammon")
    assert wrong.returncode == 2
    assert wrong.stderr.count("\n") == 1


@pytest.mark.slow
def test_three_checkers(tmp_path: Path) -> None:
    """The whole game, to a coarser tolerance than the default: minutes."""
    solution = hypergammon.solve(checkers=3, tolerance=1e-5, path=tmp_path / "three.hyp")
    assert solution.error_bound <= 1e-5
    solution.verify()
    generator = random.Random(5)
    for _ in range(20):
        check_one_step(solution, random_position(generator, 3))
    start = Position.start("hypergammon")
    check_one_step(solution, start)
