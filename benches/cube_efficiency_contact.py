"""How much of the cube's theoretical power is used with contact: fitted to rollouts with a live cube.

    python benches/cube_efficiency_contact.py [MODEL ...] [--trials 216] [--contact 72] [--crashed 36]

Positions are drawn by seed, others for each network, from games that `fast` plays against itself, near the doubling
window: by the network's chances and an efficiency of 0.68 not to double is worth more than 0, and within 0.3 of a
double that is answered best. Each is rolled out without a cube, which gives its chances, and at money without Jacoby
and beavers with the cube in the middle, owned and owned by the opponent, all on the same dice and with luck taken off.
The worth is compared with the dead and the live one that the chances give: worth = dead + x (live - dead). x is fitted
by least squares, for each cube by itself and for all; its error is that of 1,000 samples of the positions drawn with
replacement, which holds both the noise of the rollouts and how different positions are. Then for some x: the root mean
square error of the worth, how often the verdicts (double or not, take or not) are those of the rollout, and what they
lose on average by its equities.

Both sides of the rollouts turn the cube by the formula themselves, with what the library has for contact: near the best
moment that matters little. They double by the chances of the network, not by the true ones, and lose by it what players
lose who misjudge; a better network turns the cube at a better moment.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from engine import corpus

import gammon
from gammon import batch
from gammon.cube import Cube, decide
from gammon.engine import rollout
from gammon.evaluator import SHIPPED, named

Floats = npt.NDArray[np.float64]
PUBLISHED = 0.68
CUBES = ("centred", "owned", "the opponent's")


@dataclass
class Sample:
    """Rolled out positions: the chances, and for each of the cubes what it is worth."""

    chances: Floats
    worths: Floats

    def take(self, rows: npt.NDArray[np.int64]) -> Sample:
        return Sample(self.chances[rows], self.worths[rows])

    def by_formula(self, efficiency: float) -> Floats:
        centred = decide(self.chances, jacoby=False, beavers=0, efficiency=efficiency)
        owned = decide(self.chances, cube=Cube(2, "player"), jacoby=False, beavers=0, efficiency=efficiency)
        return np.stack([centred.no_double, owned.no_double, centred.double_take], 1)

    def fit(self) -> Floats:
        """x of each of the cubes, and of all of them."""
        dead, live = self.by_formula(0.0), self.by_formula(1.0)
        above, size = (self.worths - dead) * (live - dead), (live - dead) ** 2
        return np.append(above.sum(0) / size.sum(0), above.sum() / size.sum())


def near_the_window(kind: str, rows: int, seed: int, model: gammon.Model) -> npt.NDArray[np.int8]:
    found = corpus(2000 + rows * 150, seed)[0]
    found = found[batch.classes(found) == batch.CLASSES.index(kind)]
    chances = batch.evaluate(found, model=model).astype(np.float64)
    verdict = decide(chances, jacoby=False, beavers=0, efficiency=PUBLISHED)
    near = (verdict.no_double > 0) & (np.abs(verdict.no_double - np.minimum(verdict.double_take, 1)) < 0.3)
    found = found[near & (verdict.double_take < 1.3)][:rows]
    if len(found) < rows:
        raise SystemExit(f"only {len(found)} positions of class {kind}")
    return found


def roll_out(rows: npt.NDArray[np.int8], trials: int, model: gammon.Model) -> Sample:
    rules = gammon.Rules.money(jacoby=False, beavers=0, cube_limit=None)
    chances, worths = [], []
    for number, row in enumerate(rows):
        position = gammon.Position.from_array(row)
        settings = {"trials": trials, "seed": number, "model": model, "threads": 1}
        chances.append(rollout(position, **settings).best.probabilities)
        found = []
        for cube in (Cube(), Cube(2, "player")):
            state = gammon.State(position, on_roll=0, cube=cube, rules=rules)
            found.append([one.value for one in rollout(state, cube_decision=True, **settings).candidates])
        # Doubled or redoubled, the opponent has the cube: the same games.
        worths.append([found[0][0], found[1][0], (found[0][1] + found[1][1]) / 2])
    return Sample(nested(np.array(chances, np.float64)), np.array(worths, np.float64))


def nested(chances: Floats) -> Floats:
    """What is rare can come out a little below nothing with luck taken off."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = chances.T
    win = np.clip(win, 0, 1)
    win_gammon, lose_gammon = np.clip(win_gammon, 0, win), np.clip(lose_gammon, 0, 1 - win)
    parts = win, win_gammon, np.clip(win_backgammon, 0, win_gammon)
    return np.stack([*parts, lose_gammon, np.clip(lose_backgammon, 0, lose_gammon)], 1)


def judge(sample: Sample, efficiency: float) -> tuple[float, float, float]:
    """Error of the worth, share of right verdicts, and what they lose."""
    guess, true = sample.by_formula(efficiency), sample.worths
    right, lost = [], []
    answer = np.minimum(true[:, 2], 1)
    for cube in (0, 1):
        doubles = np.minimum(guess[:, 2], 1) >= guess[:, cube]
        right.append(doubles == (answer >= true[:, cube]))
        lost.append(np.maximum(true[:, cube], answer) - np.where(doubles, answer, true[:, cube]))
    drops = guess[:, 2] > 1
    right.append(drops == (true[:, 2] > 1))
    lost.append(np.where(drops, 1, true[:, 2]) - answer)
    return float(np.sqrt(np.mean((guess - true) ** 2))), float(np.mean(right)), float(np.mean(lost))


def together(samples: list[Sample]) -> Sample:
    return Sample(np.concatenate([one.chances for one in samples]), np.concatenate([one.worths for one in samples]))


def report(name: str, sample: Sample) -> None:
    chooser = np.random.default_rng(0)
    count = len(sample.chances)
    fits = np.stack([sample.take(chooser.integers(0, count, count)).fit() for _ in range(1000)])
    x, errors = sample.fit(), fits.std(0)
    parts = ", ".join(f"{cube} {a:.3f} +- {e:.3f}" for cube, a, e in zip((*CUBES, "all"), x, errors, strict=True))
    print(f"{name}, {count} positions: {parts}")
    for efficiency in sorted({PUBLISHED, round(float(x[3]), 2), 0.5, 0.6, 0.76, 0.85}):
        error, right, lost = judge(sample, efficiency)
        what = f"error of the worth {error:.4f}, right verdicts {right:.2%}, lost {lost:.5f}"
        print(f"  x = {efficiency:.2f}: {what}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help="the default network and `strong` if left out")
    parser.add_argument("--trials", type=int, default=216)
    parser.add_argument("--contact", type=int, default=72)
    parser.add_argument("--crashed", type=int, default=36)
    options = parser.parse_args()
    models = [named(model) for model in options.models or SHIPPED]
    start = time.process_time()
    for kind, rows, first in (("contact", options.contact, 11), ("crashed", options.crashed, 12)):
        samples = []
        for place, model in enumerate(models if rows else []):
            found = near_the_window(kind, rows, first + 2 * place, model)
            samples.append(roll_out(found, options.trials, model))
            report(f"{model.path.name}, {kind}", samples[-1])
        if len(samples) > 1:
            report(f"all networks, {kind}", together(samples))
    print(f"{time.process_time() - start:.0f} s of processor time, {options.trials} trials each")


if __name__ == "__main__":
    main()
