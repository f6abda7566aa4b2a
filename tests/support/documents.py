"""The documents of the repository, and the fences in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from symops_lark import export

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / folder / "README.md" for folder in ("examples", "grammars", "repair_rules")),
        *(ROOT / "benchmarks").rglob("README.md"),
        *(ROOT / "symops_lark").rglob("README.md"),
        *(ROOT / "tests" / folder / "README.md" for folder in ("", "corpus")),
    ]
)
INDEXES = ("docs/how-to.md", "docs/reference.md")  # lists of pages; links to their former sections lead there
TWIN = {"README.md": "README.ja.md"}  # the same examples in another language: they are run once, for both
FENCE = re.compile(r"^```(?P<tag>[a-z]+)(?: (?P<file>[\w./-]+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Fence:
    tag: str
    text: str
    start: int
    end: int
    file: str | None = None


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def section(name: str) -> str:
    """Return a page of the reference, or its part below a heading, as in `results#Phases`."""
    page, _, heading = name.partition("#")
    text = read(f"docs/reference/{page}.md")
    return text.split(f"\n## {heading}\n")[1].split("\n## ")[0] if heading else text


def tables(name: str) -> list[list[list[str]]]:
    """Return the tables of a section of the reference: rows of cells, without their heads."""
    blocks = re.findall(r"(?:^\|.*\n)+", section(name), re.MULTILINE)
    return [[split_row(row) for row in block.splitlines()[2:]] for block in blocks]


def split_row(row: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1])]


def fences(text: str) -> list[Fence]:
    return [Fence(m["tag"], m["text"], m.start("text"), m.end("text"), m["file"]) for m in FENCE.finditer(text)]


def holding(*tags: str) -> list[str]:
    """Return the documents with a fence of one of these tags, twins left out."""
    documents = [name for name in DOCUMENTS if {fence.tag for fence in fences(read(name))} & {*tags}]
    assert documents, tags
    return [name for name in documents if name not in TWIN.values()]


def write_examples(folder: Path) -> list[Path]:
    """Write each Python example into a file of its own, named by its page and line, and what they import beside it."""
    outputs = []
    for name in holding("python"):
        text = read(name)
        for fence in fences(text):
            if fence.tag == "python":
                page, line = re.sub(r"\W", "_", name.removesuffix(".md")), text.count("\n", 0, fence.start) + 1
                outputs.append(folder / f"{page}_{line}.py")
                outputs[-1].write_text(fence.text, encoding="utf-8")
    for file, text in export("pygments", "v2").items():
        if file.endswith(".py"):
            (folder / file).write_text(text, encoding="utf-8")
    return outputs
