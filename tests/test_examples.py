"""The examples run, and do what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_every_example_is_tested() -> None:
    assert [path.name for path in sorted(EXAMPLES.glob("*.py"))] == ["train_td.py"]


def test_train_td() -> None:
    """A short training already beats random play; the seed makes it the same every time, up to rounding of sums."""
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / "train_td.py"), "--plies", "1000000"],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    before, after = (float(share) for share in re.findall(r"wins ([\d.]+) %", run.stdout))
    assert before < 75
    assert after > 90
