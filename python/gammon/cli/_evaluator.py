"""``gammon train``: networks made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import gammon
from gammon.cli._arguments import Json, Threads, print_json
from gammon.training import Recipe, train


def make(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe, JSON (docs/training.md).")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    checkpoint: Annotated[Path | None, typer.Option(help="Written now and then; gone on from if it is there.")] = None,
    log: Annotated[Path | None, typer.Option(help="Gets a line of JSON at every checkpoint.")] = None,
    start: Annotated[str | None, typer.Option(help="A model to start from: a name or a file.")] = None,
    quick: Annotated[str | None, typer.Option(help="A quicker model, for stages that keep few candidates.")] = None,
    teacher: Annotated[str | None, typer.Option(help="The model that teaches in stages that are taught.")] = None,
    checkpoint_seconds: Annotated[float, typer.Option(help="From one checkpoint to the next.")] = 60.0,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Train a network by self-play. Ctrl-C writes the checkpoint and the model; the same command goes on.

    \b
    Example:
        gammon train recipe.json --out net.gammon --checkpoint net.checkpoint
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
