"""From questions to answers: what each action was worth, by an engine at some plies or by rollouts."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gammon.analysis._result import CLOSE_CUBE, Judgement, Option, RollLuck, error_mark, luck_mark
from gammon.analysis._walk import Question, Throw
from gammon.cube import Ladder
from gammon.dice import Roll
from gammon.engine import CubeDecision, Engine, Probabilities, RankedPlay, RolloutCandidate
from gammon.engine import rollout as roll_out
from gammon.errors import GammonError
from gammon.evaluator import Model
from gammon.match import Offer, State
from gammon.play import Play

__all__ = ["Rollouts", "judge", "luck", "roll_out_close"]

NOTHING_AT_STAKE = 0.001
"""Plays whose equities differ by less than this in all leave nothing to decide."""


def judge(engine: Engine, question: Question) -> Judgement:
    """What the actions of a decision were worth; a decision that cannot be judged says why."""
    if question.kind == "play" and question.reason:
        return _blank(question, question.reason)
    try:
        if question.kind == "play":
            return _judge_play(engine, question)
        if question.reason:
            return _blank(question, question.reason)
        return {"double": _judge_double, "answer": _judge_answer}.get(question.kind, _judge_resignation)(
            engine, question
        )
    except GammonError as error:
        return _blank(question, str(error))


def _blank(question: Question, reason: str) -> Judgement:
    return Judgement(
        event=question.event,
        game=question.game,
        player=question.player,
        kind=question.kind,
        state=question.state,
        action=question.done,
        note=question.note,
        reason=reason,
    )


def _judged(question: Question, options: Sequence[Option], done: str, counts: Callable[[float], bool]) -> Judgement:
    """The options best first, and what was lost by the one that was chosen; `counts` is asked with that."""
    ranked = sorted(options, key=lambda option: -option.equity)
    chosen = next(option for option in ranked if option.action == done)
    best = ranked[0]
    error = max(0.0, best.equity - chosen.equity)
    lost = None if best.mwc is None or chosen.mwc is None else max(0.0, best.mwc - chosen.mwc)
    cost = error * question.state.value if lost is None else lost
    return dataclasses.replace(
        _blank(question, ""),
        options=tuple(ranked),
        error=error,
        cost=cost,
        mark=error_mark(error),
        counts=counts(error),
    )


# Plays.


def _judge_play(engine: Engine, question: Question) -> Judgement:
    played = question.play
    assert played is not None
    state = dataclasses.replace(question.state, offer=None, offered_by=None)
    ranking = engine.rank_plays(state, turn=question.turn)
    if len(ranking) < 2:
        # A dance, or one play only.
        only = ranking[0] if len(ranking) else None
        options = [] if only is None else [_option(only)]
        return dataclasses.replace(_blank(question, "forced"), options=tuple(options))
    made = next(ranked for ranked in ranking if ranked.play.after == played.after)
    options = [_option(ranked) for ranked in ranking if ranked is not made]
    deep_enough = made.plies == ranking.plies
    mine = _option(made) if deep_enough else _deeper(engine, state, question.turn, played, ranking.plies)
    options.append(dataclasses.replace(mine, action=question.done))
    # What was judged less deep is compared with itself only: it is listed below, and never the best.
    deep = [option for option in options if option.plies == ranking.plies]
    shallow = [option for option in options if option.plies != ranking.plies]
    judgement = _judged(
        question, deep, question.done, lambda error: error > 0 or _spread(ranking.plays) >= NOTHING_AT_STAKE
    )
    return dataclasses.replace(judgement, options=(*judgement.options, *shallow))


def _spread(plays: Sequence[RankedPlay]) -> float:
    return max(ranked.equity for ranked in plays) - min(ranked.equity for ranked in plays)


def _option(ranked: RankedPlay) -> Option:
    return Option(str(ranked.play), ranked.equity, ranked.mwc, ranked.probabilities, ranked.plies)


def _deeper(engine: Engine, state: State, turn: int | None, play: Play, plies: int) -> Option:
    """A play that the search left behind, judged as deep as the best one."""
    equity, mwc, five = _after(engine, state, turn, play)
    return Option(str(play), equity, mwc, five, plies)


def _after(engine: Engine, state: State, turn: int | None, play: Play) -> tuple[float, float | None, Probabilities]:
    """What a position after a play is worth to the player who made it."""
    found = engine.evaluate(_next(state, play), turn=None if turn is None else turn + 1)
    mwc = None if found.mwc is None else 1.0 - found.mwc
    return -found.equity, mwc, found.probabilities.flip()


def _next(state: State, play: Play) -> State:
    return dataclasses.replace(
        state,
        position=play.next,
        on_roll=1 - state.on_roll,
        roll=None,
        cube=state.cube.flip(),
        offer=None,
        offered_by=None,
    )


# The cube.


_TURNS = ("double_take", "double_drop", "beaver")


def _judge_double(engine: Engine, question: Question) -> Judgement:
    found = engine.cube_decision(question.state, turn=question.turn)
    rolling = Option("no double", found.decision.no_double, _mwc(found, "no_double"), found.probabilities, found.plies)
    replies = [name for name in _TURNS if not math.isnan(getattr(found.decision, name))]
    if found.action == "unavailable" or not replies:
        return _blank(question, "the cube is dead")
    reply = min(replies, key=lambda name: getattr(found.decision, name))
    doubled = Option("double", getattr(found.decision, reply), _mwc(found, reply), found.probabilities, found.plies)
    too_good = "too good" in found.action
    close = abs(rolling.equity - doubled.equity) < CLOSE_CUBE or too_good
    judgement = _judged(
        question, [rolling, doubled], question.done, lambda error: close or error > 0 or question.done == "double"
    )
    return dataclasses.replace(judgement, verdict=found.action, worths=_worths(found))


def _mwc(found: CubeDecision, name: str) -> float | None:
    return None if found.mwc is None else float(getattr(found.mwc, name))


def _worths(found: CubeDecision) -> tuple[tuple[str, float], ...]:
    """The equities of all actions, for the player on roll."""
    worths = ((name, float(getattr(found.decision, name))) for name in ("no_double", *_TURNS))
    return tuple((name, worth) for name, worth in worths if not math.isnan(worth))


def _judge_answer(engine: Engine, question: Question) -> Judgement:
    state = question.state
    found = engine.cube_decision(state, turn=question.turn)
    turned = "raccoon" if state.offer is Offer.BEAVER else "beaver"
    names = {"take": "double_take", "drop": "double_drop", turned: "beaver"}
    own = question.player == state.on_roll
    five = found.probabilities if own else found.probabilities.flip()
    options = []
    for action, name in names.items():
        equity, mwc = float(getattr(found.decision, name)), _mwc(found, name)
        if not math.isnan(equity):
            mwc = mwc if own or mwc is None else 1.0 - mwc
            options.append(Option(action, equity if own else -equity, mwc, five, found.plies))
    if question.done not in {option.action for option in options}:
        return _blank(question, f"{question.done} is nothing that the engine knows here")
    judgement = _judged(question, options, question.done, lambda _: True)
    return dataclasses.replace(judgement, verdict=found.action, worths=_worths(found))


# Resignations.


def _judge_resignation(engine: Engine, question: Question) -> Judgement:
    """Resigning, or answering that: what the rest of the game is worth against what the resignation loses."""
    state = question.state
    level = _level(question)
    on = dataclasses.replace(state, offer=None, offered_by=None)
    equity, mwc, five = _playing_on(engine, on, question.turn)
    ladder = Ladder.of(state.rules, state.score, stake=state.stake, met=engine.met, player=state.on_roll)
    resigned_by = question.player if question.kind == "resign" else 1 - question.player
    own = question.player == state.on_roll
    lost = ladder.worth(-level if resigned_by == state.on_roll else level, state.cube.level)
    over = float(ladder.to_equity(lost, state.cube.level))
    over_mwc = lost if ladder.unit == "mwc" else None

    def option(action: str, equity: float, mwc: float | None, plies: int) -> Option:
        seen = mwc if own or mwc is None else 1.0 - mwc
        return Option(action, equity if own else -equity, seen, five if own else five.flip(), plies)

    resigning = question.kind == "resign"
    ends = question.done if resigning else "accept"
    options = [
        option("play on" if resigning else "decline", equity, mwc, engine.plies),
        option(ends, over, over_mwc, engine.plies),
    ]
    return _judged(question, options, question.done, lambda error: error > 0)


def _level(question: Question) -> int:
    if question.kind == "resign":
        return next(level for level in (1, 2, 3) if Offer.resignation(level).value == question.done)
    offer = question.state.offer
    assert offer is not None
    assert offer.level is not None
    return offer.level


def _playing_on(engine: Engine, state: State, turn: int | None) -> tuple[float, float | None, Probabilities]:
    """What a state is worth to its player on roll, with the dice that may be thrown."""
    if state.roll is None:
        found = engine.evaluate(state, turn=turn)
        return found.equity, found.mwc, found.probabilities
    return best_of_roll(engine, state, turn, state.roll)


def best_of_roll(
    engine: Engine, state: State, turn: int | None, roll: Roll
) -> tuple[float, float | None, Probabilities]:
    """What the best play of a roll is worth to the player who throws it."""
    ranking = engine.rank_plays(state, roll, turn=turn)
    if len(ranking):
        best = ranking[0]
        return best.equity, best.mwc, best.probabilities
    return _after(engine, state, turn, state.position.play("", roll))


# Luck.


def luck(engine: Engine, throw: Throw) -> RollLuck | None:
    """By how much the roll was better than the mean of all that could have been thrown; None where nobody can say."""
    try:
        return _opening_luck(engine, throw) if throw.opening else _luck(engine, throw)
    except GammonError:
        return None


def _luck(engine: Engine, throw: Throw) -> RollLuck:
    mine: tuple[float, float | None] = (0.0, None)
    mean, mean_mwc = 0.0, 0.0
    for roll in Roll.all():
        equity, mwc, _ = best_of_roll(engine, throw.state, throw.turn, roll)
        mean += roll.weight / 36 * equity
        mean_mwc += roll.weight / 36 * (0.0 if mwc is None else mwc)
        if roll == throw.roll:
            mine = (equity, mwc)
    return _luck_of(throw, mine, mean, mean_mwc)


def _opening_luck(engine: Engine, throw: Throw) -> RollLuck:
    """The opening roll also says who begins: all 30 throws of two different dice are equally likely."""
    state = throw.state
    other = dataclasses.replace(
        state, position=state.position.flip(), on_roll=1 - state.on_roll, cube=state.cube.flip()
    )
    mine: tuple[float, float | None] = (0.0, None)
    mean, mean_mwc = 0.0, 0.0
    openings = [roll for roll in Roll.all() if not roll.is_double]
    for roll in openings:
        equity, mwc, _ = best_of_roll(engine, state, throw.turn, roll)
        theirs, their_mwc, _ = best_of_roll(engine, other, throw.turn, roll)
        mean += (equity - theirs) / (2 * len(openings))
        if mwc is not None and their_mwc is not None:
            mean_mwc += (mwc + 1.0 - their_mwc) / (2 * len(openings))
        if roll == throw.roll:
            mine = (equity, mwc)
    return _luck_of(throw, mine, mean, mean_mwc)


def _luck_of(throw: Throw, mine: tuple[float, float | None], mean: float, mean_mwc: float) -> RollLuck:
    equity, mwc = mine
    return RollLuck(
        event=throw.event,
        game=throw.game,
        player=throw.player,
        roll=throw.roll,
        before=mean,
        luck=equity - mean,
        before_mwc=None if mwc is None else mean_mwc,
        luck_mwc=None if mwc is None else mwc - mean_mwc,
        value=throw.state.value,
        mark=luck_mark(equity - mean),
    )


# Rollouts.


@dataclass(frozen=True, slots=True)
class Rollouts:
    """How close decisions are rolled out."""

    trials: int
    within: float
    seed: int


def is_close(judgement: Judgement, within: float) -> bool:
    """Whether what was done, or else the second choice, is within so much of the best."""
    if not judgement.counts or judgement.kind in ("resign", "resignation answer") or len(judgement.options) < 2:
        return False
    rival = judgement.chosen if judgement.error > 0 else judgement.options[1]
    return rival is not None and judgement.best.equity - rival.equity <= within


def roll_out_close(
    engine: Engine, judgement: Judgement, turn: int | None, rollouts: Rollouts, threads: int | None
) -> Judgement:
    """The judgement by a rollout; unchanged where there is nothing that can be rolled out."""
    if not isinstance(engine.model, Model) or judgement.state.offer in (Offer.BEAVER, Offer.RACCOON):
        return judgement
    if judgement.kind == "play":
        return _roll_out_plays(engine, judgement, turn, rollouts, threads)
    return _roll_out_cube(engine, judgement, turn, rollouts, threads)


def _rolled(
    engine: Engine, state: State, turn: int | None, rollouts: Rollouts, threads: int | None, plays: Sequence[Play]
) -> tuple[RolloutCandidate, ...]:
    result = roll_out(
        dataclasses.replace(state, offer=None, offered_by=None),
        plays=plays or 5,
        cube_decision=not plays,
        trials=rollouts.trials,
        seed=rollouts.seed,
        model=engine.model,
        met=engine.met,
        threads=threads,
        turn=turn,
    )
    return result.candidates


def _from_rollout(action: str, candidate: RolloutCandidate, in_match: bool) -> Option:
    return Option(
        action,
        candidate.value,
        candidate.worth if in_match else None,
        Probabilities(*candidate.probabilities),
        None,
        trials=candidate.trials,
        standard_error=candidate.value_error,
    )


def _candidates(judgement: Judgement, within: float) -> Iterator[Option]:
    deepest = judgement.best.plies
    for option in judgement.options:
        near = judgement.best.equity - option.equity <= within and option.plies == deepest
        if near or option.action == judgement.action:
            yield option


def _roll_out_plays(
    engine: Engine, judgement: Judgement, turn: int | None, rollouts: Rollouts, threads: int | None
) -> Judgement:
    state = judgement.state
    assert state.roll is not None
    names = [option.action for option in _candidates(judgement, rollouts.within)]
    plays = [state.position.play(name, state.roll) for name in names]
    candidates = _rolled(engine, state, turn, rollouts, threads, plays)
    in_match = state.rules.length is not None
    options = [_from_rollout(name, candidate, in_match) for name, candidate in zip(names, candidates, strict=True)]
    rest = [option for option in judgement.options if option.action not in names]
    fresh = _judged(_question(judgement), options, judgement.action, lambda _: True)
    return dataclasses.replace(fresh, options=(*fresh.options, *rest))


def _roll_out_cube(
    engine: Engine, judgement: Judgement, turn: int | None, rollouts: Rollouts, threads: int | None
) -> Judgement:
    state = judgement.state
    rolling, taken = _rolled(engine, state, turn, rollouts, threads, ())
    ladder = Ladder.of(state.rules, state.score, stake=state.stake, met=engine.met, player=state.on_roll)
    in_match = state.rules.length is not None
    worths = {"no_double": rolling.value, "double_take": taken.value, "double_drop": 1.0}
    if ladder.beavers != 0 and taken.value < 0 and any(name == "beaver" for name, _ in judgement.worths):
        # The cube stays where it is, at twice its value.
        worths["beaver"] = 2 * taken.value
    dropped = Option("drop", 1.0, ladder.worth(1, state.cube.level) if in_match else None, None, None)
    took = _from_rollout("take", taken, in_match)
    turned = dataclasses.replace(took, action="beaver", equity=2 * took.equity)
    replies = [took, dropped] + [turned] * ("beaver" in worths)
    if judgement.kind == "double":
        reply = min(replies, key=lambda option: option.equity)
        options = [_from_rollout("no double", rolling, in_match), dataclasses.replace(reply, action="double")]
    else:
        options = [_other_side(option) for option in replies]
    if judgement.action not in {option.action for option in options}:
        return judgement
    fresh = _judged(_question(judgement), options, judgement.action, lambda _: True)
    return dataclasses.replace(fresh, verdict=_verdict(judgement.kind, fresh, worths), worths=tuple(worths.items()))


def _other_side(option: Option) -> Option:
    five = None if option.probabilities is None else option.probabilities.flip()
    mwc = None if option.mwc is None else 1.0 - option.mwc
    return dataclasses.replace(option, equity=-option.equity, mwc=mwc, probabilities=five)


def _verdict(kind: str, judgement: Judgement, worths: dict[str, float]) -> str:
    """The verdict in the words of `gammon.cube.decide`."""
    if kind == "answer":
        return judgement.best.action
    double = "redouble" if judgement.state.cube.owner == "player" else "double"
    replies = {name: worth for name, worth in worths.items() if name != "no_double"}
    reply = min(replies, key=lambda name: replies[name])
    if judgement.best.action == "double":
        return f"{double}/{reply.removeprefix('double_')}"
    if reply == "double_drop":
        return "too good"
    return f"no {double}, beaver" if reply == "beaver" else f"no {double}"


def _question(judgement: Judgement) -> Question:
    return Question(
        judgement.event,
        judgement.game,
        judgement.player,
        judgement.kind,
        judgement.state,
        judgement.action,
        note=judgement.note,
    )
