"""Real files with a few bytes, words or lines changed; as a program, it has parsers read them for as long as asked.

    python tests/damage.py --seconds 3600 --seed 1

prints what was read, and stops with exit code 1 at the first file that is not answered as it should be, which it keeps.
"""

from __future__ import annotations

import argparse
import json as _json
import random
import resource
import sys
import tempfile
import time
import traceback
from pathlib import Path

from gammon import GammonError, Match, formats
from gammon.formats import fibs, json, mat, sgf, text

DATA = Path(__file__).parent / "data"
FILES = sorted(path for folder in ("cases", "dialects", "matches") for path in (DATA / folder).iterdir())
SAMPLES = [path.read_bytes() for path in FILES]
SAMPLES += [_json.dumps(mat.loads(SAMPLES[0]).to_dict()).encode(), (DATA / "gnubg_boards.txt").read_bytes()]
WORDS = [
    *(b"Doubles => 2", b"Takes", b"Drops", b"Beavers => 4", b"Wins 2 points", b"Losses 1 point", b"Resigns"),
    *(b"31: 8/5 6/5", b"66: ????", b"11:", b" Game 2\n", b" 5 point match\n", b"Cannot Move", b'; [Jacoby "Off"]\n'),
    *(
        b"bar/off",
        b"25/0*",
        b"(9)",
        b"8/5(4)",
        b"999999999",
        b"-1",
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\t",
        b"\r",
    ),
    *(
        b";W[31hefe]",
        b"(;",
        b")",
        b"[",
        b"]",
        b"\\",
        b"AE[a:y]",
        b"CV[64]",
        b"B[double]",
        b"RE[W+3R]",
        b"DI[11]",
        b"C[x]",
    ),
    *(b"; Set Pos=-b----E-C---eE---c-e----B-/0\n", b"00: ????", b"Resigned Game", b"Doubles ==> 2", b" 0/0"),
    *(
        b"5;0;0;0;1;Bob;Ann;0;3;1;2;-1;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;1;1;4;2;",
        b"31: Illegal play (",
    ),
    *(b"X: (3 1) 8-5 6-5\n", b"O: doubles\n", b"X: wants to resign\n", b"Score is 0-0 in a 5 point match.\n"),
    *(b"ann is X - bob is O\n", b"O: wins 2 points\n", b"X:Ann   O:Bob\n"),
    *(b"XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:10", b"Illegal play (8/5)", b"wins", b"loses", b"????"),
]


def damage(data: bytes, random: random.Random) -> bytes:
    """A real file with a few of its bytes, words or lines changed, left out, doubled or moved."""
    if len(data) > 6000:
        start = random.randint(0, len(data) - 3000)
        data = data[:600] + data[start : start + 3000]
    for _ in range(random.randint(1, 6)):
        place = random.randint(0, len(data))
        end = min(len(data), place + random.randint(0, 40))
        kind = random.choice(["word", "cut", "double", "byte", "line", "swap", "truncate"])
        if kind == "word":
            data = data[:place] + random.choice(WORDS) + data[place:]
        elif kind == "cut":
            data = data[:place] + data[end:]
        elif kind == "double":
            data = data[:end] + data[place:end] * random.randint(1, 4) + data[end:]
        elif kind == "byte":
            noise = bytes(random.randint(0, 255) for _ in range(random.randint(1, 3)))
            data = data[:place] + noise + data[place + 1 :]
        elif kind == "truncate":
            data = data[: max(place, len(data) // 2)]
        else:
            lines = data.split(b"\n")
            one, other = random.randint(0, len(lines) - 1), random.randint(0, len(lines) - 1)
            if kind == "swap":
                lines[one], lines[other] = lines[other], lines[one]
            else:
                lines.insert(one, lines[other])
            data = b"\n".join(lines)
    return data


READERS = (formats.loads, mat.loads, sgf.loads, text.loads, json.loads, fibs.loads)


def read_or_refuse(data: bytes) -> int:
    """How many readers read it. What was read is a whole match: its record replays, and it can be written again."""
    read = 0
    for loads in READERS:
        try:
            match = loads(data)
        except GammonError:
            continue
        assert Match.from_dict(match.to_dict()) == match
        for module in (mat, sgf):
            again = module.loads(module.dumps(match))
            assert again.score == match.score or again.errors or module.losses(match)
        read += 1
    return read


def main() -> int:
    """Reads damaged files until the time is over."""
    parser = argparse.ArgumentParser(description="Reads damaged files for a while.")
    parser.add_argument("--seconds", type=float, default=60.0, help="of processor time")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    end = time.process_time() + options.seconds
    files = read = 0
    slowest = 0.0
    while time.process_time() < end:
        data = damage(draw.choice(SAMPLES), draw)
        start = time.process_time()
        try:
            read += read_or_refuse(data)
        except Exception:
            kept = Path(tempfile.mkstemp(suffix=".damaged")[1])
            kept.write_bytes(data)
            traceback.print_exc()
            print(f"file {files} of seed {options.seed}, kept as {kept}")
            return 1
        slowest = max(slowest, time.process_time() - start)
        files += 1
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{files:,} files, {read:,} of {files * len(READERS):,} times read, the others refused")
    print(f"slowest file {slowest:.2f} s of processor time, largest memory {memory} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
