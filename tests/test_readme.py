"""The README's examples run, and show what they say."""

import doctest
import io
import pathlib
import re
import shlex
import shutil

import pytest

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


def commands() -> list[str]:
    text = README.read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^`|]+(?:\(`pip[^|]*\) )?\| (.*) \|$", text, re.MULTILINE)
    return [command for row in rows for command in re.findall(r"`(gammon [^`]+)`", row)]


def test_the_commands_of_the_table_run(tmp_path, monkeypatch, capfd):
    """All but the long simulation, in the order in which they stand there."""
    pytest.importorskip("typer")
    from gammon.cli import main

    monkeypatch.chdir(tmp_path)
    data = README.parent / "tests" / "data" / "matches"
    shutil.copy(next(data.glob("*.sgf")), "match.sgf")
    pathlib.Path("recipe.json").write_text('{"layers": [64, 16], "stages": [{"games": 64}]}')
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert len(commands()) >= 11
    for command in commands():
        program, *arguments = shlex.split(command)
        assert program == "gammon"
        if arguments[0] == "simulate":
            continue
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert end.value.code == 0, (command, capfd.readouterr())


def figures(text: str) -> set[str]:
    """The numbers of a text; those within names and versions are none."""
    number = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
    return set(re.findall(rf"(?<![\w.,-]){number}(?![\w-]|[.,]\w)", text))


def test_its_figures_are_those_of_the_comparison():
    """Rerun `benches/compare.py`, which writes both, rather than one of them by hand."""
    section = README.read_text(encoding="utf-8").partition("## Speed\n")[2].partition("\n## ")[0]
    page = (README.parent / "docs" / "comparison.md").read_text(encoding="utf-8")
    quoted = figures(section)
    assert len(quoted) > 20
    assert quoted <= figures(page), quoted - figures(page)


def test_a_figure_that_is_not_there_is_seen():
    assert figures("1,234 or 0.5 of gnubg 1.1.0a16 at 2-ply, not 1,235.") == {"1,234", "0.5", "1,235"}


def test_every_part_of_the_comparison_was_measured():
    """Each has a table, and the places are those that the script writes to."""
    page = (README.parent / "docs" / "comparison.md").read_text(encoding="utf-8")
    parts = re.findall(r"<!-- measured ([^>]+) -->\n(.*?)<!-- end -->", page, re.DOTALL)
    script = (README.parent / "benches" / "compare.py").read_text(encoding="utf-8")
    assert len(parts) == page.count("<!-- measured ") > 12
    for name, content in parts:
        assert "| --- |" in content, name
        assert f'"{name}"' in script or name.startswith("choices, "), name
