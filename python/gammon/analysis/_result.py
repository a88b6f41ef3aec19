"""What an analysis comes to."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gammon.analysis._walk import Kind
from gammon.dice import Roll
from gammon.engine import Probabilities
from gammon.errors import InvalidArgumentError
from gammon.match import State

__all__ = [
    "CLOSE_CUBE",
    "ERROR_MARKS",
    "LUCK_MARKS",
    "Analysis",
    "Judgement",
    "Option",
    "RollLuck",
    "Summary",
    "error_mark",
    "luck_mark",
]

ERROR_MARKS: tuple[tuple[float, str], ...] = ((0.16, "very bad"), (0.08, "bad"), (0.04, "doubtful"))
"""From which error on a decision is called so: the default thresholds in the manual of GNU Backgammon."""

LUCK_MARKS: tuple[tuple[float, str], ...] = ((0.6, "very lucky"), (0.3, "lucky"))
"""Above which luck a roll is called so, and below minus which unlucky: from the same manual."""

CLOSE_CUBE = 0.25
"""A decision not to double counts if the equities of both actions are nearer than this: from the same manual."""

PR_FACTOR = 500.0


def error_mark(error: float) -> str:
    """The class of an error; "" for a small one."""
    return next((name for least, name in ERROR_MARKS if error >= least), "")


def luck_mark(luck: float) -> str:
    """The class of a roll; "" for a common one."""
    name = next((name for least, name in LUCK_MARKS if abs(luck) > least), "")
    return name if luck > 0 else name.replace("lucky", "unlucky")


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that could have been done, and what it was worth to who had the decision.

    >>> import gammon
    >>> dice = gammon.dice.SequenceDice([(3, 1), (5, 2)])
    >>> match = gammon.Match(gammon.Rules.match(3), names=("Ann", "Bob"), dice=dice)
    >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
    >>> analysis = gammon.analyze(match, plies=0)
    >>> option = analysis.decisions[0].options[0]
    >>> option.action, option.mwc > 0.4
    ('8/5 6/5', True)
    """

    action: str
    """A play, "double", "no double", "take", "drop", "beaver", "raccoon", "accept", "decline", "resign single",
    "play on", ..."""
    equity: float
    """Normalised: a single game won with the cube as it lies before the decision is 1."""
    mwc: float | None
    """The chance to win the match; None for money."""
    probabilities: Probabilities | None
    """How likely each end of the game is; None where it ends at once."""
    plies: int | None
    """How far was looked ahead; None for a rollout."""
    trials: int | None = None
    """Of a rollout."""
    standard_error: float | None = None
    """Of the equity of a rollout."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A decision of a player, and what was given away by it.

    >>> import gammon
    >>> dice = gammon.dice.SequenceDice([(3, 1), (5, 2)])
    >>> match = gammon.Match(gammon.Rules.match(3), names=("Ann", "Bob"), dice=dice)
    >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
    >>> analysis = gammon.analyze(match, plies=0)
    >>> judgement = analysis.decisions[0]
    >>> judgement.kind, judgement.player, judgement.error > 0
    ('play', 0, True)
    """

    event: int
    """Its place in `Match.record`; a double that was not made has that of the roll."""
    game: int
    """From 1."""
    player: int
    """The seat that had the decision."""
    kind: Kind
    """"play", "double" (or not), "answer" to a turn of the cube, "resign", "resignation answer"."""
    state: State
    """What the decision met."""
    action: str
    """What was done."""
    options: tuple[Option, ...] = ()
    """Best first; plays that the search judged less deep come after the others."""
    error: float = 0.0
    """Equity lost, 0 or more."""
    cost: float = 0.0
    """The same in points at the value of the game, or as match winning chance."""
    mark: str = ""
    """"doubtful", "bad", "very bad" or ""."""
    counts: bool = False
    """Whether it is one of the decisions that a performance rating divides by."""
    verdict: str = ""
    """Of the cube: the best for both sides, as in `gammon.cube.Decision.action`."""
    worths: tuple[tuple[str, float], ...] = ()
    """Of the cube: the equity of every action, for the player on roll."""
    note: str = ""
    """"early" for an early double, which is judged on the board on which it is answered."""
    reason: str = ""
    """Why nothing was judged: "forced", "illegal", ..."""

    @property
    def best(self) -> Option:
        """The best that could have been done. Raises `IndexError` for a decision that was not judged.

        >>> import gammon
        >>> match = gammon.Match(dice=gammon.dice.SequenceDice([(3, 1), (5, 2)]))
        >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
        >>> gammon.analyze(match, plies=0).decisions[0].best.action
        '8/5 6/5'
        """
        return self.options[0]

    @property
    def chosen(self) -> Option | None:
        """What was done, with its worth; None for a decision that was not judged.

        >>> import gammon
        >>> match = gammon.Match(dice=gammon.dice.SequenceDice([(3, 1), (5, 2)]))
        >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
        >>> judgement = gammon.analyze(match, plies=0).decisions[0]
        >>> judgement.chosen.action, judgement.chosen.equity < judgement.best.equity
        ('24/23 24/21', True)
        """
        return next((option for option in self.options if option.action == self.action), None)

    @property
    def is_cube(self) -> bool:
        """Whether it was about the cube.

        >>> import gammon
        >>> match = gammon.Match(dice=gammon.dice.SequenceDice([(3, 1)]))
        >>> _ = match.roll(), match.play("8/5 6/5"), match.double(), match.drop()
        >>> [judgement.is_cube for judgement in gammon.analyze(match, plies=0).decisions]
        [False, True, True]
        """
        return self.kind in ("double", "answer")


