"""The README's examples run, and show what they say."""

import doctest
import pathlib

README = pathlib.Path(__file__).parent.parent / "README.md"


def test_examples():
    # The fence of a code block would be taken for output: an empty line before it ends each example.
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted > 10
    assert results.failed == 0


def test_the_two_commands_are_there():
    text = README.read_text(encoding="utf-8")
    assert text.count("<!-- main-job -->") == 1
    assert text.count("<!-- tests -->") == 1
