"""Pictures: valid XML that shows what is there, in every view, and in which no text from outside is markup."""

from __future__ import annotations

import itertools
import math
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from drawings import DOCS, DOCS_PICTURES, FOLDER, RACE, STACKED, doubled, hostile, money_state, pictures, redoubled

import gammon
from gammon import InvalidArgumentError, Match, Position, Roll, Rules, State, batch, render
from gammon.cards import from_text
from gammon.cube import Cube
from gammon.render._themes import THEMES

SVG = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "title", "desc", "rect", "circle", "polygon", "path", "text", "tspan"}


def parsed(picture: str) -> ElementTree.Element:
    """The root of a picture, in which there is nothing but shapes and texts."""
    root = ElementTree.fromstring(picture)
    names = set()
    for node in root.iter():
        assert node.tag.removeprefix(SVG) in TAGS
        names |= set(node.attrib)
    assert not {name for name in names if name.startswith("on") or "href" in name or name in ("id", "style", "class")}
    assert not re.search("nan|inf", picture.split("</desc>")[1])
    return root


def shapes(root: ElementTree.Element, tag: str, **attributes: str) -> list[ElementTree.Element]:
    wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
    return [node for node in root.iter(SVG + tag) if wanted.items() <= node.attrib.items()]


def words(root: ElementTree.Element) -> list[str]:
    return ["".join(node.itertext()) for node in root.iter(SVG + "text")]


def checkers(root: ElementTree.Element, seat: int, theme: str = "light") -> list[tuple[float, float]]:
    """Where the checkers of a seat lie, from above."""
    found = shapes(root, "circle", r="19", fill=THEMES[theme].checkers[seat].fill)
    return [(float(node.attrib["cx"]), float(node.attrib["cy"])) for node in found]


def test_golden_files_are_all_there() -> None:
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(pictures())
    assert {path.stem for path in DOCS.glob("*.svg")} == set(DOCS_PICTURES)


