"""Choices of play a second at 0, 1 and 2 plies: cubeless, one thread, positions that nobody has seen before.

    pip install '.[peers]' && python benches/engine.py [MODEL ...]

The positions are from games that the shipped network plays against itself, each with a roll. `Engine.FILTERS` says
which candidates are judged again deeper, here and in GNU Backgammon, whose package takes a filter (inside the tree it
looks through small networks first, as it does by default). `gnubg-nn` has a filter of its own. Times are processor
time. All remember within a round, as they do by default; ours are the best of several rounds with a new engine for
each, the peers' are of one round, for they remember beyond it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

import gammon
from gammon import batch

ROWS = 600
ROUNDS = 5
PEER_ROWS = {0: 600, 1: 200, 2: 60}
Rows = npt.NDArray[np.int8]


def corpus(rows: int, seed: int) -> tuple[Rows, npt.NDArray[np.uint8]]:
    """Positions of the network's own games, in each of them about one of every three turns, and a roll for each."""
    chooser = np.random.default_rng(seed)
    cells = np.repeat(gammon.Position.start().to_array()[None], 64, axis=0)
    found: list[Rows] = []
    while sum(map(len, found)) < rows:
        dice = chooser.integers(1, 7, (len(cells), 2), dtype=np.uint8)
        found.append(cells[chooser.random(len(cells)) < 1 / 3])
        cells = batch.best_positions(cells, dice, view="next")
        over = ((cells[:, 1:26] > 0).sum(1) == 0) | ((cells[:, :25] < 0).sum(1) == 0)
        cells[over] = gammon.Position.start().to_array()
    # In any order: games end with races, which are quick to judge.
    positions = np.concatenate(found)[chooser.permutation(rows)]
    return positions, chooser.integers(1, 7, (rows, 2), dtype=np.uint8)


def per_second(units: int, job: Callable[[], object], rounds: int) -> float:
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        job()
        seconds.append(time.process_time() - start)
    return units / min(seconds)


def boards(positions: Rows) -> Iterator[tuple[list[int], list[int]]]:
    """The opponent's and the player's checkers as the peers take them."""
    own = np.maximum(positions[:, 1:26], 0).tolist()
    opponent = np.maximum(-positions[:, 24::-1], 0).tolist()
    yield from zip(opponent, own, strict=True)


def play(engine: gammon.Engine, jobs: list[tuple[gammon.Position, gammon.Roll]]) -> None:
    for job in jobs:
        engine.best_play(*job)


def ours(model: gammon.Model, positions: Rows, rolls: npt.NDArray[np.uint8]) -> dict[int, float]:
    jobs = [
        (gammon.Position.from_array(row), gammon.Roll(int(a), int(b)))
        for row, (a, b) in zip(positions, rolls, strict=True)
    ]
    speeds = {}
    for plies, count in ((0, ROWS), (1, ROWS), (2, 200)):
        engines = [gammon.Engine(plies, model=model, threads=1) for _ in range(ROUNDS)]
        for engine in engines:
            engine.best_play(gammon.Position.from_points({1: 2}, opponent={1: 2}), "11")
        judged = [gammon.Engine(plies, model=model, threads=1).rank_plays(*job) for job in jobs[:count]]
        kept = np.mean([sum(ranked.plies == plies for ranked in ranking) for ranking in judged if len(ranking)])
        nodes = np.mean([ranking.nodes for ranking in judged])
        speeds[plies] = per_second(count, lambda n=count, e=engines: play(e.pop(), jobs[:n]), ROUNDS)
        print(
            f"gammon {model.path.name} {plies}-ply: {speeds[plies]:>9,.0f} choices a second, "
            f"{kept:.2f} candidates judged at that depth, {nodes:,.0f} positions looked at"
        )
    return speeds


def gnubg(positions: Rows, rolls: npt.NDArray[np.uint8]) -> dict[int, float]:
    try:
        import gnubg
    except ImportError:
        print("gnubg is not installed")
        return {}
    # Under its default, rule 7.6, gammons count for nothing while the cube is centred.
    cube = gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0, 0) | {"jacoby": 0, "gammonprice": ((1.0, 1.0), (1.0, 1.0))}
    filters = gnubg.getevalhintfilter()
    for passed in filters:
        passes = gammon.Engine.FILTERS[passed["ply"] - 1] if passed["ply"] <= 3 else ()
        kept = passes[passed["level"]] if passed["level"] < len(passes) else None
        passed["acceptmoves"] = -1 if kept is None else kept.accept
        passed["extramoves"], passed["threshold"] = (0, 0.0) if kept is None else (kept.extra, kept.threshold)
    speeds = {}
    jobs = list(zip(boards(positions), rolls.tolist(), strict=True))
    for plies in (0, 1, 2):
        context = gnubg.evalcontext(0, plies, 1, 1, 0.0)
        rows = jobs[sum(PEER_ROWS[p] for p in range(plies)) :][: PEER_ROWS[plies]]
        speeds[plies] = per_second(
            len(rows),
            lambda rows=rows, context=context: [
                gnubg.findbestmove(board, cube, context, tuple(dice), filters) for board, dice in rows
            ],
            1,
        )
        print(f"gnubg {plies}-ply: {speeds[plies]:>9,.1f} choices a second")
    return speeds


def gnubg_nn(positions: Rows, rolls: npt.NDArray[np.uint8]) -> dict[int, float]:
    try:
        import gnubg_nn
    except ImportError:
        print("gnubg-nn is not installed")
        return {}
    speeds = {}
    jobs = list(zip(boards(positions), rolls.tolist(), strict=True))
    for plies in (0, 1, 2):
        rows = jobs[sum(PEER_ROWS[p] for p in range(plies)) :][: PEER_ROWS[plies]]
        speeds[plies] = per_second(
            len(rows), lambda rows=rows, n=plies: [gnubg_nn.best_move(board, a, b, n) for board, (a, b) in rows], 1
        )
        print(f"gnubg-nn {plies}-ply: {speeds[plies]:>9,.1f} choices a second")
    return speeds


def main() -> None:
    positions, rolls = corpus(max(ROWS, sum(PEER_ROWS.values())), seed=1)
    models = [gammon.Model(name) for name in sys.argv[1:]] or [gammon.Model.default(), gammon.Model.strong()]
    speeds = [ours(model, positions, rolls) for model in models]
    for peer in (gnubg(positions, rolls), gnubg_nn(positions, rolls)):
        for plies, speed in peer.items():
            print(f"{plies}-ply: {', '.join(f'{own[plies] / speed:.1f}' for own in speeds)} times as fast")


if __name__ == "__main__":
    main()
