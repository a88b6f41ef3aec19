"""Rollouts as plain JSON data, and back, checked field by field."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
from typing import Any, Literal

from gammon import _core
from gammon.bearoff import OneSided, TwoSided
from gammon.cube import Cube, Ladder, Level
from gammon.dice import Roll
from gammon.engine._result import LAST_TURN, MOST_CANDIDATES, MOST_TRIALS, RolloutCandidate, RolloutResult
from gammon.engine._rollout import blank_candidate, level_on, reload, with_estimates
from gammon.engine._values import MAX_PLIES, MOST_REPLIES, Filter, Filters, checked_filters
from gammon.errors import FileFormatError, InvalidArgumentError
from gammon.evaluator import Model, _resolve_model
from gammon.match._codec import (
    fail,
    position_from_list,
    position_to_list,
    read_bool,
    read_dict,
    read_int,
    read_list,
    read_text,
    rules_from_dict,
    rules_to_dict,
)
from gammon.match._state import State
from gammon.position import Position

__all__ = ["from_dict", "to_dict"]

_JSON_VERSION = 1
_OWNERS = (None, "player", "opponent")


def to_dict(result: RolloutResult) -> dict[str, Any]:
    """Settings, estimates and sums."""
    settings = {
        "format": "gammon rollout",
        "version": _JSON_VERSION,
        "start": _start_to_dict(result.start),
        "kind": result.kind,
        "roll": None if result.roll is None else [result.roll.high, result.roll.low],
        "trials": result.trials,
        "max_trials": result.max_trials,
        "seed": result.seed,
        "cubeful": result.cubeful,
        "ladder": _ladder_to_dict(result.ladder),
        "truncate": result.truncate,
        "variance_reduction": result.variance_reduction,
        "plies": result.plies,
        "filters": [[kept if kept is None else list(kept) for kept in passes] for passes in result.filters],
        "replies": result.replies,
        "turn": result.turn,
        "model": {"path": os.fspath(result.model.path), "sha256": _digest(result.model)},
        "tables": list(result.tables),
        "min_trials": result.min_trials,
        "stop_standard_error": result.stop_standard_error,
        "stop_difference": result.stop_difference,
        "seconds": result.seconds,
        "decision": result.decision if result.kind == "cube" else None,
    }
    candidates = []
    for candidate in result.candidates:
        fields = {field.name: getattr(candidate, field.name) for field in dataclasses.fields(candidate)}
        cube = {"value": candidate.cube.value, "owner": candidate.cube.owner}
        candidates.append({**fields, "position": position_to_list(candidate.position), "cube": cube})
    sums = None
    if result._sums is not None:
        tallies, pairs = result._sums
        sums = {
            "candidates": [{"trials": n, "alive": alive, "numbers": numbers} for n, alive, numbers in tallies],
            "pairs": [list(pair) for pair in pairs],
        }
    return {**settings, "candidates": candidates, "sums": sums}


def _digest(model: Model) -> str:
    return hashlib.sha256(model._network.to_bytes()).hexdigest()


def _start_to_dict(start: Position | State) -> dict[str, Any]:
    if isinstance(start, Position):
        return {"position": position_to_list(start)}
    return {
        "position": position_to_list(start.position),
        "on_roll": start.on_roll,
        "roll": None if start.roll is None else [start.roll.high, start.roll.low],
        "cube": start.cube.value,
        "owner": start.cube.owner,
        "stake": start.stake,
        "points": list(start.points),
        "post_crawford": start.post_crawford,
        "rules": rules_to_dict(start.rules),
    }


def _roll_from(value: object, path: str) -> Roll | None:
    if value is None:
        return None
    dice = read_list(value, path, 2)
    if len(dice) != 2:
        fail(path, f"two dice are expected, not {len(dice)}")
    return Roll(*(read_int(die, path, 1, 6) for die in dice))


def _cube_from(value: object, owner: object, path: str) -> Cube:
    if owner not in _OWNERS:
        fail(path, f"an owner is null, player or opponent, not {owner!r}")
    try:
        return Cube(read_int(value, path, 1), owner)  # type: ignore[arg-type]
    except InvalidArgumentError as error:
        fail(path, str(error))


def _start_from_dict(value: object, path: str) -> Position | State:
    names = {"on_roll", "roll", "cube", "owner", "stake", "points", "post_crawford", "rules"}
    data = read_dict(value, path, {"position"}, names)
    position = position_from_list(data["position"], f"{path}.position")
    if len(data) == 1:
        return position
    read_dict(value, path, {"position"} | names)
    points = read_list(data["points"], f"{path}.points", 2)
    try:
        return State(
            position,
            on_roll=read_int(data["on_roll"], f"{path}.on_roll", 0, 1),
            roll=_roll_from(data["roll"], f"{path}.roll"),
            cube=_cube_from(data["cube"], data["owner"], f"{path}.cube"),
            stake=read_int(data["stake"], f"{path}.stake", 1),
            points=tuple(read_int(number, f"{path}.points") for number in points),  # type: ignore[arg-type]
            post_crawford=read_bool(data["post_crawford"], f"{path}.post_crawford"),
            rules=rules_from_dict(data["rules"], f"{path}.rules"),
        )
    except InvalidArgumentError as error:
        fail(path, str(error))


def _ladder_to_dict(ladder: Ladder) -> dict[str, Any]:
    return {
        "levels": [[list(level.worth), list(level.may_double), level.dead] for level in ladder.levels],
        "endless": ladder.endless,
        "gammons_while_centred": ladder.gammons_while_centred,
        "beavers": ladder.beavers,
        "first_double_turn": list(ladder.first_double_turn),
        "unit": ladder.unit,
    }


def _number(value: object, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        fail(path, f"a finite number is expected, not {value!r:.40}")
    return float(value)


def _numbers(value: object, path: str, count: int) -> tuple[float, ...]:
    rows = read_list(value, path)
    if len(rows) != count:
        fail(path, f"{count} numbers are expected, not {len(rows)}")
    return tuple(_number(number, path) for number in rows)


def _ladder_from_dict(value: object, path: str) -> Ladder:
    names = {"levels", "endless", "gammons_while_centred", "beavers", "first_double_turn", "unit"}
    data = read_dict(value, path, names)
    levels = []
    for place, row in enumerate(read_list(data["levels"], f"{path}.levels", 16)):
        where = f"{path}.levels[{place}]"
        parts = read_list(row, where, 3)
        if len(parts) != 3 or not isinstance(parts[1], list) or len(parts[1]) != 2:
            fail(where, "worths, who may double, and whether the cube is dead are expected")
        own, other = (read_bool(may, where) for may in parts[1])
        worth = _numbers(parts[0], where, 6)
        levels.append(Level(worth, (own, other), read_bool(parts[2], where)))  # type: ignore[arg-type]
    turns = [read_int(turn, path, 0, 1 << 31) for turn in read_list(data["first_double_turn"], path, 2)]
    if len(turns) != 2:
        fail(f"{path}.first_double_turn", "two turns are expected")
    try:
        return Ladder(
            tuple(levels),
            endless=read_bool(data["endless"], f"{path}.endless"),
            gammons_while_centred=read_bool(data["gammons_while_centred"], f"{path}.gammons_while_centred"),
            beavers=None if data["beavers"] is None else read_int(data["beavers"], f"{path}.beavers", 0, 255),
            first_double_turn=(turns[0], turns[1]),
            unit=data["unit"],
        )
    except InvalidArgumentError as error:
        fail(path, str(error))


_FIELDS = {
    "format",
    "version",
    "start",
    "kind",
    "roll",
    "trials",
    "max_trials",
    "seed",
    "cubeful",
    "ladder",
    "truncate",
    "variance_reduction",
    "plies",
    "filters",
    "replies",
    "model",
    "tables",
    "min_trials",
    "stop_standard_error",
    "stop_difference",
    "seconds",
    "decision",
    "candidates",
    "sums",
}


def _optional(value: object, path: str) -> float | None:
    return None if value is None else _number(value, path)


def from_dict(
    data: object,
    model: Model | str | os.PathLike[str] | None,
    races: OneSided | Literal["default"] | None,
    exact: TwoSided | Literal["default"] | None,
) -> RolloutResult:
    if isinstance(data, str | bytes):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise FileFormatError(f"no JSON: {error}") from None
    fields = read_dict(data, "rollout", _FIELDS, {"turn"})
    if fields["format"] != "gammon rollout" or fields["version"] != _JSON_VERSION:
        fail("version", f"a gammon rollout of version {_JSON_VERSION} is expected")
    if fields["kind"] not in ("position", "plays", "cube"):
        fail("kind", f"position, plays or cube is expected, not {fields['kind']!r:.40}")
    tables = tuple(read_text(text, "tables") for text in read_list(fields["tables"], "tables", 2))
    sums = read_dict(fields["sums"], "sums", {"candidates", "pairs"})
    tallies = []
    for place, row in enumerate(read_list(sums["candidates"], "sums.candidates", MOST_CANDIDATES)):
        where = f"sums.candidates[{place}]"
        tally = read_dict(row, where, {"trials", "alive", "numbers"})
        numbers = [
            _number(number, f"{where}.numbers") for number in read_list(tally["numbers"], f"{where}.numbers", 2000)
        ]
        tallies.append((read_int(tally["trials"], where, 2, MOST_TRIALS), read_bool(tally["alive"], where), numbers))
    pairs = []
    for row in read_list(sums["pairs"], "sums.pairs"):
        trio = read_list(row, "sums.pairs", 3)
        if len(trio) != 3:
            fail("sums.pairs", "three numbers are expected")
        pairs.append((read_int(trio[0], "sums.pairs"), _number(trio[1], "sums.pairs"), _number(trio[2], "sums.pairs")))
    candidates = []
    names = {field.name for field in dataclasses.fields(RolloutCandidate)}
    for place, row in enumerate(read_list(fields["candidates"], "candidates", MOST_CANDIDATES)):
        where = f"candidates[{place}]"
        parts = read_dict(row, where, names)
        cube = read_dict(parts["cube"], f"{where}.cube", {"value", "owner"})
        position = position_from_list(parts["position"], f"{where}.position")
        action = read_text(parts["action"], f"{where}.action")
        cubed = _cube_from(cube["value"], cube["owner"], f"{where}.cube")
        candidates.append(blank_candidate(action, position, cubed))
    if not candidates or len(tallies) != len(candidates) or (fields["kind"] == "cube" and len(candidates) != 2):
        fail("candidates", f"{len(candidates)} of them do not go with {len(tallies)} sums")
    settings = RolloutResult(
        start=_start_from_dict(fields["start"], "start"),
        kind=fields["kind"],
        roll=_roll_from(fields["roll"], "roll"),
        candidates=tuple(candidates),
        trials=0,
        max_trials=read_int(fields["max_trials"], "max_trials", 2, MOST_TRIALS),
        seed=read_int(fields["seed"], "seed", 0, (1 << 64) - 1),
        cubeful=read_bool(fields["cubeful"], "cubeful"),
        ladder=_ladder_from_dict(fields["ladder"], "ladder"),
        truncate=None if fields["truncate"] is None else read_int(fields["truncate"], "truncate", 1, 10_000),
        variance_reduction=read_bool(fields["variance_reduction"], "variance_reduction"),
        plies=read_int(fields["plies"], "plies", 0, MAX_PLIES),
        filters=_filters_from(fields["filters"], "filters"),
        replies=None if fields["replies"] is None else read_int(fields["replies"], "replies", 1, MOST_REPLIES),
        turn=None if fields.get("turn") is None else read_int(fields["turn"], "turn", 1, LAST_TURN),
        model=_reloaded_model(fields["model"], model),
        tables=tables,
        min_trials=read_int(fields["min_trials"], "min_trials", 2, MOST_TRIALS),
        stop_standard_error=_optional(fields["stop_standard_error"], "stop_standard_error"),
        stop_difference=_optional(fields["stop_difference"], "stop_difference"),
        seconds=_number(fields["seconds"], "seconds"),
        _loaded=reload(tables, races, exact),
    )
    level = level_on(settings.ladder, settings.candidates[0].cube)
    try:
        core = _core.Rollout(
            settings.ladder.compiled(),
            [(c.position, level_on(settings.ladder, c.cube), c.cube.owner, None, False, False) for c in candidates],
            settings.seed,
            None,
            True,
            (0, (), None),
        )
        return with_estimates(settings, core, (tallies, pairs), level)
    except InvalidArgumentError as error:
        fail("sums", str(error))


def _filters_from(value: object, path: str) -> Filters:
    def kept(row: object) -> Filter | None:
        if row is None:
            return None
        numbers = read_list(row, path, 3)
        if len(numbers) != 3:
            fail(path, "a filter is three numbers or null")
        return Filter(read_int(numbers[0], path, 0), read_int(numbers[1], path, 0), _number(numbers[2], path))

    passes = read_list(value, path, MAX_PLIES)
    try:
        return checked_filters([[kept(row) for row in read_list(rows, path, MAX_PLIES)] for rows in passes])
    except InvalidArgumentError as error:
        fail(path, str(error))


def _reloaded_model(value: object, model: Model | str | os.PathLike[str] | None) -> Model:
    data = read_dict(value, "model", {"path", "sha256"})
    path, digest = read_text(data["path"], "model.path"), read_text(data["sha256"], "model.sha256")
    found = _resolve_model(model)
    if model is None and _digest(found) != digest and os.path.exists(path):
        found = Model(path)
    if _digest(found) != digest:
        raise InvalidArgumentError(f"the rollout was evaluated by another model: {path}, SHA-256 {digest}")
    return found
