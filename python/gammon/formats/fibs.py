"""Text of FIBS, the First Internet Backgammon Server: board lines, ``board:You:...``, and the games of `oldmoves`.

A board line is what one player sees at one moment. `loads` gives a match that stands there, the player of the line in
seat 0; `read` gives the state alone. What the server answers to `oldmoves` is a whole match, X in seat 0.
`docs/formats/fibs.md` has the fields and the lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gammon.cube import Cube, Owner
from gammon.dice import Roll
from gammon.errors import FileFormatError, GammonError, NotationError
from gammon.formats import _oldmoves
from gammon.formats._build import match_at
from gammon.formats._input import Input, Target, decode, lines_of, naming, open_lines, read_all, write_text
from gammon.match import GameState, Match, Offer, State
from gammon.match._ids import differences
from gammon.position import Position
from gammon.rules import MAX_LENGTH, Rules

__all__ = ["dump", "dumps", "load", "loads", "losses", "read", "recognises", "scan", "write"]

_FIELDS = 53
_MONEY = 9999
_MOST = 1 << 20
_LONGEST = 2000


def read(line: str) -> tuple[State, tuple[str, str]]:
    """The state of a board line, and the names of its player and the opponent, who are seats 0 and 1.

    Raises:
        NotationError: for a line that cannot be read, with the field that is wrong.
        InvalidPositionError: for a board that is no position.

    >>> state, names = read(
    ...     "board:You:someplayer:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:6:2:0:0:1:1:1:0:1:-1:"
    ...     "0:25:0:0:0:0:2:0:0:0"
    ... )
    >>> names, state.roll, state.position == Position.start()
    (('You', 'someplayer'), Roll(6, 2), True)
    """
    if not isinstance(line, str) or len(line) > _LONGEST:
        raise NotationError(f"a FIBS board is one line of text, not {line!r:.60}")
    fields = [field.strip() for field in line.strip().split(":")]
    if fields[0] != "board" or len(fields) != _FIELDS:
        raise NotationError(f"a FIBS board is 'board' and {_FIELDS - 1} more fields, not {len(fields)}: {line!r:.60}")

    def number(index: int, name: str, least: int, most: int) -> int:
        written = fields[index]
        digits = written.removeprefix("-")
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 8) or not least <= int(written) <= most:
            raise NotationError(f"FIBS field {index}, {name}, is a number from {least} to {most}, not {written!r:.20}")
        return int(written)

    length = number(3, "the match length", 0, MAX_LENGTH)
    points = number(4, "the score", 0, _MOST), number(5, "the opponent's score", 0, _MOST)
    color, direction = number(41, "the colour", -1, 1), number(42, "the direction", -1, 1)
    if 0 in (color, direction):
        raise NotationError(f"FIBS fields 41 and 42, colour and direction, are 1 or -1, not {color} and {direction}")
    board = [color * number(6 + place, f"place {place} of the board", -15, 15) for place in range(26)]
    if direction > 0:
        board.reverse()
    # The player's bar is place 25 now, and the opponent's 0, as in the array form.
    board[25] = max(board[25], number(47, "checkers on the bar", 0, 15))
    board[0] = min(board[0], -number(48, "the opponent's checkers on the bar", 0, 15))
    off = number(45, "checkers home", 0, 15), number(46, "the opponent's checkers home", 0, 15)
    position = Position.from_array([*board, *off])
    turn = number(32, "the turn", -1, 1)
    doubled = number(40, "was doubled", 0, 1)
    on_roll = 0 if turn == color and not doubled else 1
    dice = [number(33 + index, "a die", 0, 6) for index in range(4)]
    own = dice[2 * on_roll : 2 * on_roll + 2]
    if (own[0] == 0) != (own[1] == 0):
        raise NotationError(f"FIBS fields 33 to 36: {own[0]} and {own[1]} are no dice")
    cube, owner, dead = _cube(number, on_roll)
    at_one = length not in (0, _MONEY) and (length - 1 in points) and points[0] != points[1]
    redoubles = number(52, "the redoubles", 0, _MOST)
    if length in (0, _MONEY):
        rules = Rules.money(jacoby=False, beavers=redoubles, cube_limit=None)
    else:
        rules = Rules.match(length, cube_limit=None)
    playing = GameState.PLAYING if turn else GameState.NONE
    state = State(
        position=position if on_roll == 0 else position.flip(),
        on_roll=on_roll,
        roll=Roll(*own) if own[0] and not doubled else None,
        cube=Cube(cube, owner),
        points=points,
        post_crawford=at_one and not dead,
        offer=Offer.DOUBLE if doubled else None,
        offered_by=1 if doubled else None,
        rules=rules,
        game_state=GameState.OVER if position.is_over else playing,
    )
    return state, (fields[1], fields[2])


def _cube(number: Callable[[int, str, int, int], int], on_roll: int) -> tuple[int, Owner | None, bool]:
    """The cube, who owns it, and whether nobody may double though it is in the middle: the Crawford game."""
    value = number(37, "the cube", 1, 1 << 15)
    if value & (value - 1):
        raise NotationError(f"FIBS field 37, the cube, is a power of 2, not {value}")
    may = number(38, "may double", 0, 1), number(39, "the opponent may double", 0, 1)
    if value == 1 or may == (1, 1):
        return value, None, may == (0, 0)
    if may == (0, 0):
        raise NotationError(
            f"FIBS fields 38 and 39: nobody may turn the cube at {value}, so it is not said who owns it"
        )
    owner = 0 if may[0] else 1
    return value, "player" if owner == on_roll else "opponent", False


def write(state: State, names: tuple[str, str] = ("You", "Opponent")) -> str:
    """The board line of a state as the player in seat 0 sees it, playing O from 24 to 1.

    `losses` says what it does not hold. Raises `NotationError` for what it has no room for, such as names with a colon.

    >>> write(State(Position.start(), 0))[:40]
    'board:You:Opponent:9999:0:0:0:-2:0:0:0:0'
    """
    for name in names:
        if not name or ":" in name or len(name) > 100 or not name.isprintable():
            raise NotationError(f"a FIBS board has no room for the name {name!r:.60}")
    if state.value & (state.value - 1):
        raise NotationError(f"a FIBS board holds cubes that are a power of 2, not {state.value}")
    position = state.position if state.on_roll == 0 else state.position.flip()
    board = [-position.opponent_bar, *(position[point] for point in range(1, 25)), position.bar]
    owner = None if state.cube.owner is None else state.on_roll if state.cube.owner == "player" else 1 - state.on_roll
    doubled = state.offer is Offer.DOUBLE and state.offered_by == 1
    dice = [0, 0] if state.roll is None else [state.roll.high, state.roll.low]
    turn = 0 if state.game_state is not GameState.PLAYING else 1 if state.on_roll == 0 else -1
    plays = 0 if state.roll is None else len(state.position.plays(state.roll))
    redoubles = _MONEY if state.rules.beavers is None else state.rules.beavers
    fields = [
        "board",
        *names,
        state.rules.length or _MONEY,
        *state.points,
        *board,
        turn,
        *(dice if state.on_roll == 0 else [0, 0]),
        *(dice if state.on_roll == 1 else [0, 0]),
        state.value,
        int(owner in (None, 0) and not state.is_crawford and state.rules.use_cube),
        int(owner in (None, 1) and not state.is_crawford and state.rules.use_cube),
        int(doubled),
        1,
        -1,
        0,
        25,
        position.off,
        position.opponent_off,
        position.bar,
        position.opponent_bar,
        0 if not plays else _most_steps(state),
        0,
        int(state.post_crawford),
        0 if state.rules.is_match else redoubles,
    ]
    return ":".join(str(field) for field in fields)


def _most_steps(state: State) -> int:
    """How many checkers the player on roll can move."""
    assert state.roll is not None
    return len(state.position.plays(state.roll)[0].steps)


def losses(state: State) -> tuple[str, ...]:
    """What a board line does not hold of a state: one line for each field that comes back different.

    >>> losses(State(Position.start(), on_roll=0, stake=2))[1]
    'stake: 2 becomes 1'
    """
    try:
        return differences(state, read(write(state))[0])
    except GammonError as error:
        return (f"everything: {error}",)


def loads(data: str | bytes, *, strict: bool = False) -> Match:
    """The match of the games in a text (`oldmoves`), or one that stands where its board line has it.

    Raises:
        FileFormatError: if there is neither, or more than one match or board line (`scan` reads those); strict, for any
            fault of a game.

    >>> match = loads(
    ...     "Score is 0-0 in a 3 point match.\\nann is X - bob is O\\nX: (3 1) 8-5 6-5\\nO: (4 2) 17-21 19-21\\n"
    ... )
    >>> match.names, match.turn, match.errors
    (('ann', 'bob'), 3, [])
    """
    content = decode(data)
    if _oldmoves.recognises(content):
        matches = list(_oldmoves.Reader(strict=strict).read(lines_of(content)))
        what = "matches"
    else:
        matches = [_match(line) for line in lines_of(content) if line.strip().startswith("board:")]
        what = "board lines"
    if len(matches) != 1:
        raise FileFormatError(f"{len(matches)} {what}, where one is expected")
    return matches[0]


def _match(line: str) -> Match:
    try:
        state, names = read(line)
        return match_at(state, names)
    except GammonError as error:
        raise FileFormatError(str(error)) from error


def load(source: Input, *, strict: bool = False) -> Match:
    """The match of a file with one board line.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "board.fibs")
    ...     dump(State(Position.start(), on_roll=0), path)
    ...     load(path).state.position == Position.start()
    True
    """
    with naming(source):
        return loads(read_all(source), strict=strict)


def scan(source: Input, *, strict: bool = False) -> Iterator[Match]:
    """The matches and board lines of a file, such as the log of a client, one by one; other lines are skipped.

    >>> import io
    >>> log = "hello\\n" + dumps(State(Position.start(), on_roll=0)) * 2
    >>> len(list(scan(io.StringIO(log))))
    2
    """
    reader = _oldmoves.Reader(strict=strict)
    for line in open_lines(source):
        match = reader.take(line)
        if match is not None:
            yield match
        if line.lstrip().startswith("board:"):
            yield _match(line.strip())
    match = reader.end()
    if match is not None:
        yield match


def dumps(match: Match | State) -> str:
    """The board line of where a match stands.

    >>> dumps(State(Position.start(), on_roll=0)).startswith("board:You:Opponent:")
    True
    """
    if isinstance(match, State):
        return write(match) + "\n"
    return write(match.state, match.names) + "\n"


def dump(match: Match | State, target: Target) -> None:
    """Writes the board line to a file.

    >>> import io
    >>> file = io.StringIO()
    >>> dump(State(Position.start(), on_roll=0), file)
    >>> file.getvalue() == dumps(State(Position.start(), on_roll=0))
    True
    """
    write_text(dumps(match), target)


def recognises(text: str) -> bool:
    """Whether a text has board lines, or the games of `oldmoves`.

    >>> recognises(dumps(State(Position.start(), on_roll=0))), recognises("a letter")
    (True, False)
    """
    return _oldmoves.recognises(text) or any(
        line.lstrip().startswith("board:") and line.count(":") > 40 for line in text.split("\n", 50)[:50]
    )
