"""The replies of the league, and the outcome of a reader with one of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from symops_lark.core.document import Action, Document
from symops_lark.core.formats.loading import formats
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.lab.benchmark.faults.mistakes import Expected
from symops_lark.lab.benchmark.formats import load_format
from symops_lark.lab.benchmark.sources.simulated import Simulated
from symops_lark.lab.benchmark.tasks import Task, load_tasks

from .peers import Item, Peer, Reading

RIGHT, REFUSED, ALARM, SILENT, INVENTED = OUTCOMES = ("right", "nothing", "wrong, doubted", "wrong, silent", "invented")


@dataclass(frozen=True)
class Match:
    """A reply, its format, what is meant, and whether it is damaged."""

    format: str
    text: str
    expected: tuple[Expected, ...]
    is_damaged: bool


def judge(peer: Peer, match: Match) -> str:
    """Return the outcome of a reader with a reply.

    An item is invented if its target has nothing in common with one that is meant: none contains the other. The last
    line endings of a content do not count: some readers keep them.
    """
    try:
        reading = peer.read(match.text, match.format)
    except Exception:  # noqa: BLE001  (whatever a library raises, it gives nothing)
        return REFUSED
    if not reading.items:
        return RIGHT if not any(item.required for item in match.expected) else REFUSED
    if any(not _is_meant(item, match.expected) for item in reading.items):
        return INVENTED
    if _is_right(reading, match.expected):
        return RIGHT
    return ALARM if reading.is_doubted else SILENT


def _is_meant(item: Item, expected: Sequence[Expected]) -> bool:
    target = item.target.strip()
    paths = [row.path.strip() for row in expected]
    # An empty one is a path that the damage took away.
    return any(path in target or target in path for path in paths)


def _is_right(reading: Reading, expected: Sequence[Expected]) -> bool:
    left = list(reading.items)
    for row in expected:
        result = next((item for item in left if item.target == row.path), None)
        if result is None:
            if row.required:
                return False
            continue
        left.remove(result)
        contents = {_bare(content) for content in row.contents}
        wholes = {_bare(content) for content in row.wholes}
        if _bare(result.content) in wholes:
            continue
        # What is cut off must not look complete.
        if _bare(result.content) not in contents or (row.cut and not reading.is_doubted):
            return False
    return not left


def _bare(content: str | None) -> str:
    return (content or "").rstrip("\n")


def make_matches(profile: str, seed: int, count: int) -> Iterator[Match]:
    """Yield the first file of each task in each format, as it is, and with the mistakes of a profile.

    Args:
        profile: The profile of the fault model.
        seed: The seed.
        count: How often each is damaged.
    """
    source = Simulated(profile, seed)
    tasks = [_with_one_file(task) for task in load_tasks() if _files(task)]
    for name in formats():
        format = load_format(name)
        for task in tasks:
            try:
                draft = format.draft(task.document)
                whole_reply = format.write(task.document)
            except SymOpsError:
                # The format cannot carry this content.
                continue
            yield Match(name, whole_reply, tuple(draft.expected), False)
            for case in source.cases((format,), (task,), count):
                inputs = source.give(case, format, task)
                if inputs.faults and inputs.expected is not None:
                    yield Match(name, inputs.reply.text, inputs.expected, True)


def _with_one_file(task: Task) -> Task:
    """Return a task whose reply is its first file alone: no reader is judged on prose or on lists of calls."""
    return replace(task, document=Document((replace(_files(task)[0], dependencies=()),)))


def _files(task: Task) -> list[Action]:
    return [action for action in task.document.actions if action.content is not None]


def read_file(path: Path) -> Iterator[Match]:
    """Yield the replies of a file of JSON lines: `text`, and `expect` with `files` and `commands`.

    Replies that are expected to have edits are left out: their text alone does not give the new content.
    """
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        expect = row.get("expect") or {}
        if expect.get("edits"):
            continue
        files = [Expected("create", file["path"], (file["content"],), ()) for file in expect.get("files") or ()]
        commands = [Expected("run", command, (None,), ()) for command in expect.get("commands") or ()]
        yield Match(row.get("format") or "", row["text"], (*files, *commands), False)
