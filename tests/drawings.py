"""What the golden files show: a name for each drawing, and how it comes about.

`python tests/drawings.py` writes them again, to be looked at before they are committed.
"""

from __future__ import annotations

from pathlib import Path

from gammon import Match, Offer, Position, Roll, Rules, State, render
from gammon.cube import Cube
from gammon.dice import SequenceDice

FOLDER = Path(__file__).parent / "data" / "boards"
DOCS = Path(__file__).parent.parent / "docs" / "images"
DOCS_PICTURES = ("play", "match-redoubled", "cards-start")

STACKED = Position.from_points({1: 7, 4: 2, 20: 1}, opponent={3: 6, 12: 2, 23: 1}, bar=2, opponent_bar=3)
"""Stacks above five, both bars, checkers off: nothing is its own mirror."""
RACE = Position.from_points({6: 3, 5: 2}, opponent={4: 2, 1: 1})


def doubled() -> Match:
    """Bob doubles early in a match of seven points."""
    match = Match(Rules.match(7), names=("Ann", "Bob"), dice=SequenceDice([(3, 1), (6, 4)]))
    match.roll()
    match.play("8/5 6/5")
    match.double()
    return match


def redoubled() -> Match:
    """The cube lies with Bob, and Ann has rolled."""
    match = doubled()
    match.undo()
    match.roll()
    match.play("24/14")
    match.double()
    match.take()
    match.roll(Roll(2, 1))
    return match


def hostile() -> Match:
    """Names that would do harm if they were written as they are."""
    return Match(Rules.match(3), names=("<b onclick='x()'>&amp;]]>\x1b[2J", "Jürgen \u202e\n" + "W" * 60))


def money_state() -> State:
    return State(STACKED, on_roll=1, roll=Roll(6, 6), cube=Cube(4, "player"), stake=3, points=(2, 11))


def crawford_state() -> State:
    return State(STACKED, on_roll=0, points=(4, 2), rules=Rules.match(5))


def resigned_state() -> State:
    rules = Rules.match(5)
    return State(RACE, on_roll=0, points=(4, 2), post_crawford=True, offer=Offer.RESIGN_2, offered_by=1, rules=rules)


def texts() -> dict[str, str]:
    """Every text board that has a golden file, by its name."""
    hit = Position.from_points({13: 2, 8: 1}, opponent={18: 1, 20: 1}).play("8/7*/5*", Roll(2, 1))
    return {
        "start": render.text(Position.start()),
        "start-opponent": render.text(Position.start(), view="opponent"),
        "start-clockwise": render.text(Position.start(), direction="clockwise"),
        "stacked": render.text(STACKED),
        "stacked-opponent": render.text(STACKED, view="opponent"),
        "stacked-unicode": render.text(STACKED, unicode=True),
        "stacked-color": render.text(STACKED, color=True),
        "stacked-unicode-color": render.text(STACKED, unicode=True, color=True),
        "play": render.text(hit),
        "state-money": render.text(money_state()),
        "state-money-seat-0": render.text(money_state(), view=0),
        "state-crawford": render.text(crawford_state()),
        "state-resigned": render.text(resigned_state()),
        "match-doubled": render.text(doubled()),
        "match-doubled-seat-1": render.text(doubled(), view=1),
        "match-redoubled-unicode": render.text(redoubled(), unicode=True),
        "match-hostile": render.text(hostile()),
        "match-hostile-unicode": render.text(hostile(), unicode=True),
    }


def pictures() -> dict[str, str]:
    """Every picture that has a golden file, by its name."""
    opening = Position.start().play("8/5 6/5", Roll(3, 1))
    return {
        "start": render.svg(Position.start()),
        "play": render.svg(opening),
        "match-redoubled": render.svg(redoubled()),
        "state-money-color-blind": render.svg(money_state(), theme="color-blind"),
        "stacked-clockwise-dark": render.svg(STACKED, direction="clockwise", theme="dark"),
        "match-hostile": render.svg(hostile()),
        "cards-start": render.cards(Position.start()),
        "cards-match-redoubled": render.cards(redoubled()),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, drawing in texts().items():
        (FOLDER / f"{name}.txt").write_text(drawing + "\n", encoding="utf-8")
    for name, drawing in pictures().items():
        (FOLDER / f"{name}.svg").write_text(drawing + "\n", encoding="utf-8")
    for name in DOCS_PICTURES:
        (DOCS / f"{name}.svg").write_text(pictures()[name] + "\n", encoding="utf-8")
