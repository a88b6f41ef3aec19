"""Users' players in lockstep: the same games whatever is done at once, and every one legal when it is played again."""

from __future__ import annotations

import dataclasses
import os
import pickle
from typing import Any

import match_play
import numpy as np
import pytest
from test_simulate import interrupted

import gammon
from gammon import Choices, Decisions, Match, Rules
from gammon.simulation import GAMES_PER_MATCH, GameTable, TurnTable

RULE_SETS = {
    **{name: rules for name, rules in match_play.RULE_SETS.items() if name not in ("fischer", "tournament, clock")},
    "hypergammon for money": Rules.money(variant="hypergammon", jacoby=False, automatic_doubles=3),
    "long match": Rules.match(11, variant="hypergammon", cube_limit=4),
}


class Wild:
    """Plays at random by the noise it is given, and turns the cube often."""

    name = "wild"

    def __init__(self, doubles: int = 6, drops: int = 3) -> None:
        self.doubles, self.drops = np.uint64(doubles), np.uint64(drops)

    def choose(self, c: Choices) -> np.ndarray:
        return (c.noise % c.counts.astype(np.uint64)).astype(np.int64)

    def double(self, d: Decisions) -> np.ndarray:
        return d.noise % self.doubles == 0

    def take(self, d: Decisions) -> np.ndarray:
        return d.noise % self.drops != 0


class LikeRandom:
    """The play that the built-in random player picks: the high word of noise x count."""

    name = "random"

    def choose(self, c: Choices) -> np.ndarray:
        pairs = zip(c.noise.tolist(), c.counts.tolist(), strict=True)
        return np.array([noise * count >> 64 for noise, count in pairs], dtype=np.int64)


class Careful:
    """The play that leaves the fewest blots and hits the most, the first of equal ones: no randomness of its own."""

    name = "careful"

    def choose(self, c: Choices) -> np.ndarray:
        blots = (c.candidates[:, 1:25] == -1).sum(axis=1)
        return c.best(2 * c.candidates[:, 25].astype(np.int64) - blots)


def columns(table: GameTable | TurnTable | None) -> list[np.ndarray]:
    assert table is not None
    fields = (field.name for field in dataclasses.fields(table) if not field.name.startswith("_"))
    return [getattr(table, name) for name in fields if getattr(table, name) is not None]


def same_tables(a: gammon.SimulationResult, b: gammon.SimulationResult) -> bool:
    return all(
        np.array_equal(x, y)
        for tables in ((a.per_game, b.per_game), (a.turns, b.turns))
        for x, y in zip(columns(tables[0]), columns(tables[1]), strict=True)
    )


class TestSameGames:
    def test_lockstep_is_the_short_way(self) -> None:
        short = gammon.simulate(400, seed=7, per_game=True)
        long = gammon.simulate(400, (LikeRandom(), LikeRandom()), seed=7, per_game=True)
        mixed = gammon.simulate(400, (LikeRandom(), "random"), seed=7, per_game=True, batch_size=37)
        assert long == short == mixed
        for a, b, c in zip(columns(short.per_game), columns(long.per_game), columns(mixed.per_game), strict=True):
            assert a.dtype == b.dtype == c.dtype
            assert np.array_equal(a, b)
            assert np.array_equal(a, c)

    @pytest.mark.parametrize("rules", [None, Rules.money(automatic_doubles=2), Rules.match(3)], ids=repr)
    @pytest.mark.parametrize("paired", [False, True])
    def test_threads_and_batches_change_nothing(self, rules: Rules | None, paired: bool) -> None:
        def run(**how: Any) -> gammon.SimulationResult:
            players = (Wild(), Careful())
            return gammon.simulate(40, players, rules=rules, paired=paired, seed=3, per_game=True, record=True, **how)

        alone = run(threads=1, batch_size=1)
        for threads, batch_size in ((1, 7), (2, 4096), (3, 10), (None, 40)):
            result = run(threads=threads, batch_size=batch_size)
            assert result == alone
            assert repr(result) == repr(alone)
            assert same_tables(result, alone)

    def test_built_in_players_under_rules(self) -> None:
        """Without a policy games are played to the end in the core; they are the same games."""
        rules = Rules.match(3)
        short = gammon.simulate(60, rules=rules, seed=2, per_game=True, record=True, threads=2)
        long = gammon.simulate(60, (LikeRandom(), LikeRandom()), rules=rules, seed=2, per_game=True, record=True)
        assert short == long
        assert same_tables(short, long)

    def test_one_policy_for_both_sides(self) -> None:
        both = Wild()
        one = gammon.simulate(50, (both, both), cube=True, seed=4)
        assert one == gammon.simulate(50, (Wild(), Wild()), cube=True, seed=4)
        assert one.rules == Rules.money()

    def test_more_games_go_on(self) -> None:
        short, long = (gammon.simulate(n, (Wild(), Wild()), cube=True, seed=5, per_game=True) for n in (20, 60))
        assert short.per_game is not None
        assert long.per_game is not None
        assert np.array_equal(short.per_game.points, long.per_game.points[:20])


