"""``gammon eval`` and ``gammon cube``: positions judged by the engine."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

import gammon
from gammon.cli._arguments import (
    Json,
    ModelName,
    Plies,
    PositionOrState,
    Threads,
    parse_position,
    parse_state,
    print_json,
)
from gammon.errors import InvalidArgumentError
from gammon.notation import read_position


def evaluate(
    position: PositionOrState,
    dice: Annotated[
        str | None, typer.Argument(metavar="[ROLL]", help='Two dice, for example "31": rank the plays.')
    ] = None,
    plies: Plies = 0,
    roll: Annotated[str | None, typer.Option(help="The same two dice, as an option.")] = None,
    model: ModelName = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Evaluate a position, or rank the plays of a roll. All numbers are seen by the player on roll.

    A Position ID is taken without a cube; an XGID or "PositionID:MatchID" with its cube, score and rules.

    Example: gammon eval 4HPwATDgc/ABMA 31 --plies 2
    """
    where = read_position(position)
    if dice is not None and roll is not None:
        raise InvalidArgumentError(f"the roll is given twice: {dice!r} and --roll {roll!r}")
    engine = gammon.Engine(plies, model=model, threads=threads)
    wanted = dice or roll
    if wanted is None and isinstance(where, gammon.State) and where.roll is not None:
        wanted = str(where.roll)
    if wanted is None:
        _show_value(engine, where, json)
    else:
        _show_plays(engine, where, gammon.Roll.parse(wanted), json)


def _name(where: gammon.Position | gammon.State) -> dict[str, Any]:
    if isinstance(where, gammon.State):
        return {"position": where.position.id, "xgid": where.xgid}
    return {"position": where.id}


def _show_value(engine: gammon.Engine, where: gammon.Position | gammon.State, json: bool) -> None:
    found = engine.evaluate(where)
    if json:
        worth = {"equity": found.equity} | ({} if found.mwc is None else {"mwc": found.mwc})
        print_json({**_name(where), **found.probabilities._asdict(), **worth, "plies": found.plies})
        return
    for name, chance in found.probabilities._asdict().items():
        print(f"{name:<16}{chance:>8.2%}")
    if isinstance(where, gammon.State):
        print(f"{'cubeless':<16}{found.probabilities.equity:>+8.4f}")
    print(f"{'equity':<16}{found.equity:>+8.4f}")
    if found.mwc is not None:
        print(f"{'mwc':<16}{found.mwc:>8.2%}")


def _show_plays(engine: gammon.Engine, where: gammon.Position | gammon.State, roll: gammon.Roll, json: bool) -> None:
    found = engine.rank_plays(where, roll)
    if json:
        plays = []
        for ranked in found:
            worth = {"equity": ranked.equity, "difference": ranked.difference}
            worth |= {} if ranked.mwc is None else {"mwc": ranked.mwc}
            plays.append({"play": str(ranked.play), **ranked.probabilities._asdict(), **worth, "plies": ranked.plies})
        print_json({**_name(where), "roll": str(roll), "plays": plays})
        return
    if found:
        mwc = f"{'match':>8}" if found[0].mwc is not None else ""
        print(
            f"{'':<30}{'equity':>8}{'':11}{mwc}  {'win':>7} {'gammon':>7} {'backg.':>7} {'lose g.':>7} {'lose b.':>7}"
        )
    for ranked in found:
        chances = " ".join(f"{chance:>7.2%}" for chance in ranked.probabilities)
        mwc = "" if ranked.mwc is None else f"{ranked.mwc:>8.2%}"
        print(
            f"{ranked.play!s:<24}{ranked.plies}-ply {ranked.equity:>+8.4f} ({ranked.difference:>+8.4f}){mwc}  {chances}"
        )
    if not found:
        over = (where.position if isinstance(where, gammon.State) else where).is_over
        print("the game is over" if over else "no legal play")


def cube(
    position: PositionOrState,
    plies: Plies = 2,
    model: ModelName = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Decide whether to double, or how to answer a double.

    A Position ID is taken as a money game with the cube in the middle.

    \b
    Example:
        gammon cube "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10" --plies 2
    """
    state = parse_state(position) or gammon.State(parse_position(position), on_roll=0)
    found = gammon.Engine(plies, model=model, threads=threads).cube_decision(state)
    worths = {
        name: getattr(found.decision, name)
        for name in ("no_double", "double_take", "double_drop", "beaver")
        if not math.isnan(getattr(found.decision, name))
    }
    mwc = {} if found.mwc is None else {name: found.mwc._asdict()[name] for name in worths}
    if json:
        turns = {"take_point": found.decision.take_point, "cash_point": found.decision.cash_point}
        points = {name: point._asdict() for name, point in turns.items() if not math.isnan(point.dead)}
        print_json(
            {
                **_name(state),
                "action": found.action,
                "equities": worths,
                **({"mwc": mwc} if mwc else {}),
                "probabilities": found.probabilities._asdict(),
                **points,
                "plies": found.plies,
            }
        )
        return
    print(f"{'':<16}{'equity':>8}{'    match' if mwc else ''}")
    for name, worth in worths.items():
        chance = f"{mwc[name]:>9.2%}" if mwc else ""
        print(f"{name.replace('_', ' '):<16}{worth:>+8.4f}{chance}")
    print(f"{'best':<16}{found.action}{_why_not(state) if found.action == 'unavailable' else ''}")


def _why_not(state: gammon.State) -> str:
    """Why the player on roll may not turn the cube."""
    if state.is_crawford:
        return ": this is the Crawford game"
    if state.cube.owner == "opponent":
        return ": the opponent has the cube"
    if not state.rules.use_cube:
        return ": there is no cube under these rules"
    return ": a higher cube would bring nothing, or is above the limit"
