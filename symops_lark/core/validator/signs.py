"""What may be wrong at all, told in one pass over a document: checks are asked about nothing else.

Laws: a check of values says nothing of an action that has no signs of what it looks for, and a check of sections
nothing of a document that is ordinary. Most contents have no signs at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..document import Action, Completeness, Document, ErrorNote, Section, Skipped, Thought, Vitals
from ..edits.left_out import _END, _LEAD, _SAYS, _START
from ..patterns.regexes import Sieve, compile_pattern, escape
from . import contents, layouts, leftovers, targets
from .check import Check, Verbs


def is_ordinary(document: Document, verbs: Verbs) -> bool:
    """Return whether no check of sections says anything of a document, as of most; False where one may."""
    seen: set[str] = set()
    for section in document.sections:
        if isinstance(section, Action):
            name = f"{section.type} {section.path}" if section.type in verbs["running"] else section.path
            if name in seen or not _is_ordinary(section, verbs):
                return False
            seen.add(name)
        elif not isinstance(section, Thought) and not _is_fine(section):
            return False
    return bool(document.sections)


def _is_fine(section: Section) -> bool:
    if isinstance(section, Vitals):
        return all(0.0 <= value <= 1.0 for value in section.values())
    return not isinstance(section, ErrorNote | Skipped)


def _is_ordinary(action: Action, verbs: Verbs) -> bool:
    """Return whether an action, by itself, is one that no check of sections says anything of."""
    path = action.path
    if action.type in verbs["writing"]:
        fits = action.content is not None
    else:
        fits = action.type in verbs["running"] or (action.type in verbs["removing"] and not action.content)
    more = action.number is not None or action.dependencies or action.attributes or action.repeated_attributes
    if not fits or more or action.completeness is not Completeness.COMPLETE:
        return False
    return bool(path) and "./" not in path and "//" not in path and path[-1] not in "./"


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
    needs = action.dependencies
    if _is_odd(action.path) or (needs and any(_PLAIN.fullmatch(path) is None for path in needs)):
        yield from (targets.check_paths, targets.check_templates, targets.check_commands, targets.check_heredocs)
    content = action.content
    if not content:
        return
    if _ORDINARY_BEGIN.match(content) is None:
        yield from _find_at_begin(content)
    shown = content.strip()
    if shown[:_LONGEST_NAME].partition("\n")[0].strip().lower() in leftovers.FENCE_NAMES:
        yield leftovers.check_language_lines
    if shown.endswith((">", "]")) and leftovers.TOKEN.search(shown[-contents._LONGEST :]) is not None:
        yield leftovers.check_tokens
    # One sign is found faster than two, and one that most contents have soonest.
    if "'" not in shown and "\\" in shown and '\\"' in shown:
        yield leftovers.check_escaped_quotes
    at = content.find("&")
    if at >= 0 and _ENTITY.search(content, at) is not None:
        yield contents.check_html
    if "”" in content or "‘" in content:
        yield contents.check_quotes
    if _LINES.may_occur("\n" + content):
        yield from (contents.check_fence, contents.check_left_out)
        if "\n" in shown[: contents._LONGEST + 1]:
            yield contents.check_placeholders


def _find_at_begin(content: str) -> Iterator[Check]:
    """Yield what the beginning of a content has signs of."""
    shown = content.strip()
    if "\n" not in shown[: contents._LONGEST + 1]:
        yield from (contents.check_placeholders, contents.check_escapes)
    if _NUMBER.match(shown) is not None:
        yield contents.check_line_numbers
    is_apart = _APART.match(shown) is not None and layouts.JOINED.search(shown) is None
    if is_apart or content[:1] in (" ", "\t", "\n", "\r"):
        yield layouts.check_layout
    if shown.startswith(contents._DIFF_STARTS):
        yield contents.check_diffs
    if shown.startswith(leftovers.CDATA):
        yield leftovers.check_sections


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
# A line that is not long, at the left, and among the next ones two without a blank line between them.
_ORDINARY_BEGIN = compile_pattern(
    rf"(?!{_NUMBER.pattern}|{'|'.join(map(escape, (*contents._DIFF_STARTS, leftovers.CDATA)))})"
    rf"(?=[!-~][^\n]{{0,{contents._LONGEST - 1}}}\n)(?:[^\n]*\n){{0,9}}?[ \t]*[^ \t\r\n][^\n]*\n[ \t]*[^ \t\r\n]"
)
_LINES = Sieve(
    rf"\n(?:[ \t\r]*(?:`{{3}}|~{{3}})|[^!-~\n]*{_widened(contents._PLACEHOLDER.pattern)}"
    rf"|(?i:{_widened(_LEAD)}[^\n]*(?:{_widened(_SAYS)})))"
)
