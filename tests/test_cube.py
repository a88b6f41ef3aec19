"""Cube arithmetic: against GNU Backgammon's figures, against a plain twin, and by what must hold."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cube_twin import Match, money
from hypothesis import given
from hypothesis import strategies as st

import gammon
from gammon.cube import (
    VERDICTS,
    Cube,
    Decision,
    Ladder,
    Level,
    Score,
    ScoreGraph,
    ScoreNode,
    decide,
    efficiency,
)
from gammon.errors import ArrayError, GammonError, InvalidArgumentError
from gammon.met import MWC, Equity, MatchEquityTable
from gammon.position import Position
from gammon.rules import Rules
from gammon.scoring import CrawfordPhase

DATA = Path(__file__).parent / "data"
INSTALLED = Path("/usr/share/gnubg/met/Kazaross-XG2.xml")

Row = dict[str, "object"]


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


FORMULA = lines("G_cube_formula.jsonl")
OWNERS = {-1: None, 0: "opponent", 1: "player"}

WORDS = {
    "Double, pass": "double/drop",
    "Double, take": "double/take",
    "No double, take": "no double",
    "No double, beaver": "no double, beaver",
    "Too good to double, pass": "too good",
    "Redouble, pass": "redouble/drop",
    "Redouble, take": "redouble/take",
    "No redouble, take": "no redouble",
    "No redouble, beaver": "no redouble, beaver",
    "Too good to redouble, pass": "too good",
    "Never double, take (dead cube)": "unavailable",
    "Never redouble, take (dead cube)": "unavailable",
    "Unknown cube decision": "unavailable",
}


def score_of(row: dict) -> Score | None:
    """The player on roll is player 1, whose points stand second."""
    if not row["match"]:
        return None
    away, opponent_away = row["match"] - row["score"][1], row["match"] - row["score"][0]
    post_crawford = (away == 1) != (opponent_away == 1) and not row["crawford"]
    return Score(away, opponent_away, post_crawford=post_crawford)


class KnownChances:
    """The match winning chances of one table that the recorded figures give away: spots, and what prices imply."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int, bool], float] = {}
        for away in range(1, 26):
            self._put(Score(away, away), 0.5)
        for row in lines("E_met_spots.jsonl"):
            if row["met"] != "Kazaross-XG2":
                continue
            if row["kind"] == "pre":
                self._put(Score(row["away0"], row["away1"]), row["mwc0"])
            elif row["trailer_away"] < 25:
                self._put(Score(row["trailer_away"], 1, post_crawford=True), row["mwc_trailer"])
        market = [row for row in lines("E_market.jsonl") if row["met"] == "Kazaross-XG2"]
        for _ in range(3):  # what one row gives lets the next be read
            for row in (*FORMULA, *market):
                self._learn(row)

    def _put(self, score: Score | None, chance: float) -> None:
        if score is not None:
            self.known[score.away, score.opponent_away, score.post_crawford] = chance
            self.known[score.opponent_away, score.away, score.post_crawford] = 1 - chance

    def _after(self, score: Score, points: int) -> float | None:
        after = score.after(points)
        if after is None:
            return float(points > 0)
        return self.known.get((after.away, after.opponent_away, after.post_crawford))

    def _learn(self, row: dict) -> None:
        score, cube = score_of(row), row["cube"]
        if score is None:
            return
        if "mwc_lose_centre_win" in row:
            self._put(score.after(-cube), row["mwc_lose_centre_win"][0])
            self._put(score.after(cube), row["mwc_lose_centre_win"][2])
        lose, win = self._after(score, -cube), self._after(score, cube)
        if row["crawford"] or lose is None or win is None:
            return
        half = (win - lose) / 2
        gammon, backgammon = row["gammonprice1"]
        self._put(score.after(2 * cube), win + gammon * half)
        self._put(score.after(3 * cube), win + (gammon + backgammon) * half)
        gammon, backgammon = row["gammonprice0"]
        self._put(score.after(-2 * cube), lose - gammon * half)
        self._put(score.after(-3 * cube), lose - (gammon + backgammon) * half)

    def mwc(self, away: int, opponent_away: int, *, post_crawford: bool = False, player: int = 0) -> MWC:
        return MWC(self.known[away, opponent_away, post_crawford])


