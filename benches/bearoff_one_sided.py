"""One-sided tables: build times and memory beside GNU Backgammon's makebearoff, and look-ups a second.

python benches/bearoff_one_sided.py [--points 6 9 10] [--peer-points 6 9]
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import Comparison, Job, machine, report

ROUNDS = 3


def one(points: int) -> None:
    """In a process of its own, for the peak of its memory."""
    from gammon.bearoff import OneSided

    best = min(_timed(points) for _ in range(ROUNDS if points < 9 else 1))
    table = OneSided(points)
    # A known answer first: a wrong table is not worth its time.
    assert abs(table.mean_rolls([0, 0, 15]) - 8.452495868791214) < 1e-12
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        f"{points} x 15: {table.positions:,} positions, {best:.2f} s, table {table.nbytes / 1e6:.0f} MB, "
        f"peak {peak / 1e6:.0f} MB of two tables at once"
        if points < 9
        else f"{points} x 15: {table.positions:,} positions, {best:.2f} s, table {table.nbytes / 1e6:.0f} MB, "
        f"peak {peak / 1e6:.0f} MB"
    )


def _timed(points: int) -> float:
    from gammon.bearoff import OneSided

    start = time.perf_counter()
    OneSided(points)
    return time.perf_counter() - start


def builds(points: int = 6) -> Comparison:
    """Both builders from nothing, one thread each."""
    from gammon.bearoff import OneSided

    jobs = {"gammon": Job(lambda _: OneSided(points))}
    title = f"one-sided table of {points} points by 15 checkers, gammons included"
    comparison = Comparison("one-sided table", title, "", jobs)
    program = makebearoff()
    if program is None:
        comparison.missing["makebearoff"] = "not installed"
    else:
        jobs["makebearoff"] = Job(lambda _: run_makebearoff(program, "-o", str(points)))
    return comparison


def makebearoff() -> str | None:
    """GNU Backgammon's builder of tables."""
    return shutil.which("makebearoff", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))


def run_makebearoff(program: str, *arguments: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, *arguments, "-f", str(Path(folder, "peer.bd"))], check=True, capture_output=True)


def look_ups() -> None:
    import numpy as np

    from gammon import Position
    from gammon.bearoff import OneSided

    table = OneSided.default()
    generator = np.random.default_rng(1)
    sides = [table.counts(int(index)) for index in generator.integers(1, table.positions, 2000)]
    start = time.perf_counter()
    for counts in sides:
        table.mean_rolls(counts)
    print(f"mean_rolls: {len(sides) / (time.perf_counter() - start):,.0f} a second")
    rows = []
    for own, other in zip(sides, reversed(sides), strict=True):
        points = [{point: n for point, n in enumerate(side, 1) if n} for side in (own, other)]
        rows.append(Position.from_points(points[0], opponent=points[1]).to_array())
    batch = np.repeat(np.stack(rows), 50, axis=0)
    start = time.perf_counter()
    chances, known = table.win_probabilities(batch)
    elapsed = time.perf_counter() - start
    assert known.all()
    assert 0.4 < chances.mean() < 0.9
    print(f"win_probabilities: {len(batch) / elapsed:,.0f} a second, one thread")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, nargs="*", default=[6, 9, 10])
    parser.add_argument("--peer-points", type=int, nargs="*", default=[6])
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one is not None:
        one(arguments.one)
        return
    print(machine())
    for points in arguments.points:
        subprocess.run([sys.executable, __file__, "--one", str(points)], check=True)
    for points in arguments.peer_points:
        report(builds(points), ROUNDS)
    look_ups()


if __name__ == "__main__":
    main()
