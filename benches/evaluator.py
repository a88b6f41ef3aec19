"""How fast networks are through Python: processor time of one thread, the best of several rounds.

    python benches/evaluator.py [MODEL ...]

Unrelated positions, and choices of play at 0-ply with the candidates that they look at (legal plays, evaluation and the
best of them), on positions of random play with even rolls. If gnubg-nn is installed, its choices of play are timed in
the same run, lists of boards made before the clock starts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import gammon
from gammon import batch

ROWS = 20_000
PEER_ROWS = 2_000


def per_second(units: int, job: Callable[[], object], rounds: int = 9) -> float:
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        job()
        seconds.append(time.process_time() - start)
    return units / min(seconds)


def main() -> None:
    positions = batch.random_positions(ROWS, seed=1)
    rolls = np.random.default_rng(1).integers(1, 7, (ROWS, 2), dtype=np.uint8)
    candidates = int(batch.count_plays(positions, rolls).sum())
    print(f"{candidates / ROWS:.1f} candidates a roll")
    for model in [gammon.Model(path) for path in sys.argv[1:]] or [gammon.Model.default()]:
        best = batch.best_positions(positions[:500], rolls[:500], view="next", model=model)
        again = batch.best_positions(positions[:500], rolls[:500], view="next", model=lambda rows, m=model: m(rows))
        assert (best == again).all()
        full = per_second(ROWS, lambda m=model: batch.evaluate(positions, model=m, threads=1))
        choices = per_second(ROWS, lambda m=model: batch.best_positions(positions, rolls, model=m, threads=1))
        print(
            f"{model.path.name} {model.layers}, {model.kernel}: {full:,.0f} unrelated positions, "
            f"{choices:,.0f} choices of play, {choices * candidates / ROWS:,.0f} candidates a second"
        )
    try:
        import gnubg_nn
    except ImportError:
        print("gnubg-nn is not installed")
        return
    own = np.maximum(positions[:PEER_ROWS, 1:26], 0).tolist()
    opponent = np.maximum(-positions[:PEER_ROWS, 24::-1], 0).tolist()
    jobs = list(zip(zip(opponent, own, strict=True), rolls[:PEER_ROWS].tolist(), strict=True))
    # One round: it remembers what it has evaluated.
    choices = per_second(PEER_ROWS, lambda: [gnubg_nn.best_move(board, a, b) for board, (a, b) in jobs], rounds=1)
    print(f"gnubg-nn, 0-ply: {choices:,.0f} choices of play a second")


if __name__ == "__main__":
    main()
