"""Wrong command lines of every command: exit code 2, one line on stderr, and never a traceback."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest

pytest.importorskip("typer")

import gammon
from gammon.cli import main

DATA = Path(__file__).parent / "data"

WRONG = """
simulate --players rnd.bin,random
simulate --matches 3 --length 100000
simulate --out note.txt -n 10
simulate extra
simulate -n 10 --resume
simulate -n 10 --file-format numpy
simulate -n 10 --compression zstd
simulate -n 1_0
simulate -n 10 --out games
plays
plays standard
plays standard 00
plays standard 31 42
plays XGID=bad 31
plays standrad 31
plays -- "-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:10" 31
plays 4HPwATDgc/ABMA:xx 31
show
show nofile.mat
show rnd.bin
show empty
show folder
show standard --svg folder
show standard --svg no/such/x.svg
show match.mat --svg x.svg
show match.mat --roll 31
show match.mat --view opponent
show standard --theme dark
show standard --play 8/5
eval
eval standard --plies 9
eval standard --plies x
eval standard 77
eval standard 31 --roll 31
eval standard --model note.txt
eval standard --model nofile
eval standard --threads -1
cube standard --plies -1
cube XGID=zzz
cube "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:10"
rollout
rollout standard --resume note.txt
rollout --resume list.json
rollout --resume cut.json
rollout --resume rnd.bin
rollout standard --trials 1
rollout standard --trials 36 --out no/such/x.json
rollout standard --trials 36 --out folder
rollout standard --play 8/5
rollout standard --roll 31 --play 9/1
rollout standard --roll 31 --top 0
rollout standard --top 3
rollout standard --cube --roll 31
rollout standard --truncate 0
rollout standard --stop-se -1
rollout standard --stop-se nan
rollout standard --min-trials 0
rollout standard --model folder
convert
convert match.mat
convert match.mat x.zzz
convert nofile x.mat
convert match.mat x.mat --to pdf
convert match.mat no/such/x.mat
convert match.mat match.mat
convert match.mat . --to mat
convert . .
convert . match.mat
train
train nofile --out x
train recipe.json --out x
train good.json --out no/such/x
train good.json --out folder
train good.json --out x --log no/such/x
train good.json --out x --checkpoint folder
train negative.json --out x
train words.json --out x
train one.json --out x
train object.json --out x
train list.json --out x
train cut.json --out x
train rnd.bin --out x
train folder --out x
train recipe.json
perft
perft 1 zzz
bench --foo
bearoff nosuch
bearoff build two-sided
bearoff build two-sided x.gts --points 0
bearoff build two-sided x.gts --checkers 99
bearoff build two-sided x.gts --score 3
bearoff build two-sided x.gts --score a,b
bearoff build two-sided x.gts --score 3,3 --post-crawford
bearoff build one-sided x.gos --points 99
bearoff build one-sided folder
bearoff build two-sided folder
bearoff build two-sided /dev/full
hypergammon build /dev/full --checkers 1
bearoff build two-sided no/such/x.gts
bearoff info nofile
bearoff info note.txt
bearoff info empty
bearoff info folder
bearoff info rnd.bin
bearoff lookup note.txt standard
bearoff lookup 1x2.gts AQAABAAAAAAAAA --cube 2:foo
bearoff lookup 1x2.gts AQAABAAAAAAAAA --second
bearoff lookup 1x2.gos AQAABAAAAAAAAA --roll 21
bearoff verify rnd.bin
bearoff convert note.txt x.bd
hypergammon build x.ghy --checkers 9
hypergammon build x.ghy --checkers 1 --tolerance abc
hypergammon build no/such/x.ghy
hypergammon lookup note.txt hypergammon
hypergammon lookup nofile hypergammon
play --rules x
play --length 0
play --length 5 --rules money
play --set foo=1
play --set length=3
play --resume kept.json --export kept.json
play --save new.json --export new.json
play --set jacoby=maybe
play --set nonsense
play --opponent nobody
play --names Ann
play --dice loaded
play --clock sundial
play --resume nofile
play --resume note.txt
play --resume list.json
play --resume read.json
play --resume rnd.bin
play --save no/such/x.json
play --color pink
play --export x.doc
play --export no/such/x.json
analyze
analyze nofile
analyze match.mat --plies 9
analyze match.mat --rollout x
analyze match.mat --worst -1
analyze match.mat --html folder
analyze match.mat --html no/such/x.html
analyze rnd.bin
analyze match.mat --html match.mat
analyze match.mat --seed 3
analyze folder
train endless --out x
rollout --resume endless
play --resume endless
engine extra
engine --model note.txt
play --seed x
nosuch
--nosuch
"""
LINES = WRONG.strip().splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that are not what a command wants."""
    place = tmp_path_factory.mktemp("wrong")
    shutil.copy(DATA / "matches" / "m3_b.mat", place / "match.mat")
    (place / "folder").mkdir()
    (place / "endless").symlink_to("/dev/zero")
    (place / "kept.json").write_text(json.dumps(gammon.Match().to_dict()))
    (place / "empty").touch()
    (place / "note.txt").write_text("hello\n")
    (place / "rnd.bin").write_bytes(bytes(place % 256 for place in range(7, 40_000, 7)))
    (place / "list.json").write_text("[]")
    (place / "cut.json").write_text("{")
    (place / "recipe.json").write_text('{"layers": [3, 3]}')
    gammon.formats.dump(gammon.formats.load(place / "match.mat"), place / "read.json")
    for name, layers, stages in (
        ("good", "[64, 16]", '[{"games": 64}]'),
        ("negative", "[64, 16]", '[{"games": -20}]'),
        ("words", "[64, 16]", '[{"games": 64, "rate": 0.1}]'),
        ("one", "[64]", '[{"games": 64}]'),
        ("object", "[64, 16]", '{"games": 64}'),
    ):
        (place / f"{name}.json").write_text(f'{{"layers": {layers}, "stages": {stages}}}')
    gammon.bearoff.TwoSided.build(points=1, checkers=2, path=place / "1x2.gts")
    gammon.bearoff.OneSided(points=1, checkers=2).save(place / "1x2.gos")
    gammon.simulate(10, seed=1, out=place / "games", file_format="numpy")
    return place


