"""SGF as GNU Backgammon writes it: one game tree for each game of a match or session.

Read are plays, cube, resignations, set-up nodes, comments and, kept as they are, the properties of its analysis.
`docs/formats/sgf.md` has the properties and what each becomes.
"""

from __future__ import annotations

import codecs
import itertools
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from gammon import _core
from gammon.errors import FileFormatError
from gammon.formats._build import Entry, GameText, MatchText, Setup, build, fits_match
from gammon.formats._compare import differences
from gammon.formats._faults import Faults
from gammon.formats._input import Input, Target, decode, naming, read_all, write_text
from gammon.formats._rules import FULL_VARIANTS, apply_setting, rule_tags
from gammon.match import Comment, Event, Game, GameState, Match, Offer, State
from gammon.play import Play
from gammon.position import Position

__all__ = ["Candidate", "candidates", "dump", "dumps", "load", "loads", "losses", "recognises", "scan"]

_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]{1,32})|\[([^\]\\]*(?:\\.[^\]\\]*)*)\])", re.DOTALL)
_ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
_CHARSET = re.compile(rb"CA\[([A-Za-z0-9_.:-]{1,40})\]")
_PLACES = "abcdefghijklmnopqrstuvwxyz"
_BAR, _OFF = 24, 25
_RESULT = re.compile(r"\s*([WB])\s*\+\s*(\d{1,9})?\s*(R?)", re.IGNORECASE)
_TAGS = {
    "EV": "Event",
    "RO": "Round",
    "PC": "Place",
    "DT": "EventDate",
    "AN": "Annotator",
    "GC": "Comment",
    "WR": "Player 1 Rating",
    "BR": "Player 2 Rating",
    "SO": "Source",
    "US": "User",
    "CP": "Copyright",
}
_PROPERTIES = {tag: name for name, tag in _TAGS.items()}
_KNOWN_IN_ROOT = {"FF", "GM", "CA", "AP", "MI", "PW", "PB", "RU", "RE", "XT", "GS", "ST", "SZ"}
_MOST_VALUES = 100_000


class _Node(NamedTuple):
    line: int
    column: int
    properties: dict[str, list[str]]


class _Tree(NamedTuple):
    """The main line of a game tree."""

    nodes: list[_Node]
    variations: int
    closed: bool


# Reading.


def loads(data: str | bytes, *, strict: bool = False) -> Match:
    """The match of an SGF text. Lenient, faults are in `match.errors`; strict, the first one raises.

    Raises:
        FileFormatError: if it is no SGF of backgammon or holds several matches; strict, for any fault.

    >>> match = loads("(;FF[4]GM[6]MI[length:1][game:0][ws:0][bs:0]PW[Ann]PB[Bob];W[31hefe];B[42qusu])")
    >>> match.names, match.turn
    (('Ann', 'Bob'), 3)
    """
    matches: list[Match] = []
    for match in _scan(_text(data), strict):
        if matches:
            raise FileFormatError("the file holds several matches: read them with scan")
        matches.append(match)
    if not matches:
        raise FileFormatError("no game in it: SGF begins with '(;'")
    return matches[0]


def load(source: Input, *, strict: bool = False) -> Match:
    """The match of a file. Raises as `loads` does, and what the system raises for a file that cannot be opened.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "match.sgf")
    ...     dump(Match(names=("Ann", "Bob")), path)
    ...     load(path).names
    ('Ann', 'Bob')
    """
    with naming(source):
        return loads(read_all(source), strict=strict)


def scan(source: Input, *, strict: bool = False) -> Iterator[Match]:
    """The matches of a file one by one; a new one begins where the number of the game does not go on.

    >>> import io
    >>> [match.names for match in scan(io.StringIO(dumps(Match(names=("Ann", "Bob"))) * 2))]
    [('Ann', 'Bob'), ('Ann', 'Bob')]
    """
    return _scan(_text(read_all(source)), strict)


