"""The layers: imports of the package only go downwards, and the core knows no Python."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

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
    {"position", "dice", "play", "bearoff", "hypergammon", "batch", "features", "cards", "evaluator"}
    | {"levels", "onnx"},
    {"errors", "_checks", "files", "_long_work", "_notebook", "_ray", "_core"},
]
# What a module may not load with itself: extras, and numpy where `import gammon` comes along.
LATE = {"numpy", "typer", "rich", "pyarrow", "gymnasium", "pettingzoo", "ray", "matplotlib", "onnx", "onnxruntime"}


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


def imports(path: Path) -> list[tuple[int, str, bool]]:
    """Line, name and whether it happens when the module is loaded, for each import outside `if TYPE_CHECKING`."""
    tree = ast.parse(path.read_text())
    found = []

    def visit(node: ast.AST, at_load: bool) -> None:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return
        if isinstance(node, ast.Import):
            found.extend((node.lineno, alias.name, at_load) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute here"
            if node.module == "gammon":
                found.extend((node.lineno, f"gammon.{alias.name}", at_load) for alias in node.names)
            else:
                found.append((node.lineno, str(node.module), at_load))
        inside = at_load and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(tree, True)
    return found


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


def test_there_is_something_to_test() -> None:
    found = parts()
    assert {"position", "play", "dice", "batch", "errors", "simulation", "cli"} <= set(found)
    assert sum(len(paths) for paths in found.values()) >= 10
    assert sum(len(imports(path)) for paths in found.values() for path in paths) > 30


def test_imports_go_downwards() -> None:
    upwards = []
    checked = 0
    for part, paths in parts().items():
        if part == "__init__":
            continue
        for path in paths:
            for line, name, _ in imports(path):
                target = part_of(name)
                if target is None or target == part:
                    continue
                checked += 1
                if height(target) > height(part):
                    upwards.append(f"{path.relative_to(ROOT)}:{line}: {part} imports {target}")
    assert checked > 10
    assert upwards == []


def test_only_the_command_line_takes_the_top_level() -> None:
    """`import gammon` inside the package would reach every layer; the command line uses the public API only."""
    for part, paths in parts().items():
        for path in paths:
            for line, name, _ in imports(path):
                where = f"{path.relative_to(ROOT)}:{line}"
                if name == "gammon":
                    assert part in {"cli", "__main__"}, where
                if part == "cli" and part_of(name) != "cli":
                    assert "._" not in name, f"{where}: {name} is not public"


def test_what_is_loaded_late() -> None:
    on_first_use = {module.split(".")[1] for module in gammon._LAZY.values()}
    assert {"batch", "simulation"} <= on_first_use
    for part, paths in parts().items():
        for path in paths:
            for line, name, at_load in imports(path):
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
            for line, name, _ in imports(path):
                package = name.split(".")[0]
                known = package in sys.stdlib_module_names or package in {"gammon", *LATE}
                assert known, f"{path.relative_to(ROOT)}:{line}: {name}"


def test_the_core_has_no_python() -> None:
    manifest = (ROOT / "rust" / "core" / "Cargo.toml").read_text()
    assert "[dependencies]" in manifest
    assert not re.search(r"pyo3|numpy|python", manifest.split("[dependencies]")[1])
    sources = list((ROOT / "rust" / "core" / "src").rglob("*.rs"))
    assert len(sources) > 10
    assert not [path for path in sources if "pyo3" in path.read_text()]
