"""What is simulated, compiled for the core by the functions that `gammon.Match` itself calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gammon import _core
from gammon.errors import InvalidArgumentError
from gammon.position import Position
from gammon.rules import Rules
from gammon.scoring import CrawfordPhase, is_over_limit, tie_factor

if TYPE_CHECKING:
    from gammon.cube import ScoreGraph

__all__ = ["GAMES_PER_MATCH", "compiled", "first_game", "rules_for"]

GAMES_PER_MATCH = 1 << 16
"""Match k has the games, and so the dice, numbered from k times this."""

MAX_CUBE = 1 << 15
"""The largest cube that any format can hold."""

_PHASES = {CrawfordPhase.NONE: 0, CrawfordPhase.CRAWFORD: 1, CrawfordPhase.POST_CRAWFORD: 2}


def rules_for(rules: Rules | None, cube: bool | None, variant: str) -> Rules | None:
    """The rules that are played by, from what the caller said; None for cubeless single games."""
    if rules is not None and not isinstance(rules, Rules):
        raise InvalidArgumentError(f"rules are gammon.Rules or None, not {rules!r}")
    if cube is not None and not isinstance(cube, bool):
        raise InvalidArgumentError(f"cube is True, False or None, not {cube!r}")
    if rules is None:
        return Rules.money(variant=variant) if cube else None
    if variant != "standard":
        raise InvalidArgumentError(f"the rules say how a game starts, so variant cannot be {variant!r} as well")
    if cube and not rules.use_cube:
        raise InvalidArgumentError("cube is True, but the rules are without the cube")
    return rules


def first_game(rules: Rules | None, unit: int, *, paired: bool) -> int:
    """The number that the dice of a simulated game, or of the first game of a match, have in `RandomDice`."""
    unit = unit // 2 if paired else unit
    return unit * GAMES_PER_MATCH if rules is not None and rules.is_match else unit


def compiled(rules: Rules | None, variant: str, seed: int, *, paired: bool) -> _core.Plan:
    """The plan of games by these rules."""
    # Not with the module: random games need neither, and start at once without them.
    from gammon.cube import Ladder, ScoreGraph

    if rules is None:
        graph = ScoreGraph.session(Ladder.money(jacoby=False, beavers=0, use_cube=False))
        return _plan(graph, Position.start(variant), seed, [(1, 0, (0,) * 6)], matches=False, paired=paired)
    graph = ScoreGraph.of(rules)
    return _plan(graph, rules.position, seed, _stakes(rules), matches=rules.is_match, paired=paired)


def _plan(
    graph: ScoreGraph,
    start: Position,
    seed: int,
    stakes: list[tuple[int, int, tuple[int, ...]]],
    *,
    matches: bool,
    paired: bool,
) -> _core.Plan:
    nodes = [
        (node.ladder.compiled(), list(node.next[0]), list(node.next[1]), list(node.away), _PHASES[node.phase])
        for node in graph.nodes
    ]
    return _core.Plan(start, seed, nodes, graph.start, stakes, matches, paired)


def _stakes(rules: Rules) -> list[tuple[int, int, tuple[int, ...]]]:
    """Every stake that ties of the opening throw can lead to, its highest cube, and where each tie leads (rule 7.5).

    A stake is not raised above 2^15 even if nothing limits it: that takes nine ties in a row or more.
    """
    first = (1, 0)
    places = {first: 0}
    order = [first]
    stakes = []
    for stake, ties in order:  # grows while it is walked through
        after = []
        for die in range(1, 7):
            factor = tie_factor(
                die, ties, automatic_doubles=rules.automatic_doubles, six_six_triples=rules.six_six_triples
            )
            raised = stake * factor
            if factor == 1 or is_over_limit(raised, rules.cube_limit) or raised > MAX_CUBE:
                after.append(places[stake, ties])
                continue
            then = (raised, 0 if rules.automatic_doubles is None else ties + 1)
            if then not in places:
                places[then] = len(order)
                order.append(then)
            after.append(places[then])
        stakes.append((stake, _highest_level(rules, stake), tuple(after)))
    return stakes


def _highest_level(rules: Rules, stake: int) -> int:
    """How often the cube can be turned at a stake (rule 7.1)."""
    level = 0
    while rules.use_cube and 2 << level <= MAX_CUBE and not is_over_limit(stake * (2 << level), rules.cube_limit):
        level += 1
    return level
