"""Matches as plain JSON data: versioned, and checked field by field on the way back.

Every fault is a `FileFormatError` that begins with the path of the field, such as ``events[17].level``.
"""

from __future__ import annotations

import dataclasses
import math
import reprlib
from collections.abc import Callable, Set
from typing import Any, NoReturn

from gammon.clock import MAX_SECONDS, STOP_REASONS, ClockReading, ClockSettings
from gammon.cube import Cube
from gammon.dice import CardDice, ManualDice, RandomDice, Roll, SequenceDice
from gammon.errors import FileFormatError, InvalidArgumentError, InvalidPositionError
from gammon.match._events import Event
from gammon.match._state import Offer, State
from gammon.position import Position
from gammon.rules import Rules
from gammon.scoring import CrawfordPhase, crawford_phase

__all__ = [
    "AbsentDice",
    "dice_from_dict",
    "dice_to_dict",
    "event_from_dict",
    "event_to_dict",
    "kind_of_dice",
    "position_from_list",
    "position_to_list",
    "reading_from_dict",
    "reading_to_dict",
    "rules_from_dict",
    "rules_to_dict",
    "state_from_dict",
    "state_to_dict",
]

LONGEST_TEXT = 1000
MOST_THROWS = 10_000_000
BIGGEST = 1 << 64


def fail(path: str, message: str) -> NoReturn:
    """Raises `FileFormatError` for a field."""
    raise FileFormatError(f"{path}: {message}")


def shown(value: object) -> str:
    """A value for a message, cut short."""
    try:
        text = reprlib.repr(value)
    except (RecursionError, ValueError):
        # Numbers of thousands of digits have no repr.
        return f"a very large {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def read_dict(value: object, path: str, required: Set[str], optional: Set[str] = frozenset()) -> dict[str, Any]:
    """An object with all of the required keys and none that is not known."""
    if not isinstance(value, dict):
        fail(path, f"an object is expected, not {shown(value)}")
    for key in value:
        if not isinstance(key, str) or key not in required | optional:
            fail(path, f"unknown field {shown(key)}")
    for key in sorted(required):
        if key not in value:
            fail(path, f"field {key!r} is missing")
    return value


def read_list(value: object, path: str, most: int = 10_000_000) -> list[Any]:
    """An array."""
    if not isinstance(value, list):
        fail(path, f"an array is expected, not {shown(value)}")
    if len(value) > most:
        fail(path, f"{len(value)} entries are more than {most}")
    return value


def read_int(value: object, path: str, least: int = 0, most: int = BIGGEST) -> int:
    """A whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int):
        fail(path, f"a whole number is expected, not {shown(value)}")
    if not least <= value <= most:
        fail(path, f"{shown(value)} is not within {least} to {most}")
    return value


def read_seconds(value: object, path: str) -> float:
    """A finite number of seconds or minutes."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        fail(path, f"a number is expected, not {shown(value)}")
    if not (0 <= value <= MAX_SECONDS and math.isfinite(value)):
        fail(path, f"{shown(value)} is not within 0 to {MAX_SECONDS:.0f}")
    return value


def read_scalar(value: object, path: str) -> object:
    """Null, a number, a text or a truth value, of a size that can be written in a message."""
    if isinstance(value, str):
        return read_text(value, path)
    if value is None or isinstance(value, bool | float):
        return value
    return read_int(value, path, -BIGGEST)


def read_text(value: object, path: str) -> str:
    """A short text."""
    if not isinstance(value, str):
        fail(path, f"a text is expected, not {shown(value)}")
    if len(value) > LONGEST_TEXT:
        fail(path, f"a text of {len(value)} characters is longer than {LONGEST_TEXT}")
    if not is_unicode(value):
        fail(path, f"half a character in {shown(value)}")
    return value


