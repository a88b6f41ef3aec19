"""``gammon plays``, ``show`` and ``perft``: one position looked at."""

from __future__ import annotations

import time
from typing import Annotated

import typer

import gammon
from gammon.cli._arguments import Json, PositionOrFile, PositionText, Threads, parse_position, print_json, whole_number
from gammon.cli._convert import is_file, show_file


def plays(
    position: PositionText,
    roll: Annotated[str, typer.Argument(help='Two dice, for example "31".')],
    json: Json = False,
) -> None:
    """List the legal plays of a roll.

    Example: gammon plays 4HPwATDgc/ABMA 31
    """
    where = parse_position(position)
    found = where.plays(gammon.Roll.parse(roll))
    if json:
        listed = [{"play": str(play), "steps": play.steps, "after": play.after.id} for play in found]
        print_json({"position": where.id, "roll": str(found.roll), "plays": listed})
        return
    for play in found:
        print(f"{play!s:<24} {play.after.id}")
    if not found:
        print("the game is over" if where.is_over else "no legal play")


def show(position: PositionOrFile, json: Json = False) -> None:
    """Draw a position, or say what is in a file: its matches, their games, and its faults.

    Example: gammon show nackgammon
    """
    if is_file(position):
        show_file(position, json)
        return
    where = parse_position(position)
    if json:
        print_json(
            {
                "position": where.id,
                "cells": [int(cell) for cell in where.to_array()],
                "pips": where.pips,
                "opponent_pips": where.opponent_pips,
                "class": where.class_,
                "outcome": None if where.outcome is None else where.outcome.points,
            }
        )
        return
    print(f"Position ID: {where.id} ({where.class_})")
    print(gammon.render.text(where))


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
