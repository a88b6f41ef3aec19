"""`gammon play`: whole matches over a pipe, everything that can be typed, and what survives a kill."""

from __future__ import annotations

import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gammon import Engine, Match, Phase, Roll, Rules, formats

typer = pytest.importorskip("typer")

from gammon.cli import main  # noqa: E402
from gammon.cli._players import LEVELS, level_of, player_named  # noqa: E402
from gammon.evaluator import shipped  # noqa: E402

Play = Callable[..., str]
PEOPLE = ("--opponent", "person", "--names", "Ann,Bob")
CHANCE = ("--opponent", "random")
ON = "\nplays\n1\n"
"""Goes on, whatever is asked: throws, lists the plays and takes the first."""


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Play]:
    """Runs `gammon play` with these lines typed, and gives what it prints."""

    def run(*arguments: str, typed: str = "", code: int = 0) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as end:
            main(["play", *arguments])
        printed = capsys.readouterr()
        assert end.value.code == code, printed
        assert "Traceback" not in printed.out + printed.err
        if code == 0:
            assert printed.err == ""
            # Complaints quote what was typed, and what is typed is echoed; both may be long.
            lines = [line for line in printed.out.splitlines() if not re.match("! |.*> |Goodbye|Written|Saved", line)]
            assert max(map(len, lines)) <= 80
            return printed.out
        assert (printed.out, printed.err.count("\n")) == ("", 1)
        return printed.err

    return run


def kept(path: Path) -> Match:
    return Match.from_dict(json.loads(path.read_text()))


@pytest.mark.parametrize("preset", ["match", "tournament"])
def test_a_whole_match_against_the_computer(play: Play, tmp_path: Path, preset: str) -> None:
    file = tmp_path / "match.json"
    text = play(*CHANCE, "--rules", preset, "--length", "3", "--seed", "4", "--export", str(file), typed=ON * 1500)
    match = kept(file)
    assert match.is_over
    assert f"{match.names[match.winner or 0]} has won the match." in text
    assert str(match.score_sheet()) in text
    assert "Computer (random) plays" in text
    assert {event.player for event in match.record if event.kind == "play"} == {0, 1}


def test_the_same_seed_is_the_same_match(play: Play) -> None:
    first, second = (play("--seed", "8", "--length", "1", typed=ON * 400) for _ in range(2))
    assert first == second
    assert play("--seed", "9", "--length", "1", typed=ON * 400) != first


@pytest.mark.parametrize("name", LEVELS)
def test_built_in_players_act_in_every_phase(name: str) -> None:
    player = player_named(name)
    assert player is not None
    seen = set()
    for seed in range(3):
        chance = random.Random(seed)
        match = Match(Rules.money(beavers=2))
        match.roll()
        for _ in range(400):
            if match.phase is Phase.GAME_OVER:
                match.roll()
            seen.add(match.phase)
            doubles = [action for action in match.legal_actions() if action.kind in ("double", "beaver")]
            if doubles and match.phase is not Phase.BEAVERED and chance.random() < 0.2:
                match.apply(doubles[0])
                continue
            if match.to_act == 1 or match.phase is Phase.BEAVERED:
                action = player.act(match)
                assert action in match.legal_actions()
                assert action.player == match.to_act
            else:
                action = chance.choice([a for a in match.legal_actions() if a.player == match.to_act])
            match.apply(action)
    assert seen >= {Phase.ON_ROLL, Phase.ROLLED, Phase.DOUBLED, Phase.BEAVERED, Phase.RESIGNED}