class TestPaired:
    def test_seats_change_and_dice_stay(self) -> None:
        result = gammon.simulate(60, (Wild(), "random"), paired=True, seed=1, per_game=True, record=True)
        table, turns = result.per_game, result.turns
        assert table is not None
        assert turns is not None
        assert table.seat.tolist() == [0, 1] * 30
        assert np.array_equal(table.starter[::2], 1 - table.starter[1::2])
        for game in range(0, 60, 2):
            rolls = [turns.rolls[turns.game == number] for number in (game, game + 1)]
            shared = min(map(len, rolls))
            assert np.array_equal(rolls[0][:shared], rolls[1][:shared])

    def test_a_player_that_rolls_no_dice_of_its_own_is_even_with_itself(self) -> None:
        result = gammon.simulate(200, (Careful(), Careful()), paired=True, seed=1)
        assert result.points == 0
        assert result.standard_error == 0
        assert result.samples == 100

    def test_coverage(self) -> None:
        """Random play against itself: 0 lies within two standard errors in about 95.4 % of runs, paired or not."""
        for paired in (False, True):
            within = 0
            for seed in range(400):
                result = gammon.simulate(100, paired=paired, seed=seed)
                within += abs(result.points_per_game) <= 2 * result.standard_error
            # 16 standard errors of the count would be far off; 370 to 393 is 3 of them around 381.8.
            assert 368 <= within <= 395, (paired, within)

    def test_a_better_player_is_found_with_fewer_games(self) -> None:
        free, pairs = (gammon.simulate(2000, (Careful(), "random"), paired=paired, seed=1) for paired in (False, True))
        assert free.points_per_game > 0.5
        assert abs(free.points_per_game - pairs.points_per_game) < 5 * (free.standard_error + pairs.standard_error)


