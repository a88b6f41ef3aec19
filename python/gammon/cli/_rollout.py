"""``gammon rollout``."""

from __future__ import annotations

import json as text_of
from pathlib import Path
from typing import Annotated

import typer

import gammon
from gammon.cli._arguments import Json, ModelName, Seed, Threads, number, print_json, whole_number
from gammon.engine import RolloutResult
from gammon.errors import FileFormatError
from gammon.files import check_target, read_small, whole
from gammon.notation import read_position


def rollout(
    position: Annotated[
        str | None,
        typer.Argument(
            metavar="POSITION",
            help='A Position ID or a start such as "standard" (money without a cube); an XGID or a GNU '
            '"PositionID:MatchID" (with its score and cube).',
        ),
    ] = None,
    roll: Annotated[str | None, typer.Option(help='Two dice, for example "31": compare the plays.')] = None,
    play: Annotated[list[str] | None, typer.Option(help="A play to compare; can be given several times.")] = None,
    top: Annotated[
        int | None,
        typer.Option(
            parser=whole_number, metavar="INTEGER", help="Without --play: so many of the best at 0-ply; 5 if not said."
        ),
    ] = None,
    cube: Annotated[bool, typer.Option("--cube", help="Compare doubling and not doubling.")] = False,
    cubeless: Annotated[bool, typer.Option("--cubeless", help="Leave the cube where it is in the trials.")] = False,
    trials: Annotated[int, typer.Option(parser=whole_number, metavar="INTEGER", help="How many trials in all.")] = 1296,
    seed: Seed = None,
    plies: Annotated[
        int,
        typer.Option(parser=whole_number, metavar="INTEGER", help="How deep the players look, 0 to 3; 1 is slow."),
    ] = 0,
    truncate: Annotated[
        int | None, typer.Option(parser=whole_number, metavar="INTEGER", help="Evaluate a trial after so many turns.")
    ] = None,
    no_variance_reduction: Annotated[
        bool, typer.Option("--no-variance-reduction", help="Leave the luck of the dice in.")
    ] = False,
    stop_se: Annotated[
        float | None,
        typer.Option(parser=number, metavar="NUMBER", help="Stop when every standard error is at most this."),
    ] = None,
    stop_difference: Annotated[
        float | None,
        typer.Option(
            parser=number, metavar="NUMBER", help="Leave behind what is worse by so many standard errors (3 is a lot)."
        ),
    ] = None,
    min_trials: Annotated[
        int, typer.Option(parser=whole_number, metavar="INTEGER", help="Do not stop early before so many.")
    ] = 324,
    model: ModelName = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the result there, to go on with later.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with a result that --out wrote; of the options, --trials holds.")
    ] = None,
    threads: Threads = None,
    backend: Annotated[str, typer.Option(help="Where it is played: local, or ray for a Ray cluster.")] = "local",
    address: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The Ray cluster; RAY_ADDRESS or this machine if not said.")
    ] = None,
    json: Json = False,
) -> None:
    """Play a position out many times. Prints what it comes to on average, with standard errors.

    Ctrl-C prints, and with --out writes, what there is so far.

    Example: gammon rollout standard --roll 31 --trials 144
    """
    if (position is None) == (resume is None):
        raise typer.BadParameter("either a POSITION or --resume says what to roll out")
    if cube and roll is not None:
        raise typer.BadParameter("--cube and --roll exclude each other: doubling comes before rolling")
    if play and roll is None:
        raise typer.BadParameter("--play needs --roll")
    if top is not None and (roll is None or play):
        raise typer.BadParameter("--top belongs to --roll without --play: it says how many plays to compare")
    if out is not None:
        check_target(out)
    interrupted = False
    try:
        if resume is not None:
            stored = _stored(resume, model)
            result = stored.resume(trials, threads=threads, backend=backend, address=address, progress=True)  # type: ignore[arg-type]
        else:
            assert position is not None
            result = gammon.engine.rollout(
                read_position(position),
                roll=None if roll is None else gammon.Roll.parse(roll),
                plays=play or (5 if top is None else top),
                cube_decision=cube,
                cubeful=False if cubeless else None,
                trials=trials,
                seed=seed,
                plies=plies,
                model=model,
                truncate=truncate,
                variance_reduction=not no_variance_reduction,
                min_trials=min_trials,
                stop_standard_error=stop_se,
                stop_difference=stop_difference,
                threads=threads,
                backend=backend,  # type: ignore[arg-type]  # rollout refuses other words
                address=address,
                progress=True,
            )
    except gammon.Interrupted as interrupt:
        if interrupt.result is None:
            raise
        result, interrupted = interrupt.result, True
    data = result.to_dict()
    if out is not None:
        with whole(out) as partial:
            Path(partial).write_text(text_of.dumps(data, allow_nan=False) + "\n")
    if json:
        del data["sums"]
        print_json({**data, "interrupted": interrupted})
    else:
        rate = f"\n{result.seconds:.2f} s, {result.trials_per_second:,.0f} trials/s"
        print(str(result) + rate + ("\nInterrupted." if interrupted else ""))
    if interrupted:
        raise typer.Exit(130)


def _stored(path: Path, model: str | None) -> RolloutResult:
    try:
        return RolloutResult.from_dict(read_small(path), model=model)
    except FileFormatError as error:
        raise FileFormatError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None
