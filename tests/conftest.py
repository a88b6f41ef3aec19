"""What all tests share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A test of the whole machine may be slow when the machine is busy: no deadline, but a fixed number of examples.
settings.register_profile("gammon", deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gammon")
