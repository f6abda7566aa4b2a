"""Check a built site without a network: `python -m tools.check_site SITE BASE`.

Every link, anchor and picture must lead to a file of the site, and no page may load anything from
elsewhere: the site works offline, and no third party learns who reads it. BASE is the path of the
address of the site.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse

_LOADING = ("script", "img", "source", "iframe", "video", "audio")
_LOADED_LINKS = ("stylesheet", "icon", "preload", "modulepreload", "preconnect")


class Page(HTMLParser):
    """The anchors and links of one page.

    Attributes:
        anchors: The ids of its elements.
        links: The addresses that it leads to.
        loaded: The addresses elsewhere from which a browser loads something at once.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of an element."""
        members = {name: value or "" for name, value in attrs}
        self.anchors |= {members[name] for name in ("id", "name") if name in members}
        addresses = [members[name] for name in ("href", "src", "srcset") if name in members]
        addresses = [address.split(" ")[0] for address in addresses]
        self.links += addresses
        is_loaded = tag in _LOADING or (tag == "link" and members.get("rel") in _LOADED_LINKS)
        if is_loaded:
            self.loaded += [address for address in addresses if urlparse(address).netloc]


def find_problems(site: Path, base: str) -> Iterator[str]:
    """Yield what is wrong with a site, one sentence each.

    Args:
        site: The folder of the built site.
        base: The path at which it is served, such as "/symops-lark/".
    """
    paths = sorted(site.rglob("*.html"))
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in paths}
    for path, page in pages.items():
        here = base + path.relative_to(site).as_posix()
        for address in page.loaded:
            yield f"{here}: loads {address}"
        # A page for missing pages is served at any address, so its links are absolute.
        if path.name == "404.html":
            continue
        for link in dict.fromkeys(page.links):
            problem = _check(link, here, site, base, pages)
            if problem:
                yield f"{here}: {problem}"


def _check(link: str, here: str, site: Path, base: str, pages: dict[Path, Page]) -> str:
    """Return what is wrong with a link; nothing if it is right, or leads elsewhere."""
    if urlparse(link).scheme or link.startswith("//"):
        return ""
    address, anchor = urldefrag(urljoin(here, link))
    if not address.startswith(base):
        return f"{link} leaves the site"
    target = site / unquote(address.removeprefix(base))
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return f"there is no file for {link}"
    if anchor and target in pages and unquote(anchor) not in pages[target].anchors:
        return f"there is no anchor for {link}"
    return ""


def main(arguments: list[str]) -> int:
    """Print the problems; return the exit code."""
    site, base = Path(arguments[0]), arguments[1]
    problems = list(find_problems(site, base))
    for problem in problems:
        print(problem)
    count = len(list(site.rglob("*.html")))
    print(f"{count} pages, {len(problems)} problems")
    # A site without pages was not built.
    return int(bool(problems) or not count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
