"""``gammon analyze``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import gammon_cli, printed

import gammon

MATCHES = Path(__file__).parent / "data" / "matches"
SHORT = MATCHES / "m3_b.mat"


def test_text() -> None:
    text = printed("analyze", str(SHORT), "--plies", "0", "--worst", "3")
    analysis = gammon.analyze(gammon.formats.load(SHORT), plies=0)
    assert text == analysis.text(worst=3) + "\n"
    assert f"{analysis.players[0].performance_rating:.2f}" in text


def test_json_has_a_line_for_each_match(tmp_path: Path) -> None:
    both = tmp_path / "both.mat"
    both.write_bytes((MATCHES / "m5_c.mat").read_bytes() + b"\n" + SHORT.read_bytes())
    matches = list(gammon.formats.scan(both))
    assert len(matches) == 2
    lines = printed("analyze", str(both), "--plies", "0", "--json", "--threads", "1").splitlines()
    assert [json.loads(line) for line in lines] == [gammon.analyze(match, plies=0).to_dict() for match in matches]


def test_html_and_player(tmp_path: Path) -> None:
    match = gammon.formats.load(SHORT)
    name = match.names[1]
    page = tmp_path / "out.html"
    text = printed("analyze", str(SHORT), "--plies", "0", "--player", name, "--html", str(page))
    assert page.read_text().startswith("<!DOCTYPE html>")
    worst = text.split("The worst decisions")[1]
    assert f" {name} " in worst
    assert f" {match.names[0]} " not in worst
    data = json.loads(printed("analyze", str(SHORT), "--plies", "0", "--player", name, "--json"))
    assert {decision["player"] for decision in data["decisions"]} == {1}


def test_a_folder(tmp_path: Path) -> None:
    """Each match says which file it is from, and a file that is none is passed over."""
    for name in ("a.mat", "c.mat"):
        (tmp_path / name).write_bytes(SHORT.read_bytes())
    (tmp_path / "b.bin").write_bytes(b"\x00junk")
    run = gammon_cli("analyze", str(tmp_path), "--plies", "0", "--worst", "1")
    assert run.returncode == 1
    assert [line for line in run.stdout.splitlines() if line.endswith(".mat:")] == [
        f"{tmp_path / name}:" for name in ("a.mat", "c.mat")
    ]
    assert run.stderr == f"{tmp_path / 'b.bin'}: in no known format: tried json, sgf, fibs, mat, text\n"
    run = gammon_cli("analyze", str(tmp_path), "--plies", "0", "--json")
    assert [json.loads(line)["file"] for line in run.stdout.splitlines()] == [
        str(tmp_path / name) for name in ("a.mat", "c.mat")
    ]


def test_several_pages(tmp_path: Path) -> None:
    both = tmp_path / "both.mat"
    both.write_bytes(SHORT.read_bytes() + b"\n" + SHORT.read_bytes())
    printed("analyze", str(both), "--plies", "0", "--html", str(tmp_path / "out.html"))
    assert {path.name for path in tmp_path.glob("*.html")} == {"out.html", "out-2.html"}


def test_faults_are_told_and_make_the_exit_code_1(tmp_path: Path) -> None:
    broken = tmp_path / "broken.mat"
    lines = SHORT.read_text().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if line.strip().startswith("2)"))
    lines[place] = lines[place].split(":")[0] + ": 24/1 24/2\n"
    broken.write_text("".join(lines[: place + 1]))
    run = gammon_cli("analyze", str(broken), "--plies", "0")
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert "Traceback" not in run.stderr
    assert "Performance rating" in run.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("nowhere.mat",),
        (str(SHORT), "--plies", "4"),
        (str(SHORT), "--plies", "x"),
        (str(SHORT), "--player", "nobody"),
        (str(SHORT), "--rollout", "1", "--plies", "0"),
        (str(SHORT), "--threads", "0"),
        (str(Path(__file__)),),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments: tuple[str, ...]) -> None:
    run = gammon_cli("analyze", *arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("gammon: ")
    assert run.stderr.count("\n") == 1
