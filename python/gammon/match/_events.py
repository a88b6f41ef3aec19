"""The record of a match: one event for everything that happened, complete enough to play it all again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gammon.clock import ClockReading
from gammon.dice import Roll
from gammon.play import Play
from gammon.position import Position

__all__ = ["Comment", "Event", "Fault", "changed", "play_event", "roll_event"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in a file that a match was read from: where, what, and what the reader did about it.

    >>> print(Fault(12, 34, "an illegal play", "kept as written"))
    line 12, column 34: an illegal play (kept as written)
    """

    line: int
    column: int
    """In characters from 1."""
    what: str
    done: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.what} ({self.done})"


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark in a record: `event` says how many events come before it.

    >>> Comment(event=2, text="a bold play").text
    'a bold play'
    """

    event: int
    text: str


@dataclass(frozen=True)
class Event:
    """One thing that happened: an action of the game (rules 6 and 7) or an event at the table (rule 9).

    `kind` says which, and with it which of the other fields mean something; `docs/match.md` has the table. `player` is
    the seat that did it. `notes` are remarks that the rules make: "dead cube", "Crawford game", "illegal", ...

    >>> event = Event("roll", player=0, throws=((3, 1),))
    >>> event.roll, event.notes
    (Roll(3, 1), ())
    """

    kind: str
    player: int | None = None
    throws: tuple[tuple[int, int], ...] = ()
    """Throws in order, player 0's die first; in an opening the ties come before the throw that decides."""
    given: bool = False
    """The dice were given, not taken from the match's source."""
    source: Any = None
    """Where the dice source stood, as plain data, if it is not where this match's last throw left it."""
    play: Play | str | None = None
    """The play; its text as written if it is illegal."""
    illegal: bool = False
    on_record: bool = False
    level: int | None = None
    reason: str | None = None
    again: int | None = None
    """The die that is thrown again by itself (rule 9.9)."""
    position: Position | None = None
    point: int | None = None
    on_bar: bool = False
    minutes: tuple[float, ...] = ()
    decision: str | None = None
    points: int | None = None
    winner: int | None = None
    value: int | None = None
    owner: int | None = None
    stake: int | None = None
    score: tuple[int, int] | None = None
    post_crawford: bool = False
    """The Crawford game was played before this score."""
    upheld: bool = False
    clock: ClockReading | None = None
    """What the clock showed just before."""
    notes: tuple[str, ...] = ()

    @property
    def roll(self) -> Roll | None:
        """The roll that the throws came to.

        >>> Event("roll", throws=((2, 2), (3, 1))).roll
        Roll(3, 1)
        """
        return Roll(*self.throws[-1]) if self.throws else None

    def __str__(self) -> str:
        """One line for people.

        >>> str(Event("roll", player=0, throws=((3, 1),)))
        'player 0: roll 31'
        """
        words = [self.kind.replace("_", " ")]
        if self.decision is not None:
            words.append(self.decision)
        if self.throws:
            words.append(" ".join(f"{first}{second}" for first, second in self.throws))
        if self.play is not None:
            words.append(str(self.play) or "(none)")
        if self.level is not None:
            words.append(("single", "gammon", "backgammon")[self.level - 1])
        if self.score is not None:
            words.append(f"{self.score[0]}-{self.score[1]}")
        for name in ("points", "winner", "value", "reason"):
            if getattr(self, name) is not None:
                words.append(f"{name} {getattr(self, name)}" if name != "reason" else f"({self.reason})")
        if self.minutes:
            words.append(" and ".join(f"{minutes:g}" for minutes in self.minutes) + " minutes")
        if self.notes:
            words.append(f"[{', '.join(self.notes)}]")
        line = " ".join(words)
        return line if self.player is None else f"player {self.player}: {line}"


def changed(event: Event, **changes: Any) -> Event:
    """A copy with other values in these fields: `dataclasses.replace`, at a tenth of its time."""
    copy = object.__new__(Event)
    copy.__dict__.update(event.__dict__, **changes)
    return copy


def roll_event(player: int | None, throw: tuple[int, int]) -> Event:
    """A given throw; without a player it is that of an opening.

    This and `play_event` fill in only what a record has most of, which is several times as fast as `Event(...)`.
    """
    event = object.__new__(Event)
    event.__dict__.update(kind="roll", player=player, throws=(throw,), given=True)
    return event


def play_event(player: int, play: Play) -> Event:
    """A legal play."""
    event = object.__new__(Event)
    event.__dict__.update(kind="play", player=player, play=play)
    return event