def check_row(row: dict, decision: Decision) -> bool:
    """Compares a decision with a recorded one; False where the verdict may differ."""
    assert decision.no_double == pytest.approx(row["no_double"], abs=1e-5)
    if row["owner"] == 0 or row["crawford"]:
        assert math.isnan(decision.double_take)
    else:
        assert decision.double_take == pytest.approx(row["double_take"], abs=1e-5)
        assert decision.double_drop == pytest.approx(row["double_pass"], abs=1e-5)
    if decision.action != "unavailable":
        assert decision.best == pytest.approx(row["optimal"], abs=1e-5)
    elif "Never" in row["text"]:
        assert decision.best == decision.no_double
    best, second = sorted([row["no_double"], min(row["double_take"], row["double_pass"])], reverse=True)
    if best - second <= 0.002 and "Never" not in row["text"]:
        return False
    assert decision.action == WORDS[row["text"]], row
    return True


def decide_row(row: dict, met) -> Decision:
    cube = Cube(row["cube"], OWNERS[row["owner"]])
    score = score_of(row)
    if score is None:
        ladder = Ladder.money(jacoby=bool(row["jacoby"]), beavers=row["beavers"])
    else:
        ladder = Ladder.match(score, met)
    return decide(row["probs"], cube=cube, ladder=ladder, efficiency=row["efficiency"])


def test_money_figures_of_gnu():
    rows = [row for row in FORMULA if not row["match"]]
    verdicts = 0
    for row in rows:
        decision = decide_row(row, None)
        if row["probs"][0] == 0 and row["beavers"] and row["double_take"] < 0:
            # A double in a game that is lost for certain: GNU would only take it, though a beaver wins twice as much.
            assert (row["text"], decision.action) == ("No redouble, take", "no redouble, beaver")
            continue
        verdicts += check_row(row, decision)
    assert len(rows) == 68
    assert verdicts > 60


def test_match_figures_of_gnu():
    met = KnownChances()
    rows = [row for row in FORMULA if row["match"] and row["match"] < 25]
    verdicts = sum(check_row(row, decide_row(row, met)) for row in rows)
    assert len(rows) == 159
    assert verdicts > 145


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED.exists(), reason="GNU Backgammon's tables are not installed (apt-get install gnubg)")
def test_match_figures_of_gnu_with_its_table():
    met = MatchEquityTable.load(INSTALLED)
    rows = [row for row in FORMULA if row["match"]]
    verdicts = sum(check_row(row, decide_row(row, met)) for row in rows)
    assert len(rows) == 170
    assert verdicts > 155


def market_rows() -> list[dict]:
    return [row for row in lines("E_market.jsonl") if row["met"] == "Kazaross-XG2"]


def rates(text: str) -> list[float]:
    """Win and loss probabilities of even chances from the printed gammon rates (per game won, backgammons apart)."""
    found = re.findall(r"gammon rate +([\d.]+)%, bg rate +([\d.]+)%", text)
    (lose_gammon, lose_backgammon), (gammon, backgammon) = [(float(g) / 100, float(b) / 100) for g, b in found]
    win = [gammon + backgammon, backgammon, lose_gammon + lose_backgammon, lose_backgammon]
    return [0.5, *(rate / 2 for rate in win)]


def test_take_and_cash_points_of_gnu_for_money():
    tried = 0
    for row in market_rows():
        if row["match"]:
            continue
        text = row["marketwindow"].split("Player root cube parameters")[1]
        decision = decide(rates(row["marketwindow"]), cube=Cube(2, "player"), jacoby=False)
        for name, point in (("Take Point", decision.take_point), ("Cash Point", decision.cash_point)):
            dead, live = re.search(rf"{name} \(\w+\) +([\d.]+)% +([\d.]+)%", text).groups()
            assert point.dead == pytest.approx(float(dead) / 100, abs=1.5e-4)
            assert point.live == pytest.approx(float(live) / 100, abs=1.5e-4)
            tried += 1
        redouble = re.search(r"Redouble Point \(RDP\) +([\d.]+)%", text).group(1)
        assert decision.double_point.dead == pytest.approx(float(redouble) / 100, abs=1.5e-4)
    assert tried >= 6


