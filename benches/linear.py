"""A linear baseline of our own: a network without hidden layers, fitted in a minute to what our model says.

    python benches/linear.py --out linear.npz
    python benches/strength.py linear.npz

Each of the five outputs is 1 / (1 + exp(-x)) of a weighted sum of the raw196 inputs, and means what it means for our
networks (docs/formats/model.md): chances that refine each other. It plays games against itself, side by side, and at
each turn of all of them takes a step towards what `fast` says of the positions. Learning from its own next positions
instead, as networks do, gave a far worse player in the same time.
The rate falls to a tenth.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import gammon
from gammon import batch

Floats: TypeAlias = "NDArray[np.float32]"
SIDE_BY_SIDE = 500


class Linear:
    """The baseline, as an evaluator."""

    def __init__(self, weights: Floats) -> None:
        self.weights = weights

    @classmethod
    def open(cls, path: str) -> Linear:
        with np.load(path) as arrays:
            return cls(arrays["weights"])

    def inputs(self, positions: NDArray[np.int8]) -> Floats:
        ones = np.ones((len(positions), 1), np.float32)
        return np.concatenate([batch.features(positions, "raw196"), ones], 1)

    def chances(self, inputs: Floats) -> Floats:
        answer: Floats = 1 / (1 + np.exp(-np.clip(inputs @ self.weights, -30, 30)))
        return answer

    def __call__(self, positions: NDArray[np.int8], /) -> Floats:
        win, gammon, backgammon, lose_gammon, lose_backgammon = self.chances(self.inputs(positions)).T
        lost = (1 - win) * lose_gammon
        return np.stack([win, win * gammon, win * gammon * backgammon, lost, lost * lose_backgammon], 1)

    def learn(self, inputs: Floats, target: Floats, rate: float) -> None:
        """One step down the slope of the cross entropy of the six ends."""
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = target.T
        asked = np.stack([np.ones_like(win), win, win_gammon, 1 - win, lose_gammon], 1)
        yes = np.stack([win, win_gammon, win_backgammon, lose_gammon, lose_backgammon], 1)
        error = yes - asked * self.chances(inputs)
        self.weights += rate / len(inputs) * (inputs.T @ error)


def train(games: int, seed: int, rate: float = 1.0) -> Linear:
    """A baseline from nothing, a function of its arguments and of our model."""
    linear = Linear(np.zeros((197, 5), np.float32))
    rng = np.random.default_rng(seed)
    start = gammon.Position.start().to_array()
    cells = np.repeat(start[None], SIDE_BY_SIDE, 0)
    done = 0
    while done < games:
        rolls = rng.integers(1, 7, (SIDE_BY_SIDE, 2), dtype=np.uint8)
        linear.learn(linear.inputs(cells), batch.evaluate(cells, threads=1), rate * 10 ** (-done / games))
        cells = batch.best_positions(cells, rolls, view="next", model=linear, threads=1)
        over = (np.maximum(cells[:, 1:26], 0).sum(1) == 0) | (np.minimum(cells[:, :25], 0).sum(1) == 0)
        done += int(over.sum())
        cells[over] = start
    return linear


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("linear.npz"))
    arguments = parser.parse_args()
    linear = train(arguments.games, arguments.seed)
    np.savez(arguments.out, weights=linear.weights)
    value = linear(gammon.Position.start().to_array()[None])[0]
    print(f"{arguments.out}: {linear.weights.size} weights, {arguments.games:,} games; the start {value.round(3)}")


if __name__ == "__main__":
    main()
