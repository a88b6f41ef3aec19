"""The library's random numbers once more, from numpy's Philox4x64-10.

Key = (seed, purpose), counter = (game, turn, draw, block); a number below n is the high half of word x n, and a word
whose low half would bias it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

DICE, PLAYER, ROLLOUT, CARDS = range(4)
WORD = 2**64


def words(seed: int, purpose: int, game: int, turn: int, draw: int) -> Iterator[int]:
    """The 64-bit words of one place."""
    block = 0
    while True:
        counter = game | turn << 64 | draw << 128 | block << 192
        # numpy adds one to its counter before the first block.
        source = np.random.Philox(counter=(counter - 1) % 2**256, key=seed | purpose << 64)
        yield from source.random_raw(4).tolist()
        block += 1


def below(stream: Iterator[int], n: int) -> int:
    """A number from 0 to n - 1."""
    for word in stream:
        if word * n % WORD >= WORD % n:
            return word * n // WORD
    raise AssertionError("the words never end")


def throw(seed: int, game: int, turn: int, draw: int = 0) -> tuple[int, int]:
    """Two dice in the order thrown."""
    stream = words(seed, DICE, game, turn, draw)
    return below(stream, 6) + 1, below(stream, 6) + 1


def opening(seed: int, game: int) -> tuple[int, tuple[int, int]]:
    """Who starts and the dice: ties are thrown again."""
    draw = 0
    while True:
        first, second = throw(seed, game, 0, draw)
        if first != second:
            return int(second > first), (first, second)
        draw += 1


def choice(seed: int, game: int, turn: int, n: int) -> int:
    """What a random player chooses among n results."""
    return below(words(seed, PLAYER, game, turn, 0), n)