def check_windows(met, rows: list[dict]) -> int:
    """Compares the printed market windows, which are rounded as their gammon rates are; how many there were."""
    tried = 0
    for row in rows:
        text = row["marketwindow"].split("Player root market window")[-1]
        dead = re.search(r"Dead cube[^:]*: *([\d.]+)% - +([\d.]+)%", text)
        if row["crawford"] or not row["match"] or dead is None:
            continue
        cube, ladder = Cube(row["cube"], OWNERS[row["owner"]]), Ladder.match(score_of(row), met)
        window = decide(rates(row["marketwindow"]), cube=cube, ladder=ladder).market_window
        assert window.opens == pytest.approx(float(dead[1]) / 100, abs=1.5e-4), row
        assert window.closes.dead == pytest.approx(float(dead[2]) / 100, abs=1.5e-4), row
        if live := re.search(r"Live cube: +[\d.]+% - +([\d.]+)%", text):
            assert window.closes.live == pytest.approx(float(live[1]) / 100, abs=1.5e-4), row
        tried += 1
    return tried


def test_market_windows_of_gnu_at_match_scores():
    assert check_windows(KnownChances(), [row for row in market_rows() if row["match"] in (3, 5, 7)]) == 18


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED.exists(), reason="GNU Backgammon's tables are not installed (apt-get install gnubg)")
def test_all_market_windows_of_gnu():
    assert check_windows(MatchEquityTable.load(INSTALLED), market_rows()) == 24


@st.composite
def probabilities(draw) -> list[float]:
    unit = st.floats(0, 1).map(lambda x: round(x, 6))
    win, a, b, c, d = (draw(unit) for _ in range(5))
    return [win, win * a, win * a * b, (1 - win) * c, (1 - win) * c * d]


OWNER = st.sampled_from([None, "player", "opponent"])
EFFICIENCY = st.floats(0, 1)


@given(probabilities(), OWNER, EFFICIENCY, st.booleans(), st.integers(0, 15))
def test_money_twin(p, owner, x, jacoby, level):
    ladder = Ladder.money(jacoby=jacoby)
    value = ladder.value(p, Cube(1 << level, owner), efficiency=x)
    assert value / (1 << level) == pytest.approx(money(p, owner, x, jacoby=jacoby), abs=1e-9)


@given(probabilities(), OWNER, EFFICIENCY, st.integers(2, 20), st.integers(2, 20), st.integers(0, 5))
def test_match_twin(p, owner, x, away, opponent_away, level):
    met = MatchEquityTable.default()

    def chance(own: int, other: int) -> float:
        return met.mwc(own, other)

    ladder = Ladder.match(Score(away, opponent_away), met)
    if (away, opponent_away, level) == (2, 2, 0):
        x = 0  # dead by decree
    twin = Match(p, away, opponent_away, chance).value(1 << level, owner, x)
    assert ladder.value(p, Cube(1 << level, owner), efficiency=x) == pytest.approx(twin, abs=1e-9)


@given(probabilities(), OWNER, EFFICIENCY, st.integers(1, 12), st.integers(1, 12), st.integers(0, 4))
def test_what_one_player_wins_the_other_loses(p, owner, x, away, opponent_away, level):
    cube = Cube(1 << level, owner)
    flipped = [1 - p[0], p[3], p[4], p[1], p[2]]
    post_crawford = (away == 1) != (opponent_away == 1)
    score = Score(away, opponent_away, post_crawford=post_crawford)
    own = Ladder.match(score).value(p, cube, efficiency=x)
    other = Ladder.match(score.flip()).value(flipped, cube.flip(), efficiency=x)
    assert own + other == pytest.approx(1, abs=1e-12)
    mirrored = Ladder.match(score).flip()
    assert mirrored.value(flipped, cube.flip(), efficiency=x) == pytest.approx(other, abs=1e-12)
    for jacoby in (True, False):
        ladder = Ladder.money(jacoby=jacoby)
        sum_ = ladder.value(p, cube, efficiency=x) + ladder.flip().value(flipped, cube.flip(), efficiency=x)
        assert sum_ == pytest.approx(0, abs=1e-9)


