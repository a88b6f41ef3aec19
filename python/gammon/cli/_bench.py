"""``gammon bench``: how fast this machine is, and whether this build does the same as any other."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

import gammon
from gammon.cli._arguments import Json, print_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROWS = 20_000
_GAMES = 20_000


def bench(
    signature: Annotated[bool, typer.Option("--signature", help="Print one number for the same behaviour.")] = False,
    json: Json = False,
) -> None:
    """Measure the main jobs on one thread. With --signature, print the signature of their results.

    Example: gammon bench --signature
    """
    if signature:
        value = _signature()
        print_json({"signature": value}) if json else print(value)
        return
    rates = _rates()
    if json:
        print_json(rates)
    else:
        for job, rate in rates.items():
            print(f"{job:<20}{rate:>14,.0f} a second")


def _corpus() -> tuple[NDArray[np.int8], NDArray[np.uint8]]:
    """Fixed positions and, by turns, the 21 rolls."""
    import numpy as np

    rolls = np.array([(roll.high, roll.low) for roll in gammon.Roll.all()], dtype=np.uint8)
    return gammon.batch.random_positions(_ROWS, seed=0), rolls[np.arange(_ROWS) % len(rolls)]


def _signature() -> str:
    """The same for every build that behaves the same: a hash over plays, steps, evaluations and games."""
    positions, rolls = _corpus()
    digest = hashlib.sha256()
    for answer in gammon.batch.legal_plays(positions, rolls, view="next"):
        digest.update(answer.astype(answer.dtype.newbyteorder("<")).tobytes())
    digest.update(gammon.batch.evaluate(positions).astype("<f4").tobytes())
    digest.update(gammon.batch.best_positions(positions, rolls).tobytes())
    result = gammon.simulate(_GAMES, seed=0)
    digest.update(repr((result.games, result.plies, result.plies_squared, result.wins)).encode())
    return digest.hexdigest()[:16]


def _rates() -> dict[str, float]:
    positions, rolls = _corpus()

    def per_second(units: int, job: Callable[[], object]) -> float:
        """The best of five."""
        seconds = []
        for _ in range(5):
            start = time.perf_counter()
            job()
            seconds.append(time.perf_counter() - start)
        return units / min(seconds)

    return {
        "legal_positions": per_second(_ROWS, lambda: gammon.batch.legal_positions(positions, rolls, threads=1)),
        "legal_plays": per_second(_ROWS, lambda: gammon.batch.legal_plays(positions, rolls, threads=1)),
        "count_plays": per_second(_ROWS, lambda: gammon.batch.count_plays(positions, rolls, threads=1)),
        "evaluate": per_second(_ROWS, lambda: gammon.batch.evaluate(positions, threads=1)),
        "best_positions": per_second(_ROWS, lambda: gammon.batch.best_positions(positions, rolls, threads=1)),
        "random_games": per_second(_GAMES, lambda: gammon.simulate(_GAMES, seed=0, threads=1)),
    }
