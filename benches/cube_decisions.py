"""Decisions about the cube beside GNU Backgammon's at 2-ply: where they differ, and what that costs by its own figures.

    python benches/cube_decisions.py [MODEL] [--trials 1296]

The 68 positions of `tests/data/G_cube_decisions.jsonl` (money and match scores, contact, races, bear-offs) were judged
by GNU Backgammon 1.07 with its default networks. A verdict that differs costs the doubler what GNU's equities say, and
the opponent what taking or dropping wrongly costs. What differs at 2-ply is rolled out, with the cube, luck taken off,
players at 0-ply.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import gammon
from gammon.cube import Cube
from gammon.engine import rollout
from gammon.evaluator import named

DATA = Path(__file__).parent.parent / "tests" / "data" / "G_cube_decisions.jsonl"


def state_of(row: dict[str, Any]) -> gammon.State:
    """The player on roll is player 1."""
    owner = {-1: None, 0: "opponent", 1: "player"}[row["owner"]]
    length = row["match"]
    if length:
        rules = gammon.Rules.match(length, cube_limit=None)
    else:
        rules = gammon.Rules.money(jacoby=bool(row["jacoby"]), beavers=row["beavers"], cube_limit=None)
    points = (row["score"][0], row["score"][1])
    after = bool(length) and (points[0] == length - 1) != (points[1] == length - 1) and not row["crawford"]
    position = gammon.Position.from_id(row["id"])
    return gammon.State(position, 1, cube=Cube(row["cube"], owner), points=points, post_crawford=after, rules=rules)


def verdict(no_double: float, take: float, drop: float = 1.0) -> tuple[bool, bool]:
    """Whether to double, and whether to take."""
    return min(take, drop) >= no_double, take <= drop


def cost(row: dict[str, Any], doubles: bool, takes: bool) -> float:
    """What doubling, or the answer to a double, loses by GNU's equities."""
    no_double, take = row["ply2"]["no_double"], row["ply2"]["double_take"]
    doubled = min(take, 1.0)
    lost = max(no_double, doubled) - (doubled if doubles else no_double)
    return max(lost, (take if takes else 1.0) - doubled)


def rolled_out(row: dict[str, Any], model: gammon.Model, trials: int) -> str:
    result = rollout(state_of(row), cube_decision=True, trials=trials, seed=1, model=model, threads=1)
    values = (f"{one.action} {one.value:+.3f} +- {one.value_error:.3f}" for one in result.candidates)
    return f"    rolled out: {result.decision:<18} {', '.join(values)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", nargs="?")
    parser.add_argument("--trials", type=int, default=1296)
    options = parser.parse_args()
    rows = [json.loads(line) for line in DATA.read_text().splitlines()]
    model = named(options.model or "fast")
    for plies in (0, 1, 2, 3):
        engine = gammon.Engine(plies, model=model)
        same, costs, errors, open_ones, lines = 0, [], [], 0, []
        for row in rows:
            found = engine.cube_decision(state_of(row))
            errors.append(found.decision.no_double - row["ply2"]["no_double"])
            if found.action == "unavailable":
                continue
            open_ones += 1
            ours = verdict(found.decision.no_double, found.decision.double_take)
            theirs = verdict(row["ply2"]["no_double"], row["ply2"]["double_take"])
            same += ours == theirs
            costs.append(cost(row, *ours))
            if ours != theirs:
                score = "money" if not row["match"] else f"{row['score']} of {row['match']}"
                lines.append(
                    f"  {row['id']} {row['class']:<18} {score:<14} cube {row['cube']:>2}: {found.action:<18} "
                    f"{found.decision.no_double:+.3f} {found.decision.double_take:+.3f}; GNU {row['ply2']['text']:<25} "
                    f"{row['ply2']['no_double']:+.3f} {row['ply2']['double_take']:+.3f}; costs {costs[-1]:.3f}"
                )
                if plies == 2:
                    lines.append(rolled_out(row, model, options.trials))
        print(
            f"{plies}-ply: {same} of {open_ones} verdicts as GNU at 2-ply; cost {np.mean(costs):.4f} on average "
            f"and {max(costs):.3f} at most; no double differs by {np.sqrt(np.mean(np.square(errors))):.3f} (rms)"
        )
        if plies == 2:
            print("\n".join(lines))


if __name__ == "__main__":
    main()
