"""``gammon hypergammon``: the solved game."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

import gammon
from gammon import hypergammon
from gammon.cli._arguments import Json, Threads, help_alone, print_json, whole_number
from gammon.cube import Cube
from gammon.files import renamed_target
from gammon.position import VARIANTS

HELP = """Hypergammon solved: up to three checkers a side.

Example: gammon hypergammon build one.ghy --checkers 1
"""

app = typer.Typer(
    name="hypergammon",
    help=HELP,
    rich_markup_mode=None,
)
app.callback(invoke_without_command=True)(help_alone)

# Positions, bytes of the file, bytes of memory and roughly the seconds on two cores, by checkers.
_SIZES = {1: (651, 52e3, 50e6, 1), 2: (107_252, 8.6e6, 150e6, 5), 3: (7_959_903, 637e6, 2.9e9, 510)}


@app.command()
def build(
    path: Annotated[Path, typer.Argument(metavar="SOLUTION", help="The file to write.")],
    checkers: Annotated[int, typer.Option(help="Of each side, 1 to 3.", parser=whole_number, metavar="INTEGER")] = 3,
    tolerance: Annotated[float, typer.Option(help="The largest error of any value.")] = 1e-9,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Solve the game and write it to a file.

    \b
    Examples:
        gammon hypergammon build one.ghy --checkers 1
        gammon hypergammon build hyper.ghy
    """
    renamed_target(path)
    if not json and checkers in _SIZES:
        positions, file, memory, seconds = _SIZES[checkers]
        print(
            f"{positions:,} positions; file {file / 1e6:.1f} MB, memory about {memory / 1e9:.1f} GB, time about "
            f"{seconds} s on two cores",
            flush=True,
        )
    start = time.perf_counter()
    solution = hypergammon.solve(checkers, tolerance=tolerance, path=path, threads=threads, progress=True)
    elapsed = time.perf_counter() - start
    facts = {
        "path": str(path),
        "checkers": solution.checkers,
        "positions": solution.positions,
        "sweeps": solution.sweeps,
        "error_bound": solution.error_bound,
        "bytes": path.stat().st_size,
        "seconds": elapsed,
    }
    if json:
        print_json(facts)
    else:
        print(f"{path}: {solution.sweeps} sweeps, error at most {solution.error_bound:.1e}, {elapsed:.1f} s")


@app.command()
def lookup(
    path: Annotated[Path, typer.Argument(metavar="SOLUTION", help="A file that `build` wrote.")],
    position: Annotated[
        str, typer.Argument(metavar="POSITION", help='A GNU Position ID of the game, or "hypergammon" for its start.')
    ],
    roll: Annotated[str | None, typer.Option(help='Two dice, for example "31": also the best play.')] = None,
    jacoby: Annotated[bool, typer.Option("--jacoby", help="Gammons count single until the cube is turned.")] = False,
    json: Json = False,
) -> None:
    """Look up a position. Prints its probabilities and equities, what to do with the cube, and the best play of a roll.

    \b
    Examples:
        gammon hypergammon lookup one.ghy AACAAAAAAgAAAA --roll 21
        gammon hypergammon lookup hyper.ghy hypergammon --roll 21
    """
    solution = hypergammon.open(path, jacoby=jacoby)
    if position in VARIANTS:
        where = gammon.Position.start(position)
    else:
        where = gammon.Position.from_id(position, checkers=solution.checkers)
    values = solution.values(where)
    answer: dict[str, Any] = {"position": where.id, "values": values._asdict()}
    if not where.is_over:
        action = solution.cube_action(where)
        answer["cube"] = {"action": action.action, "no_double": action.no_double, "take": action.double_take}
    if roll is not None:
        dice = gammon.Roll.parse(roll)
        best = {"best": solution.best_play(where, dice), "best_centred": solution.best_play(where, dice, Cube())}
        answer.update({name: {"play": str(play), "equity": equity} for name, (play, equity) in best.items()})
    if json:
        print_json(answer)
        return
    for name, value in values._asdict().items():
        print(f"{name:<18}{value:+.6f}")
    if "cube" in answer:
        cube_words = answer["cube"]
        print(f"{cube_words['action']}: no double {cube_words['no_double']:+.6f}, taken {cube_words['take']:+.6f}")
    for name, words in (("best", "cubeless"), ("best_centred", "with the cube centred")):
        if name in answer:
            print(f"{roll}: {answer[name]['play'] or 'cannot move'} {answer[name]['equity']:+.6f} {words}")