@dataclass(frozen=True, slots=True)
class RollLuck:
    """A roll, and by how much it was better than the mean of all that could have been thrown.

    >>> import gammon
    >>> dice = gammon.dice.SequenceDice([(3, 1), (5, 2)])
    >>> match = gammon.Match(gammon.Rules.match(3), names=("Ann", "Bob"), dice=dice)
    >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
    >>> analysis = gammon.analyze(match, plies=0)
    >>> len(analysis.rolls), str(analysis.rolls[0].roll)
    (2, '31')
    """

    event: int
    game: int
    player: int
    """Who threw it; of an opening roll who begins by it."""
    roll: Roll
    before: float
    """The mean equity over all rolls, each played best, for the player."""
    luck: float
    """The equity of the roll, played best, minus that mean."""
    before_mwc: float | None
    """`before` as the chance to win the match; None for money."""
    luck_mwc: float | None
    """`luck` as such."""
    value: int
    """Stake x cube, by which equities become points."""
    mark: str = ""
    """"very lucky", "lucky", "unlucky", "very unlucky" or ""."""

    @property
    def cost(self) -> float:
        """The luck in points at the value of the game, or as match winning chance.

        >>> import gammon
        >>> match = gammon.Match(dice=gammon.dice.SequenceDice([(3, 1)]))
        >>> roll = match.roll()
        >>> thrown = gammon.analyze(match, plies=0).rolls[0]
        >>> thrown.cost == thrown.luck * thrown.value
        True
        """
        return self.luck * self.value if self.luck_mwc is None else self.luck_mwc


