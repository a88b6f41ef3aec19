"""The state machine of a match: what each event does to a moment, and why it may not.

Pure functions of (rules, moment, event). `advance` is the one door; `legal_actions` asks the same questions as the
events do. Every refusal is an `IllegalActionError` with a reason of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from gammon import scoring
from gammon.clock import STOP_REASONS, loser_on_time
from gammon.errors import (
    AmbiguousPlayError,
    IllegalActionError,
    IllegalPlayError,
    InvalidArgumentError,
    InvalidPositionError,
    NotationError,
)
from gammon.match._events import Event, changed
from gammon.match._illegal import after_as_written, after_on_record
from gammon.match._moment import Game, Moment
from gammon.match._state import Action, Offer, Phase, State
from gammon.play import Play
from gammon.position import Position
from gammon.rules import Rules
from gammon.scoring import CrawfordPhase
from gammon.tournament import (
    BREAK_MINUTES,
    DECISIONS,
    breaks_allowed,
    late_points_for_both,
    loses_by_lateness,
    points_still_needed,
)

_NOT_THE_GAME = ("decision", "appeal", "stop_clock", "resume_clock")
"""After these, a decision of the director can still be appealed."""

__all__ = [
    "advance",
    "begin",
    "highest_resignation",
    "legal_actions",
    "plain_turn",
    "taken_up",
    "upcoming_phase",
]

MAX_CUBE = 1 << 15
"""The largest face that types and codecs know."""

MOST_POINTS = 1 << 20
"""The most points that a score can be set to: more than any match or session is played for."""

FIRST_SET_TURN = 3
"""A position that is set is not that of an opening throw: on this turn both players may double (rule 7.2)."""

TURN_WHEN_TAKEN_UP = 7
"""A turn after which no rule asks for the number of the turn any more (rules 7.2, 7.9, 9.7)."""

replace = Moment.changed


def begin(rules: Rules, points: tuple[int, int] = (0, 0), *, crawford_played: bool = False) -> Moment:
    """The moment before a match, or before its first game here."""
    moment = Moment(
        Phase.OPENING,
        rules.position,
        points=points,
        crawford_played=crawford_played,
        clock_points=rules.length if rules.clock_use == "required" else None,
    )
    return _next_game(rules, moment)


def taken_up(state: State) -> Moment:
    """The moment of a game that is taken up in the middle; its first turns are taken to be over.

    Raises `InvalidArgumentError` for a state that no game of ours comes to.
    """
    if state.position.is_over or scoring.match_winner(state.points, state.rules.length) is not None:
        raise InvalidArgumentError("a match is taken up while a game is being played, not after its end")
    offer, by_roller = state.offer, state.offered_by == state.on_roll
    before_roll = state.roll is None
    if offer is Offer.DOUBLE:
        phase = Phase.DOUBLED if by_roller else Phase.ON_ROLL if before_roll else Phase.ROLLED
        possible = before_roll or not by_roller
    elif offer in (Offer.BEAVER, Offer.RACCOON):
        phase, possible = Phase.BEAVERED, before_roll and by_roller == (offer is Offer.RACCOON)
    else:
        phase = Phase.ON_ROLL if before_roll else Phase.ROLLED
        phase, possible = (phase if offer is None else Phase.RESIGNED), True
    if not possible:
        raise InvalidArgumentError(f"player {state.offered_by} cannot have offered a {offer} in {state!r}")
    seats = {None: None, "player": state.on_roll, "opponent": 1 - state.on_roll}
    moment = begin(state.rules, state.points, crawford_played=state.post_crawford)
    return replace(
        moment,
        phase=phase,
        position=state.position,
        on_roll=state.on_roll,
        roll=state.roll,
        cube=state.cube.value,
        owner=seats[state.cube.owner],
        stake=state.stake,
        offer=offer,
        offered_by=state.offered_by,
        further={Offer.BEAVER: 1, Offer.RACCOON: 2}.get(offer, 0) if offer is not None else 0,
        turn=TURN_WHEN_TAKEN_UP,
        crawford=state.crawford_phase,
    )


def advance(rules: Rules, moment: Moment, event: Event) -> tuple[Moment, Event]:
    """The moment after an event, and the event with the remarks that the rules make on it.

    Raises `IllegalActionError`, or for a play its own errors, and changes nothing.
    """
    if event.kind not in _EVENTS:
        raise IllegalActionError(f"there is no event {event.kind!r}")
    if moment.appealed and event.kind != "committee":
        raise IllegalActionError("an appeal awaits the committee")
    if moment.recorded:
        raise IllegalActionError("the result is recorded, which is final")
    notes: list[str] = []
    after = _EVENTS[event.kind](rules, moment, event, notes)
    if after.decided is not None and event.kind not in _NOT_THE_GAME:
        after = replace(after, decided=None)
    return after, changed(event, notes=tuple(notes)) if notes or event.notes else event


def plain_turn(moment: Moment, play: Play) -> Moment | None:
    """The moment after a roll and its play, where nothing else can be meant; None where `advance` has to say.

    What `advance` gives for both events, without asking each question twice: most of a record are such turns.
    """
    if (
        moment.phase is not Phase.ON_ROLL
        or moment.offer is not None
        or moment.replay is not None
        or moment.decided is not None
        or moment.appealed
        or moment.recorded
        or play.before != moment.position
        or play.after.is_over
    ):
        return None
    return moment.after_turn(play.next)


def legal_actions(rules: Rules, moment: Moment) -> list[Action]:
    """Every action of the game that can be taken now, by either player."""
    if moment.appealed or moment.phase is Phase.MATCH_OVER:
        return []
    if not moment.in_game:
        return [Action("roll")]
    player, other = moment.on_roll, 1 - moment.on_roll
    if moment.phase is Phase.RESIGNED:
        return [Action("accept", moment.to_act), Action("decline", moment.to_act)]
    if moment.phase in (Phase.DOUBLED, Phase.BEAVERED):
        answers = [Action("take", moment.to_act), Action("drop", moment.to_act)]
        return answers if _beaver_refusal(rules, moment) else [*answers, Action("beaver", moment.to_act)]
    actions: list[Action] = []
    if moment.phase is Phase.ON_ROLL:
        actions.append(Action("roll", player))
        if _double_refusal(rules, moment, player) is None:
            actions.append(Action("double", player))
    else:
        assert moment.roll is not None
        plays = moment.position.plays(moment.roll)
        if not len(plays):
            actions.append(Action("play", player, play=moment.position.play("", moment.roll)))
        actions += [Action("play", player, play=play) for play in plays]
        if _double_refusal(rules, moment, other) is None:
            actions.append(Action("double", other))
    if not moment.early:
        for seat in (player, other):
            levels = range(1, highest_resignation(rules, moment, seat) + 1)
            actions += [Action("resign", seat, level=level) for level in levels]
    return actions


def upcoming_phase(rules: Rules, moment: Moment) -> CrawfordPhase:
    """The Crawford phase of a game that would start now, from score and history (rule 7.7)."""
    played = moment.crawford_played or any(game.is_crawford for game in moment.games)
    return scoring.crawford_phase(moment.points, rules.length, crawford=rules.crawford, played=played)


# Games: how they begin and end.


def _next_game(rules: Rules, moment: Moment) -> Moment:
    """The moment before the opening throw: cube centred at 1, board set up (rule 7.1)."""
    return replace(
        moment,
        phase=Phase.OPENING,
        position=rules.position,
        on_roll=0,
        roll=None,
        cube=1,
        owner=None,
        stake=1,
        ties=0,
        offer=None,
        offered_by=None,
        further=0,
        turn=0,
        starter=None,
        opening_roll=None,
        cocked=False,
        start=None,
        replay=None,
        disputed=None,
        contested=False,
    )


def _finish(rules: Rules, moment: Moment, winner: int, level: int, ending: str, points: int | None = None) -> Moment:
    """Ends the game in progress, or books one that was never played; `points` overrides what it is worth."""
    turned = scoring.is_turned(moment.owner)
    if points is None:
        points = scoring.counted_level(level, jacoby=rules.jacoby, turned=turned) * moment.value
    played = moment.in_game
    game = Game(
        number=len(moment.games) + 1,
        winner=winner,
        points=points,
        counted=scoring.counted_points(points, moment.points[winner], rules.length),
        level=level,
        ending=ending,
        stake=moment.stake if played else 1,
        cube=moment.cube if played else 1,
        crawford=moment.crawford if played else CrawfordPhase.NONE,
        start_points=moment.points,
        starter=moment.starter if played else None,
        turns=moment.turn if played else 0,
    )
    moment = replace(
        moment,
        phase=Phase.GAME_OVER,
        offer=None,
        offered_by=None,
        further=0,
        games=(*moment.games, game),
        points=_plus(moment.points, winner, points),
        replay=None,
        contested=False,
        disputed=moment.disputed if ending == "play" else None,
    )
    return _settle_points(rules, moment)


def _settle_points(rules: Rules, moment: Moment) -> Moment:
    """Between games: the match may be won, and points that waited for the next game count now (rules 7.7, 9.1)."""
    if scoring.match_winner(moment.points, rules.length) is None:
        points = (moment.points[0] + moment.pending[0], moment.points[1] + moment.pending[1])
        moment = replace(moment, points=points, pending=(0, 0))
    winner = scoring.match_winner(moment.points, rules.length)
    return moment if winner is None else _win_match(moment, winner, "points")


def _win_match(moment: Moment, winner: int | None, ending: str) -> Moment:
    return replace(
        moment,
        phase=Phase.MATCH_OVER,
        winner=winner,
        ending=ending,
        offer=None,
        offered_by=None,
        further=0,
        replay=None,
    )


def _plus(points: tuple[int, int], seat: int, more: int) -> tuple[int, int]:
    return (points[0] + more, points[1]) if seat == 0 else (points[0], points[1] + more)


# Who may act.


def _require_game(moment: Moment, what: str) -> None:
    if moment.phase is Phase.MATCH_OVER:
        raise IllegalActionError(f"cannot {what}: the match is over")
    if moment.phase is Phase.GAME_OVER:
        raise IllegalActionError(f"cannot {what}: the game is over, and the next opening throw is to be made")
    if moment.phase is Phase.OPENING:
        raise IllegalActionError(f"cannot {what}: the opening throw is still to be made")


def _pending(moment: Moment, what: str) -> str | None:
    """Why nothing else can be done while an offer awaits its answer."""
    if moment.phase is Phase.RESIGNED:
        return f"cannot {what}: a resignation awaits the answer of player {moment.to_act}"
    if moment.phase in (Phase.DOUBLED, Phase.BEAVERED):
        assert moment.offer is not None
        return f"cannot {what}: a {moment.offer.value} awaits the answer of player {moment.to_act}"
    return None


def _require_no_offer(moment: Moment, what: str) -> None:
    _require_game(moment, what)
    reason = _pending(moment, what)
    if reason is not None:
        raise IllegalActionError(reason)


def _require_answer(moment: Moment, event: Event, phases: tuple[Phase, ...], offer: str) -> None:
    _require_game(moment, event.kind)
    if moment.phase not in phases:
        if moment.early and "double" in offer:
            raise IllegalActionError(f"cannot {event.kind} yet: player {moment.on_roll} finishes the turn first")
        raise IllegalActionError(f"cannot {event.kind}: there is no {offer} to answer")
    if event.player != moment.to_act:
        raise IllegalActionError(f"player {event.player} cannot {event.kind}: it is player {moment.to_act} who answers")


def _seat(event: Event, what: str) -> int:
    if event.player not in (0, 1):
        raise IllegalActionError(f"{what} needs a player, 0 or 1, not {event.player!r}")
    return event.player


# Dice and plays.


def _roll(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    if moment.phase is Phase.MATCH_OVER:
        raise IllegalActionError("cannot roll: the match is over")
    reason = _pending(moment, "roll")
    if reason is not None:
        raise IllegalActionError(reason)
    if moment.phase in (Phase.OPENING, Phase.GAME_OVER):
        return _opening(rules, moment, event, notes)
    if event.player != moment.on_roll:
        raise IllegalActionError(f"player {event.player} cannot roll out of turn: player {moment.on_roll} is on roll")
    if moment.phase is Phase.ROLLED:
        raise IllegalActionError(f"cannot roll: the dice are thrown, and {moment.roll} is to be played")
    if len(event.throws) != 1:
        raise IllegalActionError(f"a roll is one throw, not {len(event.throws)}")
    assert event.roll is not None
    return moment.rolled(event.roll)


def _opening(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    if moment.phase is Phase.GAME_OVER:
        moment = _next_game(rules, moment)
    if not event.throws or any(first != second for first, second in event.throws[:-1]):
        raise IllegalActionError("an opening is any number of ties and then a throw that decides (rule 2.2)")
    first, second = event.throws[-1]
    if first == second:
        raise IllegalActionError(f"an opening throw of {first}{second} is a tie and decides nothing (rule 2.1)")
    for die, _ in event.throws[:-1]:
        moment = _tie(rules, moment, die, notes)
    starter = 0 if first > second else 1
    start = rules.position if moment.start is None else moment.start
    return replace(
        moment,
        phase=Phase.ROLLED,
        position=start if starter == 0 else start.flip(),
        on_roll=starter,
        roll=event.roll,
        starter=starter,
        opening_roll=event.roll,
        turn=1,
        crawford=upcoming_phase(rules, moment),
    )


def _tie(rules: Rules, moment: Moment, die: int, notes: list[str]) -> Moment:
    """A tie of the opening throw, which may double or triple the stake (rule 7.5)."""
    factor = scoring.tie_factor(
        die, moment.ties, automatic_doubles=rules.automatic_doubles, six_six_triples=rules.six_six_triples
    )
    if factor == 1:
        return moment
    if scoring.is_over_limit(moment.stake * factor, rules.cube_limit):
        notes.append("over the cube limit")
        return moment
    notes.append("automatic triple" if factor == 3 else "automatic double")
    return replace(moment, stake=moment.stake * factor, ties=moment.ties + 1)


def _play(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _require_no_offer(moment, "play")
    if event.player != moment.on_roll:
        raise IllegalActionError(f"player {event.player} cannot play out of turn: player {moment.on_roll} is on roll")
    if moment.roll is None:
        raise IllegalActionError("cannot play before the roll")
    if event.illegal and rules.on_illegal_play == "reject" and not event.on_record:
        raise IllegalActionError("these rules reject illegal plays (on_illegal_play)")
    if event.illegal and moment.contested:
        raise IllegalActionError("the last play was contested, so a legal one is to be made now")
    after, legal = _after_play(moment, event, notes)
    if not legal:
        notes.append("illegal")
    if legal and not after.is_over:
        return _pass_turn(moment, after)
    moment = replace(moment, position=after, contested=False, disputed=moment.disputed if legal else moment)
    if after.is_over:
        if moment.early:
            notes.append("the early double lapses")
        outcome = after.outcome
        assert outcome is not None
        winner = moment.on_roll if outcome.is_win else 1 - moment.on_roll
        return _finish(rules, moment, winner, abs(outcome.points), "play")
    return _pass_turn(moment, after)


def _after_play(moment: Moment, event: Event, notes: list[str]) -> tuple[Position, bool]:
    """The position after a play, and whether the play is legal.

    What was written down elsewhere need not be possible: of such a play the steps that cannot be made are left out.
    """
    assert moment.roll is not None
    if isinstance(event.play, Play):
        if event.play.before != moment.position or event.play.roll != moment.roll:
            raise IllegalPlayError(
                f"the play {event.play} of {event.play.roll} in {event.play.before.id} belongs to another turn"
                f" than {moment.roll} in {moment.position.id}"
            )
        return event.play.after, True
    text = event.play or ""
    if not event.illegal:
        return moment.position.play(text, moment.roll).after, True
    try:
        return moment.position.play(text, moment.roll).after, True
    except AmbiguousPlayError:
        if not event.on_record:
            raise
    except (IllegalPlayError, NotationError):
        if not event.on_record:
            return after_as_written(moment.position, text), False
    after, left_out = after_on_record(moment.position, text)
    notes += [f"left out: {part}" for part in left_out]
    return after, False


def _pass_turn(moment: Moment, after: Position) -> Moment:
    """The other player's turn begins; a double that was offered early is answered now (rule 7.10)."""
    phase = Phase.DOUBLED if moment.offer is Offer.DOUBLE else Phase.ON_ROLL
    roll = None
    if moment.replay is not None:
        phase, roll = Phase.ROLLED, moment.replay
    return replace(
        moment,
        phase=phase,
        position=after.flip(),
        on_roll=1 - moment.on_roll,
        roll=roll,
        replay=None,
        contested=False,
        turn=moment.turn + 1,
        cocked=False,
    )


