"""The plays of opening rolls that people disagree about, rolled out: `docs/engine.md` has the figures.

    python benches/openings.py [ROLL ...] [--model strong] [--trials 12960] [--cube]

Money without a cube, or with a live one (`--cube`: no Jacoby rule, no beavers); luck taken off, the plays of a roll on
common dice, players at 0-ply, one thread. For each play its equity, and by how much the best one is better, with the
standard errors; then which of them the engine makes at 2-ply.
"""

from __future__ import annotations

import argparse
import time

import gammon
from gammon.engine import rollout

PLAYS = {
    "21": ["24/23 13/11", "13/11 6/5"],
    "41": ["24/23 13/9", "13/9 6/5"],
    "51": ["24/23 13/8", "13/8 6/5"],
    "32": ["24/21 13/11", "13/11 13/10"],
    "43": ["24/20 13/10", "24/21 13/9", "13/10 13/9"],
    "52": ["24/22 13/8", "13/11 13/8"],
    "62": ["24/18 13/11", "24/16"],
    "63": ["24/18 13/10", "24/15"],
    "54": ["24/20 13/8", "13/9 13/8"],
    "64": ["8/2 6/2", "24/18 13/9", "24/14"],
}
"""What is usual: Kit Woolsey's synopsis in the Backgammon FAQ."""
DISPUTED = ["43", "52", "64"]
"""Our own networks disagree."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rolls", nargs="*", metavar="ROLL", default=DISPUTED)
    parser.add_argument("--model", default="strong", help='"strong", "fast" or a file')
    parser.add_argument("--trials", type=int, default=12_960)
    parser.add_argument("--cube", action="store_true")
    options = parser.parse_args()
    start = gammon.Position.start()
    x = gammon.State(start, on_roll=0, rules=gammon.Rules.money(jacoby=False, beavers=0)) if options.cube else start
    engine = gammon.Engine(plies=2, model=options.model, threads=1)
    assert isinstance(engine.model, gammon.Model)
    began = time.process_time()
    for roll in options.rolls:
        found = rollout(x, roll=roll, plays=PLAYS[roll], trials=options.trials, seed=1, model=engine.model, threads=1)
        for one in found.ranked:
            print(
                f"{roll} {one.action:<12} {one.value:+.4f} +- {one.value_error:.4f}, "
                f"behind {one.behind:.4f} +- {one.behind_error:.4f}",
                flush=True,
            )
        print(f"{roll} at 2-ply: {engine.best_play(x, roll)}")
    kind = "live cube" if options.cube else "cubeless"
    print(f"{engine.model.path.name}, {kind}, {options.trials} trials each; {time.process_time() - began:.0f} s")


if __name__ == "__main__":
    main()