def is_unicode(text: str) -> bool:
    """Whether a text has no lone surrogates, which no file and no compiled code can hold."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def read_bool(value: object, path: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        fail(path, f"true or false is expected, not {shown(value)}")
    return value


def read_seat(value: object, path: str) -> int:
    """A seat."""
    return read_int(value, path, 0, 1)


def read_seats(value: object, path: str) -> tuple[int, ...]:
    """Seats, each at most once."""
    seats = tuple(read_seat(seat, f"{path}[{index}]") for index, seat in enumerate(read_list(value, path, 2)))
    if len(set(seats)) != len(seats):
        fail(path, f"a seat is named twice in {shown(value)}")
    return seats


def read_throws(value: object, path: str) -> tuple[tuple[int, int], ...]:
    """Throws of two dice."""
    throws = []
    for index, pair in enumerate(read_list(value, path, MOST_THROWS)):
        where = f"{path}[{index}]"
        dice = [read_int(die, f"{where}[{place}]", 1, 6) for place, die in enumerate(read_list(pair, where, 2))]
        if len(dice) != 2:
            fail(where, f"a throw is two dice, not {shown(pair)}")
        throws.append((dice[0], dice[1]))
    return tuple(throws)


def position_to_list(position: Position) -> list[int]:
    """The array form as a list of numbers.

    >>> position_to_list(Position.start())[6]
    5
    """
    points = [position[point] for point in range(1, 25)]
    return [-position.opponent_bar, *points, position.bar, position.off, position.opponent_off]


def position_from_list(value: object, path: str) -> Position:
    """A position from its array form."""
    cells = [read_int(cell, f"{path}[{place}]", -15, 15) for place, cell in enumerate(read_list(value, path, 28))]
    if len(cells) != 28:
        fail(path, f"a position is 28 numbers, not {len(cells)}")
    try:
        return Position.from_array(cells)
    except InvalidPositionError as error:
        fail(path, str(error))


def settings_to_dict(settings: ClockSettings) -> dict[str, Any]:
    """How a clock is set."""
    return dataclasses.asdict(settings)


def settings_from_dict(value: object, path: str) -> ClockSettings:
    """How a clock is set."""
    data = read_dict(value, path, {"mode", "reserve_per_point", "bonus"})
    try:
        return ClockSettings(**{name: read_scalar(data[name], f"{path}.{name}") for name in data})  # type: ignore[arg-type]
    except InvalidArgumentError as error:
        fail(path, str(error))


def reading_to_dict(reading: ClockReading) -> dict[str, Any]:
    """What a clock shows."""
    return {
        "reserve": list(reading.reserve),
        "running": reading.running,
        "used": reading.used,
        "ran_out": list(reading.ran_out),
        "stopped": reading.stopped,
    }


def reading_from_dict(value: object, path: str) -> ClockReading:
    """What a clock shows."""
    data = read_dict(value, path, {"reserve", "running", "used", "ran_out", "stopped"})
    reserve = read_list(data["reserve"], f"{path}.reserve", 2)
    if len(reserve) != 2:
        fail(f"{path}.reserve", f"two times are expected, not {shown(reserve)}")
    stopped = data["stopped"]
    if stopped is not None and read_text(stopped, f"{path}.stopped") not in STOP_REASONS:
        fail(f"{path}.stopped", f"{shown(stopped)} is not one of {', '.join(STOP_REASONS)}")
    return ClockReading(
        reserve=(
            read_seconds(reserve[0], f"{path}.reserve[0]"),
            read_seconds(reserve[1], f"{path}.reserve[1]"),
        ),
        running=None if data["running"] is None else read_seat(data["running"], f"{path}.running"),
        used=read_seconds(data["used"], f"{path}.used"),
        ran_out=read_seats(data["ran_out"], f"{path}.ran_out"),
        stopped=stopped,
    )


def rules_to_dict(rules: Rules) -> dict[str, Any]:
    """Every field of the rules."""
    data = {field.name: getattr(rules, field.name) for field in dataclasses.fields(rules)}
    data["start"] = None if rules.start is None else position_to_list(rules.start)
    data["clock"] = None if rules.clock is None else settings_to_dict(rules.clock)
    return data


def rules_from_dict(value: object, path: str) -> Rules:
    """Rules from all of their fields; what contradicts itself is a fault of the whole."""
    names = {field.name for field in dataclasses.fields(Rules)}
    data = dict(read_dict(value, path, names))
    for name in sorted(names - {"start", "clock"}):
        data[name] = read_scalar(data[name], f"{path}.{name}")
    if data["start"] is not None:
        data["start"] = position_from_list(data["start"], f"{path}.start")
    if data["clock"] is not None:
        data["clock"] = settings_from_dict(data["clock"], f"{path}.clock")
    try:
        return Rules(**data)
    except InvalidArgumentError as error:
        fail(path, str(error))


def state_to_dict(state: State) -> dict[str, Any]:
    """A state in which a match was taken up, without rules and score, which stand beside it."""
    return {
        "position": position_to_list(state.position),
        "on_roll": state.on_roll,
        "roll": None if state.roll is None else [state.roll.high, state.roll.low],
        "cube": state.cube.value,
        "owner": state.cube.owner,
        "stake": state.stake,
        "offer": None if state.offer is None else state.offer.value,
        "offered_by": state.offered_by,
    }


def state_from_dict(value: object, path: str, rules: Rules, start: tuple[tuple[int, int], bool]) -> State:
    """The state again. Raises `InvalidArgumentError` for what fits no state."""
    data = read_dict(value, path, {"position", "on_roll", "roll", "cube", "owner", "stake", "offer", "offered_by"})
    points, crawford_played = start
    offers = {offer.value: offer for offer in Offer}
    if data["offer"] is not None and read_text(data["offer"], f"{path}.offer") not in offers:
        fail(f"{path}.offer", f"{shown(data['offer'])} is not one of {', '.join(offers)}")
    if data["owner"] not in (None, "player", "opponent"):
        fail(f"{path}.owner", f"{shown(data['owner'])} is not null, 'player' or 'opponent'")
    phase = crawford_phase(points, rules.length, crawford=rules.crawford, played=crawford_played)
    return State(
        position=position_from_list(data["position"], f"{path}.position"),
        on_roll=read_seat(data["on_roll"], f"{path}.on_roll"),
        roll=None if data["roll"] is None else Roll(*read_throws([data["roll"]], f"{path}.roll")[0]),
        cube=Cube(read_int(data["cube"], f"{path}.cube"), data["owner"]),
        stake=read_int(data["stake"], f"{path}.stake"),
        points=points,
        post_crawford=phase is CrawfordPhase.POST_CRAWFORD,
        offer=None if data["offer"] is None else offers[data["offer"]],
        offered_by=None if data["offered_by"] is None else read_seat(data["offered_by"], f"{path}.offered_by"),
        rules=rules,
    )


# Dice sources.


class AbsentDice:
    """Stands for a dice source that a record only names; whoever wants to throw has to bring one."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def throw(self) -> tuple[int, int]:
        """There is nothing to throw with."""
        raise InvalidArgumentError(
            "the dice of this match came from outside: pass dice= to from_dict, or give the roll"
        )

    def roll(self) -> Roll:
        """There is nothing to throw with."""
        return Roll(*self.throw())

    def new_game(self) -> None:
        """Nothing changes."""


