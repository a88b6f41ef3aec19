"""Simulated games a second on one thread, and what writing them costs.

    pip install '.[data]' && python benches/simulation.py

Every line is the best of several rounds. The sums of each way are compared before it is timed.
"""

from __future__ import annotations

import platform
import resource
import tempfile
import time
from collections.abc import Callable

import numpy as np

import gammon
from gammon import Rules

ROUNDS = 5
GAMES = 50_000


class Noise:
    """Plays at random by the noise it is given."""

    def choose(self, c: gammon.Choices) -> np.ndarray:
        return (c.noise % c.counts.astype(np.uint64)).astype(np.int64)


def written(**how: object) -> gammon.SimulationResult:
    with tempfile.TemporaryDirectory() as place:
        return gammon.simulate(GAMES, seed=1, threads=1, out=place, **how)  # type: ignore[arg-type]


def main() -> None:
    print(f"Python {platform.python_version()}, {platform.machine()}, one thread, best of {ROUNDS}")
    plain = gammon.simulate(GAMES, seed=1, threads=1)
    policy = Noise()
    jobs: dict[str, Callable[[], gammon.SimulationResult]] = {
        "random": lambda: gammon.simulate(GAMES, seed=1, threads=1),
        "random, with a table of games": lambda: gammon.simulate(GAMES, seed=1, threads=1, per_game=True),
        "random, games to Parquet": written,
        "random, every action to Parquet": lambda: written(record=True),
        "random, money with the cube": lambda: gammon.simulate(GAMES, cube=True, seed=1, threads=1),
        "random, matches to 3": lambda: gammon.simulate(GAMES // 4, rules=Rules.match(3), seed=1, threads=1),
        "a numpy policy, both sides": lambda: gammon.simulate(GAMES, (policy, policy), seed=1, threads=1),
    }
    first = None
    for name, job in jobs.items():
        if name.startswith("random, ") and "money" not in name and "matches" not in name:
            assert job() == plain, name
        best = 0.0
        for _ in range(ROUNDS):
            start = time.perf_counter()
            result = job()
            best = max(best, result.games / (time.perf_counter() - start))
        first = first or best
        print(f"  {name:<34}{best:>10,.0f} games/s{100 * (first / best - 1):>8.0f} % more time than random")
    for games in (10_000, 100_000, 400_000):
        gammon.simulate(games, (policy, "random"), seed=1, threads=1)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  peak memory after {games:>9,} games of a policy: {peak:,.0f} MB")


if __name__ == "__main__":
    main()