def same(rows, row: int, single: Decision) -> None:
    for field in dataclasses.fields(Decision):
        left, right = getattr(rows, field.name), getattr(single, field.name)
        if field.name == "action":
            assert left[row] == right
        elif isinstance(right, tuple):
            for part in ("dead", "live"):
                np.testing.assert_equal(getattr(left, part)[row], getattr(right, part))
        else:
            np.testing.assert_equal(left[row], right)


@pytest.mark.parametrize("cube", [Cube(), Cube(2, "player"), Cube(2, "opponent")])
@pytest.mark.parametrize("score", [None, Score(5, 3), Score(2, 2), Score(1, 4, post_crawford=True), Score(4, 1)])
@pytest.mark.parametrize("tolerance", [0.0, 0.3])
def test_rows_answer_as_single_decisions_do(cube, score, tolerance):
    if score is not None and score.is_crawford and cube.value > 1:
        cube = Cube()
    rng = np.random.default_rng(5)
    win, a, b, c, d = rng.random((5, 60))
    p = np.stack([win, win * a, win * a * b, (1 - win) * c, (1 - win) * c * d], axis=1)
    x = rng.random(60)
    rows = decide(p, cube=cube, score=score, efficiency=x, tolerance=tolerance)
    assert len(rows) == 60
    for row in range(60):
        same(rows, row, decide(list(p[row]), cube=cube, score=score, efficiency=x[row], tolerance=tolerance))
    # Any layout, and a number for all rows.
    strided = np.asfortranarray(np.repeat(p, 2, axis=0))[::2]
    one = decide(strided, cube=cube, score=score, efficiency=0.5)
    np.testing.assert_array_equal(one.no_double, decide(p, cube=cube, score=score, efficiency=0.5).no_double)
    single = decide(p.astype(np.float32), cube=cube, score=score)
    np.testing.assert_allclose(single.no_double, decide(p, cube=cube, score=score).no_double, atol=1e-4)


def test_empty_and_single_rows():
    assert len(decide(np.empty((0, 5)))) == 0
    assert decide(np.empty((0, 5))).action.tolist() == []
    assert isinstance(decide(np.array([0.5, 0.1, 0.0, 0.1, 0.0])), Decision)


def verdict(win: float, *, gammons: float = 0.0, **options) -> str:
    return decide([win, win * gammons, 0.0, 0.0, 0.0], **options).action


def test_verdicts_s21():
    """ "No double, beaver" is a verdict of its own (case S21)."""
    owned = Cube(2, "player")
    assert verdict(0.3) == "no double, beaver"
    assert verdict(0.3, beavers=0) == "no double"
    assert verdict(0.3, score=Score(5, 5)) == "no double"
    assert verdict(0.6) == "no double"
    assert verdict(0.75) == "double/take"
    assert verdict(0.9) == "double/drop"
    assert verdict(0.9, gammons=0.9, jacoby=False) == "too good"
    assert verdict(0.9, gammons=0.9) == "double/drop"
    assert verdict(0.3, cube=owned) == "no redouble, beaver"
    assert verdict(0.6, cube=owned) == "no redouble"
    assert verdict(0.76, cube=owned) == "redouble/take"
    assert verdict(0.9, cube=owned) == "redouble/drop"
    assert verdict(0.9, cube=owned, gammons=0.9) == "too good"
    assert verdict(0.9, cube=owned.flip()) == "unavailable"
    assert verdict(0.32, gammons=1.0, efficiency=0.0) == "double/beaver"
    assert len(set(VERDICTS)) == 7


def test_beaver_is_twice_the_take_for_money():
    p = [0.45, 0.1, 0.0, 0.15, 0.0]
    decision = decide(p)
    assert decision.beaver == pytest.approx(2 * decision.double_take)
    assert math.isnan(decide(p, beavers=0).beaver)
    assert math.isnan(decide(p, score=Score(7, 7)).beaver)
    assert decide(p, beavers=None).beaver == decision.beaver


