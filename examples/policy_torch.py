"""A PyTorch network that plays whole batches of games, trained on positions that the built-in network has evaluated.

    pip install . torch && python examples/policy_torch.py

Thousands of games of the built-in network with itself give positions and what they are worth; a small network learns
that worth by gradient descent, and then plays, through `gammon.simulate`, against random play and against its teacher.
``--net numpy`` does the same without PyTorch: it shows what a policy in any other framework needs.
"""

from __future__ import annotations

import argparse
import time
from typing import Protocol

import numpy as np

import gammon

HIDDEN = 64
BATCH = 512
RATE = 0.002


class Net(Protocol):
    """Features float32[N, K] to points float32[N] of the player on roll."""

    def values(self, features: np.ndarray) -> np.ndarray: ...

    def step(self, features: np.ndarray, targets: np.ndarray) -> float:
        """One step towards the targets; the mean squared error before it."""
        ...


class TorchNet:
    """In PyTorch. `torch.from_numpy` shares the memory of the array: nothing is copied on the way in or out."""

    def __init__(self, inputs: int, seed: int) -> None:
        import torch

        self.torch = torch
        torch.manual_seed(seed)
        self.net = torch.nn.Sequential(
            torch.nn.Linear(inputs, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 1), torch.nn.Flatten(0)
        )
        self.optimizer = torch.optim.Adam(self.net.parameters(), RATE)

    def values(self, features: np.ndarray) -> np.ndarray:
        with self.torch.inference_mode():
            return self.net(self.torch.from_numpy(features)).numpy()

    def step(self, features: np.ndarray, targets: np.ndarray) -> float:
        self.optimizer.zero_grad()
        loss = self.torch.nn.functional.mse_loss(
            self.net(self.torch.from_numpy(features)), self.torch.from_numpy(targets)
        )
        loss.backward()
        self.optimizer.step()
        return float(loss.detach())


class NumpyNet:
    """The same layers, gradient and Adam by hand."""

    def __init__(self, inputs: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sizes = [((inputs, HIDDEN), inputs), ((HIDDEN,), inputs), ((HIDDEN,), HIDDEN), ((1,), HIDDEN)]
        self.weights = [rng.uniform(-1, 1, shape).astype(np.float32) / np.float32(fan**0.5) for shape, fan in sizes]
        self.means = [np.zeros_like(weight) for weight in self.weights]
        self.squares = [np.zeros_like(weight) for weight in self.weights]
        self.steps = 0

    def values(self, features: np.ndarray) -> np.ndarray:
        first, bias, second, end = self.weights
        return np.maximum(features @ first + bias, 0) @ second + end

    def step(self, features: np.ndarray, targets: np.ndarray) -> float:
        first, bias, second, end = self.weights
        hidden = np.maximum(features @ first + bias, 0)
        error = hidden @ second + end - targets
        slope = 2 * error / np.float32(len(error))
        inner = slope[:, None] * second * (hidden > 0)
        gradients = [features.T @ inner, inner.sum(0), hidden.T @ slope, slope.sum(keepdims=True)]
        self.steps += 1
        for weight, mean, square, gradient in zip(self.weights, self.means, self.squares, gradients, strict=True):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            size = np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8
            weight -= (RATE / (1 - 0.9**self.steps) * mean / size).astype(np.float32)
        return float((error**2).mean())


class NetPolicy:
    """A network as a player: the play that leaves the opponent the least."""

    def __init__(self, net: Net, name: str) -> None:
        self.net = net
        self.name = name

    def choose(self, c: gammon.Choices) -> np.ndarray:
        values = self.net.values(gammon.batch.features(c.candidates))
        # A finished game is exact: whoever is to roll in it has lost. Rounded, so that batches of any size agree.
        values = np.where(c.candidates[:, 27] == 15, -3, np.round(values, 4))
        return c.best(-values)


def lessons(games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions before a roll, and what the built-in network says that they are worth, in points."""
    # Random play on one side leads to positions that good play never sees, but a beginner does.
    turns = gammon.simulate(games, ("fast", "random"), paired=True, seed=seed, record=True, evaluations="fast").turns
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = turns.evaluations.T
    return turns.positions, 2 * win - 1 + win_gammon - lose_gammon + win_backgammon - lose_backgammon


def train(net: Net, positions: np.ndarray, worth: np.ndarray, epochs: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for epoch in range(epochs):
        order = rng.permutation(len(positions))
        losses = []
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            losses.append(net.step(gammon.batch.features(positions[rows]), worth[rows]))
        print(f"epoch {epoch + 1}: error {np.mean(losses) ** 0.5:.3f} points")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", choices=["torch", "numpy"], default="torch")
    parser.add_argument("--games", type=int, default=4000, help="games to learn from")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--matches", type=int, default=1000, help="games against each opponent")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    start = time.monotonic()
    positions, worth = lessons(arguments.games, arguments.seed)
    inputs = gammon.batch.features(positions[:1]).shape[1]
    net: Net = (TorchNet if arguments.net == "torch" else NumpyNet)(inputs, arguments.seed)
    train(net, positions, worth.astype(np.float32), arguments.epochs, arguments.seed)
    print(f"{len(positions):,} positions, {time.monotonic() - start:.0f} s")
    policy = NetPolicy(net, arguments.net)
    gammon.check_policy(policy)
    for opponent in ("random", "fast"):
        result = gammon.simulate(arguments.matches, (policy, opponent), paired=True, seed=arguments.seed + 1)
        share = result.wins[0].games / result.games
        print(
            f"against {opponent}: wins {100 * share:.1f} %, {result.points_per_game:+.2f} points a game "
            f"(standard error {result.standard_error:.2f})"
        )


if __name__ == "__main__":
    main()
