"""Matches and money sessions: the game around the board, as a state machine with a complete record."""

from gammon.match._events import Comment, Event, Fault
from gammon.match._match import Match
from gammon.match._moment import Game
from gammon.match._sheet import ScoreSheet, SheetRow
from gammon.match._state import Action, ActionKind, GameState, Offer, Phase, State

__all__ = [
    "Action",
    "ActionKind",
    "Comment",
    "Event",
    "Fault",
    "Game",
    "GameState",
    "Match",
    "Offer",
    "Phase",
    "ScoreSheet",
    "SheetRow",
    "State",
]
