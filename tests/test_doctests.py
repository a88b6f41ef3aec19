"""Every example in a docstring runs, those of the compiled classes too; `pytest --doctest-modules` sees only Python."""

import doctest
import importlib
import pkgutil

import pytest

import gammon
from gammon import _core

MODULES = [
    module.name
    for module in pkgutil.walk_packages(gammon.__path__, "gammon.")
    if module.name not in {"gammon.__main__", "gammon._core"}
]


@pytest.mark.parametrize("name", ["gammon", *MODULES])
def test_examples(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


def test_examples_of_compiled_classes():
    names = {name: getattr(gammon, name) for name in ("Position", "Roll", "Play", "Outcome")}
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    tried = 0
    for name, value in vars(_core).items():
        for example in finder.find(value, name, module=False, globs=names):
            tried += runner.run(example).attempted
    assert tried > 15
    assert runner.summarize().failed == 0
