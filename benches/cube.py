"""Speed of the cube formula, and how near the computed match equities are to published ones.

Run with a release build: ``maturin develop --release && python benches/cube.py``. The tables that the default one is
compared with are those of GNU Backgammon (``apt-get install gnubg``); without them that part says so.
"""

from __future__ import annotations

import argparse
import math
import platform
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gammon.cube import Cube, Ladder, Score, decide
from gammon.met import MatchEquityTable

TABLES = ("Kazaross-XG2", "Rockwell-Kazaross", "g11", "mec26", "jacobs", "ortega", "woolsey", "snowie")


def best(work: Callable[[], object], repeats: int) -> float:
    """The least seconds of several runs."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def speed(rows: int, repeats: int) -> None:
    rng = np.random.default_rng(1)
    win, a, b, c, d = rng.random((5, rows))
    p = np.stack([win, win * a, win * a * b, (1 - win) * c, (1 - win) * c * d], axis=1)
    assert abs(decide(p[:1]).no_double[0] - decide(list(p[0])).no_double) < 1e-12
    print(f"{platform.machine()}, {rows} rows, best of {repeats}, one thread")
    efficiency = np.array([0.68])
    cases = {
        "money": (Ladder.money(), Cube()),
        "money, cube 2 owned": (Ladder.money(), Cube(2, "player")),
        "5-away, 7-away": (Ladder.match(Score(5, 7)), Cube()),
        "25-away, 25-away": (Ladder.match(Score(25, 25)), Cube()),
    }
    for name, (ladder, cube) in cases.items():
        core = ladder.compiled()
        values = best(lambda: core.values(p, cube.level, cube.owner, efficiency), repeats)  # noqa: B023
        decisions = best(lambda: core.decisions(p, cube.level, cube.owner, efficiency), repeats)  # noqa: B023
        print(f"  {name:22} {rows / values / 1e6:6.1f} M values/s {rows / decisions / 1e6:6.1f} M decisions/s")
    seconds = best(lambda: MatchEquityTable.compute(length=25), repeats)
    print(f"  a table of match equities for 25 points: {seconds * 1e3:.0f} ms")


def compare(directory: Path) -> None:
    reference = directory / "Kazaross-XG2.xml"
    if not reference.exists():
        print(f"no tables in {directory}: nothing to compare with")
        return
    kazaross = MatchEquityTable.load(reference)
    print("difference to Kazaross-XG2 up to 15 points, in per cent of matches: root mean square, largest")
    tables = {"default (computed)": MatchEquityTable.default()}
    tables |= {name: MatchEquityTable.load(directory / f"{name}.xml") for name in TABLES[1:]}
    for name, table in tables.items():
        scores = [(own, other) for own in range(1, 16) for other in range(1, 16)]
        pre = [table.mwc(*score) - kazaross.mwc(*score) for score in scores]
        post = [
            table.mwc(own, 1, post_crawford=True) - kazaross.mwc(own, 1, post_crawford=True) for own in range(2, 16)
        ]
        columns = [
            f"{100 * math.sqrt(sum(x * x for x in d) / len(d)):5.2f} {100 * max(map(abs, d)):5.2f}" for d in (pre, post)
        ]
        print(f"  {name:22} {columns[0]}   post-Crawford {columns[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--tables", type=Path, default=Path("/usr/share/gnubg/met"))
    arguments = parser.parse_args()
    speed(arguments.rows, arguments.repeats)
    compare(arguments.tables)


if __name__ == "__main__":
    main()
