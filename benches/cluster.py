"""What a chunk of games or of rollout trials costs on a Ray cluster, measured on this machine, and the scaling that it
predicts.

    pip install '.[ray]' && python benches/cluster.py

One process hands out chunks and adds up answers. What it needs for each chunk, measured with chunks of no games, bounds
how many cores it can keep busy: seconds of a chunk / seconds that the chunk takes here. Below that bound the loss is
what a worker needs beside the games, and the last round, in which cores that finish first wait for the others.
Rollouts: the same for chunks of their smallest size, with what adding their trials one by one takes here.
"""

from __future__ import annotations

import math
import os
import pickle
import platform
import time
from collections.abc import Callable, Sequence

import ray

import gammon
from gammon import _ray
from gammon.engine._cluster import LEAST
from gammon.engine._cluster import _played as _played_trials
from gammon.engine._rollout import trials_of
from gammon.simulation._players import Players
from gammon.simulation._run import Job, _played

CORES = 1000
ROUNDS = 2


def nothing(job: Job, units: tuple[int, int]) -> object:
    """As large an answer as that of a chunk of games."""
    return job.nothing()


def seconds_each(work: Callable[..., object], job: object, units: Sequence[object]) -> tuple[float, float]:
    """Seconds of the clock and of this process for each chunk, the best of some rounds."""
    best = (math.inf, math.inf)
    for _ in range(ROUNDS):
        clock, here = time.perf_counter(), time.process_time()
        count = sum(1 for _ in _ray.run(work, job, units))
        best = min(best, ((time.perf_counter() - clock) / count, (time.process_time() - here) / count))
    return best


def rollouts() -> None:
    """The plays of an opening roll, luck taken off."""
    start, roll = gammon.Position.start(), gammon.Roll(3, 1)
    for plays in (1, 5):
        how = {"x": start, "roll": roll, "plays": plays, "trials": LEAST * 4, "seed": 1}
        result = gammon.engine.rollout(**how)  # type: ignore[arg-type]
        assert gammon.engine.rollout(**how, backend="ray") == result  # type: ignore[arg-type]
        trials, alive = trials_of(result, 1), (True,) * plays
        empty, here = seconds_each(_played_trials, trials, [(0, 0, alive)] * 1000)
        core = trials.core()
        alone = adding = math.inf
        for _ in range(ROUNDS):
            begin = time.process_time()
            samples = trials.play((0, LEAST, alive))
            alone = min(alone, time.process_time() - begin)
            begin = time.process_time()
            core.add(core.standing(), (LEAST * 4, 2, None, None, None), 0, samples)
            adding = min(adding, time.process_time() - begin)
        print(f"rollout of {plays} plays: chunks of {LEAST} trials each")
        print(f"  a chunk alone, processor time            {alone:10.4f} s")
        print(f"  a chunk of no trials {empty * 1e6:30.0f} us, of it here {here * 1e6:.0f} us")
        print(f"  adding its trials here                   {adding * 1e6:10.0f} us")
        print(f"  cores that one process keeps busy        {alone / (empty + adding):10,.0f}")


def main() -> None:
    workers = os.cpu_count() or 1
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    print(f"Python {platform.python_version()}, Ray {ray.__version__}, {platform.machine()}, {workers} workers")
    how = {"paired": False, "per_game": False, "record": False, "network": None, "threads": 1, "batch_size": 4096}
    for name, players, games in (("random", ("random", "random"), 1 << 16), ("fast", ("fast", "fast"), 1 << 14)):
        job = Job(Players(players), None, "standard", 1, **how)  # type: ignore[arg-type]
        assert gammon.simulate(1000, players, seed=1, backend="ray") == gammon.simulate(1000, players, seed=1)
        empty, here = seconds_each(nothing, job, [(0, 0)] * 2000)
        ahead, _ray.AHEAD = _ray.AHEAD, _ray.AHEAD * CORES // workers
        many, _ = seconds_each(nothing, job, [(0, 0)] * 12_000)
        _ray.AHEAD = ahead
        alone = math.inf
        for _ in range(ROUNDS):
            start = time.process_time()
            job.play(0, games, None)
            alone = min(alone, time.process_time() - start)
        chunks = [(games * k, games * (k + 1)) for k in range(4 * workers)]
        wall, _ = seconds_each(_played, job, chunks)
        print(f"{name}: chunks of {games:,} games")
        print(f"  a chunk alone, processor time            {alone:10.4f} s, {games / alone:,.0f} games/s")
        print(f"  a chunk on the cluster, {workers} at a time {wall * workers:17.4f} s, {games / wall:,.0f} games/s")
        print(f"  a chunk of no games, {workers} at a time {empty * 1e6:20.0f} us, of it here {here * 1e6:.0f} us")
        print(f"  the same with {4 * CORES:,} chunks begun {many * 1e6:17.0f} us")
        print(f"  an answer without tables                 {len(pickle.dumps(job.nothing())):10,} bytes")
        bound = alone / empty
        print(f"  cores that one process keeps busy        {bound:10,.0f}")
        own = empty * workers
        for chunks_each in (10, 100):
            share = alone / (alone + own) * min(1, bound / CORES) * chunks_each / (chunks_each + 0.5)
            speed = CORES * share * games / alone
            print(
                f"  predicted for {CORES:,} cores, {chunks_each:3} chunks each: {100 * share:.0f} % of them at work, "
                f"{speed / 1e6:,.1f} million games/s"
            )
    rollouts()
    ray.shutdown()


if __name__ == "__main__":
    main()
