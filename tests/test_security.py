"""What `SECURITY.md` promises: no code from files, no network, no other programs, and bounds on what is read."""

from __future__ import annotations

import ast
import builtins
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import gammon
from gammon import engine, formats, met, plot, simulation, training

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "python" / "gammon"
# Loading code from data, other programs, the network.
NEVER = {
    *("pickle", "_pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "code", "codeop", "runpy", "imp"),
    *("socket", "ssl", "urllib", "http", "ftplib", "smtplib", "xmlrpc", "asyncio", "requests", "httpx", "webbrowser"),
    *("subprocess", "multiprocessing", "pty", "ctypes", "cffi", "pdb"),
}
CALLS = {"eval", "exec", "compile", "__import__", "breakpoint"}
# `os.system` and its like; what numpy would load by pickle is told otherwise.
ATTRIBUTES = {
    f"os.{name}" for name in ("system", "popen", "spawnl", "spawnv", "execv", "execve", "fork", "posix_spawn")
}
# The one package that runs elsewhere, when it is asked to: Ray, which speaks to its cluster itself.
ELSEWHERE = {"_ray.py"}


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def offences(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (f"{node.lineno}: import {name.name}" for name in node.names if name.name.split(".")[0] in NEVER)
        elif isinstance(node, ast.ImportFrom):
            if str(node.module).split(".")[0] in NEVER:
                yield f"{node.lineno}: from {node.module} import"
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in CALLS:
                yield f"{node.lineno}: {node.func.id}(...)"
            if isinstance(node.func, ast.Attribute) and ast.unparse(node.func) in ATTRIBUTES:
                yield f"{node.lineno}: .{node.func.attr}(...)"
            for keyword in node.keywords:
                refused = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
                if keyword.arg == "allow_pickle" and not refused:
                    yield f"{node.lineno}: allow_pickle"


def test_no_code_from_data_no_network_no_programs() -> None:
    assert len(sources()) > 70
    found = [f"{path.relative_to(ROOT)}:{what}" for path in sources() for what in offences(path.read_text())]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from urllib.request import urlopen",
        "eval('1')",
        "os.system('ls')",
        "np.load(f, allow_pickle=True)",
    ],
)
def test_what_is_forbidden_is_found(line: str) -> None:
    assert list(offences(f"def f():\n    {line}\n")) != []
    assert CALLS - {"__import__", "breakpoint"} <= set(dir(builtins))


def test_only_one_module_speaks_to_a_cluster() -> None:
    speaking = {path.name for path in sources() if re.search(r"^\s*import ray\b", path.read_text(), re.MULTILINE)}
    assert speaking == ELSEWHERE


def test_the_core_opens_no_connections() -> None:
    rust = sorted((ROOT / "rust").rglob("src/**/*.rs"))
    assert len(rust) > 40
    for path in rust:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"std::net|std::process::Command|reqwest|TcpStream|UdpSocket", text), path


DEEP = "[" * 100_000
NUMBER = '{"a": ' + "9" * 5000 + "}"


def from_file(read: Callable[[Path], object], name: str) -> Callable[[Path, str], object]:
    def call(folder: Path, text: str) -> object:
        (folder / name).write_text(text)
        return read(folder / name)

    return call


def parts_of_games(folder: Path, text: str) -> object:
    gammon.simulate(1, seed=1, out=folder / "games", file_format="numpy")
    (folder / "games" / "parts.jsonl").write_text(text + "\n")
    return simulation.Dataset(folder / "games")


READERS: dict[str, Callable[[Path, str], object]] = {
    "match": lambda _, text: formats.json.loads(text),
    "any": lambda _, text: formats.loads(text),
    "rollout": lambda _, text: engine.RolloutResult.from_dict(text),
    "recipe": from_file(training.Recipe.open, "recipe.json"),
    "log": from_file(plot.learning_curve, "log.jsonl"),
    "games": from_file(lambda path: simulation.Dataset(path.parent), "manifest.json"),
    "parts": parts_of_games,
    "positions": from_file(lambda path: simulation.Positions(path.parent), "manifest.json"),
    "equities": from_file(met.MatchEquityTable.load, "table.xml"),
    "model": from_file(gammon.Model, "net.gammon"),
}


