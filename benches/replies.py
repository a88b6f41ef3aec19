"""What it costs to evaluate only a few replies to each roll inside the tree (`Engine(replies=...)`).

    python benches/replies.py [MODEL ...]

The positions are those of `engine.py`. For each number of replies: choices of play a second (processor time, one
thread, no cache); how often the best play of `replies=None` is found; how much the play that is found instead is worth
less by `replies=None`, on average over all choices; and by how much the equity of that play differs, root mean square
and on average.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from engine import corpus

import gammon
from gammon.evaluator import named

REPLIES = (4, 8, 12, 16, 24, None)
ROWS = {1: 1200, 2: 300}
PLIES = (1, 2)


def measure(model: gammon.Model, plies: int, seed: int) -> None:
    positions, rolls = corpus(ROWS[plies], seed)
    jobs = [
        (gammon.Position.from_array(row), gammon.Roll(int(a), int(b)))
        for row, (a, b) in zip(positions, rolls, strict=True)
    ]
    exact = [gammon.Engine(plies, model=model, threads=1, replies=None).rank_plays(*job) for job in jobs]
    known = [{ranked.play.next: ranked for ranked in ranking} for ranking in exact]
    for replies in REPLIES:
        engine = gammon.Engine(plies, model=model, threads=1, replies=replies, cache=0)
        start = time.process_time()
        rankings = [engine.rank_plays(*job) for job in jobs]
        speed = len(jobs) / (time.process_time() - start)
        lost, off, found = [], [], 0
        for ranking, full, by_play in zip(rankings, exact, known, strict=True):
            if not ranking:
                continue
            best = by_play[ranking[0].play.next]
            found += best.play.next == full[0].play.next
            lost.append(full[0].equity - best.equity)
            off.append(ranking[0].equity - best.equity if best.plies == ranking[0].plies else 0.0)
        rms = np.sqrt(np.mean(np.square(off)))
        print(
            f"{model.path.name} {plies}-ply, seed {seed}, replies {replies or 'all'}: {speed:,.0f} a second, "
            f"same play {found / len(lost):.2%}, lost {np.mean(lost):.6f}, most {max(lost):.4f}, "
            f"equity off {rms:.5f} rms, {np.mean(off):+.5f} mean",
            flush=True,
        )


def main() -> None:
    for model in map(named, sys.argv[1:] or ["fast"]):
        for plies in PLIES:
            for seed in (1, 2):
                measure(model, plies, seed)


if __name__ == "__main__":
    main()
