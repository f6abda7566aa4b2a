"""Which values may be wrong at all, told in one pass over a content: its checks are asked about nothing else.

Law: a check of values says nothing of an action that has no signs of what it looks for. Most contents have none at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..document import Action, Document
from ..regexes import Sieve, compile_pattern
from . import contents, layouts, leftovers, targets
from .check import Check
from .left_out import _END, _LEAD, _SAYS, _START


def actions_by_check(document: Document) -> dict[Check, Document]:
    """Return the checks of values that may find something, each with the actions that have signs of it."""
    found: dict[Check, list[Action]] = {}
    actions = document.actions
    for action in actions:
        for check in _find_signs(action):
            found.setdefault(check, []).append(action)
    if len({action.path for action in actions}) < len(actions):
        found[layouts.check_versions] = list(actions)
    return {check: Document(tuple(suspects)) for check, suspects in found.items()}


def _find_signs(action: Action) -> Iterator[Check]:
    if _is_odd(action.path) or any(_PLAIN.fullmatch(path) is None for path in action.dependencies):
        yield from (targets.check_paths, targets.check_templates, targets.check_commands, targets.check_heredocs)
    content = action.content
    if content is None:
        return
    shown = content.strip()
    yield from _find_leftovers(shown)
    if "\n" not in shown[: contents._LONGEST + 1]:
        yield from (contents.check_placeholders, contents.check_escapes)
    if _NUMBER.match(shown) is not None:
        yield contents.check_line_numbers
    if "&" in content and _ENTITY.search(content) is not None:
        yield contents.check_html
    is_apart = _APART.match(shown) is not None and layouts.JOINED.search(shown) is None
    if is_apart or content[:1] in (" ", "\t", "\n", "\r"):
        yield layouts.check_layout
    if shown.startswith(contents._DIFF_STARTS):
        yield contents.check_diffs
    if "”" in content or "‘" in content:
        yield contents.check_quotes
    if _LINES.may_occur("\n" + content):
        yield from (contents.check_fence, contents.check_left_out)
        if "\n" in shown[: contents._LONGEST + 1]:
            yield contents.check_placeholders


def _find_leftovers(shown: str) -> Iterator[Check]:
    if shown.endswith((">", "]")) and leftovers.TOKEN.search(shown[-contents._LONGEST :]) is not None:
        yield leftovers.check_tokens
    if shown.startswith(leftovers.CDATA):
        yield leftovers.check_sections
    # One sign is found faster than two, and one that most contents have soonest.
    if "'" not in shown and "\\" in shown and '\\"' in shown:
        yield leftovers.check_escaped_quotes
    if shown[:_LONGEST_NAME].partition("\n")[0].strip().lower() in leftovers.FENCE_NAMES:
        yield leftovers.check_language_lines


def _is_odd(path: str) -> bool:
    if _PLAIN.fullmatch(path) is None or len(path) > targets._LONGEST or "..." in path:
        return True
    lowered = path.lower()
    return ("path" in lowered or "file" in lowered) and targets._TEMPLATE.search(path) is not None


def _widened(pattern: str) -> str:
    """Return a pattern that matches wherever another does, neither counts nor asks for an end: it has few states."""
    pattern = pattern.replace(_START, r"\b").replace(_END, r"\b")
    return re.sub(r"[$]", "", re.sub(r"\{0,[0-9]+\}", "*", pattern))


_PLAIN = compile_pattern(r"/?(?:[0-9A-Za-z_.-]+/)*[0-9A-Za-z_.-]*[0-9A-Za-z-]")
_NUMBER = compile_pattern(r"(?:[Ll](?:ine)?[ \t]*|\[|\()?[0-9]")
# Strings are taken out of a line before an entity is looked for: one may stand inside of what is one then.
_ENTITY = compile_pattern(
    r"&(?:(?:lt|gt|quot|#34|#39|#x27|apos|amp|#60|#62|#x3[CcEe]|nbsp);|[a-z0-9#]{0,4}[\"'\\][^\n]*;)"
)
_LONGEST_NAME = 40  # characters, with blanks behind it
_APART = compile_pattern(r"[^\n]*\n[ \t\r]*\n")
_LINES = Sieve(
    rf"\n(?:[ \t\r]*(?:`{{3}}|~{{3}})|[^!-~\n]*{_widened(contents._PLACEHOLDER.pattern)}"
    rf"|(?i:{_widened(_LEAD)}[^\n]*(?:{_widened(_SAYS)})))"
)
