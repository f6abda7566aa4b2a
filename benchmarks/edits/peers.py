"""Give the same contents to other programs that apply edits: patch, git, aider's coders, OpenAI's reader of V4A.

Each peer gets only the notations that it claims to read. A peer that is not installed is left out, and said. To add a
peer is to add a function with `@peer`.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml
from edit_changes import Change, plain
from edit_notations import NOTATIONS
from read_notations import READ

from symops_lark.core.edits import Edited, edit_text
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.core.ground.numbers import counted

from ..baselines.aider import load_coder
from .versions import Version

CASES = Path(__file__).resolve().parents[2] / "tests" / "core" / "edits" / "cases.yaml"
DIFF, PATCH, BLOCKS = "unified diff", "V4A patch", "search/replace blocks"
# The notations of real changes that peers are given, by kind.
REAL = {
    "unified diff": DIFF,
    "unified diff, wrong numbers": DIFF,
    "unified diff, wrong counts": DIFF,
    "unified diff, no context": DIFF,
    "@@ ... @@": DIFF,
    "*** Begin Patch": PATCH,
    "@@ and a line above": PATCH,
    "<<<<<<< SEARCH": BLOCKS,
    "6 signs": BLOCKS,
    "8 signs": BLOCKS,
}
OURS = "symops"
OUTCOMES = ("right", "asked, right", "refused", "asked, other", "wrong without alarm")
_SECONDS = 20
_AIDER = "aider 0.86.2, "


@dataclass(frozen=True)
class Peer:
    """A program that applies edits.

    Attributes:
        name: Its name, with its version.
        kinds: The notations that it claims to read.
        edit: Returns the new text, or None where it refuses; and whether it doubts.
        missing: Why it cannot be used; empty if it can.
    """

    name: str
    kinds: tuple[str, ...]
    edit: Callable[[str, str, str], tuple[str | None, bool]]
    missing: str = ""


PEERS: list[Callable[[], Peer]] = []


def peer(make: Callable[[], Peer]) -> Callable[[], Peer]:
    """Register a function that returns a peer."""
    PEERS.append(make)
    return make


def find_peers() -> list[Peer]:
    """Return all peers, this package first."""
    return [make() for make in PEERS]


@peer
def ours() -> Peer:
    """Return this package."""

    def edit(old: str, content: str, path: str) -> tuple[str | None, bool]:
        result = edit_text(old, content, path)
        return (result.text, bool(result.doubts)) if isinstance(result, Edited) else (None, False)

    return Peer(OURS, (DIFF, PATCH, BLOCKS), edit)


@peer
def aider_blocks() -> Peer:
    """Return aider's coder of search/replace blocks."""

    def edit(old: str, content: str, path: str) -> tuple[str | None, bool]:
        coder = load_coder("editblock_coder")
        try:
            original_update_blocks = list(coder.find_original_update_blocks(f"{path}\n{content}", valid_fnames=[path]))
        except ValueError:
            return None, False
        text: str | None = old
        for _, search, replace in (
            original_update_block
            for original_update_block in original_update_blocks
            if original_update_block[0] is not None
        ):
            text = coder.do_replace(_existing(), text, search, replace, ("`" * 3, "`" * 3))
            if not text:
                return None, False
        return (text, False) if original_update_blocks else (None, False)

    return Peer(_AIDER + "editblock", (BLOCKS,), edit, _missing_aider("editblock_coder"))


@peer
def aider_diffs() -> Peer:
    """Return aider's coder of unified diffs."""

    def edit(old: str, content: str, path: str) -> tuple[str | None, bool]:
        coder = load_coder("udiff_coder")
        body = content if "--- " in content else f"--- {path}\n+++ {path}\n{content}"
        fenced = body if body.lstrip().startswith("```") else f"```diff\n{body.rstrip(chr(10))}\n```\n"
        text: str | None = old
        hunks = list(coder.find_diffs(fenced))
        for _, hunk in hunks:
            if complete := coder.normalize_hunk(hunk):
                text = coder.do_replace(_existing(), text, complete)
                if not text:
                    return None, False
        return (text, False) if hunks else (None, False)

    return Peer(_AIDER + "udiff", (DIFF,), _refusing(edit), _missing_aider("udiff_coder"))