def test_optional_within_a_tolerance():
    decision = decide([0.66, 0.0, 0.0, 0.0, 0.0])
    gap = abs(decision.double_take - decision.no_double)
    assert decision.action == "no double"
    assert decide([0.66, 0.0, 0.0, 0.0, 0.0], tolerance=gap + 1e-9).action == "optional double/take"
    assert decide([0.66, 0.0, 0.0, 0.0, 0.0], tolerance=gap - 1e-9).action == "no double"
    close = [0.9, 0.25, 0.0, 0.0, 0.0]
    assert decide(close, jacoby=False, tolerance=1.0).action == "optional double/drop"
    assert decide(close, cube=Cube(4, "player"), tolerance=1.0).action == "optional redouble/drop"
    assert decide([0.3, 0, 0, 0, 0], tolerance=5).action == "optional double/beaver"
    assert decide(close, cube=Cube(4, "opponent"), tolerance=5).action == "unavailable"


def test_jacoby_flattens_gammons_only_while_the_cube_is_centred_r13():
    """Case R13."""
    p = [0.7, 0.35, 0.05, 0.1, 0.0]
    for cube in (Cube(1, "player"), Cube(2, "player"), Cube(2, "opponent")):
        assert decide(p, cube=cube, jacoby=True).no_double == decide(p, cube=cube, jacoby=False).no_double
    with_, without = decide(p), decide(p, jacoby=False)
    assert with_.double_take == without.double_take
    assert with_.cash_point == without.cash_point
    assert with_.no_double < without.no_double
    assert Ladder.money().value(p, efficiency=0) == pytest.approx(0.4)
    assert Ladder.money(jacoby=False).value(p, efficiency=0) == pytest.approx(0.4 + 0.35 + 0.05 - 0.1)


def test_mwc_and_equity_are_different_types_r18():
    """Case R18: by name for a type checker, and by range at run time."""
    annotations = MatchEquityTable.to_equity.__annotations__
    assert (annotations["mwc"], annotations["return"]) == ("MWC", "Equity")
    annotations = MatchEquityTable.to_mwc.__annotations__
    assert (annotations["equity"], annotations["return"]) == ("Equity", "MWC")
    met = MatchEquityTable.default()
    with pytest.raises(InvalidArgumentError, match=r"from 0 to 1, not 1\.4"):
        met.to_equity(MWC(1.4), Score(5, 5))
    with pytest.raises(InvalidArgumentError, match="no match winning chance"):
        met.to_mwc(Equity(40.0), Score(5, 5))


@pytest.mark.slow
def test_a_type_checker_tells_mwc_from_equity_r18():
    code = (
        "from gammon.cube import Score\n"
        "from gammon.met import MatchEquityTable\n"
        "met = MatchEquityTable.default()\n"
        "met.to_equity(met.to_equity(met.mwc(3, 4), Score(5, 5)), Score(5, 5))\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", "--strict", "-c", code], capture_output=True, text=True
    )
    assert 'incompatible type "Equity"; expected "MWC"' in run.stdout


def test_two_away_two_away_is_valued_dead():
    met = MatchEquityTable.default()
    p = [0.6, 0.15, 0.0, 0.1, 0.0]
    ladder = Ladder.match(Score(2, 2))
    dead = 0.45 * met.mwc(1, 2) + 0.15 + 0.3 * met.mwc(2, 1)
    assert ladder.value(p, efficiency=1) == ladder.value(p, efficiency=0) == pytest.approx(dead)
    assert ladder.levels[0].dead
    assert not Ladder.match(Score(2, 3)).levels[0].dead
    decision = decide(p, score=Score(2, 2))
    assert decision.action == "double/take"
    assert ladder.from_equity(decision.double_take) == pytest.approx(0.6)
    assert decision.take_point.live == pytest.approx(met.mwc(2, 1))


def test_crawford_and_match_point():
    crawford = decide([0.8, 0.1, 0.0, 0.0, 0.0], score=Score(4, 1))
    assert crawford.action == "unavailable"
    assert math.isnan(crawford.double_take)
    assert Ladder.match(Score(4, 1)).levels == Ladder.match(Score(4, 1), use_cube=False).levels
    assert len(Ladder.match(Score(4, 1), crawford=False).levels) == 16
    after = decide([0.5, 0.1, 0.0, 0.1, 0.0], score=Score(4, 1, post_crawford=True))
    assert after.action == "double/take"
    leader = decide([0.8, 0.1, 0.0, 0.0, 0.0], score=Score(1, 4, post_crawford=True))
    assert leader.action == "unavailable"
    last = decide([0.75, 0.4, 0.1, 0.2, 0.0], score=Score(1, 1))
    assert (last.action, last.no_double) == ("unavailable", pytest.approx(0.5))


