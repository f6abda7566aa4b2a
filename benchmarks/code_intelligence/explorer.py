"""Whether the explorer finds the file of a request: `python -m benchmarks.code_intelligence explorer`.

The requests are about this package; the file of each was written beside it before the explorer was run
on it, and three of its rules were changed for them afterwards. A place is that among the opened files;
`gate` says whether what it found is enough.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from symops_lark.code_intelligence import Workspace
from symops_lark.core.ground.numbers import counted
from symops_lark.core.text.yaml_file import YamlFile

FILE = Path(__file__).with_name("explorer.yaml")
ROOT = Path(__file__).parents[2] / "symops_lark"  # without this list of requests


@dataclass(frozen=True)
class Result:
    """What came of a request; `place` is 0 if its file was not opened."""

    query: str
    place: int
    calls: int
    tokens: int
    seconds: float
    phase: str


def explore(workspace: Workspace, query: str, file: str, slots: dict[str, str], tokens: int) -> Result:
    """Return what the explorer finds for a request, and what the gate says of it."""
    session = workspace.start_session(query, "MODIFY")
    session.set_query_frame(slots)
    begun = time.perf_counter()
    answer = session.explore(tokens=tokens)
    seconds = time.perf_counter() - begun
    if not answer["ok"]:
        return Result(query, 0, 0, 0, seconds, answer["reason_code"])
    opened = list(dict.fromkeys(item["path"] for item in answer["items"]))
    place = opened.index(file) + 1 if file in opened else 0
    session.submit_understanding(**answer["understanding"])
    return Result(query, place, answer["calls"], answer["tokens"], seconds, str(session.phase))


def run(arguments: list[str]) -> int:
    """Explore for all requests and print where their files are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.code_intelligence explorer", description=__doc__)
    parser.add_argument("--tokens", type=int, default=8_000, help="tokens that each exploration may spend")
    chosen = parser.parse_args(arguments)
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(ROOT, state=folder)
        workspace.run_tool("search_files", {"pattern": "__init__.py"})  # the index is made before the clock starts
        for row in YamlFile(FILE, "file of requests").data["requests"]:
            result = explore(workspace, row["query"], row["file"], row["slots"], chosen.tokens)
            results.append(result)
    for result in results:
        figures = f"{result.place:5} {result.calls:5} {result.tokens:6} {result.seconds:7.2f}  {result.phase:13}"
        sys.stdout.write(f"{figures} {result.query}\n")
    first = sum(result.place == 1 for result in results)
    total = sum(result.place > 0 for result in results)
    ready = sum(result.phase == "READY" for result in results)
    files = counted(len(results), "file")
    sums = f"of {files} {first} first, {total} opened; {ready} READY"
    sys.stdout.write(f"place, calls, tokens, seconds, gate; {sums}\n")
    return 0
