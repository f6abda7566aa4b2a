"""An export is the same to the byte in each process, whatever order its sets have there: it can be checked in."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import environment

PROGRAM = """
import json, sys
from symops_lark.exports import export, load_exports
files = {}
for dialect in sys.argv[1:]:
    for name, each in load_exports().items():
        for tolerant in (False, True)[: 1 + each.TOLERANT]:
            files[f"{dialect} {name} {tolerant}"] = export(name, dialect, tolerant=tolerant)
print(json.dumps(files))
"""


def export_all(seed: int, dialects: list[str], **more: str) -> dict[str, dict[str, str]]:
    """Return the files of all exports of dialects, made in a process of its own."""
    own = environment(PYTHONHASHSEED=str(seed), **more)
    command = [sys.executable, "-c", PROGRAM, *dialects]
    output = subprocess.run(command, env=own, capture_output=True, check=True, encoding="utf-8").stdout
    files: dict[str, dict[str, str]] = json.loads(output)
    return files


@pytest.mark.slow
def test_exports_are_the_same_in_each_process(tmp_path: Path, stride: int) -> None:
    """One process finds nothing kept; the other has the translation that some process before it kept."""
    dialects = ["v2", "plain"][::stride]
    first = export_all(1, dialects, XDG_CACHE_HOME=str(tmp_path))
    second = export_all(2, dialects)
    assert len(first) > 9 * len(dialects) and [name for name in first if first[name] != second[name]] == []
