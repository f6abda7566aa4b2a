"""Colours of the pictures on light and dark pages; every text keeps a contrast of 4.5 to 1 on its ground."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as `#rrggbb`: `page` is what is assumed behind a picture, `box` lies on it, `muted` is a quieter text."""

    name: str
    page: str
    box: str
    line: str
    text: str
    muted: str
    green: str
    yellow: str
    red: str
    blue: str
    cyan: str
    on_colour: str  # a text on green, yellow or red


LIGHT = Theme(
    name="light",
    page="#ffffff",
    box="#f6f8fa",
    line="#d1d9e0",
    text="#1f2328",
    muted="#59636e",
    green="#1a7f37",
    yellow="#9a6700",
    red="#cf222e",
    blue="#0969da",
    cyan="#1b7c83",
    on_colour="#ffffff",
)
DARK = Theme(
    name="dark",
    page="#0d1117",
    box="#151b23",
    line="#3d444d",
    text="#f0f6fc",
    muted="#9198a1",
    green="#3fb950",
    yellow="#d29922",
    red="#f85149",
    blue="#4493f8",
    cyan="#39c5cf",
    on_colour="#0d1117",
)
THEMES = (LIGHT, DARK)


def contrast(first: str, second: str) -> float:
    """Return how much two colours differ in lightness, from 1 to 21, as WCAG 2 counts it."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
