"""Texts of strangers in other notations: replies in formats of agents, format files, edits, talk, Lark grammars."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

from symops_lark import Action, Document, RenderError, Replacement, formats, write_format

from .calls import Target, call, read_files, run_commands

_FILE = (
    b"import os\n\n\ndef load(path):\n    with open(path) as file:\n        return file.read()\n\n\nprint(load('a'))\n"
)
_EDITS: Sequence[bytes] = (
    b"<<<<<<< SEARCH\nimport os\n=======\nimport sys\n>>>>>>> REPLACE\n",
    b"--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n-import os\n+import sys\n \n \n"
    b"@@ -8 +8 @@\n-print(load('a'))\n+load('b')\n",
    b"@@ def load(path):\n-    with open(path) as file:\n+    with open(path, 'rb') as file:\n"
    b"         return file.read()\n",
    b"*** Begin Patch\n*** Update File: a.py\n@@\n-import os\n+import sys\n*** End of File\n*** End Patch\n",
    b"```diff\n-import os\n+import sys\n```\n",
    b"4-6\ndef load(path):\n    return open(path).read()\n",
    b"import os\n\n# ... the rest is unchanged ...\n\nprint(load('b'))\n",
)
_CALL_WORDS = (
    b"<tool_call>",
    b"</tool_call>",
    b"<function=write_file>",
    b"</function>",
    b"<parameter=path>",
    b"<|im_end|>",
    b"[TOOL_CALLS]",
    b'{"name": "run", "arguments": {"command": "ls"}}',
    b"*** End Patch\n",
    b"<<<<<<< SEARCH\n",
    b"=======\n",
    b">>>>>>> REPLACE\n",
    b"```python\n",
    b"`a.py`:\n",
    b"cat > a.py << 'EOF'\n",
    b"EOF\n",
    b"::create @b.py\n<<<\n",
)
_LARK_WORDS = (
    b'"x"',
    b"/[a-z]+/",
    b"/(.|\\n)*/",
    b"SAME_END",
    b"PATH",
    b"CONTENT",
    b"JSON",
    b"_NL",
    b"|",
    b"?",
    b"*",
    b"(",
    b")",
    b"write: ",
    b"document: call*\n",
    b"start: ",
    b"%import common.NUMBER\n",
    b"%ignore _NL\n",
)


@cache
def _replies() -> Sequence[bytes]:
    """Return replies in all formats that say a file, an edit, a command, or all three."""
    edit = Replacement("x = 1", "x = 2")
    actions = (
        Action("create", "src/a.py", 'print("1 < 2")\n'),
        Action("edit", "src/b.py", "", edits=(edit,)),
        Action("run", "make test", None),
        Action("delete", "old.py", None),
    )
    replies: list[bytes] = []
    for name in formats():
        for item in (actions, *[(action,) for action in actions]):
            try:
                text = write_format(Document(item), name)
            except RenderError:  # the format cannot say it
                continue
            replies.append(f"Here it is:\n\n{text}\nThat is all.\n".encode())
    return replies


@cache
def _talk() -> Sequence[bytes]:
    """Return replies with what is not asked for: drafts, turns of others, examples."""
    rows = [json.loads(line) for data in read_files("benchmarks/discourse/*.jsonl") for line in data.splitlines()]
    return [row["input"].encode() for row in rows if row.get("tool") == "process"][::5]


def _edit(data: bytes, place: Path, draws: Random) -> tuple[str, str]:
    """Show or write an edit of a file; a write is undone, and the file must be as it was."""
    path = place / "a.py"
    path.write_bytes(_FILE)
    content = place / "edit.txt"
    content.write_bytes(data)
    if draws.random() < 0.6:
        chosen = draws.choice(((), ("--json",), ("--full-diff",)))
        return call(("edit", str(path), str(content), *chosen), codes=(0, 1, 2, 3))
    command, text = call(("edit", "--write", "--yes", str(path), str(content)))
    if text or path.read_bytes() == _FILE:
        return command, text
    command, text = call(("undo", "--root", str(place)))
    return command, text or ("" if path.read_bytes() == _FILE else "the file is not as it was")


def _mistakes(data: bytes, place: Path, draws: Random) -> tuple[str, str]:
    """Repair a small text by a damaged grammar, or by its damaged mistakes."""
    name = draws.choice(("own.lark", "own_recovery.lark"))
    (place / "own.lark").write_bytes(
        b'start: item*\nitem: WORD ":" NUMBER ";"\n%import common (WORD, NUMBER, WS)\n%ignore WS\n'
    )
    (place / name).write_bytes(data)
    text = place / "text"
    text.write_bytes(b"a: 1; b 2; c: 3\n")
    return call(("grammar", "recover", "--max-price", "4000", str(place / "own.lark"), str(text)))


@cache
def _people() -> Sequence[bytes]:
    rows = [json.loads(line) for line in read_files("benchmarks/any_grammar/people.jsonl")[0].splitlines()]
    return [row["text"].encode() for row in rows]


NOTATIONS = {
    "format-reply": Target(
        _replies,
        run_commands(
            ("process",),
            ("process", "--json", "--trace"),
            ("plan", "-"),
            ("stream",),
            ("check",),
            ("convert", "-t", "v2"),
            ("convert", "-t", "hermes_json"),
            ("convert", "-t", "search_replace"),
            *[("process", "-f", name) for name in ("json_calls", "named_fences", "qwen_xml", "apply_patch")],
        ),
        _CALL_WORDS,
    ),
    "format-file": Target(
        lambda: read_files("grammars/formats/*.lark"),
        run_commands(
            ("process", "-f", "{file}"),
            ("grammar", "check", "{file}"),
            ("prompt", "--system", "-f", "{file}"),
            ("convert", "-t", "{file}"),
            ("stream", "-f", "{file}"),
            name="own.lark",
            stdin=b'Sure.\n\n<file path="a.py">\nx = 1\n</file>\n',
        ),
        _LARK_WORDS,
    ),
    "edit": Target(lambda: _EDITS, _edit, (*_CALL_WORDS, b"@@ -1 +1 @@\n", b"-import os\n", b"+\n", b" \n")),
    "talk": Target(
        _talk,
        run_commands(("process",), ("process", "--json"), ("check", "--json"), ("stream",), ("plan", "-")),
        (b"User: ", b"Assistant:", b"<think>", b"</think>", b"<|im_start|>user\n", b"For example:\n", b"Do not "),
    ),
    "any-text": Target(
        _people,
        run_commands(
            *[
                ("grammar", "recover", "--max-price", "4000", language, "-")
                for language in ("json", "toml", "ini", "sql", "calls", "graphql")
            ]
        ),
        (b"{", b"}", b"[", b"]", b",", b":", b"=", b'"'),
    ),
    "any-grammar": Target(
        lambda: read_files("symops_lark/error_correcting/example_grammars/*.lark"), _mistakes, _LARK_WORDS
    ),
}
