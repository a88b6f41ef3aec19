"""What the engine would do at the table of `gammon play`."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence

from gammon import IllegalActionError, Match, Phase, State
from gammon.engine import Engine, Player, RankedPlay

__all__ = ["hint"]

PLIES = 2
MOST_PLAYS = 5

_ACTIONS = (("no_double", "no double"), ("double_take", "double, take"), ("double_drop", "double, drop"))


def hint(match: Match) -> tuple[list[str], list[str]]:
    """Lines for who has to decide, and the plays that they number. Raises `IllegalActionError` where nobody has."""
    if match.to_act is None:
        raise IllegalActionError("there is nothing to decide between games")
    engine = Engine(PLIES)
    state = match.state
    if match.phase is Phase.ROLLED:
        ranking = engine.rank_plays(dataclasses.replace(state, offer=None, offered_by=None), turn=match.turn)
        best = ranking[:MOST_PLAYS]
        return list(_plays(best)) or ["no legal play"], [str(ranked.play) for ranked in best]
    if match.phase is Phase.RESIGNED:
        return [f"{Player('master', engine=engine).act(match).kind} it"], []
    doubles = (action.player for action in match.legal_actions() if action.kind == "double")
    if match.phase is Phase.ON_ROLL and match.to_act not in doubles:
        return [f"roll: the cube cannot be turned ({engine.evaluate(state, turn=match.turn).equity:+.3f})"], []
    return list(_cube(engine, state, match.turn)), []


def _plays(best: Sequence[RankedPlay]) -> Iterator[str]:
    for number, ranked in enumerate(best, 1):
        mwc = "" if ranked.mwc is None else f"  {ranked.mwc:.2%}"
        equity = f"{ranked.equity:+.3f} ({ranked.difference:+.3f})"
        yield f"{number}. {ranked.play!s:<24} {equity}{mwc}  {ranked.plies}-ply"


def _cube(engine: Engine, state: State, turn: int) -> Iterator[str]:
    found = engine.cube_decision(state, turn=turn)
    yield f"{found.action} (equities of who is on roll, {found.plies}-ply)"
    for name, words in _ACTIONS:
        worth = getattr(found.decision, name)
        if not math.isnan(worth):
            mwc = "" if found.mwc is None else f"  {getattr(found.mwc, name):.2%}"
            yield f"   {words:<14} {worth:+.3f}{mwc}"
