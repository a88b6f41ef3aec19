"""The presets of the rules and what they refuse (rule 9.11)."""

import copy
import dataclasses
import json
import pickle

import pytest

import gammon
from gammon import Position, Rules
from gammon.clock import ClockSettings
from gammon.errors import InvalidArgumentError
from gammon.match import _codec as codec

# The table of rule 9.11, row by row: money, match, tournament, casual. None where a field does not apply.
TABLE = {
    "use_cube": (True, True, True, False),
    "crawford": (None, True, True, None),
    "jacoby": (True, False, False, False),
    "beavers": (1, 0, 0, 0),
    "automatic_doubles": (0, 0, 0, 0),
    "six_six_triples": (False, False, False, False),
    "holland": (None, False, False, None),
    "cube_limit": (64, 64, 64, None),
    "dead_cube": (None, "refuse", "refuse", None),
    "on_illegal_play": ("reject", "reject", "record", "reject"),
    "early_double": (False, False, True, False),
}
FIXED = {
    "match": ("jacoby", "beavers", "automatic_doubles", "six_six_triples"),
    "tournament": ("jacoby", "beavers", "automatic_doubles", "six_six_triples", "crawford", "holland"),
}
OTHER = {
    "use_cube": lambda value: not value,
    "crawford": lambda value: not value,
    "jacoby": lambda value: not value,
    "beavers": lambda value: None,
    "automatic_doubles": lambda value: 3,
    "six_six_triples": lambda value: not value,
    "holland": lambda value: not value,
    "cube_limit": lambda value: 32,
    "dead_cube": lambda value: "allow",
    "on_illegal_play": lambda value: "record" if value == "reject" else "reject",
    "early_double": lambda value: not value,
}
PRESETS = ("money", "match", "tournament", "casual")


def preset(name, **settings):
    length = (7,) if name in ("match", "tournament") else ()
    return getattr(Rules, name)(*length, **settings)


@pytest.mark.parametrize("column", range(4), ids=PRESETS)
@pytest.mark.parametrize("field", TABLE)
def test_rule_9_11_every_cell_of_the_table(field, column):
    value = TABLE[field][column]
    rules = preset(PRESETS[column])
    assert getattr(rules, field) == value or (value is None and not getattr(rules, field))


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("field", TABLE)
def test_rule_9_11_what_can_be_changed(field, name):
    value = TABLE[field][PRESETS.index(name)]
    other = OTHER[field](value)
    with_triples = {"automatic_doubles": 1} if field == "six_six_triples" and name in ("money", "casual") else {}
    if value is None:
        with pytest.raises(InvalidArgumentError, match=f"{field} does not apply to {name} rules"):
            preset(name, **{field: other})
    elif field in FIXED.get(name, ()):
        with pytest.raises(InvalidArgumentError, match=rf"{name} rules fix {field} at .*: (it belongs|the tournament)"):
            preset(name, **{field: other})
        assert getattr(preset(name, **{field: value}), field) == value, "what is fixed may be said"
    else:
        assert getattr(preset(name, **{field: other}, **with_triples), field) == other


def test_rule_9_11_tournament_has_clock_penalties_and_breaks():
    rules = Rules.tournament(7)
    assert (rules.clock, rules.clock_use) == (ClockSettings("bronstein", 120, 12), "preference")
    assert rules.penalties
    assert rules.breaks
    for other in (Rules.money(), Rules.match(7), Rules.casual()):
        assert (other.clock, other.clock_use, other.penalties, other.breaks) == (None, None, False, False)
    without = Rules.tournament(7, clock=None)
    assert without.clock_use is None
    assert Rules.match(5, clock=ClockSettings()).clock_use == "required"


