"""``gammon eval`` and ``gammon train``: networks used and made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import gammon
from gammon.cli._arguments import Json, PositionText, Threads, parse_position, print_json
from gammon.training import Recipe, train

Names = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")


def evaluate(
    position: PositionText,
    roll: Annotated[str | None, typer.Argument(help='Two dice, for example "31": rank the plays.')] = None,
    model: Annotated[
        Path | None, typer.Option(help="A model file; the one that comes with gammon if left out.")
    ] = None,
    json: Json = False,
) -> None:
    """Evaluate a position for the player on roll, or rank the plays of a roll, at 0-ply and without a cube.

    Example: gammon eval 4HPwATDgc/ABMA 31
    """
    where = parse_position(position)
    network = gammon.Model.default() if model is None else gammon.Model(model)
    if roll is None:
        chances = dict(zip(Names, network.evaluate(where), strict=True))
        equity = _equity(chances)
        if json:
            print_json({"position": where.id, **chances, "equity": equity})
        else:
            for name, chance in chances.items():
                print(f"{name:<16}{chance:>8.2%}")
            print(f"{'equity':<16}{equity:>+8.4f}")
        return
    found = where.plays(gammon.Roll.parse(roll))
    rows = []
    for play in found:
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = network.evaluate(play.next)
        # What comes after is the opponent's to roll: turned round, it is the player's again.
        chances = dict(zip(Names, (1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon), strict=True))
        rows.append((_equity(chances), str(play), chances))
    rows.sort(key=lambda row: -row[0])
    if json:
        plays = [{"play": text, **chances, "equity": equity} for equity, text, chances in rows]
        print_json({"position": where.id, "roll": str(found.roll), "plays": plays})
        return
    for equity, text, chances in rows:
        print(f"{text:<24}{equity:>+8.4f}  " + " ".join(f"{chance:>7.2%}" for chance in chances.values()))
    if not rows:
        print("the game is over" if where.is_over else "no legal play")


def _equity(chances: dict[str, float]) -> float:
    won = chances["win_gammon"] + chances["win_backgammon"]
    return 2 * chances["win"] - 1 + won - chances["lose_gammon"] - chances["lose_backgammon"]


def make(
    recipe: Annotated[Path, typer.Argument(help="A recipe, JSON (docs/training.md).")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    checkpoint: Annotated[Path | None, typer.Option(help="Written now and then; gone on from if it is there.")] = None,
    log: Annotated[Path | None, typer.Option(help="Gets a line of JSON at every checkpoint.")] = None,
    start: Annotated[Path | None, typer.Option(help="A model file to start from.")] = None,
    quick: Annotated[Path | None, typer.Option(help="A quicker model, for stages that keep few candidates.")] = None,
    teacher: Annotated[Path | None, typer.Option(help="The model that teaches in stages that are taught.")] = None,
    checkpoint_seconds: Annotated[float, typer.Option(help="From one checkpoint to the next.")] = 60.0,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Train a network by self-play. Ctrl-C writes the checkpoint and the model; the same command goes on.

    Example: gammon train recipe.json --out net.gammon --checkpoint net.checkpoint
    """
    interrupted = False
    try:
        model = train(
            Recipe.open(recipe),
            out,
            checkpoint=checkpoint,
            checkpoint_seconds=checkpoint_seconds,
            log=log,
            start=start,
            quick=quick,
            teacher=teacher,
            threads=threads,
            progress=True,
        )
    except gammon.Interrupted as interrupt:
        if interrupt.result is None:
            raise
        model, interrupted = interrupt.result, True
    if json:
        print_json({"model": str(out), "parameters": model.parameters, "interrupted": interrupted})
    else:
        print(f"{out}: {model.parameters:,} weights" + (" (interrupted)" if interrupted else ""))
    if interrupted:
        raise typer.Exit(130)
