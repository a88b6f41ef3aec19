"""What writing the actions of random games costs, column by column and way by way: why data sets are as they are.

    pip install '.[data]' && python benches/parquet.py

Microseconds of processor time and bytes for each random game, the best of several rounds; every way is read back and
compared before it is timed. `docs/datasets.md` says which ways were taken.
"""

from __future__ import annotations

import hashlib
import json
import platform
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet

import gammon
from gammon import batch
from gammon.simulation import _dataset
from gammon.simulation._players import Players
from gammon.simulation._run import Job

GAMES = 2048
ROUNDS = 7
HOW = {"compression": "none", "use_dictionary": False, "write_statistics": False, "store_schema": False}


def best(work: Callable[[], Any]) -> tuple[float, Any]:
    """Microseconds a game, and the answer."""
    least, answer = float("inf"), None
    for _ in range(ROUNDS):
        start = time.process_time()
        answer = work()
        least = min(least, time.process_time() - start)
    return least / GAMES * 1e6, answer


def job(record: bool, keys: bool) -> Job:
    return Job(
        Players(("random", "random")),
        None,
        "standard",
        1,
        paired=False,
        per_game=True,
        record=record,
        network=None,
        threads=1,
        batch_size=4096,
        keys=keys,
    )


def written(columns: dict[str, Any], how: dict[str, Any]) -> Any:
    schema = pyarrow.schema([pyarrow.field(name, column.type, nullable=False) for name, column in columns.items()])
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(columns, schema=schema), sink, **{**HOW, **how})
    return sink.getvalue()


def show(name: str, columns: dict[str, Any], **how: Any) -> None:
    took, content = best(lambda: written(columns, how))
    read = pyarrow.parquet.read_table(pyarrow.BufferReader(content))
    for column in columns:
        expected = columns[column]
        plain = expected.dictionary_decode() if pyarrow.types.is_dictionary(expected.type) else expected
        assert read[column].combine_chunks().to_pylist() == plain.to_pylist(), name
    print(f"  {name:<46}{took:8.2f} us{len(content) / GAMES:9.1f} bytes")


def in_dictionary(values: np.ndarray) -> Any:
    """A column as places among its values, which are given to Arrow, not looked for."""
    least = values.min()
    kinds = np.arange(least, values.max() + 1).astype(values.dtype)
    places = (values - least).astype(np.int8 if len(kinds) < 128 else np.int32)
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(places), pyarrow.array(kinds), safe=False)


def parts(many: int) -> None:
    """A line that is added for a part, and a list of so many that is written anew."""
    with tempfile.TemporaryDirectory() as place:
        gammon.simulate(GAMES, seed=1, out=place)
        line = json.loads((Path(place) / _dataset.PARTS).read_text())
        path = Path(place) / "list"

        def add() -> None:
            with open(path, "ab") as file:
                file.write(json.dumps(line).encode() + b"\n")

        print(f"  a line for a part                             {best(add)[0]:8.2f} us")
        whole = best(lambda: path.write_text(json.dumps([line] * many, indent=1)))[0]
        print(f"  a list of {many:,} parts, written anew             {whole:8.2f} us")


def main() -> None:
    print(f"Python {platform.python_version()}, pyarrow {pyarrow.__version__}, {platform.machine()}, best of {ROUNDS}")
    print(
        f"  a random game                                 {best(lambda: gammon.simulate(GAMES, threads=1))[0]:8.2f} us"
    )
    for name, record, keys in (("with a row", False, False), ("its actions", True, False), ("as bits", True, True)):
        took, (answer, _) = best(lambda record=record, keys=keys: job(record, keys).play(0, GAMES, None))
        print(f"  {name:<46}{took:8.2f} us")
    turns = answer["acts"]
    cells, _ = job(True, False).play(0, GAMES, None)
    positions = cells["acts"]["positions"]
    assert (batch.to_keys(positions) == turns["positions"]).all()
    print(f"{len(positions) / GAMES:.0f} actions a game")
    took, (content, _) = best(lambda: _dataset._parquet(turns, "bits"))
    print(f"  all of it, as data sets have it               {took:8.2f} us{len(content) / GAMES:9.1f} bytes")
    took, _ = best(lambda: hashlib.sha256(content).hexdigest())
    print(f"  its checksum                                  {took:8.2f} us")
    with tempfile.TemporaryDirectory() as place:
        took, _ = best(lambda: (Path(place) / "file").write_bytes(content))
        print(f"  its file                                      {took:8.2f} us")
    parts(5000)
    plain = {name: pyarrow.array(values) for name, values in turns.items() if values.ndim == 1}
    print("plain numbers")
    for method in ("none", "snappy", "lz4", "zstd"):
        show(method, plain, compression=method)
    show("dictionaries that are looked for", plain, use_dictionary=True)
    show("dictionaries that are given", {name: in_dictionary(turns[name]) for name in plain}, use_dictionary=True)
    show("delta", plain, column_encoding=dict.fromkeys(plain, "DELTA_BINARY_PACKED"))
    print("rolls")
    rolls = {"rolls": _dataset._column(pyarrow, turns["rolls"])}
    for method in ("none", "lz4", "zstd"):
        show(method, rolls, compression=method)
    print("positions of 28 bytes")
    wide = {"positions": _dataset._column(pyarrow, positions)}
    for method in ("none", "snappy", "lz4", "zstd"):
        show(method, wide, compression=method)
    for level in (-7, -20):
        show(f"zstd, level {level}", wide, compression="zstd", compression_level=level)
    for method in ("none", "lz4", "zstd"):
        show(f"split by bytes, {method}", wide, compression=method, column_encoding={"positions": "BYTE_STREAM_SPLIT"})
    print("positions as bits")
    narrow = {"positions": _dataset._column(pyarrow, turns["positions"])}
    for method in ("none", "lz4", "zstd"):
        show(method, narrow, compression=method)


if __name__ == "__main__":
    main()
