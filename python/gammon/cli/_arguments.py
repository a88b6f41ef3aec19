"""Arguments and options that several commands take, and how answers are printed."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

import typer

import gammon
from gammon.notation import read_position

PositionText = Annotated[
    str, typer.Argument(metavar="POSITION", help='A GNU Position ID, an XGID, or a start such as "standard".')
]

PositionOrFile = Annotated[
    str,
    typer.Argument(
        metavar="POSITION",
        help='A Position ID, an XGID, a GNU "PositionID:MatchID", a start such as "standard", or a file.',
    ),
]


def whole_number(text: str | int) -> int:
    """Reads a whole number, or the default of an option; the message for anything else names it."""
    if not re.fullmatch(r"[+-]?[0-9]{1,30}", str(text).strip()):
        raise typer.BadParameter(f"not a whole number: {text!r:.60}")
    return int(text)


Json = Annotated[bool, typer.Option("--json", help="Print machine-readable output.")]
Threads = Annotated[
    int | None,
    typer.Option(parser=whole_number, metavar="INTEGER", help="Threads; one for each core if it is left out."),
]
Seed = Annotated[
    int | None,
    typer.Option(parser=whole_number, metavar="INTEGER", help="0 to 2**64 - 1; drawn and printed if it is left out."),
]


def parse_position(text: str) -> gammon.Position:
    """The position that an argument names, whatever else it says."""
    where = read_position(text)
    return where if isinstance(where, gammon.Position) else where.position


def parse_state(text: str) -> gammon.State | None:
    """The state that an argument names, if it says more than a position."""
    where = read_position(text)
    return None if isinstance(where, gammon.Position) else where


PositionOrState = Annotated[
    str,
    typer.Argument(
        metavar="POSITION",
        help='A Position ID or a start such as "standard"; an XGID or a GNU "PositionID:MatchID" with cube and score.',
    ),
]
Plies = Annotated[
    int,
    typer.Option(parser=whole_number, metavar="INTEGER", help="Rolls to look ahead, 0 to 3; 0 is the bare evaluator."),
]
ModelName = Annotated[
    str | None, typer.Option("--model", help='"fast", "strong" or a model file; "fast" if it is left out.')
]


def number(text: str) -> float:
    """Reads a number; the message for anything else names it."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"not a number: {text!r}") from None


def help_alone(context: typer.Context) -> None:
    """What a group does without a command: its help, as the program itself does."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def print_json(value: dict[str, Any]) -> None:
    """One JSON object on one line."""
    print(json.dumps(value, allow_nan=False))