def test_a_dead_double_is_priced():
    """A record may hold a double of a dead cube: what it costs is known, though it is never right (rule 7.11)."""
    decision = decide([0.7, 0.2, 0.0, 0.1, 0.0], score=Score(2, 6), cube=Cube(2, "player"))
    assert decision.action == "unavailable"
    assert decision.double_take < decision.no_double


def test_cube_limit():
    endless, limited = Ladder.money(), Ladder.money(cube_limit=64)
    assert [level.may_double for level in limited.levels] == [(True, True)] * 6 + [(False, False)]
    assert len(Ladder.money(cube_limit=64, stake=3).levels) == 5, "a stake of 3 allows a cube of 16 (rule 7.1)"
    assert len(Ladder.money(cube_limit=1).levels) == 1
    p = [0.7, 0.2, 0.0, 0.1, 0.0]
    assert limited.value(p) == pytest.approx(endless.value(p), abs=1e-3)
    assert limited.value(p) != endless.value(p)
    top = decide(p, cube=Cube(64, "player"), ladder=limited)
    assert top.action == "unavailable"
    assert math.isnan(top.double_take)
    assert math.isnan(decide(p, cube=Cube(32, "player"), ladder=Ladder.money(cube_limit=64, beavers=1)).beaver)
    with pytest.raises(InvalidArgumentError, match="no level 7"):
        decide(p, cube=Cube(128, "player"), ladder=limited)
    capped = Ladder.match(Score(25, 25), cube_limit=2)
    assert [level.may_double for level in capped.levels[:3]] == [(True, True), (False, False), (False, False)]


def test_stake_scales_points_and_no_equity():
    p = [0.55, 0.15, 0.0, 0.1, 0.0]
    single, triple = Ladder.money(), Ladder.money(stake=3)
    assert triple.value(p, Cube(2, "player")) == pytest.approx(3 * single.value(p, Cube(2, "player")))
    assert decide(p, ladder=triple).no_double == pytest.approx(decide(p, ladder=single).no_double)
    assert triple.worth(-2, 3) == -48


def test_ladders_of_rules():
    assert Ladder.of(Rules.money(jacoby=False, cube_limit=None)) == Ladder.money(jacoby=False)
    assert Ladder.of(Rules.money(), stake=2) == Ladder.money(stake=2, cube_limit=64)
    assert Ladder.of(Rules.match(7), Score(5, 3)) == Ladder.match(Score(5, 3), cube_limit=64)
    assert len(Ladder.of(Rules.casual()).levels) == 1
    with pytest.raises(InvalidArgumentError, match="does not go with"):
        Ladder.of(Rules.match(7))
    with pytest.raises(InvalidArgumentError, match="does not go with"):
        Ladder.of(Rules.money(), Score(3, 3))


def test_holland_waits_for_the_trailing_player_rule_7_9():
    trailing = Score(3, 1, post_crawford=True)
    assert Ladder.match(trailing).first_double_turn == (2, 2)
    assert Ladder.match(trailing, holland=True).first_double_turn == (5, 2)
    assert Ladder.match(trailing.flip(), holland=True).first_double_turn == (2, 5)
    assert Ladder.match(Score(3, 4), holland=True).first_double_turn == (2, 2)
    assert Ladder.match(Score(3, 1), holland=True).first_double_turn == (2, 2)
    rules = Rules.match(5, holland=True)
    assert Ladder.of(rules, trailing).first_double_turn == (5, 2)
    assert Ladder.match(trailing, holland=True).flip().first_double_turn == (2, 5)


