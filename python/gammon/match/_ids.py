"""States as identifiers of other programs: the XGID, and GNU Backgammon's Position ID with its Match ID.

Both have room for a game in progress and little else; `losses` reads back what is written and says what is different.
Layouts and what they were checked against: `docs/formats/ids.md`.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import re
from collections.abc import Callable
from typing import NamedTuple

from gammon._checks import whole
from gammon.cube import MAX_LEVEL, Cube, Owner
from gammon.dice import Roll
from gammon.errors import GammonError, InvalidArgumentError, NotationError
from gammon.match._state import GameState, Offer, State
from gammon.position import Position
from gammon.rules import MAX_LENGTH, Rules
from gammon.scoring import CrawfordPhase, crawford_phase

__all__ = ["losses", "read_gnubg_id", "read_xgid", "write_gnubg_id", "write_xgid"]

UPPER = 1
"""The seat of the player whose checkers an XGID writes in upper case: GNU Backgammon's player 1."""

EMPTY_POSITION_ID = "AAAAAAAAAAAAAA"
USUAL_LIMIT = 10
"""The exponent of the largest cube that programs write when there is no limit."""

_NUMBER = re.compile(r"-?[0-9]{1,5}")
_XGID_FIELDS = 10
_XGID_BOARD = 26
_LETTERS = "abcdefghijklmnop"
_OFFERS = {"D": Offer.DOUBLE, "B": Offer.BEAVER, "R": Offer.RACCOON}
_STATES = (GameState.NONE, GameState.PLAYING, GameState.OVER, GameState.RESIGNED, GameState.DROPPED)


def losses(state: State, format: str) -> tuple[str, ...]:
    """What an identifier does not hold of a state."""
    codecs: dict[str, tuple[Callable[[State], str], Callable[[str, int], State]]] = {
        "xgid": (write_xgid, read_xgid),
        "gnubg_id": (write_gnubg_id, read_gnubg_id),
    }
    if format not in codecs:
        raise InvalidArgumentError(f"format is one of {', '.join(codecs)}, not {format!r}")
    write, read = codecs[format]
    try:
        back = read(write(state), 3 if state.rules.variant == "hypergammon" else 15)
    except GammonError as error:
        return (f"everything: {error}",)
    return differences(state, back)


def differences(state: State, back: State) -> tuple[str, ...]:
    """Each field of a state that is different in another, its rules taken apart."""
    lines = []
    for field in dataclasses.fields(State):
        old, new = getattr(state, field.name), getattr(back, field.name)
        if old == new:
            continue
        if isinstance(old, Rules):
            for rule in dataclasses.fields(Rules):
                one, other = getattr(old, rule.name), getattr(new, rule.name)
                if one != other:
                    lines.append(f"rules.{rule.name}: {one!r} becomes {other!r}")
        else:
            lines.append(f"{field.name}: {old!r} becomes {new!r}")
    return tuple(lines)


# The XGID.


