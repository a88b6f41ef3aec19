"""Players at levels: in matches and in simulations."""

from __future__ import annotations

import dataclasses
import pickle
from collections import Counter

import numpy as np
import pytest
from match_play import after_crawford, roll_opening

import gammon
from gammon import Action, Match, Model, Phase, Position, Roll, Rules, State, _core, batch
from gammon.bearoff import OneSided
from gammon.cube import Cube
from gammon.dice import RandomDice, SequenceDice
from gammon.engine import LEVELS, Engine, Level, Player
from gammon.errors import IllegalActionError, InvalidArgumentError


def played(rules: Rules, seed: int, levels: tuple[str, str]) -> Match:
    match = Match(rules, dice=RandomDice(seed=seed))
    players = [Player(level, seed=seat) for seat, level in enumerate(levels)]
    while not match.is_over and len(match.games) < 3:
        match.apply(players[match.to_act or 0].act(match))
    return match


@pytest.mark.parametrize("level", [name for name in LEVELS if LEVELS[name].plies == 0])
def test_matches_are_played_to_their_end_and_again(level: str) -> None:
    match = played(Rules.match(3), 7, (level, level))
    assert len(match.games) >= 1
    assert match.record == played(Rules.match(3), 7, (level, level)).record
    # Taken back and gone on with, it is the same match.
    assert match.is_over
    again = Match.from_dict(match.to_dict())
    again.undo(20)
    players = [Player(level, seed=seat) for seat in (0, 1)]
    while not again.is_over:
        again.apply(players[again.to_act or 0].act(again))
    assert [str(event) for event in again.record] == [str(event) for event in match.record]


@pytest.mark.parametrize(
    "rules",
    [Rules.money(beavers=3), Rules.tournament(5), Rules.casual(), Rules.match(5, holland=True, dead_cube="allow")],
)
def test_under_all_rules(rules: Rules) -> None:
    kinds: Counter[str] = Counter()
    for seed in range(4):
        match = played(rules, seed, ("beginner", "casual"))
        kinds.update(event.kind for event in match.record)
    assert kinds["play"] > 50
    assert (kinds["double"] > 0) == rules.use_cube
    assert kinds["take"] + kinds["drop"] + kinds["beaver"] >= kinds["double"] > 0 or not rules.use_cube


def test_a_player_without_noise_does_what_the_engine_says() -> None:
    match = Match(Rules.match(5), dice=SequenceDice([(3, 1), (6, 4)]))
    match.roll()
    action = Player("expert").act(match)
    assert action == Action("play", match.to_act, play=Engine(1, Model.strong()).best_play(match.state))


def test_noise_is_seeded_and_makes_errors() -> None:
    match = Match(dice=RandomDice(seed=1))
    match.roll()
    plays = {str(Player("beginner", seed=seed).act(match).play) for seed in range(40)}
    assert len(plays) > 3
    assert Player("beginner", seed=5).act(match) == Player("beginner", seed=5).act(match)
    nothing = {str(Player(Level(0, 0.0), seed=seed).act(match).play) for seed in range(5)}
    assert len(nothing) == 1


def state_of(position: Position, **fields: object) -> State:
    return dataclasses.replace(State(position, on_roll=0, rules=Rules.money(jacoby=False)), **fields)  # type: ignore[arg-type]


HOPELESS = Position.from_points({6: 8, 5: 6}, opponent={1: 2})
"""One checker off, so no gammon is lost; the opponent's two are off next turn."""


def test_lost_games_are_resigned() -> None:
    match = Match.from_state(state_of(HOPELESS))
    assert Player("master").act(match) == Action("resign", 0, level=1)
    gammon_lost = Position.from_points({13: 8, 12: 7}, opponent={1: 2})
    assert Player("casual").act(Match.from_state(state_of(gammon_lost))) == Action("resign", 0, level=2)
    # Under the Jacoby rule that is a single game as long as the cube was not turned.
    jacoby = state_of(gammon_lost, rules=Rules.money())
    assert Player("casual").act(Match.from_state(jacoby)) == Action("resign", 0, level=1)
    turned = dataclasses.replace(jacoby, cube=Cube(2, "opponent"))
    assert Player("casual").act(Match.from_state(turned)) == Action("resign", 0, level=2)
    assert Player("master").act(Match.from_state(state_of(Position.start()))).kind == "roll"


def test_only_what_is_certain_is_resigned_s13() -> None:
    # Two 6-6 in a row win: once in 1,296 games, more or less.
    slim = Position.from_points({6: 8}, opponent={1: 3})
    assert 0 < OneSided.default().win_probability(slim) < 0.001
    assert Player("master").act(Match.from_state(state_of(slim))).kind == "roll"
    rows = batch.random_positions(100_000, seed=8)
    rows = rows[(rows[:, 7:26] <= 0).all(1) & (rows[:, :19] >= 0).all(1)]
    chances, held = OneSided.default().win_probabilities(rows)
    lost = np.array([(_core.certain_points(Position.from_array(row)) or 0) < 0 for row in rows])
    assert held[lost].all()
    assert lost.sum() > 100
    assert (chances[lost] == 0).all()


