"""Boards of positions, states, plays and matches, as text and as pictures."""

from gammon.render._cards import cards
from gammon.render._svg import Drawing, svg
from gammon.render._text import text

__all__ = ["Drawing", "cards", "svg", "text"]
