"""How long the analysis of a match takes: the 7-point match of the tests, at each depth, with one thread and with all.

    python benches/analysis.py

Times are the best of three, by the clock on the wall: other work on the machine shows.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import gammon

MATCH = Path(__file__).parent.parent / "tests" / "data" / "matches" / "m7_a.mat"


def main() -> None:
    match = gammon.formats.load(MATCH)
    cores = os.cpu_count() or 1
    gammon.analyze(match, plies=0)
    known = None
    print(f"{MATCH.name}: {len(match.games)} games, {cores} cores")
    for plies in (0, 1, 2):
        for threads in sorted({1, cores}):
            times = []
            for _ in range(3):
                began = time.perf_counter()
                analysis = gammon.analyze(match, plies=plies, threads=threads)
                times.append(time.perf_counter() - began)
            assert known is None or known.plies != plies or known == analysis
            known = analysis
            rate = f"{len(analysis.decisions)} decisions, {len(analysis.rolls)} rolls"
            print(f"{plies}-ply, {threads} threads: {min(times):6.2f} s  ({rate})")


if __name__ == "__main__":
    main()
