"""Damaged files: only our exceptions, linear time, no deep recursion, and no game gets lost."""

from __future__ import annotations

import re
import time

import pytest
from damage import SAMPLES, damage, read_or_refuse
from hypothesis import given, settings
from hypothesis import strategies as st

from gammon import FileFormatError, GammonError, Match, formats
from gammon.formats import fibs, json, mat, sgf, text
from gammon.formats._input import decode


def damaged() -> st.SearchStrategy[bytes]:
    """Damaged real files."""
    return st.builds(damage, st.sampled_from(SAMPLES), st.randoms(use_true_random=False))


def played(match: Match) -> int:
    """Games that have an end in the record, and the one that goes on."""
    return len(match.games) + sum(event.kind == "abandon" for event in match.record) + match.in_game


@settings(max_examples=150)
@given(damaged())
def test_damaged_files_are_read_or_refused(data: bytes) -> None:
    read_or_refuse(data)


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
        for _ in range(3):
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
