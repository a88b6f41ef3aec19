"""The command line: every command, machine-readable output, and one line for what is wrong."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammon

typer = pytest.importorskip("typer")


def gammon_cli(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "gammon", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
        **options,
    )


def printed(*arguments: str) -> str:
    run = gammon_cli(*arguments)
    assert (run.returncode, run.stderr) == (0, ""), run
    return run.stdout


def answered(*arguments: str) -> Any:
    """The JSON that a command prints: one line."""
    text = printed(*arguments, "--json")
    assert text.count("\n") == 1
    return json.loads(text)


class TestCommands:
    def test_simulate(self) -> None:
        text = printed("simulate", "--games", "2000", "--seed", "1")
        result = gammon.simulate(2000, seed=1)
        assert "2,000 games" in text
        assert f"{result.plies:,}" in text
        assert "games/s" in text
        for word in ("single", "gammon", "backgammon", "seed 1"):
            assert word in text

    def test_simulate_matches_and_money(self, tmp_path: Path) -> None:
        text = printed("simulate", "--matches", "50", "--length", "3", "--paired", "--seed", "1")
        result = gammon.simulate(50, rules=gammon.Rules.match(3), paired=True, seed=1)
        assert f"{100 * result.match_share:.2f} % of 50 matches" in text
        place = str(tmp_path / "data")
        answer = answered("simulate", "-n", "20", "--cube", "--seed", "2", "--out", place, "--record")
        again = answered("simulate", "-n", "20", "--cube", "--out", place, "--record", "--resume")
        money = gammon.simulate(20, cube=True, seed=2)
        assert (answer["points"], again["points"]) == (money.points, money.points)
        assert sum(map(len, gammon.simulation.Dataset(place).turns())) == money.plies

    def test_simulate_networks(self) -> None:
        answer = answered("simulate", "-n", "50", "--players", "fast,random", "--cube", "--seed", "3")
        result = gammon.simulate(50, ("fast", "random"), cube=True, seed=3)
        assert answer["players"] == ["fast", "random"]
        assert answer["points"] == result.points > 0
        assert answer["cube"][0]["doubles"] == result.cube[0].doubles > 0

    def test_simulate_to_files(self, tmp_path: Path) -> None:
        place = str(tmp_path / "games")
        answered("simulate", "-n", "20", "--out", place, "--record", "--evaluations", "fast", "--file-format", "numpy")
        (table,) = gammon.simulation.Dataset(place).turns()
        assert np.array_equal(table.evaluations, gammon.batch.evaluate(table.positions))

    def test_simulate_json(self) -> None:
        answer = answered("simulate", "-n", "500", "--seed", "7", "--threads", "2", "--variant", "nackgammon")
        result = gammon.simulate(500, seed=7, variant="nackgammon")
        assert answer["interrupted"] is False
        expected = result.to_dict()
        assert {key: answer[key] for key in expected if key != "seconds"} == {
            key: value for key, value in expected.items() if key != "seconds"
        }
        assert answered("simulate", "-n", "0")["games"] == 0
        assert answered("simulate", "-n", "1", "--seed", str(2**64 - 1))["seed"] == 2**64 - 1

    def test_plays(self) -> None:
        plays = gammon.Position.start().plays(gammon.Roll(3, 1))
        lines = printed("plays", "4HPwATDgc/ABMA", "31").splitlines()
        assert [line.split("  ")[0].strip() for line in lines] == [str(play) for play in plays]
        assert [line.split()[-1] for line in lines] == [play.after.id for play in plays]
        answer = answered("plays", "standard", "1-3")
        assert answer["roll"] == "31"
        assert [play["after"] for play in answer["plays"]] == [play.after.id for play in plays]
        assert [play["steps"] for play in answer["plays"]] == [[list(s) for s in play.steps] for play in plays]

    def test_plays_of_a_dance(self) -> None:
        closed = gammon.Position.from_points({}, opponent=dict.fromkeys(range(1, 7), 2), bar=1)
        assert "no legal play" in printed("plays", closed.id, "31")
        assert answered("plays", closed.id, "31")["plays"] == []

    def test_show(self) -> None:
        text = printed("show", "4HPwATDgc/ABMA")
        assert gammon.render.text(gammon.Position.start()) in text
        answer = answered("show", "hypergammon")
        assert answer["cells"][22:25] == [1, 1, 1]

    def test_show_a_play_and_pictures(self, tmp_path: Path) -> None:
        play = gammon.Position.start().play("8/5 6/5", gammon.Roll(3, 1))
        options = ["--roll", "31", "--play", "8/5 6/5"]
        assert gammon.render.text(play) in printed("show", "standard", *options)
        assert gammon.render.text(play, view="opponent") in printed("show", "standard", *options, "--view", "opponent")
        mirrored = printed("show", "standard", "--direction", "clockwise")
        assert gammon.render.text(play.before, direction="clockwise") in mirrored
        assert gammon.render.cards(play.before, format="text") in printed("show", "standard", "--cards")
        assert answered("show", "standard", *options)["after"] == play.after.id
        file = tmp_path / "board.svg"
        assert printed("show", "standard", *options, "--svg", str(file), "--theme", "dark") == ""
        assert file.read_text(encoding="utf-8") == gammon.render.svg(play, theme="dark") + "\n"
        printed("show", "standard", "--cards", "--svg", str(file))
        assert file.read_text(encoding="utf-8") == gammon.render.cards(play.before) + "\n"

    def test_perft(self) -> None:
        assert "447" in printed("perft", "1")
        assert answered("perft", "2")["perft"] == 202_782

    def test_bench_signature(self) -> None:
        first, second = (printed("bench", "--signature") for _ in range(2))
        assert first == second
        assert answered("bench", "--signature")["signature"] == first.strip()

    def test_bench(self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        from gammon.cli import _bench, main

        monkeypatch.setattr(_bench, "_ROWS", 50)
        monkeypatch.setattr(_bench, "_GAMES", 5)
        for arguments in (["bench"], ["bench", "--json"]):
            with pytest.raises(SystemExit) as end:
                main(arguments)
            assert end.value.code == 0
        text, _, answer = capfd.readouterr().out.rstrip().rpartition("\n")
        rates = json.loads(answer)
        assert text.count(" a second") == len(rates) == 6
        assert all(rate > 0 and f"\n{job} " in f"\n{text}" for job, rate in rates.items())

    def test_tables_of_gnu_backgammon(self, tmp_path: Path) -> None:
        ours, theirs, back = (str(tmp_path / name) for name in ("ours.gos", "gnu.bd", "back.gos"))
        gammon.bearoff.OneSided(3).save(ours)
        assert answered("bearoff", "convert", ours, theirs)["form"] == "gnubg"
        assert answered("bearoff", "info", theirs)["form"] == "gnubg"
        assert "of GNU Backgammon" in printed("bearoff", "info", theirs)
        assert answered("bearoff", "convert", theirs, back)["form"] == "gammon"
        race = gammon.Position.from_points({2: 3, 1: 12}, opponent={3: 1, 1: 14})
        exact = answered("bearoff", "lookup", ours, race.id)["win"]
        assert answered("bearoff", "lookup", back, race.id)["win"] == pytest.approx(exact, abs=1e-3)

    def test_two_sided_tables_of_gnu_backgammon(self, tmp_path: Path) -> None:
        ours, theirs = str(tmp_path / "ours.gts"), str(tmp_path / "gnu.bd")
        table = gammon.bearoff.TwoSided.build(points=6, checkers=2)
        table.save(ours)
        assert theirs in printed("bearoff", "convert", ours, theirs)
        assert "with the cube" in printed("bearoff", "info", theirs)
        assert answered("bearoff", "verify", theirs)["intact"]
        race = gammon.Position.from_points({6: 1, 5: 1}, opponent={4: 1, 1: 1})
        answer = answered("bearoff", "lookup", theirs, race.id, "--roll", "21")
        assert answer["equity"] == pytest.approx(table.equity(race), abs=1e-4)
        assert answer["cube"]["action"] == table.cube_action(race).action
        assert answer["best"]["play"] == str(table.best_play(race, gammon.Roll(2, 1))[0])
        assert "best" in printed("bearoff", "lookup", theirs, race.id, "--roll", "21")
        refused = gammon_cli("bearoff", "convert", theirs, str(tmp_path / "back.gts"))
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert "16 bits" in refused.stderr

    def test_help_and_version(self) -> None:
        assert gammon.__version__ in printed("--version")
        text = printed("--help")
        for command in ("simulate", "play", "plays", "show", "perft", "bench"):
            assert command in text
            assert "Example" in printed(command, "--help")


class TestWrongInput:
    """Exit code 2, one line on stderr that names the value, nothing on stdout, no traceback."""

    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            (["simulate", "--games", "-1"], "-1"),
            (["simulate", "--games", "many"], "many"),
            (["simulate", "--games", str(2**70)], str(2**70)),
            (["simulate", "--threads", "-3"], "-3"),
            (["simulate", "--threads", "0"], "0"),
            (["simulate", "--threads", str(2**70)], str(2**70)),
            (["simulate", "--seed", "-1"], "-1"),
            (["simulate", "--seed", str(2**64)], str(2**64)),
            (["simulate", "--variant", "tavla"], "tavla"),
            (["simulate", "--players", "random,nobody"], "nobody"),
            (["simulate", "--players", "a,b,c"], "c"),
            (["simulate", "--players", "none.gammon,fast"], "none.gammon"),
            (["simulate", "--backend", "spark"], "spark"),
            (["simulate", "--evaluations", "fast"], "--record"),
            (["simulate", "--out", "x", "--file-format", "csv"], "csv"),
            (["simulate", "--out", "x", "--compression", "rar"], "rar"),
            (["simulate", "--address", "auto"], "auto"),
            (["simulate", "--no-such-option"], "--no-such-option"),
            (["simulate", "--games", "2", "--matches", "2"], "--matches"),
            (["simulate", "--length", "3"], "--matches"),
            (["simulate", "--matches", "2", "--length", "0"], "0"),
            (["simulate", "--matches", "2", "--cube"], "--cube"),
            (["simulate", "--record"], "--out"),
            (["simulate", "--resume"], "out"),
            (["simulate", "-n", "3", "--paired"], "3"),
            (["plays", "4HPwATDgc/ABM", "31"], "4HPwATDgc/ABM"),
            (["plays", "/78AAPD/AwAAAA", "31"], "/78AAPD/AwAAAA"),
            (["plays", "standard", "37"], "37"),
            (["plays", "standard"], "roll"),
            (["plays", "a\nb", "31"], "a"),
            (["show", "nonsense"], "nonsense"),
            (["show", ""], "14"),
            (["show", "standard", "--roll", "31"], "31"),
            (["show", "standard", "--roll", "31", "--play", "9/5"], "9/5"),
            (["show", "standard", "--svg", "no/such/folder.svg"], "folder.svg"),
            (["perft", "-1"], "-1"),
            (["perft", "99"], "99"),
            (["perft", "two"], "two"),
            (["perft", "1", "standard", "--threads", "-1"], "-1"),
            (["no-such-command"], "no-such-command"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, list) else "",
    )
    @pytest.mark.parametrize("json_wanted", [False, True], ids=["text", "json"])
    def test_one_line(self, arguments: list[str], named: str, json_wanted: bool) -> None:
        run = gammon_cli(*arguments, *(["--json"] if json_wanted else []))
        assert run.returncode == 2, run
        assert run.stdout == ""
        assert run.stderr.count("\n") == 1, run.stderr
        assert run.stderr.endswith("\n")
        assert "Traceback" not in run.stderr
        assert named in run.stderr


@pytest.mark.skipif(os.name == "nt", reason="arguments of POSIX are bytes")
@pytest.mark.parametrize(
    "arguments", [[b"plays", b"\xff", b"31"], [b"plays", b"standard", b"\xff"], [b"show", b"\xff"]]
)
def test_an_argument_that_is_not_utf_8(arguments: list[bytes]) -> None:
    command = [os.fsencode(sys.executable), b"-m", b"gammon", *arguments]
    run = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert (run.returncode, run.stdout) == (2, b"")
    assert run.stderr.count(b"\n") == 1


def test_a_reader_that_leaves() -> None:
    """`gammon plays ... | head -1` says nothing on stderr."""
    command = f"{sys.executable} -m gammon plays RCCQACWllFIKAA 11 | head -1"
    run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.count("\n") == 1
    assert run.stderr == ""


def interrupted(*arguments: str) -> str:
    """What a command prints that is stopped by Ctrl-C while it works."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gammon", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    tasks = f"/proc/{process.pid}/task"
    if os.path.isdir(tasks):
        deadline = time.monotonic() + 60
        while len(os.listdir(tasks)) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
    else:
        time.sleep(5)
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert time.perf_counter() - start < 1
    assert process.returncode == 130
    assert "Traceback" not in stderr
    return stdout


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_in_perft() -> None:
    assert interrupted("perft", "9") == ""


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
def test_a_progress_bar_on_a_terminal_only() -> None:
    import pty

    here, there = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "gammon", "simulate", "-n", "100000", "--seed", "1"],
        stdout=subprocess.PIPE,
        stderr=there,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(there)
    drawn = b""
    while True:
        try:
            part = os.read(here, 4096)
        except OSError:
            break
        if not part:
            break
        drawn += part
    stdout, _ = process.communicate(timeout=60)
    os.close(here)
    assert process.returncode == 0
    assert b"simulate" in drawn
    assert b"games/s" in drawn
    assert b"simulate" not in stdout
    # To a pipe no bar is drawn.
    assert gammon_cli("simulate", "-n", "100000", "--seed", "1").stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("json_wanted", [False, True], ids=["text", "json"])