@pytest.mark.parametrize("text", [DEEP, DEEP.replace("[", '{"a":'), NUMBER, "", "null", "\0" * 1000], ids=range(6))
@pytest.mark.parametrize("reader", READERS)
def test_hostile_files_are_errors_of_ours(reader: str, text: str, tmp_path: Path) -> None:
    if reader == "log":
        pytest.importorskip("matplotlib")
    with pytest.raises(gammon.GammonError):
        READERS[reader](tmp_path, text)


def test_a_manifest_names_no_files_elsewhere(tmp_path: Path) -> None:
    place = tmp_path / "games"
    gammon.simulate(4, seed=1, out=place, file_format="numpy")
    part = json.loads((place / "parts.jsonl").read_text())
    entry = next(iter(part["files"].values()))
    (tmp_path / "outside.npz").write_bytes((place / entry["name"]).read_bytes())
    entry["name"] = "../outside.npz"
    (place / "parts.jsonl").write_text(json.dumps(part) + "\n")
    with pytest.raises(gammon.FileFormatError, match="outside"):
        simulation.Dataset(place)


def test_texts_from_files_move_no_cursor(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("typer")
    from gammon.cli import main

    file = tmp_path / "esc\x1b[2J.mat"
    file.write_text(
        '; [Event "\x1b]0;owned\x07"]\n 3 point match\n\n Game 1\n A\x1b[31mnn : 0                 B\x9bob : 0\n'
        "  1) 31: 8/5 6/5                42: 8/4\x1b 6/3\n"
    )
    for arguments in (["show", str(file)], ["convert", str(file), str(tmp_path / "out.mat")], ["show", "\x1bstandard"]):
        with pytest.raises(SystemExit):
            main(arguments)
        out, error = capfd.readouterr()
        assert out + error
        assert all(letter.isprintable() or letter == "\n" for letter in out + error), (out, error)


def test_the_limits_in_the_text_are_those_of_the_code() -> None:
    """Each row of the table of limits names the constant; its value stands in the row."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| ([\d,]+) [^|]*\| `([\w./]+)`: `(\w+)` \|$", text, re.MULTILINE)
    assert len(rows) > 12
    for value, file, constant in rows:
        source = (ROOT / file).read_text(encoding="utf-8")
        found = re.search(rf"^\s*(?:pub )?(?:const )?{constant}(?:: \w+)? = ([^;\n]+)", source, re.MULTILINE)
        assert found, f"{file} has no {constant}"
        base, _, places = found[1].replace("_", "").partition(" << ")
        number = int(base) << int(places or 0)
        assert number == int(value.replace(",", "")), f"{constant} of {file} is {number:,}, not {value}"


def dependencies(section: str, text: str) -> list[str]:
    """The names in a table of TOML: Python 3.10 has no reader of it."""
    found = re.search(rf"^\[{re.escape(section)}\]\n(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, section
    return re.findall(r"^([\w-]+) = ", found[1], re.MULTILINE)


def test_every_dependency_is_reviewed() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8").partition("## Dependencies")[2]
    rows = [row.split(" | ")[0] for row in re.findall(r"^\| (`.*) \|$", text, re.MULTILINE)]
    rust = {name for row in rows if "(Rust)" in row for name in re.findall(r"`([\w-]+)`", row)}
    python = {name for row in rows if "(Rust)" not in row for name in re.findall(r"`([\w-]+)`", row)}
    crates = [
        name
        for crate in ("core", "python")
        for name in dependencies("dependencies", (ROOT / "rust" / crate / "Cargo.toml").read_text(encoding="utf-8"))
    ]
    assert rust == set(crates) - {"gammon-core"}
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    needed = re.findall(
        r'"([\w-]+)[\[\]\w]*[>=<,.\d]+"', re.findall(r"^dependencies = (.*)$", project, re.MULTILINE)[0]
    )
    extras = project.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    for name in dependencies("project.optional-dependencies", project):
        if name in ("test", "docs", "peers"):
            continue
        line = re.findall(rf"^{name} = (.*)$", extras, re.MULTILINE)
        needed += re.findall(r'"([\w-]+)[>=<]', line[0])
    assert len(needed) > 8
    assert python == set(needed)
