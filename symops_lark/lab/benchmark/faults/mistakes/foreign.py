"""Replies in a completely different format, whose meaning a person sees at once."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable

from ..documents import COMMAND_VERBS, Action, Line
from .delimiters import language
from .draft import PARTS, Draft, fenceish
from .registry import ALL, mistake

_EDITS = re.compile(r"^(?:<{5,9} ?(?:SEARCH|ORIGINAL)|@@ )", re.MULTILINE)  # a content that changes a file


def _replace(draft: Draft, text: str, form: str) -> bool:
    """Replace all lines by a text of another form; there may still be prose around it.

    No such form has dependencies, so none are expected.
    """
    zones = [(i, part) for i in draft.actions for part in (*PARTS, "before")]
    if not draft.claim(*zones, "whole", "newline", "thoughts", "vitals", "question", "choice", "error"):
        return False
    if draft.foreign and draft.foreign.info == form:
        return False
    draft.lines = [Line("prose", line) for line in text.split("\n")]
    for item in draft.expected:
        item.dependencies = ()
    return True


def _arguments(action: Action) -> dict[str, str]:
    if action.type in COMMAND_VERBS:
        return {"command": action.path}
    return {"path": action.path} | ({} if action.content is None else {"content": action.content})


@mistake(stage=ALL, neutral=True)
def reply_as_json(draft: Draft, rng: random.Random) -> None:
    """The reply is JSON: tool calls, or a list of actions."""
    actions = draft.document.actions
    if rng.random() < 0.5:
        calls = [{"name": action.type, "arguments": _arguments(action)} for action in actions]
        text = json.dumps({"tool_calls": calls}, indent=2, ensure_ascii=False)
    else:
        text = json.dumps([{"action": action.type, **_arguments(action)} for action in actions], indent=2)
    _replace(draft, f"```json\n{text}\n```" if rng.random() < 0.5 else text, "json")


def _tool_call(action: Action) -> str:
    call = json.dumps({"name": action.type, "arguments": _arguments(action)}, ensure_ascii=False)
    return f"<tool_call>\n{call}\n</tool_call>"


def _invoke(action: Action) -> str:
    rows = [f'<parameter name="{key}">{value}</parameter>' for key, value in _arguments(action).items()]
    return "\n".join([f'<invoke name="{action.type}">', *rows, "</invoke>"])


def _file_tag(action: Action) -> str:
    if action.content is None:
        return f"<{action.type}>{action.path}</{action.type}>"
    return f'<file path="{action.path}" action="{action.type}">\n{action.content}\n</file>'


@mistake(stage=ALL, neutral=True)
def reply_as_xml(draft: Draft, rng: random.Random) -> None:
    """The reply is XML: tool calls, or a tag for each file."""
    form: Callable[[Action], str] = rng.choice((_tool_call, _invoke, _file_tag))
    _replace(draft, "\n".join(map(form, draft.document.actions)), "xml")


@mistake(stage=ALL, neutral=True)
def reply_as_file_fences(draft: Draft, rng: random.Random) -> None:
    """The reply is fences under file names, as chats write them."""
    actions = draft.document.actions
    if any(fenceish(line) for i in draft.blocks for line in draft.content(i)):
        return
    name = rng.choice(("**{}**", "`{}`", "### {}", "{}"))
    parts = []
    for action in actions:
        if action.content is None:
            parts.append(f"```bash\n{'rm ' if action.type == 'delete' else ''}{action.path}\n```")
        else:
            parts.append(f"{name.format(action.path)}\n```{language(action.path)}\n{action.content}\n```")
    if not _replace(draft, "\n\n".join(parts), "markdown"):
        return
    # Such a fence has no verb.
    for item, action in zip(draft.expected, actions, strict=True):
        if action.content is not None:
            item.type = "edit" if _EDITS.search(action.content) else "create"
        elif action.type in COMMAND_VERBS:
            item.type = "run"