@dataclass(frozen=True, slots=True)
class Summary:
    """What it comes to for one player. Equities are normalised; costs are points, or match winning chances.

    >>> import gammon
    >>> dice = gammon.dice.SequenceDice([(3, 1), (5, 2)])
    >>> match = gammon.Match(gammon.Rules.match(3), names=("Ann", "Bob"), dice=dice)
    >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
    >>> analysis = gammon.analyze(match, plies=0)
    >>> [(player.name, player.plays) for player in analysis.players]
    [('Ann', 1), ('Bob', 0)]
    """

    player: int
    name: str
    plays: int
    """All plays of checkers, dances left out."""
    unforced: int
    """Those that count: there was something to decide."""
    play_error: float
    play_cost: float
    cube_decisions: int
    """Every turn on which the player could have doubled, and every answer."""
    close_cube: int
    """Those that count: a double, an answer, an error, or a close or too good one that was not doubled."""
    cube_error: float
    cube_cost: float
    missed_doubles: int
    wrong_doubles: int
    wrong_takes: int
    """Beavers included."""
    wrong_drops: int
    wrong_resignations: int
    """Resigned or answered wrongly."""
    other_error: float
    """Lost by resignations."""
    other_cost: float
    illegal: int
    """Plays in the record that are not legal, and so not judged."""
    marks: tuple[int, int, int]
    """Doubtful, bad and very bad decisions."""
    rolls: int
    luck: float
    luck_cost: float
    lucky: tuple[int, int, int, int]
    """Rolls that were very lucky, lucky, unlucky and very unlucky."""

    @property
    def decisions(self) -> int:
        """The decisions that count: unforced plays, close or actual decisions of the cube, wrong resignations.

        >>> import gammon
        >>> match = gammon.Match(dice=gammon.dice.SequenceDice([(3, 1), (5, 2)]))
        >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
        >>> [player.decisions for player in gammon.analyze(match, plies=0).players]
        [1, 0]
        """
        return self.unforced + self.close_cube + self.wrong_resignations

    @property
    def error(self) -> float:
        """Equity given away in all.

        >>> import gammon
        >>> match = gammon.Match(dice=gammon.dice.SequenceDice([(3, 1), (5, 2)]))
        >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
        >>> [player.error > 0 for player in gammon.analyze(match, plies=0).players]
        [True, False]
        """
        return self.play_error + self.cube_error + self.other_error

    @property
    def cost(self) -> float:
        """The same in points, or as match winning chance.

        >>> import gammon
        >>> match = gammon.Match(dice=gammon.dice.SequenceDice([(3, 1), (5, 2)]))
        >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
        >>> [player.cost > 0 for player in gammon.analyze(match, plies=0).players]
        [True, False]
        """
        return self.play_cost + self.cube_cost + self.other_cost

    @property
    def error_rate(self) -> float:
        """Equity given away for each decision that counts; NaN without any.

        >>> import gammon
        >>> match = gammon.Match(dice=gammon.dice.SequenceDice([(3, 1), (5, 2)]))
        >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
        >>> ann, bob = gammon.analyze(match, plies=0).players
        >>> ann.error_rate == ann.error / ann.decisions, bob.error_rate
        (True, nan)
        """
        return self.error / self.decisions if self.decisions else math.nan

    @property
    def performance_rating(self) -> float:
        """500 x `error_rate`: 0 is perfect; NaN without any decision that counts.

        >>> import gammon
        >>> match = gammon.Match(dice=gammon.dice.SequenceDice([(3, 1), (5, 2)]))
        >>> _ = match.roll(), match.play("8/5 6/5"), match.roll()
        >>> gammon.analyze(match, plies=0).players[0].performance_rating
        0.0
        """
        return PR_FACTOR * self.error_rate

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON; what cannot be said (NaN) is None.

        >>> import gammon
        >>> data = gammon.analyze(gammon.Match(names=("Ann", "Bob")), plies=0).players[0].to_dict()
        >>> data["name"], data["plays"], data["error_rate"]
        ('Ann', 0, None)
        """
        data = {name: getattr(self, name) for name in self.__slots__}
        data |= {"decisions": self.decisions, "error": self.error, "cost": self.cost}
        data |= {"error_rate": self.error_rate, "performance_rating": self.performance_rating}
        return {name: _plain(value) for name, value in data.items()}


def summary(player: int, name: str, judgements: Iterable[Judgement], rolls: Iterable[RollLuck]) -> Summary:
    """The totals of one player."""
    mine = [judgement for judgement in judgements if judgement.player == player]
    thrown = [roll for roll in rolls if roll.player == player]
    plays = [j for j in mine if j.kind == "play"]
    cube = [j for j in mine if j.is_cube]
    other = [j for j in mine if j.kind in ("resign", "resignation answer")]

    def wrong(judgements: Sequence[Judgement], *actions: str) -> int:
        return sum(j.error > 0 and (not actions or j.action in actions) for j in judgements)

    def rolled(mark: str) -> int:
        return sum(roll.mark == mark for roll in thrown)

    return Summary(
        player=player,
        name=name,
        plays=sum(bool(j.action) for j in plays),
        unforced=sum(j.counts for j in plays),
        play_error=math.fsum(j.error for j in plays),
        play_cost=math.fsum(j.cost for j in plays),
        cube_decisions=len(cube),
        close_cube=sum(j.counts for j in cube),
        cube_error=math.fsum(j.error for j in cube),
        cube_cost=math.fsum(j.cost for j in cube),
        missed_doubles=wrong(cube, "no double"),
        wrong_doubles=wrong(cube, "double"),
        wrong_takes=wrong(cube, "take", "beaver", "raccoon"),
        wrong_drops=wrong(cube, "drop"),
        wrong_resignations=wrong(other),
        other_error=math.fsum(j.error for j in other),
        other_cost=math.fsum(j.cost for j in other),
        illegal=sum(j.reason == "illegal" for j in plays),
        marks=tuple(sum(j.mark == mark for j in mine) for _, mark in reversed(ERROR_MARKS)),  # type: ignore[arg-type]
        rolls=len(thrown),
        luck=math.fsum(roll.luck for roll in thrown),
        luck_cost=math.fsum(roll.cost for roll in thrown),
        lucky=(rolled("very lucky"), rolled("lucky"), rolled("unlucky"), rolled("very unlucky")),
    )


@dataclass(frozen=True, slots=True)
class Analysis:
    """Every decision and every roll of a match, judged.

    `str` and `text` are tables for people, `to_json` is for programs, `report` writes a page with boards.

    Attributes:
        names: of the players in seats 0 and 1.
        length: the points that win the match; None for a session.
        score: the points at the end of the record.
        plies: how far the engine looked ahead for decisions.
        luck_plies: and for the luck of rolls.
        rollout: trials of the rollouts of close decisions; None without them.
        decisions: in the order of the record.
        rolls: the luck of each.
        players: the totals of both.
        results: the points that seat 0 won (below 0: lost) in each finished game.
        complete: whether everything was judged; False if it was interrupted.

    >>> import gammon
    >>> dice = gammon.dice.SequenceDice([(3, 1), (5, 2)])
    >>> match = gammon.Match(gammon.Rules.match(3), names=("Ann", "Bob"), dice=dice)
    >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
    >>> analysis = gammon.analyze(match, plies=0)
    >>> analysis.names, analysis.length, analysis.complete
    (('Ann', 'Bob'), 3, True)
    """

    names: tuple[str, str]
    length: int | None
    score: tuple[int, int]
    plies: int
    luck_plies: int
    rollout: int | None
    decisions: tuple[Judgement, ...]
    rolls: tuple[RollLuck, ...]
    players: tuple[Summary, Summary]
    results: tuple[int, ...]
    complete: bool = True

    @property
    def unit(self) -> Literal["points", "mwc"]:
        """What costs are in: points, or match winning chance.

        >>> import gammon
        >>> gammon.analyze(gammon.Match(), plies=0).unit
        'points'
        """
        return "points" if self.length is None else "mwc"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What a notebook shows: the tables. `repr` has all decisions, some hundred kilobytes."""
        printer.text(str(self))

    def worst(self, count: int = 10, *, player: int | None = None) -> tuple[Judgement, ...]:
        """The decisions that gave away most equity, the worst first; those without an error are left out.

        Args:
            count: how many at most.
            player: only of this seat, 0 or 1.

        Raises:
            InvalidArgumentError: for a count below 0, or a player who is no seat.

        >>> import gammon
        >>> match = gammon.Match(dice=gammon.dice.SequenceDice([(3, 1), (5, 2)]))
        >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
        >>> [judgement.action for judgement in gammon.analyze(match, plies=0).worst(1)]
        ['24/23 24/21']
        """
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise InvalidArgumentError(f"count is a whole number from 0 up, not {count!r}")
        if player not in (None, 0, 1):
            raise InvalidArgumentError(f"player is a seat, 0 or 1, or None, not {player!r}")
        wrong = [j for j in self.decisions if j.error > 0 and player in (None, j.player)]
        return tuple(sorted(wrong, key=lambda j: (-j.error, j.event))[:count])

    def course(self) -> tuple[tuple[int, int, float], ...]:
        """How the match stood before each roll: (event, game, value) for seat 0.

        The value is the chance to win the match, or points that the game in progress is expected to bring.

        >>> import gammon
        >>> match = gammon.Match(dice=gammon.dice.SequenceDice([(3, 1), (5, 2)]))
        >>> _ = match.roll(), match.play("24/23 24/21"), match.roll()
        >>> [(event, game) for event, game, value in gammon.analyze(match, plies=0).course()]
        [(0, 1), (2, 1)]
        """
        return tuple((roll.event, roll.game, _seen_by_0(roll)) for roll in self.rolls)

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON. ``docs/analysis.md`` lists the fields.

        >>> import gammon
        >>> data = gammon.analyze(gammon.Match(names=("Ann", "Bob")), plies=0).to_dict()
        >>> data["names"], data["unit"], data["decisions"]
        (['Ann', 'Bob'], 'points', [])
        """
        return {
            "format": "gammon analysis",
            "version": 1,
            "names": list(self.names),
            "length": self.length,
            "score": list(self.score),
            "unit": self.unit,
            "plies": self.plies,
            "luck_plies": self.luck_plies,
            "rollout": self.rollout,
            "complete": self.complete,
            "results": list(self.results),
            "players": [player.to_dict() for player in self.players],
            "decisions": [_judgement_to_dict(judgement) for judgement in self.decisions],
            "rolls": [_roll_to_dict(roll) for roll in self.rolls],
        }

    def to_json(self) -> str:
        """`to_dict` as JSON.

        >>> import gammon
        >>> gammon.analyze(gammon.Match(), plies=0).to_json()[:44]
        '{"format": "gammon analysis", "version": 1, '
        """
        return json.dumps(self.to_dict(), allow_nan=False)

    def report(self, path: str | os.PathLike[str], *, boards: int = 50) -> None:
        """Writes one HTML file that needs nothing else: totals, a graph, tables, and boards of the worst decisions.

        Args:
            path: of the file, which is replaced.
            boards: the most boards that are drawn.

        >>> import gammon, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = pathlib.Path(folder, "match.html")
        ...     gammon.analyze(gammon.Match(names=("Ann", "Bob")), plies=0).report(page)
        ...     page.read_text(encoding="utf-8")[:15]
        '<!DOCTYPE html>'
        """
        from gammon.analysis import _report

        _report.write(self, path, boards)

    def text(self, *, worst: int = 10, player: int | None = None) -> str:
        """Tables for people: the totals, and so many of the worst decisions, of one seat or of both.

        >>> import gammon
        >>> print(gammon.analyze(gammon.Match(names=("Ann", "Bob")), plies=0).text(worst=5).splitlines()[0])
        Ann against Bob, money session, 0-0; 0-ply
        """
        from gammon.analysis import _text

        return _text.text(self, worst, player)

    def __str__(self) -> str:
        return self.text()


def _seen_by_0(roll: RollLuck) -> float:
    if roll.before_mwc is not None:
        return roll.before_mwc if roll.player == 0 else 1.0 - roll.before_mwc
    return roll.before * roll.value * (1 if roll.player == 0 else -1)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _judgement_to_dict(judgement: Judgement) -> dict[str, Any]:
    state = judgement.state
    data: dict[str, Any] = {
        name: getattr(judgement, name)
        for name in ("event", "game", "player", "kind", "action", "error", "cost", "mark", "counts", "note", "reason")
    }
    data |= {
        "position": state.position.id,
        "on_roll": state.on_roll,
        "roll": None if state.roll is None else str(state.roll),
        "cube": state.cube.value,
        "owner": state.cube.owner,
        "value": state.value,
        "points": list(state.points),
        "options": [_option_to_dict(option) for option in judgement.options],
    }
    if judgement.is_cube:
        data |= {"verdict": judgement.verdict, "worths": dict(judgement.worths)}
    return data


def _option_to_dict(option: Option) -> dict[str, Any]:
    five = option.probabilities
    return {
        "action": option.action,
        "equity": option.equity,
        "mwc": option.mwc,
        "probabilities": None if five is None else five._asdict(),
        "plies": option.plies,
        "trials": option.trials,
        "standard_error": option.standard_error,
    }


def _roll_to_dict(roll: RollLuck) -> dict[str, Any]:
    data = {name: getattr(roll, name) for name in roll.__slots__}
    return {**data, "roll": str(roll.roll), "cost": roll.cost}
