"""Training of networks by self-play, from nothing, by a recipe.

A recipe is a JSON file: the layers of the network, a seed, and stages that say how many games are played and how the
weights change. A run writes the model when it ends and a checkpoint now and then; cut off at any moment, it goes on
from its checkpoint and ends with the very weights that a run without a break gives, on any number of threads. How the
shipped network was made is in ``docs/training.md``.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any, Literal

from gammon import _core
from gammon._long_work import Progress, reporter
from gammon.errors import Interrupted, InvalidArgumentError
from gammon.evaluator import Model, Objective, named
from gammon.files import check_target, read_small, renamed_target, whole

__all__ = ["Recipe", "Stage", "train"]

_PARTS = ("start", "quick", "teacher")


@dataclasses.dataclass(frozen=True, slots=True)
class Stage:
    """A part of a recipe.

    Attributes:
        games: how many games it has.
        games_per_step: games that are played with the same weights, a multiple of 8; `games` is rounded up to whole
            steps.
        changes: changes of the weights after them, 1 to `games_per_step`; each learns from an equal share of the
            positions.
        rate: how far weights change at a time (Adam), at the start of the stage and at its end; geometric in between.
        lambda_: the weight of later positions against the next one in what a position should have been worth, at the
            start and at the end, 0 to 1; linear in between.
        look_ahead: the share of positions, 0 to 1, that are taught the mean over all 21 rolls in place of the roll that
            came. Each costs 21 times as much.
        tables: whether positions without contact and with all checkers home are taught what exact tables say; three
            games in four then end at the first of them.
        keep: how many candidates of a roll a quicker network leaves, see `quick` of `train`; 0 for all.
        stray: how far plays may stray from the best, in what is played for, 0 to 1: each candidate is valued with up to
            this much less, evenly drawn. Positions are still taught what their best plays are worth.
        steady: for how many steps the same network plays and teaches, the averaged weights as they are when those
            begin; 0 for the weights that are learning.
        memory: how many positions are remembered, up to 4 million (48 bytes each); 0 for none. Nothing is learnt until
            there are as many; then each of the `changes`, up to 1000, learns from as many remembered positions as the
            step has, drawn evenly.
        taught: whether another network says what positions should have been worth, see `teacher` of `train`.
        objective: "points" counts gammons, "win" does not.
        equity: the weights of the squared errors of the equity with gammons and without, beside the cross entropy of
            the six ends, in what is learnt, 0 to 1000; the first is 0 with "win".
        average: how many changes the averaged weights, which are the ones kept, remember.

    >>> from gammon.training import Stage
    >>> Stage(games=3200, games_per_step=64, rate=(0.002, 0.0005)).changes
    1
    """

    games: int
    games_per_step: int = 32
    changes: int = 1
    rate: tuple[float, float] = (0.002, 0.002)
    lambda_: tuple[float, float] = (0.0, 0.0)
    look_ahead: float = 0.0
    tables: bool = False
    keep: int = 0
    stray: float = 0.0
    steady: int = 0
    memory: int = 0
    taught: bool = False
    objective: Objective = "points"
    equity: tuple[float, float] = (0.0, 0.0)
    average: float = 1000.0

    def _fields(self) -> _core._Stage:
        for name in ("games", "games_per_step", "changes", "keep", "steady", "memory"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 63:
                raise InvalidArgumentError(f"{name} of a stage is a whole number from 0 up, not {value!r:.60}")
        for name in ("rate", "lambda_", "equity"):
            value = getattr(self, name)
            if not isinstance(value, tuple | list) or len(value) != 2 or not all(map(_is_number, value)):
                raise InvalidArgumentError(f"{name.rstrip('_')} of a stage is two numbers, not {value!r:.60}")
        for name in ("look_ahead", "average", "stray"):
            if not _is_number(value := getattr(self, name)):
                raise InvalidArgumentError(f"{name} of a stage is a number, not {value!r:.60}")
        for name in ("tables", "taught"):
            if not isinstance(value := getattr(self, name), bool):
                raise InvalidArgumentError(f"{name} of a stage is true or false, not {value!r:.60}")
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True, slots=True)
class Recipe:
    """What a network is made from.

    Attributes:
        layers: units of the two hidden layers: a multiple of 64 up to 1024, a multiple of 16 up to 256.
        stages: one after the other.
        seed: of the first weights and of all dice, 0 to 2**64 - 1.
        inputs: what the network sees: "raw", the places of the checkers alone, or "contact", also what is worked out of
            them: shots, blocks, boards and races (``docs/encodings.md``).
        start, quick, teacher: recipes of networks that it needs, see `train`; made first, beside the network itself.

    Raises `InvalidArgumentError` for a recipe without stages; `train` checks the rest.

    >>> from gammon.training import Recipe, Stage
    >>> recipe = Recipe((64, 16), (Stage(games=320), Stage(games=640, look_ahead=0.1)), seed=1)
    >>> recipe == Recipe.from_dict(recipe.to_dict())
    True
    """

    layers: tuple[int, int]
    stages: tuple[Stage, ...]
    seed: int = 0
    inputs: Literal["raw", "contact"] = "raw"
    start: Recipe | None = None
    quick: Recipe | None = None
    teacher: Recipe | None = None

    def __post_init__(self) -> None:
        """Refuses a recipe by which nothing is trained."""
        if not self.stages:
            raise InvalidArgumentError("a recipe has at least one stage")

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Recipe:
        """Reads a JSON file; a field that it does not know is refused.

        Raises:
            InvalidArgumentError: for a file that is no recipe.
            FileFormatError: for one that is larger than any recipe.

        >>> import json, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "recipe.json")
        ...     _ = path.write_text(json.dumps({"layers": [64, 16], "stages": [{"games": 320}]}))
        ...     Recipe.open(path).layers
        (64, 16)
        """
        try:
            return cls.from_dict(json.loads(read_small(path)))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise InvalidArgumentError(f"{os.fspath(path)}: not a recipe: {error}") from error

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Recipe:
        """The recipe of plain data; ``note`` may say anything.

        Raises:
            InvalidArgumentError: for data that are no recipe.

        >>> recipe = Recipe.from_dict({"layers": [64, 16], "stages": [{"games": 320}], "note": "a trial"})
        >>> recipe.layers, recipe.stages[0].games
        ((64, 16), 320)
        """
        known = {"inputs", "layers", "stages", "seed", "note", *_PARTS}
        if not isinstance(data, dict) or not known.issuperset(data):
            raise InvalidArgumentError(f"a recipe has the fields {', '.join(sorted(known))}, not {data!r}")
        names = {field.name.rstrip("_"): field.name for field in dataclasses.fields(Stage)}
        stages = []
        if not isinstance(data.get("stages"), list) or not all(isinstance(stage, dict) for stage in data["stages"]):
            raise InvalidArgumentError(f"stages are a list of objects, not {data.get('stages')!r:.60}")
        for stage in data["stages"]:
            if unknown := set(stage) - set(names):
                raise InvalidArgumentError(f"a stage has no field {', '.join(sorted(unknown))}")
            values: dict[str, Any] = {
                names[name]: tuple(value) if isinstance(value, list) else value for name, value in stage.items()
            }
            stages.append(Stage(**values))
        layers = data.get("layers")
        if not isinstance(layers, list | tuple) or len(layers) != 2:
            raise InvalidArgumentError(f"layers are two numbers, not {layers!r:.60}")
        first, second = layers
        parts = {name: cls.from_dict(data[name]) for name in _PARTS if name in data}
        return cls((first, second), tuple(stages), data.get("seed", 0), data.get("inputs", "raw"), **parts)

    def to_dict(self) -> dict[str, Any]:
        """The recipe as plain data.

        >>> Recipe((64, 16), (Stage(games=320),), seed=1).to_dict()["layers"]
        [64, 16]
        """
        stages = [
            {name.rstrip("_"): value for name, value in dataclasses.asdict(stage).items()} for stage in self.stages
        ]
        made = {name: getattr(self, name) for name in _PARTS}
        parts = {name: part.to_dict() for name, part in made.items() if part is not None}
        return {"inputs": self.inputs, "layers": list(self.layers), "seed": self.seed, "stages": stages, **parts}


def train(
    recipe: Recipe,
    path: str | os.PathLike[str],
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = 60.0,
    log: str | os.PathLike[str] | None = None,
    start: str | os.PathLike[str] | None = None,
    quick: str | os.PathLike[str] | None = None,
    teacher: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Model:
    """Trains a network and writes it to a model file.

    Args:
        recipe: what to do. Networks that it needs by recipes of their own are made first, each once, in the folder
            ``PATH.parts``, with checkpoints from which a run goes on too.
        path: where the model goes when the run is over, and as it stands whenever a checkpoint is written.
        checkpoint: a file to write now and then and to go on from if it is there.
        checkpoint_seconds: how long to wait from one to the next.
        log: a file that gets a line of JSON at every checkpoint: games, steps (changes of the weights), stage, the rate
            of change, and since the last line the seconds, plies a game, the mean cross entropy and the root mean
            square error of the equity against what was taught.
        start: a model to start from, a name or a file, of the recipe's layers or narrower ones, and of its inputs or
            raw ones: what is new changes nothing until it has learnt. None starts from small random weights.
        quick: a quicker network, a name or a file, which sifts the candidates of each roll in the stages that `keep`
            few.
        teacher: the network, a name or a file, that teaches in the stages that are `taught`.
        threads: None for one on each core; the weights are the same for any number.
        progress: a callable (games, total), or True for a bar.

    Returns:
        The model with the averaged weights.

    Raises:
        InvalidArgumentError: for a recipe that makes no sense, the checkpoint of another recipe, or weights that ran
            away and are not finite any more, which a wild `start` can lead to; the last checkpoint stays.
        FileFormatError: for a damaged checkpoint.
        ModelFormatError: for a `start`, `quick` or `teacher` that is no model.
        Interrupted: on Ctrl-C, after the checkpoint and the model are written; `.result` is the model.

    >>> import pathlib, tempfile
    >>> from gammon.training import Recipe, Stage, train
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = train(Recipe((64, 16), (Stage(games=64),)), pathlib.Path(folder) / "small.gammon")
    >>> model.layers
    (64, 16)
    """
    if not isinstance(recipe, Recipe):
        raise InvalidArgumentError(f"recipe is a Recipe, as Recipe.open(path) reads it, not {recipe!r:.60}")
    for written in (path, checkpoint, log):
        if written is not None:
            check_target(written)
    if checkpoint is not None:
        checkpoint = renamed_target(checkpoint)
    if not checkpoint_seconds > 0:
        raise InvalidArgumentError(f"checkpoint_seconds is above 0, not {checkpoint_seconds}")
    stages = [stage._fields() for stage in recipe.stages]
    given = {"start": start, "quick": quick, "teacher": teacher}
    for name in _PARTS:
        part: Recipe | None = getattr(recipe, name)
        if part is not None and given[name] is not None:
            raise InvalidArgumentError(f"{name}: the recipe makes this model itself")
        # What has a checkpoint has started already.
        if part is not None and not (name == "start" and checkpoint is not None and Path(checkpoint).exists()):
            given[name] = _make(name, part, Path(path), checkpoint_seconds, threads, progress)
    start, quick, teacher = given.values()
    if checkpoint is not None and Path(checkpoint).exists():
        trainer = _core.Trainer.open(checkpoint, recipe.layers, recipe.inputs, stages, recipe.seed)
    else:
        content = None if start is None else named(start)._network.to_bytes()
        trainer = _core.Trainer(recipe.layers, stages, recipe.seed, content, recipe.inputs)
    for name, needed, model, use in (
        ("quick", any(stage.keep for stage in recipe.stages), quick, trainer.set_quick),
        ("teacher", any(stage.taught for stage in recipe.stages), teacher, trainer.set_teacher),
    ):
        if needed != (model is not None):
            raise InvalidArgumentError(f"{name}: {'a stage needs' if needed else 'no stage needs'} this model")
        if model is not None:
            use(named(model)._network.to_bytes())
    with reporter(progress, "train", "games") as report:
        while True:
            began = time.perf_counter()
            games, plies, positions, loss, squares, error = trainer.run(checkpoint_seconds, threads, report)
            seconds = time.perf_counter() - began
            if checkpoint is not None:
                trainer.save(checkpoint)
            _write(path, trainer.model())
            if log is not None and games:
                done, steps, total = trainer.done
                line = {
                    "games": done,
                    "of": total,
                    "steps": steps,
                    "stage": trainer.stage,
                    "rate": trainer.rate,
                    "seconds": round(seconds, 3),
                    "plies_per_game": plies / games,
                    "cross_entropy": loss / positions if positions else None,
                    "equity_error": (squares / positions) ** 0.5 if positions else None,
                }
                with open(log, "a", encoding="utf-8") as file:
                    print(json.dumps(line), file=file)
            if isinstance(error, KeyboardInterrupt):
                raise Interrupted(f"interrupted after {trainer.done[0]} games", Model(path)) from error
            if error is not None:
                raise error
            if trainer.stage is None:
                return Model(path)


def _make(
    name: str, recipe: Recipe, path: Path, checkpoint_seconds: float, threads: int | None, progress: Progress
) -> Path:
    """Trains what the recipe of `path` needs; at once if that is done already."""
    # Parts of parts go to the same folder, so that what several need is made once.
    folder = path.parent if path.parent.suffix == ".parts" else Path(f"{path}.parts")
    folder.mkdir(exist_ok=True)
    digest = hashlib.sha256(json.dumps(recipe.to_dict()).encode()).hexdigest()
    place = folder / f"{digest[:12]}.gammon"
    checkpoint = place.with_suffix(".checkpoint")
    try:
        train(
            recipe,
            place,
            checkpoint=checkpoint,
            checkpoint_seconds=checkpoint_seconds,
            threads=threads,
            progress=progress,
        )
    except Interrupted as error:
        raise Interrupted(f"{name}: {error}") from error
    return place


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _write(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file whole or not at all."""
    with whole(path) as partial:
        Path(partial).write_bytes(content)
