"""Models and evaluators: files, batches against single positions, own evaluators, and what is refused."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import gammon
from gammon import Position, batch
from gammon.engine import rollout
from gammon.evaluator import Evaluator, Model

Positions = npt.NDArray[np.int8]


@pytest.fixture(scope="module", name="positions")
def positions_fixture() -> Positions:
    return batch.random_positions(600, seed=3)


@pytest.fixture(scope="module", name="rolls")
def rolls_fixture(positions: Positions) -> npt.NDArray[np.uint8]:
    return np.random.default_rng(4).integers(1, 7, (len(positions), 2), dtype=np.uint8)


def equity(answer: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    return answer.astype(np.float64) @ [2, 1, 1, -1, -1] - 1


def by_pips(positions: Positions) -> npt.NDArray[np.float32]:
    """An evaluator of a user: the pip count and nothing else, no two boards alike in most rolls."""
    pips = batch.pips(positions).astype(np.float32)
    answer = np.zeros((len(positions), 5), np.float32)
    answer[:, 0] = 1 / (1 + np.exp((pips[:, 0] - pips[:, 1] - 4) / 20))
    return answer


class TestModel:
    def test_the_shipped_model(self) -> None:
        model = Model.default()
        assert model is Model.default()
        assert model.path.name == "fast.gammon"
        assert model.parameters < 200_000
        assert isinstance(model, Evaluator)

    def test_the_other_shipped_model(self) -> None:
        model = Model.strong()
        assert model is Model.strong()
        assert model.path.name == "strong.gammon"
        assert model.parameters < 500_000
        assert model != Model.default()

    def test_both_by_their_names(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Wherever a model is asked for. A file of that name has to be said as a path."""
        positions = batch.random_positions(20, seed=1)
        for name, model in (("fast", Model.default()), ("strong", Model.strong())):
            assert np.array_equal(batch.evaluate(positions, model=name), batch.evaluate(positions, model=model))
            assert gammon.Engine(0, name).model is model
            assert rollout(Position.start(), trials=36, truncate=1, model=name).model is model
        assert Model.strong() != Model.default()
        monkeypatch.chdir(tmp_path)
        Path("strong").write_bytes(Model.default().path.read_bytes())
        assert gammon.Engine(0, "strong").model is Model.strong()
        assert np.array_equal(batch.evaluate(positions, model="./strong"), batch.evaluate(positions))

    @pytest.mark.parametrize("model", [Model.default(), Model.strong()], ids=["fast", "strong"])
    def test_it_knows_the_start(self, model: Model) -> None:
        start = gammon.Position.start()
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = model.evaluate(start)
        assert 0.48 < win < 0.58
        assert 0.08 < lose_gammon < win_gammon + 0.08 < 0.35
        assert 0 < lose_backgammon + win_backgammon < 0.1

    def test_values(self, positions: Positions) -> None:
        model = Model.default()
        for twin in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model), eval(repr(model))):
            assert twin == model
            assert hash(twin) == hash(model)
            assert (twin(positions) == model(positions)).all()
        assert model != "fast"
        assert model.kernel in ("portable", "avx2", "avx512")

    def test_damaged_files(self, tmp_path: Path) -> None:
        content = Model.default().path.read_bytes()
        path = tmp_path / "damaged.gammon"
        for damaged in (b"", content[:100], content[:-1], content + b"\0", content[:5000] + b"?" + content[5001:]):
            path.write_bytes(damaged)
            with pytest.raises(gammon.ModelFormatError, match=r"damaged\.gammon: "):
                Model(path)
            with pytest.raises(gammon.ModelFormatError):
                batch.evaluate(np.zeros((0, 28), np.int8), model=path)
        with pytest.raises(FileNotFoundError):
            Model(tmp_path / "none.gammon")


