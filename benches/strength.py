"""How strong a model is: paired games against an opponent, luck taken off.

    pip install '.[peers]' && python benches/strength.py --pairs 10000 gnubg-nn
    python benches/strength.py --model new.gammon --objective win old.gammon

An opponent is "random", a model file, what benches/linear.py wrote (.npz), or a judge from PyPI: "gnubg-nn", the
evaluator of GNU Backgammon at 0-ply, or "bgsage" at its first ply, cubeless. Every pair
of games has the same dice with the seats swapped. Both sides play for the same: "points" without a cube, or "win"
(double match point). From each game's result the luck of both sides is taken off, as our model sees it (or another,
`--luck`, which may be quicker): what the roll is worth with its best play, less the mean over the 21 rolls. The mean of
that is zero whatever the model is, so the result stays unbiased, and its error shrinks.

For each opponent a line: points a game (or chance to win) for our model with its standard error, luck taken off, and
the same as played.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from linear import Linear
from numpy.typing import NDArray

import gammon
from gammon import batch
from gammon.evaluator import named

Cells: TypeAlias = "NDArray[np.int8]"
Rolls: TypeAlias = "NDArray[np.uint8]"
Chooser: TypeAlias = "Callable[[Cells, Rolls], Cells]"

WEIGHTS = np.array([roll.weight for roll in gammon.Roll.all()]) / 36
ROLL_INDEX = np.array(
    [[gammon.Roll(a, b).index if a and b else -1 for b in range(7)] for a in range(7)], dtype=np.int64
)
PAIRS_AT_ONCE = 500


def model_player(path: str | None, objective: str, threads: int | None, tables: bool) -> Chooser:
    model = named(path or "fast")

    def choose(positions: Cells, rolls: Rolls) -> Cells:
        best = batch.best_positions(positions, rolls, view="next", objective=objective, model=model, threads=threads)
        if tables:
            bear_off(positions, rolls, objective, best)
        return best

    return choose


def bear_off(positions: Cells, rolls: Rolls, objective: str, best: Cells) -> None:
    """Puts the best plays by exact one-sided tables where both sides have all checkers home."""
    table = gammon.bearoff.OneSided.default()
    rows = np.flatnonzero((positions[:, 7:26] <= 0).all(1) & (positions[:, :19] >= 0).all(1))
    if not len(rows):
        return
    candidates, offsets = batch.legal_positions(positions[rows], rolls[rows], view="next")
    wins, held = table.win_probabilities(candidates)
    assert held.all()
    worth = 2 * wins - 1
    if objective == "points":
        for place in np.flatnonzero((candidates[:, 26] == 0) | (candidates[:, 27] == 0)):
            chances = table.race_chances(gammon.Position.from_array(candidates[place]))
            worth[place] += chances.win_gammon - chances.lose_gammon
    for row, start, end in zip(rows, offsets[:-1], offsets[1:], strict=True):
        if end > start:
            best[row] = candidates[start + worth[start:end].argmin()]


def linear_player(path: str, objective: str) -> Chooser:
    linear = Linear.open(path)
    return lambda positions, rolls: batch.best_positions(
        positions, rolls, view="next", objective=objective, model=linear
    )


def random_player(seed: int) -> Chooser:
    rng = np.random.default_rng([seed, 1])

    def choose(positions: Cells, rolls: Rolls) -> Cells:
        candidates, offsets = batch.legal_positions(positions, rolls, view="next")
        best = batch.flip(positions)
        counts = np.diff(offsets)
        rows = np.flatnonzero(counts)
        best[rows] = candidates[offsets[rows] + rng.integers(0, counts[rows])]
        return best

    return choose


def gnubg_player(objective: str) -> Chooser:
    """GNU Backgammon's evaluator at 0-ply; at 1-away, 1-away it plays to win."""
    import gnubg_nn

    if objective == "win":
        gnubg_nn.set.score(1, 1)

    def choose(positions: Cells, rolls: Rolls) -> Cells:
        own = np.maximum(positions[:, 1:26], 0).tolist()
        opponent = np.maximum(-positions[:, 24::-1], 0).tolist()
        boards = []
        for o, m, (a, b) in zip(opponent, own, rolls.tolist(), strict=True):
            _, key = gnubg_nn.best_move((o, m), a, b, b=1)
            # The player who made the play first, then the one who rolls next: the opponent and the player on roll.
            boards.append(gnubg_nn.board_from_position_key(key))
        after = np.array(boards, dtype=np.int8).reshape(len(boards), 2, 25)
        cells = np.zeros((len(boards), 28), dtype=np.int8)
        cells[:, 1:26] += after[:, 1]
        cells[:, 24::-1] -= after[:, 0]
        cells[:, 26] = 15 - after[:, 1].sum(1)
        cells[:, 27] = 15 - after[:, 0].sum(1)
        return cells

    return choose


def bgsage_player() -> Chooser:
    """bgsage at its first ply, without the cube: its board is our array without the checkers off, bars as counts."""
    import bgsage

    analyzer = bgsage.BgBotAnalyzer(eval_level="1ply", cubeful=False, parallel_threads=1)

    def choose(positions: Cells, rolls: Rolls) -> Cells:
        after = positions.copy()
        for row, (a, b) in zip(after, rolls.tolist(), strict=True):
            board = [-int(row[0]), *row[1:26].tolist()]
            if moves := analyzer.checker_play(board, a, b, jacoby=False).moves:
                row[:26] = moves[0].board
                row[0] = -row[0]
                row[26] = 15 - np.maximum(row[1:26], 0).sum()
        return batch.flip(after)

    return choose


