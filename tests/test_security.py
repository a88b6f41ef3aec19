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
from gammon import engine, formats, met, onnx, plot, simulation, training

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


ROW = re.compile(r"^\| .* \| ([\d,]+) [^|]*\| `([\w./]+)`: `(\w+)` \|$", re.MULTILINE)
LIMIT = re.compile(r"^\s*(?:pub )?(?:const )?(\w+)(?:: \w+)? = ([^;\n#]+)", re.MULTILINE)
# Where texts, files and requests of others are read.
READING = [
    *("formats", "met.py", "engine/protocol.py", "engine/_result.py", "engine/_rollout_json.py", "files.py", "onnx.py"),
    *("evaluator.py", "match/_codec.py", "match/_illegal.py", "match/_ids.py", "simulation/_dataset.py", "training.py"),
    *("cli/_table.py", "cli/_protocol.py", "plot.py"),
]
# Constants of that kind there that bound nothing that is read.
OTHER = {
    ("formats/_compare.py", "_MOST"): "how many differences between two matches are told",
    ("formats/_faults.py", "_LONGEST"): "what is said of a fault is cut there",
    ("formats/mat.py", "_RIGHT_MOST"): "where a right column can begin, in a row that is bounded",
    ("met.py", "MAX_COMPUTED"): "tables that are computed",
    ("met.py", "MAX_AWAY"): "what a table answers when it is asked",
    ("met.py", "MAX_CUBE"): "what a table answers when it is asked",
    ("cli/_table.py", "MOST_PLAYS_LISTED"): "how much is shown",
    ("plot.py", "MOST_POINTS"): "the longest match of a plot",
}


def value_of(expression: str) -> int:
    """A number, or sums and shifts of numbers, in Python or Rust."""

    def of(node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        assert isinstance(node, ast.BinOp), expression
        left, right = of(node.left), of(node.right)
        return left << right if isinstance(node.op, ast.LShift) else left - right

    return of(ast.parse(expression.strip(), mode="eval").body)


def test_the_limits_in_the_text_are_those_of_the_code() -> None:
    """Each row of the table of limits names the constant; its value stands in the row."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    table = text.partition("## Limits of what is read")[2].partition("\n## ")[0]
    rows = ROW.findall(table)
    assert len(rows) == len(re.findall(r"^\| .*`: `", table, re.MULTILINE)) > 30
    for value, file, constant in rows:
        found = dict(LIMIT.findall((ROOT / file).read_text(encoding="utf-8")))
        assert constant in found, f"{file} has no {constant}"
        number = value_of(found[constant])
        assert number == int(value.replace(",", "")), f"{constant} of {file} is {number:,}, not {value}"


def limits(source: str) -> set[str]:
    """The constants of a module that are named like a bound."""
    targets = [
        name.id
        for node in ast.parse(source).body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    ]
    return {name for name in targets if re.search(r"(^|_)(MOST|LONGEST|LARGEST|MAX|DEEPEST)(_|$)", name)}


def test_every_bound_of_what_is_read_is_in_the_text() -> None:
    rows = {(file, constant) for _, file, constant in ROW.findall((ROOT / "SECURITY.md").read_text(encoding="utf-8"))}
    files = [
        file for place in READING for file in ([PACKAGE / place] if "." in place else (PACKAGE / place).glob("*.py"))
    ]
    bounds = {
        (file.relative_to(PACKAGE).as_posix(), constant)
        for file in files
        for constant in limits(file.read_text(encoding="utf-8"))
    }
    assert len(bounds) > 25
    assert set(OTHER) <= bounds
    assert {(f"python/gammon/{file}", constant) for file, constant in bounds - set(OTHER)} - rows == set()
    assert limits("_MOST = 1\nA, THE_LONGEST_LINE = 1, 2\nMAX_FILE: int = 3\nUTMOST = 4\ndef f():\n    MOST = 5") == {
        *("_MOST", "THE_LONGEST_LINE", "MAX_FILE")
    }


def test_files_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their size, before they are read; those that have none, block by block."""
    network = tmp_path / "net.onnx"
    with open(network, "wb") as file:
        file.truncate(onnx._MOST_BYTES + 1)
    with pytest.raises(gammon.ModelFormatError, match="larger than 2147483648 bytes"):
        onnx.OnnxEvaluator(network)
    monkeypatch.setattr(onnx, "_MOST_BYTES", 1 << 25)
    network.write_bytes(b"\x08" * (1 << 25))
    assert onnx._content(str(network)) == network.read_bytes()
    if Path("/dev/zero").exists():
        with pytest.raises(gammon.ModelFormatError, match="larger than 33554432 bytes"):
            onnx.OnnxEvaluator("/dev/zero")


def test_parts_of_a_data_set_are_as_many_as_it_says(tmp_path: Path) -> None:
    place = tmp_path / "games"
    gammon.simulate(4, seed=1, out=place, file_format="numpy", part_games=2)
    whole = (place / "parts.jsonl").read_bytes()
    assert whole.count(b"\n") == 2
    for more, said in (
        (whole, "more parts than the 2 of its settings"),
        (b"\0" * ((1 << 20) + 1), "a line is longer than 1048576 bytes"),
        (b" " * (1 << 20) + whole, "a line is longer than 1048576 bytes"),
    ):
        (place / "parts.jsonl").write_bytes(whole.splitlines(keepends=True)[0] + more)
        for call in (
            lambda: simulation.Dataset(place),
            lambda: gammon.simulate(4, seed=1, out=place, file_format="numpy", part_games=2, resume=True),
        ):
            with pytest.raises(gammon.FileFormatError, match=said):
                call()
    # What was cut off is of a part that was not finished.
    (place / "parts.jsonl").write_bytes(whole[:-1])
    assert not simulation.Dataset(place).complete
    manifest = (place / "manifest.json").read_text()
    for wrong in ('"part_games": 0', '"part_games": "x"', '"part_games": []'):
        (place / "manifest.json").write_text(manifest.replace('"part_games": 2', wrong))
        with pytest.raises(gammon.FileFormatError, match="no manifest"):
            simulation.Dataset(place)


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
