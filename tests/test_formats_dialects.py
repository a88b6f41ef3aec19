"""The dialects of other programs: short texts of our own in the layouts that their files have."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gammon import FileFormatError, Match, NotationError, Position, State, batch, formats, render
from gammon.cube import Cube
from gammon.dice import Roll
from gammon.formats import _snowie, fibs, mat, text
from gammon.rules import Rules

DIALECTS = Path(__file__).parent / "data" / "dialects"

MATCHES = {
    "opengammon.mat": ([(1, 2, "resignation"), (0, 1, "drop")], []),
    "extreme_gammon.txt": ([(0, 4, "resignation")], []),
    "backgammon_studio.mat": (
        [(1, 1, "resignation"), (1, 2, "resignation"), (0, 1, "drop")],
        ["line 29, column 46: a win of 2008 with the value at 2 (2 by the next score)"],
    ),
    "galaxy.txt": ([(1, 1, "drop"), (1, 2, "resignation")], []),
    "choue.txt": ([(0, 2, "resignation")], []),
    "dailygammon_nackgammon.mat": ([(1, 1, "drop"), (1, 2, "resignation")], []),
    "transcription.mat": (
        [(1, 2, "play"), (1, 1, "drop"), (1, 1, "resignation")],
        [
            "line 17, column 35: the last play, of 53, is missing (the checkers are borne off)",
            "line 25, column 6: an illegal play that the file does not have "
            "(kept as unknown, the board set as the file has it)",
            'line 36, column 6: illegal play "24/20" of 64: 2 numbers can be played, so they must be, not 1 '
            "(kept as written)",
        ],
    ),
}


def results(match: Match) -> list[tuple[int, int, str]]:
    return [(game.winner, game.points, game.ending) for game in match.games]


@pytest.mark.parametrize("name", MATCHES)
def test_a_dialect_is_read_without_losing_a_game(name: str) -> None:
    games, faults = MATCHES[name]
    match = formats.load(DIALECTS / name)
    assert results(match) == games
    assert [str(fault) for fault in match.errors] == faults
    assert sum(event.kind == "play" for event in match.record) > 3 * len(games)


@pytest.mark.parametrize("name", MATCHES)
def test_a_dialect_is_read_strictly_up_to_its_first_fault(name: str) -> None:
    games, faults = MATCHES[name]
    if not faults:
        assert results(formats.load(DIALECTS / name, strict=True)) == games
        return
    where = faults[0].partition(":")[0]
    with pytest.raises(FileFormatError, match=where):
        formats.load(DIALECTS / name, strict=True)


@pytest.mark.parametrize("name", MATCHES)
def test_a_dialect_survives_the_plain_one(name: str) -> None:
    match = formats.load(DIALECTS / name)
    again = mat.loads(mat.dumps(match))
    assert results(again) == results(match)
    assert again.score == match.score
    assert formats.json.loads(formats.json.dumps(match)) == match


def test_a_start_that_is_written_as_an_illegal_play_is_the_variant() -> None:
    match = formats.load(DIALECTS / "dailygammon_nackgammon.mat")
    assert match.rules.variant == "nackgammon"
    assert str(match.record[1].play) == "24/23 13/8"
    assert not any(event.illegal for event in match.record)


# Single oddities.

HEAD = (
    "5 point match\n\n Game 1\n Ann : 0                        Bob : 0\n  1) 31: 8/5 6/5                 42: 8/4 6/4\n"
)


def read(rows: str, head: str = HEAD) -> Match:
    return mat.loads(head + rows)


@pytest.mark.parametrize(
    ("rows", "winner", "points"),
    [
        ("  2)  Doubles => 2\n      Drops                       Wins 1 point\n", 0, 1),
        (
            "  2)  Doubles ==> 2           Takes\n  3) 31: 13/10 10/9            61: ????\n      Wins 2 points\n",
            0,
            2,
        ),
        ("  2) 00: ????                     Wins 2 points\n", 1, 2),
        ("  2) 00: ????\n      Wins 1 point\n", 0, 1),
        ("  2) 61: 13/7 8/7                 Resigned Game\n      Wins 1 point\n", 0, 1),
        ("  2) 61: 13/7 8/7                 Resigned Match\n                                  Wins 1 point\n", 1, 1),
        ("  2) 61: 13/7 8/7                 Resign gammon\n", 0, 2),
        ("  2) 61: 13/7 8/7                 Resign normal\n      Wins 1 point\n", 0, 1),
    ],
)
def test_endings(rows: str, winner: int, points: int) -> None:
    match = read(rows)
    assert [(game.winner, game.points) for game in match.games] == [(winner, points)]
    assert not any("resigns, and wins" in str(fault) for fault in match.errors)


def test_the_next_score_says_who_resigned() -> None:
    rows = "  2) 61: 13/7 8/7                 Resigned Game\n\n Game 2\n Ann : 0                        Bob : 1\n"
    assert results(read(rows)) == [(1, 1, "resignation")]


def test_a_die_without_a_checker_to_move_is_no_step() -> None:
    rows = "; Set Pos=--A-------------------aa---/0\n  1) 21: 2/0 0/0\n      Wins 1 point\n"
    match = read(rows, "5 point match\n\n Game 1\n Ann : 0     Bob : 0\n")
    assert [str(event.play) for event in match.record if event.kind == "play"] == ["2/off"]
    assert match.errors == []


def test_a_bare_illegal_play_is_unknown() -> None:
    match = read("  2) 31: Illegal play               61: 13/7 8/7\n")
    assert [event.play for event in match.record if event.illegal] == ["????"]
    assert match.turn == 5


def test_an_illegal_play_gives_the_position_after_it() -> None:
    start = Position.start()
    after = start.play("24/18 13/9", Roll(6, 4)).next
    line = snowie_line(State(after, 1, roll=Roll(2, 1), rules=Rules.match(5)), ("Ann", "Bob"))
    head = "5 point match\n\n Game 1\n Ann : 0                        Bob : 0\n"
    found = mat.loads(f"{head}  1) 64: Illegal play ({line}) 21: 13/11 6/5\n")
    assert [str(event.play) for event in found.record if event.kind == "play"] == ["24/18 13/9", "13/11 6/5"]
    assert found.errors == []
    assert mat.loads(f"{head}  1) 52: Illegal play ({line}) 21: 13/11 6/5\n").position == found.position
    unreadable = mat.loads(f"{head}  1) 64: Illegal play ({line.replace('5;0', '5;9', 1)})\n")
    assert unreadable.errors


def test_a_set_board_is_the_left_players_upper_case() -> None:
    match = read("; Set Pos=-A-B--------------------a-/0\n  2) 31: 3/0 1/0\n")
    assert match.errors == []
    assert (match.position.opponent_off, match.position[1]) == (14, 1)
    same = "; Set Pos=-b----E-C---eE---c-e----B-/1\n"
    quiet = read(f"{same}  1) 31: 8/5 6/5\n", "5 point match\n\n Game 1\n Ann : 0     Bob : 0\n")
    assert quiet.errors == []
    assert all(event.kind != "position" for event in quiet.record)


def test_a_cube_to_one_is_none() -> None:
    assert mat.loads('; [CubeLimit "1"]\n' + HEAD).rules.use_cube is False


# FIBS.


def test_the_games_of_fibs() -> None:
    with pytest.raises(FileFormatError, match="2 matches"):
        formats.load(DIALECTS / "fibs_oldmoves.txt")
    first, second = formats.scan(DIALECTS / "fibs_oldmoves.txt")
    assert (first.names, first.rules.length, results(first)) == (
        ("ada", "blaise"),
        5,
        [(1, 2, "resignation"), (1, 1, "drop")],
    )
    assert [comment.text for comment in first.comments] == ["X: wants to resign, O: rejects"]
    assert second.names == ("carl", "ada")
    assert (second.rules.is_match, second.rules.jacoby) == (False, False)
    assert [event.kind for event in second.record][-3:] == ["double", "beaver", "take"]
    assert first.errors == second.errors == []
    assert list(formats.scan(DIALECTS / "fibs_oldmoves.txt", strict=True)) == [first, second]


def test_both_directions_of_a_fibs_board_are_the_same_game() -> None:
    head = "Score is 1-0 in a 3 point match.\nann is X - bob is O\nX: (3 1) 8-5 6-5\n"
    up = fibs.loads(head + "O: (4 2) 17-21 19-21\nX: (6 6) 24-18 24-18 13-7 13-7\nO: (5 5) 12-17 12-17 1-6 1-6\n")
    down = fibs.loads(head + "O: (4 2) 8-4 6-4\nX: (6 6) 24-18 24-18 13-7 13-7\nO: (5 5) 13-8 13-8 24-19 24-19\n")
    assert up.record[:5] == down.record[:5]
    assert up.position == down.position
    assert up.score == (1, 0)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("X: (3 1) 8-5 6-5\nO: sings", "line 4, column 4: 'sings' cannot be read"),
        ("X: (3 1) 8-3", "line 3, column 4: illegal play"),
        ("X: (3 1) foo", "line 3, column 4: cannot read"),
        ("X: (3 1) 8-5 6-5\nO: " + "la " * 400, "line 4, column 4: 'la la"),
    ],
)
def test_faults_of_fibs_games(line: str, fault: str) -> None:
    content = f"Score is 0-0 in a 3 point match.\nann is X - bob is O\n{line}\n"
    match = fibs.loads(content)
    assert [str(found).startswith(fault) for found in match.errors] == [True]
    with pytest.raises(FileFormatError, match=fault[:12]):
        fibs.loads(content, strict=True)


def test_a_log_has_games_and_boards(tmp_path: Path) -> None:
    log = (DIALECTS / "fibs_oldmoves.txt").read_text() + fibs.write(State(Position.start(), 0)) + "\n"
    (tmp_path / "log").write_text(log)
    found = list(formats.scan(tmp_path / "log"))
    assert [match.names for match in found] == [("ada", "blaise"), ("You", "Opponent"), ("carl", "ada")]


# Pages with a position.


def test_pages_of_extreme_gammon() -> None:
    first, second = formats.scan(DIALECTS / "extreme_gammon_positions.txt", strict=True)
    assert (first.names, first.on_roll, first.state.roll) == (("Ada", "Blaise Pascal"), 0, Roll(5, 2))
    assert (second.names, second.on_roll) == (("Ada", "プレーヤー 2"), 1)


def test_a_page_of_bgblitz() -> None:
    match = formats.load(DIALECTS / "bgblitz_position.txt", strict=True)
    assert (match.names, match.on_roll, match.state.points) == (("Green", "Red"), 1, (1, 0))


def xg_page(state: State) -> str:
    drawn = "\n".join(line[:43] for line in render.text(state.position).splitlines()[:13])
    return f"{state.xgid}\n\nX:Ann   O:Bob\n{drawn}\nX to play\n"


@pytest.mark.parametrize("seat", [0, 1])
def test_x_is_on_roll_on_every_page(seat: int) -> None:
    for array in batch.random_positions(100, seed=5 + seat):
        state = State(Position.from_array(array), seat, rules=Rules.match(7, cube_limit=1024))
        match = text.loads(xg_page(state), strict=True)
        assert match.position == state.position
        assert match.names[seat] == "Ann"


def test_a_page_with_another_board_is_a_fault() -> None:
    state = State(Position.start(), 1, rules=Rules.match(7, cube_limit=1024))
    other = state.position.play("8/5 6/5", Roll(3, 1)).after
    page = xg_page(state).replace(xg_page(state).split("\n", 3)[3], xg_page(State(other, 1)).split("\n", 3)[3])
    assert [fault.what for fault in text.loads(page).errors] == ["the board shows another position than the ID"]
    broken = xg_page(state).replace("| X ", "| O ", 1)
    assert ["cannot be read" in fault.what or "another position" in fault.what for fault in text.loads(broken).errors]


# Snowie's line.


def snowie_line(state: State, names: tuple[str, str]) -> str:
    """As GNU Backgammon writes it."""
    seat, board, rules = state.on_roll, state.position, state.rules
    owner = {None: 0, "player": 1, "opponent": -1}[state.cube.owner]
    dice = (0, 0) if state.roll is None else (state.roll.high, state.roll.low)
    fields = [
        rules.length or 0,
        int(rules.jacoby),
        0,
        int(not rules.is_match),
        seat,
        names[seat],
        names[1 - seat],
        int(state.is_crawford),
        state.points[seat],
        state.points[1 - seat],
        state.value,
        owner,
        -board.opponent_bar,
        *(board[point] for point in range(1, 25)),
        board.bar,
        *dice,
    ]
    return ";".join(map(str, fields)) + ";"


def test_positions_of_snowie() -> None:
    draw = random.Random(4)
    for index, array in enumerate(batch.random_positions(200, seed=4)):
        rules = draw.choice([Rules.match(5, cube_limit=None), Rules.money(cube_limit=None, jacoby=index % 3 == 0)])
        cube = draw.choice([Cube(1, None), Cube(2, "player"), Cube(4, "opponent")])
        points = (3, 1) if rules.is_match else (0, 0)
        roll = draw.choice([None, Roll(6, 2)])
        state = State(Position.from_array(array), index % 2, roll=roll, cube=cube, points=points, rules=rules)
        found, names = _snowie.read(snowie_line(state, ("Ann", "Bob")))
        assert (found, names) == (state, ("Ann", "Bob"))
        assert formats.loads(snowie_line(state, ("Ann", "Bob"))).names == names


@pytest.mark.parametrize(
    ("index", "value"), [(0, "x"), (4, "2"), (11, "2"), (12, "3"), (20, "16"), (37, "-1"), (38, "7"), (39, "0")]
)
def test_a_line_of_snowie_that_is_wrong(index: int, value: str) -> None:
    fields = snowie_line(State(Position.start(), 0, roll=Roll(3, 1)), ("a", "b")).split(";")
    fields[index] = value
    with pytest.raises(NotationError):
        _snowie.read(";".join(fields))
    with pytest.raises(NotationError, match="40 fields"):
        _snowie.read(";".join(fields[1:]))