def read_xgid(text: str, checkers: int = 15) -> State:
    """The state of an XGID."""
    if not isinstance(text, str):
        raise NotationError(f"an XGID is a text, not {text!r:.60}")
    stripped = text.strip()
    body = stripped[5:] if stripped[:5].upper() == "XGID=" else stripped
    fields = [field.strip() for field in body[:200].split(":")]
    if len(fields) != _XGID_FIELDS or len(body) > 200:
        raise NotationError(f"an XGID has {_XGID_FIELDS} fields with : between them, not {len(fields)}: {text!r:.80}")

    def number(index: int, name: str, least: int, most: int) -> int:
        written = fields[index]
        if not _NUMBER.fullmatch(written) or not least <= int(written) <= most:
            raise NotationError(
                f"XGID field {index + 1}, {name}, is a number from {least} to {most}, not {written!r:.20}"
            )
        return int(written)

    level = number(1, "the cube's exponent", 0, MAX_LEVEL)
    owner = {0: None, 1: UPPER, -1: 1 - UPPER}[number(2, "the cube's owner", -1, 1)]
    turn = number(3, "the turn", -1, 1)
    if turn == 0:
        raise NotationError("XGID field 4, the turn, is 1 or -1, not '0'")
    on_roll = UPPER if turn == 1 else 1 - UPPER
    length = number(8, "the match length", 0, MAX_LENGTH)
    most = length or MAX_LENGTH
    upper, lower = number(5, "the score", 0, most), number(6, "the score", 0, most)
    points = (upper, lower) if UPPER == 0 else (lower, upper)
    flags = number(7, "the Crawford flag" if length else "Jacoby and beavers", 0, 1 if length else 3)
    limit = number(9, "the largest cube's exponent", 0, MAX_LEVEL)
    if level > limit:
        raise NotationError(f"XGID field 2: a cube of 2^{level} is above the largest of 2^{limit}")
    roll, offer = _read_xgid_dice(fields[4])
    if length:
        rules, crawford = Rules.match(length, cube_limit=1 << limit), bool(flags)
    else:
        beavers = 0 if not flags & 2 else 2 if offer is Offer.RACCOON else 1
        rules, crawford = Rules.money(jacoby=bool(flags & 1), beavers=beavers, cube_limit=1 << limit), False
    game_state, position = _read_xgid_board(fields[0], checkers)
    if position.is_over:
        game_state = GameState.OVER
    return _state(
        position=position if on_roll == UPPER else position.flip(),
        on_roll=on_roll,
        roll=roll,
        level=level,
        owner=owner,
        points=points,
        crawford=crawford,
        offer=offer,
        offered_by=None if offer is None else 1 - on_roll if offer is Offer.BEAVER else on_roll,
        rules=rules,
        game_state=game_state,
        name="XGID",
    )


def _read_xgid_dice(written: str) -> tuple[Roll | None, Offer | None]:
    if written in _OFFERS:
        return None, _OFFERS[written]
    if written == "00":
        return None, None
    if len(written) == 2 and all(die in "123456" for die in written):
        return Roll(int(written[0]), int(written[1])), None
    raise NotationError(f"XGID field 5, the dice, is 00, two dice, D, B or R, not {written!r:.20}")


def _read_xgid_board(written: str, checkers: int) -> tuple[GameState, Position]:
    """The board as the player of the upper-case letters sees it."""
    if len(written) != _XGID_BOARD:
        raise NotationError(f"an XGID's board has {_XGID_BOARD} characters, not {len(written)}: {written!r:.40}")
    cells = [0] * 28
    for place, letter in enumerate(written):
        if letter == "-":
            continue
        count = _LETTERS.find(letter.lower()) + 1
        if count == 0 or not letter.isascii():
            raise NotationError(f"{letter!r} in an XGID's board is not -, A to P or a to p: {written!r}")
        if (place == 0 and letter.isupper()) or (place == 25 and letter.islower()):
            raise NotationError(
                f"{letter!r} at place {place} of an XGID's board is on the other player's bar: {written!r}"
            )
        cells[place] = count if letter.isupper() else -count
    if not any(cells):
        return GameState.NONE, Position.start()
    whole("checkers", checkers, 1, 15)
    for place, count in ((26, sum(cell for cell in cells if cell > 0)), (27, -sum(cell for cell in cells if cell < 0))):
        if checkers < count <= 15:
            raise NotationError(f"an XGID's board has {count} checkers of a side, more than the {checkers} in all")
        cells[place] = max(0, checkers - count)  # more than 15 are a fault of the position
    return GameState.PLAYING, Position.from_array(cells)


def write_xgid(state: State) -> str:
    """The XGID of a state."""
    position = state.position if state.on_roll == UPPER else state.position.flip()
    counts = [-position.opponent_bar, *(position[point] for point in range(1, 25)), position.bar]
    board = "".join("-" if not n else chr(ord("A") + n - 1) if n > 0 else chr(ord("a") - n - 1) for n in counts)
    length = state.rules.length or 0
    if length and max(state.points) > length:
        raise NotationError(f"an XGID holds no score of {state.points} in a match to {length}")
    level = _level(state, "an XGID")
    flags = int(state.is_crawford) if length else int(state.rules.jacoby) + 2 * (state.rules.beavers != 0)
    dice = "00" if state.roll is None else f"{state.roll.high}{state.roll.low}"
    doubled_by = 1 - state.on_roll if state.offer is Offer.BEAVER else state.on_roll
    if state.offered_by == doubled_by:
        dice = {offer: letter for letter, offer in _OFFERS.items()}.get(state.offer or Offer.RESIGN_1, dice)
    fields = [
        board,
        str(level),
        "0" if state.cube.owner is None else "1" if _owner(state) == UPPER else "-1",
        "1" if state.on_roll == UPPER else "-1",
        dice,
        str(_points(state.points[UPPER], "an XGID")),
        str(_points(state.points[1 - UPPER], "an XGID")),
        str(flags),
        str(length),
        str(_limit_level(state.rules.cube_limit, level)),
    ]
    return "XGID=" + ":".join(fields)


