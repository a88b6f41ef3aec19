"""Equity lost per decision on fixed sets of positions, by a judge's verdict.

    pip install '.[peers]' && python benches/decisions.py
    python benches/decisions.py --model new.gammon --set development --plies 0

The sets are in benches/data/decisions.txt: for each kind (contact, crashed, race, back game) a development set, to
choose networks by, and a reported set. They were made by `python benches/decisions.py --make`: positions of games that
our first network played against itself, with a play in five at random; one decision at most of a game and a kind, with
a random roll that leaves a choice. A back game is a position of contact in which a side holds two points or more in the
opponent's home board and is 20 pips or more behind.

The judge, gnubg-nn from PyPI, values what each legal play leads to, at 0-ply or with one roll looked ahead. What a
choice loses is its value below that of the best, cubeless, in thousandths of a point. For each kind: the mean for our
model, its standard error, how many of the choices the judge would have made too, and the same for the judge's own
choice at 0-ply.

With `--rollouts` the judge only names the play that the others are compared with, its best with one roll looked ahead,
and what a play is worth is rolled out by the stronger network of ours: 324 trials to the end of the game, luck taken
off. A loss may then be below zero, and no choice is favoured for looking like the judge's. Rollouts are kept in
benches/data/rollouts.txt, so that another network only needs those of its own choices.

With `--judges` it says how often GNU Backgammon's package, gnubg, makes the choice of gnubg-nn at 0-ply.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import gammon
from gammon import batch
from gammon.evaluator import named

Cells: TypeAlias = "NDArray[np.int8]"
FILE = Path(__file__).parent / "data" / "decisions.txt"
KINDS = ("contact", "crashed", "race", "backgame")
SETS = ("development", "reported")
COUNT = 250
WEIGHTS = np.array([2.0, 1, 1, -1, -1])


def kind_of(position: gammon.Position) -> str | None:
    """The kind of a position; None for what no set holds."""
    kind = str(position.class_)
    if kind == "contact":
        for side in (position, position.flip()):
            cells = side.to_array()
            behind = side.pips - side.opponent_pips
            if (cells[19:25] >= 2).sum() >= 2 and behind >= 20:
                return "backgame"
    return kind if kind in KINDS else None


def make(seed: int) -> None:
    """Writes the sets."""
    rng = np.random.default_rng(seed)
    need = COUNT * len(SETS)
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    while any(len(lines) < need for lines in found.values()):
        for kind, position, roll in games(rng, 400):
            if len(found[kind]) < need:
                found[kind].append(f"{position.id} {roll}")
    FILE.parent.mkdir(exist_ok=True)
    with open(FILE, "w", encoding="ascii") as file:
        for place, name in enumerate(SETS):
            for kind in KINDS:
                for line in found[kind][place * COUNT : (place + 1) * COUNT]:
                    print(name, kind, line, file=file)


def games(rng: np.random.Generator, count: int) -> list[tuple[str, gammon.Position, gammon.Roll]]:
    """Plays games side by side: of each and each kind one decision, drawn from those it had."""
    cells = np.repeat(gammon.Position.start().to_array()[None], count, 0)
    drawn: dict[tuple[int, str], tuple[gammon.Position, gammon.Roll]] = {}
    seen: dict[tuple[int, str], int] = {}
    active = np.arange(count)
    while len(active):
        rolls = rng.integers(1, 7, (len(active), 2), dtype=np.uint8)
        candidates, offsets = batch.legal_positions(cells[active], rolls, view="next")
        best = batch.best_positions(cells[active], rolls, view="next")
        for row, game in enumerate(active.tolist()):
            choices = int(offsets[row + 1] - offsets[row])
            position = gammon.Position.from_array(cells[game])
            kind = kind_of(position)
            if kind is not None and choices > 1:
                # Each of a game's decisions is kept with the same chance.
                seen[game, kind] = seen.get((game, kind), 0) + 1
                if rng.integers(seen[game, kind]) == 0:
                    drawn[game, kind] = position, gammon.Roll(int(rolls[row, 0]), int(rolls[row, 1]))
            if choices > 0 and rng.integers(5) == 0:
                best[row] = candidates[offsets[row] + rng.integers(choices)]
        cells[active] = best
        active = active[[not gammon.Position.from_array(cells[game]).is_over for game in active]]
    return [(kind, position, roll) for (_, kind), (position, roll) in drawn.items()]


def read(name: str) -> dict[str, tuple[Cells, NDArray[np.uint8]]]:
    """The positions and rolls of a set, by kind."""
    rows: dict[str, list[tuple[gammon.Position, gammon.Roll]]] = {kind: [] for kind in KINDS}
    for line in FILE.read_text(encoding="ascii").splitlines():
        which, kind, position, roll = line.split()
        if which == name:
            rows[kind].append((gammon.Position.from_id(position), gammon.Roll.parse(roll)))
    return {
        kind: (
            np.stack([position.to_array() for position, _ in found]),
            np.array([[roll.high, roll.low] for _, roll in found], np.uint8),
        )
        for kind, found in rows.items()
    }


def judged(positions: Cells, plies: int) -> NDArray[np.float64]:
    """What the judge says that positions are worth, to the player on roll."""
    import gnubg_nn

    own = np.maximum(positions[:, 1:26], 0).tolist()
    opponent = np.maximum(-positions[:, 24::-1], 0).tolist()
    answers = []
    for cells, o, m in zip(positions, opponent, own, strict=True):
        position = gammon.Position.from_array(cells)
        answers.append(
            float(position.outcome.points)
            if position.outcome is not None
            else float(np.array(gnubg_nn.probabilities((o, m), plies)) @ WEIGHTS - 1)
        )
    return np.array(answers)


class Rollouts:
    """What positions are worth to the player on roll, rolled out once each and kept in a file."""

    FILE = FILE.with_name("rollouts.txt")
    TRIALS = 324

    def __init__(self) -> None:
        self._known = {}
        if self.FILE.exists():
            for line in self.FILE.read_text(encoding="ascii").splitlines():
                position, equity = line.split()
                self._known[position] = float(equity)

    def equity(self, cells: NDArray[np.int8]) -> float:
        position = gammon.Position.from_array(cells)
        if position.outcome is not None:
            return float(position.outcome.points)
        if position.id not in self._known:
            model = gammon.Model.strong()
            result = gammon.engine.rollout(position, trials=self.TRIALS, seed=1, model=model)
            self._known[position.id] = result.candidates[0].equity
            with open(self.FILE, "a", encoding="ascii") as file:
                print(position.id, f"{result.candidates[0].equity:.6f}", file=file)
        return self._known[position.id]


def agreement(positions: Cells, rolls: NDArray[np.uint8], best: Cells) -> tuple[int, int]:
    """Of how many choices by the package gnubg at 0-ply it says the whole play, and how many are the same."""
    import gnubg

    # Under its default, rule 7.6, gammons count for nothing while the cube is centred.
    cube = gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0, 0) | {"jacoby": 0, "gammonprice": ((1.0, 1.0), (1.0, 1.0))}
    context = gnubg.evalcontext(0, 0, 1, 1, 0.0)
    whole = same = 0
    for cells, roll, expected in zip(positions, rolls.tolist(), best, strict=True):
        board = [np.maximum(-cells[24::-1], 0).tolist(), np.maximum(cells[1:26], 0).tolist()]
        steps = gnubg.findbestmove(tuple(map(tuple, board)), cube, context, tuple(roll))
        # It breaks off at the first checker that is borne off.
        if len(steps) % 2:
            continue
        after = cells.copy()
        for source, target in zip(steps[::2], steps[1::2], strict=True):
            after[source] -= 1
            if after[target] < 0:
                after[target] = 0
                after[0] -= 1
            after[target] += 1
        whole += 1
        same += bool((batch.flip(after[None])[0] == expected).all())
    return whole, same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="a name or a model file; fast if left out")
    parser.add_argument("--set", choices=SETS, default="reported")
    parser.add_argument("--plies", type=int, choices=[0, 1], default=1, help="how far the judge looks")
    parser.add_argument("--make", action="store_true", help="write the sets")
    parser.add_argument("--rollouts", action="store_true", help="let rollouts of ours say what plays are worth")
    parser.add_argument("--judges", action="store_true", help="compare the choices of gnubg-nn and gnubg")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.seed)
        return
    if arguments.judges:
        for kind, (positions, rolls) in read(arguments.set).items():
            candidates, offsets = batch.legal_positions(positions, rolls, view="next")
            values = -judged(candidates, 0)
            best = [candidates[start + values[start:end].argmax()] for start, end in itertools.pairwise(offsets)]
            whole, same = agreement(positions, rolls, np.array(best))
            print(f"{kind:9} {same} of {whole} choices the same; of the others gnubg does not say the whole play")
        return
    model = named(arguments.model or "fast")
    how = "rollouts" if arguments.rollouts else f"gnubg-nn at {arguments.plies}-ply"
    print(f"{arguments.model or 'fast'}, {arguments.set} set, judged by {how}")
    rollouts = Rollouts()
    for kind, (positions, rolls) in read(arguments.set).items():
        candidates, offsets = batch.legal_positions(positions, rolls, view="next")
        plies = 1 if arguments.rollouts else arguments.plies
        verdicts = -judged(candidates, plies)
        quick = verdicts if plies == 0 else -judged(candidates, 0)
        ours = -(batch.evaluate(candidates, model=model).astype(np.float64) @ WEIGHTS - 1)
        lost: dict[str, list[float]] = {"model": [], "judge at 0-ply": []}
        same = dict.fromkeys(lost, 0)
        for start, end in itertools.pairwise(offsets.tolist()):
            best = start + verdicts[start:end].argmax()
            for name, values in (("model", ours), ("judge at 0-ply", quick)):
                choice = start + values[start:end].argmax()
                same[name] += choice == best
                if choice != best and arguments.rollouts:
                    lost[name].append(rollouts.equity(candidates[choice]) - rollouts.equity(candidates[best]))
                else:
                    lost[name].append(verdicts[best] - verdicts[choice])
        for name, losses in lost.items():
            x = 1000 * np.array(losses)
            print(
                f"{kind:9} {name:15} {x.mean():7.2f} +- {x.std(ddof=1) / len(x) ** 0.5:5.2f} thousandths lost, "
                f"{same[name] / len(x):5.1%} the same play, {len(x)} decisions",
                flush=True,
            )


if __name__ == "__main__":
    main()