class TestEvaluate:
    def test_rows_are_those_of_single_positions(self, positions: Positions) -> None:
        answer = batch.evaluate(positions)
        assert (answer.dtype, answer.shape) == (np.float32, (len(positions), 5))
        for row, cells in enumerate(positions):
            single = Model.default().evaluate(gammon.Position.from_array(cells))
            assert answer[row].tolist() == pytest.approx(single, abs=1e-6)
        assert (batch.evaluate(positions, threads=1) == answer).all()
        assert (batch.evaluate(positions, threads=3) == answer).all()
        assert (batch.evaluate(positions, model=Model.default().path) == answer).all()
        assert (batch.evaluate(positions, model=str(Model.default().path)) == answer).all()

    def test_sane(self, positions: Positions) -> None:
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = batch.evaluate(positions).T
        assert ((win_backgammon >= 0) & (win_backgammon <= win_gammon) & (win_gammon <= win) & (win <= 1)).all()
        assert ((lose_backgammon >= 0) & (lose_backgammon <= lose_gammon) & (lose_gammon <= 1 - win)).all()
        assert not lose_gammon[positions[:, 26] > 0].any()
        assert not win_gammon[positions[:, 27] > 0].any()

    @pytest.mark.parametrize("model", [None, by_pips])
    def test_finished_games_are_exact(self, model: Any) -> None:
        boards = [
            ({}, {24: 14}, [1, 0, 0, 0, 0]),
            ({}, {18: 15}, [1, 1, 0, 0, 0]),
            ({}, {19: 15}, [1, 1, 1, 0, 0]),
            ({24: 14}, {}, [0, 0, 0, 0, 0]),
            ({18: 15}, {}, [0, 0, 0, 1, 0]),
            ({24: 1, 1: 14}, {}, [0, 0, 0, 1, 1]),
        ]
        rows = np.array([gammon.Position.from_points(own, opponent=other).to_array() for own, other, _ in boards])
        assert batch.evaluate(rows, model=model).tolist() == [expected for _, _, expected in boards]

    def test_no_rows(self) -> None:
        empty = np.zeros((0, 28), np.int8)
        assert batch.evaluate(empty).shape == (0, 5)
        assert batch.evaluate(empty, model=by_pips).shape == (0, 5)
        assert batch.roll_values(empty).shape == (0, 21)
        for model in (None, by_pips):
            assert batch.best_positions(empty, np.zeros((0, 2), np.uint8), model=model).shape == (0, 28)

    @pytest.mark.parametrize(
        "answer",
        [
            np.zeros((600, 4), np.float32),
            np.zeros((600, 5), np.float64),
            [[0.0] * 5] * 600,
            np.full((600, 5), 0.5, np.float32) * np.array([1, 2, 0, 0, 0], np.float32),
            np.full((600, 5), np.nan, np.float32),
            np.full((600, 5), 0.6, np.float32),
        ],
    )
    def test_answers_of_evaluators_are_checked(self, positions: Positions, answer: Any) -> None:
        with pytest.raises(gammon.ArrayError, match="evaluator"):
            batch.evaluate(positions, model=lambda _: answer)

    def test_wrong_arguments(self, positions: Positions, rolls: npt.NDArray[np.uint8]) -> None:
        with pytest.raises(gammon.InvalidArgumentError, match="objective"):
            batch.best_positions(positions, rolls, objective="draw")  # type: ignore[arg-type]
        with pytest.raises(gammon.InvalidArgumentError, match="draw"):
            batch.roll_values(positions, objective="draw")  # type: ignore[arg-type]
        for model in (None, by_pips):
            with pytest.raises(gammon.InvalidArgumentError, match="view"):
                batch.best_positions(positions, rolls, view="mine", model=model)  # type: ignore[arg-type]
            with pytest.raises(gammon.ArrayError):
                batch.evaluate(positions.astype(np.int16), model=model)  # type: ignore[arg-type]
        with pytest.raises(gammon.InvalidArgumentError, match="model"):
            batch.evaluate(positions, model=7)  # type: ignore[arg-type]
        with pytest.raises(gammon.InvalidArgumentError, match="model"):
            batch.roll_values(positions, model=by_pips)  # type: ignore[arg-type]


