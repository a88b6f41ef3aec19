"""A whole match as JSON: everything that `Match.to_dict` saves, with tags, comments and faults of a file it came from.

Nothing is lost but what a dice source of the user's own knows. One match is one line, so a file of many can be read as
a stream. `docs/formats/json.md` has the schema, which has a version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NoReturn

from gammon._checks import whole
from gammon.errors import FileFormatError
from gammon.formats._input import Input, Target, decode, lines_of, naming, open_lines, read_all, write_text
from gammon.match import Comment, Fault, Match
from gammon.match._codec import fail, read_dict, read_int, read_list, shown

__all__ = ["dump", "dumps", "load", "loads", "losses", "recognises", "scan"]

_EXTRAS = ("tags", "comments", "annotations", "errors")
_LONGEST = 1 << 20


def dumps(match: Match, *, indent: int | None = None) -> str:
    """The match as JSON, on one line unless `indent` is given.

    Raises `InvalidArgumentError` for an indent outside 0 to 16.

    >>> loads(dumps(Match(names=("Ann", "Bob")))).names
    ('Ann', 'Bob')
    """
    if indent is not None:
        whole("indent", indent, 0, 16)
    data = match.to_dict()
    if match.tags:
        data["tags"] = match.tags
    if match.comments:
        data["comments"] = [{"event": comment.event, "text": comment.text} for comment in match.comments]
    if match.annotations:
        data["annotations"] = [
            {"event": event, "properties": [[name, list(values)] for name, values in properties]}
            for event, properties in sorted(match.annotations.items())
        ]
    if match.errors:
        data["errors"] = [
            {"line": fault.line, "column": fault.column, "what": fault.what, "done": fault.done}
            for fault in match.errors
        ]
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent) + "\n"


def dump(match: Match, target: Target, *, indent: int | None = None) -> None:
    """Writes the match to a file, in UTF-8.

    >>> import io
    >>> file = io.StringIO()
    >>> dump(Match(names=("Ann", "Bob")), file)
    >>> loads(file.getvalue()).names
    ('Ann', 'Bob')
    """
    write_text(dumps(match, indent=indent), target)


def losses(match: Match) -> tuple[str, ...]:
    """What JSON does not hold of a match: nothing.

    >>> losses(Match())
    ()
    """
    return ()


def loads(data: str | bytes, *, strict: bool = False) -> Match:
    """The match of a JSON text; it is played again, so that nothing illegal comes in.

    Raises:
        FileFormatError: with line and column for what is no JSON, and with the path of a field that is wrong.

    >>> loads(dumps(Match(names=("Ann", "Bob")))).names
    ('Ann', 'Bob')
    """
    text = decode(data)
    try:
        return _match(_parse(text))
    except FileFormatError as error:
        lines = [line for line in lines_of(text) if line.strip()]
        if len(lines) > 1 and "Extra data" in str(error) and lines[1].lstrip().startswith("{"):
            raise FileFormatError("the file holds several matches: read them with scan") from None
        raise


def load(source: Input, *, strict: bool = False) -> Match:
    """The match of a file.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "match.json")
    ...     dump(Match(names=("Ann", "Bob")), path)
    ...     load(path).names
    ('Ann', 'Bob')
    """
    with naming(source):
        return loads(read_all(source), strict=strict)


def scan(source: Input, *, strict: bool = False) -> Iterator[Match]:
    """The matches of a file with one on each line; a file with one match may have it over many lines.

    >>> import io
    >>> [match.names for match in scan(io.StringIO(dumps(Match(names=("Ann", "Bob"))) * 2))]
    [('Ann', 'Bob'), ('Ann', 'Bob')]
    """
    lines = open_lines(source)
    gathered: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if not gathered:
            try:
                yield _match(_parse(line))
                continue
            except FileFormatError as error:
                # A match over many lines, and this is its first: all of it is needed.
                if line.strip()[-1:] == "}":
                    raise FileFormatError(f"line {number}: {error}") from None
        gathered.append(line)
    if gathered:
        yield _match(_parse("\n".join(gathered)))


def _parse(text: str) -> Any:
    def refuse(name: str) -> NoReturn:
        raise FileFormatError(f"{name} is no JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise FileFormatError("the JSON is nested too deeply for a match") from None
    except ValueError as error:
        raise FileFormatError(f"the JSON has a number that is none: {error}"[:200]) from None


def _match(data: Any) -> Match:
    if not isinstance(data, dict):
        raise FileFormatError(f"a match is an object, not {shown(data)}")
    extras = {name: data.pop(name) for name in _EXTRAS if name in data}
    match = Match.from_dict(data)
    count = match.event_count
    if "tags" in extras:
        tags = extras["tags"]
        if not isinstance(tags, dict):
            fail("tags", f"an object is expected, not {shown(tags)}")
        match.tags = {name: _text(text, f"tags.{name}"[:100]) for name, text in tags.items()}
    for index, value in enumerate(read_list(extras.get("comments", []), "comments")):
        path = f"comments[{index}]"
        comment = read_dict(value, path, {"event", "text"})
        event = read_int(comment["event"], f"{path}.event", 0, count)
        match.comments.append(Comment(event, _text(comment["text"], f"{path}.text")))
    for index, value in enumerate(read_list(extras.get("annotations", []), "annotations")):
        path = f"annotations[{index}]"
        note = read_dict(value, path, {"event", "properties"})
        event = read_int(note["event"], f"{path}.event", 0, max(0, count - 1))
        match.annotations[event] = tuple(
            _property(entry, f"{path}.properties[{place}]")
            for place, entry in enumerate(read_list(note["properties"], f"{path}.properties"))
        )
    for index, value in enumerate(read_list(extras.get("errors", []), "errors")):
        path = f"errors[{index}]"
        fault = read_dict(value, path, {"line", "column", "what", "done"})
        match.errors.append(
            Fault(
                read_int(fault["line"], f"{path}.line"),
                read_int(fault["column"], f"{path}.column"),
                _text(fault["what"], f"{path}.what"),
                _text(fault["done"], f"{path}.done"),
            )
        )
    return match


def _property(value: object, path: str) -> tuple[str, tuple[str, ...]]:
    pair = read_list(value, path, 2)
    if len(pair) != 2:
        fail(path, "a name and its values are expected")
    values = tuple(_text(text, f"{path}[1]") for text in read_list(pair[1], f"{path}[1]"))
    return _text(pair[0], f"{path}[0]"), values


def _text(value: object, path: str) -> str:
    if not isinstance(value, str):
        fail(path, f"a text is expected, not {shown(value)}")
    if len(value) > _LONGEST:
        fail(path, f"a text of {len(value)} characters is longer than {_LONGEST}")
    return value


def recognises(text: str) -> bool:
    """Whether a text looks like JSON.

    >>> recognises(dumps(Match())), recognises("a letter")
    (True, False)
    """
    return text.lstrip()[:1] == "{"