@peer
def aider_patches() -> Peer:
    """Return aider's coder of V4A patches."""

    def edit(old: str, content: str, path: str) -> tuple[str | None, bool]:
        coder = object.__new__(load_coder("patch_coder").PatchCoder)
        coder.partial_response_content = _in_envelope(content, path)
        coder.get_inchat_relative_files = lambda: [path]
        coder.abs_root_path = lambda name: name
        silent = dict.fromkeys(("tool_output", "tool_error", "tool_warning"), lambda *words: None)
        coder.io = SimpleNamespace(read_text=lambda name: old, **silent)
        edits = coder.get_edits()
        return (coder._apply_update(old, edits[0][1], path), False) if edits else (None, False)

    return Peer(_AIDER + "patch", (PATCH,), _refusing(edit), _missing_aider("patch_coder"))


@peer
def openai_patches() -> Peer:
    """Return the reader of V4A in OpenAI's package of agents, which takes the hunks of one file."""

    def edit(old: str, content: str, path: str) -> tuple[str | None, bool]:
        lines = content.split("\n")
        hunks = [line for line in lines if not line.startswith(("*** Begin", "*** End Patch", "*** Update File"))]
        return _load_agents().apply_diff(old, "\n".join(hunks)), False

    missing = "pip install --no-deps openai-agents==0.24.0"
    if importlib.util.find_spec("agents"):
        missing = ""
        _load_agents()
    return Peer("openai-agents 0.24.0, apply_diff", (PATCH,), _refusing(edit), missing)


@peer
def git() -> Peer:
    """Return `git apply`, which counts lines itself."""
    return _tool(("git", "apply", "--recount", "--whitespace=nowarn", "-"), "git apply --recount")


@peer
def patch() -> Peer:
    """Return GNU patch with its usual tolerance."""
    return _tool(("patch", "-s", "-p1", "--no-backup-if-mismatch", "-r-"), "patch")


def _tool(command: Sequence[str], name: str) -> Peer:
    """Return a program that changes a file in a folder."""

    def edit(old: str, content: str, path: str) -> tuple[str | None, bool]:
        file = Path(path).name or "f"
        has_head = content.startswith(("---", "diff"))
        body = content if has_head else f"--- a/{file}\n+++ b/{file}\n{content}"
        body = body.replace(f"a/{path}", f"a/{file}").replace(f"b/{path}", f"b/{file}")
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder, file)
            target.write_bytes(old.encode())
            # A text is asked about a second time where the process waits for an answer: it gets none.
            done = subprocess.run(command, cwd=folder, input=body.encode(), capture_output=True, timeout=_SECONDS)
            return (target.read_bytes().decode(), False) if done.returncode == 0 else (None, False)

    return Peer(name, (DIFF,), edit, "" if shutil.which(command[0]) else f"install {command[0]}")


def _refusing(
    edit: Callable[[str, str, str], tuple[str | None, bool]],
) -> Callable[[str, str, str], tuple[str | None, bool]]:
    """Return a function for which every exception of a peer is a refusal: they have classes of their own."""

    def guarded(old: str, content: str, path: str) -> tuple[str | None, bool]:
        try:
            return edit(old, content, path)
        except Exception:  # noqa: BLE001
            return None, False

    return guarded


def _in_envelope(content: str, path: str) -> str:
    if "Begin Patch" in content:
        return content
    body = content if "Update File" in content else f"*** Update File: {path}\n{content}"
    return "*** Begin Patch\n" + body.rstrip("\n") + "\n*** End Patch\n"


def _missing_aider(coder: str) -> str:
    """Return why a coder of aider cannot be used; load it now, so that this is no refusal of contents."""
    try:
        load_coder(coder)
    except SymOpsError as error:
        return str(error)
    return ""


