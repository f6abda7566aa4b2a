"""Exported JavaScript in headless Chromium: a page imports the package, and what it says is the page's text."""

from __future__ import annotations

import base64
import html
import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_MOST = 500  # replies of one page
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # The text of a page is read when its scripts wait for nothing, not when it is loaded.
    "--virtual-time-budget=60000",
    "--dump-dom",
)
_PAGE = """<!doctype html><meta charset="utf-8"><body><script type="module">
import * as parser from "data:text/javascript;base64,{module}";
const say = (text) => {{
  try {{
    return parser.process(text);
  }} catch (error) {{
    const known = error instanceof parser.ProtocolError;
    return known ? [error.message, error.document, error.diagnostics] : {{ crash: String(error.stack) }};
  }}
}};
document.body.textContent = JSON.stringify({texts}.map(say)).replace(/[^ -~]/g, (sign) =>
  "\\\\u" + sign.charCodeAt(0).toString(16).padStart(4, "0"));
</script>"""


def chromium() -> str | None:
    """Return the path of Chromium, if it is installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def ask_chromium(module: str, texts: Sequence[str]) -> list[Any]:
    """Return what an exported module says of each text, as JSON."""
    return [item for at in range(0, len(texts), _MOST) for item in _ask(module, texts[at : at + _MOST])]


def _ask(module: str, texts: Sequence[str]) -> list[Any]:
    quoted = json.dumps(texts).replace("<", "\\u003c")
    page = _PAGE.format(module=base64.b64encode(module.encode()).decode(), texts=quoted)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        path = Path(name) / "page.html"
        path.write_text(page, encoding="utf-8")
        data = json.loads(open_page(path.as_uri()))
    assert len(data) == len(texts)
    return list(data)


def open_page(address: str) -> str:
    """Return the text of a page when its modules have run."""
    program = chromium()
    if program is None:
        raise RuntimeError("Chromium is not installed")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [program, *_OPTIONS, f"--user-data-dir={profile}", address]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300, check=False)
    begin, end = done.stdout.find("<body>"), done.stdout.rfind("</body>")
    if done.returncode or begin < 0:
        raise RuntimeError(f"Chromium ended with {done.returncode}: {done.stderr[-500:]}")
    return html.unescape(done.stdout[begin + len("<body>") : end])
