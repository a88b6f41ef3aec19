"""What a record from another program needs of a match: set positions and scores, broken-off games, impossible plays."""

from __future__ import annotations

import dataclasses
import json

import pytest

from gammon import IllegalActionError, IllegalPlayError, InvalidArgumentError, Match, Position, Roll, Rules
from gammon.dice import RandomDice, SequenceDice
from gammon.match import Event, Phase
from gammon.match._codec import AbsentDice
from gammon.play import Play


def again(match: Match) -> Match:
    return Match.from_dict(json.loads(json.dumps(match.to_dict())))


def test_a_position_is_set_for_either_player() -> None:
    match = Match(Rules.money(cube_limit=None), dice=SequenceDice([(6, 6)]))
    board = Position.from_points({6: 2, 24: 1}, opponent={6: 3})
    match.set_position(board, on_roll=1, value=4, owner=1, stake=2)
    state = match.state
    assert state.position == board.flip()
    assert (state.on_roll, state.cube.value, state.cube.owner, state.stake) == (1, 4, "player", 2)
    assert {action.kind for action in match.legal_actions()} >= {"roll", "double"}
    assert match.roll() == Roll(6, 6)
    match.undo(2)
    assert match.phase is Phase.OPENING
    match.redo(2)
    assert again(match) == match


def test_a_position_between_games_begins_the_next() -> None:
    match = Match(Rules.match(5), dice=RandomDice(seed=1))
    match.roll()
    match.resign()
    match.accept()
    match.set_position(Position.start(), on_roll=0)
    assert (match.phase, len(match.games), match.turn) == (Phase.ON_ROLL, 1, 3)


@pytest.mark.parametrize("settings", [{"value": 3}, {"value": 128}, {"stake": 128}, {"owner": 2}])
def test_a_position_with_a_wrong_cube_is_refused(settings: dict[str, int]) -> None:
    match = Match()
    with pytest.raises((IllegalActionError, InvalidArgumentError)):
        match.set_position(Position.start(), on_roll=0, **settings)
    assert match.record == ()


def test_no_position_while_an_offer_is_pending_and_none_that_is_finished() -> None:
    match = Match(dice=RandomDice(seed=1))
    match.roll()
    match.resign()
    with pytest.raises(IllegalActionError, match="awaits the answer"):
        match.set_position(Position.start(), on_roll=0)
    match.decline()
    with pytest.raises(IllegalActionError, match="not finished"):
        match.set_position(Position.from_points({}, opponent={6: 3}), on_roll=0)


def test_a_score_is_set_between_games() -> None:
    match = Match(Rules.match(5), dice=RandomDice(seed=1))
    match.set_score((4, 2), "the first games are missing")
    assert (match.score, match.state.is_crawford) == ((4, 2), True)
    match.roll()
    with pytest.raises(IllegalActionError, match="between games"):
        match.set_score((0, 0))
    assert again(match) == match
    match.undo(2)
    match.set_score((5, 2))
    assert (match.is_over, match.winner) == (True, 0)


@pytest.mark.parametrize("points", [(1,), (1, -1), ("1", 0), None, (1, 1 << 30), 7])
def test_a_score_that_is_none_is_refused(points: object) -> None:
    with pytest.raises((InvalidArgumentError, IllegalActionError)):
        Match().set_score(points)  # type: ignore[arg-type]


def test_an_abandoned_game_counts_for_nobody() -> None:
    match = Match(Rules.match(5), dice=RandomDice(seed=1))
    with pytest.raises(IllegalActionError):
        match.abandon()
    match.roll()
    match.abandon("the connection was lost")
    assert (match.phase, match.score, match.games) == (Phase.GAME_OVER, (0, 0), ())
    match.roll()
    assert again(match) == match


class TestPlaysOnRecord:
    def rolled(self) -> Match:
        return Match(Rules.match(5), dice=SequenceDice([(3, 1), (6, 5), (5, 5)]))

    def test_rules_that_reject_illegal_plays_keep_what_is_on_record(self) -> None:
        match = self.rolled()
        match.roll()
        with pytest.raises(IllegalActionError, match="reject"):
            match.play("8/5", illegal=True)
        assert match.play("8/5", illegal=True, on_record=True) == "8/5"
        assert match.record[-1].notes == ("illegal",)
        assert match.state.position.flip()[5] == 1
        assert again(match) == match

    def test_a_legal_play_is_not_made_illegal(self) -> None:
        match = self.rolled()
        match.roll()
        match.play("8/5 6/5", illegal=True, on_record=True)
        assert match.record[-1].notes == ()

    def test_steps_that_cannot_be_made_are_left_out(self) -> None:
        match = self.rolled()
        match.roll()
        match.play("8/5 12/9 24/19 x/y 6/5(9) 13/10(2)", illegal=True, on_record=True)
        position = match.state.position.flip()
        assert [position[point] for point in (24, 13, 10, 8, 5, 6)] == [2, 3, 2, 2, 1, 5]
        left_out = ("left out: 12/9", "left out: 24/19", "left out: x/y", "left out: 6/5(9)")
        assert match.record[-1].notes == (*left_out, "illegal")
        assert again(match) == match

    def test_without_on_record_they_are_refused(self) -> None:
        match = Match(Rules.match(5, on_illegal_play="record"), dice=SequenceDice([(3, 1)]))
        match.roll()
        with pytest.raises(IllegalPlayError):
            match.play("12/9", illegal=True)


def test_events_from_elsewhere_take_nothing_from_the_dice() -> None:
    match = Match(Rules.money(automatic_doubles=1), dice=RandomDice(seed=3))
    match.add(Event("roll", throws=((2, 2), (3, 1))))
    assert (match.state.stake, match.state.roll) == (2, Roll(3, 1))
    match.add(Event("play", player=0, play="8/5 6/5"))
    assert match.roll() == RandomDice(seed=3).roll()
    with pytest.raises(IllegalActionError):
        match.add(Event("take", player=0))
    assert again(match) == match
    with pytest.raises(IllegalActionError, match="clock"):
        Match(Rules.tournament(5, clock_use="required")).add(Event("roll", throws=((3, 1),)))


def test_a_turn_at_once_is_a_roll_and_a_play() -> None:
    from format_matches import random_match

    turns = 0
    for seed in range(10):
        match = random_match(seed)
        fast = Match(match.rules, names=match.names, dice=AbsentDice("manual"))
        slow = Match(match.rules, names=match.names, dice=AbsentDice("manual"))
        record = list(match.record)
        for index, event in enumerate(record):
            following = record[index + 1] if index + 1 < len(record) else None
            given = dataclasses.replace(event, given=bool(event.throws), source=None)
            slow.add(given)
            if event.kind == "roll" and event.player is not None and following and isinstance(following.play, Play):
                fast.add_turn(event.player, following.play)
                turns += 1
            elif not (
                event.kind == "play" and record[index - 1].kind == "roll" and record[index - 1].player is not None
            ):
                fast.add(given)
        assert fast == slow
        assert list(fast.history()) == list(slow.history())
        assert fast.moment == slow.moment
    assert turns > 300
