"""GNU Backgammon's bear-off databases: read, written, and made again with the same bytes."""

from __future__ import annotations

import os
import pickle
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

from gammon import Position, Roll
from gammon.bearoff import GnubgTwoSided, OneSided, TwoSided, open_gnubg
from gammon.cube import Cube
from gammon.errors import FileFormatError, InvalidArgumentError, NotInDatabaseError

SHIPPED_ONE_SIDED = Path("/usr/share/gnubg/gnubg_os0.bd")
SHIPPED_TWO_SIDED = Path("/var/lib/gnubg/gnubg_ts0.bd")
GAMES = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])


@pytest.fixture(scope="module")
def one_sided_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gnubg") / "one_sided.bd"
    OneSided.default().save_gnubg(path)
    return path


@pytest.fixture(scope="module")
def table() -> TwoSided:
    return TwoSided.build(points=6, checkers=3)


def distributions(path: Path) -> np.ndarray:
    """The finish distributions in units, by a plain reading of a compressed file with gammons."""
    data = path.read_bytes()
    n = 54_264
    units = np.frombuffer(data, "<u2", offset=40 + 8 * n)
    found = np.zeros((n, 32), np.int64)
    for index in range(n):
        offset, count, first, _, _ = struct.unpack_from("<IBBBB", data, 40 + 8 * index)
        found[index, first : first + count] = units[offset : offset + count]
    return found


def test_one_sided_header_and_layout(one_sided_file: Path) -> None:
    data = one_sided_file.read_bytes()
    assert data[:40] == b"gnubg-OS-06-15-1-1-0" + b"x" * 19 + b"\n"
    units = distributions(one_sided_file)
    assert (units.sum(axis=1) == 65_535).all()
    for counts in ([0, 0, 0, 0, 0, 15], [3, 2, 2, 0, 1], [1]):
        exact = OneSided.default().distribution(counts)
        seen = units[OneSided.default().index(counts), : len(exact)]
        assert np.abs(seen - 65_535 * exact).max() <= 2


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("gammons", [True, False])
def test_one_sided_forms_come_back(tmp_path: Path, compressed: bool, gammons: bool) -> None:
    exact = OneSided.default()
    path = tmp_path / "table.bd"
    exact.save_gnubg(path, compressed=compressed, gammons=gammons)
    if not compressed:
        assert path.stat().st_size == 40 + 54_264 * (128 if gammons else 64)
    read = open_gnubg(path)
    assert isinstance(read, OneSided)
    assert (read.points, read.checkers, read.has_gammons) == (6, 15, gammons)
    assert repr(read) == f"open_gnubg({str(path)!r})"
    assert pickle.loads(pickle.dumps(read)).mean_rolls([3]) == read.mean_rolls([3])
    for index in range(0, 54_264, 997):
        counts = exact.counts(index)
        # Rounding half a unit in up to 30 places, with what is missing put into the largest.
        assert read.mean_rolls(counts) == pytest.approx(exact.mean_rolls(counts), abs=2e-3)
    if gammons:
        assert read.first_off_distribution([0, 0, 15])[1] == pytest.approx(35 / 36, abs=1e-5)
        assert read.first_off_distribution([14]).tolist() == [1.0]
    else:
        with pytest.raises(NotInDatabaseError, match="first checker"):
            read.first_off_distribution([0, 0, 15])
        with pytest.raises(NotInDatabaseError, match="first checker"):
            read.race_chances(Position.from_points({1: 2}, opponent={6: 15}))
    again = tmp_path / "again.bd"
    read.save_gnubg(again, compressed=compressed, gammons=gammons)
    assert again.read_bytes() == path.read_bytes()


def test_one_sided_needs_15_checkers(tmp_path: Path) -> None:
    for like_gnu in (False, True):
        with pytest.raises(FileFormatError, match="15 checkers"):
            OneSided(6, 5).save_gnubg(tmp_path / "table.bd", like_gnu=like_gnu)
    assert not list(tmp_path.iterdir())


def test_damaged_one_sided(one_sided_file: Path, tmp_path: Path) -> None:
    """Case R21."""
    good = one_sided_file.read_bytes()
    path = tmp_path / "bad.bd"
    normal = b"gnubg-OS-06-15-1-0-1" + good[20:]
    value = len(good) - 400
    cases = {
        b"": "not a bear-off",
        b"GNU Backgammon": "not a bear-off",
        good[:30]: "cut off",
        good[:1000]: "bytes",
        good[:-2]: "damaged",
        normal: "normal",
        good[:9] + b"99" + good[11:]: "no such number",
        good[:15] + b"7" + good[16:]: "flag",
        good[:value] + bytes([good[value] ^ 0x40]) + good[value + 1 :]: "damaged",
        good[:48] + b"\xff\xff\xff\xff" + good[52:]: "damaged",
    }
    for bad, reason in cases.items():
        path.write_bytes(bad)
        with pytest.raises(FileFormatError, match=reason):
            open_gnubg(path)
    with pytest.raises(FileNotFoundError):
        open_gnubg(tmp_path / "none.bd")


