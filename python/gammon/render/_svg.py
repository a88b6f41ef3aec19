"""Boards as SVG: one self-contained drawing without scripts, links or identifiers, safe to put into any page.

Lengths are units of the drawing: a point is 44 wide, a checker 40. `Layout` knows where everything lies, the functions
after it draw one thing each.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gammon.errors import InvalidArgumentError
from gammon.render._scene import Direction, Drawable, Scene, Side, View, clean, read
from gammon.render._themes import Checker, Theme, theme_named

__all__ = ["Drawing", "box", "element", "opening", "svg", "text"]

Place = Literal["below", "above"]
Spot = tuple[float, float]

POINT = 44.0
CHECKER = 40.0
RADIUS = 19.0
TRAY = 60.0
FRAME = 16.0
EDGE = 26.0
FIELD = 460.0
MARGIN = 14.0
LINE = 42.0
CAPTION = 30.0
SHOWN = 5
"""The most checkers of a stack that are drawn; the last one has the count if there are more."""
OFF_STEP = 12.0
CUBE = 42.0
DIE = 38.0
NAME_COLUMNS = 30
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


class Drawing(str):
    """The text of an SVG. A notebook shows the picture.

    >>> Drawing("<svg/>")._repr_svg_()
    '<svg/>'
    """

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def svg(
    drawable: Drawable,
    *,
    view: View | None = None,
    direction: Direction | None = None,
    theme: Literal["light", "dark", "color-blind"] = "light",
    width: float = 640,
) -> Drawing:
    """The board of a position, state, play or match as an SVG picture.

    The player on roll of a position or play, and seat 0 of a state or match, has the light checkers. The points have
    the numbers that the side on roll gives them. A play is drawn with arrows on the board before it. Title and
    description say in words what is to be seen.

    Args:
        drawable: what to show.
        view: who sits below: "player" (on roll) or "opponent", or a seat 0 or 1. Left out, it is the player on roll,
            and seat 0 of a match, whose board then stays as it is from turn to turn.
        direction: how the checkers of the player below go round; left out, "counterclockwise", or as the match has it.
        theme: the colors.
        width: of the picture, in pixels; the height follows.

    Raises:
        InvalidArgumentError: for what cannot be drawn, or an unknown view, direction, theme or width.

    >>> from gammon import Position, Roll, render
    >>> picture = render.svg(Position.start().play("8/5 6/5", Roll(3, 1)), width=320)
    >>> picture.startswith("<svg"), "White plays 31: 8/5 6/5" in picture
    (True, True)
    """
    colors = theme_named(theme)
    scene = read(drawable, view, direction)
    layout = Layout(scene.direction == "clockwise", TRAY if scene.cube is not None else 0.0)
    names = _name(scene.below, colors), _name(scene.above, colors)
    caption = _caption(scene, *names)
    height = layout.bottom + EDGE + LINE + (CAPTION if caption else 0.0)
    title = f"Backgammon board: {caption}" if caption else "Backgammon position"
    parts = [
        opening(width, layout.width, height, title, _description(scene, *names)),
        box(0, 0, layout.width, height, colors.page),
        *_board(layout, scene, colors),
        *_checkers(layout, scene, colors),
        *_cube(layout, scene, colors),
        *_dice(layout, scene, colors),
        *_arrows(layout, scene, colors),
        *_player(layout, scene, scene.above, LINE - 16, colors),
        *_player(layout, scene, scene.below, layout.bottom + EDGE + 28, colors),
    ]
    if caption:
        middle = layout.width / 2
        parts.append(text(middle, height - 13, caption, colors.ink, 17, anchor="middle"))
    return Drawing("".join([*parts, "</svg>"]))


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things lie. Counterclockwise, the player below bears off on the right; clockwise, all is mirrored."""

    clockwise: bool
    cube_room: float
    """How wide the place for the cube is, opposite the tray; 0 if none is drawn."""

    top = LINE + EDGE
    bottom = top + FIELD
    middle = (top + bottom) / 2

    @property
    def width(self) -> float:
        """Of the whole picture."""
        return 2 * MARGIN + TRAY + self.cube_room + 2 * FRAME + 13 * POINT

    @property
    def left(self) -> float:
        """Where the leftmost point begins."""
        return MARGIN + FRAME + (TRAY if self.clockwise else self.cube_room)

    def column(self, point: int) -> float:
        """The middle of a point, from the left."""
        column = 12 - point if point <= 12 else point - 13
        if self.clockwise:
            column = 11 - column
        return self.left + column * POINT + (POINT if column > 5 else 0) + POINT / 2

    def half(self, side: Literal["left", "right"]) -> float:
        """The middle of a half of the board."""
        return self.left + (3 if side == "left" else 10) * POINT

    @property
    def bar(self) -> float:
        """The middle of the bar."""
        return self.left + 6.5 * POINT

    @property
    def home_tray(self) -> float:
        """The middle of the tray for checkers that are off."""
        return MARGIN + TRAY / 2 + 3 if self.clockwise else self.width - MARGIN - TRAY / 2 - 3

    @property
    def cube_tray(self) -> float:
        """The middle of the place for the cube."""
        away = MARGIN + self.cube_room / 2 + 4
        return self.width - away if self.clockwise else away

    def slot(self, point: int, index: int) -> Spot:
        """The middle of the checker number `index` from the edge of a point; from SHOWN on they lie on the last one."""
        way = min(index, SHOWN - 1) * CHECKER + CHECKER / 2
        return self.column(point), self.bottom - way if point <= 12 else self.top + way

    def bar_slot(self, place: Place, index: int) -> Spot:
        """The middle of a checker on the bar, counted from the middle of the board outwards."""
        way = 32 + min(index, SHOWN - 2) * CHECKER
        return self.bar, self.middle + way if place == "below" else self.middle - way

    def off_slot(self, place: Place, index: int) -> Spot:
        """The middle of a checker that is off, seen from its edge."""
        way = 8 + OFF_STEP * (index + 0.5)
        return self.home_tray, self.bottom - way if place == "below" else self.top + way


