"""Propose what can be written at a place of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...core.document import Action
from ...core.grammar.agent_formats import NEEDED
from ...core.grammar.dialect import Dialect
from ...core.grammar.loading import dialects
from ...core.grammar.mistakes import TAGS
from ...core.processor import SymOpsProcessor
from .edited_file import EditedFile, Kind
from .names import find_mistakes, find_names
from .readings import dialect_of, read_document
from .vocabulary import list_forms, list_keys, list_values

_DIRECTIVES = ("%import", "%override", "%extend", "%ignore", "%declare")
_NAME = re.compile(r"%?\w*\Z")
_WORD = re.compile(r"[\w-]*\Z")
_KEY = re.compile(r"(?m)^[ -]*(\w+)[ \t]*:")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A text to write.

    Attributes:
        label: What the list shows.
        text: The text.
        start: The offset from which it replaces the text before the cursor.
        description: What it is for.
        is_form: Whether the text has words of `vocabulary.BLANKS` to fill in.
    """

    label: str
    text: str
    start: int
    description: str = ""
    is_form: bool = False


def find_proposals(file: EditedFile, offset: int, processor: SymOpsProcessor) -> list[Proposal]:
    """Return what can be written at an offset.

    Args:
        file: The file.
        offset: The offset.
        processor: The pipeline that reads replies.
    """
    match file.kind:
        case Kind.REPLY:
            return list(_propose_sections(file, offset, processor))
        case Kind.GRAMMAR | Kind.FORMAT:
            return list(_propose_names(file, offset))
        case Kind.RULE:
            return list(_propose_keys(file, offset))
    return []


def _propose_sections(
    file: EditedFile, offset: int, processor: SymOpsProcessor
) -> Iterator[Proposal]:
    actions = read_document(file.text, processor).actions
    for action in actions:
        content = action.content_span
        if content is not None and content.start <= offset <= content.end:
            return  # a content is in another language
    dialect = dialect_of(file.text, processor)
    before = file.line_before(offset)
    targets = _find_targets(before, dialect)
    if targets:
        yield from _propose_paths(actions, offset, offset - len(before) + targets)
        return
    # The whole line is replaced: a form begins with marks, of which some may be there already.
    start = offset - len(before.lstrip())
    for form in list_forms(dialect):
        yield Proposal(form.name, form.text, start, form.description, is_form=True)


def _find_targets(before: str, dialect: Dialect) -> int:
    """Return where a path begins in a line before the cursor; 0 if no path is being written."""
    marks = dialect.said_marks
    # The sections that name paths. Parts of an action may be on lines of their own.
    names = ["action", "error"]
    if "lines" in dialect.forms:
        names += ["target", "depends"]
    elif "attributes" in dialect.forms:
        names.append("target")
    line = before.lstrip()
    if not any(line.startswith(marks.get(name, "\n")) for name in names):
        return 0
    places = {}
    for name in ("target", "at", "depends", "path_key", "depends_key", "comma"):
        mark = marks.get(name)
        if mark and mark in before:
            places[name] = before.rindex(mark) + len(mark)
    # A comma alone is a sign of prose: lists follow another mark.
    if not places.keys() - {"comma"}:
        return 0
    # The last mark counts: `@a.py > b.py, ` continues a list of paths.
    end = max(places.values())
    blanks = len(before[end:]) - len(before[end:].lstrip())
    return end + blanks


def _propose_paths(actions: Iterable[Action], offset: int, start: int) -> Iterator[Proposal]:
    """Yield the paths of other actions, which a dependency names."""
    paths: dict[str, str] = {}
    for action in actions:
        is_here = action.span.start <= offset <= action.span.end
        if action.path and not is_here:
            paths.setdefault(action.path, action.type)
    for path, verb in paths.items():
        yield Proposal(path, path, start, verb)


# ---- grammars


def _propose_names(file: EditedFile, offset: int) -> Iterator[Proposal]:
    before = file.line_before(offset)
    match = _NAME.search(before)
    assert match is not None, "an empty word matches"
    start = offset - len(match[0])
    if before.startswith("//"):
        # The third field of a mistake's comment has its tags.
        if before.count(" |") == 2:
            yield from _simple(TAGS, start, "tag of a mistake")
        return
    if before.startswith("%import"):
        beside = [path.stem for path in file.path.parent.glob("*.lark")]
        grammars = [name for name in (*dialects(), *beside) if name != file.path.stem]
        yield from _simple(dict.fromkeys(grammars), start, "grammar")
        return
    # Directives are at the margin only.
    if match[0] == before:
        yield from _simple(_DIRECTIVES, start, "directive")
    if file.kind is Kind.FORMAT:
        yield from _simple(NEEDED, start, "section of a format")
        terminals = [name for rows in NEEDED.values() for row in rows for name in row]
        yield from _simple(dict.fromkeys(terminals), start, "terminal of a format")
    for name, places in find_names(file.path, file.text).items():
        yield Proposal(name, name, start, places[0].excerpt)


def _simple(texts: Iterable[str], start: int, description: str) -> Iterator[Proposal]:
    for text in texts:
        yield Proposal(text, text, start, description)


# ---- repair rules


def _propose_keys(file: EditedFile, offset: int) -> Iterator[Proposal]:
    before = file.line_before(offset)
    match = _WORD.search(before)
    assert match is not None, "an empty word matches"
    start = offset - len(match[0])
    keys = list_keys()
    # A word at the margin is a key of the rule.
    if match[0] == before:
        existing = set(_KEY.findall(file.text))
        for key, description in keys.items():
            if key not in existing:
                yield Proposal(key, f"{key}: ", start, description)
        return
    key = _find_key(file.text[:offset])
    values = list_values(key)
    if key == "mistakes":
        values = list(find_mistakes())
    yield from _simple(values, start, keys.get(key, ""))


def _find_key(before: str) -> str:
    """Return the key whose value is being written at the end of a text."""
    # YAML that is being written rarely parses, so lines are matched.
    keys = _KEY.findall(before)
    return str(keys[-1]) if keys else ""
