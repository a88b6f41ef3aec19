"""How the site reads docstrings: those of compiled classes at run time, and examples as code."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import griffe


class Docstrings(griffe.Extension):
    """Fills in what the stub of the compiled module does not hold, and puts fences around examples."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called once for each module, class, function and attribute."""
        if obj.docstring is None and obj.path.startswith("gammon._core."):
            value: Any = importlib.import_module("gammon._core")
            for name in obj.path.removeprefix("gammon._core.").split("."):
                value = getattr(value, name, None)
            text = inspect.getdoc(value) if value is not None else None
            if text and not obj.name.startswith("_"):
                obj.docstring = griffe.Docstring(text, parent=obj)
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """Examples, from their first prompt to the next empty line, as code."""
    lines: list[str] = []
    inside = False
    for line in [*text.split("\n"), ""]:
        if not inside and line.lstrip().startswith(">>> "):
            indent = line[: len(line) - len(line.lstrip())]
            lines.append(f"{indent}```pycon")
            inside = True
        elif inside and not line.strip():
            lines.append(f"{indent}```")
            inside = False
        lines.append(line)
    return "\n".join(lines[:-1])