@pytest.mark.parametrize("name", pictures())
def test_golden(name: str) -> None:
    assert pictures()[name] + "\n" == (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    if name in DOCS_PICTURES:
        assert pictures()[name] + "\n" == (DOCS / f"{name}.svg").read_text(encoding="utf-8")
    parsed(pictures()[name])


def test_every_checker_is_there() -> None:
    chance = random.Random(3)
    rows = batch.random_positions(60, seed=4)
    for position in [Position.from_array(row) for row in rows] + [STACKED, RACE]:
        theme = chance.choice(list(THEMES))
        view = chance.choice(["player", "opponent"])
        root = parsed(render.svg(position, theme=theme, view=view))  # type: ignore[arg-type]
        board = [position[point] for point in range(1, 25)]
        for seat, sign, bar, off in ((0, 1, position.bar, position.off), (1, -1, position.opponent_bar, None)):
            counts = [sign * count for count in board if sign * count > 0]
            drawn = sum(min(count, 5) for count in counts) + min(bar, 4)
            assert len(checkers(root, seat, theme)) == drawn
            for count in counts:
                assert count <= 5 or str(count) in words(root)
            if off is not None:
                fill = THEMES[theme].checkers[seat].fill
                assert len(shapes(root, "rect", width="40", fill=fill)) == off
        assert f"{position.pips} pips" in words(root)
        assert f"{position.opponent_pips} pips" in words(root)


def test_nothing_lies_outside_or_on_something_else() -> None:
    for name, picture in pictures().items():
        root = parsed(picture)
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        for node in root.iter(SVG + "circle"):
            x, y, radius = (float(node.attrib[key]) for key in ("cx", "cy", "r"))
            assert radius <= x <= width - radius, name
            assert radius <= y <= height - radius, name
        spots = checkers(root, 0) + checkers(root, 1)
        for first, second in itertools.combinations(spots, 2):
            assert math.dist(first, second) >= 38


def test_points_are_numbered_for_the_side_on_roll() -> None:
    def labels(picture: str) -> list[int]:
        """The numbers along the lower edge from the left."""
        nodes = [node for node in shapes(parsed(picture), "text", font_size="14") if node.text and node.text.isdigit()]
        low = max(float(node.attrib["y"]) for node in nodes)
        row = [node for node in nodes if float(node.attrib["y"]) == low]
        return [int(str(node.text)) for node in sorted(row, key=lambda node: float(node.attrib["x"]))]

    start = Position.start()
    assert labels(render.svg(start)) == list(range(12, 0, -1))
    assert labels(render.svg(start, view="opponent")) == list(range(13, 25))
    assert labels(render.svg(start, direction="clockwise")) == list(range(1, 13))
    state = State(start, on_roll=1)
    assert labels(render.svg(state, view=1)) == list(range(12, 0, -1))
    assert labels(render.svg(state, view=0)) == list(range(13, 25))


def test_views_turn_the_board_and_directions_mirror_it() -> None:
    position = Position.from_points({24: 2, 8: 3, 3: 1}, opponent={20: 4, 6: 5}, off=0, opponent_off=0)
    root = parsed(render.svg(position))
    width = float(root.attrib["viewBox"].split()[2])
    mirrored = {(round(width - x, 2), y) for x, y in checkers(root, 0)}
    assert set(checkers(parsed(render.svg(position, direction="clockwise")), 0)) == mirrored
    flipped = parsed(render.svg(position.flip(), view="opponent"))
    assert checkers(flipped, 1) == checkers(root, 0), "the same board: who is on roll has the light checkers"


def test_the_direction_of_a_match_is_that_of_player_0() -> None:
    for direction in ("clockwise", "counterclockwise"):
        match = Match(direction=direction)
        other = "clockwise" if direction == "counterclockwise" else "counterclockwise"
        assert render.svg(match) == render.svg(match, direction=direction)  # type: ignore[arg-type]
        assert render.svg(match, view=1) == render.svg(match, view=1, direction=other)  # type: ignore[arg-type]


def cube_height(picture: str) -> tuple[str, float]:
    """What the cube shows, and where it lies between the top (0) and the bottom (1) of the picture."""
    root = parsed(picture)
    (box,) = shapes(root, "rect", width="42", height="42")
    x, y = (float(box.attrib[key]) + 21 for key in ("x", "y"))
    (face,) = [
        node.text
        for node in root.iter(SVG + "text")
        if float(node.attrib["x"]) == x and abs(float(node.attrib["y"]) - y) < 12
    ]
    return str(face), y / float(root.attrib["viewBox"].split()[3])


def test_the_cube_has_three_places() -> None:
    start = Position.start()
    shown = {
        owner: cube_height(render.svg(State(start, on_roll=0, cube=Cube(4, owner) if owner else Cube())))  # type: ignore[arg-type]
        for owner in ("player", "opponent", None)
    }
    assert {owner: face for owner, (face, _) in shown.items()} == {"player": "4", "opponent": "4", None: "64"}
    assert shown["opponent"][1] < 0.3 < shown[None][1] < 0.6 < shown["player"][1]
    assert cube_height(render.svg(doubled()))[0] == "2", "the offered cube"
    assert cube_height(render.svg(money_state()))[0] == "12", "stake x cube"
    big = State(start, on_roll=0, cube=Cube(2**15, "player"), stake=3, rules=Rules.money(cube_limit=None))
    assert cube_height(render.svg(big))[0] == str(3 * 2**15)


@pytest.mark.parametrize(
    "state",
    [
        State(Position.start(), on_roll=0, rules=Rules.casual()),
        State(Position.start(), on_roll=0, points=(4, 2), rules=Rules.match(5)),
    ],
    ids=["casual", "crawford"],
)
def test_no_cube_where_there_is_none(state: State) -> None:
    assert not shapes(parsed(render.svg(state)), "rect", width="42", height="42")


def test_dice() -> None:
    for roll in gammon.Roll.all():
        root = parsed(render.svg(State(STACKED, on_roll=0, roll=roll)))
        assert len(shapes(root, "circle", r="3.6")) == roll.high + roll.low
        assert len(shapes(root, "rect", width="38", height="38")) == 2
    assert not shapes(parsed(render.svg(STACKED)), "rect", width="38", height="38")


def test_plays_have_an_arrow_for_each_step_from_a_checker_to_its_place() -> None:
    tried = 0
    rows = batch.random_positions(12, seed=9)
    for position in [Position.from_array(row) for row in rows] + [STACKED, RACE, Position.start()]:
        for roll in (Roll(6, 5), Roll(3, 3), Roll(2, 1)):
            for play in list(position.plays(roll))[:6]:
                for view in ("player", "opponent"):
                    root = parsed(render.svg(play, view=view))  # type: ignore[arg-type]
                    arrows = shapes(root, "path", stroke=THEMES["light"].arrow)
                    assert len(arrows) == len(play.steps)
                    landings = shapes(root, "circle", stroke_dasharray="5 4")
                    assert len(landings) == sum(end != 0 for _, end in play.steps)
                    tried += 1
    assert tried > 200
    dance = Position.from_points({}, opponent=dict.fromkeys(range(1, 7), 2), bar=1).play("", Roll(6, 1))
    assert not shapes(parsed(render.svg(dance)), "path")
    assert any("no legal play" in text for text in words(parsed(render.svg(dance))))


def test_an_arrow_begins_on_the_moved_checker() -> None:
    play = Position.start().play("24/20", Roll(3, 1))
    root = parsed(render.svg(play))
    starts = [tuple(map(float, node.attrib["d"].split()[1:3])) for node in shapes(root, "path", stroke_width="4.5")]
    assert starts[0] in checkers(root, 0)
    landings = [(float(n.attrib["cx"]), float(n.attrib["cy"])) for n in shapes(root, "circle", stroke_dasharray="5 4")]
    assert starts[1] == landings[0], "the second step goes on from where the first one ended"


def test_texts_from_outside_are_no_markup() -> None:
    names = ('<script>alert("x")</script>', "]]><a href='javascript:x'>&lt;&#x41;\x00\x0b\ud800\ufffe")
    match = Match(Rules.match(3), names=(names[0], names[1].replace("\ud800", "")))
    for drawable in (match, hostile()):
        for picture in (render.svg(drawable), render.cards(drawable)):
            root = parsed(picture)
            assert "<script" not in picture
            assert "<a " not in picture
            assert "<b " not in picture
            assert any(text.startswith(("<script>alert", "<b onclick")) for text in words(root))
    braces = Match(names=("{above}", "{below}"))
    braces.roll(Roll(3, 1), player=0)
    assert any("{above} to play 31" in text for text in words(parsed(render.svg(braces))))


def test_it_says_in_words_what_it_shows() -> None:
    root = parsed(render.svg(STACKED))
    assert (root.attrib["role"], root.attrib["aria-label"]) == ("img", "Backgammon position")
    title, description = root[0], root[1]
    assert (title.tag, description.tag) == (SVG + "title", SVG + "desc")
    assert description.text == (
        "White (on roll), 85 pips, by own points: 2 on the bar, 1 on 20, 2 on 4, 7 on 1, 3 off. "
        "Black (opponent), 140 pips, by own points: 3 on the bar, 1 on 23, 2 on 12, 6 on 3, 3 off."
    )
    assert "owned by Bob" in str(parsed(render.svg(redoubled()))[1].text)
    assert str(parsed(render.svg(doubled()))[0].text).endswith("Bob doubles to 2: Ann to answer")


@pytest.mark.parametrize("width", [1, 33.3, 640, 100_000])
def test_any_size(width: float) -> None:
    for draw in (render.svg, render.cards):
        root = parsed(draw(STACKED, width=width))  # type: ignore[operator]
        _, _, wide, high = map(float, root.attrib["viewBox"].split())
        assert float(root.attrib["width"]) == pytest.approx(width, abs=0.01)
        assert float(root.attrib["height"]) == pytest.approx(width * high / wide, abs=0.01)


def luminance(color: str) -> float:
    """Relative luminance as in WCAG 2."""
    parts = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_contrast(theme: str) -> None:
    """Texts can be read (WCAG AA), and the checkers of the two seats differ in lightness, not only in hue."""
    colors = THEMES[theme]
    assert contrast(colors.ink, colors.page) > 7
    assert contrast(colors.faint, colors.page) > 4.5
    assert contrast(colors.frame_ink, colors.frame) > 4.5
    for dress in colors.checkers:
        assert contrast(dress.ink, dress.fill) > 4.5
    assert contrast(colors.checkers[0].fill, colors.checkers[1].fill) > 3


class TestCards:
    def test_text_is_that_of_the_cards(self) -> None:
        state = money_state()
        text = render.cards(state, format="text")
        assert from_text(text) == (state.position, "black")
        assert from_text(render.cards(STACKED, format="text")) == (STACKED, "red")

    def test_every_card_is_there(self) -> None:
        root = parsed(render.cards(STACKED))
        assert len(shapes(root, "rect", fill="#3c5a7d")) == 13, "twelve cards and one crosswise"
        drawn = shapes(root, "rect", width="42", height="58")
        counts = [abs(STACKED[point]) for point in range(1, 25)] + [STACKED.bar, STACKED.opponent_bar]
        assert len(drawn) == sum(min(count, 5) for count in counts)
        assert {"6", "7"} <= set(words(root))

    def test_the_start_as_the_rules_have_it(self) -> None:
        """Rule 8.1: red two above 12, five above 1, three below 5, five below 7; black mirrored."""
        root = parsed(render.cards(Position.start()))
        backs = shapes(root, "rect", fill="#3c5a7d", width="50")
        row = float(backs[0].attrib["y"]) + 36
        columns = [float(node.attrib["x"]) + 25 for node in backs]
        found: dict[tuple[int, str], int] = {}
        for node in shapes(root, "rect", width="42", height="58"):
            card = columns.index(float(node.attrib["x"]) + 21) + 1
            side = "above" if float(node.attrib["y"]) < row else "below"
            found[card, side] = found.get((card, side), 0) + 1
        red = {(12, "above"): 2, (1, "above"): 5, (5, "below"): 3, (7, "below"): 5}
        black = {(12, "below"): 2, (1, "below"): 5, (5, "above"): 3, (7, "above"): 5}
        assert found == red | black

    def test_the_roll_is_two_cards(self) -> None:
        root = parsed(render.cards(redoubled()))
        assert len(shapes(root, "rect", width="36", height="50")) == 2
        assert {"2", "A"} <= set(words(root))


def test_notebooks_show_pictures() -> None:
    position = Position.start()
    play = position.play("8/5 6/5", Roll(3, 1))
    match = doubled()
    for value in (position, play, match.state, match):
        assert value._repr_svg_() == str(render.svg(value))
    drawing = render.svg(position, theme="dark")
    assert drawing._repr_svg_() == str(drawing)
    script = "import sys, gammon; gammon.State; assert not [m for m in sys.modules if m.startswith('gammon.render')]"
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (lambda: render.svg(3), "3"),  # type: ignore[arg-type]
        (lambda: render.svg(Position.start(), theme="pink"), "pink"),  # type: ignore[arg-type]
        (lambda: render.svg(Position.start(), theme=None), "None"),  # type: ignore[arg-type]
        (lambda: render.svg(Position.start(), width=0), "0"),
        (lambda: render.svg(Position.start(), width=float("nan")), "nan"),
        (lambda: render.svg(Position.start(), width="10"), "10"),  # type: ignore[arg-type]
        (lambda: render.svg(Position.start(), width=True), "True"),
        (lambda: render.svg(Position.start(), view=1), "1"),
        (lambda: render.svg(Position.start(), direction="up"), "up"),  # type: ignore[arg-type]
        (lambda: render.cards("x"), "x"),  # type: ignore[arg-type]
        (lambda: render.cards(Position.start(), format="png"), "png"),  # type: ignore[arg-type]
        (lambda: render.cards(Position.start(), width=-1), "-1"),
    ],
)
def test_what_cannot_be_drawn(call, value: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgumentError, match=value):
        call()
