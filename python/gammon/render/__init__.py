"""Boards of positions, states, plays and matches."""

from gammon.render._text import text

__all__ = ["text"]
