"""The same jobs by gammon and by the PyPI packages open-spiel and gnubg-nn, one thread, in one run.

    pip install '.[cli,peers]' && python benches/peers.py

For each job a line: package, units a second (the best of several rounds, and the median), and how many times faster
gammon is. A peer that is not installed is named. What gnubg-nn answers is compared with our answer before it is timed.
"""

from __future__ import annotations

import importlib.metadata
import platform
import random
import statistics
import time
from collections.abc import Callable

import numpy as np
from corpora import corpus

import gammon
from gammon import batch

ROUNDS = 7
ROWS = 2_000


def rounds(units: int, job: Callable[[], object]) -> tuple[float, float]:
    """Units a second: best and median."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return units / min(seconds), units / statistics.median(seconds)


def report(job: str, results: dict[str, tuple[float, float]]) -> None:
    print(f"\n{job}")
    ours = results["gammon"][0]
    for name, (best, median) in results.items():
        print(f"  {name:<28}{best:>14,.0f} a second (median {median:>13,.0f}){ours / best:>9.1f} times")


def gnubg_boards(positions):
    """Our rows as gnubg-nn takes them: both sides' points 1 to 24 and bar, the opponent first."""
    own = np.maximum(positions[:, 1:26], 0)
    opponent = np.maximum(-positions[:, 24::-1], 0)
    return [(tuple(map(int, o)), tuple(map(int, m))) for o, m in zip(opponent, own, strict=True)]


def legal_plays() -> None:
    positions, rolls = corpus("contact", ROWS)
    # Peers that know 15 checkers a side only are asked about such positions only: all of random play's are.
    counts = batch.count_plays(positions, rolls)
    objects = [gammon.Position.from_array(row) for row in positions]
    roll_objects = [gammon.Roll(int(a), int(b)) for a, b in rolls]
    results = {
        "gammon": rounds(ROWS, lambda: batch.legal_positions(positions, rolls, threads=1)),
        "gammon, one at a time": rounds(
            ROWS, lambda: [position.plays(roll) for position, roll in zip(objects, roll_objects, strict=True)]
        ),
    }
    try:
        import gnubg_nn
    except ImportError:
        print("gnubg-nn is not installed")
    else:
        boards = gnubg_boards(positions)
        dice = [(int(a), int(b)) for a, b in rolls]
        for board, (a, b), count in zip(boards, dice, counts, strict=True):
            theirs = len(gnubg_nn.moves(board, a, b))
            assert theirs == max(count, 1), (board, a, b, theirs, count)  # a dance is one result there
        results["gnubg-nn"] = rounds(
            ROWS, lambda: [gnubg_nn.moves(board, a, b) for board, (a, b) in zip(boards, dice, strict=True)]
        )
    try:
        import pyspiel
    except ImportError:
        print("open-spiel is not installed")
    else:
        states = open_spiel_states(pyspiel.load_game("backgammon"), ROWS)
        # It has no way to set a position up: these are states of its own random games.
        results["open-spiel (own positions)"] = rounds(
            ROWS, lambda: [state.clone().legal_actions() for state in states]
        )
    report(f"legal plays, contact, {counts.mean():.1f} results a roll: (position, roll) pairs", results)


def open_spiel_states(game, n: int) -> list:
    chooser = random.Random(0)
    states: list = []
    while len(states) < n:
        state = game.new_initial_state()
        while not state.is_terminal() and len(states) < n:
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chooser.choices(outcomes, weights)[0])
            else:
                states.append(state.clone())
                state.apply_action(chooser.choice(state.legal_actions()))
    return states


def random_games() -> None:
    results = {"gammon": rounds(20_000, lambda: gammon.simulate(20_000, seed=0, threads=1))}
    try:
        import gnubg_nn
    except ImportError:
        print("gnubg-nn is not installed")
    else:
        results["gnubg-nn"] = rounds(100, lambda: gnubg_games(gnubg_nn, 100))
    try:
        import pyspiel
    except ImportError:
        print("open-spiel is not installed")
    else:
        game = pyspiel.load_game("backgammon")
        results["open-spiel"] = rounds(50, lambda: open_spiel_games(game, 50))
    report("random games", results)


def gnubg_games(gnubg_nn, n: int) -> None:
    """Random games with the moves of gnubg-nn; the rest is the least Python that plays a game."""
    chooser = random.Random(0)
    start = gnubg_nn.board_from_position_id("4HPwATDgc/ABMA")
    for _ in range(n):
        board = start
        while True:
            moves = gnubg_nn.moves(board, chooser.randint(1, 6), chooser.randint(1, 6))
            if moves:
                board = gnubg_nn.boardfromkey(moves[chooser.randrange(len(moves))])
            opponent, own = board
            if not any(own):
                break
            board = (own, opponent)


def open_spiel_games(game, n: int) -> None:
    chooser = random.Random(0)
    for _ in range(n):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chooser.choices(outcomes, weights)[0])
            else:
                state.apply_action(chooser.choice(state.legal_actions()))


def main() -> None:
    print(
        f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, gammon {gammon.__version__}"
    )
    for package in ("open-spiel", "gnubg-nn"):
        try:
            print(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            print(f"{package} is not installed")
    legal_plays()
    random_games()


if __name__ == "__main__":
    main()
