"""A match at a table, decision by decision: what the environments for one and for two agents share."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Literal, SupportsIndex, TypeAlias

import numpy as np

from gammon import _core
from gammon.dice import RandomDice, Roll
from gammon.errors import IllegalActionError, InvalidArgumentError
from gammon.match import Match
from gammon.play import Play
from gammon.position import Position
from gammon.rules import Rules
from gammon.scoring import CrawfordPhase

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "DOUBLE",
    "LOW",
    "PLAY",
    "SIZES",
    "TAKE",
    "ActionSpace",
    "IllegalAction",
    "Table",
    "action_place",
    "checked",
    "rules_of",
]

IllegalAction: TypeAlias = Literal["lose", "raise"]
ActionSpace: TypeAlias = Literal["play", "step"]

PLAY, DOUBLE, TAKE = range(3)
"""The kinds of decisions, as an observation names them."""

SIZES = {"play": 3060, "step": 151}
"""How many actions each space has. A roll has at most C(18, 4) = 3,060 plays; a step starts from 25 places and goes 1
to 6 points, and 0 is a dance."""

LENGTH = 38
LOW = np.array([-15, *[-15] * 24, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0], dtype=np.int32)
HIGH = np.array([0, *[15] * 24, 15, 15, 15, 6, 6, 32767, 32767, 15, 1, 2, 2, 2**31 - 1, 4], dtype=np.int32)
_PHASES = {CrawfordPhase.NONE: 0, CrawfordPhase.CRAWFORD: 1, CrawfordPhase.POST_CRAWFORD: 2}
_OWNERS = {None: 0, "player": 1, "opponent": -1}


def action_place(action: SupportsIndex) -> int:
    """The number that an action is; a fraction is not rounded to one that nobody meant."""
    try:
        return operator.index(action)
    except TypeError:
        raise InvalidArgumentError(f"an action is a whole number, not {action!r:.60}") from None


def rules_of(rules: Rules | None, variant: str) -> Rules:
    """The rules of an episode: without any, a cubeless game in which gammons count."""
    if rules is None:
        return Rules.money(use_cube=False, jacoby=False, beavers=0, variant=variant)
    if not isinstance(rules, Rules):
        raise InvalidArgumentError(f"rules are gammon.Rules or None, not {rules!r}")
    if variant != "standard":
        raise InvalidArgumentError(f"the rules say how a game starts, so variant cannot be {variant!r} as well")
    return rules


def checked(illegal_action: str, actions: str) -> None:
    """Refuses options that there are not."""
    if illegal_action not in ("lose", "raise"):
        raise InvalidArgumentError(f"illegal_action is 'lose' or 'raise', not {illegal_action!r}")
    if actions not in SIZES:
        raise InvalidArgumentError(f"actions is 'play' or 'step', not {actions!r}")


def _flipped(cells: NDArray[np.int8]) -> NDArray[np.int8]:
    """The array form as the other player sees it; a play may be half made in it."""
    flipped = np.empty_like(cells)
    flipped[:26] = -cells[25::-1]
    flipped[26:] = cells[27], cells[26]
    return flipped


class Table:
    """One episode: a game, or a whole match under match rules. Always at a decision, or over."""

    def __init__(self, rules: Rules, seed: int, actions: str) -> None:
        self.match = Match(rules, dice=RandomDice(seed))
        self.rules = rules
        self.seed = seed
        self.by_steps = actions == "step"
        self.size = SIZES[actions]
        self.kind = PLAY
        self.seat = 0
        self.over = False
        self.rewards = (0.0, 0.0)
        self.decisions = 0
        self._plays: list[Play] = []
        self._made: list[tuple[int, int]] = []
        self._advance()

    def _advance(self) -> None:
        """Goes on to the next decision."""
        self.decisions += 1
        match = self.match
        while True:
            if match.is_over or (match.games and not self.rules.is_match):
                return self._finish()
            if not match.in_game:
                match.roll()
                continue
            state = match.state
            self.seat = state.to_act
            if state.offer is not None:
                self.kind = TAKE
                return None
            if state.roll is None:
                if any(action.kind == "double" for action in match.legal_actions()):
                    self.kind = DOUBLE
                    return None
                match.roll()
                continue
            self.kind = PLAY
            self._plays = list(state.position.plays(state.roll))
            self._made = []
            return None

    def _finish(self) -> None:
        self.over = True
        self._plays = []
        self._made = []
        if self.rules.is_match:
            assert self.match.winner is not None
            won = 1.0 if self.match.winner == 0 else -1.0
        else:
            game = self.match.games[0]
            won = float(game.points if game.winner == 0 else -game.points)
        self.rewards = (won, -won)

    @property
    def position(self) -> NDArray[np.int8]:
        """What the player who decides sees, steps of an unfinished play included."""
        state = self.match.state
        position = state.position if self.seat == state.on_roll else state.position.flip()
        cells = position.to_array()
        for start, end in self._made if self.kind == PLAY else ():
            cells[start] -= 1
            if end == 0:
                cells[26] += 1
            elif cells[end] == -1:
                cells[end] = 1
                cells[0] -= 1
            else:
                cells[end] += 1
        return cells

    @property
    def roll(self) -> Roll | None:
        """The dice that are to be played."""
        return self.match.state.roll if self.kind == PLAY else None

    def observation(self) -> NDArray[np.int32]:
        """int32[38], as `docs/env` has it, seen by the player who decides."""
        return self.observation_of(self.seat)

    def observation_of(self, seat: int) -> NDArray[np.int32]:
        """The same as a player sees it, whoever decides."""
        state = self.match.state
        mine = seat == state.on_roll
        row = np.zeros(LENGTH, dtype=np.int32)
        row[:28] = self.position if seat == self.seat else _flipped(self.position)
        if self.roll is not None:
            row[28:30] = self.roll.high, self.roll.low
        if self.rules.length is not None:
            row[30:32] = [max(0, self.rules.length - state.points[side]) for side in (seat, 1 - seat)]
        cube = state.cube if mine else state.cube.flip()
        row[32:34] = cube.level, _OWNERS[cube.owner]
        row[34] = _PHASES[self.match.game_phase]
        row[35] = self.kind
        row[36] = state.stake
        row[37] = len(self._made) if self.kind == PLAY else 0
        return row

    def actions(self) -> list[int]:
        """The actions that there are, ascending; none when it is over."""
        if self.over:
            return []
        if self.kind != PLAY:
            return [0, 1]
        if not self.by_steps:
            return list(range(max(1, len(self._plays))))
        return sorted({self._step_action(play) for play in self._plays}) or [0]

    def _step_action(self, play: Play) -> int:
        start, end = play.steps[len(self._made)]
        return 1 + 6 * (start - 1) + (start - end - 1)

    def mask(self) -> NDArray[np.int8]:
        """int8[size], 1 for the actions that there are."""
        mask = np.zeros(self.size, dtype=np.int8)
        mask[self.actions()] = 1
        return mask

    def candidates(self) -> NDArray[np.int8]:
        """int8[n, 28], what the plays lead to, seen by the player who rolls next; none for the cube."""
        plays = self._plays if self.kind == PLAY and not self.over else []
        cells = [play.next.to_array() for play in plays]
        return np.array(cells, dtype=np.int8).reshape(len(cells), 28)

    def noise(self) -> int:
        """A random word for the decision."""
        return _core.below("player", self.seed, 0, self.decisions, self.kind, (1 << 64) - 1)

    def choose(self, place: int) -> None:
        """Makes a whole play, by its place among those that there are; the empty one if there is none."""
        state = self.match.state
        assert state.roll is not None
        self.match.play(self._plays[place] if self._plays else state.position.play("", state.roll))
        self._advance()

    @property
    def plays(self) -> int:
        """How many plays there are."""
        return len(self._plays)

    def place_of(self, after: Position) -> int:
        """The place of the play that leads to a position."""
        return next(place for place, play in enumerate(self._plays) if play.after == after)

    def act(self, action: int) -> None:
        """Takes an action that there is; `IllegalActionError` for any other."""
        if action not in self.actions():
            raise IllegalActionError(f"player {self.seat} has no action {action} now")
        if self.kind == DOUBLE:
            if action:
                self.match.double()
            else:
                self.match.roll()
        elif self.kind == TAKE:
            if action:
                self.match.take()
            else:
                self.match.drop()
        elif self.by_steps and self._plays:
            return self._step(action)
        else:
            return self.choose(action)
        return self._advance()

    def _step(self, action: int) -> None:
        """Makes one step; the last one completes the play."""
        self._plays = [play for play in self._plays if self._step_action(play) == action]
        self._made.append(self._plays[0].steps[len(self._made)])
        if len(self._made) == len(self._plays[0].steps):
            self.choose(0)

    def lose(self) -> None:
        """Ends the episode against the player who decides: a lost backgammon at the value of the game, or the match."""
        worst = 1.0 if self.rules.is_match else 3.0 * self.match.state.value
        self.rewards = (-worst, worst) if self.seat == 0 else (worst, -worst)
        self.over = True

    def describe(self) -> Position:
        """The position on the board, seen by the player who decides."""
        return Position.from_array(self.position)
