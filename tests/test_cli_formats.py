"""``gammon convert`` and ``gammon show`` with files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import answered, gammon_cli, printed

from gammon import formats

pytest.importorskip("typer")

DATA = Path(__file__).parent / "data"
CASES, MATCHES = DATA / "cases", DATA / "matches"


def test_one_file(tmp_path: Path) -> None:
    for suffix in ("sgf", "json", "mat"):
        target = tmp_path / f"x.{suffix}"
        assert printed("convert", str(MATCHES / "m3_b.mat"), str(target)) == "1 files, 1 matches, 0 with faults\n"
        assert formats.load(target).score == (3, 0)


def test_a_folder_becomes_a_folder(tmp_path: Path) -> None:
    printed("convert", str(MATCHES), str(tmp_path / "out"), "--to", "sgf")
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert len(written) == 18
    assert {"m3_b.sgf", "s_beaver.sgf"} <= set(written)
    assert all(formats.load(tmp_path / "out" / name).errors == [] for name in written)


def test_a_folder_becomes_one_file(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    printed("convert", str(MATCHES), str(tmp_path / "all.parquet"))
    assert formats.parquet.load(tmp_path / "all.parquet").num_rows > 1000
    printed("convert", str(MATCHES), str(tmp_path / "all.jsonl"))
    assert len(list(formats.scan(tmp_path / "all.jsonl"))) == 18


def test_faults_have_a_line_each_and_exit_code_1(tmp_path: Path) -> None:
    run = gammon_cli("convert", str(CASES), str(tmp_path / "out"), "--to", "sgf", "--json")
    assert run.returncode == 1
    assert json.loads(run.stdout) == {"files": 12, "matches": 12, "faulty_files": 4}
    lines = run.stderr.splitlines()
    assert len(lines) == 4
    assert all(line.startswith(str(CASES)) and ": line " in line for line in lines)
    assert len(list((tmp_path / "out").iterdir())) == 12


def test_strict_and_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.mat").write_bytes((CASES / "m11_illegal_under.mat").read_bytes())
    (tmp_path / "in" / "b.txt").write_text("hello")
    (tmp_path / "in" / "c.mat").write_bytes((CASES / "m01_plain.mat").read_bytes())
    run = gammon_cli("convert", str(tmp_path / "in"), str(tmp_path / "out"), "--strict")
    assert run.returncode == 1
    assert [Path(line.split(": ")[0]).name for line in run.stderr.splitlines()] == ["a.mat", "b.txt"]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["c.mat"]


def test_losses_are_said(tmp_path: Path) -> None:
    run = gammon_cli("convert", str(MATCHES / "s_jac_bea.mat"), str(tmp_path / "x.mat"), "--losses")
    assert (run.returncode, run.stderr) == (0, "")
    run = gammon_cli("convert", str(CASES / "m15_len65.mat"), str(tmp_path / "x.fibs"), "--losses")
    assert "not held by fibs: rules.cube_limit" in run.stderr


@pytest.mark.parametrize(
    "arguments",
    [("no-such-file", "x.mat"), (str(CASES / "m01_plain.mat"), "x.doc"), (str(CASES), "x.mat", "--to", "pdf")],
)
def test_what_is_wrong_is_one_line_and_exit_code_2(arguments: tuple[str, ...], tmp_path: Path) -> None:
    run = gammon_cli("convert", *arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.startswith("gammon: ")
    assert run.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_show_a_file() -> None:
    shown = printed("show", str(CASES / "m19_truncated.mat"))
    assert "Alice against Bob" in shown
    assert "Game 1 at 0-0: Alice wins 1 by drop" in shown
    assert "Faults: 1" in shown
    assert "XGID=" in shown
    answer = answered("show", str(MATCHES / "m3_b.sgf"))
    assert [match["score"] for match in answer["matches"]] == [[3, 0]]


def test_show_identifiers() -> None:
    for text in ("XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:10", "4HPwATDgc/ABMA:cAkKAAAAAAAA"):
        assert printed("show", text).startswith("Position ID: 4HPwATDgc/ABMA")
