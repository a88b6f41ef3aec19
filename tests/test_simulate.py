"""Random games: a function of the seed alone, as known to look, and interruptible."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from typing import Any

import numpy as np
import philox
import pytest

import gammon


class TestGames:
    def test_dice_and_games_from_the_twins(self) -> None:
        """Whole games are played again, from numpy's Philox and the library's list of plays."""
        for seed in (1, 2**64 - 1):
            table = gammon.simulate(20, seed=seed, per_game=True).per_game
            assert table is not None
            for game in range(20):
                assert (table.starter[game], table.points[game], table.plies[game]) == replayed(seed, game)

    def test_games_by_numbers(self) -> None:
        result = gammon.simulate(5_000, seed=4, per_game=True)
        table = result.per_game
        assert table is not None
        assert len(table) == result.games == 5_000
        assert table.game.tolist() == list(range(5_000))
        assert (table.game.dtype, table.starter.dtype, table.points.dtype, table.plies.dtype) == (
            np.uint64,
            np.uint8,
            np.int64,
            np.uint32,
        )
        assert table.plies.sum() == result.plies
        assert (table.plies.astype(np.uint64) ** 2).sum() == result.plies_squared
        for side, sign in ((0, 1), (1, -1)):
            counts = tuple(int((table.points == sign * points).sum()) for points in (1, 2, 3))
            assert result.wins[side] == counts
        assert set(table.starter.tolist()) == {0, 1}
        assert result.points_per_game == pytest.approx(table.points.mean())
        assert result.standard_error == pytest.approx(table.points.std(ddof=1) / np.sqrt(5_000))
        assert result.plies_per_game == pytest.approx(table.plies.mean())
        assert gammon.simulate(5_000, seed=4).per_game is None
        assert gammon.simulate(5_000, seed=4) == result

    def test_looks_as_it_is_known_to(self) -> None:
        """About 97 plies a game; single, gammon and backgammon near 38, 36 and 26 %; both sides alike."""
        result = gammon.simulate(40_000, seed=1)
        assert 96 < result.plies_per_game < 99
        for level, share in (("single", 0.38), ("gammon", 0.36), ("backgammon", 0.26)):
            seen = sum(getattr(wins, level) for wins in result.wins) / result.games
            assert abs(seen - share) < 0.01, level
        assert abs(result.wins[0].games / result.games - 0.5) < 0.01
        assert abs(result.points_per_game) < 4 * result.standard_error

    @pytest.mark.parametrize("variant", ["nackgammon", "hypergammon", "longgammon"])
    def test_variants(self, variant: str) -> None:
        result = gammon.simulate(500, variant=variant, seed=1)
        assert result.games == sum(wins.games for wins in result.wins) == 500
        assert result.variant == variant
        assert result != gammon.simulate(500, seed=1)

    def test_no_games(self) -> None:
        result = gammon.simulate(0, seed=1, per_game=True)
        assert result.games == result.plies == 0
        assert np.isnan(result.points_per_game)
        assert result.per_game is not None
        assert len(result.per_game) == 0


def replayed(seed: int, game: int) -> tuple[int, int, int]:
    """Starter, points of player 0 and plies of one random game, played again through the objects."""
    starter, dice = philox.opening(seed, game)
    position, on_roll, turn = gammon.Position.start(), starter, 0
    source = gammon.dice.RandomDice(seed, game=game)
    opening = source.throw()
    while opening[0] == opening[1]:
        opening = source.throw()
    assert opening == dice
    while True:
        plays = position.plays(gammon.Roll(*dice))
        place = philox.choice(seed, game, turn, len(plays)) if len(plays) > 1 else 0
        after = plays[place].after if plays else position
        turn += 1
        if after.outcome is not None:
            points = after.outcome.points
            return starter, points if on_roll == 0 else -points, turn
        position, on_roll, dice = after.flip(), 1 - on_roll, philox.throw(seed, game, turn)
        assert source.roll() == gammon.Roll(*dice)


class TestDeterminism:
    def test_threads_change_nothing(self) -> None:
        alone = gammon.simulate(3_000, seed=5, threads=1, per_game=True)
        assert alone.per_game is not None
        for threads in (2, 3, 8, None):
            result = gammon.simulate(3_000, seed=5, threads=threads, per_game=True)
            assert result == alone
            assert repr(result) == repr(alone)
            assert result.per_game is not None
            for column in ("game", "starter", "points", "plies"):
                assert np.array_equal(getattr(result.per_game, column), getattr(alone.per_game, column))

    def test_more_games_go_on(self) -> None:
        """The first games of a longer run are the games of a shorter one."""
        short, long = (gammon.simulate(n, seed=6, per_game=True).per_game for n in (300, 1_000))
        assert short is not None
        assert long is not None
        assert np.array_equal(short.plies, long.plies[:300])
        assert np.array_equal(short.points, long.points[:300])

    def test_seeds(self) -> None:
        assert gammon.simulate(200, seed=1) != gammon.simulate(200, seed=2)
        assert gammon.simulate(200) == gammon.simulate(200, seed=0)
        first, second = gammon.simulate(200, seed=None), gammon.simulate(200, seed=None)
        assert first.seed != second.seed
        assert gammon.simulate(200, seed=first.seed) == first
        assert gammon.simulate(200, seed=2**64 - 1).seed == 2**64 - 1


class TestFaults:
    @pytest.mark.parametrize(
        ("arguments", "value"),
        [
            ({"n": -1}, "-1"),
            ({"n": 2**63}, str(2**63)),
            ({"n": 2**70}, str(2**70)),
            ({"n": 1, "seed": -1}, "-1"),
            ({"n": 1, "seed": 2**64}, str(2**64)),
            ({"n": 1, "threads": 0}, "0"),
            ({"n": 1, "threads": -4}, "-4"),
            ({"n": 1, "threads": 2**70}, str(2**70)),
            ({"n": 1, "players": ("random", "nobody")}, "nobody"),
            ({"n": 1, "players": ("random",)}, "random"),
            ({"n": 1, "variant": "tavla"}, "tavla"),
            ({"n": 2**40, "per_game": True}, str(2**40)),
        ],
        ids=str,
    )
    def test_out_of_range(self, arguments: dict[str, Any], value: str) -> None:
        with pytest.raises(ValueError, match=value) as error:
            gammon.simulate(**arguments)
        assert isinstance(error.value, gammon.GammonError)

    @pytest.mark.parametrize("arguments", [{"n": 1.5}, {"n": "10"}, {"n": None}, {"n": 1, "threads": "2"}], ids=str)
    def test_of_another_kind(self, arguments: dict[str, Any]) -> None:
        with pytest.raises((TypeError, gammon.GammonError)):
            gammon.simulate(**arguments)

    def test_an_error_in_progress_ends_it(self) -> None:
        def fail(done: int, total: int) -> None:
            raise RuntimeError("enough")

        start = time.perf_counter()
        with pytest.raises(RuntimeError, match="enough"):
            gammon.simulate(2**62, seed=1, progress=fail)
        assert time.perf_counter() - start < 5


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    gammon.simulate(30_000, seed=1, threads=1, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (30_000, 30_000)
    assert seen == sorted(seen)
    assert all(total == 30_000 for _, total in seen)


def test_perft_faults() -> None:
    start = gammon.Position.start()
    for depth in (-1, 21, 2**70):
        with pytest.raises(gammon.GammonError, match=str(depth)):
            gammon.perft(start, depth)
    for threads in (0, -1, 2**70):
        with pytest.raises(gammon.GammonError, match=str(threads)):
            gammon.perft(start, 1, threads=threads)
    for threads in (1, 2, 8):
        assert gammon.perft(start, 2, threads=threads) == 202_782


def interrupted(script: str) -> tuple[subprocess.Popen[bytes], bytes, bytes, float]:
    """Runs a script, sends SIGINT once it has written a line, and says how long it took to end from there."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.5)
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    return process, stdout, stderr, time.perf_counter() - start


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
class TestInterrupt:
    """Ctrl-C ends long work at once, with what is finished."""

    def test_python(self) -> None:
        process, stdout, stderr, seconds = interrupted(
            """
            import sys, pickle, gammon
            gammon.simulate(1, per_game=True)
            print("ready")
            try:
                gammon.simulate(10**15, seed=1, threads=2)
            except gammon.Interrupted as interrupt:
                sys.stdout.buffer.write(pickle.dumps(interrupt.result))
            """
        )
        assert (process.returncode, stderr) == (0, b"")
        assert seconds < 1
        result = pickle.loads(stdout)
        assert isinstance(result, gammon.SimulationResult)
        assert 0 < result.games == sum(wins.games for wins in result.wins)
        assert 90 < result.plies_per_game < 105

    def test_with_a_table_of_games(self) -> None:
        process, stdout, stderr, seconds = interrupted(
            """
            import sys, pickle, gammon
            gammon.simulate(1, per_game=True)
            print("ready")
            try:
                gammon.simulate(2**27, seed=1, threads=2, per_game=True)
            except gammon.Interrupted as interrupt:
                table = interrupt.result.per_game
                sys.stdout.buffer.write(pickle.dumps((table.game.tolist()[:2000], table.plies.tolist()[:2000])))
            """
        )
        assert (process.returncode, stderr) == (0, b"")
        assert seconds < 1
        games, plies = pickle.loads(stdout)
        assert games
        whole = gammon.simulate(games[-1] + 1, seed=1, per_game=True).per_game
        assert whole is not None
        assert plies == whole.plies[games].tolist()

    def test_perft(self) -> None:
        process, _, stderr, seconds = interrupted(
            """
            import gammon
            print("ready")
            try:
                gammon.perft(gammon.Position.start(), 6)
            except gammon.Interrupted:
                pass
            """
        )
        assert (process.returncode, stderr) == (0, b"")
        assert seconds < 1

    def test_uncaught_it_is_a_keyboard_interrupt(self) -> None:
        process, _, stderr, seconds = interrupted(
            """
            import gammon
            gammon.simulate(1)
            print("ready")
            try:
                gammon.simulate(10**15, seed=1)
            except Exception:
                print("swallowed")
            """
        )
        assert process.returncode != 0
        assert b"Interrupted" in stderr
        assert seconds < 1
