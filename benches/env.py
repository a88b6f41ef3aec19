"""Environment steps a second: VectorEnv with a random numpy policy beside OpenSpiel, one thread, in one run.

    pip install '.[env,peers]' && python benches/env.py

One step of VectorEnv plays one turn (ply) in each game. OpenSpiel's steps are counted in plies too: chance nodes and
both actions of a double are not counted by themselves.
"""

from __future__ import annotations

import platform
import random
import time
from collections.abc import Callable

import numpy as np

import gammon

ROUNDS = 5


def rounds(job: Callable[[], int]) -> tuple[float, float]:
    """Plies a second: best and worst."""
    rates = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        plies = job()
        rates.append(plies / (time.perf_counter() - start))
    return max(rates), min(rates)


def vector(n: int, steps: int, *, candidates: bool) -> int:
    env = gammon.env.VectorEnv(n, candidates=candidates)
    seen, _ = env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(steps):
        seen, *_ = env.step((rng.random(n) * seen.counts).astype(np.int64))
    return n * steps


def single(steps: int) -> int:
    env = gammon.env.BackgammonEnv()
    rng = random.Random(1)
    _, info = env.reset(seed=1)
    for _ in range(steps):
        _, _, terminated, _, info = env.step(rng.randrange(max(1, len(info["candidates"]))))
        if terminated:
            _, info = env.reset()
    return 2 * steps


class Noise:
    """Plays at random by the noise it is given."""

    def choose(self, c: gammon.Choices) -> np.ndarray:
        return (c.noise % c.counts.astype(np.uint64)).astype(np.int64)


def simulated(games: int) -> int:
    return gammon.simulate(games, (policy := Noise(), policy), seed=1, threads=1).plies


def open_spiel(plies: int) -> int:
    import pyspiel

    game = pyspiel.load_game("backgammon")
    rng = random.Random(1)
    state, played, mover = game.new_initial_state(), 0, None
    while played < plies:
        if state.is_terminal():
            state, mover = game.new_initial_state(), None
        if state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(actions, chances)[0])
            mover = None
            continue
        if state.current_player() != mover:
            played += 1
            mover = state.current_player()
        state.apply_action(rng.choice(state.legal_actions()))
    return played


def main() -> None:
    print(f"Python {platform.python_version()}, {platform.machine()}, {ROUNDS} rounds: best (worst)")
    jobs: dict[str, Callable[[], int]] = {
        "VectorEnv(4096)": lambda: vector(4096, 300, candidates=False),
        "VectorEnv(4096, candidates=True)": lambda: vector(4096, 150, candidates=True),
        "BackgammonEnv": lambda: single(2_000),
        "simulate with a numpy policy": lambda: simulated(20_000),
    }
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        print("open-spiel is not installed")
    else:
        jobs["OpenSpiel, state by state"] = lambda: open_spiel(20_000)
    for name, job in jobs.items():
        best, worst = rounds(job)
        print(f"  {name:<36}{best:>12,.0f} plies/s ({worst:,.0f})")
    games, seconds = 100_000, []
    for keep in ({}, {"per_game": True}):
        seconds.append(min(gammon.simulate(games, seed=1, threads=1, **keep).seconds for _ in range(ROUNDS)))
    for name, taken in zip(("random games", "random games with a table of games"), seconds, strict=True):
        print(f"  {name:<36}{games / taken:>12,.0f} games/s")


if __name__ == "__main__":
    main()
