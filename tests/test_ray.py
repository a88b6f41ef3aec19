"""Games on a Ray cluster: two local workers, the results of one machine, and workers that die."""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray
from test_dataset import contents
from test_policies import Careful, Wild, same_tables
from test_simulate import interrupted

import gammon
from gammon import Choices, Rules, _ray
from gammon.cli import main
from gammon.simulation import Dataset


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Two workers, which find the classes of the tests."""
    environment = {"env_vars": {"PYTHONPATH": str(Path(__file__).parent)}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR", runtime_env=environment)
    yield
    ray.shutdown()


def worker(mark: str, chunk: int) -> tuple[int, int]:
    """The square of a number and the process that worked it out; chunk 3 kills its process once."""
    place = Path(mark) / str(chunk)
    died = place.exists()
    place.touch()
    if chunk == 3 and not died:
        os.kill(os.getpid(), signal.SIGKILL)
    return chunk * chunk, os.getpid()


def deadly(_: None, chunk: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def sleepy(mark: str, chunk: int) -> None:
    (Path(mark) / str(chunk)).touch()
    time.sleep(0.02)


class Mortal(Wild):
    """Kills its process the first time that it is asked anywhere."""

    def __init__(self, mark: Path) -> None:
        super().__init__()
        self.mark = mark

    def choose(self, c: Choices) -> np.ndarray:
        try:
            self.mark.touch(exist_ok=False)
        except FileExistsError:
            return super().choose(c)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class Broken(Wild):
    def choose(self, c: Choices) -> np.ndarray:
        raise ZeroDivisionError("broken")


class TestChunks:
    def test_a_lost_worker_is_replaced(self, tmp_path: Path) -> None:
        answers = dict(_ray.run(worker, str(tmp_path), range(12)))
        assert {number: square for number, (square, _) in answers.items()} == {n: n * n for n in range(12)}
        assert len({process for _, process in answers.values()} | {os.getpid()}) > 2

    def test_one_that_kills_every_worker_comes_to_an_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_ray, "RETRIES", 1)
        with pytest.raises(gammon.GammonError, match="chunk 0 lost its worker 2 times"):
            list(_ray.run(deadly, None, range(1)))

    def test_chunks_are_begun_as_answers_are_taken(self, tmp_path: Path) -> None:
        answers = _ray.run(sleepy, str(tmp_path), range(1000))
        next(answers)
        time.sleep(0.7)
        assert 0 < len(list(tmp_path.iterdir())) <= _ray.AHEAD * 2
        answers.close()
        left = len(list(tmp_path.iterdir()))
        time.sleep(0.3)
        assert len(list(tmp_path.iterdir())) <= left + 2

    def test_options(self) -> None:
        with pytest.raises(gammon.InvalidArgumentError, match="processors"):
            list(_ray.run(sleepy, "", range(1), cpus=3))
        with pytest.raises(gammon.InvalidArgumentError, match="connected already"):
            list(_ray.run(sleepy, "", range(1), address="1.2.3.4:5"))
        assert list(_ray.run(sleepy, "", range(0))) == []


HOW: dict[str, dict[str, Any]] = {
    "random": {"n": 600},
    "network with the cube": {"n": 150, "players": ("fast", "random"), "cube": True},
    "policies in pairs": {"n": 60, "players": (Wild(), Careful()), "rules": Rules.match(2), "paired": True},
}


class TestSameAsHere:
    @pytest.mark.parametrize("how", HOW.values(), ids=HOW)
    def test_in_memory(self, how: dict[str, Any]) -> None:
        here = gammon.simulate(**how, seed=1, per_game=True, record=True)
        there = gammon.simulate(**how, seed=1, per_game=True, record=True, backend="ray")
        assert there == here
        assert repr(there) == repr(here)
        assert same_tables(there, here)
        assert gammon.simulate(**how, seed=1, backend="ray") == here

    @pytest.mark.parametrize("how", HOW.values(), ids=HOW)
    def test_on_disk(self, tmp_path: Path, how: dict[str, Any]) -> None:
        for backend in ("local", "ray"):
            gammon.simulate(**how, seed=1, out=tmp_path / backend, record=True, part_games=20, backend=backend)
        assert contents(tmp_path / "ray") == contents(tmp_path / "local")

    def test_a_worker_dies(self, tmp_path: Path) -> None:
        mark = tmp_path / "died"
        there = gammon.simulate(60, (Mortal(mark), "random"), cube=True, seed=2, backend="ray")
        assert mark.exists()
        assert there == gammon.simulate(60, (Mortal(mark), "random"), cube=True, seed=2)

    def test_stopped_and_resumed(self, tmp_path: Path) -> None:
        """Begun on the cluster, gone on with here, and there again."""
        whole = gammon.simulate(100, seed=3, out=tmp_path / "whole", record=True, part_games=10)

        def fail(done: int, total: int) -> None:
            if done > 30:
                raise RuntimeError("enough")

        for backend in ("ray", "local"):
            with pytest.raises(RuntimeError, match="enough"):
                gammon.simulate(
                    100,
                    seed=3,
                    out=tmp_path / "part",
                    record=True,
                    part_games=10,
                    backend=backend,
                    resume=True,
                    progress=fail,
                )
        assert not Dataset(tmp_path / "part").complete
        again = gammon.simulate(100, out=tmp_path / "part", record=True, part_games=10, backend="ray", resume=True)
        assert again == whole
        assert contents(tmp_path / "part") == contents(tmp_path / "whole")

    def test_no_games(self) -> None:
        assert gammon.simulate(0, seed=1, backend="ray", per_game=True) == gammon.simulate(0, seed=1, per_game=True)


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    gammon.simulate(2000, seed=1, backend="ray", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (2000, 2000)
    assert seen == sorted(seen)


def test_an_error_in_a_policy_comes_through() -> None:
    with pytest.raises(ZeroDivisionError, match="broken"):
        gammon.simulate(50, (Broken(), "random"), seed=1, backend="ray")


def test_options() -> None:
    with pytest.raises(gammon.InvalidArgumentError, match="spark"):
        gammon.simulate(1, backend="spark")  # type: ignore[arg-type]
    with pytest.raises(gammon.InvalidArgumentError, match="address"):
        gammon.simulate(1, address="auto")


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["simulate", "-n", "200", "--seed", "1", "--backend", "ray", "--json"])
    assert end.value.code == 0
    assert json.loads(capsys.readouterr().out)["points"] == gammon.simulate(200, seed=1).points


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(gammon.MissingExtraError, match=r"gammon\[ray\]"):
        gammon.simulate(2, seed=1, backend="ray")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_keeps_finished_chunks() -> None:
    process, stdout, stderr, seconds = interrupted(
        """
        import sys, pickle, ray, gammon
        ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        shown = []
        def report(done, total):
            if done and not shown:
                shown.append(done)
                print("ready")
        try:
            gammon.simulate(10**8, seed=1, backend="ray", progress=report)
        except gammon.Interrupted as interrupt:
            sys.stdout.buffer.write(pickle.dumps(interrupt.result))
            sys.stdout.buffer.flush()
        """
    )
    assert process.returncode == 0, stderr
    assert seconds < 60
    result = pickle.loads(stdout)
    assert 0 < result.games < 10**8
