"""The site of the documentation, built as `make docs` builds it, and a server for it."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tools.api_pages import write_pages as write_api
from tools.cli_pages import write_pages as write_commands
from tools.gather import SITE, gather
from tools.schema_pages import write_pages as write_schemas


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""


def write_site(folder: Path) -> None:
    """Write the gathered and the generated pages."""
    assert gather(folder) == []
    write_api(folder / "docs" / "api")
    write_commands(folder / "docs" / "cli")
    write_schemas(folder / "docs" / "schemas")


def build_site(folder: Path) -> float:
    """Build both languages strictly, without a warning; return the seconds of processor time."""
    program = shutil.which("zensical", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("zensical is not installed: python -m pip install --editable '.[docs]', as `make docs` does")
    write_site(folder)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for configuration in ("mkdocs.yml", "mkdocs.ja.yml"):
        command = [program, "build", "-f", configuration, "--strict"]
        done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0 and "No issues found" in done.stdout + done.stderr, done.stdout + done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@contextmanager
def serve_site(site: Path) -> Iterator[str]:
    """Serve a built site on loopback, at the path that it has on the web; yield its address."""
    root = site.parent / "served"
    root.mkdir()
    (root / SITE.strip("/")).symlink_to(site)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(root))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{SITE}"
        server.shutdown()