def test_there_are_many() -> None:
    assert len(set(LINES)) == len(LINES) > 90


@pytest.mark.parametrize("line", LINES)
def test_one_line_and_exit_code_2(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    with pytest.raises(SystemExit) as end:
        main(shlex.split(line))
    out, error = capfd.readouterr()
    assert end.value.code == 2
    assert out == ""
    assert error.startswith("gammon: ")
    assert error.count("\n") == 1
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("show nofile.mat", "nofile.mat: No such file or directory"),
        ("show rnd.bin", "rnd.bin: in no known format: tried json, sgf, fibs, mat, text"),
        ("analyze empty", "empty: the file is empty"),
        ("bearoff info nofile", "nofile: No such file or directory"),
        ("convert match.mat no/such/x.mat", "no/such/x.mat: there is no folder no/such"),
        ("convert match.mat match.mat", "match.mat is what is read: name another file or folder to write"),
        (
            "plays standrad 31",
            "'standrad' is no position: that is a Position ID of 14 characters, an XGID with XGID= before it, a GNU "
            '"PositionID:MatchID", or one of standard, nackgammon, hypergammon, longgammon',
        ),
        ('plays "a:0:0:1:42:0:0:3:0:10"', "an XGID begins with XGID=, not 'a:0:0:1:42:0:0:3:0:10'"),
        (
            "play --resume read.json",
            "read.json: a match that was read from another file; what --save keeps can be gone on with",
        ),
        ("analyze folder", "folder: no file is there"),
        ("rollout --resume list.json", "list.json: rollout: an object is expected, not []"),
        ("simulate -n 10 --resume", "Invalid value: --resume needs --out: it says what to go on with"),
        ("train words.json --out x", "rate of a stage is two numbers, not 0.1"),
        (
            "bearoff lookup 1x2.gts AQAABAAAAAAAAA --cube 2:foo",
            "--cube 2:foo is for a table at a match score, which 1x2.gts is not",
        ),
    ],
)
def test_what_is_said(
    line: str, message: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit):
        main(shlex.split(line))
    assert capfd.readouterr().err == f"gammon: {message}\n"


@pytest.mark.parametrize("line", ["", "bearoff", "bearoff build", "hypergammon"])
def test_without_a_command_there_is_help(line: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(shlex.split(line))
    out, error = capfd.readouterr()
    assert (end.value.code, error) == (0, "")
    assert "Usage: " in out
    assert "Commands:" in out
