"""Everything at once for as long as asked: nothing may crash, come out otherwise than before, or gather memory.

    python tests/soak.py --seconds 3600 --workers 2 --seed 1

Each worker, a process, does the jobs below in an order drawn from its seed, over and over. Whatever can be computed in
two ways is: by other numbers of threads, killed by SIGKILL and gone on with, cut and resumed; the checksums have to be
those of the first time, which was one thread without a disturbance. The memory of a worker is looked at after every
job. At the end a table; exit code 1 after any failure, which is printed with what repeats it.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import itertools
import json as _json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from damage import READERS, SAMPLES, damage, read_or_refuse
from match_play import RULE_SETS, Hands, new_match, random_action

import gammon
from gammon import Match, Position, Roll, Rules, State, hypergammon
from gammon.bearoff import OneSided, TwoSided
from gammon.engine import rollout
from gammon.formats import json

WORK = "work"
THREADS = (1, 2, 3, None)
DAMAGED = 100
"""Files that are damaged in a job."""
GROWTH = 1.05
"""How many times as much memory a worker may have in the end as in the middle, and SLACK more."""
SLACK = 8 << 20
OLDEST_ROUNDS = 4
"""Rounds of all jobs before growth can be told from warming up."""

SIMULATIONS: dict[str, dict[str, Any]] = {
    "random": {"n": 2000},
    "paired": {"n": 1000, "paired": True},
    "money with the cube": {"n": 1000, "cube": True},
    "matches": {"n": 100, "rules": Rules.match(3)},
    "tournament": {"n": 60, "rules": Rules.tournament(5)},
    "nackgammon": {"n": 1000, "rules": Rules.money(variant="nackgammon"), "cube": True},
    "hypergammon": {"n": 2000, "rules": Rules.match(3, variant="hypergammon")},
    "network": {"n": 200, "players": ("fast", "random")},
    "networks with the cube": {"n": 100, "players": ("fast", "fast"), "rules": Rules.match(3)},
}
OPENING = {"roll": Roll(3, 1), "plays": ["8/5 6/5", "24/23 13/10"]}
BEHIND = State.from_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:2:0:5:10")
ROLLOUTS: dict[str, tuple[Position | State, dict[str, Any]]] = {
    "plain": (Position.start(), {**OPENING, "trials": 288}),
    "luck off": (Position.start(), {**OPENING, "trials": 72, "variance_reduction": True}),
    "with the cube": (State(Position.start(), on_roll=0), {**OPENING, "trials": 144}),
    "at a score": (BEHIND, {"trials": 72, "truncate": 7}),
    "looking ahead": (Position.start(), {**OPENING, "trials": 6, "plies": 1}),
}
TABLES: dict[str, Callable[[Path, int | None], object]] = {
    "one-sided 6 x 15": lambda path, threads: OneSided(6, threads=threads).save(path),
    "one-sided 7 x 10": lambda path, threads: OneSided(7, 10, threads=threads).save(path),
    "two-sided 6 x 6": lambda path, threads: TwoSided.build(points=6, checkers=6, path=path, threads=threads),
    "two-sided 5 x 8, cubeless": lambda path, threads: TwoSided.build(
        points=5, checkers=8, cubeful=False, path=path, threads=threads
    ),
    "hypergammon of one checker": lambda path, threads: hypergammon.solve(1, path=path, threads=threads),
}
LONG_TABLE = {"points": 6, "checkers": 7}
DATA_SET = {"n": 4000, "seed": 5, "record": True, "part_games": 200, "file_format": "numpy", "threads": 1}


class Worker:
    """What has come out so far, and where files go."""

    def __init__(self, folder: Path, number: int = 0) -> None:
        names = list(RULE_SETS)
        first = number * len(names) // 2 % len(names)
        self.folder = folder
        self.known: dict[str, str] = {}
        self.killed: Counter[str] = Counter()
        self.rules = itertools.cycle(names[first:] + names[:first])

    def same(self, what: str, result: bytes, reference: Callable[[], bytes]) -> None:
        """Compares with the first time, which is asked for when there has been none."""
        if what not in self.known:
            self.known[what] = hashlib.sha256(reference()).hexdigest()
        if hashlib.sha256(result).hexdigest() != self.known[what]:
            raise AssertionError(f"{what}: not what it was the first time")

    def place(self) -> Path:
        """A name for a file or folder that is not there."""
        path = self.folder / WORK
        for old in self.folder.iterdir():
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        return path


def simulations(worker: Worker, draw: random.Random) -> None:
    name = draw.choice(list(SIMULATIONS))
    seed = draw.randrange(3)
    threads = draw.choice(THREADS)

    def play(threads: int | None) -> bytes:
        result = gammon.simulate(**SIMULATIONS[name], seed=seed, threads=threads, record=True, per_game=True)
        assert result.turns is not None
        arrays = [result.turns.positions, result.turns.after, result.turns.rolls, result.turns.action]
        return repr(result).encode() + b"".join(array.tobytes() for array in arrays)

    worker.same(f"simulation, {name}, seed {seed}", play(threads), lambda: play(1))


def rollouts(worker: Worker, draw: random.Random) -> None:
    name = draw.choice(list(ROLLOUTS))
    seed = draw.randrange(2)
    start, settings = ROLLOUTS[name]
    trials = settings["trials"]
    result = rollout(start, **{**settings, "trials": trials // 2}, seed=seed, threads=draw.choice(THREADS))
    if draw.random() < 0.5:
        result = type(result).from_dict(_json.loads(_json.dumps(result.to_dict())))
    result = result.resume(trials, threads=draw.choice(THREADS))
    worker.same(
        f"rollout, {name}, seed {seed}",
        repr(result).encode(),
        lambda: repr(rollout(start, **settings, seed=seed, threads=1)).encode(),
    )


def tables(worker: Worker, draw: random.Random) -> None:
    name = draw.choice(list(TABLES))

    def build(threads: int | None) -> bytes:
        path = worker.place()
        TABLES[name](path, threads)
        return path.read_bytes()

    worker.same(f"table, {name}", build(draw.choice(THREADS)), lambda: build(1))


def killed_builds(worker: Worker, draw: random.Random) -> None:
    path = worker.place()
    until_it_ends(worker, draw, "table")
    result = path.read_bytes()
    TwoSided.open(path).verify()

    def reference() -> bytes:
        TwoSided.build(**LONG_TABLE, path=worker.place())
        return path.read_bytes()

    worker.same("table, killed", result, reference)


def killed_data_sets(worker: Worker, draw: random.Random) -> None:
    place = worker.place()
    until_it_ends(worker, draw, "data set")
    result = contents(place)

    def reference() -> bytes:
        gammon.simulate(**DATA_SET, out=worker.place())
        return contents(place)

    worker.same("data set, killed", result, reference)


def contents(folder: Path) -> bytes:
    """Names and bytes of what is whole."""
    files = sorted(path for path in folder.iterdir() if path.suffix != ".partial")
    return b"".join(path.name.encode() + path.read_bytes() for path in files)


def damaged_files(worker: Worker, draw: random.Random) -> None:
    for _ in range(DAMAGED):
        data = damage(draw.choice(SAMPLES), draw)
        try:
            assert 0 <= read_or_refuse(data) <= len(READERS)
        except Exception:
            kept = Path(tempfile.mkstemp(suffix=".damaged")[1])
            kept.write_bytes(data)
            print(f"kept as {kept}", file=sys.stderr)
            raise


def killed_matches(worker: Worker, draw: random.Random) -> None:
    """A match of the next rule set, saved after every action; the saves are gone on with after kills."""
    name = next(worker.rules)
    seed = draw.randrange(1000)
    path = worker.place()
    until_it_ends(worker, draw, "match", name, str(seed))
    match = Match.from_dict(_json.loads(path.read_text()), time=Hands())
    twin = new_match(RULE_SETS[name], seed)
    for _ in play_on(twin, seed):
        pass
    assert match.to_dict() == twin.to_dict(), f"{name}, seed {seed}: not the match that was not killed"


def play_on(match: Match, seed: int) -> Iterator[None]:
    """Random actions that follow from the record alone, until two games are over."""
    while not match.is_over and len(match.games) < 2:
        match.apply(random_action(match, random.Random(f"{seed} {len(match.record)}")))
        yield


def until_it_ends(worker: Worker, draw: random.Random, what: str, *arguments: str) -> None:
    """Runs a victim and kills it at some moment after it has written something, a few times; then it may end."""
    for attempt in range(4):
        before = written(worker.folder)
        command = [sys.executable, __file__, "--victim", what, str(worker.folder / WORK), *arguments]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            if attempt < 3:
                while process.poll() is None and written(worker.folder) == before:
                    time.sleep(0.005)
                time.sleep(draw.random() * 0.3)
                process.kill()
            errors = process.stderr.read().decode(errors="replace")
        if process.returncode == -signal.SIGKILL:
            worker.killed[what] += 1
        elif process.returncode != 0:
            raise AssertionError(f"a {what} ended with {process.returncode}: {errors}")
        else:
            return


def written(folder: Path) -> set[tuple[str, int, int]]:
    """What there is, to see when a victim has got going."""
    found = set()
    for path in folder.rglob("*"):
        try:
            about = path.stat()
        except FileNotFoundError:
            continue
        found.add((path.name, about.st_mtime_ns, about.st_size))
    return found


def victim(what: str, path: Path, arguments: list[str]) -> None:
    """What is killed: it goes on with what an earlier one has left."""
    if what == "table":
        if not path.exists():
            TwoSided.build(**LONG_TABLE, path=path, threads=1)
    elif what == "data set":
        gammon.simulate(**DATA_SET, out=path, resume=True)
    else:
        name, seed = arguments
        # A clock does not run: with or without a kill the same time has passed.
        match = (
            Match.from_dict(_json.loads(path.read_text()), time=Hands())
            if path.exists()
            else new_match(RULE_SETS[name], int(seed))
        )
        for _ in play_on(match, int(seed)):
            json.dump(match, path)


JOBS: dict[str, Callable[[Worker, random.Random], None]] = {
    "simulations": simulations,
    "rollouts": rollouts,
    "tables": tables,
    "tables, killed and resumed": killed_builds,
    "data sets, killed and resumed": killed_data_sets,
    "matches, killed and resumed": killed_matches,
    f"{DAMAGED} damaged files read": damaged_files,
}


def resident() -> int:
    """Bytes of this process that are in memory now."""
    gc.collect()
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")


def flat(memory: list[int]) -> bool:
    """Whether the last third has no more than the middle one; always, if that is too few to say."""
    third = len(memory) // 3
    if third < OLDEST_ROUNDS * len(JOBS) // 3:
        return True
    middle, last = (statistics.median(memory[part]) for part in (slice(third, 2 * third), slice(2 * third, None)))
    return last <= middle * GROWTH + SLACK


def work(number: int, seconds: float, seed: int) -> int:
    """One worker: rounds of all jobs in any order, at least one, and a summary in JSON."""
    done: Counter[str] = Counter()
    spent: dict[str, float] = dict.fromkeys(JOBS, 0.0)
    memory: list[int] = []
    failure = ""
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(Path(folder), number)
        for turn in itertools.count():
            order = list(JOBS)
            random.Random(f"{seed} {number} {turn}").shuffle(order)
            for name in order:
                if turn and time.monotonic() >= end:
                    break
                start = time.monotonic()
                try:
                    JOBS[name](worker, random.Random(f"{seed} {number} {turn} {name}"))
                except Exception:
                    failure = f"{name}, seed {seed}, worker {number}, round {turn}:\n{traceback.format_exc()}"
                    break
                done[name] += 1
                spent[name] += time.monotonic() - start
                memory.append(resident())
            if failure or time.monotonic() >= end:
                break
    if not failure and not flat(memory):
        failure = f"worker {number} gathers memory: {[size >> 20 for size in memory[:: max(1, len(memory) // 50)]]} MiB"
    first = memory[: len(JOBS)]
    summary = {
        "done": done,
        "spent": spent,
        "killed": worker.killed,
        "known": len(worker.known),
        "memory": [first[0], first[-1], memory[-1], max(memory)] if memory else [0] * 4,
        "failure": failure,
    }
    print(_json.dumps(summary), flush=True)
    return 1 if failure else 0


def report(summaries: list[dict[str, Any]], seconds: float) -> int:
    """The table; how many workers failed."""
    done, killed = Counter[str](), Counter[str]()
    spent = dict.fromkeys(JOBS, 0.0)
    failures = []
    for summary in summaries:
        done.update(summary["done"])
        for name, each in summary["spent"].items():
            spent[name] += each
        killed.update(summary["killed"])
        if summary["failure"]:
            failures.append(summary["failure"])
    print("\n| job | done | seconds |\n| --- | --- | --- |")
    for name in JOBS:
        print(f"| {name} | {done[name]:,} | {spent[name]:,.0f} |")
    kills = ", ".join(f"{count:,} of a {what}" for what, count in sorted(killed.items()))
    print(f"\nKilled processes: {kills or 'none'}.")
    print(
        f"Results that were compared with a first one of their own: {sum(each['known'] for each in summaries)} kinds."
    )
    for number, summary in enumerate(summaries):
        start, warm, last, most = (size / 2**20 for size in summary["memory"])
        print(f"Memory of worker {number}: {start:.0f} MiB after a job, {warm:.0f} after a round of all,", end=" ")
        print(f"{last:.0f} at the end, {most:.0f} at most.")
    for failure in failures:
        print(f"\nFAILED: {failure}")
    print(f"\n{seconds:,.0f} s, {len(summaries)} workers, {len(failures)} failures")
    return len(failures)


def main() -> int:
    parser = argparse.ArgumentParser(description="Does everything at once for a while.")
    parser.add_argument("--seconds", type=float, default=60.0, help="by the clock; a round of all jobs at least")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--victim", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.victim:
        victim(options.victim[0], Path(options.victim[1]), options.victim[2:])
        return 0
    if options.worker is not None:
        return work(options.worker, options.seconds, options.seed)
    print(f"gammon {gammon.__version__}, numpy {np.__version__}, seed {options.seed}, {options.workers} workers")
    start = time.monotonic()
    common = ["--seconds", str(options.seconds), "--seed", str(options.seed)]
    running = [
        subprocess.Popen(
            [sys.executable, __file__, *common, "--worker", str(number)], stdout=subprocess.PIPE, text=True
        )
        for number in range(options.workers)
    ]
    summaries = []
    for number, process in enumerate(running):
        output, _ = process.communicate()
        lines = output.splitlines()
        if process.returncode in (0, 1) and lines:
            summaries.append(_json.loads(lines[-1]))
        else:
            failure = f"worker {number} ended with {process.returncode}"
            summaries.append({"done": {}, "spent": {}, "killed": {}, "known": 0, "memory": [0] * 4, "failure": failure})
    return 1 if report(summaries, time.monotonic() - start) else 0


if __name__ == "__main__":
    sys.exit(main())