def kind_of_dice(value: object) -> str:
    """What a checked source is called."""
    assert isinstance(value, dict)
    return str(value["kind"])


def dice_to_dict(source: object) -> dict[str, Any]:
    """Where a dice source stands. One that is not the library's own is only named: it cannot be rebuilt."""
    if isinstance(source, RandomDice | CardDice):
        return dict(source.to_dict())
    if isinstance(source, SequenceDice):
        return {"kind": "sequence", "dice": [list(pair) for pair in source.dice], "used": source.used}
    if isinstance(source, AbsentDice):
        return {"kind": source.kind}
    return {"kind": "manual" if isinstance(source, ManualDice) else "other"}


def dice_from_dict(value: object, path: str) -> RandomDice | CardDice | SequenceDice | None:
    """A dice source that goes on from where it stood; None for one that cannot be rebuilt."""
    kind = read_dict(value, path, {"kind"}, {"seed", "game", "turn", "draw", "dice", "used"})["kind"]
    if kind in ("dice", "cards"):
        data = read_dict(value, path, {"kind", "seed", "game", "turn", "draw"})
        numbers = {name: read_int(data[name], f"{path}.{name}", 0, BIGGEST - 1) for name in data if name != "kind"}
        source = (RandomDice if kind == "dice" else CardDice)(numbers["seed"], numbers["game"])
        source.turn, source.draw = numbers["turn"], numbers["draw"]
        return source
    if kind == "sequence":
        data = read_dict(value, path, {"kind", "dice", "used"})
        dice = read_throws(data["dice"], f"{path}.dice")
        sequence = SequenceDice(dice)
        sequence.used = read_int(data["used"], f"{path}.used", 0, len(dice))
        return sequence
    if kind in ("manual", "other"):
        read_dict(value, path, {"kind"})
        return None
    fail(f"{path}.kind", f"unknown kind of dice {shown(kind)}")


# Events.


def _read_play(value: object, path: str) -> str:
    return read_text(value, path)


def _read_source(value: object, path: str) -> dict[str, Any]:
    dice_from_dict(value, path)
    assert isinstance(value, dict)
    return value


