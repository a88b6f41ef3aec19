"""Two-sided tables: seconds and memory to build them, beside GNU Backgammon's builder, and look-ups a second.

Run with a release build: ``maturin develop --release && python benches/bearoff_two_sided.py --checkers 6 8 10``. Each
build runs in a process of its own, whose peak of resident memory is printed. ``makebearoff`` is run where it is
installed (``apt-get install gnubg``) for sizes up to ``--peer-most``; 6x9 takes it more than ten minutes.

15 checkers with the cube need 25 GB of disk in ``--directory`` and 14 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from bearoff_one_sided import makebearoff, run_makebearoff
from timing import Comparison, Job, machine, report

import gammon
from gammon import Position, Roll
from gammon.bearoff import TwoSided
from gammon.cube import Cube


def build(points: int, checkers: int, cubeful: bool, path: str | None, verify: bool) -> dict[str, float]:
    """Builds one table; seconds and peak memory of this process."""
    start = time.perf_counter()
    table = TwoSided.build(points=points, checkers=checkers, cubeful=cubeful, path=path)
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_SELF)
    answer = {"seconds": seconds, "peak": used.ru_maxrss * 1024, "cpu": used.ru_utime + used.ru_stime}
    if verify:
        start = time.perf_counter()
        table.verify()
        answer["verify"] = time.perf_counter() - start
    return answer


def build_in_a_process(*arguments: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", *arguments]
    answer: dict[str, float] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return answer


def builds(checkers: int = 6) -> Comparison:
    """Both builders from nothing, one thread each, with the cube, which makebearoff always includes."""
    jobs = {"gammon": Job(lambda _: TwoSided.build(points=6, checkers=checkers, threads=1))}
    title = f"two-sided table of 6 points by {checkers} checkers, with the cube"
    comparison = Comparison("two-sided table", title, "", jobs, rounds=3)
    program = makebearoff()
    if program is None:
        comparison.missing["makebearoff"] = "not installed"
    else:
        jobs["makebearoff"] = Job(lambda _: run_makebearoff(program, "-t", f"6x{checkers}"))
    return comparison


def sample(points: int, checkers: int, rows: int) -> list[Position]:
    rng = np.random.default_rng(1)

    def side() -> dict[int, int]:
        counts = rng.multinomial(rng.integers(1, checkers + 1), [1 / points] * points)
        return {point: int(count) for point, count in enumerate(counts, 1) if count}

    return [Position.from_points(side(), opponent=side()) for _ in range(rows)]


def look_ups(table: TwoSided, name: str, positions: list[Position]) -> None:
    """Look-ups a second, single and in batches."""
    rows = np.stack([where.to_array() for where in positions])
    cube = Cube()
    values = table.equities(rows, cube)[0]
    assert [table.equity(where, cube) for where in positions[:100]] == values[:100].tolist()
    best = {"single": 1e9, "batch": 1e9, "best play": 1e9}
    for _ in range(5):
        start = time.perf_counter()
        for where in positions:
            table.equity(where, cube)
        best["single"] = min(best["single"], (time.perf_counter() - start) / len(positions))
        start = time.perf_counter()
        table.equities(rows, cube, threads=1)
        best["batch"] = min(best["batch"], (time.perf_counter() - start) / len(positions))
        roll = Roll(6, 5)
        start = time.perf_counter()
        for where in positions[:2000]:
            table.best_play(where, roll, cube)
        best["best play"] = min(best["best play"], (time.perf_counter() - start) / 2000)
    figures = ", ".join(f"{what} {1 / seconds:,.0f}/s ({seconds * 1e9:,.0f} ns)" for what, seconds in best.items())
    print(f"look-ups {name}, one thread: {figures}", flush=True)


def side(*counts: int) -> dict[int, int]:
    return {point: count for point, count in enumerate(counts, 1) if count}


KNOWN = {
    "15 on the ace against 15 on the ace": (side(15), side(15)),
    "15 on the six against 15 on the six": (side(0, 0, 0, 0, 0, 15), side(0, 0, 0, 0, 0, 15)),
    "closed board (2 on each, 3 more on 6, 5, 4) against itself": (side(2, 2, 2, 3, 3, 3), side(2, 2, 2, 3, 3, 3)),
    "10 against 10, all on the ace": (side(10), side(10)),
    "7 on 6, 5, 4 (3-2-2) against 7 on 3, 2, 1 (3-2-2)": (side(0, 0, 0, 2, 2, 3), side(2, 2, 3)),
}


def known(table: TwoSided) -> None:
    """Equities that are published."""
    for name, (own, opponent) in KNOWN.items():
        where = Position.from_points(own, opponent=opponent)
        try:
            values = {"cubeless": table.equity(where)}
        except gammon.NotInDatabaseError:
            continue
        if table.cubeful:
            for place, cube in (("centred", Cube()), ("owned", Cube(2, "player")), ("opponent", Cube(2, "opponent"))):
                values[place] = table.equity(where, cube)
            values["centred, no double"] = table.equity(where, Cube(), no_double=True)
        words = ", ".join(f"{place} {value:+.5f}" for place, value in values.items())
        action = f", {table.cube_action(where).action}" if table.cubeful else ""
        print(f"{name}: {words}{action}", flush=True)


def check(table: TwoSided, rows: int) -> None:
    """Pairs recomputed one ply deep from the table itself: the most quanta that a number is off."""
    worst = {"cubeless": 0.0, "centred": 0.0}
    for where in sample(table.points, min(table.checkers), rows):
        quantum = (2 if 15 in (15 - where.off, 15 - where.opponent_off) else 1) / 32767.5
        for name, cube, no_double in (("cubeless", "none", False), ("centred", Cube(), True)):
            if name == "centred" and not table.cubeful:
                continue
            mean = sum(roll.weight * table.best_play(where, roll, cube)[1] for roll in Roll.all()) / 36
            off = abs(mean - table.equity(where, cube, no_double=no_double)) / quantum
            worst[name] = max(worst[name], off)
    words = ", ".join(f"{name} {off:.2f}" for name, off in worst.items())
    print(f"{rows} pairs recomputed one ply deep, worst difference in quanta: {words}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=6)
    parser.add_argument("--checkers", type=int, nargs="*", default=[6, 8, 10, 12])
    parser.add_argument("--kinds", nargs="*", default=["cubeless", "cubeful"])
    parser.add_argument("--repeats", type=int, default=3, help="of builds that take less than ten seconds")
    parser.add_argument("--directory", default=tempfile.gettempdir(), help="for the files")
    parser.add_argument("--memory-only", action="store_true", help="no files")
    parser.add_argument("--peer-most", type=int, default=7, help="the most checkers that makebearoff is run for")
    parser.add_argument("--verify", action="store_true", help="check the files afterwards")
    parser.add_argument("--check", metavar="TABLE", help="recompute pairs of this table and print known values instead")
    parser.add_argument("--rows", type=int, default=10_000, help="pairs to recompute")
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        points, checkers, kind, path, verify = options.one
        print(json.dumps(build(int(points), int(checkers), kind == "cubeful", path or None, verify == "1")))
        return
    if options.check:
        table = TwoSided.open(options.check)
        known(table)
        check(table, options.rows)
        return
    print(f"gammon {gammon.__version__}; {machine()}")
    for checkers in options.checkers:
        for kind in options.kinds:
            size = TwoSided.size(points=options.points, checkers=checkers, cubeful=kind == "cubeful")
            for place in ("memory", "file"):
                if (place == "memory" and size.memory_without_path > 8 << 30) or (
                    place == "file" and options.memory_only
                ):
                    continue
                best: dict[str, float] = {}
                with tempfile.TemporaryDirectory(dir=options.directory) as scratch:
                    path = str(Path(scratch) / "table") if place == "file" else ""
                    arguments = [str(options.points), str(checkers), kind, path, str(int(options.verify))]
                    for _ in range(options.repeats):
                        answer = build_in_a_process(*arguments)
                        if not best or answer["seconds"] < best["seconds"]:
                            best = answer
                        if answer["seconds"] > 10:
                            break
                line = f"{options.points}x{checkers} {kind}, to {place}: {best['seconds']:.2f} s"
                line += f" ({best['cpu']:.1f} s of processors), peak {best['peak'] / 1e6:,.0f} MB"
                line += f", {size.pairs:,} pairs, file {size.file_bytes / 1e6:,.1f} MB"
                if "verify" in best:
                    line += f", verified in {best['verify']:.1f} s"
                print(line, flush=True)
        if checkers <= options.peer_most and options.points == 6:
            report(builds(checkers), 1)
    known(TwoSided.build(points=1, checkers=15))
    table = TwoSided.default()
    positions = sample(6, 6, 20_000)
    look_ups(table, "6x6 in memory", positions)
    with tempfile.TemporaryDirectory(dir=options.directory) as scratch:
        path = Path(scratch) / "table"
        table.save(path)
        look_ups(TwoSided.open(path), "6x6 mapped", positions)
        look_ups(TwoSided.open(path, mmap=False), "6x6 read", positions)


if __name__ == "__main__":
    main()