def lost(cells: Cells) -> NDArray[np.int64]:
    """Points that the player on roll has lost: 0 for a game that goes on."""
    over = np.minimum(cells[:, :25], 0).sum(1) == 0
    behind = cells[:, 19:26].max(1) > 0
    return np.where(over, np.where(cells[:, 26] > 0, 1, np.where(behind, 3, 2)), 0)


def play_pairs(
    ours: Chooser,
    theirs: Chooser,
    values: Callable[[Cells], NDArray[np.float32]],
    pairs: int,
    dice: np.random.Generator,
    win_only: bool,
) -> NDArray[np.float64]:
    """Plays pairs of games: for each game what we won as played, and with the luck taken off, shape (2, pairs, 2)."""
    start = gammon.Position.start().to_array()
    cells = np.repeat(start[None], 2 * pairs, 0)
    # Games k and pairs + k have the same dice. We start the first of them if the throw for the start says so.
    we_start = dice.integers(0, 2, pairs).astype(bool)
    turn_is_ours = np.concatenate([we_start, ~we_start])
    won, luck = np.zeros(2 * pairs), np.zeros(2 * pairs)
    active = np.arange(2 * pairs)
    turn = 0
    while len(active):
        throws = dice.integers(1, 7, (pairs, 2), dtype=np.uint8)
        if turn == 0:
            while (ties := throws[:, 0] == throws[:, 1]).any():
                throws[ties] = dice.integers(1, 7, (int(ties.sum()), 2), dtype=np.uint8)
        rolls = throws[active % pairs]
        here, mine = cells[active], turn_is_ours[active]
        if turn:
            worth = values(here)
            of_roll = worth[np.arange(len(active)), ROLL_INDEX[rolls[:, 0], rolls[:, 1]]]
            luck[active] += np.where(mine, 1, -1) * (of_roll - worth @ WEIGHTS)
        after = np.empty_like(here)
        for who, chooser in ((mine, ours), (~mine, theirs)):
            if who.any():
                after[who] = chooser(here[who], rolls[who])
        cells[active] = after
        points = lost(after)
        if win_only:
            points = np.minimum(points, 1)
        # The player who has moved has won; what has been won at double match point counts from 0 to 1.
        won[active] += np.where(mine, 1, -1) * points
        turn_is_ours[active] = ~mine
        active = active[points == 0]
        turn += 1
    if win_only:
        won = (won + 1) / 2
    return np.stack([won, won - luck]).reshape(2, 2, pairs).transpose(0, 2, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "opponents", nargs="+", help='"random", "gnubg-nn", "bgsage", a name, a model file or linear.npz'
    )
    parser.add_argument("--model", help="a name or a model file; fast if left out")
    parser.add_argument(
        "--luck", metavar="MODEL", help="a name or a model file, which says what is luck; ours if left out"
    )
    parser.add_argument("--objective", choices=["points", "win"], default="points")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--tables", action="store_true", help="exact one-sided tables choose our plays in the bear-off")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    luck = arguments.luck or arguments.model
    model = named(luck or "fast")

    def values(positions: Cells) -> NDArray[np.float32]:
        return batch.roll_values(positions, objective=arguments.objective, model=model, threads=arguments.threads)

    for opponent in arguments.opponents:
        if opponent == "random":
            theirs = random_player(arguments.seed)
        elif opponent == "gnubg-nn":
            theirs = gnubg_player(arguments.objective)
        elif opponent == "bgsage":
            if arguments.objective != "points":
                parser.error("bgsage plays for points here")
            theirs = bgsage_player()
        elif opponent.endswith(".npz"):
            theirs = linear_player(opponent, arguments.objective)
        else:
            theirs = model_player(opponent, arguments.objective, arguments.threads, False)
        ours = model_player(arguments.model, arguments.objective, arguments.threads, arguments.tables)
        dice = np.random.default_rng(arguments.seed)
        began = time.perf_counter()
        parts = []
        left = arguments.pairs
        while left:
            pairs = min(left, PAIRS_AT_ONCE)
            parts.append(play_pairs(ours, theirs, values, pairs, dice, arguments.objective == "win"))
            left -= pairs
        seconds = time.perf_counter() - began
        played, adjusted = np.concatenate(parts, 1).mean(2)
        error = [x.std(ddof=1) / len(x) ** 0.5 if len(x) > 1 else float("nan") for x in (played, adjusted)]
        line = {
            "model": str(arguments.model or "fast") + (" with tables" if arguments.tables else ""),
            "opponent": opponent,
            "objective": arguments.objective,
            "games": 2 * arguments.pairs,
            "mean": float(adjusted.mean()),
            "standard_error": float(error[1]),
            "as_played": float(played.mean()),
            "as_played_error": float(error[0]),
            "seconds": round(seconds, 1),
        }
        if arguments.json:
            print(json.dumps(line), flush=True)
        else:
            print(
                f"{line['model']} against {opponent}, {arguments.objective}, {line['games']:,} games: "
                f"{line['mean']:+.4f} +- {line['standard_error']:.4f} "
                f"(as played {line['as_played']:+.4f} +- {line['as_played_error']:.4f}), {seconds:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
