"""The engine for programs in any language: a request on each line, as JSON, and an answer on each.

``docs/protocol.md`` lists the methods. Nothing is kept between requests, so each can be understood by itself. Whatever
a line holds is answered: with a result, or with an error that has a code.

>>> session = Session()
>>> print(session.answer(b'{"id": 1, "method": "best_play", "params": {"position": "4HPwATDgc/ABMA", "roll": "31"}}'))
{"id": 1, "result": {"play": "8/5 6/5"}}
>>> print(session.answer(b'what?'))
{"id": null, "error": {"code": "parse", "message": "no JSON: Expecting value: line 1 column 1 (char 0)"}}
"""

from __future__ import annotations

import difflib
import json
import math
import os
from collections.abc import Callable
from typing import IO, Any, NoReturn

from gammon._core import __version__
from gammon.dice import Roll
from gammon.engine._engine import Engine
from gammon.engine._rollout import rollout
from gammon.engine._values import MAX_PLIES
from gammon.errors import (
    GammonError,
    IllegalActionError,
    IllegalPlayError,
    InvalidArgumentError,
    InvalidPositionError,
    NotationError,
)
from gammon.evaluator import Model
from gammon.match import State
from gammon.notation import read_position
from gammon.position import Position

__all__ = ["LONGEST_LINE", "VERSION", "Session", "serve"]

VERSION = 1
"""Of the protocol."""

LONGEST_LINE = 1 << 16
"""Bytes of a request, its newline not counted."""

MOST_TRIALS = 1_000_000
MOST_PLAYS = 100


class _Refused(Exception):
    """A request that cannot be answered, with the code of the error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def _refuse(code: str, message: str) -> NoReturn:
    raise _Refused(code, message)


class _Params:
    """The parameters of a request; what is not asked for in the end is refused."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._left = dict(given)

    def take(self, name: str) -> Any:
        """A value, or None if it is missing or null."""
        return self._left.pop(name, None)

    def whole(self, name: str, usual: int, least: int, most: int) -> int:
        value = self.take(name)
        if value is None:
            return usual
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            _refuse("params", f"{name} is a whole number from {least} to {most}, not {_short(value)}")
        return value

    def flag(self, name: str, usual: bool) -> bool:
        value = self.take(name)
        if value is None:
            return usual
        if not isinstance(value, bool):
            _refuse("params", f"{name} is true or false, not {_short(value)}")
        return value

    def where(self) -> Position | State:
        value = self.take("position")
        if value is None:
            self._missing("position")
        return _where(value)

    def roll(self, where: Position | State) -> Roll:
        roll = self.optional_roll() or (where.roll if isinstance(where, State) else None)
        if roll is None:
            self._missing("roll")
        return roll

    def optional_roll(self) -> Roll | None:
        value = self.take("roll")
        if value is None:
            return None
        if isinstance(value, str):
            return Roll.parse(value)
        if isinstance(value, list) and len(value) == 2 and all(_is_whole(die) and 1 <= die <= 6 for die in value):
            return Roll(value[0], value[1])
        _refuse("params", f'roll is a text such as "31" or two dice, not {_short(value)}')

    def _missing(self, name: str) -> NoReturn:
        """Names what is there in its place too: most often it is misspelt."""
        near = difflib.get_close_matches(name, self._left, 1)
        _refuse("params", f"{name} is missing" + (f"; there is no parameter {_short(near[0])}" if near else ""))

    def done(self) -> None:
        if self._left:
            _refuse("params", f"there is no parameter {', '.join(sorted(map(_short, self._left)))}")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _where(value: object) -> Position | State:
    """What `read_position` reads, or the 28 numbers of the array form."""
    if isinstance(value, str):
        return read_position(value)
    if isinstance(value, list):
        if len(value) != 28 or not all(_is_whole(cell) and -128 <= cell <= 127 for cell in value):
            _refuse("params", "an array of a position has 28 whole numbers from -128 to 127")
        return Position.from_array(value)
    _refuse("params", f"position is a start, an ID, an XGID or an array, not {_short(value)}")


_CODES: tuple[tuple[type[Exception], str], ...] = (
    (IllegalPlayError, "illegal"),
    (IllegalActionError, "illegal"),
    (InvalidPositionError, "position"),
    (NotationError, "notation"),
    (InvalidArgumentError, "params"),
    (GammonError, "params"),
)