def test_backgammons_are_resigned_when_nobody_can_leave() -> None:
    # One roll is left to the opponent; 6-6 brings out two of the 15 checkers behind.
    behind = Position.from_points({20: 15}, opponent={1: 2})
    assert not behind.is_contact
    assert Player("casual").act(Match.from_state(state_of(behind))) == Action("resign", 0, level=3)
    # Here nobody can say whether it is a gammon or a backgammon.
    one = Position.from_points({19: 1, 13: 14}, opponent={1: 2})
    assert Player("casual").act(Match.from_state(state_of(one))).kind == "roll"


def test_resignations_are_accepted_if_they_are_worth_it() -> None:
    for level, answer in ((1, "decline"), (2, "accept")):
        gammon_lost = Position.from_points({13: 8, 12: 7}, opponent={1: 2})
        match = Match.from_state(state_of(gammon_lost))
        match.resign(level)
        assert Player("casual").act(match) == Action(answer, 1)  # type: ignore[arg-type]
    for roll in (None, Roll(3, 1)):
        match = Match.from_state(state_of(HOPELESS, roll=roll))
        match.resign(1)
        assert Player("expert").act(match) == Action("accept", 1)
    match = Match.from_state(state_of(Position.start()))
    match.resign(1)
    assert Player("expert").act(match) == Action("accept", 1)


def test_the_cube() -> None:
    won = Position.from_points({1: 2}, opponent={1: 2})
    match = Match.from_state(state_of(won))
    assert Player("master").act(match) == Action("double", 0)
    match.double()
    assert Player("master").act(match) == Action("drop", 1)
    beaver = Match.from_state(state_of(Position.start(), rules=Rules.money(jacoby=False, cube_limit=None)))
    beaver.double()
    assert Player("master").act(beaver) == Action("beaver", 1)
    plain = Match.from_state(state_of(Position.start(), rules=Rules.money(beavers=0)))
    plain.double()
    assert Player("master").act(plain) == Action("take", 1)


def test_what_is_refused() -> None:
    for wrong in ("grandmaster", Level(0, -1.0), Level(4, 0.0), Level(0, 0.0, "slow"), 3):
        with pytest.raises(InvalidArgumentError):
            Player(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError):
        Player("master", engine="fast")  # type: ignore[arg-type]
    match = Match(Rules.match(1))
    match.concede(0)
    with pytest.raises(IllegalActionError):
        Player("casual").act(match)


@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_who_has_to_wait_with_a_double_does_rule_7_9(seed: int) -> None:
    """After the Crawford game the trailing player doubles at once; under Holland on their third turn.

    With other seeds they may have become too good for a double by then.
    """
    for holland in (False, True):
        match = after_crawford(Rules.match(3, holland=holland), seed)
        assert (match.score, match.state.post_crawford) == ((2, 1), True)
        player = Player("master", engine=Engine(bearoff=False))
        # The opening throw is the starter's first turn.
        roll_opening(match)
        starter, turns = match.state.on_roll, []
        while not turns and match.turn < 9:
            assert len(match.games) == 2
            action = player.act(match)
            if match.to_act == 1 and match.phase is Phase.ON_ROLL:
                turns += [match.turn] if action.kind == "double" else []
            match.apply(action)
        assert turns == [(5 if starter == 1 else 6) if holland else (3 if starter == 1 else 2)]


# In simulations.


def test_levels_differ_as_they_should() -> None:
    """Points a game against the same network without noise: the more noise, the fewer."""
    points = []
    for level in ("beginner", "casual", "intermediate", "advanced"):
        result = gammon.simulate(3000, (level, "fast"), seed=1, paired=True)
        points.append(result.points_per_game)
        assert result.players == (level, "fast")
    assert points == sorted(points)
    assert points[0] < -0.5
    assert points[-1] < 0.05


def test_simulated_levels_are_the_same_for_any_number_of_threads() -> None:
    one = gammon.simulate(60, ("beginner", "expert"), seed=3, cube=True, threads=1)
    assert one == gammon.simulate(60, ("beginner", "expert"), seed=3, cube=True, threads=2)
    assert one.points_per_game < 0
    assert one == pickle.loads(pickle.dumps(one))
    with_policy = gammon.simulate(20, ("advanced", lambda c: 0 * c.rolls[:, 0].astype("int64")), seed=3)
    assert with_policy.points_per_game > 0.5


def test_looking_ahead_changes_plays() -> None:
    assert LEVELS["expert"] == Level(1, 0.0, "strong")
    strong = gammon.simulate(200, ("strong", "random"), seed=2)
    expert = gammon.simulate(200, ("expert", "random"), seed=2)
    assert (strong.plies, strong.points) != (expert.plies, expert.points)
