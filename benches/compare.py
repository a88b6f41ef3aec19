"""Everything that others do too, by us and by them in one run: writes the measured parts of docs/comparison.md.

    pip install '.[cli,peers]' && apt-get install gnubg && python benches/compare.py

takes about ten minutes, replaces what stands between `<!-- measured NAME -->` and `<!-- end -->` in docs/comparison.md,
and the table of README.md, which quotes from it. With `--quick` one round in about a minute, printed and not written;
`--only NAME ...` measures some, printed too. Every comparison runs in a process of its own, so that packages do not
meet. What is not installed is named in the page.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bearoff_one_sided
import bearoff_two_sided
import engine
import evaluator
import formats
import peers
import rollout
import startup
from timing import Comparison, Figures, machine, printed

import gammon

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "comparison.md"
README = ROOT / "README.md"
ROUNDS = 7
PACKAGES = ("gnubg-nn", "gnubg", "bgsage", "open-spiel", "pgx", "jax", "numpy")
IN_README = {
    "legal plays": "legal plays of contact positions, rolls a second",
    "random games": "random games a second",
    "choices, 1-ply": "choices of play at 1-ply a second",
    "choices, 2-ply": "choices of play at 2-ply a second",
    "rollouts, plain": "trials of a rollout a second",
    "two-sided table": "two-sided bear-off 6 x 6 with the cube, seconds",
    "reading .mat": "games read from match text a second",
    "import": "import, seconds",
}
"""The comparisons whose medians the README quotes, and what it calls them."""


def comparisons(quick: bool) -> dict[str, Callable[[], Comparison]]:
    models = evaluator.shipped()
    rounds = 1 if quick else ROUNDS
    return {
        "legal plays": peers.legal_plays,
        "random games": lambda: peers.random_games(quick=quick),
        "evaluations": lambda: evaluator.evaluations(models, rounds),
        **{
            f"choices, {plies}-ply": lambda plies=plies: engine.choices(plies, models, rounds)  # type: ignore[misc]
            for plies in (0, 1, 2)
        },
        "choices in batches": lambda: evaluator.many_choices(models),
        "rollouts, plain": lambda: rollout.trials(False, gammon.Model.default()),
        "rollouts, luck taken off": lambda: rollout.trials(True, gammon.Model.default()),
        "one-sided table": bearoff_one_sided.builds,
        "two-sided table": bearoff_two_sided.builds,
        "reading .mat": formats.reading,
        "import": startup.imports,
    }


def measure_here(name: str, quick: bool) -> dict[str, Any]:
    comparison = comparisons(quick)[name]()
    figures = comparison.measure(1 if quick else ROUNDS)
    return {
        "title": comparison.title,
        "unit": comparison.unit,
        "figures": {job: each.values for job, each in figures.items()},
        "missing": comparison.missing,
        "notes": comparison.notes(figures),
    }


def measure(name: str, quick: bool) -> dict[str, Any]:
    """In a process of its own; a peer that ends it is our mistake, so that stops everything."""
    command = [sys.executable, __file__, "--here", name, *(["--quick"] if quick else [])]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    # Peers print too.
    answer: dict[str, Any] = json.loads(output.splitlines()[-1])
    return answer


def table(result: dict[str, Any]) -> str:
    """A comparison as Markdown: medians, range, and how many times as fast each of ours is."""
    figures = {name: Figures(values) for name, values in result["figures"].items()}
    unit = f"{result['unit']} a second" if result["unit"] else "seconds"
    comparison = Comparison("", result["title"], result["unit"], {})
    ours = [name for name in figures if name.startswith("gammon")]
    others = [name for name in figures if name not in ours]
    columns = ours if others else []
    heads = ["program", unit, "lowest to highest", *(f"{name} is" for name in columns)]
    lines = [f"**{result['title'][0].upper()}{result['title'][1:]}**", ""]
    lines += [row(heads), row(["---"] * len(heads))]
    for name, each in figures.items():
        times = [
            "" if name in ours else f"{printed(comparison.ratio(figures[one], each))} times as fast" for one in columns
        ]
        lines.append(row([name, printed(each.median), f"{printed(each.least)} to {printed(each.most)}", *times]))
    for name, why in result["missing"].items():
        lines.append(row([name, why, *[""] * (len(heads) - 2)]))
    if result["notes"]:
        lines += ["", *(f"- {note}" for note in result["notes"])]
    return "\n".join(lines)


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def versions() -> str:
    """The machine and what was there."""
    lines = [row(["what", "version"]), row(["---", "---"]), row(["gammon", gammon.__version__])]
    for package in PACKAGES:
        lines.append(row([package, version(package) or "not installed"]))
    for program in ("gnubg", "makebearoff"):
        lines.append(row([f"{program} (the program)", program_version(program) or "not installed"]))
    return "\n".join([f"{datetime.date.today():%B %Y}; {machine()}.", "", *lines])


def version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def program_version(name: str) -> str | None:
    program = shutil.which(name) or shutil.which(name, path="/usr/games")
    if program is None:
        return None
    output = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=60).stdout
    found = re.search(r"\d+\.\d+[\d.]*", output)
    return found[0] if found else "without a version"


def sizes() -> str:
    """Installed files without compiled caches, and the packages that come along."""
    heads = ["package", "megabytes", "with all that it needs", "needs"]
    lines = ["**Installed size**", "", row(heads), row(["---"] * 4)]
    for package in ("gammon", "gnubg-nn", "gnubg", "bgsage", "open-spiel", "pgx"):
        if version(package) is None:
            lines.append(row([package, "not installed", "", ""]))
            continue
        needs = closure(package)
        alone = size(package)
        total = alone + sum(map(size, needs))
        lines.append(row([package, megabytes(alone), megabytes(total), ", ".join(sorted(needs)) or "nothing"]))
    debian = debian_size()
    lines.append(row(["GNU Backgammon (Debian)", megabytes(debian) if debian else "not installed", "", ""]))
    return "\n".join(lines)


def megabytes(size: int) -> str:
    return printed(size / 1e6)


def size(package: str) -> int:
    """Bytes of its files; ours may be installed in place, so its folder is read."""
    if package == "gammon":
        paths = [path for path in Path(gammon.__file__).parent.rglob("*") if path.is_file()]
    else:
        paths = [Path(str(file.locate())) for file in importlib.metadata.files(package) or ()]
    return sum(path.stat().st_size for path in paths if path.suffix != ".pyc" and path.is_file())


def closure(package: str) -> set[str]:
    """The packages that are installed with it."""
    found: set[str] = set()
    ahead = [package]
    while ahead:
        for requirement in importlib.metadata.requires(ahead.pop()) or ():
            name = re.match(r"[\w.-]+", requirement)
            if name is None or "extra ==" in requirement or name[0] in found or version(name[0]) is None:
                continue
            found.add(name[0])
            ahead.append(name[0])
    return found


def debian_size() -> int | None:
    """What the program and its data take, as the package says."""
    query = shutil.which("dpkg-query")
    if query is None:
        return None
    command = [query, "-W", "-f=${Installed-Size}\\n", "gnubg", "gnubg-data"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return sum(map(int, answer.stdout.split())) * 1024 if answer.returncode == 0 else None


def readme_table(results: dict[str, dict[str, Any]]) -> str:
    """The medians that the README quotes."""
    lines = [row(["job, one thread", "gammon", "others"]), row(["---"] * 3)]
    for name, job in IN_README.items():
        medians = {who: printed(Figures(values).median) for who, values in results[name]["figures"].items()}
        ours = [(who, value) for who, value in medians.items() if who.startswith("gammon") and "at a time" not in who]
        words = [f"{value} ({who.partition(', ')[2]})" if len(ours) > 1 else value for who, value in ours]
        others = [f"{who.partition(',')[0]} {value}" for who, value in medians.items() if not who.startswith("gammon")]
        lines.append(row([job, ", ".join(words), ", ".join(others)]))
    return "\n".join(lines)


def put(text: str, name: str, content: str) -> str:
    """Replaces one measured part."""
    pattern = re.compile(rf"(<!-- measured {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    replaced, count = pattern.subn(lambda found: f"{found[1]}\n{content}\n\n{found[2]}", text)
    if count != 1:
        raise SystemExit(f"there is no place for {name}, or more than one")
    return replaced


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one round, printed only")
    parser.add_argument("--only", nargs="+", choices=list(comparisons(True)), help="some of them, printed only")
    parser.add_argument("--here", choices=list(comparisons(True)), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measure_here(options.here, options.quick)))
        return
    parts = {"machine": versions()}
    print(parts["machine"], flush=True)
    results = {}
    for name in options.only or comparisons(options.quick):
        results[name] = measure(name, options.quick)
        parts[name] = table(results[name])
        print(f"\n{parts[name]}", flush=True)
    parts["size"] = sizes()
    print(f"\n{parts['size']}")
    if options.quick or options.only:
        return
    page = PAGE.read_text(encoding="utf-8")
    for name, content in parts.items():
        page = put(page, name, content)
    readme = put(README.read_text(encoding="utf-8"), "comparison", readme_table(results))
    PAGE.write_text(page, encoding="utf-8")
    README.write_text(readme, encoding="utf-8")


if __name__ == "__main__":
    main()
