"""The same jobs by gammon and by packages from PyPI, one thread, in one run.

    pip install '.[cli,peers]' && python benches/peers.py

Legal plays: gnubg-nn, open-spiel and bgsage. Random games: gnubg-nn, open-spiel and pgx (with jax). For each job a
line: package, units a second of processor time (the median of several rounds in turns, and the range), and how many
times as fast gammon is. A peer that is not installed is named. What a peer answers is compared with our answer before
it is timed, where it can be asked about the same positions.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from corpora import corpus
from timing import Comparison, Job, imported, machine, repeat, report

import gammon
from gammon import batch

ROUNDS = 7
ROWS = 2_000


def boards(positions: np.ndarray) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Our rows as GNU Backgammon's packages take them: both sides' points 1 to 24 and bar, the opponent first."""
    own = np.maximum(positions[:, 1:26], 0).tolist()
    opponent = np.maximum(-positions[:, 24::-1], 0).tolist()
    return [(tuple(o), tuple(m)) for o, m in zip(opponent, own, strict=True)]


def sage_boards(positions: np.ndarray) -> list[list[int]]:
    """Our rows as bgsage takes them: without the checkers off, both bars as counts."""
    return [[-row[0], *row[1:26]] for row in positions.tolist()]


def legal_plays(rows: int = ROWS) -> Comparison:
    positions, rolls = corpus("contact", rows)
    # Peers that know 15 checkers a side only are asked about such positions only: all of random play's are.
    counts = batch.count_plays(positions, rolls)
    pairs = [
        (gammon.Position.from_array(row), gammon.Roll(int(a), int(b)))
        for row, (a, b) in zip(positions, rolls, strict=True)
    ]
    dice = [(int(a), int(b)) for a, b in rolls]
    jobs = {
        "gammon": Job(lambda _: repeat(50, lambda: batch.legal_positions(positions, rolls, threads=1)), 50 * rows),
        "gammon, one at a time": Job(
            lambda _: repeat(10, lambda: [position.plays(roll) for position, roll in pairs]), 10 * rows
        ),
    }
    title = f"legal plays of contact positions, {counts.mean():.1f} results a roll"
    comparison = Comparison("legal plays", title, "rolls", jobs)
    if gnubg_nn := imported(comparison, "gnubg_nn", "gnubg-nn"):
        theirs = boards(positions)
        for board, (a, b), count in zip(theirs, dice, counts, strict=True):
            found = len(gnubg_nn.moves(board, a, b))
            assert found == max(count, 1), (board, a, b, found, count)  # a dance is one result there
        jobs["gnubg-nn"] = Job(
            lambda _: [gnubg_nn.moves(board, a, b) for board, (a, b) in zip(theirs, dice, strict=True)], rows
        )
    if bgsage := imported(comparison, "bgsage", "bgsage"):
        cells = sage_boards(positions)
        for board, (a, b), count in zip(cells, dice, counts, strict=True):
            assert len(bgsage.possible_moves(board, a, b)) == count, (board, a, b)
        jobs["bgsage"] = Job(
            lambda _: [bgsage.possible_moves(board, a, b) for board, (a, b) in zip(cells, dice, strict=True)], rows
        )
    if pyspiel := imported(comparison, "pyspiel", "open-spiel"):
        states = open_spiel_states(pyspiel.load_game("backgammon"), rows)
        # It has no way to set a position up: these are states of its own random games.
        jobs["open-spiel, own positions"] = Job(lambda _: [state.clone().legal_actions() for state in states], rows)
    return comparison


def open_spiel_states(game: Any, n: int) -> list[Any]:
    chooser = random.Random(0)
    states: list[Any] = []
    while len(states) < n:
        state = game.new_initial_state()
        while not state.is_terminal() and len(states) < n:
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chooser.choices(outcomes, weights)[0])
            else:
                states.append(state.clone())
                state.apply_action(chooser.choice(state.legal_actions()))
    return states


def random_games(games: int = 20_000, *, quick: bool = False) -> Comparison:
    jobs = {"gammon": Job(lambda _: gammon.simulate(games, seed=0, threads=1), games)}
    comparison = Comparison("random games", "random games from start to end", "games", jobs)
    few = max(20, games // 200)
    if gnubg_nn := imported(comparison, "gnubg_nn", "gnubg-nn"):
        jobs["gnubg-nn"] = Job(lambda _: gnubg_games(gnubg_nn, few), few)
    if pyspiel := imported(comparison, "pyspiel", "open-spiel"):
        game = pyspiel.load_game("backgammon")
        jobs["open-spiel"] = Job(lambda _: open_spiel_games(game, few // 2), few // 2)
    if quick:
        comparison.missing["pgx"] = "left out of the quick run: it compiles for half a minute"
    elif imported(comparison, "jax", "pgx") and (pgx := imported(comparison, "pgx", "pgx")):
        jobs["pgx, 256 games at once"] = pgx_games(pgx, 600)
    return comparison


def gnubg_games(gnubg_nn: Any, n: int) -> None:
    """Random games with the moves of gnubg-nn; the rest is the least Python that plays a game."""
    chooser = random.Random(0)
    start = gnubg_nn.board_from_position_id("4HPwATDgc/ABMA")
    for _ in range(n):
        board = start
        while True:
            moves = gnubg_nn.moves(board, chooser.randint(1, 6), chooser.randint(1, 6))
            if moves:
                board = gnubg_nn.boardfromkey(moves[chooser.randrange(len(moves))])
            opponent, own = board
            if not any(own):
                break
            board = (own, opponent)


def open_spiel_games(game: Any, n: int) -> None:
    chooser = random.Random(0)
    for _ in range(n):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chooser.choices(outcomes, weights)[0])
            else:
                state.apply_action(chooser.choice(state.legal_actions()))


def pgx_games(pgx: Any, steps: int, side_by_side: int = 256) -> Job:
    """Random actions, a checker at a time as pgx has them, games begun again where they end; counted are the ends."""
    import jax

    env = pgx.make("backgammon")
    step = pgx_auto_reset(pgx, env)

    def one(state: Any, key: Any) -> tuple[Any, Any]:
        choice, moving = jax.random.split(key)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(choice, logits, axis=-1)
        state = jax.vmap(step)(state, actions, jax.random.split(moving, side_by_side))
        return state, state.terminated.sum()

    play = jax.jit(lambda state, keys: jax.lax.scan(one, state, keys))
    keys = jax.random.split(jax.random.PRNGKey(0), steps)
    begun = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), side_by_side))
    # Once before the clock starts: that compiles it, and leaves games in their middle.
    begun, _ = play(begun, keys)
    _, ended = play(begun, keys)
    return Job(lambda _: play(begun, keys)[1].block_until_ready(), int(ended.sum()))


def pgx_auto_reset(pgx: Any, env: Any) -> Any:
    from pgx.experimental import auto_reset

    return auto_reset(env.step, env.init)


def main() -> None:
    print(f"gammon {gammon.__version__}; {machine()}")
    report(legal_plays(), ROUNDS)
    report(random_games(), ROUNDS)


if __name__ == "__main__":
    main()
