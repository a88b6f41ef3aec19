"""Plots, with matplotlib: one function each, drawn into the axes that the caller gives.

They need the extra `plot`; without it they raise `MissingExtraError`.

>>> from gammon import plot
>>> axes = plot.rolls_to_bear_off([0, 0, 0, 0, 2, 1])
>>> axes.get_xlabel()
'rolls'
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gammon.bearoff import OneSided
from gammon.cube import Cube, Score, decide
from gammon.errors import InvalidArgumentError, MissingExtraError
from gammon.files import read_small
from gammon.met import MatchEquityTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gammon.analysis import Analysis

__all__ = ["course", "errors", "learning_curve", "luck", "rolls_to_bear_off", "take_points"]

MOST_POINTS = 25
"""More rows than that cannot be read."""


def _axes(axes: Axes | None) -> Axes:
    """The axes that were given, or those of a new figure."""
    try:
        from matplotlib.axes import Axes
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("plots need matplotlib: pip install 'gammon[plot]'") from None
    if axes is None:
        return Figure(layout="constrained").add_subplot()
    if not isinstance(axes, Axes):
        raise InvalidArgumentError(f"axes are those of a matplotlib figure, not {axes!r}")
    return axes


def learning_curve(log: str | os.PathLike[str] | Iterable[Mapping[str, Any]], *, axes: Axes | None = None) -> Axes:
    """How a run of training went: what was left to learn at each line of its log, over the games of self-play.

    Drawn is the root mean square error of the equity against what was taught, and on an axis of its own the cross
    entropy. Both fall as the network learns, and jump where a stage teaches something else: dashed lines. They have
    a gap where nothing was learnt yet because a memory was not full.

    Args:
        log: the file that `gammon.training.train` wrote, or its lines as dictionaries.
        axes: where to draw; a figure of its own if left out.

    Raises:
        MissingExtraError: without matplotlib.
        InvalidArgumentError: for a log without lines, or one that training did not write; or axes that are none.

    >>> from gammon import plot
    >>> lines = [{"games": 1000 * n, "stage": 0, "cross_entropy": 1 / n, "equity_error": 0.5 / n} for n in (1, 2, 3)]
    >>> plot.learning_curve(lines).get_title()
    'Training: 3,000 games'
    """
    axes = _axes(axes)
    lines = _log(log)
    games = [line["games"] for line in lines]
    (error,) = axes.plot(games, [line["equity_error"] for line in lines], color="#6a4630", label="error of the equity")
    other: Any = axes.twinx()
    (entropy,) = other.plot(games, [line["cross_entropy"] for line in lines], color="#2b6c8f", label="cross entropy")
    for before, after in itertools.pairwise(lines):
        # A line names the stage that is next: none when all are over.
        if after["stage"] is not None and after["stage"] != before["stage"]:
            axes.axvline(after["games"], color="gray", linewidth=1, linestyle="--")
    axes.set_xlabel("games of self-play")
    axes.set_ylabel("root mean square error of the equity in points")
    other.set_ylabel("cross entropy in nats")
    axes.set_title(f"Training: {games[-1]:,} games")
    axes.legend(handles=[error, entropy], frameon=False)
    return axes


def _log(log: str | os.PathLike[str] | Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The lines of a training log, checked."""
    numbers = ("cross_entropy", "equity_error")
    try:
        if isinstance(log, (str, os.PathLike)):
            lines = [json.loads(line) for line in read_small(log).decode().splitlines()]
        else:
            lines = list(log)
        whole = all(
            "stage" in line
            and isinstance(line["games"], (int, float))
            and all(isinstance(line[name], (int, float, type(None))) for name in numbers)
            for line in lines
        )
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidArgumentError(f"not a log of training: {error}") from error
    if not lines or not whole:
        raise InvalidArgumentError("a log of training has lines with games, stage, cross_entropy and equity_error")
    return lines


