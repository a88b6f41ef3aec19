"""What a board shows, before it is decided how: the one reading of positions, states, plays and matches."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from gammon.dice import Roll
from gammon.errors import InvalidArgumentError
from gammon.match import Match, Offer, Phase, State
from gammon.play import Play
from gammon.position import Position

__all__ = ["Direction", "Drawable", "Scene", "Side", "View", "clean", "mark", "read"]

Drawable: TypeAlias = Position | State | Play | Match
View: TypeAlias = Literal["player", "opponent", 0, 1]
"""Who sits below: the player on roll or the opponent; or a seat, of a state or match."""
Direction: TypeAlias = Literal["clockwise", "counterclockwise"]

DIRECTIONS = ("clockwise", "counterclockwise")
LEVEL_WORDS = {1: "a single game", 2: "a gammon", 3: "a backgammon"}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two players as the board shows them. `seat` is 0 for X and 1 for O."""

    seat: int
    bar: int
    off: int
    pips: int
    name: str | None = None
    points: int | None = None
    clock: float | None = None
    """Seconds left."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A board seen by the player who sits below: their checkers count above 0, the others below 0.

    `points[p]` is their point p, index 0 unused. Steps of a play are in their numbering too.
    """

    points: tuple[int, ...]
    below: Side
    above: Side
    on_roll: Literal["below", "above"]
    """Whose numbers the points have."""
    direction: Direction
    """How the checkers of the player below go round."""
    roll: Roll | None = None
    cube: int | None = None
    """The value that the cube shows; None if no cube is drawn."""
    cube_place: Literal["below", "middle", "above"] = "middle"
    offered: int | None = None
    """The value of the cube that awaits an answer."""
    steps: tuple[tuple[int, int], ...] = ()
    steps_by: Literal["below", "above"] = "below"
    hits: tuple[bool, ...] = ()
    status: str = ""
    """What is to be done; `{below}` and `{above}` stand for the players."""
    heading: str = ""
    length: int | None = None

    def label(self, point: int) -> int:
        """The number of the point `point` of the player below, as the side on roll counts."""
        return point if self.on_roll == "below" else 25 - point

    def side(self, place: Literal["below", "above"]) -> Side:
        """The player who sits there."""
        return self.below if place == "below" else self.above

    def said(self, below: str, above: str) -> str:
        """The status with the players called so."""
        names = {"{below}": below, "{above}": above}
        return re.sub(r"\{below\}|\{above\}", lambda found: names[found[0]], self.status)


def read(drawable: Drawable, view: View | None, direction: Direction | None) -> Scene:
    """What is to be drawn. A match is shown from seat 0 and in its own direction unless something else is asked."""
    if direction is not None and direction not in DIRECTIONS:
        raise InvalidArgumentError(f"direction is one of {', '.join(DIRECTIONS)}, not {direction!r}")
    if view is not None and (isinstance(view, bool) or view not in ("player", "opponent", 0, 1)):
        raise InvalidArgumentError(f"view is 'player', 'opponent', or seat 0 or 1, not {view!r}")
    if isinstance(drawable, Match):
        return _of_match(drawable, 0 if view is None else view, direction)
    if isinstance(drawable, State):
        return _of_state(drawable, "player" if view is None else view, direction)
    if view in (0, 1):
        raise InvalidArgumentError(f"view is 'player' or 'opponent' where there are no seats, not {view!r}")
    if isinstance(drawable, Position):
        return _board(drawable, 0, view != "opponent", direction)
    if isinstance(drawable, Play):
        return _of_play(drawable, view != "opponent", direction)
    raise InvalidArgumentError(f"a Position, State, Play or Match can be drawn, not {drawable!r}")


def _board(position: Position, seat: int, player_below: bool, direction: Direction | None) -> Scene:
    """The bare board; `seat` is that of the player on roll."""
    seen = position if player_below else position.flip()
    own = seat if player_below else 1 - seat
    return Scene(
        points=(0, *(seen[point] for point in range(1, 25))),
        below=Side(own, seen.bar, seen.off, seen.pips),
        above=Side(1 - own, seen.opponent_bar, seen.opponent_off, seen.opponent_pips),
        on_roll="below" if player_below else "above",
        direction=direction or "counterclockwise",
    )


def _of_play(play: Play, player_below: bool, direction: Direction | None) -> Scene:
    """The board before the play, with its steps."""
    scene = _board(play.before, 0, player_below, direction)
    steps = play.steps if player_below else tuple((25 - start, 25 - end) for start, end in play.steps)
    text = str(play) or "no legal play"
    return replace(
        scene,
        roll=play.roll,
        steps=steps,
        steps_by=scene.on_roll,
        hits=play.hits,
        status=f"{{{scene.on_roll}}} plays {play.roll}: {text}",
    )


