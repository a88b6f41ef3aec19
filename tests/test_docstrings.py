"""Every public name says what it is, and every public class and function shows it by an example that runs.

`test_doctests.py` runs the examples. Public is what stands in the `__all__` of a module without an underscore, and of a
class there what has none.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import itertools
import pkgutil
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import gammon

for needed in ("numpy", "gymnasium", "pettingzoo"):
    pytest.importorskip(needed)

MODULES = [
    module.name
    for module in pkgutil.walk_packages(gammon.__path__, "gammon.")
    if not any(part.startswith("_") for part in module.name.split(".")) and not module.name.startswith("gammon.cli")
]
NAMES = [
    (module, name)
    for module in ["gammon", *MODULES]
    for name in getattr(importlib.import_module(module), "__all__", [])
]


def value(module: str, name: str) -> object:
    return getattr(importlib.import_module(module), name)


def described(module: ModuleType) -> set[str]:
    """The names of a module that are assigned, with a text after the assignment that says what they are."""
    assert module.__file__ is not None
    body = ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body
    found = set()
    for statement, after in itertools.pairwise(body):
        said = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and said:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def described_anywhere(package: str) -> set[str]:
    """What `described` finds in a module, and in those inside it that it takes its names from."""
    module = importlib.import_module(package)
    found = described(module)
    for inner in pkgutil.iter_modules(getattr(module, "__path__", [])):
        found |= described(importlib.import_module(f"{package}.{inner.name}"))
    return found


def is_described(module: str, name: str) -> bool:
    """Whether a text stands after the assignment, here or in the module of ours that the name is imported from."""
    if name in described_anywhere(module):
        return True
    file = importlib.import_module(module).__file__
    assert file is not None
    return any(
        is_described(str(statement.module), name)
        for statement in ast.parse(Path(file).read_text(encoding="utf-8")).body
        if isinstance(statement, ast.ImportFrom)
        and str(statement.module).startswith("gammon.")
        and name in {alias.name for alias in statement.names}
    )


def is_data(thing: object) -> bool:
    """Constants and type aliases, which Python gives no docstring of their own."""
    if typing.get_origin(thing) is not None:  # Python 3.10 takes list[int] for a class
        return True
    return not inspect.isclass(thing) and not inspect.isroutine(thing)


def members(cls: type) -> Iterator[tuple[str, object]]:
    for name, member in vars(cls).items():
        if not name.startswith("_") and (
            callable(member)
            or isinstance(member, property | classmethod | staticmethod)
            or inspect.isgetsetdescriptor(member)
        ):
            yield name, member


def test_there_is_something_to_look_at() -> None:
    assert len(MODULES) > 20
    assert len(NAMES) > 200


@pytest.mark.parametrize("module", ["gammon", *MODULES])
def test_modules_say_what_they_are(module: str) -> None:
    assert importlib.import_module(module).__doc__


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_names_say_what_they_are(module: str, name: str) -> None:
    thing = value(module, name)
    if inspect.ismodule(thing) or name.startswith("__"):
        return
    if is_data(thing):
        assert is_described(module, name), f"{module}.{name} has no text after it"
        return
    text = inspect.getdoc(thing) or ""
    assert text, f"{module}.{name} has no docstring"
    assert ">>>" in text, f"{module}.{name} has no example"
    if inspect.isclass(thing):
        silent = [member for member, found in members(thing) if not inspect.getdoc(found)]
        # Fields are said after their names, or by the class.
        fields = {field.name for field in dataclasses.fields(thing)} if dataclasses.is_dataclass(thing) else set()
        assert not set(silent) - fields, f"{module}.{name} has members without a docstring"


def test_what_finds_missing_docstrings_finds_them() -> None:
    class Silent:
        def said(self) -> None:
            """Says something."""

        def silent(self) -> None: ...

    assert [name for name, member in members(Silent) if not inspect.getdoc(member)] == ["silent"]
    assert "MODULES" not in described(importlib.import_module(__name__))
    assert "FORMATS" in described_anywhere("gammon.formats")
