"""An analysis as tables for people."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gammon.analysis._result import Analysis, Judgement, Summary

__all__ = ["cost", "name", "rating", "rows", "text", "what", "when"]

NAME_WIDTH = 20


def text(analysis: Analysis, worst: int, player: int | None) -> str:
    """The totals of both players side by side, and the worst decisions."""
    names = [name(summary.name)[:NAME_WIDTH] for summary in analysis.players]
    lines = [f"{heading(analysis)}", "", f"{'':<26}{names[0]:>21}{names[1]:>21}"]
    lines += [f"{label:<26}{first:>21}{second:>21}" for label, first, second in rows(analysis)]
    found = analysis.worst(worst, player=player)
    if found:
        lines += ["", "The worst decisions"]
        lines += [_line(analysis, judgement) for judgement in found]
    return "\n".join(lines)


def heading(analysis: Analysis) -> str:
    """What was analysed, and how."""
    kind = "money session" if analysis.length is None else f"{analysis.length}-point match"
    how = f"{analysis.plies}-ply" + ("" if analysis.rollout is None else f", close ones {analysis.rollout} trials")
    names = " against ".join(name(known) for known in analysis.names)
    score = f"{analysis.score[0]}-{analysis.score[1]}"
    return f"{names}, {kind}, {score}; {how}" + ("" if analysis.complete else "; interrupted")


def rows(analysis: Analysis) -> list[tuple[str, str, str]]:
    """The totals: a label, and a text for each player."""
    unit = analysis.unit

    def row(label: str, show: Callable[[Summary], str]) -> tuple[str, str, str]:
        first, second = (show(summary) for summary in analysis.players)
        return label, first, second

    return [
        row("Performance rating", lambda s: rating(s.performance_rating)),
        row("Decisions that count", lambda s: f"{s.decisions}"),
        row("Error in all", lambda s: f"{s.error:.3f} ({cost(s.cost, unit)})"),
        row("Plays, unforced", lambda s: f"{s.unforced} of {s.plays}"),
        row("Error of plays", lambda s: f"{s.play_error:.3f} ({cost(s.play_cost, unit)})"),
        row("Cube decisions, close", lambda s: f"{s.close_cube} of {s.cube_decisions}"),
        row("Error of the cube", lambda s: f"{s.cube_error:.3f} ({cost(s.cube_cost, unit)})"),
        row("Missed, wrong doubles", lambda s: f"{s.missed_doubles}, {s.wrong_doubles}"),
        row("Wrong takes, drops", lambda s: f"{s.wrong_takes}, {s.wrong_drops}"),
        row("Wrong resignations", lambda s: f"{s.wrong_resignations}"),
        row("Doubtful, bad, very bad", lambda s: ", ".join(map(str, s.marks))),
        row("Illegal plays", lambda s: f"{s.illegal}"),
        row("Luck", lambda s: f"{s.luck:+.3f} ({cost(s.luck_cost, unit, sign=True)})"),
        row("Very lucky to unlucky", lambda s: ", ".join(map(str, s.lucky))),
    ]


def rating(value: float) -> str:
    """A performance rating; a dash where nothing counts."""
    return "-" if math.isnan(value) else f"{value:.2f}"


def cost(value: float, unit: str, *, sign: bool = False) -> str:
    """Points, or a match winning chance in per cent."""
    plus = "+" if sign else ""
    return f"{100 * value:{plus}.2f} %" if unit == "mwc" else f"{value:{plus}.3f}"


def name(text: str) -> str:
    """A name without anything that could move the cursor."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def when(judgement: Judgement) -> str:
    """Where in the match, such as "game 2, 3-1"."""
    points = judgement.state.points
    return f"game {judgement.game}, {points[0]}-{points[1]}"


def what(judgement: Judgement) -> str:
    """What was to be decided, and what was done."""
    done = judgement.action or "(no play)"
    if judgement.kind == "play":
        return f"{judgement.state.roll}: {done}"
    return done


def _line(analysis: Analysis, judgement: Judgement) -> str:
    best = judgement.best.action
    who = name(analysis.names[judgement.player])[:NAME_WIDTH]
    place = f"{judgement.event:>5}  {when(judgement):<16}"
    return (
        f"{place} {who:<{NAME_WIDTH}} {name(what(judgement)):<28} best {best:<24} "
        f"{-judgement.error:+.3f} ({cost(-judgement.cost, analysis.unit, sign=True)})"
        + (f"  {judgement.mark}" if judgement.mark else "")
    )
