"""``gammon convert``, and ``gammon show`` for a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

import gammon
from gammon import formats
from gammon.cli import printable
from gammon.cli._arguments import Json, print_json
from gammon.errors import GammonError, InvalidArgumentError
from gammon.files import check_apart, check_target, whole
from gammon.match import Match

_MOST_FAULTS_SHOWN = 20
_WRITTEN = (*formats.WRITTEN, "parquet")


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file, or a folder with files.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A file, or a folder for the files.")],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help=f"{', '.join(_WRITTEN)}; else by the suffix of OUT, and mat for a folder.",
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse a file at its first fault.")] = False,
    losses: Annotated[bool, typer.Option("--losses", help="Say for each file what the format does not hold.")] = False,
    json: Json = False,
) -> None:
    """Convert a file or a folder of files to another format. What is read may be in any known format.

    A line on stderr for each file that had faults; the exit code is 1 if there were any.

    Example: gammon convert matches/ matches.parquet
    """
    format_name = _format_of(target, to)
    report = _Report(losses)
    if os.path.isdir(source):
        _convert_folder(Path(source), Path(target), format_name, strict, report)
    else:
        if not os.path.exists(source):
            raise FileNotFoundError(f"{source}: no such file or folder")
        path = Path(target)
        if os.path.isdir(target):
            path = path / f"{Path(source).stem}.{format_name}"
        check_target(path)
        check_apart([source], path)
        _write(report.read(source, strict), path, format_name, report)
    if json:
        print_json({"files": report.files, "matches": report.matches, "faulty_files": report.faulty})
    else:
        print(f"{report.files:,} files, {report.matches:,} matches, {report.faulty:,} with faults")
    if report.faulty:
        raise typer.Exit(1)


def _format_of(target: str, to: str | None) -> str:
    if to is not None:
        if to not in _WRITTEN:
            raise InvalidArgumentError(f"a format is one of {', '.join(_WRITTEN)}, not {to!r}")
        return to
    suffix = os.path.splitext(target)[1].lower()
    if suffix == ".parquet":
        return "parquet"
    if suffix in formats.SUFFIXES:
        return formats.SUFFIXES[suffix]
    if suffix and not os.path.isdir(target):
        raise InvalidArgumentError(f"the suffix of {target!r} names no format: say --to {' | '.join(_WRITTEN)}")
    return "mat"


class _Report:
    """Counts files and matches, and says on stderr which had faults."""

    def __init__(self, losses: bool) -> None:
        self.losses = losses
        self.files = self.matches = self.faulty = 0

    def read(self, path: str, strict: bool) -> Iterator[Match]:
        """The matches of a file, counted; one that cannot be read is reported and gives those before the fault."""
        self.files += 1
        faults: list[Any] = []

        def refused(name: str, error: Exception) -> None:
            faults.append(str(error).removeprefix(f"{name}: "))

        for match in formats.scan(path, strict=strict, on_error=refused):
            self.matches += 1
            faults += match.errors
            yield match
        if faults:
            self.faulty += 1
            more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
            print(printable(f"{path}: {faults[0]}{more}"), file=sys.stderr)

    def lost(self, path: Path, match: Match, format_name: str) -> None:
        """Says what a format does not hold of a match."""
        if self.losses and format_name != "parquet":
            for line in formats.losses(match, format_name):
                print(printable(f"{path}: not held by {format_name}: {line}"), file=sys.stderr)


def _write(matches: Iterator[Match], path: Path, format_name: str, report: _Report) -> int:
    """Writes matches one after the other into a file, which appears when it is complete."""
    if format_name == "parquet":
        return formats.parquet.dump(matches, path)
    first = next(matches, None)
    if first is None:
        return 0
    count = 0
    with whole(path) as partial, open(partial, "w", encoding="utf-8", newline="\n", errors="replace") as file:
        for match in chain((first,), matches):
            file.write(formats.dumps(match, format_name))
            report.lost(path, match, format_name)
            count += 1
    return count


def _convert_folder(source: Path, target: Path, format_name: str, strict: bool, report: _Report) -> None:
    """A folder becomes a folder of the same shape, or one file if the target has a suffix."""
    files = list(formats.files_in(source))
    one_file = target.suffix.lower() in (*formats.SUFFIXES, ".parquet") and not target.is_dir()
    with _bar(len(files)) as advance:

        def every() -> Iterator[Match]:
            for path in files:
                yield from report.read(str(path), strict)
                advance()

        if one_file:
            check_target(target)
            check_apart(files, target)
            _write(every(), target, format_name, report)
            return
        places: dict[Path, Path] = {}
        for path in files:
            place = target / path.relative_to(source).with_suffix(f".{format_name}")
            if place in places:
                # Two files that differ in their suffix only.
                place = place.with_name(f"{path.name}.{format_name}")
            # To look at every file for every new one would take its time.
            if place.exists():
                check_apart(files, place)
            places[place] = path
        target.mkdir(parents=True, exist_ok=True)
        for place, path in places.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            _write(report.read(str(path), strict), place, format_name, report)
            advance()


@contextmanager
def _bar(total: int) -> Iterator[Callable[[], None]]:
    """A progress bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty() or total < 2:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("convert", total=total)
        yield lambda: progress.advance(task)


def show_file(path: str, json: bool) -> None:
    """Prints what is in a file: the matches, their games, and what was wrong."""
    found = [_summary(match) for match in formats.scan(path)]
    if json:
        print_json({"file": path, "matches": [summary for summary, _ in found]})
        return
    for number, (summary, match) in enumerate(found):
        if number:
            print()
        # Names and tags are somebody's text: they move no cursor.
        print("\n".join(map(printable, _described(summary, match).split("\n"))))


def _summary(match: Match) -> tuple[dict[str, Any], Match]:
    state = match.state
    try:
        xgid = state.xgid
    except GammonError:
        xgid = None
    return {
        "names": list(match.names),
        "rules": repr(match.rules),
        "score": list(match.score),
        "games": [
            {"winner": game.winner, "points": game.points, "ending": game.ending, "crawford": game.is_crawford}
            for game in match.games
        ],
        "phase": match.phase.value,
        "position": state.position.id,
        "xgid": xgid,
        "tags": match.tags,
        "faults": [str(fault) for fault in match.errors],
    }, match


def _described(summary: dict[str, Any], match: Match) -> str:
    first, second = match.names
    lines = [f"{first} against {second}, {match.rules!r}"]
    lines += [f"{name}: {text}" for name, text in match.tags.items()]
    for game in match.games:
        crawford = ", Crawford" if game.is_crawford else ""
        start = f"{game.start_points[0]}-{game.start_points[1]}"
        lines.append(
            f"Game {game.number} at {start}{crawford}: {match.names[game.winner]} wins {game.points} by {game.ending}"
        )
    lines.append(f"Score {match.score[0]}-{match.score[1]}, {match.phase.value}")
    if match.in_game:
        lines.append(f"{match.names[match.on_roll]} is on roll, as X")
        lines.append(gammon.render.text(match.position))
        if summary["xgid"]:
            lines.append(summary["xgid"])
    if match.errors:
        lines.append(f"Faults: {len(match.errors)}")
        lines += [f"  {fault}" for fault in match.errors[:_MOST_FAULTS_SHOWN]]
        if len(match.errors) > _MOST_FAULTS_SHOWN:
            lines.append(f"  and {len(match.errors) - _MOST_FAULTS_SHOWN} more")
    return "\n".join(lines)
