"""Replies in a completely different format, whose meaning a person sees at once."""

from __future__ import annotations

import json
import re
from itertools import product
from random import Random
from typing import Any

from ..documents import COMMAND_VERBS, Action, Line
from .delimiters import language
from .draft import PARTS, Draft
from .fences import is_fenceless
from .registry import ALL, mistake

# A content that changes a file.
_EDITS = re.compile(r"^(?:<{5,9} ?(?:SEARCH|ORIGINAL)|@@ )", re.MULTILINE)
_SECTIONS = ("thoughts", "vitals", "question", "choice", "error")


def _replace(draft: Draft, text: str, form: str) -> bool:
    """Replace all lines by a text of another form; there may still be prose around it."""
    # A reply in its own format is right.
    if draft.foreign and draft.foreign.info == form:
        return False
    parts = product(draft.actions, (*PARTS, "before"))
    if not draft.claim(*parts, *_SECTIONS, "whole", "newline"):
        return False
    draft.lines = [Line("prose", line) for line in text.split("\n")]
    # No such form has dependencies.
    for item in draft.expected:
        item.dependencies = ()
    return True


def _arguments(action: Action) -> dict[str, str]:
    if action.type in COMMAND_VERBS:
        return {"command": action.path}
    if action.content is None:
        return {"path": action.path}
    return {"path": action.path, "content": action.content}


def _call(action: Action) -> dict[str, Any]:
    return {"name": action.type, "arguments": _arguments(action)}


@mistake(stage=ALL, neutral=True)
def reply_as_json(draft: Draft, rng: Random) -> None:
    """The reply is JSON: tool calls, or a list of actions."""
    actions = draft.document.actions
    if rng.random() < 0.5:
        calls = {"tool_calls": list(map(_call, actions))}
        text = json.dumps(calls, indent=2, ensure_ascii=False)
    else:
        items = [{"action": action.type, **_arguments(action)} for action in actions]
        text = json.dumps(items, indent=2)
    if rng.random() < 0.5:
        text = f"```json\n{text}\n```"
    _replace(draft, text, "json")


def _tool_call(action: Action) -> str:
    return f"<tool_call>\n{json.dumps(_call(action), ensure_ascii=False)}\n</tool_call>"


def _invoke(action: Action) -> str:
    rows = [f'<invoke name="{action.type}">']
    # Models escape neither paths nor contents in such tags.
    for key, value in _arguments(action).items():
        rows.append(f'<parameter name="{key}">{value}</parameter>')
    return "\n".join([*rows, "</invoke>"])


def _file_tag(action: Action) -> str:
    if action.content is None:
        return f"<{action.type}>{action.path}</{action.type}>"
    return f'<file path="{action.path}" action="{action.type}">\n{action.content}\n</file>'


@mistake(stage=ALL, neutral=True)
def reply_as_xml(draft: Draft, rng: Random) -> None:
    """The reply is XML: tool calls, or a tag for each file."""
    write = rng.choice((_tool_call, _invoke, _file_tag))
    text = "\n".join(map(write, draft.document.actions))
    _replace(draft, text, "xml")


def _fence(action: Action, name: str) -> str:
    """Return the fence of an action, with the name of its file above it."""
    if action.content is not None:
        opener = "```" + language(action.path)
        return f"{name.format(action.path)}\n{opener}\n{action.content}\n```"
    # A shell deletes files, too.
    command = action.path
    if action.type == "delete":
        command = f"rm {command}"
    return f"```bash\n{command}\n```"


@mistake(stage=ALL, neutral=True)
def reply_as_file_fences(draft: Draft, rng: Random) -> None:
    """The reply is fences under file names, as chats write them."""
    # A fence in a content would close the one around it.
    if not all(is_fenceless(draft, i) for i in draft.blocks):
        return
    name = rng.choice(("**{}**", "`{}`", "### {}", "{}"))
    actions = draft.document.actions
    text = "\n\n".join(_fence(action, name) for action in actions)
    if not _replace(draft, text, "markdown"):
        return
    # Such a fence has no verb.
    for item, action in zip(draft.expected, actions, strict=True):
        if action.content is not None:
            item.type = "edit" if _EDITS.search(action.content) else "create"
        elif action.type in COMMAND_VERBS:
            item.type = "run"