def _text(data: str | bytes) -> str:
    """Text in the character set that the file names, if it is right."""
    if isinstance(data, bytes):
        named = _CHARSET.search(data, 0, 4096)
        if named and not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            try:
                name = named[1].decode()
                if codecs.lookup(name)._is_text_encoding:
                    return data.decode(name)
            except (LookupError, UnicodeDecodeError, ValueError):
                pass
    return decode(data)


def _scan(text: str, strict: bool) -> Iterator[Match]:
    faults = Faults(strict=strict)
    current: MatchText | None = None
    for tree in _trees(text, faults):
        game, match = _game(tree, faults)
        if game is None or match is None:
            continue
        if current is not None and _goes_on(current, match, game):
            current.games.append(game)
            continue
        if current is not None:
            yield build(current, faults)
            faults = Faults(strict=strict)
        current = match
        current.games.append(game)
    if current is not None:
        yield build(current, faults)


def _goes_on(current: MatchText, match: MatchText, game: GameText) -> bool:
    """Whether a game belongs to the match before it."""
    same = current.length == match.length and current.names == match.names
    return same and game.number > current.games[-1].number


def _trees(text: str, faults: Faults) -> Iterator[_Tree]:
    """The game trees of a collection, each with its main line; by a loop, however deep the variations go."""
    place = 0
    nodes: list[_Node] = []
    depth = skip = variations = 0
    properties: dict[str, list[str]] | None = None
    values: list[str] | None = None
    ended = False
    where = _Places(text)
    while (token := _TOKEN.match(text, place)) is not None or text[place : place + 1]:
        if token is None:
            start = place
            place = _after_junk(text, place)
            if depth:
                line, column = where.of(start)
                faults.add(line, column, f"{text[start : start + 20]!r} is no SGF", "left out")
                if text[start : start + 1] == "[" and values is not None:
                    values.append(_plain(text[start + 1 :]))
            continue
        place = token.end()
        mark, name, value = token.groups()
        if mark == "(":
            depth += 1
            if depth > 1 and (ended or skip):
                skip = skip or depth
                variations += 1
            values = None
        elif mark == ")":
            if depth:
                depth -= 1
            ended = True
            values = None
            if skip and depth < skip:
                skip = 0
            if depth == 0:
                if nodes:
                    yield _Tree(nodes, variations, True)
                nodes, variations, ended, skip, properties = [], 0, False, 0, None
        elif depth == 0 or skip:
            continue
        elif mark == ";":
            line, column = where.of(token.start(1))
            properties, values = {}, None
            nodes.append(_Node(line, column, properties))
        elif name is not None and properties is not None:
            letters = "".join(letter for letter in name if letter.isupper())
            values = properties.setdefault(letters, [])
        elif value is not None and values is not None and len(values) < _MOST_VALUES:
            values.append(value)
    if nodes:
        line, column = where.of(len(text))
        faults.add(line, column, "the file ends in the middle of a game", "read so far")
        yield _Tree(nodes, variations, False)


def _after_junk(text: str, place: int) -> int:
    """The next place where something can begin again."""
    if text[place : place + 1] == "[":
        return len(text)
    following = re.compile(r"[();\[A-Za-z]").search(text, place + 1)
    return following.start() if following else len(text)


