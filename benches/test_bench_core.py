"""How fast the core is through Python, one thread unless said: `pytest benches --benchmark-only`.

The answer is checked before it is timed. `extra_info` holds units a second, which is what `docs/performance.md` quotes.
"""

from __future__ import annotations

import numpy as np
import pytest
from corpora import KINDS, corpus

import gammon
from gammon import batch


@pytest.fixture(scope="module", params=KINDS)
def rows(request):
    return corpus(request.param)


def per_second(benchmark, units):
    if benchmark.stats:
        benchmark.extra_info["a_second"] = round(units / benchmark.stats["min"])


@pytest.mark.parametrize("view", ["mover", "next"])
def test_legal_positions(benchmark, rows, view):
    positions, rolls = rows
    values, offsets = batch.legal_positions(positions, rolls, view=view, threads=1)
    assert len(values) == offsets[-1] == batch.count_plays(positions, rolls).sum()
    benchmark(batch.legal_positions, positions, rolls, view=view, threads=1)
    per_second(benchmark, len(positions))


def test_legal_positions_into_an_array(benchmark, rows):
    positions, rolls = rows
    values, _ = batch.legal_positions(positions, rolls)
    out = np.zeros_like(values)
    benchmark(batch.legal_positions, positions, rolls, out=out, threads=1)
    assert (out == values).all()
    per_second(benchmark, len(positions))


def test_legal_positions_two_threads(benchmark, rows):
    positions, rolls = rows
    benchmark(batch.legal_positions, positions, rolls, threads=2)
    per_second(benchmark, len(positions))


def test_legal_plays(benchmark, rows):
    positions, rolls = rows
    values, steps, _ = batch.legal_plays(positions, rolls)
    assert len(values) == len(steps)
    benchmark(batch.legal_plays, positions, rolls, threads=1)
    per_second(benchmark, len(positions))


def test_count_plays(benchmark, rows):
    positions, rolls = rows
    benchmark(batch.count_plays, positions, rolls, threads=1)
    per_second(benchmark, len(positions))


@pytest.mark.parametrize("threads", [1, 2])
def test_random_games(benchmark, threads):
    assert gammon.simulate(20_000, seed=0, threads=threads).games == 20_000
    benchmark(gammon.simulate, 20_000, seed=0, threads=threads)
    per_second(benchmark, 20_000)


def test_random_games_with_records(benchmark):
    assert len(gammon.simulate(20_000, seed=0, per_game=True).per_game) == 20_000
    benchmark(gammon.simulate, 20_000, seed=0, threads=1, per_game=True)
    per_second(benchmark, 20_000)


def test_one_position_at_a_time(benchmark):
    position, roll = gammon.Position.start(), gammon.Roll(3, 1)
    assert len(benchmark(position.plays, roll)) == 16
    per_second(benchmark, 1)
