"""``gammon analyze``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

import gammon
from gammon import formats
from gammon.analysis import Analysis
from gammon.cli import printable
from gammon.cli._arguments import Json, ModelName, Plies, Threads, print_json, whole_number
from gammon.errors import InvalidArgumentError
from gammon.files import check_apart, check_target


def analyze(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A match file of any known format, or a folder.")],
    plies: Plies = 2,
    rollout: Annotated[
        int | None,
        typer.Option(parser=whole_number, metavar="TRIALS", help="Roll close decisions out, so many trials each."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(parser=whole_number, metavar="INTEGER", help="Of the rollouts; 0 if not said.")
    ] = None,
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

    A line on stderr for each match that had faults, and for each file of a folder that cannot be read; the exit code
    is 1 if there were any. Ctrl-C shows what was judged so far.

    Example: gammon analyze match.mat --plies 2 --html match.html
    """
    if seed is not None and rollout is None:
        raise typer.BadParameter("--seed belongs to --rollout: nothing else is thrown")
    if worst < 0:
        raise typer.BadParameter(f"--worst is a number from 0 up, not {worst}")
    sources = list(formats.files_in(file)) if os.path.isdir(file) else [Path(file)]
    if html is not None:
        check_target(html)
        check_apart(sources, html)
    engine = gammon.Engine(plies, model=model)
    number = faulty = 0
    interrupted = False

    def refused(name: str, error: Exception) -> None:
        nonlocal faulty
        faulty += 1
        print(printable(f"{name}: {str(error).removeprefix(f'{name}: ')}"), file=sys.stderr)

    is_folder = os.path.isdir(file)
    for place, match in _matches(file, refused if is_folder else None):
        if player is not None and player not in match.names:
            continue
        number += 1
        try:
            analysis = gammon.analyze(
                match, rollout=rollout, seed=seed or 0, engine=engine, threads=threads, progress=True
            )
        except gammon.Interrupted as interrupt:
            if interrupt.result is None:
                raise
            analysis, interrupted = interrupt.result, True
        if html is not None:
            page = _numbered(html, number)
            check_apart(sources, page)
            analysis.report(page)
        _show(analysis, match, number, player, worst, json, place if is_folder else None)
        if match.errors:
            faulty += 1
            more = f" and {len(match.errors) - 1} more" if len(match.errors) > 1 else ""
            print(printable(f"{place}: match {number}: {match.errors[0]}{more}"), file=sys.stderr)
        if interrupted:
            raise typer.Exit(130)
    if not number and not faulty:
        found = f"nobody is called {player!r}" if sources else "no file is"
        raise InvalidArgumentError(f"{file}: {found} there")
    if faulty:
        raise typer.Exit(1)


def _matches(file: str, on_error: Callable[[str, Exception], None] | None) -> Iterator[tuple[str, gammon.Match]]:
    """The matches of a file or a folder, each with the file that it is in."""
    for place in map(str, formats.files_in(file)) if os.path.isdir(file) else (file,):
        for match in formats.scan(place, on_error=on_error):
            yield place, match


def _numbered(path: Path, number: int) -> Path:
    return path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")


def _show(
    analysis: Analysis,
    match: gammon.Match,
    number: int,
    player: str | None,
    worst: int,
    json: bool,
    place: str | None,
) -> None:
    seat = None if player is None else match.names.index(player)
    if json:
        # One object on a line for each match.
        data: dict[str, Any] = analysis.to_dict() if place is None else {"file": place, **analysis.to_dict()}
        if seat is not None:
            data["decisions"] = [decision for decision in data["decisions"] if decision["player"] == seat]
        print_json(data)
        return
    if number > 1:
        print()
    if place is not None:
        print(f"{printable(place)}:")
    print(analysis.text(worst=worst, player=seat))
