"""What GNU Backgammon makes of the match text that we write: it imports random matches and sessions, and exports them.

    python benches/gnubg_import.py

Needs `gnubg`. Games are compared row by row. A game may differ only if it ends with a beaver, dropped or followed by a
resignation, or comes after such a game; anything else is listed. Left out are matches with a roll that nobody plays
before a resignation, which the program takes for a dance or plays itself.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from format_matches import random_match

from gammon import Match
from gammon.formats import mat
from gammon.formats._build import UNKNOWN_PLAY

WANTED = 80
"""Of sessions with beavers, and of all others, each."""


def main() -> None:
    program = shutil.which("gnubg", path="/usr/games:/usr/bin:/usr/local/bin")
    if program is None:
        raise SystemExit("GNU Backgammon is not installed")
    for beavers in (True, False):
        files = games = equal = after_beaver = 0
        seed = 0
        while files < WANTED:
            seed += 1
            match = random_match(seed, games=4, finish=True)
            kinds = {event.kind for event in match.record}
            # A name with a colon and a number behind it ends the program; it has no set positions.
            if ":" in "".join(match.names) or "position" in kinds or ("beaver" in kinds) is not beavers:
                continue
            written = mat.dumps(match)
            if UNKNOWN_PLAY in written:
                continue
            files += 1
            ours, theirs = rows(written), rows(imported(program, written))
            games += len(ours)
            for index, game in enumerate(ours):
                if index < len(theirs) and theirs[index] == game:
                    equal += 1
                elif ends_with_beaver(match, index) or (index and ends_with_beaver(match, index - 1)):
                    after_beaver += 1
                else:
                    print(f"seed {seed}, game {index + 1} differs:")
                    pairs = zip(game, theirs[index] if index < len(theirs) else [], strict=False)
                    print(*next(pair for pair in pairs if pair[0] != pair[1]), sep="\n")
        what = "sessions with beavers" if beavers else "other matches and sessions"
        print(f"{files} {what}, {games} games: {equal} equal,")
        print(f"  {after_beaver} differ in or after a game that ends with a beaver,", end=" ")
        print(f"{games - equal - after_beaver} otherwise")


def imported(program: str, text: str) -> str:
    """The text after an import and an export."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "in.mat"), Path(folder, "out.mat")
        before.write_text(text)
        commands = f"import mat {before}\nexport match mat {after}\n"
        subprocess.run([program, "-t", "-q"], input=commands, capture_output=True, text=True, check=False)
        return after.read_text() if after.exists() else ""


def rows(text: str) -> list[list[str]]:
    """The rows of each game without what the program writes otherwise: blanks, and how results are worded."""
    games: list[list[str]] = []
    for line in text.splitlines():
        if line.strip().startswith("Game "):
            games.append([])
        elif games and line.strip() and not line.startswith(";"):
            plain = re.sub(r" and the match|(?<=point)s", "", line)
            games[-1].append(" ".join(plain.split()))
    return games


def ends_with_beaver(match: Match, index: int) -> bool:
    """Whether nothing was played in a game after its last turn of the cube, which was a beaver."""
    record = match.record
    ends = [number for number, event in enumerate(record) if event.kind in ("drop", "accept", "play")]
    last = next(number for number in ends if match.games_before(number + 1) == index + 1)
    while record[last].kind in ("drop", "accept", "resign", "take"):
        last -= 1
    return record[last].kind == "beaver"


if __name__ == "__main__":
    main()
