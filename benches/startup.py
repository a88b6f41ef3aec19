"""How long `import` and the command line take to start, each a process of its own: `python benches/startup.py`.

Packages that play backgammon are the peers: what they load with themselves is included, as a user waits for it.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys

from timing import Comparison, Job, clock, machine, report

ROUNDS = 10
PEERS = {"gnubg-nn": "gnubg_nn", "gnubg": "gnubg", "bgsage": "bgsage", "open-spiel": "pyspiel", "pgx": "pgx"}
COMMANDS = {
    "python alone": ["-c", "pass"],
    "gammon --version": ["-m", "gammon", "--version"],
    "gammon plays standard 31": ["-m", "gammon", "plays", "standard", "31"],
    "gammon show standard": ["-m", "gammon", "show", "standard"],
}


def run(arguments: list[str]) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def imports() -> Comparison:
    jobs = {}
    comparison = Comparison("import", "a fresh interpreter imports the package", "", jobs)
    for name, module in {"gammon": "gammon", **PEERS}.items():
        if importlib.util.find_spec(module) is None:
            comparison.missing[name] = "not installed"
        else:
            jobs[name] = Job(lambda _, m=module: run(["-c", f"import {m}"]))
    return comparison


def commands() -> Comparison:
    """By the clock: it is what a person waits for."""
    jobs = {name: Job(lambda _, a=arguments: clock(lambda: run(a))) for name, arguments in COMMANDS.items()}
    return Comparison("commands", "commands, by the clock", "", jobs)


def main() -> None:
    print(machine())
    report(imports(), ROUNDS)
    report(commands(), ROUNDS)


if __name__ == "__main__":
    main()
