"""Rolls, and dice from every source; numpy's Philox is the twin of the generator."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import philox
import pytest

import gammon
from gammon.bearoff import TwoSided
from gammon.dice import CardDice, DiceSource, ManualDice, RandomDice, SequenceDice

SEEDS = [0, 1, 7, 2**63, 2**64 - 1]


class TestRoll:
    def test_the_larger_die_is_first(self) -> None:
        for first, second in itertools.product(range(1, 7), repeat=2):
            roll = gammon.Roll(first, second)
            assert (roll.high, roll.low) == (max(first, second), min(first, second))
            assert roll == gammon.Roll(second, first)
            assert hash(roll) == hash(gammon.Roll(second, first))
            assert roll.is_double == (first == second)

    def test_rule_2_3_weights(self) -> None:
        rolls = gammon.Roll.all()
        assert len(rolls) == len(set(rolls)) == 21
        throws = Counter(gammon.Roll(*throw) for throw in itertools.product(range(1, 7), repeat=2))
        assert {roll: roll.weight for roll in rolls} == throws
        assert [roll.index for roll in rolls] == list(range(21))
        assert sorted(gammon.Roll.throws()) == list(itertools.product(range(1, 7), repeat=2))

    def test_rule_2_1_openings(self) -> None:
        assert len(gammon.Roll.openings()) == 15
        assert set(gammon.Roll.openings()) == {roll for roll in gammon.Roll.all() if not roll.is_double}

    @pytest.mark.parametrize("text", ["31", "13", "3-1", "1,3", "3 1", "3, 1"])
    def test_parse(self, text: str) -> None:
        assert gammon.Roll.parse(text) == gammon.Roll(3, 1)
        assert str(gammon.Roll.parse(text)) == "31"

    @pytest.mark.parametrize(
        "text", ["", "3", "37", "03", "311", "3--- 1", "three", "3/1", "\uff13\uff11", "31\n", "\x00"]
    )
    def test_parse_refuses(self, text: str) -> None:
        with pytest.raises(gammon.NotationError):
            gammon.Roll.parse(text)

    def test_text_in_its_place(self) -> None:
        """Whatever asks for a roll takes a text of one too, and says what is wrong with another."""
        start, roll = gammon.Position.start(), gammon.Roll(3, 1)
        assert list(start.plays("3-1")) == list(start.plays(roll))
        assert start.play("8/5 6/5", "13") == start.play("8/5 6/5", roll)
        race = gammon.Position.from_points({6: 1, 4: 1}, opponent={6: 1, 2: 1})
        table = TwoSided.build(points=6, checkers=2)
        assert table.best_play(race, "31") == table.best_play(race, roll)
        match = gammon.Match()
        assert match.roll("31", player=0) == roll
        asked: list[Callable[[Any], object]] = [
            start.plays,
            lambda roll: start.play("8/5 6/5", roll),
            lambda roll: table.best_play(race, roll),
            lambda roll: gammon.Match().roll(roll, player=0),
            lambda roll: gammon.Engine().rank_plays(start, roll),
        ]
        for ask in asked:
            with pytest.raises(gammon.NotationError, match="37"):
                ask("37")
            with pytest.raises(gammon.InvalidArgumentError, match="31"):
                ask(31)

    @pytest.mark.parametrize("dice", [(0, 1), (1, 7), (-1, 3), (3, 2**70), (2**63, 1), (256 + 3, 1)])
    def test_dice_out_of_range(self, dice: tuple[int, int]) -> None:
        with pytest.raises(ValueError, match=str(max(dice, key=abs))):
            gammon.Roll(*dice)

    @pytest.mark.parametrize("dice", [("3", "1"), (3.5, 1), (None, 1), ("31",), (3, 1, 2)])
    def test_dice_of_another_kind(self, dice: tuple[object, ...]) -> None:
        with pytest.raises(TypeError):
            gammon.Roll(*dice)  # type: ignore[arg-type]

    def test_order(self) -> None:
        assert sorted(gammon.Roll.all(), reverse=True)[0] == gammon.Roll(6, 6)
        assert sorted(gammon.Roll.all()) == list(gammon.Roll.all())


class TestRandomDice:
    @pytest.mark.parametrize("seed", SEEDS)
    @pytest.mark.parametrize("game", [0, 1, 2**32, 2**64 - 1])
    def test_numpy_is_the_twin(self, seed: int, game: int) -> None:
        dice = RandomDice(seed=seed, game=game)
        for draw in range(5):
            assert dice.throw() == philox.throw(seed, game, 0, draw)
        for turn in range(1, 40):
            assert dice.roll() == gammon.Roll(*philox.throw(seed, game, turn))

    def test_games_follow(self) -> None:
        dice = RandomDice(seed=5)
        for game in range(4):
            other = RandomDice(seed=5, game=game)
            assert dice.throw() == other.throw()
            assert [dice.roll() for _ in range(9)] == [other.roll() for _ in range(9)]
            dice.new_game()

    def test_a_seed_is_drawn_and_kept(self) -> None:
        first, second = RandomDice(), RandomDice()
        assert first.seed != second.seed
        again = RandomDice(first.seed)
        assert [first.roll() for _ in range(20)] == [again.roll() for _ in range(20)]

    def test_numbers_of_numpy(self) -> None:
        assert RandomDice(np.uint64(5), game=np.int8(2)).roll() == RandomDice(5, game=2).roll()
        assert repr(RandomDice(np.uint64(5))) == repr(RandomDice(5))
        assert gammon.simulate(np.int64(50), seed=np.uint64(5)) == gammon.simulate(50, seed=5)

    @pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", True])
    def test_impossible_seeds(self, seed: object) -> None:
        with pytest.raises(ValueError, match="seed"):
            RandomDice(seed=seed)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="game"):
            RandomDice(seed=1, game=seed)  # type: ignore[arg-type]

    @pytest.mark.parametrize("make", [RandomDice, CardDice])
    def test_no_bias_case_r01(self, make: type[RandomDice]) -> None:
        """36 ordered throws, evenly: chi-square with 35 degrees of freedom; the seeds are fixed."""
        n = 36_000
        counts = Counter(make(seed=3, game=game).throw() for game in range(n))
        assert len(counts) == 36
        chi2 = sum((count - n / 36) ** 2 / (n / 36) for count in counts.values())
        assert chi2 < 75, "a chance of 1 in 10,000"
        rolls = make(seed=4)
        seen = Counter(rolls.roll() for _ in range(n))
        chi2 = sum((seen[roll] - n * roll.weight / 36) ** 2 / (n * roll.weight / 36) for roll in gammon.Roll.all())
        assert chi2 < 52, "20 degrees of freedom: a chance of 1 in 10,000"


class TestCardDice:
    """Rule 8.2: two packs of six, one card of each, both put back and shuffled."""

    def test_rule_8_2_every_draw_is_two_dice(self) -> None:
        dice = CardDice(seed=1)
        rolls = [dice.roll() for _ in range(2_000)]
        assert set(rolls) == set(gammon.Roll.all())
        # Both cards are put back: a pair can come again at once, and the packs are two: doubles exist.
        assert any(first == second for first, second in itertools.pairwise(rolls))

    def test_a_stream_of_its_own(self) -> None:
        """Cards and dice of one seed have nothing to do with each other."""
        cards, dice = CardDice(seed=2), RandomDice(seed=2)
        assert [cards.roll() for _ in range(30)] != [dice.roll() for _ in range(30)]
        assert CardDice(seed=2).throw() == CardDice(seed=2).throw()
        assert [CardDice(seed=9, game=2).roll() for _ in range(3)] == [CardDice(seed=9, game=2).roll()] * 3


class TestSequenceDice:
    def test_in_order(self) -> None:
        dice = SequenceDice([(1, 3), gammon.Roll(6, 6), (2, 5)])
        assert dice.throw() == (1, 3)
        assert dice.roll() == gammon.Roll(6, 6)
        dice.new_game()
        assert dice.roll() == gammon.Roll(5, 2)

    def test_at_the_end(self) -> None:
        dice = SequenceDice([(3, 1)])
        dice.roll()
        with pytest.raises(gammon.GammonError, match="1 throws"):
            dice.roll()

    def test_what_is_no_throw(self) -> None:
        with pytest.raises(gammon.GammonError, match="7"):
            SequenceDice([(3, 1), (7, 1)])


class TestManualDice:
    def test_what_is_entered(self) -> None:
        answers = iter([(2, 6), "31", "1-4"])
        dice = ManualDice(lambda: next(answers))
        assert dice.throw() == (2, 6)
        assert dice.roll() == gammon.Roll(3, 1)
        assert dice.throw() == (1, 4)

    @pytest.mark.parametrize("answer", [(7, 1), "71", "", (0, 0)])
    def test_what_is_no_throw(self, answer: tuple[int, int] | str) -> None:
        with pytest.raises(gammon.GammonError):
            ManualDice(lambda: answer).roll()


@pytest.mark.parametrize(
    "source",
    [RandomDice(1), CardDice(1), SequenceDice([(3, 1)]), ManualDice(lambda: "31")],
    ids=lambda s: type(s).__name__,
)
def test_rule_2_4_sources_are_exchangeable(source: DiceSource) -> None:
    assert isinstance(source, DiceSource)
    assert isinstance(source.roll(), gammon.Roll)