class Session:
    """Answers requests, one after the other.

    Args:
        model: "fast", which it is if it is None, "strong", a path, or a `Model`.
        threads: for two plies and more, and for rollouts; None for one on each core.

    >>> session = Session()
    >>> session.answer(b'{"id": 7, "method": "evaluate", "params": {"position": "4HPwATDgc/ABMA"}}')[:19]
    '{"id": 7, "result":'
    >>> session.answer(b'{"id": 8, "method": "quit"}') and session.over
    True
    """

    def __init__(self, model: Model | str | os.PathLike[str] | None = None, *, threads: int | None = None) -> None:
        self._engine = Engine(0, model, threads=threads)
        self._engines = {0: self._engine}
        self._threads = threads
        self.over = False
        """Whether `quit` was asked for."""
        self._methods: dict[str, Callable[[_Params], dict[str, Any]]] = {
            "best_play": self._best_play,
            "cube_decision": self._cube_decision,
            "evaluate": self._evaluate,
            "plays": self._plays,
            "quit": self._quit,
            "rank_plays": self._rank_plays,
            "rollout": self._rollout,
            "version": self._version,
        }

    def answer(self, line: bytes) -> str:
        """The answer to a line, without a newline. Never raises, but `KeyboardInterrupt`.

        >>> session = Session()
        >>> session.answer(b'{"id": 1, "method": "best_play", "params": {"position": "4HPwATDgc/ABMA", "roll": "31"}}')
        '{"id": 1, "result": {"play": "8/5 6/5"}}'
        >>> session.answer(b'{"id": 2, "method": "best_play", "params": {"position": "4HPwATDgc/ABMA"}}')
        '{"id": 2, "error": {"code": "params", "message": "roll is missing"}}'
        """
        name: Any = None
        try:
            request = _read(line)
            given = request.get("id")
            if given is not None and (isinstance(given, bool) or not isinstance(given, str | int)):
                _refuse("request", "an id is a text, a whole number or null")
            name = given
            return json.dumps({"id": name, "result": _finite(self._call(request))}, allow_nan=False)
        except _Refused as refused:
            code, message = refused.code, str(refused)
        except GammonError as error:
            code = next(code for kind, code in _CODES if isinstance(error, kind))
            message = str(error)
        except Exception as error:  # A fault of ours must not end the conversation.
            code, message = "internal", f"{type(error).__name__}: {error}"
        return json.dumps({"id": name, "error": {"code": code, "message": message}})

    def _call(self, request: dict[str, Any]) -> dict[str, Any]:
        unknown = request.keys() - {"id", "method", "params"}
        if unknown:
            _refuse("request", f"a request has id, method and params, not {', '.join(sorted(map(_short, unknown)))}")
        method, params = request.get("method"), request.get("params")
        if not isinstance(method, str):
            _refuse("request", f"method is a text, not {_short(method)}")
        if method not in self._methods:
            _refuse("method", f"there is no method {_short(method)}; there are {', '.join(self._methods)}")
        if params is None:
            params = {}
        if not isinstance(params, dict):
            _refuse("request", f"params are an object, not {_short(params)}")
        return self._methods[method](_Params(params))

    def _with(self, params: _Params) -> Engine:
        plies = params.whole("plies", 0, 0, MAX_PLIES)
        if plies not in self._engines:
            self._engines[plies] = self._engine.replaced(plies=plies)
        return self._engines[plies]

    # The methods.

    def _version(self, params: _Params) -> dict[str, Any]:
        params.done()
        return {"name": "gammon", "version": __version__, "protocol": VERSION, "methods": sorted(self._methods)}

    def _quit(self, params: _Params) -> dict[str, Any]:
        params.done()
        self.over = True
        return {}

    def _plays(self, params: _Params) -> dict[str, Any]:
        where = params.where()
        roll = params.roll(where)
        params.done()
        position = where.position if isinstance(where, State) else where
        plays = position.plays(roll)
        return {"roll": str(roll), "plays": [{"play": str(play), "next": play.next.id} for play in plays]}

    def _evaluate(self, params: _Params) -> dict[str, Any]:
        where, engine = params.where(), self._with(params)
        params.done()
        found = engine.evaluate(where)
        chances = found.probabilities._asdict()
        return {"probabilities": chances, "equity": found.equity, "mwc": found.mwc, "plies": found.plies}

    def _rank_plays(self, params: _Params) -> dict[str, Any]:
        where, engine = params.where(), self._with(params)
        roll = params.roll(where)
        top = params.whole("top", 10, 1, 1 << 16)
        params.done()
        ranking = engine.rank_plays(where, roll)
        plays = [
            {
                "play": str(ranked.play),
                "next": ranked.play.next.id,
                "equity": ranked.equity,
                "difference": ranked.difference,
                "mwc": ranked.mwc,
                "probabilities": ranked.probabilities._asdict(),
                "plies": ranked.plies,
            }
            for ranked in ranking[:top]
        ]
        return {"roll": str(roll), "count": len(ranking), "plays": plays}

    def _best_play(self, params: _Params) -> dict[str, Any]:
        where, engine = params.where(), self._with(params)
        roll = params.roll(where)
        params.done()
        return {"play": str(engine.best_play(where, roll))}

    def _cube_decision(self, params: _Params) -> dict[str, Any]:
        where, engine = params.where(), self._with(params)
        params.done()
        state = where if isinstance(where, State) else State(where, on_roll=0)
        found = engine.cube_decision(state)
        names = ("no_double", "double_take", "double_drop", "beaver")
        return {
            "action": found.action,
            "equities": {name: getattr(found.decision, name) for name in names},
            "mwc": None if found.mwc is None else {name: getattr(found.mwc, name) for name in names},
            "probabilities": found.probabilities._asdict(),
            "plies": found.plies,
        }

    def _rollout(self, params: _Params) -> dict[str, Any]:
        where, roll = params.where(), params.optional_roll()
        plays = params.take("plays")
        if not (plays is None or _is_whole(plays) or (isinstance(plays, list) and len(plays) <= MOST_PLAYS)):
            _refuse("params", f"plays is how many, or a list of at most {MOST_PLAYS} plays, not {_short(plays)}")
        if isinstance(plays, list) and not (plays and all(isinstance(play, str) for play in plays)):
            _refuse("params", "plays are texts, at least one")
        if _is_whole(plays) and not 1 <= plays <= MOST_PLAYS:
            _refuse("params", f"plays is 1 to {MOST_PLAYS}, not {plays}")
        trials = params.whole("trials", 1296, 2, MOST_TRIALS)
        seed = params.whole("seed", 0, 0, (1 << 64) - 1)
        truncate = params.whole("truncate", 0, 0, 10_000)
        cube, cubeless = params.flag("cube", False), params.flag("cubeless", False)
        luck = params.flag("variance_reduction", True)
        params.done()
        result = rollout(
            where,
            roll=roll,
            plays=5 if plays is None else plays,
            cube_decision=cube,
            cubeful=False if cubeless else None,
            trials=trials,
            seed=seed,
            truncate=truncate or None,
            variance_reduction=luck,
            model=self._engine.model,
            threads=self._threads,
        )
        candidates = [
            {
                "action": candidate.action,
                "trials": candidate.trials,
                "probabilities": dict(zip(_FIVE, candidate.probabilities, strict=True)),
                "probability_errors": dict(zip(_FIVE, candidate.probability_errors, strict=True)),
                "equity": candidate.equity,
                "equity_error": candidate.equity_error,
                "value": candidate.value,
                "value_error": candidate.value_error,
                "worth": candidate.worth,
                "worth_error": candidate.worth_error,
            }
            for candidate in result.ranked
        ]
        decision = result.decision if result.kind == "cube" else None
        return {"kind": result.kind, "trials": result.trials, "decision": decision, "candidates": candidates}


