"""Evaluators out of ONNX files: networks that were trained elsewhere, with any tool that can export them.

It needs the extra ``gammon[onnx]``. The graph has one input and one output:

- input: ``float32[N, K]``, positions in an encoding of `gammon.batch.features`, or ``int8[N, 28]``, positions as they
  are;
- output: ``float32[N, 5]``, how likely for the player on roll a win, a gammon won, a backgammon won, a gammon lost and
  a backgammon lost are.

Each of the five includes what is better, or worse, as everywhere in the library: an answer that is not nested is
refused where it is used.
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

from gammon.errors import InvalidArgumentError, MissingExtraError, ModelFormatError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["OnnxEvaluator"]

_MOST_BYTES = 1 << 31
"""Of a file: protocol buffers, which ONNX is made of, have no more."""
_BLOCK = 1 << 24


class OnnxEvaluator:
    """A network from an ONNX file, as an `Evaluator`.

    Args:
        path: the file.
        encoding: what the graph's input is, a name that `gammon.batch.features` knows; for ``int8[N, 28]`` it is not
            asked.
        threads: None leaves it to onnxruntime.

    Raises:
        MissingExtraError: without onnxruntime.
        ModelFormatError: for a file that onnxruntime refuses or that has more than 2 GiB, or a graph with another input
            or output.
        InvalidArgumentError: for an encoding that does not exist, or is not as wide as the graph's input.
        OSError: for a file that cannot be read.

    >>> from gammon.onnx import OnnxEvaluator
    >>> OnnxEvaluator("nowhere.onnx")
    Traceback (most recent call last):
    ...
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.onnx'
    """

    __slots__ = ("_encoding", "_input", "_path", "_session", "_threads")

    def __init__(self, path: str | os.PathLike[str], *, encoding: str = "raw196", threads: int | None = None) -> None:
        if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
            raise InvalidArgumentError(f"threads is a number from 1 or None, not {threads!r}")
        name = os.fspath(path)
        content = _content(name)
        try:
            import onnxruntime
        except ImportError:
            raise MissingExtraError("ONNX files need onnxruntime: pip install 'gammon[onnx]'") from None
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        if threads is not None:
            options.intra_op_num_threads = threads
        try:
            session: Any = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            # onnxruntime raises classes of its own, one for each of its error codes, with no common base.
            raise ModelFormatError(f"{name}: {error}") from error
        inputs, outputs = session.get_inputs(), session.get_outputs()
        if len(inputs) != 1 or len(outputs) != 1 or len(inputs[0].shape) != 2:
            raise ModelFormatError(f"{name}: a graph has one input with two axes and one output")
        if inputs[0].type == "tensor(int8)":
            wide, self._encoding = 28, None
        elif inputs[0].type == "tensor(float)":
            wide, self._encoding = _width(encoding), encoding
        else:
            raise ModelFormatError(f"{name}: its input is {inputs[0].type}, neither tensor(float) nor tensor(int8)")
        found = inputs[0].shape[1]
        if isinstance(found, int) and found != wide:
            raise InvalidArgumentError(f"{name}: its input is {found} wide, {self._encoding or 'a position'} is {wide}")
        if outputs[0].type != "tensor(float)" or outputs[0].shape[1:] not in ([5], [None]):
            raise ModelFormatError(f"{name}: its output is {outputs[0].type} {outputs[0].shape}, not float[N, 5]")
        self._path, self._threads, self._session, self._input = name, threads, session, inputs[0].name

    def __call__(self, positions: NDArray[np.int8], /) -> NDArray[np.float32]:
        """A batch of positions, ``int8[N, 28]`` to ``float32[N, 5]``."""
        import numpy as np

        from gammon import batch

        if len(positions) == 0:
            return np.zeros((0, 5), np.float32)
        seen = positions if self._encoding is None else batch.features(positions, self._encoding)
        answer: NDArray[np.float32] = self._session.run(None, {self._input: seen})[0]
        return answer

    def __repr__(self) -> str:
        encoding = "" if self._encoding is None else f", encoding={self._encoding!r}"
        return f"OnnxEvaluator({self._path!r}{encoding})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._path, self._encoding or "raw196", self._threads)


def _content(path: str) -> bytes:
    """All of a file, block by block: of one that never ends no more than a file can have."""
    content = io.BytesIO()
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        while size <= _MOST_BYTES and (block := file.read(_BLOCK)):
            size = max(size, content.tell() + len(block))
            content.write(block)
    if size > _MOST_BYTES:
        raise ModelFormatError(f"{path}: larger than {_MOST_BYTES} bytes")
    return content.getvalue()


def _again(path: str, encoding: str, threads: int | None) -> OnnxEvaluator:
    return OnnxEvaluator(path, encoding=encoding, threads=threads)


def _width(encoding: str) -> int:
    import numpy as np

    from gammon import batch

    return int(batch.features(np.zeros((0, 28), np.int8), encoding).shape[1])
