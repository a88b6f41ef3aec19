"""Values: hashable, comparable, copyable, picklable, with a repr that evaluates; errors; and the import itself."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

import gammon

POSITIONS = [
    gammon.Position.start(),
    gammon.Position.start("hypergammon"),
    gammon.Position.from_points({6: 3}, opponent={6: 2}),
    gammon.Position.from_points({6: 3}, opponent={6: 2}, off=0, opponent_off=5),
    gammon.Position.from_points({24: 1}, opponent={24: 3}, bar=2, opponent_bar=4),
    gammon.Position.from_points({}, opponent={6: 2}),
]
CLOSED_OUT = gammon.Position.from_points({1: 5}, opponent=dict.fromkeys(range(1, 7), 2), bar=1)
VALUES = [
    *POSITIONS,
    *gammon.Roll.all(),
    *gammon.Position.start().plays(gammon.Roll(6, 6)),
    gammon.Position.from_points({4: 1, 2: 1}, opponent={1: 2}).play("4/off", gammon.Roll(4, 2)),
    CLOSED_OUT.play("", gammon.Roll(6, 5)),
    *(gammon.Outcome(points) for points in (-3, -2, -1, 1, 2, 3)),
    gammon.simulate(20, seed=1),
    gammon.simulate(0, seed=2**64 - 1),
]
NAMES = {**vars(gammon), **vars(gammon.simulation), "Wins": gammon.simulation.Wins}


@pytest.mark.parametrize("value", VALUES, ids=repr)
class TestValues:
    def test_equal_and_hashable(self, value: object) -> None:
        others = [other for other in VALUES if other == value]
        assert value in others
        assert all(hash(other) == hash(value) for other in others)
        assert all(repr(other) == repr(value) for other in others)
        assert value != object()
        assert value not in (None, 0, "", ())

    def test_copies(self, value: object) -> None:
        for copied in (copy.copy(value), copy.deepcopy(value), copy.deepcopy([value])[0]):
            assert copied == value
            assert hash(copied) == hash(value)
            assert type(copied) is type(value)

    def test_pickles(self, value: object) -> None:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            back = pickle.loads(pickle.dumps(value, protocol))
            assert back == value
            assert hash(back) == hash(value)
            assert repr(back) == repr(value)

    def test_repr_evaluates(self, value: object) -> None:
        assert eval(repr(value), dict(NAMES)) == value

    def test_frozen(self, value: object) -> None:
        for name in ("id", "high", "steps", "points", "games"):
            if hasattr(value, name):
                with pytest.raises((AttributeError, TypeError)):
                    setattr(value, name, 1)
        with pytest.raises((AttributeError, TypeError)):
            value.new_attribute = 1  # type: ignore[attr-defined]


def test_values_are_distinct() -> None:
    assert len(set(VALUES)) == len(VALUES)


def test_positions_differ_by_what_is_off() -> None:
    """The ID does not hold it, the value does."""
    assert POSITIONS[2].id == POSITIONS[3].id
    assert POSITIONS[2] != POSITIONS[3]


def test_pickled_elsewhere() -> None:
    """A value made here is the same in another process."""
    script = "import pickle, sys; sys.stdout.write(repr(pickle.load(sys.stdin.buffer)))"
    run = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps(VALUES), capture_output=True, check=True, timeout=60
    )
    assert run.stdout.decode() == repr(VALUES)
    assert run.stderr == b""


class TestPlays:
    """The sequence of plays."""

    plays = gammon.Position.start().plays(gammon.Roll(3, 1))

    def test_is_a_sequence(self) -> None:
        listed = list(self.plays)
        assert len(self.plays) == len(listed) == 16
        assert [self.plays[place] for place in range(16)] == listed
        assert self.plays[-1] == listed[-1]
        assert list(reversed(self.plays)) == listed[::-1]
        for index in (16, -17, 2**40, 2**70, -(2**70)):
            with pytest.raises(IndexError):
                self.plays[index]
        with pytest.raises((TypeError, IndexError, OverflowError)):
            self.plays["0"]  # type: ignore[call-overload]

    def test_contains(self) -> None:
        play = self.plays[3]
        assert play in self.plays
        assert str(play) in self.plays
        assert play.after in self.plays
        assert "8/5 6/5" in self.plays
        assert "6/5 8/5" in self.plays
        assert "8/4 6/5" not in self.plays
        assert gammon.Position.start() not in self.plays
        assert gammon.Position.start().plays(gammon.Roll(6, 5))[0] not in self.plays

    def test_a_dance_has_none(self) -> None:
        plays = CLOSED_OUT.plays(gammon.Roll(6, 5))
        assert len(plays) == 0
        assert not plays
        assert "" not in plays
        empty = CLOSED_OUT.play("", gammon.Roll(6, 5))
        assert (empty.steps, str(empty), empty.after) == ((), "", CLOSED_OUT)
        assert empty.next == CLOSED_OUT.flip()
        with pytest.raises(gammon.IllegalPlayError):
            gammon.Position.start().play("", gammon.Roll(6, 5))

    @pytest.mark.parametrize("roll", [None, "77", (3, 1), 31])
    def test_rolls_of_another_kind(self, roll: object) -> None:
        with pytest.raises((TypeError, ValueError)):
            gammon.Position.start().plays(roll)  # type: ignore[arg-type]

    def test_ambiguous(self) -> None:
        """One checker, two ways, and each hits another blot."""
        position = gammon.Position.from_points({24: 1, 6: 14}, opponent={7: 1, 4: 1, 13: 13})
        with pytest.raises(gammon.AmbiguousPlayError) as error:
            position.play("24/15", gammon.Roll(6, 3))
        for text in ("24/21*/15", "24/18*/15"):
            assert text in str(error.value)
            assert str(position.play(text, gammon.Roll(6, 3))) == text
        assert "24/15" not in position.plays(gammon.Roll(6, 3))

    def test_without_a_mark_nothing_is_hit(self) -> None:
        """One checker, two ways, and only one of them hits: who means that one marks it."""
        position = gammon.Position.from_points({24: 1, 6: 14}, opponent={7: 1, 13: 14})
        quiet = position.play("24/15", gammon.Roll(6, 3))
        assert quiet.steps == ((24, 21), (21, 15))
        assert position.play("24/18*/15", gammon.Roll(6, 3)).after.opponent_bar == 1
        assert position.play("24/18/15", gammon.Roll(6, 3)).after.opponent_bar == 1

    @pytest.mark.parametrize(
        ("own", "opponent", "roll", "text", "reason"),
        [
            ({7: 1, 4: 2, 2: 2}, {1: 2}, "44", "4/off(2)", "home"),
            ({5: 2, 2: 2}, {1: 2}, "31", "2/off 5/4", "higher point"),
            ({13: 1}, {23: 2}, "65", "13/8", "the 6"),
            ({24: 2, 6: 5}, {6: 2}, "51", "24/19 6/5", "blocked"),
        ],
    )
    def test_the_rule_is_named(
        self, own: dict[int, int], opponent: dict[int, int], roll: str, text: str, reason: str
    ) -> None:
        position = gammon.Position.from_points(own, opponent=opponent)
        with pytest.raises(gammon.IllegalPlayError, match=reason):
            position.play(text, gammon.Roll.parse(roll))

    def test_the_bar_is_named(self) -> None:
        position = gammon.Position.from_points({6: 5}, opponent={5: 1, 8: 10}, bar=2)
        with pytest.raises(gammon.IllegalPlayError, match="bar"):
            position.play("6/1 bar/22", gammon.Roll(5, 3))

    @pytest.mark.parametrize(
        ("text", "canonical"),
        [
            ("8/5 6/5", "8/5 6/5"),
            ("6/5 8/5", "8/5 6/5"),
            (" 6/5,8/5 ", "8/5 6/5"),
            ("24/20", "24/20"),
            ("24/21/20", "24/20"),
            ("24/23/20", "24/20"),
            ("24/23 23/20", "24/20"),
        ],
    )
    def test_what_people_write(self, text: str, canonical: str) -> None:
        assert str(gammon.Position.start().play(text, gammon.Roll(3, 1))) == canonical

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("7/4 6/5", "no checker"),
            ("8/5", "2 numbers"),
            ("", "must"),
            ("8/4 6/5", "no die"),
            ("8/5* 6/5", "no blot"),
            ("8/5 6/5 6/5", "more steps"),
            ("24/21 6/2", "no die"),
            ("6/off", "no die"),
            ("13/12 24/20", "blocked"),
        ],
    )
    def test_why_illegal(self, text: str, reason: str) -> None:
        with pytest.raises(gammon.IllegalPlayError, match=reason) as error:
            gammon.Position.start().play(text, gammon.Roll(3, 1))
        assert not isinstance(error.value, gammon.NotationError)
        assert "31" in str(error.value)

    @pytest.mark.parametrize(
        "text", ["8", "8/5 x/3", "8/5(5)", "8//5", "5/8", "8/26", "8*/5", "é", "8/5 " * 1000, "\x00", "9" * 100_000]
    )
    def test_what_cannot_be_read(self, text: str) -> None:
        with pytest.raises(gammon.NotationError) as error:
            gammon.Position.start().play(text, gammon.Roll(3, 1))
        assert len(str(error.value)) < 400


def test_text_that_is_no_unicode() -> None:
    """Lone surrogates, as undecodable bytes of the command line become, are refused like any other nonsense."""
    bad = "\ud800"
    start = gammon.Position.start()
    for call in (
        lambda: gammon.Position.from_id(bad * 14),
        lambda: start.play(bad, gammon.Roll(3, 1)),
        lambda: gammon.Roll.parse(bad),
        lambda: bad in start.plays(gammon.Roll(3, 1)),
        lambda: gammon.batch.from_ids([bad * 14]),
    ):
        with pytest.raises(gammon.NotationError):
            call()
    with pytest.raises(gammon.GammonError, match="variant"):
        gammon.Position.start(bad)
    with pytest.raises(gammon.GammonError, match="variant"):
        gammon.simulate(1, variant=bad)


class TestErrors:
    @pytest.mark.parametrize(
        ("name", "builtin"),
        [
            ("InvalidPositionError", ValueError),
            ("NotationError", ValueError),
            ("AmbiguousPlayError", ValueError),
            ("IllegalPlayError", ValueError),
            ("IllegalActionError", ValueError),
            ("NotInDatabaseError", KeyError),
            ("FileFormatError", ValueError),
            ("ModelFormatError", ValueError),
        ],
    )
    def test_hierarchy(self, name: str, builtin: type[Exception]) -> None:
        error = getattr(gammon, name)
        assert issubclass(error, gammon.GammonError)
        assert issubclass(error, builtin)
        assert str(error("what, where and the value")) == "what, where and the value"
        back = pickle.loads(pickle.dumps(error("message")))
        assert (type(back), str(back)) == (error, "message")

    def test_ambiguous_is_notation(self) -> None:
        assert issubclass(gammon.AmbiguousPlayError, gammon.NotationError)
        assert not issubclass(gammon.NotationError, gammon.IllegalPlayError)

    def test_interrupted(self) -> None:
        assert issubclass(gammon.Interrupted, KeyboardInterrupt)
        assert not issubclass(gammon.Interrupted, Exception)
        assert gammon.Interrupted("stopped", result=3).result == 3

    def test_every_exception_is_one_of_ours(self) -> None:
        import gammon.errors

        classes = [value for value in vars(gammon.errors).values() if isinstance(value, type)]
        found = [value for value in classes if issubclass(value, BaseException)]
        assert len(found) >= 10
        assert all(issubclass(value, (gammon.GammonError, gammon.Interrupted)) for value in found)


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False, timeout=120
    )


class TestImport:
    def test_no_numpy(self) -> None:
        answer = run(
            """
            import sys
            import gammon
            heavy = {"numpy", "typer", "click", "rich", "asyncio", "multiprocessing"} & set(sys.modules)
            assert not heavy, heavy
            position = gammon.Position.start()
            assert len(position.plays(gammon.Roll(3, 1))) == 16
            assert position.play("8/5 6/5", gammon.Roll(3, 1)).after.id
            assert gammon.dice.RandomDice(1).roll()
            assert "numpy" not in sys.modules
            gammon.batch
            """
        )
        assert (answer.returncode, answer.stderr) == (0, "")

    def test_everything_in_all_is_there(self) -> None:
        for name in gammon.__all__:
            assert getattr(gammon, name) is not None
            assert name in dir(gammon)
        assert not [name for name in gammon.__all__ if name.startswith("_") and name != "__version__"]
        with pytest.raises(AttributeError, match="no_such_name"):
            gammon.no_such_name  # noqa: B018

    def test_no_function_has_the_name_of_a_module(self) -> None:
        import pkgutil

        modules = {module.name for module in pkgutil.iter_modules(gammon.__path__)}
        assert modules
        functions = {name for name in gammon.__all__ if callable(getattr(gammon, name))}
        assert not modules & functions

    def test_documented(self) -> None:
        for name in gammon.__all__:
            value = getattr(gammon, name)
            if isinstance(value, type) or callable(value):
                assert value.__doc__, name


def _child(seed: int) -> tuple[int, list[int]]:
    positions = gammon.batch.random_positions(500, seed)
    rolls = np.full((500, 2), 3, np.uint8)
    return gammon.simulate(300, seed=seed, threads=2).plies, gammon.batch.count_plays(
        positions, rolls, threads=2
    ).tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_after_threaded_calls_works() -> None:
    here = _child(3)
    gammon.simulate(2_000, seed=1, threads=4)
    context = multiprocessing.get_context("fork")
    with warnings.catch_warnings():
        # Python warns of forking while other threads live (a pool's own, for one); that it works is what is tested.
        warnings.simplefilter("ignore", DeprecationWarning)
        with context.Pool(2) as pool:
            answer = pool.map_async(_child, [3, 3, 3])
            assert answer.get(timeout=60) == [here] * 3
    assert _child(3) == here
