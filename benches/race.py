"""How far a network is from the exact one-sided tables in the bear-off.

    python benches/race.py [MODEL]

Positions without contact and with all checkers home, from random play: the chance to win, where both sides play to bear
off in as few rolls as they can, and so independently of each other.
"""

from __future__ import annotations

import sys

import numpy as np
from corpora import corpus

import gammon
from gammon import batch
from gammon.evaluator import named


def main() -> None:
    model = named(sys.argv[1] if len(sys.argv) > 1 else "fast")
    positions, _ = corpus("bearoff")
    exact, held = gammon.bearoff.OneSided.default().win_probabilities(positions)
    assert held.all()
    error = np.abs(batch.evaluate(positions, model=model)[:, 0] - exact)
    print(
        f"{model.path.name}, {len(positions):,} positions: mean error {error.mean():.4f}, "
        f"root mean square {np.sqrt((error**2).mean()):.4f}, 99 % within {np.quantile(error, 0.99):.4f}"
    )


if __name__ == "__main__":
    main()
