"""``gammon plays``, ``show`` and ``perft``: one position looked at."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Annotated, Any

import typer

import gammon
from gammon.cli._arguments import (
    Json,
    PositionOrFile,
    PositionText,
    Threads,
    parse_position,
    parse_state,
    print_json,
    whole_number,
)
from gammon.errors import InvalidArgumentError
from gammon.files import whole


def plays(
    position: PositionText,
    roll: Annotated[
        str | None, typer.Argument(metavar="[ROLL]", help='Two dice, for example "31"; those of an XGID if left out.')
    ] = None,
    json: Json = False,
) -> None:
    """List the legal plays of a roll.

    Example: gammon plays 4HPwATDgc/ABMA 31
    """
    where = parse_position(position)
    found = where.plays(_dice(position, roll))
    if json:
        listed = [{"play": str(play), "steps": play.steps, "after": play.after.id} for play in found]
        print_json({"position": where.id, "roll": str(found.roll), "plays": listed})
        return
    for play in found:
        print(f"{play!s:<24} {play.after.id}")
    if not found:
        print("the game is over" if where.is_over else "no legal play")


def _dice(position: str, roll: str | None) -> gammon.Roll:
    """The roll that is given, or else the one that the ID holds."""
    if roll is not None:
        return gammon.Roll.parse(roll)
    state = parse_state(position)
    if state is None or state.roll is None:
        raise InvalidArgumentError(f"a roll is needed, such as 31: {position!r} has none in it")
    return state.roll


def show(
    position: PositionOrFile,
    roll: Annotated[
        str | None, typer.Option(help='Two dice, such as "31": shown with --play. Those of an XGID if left out.')
    ] = None,
    play: Annotated[str | None, typer.Option(help='A play of that roll, such as "8/5 6/5".')] = None,
    view: Annotated[str, typer.Option(help="Who sits below: player (on roll) or opponent.")] = "player",
    direction: Annotated[str, typer.Option(help="How they go round: counterclockwise or clockwise.")] = (
        "counterclockwise"
    ),
    cards: Annotated[bool, typer.Option("--cards", help="Playing cards instead of a board.")] = False,
    svg: Annotated[Path | None, typer.Option(help="Write a picture to this file.")] = None,
    theme: Annotated[
        str | None, typer.Option(help="Of the picture: light, dark or color-blind; light if not said.")
    ] = None,
    json: Json = False,
) -> None:
    """Draw a position or a play, or say what is in a file. Of a file: its matches, their games, and its faults.

    \b
    Examples:
        gammon show nackgammon
        gammon show standard --roll 31 --play "8/5 6/5" --svg opening.svg
        gammon show "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:10"
    """
    if os.path.isfile(position):
        from gammon.cli._convert import show_file  # loads all formats

        if svg is not None or play is not None or roll is not None or cards or view != "player":
            options = "--svg, --play, --roll, --view and --cards"
            raise InvalidArgumentError(f"{position} is a file: {options} are for a position")

        show_file(position, json)
        return
    if os.path.isdir(position):
        raise InvalidArgumentError(
            f"{position} is a folder: show takes one file, and gammon.simulation.Dataset reads that of a simulation"
        )
    if "." in position:  # which no ID has in it
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), position)
    if theme is not None and svg is None:
        raise typer.BadParameter("--theme needs --svg: it is that of the picture")
    where, state = parse_position(position), parse_state(position)
    if play is None and roll is not None:
        raise InvalidArgumentError(f"--roll {roll} is shown with --play, which is missing")
    made = None if play is None else where.play(play, _dice(position, roll))
    if cards and made is not None:
        raise InvalidArgumentError(f"cards show positions, not plays ({made})")
    drawn: Any = made or state or where
    place: dict[str, Any] = {"view": view, "direction": direction}
    if svg is not None:
        look: dict[str, Any] = {"theme": theme or "light"}
        picture = gammon.render.cards(state or where, **look) if cards else gammon.render.svg(drawn, **place, **look)
        with whole(svg) as partial:
            Path(partial).write_text(picture + "\n", encoding="utf-8")
    if json:
        answer = {
            "position": where.id,
            "cells": [int(cell) for cell in where.to_array()],
            "pips": where.pips,
            "opponent_pips": where.opponent_pips,
            "class": where.class_,
            "outcome": None if where.outcome is None else where.outcome.points,
        }
        if state is not None:
            answer["xgid"] = state.xgid
        print_json(answer if made is None else {**answer, "play": str(made), "after": made.after.id})
        return
    if svg is not None:
        return
    shown = gammon.render.cards(state or where, format="text") if cards else gammon.render.text(drawn, **place)
    print(f"Position ID: {where.id} ({where.class_})")
    print(shown)


def perft(
    depth: Annotated[int, typer.Argument(parser=whole_number, metavar="DEPTH", help="Rolls to look ahead.")],
    position: PositionText = "standard",
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Count the distinct results of every roll, level by level.

    Example: gammon perft 3
    """
    where = parse_position(position)
    start = time.perf_counter()
    count = gammon.perft(where, depth, threads=threads, progress=True)
    seconds = time.perf_counter() - start
    if json:
        print_json({"position": where.id, "depth": depth, "perft": count, "seconds": seconds})
    else:
        print(f"{count:,} in {seconds:.2f} s")
