"""Every public name says what it is, and every public class, function, method and property shows it by an example.

`test_doctests.py` runs the examples. Public is what stands in the `__all__` of a module without an underscore, and of a
class there what has none. Constants, type aliases and the fields of dataclasses, named tuples and enumerations need no
example: the class has one.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
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


Member = property | classmethod | staticmethod | functools.cached_property


def members(cls: type) -> Iterator[tuple[str, object]]:
    """The methods and properties of a class, those of bases of ours too, but for the fields of a dataclass."""
    # Fields are said after their names, or by the class.
    found = {field.name for field in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    for base in cls.__mro__:
        if base is not cls and not base.__module__.startswith("gammon"):
            continue
        for name, member in vars(base).items():
            if name.startswith("_") or name in found:
                continue
            if callable(member) or isinstance(member, Member) or inspect.isgetsetdescriptor(member):
                found.add(name)
                yield name, member


def text_of(member: object) -> str:
    """A member's own docstring: not one that it has from the class it overrides, or from `staticmethod`."""
    return getattr(member, "__func__", member).__doc__ or ""


def silent(cls: type) -> list[str]:
    """The members without a docstring."""
    return [name for name, member in members(cls) if not text_of(member)]


def not_shown(cls: type) -> list[str]:
    """The members whose docstring has no example.

    None of a protocol: nobody calls its own methods, and the example of the class shows one that has them. Exceptions
    are no exception: those here have no methods.
    """
    if getattr(cls, "_is_protocol", False):
        return []
    return [name for name, member in members(cls) if ">>>" not in text_of(member)]


def test_there_is_something_to_look_at() -> None:
    assert len(MODULES) > 20
    assert len(NAMES) > 200
    classes = {thing for module, name in NAMES if inspect.isclass(thing := value(module, name)) and not is_data(thing)}
    assert sum(len(list(members(cls))) for cls in classes) > 300


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
        assert not silent(thing), f"{module}.{name} has members without a docstring: {', '.join(silent(thing))}"
        assert not not_shown(thing), f"{module}.{name} has members without an example: {', '.join(not_shown(thing))}"


def test_what_finds_missing_docstrings_finds_them() -> None:
    class Silent:
        def said(self) -> None:
            """Says something."""

        def silent(self) -> None: ...

        @property
        def silent_property(self) -> None: ...

        @staticmethod
        def silent_static() -> None: ...

    assert silent(Silent) == ["silent", "silent_property", "silent_static"]
    assert "MODULES" not in described(importlib.import_module(__name__))
    assert "FORMATS" in described_anywhere("gammon.formats")


def test_what_finds_missing_examples_finds_them() -> None:
    class Base:
        def inherited(self) -> None:
            """Says something."""

        def shown_here(self) -> None:
            """Says something."""

    Base.__module__ = "gammon._base"

    @dataclasses.dataclass
    class Told(Base):
        field: type = int

        def method(self) -> None:
            """Says something."""

        @property
        def read(self) -> None:
            """Says something."""

        @classmethod
        def of_class(cls) -> None:
            """Says something."""

        @staticmethod
        def static() -> None:
            """Says something."""

        def shown(self) -> None:
            """Says something.

            >>> 1
            1
            """

        def shown_here(self) -> None:
            """Says something.

            >>> 1
            1
            """

    class Asked(typing.Protocol):
        def method(self) -> None:
            """Says something."""

    assert not_shown(Told) == ["method", "read", "of_class", "static", "inherited"]
    assert not_shown(Asked) == []
    # Those of compiled classes, whose descriptors are of other kinds.
    assert {"start", "flip", "pips"} <= dict(members(gammon.Position)).keys()
    assert text_of(vars(gammon.Position)["start"]).startswith("The start of a game")