def test_rule_9_2_no_money_rules_in_a_match():
    for setting in ({"jacoby": True}, {"automatic_doubles": 1}, {"beavers": 1}):
        for rules in (Rules.match, Rules.tournament):
            with pytest.raises(InvalidArgumentError, match="it belongs to money play"):
                rules(5, **setting)
    assert Rules.match(5, holland=True, crawford=True).holland
    assert not Rules.match(5, crawford=False).crawford
    for setting in ({"holland": True}, {"crawford": False}):
        with pytest.raises(InvalidArgumentError, match="regulations leave no choice"):
            Rules.tournament(5, **setting)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: Rules.money(six_six_triples=True), "six_six_triples is a kind of automatic double"),
        (lambda: Rules.money(clock=ClockSettings()), "clock follows from the match length"),
        (lambda: Rules.money(penalties=True), "penalties follows from the match length"),
        (lambda: Rules.casual(breaks=True), "breaks follows from the match length"),
        (lambda: Rules.match(5, clock_use="option"), "there is no clock"),
        (lambda: Rules.match(5, clock=ClockSettings(), clock_use=None), "does not say who may demand it"),
        (lambda: Rules.match(5, dead_cube=None), "dead_cube is 'refuse' or 'allow'"),
        (lambda: Rules.match(0), "length is at least 1, at most 32767, not 0"),
        (lambda: Rules.match(32768), "not 32768"),
        (lambda: Rules.match("7"), "length is a whole number"),
        (lambda: Rules.match(None), "match rules need a match length"),
        (lambda: Rules(preset="money", length=7), "money rules have no match length, not 7"),
        (lambda: Rules.money(beavers=-1), "beavers is at least 0"),
        (lambda: Rules.money(beavers=True), "beavers is a whole number"),
        (lambda: Rules.money(cube_limit=0), "cube_limit is at least 1"),
        (lambda: Rules.money(jacoby=1), "jacoby is True or False, not 1"),
        (lambda: Rules.money(variant="tric-trac"), "variant is one of 'standard'"),
        (lambda: Rules.money(on_illegal_play="shrug"), "on_illegal_play is one of"),
        (lambda: Rules.money(start="4HPwATDgc/ABMA"), "start is a Position"),
        (lambda: Rules.money(start=Position.start(), variant="nackgammon"), "start gives the starting position"),
        (lambda: Rules.money(start=Position.from_points({}, opponent={1: 1})), "start is a finished game"),
        (lambda: ClockSettings("sundial"), "clock mode 'sundial'"),
        (lambda: ClockSettings(bonus=-1), "bonus is 0 to"),
        (lambda: ClockSettings(bonus=float("nan")), "bonus is 0 to"),
        (lambda: ClockSettings(bonus="12"), "bonus is seconds"),
    ],
)
def test_contradictions_are_refused_with_the_reason(make, reason):
    with pytest.raises(InvalidArgumentError, match=reason):
        make()


def test_an_unknown_setting_is_named():
    with pytest.raises(TypeError, match="money rules have no setting 'jacobi'"):
        Rules.money(jacobi=True)


def test_a_fixed_field_cannot_be_replaced_later_either():
    with pytest.raises(InvalidArgumentError, match="tournament rules fix crawford at True"):
        dataclasses.replace(Rules.tournament(7), crawford=False)


ALL = [
    Rules.money(),
    Rules.money(beavers=None, automatic_doubles=None, six_six_triples=True, cube_limit=None),
    Rules.match(7),
    Rules.match(7, holland=True, dead_cube="allow", clock=ClockSettings.fischer(8)),
    Rules.match(7, clock=ClockSettings(), clock_use="option"),
    Rules.tournament(13),
    Rules.tournament(13, clock=None, early_double=False),
    Rules.casual(use_cube=True),
    Rules.money(start=Position.from_points({6: 2, 24: 1}, opponent={3: 4})),
    Rules.match(3, variant="hypergammon"),
]


@pytest.mark.parametrize("rules", ALL, ids=repr)
def test_rules_are_values(rules):
    names = {"Rules": Rules, "ClockSettings": ClockSettings, "Position": Position}
    assert eval(repr(rules), names) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert copy.deepcopy(rules) == rules
    assert hash(rules) == hash(dataclasses.replace(rules))
    assert codec.rules_from_dict(json.loads(json.dumps(codec.rules_to_dict(rules))), "rules") == rules
    assert rules in set(ALL)


def test_every_variant_starts_its_games_rule_1_5():
    for variant in ("standard", "nackgammon", "hypergammon", "longgammon"):
        assert Rules.money(variant=variant).position == Position.start(variant)
    assert gammon.Rules is Rules
