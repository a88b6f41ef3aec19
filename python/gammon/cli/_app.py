"""The commands put together.

A command's module is loaded when that command is run, not before: the command line starts in the time that one takes.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Annotated

import typer

import gammon

__all__ = ["application"]

COMMANDS = {
    "simulate": ("gammon.cli._simulate", "simulate"),
    "play": ("gammon.cli._play", "play"),
    "plays": ("gammon.cli._plays", "plays"),
    "show": ("gammon.cli._plays", "show"),
    "eval": ("gammon.cli._engine", "evaluate"),
    "cube": ("gammon.cli._engine", "cube"),
    "rollout": ("gammon.cli._rollout", "rollout"),
    "analyze": ("gammon.cli._analyze", "analyze"),
    "engine": ("gammon.cli._protocol", "engine"),
    "convert": ("gammon.cli._convert", "convert"),
    "train": ("gammon.cli._evaluator", "make"),
    "perft": ("gammon.cli._plays", "perft"),
    "bench": ("gammon.cli._bench", "bench"),
}
"""Where the function of each command is."""

GROUPS = {
    "bearoff": "gammon.cli._bearoff",
    "hypergammon": "gammon.cli._hypergammon",
}
"""Commands with commands of their own: the `app` of a module."""


def application(arguments: Sequence[str]) -> typer.Typer:
    """The command line with the command that is asked for; with all of them for help, completion and wrong names."""
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    app = typer.Typer(
        name="gammon",
        help="Backgammon: positions, matches, exact endgames and simulation.",
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    alone = wanted in COMMANDS or wanted in GROUPS or arguments[:1] == ["--version"]
    for name, (module, function) in COMMANDS.items():
        if not alone or name == wanted:
            app.command(name)(getattr(importlib.import_module(module), function))
    for name, module in GROUPS.items():
        if not alone or name == wanted:
            app.add_typer(importlib.import_module(module).app)
    app.callback(invoke_without_command=True)(_options)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        print(f"gammon {gammon.__version__}")
        raise typer.Exit


def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())
