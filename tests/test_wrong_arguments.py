"""Arguments that make no sense are refused where they come in, each with what it should be."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import gammon
from gammon import Match, Position, Roll, Rules, State
from gammon.adjudication import EvenChances, adjudicate
from gammon.bearoff import TwoSided
from gammon.clock import Clock, ClockReading, ClockSettings
from gammon.cube import Ladder, Score, ScoreGraph, decide
from gammon.engine import Player
from gammon.met import MatchEquityTable

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10"
START = State(Position.start(), on_roll=0)
CHANCES = [0.7, 0.1, 0.0, 0.1, 0.0]


def clock() -> Clock:
    return Clock(ClockSettings(), points=3, time=lambda: 0.0)


def set_position(**fields: int) -> None:
    Match().set_position(Position.start(), on_roll=0, **fields)


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: State.from_xgid(XGID, checkers=0), "checkers is a whole number from 1 to 15, not 0"),
    (lambda: State.from_xgid(XGID, checkers=14), "15 checkers of a side, more than the 14 in all"),
    (lambda: State.from_xgid(XGID, checkers=10**6), "checkers is a whole number"),
    (lambda: MatchEquityTable.default().to_mwc(0.5, Score(2, 4), cube=0), "cube is a power of 2"),
    (lambda: MatchEquityTable.default().to_equity(0.5, Score(2, 4), cube=-1), "cube is a power of 2"),
    (lambda: MatchEquityTable.default().gammon_prices(Score(2, 4), cube=3), "cube is a power of 2"),
    (lambda: MatchEquityTable.default().gammon_prices(None), "score is a Score"),
    (lambda: Ladder.of(Rules.match(5), Score(2, 4), stake=5), "a match has no stake"),
    (lambda: ScoreGraph.of(Rules.match(5), stake=math.nan), "a match has no stake"),
    (lambda: Ladder.money(cube_limit=0), "cube_limit is a whole number of at least 1"),
    (lambda: Ladder.match(Score(2, 4), cube_limit=math.nan), "cube_limit is a whole number of at least 1"),
    (lambda: Ladder.match(None), "score is a Score"),
    (lambda: decide(CHANCES, score=Score(2, 4), ladder=Ladder.money()), "without score and met"),
    (lambda: decide(CHANCES, ladder=1), "ladder is a Ladder"),
    (lambda: set_position(value=0), "a power of two up to 32768, not 0"),
    (lambda: set_position(stake=0), "a stake is at least 1, not 0"),
    (lambda: adjudicate(START, EvenChances(), amount=-1), "amount is at least 0"),
    (lambda: adjudicate(START, lambda state: 1e30), "the evaluator says 1e"),
    (lambda: adjudicate(START, lambda state: "0.5"), "a number or an Estimate"),
    (lambda: clock().start(7), "player is a whole number from 0 to 1"),
    (lambda: clock().left(-1), "player is a whole number from 0 to 1"),
    (lambda: clock().give(0, math.nan), "seconds is 0 to"),
    (lambda: clock().give(0, -math.inf), "seconds is 0 to"),
    (lambda: clock().restore(None), "a ClockReading"),
    (lambda: Clock(ClockSettings(), -1), "points is a whole number"),
    (lambda: Clock(None, 3), "settings is a ClockSettings"),
    (lambda: Player("beginner", seed=-1), "seed is a whole number from 0 to 2..64 - 1"),
    (lambda: gammon.analyze(Match(), seed=-1), "seed is a whole number"),
    (lambda: gammon.Offer.resignation(0), "level is a whole number from 1 to 3, not 0"),
    (lambda: ClockSettings().reserve(-1), "points is a whole number"),
    (lambda: Match().games_before(-1), "index is 0, not -1"),
    (lambda: Match().game_history(0), "number is a whole number"),
    (lambda: gammon.Engine(met=1), "met is a MatchEquityTable"),
    (lambda: gammon.engine.rollout(Position.start(), met=1), "met is a MatchEquityTable"),
    (lambda: gammon.formats.json.dumps(Match(), indent=2**31), "indent is a whole number from 0 to 16"),
]


@pytest.mark.parametrize(("call", "message"), WRONG, ids=[message for _, message in WRONG])
def test_it_is_said(call: Callable[[], object], message: str) -> None:
    with pytest.raises(gammon.GammonError, match=message):
        call()


def test_numbers_of_numpy_are_numbers() -> None:
    score = Score(np.int64(2), np.uint8(4))
    assert score == Score(2, 4)
    assert type(score.away) is int
    assert gammon.Engine(plies=np.int32(1)).best_play(Position.start(), Roll(3, 1)).steps


def test_a_file_that_is_open_stays_open(tmp_path: Path) -> None:
    with open(tmp_path / "a.parquet", "wb") as file:
        with pytest.raises(TypeError):
            gammon.formats.parquet.load(file.fileno())
        file.write(b"still there")


def test_tables_that_are_read_look_up_by_look_up_are_not_for_searches(tmp_path: Path) -> None:
    TwoSided.build(points=2, checkers=2, path=tmp_path / "small.gts")
    table = TwoSided.open(tmp_path / "small.gts", mmap=False)
    with pytest.raises(gammon.InvalidArgumentError, match="read through a memory map"):
        gammon.Engine(bearoff=table)
    with pytest.raises(gammon.InvalidArgumentError, match="read through a memory map"):
        gammon.engine.rollout(Position.start(), exact=table, trials=36)


def test_a_clock_goes_on_from_a_reading() -> None:
    again = clock()
    again.restore(ClockReading((10.0, 20.0)))
    assert (again.left(0), again.left(1)) == (10.0, 20.0)
