"""An analysis as one HTML page: no scripts, no links elsewhere, and no text of a file that could become markup."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from gammon.analysis import _text
from gammon.errors import InvalidArgumentError
from gammon.files import whole
from gammon.render import svg

if TYPE_CHECKING:
    from gammon.analysis._result import Analysis, Judgement, Option, RollLuck

__all__ = ["page", "write"]

MOST_BOARDS = 1000
OPTIONS = 6
BOARD_WIDTH = 420
WIDTH, HEIGHT = 900, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 12, 28

STYLE = """
body { font: 15px/1.45 Helvetica, Arial, 'DejaVu Sans', sans-serif; margin: 2em auto; max-width: 62em; padding: 0 1em;
  color: #1d1b16; background: #fbf9f4; }
h1 { font-size: 1.6em; } h2 { margin-top: 2em; border-bottom: 1px solid #cbbfa6; }
h3 { margin: 0 0 .4em; font-size: 1em; }
table { border-collapse: collapse; margin: .6em 0; }
th, td { padding: .15em .6em; text-align: left; white-space: nowrap; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } thead th { border-bottom: 1px solid #cbbfa6; }
tbody tr:nth-child(even) { background: #f2ecdf; }
.doubtful { color: #7a5b00; } .bad { color: #a13d00; } .very-bad { color: #b3001e; font-weight: bold; }
.lucky, .very-lucky { color: #14643a; } .unlucky, .very-unlucky { color: #5a3c8c; }
.chosen { font-weight: bold; } section { display: flex; flex-wrap: wrap; gap: 1.2em; margin: 1.4em 0; }
section > div { flex: 1 1 22em; } svg { max-width: 100%; height: auto; } a { color: inherit; }
"""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def write(analysis: Analysis, path: str | os.PathLike[str], boards: int) -> None:
    """Writes the page beside the file first: whatever happens, the file is whole, the old one or the new one."""
    if isinstance(boards, bool) or not isinstance(boards, int) or not 0 <= boards <= MOST_BOARDS:
        raise InvalidArgumentError(f"boards is 0 to {MOST_BOARDS}, not {boards!r}")
    with whole(path) as partial:
        Path(partial).write_text(page(analysis, boards), encoding="utf-8")


def page(analysis: Analysis, boards: int) -> str:
    """The whole page."""
    title = " against ".join(_said(name) for name in analysis.names)
    shown = analysis.worst(boards)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{STYLE}</style></head><body>",
        f"<h1>{title}</h1><p>{_said(_text.heading(analysis))}</p>",
        f"<p>{_said(analysis.names[0])} has the white checkers.</p>",
        *_totals(analysis),
        "<h2>Course of the match</h2>",
        _graph(analysis),
        *_worst(analysis, shown),
        *_games(analysis, {_anchor(judgement) for judgement in shown}),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _said(text: str) -> str:
    """Text of a file, which may hold anything, as text of a page."""
    return escape(_text.name(text), quote=True)


def _table(head: Iterable[str], rows: Iterable[str], numbers: int = 1) -> Iterator[str]:
    """A table; the columns from `numbers` on are numbers. Cells of the head are text, rows are made already."""
    styles = ("" if place < numbers else ' class="n"' for place in range(WIDTH))
    cells = "".join(f"<th{style}>{_said(text)}</th>" for style, text in zip(styles, head, strict=False))
    yield f"<table><thead><tr>{cells}</tr></thead><tbody>"
    yield from rows
    yield "</tbody></table>"


def _totals(analysis: Analysis) -> Iterator[str]:
    rows = (
        f'<tr><td>{_said(label)}</td><td class="n">{_said(first)}</td><td class="n">{_said(second)}</td></tr>'
        for label, first, second in _text.rows(analysis)
    )
    yield from _table(["", *analysis.names], rows)


# The graph.


def _graph(analysis: Analysis) -> str:
    """How the match stood for seat 0 before each roll, with the errors as dots."""
    course = analysis.course()
    if not course:
        return "<p>No roll was judged.</p>"
    values = [value for _, _, value in course]
    if analysis.length is not None:
        low, high = 0.0, 1.0
    else:
        low, high = min(-1.0, *values), max(1.0, *values)
    first, last = course[0][0], max(course[-1][0], course[0][0] + 1)

    def x(event: float) -> float:
        return LEFT + (event - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)

    what = "chance to win the match" if analysis.length is not None else "points expected of the game"
    name = _said(analysis.names[0])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">',
        f"<title>{name}: {what}</title>",
        f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}" fill="#fff"/>',
        *_scale(analysis, low, high, y),
        *_course(course, x, y),
        *_dots(analysis, x, y),
        f'<text x="{LEFT}" y="{HEIGHT - 6}" font-size="13">{name}: {what}; dots are errors</text>',
        "</svg>",
    ]
    return "".join(parts)


def _scale(analysis: Analysis, low: float, high: float, y: Callable[[float], float]) -> Iterator[str]:
    for step in range(5):
        value = low + step / 4 * (high - low)
        label = f"{100 * value:.0f} %" if analysis.length is not None else f"{value:+.1f}"
        yield f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#ddd3bf"/>'
        yield f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" font-size="12" text-anchor="end">{label}</text>'


def _course(
    course: tuple[tuple[int, int, float], ...], x: Callable[[float], float], y: Callable[[float], float]
) -> Iterator[str]:
    """A line for each game, with a rule where one begins."""
    for game in sorted({number for _, number, _ in course}):
        points = [(event, value) for event, number, value in course if number == game]
        line = " ".join(f"{x(event):.1f},{y(value):.1f}" for event, value in points)
        begin = x(points[0][0])
        yield f'<path d="M{begin:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#b9a98a" stroke-dasharray="3 3"/>'
        yield f'<text x="{begin + 3:.1f}" y="{TOP + 12}" font-size="11" fill="#7a6b4c">{game}</text>'
        yield f'<polyline points="{line}" fill="none" stroke="#2b5d8a" stroke-width="1.8"/>'


def _dots(analysis: Analysis, x: Callable[[float], float], y: Callable[[float], float]) -> Iterator[str]:
    course = analysis.course()
    place = 0
    colors = {"doubtful": "#d8a300", "bad": "#d85b00", "very bad": "#b3001e"}
    for judgement in analysis.decisions:
        while place + 1 < len(course) and course[place + 1][0] <= judgement.event:
            place += 1
        event = min(max(judgement.event, course[0][0]), max(course[-1][0], course[0][0] + 1))
        if judgement.mark:
            words = f"{analysis.names[judgement.player]}, {_text.what(judgement)}: {-judgement.error:+.3f}"
            yield (
                f'<circle cx="{x(event):.1f}" cy="{y(course[place][2]):.1f}" r="4" fill="{colors[judgement.mark]}">'
                f"<title>{_said(words)}</title></circle>"
            )


# The worst decisions.


def _worst(analysis: Analysis, shown: Iterable[Judgement]) -> Iterator[str]:
    yield "<h2>The worst decisions</h2>"
    empty = True
    for judgement in shown:
        empty = False
        yield from _one(analysis, judgement)
    if empty:
        yield "<p>None: nothing was given away.</p>"


def _one(analysis: Analysis, judgement: Judgement) -> Iterator[str]:
    who = _said(analysis.names[judgement.player])
    board = svg(judgement.state, view=judgement.player, width=BOARD_WIDTH)  # type: ignore[arg-type]
    mark = f' <span class="{_css(judgement.mark)}">{judgement.mark}</span>' if judgement.mark else ""
    yield f'<section id="{_anchor(judgement)}"><div>{board}</div><div>'
    yield f"<h3>{who}, {_said(_text.when(judgement))}: {_said(_text.what(judgement))}{mark}</h3>"
    lost = _text.cost(-judgement.cost, analysis.unit, sign=True)
    yield f"<p>{-judgement.error:+.3f} ({lost}); best: {_said(judgement.verdict or judgement.best.action)}</p>"
    yield from _options(judgement)
    yield "</div></section>"


def _options(judgement: Judgement) -> Iterator[str]:
    first = judgement.options[:OPTIONS]
    listed = [*first, *(option for option in judgement.options[OPTIONS:] if option.action == judgement.action)]
    best = judgement.best.equity
    head = ["", "equity", "", "win", "win g", "lose g", "by"]
    yield from _table(head, (_option(option, best, option.action == judgement.action) for option in listed))


def _option(option: Option, best: float, chosen: bool) -> str:
    five = option.probabilities
    chances = ["", "", ""] if five is None else [f"{100 * chance:.1f} %" for chance in (five[0], five[1], five[3])]
    by = f"{option.plies}-ply" if option.plies is not None else f"{option.trials} trials" if option.trials else ""
    cells = [f"{option.equity:+.3f}", f"{option.equity - best:+.3f}", *chances, by]
    numbers = "".join(f'<td class="n">{cell}</td>' for cell in cells)
    style = ' class="chosen"' if chosen else ""
    return f"<tr{style}><td>{_said(option.action)}</td>{numbers}</tr>"


def _anchor(judgement: Judgement) -> str:
    """One event can be two decisions: an early double is judged apart from what it interrupts."""
    return f"decision-{judgement.event}-{judgement.kind.replace(' ', '-')}"


def _css(mark: str) -> str:
    return mark.replace(" ", "-")


# All decisions.


def _games(analysis: Analysis, drawn: set[str]) -> Iterator[str]:
    for game in sorted({judgement.game for judgement in analysis.decisions}):
        yield f"<h2>Game {game}</h2>"
        mine = [judgement for judgement in analysis.decisions if judgement.game == game]
        head = ["", "player", "", "best", "error", "luck"]
        rows = (_row(analysis, judgement, _roll_of(analysis, judgement), drawn) for judgement in mine)
        yield from _table(head, rows, numbers=4)


def _roll_of(analysis: Analysis, judgement: Judgement) -> RollLuck | None:
    """The roll that a play was made with: the last one before it."""
    if judgement.kind != "play":
        return None
    place = bisect_left(analysis.rolls, judgement.event, key=lambda roll: roll.event) - 1
    roll = analysis.rolls[place] if place >= 0 else None
    return roll if roll is not None and (roll.game, roll.player) == (judgement.game, judgement.player) else None


def _row(analysis: Analysis, judgement: Judgement, roll: RollLuck | None, drawn: set[str]) -> str:
    done = _said(_text.what(judgement))
    if _anchor(judgement) in drawn:
        done = f'<a href="#{_anchor(judgement)}">{done}</a>'
    best = _said(judgement.best.action) if judgement.error > 0 else ""
    error = judgement.reason if judgement.reason else f"{-judgement.error:+.3f}" if judgement.error > 0 else ""
    luck = "" if roll is None else f"{roll.luck:+.3f}"
    style = f' class="{_css(judgement.mark)}"' if judgement.mark else ""
    lucky = f' class="n {_css(roll.mark)}"' if roll is not None and roll.mark else ' class="n"'
    return (
        f"<tr><td>{judgement.event}</td><td>{_said(analysis.names[judgement.player])}</td><td{style}>{done}</td>"
        f'<td>{best}</td><td class="n">{_said(error)}</td><td{lucky}>{luck}</td></tr>'
    )
