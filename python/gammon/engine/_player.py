"""Players for matches: they say what to do in every phase, each at a level of its own."""

from __future__ import annotations

import dataclasses
import math
import random

from gammon import _core
from gammon._checks import seed as seeded
from gammon.cube import Ladder
from gammon.engine._engine import Engine
from gammon.engine._values import RankedPlay
from gammon.errors import IllegalActionError, InvalidArgumentError
from gammon.evaluator import SHIPPED, shipped
from gammon.levels import LEVELS, Level
from gammon.match import Action, Match, Phase, State
from gammon.position import Position

__all__ = ["Player"]

WORTH_THE_TIME = 0.005
"""A resignation is accepted if playing on is worth at most so much more equity."""


class Player:
    """Somebody who plays a match: plays, the cube, resignations.

    What it does is a function of the level, the seed, the dice of the match and how much has happened: a match that is
    resumed, or of which a part was taken back, goes on as it would have. It resigns a game that is lost for certain, at
    what is lost, and accepts a resignation that is worth as much as playing on.

    Args:
        level: one of `LEVELS`, or a `Level` of your own.
        seed: of the noise.
        engine: who judges, looking as far ahead as the level says; one with the level's model if None.

    Raises:
        InvalidArgumentError: for a level that there is not.

    >>> import gammon
    >>> match = gammon.Match(gammon.Rules.match(1), dice=gammon.dice.RandomDice(seed=4))
    >>> player = Player("casual")
    >>> while not match.is_over:
    ...     match.apply(player.act(match))
    >>> match.winner in (0, 1)
    True
    """

    def __init__(self, level: str | Level = "master", *, seed: int = 0, engine: Engine | None = None) -> None:
        if isinstance(level, str):
            if level not in LEVELS:
                raise InvalidArgumentError(f"a level is one of {', '.join(LEVELS)}, not {level!r}")
            level = LEVELS[level]
        if not isinstance(level, Level) or not 0 <= level.noise <= 1000 or level.model not in SHIPPED:
            raise InvalidArgumentError(
                f"a level is a name or a Level with a noise of 0 to 1000 and one of {', '.join(SHIPPED)}, not {level!r}"
            )
        if not isinstance(engine, Engine | None):
            raise InvalidArgumentError(f"engine is an Engine, not {engine!r}")
        self.level = level
        self.seed = seeded(seed)
        engine = Engine(model=shipped(level.model)) if engine is None else engine
        self.engine = engine.replaced(plies=level.plies)

    def act(self, match: Match) -> Action:
        """What to do now, for the player whose decision it is; between games, to throw for the next one.

        Raises `IllegalActionError` if the match is over.

        >>> match = Match(names=("Ann", "Bob"))
        >>> Player("casual").act(match)
        Action(kind='roll', player=None, roll=None, play=None, level=None)
        >>> roll = match.roll("31", player=0)
        >>> str(Player("master").act(match).play)
        '8/5 6/5'
        """
        if match.is_over:
            raise IllegalActionError("the match is over: there is nothing to do")
        if match.to_act is None:
            return Action("roll")
        chance = random.Random(f"{self.seed} {match.dice!r} {match.event_count}")
        answers = {
            Phase.ON_ROLL: self._before_roll,
            Phase.ROLLED: self._play,
            Phase.DOUBLED: self._answer,
            Phase.BEAVERED: self._answer,
            Phase.RESIGNED: self._answer_resignation,
        }
        return answers[match.phase](match, chance)

    def _misjudged(self, equity: float, chance: random.Random) -> float:
        return chance.gauss(equity, self.level.noise) if self.level.noise else equity

    def _before_roll(self, match: Match, chance: random.Random) -> Action:
        state, seat = match.state, match.to_act
        allowed = [action for action in match.legal_actions() if action.player == seat]
        level = self._lost(state)
        resigned = Action("resign", seat, level=level) if level else None
        if resigned in allowed:
            return resigned
        if any(action.kind == "double" for action in allowed) and self._doubles(state, match.turn, chance):
            return Action("double", seat)
        return Action("roll", seat)

    @staticmethod
    def _lost(state: State) -> int | None:
        """What the player on roll loses for certain: 1 to 3; None while there is hope, or doubt how much."""
        points = _core.certain_points(state.position)
        if points is None or points > 0:
            return None
        return 1 if state.rules.jacoby and state.cube.owner is None else -points

    def _doubles(self, state: State, turn: int, chance: random.Random) -> bool:
        found = self.engine.cube_decision(state, turn=turn)
        if found.action == "unavailable":
            return False
        decision = found.decision
        replies = (decision.double_take, decision.double_drop, decision.beaver)
        doubled = min(worth for worth in replies if not math.isnan(worth))
        rolling = self._misjudged(decision.no_double, chance)
        # A double that changes nothing is made as long as it is no risk.
        return doubled >= rolling

    def _play(self, match: Match, chance: random.Random) -> Action:
        state, seat = match.state, match.to_act
        if not self.level.noise:
            return Action("play", seat, play=self.engine.best_play(_without_offer(state), turn=match.turn))
        ranking = self.engine.rank_plays(_without_offer(state), turn=match.turn)
        if not len(ranking):
            assert state.roll is not None
            return Action("play", seat, play=state.position.play("", state.roll))

        def seems(ranked: RankedPlay) -> float:
            return self._misjudged(ranked.equity, chance)

        deepest = [ranked for ranked in ranking if ranked.plies == ranking.plies]
        return Action("play", seat, play=max(deepest, key=seems).play)

    def _answer(self, match: Match, chance: random.Random) -> Action:
        state, seat = match.state, match.to_act
        decision = self.engine.cube_decision(state, turn=match.turn).decision
        sign = 1 if seat == state.on_roll else -1
        worths = {"take": decision.double_take, "drop": decision.double_drop, "beaver": decision.beaver}
        allowed = {action.kind for action in match.legal_actions() if action.player == seat}
        known = {kind: sign * worth for kind, worth in worths.items() if kind in allowed and not math.isnan(worth)}
        if "take" not in known:
            # A cube that the engine cannot follow, such as one that is dead for both.
            return Action("take", seat)
        # One misjudgement for all that goes on: who thinks too well of a position takes, and beavers, too much.
        off = self._misjudged(0.0, chance)
        seems = {kind: worth + (off if kind != "drop" else 0.0) for kind, worth in known.items()}
        best = max(seems, key=lambda kind: seems[kind])
        return Action(best, seat)

    def _answer_resignation(self, match: Match, chance: random.Random) -> Action:
        state, seat = match.state, match.to_act
        assert state.offer is not None
        assert state.offer.level is not None
        on = _without_offer(state)
        turn = match.turn
        equity = self.engine.evaluate(on, turn=turn).equity if state.roll is None else self._best(on, turn)
        own = equity if seat == state.on_roll else -equity
        assert seat is not None
        worth = _resigned(self.engine, state, state.offer.level, seat)
        return Action("accept" if worth >= own - WORTH_THE_TIME else "decline", seat)

    def _best(self, state: State, turn: int) -> float:
        ranking = self.engine.rank_plays(state, turn=turn)
        if len(ranking):
            return ranking[0].equity
        assert state.roll is not None
        after = state.position.play("", state.roll).next
        other = _seen_from_the_other_side(state, after)
        return -self.engine.evaluate(other, turn=turn + 1).equity


def _without_offer(state: State) -> State:
    return dataclasses.replace(state, offer=None, offered_by=None)


def _seen_from_the_other_side(state: State, position: Position) -> State:
    return dataclasses.replace(state, position=position, on_roll=1 - state.on_roll, roll=None, cube=state.cube.flip())


def _resigned(engine: Engine, state: State, level: int, seat: int) -> float:
    """The equity of a resignation to the seat that is offered it."""
    ladder = Ladder.of(state.rules, state.score, stake=state.stake, met=engine.met, player=state.on_roll)
    own = seat == state.on_roll
    equity = float(ladder.to_equity(ladder.worth(level if own else -level, state.cube.level), state.cube.level))
    return equity if own else -equity