class _Places:
    """Lines and columns of places that only grow."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.seen = 0
        self.line = 1
        self.start = 0

    def of(self, place: int) -> tuple[int, int]:
        self.line += self.text.count("\n", self.seen, place)
        self.start = max(self.start, self.text.rfind("\n", self.seen, place) + 1)
        self.seen = max(self.seen, place)
        return self.line, place - self.start + 1


def _plain(value: str) -> str:
    """A value without its escapes: a backslash keeps what follows, and joins lines."""
    if "\\" not in value:
        return value
    return _ESCAPE.sub(lambda match: "" if match[1] in ("\n", "\r", "\r\n", "\n\r") else match[1], value)


def _game(tree: _Tree, faults: Faults) -> tuple[GameText | None, MatchText | None]:
    """The entries of a game, and what its root says of the match."""
    root = tree.nodes[0]
    if root.properties.get("GM", ["6"])[:1] != ["6"]:
        faults.add(root.line, root.column, f"a game GM{root.properties['GM'][:1]}, where backgammon is 6", "left out")
        return None, None
    match = MatchText()
    game = GameText(1, root.line)
    _root(root, match, game, faults)
    if tree.variations:
        faults.add(root.line, root.column, f"{tree.variations} variation(s) of the game", "only the main line is read")
    for node in tree.nodes:
        _node(node, game, faults, root=node is root)
    for value in root.properties.get("RE", [])[:1]:
        result = _RESULT.match(value)
        if result:
            winner = 0 if result[1].upper() == "W" else 1
            points = None if result[2] is None else int(result[2])
            last = tree.nodes[-1]
            game.entries.append(Entry("result", winner, last.line, last.column, f"RE[{value}]", number=points))
        elif value.strip() not in ("", "?", "Void"):
            faults.add(root.line, root.column, f"the result {value!r} cannot be read", "kept as a comment")
            game.entries.append(Entry("comment", None, root.line, root.column, f"RE[{value}]"))
    match.last_line = tree.nodes[-1].line
    match.cut_off = not tree.closed
    return game, match


def _root(root: _Node, match: MatchText, game: GameText, faults: Faults) -> None:
    properties = root.properties
    info = {}
    for value in properties.get("MI", []):
        name, _, content = _plain(value).partition(":")
        info[name.strip().lower()] = content.strip()

    def number(name: str, default: int) -> int:
        written = info.get(name, "")
        if written.isascii() and written.isdecimal() and len(written) < 10:
            return int(written)
        if written:
            faults.add(root.line, root.column, f"{name} in MI is a number, not {written!r}", f"read as {default}")
        return default

    length = number("length", 0)
    if length and not fits_match(length):
        faults.add(root.line, root.column, f"a match to {length}", "read as a session")
        length = 0
    match.length = length or None
    game.number = number("game", 0) + 1
    if "ws" in info or "bs" in info:
        game.score = (number("ws", 0), number("bs", 0))
    match.names = (_first(properties, "PW", "White"), _first(properties, "PB", "Black"))
    for name, values in properties.items():
        if name in _TAGS and values and name not in ("CP",):
            match.tags[_TAGS[name]] = " ".join(_plain(value) for value in values)
    for value in properties.get("XT", []):
        tag, colon, content = value.partition(":")
        if colon:
            tag, content = _plain(tag), _plain(content)
            if tag == "comment":
                match.comments.append(content)
                continue
            if tag not in _KEPT_RULES:
                match.tags[tag] = content
            apply_setting(match.settings, tag.lower().replace(" ", ""), content)
    _rules(properties, match, game)


_KEPT_RULES = ("AutomaticDoubles", "Beavers", "CubeLimit", "DeadCube", "Holland")


def _rules(properties: dict[str, list[str]], match: MatchText, game: GameText) -> None:
    """What RU says; who writes it leaves out what is off."""
    words = {word.strip().lower() for value in properties.get("RU", []) for word in value.split(":")}
    stated = "RU" in properties or _first(properties, "AP", "").startswith(("GNU Backgammon", "gammon:"))
    if stated:
        game.crawford = "crawfordgame" in words
        match.settings["crawford"] = "crawford" in words or "crawfordgame" in words or match.length == 1
        match.settings["jacoby"] = "jacoby" in words
    if "nocube" in words:
        match.settings["use_cube"] = False
    for variant in FULL_VARIANTS:
        if variant in words:
            match.settings["variant"] = variant
    for word in words:
        if word.startswith("hypergammon"):
            checkers = word[11:].strip("-() ")
            if checkers in ("", "3"):
                match.settings["variant"] = "hypergammon"
            elif checkers in ("1", "2"):
                points = {24: 1} if checkers == "1" else {24: 1, 23: 1}
                match.settings["start"] = Position.from_points(points, opponent=points, checkers=int(checkers))


def _first(properties: dict[str, list[str]], name: str, default: str) -> str:
    values = properties.get(name)
    return _plain(values[0]) if values else default


_SETUP = ("AE", "AW", "AB", "CV", "CP", "CO")
_NOT_KEPT = {"W", "B", "C", "PL", "DI", *_SETUP}


def _node(node: _Node, game: GameText, faults: Faults, *, root: bool) -> None:
    properties = node.properties
    add = game.entries.append
    notes = tuple(
        (name, tuple(_plain(value) for value in values))
        for name, values in properties.items()
        if name not in _NOT_KEPT and not (root and (name in _KNOWN_IN_ROOT or name in _TAGS))
    )
    if any(name in properties for name in _SETUP if not (root and name == "CP")):
        setup = _setup(node, faults)
        if setup is not None:
            add(Entry("setup", None, node.line, node.column, "set-up", setup=setup))
    moved = False
    for name, seat in (("W", 0), ("B", 1)):
        for value in properties.get(name, [])[:1]:
            moved = True
            add(_move(_plain(value).strip(), seat, node, faults)._replace(notes=notes))
    if not moved and "DI" in properties and properties["DI"]:
        dice = _dice(properties["DI"][0].strip())
        player = _first(properties, "PL", "").strip().lower()[:1]
        if dice is None:
            faults.add(node.line, node.column, f"{properties['DI'][0]!r} is no roll", "left out")
        else:
            seat_on_roll = {"w": 0, "b": 1}.get(player)
            add(Entry("roll", seat_on_roll, node.line, node.column, "", roll=dice, notes=notes))
    for value in properties.get("C", []):
        add(Entry("comment", None, node.line, node.column, _plain(value)))


def _dice(text: str) -> tuple[int, int] | None:
    if len(text) == 2 and all(die in "123456" for die in text):
        return int(text[0]), int(text[1])
    return None


def _move(value: str, seat: int, node: _Node, faults: Faults) -> Entry:
    """A play, or what is done with the cube."""
    word = value.lower()
    if word in ("double", "take", "drop"):
        return Entry(word, seat, node.line, node.column, value)
    if word in ("beaver", "redouble", "raccoon"):
        return Entry("beaver" if word != "redouble" else "double", seat, node.line, node.column, value)
    if word in ("pass", "resign"):
        return Entry("drop" if word == "pass" else "resign", seat, node.line, node.column, value)
    dice = _dice(value[:2])
    if dice is None:
        faults.add(node.line, node.column, f"{value!r} is no play and no use of the cube", "kept as a comment")
        return Entry("comment", seat, node.line, node.column, value)
    letters = value[2:]
    steps = []
    for start, end in zip(letters[::2], letters[1::2], strict=False):
        steps.append(f"{_from_letter(start, seat, 'start')}/{_from_letter(end, seat, 'end')}")
    if len(letters) % 2 or "?" in "".join(steps):
        faults.add(node.line, node.column, f"{letters!r} is no play", "read as far as it goes")
        steps = [step for step in steps if "?" not in step]
        if not steps:
            # Something is written, and nothing of it can be made: an unknown play, not a dance.
            steps = ["????"]
    return Entry("turn", seat, node.line, node.column, " ".join(steps), roll=dice, number=None if steps else 0)


def _from_letter(letter: str, seat: int, role: str) -> str:
    """A place in the player's own numbering."""
    index = _PLACES.find(letter)
    if index < 0 or not letter:
        return "?"
    if index == _BAR:
        return "25" if role == "start" else "?"
    if index == _OFF:
        return "0" if role == "end" else "?"
    return str(index + 1 if seat == 0 else 24 - index)


