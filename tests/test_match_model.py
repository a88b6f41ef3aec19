"""Random play through all rule sets: invariants, exact legality, round trips, undo and redo, damaged records."""

import contextlib
import copy
import dataclasses
import json
import random

import pytest
from match_play import RULE_SETS, Hands, new_match, random_action, random_match

from gammon import Action, Match, Phase
from gammon.errors import FileFormatError, IllegalActionError, InvalidArgumentError
from gammon.match.state import ACTION_KINDS
from gammon.scoring import CrawfordPhase
from gammon.settlement import Stakes, settle

STAKES = Stakes("0.25", fee="0.1", rake="0.03")


def check_invariants(match):
    """What holds at every moment of every match."""
    state, rules = match.state, match.rules
    length = rules.length
    won = [sum(game.points for game in match.games if game.winner == seat) for seat in (0, 1)]
    assert match.score == tuple(won) == state.points
    assert state.cube.value & (state.cube.value - 1) == 0
    assert state.value == state.stake * state.cube.value
    if rules.cube_limit is not None:
        assert state.value <= rules.cube_limit
    assert (state.cube.owner is None) == (state.cube.value == 1)
    assert sum(game.is_crawford for game in match.games) + (match.in_game and state.is_crawford) <= 1
    assert state.is_crawford == (match.game_phase is CrawfordPhase.CRAWFORD)
    for game in match.games:
        assert 1 <= game.counted <= game.points
        assert game.counted == game.points or game.counted == length - game.start_points[game.winner]
    if length is not None:
        assert match.is_over == (max(match.score) >= length)
        assert min(match.score) < length
        assert state.stake == 1
        if not match.is_over:
            assert state.score is not None
            assert state.score.away == length - match.score[state.on_roll]
    settlement = settle(match, STAKES)
    assert sum(settlement.balances) + settlement.house == 0
    if match.to_act is not None:
        assert match.to_act == state.to_act
        if match.clock is not None:
            assert match.clock.reading().running == match.to_act
    position = state.position
    cells = [position[point] for point in range(1, 25)]
    start = rules.position
    assert sum(max(0, cell) for cell in cells) + position.bar + position.off == start.off + sum(
        max(0, start[point]) for point in range(1, 25)
    )


def check_legality(match):
    """`legal_actions` is complete and exact: each of them applies, and no other action does."""
    legal = {(action.kind, action.player, action.level) for action in match.legal_actions()}
    before = match.to_dict()
    candidates = [Action(kind, seat) for kind in ACTION_KINDS if kind not in ("play", "resign") for seat in (0, 1)]
    candidates += [Action("resign", seat, level=level) for seat in (0, 1) for level in (1, 2, 3)]
    for action in candidates:
        opening = action.kind == "roll" and not match.in_game and not match.is_over
        key = (action.kind, None if opening else action.player, action.level)
        if key in legal:
            match.apply(action)
            match.undo()
            match._undone.clear()
        else:
            with pytest.raises(IllegalActionError) as refusal:
                match.apply(action)
            assert str(refusal.value)
    plays = [action for action in match.legal_actions() if action.kind == "play"]
    assert bool(plays) == (match.phase is Phase.ROLLED)
    for action in plays[:3]:
        match.apply(action)
        match.undo()
        match._undone.clear()
        with pytest.raises(IllegalActionError):
            match.apply(dataclasses.replace(action, player=1 - action.player))
    assert match.to_dict() == before


def check_round_trip(match):
    """The state survives a trip through JSON, and goes on with the same dice."""
    data = json.loads(json.dumps(match.to_dict()))
    again = Match.from_dict(data, time=Hands())
    assert again.to_dict() == data
    assert again.state == match.state
    assert again.phase is match.phase
    assert again.record == match.record
    if match.legal_actions() and match.legal_actions()[0].kind == "roll":
        after = [copied.roll() for copied in (again, Match.from_dict(data, time=Hands()))]
        match.roll()
        assert [match.state.roll] * 2 == after
        match.undo()
        match._undone.clear()


def check_undo(match):
    """Undo and then redo is identity, for any number of steps."""
    before = match.to_dict()
    steps = min(3, len(match.record))
    match.undo(steps)
    assert len(match.record) == len(before["events"]) - steps
    if steps:
        assert match.to_dict() != before
    match.redo(steps)
    assert match.to_dict() == before


