"""Data sets: the tables of memory on disk, the same bytes after any interruption, and damage refused."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_policies import Wild, columns

import gammon
from gammon import Rules
from gammon.simulation import Dataset

pytest.importorskip("pyarrow")

HOW: dict[str, dict[str, Any]] = {
    "random": {},
    "money": {"players": (Wild(), "random"), "cube": True},
    "matches": {"players": (Wild(), Wild()), "rules": Rules.match(2), "paired": True},
}
every_way = pytest.mark.parametrize("how", HOW.values(), ids=HOW)


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(path.iterdir())}


class TestTables:
    @every_way
    def test_they_are_those_of_memory(self, tmp_path: Path, how: dict[str, Any]) -> None:
        memory = gammon.simulate(50, seed=1, per_game=True, record=True, **how)
        result = gammon.simulate(50, seed=1, out=tmp_path, record=True, part_games=16, **how)
        assert result == memory
        assert result.per_game is result.turns is None
        data = Dataset(tmp_path)
        assert data.complete
        assert len(data) == 4
        assert data.settings.rules == result.rules
        for expected, parts in ((memory.per_game, data.games()), (memory.turns, data.turns())):
            tables = [columns(part) for part in parts]
            for place, column in enumerate(columns(expected)):
                read = np.concatenate([table[place] for table in tables])
                assert read.dtype == column.dtype
                assert np.array_equal(read, column)
        second = list(data.turns())[1]
        assert memory.turns is not None
        assert second.match(17).to_dict()["events"] == memory.turns.match(17).to_dict()["events"]

    def test_games_alone(self, tmp_path: Path) -> None:
        gammon.simulate(20, seed=1, out=tmp_path)
        data = Dataset(tmp_path)
        assert sum(len(games) for games in data.games()) == 20
        with pytest.raises(gammon.InvalidArgumentError, match="record"):
            list(data.turns())

    @every_way
    def test_threads_change_no_byte(self, tmp_path: Path, how: dict[str, Any]) -> None:
        for name, threads, batch_size in (("a", 1, 4096), ("b", 3, 5)):
            gammon.simulate(
                40,
                seed=1,
                out=tmp_path / name,
                record=True,
                part_games=10,
                threads=threads,
                batch_size=batch_size,
                **how,
            )
        assert contents(tmp_path / "a") == contents(tmp_path / "b")

    def test_no_games(self, tmp_path: Path) -> None:
        assert gammon.simulate(0, seed=1, out=tmp_path).games == 0
        assert Dataset(tmp_path).complete


class TestResume:
    @every_way
    def test_stopped_anywhere(self, tmp_path: Path, how: dict[str, Any]) -> None:
        """An error in the caller's code, in each part in turn."""
        whole = gammon.simulate(40, seed=3, out=tmp_path / "whole", record=True, part_games=10, **how)
        for stop in range(4):
            place = tmp_path / str(stop)

            def fail(done: int, total: int, stop: int = stop) -> None:
                if done > 10 * stop:
                    raise RuntimeError("enough")

            with pytest.raises(RuntimeError, match="enough"):
                gammon.simulate(40, seed=3, out=place, record=True, part_games=10, progress=fail, **how)
            assert not Dataset(place).complete
            (place / "games-000003.parquet.partial").write_bytes(b"left over")
            (place / "turns-000003.parquet").write_bytes(b"not in the manifest yet")
            again = gammon.simulate(40, out=place, resume=True, record=True, part_games=10, **how)
            assert again == whole
            left = contents(place)
            left.pop("games-000003.parquet.partial", None)
            assert left == contents(tmp_path / "whole")

    def test_a_finished_one(self, tmp_path: Path) -> None:
        whole = gammon.simulate(20, seed=3, out=tmp_path)
        before = contents(tmp_path)
        assert gammon.simulate(20, seed=3, out=tmp_path, resume=True) == whole
        assert contents(tmp_path) == before

    @pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
    def test_killed(self, tmp_path: Path) -> None:
        """SIGKILL at several moments, and once more after each."""
        script = textwrap.dedent(
            """
            import sys, gammon
            gammon.simulate(6000, seed=5, out=sys.argv[1], record=True, part_games=300, resume=True, threads=1)
            """
        )
        place = tmp_path / "killed"
        kills = 0
        for wait in (0.3, 0.5, 0.8, 1.2):
            process = subprocess.Popen([sys.executable, "-c", script, str(place)])
            end = time.monotonic() + 60
            while not (place / "manifest.json").exists() and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(wait / 2)
            process.send_signal(signal.SIGKILL)
            kills += process.wait(timeout=60) == -signal.SIGKILL
        subprocess.run([sys.executable, "-c", script, str(place)], check=True, timeout=300)
        assert kills > 0
        whole = gammon.simulate(6000, seed=5, out=tmp_path / "whole", record=True, part_games=300)
        left = {name: data for name, data in contents(place).items() if not name.endswith(".partial")}
        assert left == contents(tmp_path / "whole")
        assert sum(len(games) for games in Dataset(place).games()) == whole.games == 6000

    @pytest.mark.parametrize(
        ("other", "word"),
        [
            ({"seed": 4}, "seed"),
            ({"n": 30}, "n "),
            ({"rules": Rules.money()}, "rules"),
            ({"record": True}, "record"),
            ({"part_games": 7}, "part_games"),
            ({"players": (Wild(), "random")}, "players"),
        ],
        ids=str,
    )
    def test_other_settings(self, tmp_path: Path, other: dict[str, Any], word: str) -> None:
        settings: dict[str, Any] = {"n": 20, "seed": 3, "part_games": 10}
        gammon.simulate(**settings, out=tmp_path)
        with pytest.raises(gammon.InvalidArgumentError, match=word):
            gammon.simulate(**{**settings, **other}, out=tmp_path, resume=True)


