"""The pictures of the READMEs say what is so now, can be read on light and dark pages, and ask nobody for anything.

`make pictures` makes them anew.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.pictures.__main__ import COLUMNS, FOLDER, drawn
from benchmarks.pictures.drawings import newest_results, read_shares
from benchmarks.pictures.terminal import SHOWN, draw_terminal, lines_shown, text_of
from benchmarks.pictures.themes import DARK, LIGHT, THEMES, Theme, contrast

ROOT = Path(__file__).resolve().parent.parent
NAMES = sorted(path.name for path in FOLDER.glob("*"))
ANEW = "stale: `make pictures` makes it anew"
_shown = cache(lines_shown)


@pytest.mark.slow
def test_drawings_show_the_newest_figures_and_words() -> None:
    created = dict(drawn())
    assert {name for name in NAMES if name.startswith(("damage", "pipeline"))} == set(created)
    for name, text in created.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name} is {ANEW}"


@pytest.mark.slow
def test_the_plot_tells_the_figures_of_the_results() -> None:
    shares = read_shares(newest_results())
    assert len(shares) == 6
    assert all(99.8 <= sum(share.shares) <= 100.2 for share in shares)
    text = (FOLDER / "damage-light.svg").read_text(encoding="utf-8")
    for share in shares:
        assert all(f" {value:.1f} %" in text for value in share.shares), share


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("form", COLUMNS)
def test_terminals_show_what_the_commands_print(name: str, form: str) -> None:
    now = [line.rstrip() for line in _shown(SHOWN[name], COLUMNS[form])]
    for theme in THEMES:
        picture = (FOLDER / f"{name}{form}-{theme.name}.svg").read_text(encoding="utf-8")
        assert text_of(picture) == now, f"{name}{form}-{theme.name}.svg is {ANEW}"
        assert len(set(re.findall(r"fill: (#[0-9a-f]{6})", picture))) > 2, "a person's terminal has colours"


@pytest.mark.slow
def test_a_terminal_is_drawn_as_it_looks() -> None:
    terminal = draw_terminal("a", ("cat first_look.txt",), 12, LIGHT)
    assert text_of(terminal) == [line.rstrip() for line in lines_shown(("cat first_look.txt",), 12)]
    assert terminal == draw_terminal("a", ("cat first_look.txt",), 12, LIGHT), "nothing in it is drawn by lot"


@pytest.mark.parametrize("name", NAMES)
def test_pictures_ask_nobody_for_anything(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    addresses = set(re.findall(r"https?:[^\"'\s)]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg", "https://www.textualize.io"}, "the second is in a comment"
    assert not re.search(r"<script|<image|@import|@font-face|url\((?!#)", text)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_text_stands_out_from_its_ground(theme: Theme) -> None:
    for ground in (theme.page, theme.box):
        for name in ("text", "muted", "green", "yellow", "red", "blue", "cyan"):
            assert contrast(getattr(theme, name), ground) >= 4.5, (name, ground)
    for name in ("green", "yellow", "red"):
        assert contrast(theme.on_colour, getattr(theme, name)) >= 4.5, name
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") < 4.5
    assert asdict(LIGHT).keys() == asdict(DARK).keys()


@pytest.mark.slow
def test_readmes_say_the_figures_of_the_plot() -> None:
    """In the description for those who do not see it; and how often an alarm is false, which is not in it."""
    shares = {share.reader: share for share in read_shares(newest_results())}
    for name in ("README.md", "README.ja.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        alt = text.split('damage-light.svg" alt="' if name == "README.md" else 'damage-ja-light.svg" alt="')[1]
        matches = re.findall(r"[0-9]+\.[0-9]", alt.partition('"')[0])
        assert matches == [f"{value:.1f}" for share in shares.values() for value in share.shares]
        alarms = [shares[reader].false_alarms for reader in ("Sym-Ops v2", "json-repair", "BAML", "aider s/r")]
        prose = re.sub(r"(?ms)^```.*?^```", "", text)
        # The first screen has figures of its own, which the next test compares.
        assert [f"{value:.1f}" for value in alarms] == re.findall(r"([0-9]+\.[0-9]) %", prose)[1:]


def test_documents_have_the_figures_of_the_newest_results() -> None:
    results = newest_results().read_text(encoding="utf-8")
    row = r"^(one mistake|two to four mistakes) +(\d+) +\d+ +([\d.]+ %) \(([^)]+)\)"
    rows = re.findall(row, results, re.MULTILINE)
    assert len(rows) == 2
    why = (ROOT / "docs" / "why.md").read_text(encoding="utf-8")
    for kind, count, rate, interval in rows:
        assert f"| {kind}: right | {count} | {rate} ({interval}) |" in why
    [_, count, rate, _] = rows[0]
    total = sum(int(row[1]) for row in rows)
    # No action is wrong without an alarm, in all kinds of damage.
    assert results.count("wrong without alarm: 0 actions") == len(rows)
    for name in ("README.md", "README.ja.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        screen = text.partition("## ")[0]
        assert all(figure in screen for figure in (f"{int(count):,}", rate, f"{total:,}")), name


def test_every_picture_is_shown_by_a_readme_and_described() -> None:
    used: set[str] = set()
    for name in ("README.md", "README.ja.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for picture in re.findall(r"<picture>.*?</picture>", text, re.DOTALL):
            paths = re.findall(r'(?:src|srcset)="docs/pictures/([^"]+)"', picture)
            stem = paths[-1].removesuffix("-light.svg")
            forms = [f"{stem}-narrow-dark.svg", f"{stem}-narrow-light.svg", f"{stem}-dark.svg", f"{stem}-light.svg"]
            assert paths == forms
            assert len(re.findall(r'alt="([^"]{40,})"', picture)) == 1
            used |= set(paths)
    assert used == set(NAMES)
