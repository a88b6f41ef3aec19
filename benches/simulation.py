"""Simulated games a second on one thread, and what writing them costs.

    pip install '.[data]' && python benches/simulation.py

Every line is the best of several rounds, by the clock and by processor time: a part of a data set is written by a
thread of its own while the next is played. The sums of each way are compared before it is timed.

"Parquet writing costs" in the budgets is the line "games to Parquet". Every action is a hundred times as many rows:
"every action in memory" is what keeping them costs, and the lines below it what the files cost beside that.
"""

from __future__ import annotations

import platform
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import gammon
from gammon import Rules

ROUNDS = 5
GAMES = 50_000
FEW = 4_000
SIZES: list[float] = []
"""Bytes a game of what was written last."""


class Noise:
    """Plays at random by the noise it is given."""

    def choose(self, c: gammon.Choices) -> np.ndarray:
        return (c.noise % c.counts.astype(np.uint64)).astype(np.int64)


def written(games: int = GAMES, **how: object) -> gammon.SimulationResult:
    with tempfile.TemporaryDirectory() as place:
        result = gammon.simulate(games, seed=1, threads=1, out=place, **how)  # type: ignore[arg-type]
        SIZES.append(sum(file.stat().st_size for file in Path(place).iterdir()) / games)
        return result


def main() -> None:
    print(f"Python {platform.python_version()}, {platform.machine()}, one thread, best of {ROUNDS}")
    plain = gammon.simulate(GAMES, seed=1, threads=1)
    policy = Noise()
    jobs: dict[str, Callable[[], gammon.SimulationResult]] = {
        "random": lambda: gammon.simulate(GAMES, seed=1, threads=1),
        "random, with a table of games": lambda: gammon.simulate(GAMES, seed=1, threads=1, per_game=True),
        "random, games to Parquet": written,
        "random, every action in memory": lambda: gammon.simulate(GAMES, seed=1, threads=1, record=True),
        "random, every action, bits": lambda: written(record=True),
        "random, every action, zstd": lambda: written(record=True, compression="zstd"),
        "random, every action, lz4": lambda: written(record=True, compression="lz4"),
        "random, every action, none": lambda: written(record=True, compression="none"),
        "random, every action, numpy": lambda: written(record=True, file_format="numpy"),
        "random, money with the cube": lambda: gammon.simulate(GAMES, cube=True, seed=1, threads=1),
        "fast": lambda: gammon.simulate(FEW, ("fast", "fast"), seed=1, threads=1),
        "fast, money with the cube": lambda: gammon.simulate(FEW, ("fast", "fast"), cube=True, seed=1, threads=1),
        "fast, matches to 7": lambda: gammon.simulate(
            FEW // 16, ("fast", "fast"), rules=Rules.match(7), seed=1, threads=1
        ),
        "fast, every action, bits": lambda: written(FEW, players=("fast", "fast"), record=True, evaluations="fast"),
        "random, matches to 3": lambda: gammon.simulate(GAMES // 4, rules=Rules.match(3), seed=1, threads=1),
        "a numpy policy, both sides": lambda: gammon.simulate(GAMES, (policy, policy), seed=1, threads=1),
    }
    first = None
    for name, job in jobs.items():
        if name.startswith("random, ") and "money" not in name and "matches" not in name:
            assert job() == plain, name
        clock = processor = 0.0
        SIZES.clear()
        for _ in range(ROUNDS):
            start, began = time.perf_counter(), time.process_time()
            games = job().games
            clock = max(clock, games / (time.perf_counter() - start))
            processor = max(processor, games / (time.process_time() - began))
        first = first or (clock, processor)
        line = f"  {name:<32}{clock:>9,.0f} games/s{processor:>9,.0f} by processor time"
        if name.startswith("random, ") and "money" not in name and "matches" not in name:
            more = [100 * (one / other - 1) for one, other in zip(first, (clock, processor), strict=True)]
            line += f"{more[0]:>5.0f} % more by the clock,{more[1]:>4.0f} % by processor time"
        print(line + (f", {SIZES[-1]:,.0f} bytes a game" if SIZES else ""))
    for games in (10_000, 100_000, 400_000):
        gammon.simulate(games, (policy, "random"), seed=1, threads=1)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  peak memory after {games:>9,} games of a policy: {peak:,.0f} MB")


if __name__ == "__main__":
    main()
