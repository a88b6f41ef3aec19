"""Decisions as Parquet: one row for each play, double, answer and resignation, for analysis by the million.

Needs pyarrow: ``pip install 'gammon[data]'``. A table of decisions is no record of a match, so this is written and read
as rows, not as matches. `docs/formats/parquet.md` has the columns.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Iterator
from typing import Any

from gammon.errors import FileFormatError, MissingExtraError
from gammon.files import whole
from gammon.match import Event, Match, State
from gammon.match._codec import position_to_list
from gammon.play import Play

__all__ = ["VERSION", "dump", "load", "rows", "schema"]

VERSION = 1
"""The version of the columns; it is in the metadata of a file as ``gammon.version``."""

_DECISIONS = ("play", "double", "take", "drop", "beaver", "resign", "accept", "decline")
_BATCH = 20_000


def _arrow() -> tuple[Any, Any]:
    """Pyarrow and its Parquet module."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtraError("Parquet needs pyarrow: pip install 'gammon[data]'") from error


def schema() -> Any:
    """The columns of a file, as a pyarrow schema: for tables that are made from `rows`.

    Raises `MissingExtraError` without pyarrow.

    >>> import pyarrow
    >>> table = pyarrow.Table.from_pylist(list(rows(Match())), schema=schema())
    >>> table.num_rows, table.column_names[:4]
    (0, ['match', 'game', 'ply', 'player'])
    """
    pa, _ = _arrow()
    fields = [
        ("match", pa.int32()),
        ("game", pa.int32()),
        ("ply", pa.int32()),
        ("player", pa.int8()),
        ("name", pa.dictionary(pa.int32(), pa.string())),
        ("decision", pa.dictionary(pa.int8(), pa.string())),
        ("position", pa.list_(pa.int8(), 28)),
        ("position_id", pa.string()),
        ("die1", pa.int8()),
        ("die2", pa.int8()),
        ("play", pa.string()),
        ("after_id", pa.string()),
        ("level", pa.int8()),
        ("cube", pa.int32()),
        ("cube_owner", pa.int8()),
        ("stake", pa.int32()),
        ("points", pa.int32()),
        ("opponent_points", pa.int32()),
        ("length", pa.int32()),
        ("crawford", pa.bool_()),
        ("post_crawford", pa.bool_()),
        ("jacoby", pa.bool_()),
        ("legal", pa.bool_()),
        ("notes", pa.string()),
        ("game_winner", pa.int8()),
        ("game_points", pa.int32()),
    ]
    return pa.schema(fields, metadata={"gammon.version": str(VERSION)})


def rows(match: Match, index: int = 0) -> Iterator[dict[str, Any]]:
    """The decisions of a match, each as a dictionary with the columns of a file; `index` is the number of the match.

    >>> from gammon.dice import SequenceDice
    >>> match = Match(dice=SequenceDice([(3, 1)]))
    >>> _ = match.roll()
    >>> _ = match.play("8/5 6/5")
    >>> row = next(rows(match))
    >>> row["decision"], row["die1"], row["play"], row["cube"], row["length"]
    ('play', 3, '8/5 6/5', 1, None)
    """
    ply = 0
    for place, (state, event) in enumerate(match.history()):
        if event.kind == "roll" and event.player is None:
            ply = 0
        if event.kind not in _DECISIONS or event.player is None:
            continue
        game = match.games_before(place)
        finished = match.games[game] if game < len(match.games) else None
        row = _row(state, event, match)
        row |= {
            "match": index,
            "game": game + 1,
            "ply": ply,
            "game_winner": None if finished is None else finished.winner,
            "game_points": None if finished is None else finished.points,
        }
        ply += 1
        yield row


def _row(state: State, event: Event, match: Match) -> dict[str, Any]:
    """What does not depend on the place in the match. The position is seen by the player on roll."""
    seat = event.player
    assert seat is not None
    owner = None if state.cube.owner is None else state.on_roll if state.cube.owner == "player" else 1 - state.on_roll
    play = event.play
    return {
        "player": seat,
        "name": match.names[seat],
        "decision": event.kind,
        "position": position_to_list(state.position),
        "position_id": state.position.id,
        "die1": None if state.roll is None else state.roll.high,
        "die2": None if state.roll is None else state.roll.low,
        "play": None if play is None else str(play),
        "after_id": play.after.id if isinstance(play, Play) else None,
        "level": event.level,
        "cube": state.cube.value,
        "cube_owner": owner,
        "stake": state.stake,
        "points": state.points[seat],
        "opponent_points": state.points[1 - seat],
        "length": match.rules.length,
        "crawford": state.is_crawford,
        "post_crawford": state.post_crawford,
        "jacoby": match.rules.jacoby,
        "legal": not event.illegal or "illegal" not in event.notes,
        "notes": "; ".join(event.notes) or None,
    }


def dump(matches: Match | Iterable[Match], path: str | os.PathLike[str]) -> int:
    """Writes the decisions of one match or of many, as they come, and returns how many rows there are.

    Only some thousands of rows are in memory at a time, and the file appears when it is complete.

    Raises:
        MissingExtraError: without pyarrow.

    >>> import pathlib, tempfile
    >>> from gammon.dice import SequenceDice
    >>> match = Match(dice=SequenceDice([(3, 1)]))
    >>> _ = match.roll(), match.play("8/5 6/5")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dump([match, match], pathlib.Path(folder, "matches.parquet"))
    2
    """
    pa, pq = _arrow()
    wanted = schema()
    stream = [matches] if isinstance(matches, Match) else matches
    written = 0
    waiting: list[dict[str, Any]] = []
    with whole(path) as partial, pq.ParquetWriter(partial, wanted, compression="zstd") as writer:
        for index, match in enumerate(stream):
            waiting += rows(match, index)
            if len(waiting) >= _BATCH:
                writer.write_table(pa.Table.from_pylist(waiting, schema=wanted))
                written += len(waiting)
                waiting = []
        if waiting or not written:
            writer.write_table(pa.Table.from_pylist(waiting, schema=wanted))
            written += len(waiting)
    return written


def load(path: str | os.PathLike[str]) -> Any:
    """The rows of a file as a pyarrow table.

    Raises:
        FileFormatError: if it is no Parquet file of this library, or of a version that is not known.
        MissingExtraError: without pyarrow.

    >>> import pathlib, tempfile
    >>> from gammon.dice import SequenceDice
    >>> match = Match(dice=SequenceDice([(3, 1)]))
    >>> _ = match.roll(), match.play("8/5 6/5")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "matches.parquet")
    ...     written = dump(match, path)
    ...     load(path).column("play").to_pylist()
    ['8/5 6/5']
    """
    pa, pq = _arrow()
    with open(os.fspath(path), "rb") as file:
        try:
            table = pq.read_table(file)
        except (pa.ArrowException, OSError) as error:
            raise FileFormatError(f"{os.fspath(path)}: no Parquet file: {error}") from error
    version = (table.schema.metadata or {}).get(b"gammon.version")
    if version != str(VERSION).encode():
        raise FileFormatError(f"{os.fspath(path)}: version {version!r} of the decisions, not {VERSION}")
    return table