def _setup(node: _Node, faults: Faults) -> Setup | None:
    properties = node.properties
    places: dict[str, list[int]] = {}
    for name in ("AE", "AW", "AB"):
        places[name] = []
        for value in properties.get(name, []):
            found = _points(value.strip())
            if found is None or len(places[name]) > 100:
                faults.add(node.line, node.column, f"{value!r} in {name} is no place", "left out")
            else:
                places[name] += found
    cube: int | None = None
    for written in properties.get("CV", [])[:1]:
        number = int(written) if written.strip().isdecimal() and len(written) < 7 and written.isascii() else 0
        if number.bit_count() == 1 and number <= 1 << 15:
            cube = number
        else:
            faults.add(node.line, node.column, f"{written!r} in CV is no value of a cube", "left out")
    owner = (properties.get("CP") or properties.get("CO") or [""])[0].strip().lower()[:1]
    player = _first(properties, "PL", "").strip().lower()[:1]
    return Setup(
        clear=frozenset(places["AE"]),
        own=tuple(place for place in places["AW"] if place != 0),
        other=tuple(place for place in places["AB"] if place != 0),
        on_roll={"w": 0, "b": 1}.get(player),
        value=cube,
        owner={"w": 0, "b": 1}.get(owner),
        centred=owner in ("c", "n"),
    )


