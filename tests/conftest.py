"""What all tests share."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started in the background, where Ctrl-C is ignored: the processes that tests interrupt would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A test of the whole machine may be slow when the machine is busy: no deadline, but a fixed number of examples. They
# are the same on every run, so that a change is judged by what it changes; `--hypothesis-profile=explore` draws others.
explore = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", explore)
settings.register_profile("gammon", explore, derandomize=True)
settings.load_profile("gammon")
