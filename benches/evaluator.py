"""How fast networks are through Python: processor time of one thread, the median of several rounds.

    pip install '.[peers]' && python benches/evaluator.py [MODEL ...]

Unrelated positions of random play, by each of our networks and, where they are installed, by the packages gnubg-nn,
gnubg and bgsage at their first ply. They remember what they have evaluated, so each round has positions of its own.
Then choices of play at 0-ply by the thousand, with the candidates that they look at (legal plays, evaluation and the
best of them), on positions of random play with even rolls.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from peers import boards, sage_boards
from timing import Comparison, Job, imported, machine, repeat, report

import gammon
from gammon import batch
from gammon.evaluator import named

ROUNDS = 7
ROWS = 20_000
PEER_ROWS = 1_000
WEIGHTS = np.array([2.0, 1, 1, -1, -1])
"""Of the five chances, in the equity and 1."""


def shipped() -> list[gammon.Model]:
    return [gammon.Model.default(), gammon.Model.strong()]


def evaluations(models: list[gammon.Model], rounds: int = ROUNDS) -> Comparison:
    positions = batch.random_positions(ROWS, seed=1)
    fresh = batch.random_positions(PEER_ROWS * (rounds + 1), seed=2)
    parts = fresh.reshape(rounds + 1, PEER_ROWS, 28)
    judged = parts[rounds]
    ours = batch.evaluate(judged, model=models[-1]) @ WEIGHTS - 1
    jobs = {
        f"gammon, {model.path.stem}": Job(
            lambda _, m=model: repeat(10, lambda: batch.evaluate(positions, model=m, threads=1)), 10 * ROWS
        )
        for model in models
    }
    comparison = Comparison("evaluations", "evaluations of unrelated positions", "positions", jobs)

    def ask(name: str, evaluate: Any, convert: Any) -> None:
        """Adds a peer that agrees with us on the whole; the last part is for that only."""
        equities = [float(np.array(five) @ WEIGHTS) - 1 for five in evaluate(convert(judged))]
        alike = np.corrcoef(ours, equities)[0, 1]
        assert alike > 0.9, (name, alike)
        converted = [convert(part) for part in parts[:rounds]]
        jobs[name] = Job(lambda number: evaluate(converted[number]), PEER_ROWS)

    if gnubg_nn := imported(comparison, "gnubg_nn", "gnubg-nn"):
        ask("gnubg-nn, 0-ply", lambda part: [gnubg_nn.probabilities(board, 0) for board in part], boards)
    if gnubg := imported(comparison, "gnubg", "gnubg"):
        cube = gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0, 0)
        plain = gnubg.evalcontext(0, 0, 1, 0, 0.0)
        ask("gnubg, 0-ply", lambda part: [gnubg.evaluate(board, cube, plain)[:5] for board in part], boards)
    if bgsage := imported(comparison, "bgsage", "bgsage"):

        def sage(part: list[dict[str, object]]) -> list[tuple[float, ...]]:
            answers = [one.probs for one in bgsage.batch_evaluate(part, "1ply", n_threads=1)]
            names = ("win", "gammon_win", "backgammon_win", "gammon_loss", "backgammon_loss")
            return [tuple(getattr(probabilities, name) for name in names) for probabilities in answers]

        ask(
            "bgsage, first ply",
            sage,
            lambda part: [{"board": board, "cube_value": 1, "cube_owner": "centered"} for board in sage_boards(part)],
        )
    return comparison


def many_choices(models: list[gammon.Model]) -> Comparison:
    """Choices at 0-ply by the thousand, which no peer has; what they can is in `engine.py`."""
    positions = batch.random_positions(ROWS, seed=1)
    rolls = np.random.default_rng(1).integers(1, 7, (ROWS, 2), dtype=np.uint8)
    candidates = int(batch.count_plays(positions, rolls).sum()) / ROWS
    for model in models:
        best = batch.best_positions(positions[:500], rolls[:500], view="next", model=model)
        again = batch.best_positions(positions[:500], rolls[:500], view="next", model=lambda rows, m=model: m(rows))
        assert (best == again).all()
    jobs = {
        f"gammon, {model.path.stem}": Job(
            lambda _, m=model: batch.best_positions(positions, rolls, model=m, threads=1), ROWS
        )
        for model in models
    }
    title = f"choices of play at 0-ply by the thousand, {candidates:.1f} candidates each"
    return Comparison("choices in batches", title, "choices", jobs)


def main() -> None:
    models = [named(path) for path in sys.argv[1:]] or shipped()
    print(f"gammon {gammon.__version__}; {machine()}")
    for model in models:
        print(f"{model.path.name} {model.layers}, {model.kernel}")
    report(evaluations(models), ROUNDS)
    report(many_choices(models), ROUNDS)


if __name__ == "__main__":
    main()