class TestSums:
    def test_they_are_those_of_the_table(self) -> None:
        for rules in (Rules.money(automatic_doubles=None), Rules.match(5)):
            result = gammon.simulate(200, (Wild(), Wild(10)), rules=rules, seed=6, per_game=True, record=True)
            table, turns = result.per_game, result.turns
            assert table is not None
            assert turns is not None
            assert result.points == table.points.sum()
            assert result.plies == table.plies.sum() == (turns.action == 0).sum()
            assert result.plies_squared == (table.plies.astype(np.uint64) ** 2).sum()
            worth = np.abs(table.points) // (table.stake * table.cube)
            for side, sign in ((0, 1), (1, -1)):
                assert result.wins[side] == tuple(
                    int((worth[np.sign(table.points) == sign] == w).sum()) for w in (1, 2, 3)
                )
                mine = turns.player == side
                assert result.cube[side] == tuple(int((mine & (turns.action == a)).sum()) for a in (1, 2, 3))
            assert result.cube[0].doubles == result.cube[1].takes + result.cube[1].drops > 0
            assert result.cube[1].doubles == result.cube[0].takes + result.cube[0].drops > 0
            assert result.cubes == tuple(int((table.cube == 1 << k).sum()) for k in range(len(result.cubes)))
            assert sum(result.cubes) == result.games == len(table)
            if not rules.is_match:
                assert result.standard_error == pytest.approx(table.points.std(ddof=1) / np.sqrt(200))
                assert result.matches == 0
                assert np.isnan(result.match_share)
                continue
            won = np.array([table.points[table.game == game][-1] > 0 for game in range(200)])
            assert result.match_wins == (won.sum(), 200 - won.sum())
            assert result.match_standard_error == pytest.approx(won.std(ddof=1) / np.sqrt(200))
            assert np.isnan(result.standard_error)

    def test_paired_errors_are_those_of_pairs(self) -> None:
        result = gammon.simulate(200, (Wild(), "random"), paired=True, cube=True, seed=6, per_game=True)
        assert result.per_game is not None
        pairs = result.per_game.points.reshape(-1, 2).mean(axis=1)
        assert result.points_per_game == pytest.approx(pairs.mean())
        assert result.standard_error == pytest.approx(pairs.std(ddof=1) / 10)
        matches = gammon.simulate(100, (Wild(), "random"), paired=True, rules=Rules.match(2), seed=6, per_game=True)
        table = matches.per_game
        assert table is not None
        won = np.array([table.points[table.game == game][-1] > 0 for game in range(100)])
        shares = won.reshape(-1, 2).mean(axis=1)
        assert matches.match_share == pytest.approx(shares.mean())
        assert matches.match_standard_error == pytest.approx(shares.std(ddof=1) / np.sqrt(50))

    def test_results_are_values(self) -> None:
        result = gammon.simulate(4, (Wild(), Wild()), rules=Rules.match(3), seed=1)
        names = {name: getattr(gammon.simulation, name) for name in gammon.simulation.__all__}
        assert eval(repr(result), {**names, "Rules": Rules}) == result
        assert pickle.loads(pickle.dumps(result)) == result
        assert isinstance(hash(result), int)
        assert gammon.simulate(0, (Wild(), Wild()), seed=1).games == 0


def replay(rules: Rules | None, n: int, **how: Any) -> None:
    """Plays n games or matches again through `Match`, which refuses what is illegal, and compares every score."""
    result = gammon.simulate(n, (Wild(), Wild(9, 4)), rules=rules, seed=11, per_game=True, record=True, **how)
    table, turns = result.per_game, result.turns
    assert table is not None
    assert turns is not None
    assert np.array_equal(np.unique(table.game), np.arange(n))
    doubles = 0
    for unit in range(n):
        match = turns.match(unit)
        rows = np.flatnonzero(table.game == unit)
        assert not match.in_game
        assert len(match.games) == len(rows)
        assert match.is_over == (rules is not None and rules.is_match)
        for row, game in zip(rows, match.games, strict=True):
            seat = int(table.seat[row])
            winner = 0 if game.winner == seat else 1
            assert table.points[row] == (game.points if winner == 0 else -game.points)
            assert (table.stake[row], table.cube[row]) == (game.stake, game.cube)
            assert table.dropped[row] == (game.ending == "drop")
            assert (table.plies[row], table.starter[row]) == (game.turns - table.dropped[row], game.starter ^ seat)
        doubles += sum(event.kind == "double" for event in match.record)
    assert doubles == sum(side.doubles for side in result.cube)
    assert (doubles > 0) == (rules is not None and rules.use_cube)


class TestReplayed:
    @pytest.mark.parametrize("name", [None, *RULE_SETS])
    def test_every_action_is_legal_and_every_score_right(self, name: str | None) -> None:
        replay(None if name is None else RULE_SETS[name], 200 if name is not None else 50)

    @pytest.mark.parametrize("name", ["money, unlimited", "match, holland"])
    def test_paired(self, name: str) -> None:
        replay(RULE_SETS[name], 40, paired=True)

    @pytest.mark.slow
    @pytest.mark.parametrize("name", [None, *RULE_SETS])
    def test_ten_thousand(self, name: str | None) -> None:
        replay(None if name is None else RULE_SETS[name], 10_000)

    def test_dice_of_a_match(self) -> None:
        """Match k is played with the dice that the docs promise."""
        result = gammon.simulate(5, (Wild(), Wild()), rules=Rules.match(3), seed=9, record=True)
        assert result.turns is not None
        played = result.turns.match(4)
        again = Match(Rules.match(3), dice=gammon.dice.RandomDice(9, game=4 * GAMES_PER_MATCH))
        again.roll()
        assert again.record[0].throws == played.record[0].throws
        assert Match.from_dict(played.to_dict()).score == played.score

    def test_there_is_no_such_game(self) -> None:
        turns = gammon.simulate(2, seed=1, record=True).turns
        assert turns is not None
        with pytest.raises(gammon.InvalidArgumentError, match="7"):
            turns.match(7)


