"""Numbered chunks of work on a Ray cluster: what simulation and every other job that is cut into chunks share.

A chunk's answer depends on its number alone, so lost workers are retried and nothing else has to be known about them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar, overload

from gammon import _core
from gammon.errors import GammonError, InvalidArgumentError, MissingExtraError

__all__ = ["Ranges", "run"]

Shared = TypeVar("Shared")
Chunk = TypeVar("Chunk")
Answer = TypeVar("Answer")

RETRIES = 5
"""How often a chunk is begun again whose worker was lost: one that kills every worker must come to an end."""
AHEAD = 4
"""Chunks that are begun for each processor, counted from the lowest that is not finished: what bounds memory."""
_TICK = 0.1
_COUNT_AGAIN = 5.0
"""Seconds after which the processors of a growing cluster are counted again."""


class Ranges(Sequence[tuple[int, int]]):
    """Whole numbers cut into pieces: the first of each and the one after its last, made as they are asked for."""

    def __init__(self, firsts: range, end: int) -> None:
        self._firsts = firsts
        self._end = end

    @classmethod
    def of(cls, end: int, size: int) -> Ranges:
        """Those from 0 to `end` - 1, so many in each piece."""
        return cls(range(0, end, size), end)

    def __len__(self) -> int:
        return len(self._firsts)

    @overload
    def __getitem__(self, place: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, place: slice) -> Ranges: ...
    def __getitem__(self, place: int | slice) -> tuple[int, int] | Ranges:
        if isinstance(place, slice):
            if place.step not in (None, 1):
                raise ValueError("pieces come one after the other")
            firsts = self._firsts[place]
            return Ranges(firsts, min(self._end, firsts.stop))
        first = self._firsts[place]
        return first, min(first + self._firsts.step, self._end)


def run(
    work: Callable[[Shared, Chunk], Answer],
    shared: Shared,
    chunks: Sequence[Chunk],
    *,
    address: str | None = None,
    cpus: int = 1,
    tick: Callable[[], None] | None = None,
) -> Generator[tuple[int, Answer], None, None]:
    """The answers of ``work(shared, chunk)`` with the numbers of the chunks, as they come in.

    Args:
        work: a function of a module that every node has.
        shared: what all chunks need; it is sent to each node once.
        chunks: what each chunk is called with.
        address: of the cluster. None takes the one that ``ray.init`` has connected to already, the one that
            ``RAY_ADDRESS`` names, or starts Ray on this machine for as long as the work takes.
        cpus: processors that each chunk uses.
        tick: called about ten times a second; what it raises ends the work.

    Closing the iterator, or an error in whoever reads it, cancels what was begun.

    Raises:
        MissingExtraError: without Ray.
        InvalidArgumentError: for an address where Ray is connected already, or more processors than any node has.
        GammonError: if the cluster cannot be reached, or a chunk loses its worker again and again.
    """
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        try:
            ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, RuntimeError, ValueError) as error:
            where = "Ray cannot be started here" if address is None else f"there is no Ray cluster at {address!r}"
            raise GammonError(f"{where}: {error}") from error
    elif address is not None:
        raise InvalidArgumentError(f"address: Ray is connected already, so it cannot be {address!r} as well")
    try:
        most = max(node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"])
        if cpus > most:
            raise InvalidArgumentError(f"threads: no node has {cpus} processors, but {most:.0f} at most")
        yield from _run(ray, work, shared, chunks, cpus, tick)
    finally:
        if ours:
            ray.shutdown()


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("backend='ray' needs Ray: pip install 'gammon[ray]'") from error
    return ray


def _chunk(shared: tuple[Callable[[Any, Any], Any], Any, str], chunk: Any) -> Any:
    """What a worker does."""
    work, rest, version = shared
    if version != _core.__version__:
        raise GammonError(f"a worker has gammon {_core.__version__}, but the work is for {version}")
    return work(rest, chunk)


def _run(
    ray: Any,
    work: Callable[[Shared, Chunk], Answer],
    shared: Shared,
    chunks: Sequence[Chunk],
    cpus: int,
    tick: Callable[[], None] | None,
) -> Generator[tuple[int, Answer], None, None]:
    task = ray.remote(num_cpus=cpus, max_retries=RETRIES)(_chunk)
    held = ray.put((work, shared, _core.__version__))
    numbers: dict[Any, int] = {}
    begun, most, counted = 0, 0, -_COUNT_AGAIN
    try:
        while begun < len(chunks) or numbers:
            if time.monotonic() - counted > _COUNT_AGAIN:
                counted = time.monotonic()
                most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)) // cpus)
            lowest = min(numbers.values(), default=begun)
            while begun < min(len(chunks), lowest + most):
                numbers[task.remote(held, chunks[begun])] = begun
                begun += 1
            # Looking at all of them takes long where there are thousands, so then many are taken at once.
            ready, _ = ray.wait(list(numbers), num_returns=max(1, len(numbers) // AHEAD // 2), timeout=_TICK)
            for reference in ready:
                number = numbers.pop(reference)
                yield number, _answer(ray, reference, number)
            if tick is not None:
                tick()
    finally:
        for reference in numbers:
            ray.cancel(reference)


def _answer(ray: Any, reference: Any, number: int) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, Exception):
            raise error.cause from error
        raise
    except ray.exceptions.RayError as error:
        raise GammonError(f"chunk {number} lost its worker {1 + RETRIES} times: {error}") from error
