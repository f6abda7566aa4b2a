"""Make the pictures of the documents anew: `python -m benchmarks.pictures`, into docs/pictures/.

Each is there for a light and for a dark page, wide and narrow. What is in them is told by no clock and no chance: what
commands print on a terminal, and the newest figures in benchmarks/results/.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from .drawings import NARROW, WIDE, draw_damage, draw_pipeline, newest_results, read_shares
from .terminal import SHOWN, draw_terminal
from .themes import THEMES
from .words import LANGUAGES

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
COLUMNS = {"": 108, "-narrow": 46}
WIDTHS = {"": WIDE, "-narrow": NARROW}


def drawn() -> Iterator[tuple[str, str]]:
    """Yield the drawings, which follow from files of this repository alone: the file's name, and its text."""
    shares = read_shares(newest_results())
    for theme in THEMES:
        for words in LANGUAGES:
            for form, width in WIDTHS.items():
                name = f"{words.suffix}{form}-{theme.name}.svg"
                yield f"damage{name}", draw_damage(shares, words, theme, width)
                yield f"pipeline{name}", draw_pipeline(words, theme, width)


def photographed() -> Iterator[tuple[str, str]]:
    """Yield the pictures of terminals: the file's name, and its text."""
    for theme in THEMES:
        for name, commands in SHOWN.items():
            for form, columns in COLUMNS.items():
                yield f"{name}{form}-{theme.name}.svg", draw_terminal(name, commands, columns, theme)


def main() -> int:
    """Write all pictures."""
    argparse.ArgumentParser(prog="python -m benchmarks.pictures", description=__doc__).parse_args()
    FOLDER.mkdir(exist_ok=True)
    for name, text in (*drawn(), *photographed()):
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"docs/pictures/{name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