_FIVE = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")


def _read(line: bytes) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        _refuse("parse", f"a line has at most {LONGEST_LINE} bytes")
    try:
        request = json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError:
        _refuse("parse", "a line is UTF-8")
    except (ValueError, RecursionError) as error:
        _refuse("parse", f"no JSON: {error}")
    if not isinstance(request, dict):
        _refuse("request", "a request is an object")
    return request


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(value: Any) -> Any:
    """What is not a number is null."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def serve(source: IO[bytes], target: IO[str], session: Session | None = None) -> None:
    """Answers every line of a binary stream until `quit` or its end. Empty lines are passed over.

    >>> import io
    >>> out = io.StringIO()
    >>> serve(io.BytesIO(b'{"id": "a", "method": "quit"}'), out)
    >>> out.getvalue()
    '{"id": "a", "result": {}}\\n'
    """
    session = Session() if session is None else session
    while not session.over:
        line = source.readline(LONGEST_LINE + 2)
        if not line:
            return
        whole = line.endswith(b"\n")
        text = line.rstrip(b"\r\n")
        while not whole and line:
            # The rest of a line that is too long, or of the last one.
            line = source.readline(LONGEST_LINE)
            whole = line.endswith(b"\n")
            text += line[: max(0, LONGEST_LINE + 1 - len(text))]
        if text.strip():
            target.write(session.answer(text) + "\n")
            target.flush()