class TestWhatIsAsked:
    def test_rows(self) -> None:
        """Everything that a policy is shown is what the objects say."""
        seen = {"choose": 0, "double": 0, "take": 0}

        class Looking(Wild):
            def choose(self, c: Choices) -> np.ndarray:
                legal, offsets = gammon.batch.legal_positions(c.positions, c.rolls, view="next")
                assert np.array_equal(legal, c.candidates)
                assert np.array_equal(offsets, c.offsets)
                assert c.counts.min() >= 2
                assert (c.away >= 1).all()
                assert (c.away <= 5).all()
                assert set(np.unique(c.cube[:, 1])) <= {-1, 0, 1}
                crawford = (c.away.min(axis=1) == 1) & (c.away.max(axis=1) > 1)
                assert np.array_equal(crawford, c.phase > 0)
                assert (c.cube[c.phase == 1] == 0).all()
                seen["choose"] += len(c)
                return super().choose(c)

            def double(self, d: Decisions) -> np.ndarray:
                assert (d.cube[:, 1] >= 0).all()
                assert (d.phase != 1).all()
                assert (d.away[:, 0] > 1 << d.cube[:, 0]).all()
                seen["double"] += len(d)
                return super().double(d)

            def take(self, d: Decisions) -> np.ndarray:
                assert (d.cube[:, 1] <= 0).all()
                seen["take"] += len(d)
                return super().take(d)

        gammon.simulate(200, (Looking(), Looking()), rules=Rules.match(5), seed=1)
        assert min(seen.values()) > 100

    def test_best(self) -> None:
        asked: list[Choices] = []

        def first(c: Choices) -> np.ndarray:
            asked.append(c)
            return np.zeros(len(c), dtype=np.int64)

        gammon.simulate(30, (first, "random"), seed=1)
        assert gammon.simulate(1, (first, "random"), seed=1).players == ("first", "random")
        rng = np.random.default_rng(0)
        for c in asked[:20]:
            values = rng.integers(0, 4, len(c.candidates)).astype(np.float32)
            expected = [int(np.argmax(values[a:b])) for a, b in zip(c.offsets[:-1], c.offsets[1:], strict=True)]
            assert c.best(values).tolist() == expected
            rows = rng.permutation(len(c))
            part = c.rows(rows)
            blots = [-(of.candidates == -1).sum(axis=1) for of in (c, part)]
            assert np.array_equal(part.best(blots[1]), c.best(blots[0])[rows])
            for place, row in enumerate(rows):
                mine = part.candidates[part.offsets[place] : part.offsets[place + 1]]
                assert np.array_equal(mine, c.candidates[c.offsets[row] : c.offsets[row + 1]])
        with pytest.raises(gammon.ArrayError, match="values"):
            asked[0].best(np.zeros(1))


