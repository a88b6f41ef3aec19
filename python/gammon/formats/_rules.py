"""Rules as tags of a file, and back."""

from __future__ import annotations

from typing import Any

from gammon.position import VARIANTS
from gammon.rules import Rules

__all__ = ["FULL_VARIANTS", "RULE_TAGS", "apply_setting", "rule_tags"]

FULL_VARIANTS = tuple(name for name in VARIANTS if name not in ("standard", "hypergammon"))
"""Variants that differ in where checkers start; hypergammon comes with the number of checkers."""

RULE_TAGS = (
    "AutomaticDoubles",
    "Beavers",
    "Crawford",
    "Cube",
    "CubeLimit",
    "DeadCube",
    "Holland",
    "Jacoby",
    "Variation",
)
"""The tags that state rules: what they say is in the rules of a match."""

_SWITCH = {
    "on": True,
    "yes": True,
    "true": True,
    "1": True,
    "off": False,
    "no": False,
    "false": False,
    "0": False,
}


def apply_setting(settings: dict[str, Any], name: str, value: str) -> None:
    """Notes the field of the rules that a tag states, if it states one; `name` in lower case without spaces."""
    word = value.strip().lower()
    number = int(word) if word.isascii() and word.isdecimal() and len(word) < 10 else None
    if name in ("crawford", "jacoby", "holland") and word in _SWITCH:
        settings[name] = _SWITCH[word]
    elif name in ("beaver", "beavers", "automaticdoubles"):
        field = "automatic_doubles" if name == "automaticdoubles" else "beavers"
        if word == "unlimited":
            settings[field] = None
        elif word in ("on", "yes", "true"):
            settings.setdefault(field, 1)
        elif word in _SWITCH or number is not None:
            settings[field] = int(_SWITCH[word]) if number is None else number
    elif name == "cubelimit":
        if word == "unlimited":
            settings["cube_limit"] = None
        elif number == 1:
            settings["use_cube"] = False
        elif number:
            settings["cube_limit"] = number
    elif name == "cube" and word in _SWITCH and not _SWITCH[word]:
        settings["use_cube"] = False
    elif name == "deadcube" and word in ("refuse", "allow"):
        settings["dead_cube"] = word
    elif name == "variation" and word in VARIANTS:
        settings["variant"] = word


def rule_tags(rules: Rules) -> dict[str, str]:
    """The rules that are not those that a reader takes for granted."""
    tags: dict[str, str] = {}
    if rules.is_match:
        if not rules.crawford:
            tags["Crawford"] = "Off"
        if rules.holland:
            tags["Holland"] = "On"
        if rules.dead_cube == "allow":
            tags["DeadCube"] = "allow"
    else:
        tags["Jacoby"] = "On" if rules.jacoby else "Off"
        if rules.beavers != 1:
            tags["Beavers"] = _count(rules.beavers)
        if rules.automatic_doubles != 0:
            tags["AutomaticDoubles"] = _count(rules.automatic_doubles)
    if rules.cube_limit != 64 and rules.use_cube:
        tags["CubeLimit"] = "unlimited" if rules.cube_limit is None else str(rules.cube_limit)
    if not rules.use_cube:
        tags["Cube"] = "Off"
    if rules.variant != "standard":
        tags["Variation"] = rules.variant.capitalize()
    return tags


def _count(number: int | None) -> str:
    return "unlimited" if number is None else str(number)
