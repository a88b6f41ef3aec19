"""How a notebook gets a picture of a value: the one door from the values up to `gammon.render`.

`_repr_svg_` of positions, plays, states and matches comes here. They lie below `render`, which is loaded by its name
when a notebook asks, and never before: no value depends on how it is drawn.
"""

from __future__ import annotations

import importlib

__all__ = ["picture"]


def picture(value: object) -> str:
    """The SVG of a position, play, state or match."""
    return str(importlib.import_module("gammon.render").svg(value))