def test_two_people_with_the_cube(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    typed = "31\n8/5 6/5\ndouble\ntake\n64\n24/14\nd\nt\n21\n13/10\nd\np\n"
    text = play(*PEOPLE, "--dice", "manual", "--save", str(file), typed="\n" + typed.replace("take\n64", "take\n\n64"))
    assert "Opening throw: 3-1." in text
    assert "Bob doubles." in text
    assert "Ann takes." in text
    match = kept(file)
    assert [event.kind for event in match.record][:5] == ["roll", "play", "double", "take", "roll"]


def test_drop_beaver_and_money(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "session.json"
    typed = "\nplays\n1\nd\nbeaver\nbeaver\ntake\ndouble\n\nplays\n1\nd\nscore\n"
    text = play(*PEOPLE, "--rules", "money", "--set", "beavers=2", "--seed", "1", "--save", str(file), typed=typed)
    assert text.count("beavers.") == 2
    assert "! " in text, "Bob has no cube to double with"
    match = kept(file)
    assert match.rules == Rules.money(beavers=2)
    assert (match.phase, match.state.value) == (Phase.DOUBLED, 8)
    text = play("--resume", str(file), typed="drop\nleave\n")
    assert "Ann wins a single game by drop: 8 points." in text
    match = kept(file)
    assert (match.is_over, match.score) == (True, (8, 0))


def test_resign_accept_decline_and_concede(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    typed = "\nresign gammon\ndecline\nresign\naccept\nresign\n\nconcede\n"
    text = play(*PEOPLE, "--length", "7", "--seed", "2", "--save", str(file), typed=typed)
    assert "offers to resign gammon." in text
    assert "declines." in text
    match = kept(file)
    assert match.ending == "concession"
    assert match.games[0].points == 1


def test_undo_and_redo(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    play("--seed", "1", "--save", str(file), typed="\nplays\n1\n")
    before = kept(file)
    assert before.to_act == 0
    play("--resume", str(file), typed="undo\n")
    assert kept(file).phase is Phase.ROLLED
    assert kept(file).to_act == 0, "the computer's play and roll went back as well"
    play("--resume", str(file), typed="redo\n")
    assert kept(file) == before
    text = play("--seed", "1", typed="undo\nredo\n")
    assert text.count("! cannot") == 2


def test_the_early_double(play: Play) -> None:
    early = play(*PEOPLE, "--rules", "tournament", "--seed", "3", typed="\nplays\n1\n\nearly\nplays\n1\ntake\n")
    assert "doubles." in early
    assert "takes." in early
    assert "! " in play(*PEOPLE, "--seed", "3", typed="\nplays\n1\n\nearly\n")


def test_cards(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    text = play("--cards", "--seed", "3", "--save", str(file), typed=ON + "board\n")
    assert text.count("on roll  red") >= 2
    assert "red: Player, 0 points" in text
    assert "+13-14-15" in text, "the board, once it is asked for"
    assert type(kept(file).dice).__name__ == "CardDice"


def test_the_clock_can_be_claimed(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    play(*PEOPLE, "--length", "1", "--clock", "fischer", "--seed", "3", "--save", str(file), typed=ON + "claim\n")
    data = json.loads(file.read_text())
    assert data["rules"]["clock"]["mode"] == "fischer"
    match = kept(file)
    assert match.clock is not None
    late = match.clock.reading().running
    data["clock"] |= {"ran_out": [late], "reserve": [0.0, 0.0]}
    file.write_text(json.dumps(data))
    text = play("--resume", str(file), typed="claim\n")
    assert "has won the match" in text
    assert kept(file).winner == 1 - (late or 0)


def test_dances_are_played_by_themselves(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    text = play(*CHANCE, "--length", "5", "--seed", "6", "--export", str(file), typed=ON * 1500)
    dances = [event for event in kept(file).record if event.kind == "play" and str(event.play) == ""]
    assert {event.player for event in dances} == {0, 1}
    assert text.count("cannot move.") == len(dances)


def test_enter_plays_the_only_play(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    play(*CHANCE, "--length", "3", "--seed", "6", "--export", str(file), typed="\n" * 30 + (ON + "\n\n") * 1500)
    assert kept(file).is_over


@pytest.mark.parametrize("form", ["json", "txt", "mat", "sgf", "svg"])
def test_export(play: Play, tmp_path: Path, form: str) -> None:
    file = tmp_path / f"out.{form}"
    text = play("--seed", "1", "--length", "1", typed=f"{ON}export {file}\n")
    assert "Written to" in text
    content = file.read_text(encoding="utf-8")
    if form == "json":
        assert kept(file).score == (0, 0)
    elif form == "svg":
        assert ElementTree.fromstring(content).tag.endswith("svg")
    elif form in ("mat", "sgf"):
        match = formats.load(file)
        assert match.rules.length == 1
        assert str(match.record[1].play) == "24/15"
    else:
        assert "player 0: play 24/15" in content
        assert "1-point match" in content
    assert not list(tmp_path.glob("*.partial"))


def test_what_goes_wrong_is_said_in_one_line(play: Play, tmp_path: Path) -> None:
    typed = "double\ntake\nfoo\n\n99/98\n8/5 6/1\nplays\n77\nsave\nexport\nexport x.gif\n"
    typed += (
        f"save {tmp_path}/no/such/folder.json\nexport {tmp_path}/no/such/folder.txt\nclaim\nleave\naccept\nbeaver\n"
    )
    text = play(*PEOPLE, "--seed", "1", typed=typed)
    complaints = re.findall(r"(?m)^! .+$", text)
    assert len(complaints) == 15, text
    assert "no such command" not in text


def test_garbage_never_shows_a_traceback(play: Play) -> None:
    chance = random.Random(2)
    words = ["roll", "double", "take", "drop", "plays", "1", "2", "8/5", "bar", "/", "*", "(", "undo", "redo", "resign"]
    words += ["\x00", "\x1b[2J", "é", "٣", "9" * 50, "/" * 50, "backgammon", "cards", "board", "-1", "25", "accept"]
    for seed in range(12):
        lines = [" ".join(chance.choices(words, k=chance.randrange(4))) for _ in range(150)]
        text = play("--seed", str(seed), "--cards" if seed % 2 else "--ascii", typed="\n".join(lines))
        assert "\x1b" not in text


def test_names_cannot_move_the_cursor(play: Play) -> None:
    text = play("--opponent", "person", "--names", "A\x1b[2Jnn,B\u202eob", typed=ON * 3 + "score\nresign\na\n")
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--rules", "chess"], "chess"),
        (["--length", "0"], "0"),
        (["--length", "many"], "many"),
        (["--length", "7", "--rules", "money"], "7"),
        (["--opponent", "gnu"], "gnu"),
        (["--names", "Ann"], "Ann"),
        (["--names", "a,b,c"], "a,b,c"),
        (["--dice", "loaded"], "loaded"),
        (["--dice", "manual", "--seed", "1"], "1"),
        (["--seed", "-1"], "-1"),
        (["--clock", "sand"], "sand"),
        (["--clock", "fischer", "--rules", "money"], "clock"),
        (["--color", "green"], "green"),
        (["--set", "jacoby"], "jacoby"),
        (["--set", "jacoby=True"], "jacoby"),
        (["--set", "colour=red"], "colour"),
        (["--set", "variant=tavla"], "tavla"),
        (["--set", "start=4HPwATDgc/ABMA"], "start"),
        (["--resume", "no-such-file.json"], "no-such-file.json"),
        (["--resume", "no-such-file.json", "--seed", "1"], "--seed"),
        (["--save", "no/such/folder.json"], "folder.json"),
    ],
)
def test_wrong_options(play: Play, arguments: list[str], named: str) -> None:
    assert named in play(*arguments, code=2)


def test_files_that_are_no_match(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    good = json.dumps(Match().to_dict())
    for content in ["", "{", "[]", "3", "null", '{"dice": 3}', "[" * 100_000, good[:-9], good.replace("money", "x")]:
        file.write_text(content)
        assert "match.json" in play("--resume", str(file), code=2)
    file.write_bytes(b"\xff\xfe\x00")
    assert "match.json" in play("--resume", str(file), code=2)


def test_a_kept_match_is_not_overwritten(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    play("--seed", "1", "--save", str(file), typed=ON)
    before = file.read_text()
    assert "--resume" in play("--seed", "2", "--save", str(file), code=2)
    assert file.read_text() == before


def test_a_match_between_computers_is_refused(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    file.write_text(json.dumps(Match(names=("a (random)", "b (random)")).to_dict()))
    assert "person" in play("--resume", str(file), code=2)


def test_resume_knows_who_plays(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    play("--seed", "5", "--save", str(file), typed=ON)
    whole = play("--seed", "5", typed=ON * 4)
    rest = play("--resume", str(file), typed=ON * 3)
    boards = re.findall(r"(?s)\+1[23]-.*?match", whole)
    assert re.findall(r"(?s)\+1[23]-.*?match", rest) == boards[-len(re.findall(r"(?s)\+1[23]-.*?match", rest)) :]


def test_manual_dice_after_a_resume(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    play(*PEOPLE, "--dice", "manual", "--save", str(file), typed="\n22\n3\nx\n42\n8/4 6/4\n")
    assert [event.throws for event in kept_manual(file).record if event.kind == "roll"] == [((2, 2), (4, 2))]
    play("--resume", str(file), typed="\n61\n13/7 8/7\n")
    assert kept_manual(file).record[-1].player == 1


def kept_manual(path: Path) -> Match:
    from gammon.dice import ManualDice

    return Match.from_dict(json.loads(path.read_text()), dice=ManualDice(lambda: "31"))


# In a process of its own: pipes, signals, terminals.


def process(*arguments: str, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-m", "gammon", "play", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"},
        **options,
    )


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT] if os.name != "nt" else [])
def test_what_is_typed_survives(tmp_path: Path, blow: signal.Signals) -> None:
    file = tmp_path / "match.json"
    running = process(*PEOPLE, "--seed", "1", "--length", "3", "--save", str(file))
    assert running.stdin is not None
    running.stdin.write(ON)
    running.stdin.flush()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (file.exists() and len(kept(file).record) == 2):
        time.sleep(0.05)
    running.send_signal(blow)
    text, errors = running.communicate(timeout=60)
    assert ("Go on with: gammon play --resume" in text) == (blow == signal.SIGINT)
    assert running.returncode == (130 if blow == signal.SIGINT else -blow)
    assert "Traceback" not in errors
    match = kept(file)
    assert [event.kind for event in match.record] == ["roll", "play"]
    running = process("--resume", str(file))
    text, errors = running.communicate("\n", timeout=60)
    assert (running.returncode, errors) == (0, "")
    expected = Match.from_dict(match.to_dict()).roll()
    assert f"rolls {expected}." in text


def test_bytes_that_are_not_utf_8() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "gammon", "play", "--seed", "1"],
        input=b"\n\xff\xfe\n\x80/\x81\nquit\n",
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout.isascii()


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
def test_on_a_terminal_of_80_by_24() -> None:
    import fcntl
    import pty
    import struct
    import termios

    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    running = subprocess.Popen(
        [sys.executable, "-m", "gammon", "play", "--seed", "1"],
        stdin=there,
        stdout=there,
        stderr=there,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "", "PYTHONIOENCODING": "utf-8"},
    )
    os.close(there)
    typed = [b"quit\n", b"plays\n", b"\n"]
    drawn = b""
    while True:
        try:
            part = os.read(here, 4096)
        except OSError:
            break
        if not part:
            break
        drawn += part
        if typed and drawn.endswith(b"> "):
            os.write(here, typed.pop())
    assert running.wait(timeout=60) == 0
    os.close(here)
    text = drawn.decode()
    assert "●" in text
    assert "\x1b[1;36m" in text
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
    assert [line for line in lines if len(line) > 80] == []
    board = [number for number, line in enumerate(lines) if line.startswith(("┌", "└"))]
    assert board[1] - board[0] == 12, "a board, its heading and the question are 15 lines"


def test_given_dice_are_what_they_say() -> None:
    """The opening throw that is typed belongs to seat 0 first."""
    running = process(*PEOPLE, "--dice", "manual")
    text, errors = running.communicate("\n13\n", timeout=60)
    assert errors == ""
    assert "Opening throw: 1-3." in text
    assert f"Bob, play {Roll(3, 1)}>" in text


def test_a_hint_numbers_the_best_plays(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    text = play(*PEOPLE, "--seed", "1", "--save", str(file), typed="hint\n\nhint\n1\nhint\nroll\n")
    assert "! there is nothing to decide between games" in text
    match = kept(file)
    best = Engine(2).best_play(next(state for state, event in match.history() if event.kind == "play"))
    assert re.search(rf"(?m)^1\. {re.escape(str(best))} +[+-]\d", text)
    assert match.record[1].play == best
    assert "no double (equities of who is on roll, 2-ply)" in text
    assert re.search(r"(?m)^   double, take +[+-]", text)


def test_hints_for_answers(play: Play) -> None:
    text = play(*PEOPLE, "--seed", "1", typed="\nplays\n1\ndouble\nhint\ntake\nresign\nhint\ndecline\nhint\n")
    assert "take (equities of who is on roll" in text
    assert "accept it" in text
    crawford = play(*PEOPLE, "--length", "1", "--seed", "1", typed="\nplays\n1\nhint\n")
    assert "roll: the cube cannot be turned" in crawford


def test_a_network_of_ones_own(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("net.gammon").write_bytes(shipped("fast").path.read_bytes())
    file = tmp_path / "match.json"
    text = play("--opponent", "net.gammon", "--seed", "4", "--length", "1", "--save", str(file), typed=ON * 3)
    assert "Computer (net.gammon) plays" in text
    assert level_of(kept(file).names[1]) == "net.gammon"
    assert "Computer (net.gammon) plays" in play("--resume", str(file), typed=ON * 3)
    Path("net.gammon").unlink()
    assert "net.gammon" in play("--resume", str(file), code=2)
    assert "Computer (random) plays" not in play("--resume", str(file), "--opponent", "random", typed="quit\n")


@pytest.mark.parametrize("level", ["beginner", "master"])
def test_levels(play: Play, tmp_path: Path, level: str) -> None:
    file = tmp_path / "match.json"
    text = play("--level", level, "--length", "1", "--seed", "4", "--save", str(file), typed=ON * 4)
    assert f"Computer ({level}) plays" in text
    assert level_of(kept(file).names[1]) == level
    assert "an opponent is one of" in play("--level", "grandmaster", code=2)
