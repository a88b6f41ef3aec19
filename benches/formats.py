"""Games read a second from match text, with every play checked by the core; one thread.

    python benches/formats.py

The corpus is made here: matches to 7 points between two players who double, take and resign now and then, written as
`.mat` and as SGF. What is read is compared with what was written before anything is timed. Also timed are the six
matches of GNU Backgammon in tests/data, in which every game goes to its end. GNU Backgammon itself is the peer if it is
installed: the processor time in which it imports these six, its start taken off; what it has read is checked first.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import timing
from timing import Comparison, Job, machine, processor_seconds

from gammon import Match, Rules
from gammon.dice import RandomDice
from gammon.formats import json, mat, sgf

MATCHES = 40
REPEATS = 7
TIMES = 400
"""How often the peer imports the corpus, so that its start does not count."""
DATA = Path(__file__).parent.parent / "tests" / "data" / "matches"


def made(seed: int) -> Match:
    """A match in which about half of the games end with the cube, as between people."""
    rng = random.Random(seed)
    match = Match(Rules.match(7), dice=RandomDice(seed=seed), names=("White", "Black"))
    while not match.is_over:
        actions = match.legal_actions()
        kinds = {action.kind for action in actions}
        if "take" in kinds:
            match.take() if rng.random() < 0.6 else match.drop()
        elif "accept" in kinds:
            match.accept()
        elif "double" in kinds and match.turn > 8 and rng.random() < 0.05:
            match.double()
        else:
            match.apply(rng.choice([action for action in actions if action.kind in ("roll", "play")]))
    return match


def best(job: Callable[[], object]) -> tuple[float, float]:
    """Best and median seconds of the processor."""
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        job()
        seconds.append(time.process_time() - start)
    seconds.sort()
    return seconds[0], seconds[len(seconds) // 2]


def report(name: str, matches: list[Match], texts: list[str], read: Callable[[str], Match]) -> None:
    for match, text in zip(matches, texts, strict=True):
        back = read(text)
        assert back.score == match.score
        assert [game.points for game in back.games] == [game.points for game in match.games]
        assert not back.errors
    games = sum(len(match.games) for match in matches)
    plays = sum(event.kind == "play" for match in matches for event in match.record)
    seconds, median = best(lambda: [read(text) for text in texts])
    print(
        f"{name:<28}{games / seconds:>9,.0f} games/s (median {games / median:,.0f})"
        f"{plays / seconds:>11,.0f} plays/s   {plays / games:.1f} plays a game"
    )


def reading() -> Comparison:
    """Match text of GNU Backgammon, read by us and imported by it."""
    paths = sorted(DATA.glob("*.mat"))
    texts = [path.read_text() for path in paths]
    games = sum(len(mat.loads(text).games) for text in texts)
    jobs = {"gammon": Job(lambda _: [mat.loads(text) for text in texts], games)}
    title = f"games of match text (.mat) read, {games} games in {len(texts)} files"
    comparison = Comparison("reading .mat", title, "games", jobs)
    program = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
    if program is None:
        comparison.missing["GNU Backgammon"] = "not installed"
        return comparison
    imports = [f"import mat {path}" for path in paths]

    def run(lines: list[str]) -> float:
        start = processor_seconds()
        subprocess.run(
            [program, "-t", "-q", "-r"], input="\n".join([*lines, ""]), capture_output=True, text=True, check=False
        )
        return processor_seconds() - start

    with tempfile.TemporaryDirectory() as folder:
        checked = [f"{line}\nsave match {folder}/{index}.sgf" for index, line in enumerate(imports)]
        run(["set confirm new off", "set confirm save off", *checked])
        for index, text in enumerate(texts):
            assert sgf.load(Path(folder, f"{index}.sgf")).score == mat.loads(text).score
    # Its start is taken off.
    jobs["GNU Backgammon, its own import"] = Job(
        lambda _: run(["set confirm new off", *(imports * TIMES)]) - run([]), TIMES * games
    )
    return comparison


def main() -> None:
    print(machine())
    matches = [made(seed) for seed in range(MATCHES)]
    texts = [mat.dumps(match) for match in matches]
    report(".mat", matches, texts, mat.loads)
    report("SGF", matches, [sgf.dumps(match) for match in matches], sgf.loads)
    report("JSON", matches, [json.dumps(match) for match in matches], json.loads)
    timing.report(reading(), REPEATS)


if __name__ == "__main__":
    main()
