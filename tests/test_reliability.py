"""Every promise of `docs/reliability.md` names tests, and they exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "reliability.md"


def promises() -> list[tuple[str, list[str]]]:
    rows = re.findall(r"^\| (?!promise)(.+?) \| (`.*`) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [(promise, re.findall(r"`([^`]+::[^`]+)`", tests)) for promise, tests in rows]


def names(path: Path) -> set[str]:
    """The tests of a file, as they are named after its path."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rs":
        return set(re.findall(r"#\[test\]\s+(?:#\[[^\]]+\]\s+)*fn (\w+)", text))
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
    return {name for name in found if name.rpartition("::")[2].startswith("test_")}


def test_there_are_promises() -> None:
    assert len(promises()) > 30


@pytest.mark.parametrize(("promise", "tests"), promises(), ids=lambda value: value if isinstance(value, str) else "")
def test_each_is_proved(promise: str, tests: list[str]) -> None:
    assert tests, promise
    for test in tests:
        file, _, name = test.partition("::")
        assert (ROOT / file).is_file(), test
        assert name in names(ROOT / file), test


def test_a_test_that_is_not_there_is_missed() -> None:
    assert "test_there_are_promises" in names(Path(__file__))
    assert "promises" not in names(Path(__file__))
    assert "test_nothing" not in names(Path(__file__))
