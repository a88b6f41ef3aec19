"""The pages in docs/: every example runs, every page is in the menu, every link leads somewhere."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Solving whole tables takes a while in a build without optimization.
SLOW = {"bearoff.md", "bearoff-one-sided.md", "hypergammon.md"}


def blocks(page: str) -> list[str]:
    return BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))


WITH_EXAMPLES = [pytest.param(page, marks=pytest.mark.slow) if page in SLOW else page for page in PAGES if blocks(page)]


def test_there_are_examples() -> None:
    assert len(PAGES) > 20
    assert len(WITH_EXAMPLES) > 6


@pytest.mark.parametrize("page", WITH_EXAMPLES)
def test_examples(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples of a page go on from each other. Those with `>>>` show what they say."""
    monkeypatch.chdir(tmp_path)
    if "matplotlib" in (DOCS / page).read_text(encoding="utf-8"):
        pytest.importorskip("matplotlib")
        monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, object] = {"__name__": page}
    for number, block in enumerate(blocks(page), 1):
        if ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, names, f"{page}, example {number}", page, 0)
            runner = doctest.DocTestRunner()
            runner.run(test, clear_globs=False)
            names.update(test.globs)
            assert runner.summarize().failed == 0
        else:
            exec(compile(block, f"{page}, example {number}", "exec"), names)


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    listed = re.findall(r"([\w/-]+\.md)$", menu, re.MULTILINE)
    assert sorted(listed) == PAGES


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = re.sub(r"```.*?```", "", (DOCS / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if not link.startswith(("http://", "https://")):
            assert ((DOCS / page).parent / link).exists(), link
