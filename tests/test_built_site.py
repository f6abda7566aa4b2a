"""The built site: no warning, little time, and each page in a browser, at two widths, light and dark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest
from browser import Browser, browser
from built_site import build_site, serve_site

from tools.check_site import find_problems
from tools.gather import SITE

pytestmark = pytest.mark.slow
MOST_SECONDS = 10.0  # of processor time
BUSY = 3  # processes that wait for each core: they share its caches, so that all take more processor time
WIDE, NARROW = 1280, 390
WIDTHS = "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
SCHEMES = {False: "default", True: "slate"}


@dataclass(frozen=True)
class Built:
    """A built site."""

    folder: Path
    seconds: float

    @property
    def pages(self) -> list[str]:
        paths = sorted(self.folder.rglob("*.html"))
        return [path.relative_to(self.folder).as_posix() for path in paths]


class Shown(NamedTuple):
    """A site that a browser can open."""

    browser: Browser
    address: str


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("built")
    seconds = build_site(folder)
    return Built(folder / "site", seconds)


@pytest.fixture(scope="module")
def shown(built: Built) -> Iterator[Shown]:
    with serve_site(built.folder) as address, browser() as opened:
        yield Shown(opened, address)


def test_the_links_of_the_site_lead_to_its_files(built: Built) -> None:
    assert len(built.pages) > 100
    assert list(find_problems(built.folder, SITE)) == []


def test_the_site_is_built_in_little_time(built: Built, tmp_path: Path) -> None:
    # Other processes on the machine cost a build processor time, too, so it has a second try.
    seconds = built.seconds if built.seconds < MOST_SECONDS else build_site(tmp_path)
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    if seconds >= MOST_SECONDS and load > BUSY:
        pytest.skip(f"the build took {seconds:.1f} s of processor time on a busy machine ({load:.0f} processes a core)")
    assert seconds < MOST_SECONDS


def find_faults(shown: Shown, name: str) -> Iterator[str]:
    """Yield what is wrong with a page at both widths, light and dark."""
    page = shown.browser
    page.open(address=shown.address + name)
    for width in (WIDE, NARROW):
        for is_dark, scheme in SCHEMES.items():
            page.size(width=width, height=900, dark=is_dark)
            page.wait(code="scheme => document.body.dataset.mdColorScheme === scheme", given=scheme)
            scroll_width, client_width = page.run(code=WIDTHS)
            if scroll_width != client_width:
                yield f"{name} at {width}: the page is {scroll_width} wide, its window {client_width}"
    yield from (f"{name}: {message}" for message in page.said())
    for address in page.requests():
        if not address.startswith((shown.address, "data:")):
            yield f"{name}: asks {address}"


def test_every_page_fits_its_window_and_asks_only_this_site(built: Built, shown: Shown, stride: int) -> None:
    assert [fault for name in built.pages[::stride] for fault in find_faults(shown, name)] == []


@pytest.mark.parametrize(
    ("former", "page"),
    [
        ("how-to/#be-strict", "check-strictly/#be-strict"),
        ("reference/#exit-codes", "reference/commands/#exit-codes"),
        ("code-intelligence/#use-it-in-codex", "code-tools-in-clients/#use-it-in-codex"),
    ],
)
def test_links_to_former_sections_lead_to_their_pages(shown: Shown, former: str, page: str) -> None:
    shown.browser.open(address=shown.address + former)
    assert shown.browser.wait(code="path => location.href === path", given=shown.address + page)


def test_a_page_that_is_wide_fails_or_asks_others_is_noticed(built: Built, shown: Shown) -> None:
    text = (built.folder / "install" / "index.html").read_text(encoding="utf-8")
    bad = '<p style="width: 500px">wide</p><script>fail()</script><img src="http://127.0.0.1:9/a.png"></article>'
    folder = built.folder / "bad"
    folder.mkdir()
    (folder / "index.html").write_text(text.replace("</article>", bad), encoding="utf-8")
    faults = "\n".join(find_faults(shown, "bad/"))
    assert "bad/ at 390: the page is 5" in faults and "at 1280" not in faults
    assert "fail is not defined" in faults and "bad/: asks http://127.0.0.1:9/a.png" in faults
