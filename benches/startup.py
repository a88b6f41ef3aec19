"""How long `import gammon` and the command line take to start, each alone: `python benches/startup.py`."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

ROUNDS = 10
JOBS = {
    "python alone": ["-c", "pass"],
    "import gammon": ["-c", "import gammon"],
    "gammon --version": ["-m", "gammon", "--version"],
    "gammon plays standard 31": ["-m", "gammon", "plays", "standard", "31"],
    "gammon show standard": ["-m", "gammon", "show", "standard"],
}


def seconds(arguments: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    for name, arguments in JOBS.items():
        taken = [seconds(arguments) for _ in range(ROUNDS)]
        print(f"{name:<26}{min(taken):>8.3f} s (median {statistics.median(taken):.3f} s)")


if __name__ == "__main__":
    main()
