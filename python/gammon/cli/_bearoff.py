"""``gammon bearoff``: tables built, described, asked and checked."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

import gammon
from gammon.bearoff import Seat, TwoSided
from gammon.cli import _bearoff_one_sided as one_sided
from gammon.cli._arguments import Json, PositionText, Threads, help_alone, parse_position, print_json, whole_number
from gammon.cube import Cube, Ladder, Score
from gammon.errors import InvalidArgumentError
from gammon.files import renamed_target

HELP = """Bear-off databases.

Example: gammon bearoff build two-sided 6x6.gts
"""
BUILD_HELP = """Build a table and write it to a file.

Example: gammon bearoff build one-sided 6x15.gos
"""

app = typer.Typer(name="bearoff", help=HELP, rich_markup_mode=None)
app.callback(invoke_without_command=True)(help_alone)
build = typer.Typer(name="build", help=BUILD_HELP, rich_markup_mode=None)
build.callback(invoke_without_command=True)(help_alone)
app.add_typer(build)
build.command("one-sided")(one_sided.build_one_sided)
app.command()(one_sided.convert)

TablePath = Annotated[Path, typer.Argument(metavar="TABLE", help="The file of a table.")]
Whole = {"parser": whole_number, "metavar": "INTEGER"}
NoMap = Annotated[bool, typer.Option("--no-mmap", help="Read from the file at each look-up instead of mapping it.")]

# Pairs a second that two cores solve, roughly: only to say beforehand how long it will take.
_PAIRS_PER_SECOND = {1: 60e6, 4: 15e6, 5: 12e6}


@build.command("two-sided")
def build_two_sided(
    path: Annotated[Path, typer.Argument(metavar="TABLE", help="The file to write.")],
    points: Annotated[int, typer.Option(help="The first points of each side.", **Whole)] = 6,
    checkers: Annotated[int, typer.Option(help="The most of each side.", **Whole)] = 6,
    opponent_checkers: Annotated[
        int | None,
        typer.Option(help="The most of the other side; as many if it is left out.", **Whole),
    ] = None,
    cubeless: Annotated[bool, typer.Option("--cubeless", help="Without equities with the cube.")] = False,
    jacoby: Annotated[bool, typer.Option("--jacoby", help="Also with the centred cube of the Jacoby rule.")] = False,
    score: Annotated[
        str | None,
        typer.Option(
            metavar="AWAY,AWAY",
            help="Points that both players still need, the first side's first: match winning chances at that score.",
        ),
    ] = None,
    post_crawford: Annotated[
        bool, typer.Option("--post-crawford", help="At 1-away: the Crawford game has been played.")
    ] = False,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Solve a two-sided table. An interrupted build goes on where it was when the command is given again.

    Example: gammon bearoff build two-sided 6x6.gts
    """
    sides = (checkers, checkers if opponent_checkers is None else opponent_checkers)
    ladder = None if score is None else Ladder.match(_score(score, post_crawford))
    what: dict[str, Any] = {"points": points, "checkers": sides, "cubeful": not cubeless, "jacoby": jacoby}
    what["ladder"] = ladder
    size = TwoSided.size(**what)
    renamed_target(path)
    if not json:
        seconds = size.pairs / _PAIRS_PER_SECOND[1 if cubeless else 5 if jacoby or ladder else 4]
        print(
            f"{size.positions[0]:,} x {size.positions[1]:,} positions, {size.pairs:,} pairs; file "
            f"{_bytes(size.file_bytes)}, memory about {_bytes(size.memory_with_path)}, time about {_time(seconds)} "
            "on two cores",
            flush=True,
        )
    start = time.perf_counter()
    try:
        table = TwoSided.build(**what, path=path, threads=threads, progress=True)
    except KeyboardInterrupt:
        print(f"Interrupted: the same command goes on with {path}.partial", file=sys.stderr)
        raise typer.Exit(130) from None
    elapsed = time.perf_counter() - start
    if json:
        print_json({**_describe(table), "seconds": elapsed})
    else:
        print(f"{path}: {elapsed:.1f} s")


@app.command()
def info(path: TablePath, json: Json = False) -> None:
    """Describe a table.

    Example: gammon bearoff info 6x6.gts
    """
    if (other := one_sided.open_other(path)) is not None:
        one_sided.info(other, path, json)
        return
    table = TwoSided.open(path)
    facts = _describe(table)
    if json:
        print_json(facts)
        return
    first, second = table.checkers
    print(f"two-sided, {table.points} points, {first} against {second} checkers, {table.pairs:,} pairs")
    kind = "match winning chances at a score" if table.is_at_score else "equities for money"
    cube = "with the cube" if table.cubeful else "cubeless"
    print(f"{kind}, {cube}{', Jacoby rule too' if table.jacoby else ''}")
    print("solved in double precision, rounded once" if table.is_exact else "solved on 16 bits")
    print(f"{_bytes(facts['bytes'])}")