def test_two_sided_comes_back(table: TwoSided, tmp_path: Path) -> None:
    path = tmp_path / "two.bd"
    table.save_gnubg(path)
    assert path.stat().st_size == 40 + 84 * 84 * 8
    assert path.read_bytes()[:16] == b"gnubg-TS-06-03-1"
    read = open_gnubg(path)
    assert isinstance(read, GnubgTwoSided)
    assert (read.points, read.checkers, read.cubeful, read.path) == (6, 3, True, str(path))
    positions = []
    for own in [{6: 3}, {6: 1, 4: 1}, {2: 1}, {5: 2, 1: 1}]:
        for other in [{6: 3}, {3: 2}, {1: 1}, {6: 1, 5: 1}]:
            positions.append(Position.from_points(own, opponent=other))
    for position in positions:
        for cube in ("none", Cube(), Cube(2, "player"), Cube(2, "opponent")):
            for no_double in (False, True):
                ours = table.equity(position, cube, no_double=no_double)
                assert read.equity(position, cube, no_double=no_double) == pytest.approx(ours, abs=1e-4)
        assert read.cube_action(position).action == table.cube_action(position).action
        assert read.cube_action(position, Cube(2, "player")).no_double == pytest.approx(
            table.cube_action(position, Cube(2, "player")).no_double, abs=1e-4
        )
    play, equity = read.best_play(positions[1], Roll(2, 1), Cube())
    assert equity == pytest.approx(table.best_play(positions[1], Roll(2, 1), Cube())[1], abs=1e-4)
    assert play in positions[1].plays(Roll(2, 1))
    values, known = read.equities(np.stack([positions[0].to_array(), Position.start().to_array()]), Cube())
    assert values[0] == read.equity(positions[0], Cube())
    assert known.tolist() == [True, False]
    again = tmp_path / "again.bd"
    read.save_gnubg(again)
    assert again.read_bytes() == path.read_bytes()
    assert repr(pickle.loads(pickle.dumps(read))) == repr(read)


def test_two_sided_cubeless(tmp_path: Path) -> None:
    path = tmp_path / "two.bd"
    for like_gnu in (False, True):
        TwoSided.build(points=6, checkers=2, cubeful=False).save_gnubg(path, like_gnu=like_gnu)
        assert path.stat().st_size == 40 + 28 * 28 * 2
        read = open_gnubg(path)
        assert isinstance(read, GnubgTwoSided)
        position = Position.from_points({6: 1}, opponent={1: 1})
        assert read.equity(position) == pytest.approx(0.5, abs=1e-4)
        with pytest.raises(InvalidArgumentError, match="cube"):
            read.equity(position, Cube())


def test_two_sided_outside(table: TwoSided, tmp_path: Path) -> None:
    path = tmp_path / "two.bd"
    table.save_gnubg(path)
    read = open_gnubg(path)
    assert isinstance(read, GnubgTwoSided)
    for position in (
        Position.start(),
        Position.from_points({6: 4}, opponent={1: 1}),
        Position.from_points({7: 1}, opponent={1: 1}),
        Position.from_points({6: 3}, opponent={1: 1}, checkers=3),
    ):
        with pytest.raises(NotInDatabaseError):
            read.equity(position)
    over = Position.from_points({}, opponent={1: 1})
    assert read.equity(over, Cube()) == 1.0
    assert read.equity(over.flip(), Cube()) == -1.0
    with pytest.raises(InvalidArgumentError, match="over"):
        read.best_play(over, Roll(2, 1))


def test_what_the_two_sided_form_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "two.bd"
    for table in (TwoSided.build(points=6, checkers=(3, 2)), TwoSided.build(points=1, checkers=15)):
        with pytest.raises(FileFormatError):
            table.save_gnubg(path)
    assert not list(tmp_path.iterdir())


