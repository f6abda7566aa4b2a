"""Compare `find_references` with language servers: `python -m benchmarks.code_intelligence owners`.

The repositories are `repositories/*.txtar` and this one, or folders of projects, in the language that
most of their files have. Every definition of a repository is compared, of the others a sample. A folder
is copied, and what the server needs is written into the copy: links between npm packages, the crates of
a workspace, and for pyright that code of all systems counts. A folder of Go is read where it is.

Only places where the name itself is written count, and no place where the same name is defined: some
servers list overriding methods too. Time and sizes of answers have no limit here. Where the two differ,
"go to definition" of the server decides whether the place belongs to the definition.

    recall     uses of the server that are items, certain or not
    certain    items that are certain and that the server has too, of all that are certain
    share      uses of the server that are certain items

pyright is that of the extra `test`. typescript-language-server and gopls are used where they are on
the path: `npm install --prefix DIR typescript@5.9.3 typescript-language-server@5.3.0`, and
`PATH=DIR/node_modules/.bin:$PATH`. rust-analyzer reads the standard library from the folder `RUST_SRC`.
A language without its server is left out, and a line says so.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from symops_lark.code_intelligence.index import Index
from symops_lark.code_intelligence.tools import answers, find_definitions, find_references, get_symbols
from symops_lark.core.ground.numbers import counted

from .language_servers import LanguageServer, Use, find_command
from .projects import SUFFIXES, copy_project, find_language, link_packages

REPOSITORIES = Path(__file__).with_name("repositories")
ROOT = Path(__file__).resolve().parent.parent.parent
LANGUAGES = {
    "desk": "typescript", "annex": "typescript", "ledger": "go", "relay": "go", "shelf": "python", "notes": "python",
    "symops-lark": "python",
}  # fmt: skip
GOAL = 0.99  # of recall, and of the precision of what is certain


def unpack(name: str, folder: Path) -> Path:
    """Write a repository into a folder, with links between its packages as npm makes them, and return it."""
    text = (REPOSITORIES / f"{name}.txtar").read_text("utf-8")
    _, *parts = re.split(r"^-- (\S+) --\n", text, flags=re.MULTILINE)
    for path, content in zip(parts[::2], parts[1::2], strict=True):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    link_packages(folder)
    return folder


class Comparison:
    """Counts what is found in one repository."""

    def __init__(self, index: Index, server: LanguageServer) -> None:
        self._index, self._server = index, server
        self.counts: Counter[str] = Counter()
        self.differences: list[str] = []

    def add(self, definition: dict[str, Any]) -> None:
        """Compare the uses of one definition."""
        name, path, line = definition["name"], definition["path"], definition["line"]
        here = Use(path, line, definition["column"])
        answer = find_references.run(self._index, name, definition=f"{path}:{line}", limit=answers.MOST_SHOWN)
        items = {Use(item["path"], item["line"], item["column"]): item["certain"] for item in answer["items"]}
        certain = {use for use, is_certain in items.items() if is_certain}
        uses = {use for use in self._server.references(here) if self._is_written(use, name)}
        uses -= self._places_of_definitions(name)
        for use in uses - set(items):
            if self._leads(use, definition) is False:
                uses.discard(use)
        for use in certain - uses:
            if self._leads(use, definition):
                uses.add(use)
        self.counts += Counter(
            definitions=1, uses=len(uses), found=len(uses & set(items)), certain=len(certain),
            right=len(uses & certain), items=len(items),
        )  # fmt: skip
        for word, places in (("lost", uses - set(items)), ("wrong", certain - uses)):
            self.differences += [f"{word}: {name} of {path}:{line} at {use.path}:{use.line}" for use in sorted(places)]

    def _is_written(self, use: Use, name: str) -> bool:
        lines = (self._index.data(use.path) or b"").decode("utf-8").split("\n")
        return use.line <= len(lines) and lines[use.line - 1].startswith(name, use.column - 1)

    def _places_of_definitions(self, name: str) -> set[Use]:
        items = find_definitions.run(self._index, name, limit=1000)["items"]
        return {Use(item["path"], item["line"], item["column"]) for item in items}

    def _leads(self, use: Use, definition: dict[str, Any]) -> bool | None:
        """Return whether the server goes from a use to a definition, or to its constructor; None if nowhere."""
        places = self._server.definitions(use)
        lines = range(definition["line"], definition["end_line"] + 1)
        return any(place.path == definition["path"] and place.line in lines for place in places) if places else None

    def row(self, title: str) -> str:
        """Return the figures as a line."""
        counts = self.counts
        recall, precision, share = self.recall, self.precision, counts["right"] / max(1, counts["uses"])
        return (
            f"{title:24}{counts['definitions']:>12,}{counts['uses']:>7,}{counts['items']:>7,}"
            f"{recall:>9.4f}{precision:>9.4f}{share:>8.3f}"
        )

    @property
    def recall(self) -> float:
        """The share of the server's uses that are items."""
        return self.counts["found"] / max(1, self.counts["uses"])

    @property
    def precision(self) -> float:
        """The share of certain items that the server has too."""
        return self.counts["right"] / max(1, self.counts["certain"])