@app.command()
def lookup(
    path: TablePath,
    position: PositionText,
    roll: Annotated[str | None, typer.Option(help='Two dice, for example "31": also the best play.')] = None,
    turned: Annotated[
        str | None,
        typer.Option(
            "--cube", metavar="VALUE[:OWNER]", help='At a score: the cube, such as "2:player"; 1 if not said.'
        ),
    ] = None,
    opponents_ladder: Annotated[
        bool, typer.Option("--second", help="At a score: the player of the second side is on roll.")
    ] = False,
    no_mmap: NoMap = False,
    json: Json = False,
) -> None:
    """Look up a position without contact. Prints its equities, what to do with the cube, and the best play of a roll.

    A table at a match score answers with the match winning chance of the player on roll.

    Example: gammon bearoff lookup 6x6.gts EQAACAEAAAAAAA --roll 21
    """
    if (other := one_sided.open_other(path)) is not None:
        _refuse_score_options(path, turned, opponents_ladder)
        one_sided.lookup(other, parse_position(position), None if roll is None else gammon.Roll.parse(roll), json)
        return
    table = TwoSided.open(path, mmap=not no_mmap)
    where = parse_position(position)
    if table.is_at_score:
        _lookup_at_score(
            table,
            where,
            roll,
            _cube("1" if turned is None else turned),
            "opponent" if opponents_ladder else "player",
            json,
        )
        return
    _refuse_score_options(path, turned, opponents_ladder)
    answer: dict[str, Any] = {"position": where.id, "equity": table.equity(where)}
    if table.cubeful:
        for name, cube in (("centred", Cube()), ("owned", Cube(2, "player")), ("opponent", Cube(2, "opponent"))):
            answer[name] = table.equity(where, cube)
        if not where.is_over:
            action = table.cube_action(where)
            answer["cube"] = {"action": action.action, "no_double": action.no_double, "take": action.double_take}
    if roll is not None:
        play, equity = table.best_play(where, gammon.Roll.parse(roll))
        answer["best"] = {"play": str(play), "equity": equity}
    if json:
        print_json(answer)
        return
    print(f"cubeless          {answer['equity']:+.5f}")
    if table.cubeful:
        print(f"cube centred      {answer['centred']:+.5f}")
        print(f"cube owned        {answer['owned']:+.5f}")
        print(f"opponent owns it  {answer['opponent']:+.5f}")
    if "cube" in answer:
        cube_words = answer["cube"]
        print(f"{cube_words['action']}: no double {cube_words['no_double']:+.5f}, taken {cube_words['take']:+.5f}")
    if "best" in answer:
        print(f"{roll}: {answer['best']['play']} {answer['best']['equity']:+.5f} cubeless")


def _refuse_score_options(path: Path, turned: str | None, opponents_ladder: bool) -> None:
    """A table of money games says everything about every cube, and is the same for both sides."""
    if turned is not None or opponents_ladder:
        option = "--second" if turned is None else f"--cube {turned}"
        raise InvalidArgumentError(f"{option} is for a table at a match score, which {path} is not")


def _lookup_at_score(
    table: TwoSided, where: gammon.Position, roll: str | None, cube: Cube, on_roll: Seat, json: bool
) -> None:
    answer: dict[str, Any] = {"position": where.id, "mwc": table.mwc(where, cube, on_roll=on_roll)}
    action = table.cube_action(where, cube, on_roll=on_roll)
    answer["cube"] = {"action": action.action, "no_double": action.no_double}
    if action.action != "unavailable":
        answer["cube"] |= {"take": action.double_take, "drop": action.double_drop}
    if roll is not None:
        play, chance = table.best_play(where, gammon.Roll.parse(roll), cube, on_roll=on_roll)
        answer["best"] = {"play": str(play), "mwc": chance}
    if json:
        print_json(answer)
        return
    print(f"match winning chance {100 * answer['mwc']:.3f} %")
    words = ", ".join(
        f"{name.replace('_', ' ')} {100 * value:.3f} %" for name, value in list(answer["cube"].items())[1:]
    )
    print(f"{action.action}: {words}")
    if "best" in answer:
        print(f"{roll}: {answer['best']['play']} {100 * answer['best']['mwc']:.3f} %")


@app.command()
def verify(path: TablePath, json: Json = False) -> None:
    """Check every block of a table against its checksum.

    Example: gammon bearoff verify 6x6.gts
    """
    if (other := one_sided.open_other(path)) is not None:
        one_sided.verify(other, path, json)
        return
    table = TwoSided.open(path)
    table.verify(progress=True)
    if json:
        print_json({**_describe(table), "intact": True})
    else:
        print(f"{path}: every block is intact")


def _describe(table: TwoSided) -> dict[str, Any]:
    place = Path(table.path or "")
    return {
        "kind": "two-sided",
        "path": str(place),
        "points": table.points,
        "checkers": list(table.checkers),
        "pairs": table.pairs,
        "cubeful": table.cubeful,
        "jacoby": table.jacoby,
        "at_score": table.is_at_score,
        "exact": table.is_exact,
        "bytes": place.stat().st_size,
    }


def _score(text: str, post_crawford: bool) -> Score:
    away, comma, opponent_away = text.partition(",")
    if not comma:
        raise typer.BadParameter(f"a score is AWAY,AWAY, such as 3,5, not {text!r}")
    return Score(whole_number(away), whole_number(opponent_away), post_crawford=post_crawford)


def _cube(text: str) -> Cube:
    value, _, owner = text.partition(":")
    return Cube(whole_number(value), owner or None)  # type: ignore[arg-type]


def _bytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def _time(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 100 else f"{max(seconds, 1):.0f} s"
