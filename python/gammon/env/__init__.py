"""Environments for learning: Gymnasium, PettingZoo, and a batch of games for numpy.

`BackgammonEnv` needs gymnasium and `aec` needs pettingzoo, both in the extra ``gammon[env]``; `VectorEnv` needs
neither. Loading this module registers ``gammon/Backgammon-v0`` where gymnasium is installed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gammon.env._vector import VectorEnv, VectorObservation
from gammon.errors import MissingExtraError

if TYPE_CHECKING:
    from gammon.env._single import BackgammonEnv
    from gammon.env._two import BackgammonAEC, aec

__all__ = ["BackgammonAEC", "BackgammonEnv", "VectorEnv", "VectorObservation", "aec"]

_LATE = {"BackgammonAEC": "_two", "BackgammonEnv": "_single", "aec": "_two"}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'gammon.env' has no attribute {name!r}")
    try:
        module = importlib.import_module(f"gammon.env.{_LATE[name]}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("gymnasium", "pettingzoo"):
            raise
        raise MissingExtraError(f"gammon.env.{name} needs {error.name}: pip install 'gammon[env]'") from error
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_LATE))


def _register() -> None:
    """Makes ``gymnasium.make("gammon/Backgammon-v0")`` know the environment, if gymnasium is installed."""
    try:
        from gymnasium.envs.registration import register, registry
    except ModuleNotFoundError:
        return
    if "gammon/Backgammon-v0" not in registry:
        register("gammon/Backgammon-v0", entry_point="gammon.env:BackgammonEnv")


_register()
