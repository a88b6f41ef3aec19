"""The playing-card layout (rule 8.1) as a picture; `gammon.cards` has the layout itself, and the text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from gammon.cards import BOARD_CARDS, Color, point_of, to_text
from gammon.errors import InvalidArgumentError
from gammon.match import Match, State
from gammon.position import Position
from gammon.render._scene import Scene, clean, read
from gammon.render._svg import Drawing, box, element, opening, text
from gammon.render._themes import Theme, theme_named

__all__ = ["cards"]

CardSide = Literal["above", "below"]

MARGIN = 22.0
PITCH = 60.0
CARD = (50.0, 72.0)
CHECKER_CARD = (42.0, 58.0)
FAN = 17.0
"""How far each card of a field sticks out beyond the one before."""
SHOWN = 5
CROSSWISE = 96.0
"""The room of the bar."""
HITS = 150.0
HEADER = 40.0
LABEL = 22.0
ZONE = CHECKER_CARD[1] + (SHOWN - 1) * FAN + 10
ROW = HEADER + LABEL + ZONE + CARD[1] / 2
"""The middle of the row."""
WIDTH = 2 * MARGIN + BOARD_CARDS * PITCH + CROSSWISE + HITS
HEIGHT = ROW + CARD[1] / 2 + ZONE + LABEL + HEADER + 32

RED, BLACK = "#b3261e", "#1f1c1a"
FACE, EDGE, BACK, BACK_INK = "#fffdf8", "#6b625a", "#3c5a7d", "#dbe6f2"


def cards(
    drawable: Position | State | Match,
    *,
    format: Literal["svg", "text"] = "svg",
    theme: Literal["light", "dark", "color-blind"] = "light",
    width: float = 760,
) -> str:
    """A position, state or match as playing cards (rule 8.1): an SVG picture, or the text of `gammon.cards.to_text`.

    The player on roll of a position, and seat 0 of a state or match, has the red cards. Where more than five lie in a
    field, the last one shows their number. `theme` and `width` are those of `svg`; red and black cards have different
    suits as well.

    Raises:
        InvalidArgumentError: for what cannot be drawn, or an unknown format, theme or width.

    >>> from gammon import Position, render
    >>> print(render.cards(Position.start("hypergammon"), format="text").splitlines()[1])
    above     .   .   .   .   .   .       .   .   .  R1  R1  R1   hit R0
    """
    if not isinstance(drawable, Position | State | Match):
        raise InvalidArgumentError(f"a Position, State or Match can be laid out in cards, not {drawable!r}")
    state = drawable.state if isinstance(drawable, Match) else drawable
    on_roll: Color = "black" if isinstance(state, State) and state.on_roll == 1 else "red"
    position = state.position if isinstance(state, State) else state
    laid_out = to_text(position, on_roll=on_roll)
    if format == "text":
        return laid_out
    if format != "svg":
        raise InvalidArgumentError(f"format is 'svg' or 'text', not {format!r}")
    colors = theme_named(theme)
    scene = read(drawable, None if isinstance(drawable, Position) else 0, None)
    red = position if on_roll == "red" else position.flip()
    names = {side.seat: _name(side.name, side.seat) for side in (scene.below, scene.above)}
    caption = _caption(scene, names)
    title = f"Backgammon with cards: {caption}" if caption else "Backgammon position in cards"
    parts = [
        opening(width, WIDTH, HEIGHT, title, _description(red, names)),
        box(0, 0, WIDTH, HEIGHT, colors.page),
        *_row(colors),
        *_fields(red, on_roll, colors),
        *_hits(red, colors),
        *_players(scene, red, names, colors),
        *_dice(scene),
    ]
    if caption:
        parts.append(text(WIDTH / 2, HEIGHT - 16, caption, colors.ink, 18, anchor="middle"))
    return Drawing("".join([*parts, "</svg>"]))


def _column(card: int) -> float:
    """The middle of card 1 to 12, from the left."""
    return MARGIN + (card - 0.5) * PITCH + (CROSSWISE if card > BOARD_CARDS // 2 else 0)


def _row(colors: Theme) -> Iterator[str]:
    """Twelve cards face down with the bar crosswise between them."""
    for card in range(1, BOARD_CARDS + 1):
        yield from _back(_column(card), *CARD)
        yield text(_column(card), ROW + 6, str(card), BACK_INK, 17, anchor="middle", weight="bold")
    yield from _back(MARGIN + BOARD_CARDS // 2 * PITCH + CROSSWISE / 2, CARD[1], CARD[0])


def _back(x: float, width: float, height: float) -> Iterator[str]:
    corner = {"x": x - width / 2, "y": ROW - height / 2, "width": width, "height": height, "rx": 5.0}
    yield element("rect", **corner, fill=BACK, stroke=FACE, stroke_width=3)
    yield element("rect", **corner, fill="none", stroke=EDGE)


def _fields(red: Position, on_roll: Color, colors: Theme) -> Iterator[str]:
    sides: tuple[CardSide, CardSide] = ("above", "below")
    for card in range(1, BOARD_CARDS + 1):
        for side in sides:
            count = red[point_of(card, side)]
            yield from _stack(_column(card), side, abs(count), RED if count > 0 else BLACK)
            y = HEADER + 14 if side == "above" else ROW + CARD[1] / 2 + ZONE + 16
            label = str(point_of(card, side, on_roll))
            yield text(_column(card), y, label, colors.faint, 14, anchor="middle")


def _hits(red: Position, colors: Theme) -> Iterator[str]:
    """Hit cards, right of the row: red ones above, black ones below."""
    x = WIDTH - MARGIN - HITS / 2
    yield from _stack(x, "above", red.bar, RED)
    yield from _stack(x, "below", red.opponent_bar, BLACK)
    yield text(x, ROW + 6, "hit cards", colors.faint, 15, anchor="middle")


def _stack(x: float, side: CardSide, count: int, color: str) -> Iterator[str]:
    """The cards of a field, fanned out from the row; the last lies on top."""
    width, height = CHECKER_CARD
    shown = min(count, SHOWN)
    for index in range(shown):
        way = CARD[1] / 2 + 8 + index * FAN
        y = ROW - way - height if side == "above" else ROW + way
        yield element("rect", x=x - width / 2, y=y, width=width, height=height, rx=4, fill=FACE, stroke=EDGE)
        if count > SHOWN and index == shown - 1:
            yield text(x, y + height / 2 + 8, str(count), color, 22, anchor="middle", weight="bold")
            continue
        # The suit is seen on the strip that the next card leaves free, and large on the card on top.
        yield _suit(x - width / 2 + 9, y + height - 8.5 if side == "above" else y + 8.5, 0.42, color)
        if index == shown - 1:
            yield _suit(x, y + height / 2, 1.0, color)


def _suit(x: float, y: float, size: float, color: str) -> str:
    """A diamond for red, a spade for black."""
    place = f"translate({x:.2f} {y:.2f}) scale({size:g})"
    if color == RED:
        return element("path", transform=place, d="M0 -14 L10 0 L0 14 L-10 0 Z", fill=color)
    spade = "M0 -14 C5 -6 12 -3 12 4 C12 10 5 11 1.5 7 L4 14 L-4 14 L-1.5 7 C-5 11 -12 10 -12 4 C-12 -3 -5 -6 0 -14 Z"
    return element("path", transform=place, d=spade, fill=color)


def _dice(scene: Scene) -> Iterator[str]:
    """A black and a red card with the numbers drawn (rule 8.2), on the crosswise card's right and left ends."""
    if scene.roll is None:
        return
    middle = MARGIN + BOARD_CARDS // 2 * PITCH + CROSSWISE / 2
    width, height = 36.0, 50.0
    below = scene.side(scene.on_roll).seat == 1
    for die, way, color in ((scene.roll.high, -1, BLACK), (scene.roll.low, 1, RED)):
        x = middle + way * 21
        y = ROW + CARD[1] / 2 + 30 if below else ROW - CARD[1] / 2 - 30 - height
        yield element("rect", x=x - width / 2, y=y, width=width, height=height, rx=4, fill=FACE, stroke=EDGE)
        yield text(x, y + 24, "A" if die == 1 else str(die), color, 20, anchor="middle", weight="bold")
        yield _suit(x, y + 37, 0.55, color)


