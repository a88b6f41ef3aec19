"""Matches analysed: what every decision gave away, how lucky every roll was, and what it comes to for each player.

>>> from gammon import Match, Rules
>>> from gammon.dice import SequenceDice
>>> match = Match(Rules.match(5), names=("Ann", "Bob"), dice=SequenceDice([(3, 1), (6, 4)]))
>>> match.roll()
Roll(3, 1)
>>> _ = match.play("24/20")
>>> found = analyze(match, plies=0).decisions[0]
>>> found.action, found.best.action, found.mark
('24/20', '8/5 6/5', 'very bad')
"""

from gammon.analysis._analyze import analyze
from gammon.analysis._result import (
    CLOSE_CUBE,
    ERROR_MARKS,
    LUCK_MARKS,
    Analysis,
    Judgement,
    Option,
    RollLuck,
    Summary,
)

__all__ = [
    "CLOSE_CUBE",
    "ERROR_MARKS",
    "LUCK_MARKS",
    "Analysis",
    "Judgement",
    "Option",
    "RollLuck",
    "Summary",
    "analyze",
]
