"""The pages in docs/: every example runs, every page is in the menu, every link leads somewhere."""

from __future__ import annotations

import doctest
import re
import urllib.parse
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


EVERY_PAGE = [*(f"docs/{page}" for page in PAGES), "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
EXTERNAL = {
    "https://docs.ray.io",
    "https://github.com/gammon-project/gammon",
    "https://keepachangelog.com/en/1.1.0/",
    "https://semver.org/spec/v2.0.0.html",
}
"""Every address outside that the pages name: they are looked at here, by people, and asked for by no test."""


def prose(page: str) -> str:
    return re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What can stand after a # in a link to the page: its headings in lower case, spaces as hyphens."""
    headings = re.findall(r"^#+ (.+)$", prose(str(page.relative_to(ROOT))), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in headings)
    return {re.sub(r"[\s-]+", "-", heading) for heading in plain}


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_links_lead_somewhere(page: str) -> None:
    for link, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)[^)]*\)", prose(page)):
        if link.startswith(("http://", "https://")):
            continue
        target = (ROOT / page).parent / link if link else ROOT / page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target.resolve()), f"{link}#{anchor}"


def test_links_to_elsewhere() -> None:
    found = {
        address.rstrip(".,;") for page in EVERY_PAGE for address in re.findall(r"\bhttps?://[^\s)>`\"']+", prose(page))
    }
    assert found == EXTERNAL
    for address in EXTERNAL:
        parts = urllib.parse.urlsplit(address)
        assert parts.scheme == "https"
        assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", parts.netloc)
        assert re.fullmatch(r"[\w./-]*", parts.path + parts.query + parts.fragment)


def test_the_command_line_page_has_every_command() -> None:
    pytest.importorskip("typer")
    from gammon.cli._app import COMMANDS, GROUPS

    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert sorted(listed) == sorted([*COMMANDS, *GROUPS])
