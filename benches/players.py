"""How strong the levels are: points a game against each other, and performance ratings of their own matches.

    python benches/players.py [--quick]

Games are paired: the same dice twice, with swapped seats. No cube, gammons count.
"""

from __future__ import annotations

import itertools
import sys

import gammon
from gammon.engine import LEVELS, Engine, Player

SEED = 20
NOISY = 20_000
SEARCHING = {1: 4_000, 2: 1_000}
MATCHES = 12


def games(name: str, other: str) -> int:
    plies = max(LEVELS[level].plies if level in LEVELS else 0 for level in (name, other))
    return SEARCHING.get(plies, NOISY) // (20 if "--quick" in sys.argv else 1)


def against(name: str, other: str) -> None:
    count = games(name, other)
    result = gammon.simulate(count, (name, other), seed=SEED, paired=True)
    print(f"{name:<13} {other:<13} {count:>7,} games  {result.points_per_game:+.3f} +- {result.standard_error:.3f}")
    sys.stdout.flush()


def rating(name: str) -> None:
    """Over matches that a level plays with itself, both players together."""
    error = decisions = 0.0
    judge = Engine(2, gammon.Model.strong())
    for seed in range(MATCHES // (6 if "--quick" in sys.argv else 1)):
        match = gammon.Match(gammon.Rules.match(3), dice=gammon.dice.RandomDice(seed=SEED + seed))
        player = Player(name)
        while not match.is_over:
            match.apply(player.act(match))
        for summary in gammon.analyze(match, engine=judge).players:
            error += summary.error
            decisions += summary.decisions
    print(f"{name:<13} {500 * error / decisions:5.1f}  ({decisions:.0f} decisions)")
    sys.stdout.flush()


def main() -> None:
    names = [*LEVELS]
    print("Against fast (0-ply, no noise), points a game")
    for name in names:
        against(name, "fast")
    print("Against the next one")
    for name, other in itertools.pairwise(names):
        against(name, other)
    print("Performance rating, strong at 2-ply")
    for name in names:
        rating(name)


if __name__ == "__main__":
    main()
