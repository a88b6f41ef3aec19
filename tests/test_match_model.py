"""Random play through all rule sets: invariants, exact legality, round trips, undo and redo, damaged records."""

import contextlib
import copy
import dataclasses
import json
import random

import pytest
from match_play import RACE, RULE_SETS, Hands, new_match, random_action, random_match

from gammon import Action, Match, Phase, Position, Roll, Rules
from gammon.dice import RandomDice, SequenceDice
from gammon.errors import FileFormatError, GammonError, IllegalActionError, InvalidArgumentError
from gammon.match._state import ACTION_KINDS
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


@contextlib.contextmanager
def tried(match):
    """Takes back what happens inside, and leaves what can be done again as it was."""
    steps, undone = len(match.record), list(match._undone)
    yield
    match.undo(len(match.record) - steps)
    match._undone[:] = undone


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
            with tried(match):
                match.apply(action)
        else:
            with pytest.raises(IllegalActionError) as refusal:
                match.apply(action)
            assert str(refusal.value)
    plays = [action for action in match.legal_actions() if action.kind == "play"]
    assert bool(plays) == (match.phase is Phase.ROLLED and bool(legal))
    for action in plays[:3]:
        with tried(match):
            match.apply(action)
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
        with tried(match):
            match.roll()
            assert [match.state.roll] * 2 == after


def check_undo(match):
    """Undo and then redo is identity, for any number of steps."""
    if not match.record:
        return
    steps = 1 + len(match.record) % 3 if len(match.record) > 3 else 1
    before = match.to_dict()
    match.undo(steps)
    assert len(match.record) == len(before["events"]) - steps
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
        # These look at the whole record: at every action while it is short.
        if number <= 30 or number % 8 == 0:
            check_undo(match)
        if number <= 15 or number % every == seed % every:
            check_round_trip(match)
        if number % every == seed % every:
            check_legality(match)

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
    assert cuts >= 15
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


RECORD_FIELDS = set(Match().to_dict())


def fuzz(seeds):
    records = [eventful_match().to_dict(), random_match(RULE_SETS["fischer"], 3, games=1).to_dict()]
    records.append(random_match(RULE_SETS["money, unlimited"], 2, games=1).to_dict())
    taken_up = Match.from_state(eventful_match().state, dice=RandomDice(4), time=Hands())
    taken_up.legal_actions()
    records.append(taken_up.to_dict())
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


def test_values_too_big_for_a_message_are_refused_too():
    nested = []
    for _ in range(50_000):
        nested = [nested]
    good = eventful_match().to_dict()
    tried = 0
    for huge in (10**5000, -(10**5000), nested, {"kind": nested}, {"kind": 10**5000}, "\ud800", "x" * 10**6):
        for path in (
            [(name,) for name in good]
            + [(name, key) for name in ("rules", "dice", "clock") for key in good[name]]
            + [
                ("rules", "clock", "bonus"),
                ("dice", "first", "dice"),
                ("undone", 0, "event"),
                ("names", 0),
                ("points", 0),
            ]
            + [("events", index, key) for index, event in enumerate(good["events"]) for key in event]
        ):
            data = copy.deepcopy(good)
            parent = data
            for key in path[:-1]:
                parent = parent[key]
            parent[path[-1]] = huge
            with pytest.raises(FileFormatError):
                Match.from_dict(data)
            tried += 1
    assert tried > 500


# Everything that can be called, in any order.


