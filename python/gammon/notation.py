"""Positions and states by a text: what the command line takes for a position, and `gammon engine`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gammon.errors import NotationError
from gammon.position import VARIANTS, Position

if TYPE_CHECKING:
    from gammon.match import State

__all__ = ["read_position"]

_ID_LENGTH = 14


def read_position(text: str) -> Position | State:
    """The position that a text names, or the state if it says more.

    Args:
        text: a start by its name ("standard", "nackgammon", "hypergammon" or "longgammon"), a GNU Position ID, an XGID,
            or GNU Backgammon's "PositionID:MatchID". The last two have a cube, a score and rules.

    Raises:
        NotationError: for a text that is none of them.
        InvalidPositionError: for an ID of what is no position.

    >>> read_position("standard") == read_position("4HPwATDgc/ABMA") == Position.start()
    True
    >>> read_position("XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:10").roll
    Roll(4, 2)
    """
    if text in VARIANTS:
        return Position.start(text)
    is_xgid = text.upper().startswith("XGID=")
    if text.count(":") > 1 and not is_xgid:
        raise NotationError(f"an XGID begins with XGID=, not {text[:60]!r}")
    if is_xgid or ":" in text:
        from gammon.match import State  # takes longer to load than a position needs

        return State.from_xgid(text) if is_xgid else State.from_gnubg_id(text)
    try:
        return Position.from_id(text)
    except NotationError as error:
        # What has the length of an ID was meant as one.
        if len(text) == _ID_LENGTH:
            raise
        raise NotationError(
            f"{text[:60]!r} is no position: that is a Position ID of {_ID_LENGTH} characters, an XGID with XGID= before"
            f' it, a GNU "PositionID:MatchID", or one of {", ".join(VARIANTS)}'
        ) from error
