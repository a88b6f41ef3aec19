"""Rollouts of the position after 3-1: 8/5 6/5, beside GNU Backgammon's command line: trials a second, and exactness.

    python benches/rollout.py [--model MODEL] [--rounds 5]

One thread, cubeless, 0-ply, played to the end or to a race in the one-sided bear-off table, which is what both programs
do when left alone; with and without variance reduction. Processor time, the best of several rounds. For each: trials a
second, the standard error of one trial, and the processor time until the standard error of the equity is 0.01, which
is what counts. GNU Backgammon (``apt-get install gnubg``) is run in the same run; without it that part says so. Its
start is taken off by the difference of two runs. The two programs play and evaluate by different networks, so that the
equities need not agree.

Also the same with the cube at money, and with players that look 1 and 2 plies ahead, for this library only.
"""

from __future__ import annotations

import argparse
import math
import os
import pty
import re
import shutil
import tempfile
import time
from pathlib import Path

import gammon
from gammon.engine import rollout

TARGET = 0.01
PLAY = "8/5 6/5"


def report(name: str, rate: float, equity: float, error: float, trials: int) -> None:
    single = error * math.sqrt(trials)
    seconds = (single / TARGET) ** 2 / rate
    print(
        f"  {name:<34}{rate:>9,.1f} trials/s{single:>9.3f} a trial{seconds:>10.2f} s to {TARGET}"
        f"   equity {equity:+.4f} +- {error:.4f}"
    )


def ours(model: gammon.Model, rounds: int) -> dict[bool, float]:
    rates = {}
    start = gammon.Position.start()
    money = gammon.State(start, on_roll=0)
    for x, word in ((start, "cubeless"), (money, "with the cube")):
        for reduced in (False, True):
            trials = 1296 if reduced else 6480
            seconds = []
            for _ in range(rounds):
                began = time.process_time()
                result = rollout(
                    x,
                    roll=gammon.Roll(3, 1),
                    plays=[PLAY],
                    trials=trials,
                    seed=1,
                    model=model,
                    variance_reduction=reduced,
                    threads=1,
                )
                seconds.append(time.process_time() - began)
            rate = trials / min(seconds)
            best = result.best
            luck = "luck taken off" if reduced else "plain"
            report(f"gammon, {word}, {luck}", rate, best.value, best.value_error, trials)
            if x is start:
                rates[reduced] = rate
    return rates


def ahead(model: gammon.Model) -> None:
    """What it costs that the players look ahead."""
    start = gammon.Position.start()
    for x, word in ((start, "cubeless"), (gammon.State(start, on_roll=0), "with the cube")):
        for plies, trials in ((0, 1296), (1, 72), (2, 12)):
            began = time.process_time()
            rollout(x, roll=gammon.Roll(3, 1), plays=[PLAY], trials=trials, seed=1, plies=plies, model=model, threads=1)
            print(f"  gammon, {word}, players {plies}-ply: {trials / (time.process_time() - began):,.1f} trials/s")


def gnubg_run(program: str, trials: int, reduced: bool) -> tuple[float, str]:
    """Processor seconds and what was printed: results come on a terminal only, so it gets one."""
    after = gammon.Position.start().play(PLAY, gammon.Roll(3, 1)).next.id
    commands = f"""
set player 0 human
set player 1 human
set automatic roll off
set automatic game off
set threads 1
new session
set turn 1
set board {after}
set rollout seed 1
set rollout trials {trials}
set rollout cubeful off
set rollout varredn {"on" if reduced else "off"}
set rollout truncation enable off
set rollout chequerplay plies 0
set rollout cubedecision plies 0
set rollout limit enable off
set rollout jsd stop off
rollout
"""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as script:
        script.write(commands)
        script.flush()
        child, terminal = pty.fork()
        if child == 0:
            os.execv(program, [program, "-t", "-q", "-c", script.name])
        text = b""
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
            if b"Estimated SE" in text and b"after %d trials" % trials in text:
                # It then asks for commands.
                os.write(terminal, b"quit\ny\n")
        _, _, usage = os.wait4(child, 0)
        os.close(terminal)
    return usage.ru_utime, text.decode(errors="replace")


def gnubg(rounds: int, rates: dict[bool, float]) -> None:
    program = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
    if program is None:
        print("gnubg is not installed")
        return
    for reduced in (False, True):
        few, many = (36, 180) if reduced else (36, 1296)
        seconds = []
        for _ in range(max(1, rounds // 2)):
            short, _ = gnubg_run(program, few, reduced)
            long, text = gnubg_run(program, many, reduced)
            seconds.append(long - short)
        rate = (many - few) / min(seconds)
        means = re.findall(r"CL\s+([-+]\d\.\d+)", text)
        errors = re.findall(r"\[[^\]]*CL\s+(\d\.\d+)\s*\]", text)
        if not means or not errors:
            print(f"  gnubg printed no result:\n{text[-500:]}")
            return
        luck = "luck taken off" if reduced else "plain"
        # The numbers are for the opponent, who is on roll.
        report(f"gnubg, cubeless, {luck}", rate, -float(means[-1]), float(errors[-1]), many)
        print(f"  gammon {luck}: {rates[reduced] / rate:.1f} times as many trials a second")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    model = gammon.Model.default() if options.model is None else gammon.Model(options.model)
    print(f"{model.path.name} {model.layers}, {model.kernel}; one thread; load {os.getloadavg()[0]:.1f}")
    rates = ours(model, options.rounds)
    ahead(model)
    gnubg(options.rounds, rates)


if __name__ == "__main__":
    main()