def _points(value: str) -> list[int] | None:
    """The places of a value, in player 0's numbering, 25 being the bar; a range as `a:y`."""
    first, colon, last = value.partition(":")
    start, end = _PLACES.find(first), _PLACES.find(last if colon else first)
    if not first or len(first) != 1 or start < 0 or end < start or (colon and len(last) != 1):
        return None
    return [index + 1 if index < _OFF else 0 for index in range(start, end + 1)]


# Analysis.


class Candidate(NamedTuple):
    """A play that GNU Backgammon compared, as its analysis has it (property A).

    >>> Candidate("8/5 6/5", rollout=False, numbers=(0.5, 0.1, 0.0, 0.1, 0.0, 0.02), text="hefe E ...").play
    '8/5 6/5'
    """

    play: str
    """In the numbering of the player who made the play."""
    rollout: bool
    numbers: tuple[float, ...]
    """What follows, in the program's order; of an evaluation: its version, win, win_gammon, win_backgammon,
    lose_gammon, lose_backgammon, equity. Of a rollout: win, win_gammon, win_backgammon, lose_gammon, lose_backgammon,
    cubeless equity, and with the cube the equity of money or the MWC of a match. May be infinite."""
    text: str


def candidates(match: Match, event: int) -> tuple[list[Candidate], int | None]:
    """The plays of an analysis at an event of the record, and which of them was played.

    >>> text = "(;GM[6];B[43lpad]A[0][lpad E ver 3 0.5 0.1 0.0 0.1 0.0 -inf 0C 0 1 0.0 1])"
    >>> found, played = candidates(loads(text), 1)
    >>> found[0].play, found[0].numbers[-2:], played
    ('13/9 24/21', (0.0, -inf), 0)
    """
    values = dict(match.annotations.get(event, ())).get("A", ())
    if not values:
        return [], None
    seat = match.record[event].player or 0
    played = int(values[0]) if values[0].strip().isdecimal() else None
    found = []
    for value in values[1:]:
        letters, _, rest = value.partition(" ")
        pairs = zip(letters[::2], letters[1::2], strict=False)
        play = " ".join(f"{_from_letter(a, seat, 'start')}/{_from_letter(b, seat, 'end')}" for a, b in pairs)
        words = rest.split()
        rollout = words[:1] in (["R"], ["X"])
        begin = words.index("Output") + 1 if rollout and "Output" in words else 2 if words[1:2] == ["ver"] else 1
        numbers = []
        for word in words[begin:]:
            number = _number(word)
            if number is None:
                break
            numbers.append(number)
        found.append(Candidate(play, rollout, tuple(numbers), rest))
    return found, played


def _number(word: str) -> float | None:
    """A number as C prints it, infinities and all."""
    try:
        return float(word) if len(word) < 40 and "_" not in word else None
    except ValueError:
        return {"1.#inf": math.inf, "-1.#inf": -math.inf}.get(word.lower())


# Writing.


def dumps(match: Match) -> str:
    """The match as SGF. `losses` says what it does not hold.

    >>> dumps(loads("(;GM[6]PW[a]PB[b];W[31hefe])")).splitlines()[1]
    ';W[31hefe])'
    """
    return _Writer(match).write()


def dump(match: Match, target: Target) -> None:
    """Writes the match to a file, in UTF-8.

    >>> import io
    >>> file = io.StringIO()
    >>> dump(Match(), file)
    >>> file.getvalue() == dumps(Match())
    True
    """
    write_text(dumps(match), target)


def losses(match: Match) -> tuple[str, ...]:
    """What SGF does not hold of a match: one line for each difference, at most a hundred.

    >>> losses(Match())
    ()
    """
    return differences(match, loads(dumps(match)))