def test_ctrl_c_prints_what_is_known(json_wanted: bool) -> None:
    arguments = ["simulate", "--games", str(10**15), "--seed", "1", *(["--json"] if json_wanted else [])]
    stdout = interrupted(*arguments)
    if json_wanted:
        answer = json.loads(stdout)
        assert answer["interrupted"] is True
        assert answer["games"] == sum(sum(wins.values()) for wins in answer["wins"]) > 0
    else:
        assert "games/s" in stdout
        assert "Interrupted" in stdout


def test_without_the_extra() -> None:
    """The command line says which extra is missing, in one line."""
    script = """
import sys
sys.modules["typer"] = None
from gammon.cli import main
main(["simulate"])
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "gammon[cli]" in run.stderr


def test_views_and_themes_that_do_not_exist() -> None:
    for option, value in (("--view", "white"), ("--direction", "up"), ("--theme", "pink")):
        run = gammon_cli("show", "standard", option, value, *(["--svg", os.devnull] if option == "--theme" else []))
        assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
        assert value in run.stderr


def test_a_command_loads_no_other() -> None:
    """Start-up: the module of the command that is run, and neither the match nor numpy nor rich with it."""
    script = """
import sys
from gammon.cli import main
try:
    main(["plays", "standard", "31"])
except SystemExit:
    pass