# Elements.


def escape(words: str) -> str:
    """A text as XML has it, in an element or between quotation marks."""
    return html.escape(words, quote=True)


def quoted(words: str) -> str:
    """A text as the value of an attribute."""
    return f'"{escape(words)}"'


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(tag: str, /, **attributes: float | str) -> str:
    """An empty element; underscores in names stand for hyphens."""
    return f"<{tag}{_attributes(attributes)}/>"


def _attributes(attributes: dict[str, float | str]) -> str:
    texts = {name: value if isinstance(value, str) else _number(value) for name, value in attributes.items()}
    return "".join(f" {name.replace('_', '-')}={quoted(value)}" for name, value in texts.items())


def text(
    x: float, y: float, words: str, fill: str, size: float, *, anchor: str = "start", weight: str = "normal"
) -> str:
    """A text, escaped; `y` is its base line."""
    attributes = _attributes({"x": x, "y": y, "fill": fill, "font-size": size, "text-anchor": anchor})
    bold = ' font-weight="bold"' if weight == "bold" else ""
    return f"<text{attributes}{bold}>{escape(words)}</text>"


def box(x: float, y: float, width: float, height: float, fill: str, corner: float = 0) -> str:
    """A filled rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, fill=fill, **({"rx": corner} if corner else {}))


def opening(width: float, units_wide: float, units_high: float, title: str, description: str) -> str:
    """The start of a drawing of that size in pixels, with its title and description for those who cannot see it."""
    width_checked(width)
    size = {"width": width, "height": width * units_high / units_wide}
    attributes = _attributes({"viewBox": f"0 0 {_number(units_wide)} {_number(units_high)}", **size})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{attributes} role="img" aria-label={quoted(title)} '
        f"font-family={quoted(FONT)}><title>{escape(title)}</title><desc>{escape(description)}</desc>"
    )


def width_checked(width: float) -> float:
    """Refuses what is no width of a picture in pixels."""
    if isinstance(width, bool) or not isinstance(width, int | float) or not 1 <= width <= 100_000:
        raise InvalidArgumentError(f"width is 1 to 100,000 pixels, not {width!r}")
    return width


# The board.


def _board(layout: Layout, scene: Scene, colors: Theme) -> Iterator[str]:
    yield box(MARGIN, LINE, layout.width - 2 * MARGIN, FIELD + 2 * EDGE, colors.frame, 8)
    for side in ("left", "right"):
        yield box(layout.half(side) - 3 * POINT, layout.top, 6 * POINT, FIELD, colors.field)
    for place in ("below", "above"):
        half = FIELD / 2 - 30
        y = layout.middle + 30 if place == "below" else layout.top
        yield box(layout.home_tray - TRAY / 2 + 7, y, TRAY - 14, half, colors.tray, 5)
    for point in range(1, 25):
        yield _point(layout, point, colors)
    for point in range(1, 25):
        y = layout.bottom + 18 if point <= 12 else layout.top - 8
        label = str(scene.label(point))
        yield text(layout.column(point), y, label, colors.frame_ink, 14, anchor="middle")


def _point(layout: Layout, point: int, colors: Theme) -> str:
    x, half = layout.column(point), POINT / 2
    base, tip = (layout.bottom, layout.bottom - 192) if point <= 12 else (layout.top, layout.top + 192)
    corners = f"{_number(x - half)},{_number(base)} {_number(x + half)},{_number(base)} {_number(x)},{_number(tip)}"
    return element("polygon", points=corners, fill=colors.points[point % 2])


def _checkers(layout: Layout, scene: Scene, colors: Theme) -> Iterator[str]:
    for point in range(1, 25):
        count = scene.points[point]
        side = scene.below if count > 0 else scene.above
        spots = [layout.slot(point, index) for index in range(min(abs(count), SHOWN))]
        yield from _stack(spots, abs(count), colors.checkers[side.seat])
    places: tuple[Place, Place] = ("below", "above")
    for place in places:
        side = scene.side(place)
        dress = colors.checkers[side.seat]
        spots = [layout.bar_slot(place, index) for index in range(min(side.bar, SHOWN - 1))]
        yield from _stack(spots, side.bar, dress)
        for index in range(side.off):
            x, y = layout.off_slot(place, index)
            yield element(
                "rect",
                x=x - CHECKER / 2,
                y=y - OFF_STEP / 2 + 0.75,
                width=CHECKER,
                height=OFF_STEP - 1.5,
                rx=3,
                fill=dress.fill,
                stroke=dress.edge,
            )
        if side.off:
            x, y = layout.home_tray, layout.bottom + 18 if place == "below" else layout.top - 8
            yield text(x, y, str(side.off), colors.frame_ink, 14, anchor="middle", weight="bold")


def _stack(spots: list[Spot], count: int, dress: Checker) -> Iterator[str]:
    """The checkers of one stack, with their number on the last if they are more than are drawn."""
    for x, y in spots:
        yield element("circle", cx=x, cy=y, r=RADIUS, fill=dress.fill, stroke=dress.edge, stroke_width=1.4)
        yield element("circle", cx=x, cy=y, r=RADIUS * 0.68, fill="none", stroke=dress.ring, stroke_width=1.6)
    if count > len(spots):
        x, y = spots[-1]
        yield element("circle", cx=x, cy=y, r=RADIUS * 0.68 + 1, fill=dress.fill)
        yield text(x, y + 6.5, str(count), dress.ink, 18, anchor="middle", weight="bold")


def _cube(layout: Layout, scene: Scene, colors: Theme) -> Iterator[str]:
    """The cube with its owner or in the middle; while it is offered, on the board."""
    if scene.cube is None:
        return
    if scene.offered is not None:
        # It lies out of the way of the dice, which may be thrown already when the double is an early one.
        yield from _cube_at(
            layout.half("left" if scene.on_roll == "below" else "right"), layout.middle, scene.offered, colors
        )
        return
    away = CUBE / 2 + 10
    y = {"above": layout.top + away, "middle": layout.middle, "below": layout.bottom - away}[scene.cube_place]
    # A centred cube at 1 shows 64 (rule 7.1).
    shown = 64 if scene.cube == 1 and scene.cube_place == "middle" else scene.cube
    yield from _cube_at(layout.cube_tray, y, shown, colors)


def _cube_at(x: float, y: float, value: int, colors: Theme) -> Iterator[str]:
    half = CUBE / 2
    yield element(
        "rect",
        x=x - half,
        y=y - half,
        width=CUBE,
        height=CUBE,
        rx=7,
        fill="#fffdf6",
        stroke="#1d1b19",
        stroke_width=1.6,
    )
    shown = str(value)
    size = {1: 26.0, 2: 24.0, 3: 18.0}.get(len(shown), 52 / len(shown))
    yield text(x, y + size * 0.36, shown, "#1d1b19", size, anchor="middle", weight="bold")


_PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
    6: [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)],
}


def _dice(layout: Layout, scene: Scene, colors: Theme) -> Iterator[str]:
    """The roll, on the right-hand side of the player who threw it."""
    if scene.roll is None:
        return
    middle = layout.half("right" if scene.on_roll == "below" else "left")
    dress = colors.checkers[scene.side(scene.on_roll).seat]
    for die, way in ((scene.roll.high, -1), (scene.roll.low, 1)):
        x, y = middle + way * (DIE / 2 + 6), layout.middle
        corner = {"x": x - DIE / 2, "y": y - DIE / 2, "width": DIE, "height": DIE, "rx": 7.0}
        yield element("rect", **corner, fill=dress.fill, stroke=dress.edge, stroke_width=1.4)
        for across, down in _PIPS[die]:
            yield element("circle", cx=x + across * DIE * 0.26, cy=y + down * DIE * 0.26, r=3.6, fill=dress.ink)


# Arrows of a play.


def _arrows(layout: Layout, scene: Scene, colors: Theme) -> Iterator[str]:
    """An arrow for each step, from the checker on top of its stack to where it comes to lie."""
    place = scene.steps_by
    side = scene.side(place)
    sign = 1 if place == "below" else -1
    bar, off = (25, 0) if place == "below" else (0, 25)
    counts = {point: sign * scene.points[point] for point in range(1, 25)} | {bar: side.bar, off: side.off}

    def spot(point: int, index: int) -> Spot:
        if point == bar:
            return layout.bar_slot(place, index)
        return layout.off_slot(place, index) if point == off else layout.slot(point, index)

    rings: list[str] = []
    lines: list[str] = []
    for start, end in scene.steps:
        counts[start] -= 1
        begin = spot(start, counts[start])
        # A blot that is hit makes way: the checker lands in its place.
        counts[end] = max(counts[end], 0)
        goal = spot(end, counts[end])
        counts[end] += 1
        if end != off:
            rings.append(_landing(goal, colors))
        lines.extend(_arrow(begin, goal, layout.middle, colors))
    yield from rings
    yield from lines


def _landing(spot: Spot, colors: Theme) -> str:
    x, y = spot
    return element(
        "circle", cx=x, cy=y, r=RADIUS, fill="none", stroke=colors.arrow, stroke_width=2.4, stroke_dasharray="5 4"
    )


def _arrow(begin: Spot, goal: Spot, middle: float, colors: Theme) -> Iterator[str]:
    """A bent arrow. One along the same side of the board bends towards its middle, away from the stacks."""
    (x1, y1), (x2, y2) = begin, goal
    length = math.hypot(x2 - x1, y2 - y1)
    same_side = (y1 < middle) == (y2 < middle)
    bend = 0.22 * length + 8 if same_side else 0.08 * length
    down = 1.0 if (y1 + y2) / 2 < middle else -1.0
    # The bend goes at right angles to the arrow, towards the middle.
    across, along = -(y2 - y1) / length, (x2 - x1) / length
    if along * down < 0:
        across, along = -across, -along
    cx, cy = (x1 + x2) / 2 + across * bend * 2, (y1 + y2) / 2 + along * bend * 2
    tangent = math.atan2(y2 - cy, x2 - cx)
    ux, uy = math.cos(tangent), math.sin(tangent)
    tip = (x2 + ux * 3, y2 + uy * 3)
    neck = (tip[0] - ux * 17, tip[1] - uy * 17)
    path = " ".join(["M", *map(_number, begin), "Q", _number(cx), _number(cy), *map(_number, neck)])
    wings = [(neck[0] - uy * way * 9 - ux * 2, neck[1] + ux * way * 9 - uy * 2) for way in (1, -1)]
    head = " ".join(f"{_number(x)},{_number(y)}" for x, y in (tip, wings[0], neck, wings[1]))
    line = {"d": path, "fill": "none", "stroke_linecap": "round"}
    yield element("path", **line, stroke=colors.halo, stroke_width=8, stroke_opacity=0.85)
    yield element(
        "polygon", points=head, fill=colors.halo, stroke=colors.halo, stroke_width=3.5, stroke_linejoin="round"
    )
    yield element("path", **line, stroke=colors.arrow, stroke_width=4.5)
    yield element("circle", cx=x1, cy=y1, r=5, fill=colors.arrow, stroke=colors.halo, stroke_width=1.5)
    yield element("polygon", points=head, fill=colors.arrow)


# Words.


def _name(side: Side, colors: Theme) -> str:
    return colors.checkers[side.seat].word if side.name is None else clean(side.name, NAME_COLUMNS)


def _player(layout: Layout, scene: Scene, side: Side, y: float, colors: Theme) -> Iterator[str]:
    """The line above or below the board: who it is, score and time on the left, pips on the right."""
    dress = colors.checkers[side.seat]
    yield element("circle", cx=MARGIN + 10, cy=y - 6, r=8.5, fill=dress.fill, stroke=dress.edge, stroke_width=1.4)
    x = MARGIN + 28
    score = _score(scene, side)
    name = _name(side, colors)
    words = escape(name)
    if score:
        words += f'<tspan dx="12" fill="{colors.faint}" font-weight="normal">{escape(score)}</tspan>'
    attributes = _attributes({"x": x, "y": y, "fill": colors.ink, "font-size": 18, "font-weight": "bold"})
    yield f"<text{attributes}>{words}</text>"
    yield text(layout.width - MARGIN, y, f"{side.pips} pips", colors.ink, 17, anchor="end")


def _score(scene: Scene, side: Side) -> str:
    words = []
    if side.points is not None:
        of = f" of {scene.length}" if scene.length is not None else ""
        words.append(f"{side.points}{of} point{'s' * ((scene.length or side.points) != 1)}")
    if side.clock is not None:
        minutes, seconds = divmod(int(side.clock), 60)
        words.append(f"{minutes}:{seconds:02}")
    return " · ".join(words)


def _caption(scene: Scene, below: str, above: str) -> str:
    status = scene.said(below, above)
    return " · ".join(text for text in (scene.heading, status) if text)


def _description(scene: Scene, below: str, above: str) -> str:
    """The whole board in words, for those who hear it."""
    sentences = []
    places: tuple[tuple[Place, str], ...] = (("below", below), ("above", above))
    for place, name in places:
        side = scene.side(place)
        sign = 1 if place == "below" else -1
        stacks = []
        for point in range(24, 0, -1):
            count = sign * scene.points[point if place == "below" else 25 - point]
            if count > 0:
                stacks.append(f"{count} on {point}")
        if side.bar:
            stacks.insert(0, f"{side.bar} on the bar")
        if side.off:
            stacks.append(f"{side.off} off")
        role = "on roll" if scene.on_roll == place else "opponent"
        sentences.append(f"{name} ({role}), {side.pips} pips, by own points: {', '.join(stacks)}.")
    if scene.cube is not None:
        owner = {"below": f"owned by {below}", "above": f"owned by {above}", "middle": "centred"}[scene.cube_place]
        sentences.append(f"The cube is at {scene.cube}, {owner}.")
    return " ".join(sentences)