class _Writer:
    def __init__(self, match: Match) -> None:
        self.match = match
        self.trees: list[str] = []
        self.nodes: list[str] = []
        self.root = ""
        self.comments: dict[int, list[Comment]] = {}
        for comment in match.comments:
            self.comments.setdefault(comment.event, []).append(comment)

    def write(self) -> str:
        match = self.match
        history = list(match.history())
        finished = 0
        first = history[0][0] if history else match.state
        self.begin(first)
        if first.game_state is GameState.PLAYING:
            self.taken_up(first)
        for index, (state, event) in enumerate(history):
            opening = event.kind == "roll" and event.player is None
            if (opening or event.kind == "position") and state.game_state is not GameState.PLAYING and self.nodes:
                self.end(None)
                self.begin(state)
            elif event.kind == "score":
                after = history[index + 1][0] if index + 1 < len(history) else match.state
                self.begin(after)
            node = self.node(state, event)
            node += "".join(
                f"{name}{''.join(f'[{_escaped(value)}]' for value in values)}"
                for name, values in match.annotations.get(index, ())
            )
            if node:
                self.nodes.append(f";{node}")
            self.comment(index + 1, bool(node))
            done = match.games_before(index + 1)
            if done > finished:
                finished = done
                self.end(match.games[done - 1])
                if index + 1 < len(history):
                    self.begin(history[index + 1][0])
        roll = match.state.roll
        if roll is not None and match.in_game:
            self.nodes.append(f";{_roll_node(match.state)}")
        if self.nodes or not self.trees:
            self.end(None)
        return "\n".join(self.trees) + "\n"

    def taken_up(self, state: State) -> None:
        """The match begins in the middle of a game."""
        seat = state.on_roll
        owner = None if state.cube.owner is None else seat if state.cube.owner == "player" else 1 - seat
        board = state.position if seat == 0 else state.position.flip()
        place = Event("position", player=seat, position=board, value=state.value, owner=owner)
        self.nodes.append(f";{_position_node(place)}")
        if state.offer is Offer.DOUBLE and state.offered_by == seat:
            self.nodes.append(f";{'WB'[seat]}[double]")

    def comment(self, event: int, has_node: bool) -> None:
        """The comments at a place of the record, with the node before it."""
        found = self.comments.pop(event, [])
        if not found:
            return
        text = "\n".join(comment.text for comment in found)
        if not has_node:
            self.nodes.append(";")
        self.nodes[-1] += f"C[{_escaped(text)}]"

    def begin(self, state: State) -> None:
        """The root of a game."""
        match, rules = self.match, self.match.rules
        self.nodes = []
        words = []
        if rules.crawford:
            words.append("Crawford")
            if state.is_crawford:
                words.append("CrawfordGame")
        if rules.jacoby:
            words.append("Jacoby")
        if not rules.use_cube:
            words.append("NoCube")
        if rules.variant != "standard":
            words.append("Hypergammon3" if rules.variant == "hypergammon" else rules.variant.capitalize())
        self.root = (
            f"(;FF[4]GM[6]CA[UTF-8]AP[gammon:{_core.__version__}]"
            f"MI[length:{rules.length or 0}][game:{len(self.trees)}][ws:{state.points[0]}][bs:{state.points[1]}]"
            f"PW[{_escaped(match.names[0])}]PB[{_escaped(match.names[1])}]RU[{':'.join(words)}]"
        )
        if not self.trees:
            self.root += self.information()

    def information(self) -> str:
        """Tags, the rules that RU has no word for, and comments on the whole."""
        match = self.match
        parts = [f"{_PROPERTIES[tag]}[{_escaped(text)}]" for tag, text in match.tags.items() if tag in _PROPERTIES]
        others = [(tag, text) for tag, text in match.tags.items() if tag not in _PROPERTIES and tag not in _KEPT_RULES]
        others += [(tag, text) for tag, text in rule_tags(match.rules).items() if tag in _KEPT_RULES]
        others += [("comment", comment.text) for comment in self.comments.pop(0, [])]
        if others:
            parts.append("XT" + "".join(f"[{_escaped(tag, colon=True)}:{_escaped(text)}]" for tag, text in others))
        return "".join(parts)

    def end(self, game: Game | None) -> None:
        result = ""
        if game is not None:
            result = f"RE[{'WB'[game.winner]}+{game.points}{'R' if game.ending == 'resignation' else ''}]"
        self.trees.append("\n".join([self.root + result, *self.nodes]) + ")")
        self.nodes = []

    def node(self, state: State, event: Event) -> str:
        """The properties of an event; none for what SGF has no node for."""
        kind, seat = event.kind, event.player
        if kind == "play" and seat is not None and state.roll is not None:
            return f"{'WB'[seat]}[{state.roll}{_letters(state, event)}]"
        if kind in ("double", "take", "drop") and seat is not None:
            return f"{'WB'[seat]}[{kind}]"
        if kind == "beaver" and seat is not None:
            return f"{'WB'[seat]}[double]"
        if kind == "roll" and seat is None and len(event.throws) > 1 and self.match.rules.automatic_doubles != 0:
            return ""
        if kind == "accept" and state.roll is not None:
            return _roll_node(state)
        if kind == "position":
            if state.roll is not None:
                self.nodes.append(f";{_roll_node(state)}")
            return _position_node(event)
        return ""