class TestFaults:
    @pytest.mark.parametrize(
        ("answer", "error"),
        [
            (lambda c: np.zeros(len(c)), "float64"),
            (lambda c: np.zeros(len(c) + 1, dtype=np.int64), "shape"),
            (lambda c: [0] * len(c), "list"),
            (lambda c: None, "NoneType"),
            (lambda c: c.counts, "candidates"),
            (lambda c: np.full(len(c), -1), "index -1"),
        ],
    )
    def test_wrong_answers(self, answer: Any, error: str) -> None:
        with pytest.raises(gammon.GammonError, match=error) as raised:
            gammon.simulate(5, ("random", answer), seed=1)
        assert "players[1].choose" in str(raised.value)

    def test_wrong_answers_about_the_cube(self) -> None:
        class Odd(Wild):
            def double(self, d: Decisions) -> np.ndarray:
                return np.ones(len(d), dtype=np.int64)

        with pytest.raises(gammon.ArrayError, match=r"players\[0\].double: bool"):
            gammon.simulate(5, (Odd(), Odd()), cube=True, seed=1)

    def test_an_error_in_a_policy_comes_through(self) -> None:
        def broken(c: Choices) -> np.ndarray:
            raise RuntimeError("broken")

        with pytest.raises(RuntimeError, match="broken"):
            gammon.simulate(5, (broken, broken), seed=1)

    @pytest.mark.parametrize(
        ("arguments", "value"),
        [
            ({"n": 3, "paired": True}, "3"),
            ({"n": 1, "batch_size": 0}, "0"),
            ({"n": 1, "batch_size": 2**21}, str(2**21)),
            ({"n": 1, "rules": "match"}, "match"),
            ({"n": 1, "rules": Rules.casual(), "cube": True}, "without the cube"),
            ({"n": 1, "rules": Rules.match(3), "variant": "nackgammon"}, "nackgammon"),
            ({"n": 2**50, "rules": Rules.match(3)}, str(2**50)),
            ({"n": 2**21, "record": True}, str(2**21)),
            ({"n": 1, "players": (1, 2)}, "1"),
            ({"n": 1, "players": "random"}, "random"),
            ({"n": 1, "rules": Rules.match(200)}, "200"),
        ],
        ids=str,
    )
    def test_out_of_range(self, arguments: dict[str, Any], value: str) -> None:
        with pytest.raises(gammon.InvalidArgumentError, match=value):
            gammon.simulate(**arguments)


class TestCheckPolicy:
    def test_good_ones(self) -> None:
        for policy in (Wild(), Careful(), LikeRandom()):
            assert isinstance(policy, gammon.Policy)
            gammon.check_policy(policy)

    def test_bad_ones(self) -> None:
        calls = np.zeros(1, dtype=np.int64)

        def counting(c: Choices) -> np.ndarray:
            calls[0] += 1
            return np.full(len(c), calls[0] % 2)

        def by_rank(c: Choices) -> np.ndarray:
            return (np.argsort(np.argsort(c.noise)) % 2).astype(np.int64)

        def changing(c: Choices) -> np.ndarray:
            c.candidates[:] = 0
            return np.zeros(len(c), dtype=np.int64)

        class Doubles(Wild):
            def double(self, d: Decisions) -> np.ndarray:
                return d.noise > np.median(d.noise)

        class Takes(Wild):
            def take(self, d: Decisions) -> np.ndarray:
                return np.arange(len(d)) % 2 == 0

        for policy, word in (
            (counting, "earlier calls"),
            (by_rank, "other rows"),
            (changing, "changes candidates"),
            (Doubles(), "double: row"),
            (Takes(), "take: row"),
            (lambda c: np.zeros(len(c)), "float64"),
        ):
            with pytest.raises(gammon.GammonError, match=word):
                gammon.check_policy(policy)


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    gammon.simulate(3000, (Wild(), Wild()), seed=1, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3000, 3000)
    assert seen == sorted(seen)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_keeps_whole_samples() -> None:
    process, stdout, stderr, seconds = interrupted(
        """
        import sys, pickle, gammon
        import numpy as np
        def policy(c):
            return (c.noise % c.counts.astype(np.uint64)).astype(np.int64)
        gammon.simulate(10, (policy, policy))
        print("ready")
        try:
            gammon.simulate(10**12, (policy, policy), seed=1, paired=True, batch_size=500)
        except gammon.Interrupted as interrupt:
            sys.stdout.buffer.write(pickle.dumps(interrupt.result))
        """
    )
    assert (process.returncode, stderr) == (0, b"")
    assert seconds < 1
    result = pickle.loads(stdout)
    assert isinstance(result, gammon.SimulationResult)
    assert 0 < result.games == 2 * result.samples
