"""Every command and group shows in its help how it is called, and what it shows runs."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")

import typer

from gammon.cli import main
from gammon.cli._app import application

DATA = Path(__file__).parent / "data"
# What takes minutes, or seconds in a build without optimization.
LONG = {
    "gammon simulate --games 1000000 --seed 1",
    "gammon bearoff build one-sided 8x15.gos --points 8",
    "gammon hypergammon build hyper.ghy",
    "gammon hypergammon lookup hyper.ghy hypergammon --roll 21",
}
# A run that makes the file comes before those that read it.
FIRST = ("gammon bearoff build", "gammon hypergammon build", "gammon rollout", "gammon play --opponent")


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    yield name, command
    for part, inside in sorted(getattr(command, "commands", {}).items()):
        yield from commands(inside, f"{name} {part}")


EVERYTHING = list(commands(typer.main.get_command(application([])), "gammon"))


def examples(command: Any) -> list[str]:
    """The command lines after `Example:`, or one on each line after `Examples:`."""
    text = (command.help or "").split("Example", 1)[-1].partition(":")[2]
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line.rpartition(" | ")[2].startswith("gammon ")]


EXAMPLES = sorted(
    {line for _, command in EVERYTHING for line in examples(command)}, key=lambda line: not line.startswith(FIRST)
)


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    said, _, line = line.rpartition(" | ")  # echo 'what' | gammon ...
    program, *arguments = shlex.split(line)
    assert program == "gammon"
    return subprocess.run(
        [sys.executable, "-m", "gammon", *arguments],
        cwd=folder,
        input=shlex.split(said)[1] + "\n" if said else "\nquit\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the examples read and do not make."""
    place = tmp_path_factory.mktemp("examples")
    shutil.copytree(DATA / "matches", place / "matches")
    shutil.copy(DATA / "matches" / "m3_b.mat", place / "match.mat")
    (place / "recipe.json").write_text(json.dumps({"layers": [64, 16], "seed": 1, "stages": [{"games": 64}]}))
    return place


def test_there_are_commands() -> None:
    assert len(EVERYTHING) > 20
    assert len(EXAMPLES) > 20
    assert set(EXAMPLES) >= LONG


@pytest.mark.parametrize(("name", "command"), EVERYTHING)
def test_help_has_an_example_of_the_command(name: str, command: Any) -> None:
    assert examples(command), name
    for line in examples(command):
        assert f"{line.rpartition(' | ')[2]} ".startswith(f"{name} "), name


@pytest.mark.parametrize("line", [line for line in EXAMPLES if line not in LONG])
def test_examples_run(line: str, folder: Path) -> None:
    if "parquet" in line:
        pytest.importorskip("pyarrow")
    done = run(line, folder)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert done.stdout or "--svg" in line


def flags(command: Any) -> dict[str, list[str]]:
    return {
        parameter.name: list(parameter.opts) for parameter in command.params if parameter.param_type_name == "option"
    }


def test_options_have_one_shape() -> None:
    """The same option has the same letters everywhere, and values have names in capitals."""
    shapes = {"json": ["--json"], "seed": ["--seed"], "threads": ["--threads"], "out": ["--out", "-o"]}
    shapes |= {"model": ["--model"], "plies": ["--plies"], "roll": ["--roll"], "resume": ["--resume"]}
    seen = set()
    for name, command in EVERYTHING:
        for option, letters in flags(command).items():
            if option in shapes:
                seen.add(option)
                assert sorted(letters) == sorted(shapes[option]), f"{name}: {letters}"
        for parameter in command.params:
            if parameter.param_type_name == "argument":
                assert (parameter.metavar or "").strip("[]").isupper(), f"{name}: {parameter.name}"
        answers = not hasattr(command, "commands") and name not in ("gammon play", "gammon engine")
        assert not answers or "json" in flags(command), f"{name} has no --json"
    assert seen == set(shapes)


@pytest.mark.parametrize("group", [[], ["bearoff"], ["bearoff", "build"], ["hypergammon"]], ids=" ".join)
def test_no_line_of_the_lists_is_cut_off(
    group: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([*group, "--help"])
    listed = capsys.readouterr().out.split("Commands:")[1]
    assert listed.count("\n") > 2
    assert "..." not in listed
