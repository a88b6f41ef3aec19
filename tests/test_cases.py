"""`tests/CASES.md`: every case that a test or the core names is listed with the tests that prove it, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "tests" / "CASES.md"
# L plays, P positions and IDs, S scores and cube, M lines of match files, m whole files, R numbers, E environments.
CASE = re.compile(r"(?<![A-Za-z0-9_])([LPSMREm]\d\d)(?![A-Za-z0-9])")
IN_A_NAME = re.compile(r"(?<=_)([lpsmre]\d\d)(?=_|$)")
ROW = re.compile(r"^\| ([LPSMREm]\d\d) \| (.+?) \| (.+?) \|$", re.MULTILINE)


def of_a_function(name: str) -> set[str]:
    """Names of functions have no capitals: the m of a whole file stands first, that of a line of text later."""
    found = set()
    for case in IN_A_NAME.findall(name):
        whole_file = case[0] == "m" and name.startswith(f"test_{case}")
        found.add(case if whole_file else case.upper())
    return found


def of_python(path: Path) -> Iterator[tuple[str, set[str], set[str]]]:
    """Each test, the cases that its name or docstring names, and those that stand anywhere in it."""
    text = path.read_text(encoding="utf-8")

    def visit(node: ast.AST, within: str) -> Iterator[tuple[str, set[str], set[str]]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                yield from visit(child, f"{within}::{child.name}")
            elif isinstance(child, ast.FunctionDef):
                named = of_a_function(child.name) | set(CASE.findall(ast.get_docstring(child) or ""))
                body = ast.get_source_segment(text, child) or ""
                yield f"{within}::{child.name}", named, named | set(CASE.findall(body))

    yield from visit(ast.parse(text), path.relative_to(ROOT).as_posix())


def of_rust(path: Path) -> Iterator[tuple[str, set[str], set[str]]]:
    """The same of functions with `#[test]`, with the comments before each and what follows up to the next."""
    text = path.read_text(encoding="utf-8")
    head = re.compile(r"((?:^[ \t]*(?:///.*|#\[.*\])\n)*)^[ \t]*(?:pub )?fn (\w+)", re.MULTILINE)
    found = list(head.finditer(text))
    for place, match in enumerate(found):
        if "#[test]" not in match[1]:
            continue
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        named = of_a_function(match[2]) | set(CASE.findall(match[1]))
        anywhere = named | set(CASE.findall(text[match.end() : end]))
        yield (
            f"{path.relative_to(ROOT).as_posix()}::{match[2]}",
            named,
            anywhere,
        )


def sources() -> list[Path]:
    python = [path for path in sorted((ROOT / "tests").glob("*.py")) if path.name != Path(__file__).name]
    return python + sorted((ROOT / "rust").rglob("*.rs"))


def cases_of(path: Path) -> Iterator[tuple[str, set[str], set[str]]]:
    return of_python(path) if path.suffix == ".py" else of_rust(path)


def listed() -> dict[str, list[str]]:
    """The tests of each case on the page."""
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert len(rows) == len({case for case, _, _ in rows}), "a case has one line"
    return {case: re.findall(r"`([^`]+)`", tests) for case, _, tests in rows}


def test_what_is_named_is_listed() -> None:
    page = listed()
    assert len(page) > 60
    functions = 0
    for path in sources():
        text = path.read_text(encoding="utf-8")
        unknown = set(CASE.findall(text)) - set(page)
        assert not unknown, f"{path.relative_to(ROOT)} names {sorted(unknown)}, which {PAGE.name} does not list"
        for test, named, _ in cases_of(path):
            functions += 1
            missing = sorted(case for case in named if test not in page.get(case, ()))
            assert not missing, f"{test} names {missing}: list it there in {PAGE.name}"
    assert functions > 1000


def test_what_is_listed_exists_and_names_the_case() -> None:
    known = {test: anywhere for path in sources() for test, _, anywhere in cases_of(path)}
    for case, tests in listed().items():
        assert tests, f"{case} has no test"
        for test in tests:
            assert test in known, f"{case}: there is no {test}"
            assert case in known[test], f"{test} does not name {case}"


def test_every_line_of_the_page_is_a_case() -> None:
    """A row that is not read as one would be checked by nobody."""
    text = PAGE.read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| case")]
    assert len(rows) == len(ROW.findall(text))


def test_names_are_read() -> None:
    assert of_a_function("test_m09_latin_1") == {"m09"}
    assert of_a_function("test_the_result_names_the_winner_m09") == {"M09"}
    assert of_a_function("the_path_is_found_by_the_rules_l17_l19") == {"L17", "L19"}
    assert of_a_function("test_rule_7_1_the_limit") == of_a_function("test_from_a100_to_b12") == set()
    assert CASE.findall('Cases S07 and "m01_plain.mat", not XS07 nor m011, test_m09') == ["S07", "m01"]
