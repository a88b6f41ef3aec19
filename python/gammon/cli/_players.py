"""The players that `gammon play` has built in, by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol

from gammon import levels
from gammon.errors import InvalidArgumentError

if TYPE_CHECKING:
    from gammon import Action, Match

__all__ = ["LEVELS", "PERSON", "USUAL", "Player", "level_of", "player_named", "seat_name"]

PERSON = "person"
MODEL = ".gammon"


class Player(Protocol):
    """Somebody who decides without being asked at the terminal."""

    def act(self, match: Match) -> Action:
        """What to do now, in a match in which it is this player's decision."""
        ...


class RandomPlayer:
    """Every legal play with the same probability. Never doubles, takes every double, accepts every resignation.

    The choice depends on the dice source and on how much has happened, so that a match that is resumed, or of which a
    part was taken back, goes on as it would have.
    """

    def act(self, match: Match) -> Action:
        """One of the plays, or the one thing that this player does in the other phases."""
        import random

        from gammon import Phase

        actions = [action for action in match.legal_actions() if action.player == match.to_act]
        if match.phase is Phase.ROLLED:
            plays = [action for action in actions if action.kind == "play"]
            return random.Random(f"{match.dice!r} {len(match.record)}").choice(plays)
        wanted = {Phase.ON_ROLL: "roll", Phase.DOUBLED: "take", Phase.BEAVERED: "take", Phase.RESIGNED: "accept"}
        return next(action for action in actions if action.kind == wanted[match.phase])


def _engine_player(level: str) -> Player:
    from gammon.engine import Player as EnginePlayer

    return EnginePlayer(level)


def _model_player(path: str) -> Player:
    from gammon.engine import Engine
    from gammon.engine import Player as EnginePlayer

    return EnginePlayer(levels.Level(0, 0.0), engine=Engine(model=path))


LEVELS: dict[str, Callable[[], Player]] = {
    "random": RandomPlayer,
    **{level: partial(_engine_player, level) for level in levels.LEVELS},
}
"""How to make the player of each level, the weakest first."""

USUAL = "intermediate"
"""Whom one plays against if nobody is asked for."""


def player_named(level: str) -> Player | None:
    """The player of that level, or of that model file at its bare judgement; None for a person."""
    if level == PERSON:
        return None
    if level.endswith(MODEL):
        return _model_player(level)
    if level not in LEVELS:
        known = ", ".join([PERSON, *LEVELS])
        raise InvalidArgumentError(f"an opponent is one of {known}, or a model file (*{MODEL}), not {level!r}")
    return LEVELS[level]()


def seat_name(name: str, level: str) -> str:
    """The name of a seat, which tells a later run who plays there: `Bob`, or `Bob (random)`."""
    return name if level == PERSON else f"{name} ({level})"


def level_of(name: str) -> str:
    """Who plays in the seat of that name."""
    model = re.search(rf"\((.+{re.escape(MODEL)})\)$", name)
    if model is not None:
        return model[1]
    return next((level for level in LEVELS if name.endswith(f"({level})")), PERSON)