def _read_minutes(value: object, path: str) -> tuple[float, ...]:
    return tuple(read_seconds(entry, f"{path}[{index}]") for index, entry in enumerate(read_list(value, path, 2)))


def _read_score(value: object, path: str) -> tuple[int, int]:
    points = [read_int(entry, f"{path}[{index}]") for index, entry in enumerate(read_list(value, path, 2))]
    if len(points) != 2:
        fail(path, f"a score is two numbers, not {shown(value)}")
    return points[0], points[1]


_FIELDS: dict[str, Callable[[object, str], Any]] = {
    "kind": read_text,
    "player": read_seat,
    "throws": read_throws,
    "given": read_bool,
    "source": _read_source,
    "play": _read_play,
    "illegal": read_bool,
    "on_record": read_bool,
    "level": read_int,
    "reason": read_text,
    "again": read_int,
    "position": position_from_list,
    "point": read_int,
    "on_bar": read_bool,
    "minutes": _read_minutes,
    "decision": read_text,
    "points": read_int,
    "winner": read_seat,
    "value": read_int,
    "owner": read_seat,
    "stake": read_int,
    "score": _read_score,
    "post_crawford": read_bool,
    "upheld": read_bool,
    "clock": reading_from_dict,
}

_WHO = {"player"}
_KINDS: dict[str, tuple[set[str], set[str]]] = {
    "roll": ({"throws"}, {"player", "given", "source"}),
    "double": (_WHO, {"on_record"}),
    "take": (_WHO, set()),
    "drop": (_WHO, set()),
    "beaver": (_WHO, set()),
    "play": ({"player", "play"}, {"illegal", "on_record"}),
    "resign": ({"player", "level"}, set()),
    "accept": (_WHO, set()),
    "decline": (_WHO, set()),
    "concede": (_WHO, set()),
    "leave": (_WHO, set()),
    "record_result": (set(), set()),
    "contest": (_WHO, set()),
    "condone": (_WHO, set()),
    "void_crawford_double": (set(), set()),
    "dice_fault": ({"reason"}, {"player", "again", "throws", "given", "source"}),
    "setup": ({"position"}, set()),
    "position": ({"position", "player"}, {"value", "owner", "stake", "reason"}),
    "score": ({"score"}, {"post_crawford", "reason"}),
    "abandon": (set(), {"reason"}),
    "correct_setup": (_WHO, set()),
    "found_checker": (_WHO, {"point", "on_bar"}),
    "late_arrival": ({"minutes"}, set()),
    "take_break": ({"player", "minutes"}, set()),
    "decision": ({"decision"}, {"player", "points", "winner", "value", "owner", "reason"}),
    "appeal": (_WHO, {"reason"}),
    "committee": (set(), {"upheld", "reason"}),
    "demand_clock": (_WHO, set()),
    "stop_clock": ({"reason"}, set()),
    "resume_clock": (set(), set()),
    "claim_time": (set(), {"player"}),
    "time_fault": ({"player", "reason"}, set()),
}
"""The fields that each kind of event has: those it must have, and those it may have."""

_EMPTY = Event("")
_WRITERS: dict[str, Callable[[Any], Any]] = {
    "throws": lambda throws: [list(throw) for throw in throws],
    "play": str,
    "position": position_to_list,
    "minutes": list,
    "score": list,
    "clock": reading_to_dict,
}


def event_to_dict(event: Event) -> dict[str, Any]:
    """The kind of an event, and the fields that mean something for it and hold something.

    >>> event_to_dict(Event("resign", player=1, level=2))
    {'kind': 'resign', 'player': 1, 'level': 2}
    """
    required, optional = _KINDS[event.kind]
    data: dict[str, Any] = {"kind": event.kind}
    for name in _FIELDS:
        value = getattr(event, name)
        known = name in required or name in optional or name == "clock"
        if known and (name in required or value != getattr(_EMPTY, name)):
            data[name] = _WRITERS[name](value) if name in _WRITERS else value
    return data


def event_from_dict(value: object, path: str) -> Event:
    """An event with exactly the fields of its kind."""
    kind = read_dict(value, path, {"kind"}, set(_FIELDS))["kind"]
    if not isinstance(kind, str) or kind not in _KINDS:
        fail(f"{path}.kind", f"unknown kind of event {shown(kind)}")
    required, optional = _KINDS[kind]
    data = read_dict(value, path, {"kind"} | required, optional | {"clock"})
    return Event(**{name: _FIELDS[name](field, f"{path}.{name}") for name, field in data.items()})
