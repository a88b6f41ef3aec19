"""Choices of play a second at 0, 1 and 2 plies: cubeless, one thread, positions that nobody has seen before.

    pip install '.[peers]' && python benches/engine.py [MODEL ...]

The positions are from games that the shipped network plays against itself, each with a roll. `Engine.FILTERS` says
which candidates are judged again deeper, here and in GNU Backgammon, whose package takes a filter (inside the tree it
looks through small networks first, as it does by default). `gnubg-nn` and `bgsage` have filters of their own. Processor
time, the programs in turns; each round has positions of its own, for all of them remember.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from evaluator import shipped
from peers import boards, sage_boards
from timing import Comparison, Job, imported, machine, report

import gammon
from gammon import batch
from gammon.evaluator import named

ROUNDS = 5
ROWS = {0: 1000, 1: 100, 2: 16}
"""Of a round."""
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


def choices(plies: int, models: list[gammon.Model], rounds: int = ROUNDS) -> Comparison:
    """Everybody judges the same positions, others in each round: all remember."""
    rows = ROWS[plies]
    positions, rolls = corpus(rows * rounds, seed=1 + plies)
    parts = [slice(number * rows, (number + 1) * rows) for number in range(rounds)]
    objects = [
        [
            (gammon.Position.from_array(row), gammon.Roll(int(a), int(b)))
            for row, (a, b) in zip(positions[part], rolls[part], strict=True)
        ]
        for part in parts
    ]
    jobs = {}
    for model in models:
        engine = gammon.Engine(plies, model=model, threads=1)
        engine.best_play(gammon.Position.start(), gammon.Roll(3, 1))
        jobs[f"gammon, {model.path.stem}"] = Job(
            lambda number, e=engine: [e.best_play(*job) for job in objects[number]], rows
        )
    title = f"choices of play at {plies}-ply, one after the other"
    comparison = Comparison(f"choices, {plies}-ply", title, "choices", jobs)
    asked = [list(zip(boards(positions[part]), rolls[part].tolist(), strict=True)) for part in parts]
    if gnubg := imported(comparison, "gnubg", "gnubg"):
        cube, filters, context = gnubg_settings(gnubg, plies)
        jobs["gnubg"] = Job(
            lambda number: [
                gnubg.findbestmove(board, cube, context, tuple(dice), filters) for board, dice in asked[number]
            ],
            rows,
        )
    if gnubg_nn := imported(comparison, "gnubg_nn", "gnubg-nn"):
        jobs["gnubg-nn"] = Job(
            lambda number: [gnubg_nn.best_move(board, a, b, plies) for board, (a, b) in asked[number]], rows
        )
    if bgsage := imported(comparison, "bgsage", "bgsage"):
        # It counts the bare evaluator as the first ply; its filter is its own.
        analyzer = bgsage.BgBotAnalyzer(eval_level=f"{plies + 1}ply", cubeful=False, parallel_threads=1)
        cells = [list(zip(sage_boards(positions[part]), rolls[part].tolist(), strict=True)) for part in parts]
        jobs["bgsage"] = Job(
            lambda number: [analyzer.checker_play(board, a, b, jacoby=False) for board, (a, b) in cells[number]], rows
        )
    return comparison


def gnubg_settings(gnubg: Any, plies: int) -> tuple[Any, Any, Any]:
    """No cube, our filters, and the small networks inside the tree, which are its default."""
    # Under its default, rule 7.6, gammons count for nothing while the cube is centred.
    cube = gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0, 0) | {"jacoby": 0, "gammonprice": ((1.0, 1.0), (1.0, 1.0))}
    filters = gnubg.getevalhintfilter()
    for passed in filters:
        passes = gammon.Engine.FILTERS[passed["ply"] - 1] if passed["ply"] <= 3 else ()
        kept = passes[passed["level"]] if passed["level"] < len(passes) else None
        passed["acceptmoves"] = -1 if kept is None else kept.accept
        passed["extramoves"], passed["threshold"] = (0, 0.0) if kept is None else (kept.extra, kept.threshold)
    return cube, filters, gnubg.evalcontext(0, plies, 1, 1, 0.0)


def looked_at(plies: int, model: gammon.Model) -> str:
    """How much work a choice is."""
    positions, rolls = corpus(2 * ROWS[plies], seed=1 + plies)
    engine = gammon.Engine(plies, model=model, threads=1, cache=0)
    judged = [
        engine.rank_plays(gammon.Position.from_array(row), gammon.Roll(int(a), int(b)))
        for row, (a, b) in zip(positions, rolls, strict=True)
    ]
    kept = np.mean([sum(play.plies == plies for play in ranking) for ranking in judged if len(ranking)])
    nodes = np.mean([ranking.nodes for ranking in judged])
    return f"{kept:.2f} candidates judged at that depth, {nodes:,.0f} positions looked at"


def main() -> None:
    models = [named(path) for path in sys.argv[1:]] or shipped()
    print(f"gammon {gammon.__version__}; {machine()}")
    for plies in (0, 1, 2):
        report(choices(plies, models), ROUNDS)
        for model in models:
            print(f"  {model.path.stem}: {looked_at(plies, model)}")


if __name__ == "__main__":
    main()
