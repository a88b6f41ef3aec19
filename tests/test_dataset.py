"""Data sets: the tables of memory on disk, the same bytes after any interruption, and damage refused."""

from __future__ import annotations

import base64
import dataclasses
import json
import math
import os
import shutil
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
from gammon.simulation import Dataset, Positions, collect_positions

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")

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

    def test_more_games_than_any_memory_holds(self, tmp_path: Path) -> None:
        """What is left to do is counted, not listed."""

        def fail(done: int, total: int) -> None:
            assert total == 1 << 60
            if done > 30:
                raise RuntimeError("enough")

        for _ in range(2):
            with pytest.raises(RuntimeError, match="enough"):
                gammon.simulate(1 << 60, seed=1, out=tmp_path, part_games=10, progress=fail, resume=True)
        data = Dataset(tmp_path)
        assert not data.complete
        assert len(data) >= 3


class TestFormats:
    @pytest.mark.parametrize(
        "how",
        [{"compression": "zstd"}, {"compression": "lz4"}, {"compression": "none"}, {"file_format": "numpy"}],
        ids=str,
    )
    def test_they_hold_the_same(self, tmp_path: Path, how: dict[str, Any]) -> None:
        settings: dict[str, Any] = {"players": ("fast", Wild()), "cube": True, "record": True, "evaluations": "fast"}
        plain = gammon.simulate(30, seed=1, out=tmp_path / "plain", part_games=10, **settings)
        other = gammon.simulate(30, seed=1, out=tmp_path / "other", part_games=10, **settings, **how)
        assert other == plain
        expected, found = Dataset(tmp_path / "plain"), Dataset(tmp_path / "other")
        for tables in (
            zip(expected.games(), found.games(), strict=True),
            zip(expected.turns(), found.turns(), strict=True),
        ):
            for one, two in tables:
                for column, again in zip(columns(one), columns(two), strict=True):
                    assert column.dtype == again.dtype
                    assert np.array_equal(column, again)

    def test_parquet_by_itself(self, tmp_path: Path) -> None:
        """What other programs see: plain types, no empty places, positions as Position IDs without the letters."""
        gammon.simulate(20, seed=1, out=tmp_path, record=True)
        (turns,) = Dataset(tmp_path).turns()
        table = pyarrow.parquet.read_table(tmp_path / "turns-000000.parquet")
        assert not any(field.nullable for field in table.schema)
        assert {str(field.type) for field in table.schema} == {
            "uint64", "uint32", "uint8", "int8", "fixed_size_binary[2]", "fixed_size_binary[10]",
        }  # fmt: skip
        ids = [base64.b64encode(key).decode().rstrip("=") for key in table["positions"].to_pylist()]
        assert ids == gammon.batch.to_ids(turns.positions).tolist()
        assert table["turn"].to_pylist() == turns.turn.tolist()

    @pytest.mark.parametrize("variant", ["hypergammon", "nackgammon", "longgammon"])
    def test_other_starts(self, tmp_path: Path, variant: str) -> None:
        memory = gammon.simulate(30, seed=1, variant=variant, record=True).turns
        gammon.simulate(30, seed=1, variant=variant, record=True, out=tmp_path)
        assert Dataset(tmp_path).settings.compression == "bits"
        (table,) = Dataset(tmp_path).turns()
        assert memory is not None
        assert np.array_equal(table.after, memory.after)

    def test_sides_of_different_size_have_no_bits(self, tmp_path: Path) -> None:
        start = gammon.Position.from_points({6: 5, 4: 2}, opponent={20: 3}, off=0, opponent_off=0)
        rules = Rules.money(start=start)
        memory = gammon.simulate(30, seed=1, rules=rules, record=True).turns
        gammon.simulate(30, seed=1, rules=rules, record=True, out=tmp_path / "games")
        data = Dataset(tmp_path / "games")
        assert data.settings.compression == "zstd"
        (table,) = data.turns()
        assert memory is not None
        assert np.array_equal(table.after, memory.after)
        found = next(collect_positions(data, tmp_path / "positions", buckets=1).tables())
        assert int(found.counts.sum()) == len(memory)

    def test_version_1(self, tmp_path: Path) -> None:
        """Written by the version before "bits": it is read, and not gone on with."""
        path = Path(__file__).parent / "data" / "dataset_v1"
        settings: dict[str, Any] = {"players": ("random", "random"), "cube": True, "seed": 1, "record": True}
        memory = gammon.simulate(8, **settings)
        data = Dataset(path)
        assert data.complete
        tables = [columns(part) for part in data.turns()]
        for place, column in enumerate(columns(memory.turns)):
            read = np.concatenate([table[place] for table in tables])
            assert read.dtype == column.dtype
            assert np.array_equal(read, column)
        copy = shutil.copytree(path, tmp_path / "copy")
        with pytest.raises(gammon.InvalidArgumentError, match="version 1"):
            gammon.simulate(8, **settings, out=copy, part_games=4, compression="lz4", resume=True)

    def test_bits_that_are_no_positions(self, tmp_path: Path) -> None:
        gammon.simulate(5, seed=1, out=tmp_path, record=True)
        name = "turns-000000.parquet"
        table = pyarrow.parquet.read_table(tmp_path / name)
        keys = [b"\xff" * 10, *table["positions"].to_pylist()[1:]]
        place = table.schema.get_field_index("positions")
        table = table.set_column(place, "positions", pyarrow.array(keys, pyarrow.binary(10)))
        pyarrow.parquet.write_table(table, tmp_path / name)
        with pytest.raises(gammon.FileFormatError, match=f"{name}.*row 0"):
            next(Dataset(tmp_path, check=False).turns())

    def test_numpy_needs_no_extra(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        for name in ("a", "b"):
            gammon.simulate(20, seed=1, out=tmp_path / name, record=True, part_games=10, file_format="numpy")
        assert contents(tmp_path / "a") == contents(tmp_path / "b")
        with np.load(tmp_path / "a" / "turns-000001.npz") as file:
            assert file["positions"].shape[1] == 28
        assert sum(map(len, Dataset(tmp_path / "a").turns())) > 0

    def test_evaluations(self, tmp_path: Path) -> None:
        memory = gammon.simulate(20, seed=1, record=True, evaluations="fast").turns
        assert memory is not None
        assert memory.evaluations is not None
        assert np.array_equal(memory.evaluations, gammon.batch.evaluate(memory.positions))
        gammon.simulate(20, seed=1, record=True, out=tmp_path, evaluations=gammon.Model.default())
        (table,) = Dataset(tmp_path).turns()
        assert table.evaluations is not None
        assert table.evaluations.dtype == np.float32
        assert np.array_equal(table.evaluations, memory.evaluations)
        assert gammon.simulate(2, seed=1, record=True).turns.evaluations is None  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        ("how", "word"),
        [
            ({"file_format": "csv"}, "csv"),
            ({"compression": "rar"}, "rar"),
            ({"file_format": "numpy", "compression": "none"}, "none"),
            ({"evaluations": "fast"}, "record"),
            ({"evaluations": "random", "record": True}, "evaluations is 'fast', 'strong', a model .* not 'random'"),
            ({"evaluations": "fsat", "record": True}, "not 'fsat'"),
            ({"evaluations": 3, "record": True}, "3"),
        ],
        ids=str,
    )
    def test_what_there_is_not(self, tmp_path: Path, how: dict[str, Any], word: str) -> None:
        with pytest.raises(gammon.InvalidArgumentError, match=word):
            gammon.simulate(2, seed=1, out=tmp_path / "x", **how)
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("file_format", ["parquet", "numpy"])
    def test_after_follows_from_the_next_position(self, tmp_path: Path, file_format: Any) -> None:
        """Every play of every game leads where it says, at the ends of games too."""
        how = {"rules": Rules.match(2), "players": (Wild(), Wild())}
        gammon.simulate(12, seed=2, out=tmp_path, record=True, part_games=5, file_format=file_format, **how)
        plays = ends = 0
        for table in Dataset(tmp_path).turns():
            for row in range(len(table)):
                position, after = table.positions[row], gammon.Position.from_array(table.after[row])
                if table.action[row] != 0:
                    assert np.array_equal(position, table.after[row])
                    continue
                moves = gammon.Position.from_array(position).plays(gammon.Roll(*table.rolls[row].tolist()))
                assert (
                    after in [play.after for play in moves]
                    if len(moves)
                    else np.array_equal(position, table.after[row])
                )
                plays += 1
                ends += after.is_over
        assert plays > 500
        assert ends > 10


