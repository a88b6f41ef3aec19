"""Hypergammon: time, memory and error bound of the solution, what the start is worth, and look-ups a second.

python benches/hypergammon.py [--checkers 1 2 3] [--tolerance 1e-9] [--threads 2] [--simulate 20000]
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from gammon import Position, Roll, hypergammon
from gammon.cube import Cube
from gammon.hypergammon import Hypergammon


def start_of(checkers: int) -> Position:
    points = {24 - n: 1 for n in range(checkers)}
    return Position.from_points(points, opponent=points, checkers=checkers)


def opening(solution: Hypergammon, start: Position, cube: str | Cube) -> float:
    """The equity of the side that starts: 15 rolls, equally likely (rule 2.1), no double before them."""
    rolls = [roll for roll in Roll.all() if not roll.is_double]
    return sum(solution.best_play(start, roll, cube)[1] for roll in rolls) / len(rolls)


def report(solution: Hypergammon) -> None:
    start = start_of(solution.checkers)
    values = solution.values(start)
    for name, value in values._asdict().items():
        print(f"  start, any roll, {name:<16} {value:+.6f}")
    for name, cube in (("cubeless", "none"), ("centred", Cube())):
        print(f"  the starter's equity, {name:<11} {opening(solution, start, cube):+.6f}")
    jacoby = (
        sum(solution.best_play(start, roll, Cube(), jacoby=True)[1] for roll in Roll.all() if not roll.is_double) / 15
    )
    print(f"  the starter's equity, Jacoby      {jacoby:+.6f}")


def look_ups(solution: Hypergammon) -> None:
    generator = random.Random(1)
    rows = []
    while len(rows) < 2000:
        own, other = ([generator.randint(1, 24) for _ in range(solution.checkers)] for _ in range(2))
        if not {25 - point for point in own} & set(other):
            sides = [{point: side.count(point) for point in side} for side in (own, other)]
            rows.append(Position.from_points(sides[0], opponent=sides[1], checkers=solution.checkers))
    begin = time.perf_counter()
    for row in rows:
        solution.equity(row, Cube())
    print(f"  equity: {len(rows) / (time.perf_counter() - begin):,.0f} a second")
    batch = np.repeat(np.stack([row.to_array() for row in rows]), 50, axis=0)
    begin = time.perf_counter()
    _, known = solution.equities(batch, Cube())
    assert known.all()
    print(f"  equities: {len(batch) / (time.perf_counter() - begin):,.0f} a second")


def simulate(solution: Hypergammon, games: int) -> None:
    """Whole games by best cubeless play, against the equity that the table gives."""
    generator = random.Random(1)
    start = start_of(solution.checkers)
    points = []
    for _ in range(games):
        position, sign = start, 1
        while not position.is_over:
            play, _ = solution.best_play(position, Roll(generator.randint(1, 6), generator.randint(1, 6)))
            position, sign = play.next, -sign
        assert position.outcome is not None
        points.append(sign * position.outcome.points)
    error = float(np.std(points)) / games**0.5
    print(f"  {games} games: {np.mean(points):+.4f} +- {error:.4f}, table {solution.equity(start):+.4f}")


def one(checkers: int, tolerance: float, threads: int | None, games: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "solution.ghy")
        begin = time.perf_counter()
        solution = hypergammon.solve(checkers, tolerance=tolerance, threads=threads)
        elapsed = time.perf_counter() - begin
        usage = resource.getrusage(resource.RUSAGE_SELF)
        print(
            f"{checkers} checkers: {solution.positions:,} positions, {elapsed:.1f} s ({usage.ru_utime:.0f} s of "
            f"processor), {solution.sweeps} sweeps, error at most {solution.error_bound:.1e}, peak "
            f"{usage.ru_maxrss * 1024 / 1e9:.2f} GB",
            flush=True,
        )
        solution.save(path)
        print(f"  file {path.stat().st_size / 1e6:.1f} MB")
        solution = hypergammon.open(path)
        solution.verify()
        report(solution)
        look_ups(solution)
        if games:
            simulate(solution, games)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkers", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--tolerance", type=float, default=1e-9)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--simulate", type=int, default=20_000)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one is not None:
        one(arguments.one, arguments.tolerance, arguments.threads, arguments.simulate)
        return
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for checkers in arguments.checkers:
        command = [sys.executable, __file__, "--one", str(checkers), "--tolerance", str(arguments.tolerance)]
        command += ["--simulate", str(arguments.simulate)]
        if arguments.threads is not None:
            command += ["--threads", str(arguments.threads)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
