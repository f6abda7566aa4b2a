"""Gather the pages of the site: `python -m tools.gather TARGET`.

The documents stay where GitHub shows them and the tests run them. A site generator wants one
folder, so this script copies them into one, and changes the two things that a generator reads
otherwise than GitHub does: links that leave `docs/`, and names of files after a fence.

It also writes the configuration of each language beside the pages, with documents that no section
of `mkdocs.yml` names yet at the end of *Guides*, and `llms.txt` for readers that are models.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from symops_lark.adapters.cli import symops
from symops_lark.core.ground.schemas import SCHEMAS

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/symops-lark/symops-lark/blob/main/"
SITE = "/symops-lark/"
# Documents outside of `docs/`, with their pages; those in `docs/` keep their names.
ELSEWHERE = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "RELEASING.md": "releasing.md",
    "SECURITY.md": "security.md",
    "benchmarks/README.md": "benchmarks.md",
    "benchmarks/results/README.md": "results.md",
    "benchmarks/tasks/README.md": "benchmark-tasks.md",
    "benchmarks/transcripts/README.md": "recorded-replies.md",
    "examples/README.md": "examples.md",
    "grammars/README.md": "language.md",
    "repair_rules/README.md": "repair-rules.md",
    "tests/README.md": "project/tests.md",
    "tests/corpus/README.md": "project/corpus.md",
}
JAPANESE = "README.ja.md"
_FENCE = re.compile(r"^([ \t]*(?:```|~~~))([a-z]+) ([^\s={}]+)$", re.MULTILINE)
_LINK = re.compile(
    r"(?P<head>\]\(|(?:src|srcset)=\")(?P<target>[^)\s\"#]*)(?P<anchor>#[^)\s\"]*)?(?=[)\"])"
)
_MOVED = re.compile(
    r"(?P<anchors>(?:<a\s+id=\"[\w-]+\"></a>)+)\[[^\]]+\]\((?P<page>[\w/-]+)\.md[^)]*\)"
)
# A server never sees the anchor of an address, so the page itself reads it.
_REDIRECTION = """\
<script>
{
const pages = %s;
const page = pages[location.hash.slice(1)];
if (page) location.replace(page);
}
</script>
"""
_CODE = re.compile(
    r"^([ \t]*)(`{3,}|~{3,})[^\n]*\n.*?^\1\2[ \t]*$|(?<!`)(`+)(?!`).+?(?<!`)\3(?!`)",
    re.MULTILINE | re.DOTALL,
)


def find_pages(root: Path = ROOT) -> dict[str, str]:
    """Return the documents of a checkout with their pages on the site."""
    pages = dict(ELSEWHERE)
    for path in sorted((root / "docs").rglob("*.md")):
        page = path.relative_to(root / "docs").as_posix()
        pages[f"docs/{page}"] = page
    # The guides of contributors are in the packages that they are about.
    for path in sorted((root / "symops_lark").glob("*/README.md")):
        pages[path.relative_to(root).as_posix()] = (
            f"project/{path.parent.name.replace('_', '-')}.md"
        )
    return pages


def gather(target: Path, root: Path = ROOT) -> list[str]:
    """Write the pages and configurations.

    Args:
        target: The folder to write to. It is emptied.
        root: The checkout.

    Returns:
        The links that lead nowhere, one sentence each.
    """
    shutil.rmtree(target, ignore_errors=True)
    english = target / "docs"
    shutil.copytree(root / "docs" / "pictures", english / "pictures")
    shutil.copy(root / "tools" / "site.css", english / "site.css")
    pages = find_pages(root)
    broken: list[str] = []
    for name, page in pages.items():
        text = Relinker(root, name, pages).relink(broken, "../" * page.count("/"))
        text = _redirect(text)
        place = english / page
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    # Another language is another build: the controls of the theme have one language each.
    japanese = target / "ja"
    japanese.mkdir()
    text = Relinker(root, JAPANESE, pages).relink(broken, SITE)
    (japanese / "index.md").write_text(text, encoding="utf-8")
    shutil.copy(root / "tools" / "site.css", japanese / "site.css")
    _write_configurations(target, root, pages)
    _write_for_models(english, pages)
    return broken


class Relinker:
    """Changes the links of one document into those of its page.

    Args:
        root: The checkout.
        name: The path of the document.
        pages: The documents with their pages.
    """

    def __init__(self, root: Path, name: str, pages: dict[str, str]) -> None:
        self.root = root
        self.name = name
        self.pages = pages

    def relink(self, broken: list[str], up: str) -> str:
        """Return the text of the page.

        Args:
            broken: Gets the links that lead nowhere.
            up: What leads from the page to the root of the site.
        """
        text = (self.root / self.name).read_text(encoding="utf-8")
        text = _FENCE.sub(r'\1\2 title="\3"', text)
        code = [match.span() for match in _CODE.finditer(text)]

        def replace(match: re.Match[str]) -> str:
            is_code = any(start <= match.start() < end for start, end in code)
            target = match["target"]
            if is_code or not target or ":" in target:
                return match[0]
            address = self._find_address(target, up)
            if address is None:
                broken.append(f"{self.name}: {target} leads nowhere")
                return match[0]
            return f"{match['head']}{address}{match['anchor'] or ''}"

        return _LINK.sub(replace, text)

    def _find_address(self, target: str, up: str) -> str | None:
        """Return the address of a file on the site, or in the repository; None if there is none."""
        file = ((self.root / self.name).parent / target).resolve()
        if not file.exists() or not file.is_relative_to(self.root):
            return None
        path = file.relative_to(self.root).as_posix()
        if f"{path}/README.md" in self.pages:
            path += "/README.md"
        if path.startswith("docs/pictures/"):
            return up + path.removeprefix("docs/")
        if path == JAPANESE:
            return f"{SITE}ja/"
        if path not in self.pages:
            return REPOSITORY + path
        page = self.pages[path]
        # An absolute address is one of the built site, where each page is a folder.
        if up.startswith("/"):
            return up + page.removesuffix("index.md").replace(".md", "/")
        return up + page


def _redirect(text: str) -> str:
    """Let links to the former sections of a page lead to their own pages.

    A section that became a page is a row `<a id="ANCHOR"></a>[TITLE](PAGE.md)` of its old page.
    """
    pages = {}
    for row in _MOVED.finditer(text):
        anchors = re.findall(r'id="([^"]+)"', row["anchors"])
        pages.update({anchor: f"../{row['page']}/#{anchor}" for anchor in anchors})
    return f"{text}\n{_REDIRECTION % json.dumps(pages, indent=1)}" if pages else text


def _write_configurations(target: Path, root: Path, pages: dict[str, str]) -> None:
    text = (root / "mkdocs.yml").read_text(encoding="utf-8")
    unnamed = [page for page in pages.values() if f" {page}\n" not in text]
    lines = "".join(f"          - {page}\n" for page in unnamed)
    text = text.replace("          # further guides\n", lines).replace("CHECKOUT", str(root))
    names = symops.list_commands(click.Context(symops))
    commands = "".join(f"          - cli/{name}.md\n" for name in names)
    text = text.replace("          # commands\n", commands)
    schemas = "".join(f"          - schemas/{name}.md\n" for name in SCHEMAS)
    text = text.replace("          # schemas\n", schemas)
    (target / "mkdocs.yml").write_text(text, encoding="utf-8")
    # The same with one page, in Japanese, and without what is generated.
    head = text.partition("plugins:\n")[0]
    head = head.replace("docs_dir: docs", "docs_dir: ja").replace(
        "site_dir: site", "site_dir: site/ja"
    )
    head = head.replace("  language: en", "  language: ja").replace(
        "symops-lark/\n", "symops-lark/ja/\n", 1
    )
    (target / "mkdocs.ja.yml").write_text(
        head + "plugins:\n  - search\nnav:\n  - index.md\n", encoding="utf-8"
    )


def _write_for_models(english: Path, pages: dict[str, str]) -> None:
    """Write `llms.txt`, a list of the pages, and `llms-full.txt`, all of them (https://llmstxt.org)."""
    lines = ["# symops-lark", ""]
    texts = []
    for page in pages.values():
        text = (english / page).read_text(encoding="utf-8")
        heading = next(_find_headings(text))
        address = page.removesuffix("index.md").replace(".md", "/")
        lines.append(f"- [{heading}]({SITE}{address})")
        texts.append(text)
    (english / "llms.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (english / "llms-full.txt").write_text("\n".join(texts), encoding="utf-8")


def _find_headings(text: str) -> Iterator[str]:
    return (line.lstrip("# ") for line in text.split("\n") if line.startswith("#"))


def main(arguments: list[str]) -> int:
    """Gather the pages; print the links that lead nowhere; return the exit code."""
    [target] = arguments
    broken = gather(Path(target))
    for link in broken:
        print(link, file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