def _limit_level(limit: int | None, level: int) -> int:
    """The exponent of the largest cube, which an XGID always has; never below the cube that is there."""
    return max(level, USUAL_LIMIT if limit is None else min(limit.bit_length() - 1, MAX_LEVEL))


# GNU Backgammon's Match ID.


class _Key(NamedTuple):
    """The fields of a match key, in their order from the lowest bit."""

    level: int
    owner: int
    on_roll: int
    crawford: int
    game_state: int
    to_act: int
    doubled: int
    resigned: int
    die: int
    other_die: int
    length: int
    points: int
    other_points: int
    no_jacoby: int


_WIDTHS = _Key(4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1)
_KEY_BYTES = 9
_CENTRED = 3


def read_gnubg_id(text: str, checkers: int = 15) -> State:
    """The state of a Position ID and a Match ID with a colon between them."""
    if not isinstance(text, str):
        raise NotationError(f"a GNU Backgammon ID is a text, not {text!r:.60}")
    position_id, colon, match_id = text.strip().partition(":")
    if not colon:
        raise NotationError(f"a GNU Backgammon ID is PositionID:MatchID, not {text!r:.60}")
    position_id, match_id = position_id.strip(), match_id.strip()
    key = _read_key(match_id)
    if key.owner == 2:
        raise NotationError(f"Match ID {match_id!r}: the cube's owner is 0, 1 or 3 (centred), not 2")
    if key.game_state >= len(_STATES):
        raise NotationError(f"Match ID {match_id!r}: the game state is 0 to 4, not {key.game_state}")
    if max(key.die, key.other_die) > 6 or (key.die == 0) != (key.other_die == 0):
        raise NotationError(f"Match ID {match_id!r}: {key.die} and {key.other_die} are no dice")
    if position_id == EMPTY_POSITION_ID:
        game_state, position = GameState.NONE, Position.start()
    else:
        game_state, position = _STATES[key.game_state], Position.from_id(position_id, checkers=checkers)
    if game_state is GameState.PLAYING and position.is_over:
        game_state = GameState.OVER
    offer, offered_by = _read_offer(key, match_id, game_state)
    if key.length:
        rules = Rules.match(key.length, cube_limit=None)
    else:
        beavers = 1 if offer is Offer.BEAVER else 2 if offer is Offer.RACCOON else 0
        rules = Rules.money(jacoby=not key.no_jacoby, beavers=beavers, cube_limit=None)
    return _state(
        position=position,
        on_roll=key.on_roll,
        roll=Roll(key.die, key.other_die) if key.die else None,
        level=key.level,
        owner=None if key.owner == _CENTRED else key.owner,
        points=(key.points, key.other_points),
        crawford=bool(key.crawford),
        offer=offer,
        offered_by=offered_by,
        rules=rules,
        game_state=game_state,
        name=f"Match ID {match_id!r}",
    )


def _read_key(match_id: str) -> _Key:
    if len(match_id) != 12:
        raise NotationError(f"a Match ID has 12 characters, not {len(match_id)}: {match_id!r:.40}")
    try:
        bits = int.from_bytes(base64.b64decode(match_id, validate=True), "little")
    except (binascii.Error, ValueError):
        raise NotationError(f"a Match ID is base64 of {_KEY_BYTES} bytes, not {match_id!r:.40}") from None
    values = []
    for width in _WIDTHS:
        values.append(bits & ((1 << width) - 1))
        bits >>= width
    if bits:
        raise NotationError(f"Match ID {match_id!r}: there are bits after the last field")
    return _Key(*values)


