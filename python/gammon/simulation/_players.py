"""Who plays: names, networks and policies, as the core is told of them."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from gammon import _core
from gammon.errors import InvalidArgumentError
from gammon.evaluator import SHIPPED, Model, shipped
from gammon.levels import LEVELS, Level
from gammon.position import Position
from gammon.rules import Rules
from gammon.simulation._policy import PolicyLike, Questioner

if TYPE_CHECKING:
    from gammon.cube import Ladder, Score
    from gammon.match import State

__all__ = [
    "BUILT_IN",
    "BuiltIn",
    "Evaluating",
    "NetworkSeat",
    "PlayerLike",
    "Players",
    "checksum",
    "network_of",
    "network_seat",
    "player_from",
]

PlayerLike: TypeAlias = "str | os.PathLike[str] | Model | PolicyLike"
"""A name, a model or the path of its file, or a policy."""

Evaluating: TypeAlias = "str | os.PathLike[str] | Model | None"
"""The name of a network, a model or the path of its file; None for no evaluations."""


class BuiltIn(NamedTuple):
    """A player that is part of the library: what the core calls it, and its fixed answers to double and take.

    A network plays at a level.
    """

    core: str
    double: bool = False
    take: bool = True
    level: Level = Level(0, 0.0)


BUILT_IN: dict[str, BuiltIn] = {
    "random": BuiltIn("random"),
    "baseline": BuiltIn("baseline"),
    "fast": BuiltIn("network"),
    "strong": BuiltIn("network", level=Level(0, 0.0, "strong")),
    **{name: BuiltIn("network", level=level) for name, level in LEVELS.items()},
}
"""The built-in players by name.

"random" chooses evenly among the distinct plays, "baseline" by three plain rules (``docs/simulation.md``); both never
double and always take. "fast" and "strong" are the networks of these names: they make the play that leads to the best
position (0-ply) and handle the cube as `gammon.cube.decide` says. The levels, "beginner" to "master", are these with
noise, or with a search above them: `gammon.levels`.
"""

_MODEL = ".gammon"
_Parts: TypeAlias = "tuple[int, str, bool | None, bool | None, _core.Network | None, int, float]"


class Players:
    """Both players as the core is told of them, and who answers what it asks. Pickled with the content of models."""

    def __init__(self, players: Sequence[PlayerLike]) -> None:
        if isinstance(players, (str, bytes)) or not isinstance(players, Sequence) or len(players) != 2:
            raise InvalidArgumentError(f"players are two names, models or policies, not {players!r}")
        self.asked: list[Questioner | None] = []
        self.parts: list[_Parts] = []
        self._recipes: list[tuple[str, Any]] = []
        names = []
        for place, player in enumerate(players):
            name, recipe = _recipe(player, f"players[{place}]")
            names.append(name)
            # One policy that plays itself is asked for both sides at once.
            self._add(recipe, 0 if place == 1 and player is players[0] else place)
        self.names: tuple[str, str] = (names[0], names[1])

    def _add(self, recipe: tuple[str, Any], slot: int) -> None:
        kind, what = recipe
        self._recipes.append(recipe)
        questioner = None
        if kind == "policy":
            questioner = Questioner(what, f"players[{len(self.parts)}]")
            self.parts.append((*questioner.parts(slot), None, 0, 0.0))
        elif kind == "network":
            self.parts.append((slot, kind, None, None, what, 0, 0.0))
        elif BUILT_IN[what].core == "network":
            level = BUILT_IN[what].level
            network = shipped(level.model)._network
            self.parts.append((slot, "network", None, None, network, level.plies, level.noise))
        else:
            known = BUILT_IN[what]
            self.parts.append((slot, known.core, known.double, known.take, None, 0, 0.0))
        self.asked.append(questioner)

    @property
    def all_built_in(self) -> bool:
        """Whether nobody has to be asked."""
        return self.asked == [None, None]

    @property
    def all_random(self) -> bool:
        """Whether both are the built-in random player."""
        return all(recipe == ("built in", "random") for recipe in self._recipes)

    @property
    def models(self) -> tuple[str | None, str | None]:
        """The SHA-256 checksum of each player's model file, None for who has none."""
        first, second = (None if network is None else checksum(network) for _, _, _, _, network, _, _ in self.parts)
        return first, second

    def __reduce__(self) -> tuple[Any, ...]:
        recipes = [(kind, what.to_bytes() if kind == "network" else what) for kind, what in self._recipes]
        return _again, (recipes, [part[0] for part in self.parts], self.names)


