"""The playing-card version (rules 8.1 to 8.4)."""

import itertools
import random
from collections import Counter

import pytest
from match_play import RULE_SETS, random_match

from gammon import Match, Position, Roll, Rules
from gammon.cards import card_of, cards_needed, from_text, point_of, to_text
from gammon.dice import CardDice, SequenceDice
from gammon.errors import GammonError, IllegalPlayError, InvalidPositionError, NotationError


def test_rule_8_1_where_the_points_lie():
    for color, far, near in (("red", "above", "below"), ("black", "below", "above")):
        for card in range(1, 13):
            assert point_of(card, far, color) == 12 + card
            assert point_of(card, near, color) == 13 - card
        for point in range(1, 25):
            assert point_of(*card_of(point, color), color) == point
    for point in range(1, 25):
        assert card_of(point, "red") == card_of(25 - point, "black")
    assert [card_of(point) for point in (24, 13, 8, 6)] == [(12, "above"), (1, "above"), (5, "below"), (7, "below")]
    assert {card_of(25 - die)[1] for die in range(1, 7)} == {"above"}, "red enters above on the right"
    assert min(card_of(25 - die)[0] for die in range(1, 7)) == 7


def fields(text):
    """(card, side) -> what lies there, and the hit cards."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if words[0] in ("above", "below"):
            found |= {(card, words[0]): cell for card, cell in enumerate(words[1:13], 1)}
            found["hit", words[0]] = words[14]
    return found


def test_rule_8_1_the_start():
    laid = fields(to_text(Position.start()))
    cards = {place: cell for place, cell in laid.items() if cell != "."}
    assert cards == {
        (12, "above"): "R2",
        (1, "above"): "R5",
        (5, "below"): "R3",
        (7, "below"): "R5",
        (12, "below"): "B2",
        (1, "below"): "B5",
        (5, "above"): "B3",
        (7, "above"): "B5",
        ("hit", "above"): "R0",
        ("hit", "below"): "B0",
    }


def test_rule_8_1_the_worked_example():
    """Red 3-1 takes one from below 5 and one from below 7 to below 8; black 6-5 runs from below 12 over 6 to 1."""
    match = Match(Rules.casual(), names=("Red", "Black"), dice=SequenceDice([(3, 1), (6, 5)]))
    match.roll()
    match.play("8/5 6/5")
    red_view = match.state.position.flip()
    laid = fields(to_text(red_view))
    assert [laid[place] for place in ((5, "below"), (7, "below"), (8, "below"))] == ["R2", "R4", "R2"]
    match.roll()
    assert [card_of(point, "black") for point in (24, 18, 13)] == [(12, "below"), (6, "below"), (1, "below")]
    assert card_of(19, "black") == card_of(6, "red") == (7, "below")
    assert match.state.position[19] == -4, "four red cards below card 7"
    with pytest.raises(IllegalPlayError, match="19, which is blocked"):
        match.play("24/19/13")
    match.play("24/18/13")
    laid = fields(to_text(match.state.position))
    assert [laid[place] for place in ((12, "below"), (6, "below"), (1, "below"))] == ["B1", ".", "B6"]


def test_rule_8_1_hit_cards_lie_to_the_right():
    position = Position.from_points({6: 2, 24: 1}, opponent={6: 3}, bar=2, opponent_bar=1)
    laid = fields(to_text(position))
    assert (laid["hit", "above"], laid["hit", "below"]) == ("R2", "B1")
    laid = fields(to_text(position, on_roll="black"))
    assert (laid["hit", "above"], laid["hit", "below"]) == ("R1", "B2")


def test_rule_8_2_two_packs_each_shuffled_whole_again():
    """Every draw has the distribution of two dice, and the same card may come twice in a row."""
    dice = CardDice(seed=12)
    draws = Counter(dice.throw() for _ in range(7200))
    assert len(draws) == 36
    assert all(130 < count < 275 for count in draws.values())
    rolls = [dice.roll() for _ in range(500)]
    assert any(first == second for first, second in itertools.pairwise(rolls))


def test_rule_8_2_a_tie_of_the_opening_is_drawn_again():
    for seed in range(40):
        match = Match(Rules.casual(), dice=CardDice(seed=seed))
        match.roll()
        (event,) = match.record
        assert all(first == second for first, second in event.throws[:-1])
        assert not match.state.roll.is_double
        if len(event.throws) > 1:
            return
    raise AssertionError("forty seeds without a tie")


def test_rule_8_3_a_whole_match_is_played_in_this_layout():
    """Rule 8.3: everything else is the board game; every position is shown and read back."""
    seen = 0

    def see(match):
        nonlocal seen
        seen += 1
        color = ("red", "black")[match.state.on_roll]
        assert from_text(to_text(match.state.position, on_roll=color)) == (match.state.position, color)

    match = random_match(RULE_SETS["match"], 3, see=see)  # a third of the seeds draws cards
    assert isinstance(match.dice, CardDice)
    assert match.is_over
    assert seen > 50


def test_rule_8_3_positions_with_missing_checkers_too():
    position = Position.from_points({6: 3}, opponent={6: 3}, off=2, opponent_off=0)
    assert "off      R2 B0" in to_text(position)
    assert from_text(to_text(position)) == (position, "red")


def test_rule_8_4_cards_needed():
    assert cards_needed() == 12 + 1 + 30 == 43 == 52 - 9
    assert cards_needed(dice=True) == 55
    assert cards_needed(dice=True, bar_card=False) == 54, "two jokers in the row and something else as the bar"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("R2 ", "X2 ", 1), "line 2: twelve fields"),
        (lambda text: text.replace("  R2", "", 1), "line 2: twelve fields"),
        (lambda text: text.replace("on roll  red", "on roll  blue"), "line 6: red or black"),
        (lambda text: text.replace("off      R0 B0", "off      none"), "line 5: the cards off"),
        (lambda text: text.replace("below", "under"), "a line begins with"),
        (lambda text: text + "\n" + text, "there are two lines"),
        (lambda text: "\n".join(text.splitlines()[:3]), "the line 'below' is missing"),
        (lambda text: "", "is missing"),
        (lambda text: text * 9, "six lines"),
        (lambda text: None, "six lines"),
    ],
)
def test_a_text_that_is_no_layout(change, message):
    with pytest.raises(NotationError, match=message):
        from_text(change(to_text(Position.start())))


def test_cards_that_are_no_position():
    text = to_text(Position.start())
    for wrong in (text.replace("R5", "R9"), text.replace("R5", "R999"), text.replace("R0 B0", "R9 B0")):
        with pytest.raises(InvalidPositionError):
            from_text(wrong)


def test_damaged_layouts_raise_our_errors_only():
    chance = random.Random(1)
    text = to_text(Position.start())
    letters = "RB0159. \nabelowfhitnrdk-\t٣é"
    read = 0
    for _ in range(3000):
        damaged = list(text)
        for _ in range(chance.choice([1, 1, 2, 5])):
            damaged[chance.randrange(len(damaged))] = chance.choice(letters)
        try:
            position, color = from_text("".join(damaged))
        except GammonError:
            continue
        assert from_text(to_text(position, on_roll=color)) == (position, color)
        read += 1
    assert read > 100


@pytest.mark.parametrize("call", [lambda: card_of(0), lambda: card_of(25), lambda: point_of(13, "above")])
def test_places_that_do_not_exist(call):
    with pytest.raises(NotationError):
        call()
    with pytest.raises(NotationError, match="red or black"):
        to_text(Position.start(), on_roll="blue")
    with pytest.raises(NotationError, match="above and one below"):
        point_of(1, "left")
    assert from_text(to_text(Position.start().play("8/5 6/5", Roll(3, 1)).after))[1] == "red"