def _read_offer(key: _Key, match_id: str, game_state: GameState) -> tuple[Offer | None, int | None]:
    """The offer that is pending: whoever does not have to act has made it."""
    if key.doubled and key.resigned:
        raise NotationError(f"Match ID {match_id!r}: a double and a resignation cannot both be pending")
    if key.resigned:
        return Offer.resignation(key.resigned), 1 - key.to_act
    if key.doubled:
        if key.to_act == key.on_roll:
            return Offer.BEAVER, 1 - key.on_roll
        return Offer.RACCOON if key.owner == 1 - key.on_roll else Offer.DOUBLE, key.on_roll
    if key.to_act != key.on_roll and game_state is GameState.PLAYING:
        raise NotationError(f"Match ID {match_id!r}: player {key.to_act} has to act, but nothing is offered")
    return None, None


def write_gnubg_id(state: State) -> str:
    """The Position ID and the Match ID of a state."""
    doubled = int(state.offer is not None and state.offer.level is None)
    if state.offer is Offer.DOUBLE and state.offered_by != state.on_roll:
        doubled = 0
    resigned = 0 if state.offer is None else state.offer.level or 0
    owner = _owner(state)
    key = _Key(
        level=_level(state, "a Match ID"),
        owner=_CENTRED if owner is None else owner,
        on_roll=state.on_roll,
        crawford=int(state.is_crawford),
        game_state=_STATES.index(state.game_state),
        to_act=state.to_act if doubled or resigned else state.on_roll,
        doubled=doubled,
        resigned=resigned,
        die=0 if state.roll is None else state.roll.high,
        other_die=0 if state.roll is None else state.roll.low,
        length=state.rules.length or 0,
        points=_points(state.points[0], "a Match ID"),
        other_points=_points(state.points[1], "a Match ID"),
        no_jacoby=int(not state.rules.jacoby),
    )
    bits = place = 0
    for value, width in zip(key, _WIDTHS, strict=True):
        bits |= value << place
        place += width
    return f"{state.position.id}:{base64.b64encode(bits.to_bytes(_KEY_BYTES, 'little')).decode()}"


# What both have in common.


def _state(
    *,
    position: Position,
    on_roll: int,
    roll: Roll | None,
    level: int,
    owner: int | None,
    points: tuple[int, int],
    crawford: bool,
    offer: Offer | None,
    offered_by: int | None,
    rules: Rules,
    game_state: GameState,
    name: str,
) -> State:
    """A state from fields by seat, with the checks that need several of them."""
    if offer is not None and offer.level is None and roll is not None:
        raise NotationError(f"{name}: a double is pending after the roll of {roll}")
    may_offer = (None, on_roll) if offer is Offer.DOUBLE else (None, 0, 1)
    if owner not in may_offer:
        raise NotationError(f"{name}: player {on_roll} doubles, but player {owner} owns the cube")
    phase = crawford_phase(points, rules.length)
    if crawford and phase is not CrawfordPhase.CRAWFORD:
        raise NotationError(
            f"{name}: no Crawford game is played at {points} in a match to {rules.length or 'no points'}"
        )
    seen: Owner | None = None if owner is None else "player" if owner == on_roll else "opponent"
    # Automatic doubles leave the cube in the middle (rule 7.5); no match has them.
    is_stake = owner is None and not rules.is_match
    return State(
        position=position,
        on_roll=on_roll,
        roll=roll,
        cube=Cube(1 if is_stake else 1 << level, seen),
        stake=1 << level if is_stake else 1,
        points=points,
        post_crawford=phase is CrawfordPhase.CRAWFORD and not crawford,
        offer=offer,
        offered_by=offered_by,
        rules=rules,
        game_state=game_state,
    )


def _owner(state: State) -> int | None:
    """The seat that owns the cube."""
    if state.cube.owner is None:
        return None
    return state.on_roll if state.cube.owner == "player" else 1 - state.on_roll


def _level(state: State, name: str) -> int:
    value = state.value
    if value.bit_count() != 1 or value > 1 << MAX_LEVEL:
        raise NotationError(f"{name} holds cubes that are a power of 2 up to {1 << MAX_LEVEL}, not {value}")
    return value.bit_length() - 1


def _points(points: int, name: str) -> int:
    if points > MAX_LENGTH:
        raise NotationError(f"{name} holds points up to {MAX_LENGTH}, not {points}")
    return points
