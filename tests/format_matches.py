"""Random matches for the tests of formats: every action of the game, with given or drawn dice."""

from __future__ import annotations

import random

from gammon import Match, Phase, Rules
from gammon.dice import RandomDice

RULES = (
    Rules.match(1),
    Rules.match(3),
    Rules.match(5),
    Rules.match(9),
    Rules.match(7, crawford=False),
    Rules.money(),
    Rules.money(jacoby=False),
    Rules.money(beavers=3),
    Rules.money(beavers=None, cube_limit=None),
    Rules.match(3, variant="nackgammon"),
)


def random_match(
    seed: int, *, games: int = 3, illegal: float = 0.0, finish: bool = False, declines: bool = False
) -> Match:
    """A match or session in which both players do anything that is legal, cube and resignations included.

    `illegal` is how often a play is cut short and kept as written; `finish` plays the last game to its end.
    """
    rng = random.Random(seed)
    rules = RULES[seed % len(RULES)]
    names = rng.choice([("White", "Black"), ("Ann B. Cee", "Jürgen"), ("a:b", "x : 3 y"), ("长名字", "O'Neill (2)")])
    match = Match(rules, dice=RandomDice(seed=seed), names=names)
    wanted = rng.randint(1, games)
    while not match.is_over and len(match.games) < wanted:
        actions = match.legal_actions()
        kind = rng.choices(["go", "double", "resign"], [0.93, 0.06, 0.0005 if match.turn < 30 else 0.02], k=1)[0]
        if any(action.kind in ("accept", "decline") for action in actions):
            kinds = ("accept", "decline") if declines else ("accept",)
            chosen = [action for action in actions if action.kind in kinds]
        elif any(action.kind == "take" for action in actions):
            weights = {"take": 0.6, "drop": 0.3, "beaver": 0.4}
            match.apply(rng.choices(actions, [weights[action.kind] for action in actions], k=1)[0])
            continue
        else:
            chosen = [action for action in actions if action.kind == kind]
            if not chosen:
                chosen = [action for action in actions if action.kind in ("roll", "play")]
        action = rng.choice(chosen)
        if action.kind == "play" and rng.random() < illegal:
            short = str(action.play).split()[:1]
            match.play(" ".join(short), illegal=True, on_record=True)
            continue
        match.apply(action)
        if not finish and match.phase is not Phase.RESIGNED and match.turn > 20 and rng.random() < 0.002:
            break
    return match
