"""The layers: imports of the package only go downwards, and the core knows no Python."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import gammon

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "python" / "gammon"

# From the top to the bottom. A module imports from its own layer or from those below.
LAYERS = [
    {"cli", "__main__"},
    {"adjudication", "env", "analysis", "simulation", "render", "plot", "formats", "training"},
    {"engine"},
    {"settlement", "match", "rules", "clock", "tournament", "notation"},
    {"cube", "met", "scoring"},
    {"position", "dice", "play", "bearoff", "hypergammon", "batch", "cards", "evaluator"} | {"levels", "onnx"},
    {"errors", "_checks", "files", "_long_work", "_notebook", "_ray", "_core"},
]
# What a module may not load with itself: extras, and numpy where `import gammon` comes along.
LATE = {"numpy", "typer", "rich", "pyarrow", "gymnasium", "pettingzoo", "ray", "matplotlib", "onnx", "onnxruntime"}
# What loads a module whose name this test cannot read.
BY_NAME = {"import_module", "__import__"}
# Who may, and why.
LOADS_BY_NAME = {
    "__init__.py": "what needs numpy, or is not always wanted, is loaded when it is first used",
    "env/__init__.py": "gymnasium and pettingzoo are loaded with the environment that needs them",
    "cli/_app.py": "a command's module is loaded when the command is run",
    "_notebook.py": "the one door upwards: pictures of values in notebooks",
    "formats/parquet.py": "pyarrow is loaded with the first file that is read or written",
}


def parts() -> dict[str, list[Path]]:
    """The files of each part of the package: a module, or all modules of a subpackage."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        found.setdefault(name, []).append(path)
    return found


def height(part: str) -> int:
    for place, layer in enumerate(LAYERS):
        if part in layer:
            return len(LAYERS) - place
    raise AssertionError(f"gammon.{part} stands in no layer: give it one in this test")


class Import(NamedTuple):
    """One import, or a place that could load any module."""

    line: int
    name: str
    at_load: bool
    """Whether it happens when the module is loaded."""
    form: str
    """"import" or "from" for what is written so, "by name" for what only shows at run time."""


def imports(source: str, where: str) -> list[Import]:
    """Each import that happens at run time: all but those under `if TYPE_CHECKING:`, whose `else:` does happen."""
    found: list[Import] = []

    def visit(node: ast.AST, at_load: bool) -> None:
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for branch in node.orelse:
                visit(branch, at_load)
            return
        if isinstance(node, ast.Import):
            found.extend(Import(node.lineno, alias.name, at_load, "import") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{where}:{node.lineno}: imports are absolute here"
            # What a package has may be a module: `from gammon import engine`.
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.extend(Import(node.lineno, name, at_load, "from") for name in names)
        elif isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node).split(".")[-1] in BY_NAME:
            found.append(Import(node.lineno, ast.unparse(node), at_load, "by name"))
        elif isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.modules":
            found.append(Import(node.lineno, "sys.modules", at_load, "by name"))
        inside = at_load and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(ast.parse(source), True)
    return found


def imports_of(path: Path) -> list[Import]:
    return imports(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))


# Names of the top level that do not say which module they are from.
HOMES = {
    "Position": "position",
    "Outcome": "position",
    "Roll": "dice",
    "Play": "play",
    "Plays": "play",
    "perft": "play",
    "Match": "match",
    "State": "match",
    "Action": "match",
    "Event": "match",
    "Offer": "match",
    "Phase": "match",
    "GammonError": "errors",
    "IllegalActionError": "errors",
    "Rules": "rules",
    "simulate": "simulation",
    "SimulationResult": "simulation",
}


def part_of(name: str) -> str | None:
    """The part of the package that an imported name belongs to; None for what is not ours."""
    if not name.startswith("gammon."):
        return None
    first = name.split(".")[1]
    return HOMES.get(first, first)


def offences(part: str, where: str, source: str) -> list[str]:
    """What breaks the layers in a file of a part of the package; `where` is its path within the package."""
    command_line = part in {"cli", "__main__"}
    found = []
    for line, name, _, form in imports(source, where):
        target = part_of(name)
        if form == "by name" or name.split(".")[0] in ("importlib", "pkgutil", "runpy"):
            if where not in LOADS_BY_NAME:
                found.append(f"{where}:{line}: {name} could load any module")
        elif form == "import" and name.split(".")[0] == "gammon" and not command_line:
            # It binds `gammon`, which reaches every layer; the command line uses the public API only.
            found.append(f"{where}:{line}: import {name}")
        elif name == "gammon.*":
            found.append(f"{where}:{line}: from gammon import *")
        elif command_line and target != "cli" and "._" in name:
            found.append(f"{where}:{line}: {name} is not public")
        elif part != "__init__" and target not in (None, part) and height(str(target)) > height(part):
            found.append(f"{where}:{line}: {part} imports {target}")
    return found


def test_there_is_something_to_test() -> None:
    found = parts()
    assert {"position", "play", "dice", "batch", "errors", "simulation", "cli"} <= set(found)
    assert sum(len(paths) for paths in found.values()) >= 10
    everything = [one for paths in found.values() for path in paths for one in imports_of(path)]
    assert len(everything) > 500
    assert {one.form for one in everything} == {"import", "from", "by name"}


