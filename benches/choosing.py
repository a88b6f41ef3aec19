"""Which of some networks chooses best: equity lost per decision on thousands of decisions of real games.

    pip install '.[peers]'
    python benches/choosing.py make choosing.npz --model old.gammon --decisions 10000
    python benches/choosing.py judge choosing.npz old.gammon new.gammon gnubg-nn

`make` lets a network play against gnubg-nn and keeps one decision in twelve, with what the judge's best play is worth:
gnubg-nn with one roll looked ahead, among the six plays that it likes best without. `judge` says how many thousandths
of a point the choices of each network lose by the same judge, by kind (see decisions.py), and how far that is from what
the first one loses: the same decisions, so the difference is known better than either. The judge leans to its own side,
so its own figure says little. This is for choosing networks while they are trained; strength is what strength.py says.

Verdicts are kept beside the decisions, so the next network only needs those of its own choices.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import numpy as np
from decisions import KINDS, Cells, judged, kind_of
from numpy.typing import NDArray
from strength import Chooser, Rolls, gnubg_player, lost, model_player

import gammon
from gammon import batch

LIKED = 6
SHARE = 1 / 12


class Verdicts:
    """What the judge says that plays are worth by the positions they lead to, each asked once."""

    def __init__(self, known: dict[bytes, float]) -> None:
        self.known = known

    def of(self, cells: Cells) -> NDArray[np.float64]:
        rows = [row.tobytes() for row in cells]
        missing = {row: place for place, row in enumerate(rows) if row not in self.known}
        self.known.update(zip(missing, (-judged(cells[[*missing.values()]], 1)).tolist(), strict=True))
        return np.array([self.known[row] for row in rows])


def make(path: Path, model: str, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sides = model_player(model, "points", 1, False), gnubg_player("points")
    positions: list[Cells] = []
    rolls: list[Rolls] = []
    while len(positions) < count:
        for position, roll in decisions(rng, sides):
            positions.append(position)
            rolls.append(roll)
        print(f"{len(positions):,} decisions", flush=True)
    cells, throws = np.array(positions[:count]), np.array(rolls[:count])
    candidates, offsets = batch.legal_positions(cells, throws, view="next")
    quick = -judged(candidates, 0)
    verdicts = Verdicts({})
    best = []
    for start, end in itertools.pairwise(offsets.tolist()):
        liked = start + np.argsort(-quick[start:end])[:LIKED]
        best.append(verdicts.of(candidates[liked]).max())
    write(path, cells, throws, np.array(best), verdicts)


def decisions(rng: np.random.Generator, sides: tuple[Chooser, Chooser]) -> list[tuple[Cells, Rolls]]:
    """Some decisions of a thousand games between two players, side by side."""
    kept = []
    cells = np.repeat(gammon.Position.start().to_array()[None], 1000, 0)
    first_to_play = rng.integers(0, 2, len(cells)).astype(bool)
    active = np.arange(len(cells))
    while len(active):
        rolls = rng.integers(1, 7, (len(active), 2), dtype=np.uint8)
        here = cells[active]
        counts = batch.count_plays(here, rolls)
        for row in np.flatnonzero((counts > 1) & (rng.random(len(active)) < SHARE)):
            kept.append((here[row].copy(), rolls[row].copy()))
        after = np.empty_like(here)
        for who, chooser in ((first_to_play[active], sides[0]), (~first_to_play[active], sides[1])):
            if who.any():
                after[who] = chooser(here[who], rolls[who])
        cells[active] = after
        first_to_play[active] = ~first_to_play[active]
        active = active[lost(after) == 0]
    return kept


def judge(path: Path, names: list[str]) -> None:
    with np.load(path) as file:
        positions, rolls, best = file["positions"], file["rolls"], file["best"]
        known = dict(zip((row.tobytes() for row in file["judged"]), file["verdicts"].tolist(), strict=True))
    verdicts = Verdicts(known)
    kinds = np.array([kind_of(gammon.Position.from_array(cells)) or "other" for cells in positions])
    reference = None
    for name in names:
        chooser = gnubg_player("points") if name == "gnubg-nn" else model_player(name, "points", 1, False)
        losses = 1000 * (best - verdicts.of(chooser(positions, rolls)))
        reference = losses if reference is None else reference
        more = losses - reference
        by_kind = ", ".join(f"{kind} {losses[kinds == kind].mean():.2f}" for kind in (*KINDS, "other"))
        print(
            f"{name}: {losses.mean():.3f} thousandths lost, {more.mean():+.3f} +- {more.std() / len(more) ** 0.5:.3f} "
            f"({by_kind})",
            flush=True,
        )
    write(path, positions, rolls, best, verdicts)


def write(path: Path, positions: Cells, rolls: Rolls, best: NDArray[np.float64], verdicts: Verdicts) -> None:
    asked = np.array([np.frombuffer(row, np.int8) for row in verdicts.known])
    values = np.array(list(verdicts.known.values()))
    with open(path, "wb") as file:
        np.savez(file, positions=positions, rolls=rolls, best=best, judged=asked, verdicts=values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make", help="play games and keep decisions")
    maker.add_argument("path", type=Path)
    maker.add_argument("--model", default="strong", help="a name or a model file")
    maker.add_argument("--decisions", type=int, default=10_000)
    maker.add_argument("--seed", type=int, default=5)
    judging = commands.add_parser("judge", help="say what networks lose")
    judging.add_argument("path", type=Path)
    judging.add_argument("networks", nargs="+", help='names, model files or "gnubg-nn"')
    arguments = parser.parse_args()
    if arguments.command == "make":
        make(arguments.path, arguments.model, arguments.decisions, arguments.seed)
    else:
        judge(arguments.path, arguments.networks)


if __name__ == "__main__":
    main()