for name in ("gammon.match", "gammon.cube", "gammon.render", "gammon.bearoff", "gammon.cli._bearoff", "numpy", "rich"):
    assert name not in sys.modules, name
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")


def test_every_command_has_help_with_an_example() -> None:
    from gammon.cli._app import COMMANDS, GROUPS

    text = printed("--help")
    for command in (*COMMANDS, *GROUPS):
        assert command in text
    for command in COMMANDS:
        assert "Example" in printed(command, "--help")


def test_completion_scripts() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "gammon"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "_GAMMON_COMPLETE": "complete_bash", "COMP_WORDS": "gammon pl", "COMP_CWORD": "1"},
    )
    assert run.stderr == ""
    assert {"play", "plays"} <= set(run.stdout.split())


def test_starts_without_numpy() -> None:
    script = """
import sys
sys.argv = ["gammon", "plays", "standard", "31"]
from gammon.cli import main
try:
    main()
except SystemExit as end:
    assert end.code == 0, end
assert "numpy" not in sys.modules
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    assert "8/5 6/5" in run.stdout


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ("0:0:1:00:6:4:1:7:10", "this is the Crawford game"),
        ("1:-1:1:00:2:4:0:7:10", "the opponent has the cube"),
        ("3:1:1:00:2:4:0:7:10", "a higher cube would bring nothing, or is above the limit"),
    ],
)
def test_why_the_cube_is_not_turned(fields: str, why: str) -> None:
    text = printed("cube", f"XGID=-B-BBBBB-b---b-A-bb-bb----:{fields}", "--plies", "0")
    assert text.splitlines()[-1] == f"{'best':<16}unavailable: {why}"


def test_a_table_that_is_interrupted_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from gammon.bearoff import TwoSided
    from gammon.cli import main

    def stop(**_: object) -> None:
        raise gammon.Interrupted("stopped", None)

    monkeypatch.setattr(TwoSided, "build", stop)
    with pytest.raises(SystemExit) as end:
        main(["bearoff", "build", "two-sided", str(tmp_path / "x.gts"), "--json"])
    assert end.value.code == 130
    error = capsys.readouterr().err
    assert error == f"Interrupted: the same command goes on with {tmp_path / 'x.gts'}.partial\n"


def run_with(redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command with the streams that a shell gives it."""
    command = shlex.join([sys.executable, "-m", "gammon", *arguments])
    return subprocess.run(["bash", "-o", "pipefail", "-c", f"{command} {redirection}"], capture_output=True, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="streams of a POSIX shell")
class TestStreams:
    def test_a_reader_that_leaves_is_exit_code_141(self) -> None:
        # More than a pipe holds, so that the command has to write after its reader has gone.
        done = run_with("| head -c 10 >/dev/null", "plays", "AACAkCRJqqoAAA", "11")
        assert (done.returncode, done.stderr) == (141, "")

    @pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-"])
    @pytest.mark.parametrize("command", ["play --seed 1", "engine", "plays standard 31"])
    def test_closed_streams_are_empty_ones(self, command: str, closed: str) -> None:
        ends = f"</dev/null {closed}" if "<" not in closed else closed
        done = run_with(ends, *command.split())
        assert (done.returncode, done.stderr) == (0, "")
