"""Rollouts of the position after 3-1: 8/5 6/5, beside GNU Backgammon's command line: trials a second, and exactness.

    python benches/rollout.py [--model MODEL] [--rounds 5]

One thread, cubeless, 0-ply, played to the end or to a race in the one-sided bear-off table, which is what both programs
do when left alone; with and without variance reduction. Processor time, the median of several rounds in turns. For
each: trials a second, the standard error of one trial, and the processor time until the standard error of the equity is
0.01, which is what counts. GNU Backgammon (``apt-get install gnubg``) is run in the same run; without it that part says
so. Its start is taken off by the difference of two runs. The two programs play and evaluate by different networks, so
that the equities need not agree.

Also the same with the cube at money and with players that look 1 and 2 plies ahead, for this library only.
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

from timing import Comparison, Figures, Job, machine, report

import gammon
from gammon.engine import RolloutResult, rollout
from gammon.evaluator import named

TARGET = 0.01
PLAY = "8/5 6/5"


def trials(reduced: bool, model: gammon.Model) -> Comparison:
    """Trials a second of both programs; the notes say what counts, how long either takes to a given error."""
    errors: dict[str, float] = {}
    luck = "luck taken off" if reduced else "plain"
    count = 1296 if reduced else 6480
    start = gammon.Position.start()

    def one() -> None:
        result = played(start, model, count, reduced=reduced)
        errors["gammon"] = result.best.value_error * math.sqrt(count)

    title = f"rollouts of the opening 3-1, cubeless, 0-ply, {luck}"
    jobs = {"gammon": Job(lambda _: one(), count)}
    comparison = Comparison(
        f"rollouts, {luck}", title, "trials", jobs, rounds=3 if reduced else 5, notes=lambda f: exactness(f, errors)
    )
    program = gnubg_program()
    if program is None:
        comparison.missing["GNU Backgammon"] = "not installed"
        return comparison
    few, many = (36, 180) if reduced else (36, 1296)

    def theirs() -> float:
        """Its start is taken off."""
        short, _ = gnubg_run(program, few, reduced)
        long, text = gnubg_run(program, many, reduced)
        error = re.findall(r"\[[^\]]*CL\s+(\d\.\d+)\s*\]", text)
        if not error:
            raise RuntimeError(f"gnubg printed no result: {text[-500:]}")
        errors["GNU Backgammon"] = float(error[-1]) * math.sqrt(many)
        return long - short

    jobs["GNU Backgammon"] = Job(lambda _: theirs(), many - few)
    return comparison


def exactness(figures: dict[str, Figures], errors: dict[str, float]) -> list[str]:
    """Seconds until the standard error of the equity is `TARGET`."""
    return [
        f"{name}: the standard error of one trial is {errors[name]:.3f}, "
        f"so {(errors[name] / TARGET) ** 2 / each.median:.2f} s until that of the equity is {TARGET}"
        for name, each in figures.items()
    ]


def played(
    x: gammon.Position | gammon.State, model: gammon.Model, trials: int, *, plies: int = 0, reduced: bool
) -> RolloutResult:
    """The rollout of the one play after 3-1, on one thread."""
    return rollout(
        x,
        roll=gammon.Roll(3, 1),
        plays=[PLAY],
        trials=trials,
        seed=1,
        plies=plies,
        model=model,
        variance_reduction=reduced,
        threads=1,
    )


def ahead(model: gammon.Model) -> None:
    """What it costs that the players look ahead."""
    start = gammon.Position.start()
    print("\nwith the cube, and players that look ahead")
    for x, word in ((start, "cubeless"), (gammon.State(start, on_roll=0), "with the cube")):
        for plies, reduced, count in ((0, False, 6480), (0, True, 1296), (1, False, 72), (2, False, 12)):
            began = time.process_time()
            played(x, model, count, plies=plies, reduced=reduced)
            rate = count / (time.process_time() - began)
            print(f"  {word}, players {plies}-ply{', luck taken off' if reduced else ''}: {rate:,.1f} trials/s")


def gnubg_program() -> str | None:
    return shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")


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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", help="a name or a file")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    model = named(options.model or "fast")
    print(f"{model.path.name} {model.layers}, {model.kernel}; one thread; {machine()}")
    for reduced in (False, True):
        report(trials(reduced, model), options.rounds)
    ahead(model)


if __name__ == "__main__":
    main()