@cache
def _existing() -> str:
    """Return the name of a file that exists: aider asks for one before it edits."""
    with tempfile.NamedTemporaryFile(suffix=".txt", delete=False) as file:
        return file.name


@cache
def _load_agents() -> Any:
    """Load the one module of the package that applies patches, without the rest and its dependencies."""
    spec = importlib.util.find_spec("agents")
    assert spec is not None and spec.submodule_search_locations
    path = Path(spec.submodule_search_locations[0]) / "apply_diff.py"
    own = importlib.util.spec_from_file_location("agents_apply_diff", path)
    assert own is not None and own.loader is not None
    module = importlib.util.module_from_spec(own)
    sys.modules["agents_apply_diff"] = module  # its dataclasses look for it
    own.loader.exec_module(module)
    return module


Table = Mapping[tuple[str, str], Counter[str]]


def compare_peers(versions: Sequence[Version]) -> tuple[Table, Table]:
    """Give each peer the cases of the suite, and real changes in notations that it claims to read.

    Args:
        versions: Files before and after a change.

    Returns:
        How often each peer had each outcome, by kind of notation: of the cases, and of the changes.
    """
    peers = [single_peer for single_peer in find_peers() if not single_peer.missing]
    table: dict[tuple[str, str], Counter[str]] = {}
    for kind, old, content, path, expected in _cases():
        for item in peers:
            if kind in item.kinds:
                outcome = _judge(item.edit(old, content, path), expected)
                table.setdefault((kind, item.name), Counter())[outcome] += 1
    real: dict[tuple[str, str], Counter[str]] = {}
    writers = {**NOTATIONS, **READ}
    for version in versions:
        change = Change(version.before, version.after, version.path)
        if "\r" in version.before + version.after or not list(change.hunks(0)):
            continue
        for name, kind in REAL.items():
            content = writers[name](change)
            for item in peers:
                if kind in item.kinds:
                    outcome = _judge(item.edit(change.before, content, change.path), change.after)
                    real.setdefault((name, item.name), Counter())[outcome] += 1
    return table, real


def _cases() -> Iterator[tuple[str, str, str, str, str | None]]:
    """Yield the cases of the suite: kind, old text, content, path, and the new text, None where it is refused."""
    table = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    for case in table["cases"]:
        old = table["files"].get(case.get("file"), case.get("old"))
        if case["kind"] not in (DIFF, PATCH, BLOCKS) or old is None:
            continue
        if "refused" not in case and "text" not in case:
            continue  # any text is right if a person is asked, which peers do not do
        yield case["kind"], old, case["content"], case.get("path", "a.py"), case.get("text")


def _judge(found: tuple[str | None, bool], wanted: str | None) -> str:
    text, doubts = found
    if text is None:
        return "refused"
    is_right = wanted is not None and plain(text.encode()) == plain(wanted.encode())
    if doubts:
        return "asked, right" if is_right else "asked, other"
    return "right" if is_right else "wrong without alarm"


def print_peers(written: Table, real: Table) -> Iterator[str]:
    """Yield two tables in Markdown, and what is not installed."""
    for title, table in (("Cases of the suite", written), ("Real changes", real)):
        total = max(row.total() for row in table.values())
        yield f"{title}, of each notation at most {counted(total, 'content')}\n"
        yield "| notation | reader | " + " | ".join(OUTCOMES) + " |\n|---|---|" + "---|" * len(OUTCOMES)
        order = list(dict.fromkeys(kind for kind, _ in table))
        for (kind, name), row in sorted(table.items(), key=lambda item: order.index(item[0][0])):
            yield f"| {kind} | {name} | " + " | ".join(str(row[outcome]) for outcome in OUTCOMES) + " |"
        yield ""
    for single_peer in find_peers():
        if single_peer.missing:
            yield f"not installed: {single_peer.name} ({single_peer.missing})"