@pytest.mark.parametrize("crawford", [True, False])
@pytest.mark.parametrize("length", [1, 2, 3, 5, 9])
def test_score_graph(length, crawford):
    graph = ScoreGraph.match(length, crawford=crawford)
    scores = {(node.away, node.phase) for node in graph.nodes}
    assert len(scores) == len(graph.nodes)
    # Before, in and after the Crawford game; with the rule off there is only one kind of a score at match point.
    trailing = 2 * (length - 1)
    twice = max(0, trailing - 2) if crawford else 0
    assert len(graph.nodes) == (length - 1) ** 2 + trailing + twice + 1
    compiled = graph.compiled()
    assert len(compiled) == len(graph.nodes)
    for place, node in enumerate(graph.nodes):
        for winner in (0, 1):
            for points in range(1, 3 * length):
                after = graph.next(place, winner=winner, points=points)
                assert compiled.next(place, winner, points) == after
                left = [away - points * (seat == winner) for seat, away in enumerate(node.away)]
                if min(left) <= 0:
                    assert after is None
                    continue
                assert list(graph.nodes[after].away) == left
                crawford_next = 1 in left and left != [1, 1] and 1 not in node.away and crawford
                assert (graph.nodes[after].phase.name == "CRAWFORD") == crawford_next
        assert node.ladder.unit == "mwc"


def test_score_graph_of_rules_and_sessions():
    rules = Rules.match(3)
    assert ScoreGraph.of(rules) == ScoreGraph.match(3, cube_limit=64)
    session = ScoreGraph.of(Rules.money())
    assert session.next(session.start, winner=1, points=64) == session.start
    middle = ScoreGraph.match(5, start=Score(1, 3, post_crawford=True))
    assert middle.nodes[0].away == (1, 3)
    assert len(middle.nodes) == 3
    with pytest.raises(InvalidArgumentError, match="never has the score"):
        ScoreGraph.match(5, start=Score(6, 3))
    with pytest.raises(InvalidArgumentError, match="length"):
        ScoreGraph.match(129)


def test_links_that_lead_nowhere_are_refused():
    node = ScoreNode((1, 1), CrawfordPhase.NONE, Ladder.money(), ((7,), (None,)))
    with pytest.raises(InvalidArgumentError, match="leads to score 7"):
        ScoreGraph((node,))
    with pytest.raises(InvalidArgumentError, match="does not exist"):
        ScoreGraph((), 0)


