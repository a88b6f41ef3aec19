"""Playing matches for the tests: short openings, and random play through legal actions."""

import random

from gammon import Match, Phase, Position, Rules
from gammon.clock import ClockSettings
from gammon.dice import CardDice, RandomDice, SequenceDice

RACE = Position.from_points({3: 1, 2: 2, 1: 2}, opponent={3: 1, 2: 2, 1: 2})
"""A few rolls from the end, no gammon possible: short games."""

RULE_SETS = {
    "money": Rules.money(),
    "money, unlimited": Rules.money(beavers=None, automatic_doubles=None, six_six_triples=True, cube_limit=None),
    "money, raccoons": Rules.money(jacoby=False, beavers=2, automatic_doubles=2, early_double=True),
    "match": Rules.match(3),
    "match, dead cubes": Rules.match(5, dead_cube="allow", crawford=False, early_double=True),
    "match, holland": Rules.match(4, holland=True),
    "match, short games": Rules.match(7, holland=True, start=RACE),
    "tournament": Rules.tournament(3),
    "tournament, clock": Rules.tournament(4, clock_use="required", start=RACE),
    "fischer": Rules.match(2, clock=ClockSettings.fischer(8), variant="hypergammon"),
    "casual": Rules.casual(),
    "nackgammon": Rules.money(variant="nackgammon", automatic_doubles=1),
    "hypergammon": Rules.match(5, variant="hypergammon"),
}


class Hands:
    """A time source that a test moves."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def opened(rules=None, *dice, **settings):
    """Player 0 has opened with 3-1, and player 1 is on roll."""
    match = Match(rules, dice=SequenceDice([(3, 1), *dice]), **settings)
    match.roll()
    match.play("8/5 6/5")
    return match


def at_score(points, rules, *dice):
    """A match in which the director has awarded games until it stands like this."""
    match = Match(rules, dice=SequenceDice(list(dice)))
    for seat in (0, 1):
        if points[seat]:
            match.director("award game", winner=seat, points=points[seat])
    assert match.score == points
    return match


def after_crawford(rules, seed):
    """A 3-point match at 2-1, before the opening throw of the first game after the Crawford game."""
    match = Match(rules, dice=RandomDice(seed=seed))
    for loser, level in ((1, "gammon"), (0, "single")):
        roll_opening(match)
        match.resign(level, player=loser)
        match.accept()
    return match


def roll_opening(match):
    """Throws, ties too, until somebody has a roll to play."""
    while match.phase is not Phase.ROLLED:
        match.roll()


def new_match(rules, seed, time=None):
    """A match with seeded dice: cards for every third one."""
    dice = CardDice(seed) if seed % 3 == 0 else RandomDice(seed)
    return Match(rules, dice=dice, time=time or Hands())


def random_action(match, chance):
    """A legal action: seldom a resignation, and now and then a double, so that games are played."""
    actions = match.legal_actions()
    rare = {"resign": 0.02, "double": 0.2}
    likely = [action for action in actions if chance.random() < rare.get(action.kind, 1)]
    return chance.choice(likely)


def random_match(rules, seed, *, games=3, see=lambda match: None):
    """Plays at random until the match is over or so many games are finished; `see` looks after every action."""
    chance = random.Random(seed)
    hands = Hands()
    match = new_match(rules, seed, hands)
    while not match.is_over and len(match.games) < games:
        hands.now += chance.random() * 10
        match.apply(random_action(match, chance))
        see(match)
    return match
