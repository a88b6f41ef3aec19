"""The soak, `tests/soak.py`, for one round; and that it sees what it is there to see."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import soak


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_round_of_everything() -> None:
    script = str(Path(__file__).parent / "soak.py")
    run = subprocess.run(
        [sys.executable, script, "--seconds", "0", "--workers", "1"], capture_output=True, text=True, timeout=600
    )
    assert run.returncode == 0, run.stdout + run.stderr
    for job in soak.JOBS:
        assert f"| {job} | 1 |" in run.stdout
    assert "of a table" in run.stdout
    assert run.stdout.endswith("0 failures\n")


def test_another_result_is_seen(tmp_path: Path) -> None:
    worker = soak.Worker(tmp_path)
    worker.same("a thing", b"1", lambda: b"1")
    worker.same("a thing", b"1", lambda: b"2")
    with pytest.raises(AssertionError, match="a thing: not what it was"):
        worker.same("a thing", b"2", lambda: b"2")


def test_a_failure_ends_a_worker(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def wrong(worker: soak.Worker, draw: object) -> None:
        worker.same("a thing", b"1", lambda: b"2")

    monkeypatch.setattr(soak, "JOBS", {"a job": wrong})
    assert soak.work(0, 10, 1) == 1
    assert "a job, seed 1, worker 0, round 0" in capfd.readouterr().out


def test_memory_that_grows_is_seen() -> None:
    many = 6 * soak.OLDEST_ROUNDS * len(soak.JOBS)
    assert soak.flat([100 << 20] * many)
    assert soak.flat([(50 << 20) + (place << 20) for place in range(50)] + [100 << 20] * many)
    assert not soak.flat([(100 << 20) + (place << 20) for place in range(many)])
    assert soak.flat([100 << 20, 200 << 20])
