"""Pictures of positions."""

from gammon.render._text import text

__all__ = ["text"]