def test_the_code_in_the_docs_runs():
    text = (Path(__file__).parent.parent / "docs" / "cube.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert gammon.State.from_xgid(names["state"].xgid).score == Score(3, 5)
    assert not names["live"].levels[0].dead


def test_efficiency_by_class():
    assert efficiency(Position.start()) == 0.73
    crashed = Position.from_points({24: 1, 2: 6, 1: 8}, opponent={13: 5, 6: 10})
    assert crashed.class_ == "crashed"
    assert efficiency(crashed) == efficiency(crashed.flip()) == 0.7
    race = Position.from_points({13: 5, 8: 5, 6: 5}, opponent={6: 15})
    assert efficiency(race) == pytest.approx(0.75 - 4.5 / ((135 + 90) / 2))
    assert efficiency(Position.from_points({7: 2}, opponent={6: 15})) == pytest.approx(0.75 - 4.5 / ((14 + 90) / 2))
    assert efficiency(Position.from_points({6: 15}, opponent={6: 15})) == pytest.approx(0.7)
    assert efficiency(Position.from_points({1: 2}, opponent={1: 2})) == 0
    assert efficiency(Position.from_points({}, opponent={1: 2})) == 0


VALUES = [
    Cube(),
    Cube(64, "opponent"),
    Score(3, 5),
    Score(1, 5, post_crawford=True),
    Ladder.money(),
    Ladder.match(Score(3, 2)),
    Level((0.0, 0.1, 0.2, 0.3, 0.4, 0.5)),
    ScoreGraph.match(2),
    decide([0.75, 0.1, 0.0, 0.0, 0.0]),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_are_values(value):
    copy = pickle.loads(pickle.dumps(value))
    assert copy == value
    assert hash(copy) == hash(value)
    import gammon.cube

    text = re.sub(r"<CrawfordPhase.(\w+): [^>]*>", r"CrawfordPhase.\1", repr(value))
    assert eval(text, {**vars(gammon.cube), "CrawfordPhase": CrawfordPhase}) == value
    if dataclasses.is_dataclass(value):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, dataclasses.fields(value)[0].name, 3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Cube(3), "power of 2"),
        (lambda: Cube(0), "power of 2"),
        (lambda: Cube(-2), "power of 2"),
        (lambda: Cube(True), "power of 2"),
        (lambda: Cube(1 << 16), "power of 2"),
        (lambda: Cube(2.0), "power of 2"),
        (lambda: Cube(2, "white"), "owner"),
        (lambda: Score(0, 3), "away"),
        (lambda: Score(3, 32768), "opponent_away"),
        (lambda: Score(3, 3, post_crawford=True), "no post-Crawford"),
        (lambda: Score(1, 3, post_crawford=1), "post_crawford"),
        (lambda: decide([0.5, 0.6, 0, 0, 0]), "win_gammon = 0.6 is more than win = 0.5"),
        (lambda: decide([0.5, 0, 0, 0.6, 0]), "lose_gammon = 0.6 is more than"),
        (lambda: decide([math.nan, 0, 0, 0, 0]), "win = NaN"),
        (lambda: decide([1.1, 0, 0, 0, 0]), "win = 1.1"),
        (lambda: decide(np.array([[0.5, 0, 0, 0, 0], [0.5, 0.2, 0.3, 0, 0]])), "row 1: win_backgammon"),
        (lambda: decide([0.5, 0, 0, 0, 0], efficiency=1.5), "efficiency"),
        (lambda: decide([0.5, 0, 0, 0, 0], efficiency=math.nan), "efficiency"),
        (lambda: decide(np.full((2, 5), 0.0), efficiency=np.array([0.5, -1])), "efficiency"),
        (lambda: decide([0.5, 0, 0, 0, 0], tolerance=-1), "tolerance"),
        (lambda: decide([0.5, 0, 0, 0, 0], tolerance=math.nan), "tolerance"),
        (lambda: decide([0.5, 0, 0, 0, 0], beavers=-1), "beavers"),
        (lambda: decide([0.5, 0, 0, 0, 0], score=(2, 4)), "score is a Score, such as Score(2, 4), not (2, 4)"),
        (lambda: decide([0.5, 0, 0, 0, 0], cube=2), "cube is a Cube, such as Cube(2, 'player'), not 2"),
        (lambda: Ladder(()), "1 to 16 levels"),
        (lambda: Ladder((Level((0.0,) * 6),)), "not more than"),
        (lambda: Ladder((Level((math.inf,) * 6),)), "finite"),
        (lambda: Ladder.money(stake=0), "stake"),
        (lambda: Ladder.money().worth(0), "outcome"),
        (lambda: ScoreGraph.match(3).next(0, winner=2, points=1), "winner"),
    ],
)
def test_bad_input_is_refused(make, message):
    with pytest.raises(InvalidArgumentError, match=re.escape(message)) as caught:
        make()
    assert isinstance(caught.value, GammonError)


@pytest.mark.parametrize(
    "value",
    [
        [0.5, 0.1],
        [],
        "hello",
        [[0.5] * 5],
        ["a"] * 5,
        np.zeros((3, 4)),
        np.zeros((2, 3, 5)),
        np.zeros((3, 5), np.int64),
        np.zeros((3, 5), complex),
        np.array(0.5),
    ],
    ids=str,
)
def test_other_shapes_are_refused(value):
    with pytest.raises(ArrayError, match="probabilities"):
        decide(value)


def test_wrong_number_of_efficiencies():
    with pytest.raises(ArrayError, match="one number or 3, not 2"):
        decide(np.full((3, 5), 0.0), efficiency=np.array([0.5, 0.5]))


def test_far_scores_are_decided():
    for away, opponent_away in ((2, 200), (40, 70), (300, 300), (32767, 2), (1, 1)):
        decision = decide([0.8, 0.1, 0.0, 0.02, 0.0], score=Score(away, opponent_away))
        assert math.isfinite(decision.no_double)
    late = decide([0.8, 0.1, 0.0, 0.02, 0.0], score=Score(3000, 1, post_crawford=True))
    assert math.isfinite(late.no_double)


def test_no_numpy_for_a_single_decision():
    code = (
        "import sys\nfrom gammon.cube import Score, decide\n"
        "decide([0.7, 0.1, 0.0, 0.0, 0.0], score=Score(3, 5))\nprint('numpy' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
