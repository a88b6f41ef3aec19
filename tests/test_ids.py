"""XGID, GNU Position ID with Match ID: every field both ways, the reference data, and what they cannot hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammon import (
    GammonError,
    InvalidPositionError,
    Match,
    NotationError,
    Position,
    Roll,
    Rules,
    State,
)
from gammon.cube import Cube
from gammon.dice import RandomDice
from gammon.match import GameState, Offer

ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "data" / "F_ids.jsonl").read_text().splitlines()
]


def name_of(row: dict[str, Any]) -> str:
    return f"{row['position_id']}:{row['match_id']}"


def on_points(position: Position) -> list[int]:
    """Own checkers from the ace point to the bar, as the reference data has them."""
    return [max(0, position[point]) for point in range(1, 25)] + [position.bar]


class TestReferenceData:
    def test_there_are_enough_rows(self) -> None:
        assert len(ROWS) == 158
        assert sum("xgid" in row for row in ROWS) == 90

    @pytest.mark.parametrize("row", ROWS, ids=name_of)
    def test_every_field_of_a_gnubg_id(self, row: dict[str, Any]) -> None:
        state = State.from_gnubg_id(name_of(row))
        assert on_points(state.position) == row["on_roll_board"]
        assert on_points(state.position.flip()) == row["other_board"]
        assert (state.rules.length or 0) == row["match_length"]
        assert list(state.points) == row["score"]
        assert state.value == row["cube"]
        owner = {None: -1, "player": state.on_roll, "opponent": 1 - state.on_roll}[state.cube.owner]
        assert owner == row["cube_owner"]
        assert state.on_roll == row["roll_player"]
        assert state.to_act == row["decision_player"]
        assert state.is_crawford == bool(row["crawford"])
        assert state.game_state is GameState.PLAYING
        level = 0 if state.offer is None else state.offer.level or 0
        assert (level, state.offer is Offer.DOUBLE) == (row["resigned"], bool(row["doubled"]))
        dice = [0, 0] if state.roll is None else [state.roll.high, state.roll.low]
        assert dice == row["dice"]
        assert state.rules.jacoby == bool(row["jacoby"])
        assert state.gnubg_id == name_of(row)

    @pytest.mark.parametrize("row", [row for row in ROWS if "xgid" in row], ids=name_of)
    def test_xgids_and_gnubg_ids_say_the_same(self, row: dict[str, Any]) -> None:
        state = State.from_gnubg_id(name_of(row))
        assert state.xgid == row["xgid"]
        read = State.from_xgid(row["xgid"])
        assert read.xgid == row["xgid"]
        assert read.gnubg_id == name_of(row)
        # GNU Backgammon renumbers so that the player on roll is player 1.
        set_by_gnu = State.from_gnubg_id(row["gnubg_after_set_xgid"])
        assert set_by_gnu.on_roll == 1
        assert (set_by_gnu.position, set_by_gnu.roll, set_by_gnu.cube) == (read.position, read.roll, read.cube)
        own = read.points if read.on_roll == 1 else read.points[::-1]
        assert set_by_gnu.points == own


class TestCases:
    def test_both_on_the_bar_p01(self) -> None:
        state = State.from_gnubg_id("AACAewAAgAYAAA:cAkAAAAAAAAA")
        assert (state.position[24], state.position.bar, state.position.opponent_bar) == (1, 2, 4)
        assert State.from_xgid(state.xgid).position == state.position

    def test_the_opponent_first_p02(self) -> None:
        state = State.from_gnubg_id("BwAAAAYAAAAAAA:cAkAAAAAAAAA")
        assert (state.position[6], state.position[24]) == (2, -3)

    @pytest.mark.parametrize("identifier", ["//////////////AA", "/78AAPD/AwAAAA", "4HPwATDgc/ABM"])
    def test_illegal_positions_p03(self, identifier: str) -> None:
        with pytest.raises((NotationError, InvalidPositionError)):
            State.from_gnubg_id(f"{identifier}:cAkAAAAAAAAA")

    def test_no_checkers_are_no_game_p03(self) -> None:
        with pytest.raises(InvalidPositionError):
            Position.from_id("AAAAAAAAAAAAAA")
        state = State.from_gnubg_id("AAAAAAAAAAAAAA:cAEAAAAAAAAA")
        assert (state.game_state, state.position) == (GameState.NONE, Position.start())
        assert State.from_xgid(f"XGID={'-' * 26}:0:0:1:00:0:0:0:0:10").game_state is GameState.NONE

    def test_cube_exponents_p05(self) -> None:
        board = "-b----E-C---eE---c-e----B-"
        for level in range(16):
            state = State.from_xgid(f"XGID={board}:{level}:1:1:00:0:0:0:0:15")
            assert state.cube == Cube(1 << level, "player")
            assert State.from_xgid(state.xgid) == state
        for level, limit in ((16, 15), (-1, 15), (11, 10), (99999, 15)):
            with pytest.raises(NotationError, match="field 2"):
                State.from_xgid(f"XGID={board}:{level}:1:1:00:0:0:0:0:{limit}")
        high = State(Position.start(), 0, cube=Cube(1 << 15, "player"), stake=2, rules=Rules.money(cube_limit=None))
        for write in (lambda: high.xgid, lambda: high.gnubg_id):
            with pytest.raises(NotationError, match="65536"):
                write()
        assert high.losses("xgid") == (
            f"everything: an XGID holds cubes that are a power of 2 up to 32768, not {1 << 16}",
        )

    def test_the_jacoby_bit_p06(self) -> None:
        assert State.from_gnubg_id("4HPwATDgc/ABMA:cIkFAAAAAAAE").rules.jacoby is False
        assert State.from_gnubg_id("4HPwATDgc/ABMA:cIkFAAAAAAAA").rules.jacoby is True

    def test_colours_and_numbering_p09(self) -> None:
        text = "XGID=-aa---EBB---dDa--c-e----B-:0:0:1:16:0:0:3:0:8"
        state = State.from_xgid(text)
        for back in (State.from_xgid(state.xgid), State.from_gnubg_id(state.gnubg_id)):
            assert (back.position, back.on_roll, back.roll) == (state.position, state.on_roll, Roll(6, 1))
        assert state.xgid == text.replace(":16:", ":61:")
        assert (state.position[24], state.position[6], state.position[1], state.position[19]) == (2, 5, -1, -5)
        # The same with the colours swapped: the board turned round, and the case of its letters with it.
        board, *rest = text.removeprefix("XGID=").split(":")
        rest[2] = "-1"
        swapped = State.from_xgid(f"XGID={board[::-1].swapcase()}:{':'.join(rest)}")
        assert (swapped.position, swapped.on_roll, swapped.roll) == (state.position, 0, state.roll)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "XGID=",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:10:0",
            "XGID=-b----E-C---eE---c-e----B:0:0:1:42:0:0:3:0:10",
            "XGID=Ab----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:10",
            "XGID=-b----E-C---eE---c-e----Bb:0:0:1:42:0:0:3:0:10",
            "XGID=-b----E-C---eE--?c-e----B-:0:0:1:42:0:0:3:0:10",
            "XGID=-b----E-C---eE---c-é----B-:0:0:1:42:0:0:3:0:10",
            "XGID=-b----E-C---eE---c-e----B-:x:0:1:42:0:0:3:0:10",
            "XGID=-b----E-C---eE---c-e----B-:0:2:1:42:0:0:3:0:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:0:42:0:0:3:0:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:2:42:0:0:3:0:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:47:0:0:3:0:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:40:0:0:3:0:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:4:0:0:3:0:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:X:0:0:3:0:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:8:0:0:7:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:8:0:7:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:-1:0:0:7:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:4:0:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:2:7:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:1:7:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:0:99999:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:16",
            "XGID=-b----E-C---eE---c-e----B-:1:-1:1:D:0:0:3:0:10",
            "XGID=" + "x" * 100_000,
        ],
    )
    def test_each_field_of_an_xgid_is_checked_p11(self, text: str) -> None:
        with pytest.raises(NotationError):
            State.from_xgid(text)

    @pytest.mark.parametrize(
        "board", ["-P----E-C---eE---c-e----B-", "aBBBBBB------------bbbbbbA", "-------------------------O"]
    )
    def test_boards_that_are_no_position(self, board: str) -> None:
        if board.endswith("O"):
            assert State.from_xgid(f"XGID={board}:0:0:1:00:0:0:0:0:10").game_state is GameState.OVER
            return
        with pytest.raises(InvalidPositionError):
            State.from_xgid(f"XGID={board}:0:0:1:00:0:0:0:0:10")

    def test_nothing_is_lost_on_the_way_p13(self) -> None:
        state = State.from_xgid("XGID=-b----E-C---eE---c-e----B-:2:-1:-1:00:4:1:0:11:8")
        assert (state.rules.length, state.rules.cube_limit, state.on_roll, state.cube) == (
            11,
            256,
            0,
            Cube(4, "player"),
        )
        assert state.points == (1, 4)
        assert state.losses("xgid") == ()
        assert state.losses("gnubg_id") == ("rules.cube_limit: 256 becomes None",)

    def test_crawford(self) -> None:
        text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:6:2:{}:7:10"
        crawford, after = State.from_xgid(text.format(1)), State.from_xgid(text.format(0))
        assert (crawford.is_crawford, after.is_crawford) == (True, False)
        assert (crawford.post_crawford, after.post_crawford) == (False, True)
        assert (crawford.xgid, after.xgid) == (text.format(1), text.format(0))
        both = State.from_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:6:6:0:7:10")
        assert (both.post_crawford, both.is_crawford) == (False, False)


class TestOffers:
    def states_of(self, *turns: str) -> list[State]:
        match = Match(Rules.money(beavers=2, cube_limit=None), dice=RandomDice(seed=5))
        match.roll()
        match.play(str(next(iter(match.state.position.plays(match.state.roll)))))
        states = []
        for turn in turns:
            getattr(match, turn)()
            states.append(match.state)
        return states

    def test_double_beaver_raccoon(self) -> None:
        states = self.states_of("double", "beaver", "beaver")
        assert [state.offer for state in states] == [Offer.DOUBLE, Offer.BEAVER, Offer.RACCOON]
        for state, letter in zip(states, "DBR", strict=True):
            assert state.xgid.split(":")[4] == letter
            for back in (State.from_xgid(state.xgid), State.from_gnubg_id(state.gnubg_id)):
                assert (back.offer, back.offered_by, back.to_act, back.cube, back.value) == (
                    state.offer,
                    state.offered_by,
                    state.to_act,
                    state.cube,
                    state.value,
                )

    def test_redouble(self) -> None:
        *_, state = self.states_of("double", "take", "roll")
        owned = State.from_xgid(state.xgid)
        assert owned.cube == Cube(2, "opponent")
        redouble = State(
            state.position, state.on_roll, cube=Cube(2, "player"), offer=Offer.DOUBLE, offered_by=state.on_roll
        )
        assert State.from_xgid(redouble.xgid).offer is Offer.DOUBLE
        assert State.from_gnubg_id(redouble.gnubg_id).offer is Offer.DOUBLE

    @pytest.mark.parametrize("by", [0, 1])
    @pytest.mark.parametrize("offer", [Offer.RESIGN_1, Offer.RESIGN_2, Offer.RESIGN_3])
    def test_resignations(self, offer: Offer, by: int) -> None:
        state = State(Position.start(), on_roll=0, roll=Roll(3, 1), offer=offer, offered_by=by)
        back = State.from_gnubg_id(state.gnubg_id)
        assert (back.offer, back.offered_by, back.roll) == (offer, by, Roll(3, 1))
        assert f"offer: {offer!r} becomes None" in state.losses("xgid")

    def test_an_early_double_is_lost_and_said_so(self) -> None:
        rules = Rules.tournament(7)
        state = State(Position.start(), 0, roll=Roll(3, 1), offer=Offer.DOUBLE, offered_by=1, rules=rules)
        for name in ("xgid", "gnubg_id"):
            assert "offer: Offer.DOUBLE becomes None" in state.losses(name)  # type: ignore[arg-type]


class TestStakes:
    def test_automatic_doubles_are_a_centred_cube(self) -> None:
        state = State(Position.start(), 0, stake=4)
        for back in (State.from_xgid(state.xgid), State.from_gnubg_id(state.gnubg_id)):
            assert (back.stake, back.cube, back.value) == (4, Cube(), 4)

    def test_a_triple_is_refused(self) -> None:
        state = State(Position.start(), 0, stake=3)
        with pytest.raises(NotationError, match="power of 2"):
            _ = state.xgid
        assert state.losses("gnubg_id")[0].startswith("everything")

    def test_a_stake_under_a_turned_cube_is_reported(self) -> None:
        state = State(Position.start(), 0, stake=2, cube=Cube(2, "player"))
        assert State.from_xgid(state.xgid).value == 4
        assert "stake: 2 becomes 1" in state.losses("xgid")


def test_missing_checkers_are_reported() -> None:
    position = Position.from_points({6: 5}, opponent={6: 5}, off=9, opponent_off=10)
    assert any(line.startswith("position") for line in State(position, 0).losses("gnubg_id"))


def test_hypergammon_has_three_checkers() -> None:
    state = State(
        Position.start("hypergammon"), 1, rules=Rules.money(variant="hypergammon", beavers=0, cube_limit=None)
    )
    back = State.from_gnubg_id(state.gnubg_id, checkers=3)
    assert back.position == state.position
    assert state.losses("gnubg_id") == ("rules.variant: 'hypergammon' becomes 'standard'",)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(GammonError, match="xgid, gnubg_id"):
        State(Position.start(), 0).losses("fen")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "match_id",
    [
        "",
        "cAkAAAAAAAA",
        "cAkAAAAAAAAAA",
        "cAkAAAAA!AAA",
        "YAkAAAAAAAAA",
        "cAmgAAAAAAAg",
        "cA0AAAAAAAAA",
        "cBkAAAAAAAAA"[:-1] + "é",
    ],
)
def test_match_ids_that_are_none(match_id: str) -> None:
    with pytest.raises(NotationError):
        State.from_gnubg_id(f"4HPwATDgc/ABMA:{match_id}")


def test_a_match_id_alone_or_a_number_is_none() -> None:
    for text in ("4HPwATDgc/ABMA", "", ":", 7, None):
        with pytest.raises(NotationError):
            State.from_gnubg_id(text)  # type: ignore[arg-type]
        with pytest.raises(NotationError):
            State.from_xgid(text)  # type: ignore[arg-type]


def states_of_random_matches(count: int) -> list[State]:
    """What random matches and sessions look like before each event."""
    states = []
    for seed in range(count):
        rules = [Rules.match(5, cube_limit=1024), Rules.money(jacoby=bool(seed & 2), beavers=1, cube_limit=1024)][
            seed % 2
        ]
        match = Match(rules, dice=RandomDice(seed=seed))
        choice = RandomDice(seed=seed + 1000)
        for _ in range(120):
            actions = [a for a in match.legal_actions() if a.kind not in ("resign",) or choice.roll().high == 6]
            if not actions:
                break
            pick = choice.roll()
            match.apply(actions[(pick.index * 7) % len(actions)])
            states.append(match.state)
    return states


def test_states_of_matches_come_back() -> None:
    states = states_of_random_matches(30)
    assert len(states) > 1000
    held = 0
    for state in states:
        left = {line.split(":")[0] for line in state.losses("gnubg_id")}
        assert left <= {"rules.beavers", "rules.cube_limit", "rules.dead_cube"}, (state, left)
        left = {line.split(":")[0] for line in state.losses("xgid")}
        resigns = state.offer is not None and state.offer.level is not None
        may_lose = {"game_state"} | ({"offer", "offered_by"} if resigns else set())
        if state.offer is Offer.BEAVER:
            may_lose |= {"rules.beavers"}
        beyond = bool(state.rules.length) and max(state.points) > state.rules.length
        assert left <= may_lose or beyond, (state, left)
        held += not left
    assert held > 500


@given(st.text(max_size=60))
def test_any_text_is_refused_with_our_errors(text: str) -> None:
    for read in (State.from_xgid, State.from_gnubg_id):
        with pytest.raises((NotationError, InvalidPositionError)):
            read(text)


@given(st.sampled_from([row["xgid"] for row in ROWS if "xgid" in row]), st.data())
def test_a_damaged_xgid_is_read_or_refused(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:place] + data.draw(st.characters(max_codepoint=300)) + text[place + 1 :]
    try:
        state = State.from_xgid(damaged)
    except (NotationError, InvalidPositionError):
        return
    assert State.from_xgid(state.xgid) == state


@given(st.sampled_from([name_of(row) for row in ROWS]), st.data())
def test_a_damaged_gnubg_id_is_read_or_refused(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:place] + data.draw(st.characters(max_codepoint=300)) + text[place + 1 :]
    try:
        state = State.from_gnubg_id(damaged)
    except (NotationError, InvalidPositionError):
        return
    assert State.from_gnubg_id(state.gnubg_id) == state
