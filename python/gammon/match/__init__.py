"""Matches and money sessions: the game around the board, as a state machine with a complete record."""

from gammon.match.events import Event
from gammon.match.match import Match
from gammon.match.moment import Game
from gammon.match.sheet import ScoreSheet, SheetRow
from gammon.match.state import Action, ActionKind, Offer, Phase, State

__all__ = ["Action", "ActionKind", "Event", "Game", "Match", "Offer", "Phase", "ScoreSheet", "SheetRow", "State"]
