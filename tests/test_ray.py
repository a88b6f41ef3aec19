"""Games on a Ray cluster: two local workers, the results of one machine, and workers that die."""

from __future__ import annotations

import dataclasses
import functools
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
from gammon.engine import RolloutResult, rollout
from gammon.engine._cluster import Trials
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

    def test_a_cluster_that_is_not_there(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Ray asks for minutes before it gives up: what it then raises is raised here."""

        def give_up(**_: object) -> None:
            raise ConnectionError("no answer")

        monkeypatch.setattr(ray, "is_initialized", lambda: False)
        monkeypatch.setattr(ray, "init", give_up)
        with pytest.raises(gammon.GammonError, match=r"no Ray cluster at '1\.2\.3\.4:5': no answer"):
            list(_ray.run(sleepy, "", range(1), address="1.2.3.4:5"))


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
        again = gammon.simulate(
            100, seed=None, out=tmp_path / "part", record=True, part_games=10, backend="ray", resume=True
        )
        assert again == whole
        assert contents(tmp_path / "part") == contents(tmp_path / "whole")

    def test_no_games(self) -> None:
        assert gammon.simulate(0, seed=1, backend="ray", per_game=True) == gammon.simulate(0, seed=1, per_game=True)


class TestStrength:
    """Measuring two players is paired play: the same on a cluster, error included."""

    @pytest.mark.parametrize("how", [{"cube": True}, {"rules": Rules.match(1)}, {}], ids=str)
    def test_networks(self, how: dict[str, Any]) -> None:
        settings: dict[str, Any] = {"n": 80, "players": ("strong", "fast"), "paired": True, "seed": 4, **how}
        here, there = gammon.simulate(**settings), gammon.simulate(**settings, backend="ray")
        assert there == here
        assert (there.samples, there.games) == (40, 80)
        for name in ("points_per_game", "standard_error", "match_share", "match_standard_error"):
            assert repr(getattr(there, name)) == repr(getattr(here, name))

    def test_a_worker_dies(self, tmp_path: Path) -> None:
        mark = tmp_path / "died"
        settings: dict[str, Any] = {"n": 80, "players": (Mortal(mark), "fast"), "paired": True, "seed": 5}
        there = gammon.simulate(**settings, backend="ray")
        assert mark.exists()
        here = gammon.simulate(**settings)
        assert there == here
        assert there.standard_error == here.standard_error > 0


@dataclasses.dataclass(frozen=True)
class MortalTrials(Trials):
    """Kills its process the first time that a chunk after the first is played anywhere."""

    mark: Path = Path()

    def play(self, chunk: tuple[int, int, tuple[bool, ...]]) -> np.ndarray:
        if chunk[0] > 0:
            try:
                self.mark.touch(exist_ok=False)
            except FileExistsError:
                return super().play(chunk)
            os.kill(os.getpid(), signal.SIGKILL)
        return super().play(chunk)


RACE = gammon.Position.from_points({6: 3, 5: 3, 3: 2}, opponent={6: 3, 4: 3, 1: 3})
DOUBLE = gammon.State.from_xgid("XGID=-a--BBBB-ABA--Aa---bbcbbb-:0:0:1:00:0:0:0:7:10")
ROLLOUTS: dict[str, dict[str, Any]] = {
    "plays": {"x": gammon.Position.start(), "roll": gammon.Roll(4, 1), "plays": 2, "trials": 50},
    "left behind": {
        "x": gammon.Position.start(),
        "roll": gammon.Roll(4, 1),
        "plays": 6,
        "trials": 288,
        "min_trials": 36,
        "stop_difference": 3.0,
        "truncate": 5,
    },
    "a cube decision": {"x": DOUBLE, "cube_decision": True, "trials": 109, "truncate": 7},
    "a clear decision": {"x": DOUBLE, "cube_decision": True, "trials": 720, "min_trials": 72, "stop_difference": 3.0},
    "exact enough": {"x": RACE, "trials": 5000, "min_trials": 36, "stop_standard_error": 0.02, "races": None},
    "plain": {"x": RACE, "trials": 2000, "variance_reduction": False, "races": None, "exact": None},
    "players that look ahead": {"x": RACE, "trials": 40, "plies": 1, "races": None, "exact": None},
}


def same_rollout(one: RolloutResult, other: RolloutResult) -> bool:
    """Equal to the last bit, with the sums that are left out of comparisons."""
    mine, yours = one.to_dict(), other.to_dict()
    mine.pop("seconds")
    yours.pop("seconds")
    return one == other and json.dumps(mine) == json.dumps(yours)


class TestRollouts:
    @pytest.mark.parametrize("how", ROLLOUTS.values(), ids=ROLLOUTS)
    def test_same_as_here(self, how: dict[str, Any]) -> None:
        here = rollout(**how, seed=3)
        there = rollout(**how, seed=3, backend="ray")
        assert same_rollout(there, here)
        assert (here.trials < how["trials"]) == ("min_trials" in how)

    def test_left_behind_early(self) -> None:
        """The case above is one: somebody is left behind, and others go on."""
        trials = {candidate.trials for candidate in rollout(**ROLLOUTS["left behind"], seed=3).candidates}
        assert len(trials) > 1

    def test_a_worker_dies(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        mark = tmp_path / "died"
        monkeypatch.setattr("gammon.engine._rollout.Trials", functools.partial(MortalTrials, mark=mark))
        there = rollout(RACE, trials=200, seed=1, backend="ray")
        assert mark.exists()
        assert same_rollout(there, rollout(RACE, trials=200, seed=1))

    def test_gone_on_with(self) -> None:
        """Begun here, gone on with there and here again, in pieces that are no multiples of anything."""
        whole = rollout(RACE, trials=300, seed=2)
        part = rollout(RACE, trials=50, seed=2).resume(171, backend="ray")
        part = RolloutResult.from_dict(part.to_dict())
        assert same_rollout(dataclasses.replace(part.resume(300), seconds=0.0), dataclasses.replace(whole, seconds=0.0))
        assert same_rollout(rollout(RACE, trials=300, resume=part, backend="ray"), whole)
        assert same_rollout(whole.resume(300, backend="ray"), whole)

    def test_own_model_and_tables(self, tmp_path: Path) -> None:
        model = tmp_path / "own.gammon"
        model.write_bytes(gammon.Model.strong().path.read_bytes())
        table = gammon.bearoff.TwoSided.build(points=6, checkers=3, path=tmp_path / "table.bin")
        how: dict[str, Any] = {"x": RACE, "trials": 80, "model": model, "exact": table, "races": None}
        assert same_rollout(rollout(**how, backend="ray"), rollout(**how))

    def test_an_engine(self) -> None:
        engine = gammon.Engine(threads=2)
        there = engine.rollout(RACE, trials=72, backend="ray")
        assert same_rollout(there, engine.rollout(RACE, trials=72))
        assert same_rollout(engine.rollout(RACE, trials=72, threads=2, backend="ray"), there)

    def test_progress(self) -> None:
        seen: list[tuple[int, int]] = []
        rollout(RACE, trials=200, backend="ray", progress=lambda done, total: seen.append((done, total)))
        assert seen[-1] == (200, 200)
        assert seen == sorted(seen)

        def fail(done: int, total: int) -> None:
            if done:
                raise RuntimeError("enough")

        with pytest.raises(RuntimeError, match="enough"):
            rollout(RACE, trials=20_000, backend="ray", progress=fail)

    def test_options(self) -> None:
        with pytest.raises(gammon.InvalidArgumentError, match="spark"):
            rollout(RACE, trials=36, backend="spark")  # type: ignore[arg-type]
        with pytest.raises(gammon.InvalidArgumentError, match="address"):
            rollout(RACE, trials=36, address="auto")
        with pytest.raises(gammon.InvalidArgumentError, match="address"):
            rollout(RACE, trials=36).resume(72, address="auto")
        with pytest.raises(gammon.InvalidArgumentError, match="processors"):
            rollout(RACE, trials=36, threads=3, backend="ray")

    def test_a_missing_extra_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "ray", None)
        with pytest.raises(gammon.MissingExtraError, match=r"gammon\[ray\]"):
            rollout(RACE, trials=36, backend="ray")

    def test_the_command_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = []
        for backend in ("local", "ray"):
            with pytest.raises(SystemExit) as end:
                main(["rollout", RACE.id, "--trials", "72", "--seed", "1", "--backend", backend, "--json"])
            assert end.value.code == 0
            data = json.loads(capsys.readouterr().out)
            data.pop("seconds")
            found.append(data)
        assert found[0] == found[1]


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
