"""One way to compare: the programs take turns, round by round, and processor time counts.

A machine that slows down in the middle slows all of them. Processor time is that of this process, all its threads, and
of the programs that it ran: whatever else the machine does is left out.
"""

from __future__ import annotations

import os
import platform
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Job:
    """What one program does in a round. A program that remembers what it has seen gets other work in each round."""

    run: Callable[[int], object]
    """Takes the number of the round; may answer with the seconds that count, if they are not all that it took."""
    units: float = 1.0
    """How many things are done in a round."""


@dataclass
class Comparison:
    """The same work by several programs, ours first."""

    name: str
    title: str
    unit: str
    """What is counted a second; "" if the seconds themselves are the figure."""
    jobs: dict[str, Job]
    missing: dict[str, str] = field(default_factory=dict)
    """Programs that could not be asked, and why."""
    rounds: int | None = None
    """Fewer rounds for what takes long."""
    notes: Callable[[dict[str, Figures]], list[str]] = lambda figures: []
    """What else there is to say of the figures."""

    def measure(self, rounds: int) -> dict[str, Figures]:
        """What each program reached in every round, in turns."""
        reached: dict[str, list[float]] = {name: [] for name in self.jobs}
        for number in range(min(rounds, self.rounds or rounds)):
            for name, job in self.jobs.items():
                start = processor_seconds()
                answer = job.run(number)
                seconds = answer if isinstance(answer, float) else processor_seconds() - start
                reached[name].append(job.units / seconds if self.unit else seconds)
        return {name: Figures(values) for name, values in reached.items()}

    def ratio(self, ours: Figures, theirs: Figures) -> float:
        """How many times as fast ours is."""
        ratio = ours.median / theirs.median
        return ratio if self.unit else 1 / ratio


@dataclass(frozen=True)
class Figures:
    """What the rounds gave."""

    values: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def least(self) -> float:
        return min(self.values)

    @property
    def most(self) -> float:
        return max(self.values)


def processor_seconds() -> float:
    """Of this process and of those that it ran to their end."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def printed(value: float) -> str:
    """Three figures: more would be noise."""
    if value >= 100:
        return f"{round(value, 3 - len(str(int(value)))):,.0f}"
    return f"{value:#.3g}"


def report(comparison: Comparison, rounds: int) -> dict[str, Figures]:
    """Measures and prints: a line for each program, how many times as fast ours is at its end."""
    figures = comparison.measure(rounds)
    ours = next(iter(figures.values()))
    print(f"\n{comparison.title}: {comparison.unit + ' a second' if comparison.unit else 'seconds'}, processor time")
    for name, each in figures.items():
        spread = f"{printed(each.least)} to {printed(each.most)}"
        times = f"{printed(comparison.ratio(ours, each))} times"
        print(f"  {name:<34}{printed(each.median):>13}   ({spread}){times:>16}")
    for name, why in comparison.missing.items():
        print(f"  {name}: {why}")
    for note in comparison.notes(figures):
        print(f"  {note}")
    return figures


def processor() -> str:
    """The name of the processor, as the system has it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def machine() -> str:
    """Machine and interpreter in one line."""
    interpreter = f"{platform.python_implementation()} {platform.python_version()}"
    load = f"load {os.getloadavg()[0]:.1f} at the start"
    return f"{processor()}, {os.cpu_count()} cores, {platform.system()}, {interpreter}, {load}"


def imported(comparison: Comparison | None, module: str, package: str) -> Any:
    """A peer's module; None if it is not there, which the comparison then says."""
    try:
        return __import__(module)
    except ImportError:
        if comparison is not None:
            comparison.missing[package] = "not installed"
        return None


def repeat(times: int, job: Callable[[], object]) -> None:
    """For what is over too soon: its answers go, as in use, before the next ones come."""
    for _ in range(times):
        job()


def clock(job: Callable[[], object]) -> float:
    """Seconds by the clock."""
    start = time.perf_counter()
    job()
    return time.perf_counter() - start
