"""Damaged files: only our exceptions, linear time, no deep recursion, and no game gets lost."""

from __future__ import annotations

import json as _json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammon import FileFormatError, GammonError, Match, formats
from gammon.formats import fibs, json, mat, sgf, text
from gammon.formats._input import decode

DATA = Path(__file__).parent / "data"
FILES = sorted([*(DATA / "cases").iterdir(), *(DATA / "matches").iterdir()])
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
    *(b"XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:3:0:10", b"Illegal play (8/5)", b"wins", b"loses", b"????"),
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A real file with a few of its bytes, words or lines changed, left out, doubled or moved."""
    data = draw(st.sampled_from(SAMPLES))
    if len(data) > 6000:
        start = draw(st.integers(0, len(data) - 3000))
        data = data[:600] + data[start : start + 3000]
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(data)))
        end = min(len(data), place + draw(st.integers(0, 40)))
        kind = draw(st.sampled_from(["word", "cut", "double", "byte", "line", "swap", "truncate"]))
        if kind == "word":
            data = data[:place] + draw(st.sampled_from(WORDS)) + data[place:]
        elif kind == "cut":
            data = data[:place] + data[end:]
        elif kind == "double":
            data = data[:end] + data[place:end] * draw(st.integers(1, 4)) + data[end:]
        elif kind == "byte":
            data = data[:place] + draw(st.binary(min_size=1, max_size=3)) + data[place + 1 :]
        elif kind == "truncate":
            data = data[: max(place, len(data) // 2)]
        else:
            lines = data.split(b"\n")
            one, other = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
            if kind == "swap":
                lines[one], lines[other] = lines[other], lines[one]
            else:
                lines.insert(one, lines[other])
            data = b"\n".join(lines)
    return data


def played(match: Match) -> int:
    """Games that have an end in the record, and the one that goes on."""
    return len(match.games) + sum(event.kind == "abandon" for event in match.record) + match.in_game


@settings(max_examples=150)
@given(damaged())
def test_damaged_files_are_read_or_refused(data: bytes) -> None:
    for read in (formats.loads, mat.loads, sgf.loads, text.loads, json.loads, fibs.loads):
        try:
            match = read(data)
        except GammonError:
            continue
        # What was read is a whole match: its record replays, and it can be written again.
        assert Match.from_dict(match.to_dict()) == match
        for module in (mat, sgf):
            again = module.loads(module.dumps(match))
            assert again.score == match.score or again.errors or module.losses(match)


@settings(max_examples=150)
@given(damaged())
def test_no_game_of_a_damaged_file_is_dropped(data: bytes) -> None:
    try:
        match = mat.loads(data)
    except GammonError:
        return
    content = decode(data)
    begun = set(re.findall(r"^[ \t]*game[ \t]*#?[ \t]*(\d{1,9})\b(?!.*/)", content, re.IGNORECASE | re.MULTILINE))
    kept = played(match) + sum("game" in fault.what for fault in match.errors)
    empty = sum(1 for fault in match.errors if "head of the game" in fault.what)
    assert kept + empty + 1 >= min(len(begun), 1)
    plays = sum(event.kind == "play" for event in match.record)
    remarks = sum(comment.text.count(":") for comment in match.comments)
    rolls = len(re.findall(r"(?<![\d/(*-])[1-6][1-6]:", content.split("Game", 1)[-1]))
    assert plays + remarks + len(match.errors) + 3 >= rolls // 2


@settings(max_examples=100)
@given(damaged())
def test_strict_raises_at_the_first_fault_of_the_lenient_reader(data: bytes) -> None:
    try:
        match = formats.loads(data)
    except GammonError:
        return
    if not match.errors:
        assert formats.loads(data, strict=True) == match
        return
    with pytest.raises(FileFormatError, match=r"line \d+"):
        formats.loads(data, strict=True)


@settings(max_examples=100)
@given(st.text(max_size=300))
def test_any_text_is_refused(content: str) -> None:
    for read in (formats.loads, mat.loads, sgf.loads, text.loads, json.loads, fibs.loads):
        try:
            read(content)
        except GammonError:
            continue


LONG = [
    ("spaces", lambda n: b" 3 point match\n Game 1\n A : 0" + b" " * n + b"B : 0\n"),
    ("a row of digits", lambda n: b" Game 1\n A : 0  B : 0\n  1) 31: " + b"1" * n),
    ("a row of steps", lambda n: b" Game 1\n A : 0  B : 0\n  1) 31: " + b"8/5 " * (n // 4)),
    ("a row of rolls", lambda n: b" Game 1\n A : 0  B : 0\n  1) " + b"31: " * (n // 4)),
    ("many short rows", lambda n: b" Game 1\n A : 0  B : 0\n" + b"  1) 31: 8/5\n" * (n // 13)),
    ("colons", lambda n: b" Game 1\n" + b": 0 " * (n // 4)),
    ("tags", lambda n: b"; [" * (n // 3) + b"\n Game 1\n"),
    ("resigns", lambda n: b" Game 1\n A : 0  B : 0\n  1) Resigns" + b" " * n),
    ("games", lambda n: b" Game 1\n A : 0  B : 0\n" * (n // 23)),
    (
        "doubles",
        lambda n: (
            b" Game 1\n A : 0  B : 0\n 1) 31: 8/5 6/5   Doubles => 2\n" + b" 2) Takes  Doubles => 4\n" * (n // 24)
        ),
    ),
    ("brackets", lambda n: b"(" * n),
    ("deep variations", lambda n: b"(;GM[6]" + b"(;W[31hefe]" * (n // 11)),
    ("an open value", lambda n: b"(;GM[6]C[" + b"x" * n),
    ("open values", lambda n: b"(;GM[6]" + b"C[" * (n // 2)),
    ("backslashes", lambda n: b"(;GM[6]C[" + b"\\" * n + b"]"),
    ("values", lambda n: b"(;GM[6]AE" + b"[a]" * (n // 3) + b")"),
    ("nodes", lambda n: b"(;GM[6]" + b";" * n + b")"),
    ("junk in nodes", lambda n: b"(;GM[6]" + b"1\n" * (n // 2) + b")"),
    ("deep JSON", lambda n: b'{"a":' * (n // 5)),
    ("deep arrays", lambda n: b'{"a":' + b"[" * n),
    ("a long number", lambda n: b'{"format":' + b"1" * n + b"}"),
    ("edges", lambda n: b"+13-14-15-16-17-18------19-20-21-22-23-24-+\n" * (n // 44)),
    ("dashes", lambda n: b"+" + b"-" * n),
    ("identifiers", lambda n: b"A" * n + b":" + b"A" * n),
    ("boards", lambda n: b"board:" * (n // 6)),
]


@pytest.mark.parametrize(("name", "make"), LONG, ids=[name for name, _ in LONG])
def test_time_grows_with_the_size_only(name: str, make) -> None:
    """Eight times the size takes about eight times as long: far from the 64 times of a square."""

    def seconds(size: int) -> float:
        best = 9e9
        for _ in range(1):
            start = time.process_time()
            for read in (formats.loads, mat.loads, sgf.loads, text.loads, json.loads):
                try:
                    read(make(size))
                except GammonError:
                    continue
            best = min(best, time.process_time() - start)
        return best

    small = seconds(8_000)
    large = seconds(64_000)
    assert large < 30 * max(small, 0.01), f"{name}: {small:.3f} s, then {large:.3f} s"