def _of_state(state: State, view: View, direction: Direction | None) -> Scene:
    player_below = view == "player" or (view in (0, 1) and view == state.on_roll)
    scene = _board(state.position, state.on_roll, player_below, direction)
    length = state.rules.length
    below, above = (replace(side, points=state.points[side.seat]) for side in (scene.below, scene.above))
    shown = state.rules.use_cube and not state.is_crawford
    place: Literal["below", "middle", "above"] = "middle"
    if state.cube.owner is not None:
        place = "below" if (state.cube.owner == "player") == player_below else "above"
    offered = 2 * state.value if state.offer in (Offer.DOUBLE, Offer.BEAVER, Offer.RACCOON) else None
    heading = f"{length}-point match" if length is not None else "money session" if state.rules.use_cube else "casual"
    if state.is_crawford:
        heading += ", Crawford game"
    elif state.post_crawford:
        heading += ", post-Crawford"
    return replace(
        scene,
        below=below,
        above=above,
        roll=state.roll,
        cube=state.value if shown else None,
        cube_place=place,
        offered=offered,
        status=_status(state, scene),
        heading=heading,
        length=length,
    )


def _status(state: State, scene: Scene) -> str:
    """One short line: what happens next."""
    other: Literal["below", "above"] = "above" if scene.on_roll == "below" else "below"
    by = scene.on_roll if state.offered_by in (None, state.on_roll) else other
    answers = other if by == scene.on_roll else scene.on_roll
    if state.offer is not None and state.offer.level is not None:
        return f"{{{by}}} resigns {LEVEL_WORDS[state.offer.level]}: {{{answers}}} to answer"
    if state.offer is not None:
        if state.offer is Offer.DOUBLE and state.offered_by != state.on_roll:
            return f"{{{by}}} doubles to {2 * state.value} early"
        verb = {Offer.DOUBLE: "doubles", Offer.BEAVER: "beavers", Offer.RACCOON: "raccoons"}[state.offer]
        return f"{{{by}}} {verb} to {2 * state.value}: {{{answers}}} to answer"
    outcome = state.position.outcome
    if outcome is not None:
        winner = scene.on_roll if outcome.is_win else other
        return f"{{{winner}}} has won {LEVEL_WORDS[abs(outcome.points)]}"
    if state.roll is not None:
        return f"{{{scene.on_roll}}} to play {state.roll}"
    return f"{{{scene.on_roll}}} on roll"


def _of_match(match: Match, view: View, direction: Direction | None) -> Scene:
    state = match.state
    bottom = view if view in (0, 1) else state.on_roll if view == "player" else 1 - state.on_roll
    if direction is None:
        # The direction of a match is that of player 0; sitting opposite, one sees the other player go the other way.
        direction = "clockwise" if (match.direction == "clockwise") == (bottom == 0) else "counterclockwise"
    scene = _of_state(state, view, direction)
    sides = []
    for side in (scene.below, scene.above):
        clock = None if match.clock is None else match.clock.left(side.seat)
        sides.append(replace(side, name=match.names[side.seat], clock=clock))
    return replace(scene, below=sides[0], above=sides[1], status=_match_status(match, scene))


def _match_status(match: Match, scene: Scene) -> str:
    """Like `_status`, with what the state alone does not know: the phases outside a game."""
    places = {scene.below.seat: "{below}", scene.above.seat: "{above}"}
    if match.is_over:
        return "the session is over" if match.winner is None else f"{places[match.winner]} has won the match"
    if match.phase is Phase.OPENING:
        return "opening throw to come"
    if match.phase is Phase.GAME_OVER:
        game = match.games[-1]
        return f"{places[game.winner]} won {game.points} point{'s' * (game.points != 1)}, by {_ending(game.ending)}"
    return scene.status


def _ending(ending: str) -> str:
    return {"play": "bearing off", "drop": "a drop", "resignation": "resignation", "award": "award"}.get(ending, ending)


# Texts from outside: names.


def clean(text: str, width: int, *, ascii_only: bool = False) -> str:
    """A name that can do no harm: no control characters, no line ends, at most `width` columns.

    >>> clean("Ann\\x1b[2J\\nBob", 20)
    'Ann?[2J?Bob'
    >>> clean("Jürgen von und zu", 10, ascii_only=True)
    'Jurgen ...'
    """
    if ascii_only:
        plain = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in plain if not unicodedata.combining(letter))
        text = "".join(letter if letter.isascii() else "?" for letter in text)
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    if sum(map(_columns, text)) <= width:
        return text
    dots = "..." if ascii_only else "…"
    kept, used = "", len(dots)
    for letter in text:
        used += _columns(letter)
        if used > width:
            break
        kept += letter
    return kept + dots


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(map(_columns, text))


def _columns(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def mark(seat: int) -> str:
    """The letter of a seat on boards: X for 0, O for 1."""
    return "XO"[seat]
