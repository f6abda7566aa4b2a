"""What commands show on a terminal, as SVG by rich; and the text of such a picture.

The commands run on a terminal of their own, so that they are coloured as for a person. Long lines are broken where a
terminal of so many columns breaks them.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from symops_lark.core.ground.python_processes import python_start

from .themes import Theme

FOLDER = Path(__file__).resolve().parents[2] / "examples"
SHOWN = {  # a picture's name, and the commands in it, run in FOLDER
    "process": ("cat first_look.txt", "symops process first_look.txt"),
    "check": ("symops check first_look.txt",),
}
_ROWS = 100
_FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
# Fonts of other servers are asked for by nobody who reads a document.
_FORMAT = (
    re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    .replace("font-family: Fira Code, monospace", f"font-family: {_FONT}")
    .replace(' clip-path="url(#{unique_id}-clip-terminal)"', "")  # it would cut the last line's underscores
)
_CELL, _LINE = 20, 24.4  # rich's height of a character and of a line


def run(command: str, columns: int, *, coloured: bool = True) -> str:
    """Return what a command prints, with the escape sequences of a terminal if it is coloured."""
    words = command.split(" ")
    start = python_start("-m", "symops_lark", *words[1:])
    if words[0] == "symops":
        words = start.command
    environment = {name: value for name, value in start.environment.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    environment |= {"TERM": "xterm-256color", "COLUMNS": str(columns)}
    if not coloured:
        done = subprocess.run(words, cwd=FOLDER, env=environment, capture_output=True, encoding="utf-8", check=False)
        return done.stdout
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, columns, 0, 0))
    with subprocess.Popen(words, cwd=FOLDER, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as started:
        os.close(theirs)
        text = b"".join(_pieces(ours))
        started.wait()
    os.close(ours)
    return text.decode("utf-8").replace("\r\n", "\n")


def _pieces(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            piece = os.read(terminal, 65_536)
        except OSError:  # Linux says so that nobody is left at the other end
            return
        if not piece:
            return
        yield piece


def lines_shown(commands: Sequence[str], columns: int) -> list[str]:
    """Return the lines, without colours, that a picture of these commands has now."""
    lines = [
        line
        for command in commands
        for line in (f"$ {command}", *run(command, columns, coloured=False).removesuffix("\n").split("\n"))
    ]
    return [line[at : at + columns] for line in lines for at in range(0, max(1, len(line)), columns)]


def draw_terminal(name: str, commands: Sequence[str], columns: int, theme: Theme) -> str:
    """Return the picture of a terminal on which these commands were run."""
    console = Console(record=True, width=columns, file=StringIO(), color_system="truecolor", force_terminal=True)
    for command in commands:
        typed = Text.assemble(("$ ", "bold green"), (command, "bold"))
        for line in (typed, *Text.from_ansi(run(command, columns)).split("\n", allow_blank=False)):
            for part in line.divide(range(columns, len(line), columns)):
                console.print(part, highlight=False, no_wrap=True, soft_wrap=True)
    return console.export_svg(title="", theme=_palette(theme), code_format=_FORMAT, unique_id=name)


def _palette(theme: Theme) -> TerminalTheme:
    def split(colour: str) -> tuple[int, int, int]:
        return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)

    colours = (theme.text, theme.red, theme.green, theme.yellow, theme.blue, theme.red, theme.cyan, theme.text)
    return TerminalTheme(split(theme.box), split(theme.text), [*map(split, colours)], [*map(split, colours)])


def text_of(picture: str) -> list[str]:
    """Return the lines of text in the picture of a terminal, blanks at their ends aside."""
    table: dict[int, dict[int, str]] = {}
    for node in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text"):
        if node.text and "clip-path" in node.attrib:
            row = round((float(node.attrib["y"]) - _CELL) / _LINE)
            table.setdefault(row, {})[round(float(node.attrib["x"]) / 12.2)] = node.text.replace(
                "\N{NO-BREAK SPACE}", " "
            )
    lines = []
    for row in range(max(table, default=-1) + 1):
        line = ""
        for column, text in sorted(table.get(row, {}).items()):
            line = line.ljust(column) + text
        lines.append(line.rstrip())
    return lines
