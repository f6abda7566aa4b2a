"""The official inspector: all tools are listed, and their schemas are such that every client understands them."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from symops_lark.core.ground.python_processes import python_start

from ._node_tools import INSPECTOR, tool
from ._projects import TOKEN, serving, write_project


def inspect() -> Iterator[tuple[str, bool]]:
    """Yield a line for each question put by the inspector, and whether it was answered well."""
    command = [*tool("mcp-inspector"), "--cli", "--connect-timeout", "60000"]
    yield f"# {INSPECTOR}, --cli --strict", True
    with tempfile.TemporaryDirectory() as folder:
        root = write_project(Path(folder) / "project", 3)
        stdio = python_start("-m", "symops_lark", "serve", "--root", os.path.abspath(root)).command
        for era in ("legacy", "modern"):
            yield from _ask(f"stdio, {era}", [*command, *stdio, "--protocol-era", era])
        with serving(root) as (_, url):
            over_http = [url, "--transport", "http", "--header", f"Authorization: Bearer {TOKEN}"]
            yield from _ask("http", [*command, *over_http])


def _ask(where: str, command: list[str]) -> Iterator[tuple[str, bool]]:
    for method, members in (("tools/list", "tools"), ("prompts/list", "prompts")):
        strict = ["--strict"] if method == "tools/list" else []
        done = subprocess.run([*command, "--method", method, *strict], capture_output=True, text=True, timeout=120)
        try:
            count = len(json.loads(done.stdout)[members])
        except (ValueError, KeyError):
            count = 0
        part = " ".join((done.stderr or "nothing was said").split())[-400:]
        well = done.returncode == 0 and count > 0
        yield f"{where}: {method}: {count} {members}, code {done.returncode}{'' if well else ': ' + part}", well
    call = ["--method", "tools/call", "--tool-name", "start_session", "--tool-arg", "query=Where does feature 1 begin?"]
    done = subprocess.run([*command, *call], capture_output=True, text=True, timeout=120)
    well = done.returncode == 0 and "session_id" in done.stdout
    yield f"{where}: tools/call start_session: code {done.returncode}", well
