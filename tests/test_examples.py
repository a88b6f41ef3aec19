"""The examples run, and do what they say."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_every_example_is_tested() -> None:
    assert [path.name for path in sorted(EXAMPLES.glob("*.py"))] == ["policy_torch.py", "train_td.py"]


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


TORCH = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")


@pytest.mark.parametrize("net", ["numpy", pytest.param("torch", marks=TORCH)])
def test_policy_torch(net: str) -> None:
    """A short training beats random play clearly, and loses to its teacher by less than random play does."""
    small = ["--net", net, "--games", "1200", "--epochs", "3", "--matches", "300"]
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / "policy_torch.py"), *small],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    against = dict(re.findall(r"against (\w+): wins ([\d.]+) %", run.stdout))
    assert float(against["random"]) > 90
    assert 3 < float(against["fast"]) < 50


def test_the_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its code runs from the first cell to the last."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    notebook = json.loads((EXAMPLES / "simulation.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 4
    figures = []
    monkeypatch.setattr(pyplot, "show", lambda: figures.append(pyplot.gcf()))
    pyplot.switch_backend("Agg")
    names: dict[str, object] = {}
    for place, cell in enumerate(cells):
        exec(compile(cell, f"cell {place}", "exec"), names)
    assert len(figures) >= 3
    assert all(figure.axes for figure in figures)
    pyplot.close("all")
