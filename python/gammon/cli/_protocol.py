"""``gammon engine``."""

from __future__ import annotations

import sys

from gammon.cli._arguments import ModelName, Threads
from gammon.engine import protocol


def engine(model: ModelName = None, threads: Threads = None) -> None:
    """Serve other programs: a JSON request on each line of the input, an answer on each of the output.

    The methods are in docs/protocol.md. Ends with the input, or when it is asked to quit.

    Example: echo '{"id": 1, "method": "version"}' | gammon engine
    """
    protocol.serve(sys.stdin.buffer, sys.stdout, protocol.Session(model, threads=threads))
