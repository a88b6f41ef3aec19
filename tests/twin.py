"""The rules of movement once more, slow and obvious: the twin that the library's plays are compared with.

Written from the rules alone (3 to 5) and sharing nothing with the library. A board is a tuple of the 28 cells of the
array form: 0 the opponent's bar (<= 0), 1-24 the points (own > 0, opponent's < 0), 25 own bar, 26 own off, 27 the
opponent's off.
"""

from __future__ import annotations

Board = tuple[int, ...]

BAR = 25
OFF = 26


def is_over(board: Board) -> bool:
    """Whether a side has no checker left in play (rule 3.7)."""
    return max(board[1:26]) <= 0 or min(board[0:25]) >= 0


def single_steps(board: Board, die: int) -> list[tuple[int, int]]:
    """Every step of one checker by one die, as (from, to)."""
    if is_over(board):
        return []
    places = [place for place in range(1, 26) if board[place] > 0]
    rearmost = max(places)
    steps = []
    for place in places:
        if board[BAR] > 0 and place != BAR:
            continue  # rule 4.2: first everything enters
        to = place - die
        if to >= 1:
            if board[to] >= -1:  # rule 3.2: not onto two or more
                steps.append((place, to))
        elif rearmost <= 6 and (to == 0 or place == rearmost):
            steps.append((place, 0))  # rules 5.1 to 5.3
    return steps


def make_step(board: Board, start: int, to: int) -> Board:
    """The board after a legal step."""
    cells = list(board)
    cells[start] -= 1
    if to == 0:
        cells[OFF] += 1
    elif cells[to] == -1:  # rule 4.1: a hit
        cells[to] = 1
        cells[0] -= 1
    else:
        cells[to] += 1
    return tuple(cells)


def after_one(boards: set[Board], die: int) -> set[Board]:
    """Every board that one step with the die can lead to."""
    return {make_step(board, *step) for board in boards for step in single_steps(board, die)}


def played_in_order(board: Board, dice: tuple[int, ...]) -> list[set[Board]]:
    """For the dice in this order: the boards after 0, 1, 2, ... numbers."""
    reached = [{board}]
    for die in dice:
        reached.append(after_one(reached[-1], die))
    return reached


def results(board: Board, first: int, second: int) -> set[Board]:
    """The boards that the legal plays of a roll lead to, in the mover's view; empty for a dance (rules 3.3 to 3.7)."""
    high, low = max(first, second), min(first, second)
    orders = [(high,) * 4] if high == low else [(high, low), (low, high)]
    reached = [played_in_order(board, order) for order in orders]
    for numbers in range(len(orders[0]), 0, -1):
        used_this_many = [boards[numbers] for boards in reached]
        if high != low and numbers == 1:
            # Rule 3.5: the larger if it can be played at all.
            return used_this_many[0] or used_this_many[1]
        if any(used_this_many):
            return set().union(*used_this_many)
    return set()


def flip(board: Board) -> Board:
    """The board as the other player sees it."""
    return (*(-board[25 - place] for place in range(26)), board[27], board[26])


def pips(board: Board) -> int:
    """How far the player's checkers have to go."""
    return sum(place * max(board[place], 0) for place in range(1, 26))


def checkers(board: Board) -> int:
    """The player's checkers, those off included."""
    return sum(max(board[place], 0) for place in range(1, 26)) + board[OFF]


def position_id(board: Board) -> str:
    """The GNU Position ID: for the opponent, then the player, points 1-24 and the bar as that many ones and a zero."""
    import base64

    bits = ""
    for side in (flip(board), board):
        for place in range(1, 26):
            bits += "1" * max(side[place], 0) + "0"
    bits = bits.ljust(80, "0")
    data = bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, 80, 8))
    return base64.b64encode(data).decode().rstrip("=")
