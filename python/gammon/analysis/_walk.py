"""From the record of a match to the questions that an engine can answer: one for each decision and each roll."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gammon.dice import Roll
from gammon.match import Event, Match, Offer, Phase, State
from gammon.match import _machine as machine
from gammon.match._moment import Moment
from gammon.play import Play

__all__ = ["Kind", "Question", "Throw", "walk"]

Kind: TypeAlias = Literal["play", "double", "answer", "resign", "resignation answer"]


@dataclass(frozen=True, slots=True)
class Question:
    """A decision: who had it, in which state, and what was done."""

    event: int
    game: int
    player: int
    kind: Kind
    state: State
    """As the decision met it; of an early double, as its answer met it, without the offer."""
    done: str
    play: Play | None = None
    """The play that was made, if it is legal."""
    reason: str = ""
    """Why it cannot be judged."""
    note: str = ""
    turn: int | None = None
    """Which turn of the game it was."""


@dataclass(frozen=True, slots=True)
class Throw:
    """A roll that was thrown: by whom, and in which state before it."""

    event: int
    game: int
    player: int
    state: State
    """Before the roll, seen by the player; of an opening roll the start of the game."""
    roll: Roll
    opening: bool
    turn: int | None = None


def walk(match: Match) -> tuple[list[Question], list[Throw]]:
    """Every decision of a match, and every roll."""
    walker = _Walker(match)
    steps = list(match.moments())
    afters = [before for before, _ in steps[1:]] + [match.moment] * bool(steps)
    for number, ((before, event), after) in enumerate(zip(steps, afters, strict=True)):
        walker.step(number, before, event, after)
    walker.questions.sort(key=lambda question: question.event)
    return walker.questions, walker.throws


class _Walker:
    def __init__(self, match: Match) -> None:
        self._rules = match.rules
        self.questions: list[Question] = []
        self.throws: list[Throw] = []
        self._early: tuple[int, int, int] | None = None
        """Event, game and player of an early double that was not answered yet."""

    def step(self, number: int, before: Moment, event: Event, after: Moment) -> None:
        if event.kind == "roll":
            self._roll(number, before, event, after)
        elif event.kind == "dice_fault":
            self._thrown_again(number, after)
        elif before.in_game and event.player is not None:
            for question in self._asked(number, before, event, event.player):
                self.questions.append(dataclasses.replace(question, turn=before.turn))
        if not after.in_game:
            # The cube of an early double that nobody answered was never turned: there is nothing to judge.
            self._early = None

    def _state(self, moment: Moment) -> State:
        return moment.state(self._rules, moment.crawford)

    def _roll(self, number: int, before: Moment, event: Event, after: Moment) -> None:
        if after.roll is None or not after.in_game:
            return
        game = len(after.games) + 1
        opening = event.player is None
        at = after if opening else before
        state = dataclasses.replace(self._state(at), roll=None, offer=None, offered_by=None)
        if not opening and self._may_double(before):
            self.questions.append(Question(number, game, after.on_roll, "double", state, "no double", turn=at.turn))
        self.throws.append(Throw(number, game, after.on_roll, state, after.roll, opening, at.turn))

    def _thrown_again(self, number: int, after: Moment) -> None:
        """The last roll was none; if only one die is thrown again, there is another at once."""
        if not self.throws:
            return
        void = self.throws.pop()
        if after.roll is not None and after.in_game and after.on_roll == void.player:
            self.throws.append(dataclasses.replace(void, event=number, roll=after.roll))

    def _may_double(self, before: Moment) -> bool:
        if before.phase is not Phase.ON_ROLL or before.appealed:
            return False
        actions = machine.legal_actions(self._rules, before)
        return any(action.kind == "double" and action.player == before.on_roll for action in actions)

    def _asked(self, number: int, before: Moment, event: Event, player: int) -> Iterator[Question]:
        game, state = len(before.games) + 1, self._state(before)
        if event.kind == "play":
            yield _played(number, game, player, state, event)
        elif event.kind == "double" and player != before.on_roll:
            self._early = (number, game, player)
        elif event.kind == "double":
            reason = "" if self._may_double(before) else "the rules do not allow it"
            yield Question(number, game, player, "double", state, "double", reason=reason)
        elif event.kind in ("take", "drop", "beaver"):
            yield from self._answered_early(state)
            done = "raccoon" if event.kind == "beaver" and state.offer is Offer.BEAVER else event.kind
            yield Question(number, game, player, "answer", state, done)
        elif event.kind == "resign" and before.offer is None and event.level is not None:
            done = Offer.resignation(event.level).value
            yield Question(number, game, player, "resign", state, done)
        elif event.kind in ("accept", "decline"):
            yield Question(number, game, player, "resignation answer", state, event.kind)

    def _answered_early(self, state: State) -> Iterator[Question]:
        """An early double is judged where it is answered: on the board that the other player's turn has left."""
        if self._early is None:
            return
        number, game, player = self._early
        self._early = None
        asked = dataclasses.replace(state, offer=None, offered_by=None)
        yield Question(number, game, player, "double", asked, "double", note="early")


def _played(number: int, game: int, player: int, state: State, event: Event) -> Question:
    text = str(event.play)
    if not isinstance(event.play, Play) or event.illegal or "illegal" in event.notes:
        return Question(number, game, player, "play", state, text, reason="illegal")
    return Question(number, game, player, "play", state, text, play=event.play)
