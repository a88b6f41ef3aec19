"""Progress of long work: a callable, or a bar on a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TypeAlias

from gammon.errors import Interrupted, MissingExtraError

Report: TypeAlias = Callable[[int, int], None]
Progress: TypeAlias = Report | bool | None


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Turns Ctrl-C in work that keeps nothing into `Interrupted`."""
    try:
        yield
    except Interrupted:
        raise
    except KeyboardInterrupt as error:
        raise Interrupted from error


@contextlib.contextmanager
def reporter(progress: Progress, what: str, unit: str = "") -> Iterator[Report | None]:
    """What the core calls with (done, total): nothing, the caller's callable, or a bar on stderr.

    A bar is drawn on a terminal only. `unit` adds a speed such as games/s.
    """
    if progress is None or progress is False:
        yield None
    elif progress is not True:
        yield progress
    elif sys.stderr.isatty():
        with _bar(what, unit) as report:
            yield report
    else:
        yield None


@contextlib.contextmanager
def _bar(what: str, unit: str) -> Iterator[Report]:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
    except ImportError as error:
        raise MissingExtraError("a progress bar needs rich: pip install 'gammon[cli]'") from error

    columns = [TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
    if unit:
        columns.append(TextColumn("{task.fields[rate]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, rate="")

        def report(done: int, total: int) -> None:
            elapsed = bar.tasks[0].elapsed
            rate = f"{done / elapsed:,.0f} {unit}/s" if elapsed else ""
            bar.update(task, completed=done, total=total, rate=rate)

        yield report