def definitions(index: Index, language: str) -> Iterator[dict[str, Any]]:
    """Yield what is defined in the files of a language, without names that the language itself calls."""
    for path in sorted(index.files):
        if path.endswith(SUFFIXES[language]):
            for item in get_symbols.run(index, path, limit=1000)["items"]:
                is_called_by_language = item["name"].startswith("__") or item["name"] in ("constructor", "init", "_")
                if not is_called_by_language:
                    yield item


def run(arguments: list[str]) -> int:
    """Compare the repositories and print the figures; exit code 1 below the goals."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.code_intelligence owners", description=__doc__)
    names = ", ".join(LANGUAGES)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{names}, or the folder of a project")
    parser.add_argument(
        "--n", type=int, default=200, help="definitions of this repository, or of a folder (default 200)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--under", default="", help="definitions of a folder are those below this path")
    parser.add_argument("--differences", action="store_true", help="print each difference")
    options = parser.parse_args(arguments)
    print(f"{'repository':24}{'definitions':>12}{'uses':>7}{'items':>7}{'recall':>9}{'certain':>9}{'share':>8}")
    is_good = True
    for name in options.names or LANGUAGES:
        language = LANGUAGES.get(name) or find_language(str(path) for path in Path(name).rglob("*"))
        title, command = f"{Path(name).name}, {language}", find_command(language)
        if command is None:
            print(f"{title:24}skipped: the language server for {language} is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            comparison = _compare(name, language, command, Path(folder).resolve(), options)
        print(comparison.row(title))
        differences = comparison.differences if options.differences else comparison.differences[:5]
        sys.stdout.writelines(f"  {difference}\n" for difference in differences)
        hidden = len(comparison.differences) - len(differences)
        if hidden:
            print(f"  and {counted(hidden, 'difference')} (--differences)")
        is_good &= min(comparison.recall, comparison.precision) >= GOAL
    return 0 if is_good else 1


def _compare(name: str, language: str, command: list[str], folder: Path, options: argparse.Namespace) -> Comparison:
    """Compare the references of one repository, without the limits of an answer."""
    with (
        patch.dict(os.environ, {"XDG_CACHE_HOME": str(folder / "cache")}),
        patch.multiple(answers, MOST_BYTES=100_000_000, MOST_SHOWN=100_000_000),
        patch.multiple(find_references, SECONDS=1_000_000, _ENOUGH=1_000_000),
    ):
        return _compare_all(name, language, command, folder / "project", options)


def _compare_all(name: str, language: str, command: list[str], folder: Path, options: argparse.Namespace) -> Comparison:
    is_small = name in LANGUAGES and name != "symops-lark"
    if is_small:
        root, under = unpack(name, folder), ""
    elif name in LANGUAGES:
        root, under = ROOT, "symops_lark/"
    else:
        root, under = copy_project(Path(name).resolve(), language, folder), options.under
    index = Index.open(root)
    index.refresh()
    rows = [row for row in definitions(index, language) if row["path"].startswith(under)]
    if not is_small:
        rows = random.Random(options.seed).sample(rows, min(options.n, len(rows)))
    # The server reads a project of more files itself.
    paths = [path for path in index.files if is_small and path.endswith(SUFFIXES[language])]
    with LanguageServer(root, command, paths) as server:
        comparison = Comparison(index, server)
        for row in rows if paths else ():
            # tsserver answers before it has read every project: the first answers are not used.
            server.references(Use(row["path"], row["line"], row["column"]))
        for row in rows:
            comparison.add(row)
    index.close()
    return comparison