def checksum(network: _core.Network) -> str:
    """The SHA-256 checksum of a network's model file."""
    return hashlib.sha256(network.to_bytes()).hexdigest()


def network_of(model: str | os.PathLike[str] | Model, where: str) -> _core.Network:
    """The network of a name, a model or the path of its file."""
    if isinstance(model, (str, os.PathLike, Model)):
        _, (kind, what) = _recipe(model, where)
        if kind == "network":
            return cast("_core.Network", what)
    raise InvalidArgumentError(f"{where}: 'fast', 'strong', a model or a model file (*{_MODEL}), not {model!r}")


_AS_GOOD_AS_IT_IS = Level(0, 0.0)


class NetworkSeat:
    """A network that plays single games or matches, decision by decision: the plays and the cube of a simulation."""

    def __init__(self, network: _core.Network, level: Level = _AS_GOOD_AS_IT_IS) -> None:
        self._network = network
        self._level = level

    def play(self, state: State, word: int = 0) -> Position:
        """The position after its play of the roll, seen by the player on roll; noise is drawn by the word."""
        assert state.roll is not None
        theirs = _ladder(state.rules, state.score).flip().compiled()
        owner = {"player": "opponent", "opponent": "player"}.get(state.cube.owner or "")
        return self._network.play(state.position, state.roll, theirs, state.cube.level, owner, self._skill(word))

    def cube(self, state: State, word: int = 0) -> tuple[bool, bool]:
        """Whether to double for the player on roll, and whether to take such a double."""
        ladder = _ladder(state.rules, state.score).compiled()
        return self._network.cube(state.position, ladder, state.cube.level, state.cube.owner, self._skill(word))

    def _skill(self, word: int) -> tuple[int, float, int]:
        return self._level.plies, self._level.noise, word


@functools.lru_cache(maxsize=1024)
def _ladder(rules: Rules, score: Score | None) -> Ladder:
    # Not with the module: random games do without it, and start at once.
    from gammon.cube import Ladder

    return Ladder.of(rules, score)


def player_from(player: PlayerLike, where: str) -> tuple[str, Any]:
    """What plays: "built in" and its name, "network" and the network, or "policy" and the policy."""
    return _recipe(player, where)[1]


def network_seat(player: tuple[str, Any]) -> NetworkSeat | None:
    """The network of what `player_from` gave, as a player; None if it is none."""
    kind, what = player
    if kind == "network":
        return NetworkSeat(what)
    if kind == "built in" and BUILT_IN[what].core == "network":
        level = BUILT_IN[what].level
        return NetworkSeat(shipped(level.model)._network, level)
    return None


def _again(recipes: list[tuple[str, Any]], slots: list[int], names: tuple[str, str]) -> Players:
    """Players out of a pickle."""
    players = Players.__new__(Players)
    players.asked, players.parts, players._recipes = [], [], []
    for (kind, what), slot in zip(recipes, slots, strict=True):
        players._add((kind, _core.Network(what) if kind == "network" else what), slot)
    players.names = names
    return players


def _recipe(player: PlayerLike, where: str) -> tuple[str, tuple[str, Any]]:
    """The name of a player and how it is made."""
    if isinstance(player, str) and player in BUILT_IN:
        if player in SHIPPED:
            return player, ("network", shipped(player)._network)
        return player, ("built in", player)
    if isinstance(player, str) and not player.endswith(_MODEL):
        known = ", ".join(sorted(BUILT_IN))
        raise InvalidArgumentError(f"{where} is a policy, a model file (*{_MODEL}) or one of {known}, not {player!r}")
    if isinstance(player, (str, os.PathLike)):
        player = Model(player)
    if isinstance(player, Model):
        return player.path.stem, ("network", player._network)
    return _name_of(player), ("policy", player)


def _name_of(policy: PolicyLike) -> str:
    return str(getattr(policy, "name", getattr(policy, "__name__", type(policy).__name__)))
