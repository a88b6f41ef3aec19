"""Arguments and options that several commands take, and how answers are printed."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

import gammon
from gammon import Position
from gammon.errors import NotationError
from gammon.rules import VARIANTS

_ID_LENGTH = 14

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


def whole_number(text: str) -> int:
    """Reads a whole number; the message for anything else names it."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"not a whole number: {text!r}") from None


Json = Annotated[bool, typer.Option("--json", help="Print machine-readable output.")]
Threads = Annotated[
    int | None,
    typer.Option(parser=whole_number, metavar="INTEGER", help="Threads; one for each core if it is left out."),
]
Seed = Annotated[
    int | None,
    typer.Option(parser=whole_number, metavar="INTEGER", help="0 to 2**64 - 1; drawn and printed if it is left out."),
]


def parse_position(text: str) -> Position:
    """The position that an argument names."""
    if text in VARIANTS:
        return Position.start(text)
    state = parse_state(text)
    if state is not None:
        return state.position
    try:
        return Position.from_id(text)
    except NotationError as error:
        # What has the length of an ID was meant as one.
        if len(text) == _ID_LENGTH:
            raise
        raise NotationError(
            f"{text[:60]!r} is no position: that is a Position ID of {_ID_LENGTH} characters, an XGID with XGID= before"
            f' it, a GNU "PositionID:MatchID", or one of {", ".join(VARIANTS)}'
        ) from error


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


def parse_state(text: str) -> gammon.State | None:
    """The state that an argument names, if it says more than a position."""
    if text.upper().startswith("XGID="):
        return gammon.State.from_xgid(text)
    if text.count(":") > 1:
        raise NotationError(f"an XGID begins with XGID=, not {text[:60]!r}")
    return gammon.State.from_gnubg_id(text) if ":" in text else None


def parse_start(text: str) -> gammon.Position | gammon.State:
    """The state that an argument names, or the position that it does."""
    return parse_state(text) or parse_position(text)


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
