"""Count the tokens of answers and of lists of tools: `python -m benchmarks.code_intelligence tokens`.

Answers are of this repository, 50 items each, as JSON and as lines. `--root FOLDER --symbol NAME` counts the
references of a name in another project.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from symops_lark.code_intelligence.index import Index
from symops_lark.code_intelligence.server.short_tools import listed_tools
from symops_lark.code_intelligence.server.texts import spell_answer
from symops_lark.code_intelligence.server.tools import TOOLS, describe_tools
from symops_lark.core.ground.json_text import spell_json
from symops_lark.core.ground.numbers import counted
from symops_lark.models.prompts.tokens import load_counter

from .search import ROOT, ask

_SHOWN = ("name", "description", "inputSchema")  # to a model
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("find_references", {"symbol": "Document"}),
    ("find_definitions", {"symbol": "run"}),
    ("get_symbols", {"path": "symops_lark"}),
    ("query", {"text": "error recovery"}),
    ("search_text", {"patterns": ["error"]}),
    ("search_files", {"pattern": "*.py"}),
    ("analyze_structure", {}),
)


def run(arguments: list[str]) -> int:
    """Print the tokens."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.code_intelligence tokens", description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder of the project")
    parser.add_argument("--symbol", help="count the references of this name alone")
    options = parser.parse_args(arguments)
    calls = (("find_references", {"symbol": options.symbol}),) if options.symbol else CALLS
    counter = load_counter()
    print(f"{'answer':24}{'items':>7}{'JSON':>9}{'lines':>9}   tokens ({counter.name})")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        index = Index.open(options.root, Path(folder) / "index.sqlite")
        for tool, params in calls:
            answer = ask(index, tool, **params)
            tokens = counter.count(spell_json(answer)), counter.count(spell_answer(answer))
            print(f"{tool:24}{answer['shown']:>7}{tokens[0]:>9,}{tokens[1]:>9,}")
        index.close()
    for title, tools in (("the short list", listed_tools("few")), ("the long tools", TOOLS)):
        items = [{name: single_tool[name] for name in _SHOWN} for single_tool in describe_tools(tools)]
        print(f"{title}: {counted(len(items), 'tool')}, {counted(counter.count(json.dumps(items)), 'token')}")
    return 0
