"""How much of the cube's theoretical power is used in races: fitted to exact values, and judged on others.

    python benches/cube_efficiency.py

The exact worth of a position with the cube in the middle, owned, and owned by the opponent, is compared with the dead
and the live one that its exact chance to win gives: worth = dead + x (live - dead). Exact values come from

- bear-offs: the two-sided table of 6 points by 8 checkers,
- short races: that of 10 points by 4 checkers,
- long races: both sides as mere pip counts that every throw lowers by its pips, solved here up to 160 pips.

x is fitted as a - b / pips, pips being the mean of both sides: the a and b, on a grid, whose verdicts lose least on
half of the positions with chances from 5 to 95 %, every kind counting the same. The other half, drawn with another
seed, says what the fit is worth beside GNU Backgammon's figures: the root mean square error of the worth, how often the
verdict is the exact one, and what the verdicts lose on average.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gammon import Roll, batch
from gammon.bearoff import TwoSided
from gammon.cube import Cube, Ladder, Owner

Floats = npt.NDArray[np.float64]
OWNERS: tuple[Owner | None, ...] = (None, "player", "opponent")
LADDER = Ladder.money(jacoby=False, beavers=0).compiled()
MOST_PIPS = 160


@dataclass
class Sample:
    """Positions with their exact values: by owner, rolling without a double now."""

    name: str
    player: Floats
    opponent: Floats
    win: Floats
    exact: dict[Owner | None, Floats]

    def take(self, rows: npt.NDArray[np.bool_]) -> Sample:
        exact = {owner: values[rows] for owner, values in self.exact.items()}
        return Sample(self.name, self.player[rows], self.opponent[rows], self.win[rows], exact)

    @property
    def pips(self) -> Floats:
        return (self.player + self.opponent) / 2

    def worth(self, owner: Owner | None, efficiency: Floats | float) -> Floats:
        probabilities = np.zeros((len(self.win), 5))
        probabilities[:, 0] = self.win
        return LADDER.values(probabilities, 0, owner, np.atleast_1d(np.asarray(efficiency, np.float64)))


def from_table(name: str, points: int, checkers: int, rows: int, seed: int) -> Sample:
    """Positions of a table: a number of checkers for each side, each on any point."""
    chooser = np.random.default_rng(seed)
    cells = np.zeros((rows, 28), np.int8)
    for side in range(2):
        count = chooser.integers(1, checkers + 1, rows)
        for checker in range(checkers):
            place = chooser.integers(1, points + 1, rows)
            where = np.flatnonzero(count > checker)
            place = place[where] if side == 0 else 25 - place[where]
            np.add.at(cells, (where, place), np.int8(1 if side == 0 else -1))
        cells[:, 26 + side] = 15 - count
    table = TwoSided.build(points=points, checkers=checkers)
    cubeless, known = table.equities(cells)
    assert known.all()
    pips = batch.pips(cells).astype(np.float64)
    exact = {owner: table.equities(cells, Cube(1, owner), no_double=True)[0] for owner in OWNERS}
    sample = Sample(name, pips[:, 0], pips[:, 1], (cubeless + 1) / 2, exact)
    return sample.take((sample.win > 0.05) & (sample.win < 0.95))


def pip_race(name: str) -> Sample:
    """Every pair of pip counts, from the end of the race upwards."""
    chances = np.zeros(25)
    for roll in Roll.all():
        chances[4 * roll.high if roll.is_double else roll.high + roll.low] += roll.weight / 36
    rolling = np.zeros((4, MOST_PIPS + 1, MOST_PIPS + 1))  # the chance to win, then owned, centred, the opponent's
    best = rolling.copy()
    for total in range(2, 2 * MOST_PIPS + 1):
        own = np.arange(max(1, total - MOST_PIPS), min(MOST_PIPS, total - 1) + 1)
        other = total - own
        sums = np.zeros((4, len(own)))
        for pips in np.flatnonzero(chances):
            left = np.maximum(own - pips, 0)
            sums[0] += chances[pips] * np.where(left == 0, 1, 1 - rolling[0, other, left])
            for cube, turned_round in ((1, 3), (2, 2), (3, 1)):
                sums[cube] += chances[pips] * np.where(left == 0, 1, -best[turned_round, other, left])
        rolling[:, own, other] = sums
        double = np.minimum(2 * sums[3], 1)
        best[1:, own, other] = [np.maximum(sums[1], double), np.maximum(sums[2], double), sums[3]]
    own, other = np.indices((MOST_PIPS, MOST_PIPS)).reshape(2, -1) + 1
    exact = {owner: rolling[cube, own, other] for owner, cube in zip(OWNERS, (2, 1, 3), strict=True)}
    sample = Sample(name, own.astype(np.float64), other.astype(np.float64), rolling[0, own, other], exact)
    return sample.take((sample.win > 0.05) & (sample.win < 0.95))


def fit(samples: list[Sample]) -> tuple[float, float]:
    """The a and b whose verdicts lose least."""
    few = [sample.take(np.arange(len(sample.win)) % max(len(sample.win) // 15_000, 1) == 0) for sample in samples]
    grid = [(a / 100, b / 10) for a in range(60, 100, 5) for b in range(10, 70, 5)]
    return min(grid, key=lambda at: sum(judge(sample, fitted(sample, *at))[2] for sample in few))


def fitted(sample: Sample, a: float, b: float) -> Floats:
    return np.maximum(a - b / sample.pips, 0)


def published(sample: Sample) -> Floats:
    """As GNU Backgammon has it: 0.6 in a bear-off, and by the pips of the player on roll in other races."""
    if "bear-off" in sample.name:
        return np.full(len(sample.win), 0.6)
    return np.clip(0.55 + 0.00125 * sample.player, 0.6, 0.7)


def judge(sample: Sample, efficiency: Floats) -> tuple[float, float, float]:
    """Error of the worth, share of right verdicts, and what they lose, over the three cubes."""
    errors, right, lost = [], [], []
    taken = 2 * sample.exact["opponent"]
    guess_taken = 2 * sample.worth("opponent", efficiency)
    for owner in OWNERS:
        rolling, guess = sample.exact[owner], sample.worth(owner, efficiency)
        errors.append((guess - rolling) ** 2)
        if owner != "opponent":
            doubles = np.minimum(guess_taken, 1) >= guess
            # The opponent answers by the same guess: each pays for their own mistakes.
            answer = np.minimum(taken, 1)
            right.append(doubles == (answer >= rolling))
            lost.append(np.maximum(rolling, answer) - np.where(doubles, answer, rolling))
    right.append((guess_taken > 1) == (taken > 1))
    lost.append(np.where(guess_taken > 1, 1, taken) - np.minimum(taken, 1))
    return float(np.sqrt(np.mean(errors))), float(np.mean(right)), float(np.mean(lost))


def samples(seed: int) -> list[Sample]:
    race = pip_race("long race")
    half = (race.player + race.opponent) % 2 == seed % 2
    return [
        from_table("bear-off, 6 points by 8 checkers", 6, 8, 200_000, seed),
        from_table("race, 10 points by 4 checkers", 10, 4, 200_000, seed),
        race.take(half),
    ]


def main() -> None:
    train, held_out = samples(1), samples(2)
    a, b = fit(train)
    print(f"x = {a:.2f} - {b:.1f} / pips, not below 0")
    print("\nx by mean pips, fitted by itself in each range: centred, owned, the opponent's")
    for sample in train:
        print(sample.name)
        for low, high in ((3, 9), (9, 15), (15, 21), (21, 27), (27, 33), (33, 45), (45, 60), (60, 90), (90, 120)):
            rows = sample.take((sample.pips >= low) & (sample.pips < high))
            if len(rows.win) < 100:
                continue
            own = []
            for owner in OWNERS:
                dead, live = rows.worth(owner, 0.0), rows.worth(owner, 1.0)
                own.append(np.sum((live - dead) * (rows.exact[owner] - dead)) / np.sum((live - dead) ** 2))
            formula = a - b / np.mean(rows.pips)
            print(f"  {low:>3} to {high:<3} {own[0]:6.3f} {own[1]:6.3f} {own[2]:6.3f}   formula {max(formula, 0):.3f}")
    print("\nheld out: root mean square error, right verdicts, loss a decision")
    for sample in held_out:
        for name, efficiency in (("fitted", fitted(sample, a, b)), ("published", published(sample))):
            error, right, lost = judge(sample, efficiency)
            print(f"{sample.name:<34} {name:<10} {error:.4f}  {right:.2%}  {lost:.5f}")


if __name__ == "__main__":
    main()
