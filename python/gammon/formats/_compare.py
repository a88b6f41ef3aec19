"""Whether two matches tell the same story, whatever their dice came from."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

from gammon.formats._rules import RULE_TAGS
from gammon.match import Event, Match, State
from gammon.play import Play
from gammon.rules import Rules

__all__ = ["differences", "story"]

_MOST = 100


def story(match: Match) -> Iterator[tuple[str, Any]]:
    """What happened, event by event, as comparable values: without where the dice came from and without the clock."""
    for state, event in match.history():
        yield event.kind, _told(state, event)


def _told(state: State, event: Event) -> tuple[Any, ...]:
    play = event.play
    told: Any = play
    if isinstance(play, Play):
        told = (play.steps, play.hits)
    elif play is not None:
        told = " ".join(play.split())
    return (
        event.player,
        event.throws and (_ties(event), event.roll),
        told,
        event.illegal,
        event.level,
        event.position,
        event.value or (1 if event.kind == "position" else None),
        event.owner,
        event.stake or (1 if event.kind == "position" else None),
        event.score,
        event.decision,
        event.points,
        event.winner,
        state.on_roll,
        state.points,
    )


def _ties(event: Event) -> tuple[tuple[int, int], ...]:
    """The ties of an opening throw, where they changed something."""
    return event.throws[:-1] if any(note.startswith("automatic") for note in event.notes) else ()


def differences(match: Match, back: Match) -> tuple[str, ...]:
    """Where another match tells something else, one line for each place; the first hundred."""
    lines = [
        f"rules.{field.name}: {one!r} becomes {other!r}"
        for field in dataclasses.fields(Rules)
        if (one := getattr(match.rules, field.name)) != (other := getattr(back.rules, field.name))
    ]
    for name in ("names", "direction", "score", "games", "tags", "comments", "annotations"):
        one, other = getattr(match, name), getattr(back, name)
        if name == "tags":
            one, other = ({tag: text for tag, text in tags.items() if tag not in RULE_TAGS} for tags in (one, other))
        if one != other:
            lines.append(f"{name}: {_shown(one)} becomes {_shown(other)}")
    pairs = itertools.zip_longest(match.record, back.record)
    for index, ((one, other), (old, new)) in enumerate(
        zip(itertools.zip_longest(story(match), story(back)), pairs, strict=True)
    ):
        if one != other:
            lines.append(f"event {index}: {_shown(str(old))} becomes {_shown(str(new))}")
            if len(lines) >= _MOST:
                break
    return tuple(lines)


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 100 else f"{text[:97]}..."