# The cube.


def _double(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _require_game(moment, "double")
    seat = _seat(event, "a double")
    reason = _double_refusal(rules, moment, seat, on_record=event.on_record)
    if reason is not None:
        raise IllegalActionError(reason)
    early = seat != moment.on_roll
    if moment.crawford is CrawfordPhase.CRAWFORD:
        notes.append("Crawford game")
        if moment.void_double is None:
            moment = replace(moment, void_double=moment)
    if scoring.is_dead(moment.points[seat], moment.value, rules.length):
        notes.append("dead cube")
    if early:
        notes.append("early")
        return replace(moment, offer=Offer.DOUBLE, offered_by=seat)
    return replace(moment, phase=Phase.DOUBLED, offer=Offer.DOUBLE, offered_by=seat, further=0, disputed=None)


def _double_refusal(rules: Rules, moment: Moment, seat: int, *, on_record: bool = False) -> str | None:
    """Why a player may not double in a game now; None if they may (rules 7.1, 7.2, 7.7 to 7.11)."""
    reason = _pending(moment, "double")
    if reason is not None:
        return reason
    if moment.early:
        return f"cannot double: player {moment.offered_by} has offered an early double already"
    turn = moment.turn
    if seat != moment.on_roll:
        if not rules.early_double or moment.roll is None:
            return f"player {seat} cannot double out of turn: player {moment.on_roll} is on roll"
        turn += 1
    elif moment.roll is not None:
        if turn == 1:
            return f"player {seat} cannot double on the first turn: the opening throw is the starter's roll"
        return f"player {seat} cannot double after the roll"
    return _cube_refusal(rules, moment, seat, turn, on_record=on_record)


def _cube_refusal(rules: Rules, moment: Moment, seat: int, turn: int, *, on_record: bool) -> str | None:
    """Why a player may not turn the cube on a turn of theirs. What is on record is kept where rules only refuse it."""
    if not rules.use_cube:
        return "cannot double: these rules have no doubling cube"
    if not scoring.owns_cube(moment.owner, seat):
        return f"player {seat} cannot double: player {moment.owner} owns the cube"
    if moment.cocked and seat == moment.on_roll:
        return f"player {seat} cannot double in this turn any more after a cocked throw"
    if moment.replay is not None:
        return "cannot double: the turn is replayed with the same dice and cube"
    if scoring.is_over_limit(2 * moment.value, rules.cube_limit):
        return f"cannot double to {2 * moment.value}: the cube limit is {rules.cube_limit}"
    if 2 * moment.cube > MAX_CUBE:
        return f"cannot double: a cube has no face above {MAX_CUBE}"
    if on_record:
        return None
    if moment.crawford is CrawfordPhase.CRAWFORD:
        return "cannot double in the Crawford game"
    if _waits_for_holland(rules, moment, seat, turn):
        return f"player {seat} cannot double yet: each side rolls twice first in a post-Crawford game (Holland)"
    if rules.dead_cube == "refuse" and scoring.is_dead(moment.points[seat], moment.value, rules.length):
        return f"player {seat} cannot double: the cube is dead, a single game wins the match already"
    return None


def _waits_for_holland(rules: Rules, moment: Moment, seat: int, turn: int) -> bool:
    """Whether the Holland rule makes the trailing player wait (rule 7.9)."""
    if not rules.holland or moment.crawford is not CrawfordPhase.POST_CRAWFORD:
        return False
    trails = moment.points[seat] < moment.points[1 - seat]
    return trails and turn < scoring.first_doubling_turn(started=moment.starter == seat, holland=True)


def _take(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _require_answer(moment, event, (Phase.DOUBLED, Phase.BEAVERED), "double")
    return replace(
        moment,
        phase=Phase.ON_ROLL,
        cube=2 * moment.cube,
        owner=1 - moment.on_roll,
        offer=None,
        offered_by=None,
        further=0,
    )


def _drop(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _require_answer(moment, event, (Phase.DOUBLED, Phase.BEAVERED), "double")
    assert moment.offered_by is not None
    # A single game at the value before the last turn offered, whatever the board says (rules 7.3, 7.4).
    return _finish(rules, moment, moment.offered_by, 1, "drop")


def _beaver(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _require_answer(moment, event, (Phase.DOUBLED, Phase.BEAVERED), "double")
    reason = _beaver_refusal(rules, moment)
    if reason is not None:
        raise IllegalActionError(reason)
    further = moment.further + 1
    return replace(
        moment,
        phase=Phase.BEAVERED,
        cube=2 * moment.cube,
        owner=1 - moment.on_roll,
        offer=Offer.BEAVER if further % 2 else Offer.RACCOON,
        offered_by=moment.to_act,
        further=further,
    )


def _beaver_refusal(rules: Rules, moment: Moment) -> str | None:
    """Why the pending double may not be followed by a further turn of the cube (rule 7.4)."""
    if rules.beavers == 0:
        return "cannot beaver: these rules have no beavers"
    if rules.beavers is not None and moment.further >= rules.beavers:
        return f"cannot turn the cube again: {rules.beavers} further turn(s) may follow one double"
    # The pending turn is accepted first, and the further one comes on top of it.
    if scoring.is_over_limit(4 * moment.value, rules.cube_limit):
        return f"cannot beaver to {4 * moment.value}: the cube limit is {rules.cube_limit}"
    if 4 * moment.cube > MAX_CUBE:
        return f"cannot beaver: a cube has no face above {MAX_CUBE}"
    return None


# Resigning, conceding, leaving.


def highest_resignation(rules: Rules, moment: Moment, seat: int) -> int:
    """The highest level that a player can still lose (rule 6.3)."""
    if rules.jacoby and not scoring.is_turned(moment.owner):
        return 1
    position = moment.position if moment.on_roll == seat else moment.position.flip()
    if position.off > 0:
        return 1
    in_winners_home = any(position[point] > 0 for point in range(19, 25))
    return 3 if position.is_contact or position.bar > 0 or in_winners_home else 2


def _resign(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _require_no_offer(moment, "resign")
    if moment.early:
        raise IllegalActionError("cannot resign: an early double awaits its answer")
    seat = _seat(event, "a resignation")
    if event.level not in scoring.LEVELS:
        raise IllegalActionError(f"a resignation is of level 1, 2 or 3, not {event.level!r}")
    if event.level > 1 and rules.jacoby and not scoring.is_turned(moment.owner):
        raise IllegalActionError(
            f"cannot resign a {scoring.LEVELS[event.level]}: under Jacoby it counts single until the cube is turned"
        )
    if event.level > highest_resignation(rules, moment, seat):
        raise IllegalActionError(f"player {seat} cannot lose a {scoring.LEVELS[event.level]} any more")
    return replace(moment, phase=Phase.RESIGNED, offer=Offer.resignation(event.level), offered_by=seat)


def _accept(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _require_answer(moment, event, (Phase.RESIGNED,), "resignation")
    assert moment.offer is not None
    assert moment.offer.level is not None
    return _finish(rules, moment, _seat(event, "an answer"), moment.offer.level, "resignation")


def _decline(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _require_answer(moment, event, (Phase.RESIGNED,), "resignation")
    phase = Phase.ON_ROLL if moment.roll is None else Phase.ROLLED
    return replace(moment, phase=phase, offer=None, offered_by=None)


def _concede(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    seat = _seat(event, "a concession")
    if rules.length is None:
        raise IllegalActionError("only a match can be conceded; a session is left between games")
    if moment.phase is Phase.MATCH_OVER:
        raise IllegalActionError("cannot concede: the match is over")
    return _win_match(moment, 1 - seat, "concession")


def _leave(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _seat(event, "leaving")
    if rules.length is not None:
        raise IllegalActionError("a match is not left but conceded")
    if moment.phase is Phase.MATCH_OVER:
        raise IllegalActionError("the session has ended already")
    if moment.in_game:
        raise IllegalActionError("a session is left between games, not during one")
    return _win_match(moment, None, "left")


def _record_result(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    if moment.phase is not Phase.MATCH_OVER:
        raise IllegalActionError("the result cannot be recorded: the match is not over")
    return replace(moment, recorded=True, disputed=None, void_double=None)


# Illegal plays and void doubles.


def _contest(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    before = _disputed(moment, event, "contest")
    if moment.phase in (Phase.BEAVERED, Phase.RESIGNED):
        raise IllegalActionError(f"cannot contest now: the {moment.phase.value} awaits its answer first")
    # Only board and dice go back: an early double that was answered stays answered, what a director did stays done.
    if moment.in_game:
        before = replace(before, cube=moment.cube, owner=moment.owner)
        if moment.phase is not Phase.DOUBLED:
            before = replace(before, offer=None, offered_by=None)
    return _with_table(rules, replace(before, contested=True), moment)


def _condone(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _disputed(moment, event, "condone")
    return replace(moment, disputed=None)


def _disputed(moment: Moment, event: Event, what: str) -> Moment:
    if moment.disputed is None:
        raise IllegalActionError(f"there is no illegal play that can be {what}{'d' if what[-1] == 'e' else 'ed'} now")
    if event.player != 1 - moment.disputed.on_roll:
        raise IllegalActionError(f"only player {1 - moment.disputed.on_roll} can {what} the illegal play")
    return moment.disputed


def _with_table(rules: Rules, earlier: Moment, now: Moment) -> Moment:
    """An earlier moment of the game, with what happened at the table since: penalty points, breaks, the clock."""
    games = len(earlier.games)
    given = [0, 0]
    for seat in (0, 1):
        won = sum(game.points for game in now.games[games:] if game.winner == seat)
        given[seat] = now.points[seat] - won + now.pending[seat] - earlier.points[seat]
    return replace(
        earlier,
        pending=(given[0], given[1]),
        breaks=now.breaks,
        clock_points=now.clock_points,
        clock_demands=now.clock_demands,
    )


def _void_crawford_double(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    before = moment.void_double
    if before is None:
        raise IllegalActionError("no double was made in the Crawford game")
    index = len(before.games)
    moment = replace(moment, void_double=None)
    if index == len(moment.games):
        return _recentred(moment)
    game = moment.games[index]
    if game.ending == "award":
        raise IllegalActionError("the Crawford game was decided by the director, so its doubles are of no account")
    is_last = index + 1 == len(moment.games) and not moment.in_game and moment.ending in (None, "points")
    if game.ending == "drop" and is_last:
        return replace(_with_table(rules, before, moment), void_double=None)
    return _rescored(rules, moment, index, game.level * game.stake)


def _recentred(moment: Moment) -> Moment:
    """The game goes on as if nobody had doubled (rule 7.8)."""
    moment = replace(moment, cube=1, owner=None)
    if moment.offer is not None and moment.offer.level is None:
        phase = Phase.ON_ROLL if moment.roll is None else Phase.ROLLED
        moment = replace(moment, phase=phase, offer=None, offered_by=None, further=0)
    return moment


def _rescored(rules: Rules, moment: Moment, index: int, points: int) -> Moment:
    """A finished game is worth something else, and the score follows (rule 7.8)."""
    old = moment.games[index]
    more = points - old.points
    games = list(moment.games)
    have = old.start_points[old.winner]
    games[index] = dataclasses.replace(
        old, points=points, cube=1, counted=scoring.counted_points(points, have, rules.length)
    )
    for later in range(index + 1, len(games)):
        start = _plus(games[later].start_points, old.winner, more)
        counted = scoring.counted_points(games[later].points, start[games[later].winner], rules.length)
        games[later] = dataclasses.replace(games[later], start_points=start, counted=counted)
    moment = replace(moment, games=tuple(games), points=_plus(moment.points, old.winner, more))
    if moment.phase is Phase.MATCH_OVER and moment.ending == "points":
        moment = replace(moment, phase=Phase.GAME_OVER, winner=None, ending=None)
        moment = _settle_points(rules, moment)
    return moment


# At the table: dice, checkers, set-up.

_BOTH_AGAIN = ("cocked", "not together", "wrong side", "thrown early", "lifted")
_IF_ASKED = ("wrong side", "thrown early", "lifted")


def _dice_fault(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    if event.reason not in _BOTH_AGAIN:
        raise IllegalActionError(f"dice are thrown again for {', '.join(_BOTH_AGAIN)}, not for {event.reason!r}")
    _require_no_offer(moment, "throw again")
    if moment.roll is None:
        raise IllegalActionError("cannot throw again: there are no dice on the board, or a play was made with them")
    if event.reason in _IF_ASKED and event.player != 1 - moment.on_roll:
        raise IllegalActionError(
            f"dice that were {event.reason}: player {1 - moment.on_roll} decides, not {event.player!r} (rule 9.9)"
        )
    if event.again is not None:
        return _one_die_again(moment, event)
    if moment.turn == 1:
        if moment.early:
            notes.append("the early double lapses")
        return replace(
            moment,
            phase=Phase.OPENING,
            offer=None,
            offered_by=None,
            position=rules.position if moment.start is None else moment.start,
            on_roll=0,
            roll=None,
            starter=None,
            opening_roll=None,
            turn=0,
        )
    return replace(moment, phase=Phase.ON_ROLL, roll=None, cocked=moment.cocked or event.reason == "cocked")


def _one_die_again(moment: Moment, event: Event) -> Moment:
    """One die was lifted while the other still rolled, and that one is thrown again alone (rule 9.9)."""
    assert moment.roll is not None
    if event.reason != "lifted":
        raise IllegalActionError(f"both dice are thrown again when they were {event.reason}")
    if moment.turn == 1:
        raise IllegalActionError("in the opening both dice are thrown again: each decides who starts")
    dice = [moment.roll.high, moment.roll.low]
    if event.again not in dice:
        raise IllegalActionError(f"there is no die with {event.again} in {moment.roll}")
    dice.remove(event.again)
    if len(event.throws) != 1 or event.throws[0][0] != dice[0]:
        raise IllegalActionError(f"the other die keeps its {dice[0]}")
    return replace(moment, roll=event.roll)


def _setup(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    if moment.phase not in (Phase.OPENING, Phase.GAME_OVER):
        raise IllegalActionError("the checkers are set up before the opening throw")
    if event.position is None or event.position.is_over:
        raise IllegalActionError("a game starts from a position that is not finished")
    moment = _next_game(rules, moment) if moment.phase is Phase.GAME_OVER else moment
    start = None if event.position == rules.position else event.position
    return replace(moment, start=start, position=event.position)


def _position(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    """The game stands at a position that nobody played to: a problem, an edited board, a gap in a record."""
    seat = _seat(event, "the player on roll")
    if moment.phase is Phase.MATCH_OVER:
        raise IllegalActionError("no position can be set: the match is over")
    reason = _pending(moment, "set a position")
    if reason is not None:
        raise IllegalActionError(reason)
    if event.position is None or event.position.is_over:
        raise IllegalActionError("a game goes on from a position that is not finished")
    cube = 1 if event.value is None else event.value
    stake = 1 if event.stake is None else event.stake
    if stake < 1:
        raise IllegalActionError(f"a stake is at least 1, not {stake}")
    if not 1 <= cube <= MAX_CUBE or cube & (cube - 1):
        raise IllegalActionError(f"a cube shows a power of two up to {MAX_CUBE}, not {cube}")
    if scoring.is_over_limit(stake * cube, rules.cube_limit):
        raise IllegalActionError(f"a value of {stake * cube} is above the limit of {rules.cube_limit}")
    moment = _next_game(rules, moment) if not moment.in_game else moment
    return replace(
        moment,
        phase=Phase.ON_ROLL,
        position=event.position if seat == 0 else event.position.flip(),
        on_roll=seat,
        roll=None,
        cube=cube,
        owner=event.owner,
        stake=stake,
        offer=None,
        offered_by=None,
        turn=max(moment.turn, FIRST_SET_TURN - 1) + 1,
        cocked=False,
        replay=None,
        disputed=None,
        contested=False,
    )


def _score(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    """The score is as given: a record begins later than the match, or a game of it is missing."""
    if moment.in_game or moment.ending not in (None, "points"):
        raise IllegalActionError("a score is set between games")
    if event.score is None or not all(0 <= points <= MOST_POINTS for points in event.score):
        raise IllegalActionError(f"a score is two numbers from 0 to {MOST_POINTS}, not {event.score!r}")
    if moment.phase is Phase.MATCH_OVER:
        moment = replace(moment, phase=Phase.GAME_OVER, winner=None, ending=None)
    moment = _settle_points(rules, replace(moment, points=event.score, crawford_played=event.post_crawford))
    return replace(moment, crawford=upcoming_phase(rules, moment)) if moment.phase is Phase.OPENING else moment


def _abandon(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    """The game is broken off without a result: nobody wins anything."""
    _require_game(moment, "abandon the game")
    moment = replace(
        moment, phase=Phase.GAME_OVER, offer=None, offered_by=None, further=0, replay=None, contested=False
    )
    return _settle_points(rules, replace(moment, disputed=None))


def _correct_setup(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    seat = _seat(event, "the correction")
    _require_no_offer(moment, "correct the set-up")
    if moment.start is None:
        raise IllegalActionError("the starting position of this game was right")
    assert moment.starter is not None
    if moment.turn > (1 if seat == moment.starter else 2):
        raise IllegalActionError(f"player {seat} has finished the first turn, so the starting position stands")
    if moment.early and moment.offered_by == moment.starter:
        notes.append("the early double lapses")
        moment = replace(moment, offer=None, offered_by=None)
    # Same dice, starter and cube: what was rolled on turn 2 waits until turn 1 is played again.
    return replace(
        moment,
        phase=Phase.ROLLED,
        position=rules.position if moment.starter == 0 else rules.position.flip(),
        on_roll=moment.starter,
        roll=moment.opening_roll,
        turn=1,
        start=None,
        replay=moment.roll if moment.turn == 2 else moment.replay,
        disputed=None,
        contested=False,
    )


def _found_checker(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    """A checker of `player` lay outside the board: it goes to the bar, or they play on without it (rule 9.6)."""
    owner = _seat(event, "a checker")
    _require_no_offer(moment, "put a checker back")
    view = moment.position if moment.on_roll == owner else moment.position.flip()
    cells = _cells(view)
    if event.point is not None:
        if not (1 <= event.point <= 25 and cells[event.point] > 0):
            raise IllegalActionError(f"player {owner} has no checker on {event.point} that could be missing")
        cells[event.point] -= 1
    elif not event.on_bar:
        raise IllegalActionError("say from which point the checker is missing, or put it on the bar")
    cells[25] += event.on_bar
    if sum(max(0, cell) for cell in cells[1:27]) > _cells_at_start(rules, owner):
        raise IllegalActionError(f"player {owner} has no checker outside the board")
    try:
        position = Position.from_array(cells)
    except InvalidPositionError as error:
        raise IllegalActionError(f"the checker cannot be put there: {error}") from error
    if position.is_over:
        raise IllegalActionError(f"the last checker of player {owner} cannot be left out")
    notes.append("to the bar" if event.on_bar else "plays on without it")
    return replace(moment, position=position if moment.on_roll == owner else position.flip())


def _cells(position: Position) -> list[int]:
    """The array form as a list of numbers."""
    points = [position[point] for point in range(1, 25)]
    return [-position.opponent_bar, *points, position.bar, position.off, position.opponent_off]


def _cells_at_start(rules: Rules, owner: int) -> int:
    """How many checkers a player has in this game."""
    start = rules.position if owner == 0 else rules.position.flip()
    return sum(max(0, cell) for cell in _cells(start)[1:27])


# Tournament: lateness, breaks, the director, the clock.


def _require_match(rules: Rules, what: str) -> int:
    if rules.length is None:
        raise IllegalActionError(f"{what} belongs to match play")
    return rules.length


def _late_arrival(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    if not rules.penalties:
        raise IllegalActionError("these rules have no penalties for a late arrival")
    length = _require_match(rules, "a late arrival")
    if moment.phase is not Phase.OPENING or moment.games or moment.late:
        raise IllegalActionError("a late arrival is noted once, before the first game")
    if len(event.minutes) != 2:
        raise IllegalActionError(f"say how late each of the two players was, not {event.minutes!r}")
    received = late_points_for_both((event.minutes[0], event.minutes[1]))
    moment = replace(moment, late=True)
    for seat in (0, 1):
        if loses_by_lateness(received[seat], length):
            return _win_match(replace(moment, points=_plus(moment.points, seat, received[seat])), seat, "lateness")
    return _give_points(rules, moment, received)


def _give_points(rules: Rules, moment: Moment, received: tuple[int, int]) -> Moment:
    """Points that do not come from a game: they count from the next one (rule 7.7)."""
    pending = (moment.pending[0] + received[0], moment.pending[1] + received[1])
    moment = replace(moment, pending=pending)
    return moment if moment.in_game else _settle_points(rules, moment)


def _take_break(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    seat = _seat(event, "a break")
    if not rules.breaks:
        raise IllegalActionError("these rules have no breaks")
    allowed = breaks_allowed(_require_match(rules, "a break"))
    if moment.phase is not Phase.GAME_OVER:
        raise IllegalActionError("a break is taken between games only")
    if len(event.minutes) != 1 or not 0 < event.minutes[0] <= BREAK_MINUTES:
        raise IllegalActionError(f"a break takes at most {BREAK_MINUTES} minutes, not {event.minutes!r}")
    if moment.breaks[seat] >= allowed:
        raise IllegalActionError(f"player {seat} has taken {moment.breaks[seat]} breaks, of {allowed} in this match")
    return replace(moment, breaks=_plus(moment.breaks, seat, 1))


def _decision(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    if event.decision not in DECISIONS:
        raise IllegalActionError(f"a director decides {', '.join(DECISIONS)}, not {event.decision!r}")
    after = _DECISIONS[event.decision](rules, moment, event)
    return replace(after, decided=replace(moment, decided=None))


def _warning(rules: Rules, moment: Moment, event: Event) -> Moment:
    _seat(event, "a warning")
    return moment


def _penalty_points(rules: Rules, moment: Moment, event: Event) -> Moment:
    """Points against `player`: the opponent receives them (rule 9.10)."""
    seat = _seat(event, "a penalty")
    _require_match(rules, "a penalty")
    if moment.phase is Phase.MATCH_OVER:
        raise IllegalActionError("penalty points come too late: the match is over")
    points = _decided_points(rules, event)
    return _give_points(rules, moment, (points, 0) if seat == 1 else (0, points))


def _decided_points(rules: Rules, event: Event) -> int:
    most = rules.length or 1 << 20
    if event.points is None or not 1 <= event.points <= most:
        raise IllegalActionError(f"points are 1 to {most}, not {event.points!r}")
    return event.points


def _decided_winner(event: Event) -> int:
    if event.winner not in (0, 1):
        raise IllegalActionError(f"the winner is 0 or 1, not {event.winner!r}")
    return event.winner


def _award_game(rules: Rules, moment: Moment, event: Event) -> Moment:
    if moment.phase is Phase.MATCH_OVER:
        raise IllegalActionError("no game can be awarded: the match is over")
    winner, points = _decided_winner(event), _decided_points(rules, event)
    return _finish(rules, moment, winner, 1, "award", points)


def _award_match(rules: Rules, moment: Moment, event: Event) -> Moment:
    _require_match(rules, "the award of a match")
    return _win_match(moment, _decided_winner(event), "award")


def _exclusion(rules: Rules, moment: Moment, event: Event) -> Moment:
    """The opponent wins the match (rule 9.10)."""
    seat = _seat(event, "an exclusion")
    _require_match(rules, "an exclusion")
    return _win_match(moment, 1 - seat, "exclusion")


def _correct_cube(rules: Rules, moment: Moment, event: Event) -> Moment:
    """The cube's value and owner as they should be (rule 7.1)."""
    _require_no_offer(moment, "correct the cube")
    if moment.early:
        raise IllegalActionError("cannot correct the cube: an early double awaits its answer")
    value, owner = event.value, event.owner
    if not rules.use_cube:
        raise IllegalActionError("these rules have no doubling cube")
    if value is None or not 1 <= value <= MAX_CUBE or value & (value - 1):
        raise IllegalActionError(f"a cube shows a power of two up to {MAX_CUBE}, not {value!r}")
    if (owner is None) != (value == 1) or owner not in (None, 0, 1):
        raise IllegalActionError(f"a cube at 1 is centred and any other has an owner, not {value} with owner {owner!r}")
    if scoring.is_over_limit(moment.stake * value, rules.cube_limit):
        raise IllegalActionError(f"a cube at {value} is above the limit of {rules.cube_limit}")
    return replace(moment, cube=value, owner=owner)


def _impose_clock(rules: Rules, moment: Moment, event: Event) -> Moment:
    """The director has the rest played with a clock (rule 9.3)."""
    length = _require_match(rules, "a clock")
    if moment.phase is Phase.MATCH_OVER:
        raise IllegalActionError("a clock comes too late: the match is over")
    if moment.clock_points is not None:
        raise IllegalActionError("the match is played with a clock already")
    return replace(moment, clock_points=points_still_needed(moment.points, length))


_DECISIONS: dict[str, Callable[[Rules, Moment, Event], Moment]] = {
    "warning": _warning,
    "penalty points": _penalty_points,
    "award game": _award_game,
    "award match": _award_match,
    "exclusion": _exclusion,
    "cube": _correct_cube,
    "clock": _impose_clock,
}


def _appeal(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _seat(event, "an appeal")
    if moment.decided is None:
        raise IllegalActionError("there is no decision of the director to appeal: it is final once the game goes on")
    return replace(moment, appealed=True)


def _committee(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    if not moment.appealed:
        raise IllegalActionError("there is no appeal for the committee to decide")
    assert moment.decided is not None
    return replace(moment if event.upheld else moment.decided, appealed=False)


def _demand_clock(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    seat = _seat(event, "a demand for the clock")
    if rules.clock is None:
        raise IllegalActionError("these rules have no clock")
    if moment.clock_points is not None:
        raise IllegalActionError("the match is played with a clock already")
    if moment.phase is not Phase.OPENING or moment.games:
        raise IllegalActionError("the clock is demanded before the first game; later only the director imposes it")
    if rules.clock_use == "penalty":
        raise IllegalActionError("under these rules only the director imposes a clock")
    if seat in moment.clock_demands:
        raise IllegalActionError(f"player {seat} has asked for the clock already")
    moment = replace(moment, clock_demands=(*moment.clock_demands, seat))
    if rules.clock_use == "option" and len(moment.clock_demands) < 2:
        notes.append("both have to agree")
        return moment
    return replace(moment, clock_points=rules.length)


def _require_clock(moment: Moment) -> None:
    if moment.clock_points is None:
        raise IllegalActionError("the match is played without a clock")


def _stop_clock(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _require_clock(moment)
    if event.reason not in STOP_REASONS:
        raise IllegalActionError(f"a clock is stopped for {', '.join(STOP_REASONS)}, not for {event.reason!r}")
    return moment


def _resume_clock(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    _require_clock(moment)
    return moment


def _claim_time(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    """The opponent or the director (player None) claims that a player ran out of time (rule 9.3)."""
    _require_clock(moment)
    if moment.phase is Phase.MATCH_OVER:
        raise IllegalActionError("the time is claimed too late: the match is over")
    assert event.clock is not None
    return _win_match(moment, 1 - loser_on_time(event.clock, event.player), "time")


def _time_fault(rules: Rules, moment: Moment, event: Event, notes: list[str]) -> Moment:
    """Dice lifted too early, or taken away after turning the clock, cost a minute for the other player (rule 9.3)."""
    _seat(event, "a fault with the dice")
    _require_clock(moment)
    if event.reason not in ("lifted early", "taken away"):
        raise IllegalActionError(f"a minute is given for dice lifted early or taken away, not for {event.reason!r}")
    return moment


_EVENTS: dict[str, Callable[[Rules, Moment, Event, list[str]], Moment]] = {
    "roll": _roll,
    "double": _double,
    "take": _take,
    "drop": _drop,
    "beaver": _beaver,
    "play": _play,
    "resign": _resign,
    "accept": _accept,
    "decline": _decline,
    "concede": _concede,
    "leave": _leave,
    "record_result": _record_result,
    "contest": _contest,
    "condone": _condone,
    "void_crawford_double": _void_crawford_double,
    "dice_fault": _dice_fault,
    "setup": _setup,
    "position": _position,
    "score": _score,
    "abandon": _abandon,
    "correct_setup": _correct_setup,
    "found_checker": _found_checker,
    "late_arrival": _late_arrival,
    "take_break": _take_break,
    "decision": _decision,
    "appeal": _appeal,
    "committee": _committee,
    "demand_clock": _demand_clock,
    "stop_clock": _stop_clock,
    "resume_clock": _resume_clock,
    "claim_time": _claim_time,
    "time_fault": _time_fault,
}
