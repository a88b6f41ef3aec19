"""``gammon analyze``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import gammon
from gammon import formats
from gammon.analysis import Analysis
from gammon.cli._arguments import Json, ModelName, Plies, Threads, print_json, whole_number
from gammon.errors import InvalidArgumentError


def analyze(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A match file of any known format, or a folder.")],
    plies: Plies = 2,
    rollout: Annotated[
        int | None,
        typer.Option(parser=whole_number, metavar="TRIALS", help="Roll close decisions out, so many trials each."),
    ] = None,
    seed: Annotated[int, typer.Option(parser=whole_number, metavar="INTEGER", help="Of the rollouts.")] = 0,
    player: Annotated[
        str | None, typer.Option(metavar="NAME", help="List the errors of this player only, and skip other matches.")
    ] = None,
    worst: Annotated[
        int, typer.Option(parser=whole_number, metavar="INTEGER", help="How many of the worst decisions to list.")
    ] = 10,
    html: Annotated[
        Path | None,
        typer.Option(help="Write a page with boards and a graph; of several matches one each, NAME-2.html and so on."),
    ] = None,
    model: ModelName = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Judge every decision and every roll of the matches in a file.

    A line on stderr for each match that had faults; the exit code is 1 if there were any. Ctrl-C shows what was judged
    so far.

    Example: gammon analyze match.mat --plies 2 --html match.html
    """
    engine = gammon.Engine(plies, model=model)
    number = faulty = 0
    interrupted = False
    for match in formats.scan(file):
        if player is not None and player not in match.names:
            continue
        number += 1
        try:
            analysis = gammon.analyze(match, rollout=rollout, seed=seed, engine=engine, threads=threads, progress=True)
        except gammon.Interrupted as interrupt:
            if interrupt.result is None:
                raise
            analysis, interrupted = interrupt.result, True
        if html is not None:
            analysis.report(_numbered(html, number))
        _show(analysis, match, number, player, worst, json)
        if match.errors:
            faulty += 1
            more = f" and {len(match.errors) - 1} more" if len(match.errors) > 1 else ""
            print(f"{file}: match {number}: {match.errors[0]}{more}", file=sys.stderr)
        if interrupted:
            raise typer.Exit(130)
    if not number:
        raise InvalidArgumentError(f"{file}: nobody is called {player!r} there")
    if faulty:
        raise typer.Exit(1)


def _numbered(path: Path, number: int) -> Path:
    return path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")


def _show(analysis: Analysis, match: gammon.Match, number: int, player: str | None, worst: int, json: bool) -> None:
    seat = None if player is None else match.names.index(player)
    if json:
        # One object on a line for each match.
        data: dict[str, Any] = analysis.to_dict()
        if seat is not None:
            data["decisions"] = [decision for decision in data["decisions"] if decision["player"] == seat]
        print_json(data)
        return
    if number > 1:
        print()
    print(analysis.text(worst=worst, player=seat))