def matches(count):
    return [(name, seed) for seed in range(-(-count // len(RULE_SETS))) for name in RULE_SETS][:count]


def play_and_check(name, seed, *, every):
    number = 0

    def see(match):
        nonlocal number
        number += 1
        check_invariants(match)
        if number % every == seed % every:
            check_legality(match)
            check_round_trip(match)
            check_undo(match)

    return random_match(RULE_SETS[name], seed, games=3, see=see)


@pytest.mark.parametrize("name", RULE_SETS)
def test_random_matches_keep_the_invariants(name):
    count = 0
    for other, seed in matches(200):
        if other == name:
            match = play_and_check(name, seed, every=30)
            count += 1
            assert len(match.games) >= 1
    assert count >= 15


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_SETS)
def test_ten_thousand_random_matches_keep_the_invariants(name):
    for other, seed in matches(10_000):
        if other == name:
            play_and_check(name, 1000 + seed, every=40)


@pytest.mark.parametrize("name", ["match, short games", "fischer", "tournament, clock", "money, unlimited"])
def test_rule_10_1_a_match_can_be_cut_at_every_action(name):
    """Cut at every action, saved, read and continued: it ends as the one that was never cut (rule 10.1)."""
    rules = RULE_SETS[name]
    whole = random_match(rules, 7, games=2)
    chance = random.Random(7)
    hands = Hands()
    match = new_match(rules, 7, hands)
    cuts = 0
    while not match.is_over and len(match.games) < 2:
        hands.now += chance.random() * 10
        match.apply(random_action(match, chance))
        check_undo(match)
        match = Match.from_dict(json.loads(json.dumps(match.to_dict())), time=hands)
        cuts += 1
    assert cuts >= 20
    assert match == whole
    assert match.to_dict() == whole.to_dict()


def test_the_redo_stack_and_the_clock_survive_a_trip():
    hands = Hands()
    match = new_match(RULE_SETS["tournament, clock"], 5, hands)
    chance = random.Random(5)
    for _ in range(12):
        hands.now += 7
        match.apply(random_action(match, chance))
    complete = match.to_dict()
    match.undo(5)
    data = json.loads(json.dumps(match.to_dict()))
    assert len(data["undone"]) == 5
    again = Match.from_dict(data, time=Hands())
    assert again.to_dict() == data
    again.redo(5)
    assert again.to_dict() == complete


# Damaged records.


def paths(value, path=()):
    """Every place in plain data."""
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from paths(entry, (*path, key))


JUNK = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    7,
    64,
    10**30,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "roll",
    "8/5 6/5",
    [],
    {},
]
JUNK += [
    [[1, 1]],
    [[7, 1]],
    {"kind": "roll"},
    {"kind": "manual"},
    "x" * 5000,
    [0] * 28,
    "\ud800",
    "cocked",
    "illegal play",
]


def damage(data, chance):
    """Changes one place: another value, a copy from elsewhere, a field gone, one too many, two entries swapped."""
    data = copy.deepcopy(data)
    places = list(paths(data))
    path = chance.choice(places)
    if not path:
        return chance.choice(JUNK)
    parent = data
    for key in path[:-1]:
        parent = parent[key]
    way = chance.randrange(6)
    if way == 0:
        parent[path[-1]] = chance.choice(JUNK)
    elif way == 1:
        other = data
        for key in chance.choice(places):
            other = other[key]
        parent[path[-1]] = copy.deepcopy(other)
    elif way == 2:
        del parent[path[-1]]
    elif way == 3 and isinstance(parent, list):
        parent.insert(chance.randrange(len(parent) + 1), chance.choice([*JUNK, *parent]))
    elif way == 4 and isinstance(parent, list):
        chance.shuffle(parent)
    elif isinstance(parent, dict):
        parent[chance.choice(["clock", "player", "given", "illegal", "on_record", "source", "Ω", "level"])] = (
            chance.choice(JUNK)
        )
    else:
        parent[path[-1]] = chance.choice(JUNK)
    return data


def eventful_match():
    """A match in which nearly everything happens."""
    from gammon import Position, Rules
    from gammon.dice import SequenceDice

    hands = Hands()
    rules = Rules.tournament(5, clock_use="required")
    match = Match(
        rules, dice=SequenceDice([(2, 2), (3, 1), (4, 2), (6, 5), (4, 4), (3, 3), (2, 1), (5, 3)]), time=hands
    )
    match.late_arrival((12, 0))
    match.set_up(Position.start("nackgammon"))
    match.roll()
    match.correct_setup(1)
    match.play("8/2", illegal=True)
    match.contest()
    match.play("8/5 6/5")
    match.roll()
    match.dice_fault("cocked")
    match.roll()
    hands.now += 20
    match.dice_fault("lifted", player=0, again=6)
    match.director("penalty points", player=1, points=1, reason="shouting")
    match.appeal(1)
    match.committee(upheld=True)
    match.stop_clock("director called")
    match.resume_clock()
    match.double(player=0)
    match.play(str(match.state.position.plays(match.state.roll)[0]))
    match.take()
    match.resign("gammon", player=1)
    match.decline()
    match.undo()
    return match


def damaged(data, seed):
    chance = random.Random(seed)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        data = damage(data, chance) if isinstance(data, dict) else data
    return data


def check_damaged(data):
    """A `FileFormatError` that begins with a path, or a match that says the same."""
    try:
        match = Match.from_dict(data, time=Hands())
    except FileFormatError as error:
        where = str(error).split(":")[0].split(".")[0].split("[")[0]
    else:
        where = None
    if where is not None:
        assert where in {"match", *RECORD_FIELDS}
        return False
    again = match.to_dict()
    assert Match.from_dict(json.loads(json.dumps(again)), time=Hands()) == match
    if match.legal_actions():
        with contextlib.suppress(InvalidArgumentError):  # a list of dice at its end, dice that came from outside
            match.apply(match.legal_actions()[0])
    return True


RECORD_FIELDS = {"format", "version", "rules", "names", "direction", "dice", "events", "undone", "clock"}


def fuzz(seeds):
    records = [eventful_match().to_dict(), random_match(RULE_SETS["fischer"], 3, games=1).to_dict()]
    records.append(random_match(RULE_SETS["money, unlimited"], 2, games=1).to_dict())
    assert all(check_damaged(record) for record in records)
    outcomes = [check_damaged(damaged(records[seed % len(records)], seed)) for seed in seeds]
    assert any(outcomes)
    assert not all(outcomes)


def test_a_damaged_record_is_refused_with_the_path_of_the_field():
    fuzz(range(2000))


@pytest.mark.slow
def test_many_damaged_records_are_refused():
    fuzz(range(10_000, 110_000))


def test_paths_of_typical_faults():
    good = random_match(RULE_SETS["fischer"], 3, games=1).to_dict()
    for change, message in [
        (lambda d: d["events"][2].update(kind="fly"), r"events\[2\]\.kind: unknown kind of event 'fly'"),
        (lambda d: d["rules"].update(length=0), "rules: length is at least 1"),
        (lambda d: d.update(version=2), "version: version 2 cannot be read"),
        (lambda d: d.pop("names"), "match: field 'names' is missing"),
        (lambda d: d["events"][0].pop("throws"), r"events\[0\]: field 'throws' is missing"),
        (lambda d: d["events"][1].update(play="1/2"), r"events\[1\]: "),
        (lambda d: d["events"][0].update(throws=[[6, 7]]), r"events\[0\]\.throws\[0\]\[1\]: 7 is not within 1 to 6"),
        (lambda d: d["events"][0].update(throws=[[6, 1]]), r"events\[0\]\.throws: .* not what the dice source throws"),
        (lambda d: d["dice"]["first"].update(seed=-1), "dice.first.seed: -1 is not within"),
        (lambda d: d["clock"]["reserve"].append(3), "clock.reserve: 3 entries are more than 2"),
        (lambda d: d.update(extra=1), "match: unknown field 'extra'"),
    ]:
        data = copy.deepcopy(good)
        change(data)
        with pytest.raises(FileFormatError, match=f"^{message}"):
            Match.from_dict(data)
