"""Boards for the tests: the notation of the cases, and boards at the edges of what can happen."""

from __future__ import annotations

import random

from twin import Board

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def from_letters(letters: str, checkers: int = 15) -> Board:
    """The board of an XGID's 26 letters, seen by the upper-case side."""
    assert len(letters) == 26, letters
    cells = [0] * 28
    for place, letter in enumerate(letters):
        if letter.isupper():
            cells[place] = ord(letter) - ord("A") + 1
        elif letter.islower():
            cells[place] = -(ord(letter) - ord("a") + 1)
        else:
            assert letter == "-", letter
    return with_off(cells, checkers)


def swap_colours(letters: str) -> str:
    """The same board with the colours swapped: the lower-case side is the one that was upper-case."""
    return letters[::-1].swapcase()


def with_off(cells: list[int], checkers: int = 15, opponent_checkers: int | None = None) -> Board:
    """Completes a board: what is not on it is off."""
    own = sum(cell for cell in cells[:26] if cell > 0)
    opponent = -sum(cell for cell in cells[:26] if cell < 0)
    cells[26] = checkers - own
    cells[27] = (checkers if opponent_checkers is None else opponent_checkers) - opponent
    return tuple(cells)


def is_shut_out(cells: list[int]) -> bool:
    """Both sides on the bar against six blocked points, which is no position (rule 1.6)."""
    return (
        cells[25] > 0
        and cells[0] < 0
        and all(cells[place] <= -2 for place in range(19, 25))
        and all(cells[place] >= 2 for place in range(1, 7))
    )


def random_board(rng: random.Random) -> Board:
    """A playable board, often far from anything that play leads to."""
    while True:
        cells = [0] * 28
        kind, opponent_kind = rng.choice(_KINDS), rng.choice(_KINDS)
        if rng.random() < 0.4:
            # Few checkers that can move against many blocked points: not every number can be played.
            kind, opponent_kind = rng.choice(["few", "bar", "few"]), rng.choice(["walls", "walls", "block", "prime"])
        for place in _places(rng, kind):
            cells[place] += 1
        # The opponent's places in the opponent's numbering; where the player stands already nobody is added.
        for place in _places(rng, opponent_kind):
            if cells[25 - place] <= 0:
                cells[25 - place] -= 1
        own = sum(cell for cell in cells if cell > 0)
        opponent = -sum(cell for cell in cells if cell < 0)
        if opponent == 0 or is_shut_out(cells):
            continue
        # Now and then checkers are missing: neither on the board nor off (rule 9.6).
        total = 15 if rng.random() < 0.8 else rng.randint(own, 15)
        opponent_total = 15 if rng.random() < 0.8 else rng.randint(opponent, 15)
        return with_off(cells, total, opponent_total)


_KINDS = ["scattered", "scattered", "stacks", "bar", "home", "nearly home", "prime", "block", "walls", "blots", "few"]


def _places(rng: random.Random, kind: str) -> list[int]:
    """One side's checkers in its own numbering."""
    n = rng.randint(1, 15)
    if kind == "scattered":
        return [rng.randint(1, 25) for _ in range(n)]
    if kind == "stacks":
        stacks = [rng.randint(1, 25) for _ in range(rng.randint(1, 3))]
        return [rng.choice(stacks) for _ in range(n)]
    if kind == "bar":
        on_bar = rng.randint(1, n)
        return [25] * on_bar + [rng.randint(1, 24) for _ in range(n - on_bar)]
    if kind == "home":
        return [rng.randint(1, 6) for _ in range(n)]
    if kind == "nearly home":
        return [rng.randint(7, 18)] + [rng.randint(1, 7) for _ in range(n - 1)]
    if kind == "prime":
        lowest, length = rng.randint(1, 18), rng.randint(4, 7)
        return [lowest + place for place in range(length) for _ in range(2)] + [rng.randint(1, 24)]
    if kind == "block":
        # Most of the own home board held: hard to enter against.
        return [point for point in range(1, 7) if rng.random() < 0.8 for _ in range(2)] + [rng.randint(1, 24)]
    if kind == "walls":
        return [point for point in rng.sample(range(1, 25), rng.randint(4, 7)) for _ in range(2)]
    if kind == "blots":
        return rng.sample(range(1, 25), n)
    assert kind == "few", kind
    return [rng.randint(1, 25) for _ in range(rng.randint(1, 3))]
