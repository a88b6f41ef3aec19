"""``gammon simulate``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

import gammon
from gammon.cli._arguments import Json, Seed, Threads, print_json, whole_number

if TYPE_CHECKING:
    from gammon.simulation import SimulationResult


def simulate(
    games: Annotated[
        int | None,
        typer.Option(
            "--games", "-n", parser=whole_number, metavar="INTEGER", help="How many games; 100000 if not said."
        ),
    ] = None,
    matches: Annotated[
        int | None, typer.Option(parser=whole_number, metavar="INTEGER", help="How many matches, in place of games.")
    ] = None,
    length: Annotated[
        int | None,
        typer.Option(parser=whole_number, metavar="INTEGER", help="The points that win a match; 7 if not said."),
    ] = None,
    players: Annotated[
        str,
        typer.Option(
            help="Both players, with a comma: random, baseline, fast, strong, a level such as expert, or model files "
            "(*.gammon)."
        ),
    ] = "random,random",
    cube: Annotated[bool, typer.Option("--cube", help="Play for money with the cube.")] = False,
    paired: Annotated[
        bool, typer.Option("--paired", help="Every two games with the same dice, seats swapped.")
    ] = False,
    variant: Annotated[str, typer.Option(help="The start of each game.")] = "standard",
    seed: Seed = None,
    threads: Threads = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="DIRECTORY", help="Write the table of games there.")
    ] = None,
    record: Annotated[bool, typer.Option("--record", help="Write every action, too.")] = False,
    evaluations: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="With every action what a network says of its position: fast, or *.gammon."),
    ] = None,
    file_format: Annotated[
        str | None, typer.Option(help="What is written: parquet, or numpy for .npz files; parquet if not said.")
    ] = None,
    compression: Annotated[
        str | None, typer.Option(help="Of positions in Parquet: bits, zstd, lz4 or none; bits if not said.")
    ] = None,
    backend: Annotated[str, typer.Option(help="Where it is played: local, or ray for a Ray cluster.")] = "local",
    address: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The Ray cluster; RAY_ADDRESS or this machine if not said.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what is there.")] = False,
    json: Json = False,
) -> None:
    """Play many games or matches and print what they sum up to.

    Example: gammon simulate --games 1000000 --seed 1
    """
    if games is not None and matches is not None:
        raise typer.BadParameter("--games and --matches exclude each other")
    if matches is not None and cube:
        raise typer.BadParameter("--cube is for money: a match has its cube anyway")
    if length is not None and matches is None:
        raise typer.BadParameter("--length belongs to --matches")
    if evaluations is not None and not record:
        raise typer.BadParameter("--evaluations needs --record: they are written with every action")
    for name, said in (("--file-format", file_format), ("--compression", compression)):
        if said is not None and out is None:
            raise typer.BadParameter(f"{name} needs --out: nothing is written without it")
    if record and out is None:
        raise typer.BadParameter("--record needs --out: actions are written, not printed")
    rules = None if matches is None else gammon.Rules.match(7 if length is None else length, variant=variant)
    if resume and out is None:
        raise typer.BadParameter("--resume needs --out: it says what to go on with")
    if out is not None and not resume and os.path.exists(os.path.join(out, "manifest.json")):
        raise typer.BadParameter(f"{out} holds games already: --resume goes on with them, or name another folder")
    names = players.split(",")
    interrupted = False
    try:
        result = gammon.simulate(
            matches if matches is not None else 100_000 if games is None else games,
            (names[0], names[-1]) if len(names) <= 2 else names,
            rules=rules,
            cube=cube or None,
            variant="standard" if rules is not None else variant,
            paired=paired,
            seed=seed,
            threads=threads,
            backend=backend,  # type: ignore[arg-type]  # simulate refuses other words
            address=address,
            out=out,
            record=record,
            resume=resume,
            evaluations=evaluations,
            file_format=file_format or "parquet",  # type: ignore[arg-type]
            compression=compression or "bits",  # type: ignore[arg-type]
            progress=True,
        )
    except gammon.Interrupted as interrupt:
        result, interrupted = interrupt.result, True
    if json:
        print_json({**result.to_dict(), "interrupted": interrupted})
    else:
        go_on = "" if out is None else f" --resume --seed {result.seed} goes on with {out}."
        print(summary(result) + ("\nInterrupted." + go_on if interrupted else ""))
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
    if sum(result.cubes[1:]):
        ends = ", ".join(
            f"{1 << level}: {100 * count / result.games:.2f} %" for level, count in enumerate(result.cubes)
        )
        lines.append(f"cube at the end {ends}")
    if result.matches:
        error = "" if result.samples < 2 else f", standard error {100 * result.match_standard_error:.2f} %"
        lines.append(f"player 0 won {100 * result.match_share:.2f} % of {result.matches:,} matches{error}")
    elif result.samples > 1:
        lines.append(
            f"player 0: {result.points_per_game:+.4f} points a game, standard error {result.standard_error:.4f}"
        )
    else:
        lines.append(f"player 0: {result.points_per_game:+.4f} points a game")
    if result.games > result.games_before:
        before = f", {result.games_before:,} games were there before" if result.games_before else ""
        lines.append(f"{result.seconds:.2f} s, {result.games_per_second:,.0f} games/s{before}")
    else:
        lines.append(f"{result.seconds:.2f} s, no games but those that were there before")
    return "\n".join(lines)
