"""The parts of ``gammon bearoff`` for one-sided tables and databases of GNU Backgammon."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

import gammon
from gammon.bearoff import GnubgTwoSided, OneSided, TwoSided, open_gnubg
from gammon.cli._arguments import Json, Threads, print_json, whole_number
from gammon.cube import Cube
from gammon.errors import FileFormatError

Table: TypeAlias = OneSided | GnubgTwoSided

# Positions a second that two cores solve, roughly: only to say beforehand how long it will take.
_POSITIONS_PER_SECOND = 200e3


def open_other(path: Path) -> Table | None:
    """A one-sided table or one of GNU Backgammon; None for anything else."""
    with path.open("rb") as file:
        magic = file.read(8)
    if magic == b"gammon1s":
        return OneSided.open(path)
    return open_gnubg(path) if magic.startswith(b"gnubg-") else None


def build_one_sided(
    path: Annotated[Path, typer.Argument(metavar="TABLE", help="The file to write.")],
    points: Annotated[int, typer.Option(help="The first points.", parser=whole_number, metavar="INTEGER")] = 6,
    checkers: Annotated[int, typer.Option(help="The most checkers.", parser=whole_number, metavar="INTEGER")] = 15,
    single: Annotated[bool, typer.Option("--single", help="Round to float32: half the size.")] = False,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Build a one-sided table: the rolls that each position of a side needs.

    Example: gammon bearoff build one-sided 8x15.gos --points 8
    """
    positions, memory = OneSided.size(points, checkers)
    if not json and positions <= 40_000_000:
        print(
            f"{positions:,} positions; file and memory about {_bytes(memory)}, time about "
            f"{max(positions / _POSITIONS_PER_SECOND, 1):.0f} s on two cores",
            flush=True,
        )
    start = time.perf_counter()
    table = OneSided(points, checkers, threads=threads, progress=True)
    table.save(path, precision="float32" if single else "float64")
    elapsed = time.perf_counter() - start
    if json:
        print_json({**describe(table, path), "seconds": elapsed})
    else:
        print(f"{path}: {elapsed:.1f} s")


def convert(
    source: Annotated[Path, typer.Argument(metavar="TABLE", help="A table of ours, or of GNU Backgammon.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    like_gnu: Annotated[
        bool, typer.Option("--like-gnu", help="Solve again in GNU Backgammon's 16 bits: the bytes of makebearoff.")
    ] = False,
    uncompressed: Annotated[bool, typer.Option("--uncompressed", help="One-sided: keep zeros.")] = False,
    no_gammons: Annotated[bool, typer.Option("--no-gammons", help="One-sided: without the gammon part.")] = False,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Convert a table of ours for GNU Backgammon, or a one-sided table of GNU Backgammon to ours.

    Example: gammon bearoff convert 6x6.gts gnubg_ts.bd
    """
    start = time.perf_counter()
    other = open_other(source)
    if other is not None and str(other).startswith("open_gnubg("):
        if isinstance(other, GnubgTwoSided):
            raise FileFormatError(f"{source}: its equities are cut to 16 bits; `gammon bearoff build` makes exact ones")
        kind = "gammon"
        other.save(target)
    elif isinstance(other, OneSided):
        kind = "gnubg"
        other.save_gnubg(
            target,
            like_gnu=like_gnu,
            compressed=not uncompressed,
            gammons=not no_gammons,
            threads=threads,
            progress=True,
        )
    else:
        kind = "gnubg"
        TwoSided.open(source).save_gnubg(target, like_gnu=like_gnu, threads=threads, progress=True)
    elapsed = time.perf_counter() - start
    if json:
        size = target.stat().st_size
        print_json({"source": str(source), "target": str(target), "form": kind, "bytes": size, "seconds": elapsed})
    else:
        print(f"{target}: {_bytes(target.stat().st_size)}, {elapsed:.1f} s")


def describe(table: Table, path: Path) -> dict[str, Any]:
    """What a table is, as plain data."""
    gnubg = str(table).startswith("open_gnubg(")
    facts: dict[str, Any] = {
        "kind": "one-sided" if isinstance(table, OneSided) else "two-sided",
        "form": "gnubg" if gnubg else "gammon",
        "path": str(path),
        "points": table.points,
        "checkers": table.checkers,
        "bytes": path.stat().st_size,
    }
    if isinstance(table, OneSided):
        return {**facts, "positions": table.positions, "gammons": table.has_gammons}
    return {**facts, "cubeful": table.cubeful}


def info(table: Table, path: Path, json: bool) -> None:
    """Prints what a table is."""
    facts = describe(table, path)
    if json:
        print_json(facts)
        return
    print(f"{facts['kind']}, {table.points} points, {table.checkers} checkers")
    if isinstance(table, OneSided):
        print(f"{table.positions:,} positions, {'with' if table.has_gammons else 'without'} gammon chances")
    else:
        print("with the cube" if table.cubeful else "cubeless")
    print(f"{_bytes(facts['bytes'])}{', of GNU Backgammon' if facts['form'] == 'gnubg' else ''}")


def verify(table: Table, path: Path, json: bool) -> None:
    """Such tables are checked whole when they are opened."""
    if json:
        print_json({**describe(table, path), "intact": True})
    else:
        print(f"{path}: intact")


def lookup(table: Table, position: gammon.Position, roll: gammon.Roll | None, json: bool) -> None:
    """Prints what a table knows of a position."""
    answer = _rolls(table, position) if isinstance(table, OneSided) else _equities(table, position, roll)
    if json:
        print_json({"position": position.id, **answer})
        return
    for name, value in answer.items():
        if isinstance(value, dict):
            words = (f"{key} {part:.4f}" if isinstance(part, float) else f"{key} {part}" for key, part in value.items())
            print(f"{name:<16}{', '.join(words)}")
        else:
            print(f"{name:<16}{value:.5f}" if isinstance(value, float) else f"{name:<16}{value}")


def _rolls(table: OneSided, position: gammon.Position) -> dict[str, Any]:
    answer: dict[str, Any] = {"win": table.win_probability(position)}
    for name, side in (("player", position), ("opponent", position.flip())):
        counts = [max(side[point], 0) for point in range(1, table.points + 1)]
        answer[name] = {
            "mean rolls": table.mean_rolls(counts),
            "variance": table.variance(counts),
            "epc": table.epc(counts),
            "wastage": table.wastage(counts),
        }
    return answer


def _equities(table: GnubgTwoSided, position: gammon.Position, roll: gammon.Roll | None) -> dict[str, Any]:
    answer: dict[str, Any] = {"equity": table.equity(position)}
    if table.cubeful:
        for name, cube in (("centred", Cube()), ("owned", Cube(2, "player")), ("opponent", Cube(2, "opponent"))):
            answer[name] = table.equity(position, cube)
        if not position.is_over:
            action = table.cube_action(position)
            answer["cube"] = {"action": action.action, "no_double": action.no_double, "take": action.double_take}
    if roll is not None:
        play, equity = table.best_play(position, roll)
        answer["best"] = {"play": str(play), "equity": equity}
    return answer


def _bytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
