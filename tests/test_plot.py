"""Plots: what stands in the axes is what the tables say."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gammon
from gammon import InvalidArgumentError
from gammon.met import MatchEquityTable

pytest.importorskip("matplotlib")

from gammon import plot


def test_rolls_to_bear_off() -> None:
    from matplotlib.figure import Figure

    counts = [1, 2, 3, 2, 2, 2]
    table = gammon.bearoff.OneSided(points=6, checkers=15)
    given = Figure().add_subplot()
    axes = plot.rolls_to_bear_off(counts, table=table, axes=given)
    assert axes is given
    chances = table.distribution(counts)
    shown = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in axes.patches}
    assert len(shown) > 5
    for rolls, height in shown.items():
        assert height == pytest.approx(100 * chances[rolls])
    assert sum(shown.values()) == pytest.approx(100, abs=0.05)
    assert axes.lines[0].get_xdata()[0] == pytest.approx(table.mean_rolls(counts))


def test_take_points_by_hand() -> None:
    """What a drop leaves, between what a lost and a won game leave, by the match equity table."""
    met = MatchEquityTable.default()
    axes = plot.take_points(6)
    texts = {tuple(map(round, text.get_position())): float(text.get_text()) for text in axes.texts}
    assert len(texts) == 25
    for (column, row), shown in texts.items():
        doubler, taker = column + 2, row + 2
        dropped = float(met.mwc(taker, doubler - 1))
        won = float(met.mwc(taker - 2, doubler)) if taker > 2 else 1.0
        lost = float(met.mwc(taker, doubler - 2)) if doubler > 2 else 0.0
        assert shown == pytest.approx(100 * (dropped - lost) / (won - lost), abs=0.051), (doubler, taker)
    assert len(plot.take_points(5, cube=2).texts) == 12, "a doubler who needs two points has a dead cube"


@pytest.fixture(scope="module")
def analysis() -> gammon.Analysis:
    """Of a short match in which everything is played without a thought."""
    match = gammon.Match(gammon.Rules.match(3), names=("_$x_{$", "Bob"), dice=gammon.dice.RandomDice(seed=2))
    while match.event_count < 70:
        match.apply(match.legal_actions()[0])
    return gammon.analyze(match, plies=0)


def test_the_course_of_a_match(analysis: gammon.Analysis) -> None:
    axes = plot.course(analysis)
    lines = [line for line in axes.get_lines() if len(line.get_xdata()) > 2]
    drawn = [value for line in lines for value in line.get_ydata()]
    assert drawn == [100 * value for _, _, value in analysis.course()]
    assert axes.get_ylim() == (0, 100)
    dots = sum(len(found.get_offsets()) for found in axes.collections)
    assert dots == sum(bool(judgement.mark) for judgement in analysis.decisions) > 3
    assert {text.get_text() for text in axes.get_legend().get_texts()} <= {"doubtful", "bad", "very bad"}
    axes.figure.savefig(io.BytesIO(), format="svg")


@pytest.mark.parametrize(("draw", "field"), [(plot.luck, "luck"), (plot.errors, "error")])
def test_sums_over_a_match(analysis: gammon.Analysis, draw: Any, field: str) -> None:
    axes = draw(analysis)
    for seat, line in enumerate(axes.get_lines()[:2]):
        assert line.get_ydata()[-1] == pytest.approx(getattr(analysis.players[seat], field))
        assert line.get_ydata()[0] == 0
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["\u200b_\\$x_{\\$", "\u200bBob"]
    axes.figure.savefig(io.BytesIO(), format="svg")
    given = plot.course(analysis)
    assert draw(analysis, axes=given) is given


def test_a_session_is_in_points() -> None:
    match = gammon.Match(gammon.Rules.money(), dice=gammon.dice.RandomDice(seed=2))
    while match.event_count < 20:
        match.apply(match.legal_actions()[0])
    assert plot.course(gammon.analyze(match, plies=0)).get_ylabel() == "points expected by White"


@pytest.mark.parametrize("draw", [plot.course, plot.luck, plot.errors])
def test_nothing_to_draw(draw: Any) -> None:
    empty = gammon.analyze(gammon.Match())
    with pytest.raises(InvalidArgumentError):
        draw(empty)


def test_learning_curve(tmp_path: Path) -> None:
    from gammon.training import Recipe, Stage, train

    log = tmp_path / "log.jsonl"
    recipe = Recipe((64, 16), (Stage(games=64, games_per_step=16), Stage(games=64, games_per_step=16)), seed=1)
    # A line for each step.
    train(recipe, tmp_path / "out.gammon", log=log, checkpoint_seconds=1e-9)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(lines) > 5
    axes = plot.learning_curve(log)
    curve, stages = axes.lines
    assert list(curve.get_xdata()) == [line["games"] for line in lines]
    assert list(curve.get_ydata()) == [line["equity_error"] for line in lines]
    assert stages.get_xdata()[0] == 64
    other = next(a for a in axes.figure.axes if a is not axes)
    assert list(other.lines[0].get_ydata()) == [line["cross_entropy"] for line in lines]
    assert len(plot.learning_curve(lines[:2]).lines) == 1
    # While a memory fills, nothing is learnt.
    gap = {"games": 0, "stage": 0, "cross_entropy": None, "equity_error": None}
    (curve,) = plot.learning_curve([gap, *lines[:2]]).lines
    assert list(curve.get_ydata())[1:] == [line["equity_error"] for line in lines[:2]]


@pytest.mark.parametrize(
    "log",
    [[], [{}], [{"games": 1}], [3], [{"games": "a", "stage": 0, "cross_entropy": 1.0, "equity_error": 1.0}]],
)
def test_logs_that_are_none(log: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="log of training"):
        plot.learning_curve(log)
    path = tmp_path / "log.jsonl"
    path.write_text("no log")
    with pytest.raises(InvalidArgumentError, match="log of training"):
        plot.learning_curve(path)


@pytest.mark.parametrize(
    "call",
    [
        lambda: plot.take_points(1),
        lambda: plot.take_points(26),
        lambda: plot.take_points(True),
        lambda: plot.take_points(5, axes="here"),  # type: ignore[arg-type]
        lambda: plot.take_points(5, cube=3),
        lambda: plot.rolls_to_bear_off([16, 0, 0, 0, 0, 0]),
    ],
)
def test_what_cannot_be_plotted(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(gammon.GammonError):
        call()
    assert issubclass(InvalidArgumentError, gammon.GammonError)


def test_without_the_extra() -> None:
    script = """
import sys
sys.modules["matplotlib"] = None
sys.modules["matplotlib.axes"] = None
import gammon
try:
    gammon.plot.take_points(5)
except gammon.MissingExtraError as error:
    assert "gammon[plot]" in str(error)
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", script], check=True)