class TestBestPositions:
    @pytest.mark.parametrize("model", [None, by_pips])
    @pytest.mark.parametrize("objective", ["points", "win"])
    def test_no_play_is_better(
        self, positions: Positions, rolls: npt.NDArray[np.uint8], model: Any, objective: Any
    ) -> None:
        best = batch.best_positions(positions, rolls, view="next", objective=objective, model=model)
        mover = batch.best_positions(positions, rolls, objective=objective, model=model)
        assert (batch.flip(best) == mover).all()
        candidates, offsets = batch.legal_positions(positions, rolls, view="next")
        dances = 0
        for row, cells in enumerate(best):
            own = candidates[offsets[row] : offsets[row + 1]]
            if not len(own):
                assert (mover[row] == positions[row]).all()
                dances += 1
                continue
            answer = batch.evaluate(own, model=model)
            value = answer[:, 0] if objective == "win" else equity(answer)
            place = np.flatnonzero((own == cells).all(1))
            assert len(place) == 1
            assert value[place[0]] <= value.min() + 1e-6
        assert dances > 3

    def test_roll_values(self, positions: Positions) -> None:
        rows = positions[:40]
        values = batch.roll_values(rows)
        for index, roll in enumerate(gammon.Roll.all()):
            dice = np.tile(np.array([roll.high, roll.low], np.uint8), (len(rows), 1))
            best = batch.best_positions(rows, dice, view="next")
            assert values[:, index] == pytest.approx(-equity(batch.evaluate(best)), abs=1e-5)
        chances = batch.roll_values(rows, objective="win", threads=1)
        assert ((chances >= 0) & (chances <= 1)).all()

    def test_it_beats_random_play(self) -> None:
        """As player 0 of 300 games the shipped model wins most of them."""
        rng = np.random.default_rng(5)
        cells = np.repeat(gammon.Position.start().to_array()[None], 300, 0)
        ours, won = np.arange(300) % 2 == 0, np.zeros(300, bool)
        active = np.arange(300)
        while len(active):
            rolls = rng.integers(1, 7, (len(active), 2), dtype=np.uint8)
            after = batch.flip(cells[active])
            candidates, offsets = batch.legal_positions(cells[active], rolls, view="next")
            some = np.flatnonzero(np.diff(offsets))
            after[some] = candidates[offsets[some] + rng.integers(0, np.diff(offsets)[some])]
            best = batch.best_positions(cells[active], rolls, view="next")
            after = np.where(ours[active][:, None], best, after)
            over = np.minimum(after[:, :25], 0).sum(1) == 0
            won[active[over]] = ours[active[over]]
            cells[active] = after
            ours[active] = ~ours[active]
            active = active[~over]
        assert won.mean() > 0.95


class TestRace:
    def test_close_to_exact_chances(self) -> None:
        """Far from exact yet: docs/strength.md has the mean error of each network in the bear-off."""
        rows = batch.random_positions(40_000, seed=9)
        home = (rows[:, 7:26] <= 0).all(1) & (rows[:, :19] >= 0).all(1)
        rows = rows[home & (rows[:, 1:7] > 0).any(1) & (rows[:, 19:25] < 0).any(1)]
        assert len(rows) > 500
        exact, held = gammon.bearoff.OneSided.default().win_probabilities(rows)
        assert held.all()
        assert np.abs(batch.evaluate(rows)[:, 0] - exact).mean() < 0.03
        assert np.abs(batch.evaluate(rows, model="strong")[:, 0] - exact).mean() < 0.006


class TestCommand:
    def test_eval(self, capsys: pytest.CaptureFixture[str]) -> None:
        pytest.importorskip("typer")
        from gammon.cli import _run

        assert _run(["eval", "standard", "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert answer["win"] == Model.default().evaluate(gammon.Position.start())[0]
        assert _run(["eval", "standard", "31", "--json"]) == 0
        plays = json.loads(capsys.readouterr().out)["plays"]
        assert plays[0]["play"] == "8/5 6/5"
        assert len(plays) == 16
        assert plays == sorted(plays, key=lambda play: -play["equity"])
        assert _run(["eval", "standard", "31"]) == 0
        head, best, *_ = capsys.readouterr().out.splitlines()
        assert head.split()[:2] == ["equity", "win"]
        assert best.startswith("8/5 6/5 ")
        assert _run(["eval", "standard"]) == 0
        assert "win_gammon" in capsys.readouterr().out
        assert _run(["eval", "standard", "--model", "none.gammon"]) == 2
        assert "none.gammon" in capsys.readouterr().err