def _players(scene: Scene, red: Position, names: dict[int, str], colors: Theme) -> Iterator[str]:
    """Red above, black below: the name and score on the left, pips and cards that are off on the right."""
    points = {side.seat: side.points for side in (scene.below, scene.above)}
    for seat, y in ((0, 26.0), (1, HEIGHT - 44.0)):
        own = red if seat == 0 else red.flip()
        yield _suit(MARGIN + 8, y - 6, 0.8, (RED, BLACK)[seat] if colors.page == "#ffffff" or seat == 0 else colors.ink)
        shown = names[seat] if points[seat] is None else f"{names[seat]}, {points[seat]} points"
        yield text(MARGIN + 26, y, shown, colors.ink, 18, weight="bold")
        off = f", {own.off} off" if own.off else ""
        yield text(WIDTH - MARGIN, y, f"{own.pips} pips{off}", colors.ink, 17, anchor="end")


def _name(name: str | None, seat: int) -> str:
    return ("Red", "Black")[seat] if name is None else clean(name, 30)


def _caption(scene: Scene, names: dict[int, str]) -> str:
    status = scene.said(names[scene.below.seat], names[scene.above.seat])
    cube = ""
    if scene.cube is not None:
        owner = None if scene.cube_place == "middle" else scene.side(scene.cube_place)
        cube = f"cube {scene.cube}" + (f" of {names[owner.seat]}" if owner is not None else "")
    return " · ".join(words for words in (scene.heading, cube, status) if words)


def _description(red: Position, names: dict[int, str]) -> str:
    """All fields in words."""
    sentences = []
    for seat, own in ((0, red), (1, red.flip())):
        fields = [f"{own[point]} on {point}" for point in range(24, 0, -1) if own[point] > 0]
        if own.bar:
            fields.insert(0, f"{own.bar} hit")
        if own.off:
            fields.append(f"{own.off} off")
        sentences.append(f"{names[seat]} has the {('red', 'black')[seat]} cards, by own points: {', '.join(fields)}.")
    return " ".join(sentences)
