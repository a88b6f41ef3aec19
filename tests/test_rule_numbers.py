"""Every rule from the end of a game to online play is named by a test (rules 6.1 to 10.4)."""

import ast
import re
from pathlib import Path

RULES = {
    6: range(1, 5),
    7: range(1, 12),
    8: range(1, 5),
    9: range(1, 14),
    10: range(1, 5),
}


def named_rules():
    """The rules that the names and docstrings of test functions speak of."""
    found = set()
    tests = 0
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        if path.name == Path(__file__).name:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                tests += 1
                found |= {
                    tuple(map(int, pair)) for pair in re.findall(r"(?:rule|_\d+_\d+)_(\d+)_(\d+)(?=_|$)", node.name)
                }
                found |= {
                    tuple(map(int, rule.split(".")))
                    for rule in re.findall(r"\brules? (\d+\.\d+)", ast.get_docstring(node) or "", re.IGNORECASE)
                }
    assert tests > 100
    return found


def test_every_rule_has_a_test_that_names_it():
    missing = {(section, number) for section, numbers in RULES.items() for number in numbers} - named_rules()
    assert not missing