def table_event(match, chance):
    """A call of some method of the match with arguments that may or may not make sense, as (name, args, settings)."""
    seat, other = chance.randrange(2), chance.choice([0, 1, None])
    points = chance.randrange(1, 4)
    dice = chance.choice([None, Roll(chance.randint(1, 6), chance.randint(1, 6))])
    start = chance.choice([Position.start(), Position.start("nackgammon"), RACE, RACE.flip()])
    return chance.choice(
        [
            ("roll", (dice,), {"player": other}),
            ("double", (), {"player": other, "on_record": True}),
            ("double", (), {"player": other}),
            ("play", (chance.choice(["8/2", "13/7", "", "6/off", "24/23", "1/off(2)"]),), {"illegal": True}),
            ("resign", (points,), {"player": other}),
            ("contest", (), {"player": other}),
            ("condone", (), {}),
            ("void_crawford_double", (), {}),
            ("dice_fault", (chance.choice(["cocked", "lifted", "wrong side", "not together"]),), {"player": other}),
            ("dice_fault", ("lifted",), {"player": seat, "again": chance.randint(1, 6)}),
            ("set_up", (start,), {}),
            ("correct_setup", (seat,), {}),
            ("found_checker", (seat,), {"point": chance.randint(1, 24), "on_bar": chance.random() < 0.5}),
            ("found_checker", (seat,), {"on_bar": True}),
            ("late_arrival", ((chance.randrange(20), chance.randrange(20)),), {}),
            ("take_break", (seat,), {}),
            ("director", ("penalty points",), {"player": seat, "points": points}),
            ("director", ("award game",), {"winner": seat, "points": points}),
            ("director", (chance.choice(["warning", "clock"]),), {"player": seat}),
            ("director", ("cube",), {"value": 2, "owner": seat}),
            ("director", ("cube",), {"value": 1}),
            ("director", (chance.choice(["award match", "exclusion"]),), {"player": seat, "winner": seat}),
            ("appeal", (seat,), {}),
            ("committee", (), {"upheld": chance.random() < 0.5}),
            ("demand_clock", (seat,), {}),
            ("stop_clock", ("director called",), {}),
            ("resume_clock", (), {}),
            ("claim_time", (other,), {}),
            ("time_fault", (seat, "taken away"), {}),
            ("change_dice", (RandomDice(chance.randrange(99)),), {}),
            ("concede", (seat,), {}),
            ("leave", (seat,), {}),
            ("record_result", (), {}),
            ("undo", (chance.randrange(4),), {}),
            ("redo", (chance.randrange(4),), {}),
        ]
    )


RARE = ("concede", "leave", "record_result", "claim_time", "award match", "exclusion")

ANYTHING = {
    "tournament": Rules.tournament(11),
    "tournament, short games": Rules.tournament(15, clock_use="required", start=RACE),
    "option, dead cubes": Rules.tournament(8, clock_use="option", dead_cube="allow", variant="hypergammon"),
    "match": Rules.match(9, holland=True, on_illegal_play="record", early_double=True, start=RACE),
    "money": Rules.money(beavers=2, automatic_doubles=2, on_illegal_play="record", early_double=True),
}


def check_table(match):
    """What holds whatever happens at the table."""
    state = match.state
    assert match.score == state.points
    assert state.cube.value & (state.cube.value - 1) == 0
    assert (state.cube.owner is None) == (state.cube.value == 1)
    assert match.to_act is None or match.to_act == state.to_act
    assert not state.position.is_over or not match.in_game
    assert (match.winner is not None) <= match.is_over
    if match.rules.length is not None and not match.is_over:
        assert max(match.score) < match.rules.length
    settlement = settle(match, STAKES)
    assert sum(settlement.balances) + settlement.house == 0
    rows = match.score_sheet().rows
    assert (rows[-1].score if rows else (0, 0)) == match.score
    if match.clock is not None:
        assert match.clock.reading().running == match.to_act
        assert min(match.clock.reading().reserve) >= 0


def play_anything(rules, seed, actions):
    chance = random.Random(seed)
    hands = Hands()
    match = new_match(rules, seed, hands)
    happened = set()
    for _ in range(actions):
        hands.now += chance.random() * 20
        before = match.to_dict()
        legal = match.legal_actions()
        name, args, settings = table_event(match, chance)
        if match.is_over and chance.random() < 0.7:
            match.undo(min(len(match.record), chance.randrange(1, 6)))
            continue
        rare = name in RARE or (args and args[0] in RARE)
        if (legal and chance.random() < 0.6) or (rare and chance.random() < 0.9):
            if not legal:
                continue
            name, args, settings = "apply", (chance.choice(legal),), {}
        try:
            getattr(match, name)(*args, **settings)
        except GammonError:
            assert match.to_dict() == before, f"{name} raised and changed something"
            continue
        happened.add(name)
        check_table(match)
        if chance.random() < 0.1:
            check_round_trip(match)
            check_legality(match)
            check_undo(match)
    return happened


@pytest.mark.parametrize("name", ANYTHING)
def test_anything_in_any_order(name):
    happened = set().union(*(play_anything(ANYTHING[name], seed, 150) for seed in range(6)))
    assert len(happened) > 8


@pytest.mark.slow
@pytest.mark.parametrize("name", ANYTHING)
def test_anything_in_any_order_for_long(name):
    for seed in range(100, 600):
        play_anything(ANYTHING[name], seed, 200)