def rolls_to_bear_off(counts: Sequence[int], *, table: OneSided | None = None, axes: Axes | None = None) -> Axes:
    """How likely it is to be done after exactly so many rolls, and the mean.

    Args:
        counts: checkers on the ace point, the 2 point, ...
        table: where the distribution is from; one for six points and 15 checkers is built if it is left out.
        axes: where to draw; a figure of its own if left out, to be had from `.figure` of what is returned.

    Raises:
        MissingExtraError: without matplotlib.
        InvalidArgumentError, NotInDatabaseError: for counts that the table does not hold, or axes that are none.

    >>> from gammon import plot
    >>> plot.rolls_to_bear_off([0, 0, 2, 1]).get_title()
    'Rolls to bear off 3 checkers, 16.5 effective pips'
    """
    axes = _axes(axes)
    table = OneSided(points=6, checkers=15) if table is None else table
    chances = [100 * float(chance) for chance in table.distribution(counts)]
    least = next(rolls for rolls, chance in enumerate(chances) if chance > 0)
    most = max(rolls for rolls, chance in enumerate(chances) if chance >= 0.01)
    mean = table.mean_rolls(counts)
    axes.bar(range(least, most + 1), chances[least : most + 1], color="#6a4630", width=0.8)
    axes.axvline(mean, color="#b3261e", linewidth=1.5, label=f"mean {mean:.2f}")
    axes.set_xticks(range(least, most + 1))
    axes.set_xlabel("rolls")
    axes.set_ylabel("chance in %")
    axes.set_title(f"Rolls to bear off {sum(counts)} checkers, {table.epc(counts):.1f} effective pips")
    axes.legend(frameon=False)
    return axes


def take_points(
    length: int = 7, *, cube: int = 1, met: MatchEquityTable | None = None, axes: Axes | None = None
) -> Axes:
    """The chance of winning that a take needs, by the points that both players still need, without gammons.

    Rows are the points that the player who is doubled needs, columns those of the player who doubles; the cube is
    centred at `cube`, and the figure is the dead take point, in %. Where the cube is dead for the doubler, or the game
    is the Crawford game, nobody doubles and the cell is empty.

    Args:
        length: scores from 2-away to this, at most 25.
        cube: the value before the double.
        met: the match equity table; the default one if it is left out.
        axes: where to draw; a figure of its own if left out.

    Raises:
        MissingExtraError: without matplotlib.
        InvalidArgumentError: for a length or cube outside the range, or axes that are none.

    >>> from gammon import plot
    >>> plot.take_points(5).get_title()
    'Take points without gammons, from 1 to 2, in %'
    """
    axes = _axes(axes)
    if isinstance(length, bool) or not isinstance(length, int) or not 2 <= length <= MOST_POINTS:
        raise InvalidArgumentError(f"length is 2 to {MOST_POINTS}, not {length!r}")
    import numpy as np

    aways = range(2, length + 1)
    grid = np.full((len(aways), len(aways)), np.nan)
    for row, taker in enumerate(aways):
        for column, doubler in enumerate(aways):
            grid[row, column] = _take_point(doubler, taker, cube, met)
    image: Any = axes.imshow(grid, cmap="cividis")
    for (row, column), value in np.ndenumerate(grid):
        if not np.isnan(value):
            light = value > (np.nanmin(grid) + np.nanmax(grid)) / 2
            color = "black" if light else "white"
            axes.text(column, row, f"{value:.1f}", ha="center", va="center", color=color, fontsize="small")
    axes.set_xticks(range(len(aways)), [str(away) for away in aways])
    axes.set_yticks(range(len(aways)), [str(away) for away in aways])
    axes.set_xlabel("points the doubler needs")
    axes.set_ylabel("points the other player needs")
    axes.set_title(f"Take points without gammons, from {cube} to {2 * cube}, in %")
    figure = axes.figure
    figure.colorbar(image, ax=axes, label="%")
    return axes


def _take_point(doubler: int, taker: int, cube: int, met: MatchEquityTable | None) -> float:
    """The dead take point in %; NaN where the doubler has nothing to gain from a double."""
    if cube >= doubler:
        return float("nan")
    decision = decide([0.5, 0.0, 0.0, 0.0, 0.0], cube=Cube(cube), score=Score(doubler, taker), met=met)
    return 100 * (1 - float(decision.cash_point.dead))


MARK_COLORS = {"doubtful": "#d8a300", "bad": "#d85b00", "very bad": "#b3001e"}
SEAT_COLORS = ("#2b5d8a", "#b06a1e")


