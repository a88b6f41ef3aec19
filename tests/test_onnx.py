"""Evaluators out of ONNX files, on small graphs that are written here byte by byte."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import gammon
from gammon import batch
from gammon.errors import ArrayError, InvalidArgumentError, MissingExtraError, ModelFormatError
from gammon.evaluator import Evaluator
from gammon.onnx import OnnxEvaluator

Floats = npt.NDArray[np.float32]
FLOAT, INT8 = 1, 3


def field(number: int, value: int | bytes | str) -> bytes:
    """A field of a protocol buffer."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def node(kind: str, inputs: Sequence[str], output: str, attributes: bytes = b"") -> bytes:
    return field(1, b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, kind) + attributes)


def tensor(name: str, values: Floats) -> bytes:
    dims = b"".join(field(1, size) for size in values.shape)
    return field(5, dims + field(2, FLOAT) + field(8, name) + field(9, values.astype("<f4").tobytes()))


def value(number: int, name: str, kind: int, width: int) -> bytes:
    shape = field(1, field(2, "N")) + field(1, field(1, width))
    return field(number, field(1, name) + field(2, field(1, field(1, kind) + field(2, shape))))


class Small:
    """One unit that says how likely a win is, and fixed shares of gammons."""

    def __init__(self, width: int, seed: int = 1) -> None:
        self.weights = np.random.default_rng(seed).normal(0, 0.3, (width, 1)).astype(np.float32)
        self.bias = np.float32([0.1])
        self.lost = np.float32([0, 0, 0, 0.3, 0.01])
        self.gain = np.float32([[1, 0.3, 0.02, -0.3, -0.01]])

    def answer(self, inputs: Floats) -> Floats:
        win = 1 / (1 + np.exp(-(inputs @ self.weights + self.bias)))
        return (win * self.gain + self.lost).astype(np.float32)

    def model(self, kind: int = FLOAT, gain: Floats | None = None) -> bytes:
        gain = self.gain if gain is None else gain
        cast = node("Cast", ["x"], "y", field(5, field(1, "to") + field(3, FLOAT) + field(20, 2)))
        nodes = [
            cast,
            node("Gemm", ["y", "w", "b"], "sum"),
            node("Sigmoid", ["sum"], "win"),
            node("Gemm", ["win", "gain", "lost"], "ends"),
        ]
        arrays = {"w": self.weights, "b": self.bias, "gain": gain, "lost": self.lost[: gain.shape[1]]}
        tensors = [tensor(name, values) for name, values in arrays.items()]
        ends = [value(11, "x", kind, len(self.weights)), value(12, "ends", FLOAT, gain.shape[1])]
        graph = b"".join([*nodes, field(2, "small"), *tensors, *ends])
        return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_without_the_extra(tmp_path: Path) -> None:
    path = write(tmp_path / "small.onnx", b"")
    code = f"""
import sys
sys.modules["onnxruntime"] = None
import gammon.onnx
try:
    gammon.onnx.OnnxEvaluator({str(path)!r})
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "ONNX files need onnxruntime: pip install 'gammon[onnx]'"
    assert issubclass(MissingExtraError, ImportError)


class TestWithOnnxruntime:
    @pytest.fixture(autouse=True)
    def needs(self) -> None:
        pytest.importorskip("onnxruntime")

    @pytest.mark.parametrize("encoding", ["raw196", "places208", None])
    def test_it_answers_as_its_graph(self, tmp_path: Path, encoding: str | None) -> None:
        positions = batch.random_positions(300, seed=5)
        if encoding is None:
            small = Small(28)
            evaluator = OnnxEvaluator(write(tmp_path / "small.onnx", small.model(INT8)))
            inputs = positions.astype(np.float32)
        else:
            inputs = batch.features(positions, encoding)
            small = Small(inputs.shape[1])
            evaluator = OnnxEvaluator(write(tmp_path / "small.onnx", small.model()), encoding=encoding)
        assert isinstance(evaluator, Evaluator)
        answer = evaluator(positions)
        assert answer.shape == (300, 5)
        assert np.ptp(answer[:, 0]) > 0.3
        np.testing.assert_allclose(answer, small.answer(inputs), atol=1e-5)
        checked = batch.evaluate(positions, model=evaluator)
        alive = np.array([not gammon.Position.from_array(row).is_over for row in positions])
        np.testing.assert_array_equal(checked[alive], answer[alive])
        rolls = np.full((300, 2), [3, 1], np.uint8)
        assert batch.best_positions(positions, rolls, model=evaluator).shape == (300, 28)
        assert evaluator(positions[:0]).shape == (0, 5)

    def test_copies(self, tmp_path: Path) -> None:
        path = write(tmp_path / "small.onnx", Small(208).model())
        evaluator = OnnxEvaluator(path, encoding="places208", threads=1)
        positions = batch.random_positions(20, seed=5)
        for again in (pickle.loads(pickle.dumps(evaluator)), copy.copy(evaluator)):
            np.testing.assert_array_equal(again(positions), evaluator(positions))
            assert repr(again) == repr(evaluator) == f"OnnxEvaluator({str(path)!r}, encoding='places208')"

    def test_answers_that_are_not_nested(self, tmp_path: Path) -> None:
        gain = np.float32([[1, 2, 0, 0, 0]])
        evaluator = OnnxEvaluator(write(tmp_path / "small.onnx", Small(196).model(gain=gain)))
        with pytest.raises(ArrayError, match="nested"):
            batch.evaluate(batch.random_positions(20, seed=5), model=evaluator)

    @pytest.mark.parametrize(
        ("content", "error", "word"),
        [
            (b"no graph", ModelFormatError, r"small\.onnx"),
            (Small(196).model()[:-40], ModelFormatError, r"small\.onnx"),
            (Small(196).model(kind=6), ModelFormatError, "int32"),
            (Small(196).model(gain=np.ones((1, 4), np.float32)), ModelFormatError, "5"),
            (Small(208).model(), InvalidArgumentError, "208 wide, raw196 is 196"),
            (Small(29).model(INT8), InvalidArgumentError, "29 wide, a position is 28"),
        ],
    )
    def test_graphs_that_do_not_fit(self, tmp_path: Path, content: bytes, error: type[Exception], word: str) -> None:
        path = write(tmp_path / "small.onnx", content)
        with pytest.raises(error, match=word):
            OnnxEvaluator(path)

    @pytest.mark.parametrize("arguments", [{"encoding": "raw"}, {"threads": 0}, {"threads": True}])
    def test_arguments_that_make_no_sense(self, tmp_path: Path, arguments: dict[str, Any]) -> None:
        path = write(tmp_path / "small.onnx", Small(196).model())
        with pytest.raises(InvalidArgumentError, match=next(iter(arguments))):
            OnnxEvaluator(path, **arguments)