class TestPositions:
    def games(self, place: Path, **how: Any) -> Dataset:
        gammon.simulate(150, variant="hypergammon", seed=1, out=place, record=True, part_games=40, **how)
        return Dataset(place)

    def slow(self, games: Dataset) -> dict[bytes, list[int]]:
        """Count, points and wins of each position, a row at a time."""
        found: dict[bytes, list[int]] = {}
        for table, turns in zip(games.games(), games.turns(), strict=True):
            points = dict(zip(table.game.tolist(), table.points.tolist(), strict=True))
            for row in np.flatnonzero(turns.action == 0).tolist():
                won = points[int(turns.game[row])] * (1 if turns.player[row] == 0 else -1)
                sums = found.setdefault(turns.positions[row].tobytes(), [0, 0, 0])
                for place, value in enumerate((1, won, won > 0)):
                    sums[place] += value
        return found

    @pytest.mark.parametrize("held", [1 << 20, 300])
    def test_every_position_once(self, tmp_path: Path, held: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(gammon.simulation._positions, "_HELD", held)
        games = self.games(tmp_path / "games", evaluations="fast")
        expected = self.slow(games)
        assert max(count for count, _, _ in expected.values()) > 5
        found: dict[bytes, list[int]] = {}
        positions = collect_positions(games, tmp_path / "positions", buckets=3)
        for table in positions.tables():
            rows = zip(table.positions, table.counts.tolist(), table.points.tolist(), table.wins.tolist(), strict=True)
            for cells, *sums in rows:
                assert cells.tobytes() not in found
                found[cells.tobytes()] = sums
            assert np.array_equal(table.classes, gammon.batch.classes(table.positions))
            assert table.evaluations is not None
            assert np.array_equal(table.evaluations, gammon.batch.evaluate(table.positions))
        assert found == expected
        assert len(positions) == len(expected)

    def test_shares(self, tmp_path: Path) -> None:
        games = self.games(tmp_path / "games")
        everything = list(collect_positions(games, tmp_path / "all", buckets=2).tables())
        some = list(
            collect_positions(games, tmp_path / "some", buckets=2, shares={"crashed": 0.25, "race": 0}, seed=1).tables()
        )
        names = np.array(gammon.batch.CLASSES)
        totals, counts = (
            {name: sum(int((names[table.classes] == name).sum()) for table in tables) for name in names}
            for tables in (everything, some)
        )
        assert counts["race"] == 0 < totals["race"]
        assert counts["bearoff"] == totals["bearoff"] > 0
        share = counts["crashed"] / totals["crashed"]
        assert abs(share - 0.25) < 4 * (0.25 * 0.75 / totals["crashed"]) ** 0.5
        whole = {
            row.tobytes(): int(count)
            for table in everything
            for row, count in zip(table.positions, table.counts, strict=True)
        }
        for table in some:
            for row, count in zip(table.positions, table.counts.tolist(), strict=True):
                assert whole[row.tobytes()] == count

    @pytest.mark.parametrize("file_format", ["parquet", "numpy"])
    def test_stopped_and_resumed(self, tmp_path: Path, file_format: Any) -> None:
        games = self.games(tmp_path / "games")
        how: dict[str, Any] = {"buckets": 4, "shares": {"crashed": 0.5}, "seed": 9, "file_format": file_format}
        collect_positions(games, tmp_path / "whole", **how)
        for stop in range(1, 16, 4):
            place = tmp_path / str(stop)

            def fail(done: int, total: int, stop: int = stop) -> None:
                if done > stop:
                    raise RuntimeError("enough")

            with pytest.raises(RuntimeError, match="enough"):
                collect_positions(games, place, progress=fail, **how)
            assert not Positions(place).complete
            del how["seed"]
            collect_positions(games, place, seed=None, resume=True, **how)
            how["seed"] = 9
            assert contents(place) == contents(tmp_path / "whole")

    def test_faults(self, tmp_path: Path) -> None:
        games = self.games(tmp_path / "games")
        for how, word in (
            ({"buckets": 0}, "buckets"),
            ({"shares": {"blitz": 1}}, "blitz"),
            ({"shares": {"race": 2}}, "2"),
            ({"file_format": "csv"}, "csv"),
        ):
            with pytest.raises(gammon.InvalidArgumentError, match=word):
                collect_positions(games, tmp_path / "out", **how)  # type: ignore[arg-type]
        collect_positions(games, tmp_path / "out", seed=1)
        with pytest.raises(gammon.InvalidArgumentError, match="seed"):
            collect_positions(games, tmp_path / "out", seed=2, resume=True)
        with pytest.raises(gammon.FileFormatError, match="positions"):
            Dataset(tmp_path / "out")
        gammon.simulate(4, seed=1, out=tmp_path / "plain")
        with pytest.raises(gammon.InvalidArgumentError, match="record"):
            collect_positions(tmp_path / "plain", tmp_path / "other")


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
            (place / "turns-000003.parquet").write_bytes(b"not in the list yet")
            with open(place / "parts.jsonl", "ab") as parts:
                parts.write(b'{"first": 30, "en')
            again = gammon.simulate(40, seed=None, out=place, resume=True, record=True, part_games=10, **how)
            assert again == whole
            left = contents(place)
            left.pop("games-000003.parquet.partial", None)
            assert left == contents(tmp_path / "whole")

    def test_left_before_the_manifest(self, tmp_path: Path) -> None:
        (tmp_path / "manifest.json.partial").write_text("{")
        gammon.simulate(20, seed=3, out=tmp_path, resume=True)
        assert Dataset(tmp_path).complete

    def test_a_finished_one(self, tmp_path: Path) -> None:
        whole = gammon.simulate(20, seed=3, out=tmp_path)
        before = contents(tmp_path)
        again = gammon.simulate(20, seed=3, out=tmp_path, resume=True)
        assert again == whole
        assert (whole.games_before, again.games_before) == (0, 20)
        assert math.isnan(again.games_per_second)
        assert contents(tmp_path) == before

    @pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
    def test_killed(self, tmp_path: Path) -> None:
        """SIGKILL at several moments, and once more after each."""
        script = textwrap.dedent(
            """
            import sys, gammon
            gammon.simulate(40_000, seed=5, out=sys.argv[1], record=True, part_games=300, resume=True, threads=1)
            """
        )
        place = tmp_path / "killed"
        kills = 0
        for wait in (0.0, 0.05, 0.1, 0.2):
            process = subprocess.Popen([sys.executable, "-c", script, str(place)])
            end = time.monotonic() + 60
            while not (place / "manifest.json").exists() and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
            kills += process.wait(timeout=60) == -signal.SIGKILL
        subprocess.run([sys.executable, "-c", script, str(place)], check=True, timeout=300)
        assert kills > 0
        whole = gammon.simulate(40_000, seed=5, out=tmp_path / "whole", record=True, part_games=300)
        left = {name: data for name, data in contents(place).items() if not name.endswith(".partial")}
        assert left == contents(tmp_path / "whole")
        assert sum(len(games) for games in Dataset(place).games()) == whole.games == 40_000

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
        for call in (
            lambda: Dataset(tmp_path),
            lambda: gammon.simulate(20, seed=None, out=tmp_path, resume=True, part_games=10),
        ):
            with pytest.raises(gammon.FileFormatError, match="games-000001"):
                call()
        file.unlink()
        with pytest.raises(gammon.FileFormatError, match="not there"):
            Dataset(tmp_path)
        (tmp_path / "parts.jsonl").write_text("{}\n")
        with pytest.raises(gammon.FileFormatError, match="manifest"):
            Dataset(tmp_path)
        for text in ("", "{}", "[1]", json.dumps({"format": "x", "version": 1})):
            (tmp_path / "manifest.json").write_text(text)
            with pytest.raises(gammon.FileFormatError, match="manifest"):
                Dataset(tmp_path)
        with pytest.raises(FileNotFoundError):
            Dataset(tmp_path / "nowhere")
        (tmp_path / "none").mkdir()
        with pytest.raises(gammon.FileFormatError, match=r"none: no folder of a simulation: it has no manifest\.json"):
            Dataset(tmp_path / "none")

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
