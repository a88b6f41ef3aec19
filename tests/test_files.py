"""Files are written whole or not at all, and nothing is put in the place of a device or a link."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

import gammon
from gammon import Match, formats
from gammon.files import check_target, renamed_target, whole


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_text("old")

    def half() -> None:
        with whole(target) as partial:
            Path(partial).write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert target.read_text() == "old"
    with whole(target) as partial:
        Path(partial).write_text("new")
        assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert target.read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in its folders")
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    formats.dump(Match(names=("Ann", "Bob")), pipe, format="json")
    reader.join()
    assert formats.loads(read[0]).names == ("Ann", "Bob")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in its folders")
def test_no_table_takes_the_place_of_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    one, two = gammon.bearoff.OneSided(points=1, checkers=2), gammon.bearoff.TwoSided.build(points=1, checkers=2)
    recipe = gammon.training.Recipe((64, 16), (gammon.training.Stage(games=8),))
    for write in (
        lambda: one.save(pipe),
        lambda: one.save_gnubg(pipe),
        lambda: two.save(pipe),
        lambda: two.save_gnubg(pipe),
        lambda: gammon.bearoff.TwoSided.build(points=1, checkers=2, path=pipe),
        lambda: gammon.hypergammon.solve(1, tolerance=0.1, path=pipe),
        lambda: gammon.training.train(recipe, tmp_path / "x", checkpoint=pipe),
    ):
        with pytest.raises(FileExistsError, match="no plain file"):
            write()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_what_a_link_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    try:
        (tmp_path / "link").symlink_to("real")
    except OSError:
        pytest.skip("no links here")
    with whole(tmp_path / "link") as partial:
        Path(partial).write_text("new")
    assert renamed_target(tmp_path / "link") == str((tmp_path / "real").resolve())
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(IsADirectoryError):
        check_target(tmp_path)
    with pytest.raises(IsADirectoryError):
        check_target(".")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        check_target(tmp_path / "nowhere" / "x")
    with pytest.raises(NotADirectoryError):
        check_target(tmp_path / "file" / "x")
    with pytest.raises(FileNotFoundError, match="streams"):
        check_target("-")
    check_target(tmp_path / "file")
    check_target("x")


def test_a_folder_that_may_not_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []
    # Root may write everywhere, so the system is asked in a play.
    monkeypatch.setattr(os, "access", lambda path, mode: asked.append(Path(path)))
    with pytest.raises(PermissionError):
        check_target(tmp_path / "x")
    assert asked == [tmp_path]
