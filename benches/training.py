"""How fast networks learn from self-play: games a second by the clock, with 1 thread and with 2.

    python benches/training.py

Each recipe starts from nothing and goes on for some seconds. The games of its log are counted, without the first line,
in which tables are built.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path

from timing import machine

from gammon.training import Recipe, Stage, train

SECONDS = 5
LINES = 4
MANY = 10_000_000
RECIPES = {
    "64 and 16 units, raw, from nothing": Recipe((64, 16), (Stage(games=MANY),)),
    "128 and 32 units, raw, from nothing": Recipe((128, 32), (Stage(games=MANY),)),
    "128 and 32 units, raw, exact tables": Recipe((128, 32), (Stage(games=MANY, tables=True),)),
}


class Enough(Exception):
    """A recipe has been played long enough."""


def games_a_second(recipe: Recipe, threads: int) -> float:
    """From the first line of the log to the last."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log.jsonl")

        def stop(done: int, total: int) -> None:
            if log.exists() and log.read_text().count("\n") > LINES:
                raise Enough

        # What ends a run is its progress, in a line of the log that is not counted.
        with contextlib.suppress(Enough):
            train(
                recipe, Path(folder, "net.gammon"), log=log, checkpoint_seconds=SECONDS, threads=threads, progress=stop
            )
        lines = [json.loads(line) for line in log.read_text().splitlines()]
    games = lines[LINES]["games"] - lines[0]["games"]
    return games / sum(line["seconds"] for line in lines[1 : LINES + 1])


def main() -> None:
    print(f"self-play games learnt from, a second; {machine()}")
    for name, recipe in RECIPES.items():
        print(f"{name}: {games_a_second(recipe, 1):,.0f} with one thread, {games_a_second(recipe, 2):,.0f} with two")


if __name__ == "__main__":
    main()
