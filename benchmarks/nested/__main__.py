"""Print how often a nested reply gives an action that nobody meant: `python -m benchmarks.nested`.

Exit code 0: no action that was not meant is sure, or written by a plan without a question; 1: one is.
"""

from __future__ import annotations

import argparse
from collections import Counter

from symops_lark import Action, Document, Phase, ProtocolError, plan, process
from symops_lark.acting.changes import Decision
from symops_lark.acting.files.entries import Entry, Kind

from .replies import Reply, draw_replies, is_sure


def main() -> int:
    """Draw replies, read each with its dialect named and told from the text, and count."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nested", description=__doc__)
    parser.add_argument("--n", type=int, default=10_000, help="replies (default 10,000)")
    parser.add_argument("--seed", type=int, default=1, help="other replies (default 1)")
    parser.add_argument("--show", type=int, default=0, metavar="K", help="print the first K failures")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for reply in draw_replies(options.n, options.seed):
        for format in (reply.dialect, "auto"):
            judgment = judge(reply, format)
            counts.update(judgment)
            if ("wrong and sure" in judgment or "wrong and written" in judgment) and options.show > 0:
                options.show -= 1
                print(f"---- {reply.kind}, {format}: {', '.join(judgment)}\n{reply.text}")
    for name, number in sorted(counts.items()):
        print(f"{name:48}{number:8,}")
    return 1 if counts["wrong and sure"] or counts["wrong and written"] else 0


def judge(reply: Reply, format: str) -> list[str]:
    """Return what is to be counted of a reply."""
    try:
        result = process(reply.text, format)
    except ProtocolError:
        return ["read", "no answer"]
    texts = ["read", f"phase {result.phase}"]
    actions = result.document.actions
    matching_actions = [action for action in actions if (action.type, action.path, action.content) not in reply.meant]
    if any(is_sure(action, result) for action in matching_actions):
        # A text that parses strictly is taken at its word, and says what was not meant.
        texts.append("wrong and valid" if result.phase is Phase.STRICT else "wrong and sure")
        texts.append(f"{texts[-1]}: {reply.kind}")
    if result.phase is not Phase.STRICT and any(action in matching_actions for action in find_written(result.document)):
        texts.append("wrong and written")
    right = [action for action in actions if (action.type, action.path, action.content) in reply.meant]
    if right and all(is_sure(action, result) for action in right):
        texts.append("all right ones sure")
    return texts


class _Folder:
    """A folder in which the files that a reply edits or deletes exist and are empty, and nothing else does."""

    def __init__(self, document: Document) -> None:
        self.files = {action.path for action in document.actions if action.type in ("edit", "delete")}

    def look(self, path: str) -> Entry:
        """Return what is at a path."""
        if path in self.files:
            return Entry(Kind.FILE, b"", 0o644)
        is_folder = not path or any(name.startswith(path + "/") for name in self.files)
        return Entry(Kind.FOLDER if is_folder else Kind.MISSING)

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder."""
        below = path + "/" if path else ""
        return tuple(sorted({name.removeprefix(below).split("/")[0] for name in self.files if name.startswith(below)}))


def find_written(document: Document) -> list[Action]:
    """Return the actions that a plan with the default policy carries out without a question."""
    planned_changes = plan(document, _Folder(document))
    return [change.action for change in planned_changes.changes if change.decision is Decision.AUTO]


if __name__ == "__main__":
    raise SystemExit(main())
