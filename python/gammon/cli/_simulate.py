"""``gammon simulate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import gammon
from gammon.cli._arguments import Json, Seed, Threads, print_json, whole_number

if TYPE_CHECKING:
    from gammon.simulation import SimulationResult


def simulate(
    games: Annotated[
        int, typer.Option("--games", "-n", parser=whole_number, metavar="INTEGER", help="How many games.")
    ] = 100_000,
    players: Annotated[str, typer.Option(help="Names of both players, with a comma.")] = "random,random",
    variant: Annotated[str, typer.Option(help="The start of each game.")] = "standard",
    seed: Seed = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Play many games and print what they sum up to.

    Example: gammon simulate --games 1000000 --seed 1
    """
    names = players.split(",")
    interrupted = False
    try:
        result = gammon.simulate(
            games,
            (names[0], names[-1]) if len(names) <= 2 else names,
            variant=variant,
            seed=seed,
            threads=threads,
            progress=True,
        )
    except gammon.Interrupted as interrupt:
        result, interrupted = interrupt.result, True
    if json:
        print_json({**result.to_dict(), "interrupted": interrupted})
    else:
        print(summary(result) + ("\nInterrupted." if interrupted else ""))
    if interrupted:
        raise typer.Exit(130)


def summary(result: SimulationResult) -> str:
    """What a person wants to know about a simulation."""
    if not result.games:
        return f"0 games (seed {result.seed})"
    lines = [
        f"{result.games:,} games, {result.plies:,} plies ({result.plies_per_game:.1f} a game), seed {result.seed}",
        f"{'':<12}{'wins':>9}{'single':>9}{'gammon':>9}{'backgammon':>12}",
    ]
    for side, (name, wins) in enumerate(zip(result.players, result.wins, strict=True)):
        shares = [100 * share / result.games for share in (wins.games, *wins)]
        columns = zip(shares, (9, 9, 9, 12), strict=True)
        lines.append(f"{side} {name:<10}" + "".join(f"{f'{share:.2f} %':>{width}}" for share, width in columns))
    lines.append(
        f"player 0: {result.points_per_game:+.4f} points a game, standard error {result.standard_error:.4f}"
        if result.games > 1
        else f"player 0: {result.points_per_game:+.0f} points"
    )
    lines.append(f"{result.seconds:.2f} s, {result.games_per_second:,.0f} games/s")
    return "\n".join(lines)
