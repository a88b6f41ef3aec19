"""The colors of pictures."""

from __future__ import annotations

from dataclasses import dataclass

from gammon.errors import InvalidArgumentError

__all__ = ["THEMES", "Theme", "theme_named"]


@dataclass(frozen=True, slots=True)
class Checker:
    """The checkers of one seat: the word for them, and their colors."""

    word: str
    fill: str
    edge: str
    ring: str
    ink: str
    """Counts and pips on them."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The colors of a board. Seat 0 has the first checkers."""

    page: str
    ink: str
    faint: str
    frame: str
    frame_ink: str
    tray: str
    field: str
    points: tuple[str, str]
    bar: str
    checkers: tuple[Checker, Checker]
    arrow: str
    halo: str


THEMES = {
    "light": Theme(
        page="#ffffff",
        ink="#2b2320",
        faint="#6f635b",
        frame="#6a4630",
        frame_ink="#f1e3cf",
        tray="#50331f",
        field="#efe3cb",
        points=("#b9885a", "#d9bd93"),
        bar="#5a3b27",
        checkers=(
            Checker("White", "#fbf8f1", "#4d4038", "#d8cfc0", "#2b2320"),
            Checker("Black", "#35302d", "#14110f", "#5d5550", "#fbf8f1"),
        ),
        arrow="#b3261e",
        halo="#ffffff",
    ),
    "dark": Theme(
        page="#15181e",
        ink="#e8e6e1",
        faint="#9aa0ab",
        frame="#2a303b",
        frame_ink="#c3cad6",
        tray="#1c2129",
        field="#20262f",
        points=("#3d4a5e", "#55667f"),
        bar="#2a303b",
        checkers=(
            Checker("Ivory", "#ece5d3", "#0e1014", "#c4bba5", "#1c2129"),
            Checker("Red", "#b9473a", "#0e1014", "#d9776b", "#ffffff"),
        ),
        arrow="#ffd166",
        halo="#0e1014",
    ),
    # Blue and orange of Okabe and Ito, told apart by everybody, and one of them light and the other dark.
    "color-blind": Theme(
        page="#ffffff",
        ink="#1a1a1a",
        faint="#595959",
        frame="#4a4f57",
        frame_ink="#ffffff",
        tray="#363a41",
        field="#f7f7f7",
        points=("#b4b8bf", "#dadce0"),
        bar="#4a4f57",
        checkers=(
            Checker("Orange", "#f0b429", "#4d3800", "#fbe0a0", "#1a1a1a"),
            Checker("Blue", "#005a8f", "#00263d", "#4f9bc9", "#ffffff"),
        ),
        arrow="#000000",
        halo="#ffffff",
    ),
}
"""The themes by name."""


def theme_named(name: str) -> Theme:
    """The theme of that name; raises `InvalidArgumentError` if there is none."""
    if not isinstance(name, str) or name not in THEMES:
        raise InvalidArgumentError(f"theme is one of {', '.join(THEMES)}, not {name!r}")
    return THEMES[name]
