"""``gammon play``: a match at the terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import gammon
from gammon.cli._arguments import Seed, whole_number
from gammon.cli._players import LEVELS, PERSON, USUAL, Player, level_of, player_named, seat_name
from gammon.errors import InvalidArgumentError
from gammon.files import check_apart

if TYPE_CHECKING:
    from gammon.cli._table import Screen

PRESETS = ("match", "tournament", "money", "casual")


def play(
    rules: Annotated[str | None, typer.Option(help=f"One of {', '.join(PRESETS)}; match if it is left out.")] = None,
    length: Annotated[
        int | None,
        typer.Option(parser=whole_number, metavar="INTEGER", help="The points that win a match; 5 if it is left out."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A field of the rules, such as jacoby=False. Repeatable."),
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option(
            "--opponent",
            "--level",
            help=f"{PERSON}, a built-in player ({', '.join(LEVELS)}), or a model file (*.gammon); {USUAL} if it is "
            "left out.",
        ),
    ] = None,
    names: Annotated[str | None, typer.Option(help="Both names, with a comma.")] = None,
    dice: Annotated[str | None, typer.Option(help="random, cards, or manual: you throw and type them.")] = None,
    seed: Seed = None,
    clock: Annotated[str | None, typer.Option(help="Play with a clock: bronstein or fischer.")] = None,
    cards: Annotated[bool, typer.Option("--cards", help="Show playing cards instead of a board.")] = False,
    save: Annotated[Path | None, typer.Option(help="Keep the match in this file after every action.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with a kept match, and keep it there.")] = None,
    export_to: Annotated[
        list[Path] | None,
        typer.Option(
            "--export", help="At the end, write the match to a .mat, .sgf, .json, .txt or .svg file. Repeatable."
        ),
    ] = None,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="No discs and lines, whatever the terminal can.")] = False,
    color: Annotated[str, typer.Option(help="auto, always or never.")] = "auto",
) -> None:
    """Play a match at the terminal. The opponent is a built-in player, or another person.

    \b
    Examples:
        gammon play --length 3
        gammon play --level advanced
        gammon play --opponent person --names Ann,Bob --save match.json
        gammon play --rules money --set automatic_doubles=1 --set beavers=2
        gammon play --resume match.json
    """
    # The match and all that it takes is loaded for this command only: every other starts faster without.
    from gammon.cli._table import Leaves, Table, check_export, export, plain, read_match, write_match

    kept = resume if save is None else save
    for path in export_to or []:
        check_export(path)
        check_apart([] if kept is None else [kept], path)
    screen = _screen(ascii_only, color, cards)
    if resume is not None:
        _refuse_beside_resume(rules=rules, length=length, set=settings, names=names, dice=dice, seed=seed, clock=clock)
        match = read_match(resume)
        levels = [level_of(name) for name in match.names]
        if opponent is not None:
            levels = [PERSON, opponent]
        save = resume if save is None else save
    else:
        levels = [PERSON, USUAL if opponent is None else opponent]
        if save is not None and save.exists():
            raise InvalidArgumentError(f"{save} exists already: go on with --resume {save}, or name another file")
        match = _new_match(rules, length, settings or [], clock, _names(names, levels), _dice(dice, seed, cards))
    players: list[Player | None] = [player_named(level) for level in levels]
    if None not in players:
        raise InvalidArgumentError(f"nobody at this table is a person: {match.names[0]!r} and {match.names[1]!r}")
    if save is not None:
        write_match(save, match)
    if isinstance(match.dice, gammon.dice.RandomDice | gammon.dice.CardDice) and not match.record:
        print(f"Seed of the dice: {match.dice.seed}")
    try:
        Table(match, (players[0], players[1]), screen, save).play()
    except (Leaves, KeyboardInterrupt) as left:
        print("\nGoodbye." if save is None else f"\nGoodbye. Go on with: gammon play --resume {plain(str(save))}")
        if isinstance(left, KeyboardInterrupt):
            raise
    for path in export_to or []:
        export(path, match)


def _refuse_beside_resume(**given: object) -> None:
    """A match that is kept has its rules, names and dice already."""
    for name, value in given.items():
        if value:
            raise InvalidArgumentError(f"--{name} belongs to a new match, and --resume goes on with an old one")


def _screen(ascii_only: bool, color: str, cards: bool) -> Screen:
    """What the terminal can show; to a pipe it is plain ASCII."""
    if color not in ("auto", "always", "never"):
        raise InvalidArgumentError(f"color is auto, always or never, not {color!r}")
    from gammon.cli._table import Screen

    terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    colored = color == "always" or (color == "auto" and terminal and not os.environ.get("NO_COLOR"))
    unicode = terminal and (sys.stdout.encoding or "").lower().startswith("utf") and not ascii_only
    return Screen(unicode=unicode, color=colored, cards=cards)


def _names(text: str | None, levels: list[str]) -> tuple[str, str]:
    if text is None:
        given = ["Player", "Computer"] if levels[1] != PERSON else ["White", "Black"]
    else:
        given = [name.strip() for name in text.split(",")]
        if len(given) != 2 or not all(given):
            raise InvalidArgumentError(f"names are two, with a comma, not {text!r}")
    return seat_name(given[0], levels[0]), seat_name(given[1], levels[1])


def _dice(kind: str | None, seed: int | None, cards: bool) -> Any:
    kind = ("cards" if cards else "random") if kind is None else kind
    if kind == "manual":
        if seed is not None:
            raise InvalidArgumentError(f"dice that are thrown by hand have no seed (--seed {seed})")
        from gammon.cli._table import ask_for_dice

        return gammon.dice.ManualDice(ask_for_dice)
    if kind not in ("random", "cards"):
        raise InvalidArgumentError(f"dice are random, cards or manual, not {kind!r}")
    return gammon.dice.CardDice(seed) if kind == "cards" else gammon.dice.RandomDice(seed)


def _new_match(
    preset: str | None,
    length: int | None,
    settings: list[str],
    clock: str | None,
    names: tuple[str, str],
    dice: Any,
) -> gammon.Match:
    preset = "match" if preset is None else preset
    if preset not in PRESETS:
        raise InvalidArgumentError(f"rules are one of {', '.join(PRESETS)}, not {preset!r}")
    if length is not None and preset not in ("match", "tournament"):
        raise InvalidArgumentError(f"{preset} rules have no match length (--length {length})")
    fields = dict(map(_setting, settings))
    if clock is not None:
        if clock not in ("bronstein", "fischer"):
            raise InvalidArgumentError(f"a clock is bronstein or fischer, not {clock!r}")
        from gammon.clock import ClockSettings

        fields |= {"clock": ClockSettings(clock), "clock_use": "required"}
    make = getattr(gammon.Rules, preset)
    try:
        rules = make(5 if length is None else length, **fields) if preset in ("match", "tournament") else make(**fields)
    except TypeError as error:
        raise InvalidArgumentError(str(error)) from None
    return gammon.Match(rules, names=names, dice=dice)


def _setting(text: str) -> tuple[str, Any]:
    """NAME=VALUE; the value is True, False, None, a number or a word."""
    name, equals, value = text.partition("=")
    if name == "length":
        raise InvalidArgumentError("the match length is said by --length")
    if not (name and equals):
        raise InvalidArgumentError(f"a setting is NAME=VALUE, such as jacoby=False, not {text!r}")
    words = {"true": True, "yes": True, "false": False, "no": False, "none": None}
    if value.lower() in words:
        return name, words[value.lower()]
    return name, int(value) if value.isascii() and value.isdigit() and len(value) < 20 else value
