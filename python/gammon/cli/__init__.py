"""The command line. It uses the public API only.

One door: `main` turns what a user did wrong into one line on stderr and exit code 2, and Ctrl-C into exit code 130.
"""

from __future__ import annotations

import io
import os
import re
import sys
from typing import cast

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and exits: 0, 1 for faults in what was read, 2 for wrong input, 130 after Ctrl-C."""
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    try:
        import typer
    except ImportError:
        return _complain("the command line needs typer and rich: pip install 'gammon[cli]'")

    # A stream that the caller closed is None: nothing to read, nowhere to write.
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115  # for as long as the process lives
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout):
        # A terminal that cannot show a letter, or a pipe that is not UTF-8, costs a question mark and no traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")

    from gammon.cli._app import application
    from gammon.errors import GammonError

    # Typer carries click within itself or beside itself, by version: its base of usage errors has no fixed home.
    usage_errors = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])
    try:
        code = application(sys.argv[1:] if arguments is None else arguments)(
            args=arguments, prog_name="gammon", standalone_mode=False
        )
    except typer.Abort:
        return 130
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _without_reader()
    except SystemExit as stop:
        # What typer makes of a pipe whose reader has left.
        if isinstance(stop.__context__, BrokenPipeError):
            return _without_reader()
        raise
    except GammonError as error:
        return _complain(str(error))
    except OSError as error:
        return _complain(_reason(error))
    except usage_errors as error:
        return _complain(error.format_message())
    return code if isinstance(code, int) else 0


def _without_reader() -> int:
    """The reader of a pipe has left; Python must not complain about that when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def printable(text: str) -> str:
    """A line in which nothing moves the cursor of a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _reason(error: OSError) -> str:
    """The file and what is the matter with it, without the numbers that the system has for that."""
    if error.strerror is None:
        return str(error)
    if error.filename is None:
        return error.strerror
    return f"{os.fsdecode(error.filename)}: {re.sub(r' .os error [0-9]+.$', '', error.strerror)}"


def _complain(message: str) -> int:
    print("gammon: " + printable(" ".join(message.split())), file=sys.stderr)
    return 2
