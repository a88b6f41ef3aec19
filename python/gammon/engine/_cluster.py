"""Rollouts on a Ray cluster: chunks of trials are played anywhere and added up here, one trial after the other.

So the sums are those of one machine to the last bit, and so is where a rollout stops early: a chunk that was begun
before that and comes in after it is thrown away.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from gammon import _core, _ray
from gammon._long_work import Report
from gammon.bearoff import OneSided, TwoSided
from gammon.cube import Ladder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gammon.engine._result import Standing

__all__ = ["Backend", "Trials", "on_cluster"]

Backend: TypeAlias = Literal["local", "ray"]
Chunk: TypeAlias = "tuple[int, int, tuple[bool, ...]]"
"""The first trial, the one after the last, and which candidates get them."""

LEAST = 36
MOST = 720
"""Trials of a chunk: few where there are few in all, so that all processors have some."""


@dataclasses.dataclass(frozen=True)
class Trials:
    """All that the trials of a rollout depend on but their numbers. Pickles hold the content of the model."""

    ladder: Ladder
    rollout: tuple[Any, ...]
    """What the core makes a `Rollout` of beside the ladder."""
    network: _core.Network
    races: OneSided | None
    exact: TwoSided | None
    threads: int

    def __getstate__(self) -> dict[str, Any]:
        recipes = {name: table and table.__reduce__() for name, table in (("races", self.races), ("exact", self.exact))}
        return {**self.__dict__, "network": self.network.to_bytes(), **recipes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        made = {name: state[name] and _made(*state[name]) for name in ("races", "exact")}
        self.__dict__.update(state, network=_core.Network(state["network"]), **made)

    def core(self) -> _core.Rollout:
        """The rollout."""
        return _core.Rollout(self.ladder.compiled(), *self.rollout)

    @property
    def tables(self) -> tuple[_core.OneSided | None, _core.TwoSided | None]:
        """The tables as the core has them."""
        return (
            None if self.races is None else self.races._table,
            None if self.exact is None else self.exact._table,
        )

    def play(self, chunk: Chunk) -> NDArray[np.float64]:
        """What each trial of each candidate came to."""
        first, end, alive = chunk
        samples, error = self.core().play(self.network, *self.tables, alive, first, end, self.threads)
        if error is not None:
            raise error
        return samples


@functools.lru_cache(maxsize=4)
def _made(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    # A worker plays many chunks, and making the tables again takes longer than many of them.
    return function(*arguments)


def _played(trials: Trials, chunk: Chunk) -> NDArray[np.float64]:
    return trials.play(chunk)


class _Chunks(Sequence[Chunk]):
    """The chunks of a rollout; one that is begun later leaves out who has been left behind meanwhile."""

    def __init__(self, first: int, end: int, size: int, standing: Standing) -> None:
        self.standing = standing
        self._places = range(first, end, size)
        self._end = end

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Chunk: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Chunk]: ...
    def __getitem__(self, place: int | slice) -> Chunk | Sequence[Chunk]:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        first = self._places[place]
        end = min(first + self._places.step, self._end)
        return first, end, tuple(alive for _, alive, _ in self.standing[0])


def on_cluster(
    trials: Trials, standing: Standing, limits: _core._Limits, address: str | None, report: Report | None
) -> tuple[Standing, BaseException | None]:
    """Plays on from a standing until a limit is reached: the new one, and the interrupt that cut the run short."""
    wanted = limits[0]
    done = _done(standing)
    core = trials.core()
    chunks = _Chunks(done, wanted, min(MOST, max(LEAST, wanted // (36 * LEAST) * LEAST)), standing)
    waiting: dict[int, NDArray[np.float64]] = {}

    def tick() -> None:
        if report is not None:
            report(_done(chunks.standing), wanted)

    answers = _ray.run(_played, trials, chunks, address=address, cpus=trials.threads, tick=tick)
    added = 0
    try:
        for number, samples in answers:
            waiting[number] = samples
            over = False
            while added in waiting and not over:
                first = _done(chunks.standing)
                chunks.standing, over = core.add(chunks.standing, limits, first, waiting.pop(added))
                added += 1
            if over:
                break
        tick()
    except KeyboardInterrupt as interrupt:
        return chunks.standing, interrupt
    finally:
        answers.close()
    return chunks.standing, None


def _done(standing: Standing) -> int:
    return max(trials for trials, *_ in standing[0])
