"""The score sheet: the running table of a match or session, one for both players (rule 9.13)."""

from __future__ import annotations

from dataclasses import dataclass

from gammon.match._events import Event
from gammon.match._moment import Game
from gammon.rules import Rules
from gammon.scoring import LEVELS

__all__ = ["ScoreSheet", "SheetRow", "score_sheet"]


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One line: a finished game, or points that do not come from one, with the score after it.

    `game` is the game's number, None for other points; `points` are what each seat won, raw.

    >>> SheetRow(1, "gammon", points=(2, 0), score=(2, 0)).what
    'gammon'
    """

    game: int | None
    what: str
    points: tuple[int, int]
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """The names, what is played for, and a row for everything that changed the score; `str` gives the table.

    >>> from gammon import Match, Rules
    >>> from gammon.dice import SequenceDice
    >>> match = Match(Rules.match(3), names=("Ann", "Bob"), dice=SequenceDice([(3, 1)]))
    >>> roll = match.roll()
    >>> match.resign("gammon")
    >>> match.accept()
    >>> print(match.score_sheet())
    3-point match            Ann   Bob
    1  gammon, resignation    .     2    0 - 2
    """

    title: str
    names: tuple[str, str]
    rows: tuple[SheetRow, ...]

    def __str__(self) -> str:
        """The table as text."""
        lines = [(self._label(row), *(str(points) if points else "." for points in row.points)) for row in self.rows]
        left = max(len(self.title), *(len(label) for label, _, _ in lines), 20) if lines else len(self.title)
        widths = [max(len(name), 5) for name in self.names]
        text = [f"{self.title:<{left}}  {self.names[0]:^{widths[0]}} {self.names[1]:^{widths[1]}}".rstrip()]
        for (label, first, second), row in zip(lines, self.rows, strict=True):
            score = f"{row.score[0]} - {row.score[1]}"
            text.append(f"{label:<{left}}  {first:^{widths[0]}} {second:^{widths[1]}}  {score}")
        return "\n".join(text)

    @staticmethod
    def _label(row: SheetRow) -> str:
        return f"{'-' if row.game is None else row.game}  {row.what}"


def score_sheet(
    rules: Rules,
    names: tuple[str, str],
    start: tuple[int, int],
    steps: list[tuple[Event, tuple[Game, ...], tuple[int, int]]],
) -> ScoreSheet:
    """The sheet from the games and the score after each event; a result that was corrected later is shown corrected."""
    final = steps[-1][1] if steps else ()
    rows = [SheetRow(None, "carried over", start, (0, 0))] if any(start) else []
    score, games = start, 0
    for event, now, points in steps:
        if len(now) < games:
            # A contest or the director took a result back.
            rows = [row for row in rows if row.game is None or row.game <= len(now)]
        for game in now[games:]:
            if game.number <= len(final):
                rows.append(_game_row(final[game.number - 1]))
        games = len(now)
        won = [sum(game.points for game in now if game.winner == seat) for seat in (0, 1)]
        other = (points[0] - won[0], points[1] - won[1])
        if other != score:
            rows.append(SheetRow(None, _reason(event), (other[0] - score[0], other[1] - score[1]), (0, 0)))
            score = other
    title = "Session" if rules.length is None else f"{rules.length}-point match"
    return ScoreSheet(title, names, _running(rows))


def _game_row(game: Game) -> SheetRow:
    what = f"{LEVELS[game.level]}, {game.ending}" if game.ending in ("play", "resignation") else game.ending
    if game.stake * game.cube > 1:
        what += f", at {game.stake * game.cube}"
    if game.is_crawford:
        what += ", Crawford"
    return SheetRow(game.number, what, (game.points, 0) if game.winner == 0 else (0, game.points), (0, 0))


def _reason(event: Event) -> str:
    if event.kind == "late_arrival":
        return "late arrival"
    return event.decision if event.decision is not None else "penalty points"


def _running(rows: list[SheetRow]) -> tuple[SheetRow, ...]:
    first, second = 0, 0
    running = []
    for row in rows:
        first, second = first + row.points[0], second + row.points[1]
        running.append(SheetRow(row.game, row.what, row.points, (first, second)))
    return tuple(running)