class TestFaults:
    def test_damage(self, tmp_path: Path) -> None:
        gammon.simulate(20, seed=3, out=tmp_path, part_games=10)
        file = tmp_path / "games-000001.parquet"
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(bytes(data))
        for call in (lambda: Dataset(tmp_path), lambda: gammon.simulate(20, out=tmp_path, resume=True, part_games=10)):
            with pytest.raises(gammon.FileFormatError, match="games-000001"):
                call()
        file.unlink()
        with pytest.raises(gammon.FileFormatError, match="not there"):
            Dataset(tmp_path)
        for text in ("", "{}", "[1]", json.dumps({"format": "x", "version": 1})):
            (tmp_path / "manifest.json").write_text(text)
            with pytest.raises(gammon.FileFormatError, match="manifest"):
                Dataset(tmp_path)
        with pytest.raises(FileNotFoundError):
            Dataset(tmp_path / "nowhere")

    def test_a_directory_that_is_used(self, tmp_path: Path) -> None:
        gammon.simulate(2, seed=1, out=tmp_path)
        with pytest.raises(gammon.InvalidArgumentError, match="resume"):
            gammon.simulate(2, seed=1, out=tmp_path)
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "file").write_text("mine")
        for resume in (False, True):
            with pytest.raises(gammon.InvalidArgumentError, match="own"):
                gammon.simulate(2, seed=1, out=tmp_path / "other", resume=resume)

    @pytest.mark.parametrize(
        "how",
        [
            {"resume": True},
            {"out": "x", "per_game": True},
            {"out": "x", "paired": True, "part_games": 3},
            {"out": "x", "part_games": 0},
        ],
        ids=str,
    )
    def test_contradictions(self, how: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(gammon.InvalidArgumentError):
            gammon.simulate(2, seed=1, **how)
        assert not list(tmp_path.iterdir())

    def test_a_missing_extra_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(gammon.MissingExtraError, match=r"gammon\[data\]"):
            gammon.simulate(2, seed=1, out=tmp_path)


def test_settings_are_kept(tmp_path: Path) -> None:
    rules = Rules.tournament(3, start=gammon.Position.start("hypergammon"))
    gammon.simulate(2, rules=rules, seed=1, out=tmp_path)
    settings = Dataset(tmp_path).settings
    assert settings.rules == rules
    assert dataclasses.replace(settings, n=3) != settings