def course(analysis: Analysis, *, axes: Axes | None = None) -> Axes:
    """How a match stood before each roll, for the player in seat 0, with the marked errors as dots.

    In a match it is the chance to win it, in %; in a session the points that the game in progress is expected to bring.
    A dotted line begins each game.

    Args:
        analysis: what `gammon.analyze` found.
        axes: where to draw; a figure of its own if left out.

    Raises:
        MissingExtraError: without matplotlib.
        InvalidArgumentError: for an analysis without a roll, or axes that are none.

    >>> import gammon
    >>> match = gammon.Match(gammon.Rules.match(3), names=("Ann", "Bob"), dice=gammon.dice.SequenceDice([(3, 1)]))
    >>> match.roll()
    Roll(3, 1)
    >>> course(gammon.analyze(match, plies=0)).get_ylabel()
    'chance of Ann in %'
    """
    axes = _axes(axes)
    rolls = analysis.course()
    if not rolls:
        raise InvalidArgumentError("there is no roll in this analysis, so nothing to draw")
    scale = 1.0 if analysis.unit == "points" else 100.0
    for game in sorted({number for _, number, _ in rolls}):
        own = [(event, scale * value) for event, number, value in rolls if number == game]
        axes.axvline(own[0][0], color="#b9a98a", linestyle=":", linewidth=1)
        axes.plot([event for event, _ in own], [value for _, value in own], color=SEAT_COLORS[0], linewidth=1.5)
    for mark, color in MARK_COLORS.items():
        marked = [judgement.event for judgement in analysis.decisions if judgement.mark == mark]
        if marked:
            heights = [scale * _value_at(rolls, event) for event in marked]
            axes.scatter(marked, heights, color=color, label=mark, zorder=3, s=20)
    name = _plain(analysis.names[0]).removeprefix("\u200b")
    axes.set_ylabel(f"chance of {name} in %" if analysis.unit == "mwc" else f"points expected by {name}")
    axes.set_xlabel("event of the record")
    if analysis.unit == "mwc":
        axes.set_ylim(0, 100)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False)
    return axes


def _value_at(rolls: Sequence[tuple[int, int, float]], event: int) -> float:
    """How it stood at the last roll up to an event, or else at the first."""
    return next((value for place, _, value in reversed(rolls) if place <= event), rolls[0][2])


def luck(analysis: Analysis, *, axes: Axes | None = None) -> Axes:
    """The luck of both players as it added up, in equity. Arguments and errors as in `course`.

    >>> import gammon
    >>> dice = gammon.dice.SequenceDice([(3, 1), (5, 2)])
    >>> match = gammon.Match(gammon.Rules.match(3), names=("Ann", "Bob"), dice=dice)
    >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
    >>> luck(gammon.analyze(match, plies=0)).get_ylabel()
    'luck, in equity'
    """
    axes = _axes(axes)
    series = [[(roll.event, roll.luck) for roll in analysis.rolls if roll.player == seat] for seat in (0, 1)]
    return _added_up(axes, analysis, series, "luck, in equity")


def errors(analysis: Analysis, *, axes: Axes | None = None) -> Axes:
    """What both players gave away as it added up, in equity. Arguments and errors as in `course`.

    >>> import gammon
    >>> dice = gammon.dice.SequenceDice([(3, 1), (5, 2)])
    >>> match = gammon.Match(gammon.Rules.match(3), names=("Ann", "Bob"), dice=dice)
    >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
    >>> errors(gammon.analyze(match, plies=0)).get_ylabel()
    'given away, in equity'
    """
    axes = _axes(axes)
    series = [[(j.event, j.error) for j in analysis.decisions if j.player == seat] for seat in (0, 1)]
    return _added_up(axes, analysis, series, "given away, in equity")


def _plain(name: str) -> str:
    """A name of a file as text: nothing in it is markup, and no first letter hides it from a legend."""
    return "\u200b" + name.replace("$", r"\$")


def _added_up(axes: Axes, analysis: Analysis, series: Sequence[Sequence[tuple[int, float]]], label: str) -> Axes:
    if not analysis.rolls:
        raise InvalidArgumentError("there is no roll in this analysis, so nothing to draw")
    end = max(event for own in series for event, _ in own)
    for name, own, color in zip(analysis.names, series, SEAT_COLORS, strict=True):
        events, sums = [0], [0.0]
        for event, amount in own:
            events.append(event)
            sums.append(sums[-1] + amount)
        # Of names that matplotlib would take for markup, or leave out of the legend, nothing is interpreted.
        axes.step(
            [*events, end], [*sums, sums[-1]], where="post", color=color, label="\u200b" + name.replace("$", r"\$")
        )
    axes.axhline(0, color="#999999", linewidth=0.8)
    axes.set_xlabel("event of the record")
    axes.set_ylabel(label)
    axes.legend(frameon=False)
    return axes