def test_damaged_two_sided(table: TwoSided, tmp_path: Path) -> None:
    """Case R21."""
    path = tmp_path / "two.bd"
    table.save_gnubg(path)
    good = path.read_bytes()
    for bad in (good[:-1], good + b"\0", good[:40] + b"\0\0" + good[42:], b"gnubg-TS-06-04-1" + good[16:]):
        path.write_bytes(bad)
        with pytest.raises(FileFormatError):
            open_gnubg(path)


@pytest.mark.slow
@pytest.mark.skipif(not SHIPPED_ONE_SIDED.exists(), reason="GNU Backgammon's one-sided database is not installed")
def test_the_shipped_one_sided_database_has_our_bytes(tmp_path: Path) -> None:
    ours = tmp_path / "ours.bd"
    OneSided.default().save_gnubg(ours, like_gnu=True)
    assert ours.read_bytes() == SHIPPED_ONE_SIDED.read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(not SHIPPED_TWO_SIDED.exists(), reason="GNU Backgammon's two-sided database is not installed")
def test_the_shipped_two_sided_database_has_our_bytes(tmp_path: Path) -> None:
    """And every value of the exact table is within the drift of its 16-bit steps."""
    table = TwoSided.default()
    ours = tmp_path / "ours.bd"
    table.save_gnubg(ours, like_gnu=True)
    assert ours.read_bytes() == SHIPPED_TWO_SIDED.read_bytes()
    table.save_gnubg(ours)
    exact, shipped = (np.frombuffer(path.read_bytes(), "<u2", offset=40) for path in (ours, SHIPPED_TWO_SIDED))
    assert exact.shape == (924 * 924 * 4,)
    assert np.abs(exact.astype(int) - shipped).max() <= 5


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("makebearoff", path=GAMES) is None, reason="makebearoff is not installed")
@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["-o", "5"], {}),
        (["-o", "5", "-c"], {"compressed": False}),
        (["-o", "5", "-g"], {"gammons": False}),
        (["-o", "7", "-c", "-g"], {"compressed": False, "gammons": False}),
        (["-t", "6x4"], {"checkers": 4}),
        (["-t", "6x4", "-C"], {"checkers": 4, "cubeful": False}),
        (["-t", "8x3"], {"points": 8, "checkers": 3}),
    ],
)
def test_the_bytes_of_makebearoff(tmp_path: Path, arguments: list[str], options: dict[str, int | bool]) -> None:
    theirs, ours = tmp_path / "theirs.bd", tmp_path / "ours.bd"
    makebearoff = shutil.which("makebearoff", path=GAMES)
    assert makebearoff is not None
    subprocess.run([makebearoff, *arguments, "-f", str(theirs)], check=True, capture_output=True)
    if arguments[0] == "-o":
        OneSided(points=int(arguments[1])).save_gnubg(ours, like_gnu=True, **options)
    else:
        TwoSided.build(**options).save_gnubg(ours, like_gnu=True)
    assert ours.read_bytes() == theirs.read_bytes()
    assert open_gnubg(theirs) is not None


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gnubg", path=GAMES) is None, reason="GNU Backgammon is not installed")
def test_gnu_backgammon_answers_from_our_file(tmp_path: Path) -> None:
    """With our table of 7 points in place of its own of 6, a race that it had to estimate comes from the table."""
    table = OneSided(points=7)
    folder = tmp_path / "gnubg"
    shutil.copytree("/usr/share/gnubg", folder)
    table.save_gnubg(folder / "gnubg_os0.bd")
    position = Position.from_points({7: 5, 6: 4}, opponent={7: 6, 2: 4})
    commands = tmp_path / "commands"
    commands.write_text(
        f"set player 0 human\nset player 1 human\nset automatic game off\nnew session\nset board {position.id}\neval\n"
    )
    gnubg = shutil.which("gnubg", path=GAMES)
    assert gnubg is not None
    command = [gnubg, "-t", "-q", "-r", "-D", str(folder), "-P", str(folder), "-c", str(commands)]
    answer = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "HOME": str(tmp_path)}
    )
    words = [line.split() for line in answer.stdout.splitlines()]
    assert ["Evaluator:", "Bearoff1"] in words, answer.stdout + answer.stderr
    means = next(line for line in words if line[:1] == ["Mean"])
    assert float(means[1]) == pytest.approx(table.mean_rolls([0, 0, 0, 0, 0, 4, 5]), abs=2e-3)
    assert float(means[2]) == pytest.approx(table.mean_rolls([0, 4, 0, 0, 0, 0, 6]), abs=2e-3)
    static = next(line for line in words if line[:1] == ["static:"])
    assert float(static[1]) == pytest.approx(table.win_probability(position), abs=2e-3)
