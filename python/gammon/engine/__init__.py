"""The engine: rollouts.

`rollout` plays a position out many times and says what it comes to on average, with standard errors.
``docs/rollouts.md`` tells how.
"""

from __future__ import annotations

from gammon.engine._result import RolloutCandidate, RolloutResult
from gammon.engine._rollout import rollout

__all__ = ["RolloutCandidate", "RolloutResult", "rollout"]
