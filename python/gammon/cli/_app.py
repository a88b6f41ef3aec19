"""The commands put together."""

from __future__ import annotations

from typing import Annotated

import typer

import gammon
from gammon.cli import _bearoff, _bench, _evaluator, _hypergammon, _plays, _simulate

app = typer.Typer(
    name="gammon",
    help="Backgammon: legal plays, simulation and study of positions.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (_simulate.simulate, _plays.plays, _plays.show, _plays.perft, _bench.bench):
    app.command()(command)
app.command("eval")(_evaluator.evaluate)
app.command("train")(_evaluator.make)
app.add_typer(_bearoff.app)
app.add_typer(_hypergammon.app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"gammon {gammon.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())
