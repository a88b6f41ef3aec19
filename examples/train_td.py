"""Trains a small value network by temporal differences against itself, with numpy alone, in about a minute.

    pip install . && python examples/train_td.py

Thousands of games are played side by side by `gammon.env.VectorEnv`. The network estimates the points of the player on
roll, of single games: -1 to 1. Each step moves its estimate of every position towards that of the position after the
play, as the mover sees it; at the end of a game, towards its result. What it learned is then played, through
`gammon.simulate`, against the player that chooses at random.
"""

from __future__ import annotations

import argparse
import os
import time

# The matrices are small: threads within numpy would cost more than they save.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import gammon

HIDDEN = 32
RATE = 0.006
"""For each position; a step adds up those of all games."""


class Network:
    """One hidden layer; points of the player on roll, from the features of a position."""

    name = "td"

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        inputs = gammon.batch.features(gammon.Position.start().to_array()[None]).shape[1]
        self.first = rng.normal(0, 0.1, (inputs, HIDDEN)).astype(np.float32)
        self.bias = np.zeros(HIDDEN, dtype=np.float32)
        self.second = rng.normal(0, 0.1, HIDDEN).astype(np.float32)

    def hidden(self, features: np.ndarray) -> np.ndarray:
        return np.tanh(features @ self.first + self.bias)

    def value(self, positions: np.ndarray) -> np.ndarray:
        """float32[N]. A finished position is exact: whoever is to roll in it has lost."""
        values = np.tanh(self.hidden(gammon.batch.features(positions)) @ self.second)
        values[positions[:, 27] == 15] = -1
        return values

    def learn(self, positions: np.ndarray, targets: np.ndarray) -> None:
        """One step of gradient descent towards the targets."""
        features = gammon.batch.features(positions)
        hidden = self.hidden(features)
        values = np.tanh(hidden @ self.second)
        slope = (targets - values) * (1 - values**2) * RATE
        inner = slope[:, None] * self.second * (1 - hidden**2)
        self.second += hidden.T @ slope
        self.first += features.T @ inner
        self.bias += inner.sum(axis=0)

    def choose(self, c: gammon.Choices) -> np.ndarray:
        """As a player: the play that leaves the opponent the least. Rounded, so that batches of any size agree."""
        return c.best(-np.round(self.value(c.candidates), 4))


def train(network: Network, plies: int, games: int, seed: int) -> None:
    """So many plies of self-play."""
    env = gammon.env.VectorEnv(games, candidates=True)
    seen, _ = env.reset(seed=seed)
    for _ in range(plies // games):
        values = -network.value(seen.candidates)
        starts = seen.offsets[:-1]
        best = np.maximum.reduceat(values, starts)
        places = np.where(values == np.repeat(best, seen.counts), np.arange(len(values)), len(values))
        actions = np.minimum.reduceat(places, starts) - starts
        network.learn(seen.positions, best)
        seen, *_ = env.step(actions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plies", type=int, default=2_000_000, help="turns of self-play")
    parser.add_argument("--games", type=int, default=64, help="games side by side")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    network = Network(arguments.seed)
    for when in ("before", "after"):
        if when == "after":
            start = time.monotonic()
            train(network, arguments.plies, arguments.games, arguments.seed)
            print(f"{arguments.plies:,} plies of self-play in {time.monotonic() - start:.0f} s")
        result = gammon.simulate(1000, (network, "random"), paired=True, seed=arguments.seed)
        share = result.wins[0].games / result.games
        points, error = result.points_per_game, result.standard_error
        print(
            f"{when}: wins {100 * share:.1f} % against random, {points:+.2f} points a game (standard error {error:.2f})"
        )


if __name__ == "__main__":
    main()
