"""The options of a game, a money session or a match (rule 9.11)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from gammon.clock import ClockSettings
from gammon.errors import InvalidArgumentError
from gammon.position import VARIANTS, Position

__all__ = ["MAX_LENGTH", "Rules"]

MAX_LENGTH = 32767
"""The longest match that the common identifiers can hold."""


class _DoesNotApply:
    """Marks a field that a preset has no use for; the field then holds `value`."""

    def __init__(self, value: object) -> None:
        self.value = value


class _Fixed(_DoesNotApply):
    """Marks a field that a preset does not let anybody change, with the reason."""

    def __init__(self, value: object, reason: str) -> None:
        super().__init__(value)
        self.reason = reason


_MONEY_ONLY = "it belongs to money play and is never used in a match"
_REGULATION = "the tournament regulations leave no choice"

_PRESETS: dict[str, dict[str, object]] = {
    "money": {
        "use_cube": True,
        "crawford": _DoesNotApply(False),
        "jacoby": True,
        "beavers": 1,
        "automatic_doubles": 0,
        "six_six_triples": False,
        "holland": _DoesNotApply(False),
        "cube_limit": 64,
        "dead_cube": _DoesNotApply(None),
        "on_illegal_play": "reject",
        "early_double": False,
    },
    "match": {
        "use_cube": True,
        "crawford": True,
        "jacoby": _Fixed(False, _MONEY_ONLY),
        "beavers": _Fixed(0, _MONEY_ONLY),
        "automatic_doubles": _Fixed(0, _MONEY_ONLY),
        "six_six_triples": _Fixed(False, _MONEY_ONLY),
        "holland": False,
        "cube_limit": 64,
        "dead_cube": "refuse",
        "on_illegal_play": "reject",
        "early_double": False,
    },
    "tournament": {
        "use_cube": True,
        "crawford": _Fixed(True, _REGULATION),
        "jacoby": _Fixed(False, _MONEY_ONLY),
        "beavers": _Fixed(0, _MONEY_ONLY),
        "automatic_doubles": _Fixed(0, _MONEY_ONLY),
        "six_six_triples": _Fixed(False, _MONEY_ONLY),
        "holland": _Fixed(False, _REGULATION),
        "cube_limit": 64,
        "dead_cube": "refuse",
        "on_illegal_play": "record",
        "early_double": True,
        "clock": ClockSettings(),
        "clock_use": "preference",
        "penalties": True,
        "breaks": True,
    },
    "casual": {
        "use_cube": False,
        "crawford": _DoesNotApply(False),
        "jacoby": False,
        "beavers": 0,
        "automatic_doubles": 0,
        "six_six_triples": False,
        "holland": _DoesNotApply(False),
        "cube_limit": _DoesNotApply(None),
        "dead_cube": _DoesNotApply(None),
        "on_illegal_play": "reject",
        "early_double": False,
    },
}

_BOOLEANS = (
    "use_cube",
    "crawford",
    "jacoby",
    "six_six_triples",
    "holland",
    "early_double",
    "penalties",
    "breaks",
)
_CHOICES = {
    "preset": tuple(_PRESETS),
    "variant": VARIANTS,
    "dead_cube": ("refuse", "allow", None),
    "on_illegal_play": ("reject", "record"),
    "clock_use": ("option", "preference", "required", "penalty", None),
}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules that a session or match is played by; make one with `money`, `match`, `tournament` or `casual`.

    Settings that contradict each other, or that the preset fixes, raise `InvalidArgumentError` with the reason; one
    that there is not raises `TypeError`.

    >>> Rules.match(7, holland=True)
    Rules.match(7, holland=True)
    >>> Rules.money().jacoby, Rules.match(7).jacoby
    (True, False)
    """

    preset: str = "money"
    """The preset these rules come from: it says which fields are fixed."""
    length: int | None = None
    """The points that win the match; None for a money session (rule 9.1)."""
    variant: str = "standard"
    """The starting position by name (rule 1.5)."""
    start: Position | None = None
    """Any other starting position, as player 0 sees it (rule 1.5)."""
    use_cube: bool = True
    """Whether there is a doubling cube."""
    crawford: bool = False
    """The game that starts with one player a point from winning has no cube (rule 7.7)."""
    jacoby: bool = True
    """Gammons count single while the cube has not been turned (rule 7.6)."""
    beavers: int | None = 1
    """How many further turns of the cube may follow one double; None for any number (rule 7.4)."""
    automatic_doubles: int | None = 0
    """How many ties of the opening throw double the stake; None for all of them (rule 7.5)."""
    six_six_triples: bool = False
    """A tie of 6-6 triples the stake instead (rule 7.5)."""
    holland: bool = False
    """The trailing player of a post-Crawford game waits until each side has rolled twice (rule 7.9)."""
    cube_limit: int | None = 64
    """The largest stake x cube; None for no limit (rule 7.1)."""
    dead_cube: str | None = None
    """Whether a player whose cube is dead is refused ("refuse") or allowed ("allow") to double (rule 7.11)."""
    on_illegal_play: str = "reject"
    """"reject" raises; "record" lets `play(..., illegal=True)` keep it until it is contested (rule 9.8)."""
    early_double: bool = False
    """A double may be offered while the opponent's play is unfinished (rule 7.10)."""
    clock: ClockSettings | None = None
    """How a clock is set (rule 9.3)."""
    clock_use: str | None = None
    """Who has the clock used: "option" (both agree), "preference" (either), "required" (always), "penalty" (only the
    director); None without a clock."""
    penalties: bool = False
    """Penalty points for a late arrival (rule 9.4)."""
    breaks: bool = False
    """Breaks between the games (rule 9.5)."""

    def __post_init__(self) -> None:
        """Refuses wrong types and values, settings that the preset fixes, and contradictions."""
        self._check_types()
        self._check_preset()
        self._check_contradictions()

    @classmethod
    def money(cls, **settings: Any) -> Rules:
        """A money session: Jacoby, one beaver, no automatic doubles, the cube to 64.

        >>> Rules.money(automatic_doubles=1, beavers=2)
        Rules.money(beavers=2, automatic_doubles=1)
        """
        return cls._from_preset("money", None, settings)

    @classmethod
    def match(cls, length: int, **settings: Any) -> Rules:
        """A match to `length` points with the Crawford rule.

        >>> Rules.match(5, jacoby=True)
        Traceback (most recent call last):
        ...
        gammon.errors.InvalidArgumentError: match rules fix jacoby at False, not True: it belongs to money play and is never used in a match
        """  # noqa: E501
        return cls._from_preset("match", length, settings)

    @classmethod
    def tournament(cls, length: int, **settings: Any) -> Rules:
        """A match by the tournament regulations: clock, penalties, breaks, illegal plays on record, early doubles.

        >>> rules = Rules.tournament(9)
        >>> rules.clock, rules.penalties, rules.early_double
        (ClockSettings(mode='bronstein', reserve_per_point=120.0, bonus=12.0), True, True)
        """
        return cls._from_preset("tournament", length, settings)

    @classmethod
    def casual(cls, **settings: Any) -> Rules:
        """Games without a cube, in which gammons and backgammons count.

        >>> Rules.casual().use_cube, Rules.casual(variant="nackgammon").position.pips
        (False, 194)
        """
        return cls._from_preset("casual", None, settings)

    @classmethod
    def _from_preset(cls, preset: str, length: int | None, settings: dict[str, Any]) -> Rules:
        names = {field.name for field in dataclasses.fields(cls)} - {"preset", "length"}
        values: dict[str, Any] = {}
        for name, default in _PRESETS[preset].items():
            values[name] = default.value if isinstance(default, _DoesNotApply) else default
        for name, value in settings.items():
            if name not in names:
                raise TypeError(f"{preset} rules have no setting {name!r}; there are: {', '.join(sorted(names))}")
            if type(_PRESETS[preset].get(name)) is _DoesNotApply:
                raise InvalidArgumentError(
                    f"{name} does not apply to {preset} rules, so it cannot be set (to {value!r})"
                )
            values[name] = value
        if values.get("clock") is None:
            # Nobody who switches the clock off has to say so twice.
            if "clock_use" not in settings:
                values["clock_use"] = None
        elif values.get("clock_use") is None and "clock_use" not in settings:
            values["clock_use"] = "required"
        return cls(preset=preset, length=length, **values)

    def _check_types(self) -> None:
        for name in _BOOLEANS:
            if not isinstance(getattr(self, name), bool):
                raise InvalidArgumentError(f"{name} is True or False, not {getattr(self, name)!r}")
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if not isinstance(value, str | None) or value not in choices:
                raise InvalidArgumentError(f"{name} is one of {', '.join(map(repr, choices))}, not {value!r}")
        for name, least, most in (
            ("length", 1, MAX_LENGTH),
            ("beavers", 0, None),
            ("automatic_doubles", 0, None),
            ("cube_limit", 1, None),
        ):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int):
                raise InvalidArgumentError(f"{name} is a whole number or None, not {value!r}")
            if value < least or (most is not None and value > most):
                raise InvalidArgumentError(
                    f"{name} is at least {least}{f', at most {most}' if most else ''}, not {value}"
                )
        if not isinstance(self.start, Position | None):
            raise InvalidArgumentError(f"start is a Position, not {self.start!r}")
        if not isinstance(self.clock, ClockSettings | None):
            raise InvalidArgumentError(f"clock is ClockSettings, not {self.clock!r}")

    def _check_preset(self) -> None:
        if (self.length is None) == (self.preset in ("match", "tournament")):
            needs = "need a match length" if self.length is None else "have no match length"
            raise InvalidArgumentError(f"{self.preset} rules {needs}, not {self.length!r}")
        for name, default in _PRESETS[self.preset].items():
            value = getattr(self, name)
            if not isinstance(default, _DoesNotApply) or value == default.value:
                continue
            if isinstance(default, _Fixed):
                raise InvalidArgumentError(
                    f"{self.preset} rules fix {name} at {default.value}, not {value!r}: {default.reason}"
                )
            raise InvalidArgumentError(f"{name} does not apply to {self.preset} rules, so it cannot be {value!r}")

    def _check_contradictions(self) -> None:
        if self.six_six_triples and self.automatic_doubles == 0:
            raise InvalidArgumentError("six_six_triples is a kind of automatic double, and automatic_doubles is 0")
        if self.length is None:
            for name in ("clock", "penalties", "breaks"):
                if getattr(self, name):
                    raise InvalidArgumentError(f"{name} follows from the match length, and these rules have none")
        if self.clock_use is not None and self.clock is None:
            raise InvalidArgumentError(f"clock_use is {self.clock_use!r}, but there is no clock")
        if self.clock is not None and self.clock_use is None:
            raise InvalidArgumentError("there is a clock, but clock_use does not say who may demand it")
        if self.length is not None and self.dead_cube is None:
            raise InvalidArgumentError("dead_cube is 'refuse' or 'allow' in a match, not None")
        if self.start is not None and self.variant != "standard":
            raise InvalidArgumentError(
                f"start gives the starting position, so variant cannot be {self.variant!r} as well"
            )
        if self.start is not None and self.start.is_over:
            raise InvalidArgumentError("start is a finished game")

    @property
    def is_match(self) -> bool:
        """Whether this is a match, not a money session.

        >>> Rules.match(7).is_match, Rules.money().is_match
        (True, False)
        """
        return self.length is not None

    @property
    def position(self) -> Position:
        """The position that each game starts from, as player 0 sees it.

        >>> Rules.money(variant="nackgammon").position.pips
        194
        """
        return Position.start(self.variant) if self.start is None else self.start

    def __repr__(self) -> str:
        default = getattr(Rules, self.preset)(*(() if self.length is None else (self.length,)))
        settings = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != getattr(default, field.name)
        ]
        if self.clock is not None and default.clock is None and self.clock_use == "required":
            settings.remove("clock_use='required'")
        if self.clock is None and default.clock is not None:
            settings.remove("clock_use=None")
        return f"Rules.{self.preset}({', '.join(([] if self.length is None else [str(self.length)]) + settings)})"
