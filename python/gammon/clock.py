"""The chess clock of a match (rule 9.3): a reserve for each player, and a bonus for each turn.

The clock knows time and two seats, and nothing of the game: `Match` starts and stops it. Times are seconds. The time
source is any callable that returns seconds and never runs backwards, so that tests turn the hands themselves.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass

from gammon._checks import instance, whole
from gammon.errors import IllegalActionError, InvalidArgumentError

__all__ = ["STOP_REASONS", "Clock", "ClockReading", "ClockSettings", "TimeSource", "loser_on_time"]

TimeSource = Callable[[], float]
"""Seconds that never run backwards, such as `time.monotonic`."""

MODES = ("bronstein", "fischer")

STOP_REASONS = (
    "between games",
    "break",
    "die on the floor",
    "director called",
    "setting the clock",
    "illegal play",
    "interrupted",
)
"""What a clock may be stopped for (rules 9.3, 10.2)."""

LIFTED_DICE_SECONDS = 60.0
"""What the other player gets when dice are lifted too early or taken away after turning the clock (rule 9.3)."""

_MOST_POINTS = 32767

MAX_SECONDS = 1e9
"""More than any clock holds; keeps sums of times finite."""


@dataclass(frozen=True)
class ClockSettings:
    """How a clock is set: its mode, the reserve in seconds for each point of the match, and the bonus in seconds.

    In `bronstein` mode the bonus is the delay: the seconds that a turn may take before it costs reserve. In `fischer`
    mode it is the increment: the seconds that are added when the clock is turned.

    Raises `InvalidArgumentError` for another mode, and for seconds outside 0 to 1e9.

    >>> ClockSettings().reserve(7)
    840.0
    """

    mode: str = "bronstein"
    reserve_per_point: float = 120.0
    bonus: float = 12.0

    def __post_init__(self) -> None:
        """Refuses what no clock can be set to."""
        if self.mode not in MODES:
            raise InvalidArgumentError(f"clock mode {self.mode!r} is not one of {', '.join(MODES)}")
        for name in ("reserve_per_point", "bonus"):
            seconds = getattr(self, name)
            if isinstance(seconds, bool) or not isinstance(seconds, int | float):
                raise InvalidArgumentError(f"{name} is seconds, not {seconds!r}")
            if not 0 <= seconds <= MAX_SECONDS:
                raise InvalidArgumentError(f"{name} is 0 to {MAX_SECONDS:.0f} seconds, not {seconds!r}")

    @classmethod
    def fischer(cls, increment: float = 12.0, *, reserve_per_point: float = 120.0) -> ClockSettings:
        """A clock that adds `increment` seconds whenever it is turned.

        >>> ClockSettings.fischer(8)
        ClockSettings(mode='fischer', reserve_per_point=120.0, bonus=8)
        """
        return cls("fischer", reserve_per_point, increment)

    def reserve(self, points: int) -> float:
        """The reserve of each player, in seconds, when `points` points are played for.

        >>> ClockSettings(reserve_per_point=90).reserve(5)
        450.0
        """
        return float(self.reserve_per_point) * whole("points", points, 1, _MOST_POINTS)


@dataclass(frozen=True)
class ClockReading:
    """What a clock shows at one moment, and all that it has to know to go on from there.

    `reserve` and `ran_out` are by seat; `used` is what the present turn has taken so far; `ran_out` lists the seats
    that ran out of time, in that order; `stopped` is the reason why the hands stand still, None while they may run.

    >>> ClockReading((600.0, 540.5), running=1).reserve[1]
    540.5
    """

    reserve: tuple[float, float]
    running: int | None = None
    used: float = 0.0
    ran_out: tuple[int, ...] = ()
    stopped: str | None = None


def loser_on_time(reading: ClockReading, by: int | None) -> int:
    """Who loses on time when a player, or the director (None), claims it: the one who ran out first.

    Raises `IllegalActionError` if there is nothing to claim.

    >>> loser_on_time(ClockReading((0.0, 30.0), running=0, ran_out=(0,)), by=1)
    0
    """
    if by is not None and 1 - by not in reading.ran_out:
        raise IllegalActionError(f"player {by} cannot claim the time: player {1 - by} has not run out of it")
    if not reading.ran_out:
        raise IllegalActionError("nobody has run out of time")
    return reading.ran_out[0]


class Clock:
    """A clock with two hands, of which at most one runs.

    `points` is the match length, or what is still needed when a director imposes the clock later.

    Raises `InvalidArgumentError` for points below 1.

    >>> hands = iter([0.0, 0.0, 20.0, 20.0, 20.0])
    >>> clock = Clock(ClockSettings(), points=1, time=lambda: next(hands))
    >>> clock.start(0)
    >>> clock.start(1)                   # player 0 took 20 seconds, of which 12 are free
    >>> clock.reading().reserve
    (112.0, 120.0)
    """

    def __init__(self, settings: ClockSettings, points: int, *, time: TimeSource = time.monotonic) -> None:
        self.settings = instance("settings", settings, ClockSettings, "ClockSettings()")
        self._time = time
        reserve = settings.reserve(points)
        self._reading = ClockReading((reserve, reserve))
        self._last = self._time()

    def __repr__(self) -> str:
        return f"Clock({self.settings!r}, {self._reading!r})"

    def reading(self) -> ClockReading:
        """What the clock shows now.

        >>> clock = Clock(ClockSettings(), points=1, time=lambda: 0.0)
        >>> clock.reading()
        ClockReading(reserve=(120.0, 120.0), running=None, used=0.0, ran_out=(), stopped=None)
        """
        now = self._time()
        elapsed, self._last = max(0.0, now - self._last), now
        reading = self._reading
        if reading.running is not None and reading.stopped is None:
            self._reading = self._after(elapsed)
        return self._reading

    def restore(self, reading: ClockReading) -> None:
        """Sets the hands to what the clock showed at some moment; they go on from there.

        Raises `InvalidArgumentError` for what is no `ClockReading`.

        >>> clock = Clock(ClockSettings(), points=1, time=lambda: 0.0)
        >>> clock.restore(ClockReading((30.0, 45.0), running=1))
        >>> clock.left(0)
        30.0
        """
        if not isinstance(reading, ClockReading):
            raise InvalidArgumentError(f"a clock goes on from a ClockReading, not {reading!r:.60}")
        self._last = self._time()
        self._reading = reading

    def start(self, player: int) -> None:
        """Starts a player's clock with a fresh bonus, and ends the turn of the other if theirs was running.

        Raises `InvalidArgumentError` for a player who is not 0 or 1.

        >>> clock = Clock(ClockSettings(), points=1, time=lambda: 0.0)
        >>> clock.start(0)
        >>> clock.reading().running
        0
        """
        whole("player", player, 0, 1)
        self.end_turn()
        self._reading = dataclasses.replace(self._reading, running=player, used=0.0)

    def end_turn(self) -> None:
        """Ends the turn whose clock is running, if one is, and charges its time; no clock runs then.

        >>> hands = [0.0]
        >>> clock = Clock(ClockSettings(), points=1, time=lambda: hands[0])
        >>> clock.start(0)
        >>> hands[0] = 20.0
        >>> clock.end_turn()
        >>> clock.reading().reserve, clock.reading().running
        ((112.0, 120.0), None)
        """
        reading = self.reading()
        player = reading.running
        if player is None:
            return
        self._reading = self._with_reserve(player, self._reserve_after(player, reading.used))
        self._reading = dataclasses.replace(self._reading, running=None, used=0.0)

    def stop(self, reason: str) -> None:
        """Stops the hands in the middle of a turn.

        Raises `IllegalActionError` for a reason that no clock is stopped for, or if it stands already.

        >>> clock = Clock(ClockSettings(), points=1, time=lambda: 0.0)
        >>> clock.stop("die on the floor")
        >>> clock.reading().stopped
        'die on the floor'
        """
        if reason not in STOP_REASONS:
            raise IllegalActionError(f"a clock is not stopped for {reason!r}, only for: {', '.join(STOP_REASONS)}")
        reading = self.reading()
        if reading.stopped is not None:
            raise IllegalActionError(f"the clock is stopped already: {reading.stopped}")
        self._reading = dataclasses.replace(reading, stopped=reason)

    def resume(self) -> None:
        """Lets the hands run on, within the same turn and its bonus.

        Raises `IllegalActionError` if the clock is not stopped.

        >>> clock = Clock(ClockSettings(), points=1, time=lambda: 0.0)
        >>> clock.stop("break")
        >>> clock.resume()
        >>> clock.reading().stopped is None
        True
        """
        reading = self.reading()
        if reading.stopped is None:
            raise IllegalActionError("the clock is not stopped")
        self._reading = dataclasses.replace(reading, stopped=None)

    def give(self, player: int, seconds: float) -> None:
        """Adds seconds, 0 to 1e9, to a player's reserve. Raises `InvalidArgumentError` for any other number.

        >>> clock = Clock(ClockSettings(), points=1, time=lambda: 0.0)
        >>> clock.give(1, LIFTED_DICE_SECONDS)
        >>> clock.left(1)
        180.0
        """
        whole("player", player, 0, 1)
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= MAX_SECONDS:
            raise InvalidArgumentError(f"seconds is 0 to {MAX_SECONDS:.0f}, not {seconds!r:.60}")
        reading = self.reading()
        self._reading = self._with_reserve(player, reading.reserve[player] + seconds)

    def left(self, player: int) -> float:
        """The seconds until a player is out of time, the bonus of a running Bronstein turn included; never below 0.

        Raises `InvalidArgumentError` for a player who is not 0 or 1.

        >>> clock = Clock(ClockSettings(), points=1, time=lambda: 0.0)
        >>> clock.start(0)
        >>> clock.left(0), clock.left(1)
        (132.0, 120.0)
        """
        whole("player", player, 0, 1)
        reading = self.reading()
        if reading.running != player:
            return reading.reserve[player]
        return max(0.0, self._allowed(player) - reading.used)

    def claim(self, by: int | None) -> int:
        """Who loses on time when a player, or the director (None), claims it: the one who ran out first.

        Raises `IllegalActionError` if there is nothing to claim.

        >>> hands = [0.0]
        >>> clock = Clock(ClockSettings(), points=1, time=lambda: hands[0])
        >>> clock.start(0)
        >>> hands[0] = 200.0
        >>> clock.claim(by=1)
        0
        """
        return loser_on_time(self.reading(), by)

    def _allowed(self, player: int) -> float:
        """The longest that the present turn may take."""
        free = self.settings.bonus if self.settings.mode == "bronstein" else 0.0
        return self._reading.reserve[player] + free

    def _after(self, elapsed: float) -> ClockReading:
        """The reading when the running turn has taken `elapsed` seconds more."""
        reading = self._reading
        player = reading.running
        assert player is not None
        used = min(reading.used + elapsed, MAX_SECONDS)
        ran_out = reading.ran_out
        if used > self._allowed(player) and player not in ran_out:
            ran_out = (*ran_out, player)
        return dataclasses.replace(reading, used=used, ran_out=ran_out)

    def _reserve_after(self, player: int, used: float) -> float:
        """The reserve after a turn of `used` seconds. One who ran out and is not claimed goes on with none."""
        reserve = self._reading.reserve[player]
        if self.settings.mode == "bronstein":
            return max(0.0, reserve - max(0.0, used - self.settings.bonus))
        return max(0.0, reserve - used) + self.settings.bonus

    def _with_reserve(self, player: int, seconds: float) -> ClockReading:
        seconds = min(seconds, MAX_SECONDS)
        reserve = (seconds, self._reading.reserve[1]) if player == 0 else (self._reading.reserve[0], seconds)
        return dataclasses.replace(self._reading, reserve=reserve)
