"""What we write we read back: random matches through every format that can hold them."""

from __future__ import annotations

import itertools

import pytest
from format_matches import random_match

from gammon import Match, Phase, formats
from gammon.formats import fibs, json, mat, sgf
from gammon.formats._compare import differences

DEFAULT, SLOW = range(60), range(60, 1060)


def assert_held(match: Match, back: Match) -> None:
    assert differences(match, back) == ()
    assert back.errors == match.errors
    assert back.score == match.score
    assert [game.points for game in back.games] == [game.points for game in match.games]
    assert back.position == match.position


@pytest.mark.parametrize("seed", [*DEFAULT, *(pytest.param(seed, marks=pytest.mark.slow) for seed in SLOW)])
def test_random_matches_come_back(seed: int) -> None:
    match = random_match(seed)
    for module in (mat, sgf):
        text = module.dumps(match)
        back = module.loads(text, strict=True)
        assert_held(match, back)
        assert module.losses(match) == ()
        assert formats.loads(text) == back
        assert module.dumps(back) == text
    again = json.loads(json.dumps(match))
    assert again == match
    if match.state.game_state.value == "playing":
        left = {line.split(":")[0] for line in fibs.losses(match.state)}
        assert left <= {
            "rules.jacoby",
            "rules.beavers",
            "rules.cube_limit",
            "rules.variant",
            "rules.crawford",
            "stake",
            "cube",
            "offer",
            "offered_by",
            "on_roll",
            "everything",
        }


def steps(play: str) -> list[tuple[int, int]]:
    """The steps of a play without its marks, which SGF does not have."""
    places = [[25 if place == "bar" else 0 if place == "off" else int(place) for place in path] for path in paths(play)]
    return [(start, end) for path in places for start, end in itertools.pairwise(path)]


def paths(play: str) -> list[list[str]]:
    found = []
    for part in play.replace("*", "").split():
        path, _, count = part.partition("(")
        found += [path.split("/")] * int(count.rstrip(")") or 1)
    return found


@pytest.mark.parametrize("seed", [0, 1, *range(3, 13)])
def test_illegal_plays_come_back_as_they_were(seed: int) -> None:
    match = random_match(seed, illegal=0.3)
    cut = [event for event in match.record if event.illegal and "illegal" in event.notes]
    assert cut
    for module in (mat, sgf):
        back = module.loads(module.dumps(match))
        kept = [str(event.play) for event in back.record if event.illegal]
        assert [steps(play) for play in kept] == [steps(str(event.play)) for event in cut]
        assert module is sgf or kept == [event.play for event in cut]
        assert [str(fault) for fault in back.errors if "kept as written" in fault.done]
        assert (back.position, back.score) == (match.position, match.score)
        with pytest.raises(formats.FileFormatError, match="line"):
            module.loads(module.dumps(match), strict=True)
    assert json.loads(json.dumps(match)) == match


@pytest.mark.parametrize("seed", range(10))
def test_what_is_lost_is_reported(seed: int) -> None:
    match = random_match(seed, declines=True, games=8)
    open_or_declined = any(event.kind == "decline" for event in match.record) or match.phase is Phase.RESIGNED
    for name in ("mat", "sgf"):
        assert bool(formats.losses(match, name)) == open_or_declined
    assert formats.losses(match, "json") == ()
