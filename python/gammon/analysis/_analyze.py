"""`analyze`: the record walked, the questions shared out among threads, the answers put together."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any

from gammon._checks import seed as seeded
from gammon._long_work import Progress, Report, reporter
from gammon.analysis import _judge
from gammon.analysis._judge import Rollouts
from gammon.analysis._result import Analysis, Judgement, RollLuck, summary
from gammon.analysis._walk import walk
from gammon.engine import Engine
from gammon.errors import Interrupted, InvalidArgumentError
from gammon.evaluator import Model
from gammon.match import Match

__all__ = ["analyze"]

PLIES = 2
MOST_LUCK_PLIES = 1
WITHIN = 0.08
MOST_TRIALS = 1 << 40


def analyze(
    match: Match,
    *,
    plies: int | None = None,
    rollout: int | None = None,
    rollout_within: float = WITHIN,
    seed: int = 0,
    luck_plies: int | None = None,
    engine: Engine | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Analysis:
    """Judges every decision of a match, and the luck of every roll.

    A play is compared with the best one, a decision of the cube with the other ones; the play that was made is looked
    at as deep as the best. Illegal plays in the record are flagged and not judged. ``docs/analysis.md`` says what
    counts as a decision, and how the performance rating is defined.

    Args:
        match: a record, of a match or session that may still be in progress.
        plies: how many rolls to look ahead, 0 to 3; those of the engine if None, and 2 without one.
        rollout: so many trials, at least 2, for each close decision; None for no rollouts.
        rollout_within: which decisions are close: what was done, or else the second choice, is within so much
            equity of the best.
        seed: of the rollouts.
        luck_plies: how far to look ahead for the luck of rolls; as far as for decisions, but at most 1, if None.
        engine: who judges, with its model, tables, filters and match equities.
        threads: None for one on each core; the analysis is the same for any number.
        progress: a callable (decisions and rolls done, in all), or True for a bar.

    Raises:
        InvalidArgumentError: for settings out of range, or plies that are not those of the engine.
        Interrupted: on Ctrl-C, with what was judged so far in `.result`.

    >>> from gammon.dice import SequenceDice
    >>> match = Match(dice=SequenceDice([(3, 1)]))
    >>> match.roll()
    Roll(3, 1)
    >>> _ = match.play("8/5 6/5")
    >>> analysis = analyze(match, plies=1)
    >>> analysis.decisions[0].error, analysis.players[0].performance_rating
    (0.0, 0.0)
    """
    if not isinstance(match, Match):
        raise InvalidArgumentError(f"a Match is analysed, not {match!r}")
    judge, lucky = _engines(plies, luck_plies, engine)
    count = _threads(threads, judge)
    rollouts = _rollouts(rollout, rollout_within, seeded(seed))
    questions, throws = walk(match)
    jobs: list[Callable[[], Judgement | RollLuck | None]] = []
    jobs += [partial(_judge.judge, judge, question) for question in questions]
    jobs += [partial(_judge.luck, lucky, throw) for throw in throws]
    judgements: list[Judgement] = []
    rolls: list[RollLuck] = []

    def result(*, complete: bool) -> Analysis:
        return _put_together(match, judge, lucky.plies, rollout, judgements, rolls, complete=complete)

    def keep(answers: Sequence[Judgement | RollLuck | None]) -> None:
        judgements[:] = [answer for answer in answers if isinstance(answer, Judgement)]
        rolls[:] = [answer for answer in answers if isinstance(answer, RollLuck)]

    answers: list[Judgement | RollLuck | None] = [None] * len(jobs)
    with reporter(progress, "analyze") as report:
        try:
            _run(jobs, answers, count, report)
            keep(answers)
            if rollouts is not None:
                turns = [question.turn for question in questions]
                _roll_out(judge, judgements, turns, rollouts, threads, report, len(jobs))
        except KeyboardInterrupt as error:
            if not judgements:
                keep(answers)
            raise Interrupted(result=result(complete=False)) from error
    return result(complete=True)


def _engines(plies: int | None, luck_plies: int | None, engine: Engine | None) -> tuple[Engine, Engine]:
    """Who judges decisions, and who judges rolls: each asked from many threads, and so with one of its own."""
    if engine is None:
        judge = Engine(PLIES if plies is None else plies, threads=1)
    elif not isinstance(engine, Engine):
        raise InvalidArgumentError(f"engine is an Engine, not {engine!r}")
    elif plies is not None and plies != engine.plies:
        raise InvalidArgumentError(f"the engine looks {engine.plies} plies ahead, not {plies}: leave plies out")
    else:
        judge = engine.replaced(threads=1)
    return judge, judge.replaced(plies=min(judge.plies, MOST_LUCK_PLIES) if luck_plies is None else luck_plies)


def _threads(threads: int | None, engine: Engine) -> int:
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 1024):
        raise InvalidArgumentError(f"threads is 1 to 1024 or None, not {threads!r}")
    if not isinstance(engine.model, Model):
        # Somebody's own evaluator need not be ready for several threads.
        return 1
    return (os.cpu_count() or 1) if threads is None else threads


def _rollouts(trials: int | None, within: float, seed: int) -> Rollouts | None:
    if isinstance(within, bool) or not isinstance(within, int | float) or not 0 <= within <= 10:
        raise InvalidArgumentError(f"rollout_within is 0 to 10, not {within!r}")
    if trials is None:
        return None
    if isinstance(trials, bool) or not isinstance(trials, int) or not 2 <= trials <= MOST_TRIALS:
        raise InvalidArgumentError(f"rollout is a number of trials of at least 2, or None, not {trials!r}")
    return Rollouts(trials, float(within), seed)


def _run(jobs: Sequence[Callable[[], Any]], answers: list[Any], threads: int, report: Report | None) -> None:
    """Does all jobs; the answers stand in the order of the jobs, whoever is done first."""
    if not jobs:
        return
    # What engines share, such as tables, is made by the first job alone.
    answers[0] = jobs[0]()
    done = 1
    if report is not None:
        report(done, len(jobs))
    if threads == 1:
        for place in range(1, len(jobs)):
            answers[place] = jobs[place]()
            if report is not None:
                report(place + 1, len(jobs))
        return
    executor = ThreadPoolExecutor(threads, thread_name_prefix="gammon-analyze")
    try:
        places: dict[Future[Any], int] = {executor.submit(jobs[place]): place for place in range(1, len(jobs))}
        left = set(places)
        while left:
            finished, left = wait(left, timeout=0.1, return_when=FIRST_COMPLETED)
            for future in finished:
                answers[places[future]] = future.result()
            done += len(finished)
            if report is not None and finished:
                report(done, len(jobs))
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _roll_out(
    engine: Engine,
    judgements: list[Judgement],
    turns: Sequence[int | None],
    rollouts: Rollouts,
    threads: int | None,
    report: Report | None,
    before: int,
) -> None:
    close = [place for place, known in enumerate(judgements) if _judge.is_close(known, rollouts.within)]
    for number, place in enumerate(close, 1):
        judgements[place] = _judge.roll_out_close(engine, judgements[place], turns[place], rollouts, threads)
        if report is not None:
            report(before + number, before + len(close))


def _put_together(
    match: Match,
    engine: Engine,
    luck_plies: int,
    rollout: int | None,
    judgements: Sequence[Judgement],
    rolls: Sequence[RollLuck],
    *,
    complete: bool,
) -> Analysis:
    players = tuple(summary(seat, match.names[seat], judgements, rolls) for seat in (0, 1))
    return Analysis(
        names=match.names,
        length=match.rules.length,
        score=match.score,
        plies=engine.plies,
        luck_plies=luck_plies,
        rollout=rollout,
        decisions=tuple(judgements),
        rolls=tuple(rolls),
        players=(players[0], players[1]),
        results=tuple(game.points if game.winner == 0 else -game.points for game in match.games),
        complete=complete,
    )