def _escaped(text: str, *, colon: bool = False) -> str:
    text = text.replace("\\", "\\\\").replace("]", "\\]")
    return text.replace(":", "\\:") if colon else text


def _letters(state: State, event: Event) -> str:
    """The steps of a play as pairs of letters, in white's numbering."""
    play, seat = event.play, event.player
    steps = list(play.steps) if isinstance(play, Play) else _written_steps(play or "")
    return "".join(_letter(start, seat or 0) + _letter(end, seat or 0) for start, end in steps)


_STEP = re.compile(r"(bar|\d{1,2})((?:/(?:off|\d{1,2})\*?)+)(?:\(([1-4])\))?\*?", re.IGNORECASE)


def _written_steps(text: str) -> list[tuple[int, int]]:
    """The steps of an illegal play as far as they can be read."""
    words = {"bar": 25, "off": 0}
    steps = []
    for part in _STEP.finditer(text[:200]):
        places = [part[1], *part[2].replace("*", "").split("/")[1:]]
        numbers = [words.get(place.lower(), -1) if place.isalpha() else int(place) for place in places]
        if all(0 <= number <= 25 for number in numbers):
            steps += list(itertools.pairwise(numbers)) * int(part[3] or 1)
    return steps


def _letter(place: int, seat: int) -> str:
    if place == 25:
        return _PLACES[_BAR]
    if place == 0:
        return _PLACES[_OFF]
    return _PLACES[place - 1 if seat == 0 else 24 - place]


def _roll_node(state: State) -> str:
    """A roll that was not played."""
    return f"PL[{'WB'[state.on_roll]}]DI[{state.roll}]"


def _position_node(event: Event) -> str:
    """A set-up node: the board cleared and set, the player on roll and the cube."""
    board = event.position
    assert board is not None
    white = [_PLACES[point - 1] for point in range(1, 25) for _ in range(max(0, board[point]))]
    black = [_PLACES[point - 1] for point in range(1, 25) for _ in range(max(0, -board[point]))]
    white += [_PLACES[_BAR]] * board.bar
    black += [_PLACES[_BAR]] * board.opponent_bar
    parts = [f"PL[{'WB'[event.player or 0]}]", "AE[a:y]"]
    for name, places in (("AW", white), ("AB", black)):
        if places:
            parts.append(name + "".join(f"[{place}]" for place in places))
    parts.append(f"CV[{event.value or 1}]CP[{'c' if event.owner is None else 'wb'[event.owner]}]")
    return "".join(parts)


def recognises(text: str) -> bool:
    """Whether a text looks like SGF of backgammon.

    >>> recognises(dumps(Match())), recognises("a letter")
    (True, False)
    """
    head = text[:4096].lstrip()
    return head.startswith("(") and head[1:].lstrip().startswith(";")
