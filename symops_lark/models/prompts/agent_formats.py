"""Prompts that teach the formats of other agents: the format's own writer writes the examples."""

from __future__ import annotations

from dataclasses import replace

from ...core.document import Action, Document, Replacement
from ...core.formats.loading import Format
from ...core.formats.writer import write_format
from ...core.grammar.loading import find_verbs
from ...core.ground.errors import RenderError
from .examples import WHOLE, read_examples
from .template import enclose

_SOURCE = "def check(token):\n    return bool(token)"
# The use of each verb, and an action that shows it.
_SHOWN = {
    "create": ("To write a file", Action("create", "src/auth.py", _SOURCE)),
    "edit": ("To change a part of a file", Action("edit", "src/auth.py")),
    "delete": ("To remove a file", Action("delete", "src/old.py")),
    "run": ("To run a command", Action("run", "pytest -q")),
}
_OLD = "    return bool(token)\n"
_NEW = "    return token is not None\n"
_CHANGE = f"-{_OLD}+{_NEW}".removesuffix("\n")
# An edit in each notation that a format may have; the first one that it can express is shown.
_EDITS = (
    Action("edit", "src/auth.py", edits=(Replacement(_OLD, _NEW, lines=True),)),
    Action("edit", "src/auth.py", f"@@ def check(token):\n{_CHANGE}"),
    Action("edit", "src/auth.py", f"@@ -1,2 +1,2 @@\n def check(token):\n{_CHANGE}"),
)
# The verbs of formats, for the groups of verbs of a dialect.
_VERBS = {"writing": "create", "removing": "delete", "running": "run"}
_HEAD = """You are a coding agent. A program reads your reply and carries out the actions in it.
Write each action in the format below, exactly as the examples show it. The tags around an example \
are not part of it.
Everything else in your reply is ignored.
"""
_TAIL = """# Rules

- The text of a file is complete, and exactly as it is in the file: nothing is left out, nothing \
is escaped by you.
- Paths are relative.
- Never write what a command prints, and never answer for the user: end your reply and wait.
"""


def teach_format(format: Format, *, include_examples: bool = True) -> str:
    """Return the system prompt of a format.

    Args:
        format: The format.
        include_examples: Whether to end with a complete example.

    Returns:
        The prompt, which ends with a line break. Each example reads back in the format.
    """
    # What a format cannot express is not taught.
    parts = [_HEAD, f"# Actions\n\n{format.description}\n"]
    for purpose, action in _SHOWN.values():
        text = _show(action, format)
        if text is not None:
            parts.append(f"{purpose}:\n\n{enclose('action', text)}")
    parts.append(_TAIL)
    if include_examples:
        for request, reply in say_in_format(WHOLE, format):
            parts.append(f"# Example\n\n{enclose('request', request)}{enclose('reply', reply)}")
    return "\n".join(parts).rstrip("\n") + "\n"


def find_unwritable(format: Format) -> dict[str, str]:
    """Return why a format's writer cannot write verbs that the format can say, by verb.

    Args:
        format: The format.
    """
    reasons = {}
    for verb, (_, action) in _SHOWN.items():
        if verb not in format.can or _show(action, format) is not None:
            continue
        # An edit has several notations: the first one is the most usual.
        tried = _EDITS[0] if verb == "edit" else action
        try:
            write_format(Document((tried,)), format)
        except RenderError as error:
            reasons[verb] = str(error)
    return reasons


def say_in_format(stem: str, format: Format) -> list[tuple[str, str]]:
    """Return examples as requests and replies, without the actions that a format cannot express.

    Args:
        stem: The file of the examples.
        format: The format.
    """
    rows = []
    for example in read_examples(stem):
        verbs = find_verbs(example.document.dialect)
        names: dict[str, str] = {}
        for group, verb in _VERBS.items():
            names |= dict.fromkeys(verbs.get(group, ()), verb)
        # One by one: an example is still useful without a command.
        actions = []
        for action in example.document.actions:
            renamed = replace(action, type=names.get(action.type, action.type))
            if _write([renamed], format):
                actions.append(renamed)
        reply = _write(actions, format)
        if reply is not None:
            rows.append((example.request, reply))
    return rows


def _show(action: Action, format: Format) -> str | None:
    for example in _EDITS if action.type == "edit" else (action,):
        text = _write([example], format)
        if text is not None:
            return text
    return None


def _write(actions: list[Action], format: Format) -> str | None:
    """Return actions in a format; None if there are none, or one cannot be expressed."""
    if not actions:
        return None
    try:
        return write_format(Document(tuple(actions)), format)
    except RenderError:
        return None