def test_every_part_has_its_layer() -> None:
    """The compiled module is the one that has no file of its own here."""
    named = [part for layer in LAYERS for part in layer]
    assert len(named) == len(set(named))
    assert set(named) == set(parts()) - {"__init__"} | {"_core"}


def test_imports_go_downwards() -> None:
    assert [
        fault
        for part, paths in parts().items()
        for path in paths
        for fault in offences(part, path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8"))
    ] == []


def test_who_loads_by_name_is_known() -> None:
    doing = {
        path.relative_to(PACKAGE).as_posix()
        for paths in parts().values()
        for path in paths
        if any(one.form == "by name" for one in imports_of(path))
    }
    assert doing == set(LOADS_BY_NAME)


@pytest.mark.parametrize(
    "source",
    [
        "from gammon.engine import Engine",
        "from gammon import engine",
        "from gammon import Match",
        "from gammon import *",
        "import gammon",
        "import gammon.errors\ngammon.engine.rollout",
        "import gammon.engine as e",
        "def f():\n    from gammon.cli import main",
        "try:\n    import numpy\nexcept ImportError:\n    from gammon.match import Match",
        "if TYPE_CHECKING:\n    import os\nelse:\n    from gammon.match import Match",
        "if typing.TYPE_CHECKING:\n    import os\nelif True:\n    from gammon.match import Match",
        "if not TYPE_CHECKING:\n    from gammon.match import Match",
        "import importlib\nimportlib.import_module('gammon.engine')",
        "import importlib as i\ni.import_module(NAME)",
        "from importlib import import_module",
        "from importlib import import_module as load\nload('gammon.engine')",
        "from importlib import util",
        "f = lambda: __import__('gammon.engine')",
        "load = __import__",
        "import sys\nsys.modules['gammon.engine']",
        "import pkgutil",
    ],
)
def test_what_breaks_the_layers_is_found(source: str) -> None:
    """In a module of the board, above which stands nearly everything."""
    assert offences("position", "position.py", source) != []


@pytest.mark.parametrize(
    ("part", "where", "source"),
    [
        ("position", "position.py", "from gammon.errors import GammonError\nfrom gammon.dice import Roll"),
        ("position", "position.py", "if TYPE_CHECKING:\n    from gammon.match import Match"),
        ("match", "match/_match.py", "from gammon.position import Position\nfrom gammon.match import _ids"),
        ("cli", "cli/_plays.py", "import gammon\nimport gammon.engine\nfrom gammon.cli import _app"),
        ("cli", "cli/_app.py", "import importlib\nimportlib.import_module(name)"),
        ("_notebook", "_notebook.py", "import importlib\nimportlib.import_module('gammon.render')"),
    ],
)
def test_what_is_allowed_is_not_found(part: str, where: str, source: str) -> None:
    assert offences(part, where, source) == []


@pytest.mark.parametrize(
    "source", ["from gammon.match import _ids", "from gammon import _core", "import gammon.engine._engine"]
)
def test_the_command_line_has_the_public_names_only(source: str) -> None:
    assert offences("cli", "cli/_plays.py", source) != []


def test_what_is_loaded_late() -> None:
    on_first_use = {module.split(".")[1] for module in gammon._LAZY.values()}
    assert {"batch", "simulation"} <= on_first_use
    for part, paths in parts().items():
        for path in paths:
            for line, name, at_load, _ in imports_of(path):
                package = name.split(".")[0]
                if not at_load or package not in LATE:
                    continue
                allowed = part == "cli" and package in {"typer", "rich"}
                allowed |= part in on_first_use and package == "numpy"
                allowed |= part == "env" and path.stem in {"_single", "_two"} and package in {"gymnasium", "pettingzoo"}
                assert allowed, f"{path.relative_to(ROOT)}:{line}: {name} is loaded with the module"


def test_dependencies_are_known() -> None:
    """Beyond the standard library only what pyproject.toml names."""
    for paths in parts().values():
        for path in paths:
            for line, name, _, form in imports_of(path):
                if form == "by name":
                    continue
                package = name.split(".")[0]
                known = package in sys.stdlib_module_names or package in {"gammon", *LATE}
                assert known, f"{path.relative_to(ROOT)}:{line}: {name}"


def test_the_page_names_every_part() -> None:
    """`docs/architecture.md`: the parts of the package in its picture, the modules of the core in its table."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    picture = page.split("```text\n")[1].split("```")[0]
    layers = re.findall(r"^python/gammon/(\w+(?:, \w+)*)", picture, re.MULTILINE)
    drawn = [part for layer in layers for part in layer.split(", ")]
    assert sorted(drawn) == sorted({*parts(), "_core"} - {"__init__"})
    table = page.partition("## rust/core")[2].partition("\n## ")[0]
    cells = "".join(re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE))
    described = set(re.findall(r"`(\w+)(?:::\w+)*`", cells))
    modules = re.findall(
        r"^(?:pub )?mod (\w+);", (ROOT / "rust/core/src/lib.rs").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(modules) > 20
    assert described == set(modules)


def test_the_core_has_no_python() -> None:
    manifest = (ROOT / "rust" / "core" / "Cargo.toml").read_text()
    assert "[dependencies]" in manifest
    assert not re.search(r"pyo3|numpy|python", manifest.split("[dependencies]")[1])
    sources = list((ROOT / "rust" / "core" / "src").rglob("*.rs"))
    assert len(sources) > 10
    assert not [path for path in sources if "pyo3" in path.read_text()]
