"""Find the place that defines the thing at a place of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.dialect import Dialect
from ...core.grammar.loading import dialects
from ...core.ground.resources import find_folder
from ...core.processor import SymOpsProcessor
from .edited_file import EditedFile, Kind
from .names import NamedPlace, find_imported, find_mistakes, find_names
from .readings import dialect_of, read_document

_IN_PATH = r"[\w./\\~-]"  # a character that continues a path


class Target(NamedTuple):
    """A part of a file.

    Attributes:
        path: The file.
        text: The text of the file.
        start: The offset of the part.
        end: The offset after it.
    """

    path: Path
    text: str
    start: int
    end: int


def find_definitions(file: EditedFile, offset: int, processor: SymOpsProcessor) -> list[Target]:
    """Return the places that define what is at an offset; empty if there is none.

    Args:
        file: The file.
        offset: The offset.
        processor: The pipeline that reads replies.
    """
    match file.kind:
        case Kind.REPLY:
            return list(_define_in_reply(file, offset, processor))
        case Kind.GRAMMAR | Kind.FORMAT:
            return list(_define_name(file, offset))
        case Kind.RULE | Kind.RULE_SET:
            return list(_define_word(file, offset))
    return []


def _define_in_reply(file: EditedFile, offset: int, processor: SymOpsProcessor) -> Iterator[Target]:
    """Yield the action that a dependency names, or the definition of a verb in the grammar."""
    line_start = offset - len(file.line_before(offset))
    line_end = file.text.find("\n", offset)
    line = file.text[line_start : None if line_end < 0 else line_end]
    actions = read_document(file.text, processor).actions
    # A content is in another language: the same words mean something else there.
    for action in actions:
        content = action.content_span
        if content is not None and content.start <= offset < content.end:
            return
    dialect = dialect_of(file.text, processor)
    # The line after the cursor counts as well: a dependency may be at its end.
    here = [action for action in actions if action.span.start <= offset <= action.span.end]
    for action in here:
        for dependency in action.dependencies:
            if not _is_in_list(line, dependency, offset - line_start, dialect):
                continue
            for candidate in actions:
                if candidate.path == dependency and candidate is not action:
                    span = candidate.span
                    yield Target(file.path, file.text, span.start, span.end)
            return
    word, _, _ = file.word_at(offset)
    verbs = [verb for group in dialect.verbs.values() for verb in group]
    if word.lower() not in verbs or not isinstance(dialect, WrittenDialect):
        return
    for places in find_names(*dialect.files[0]).values():
        for place in places:
            # A verb is a terminal that is one string.
            if place.excerpt.partition(":")[2].strip() == f'"{word.lower()}"':
                yield _to_target(place)


def _is_in_list(line: str, dependency: str, column: int, dialect: Dialect) -> bool:
    """Return whether a column of a line is in a dependency, and not in the path of the action."""
    begin = 0
    for name in ("depends", "depends_key"):
        before, mark, _ = line.partition(dialect.said_marks.get(name, "\n"))
        if mark:
            begin = len(before) + len(mark)
    pattern = rf"(?<!{_IN_PATH}){re.escape(dependency)}(?!{_IN_PATH})"
    matches = re.compile(pattern).finditer(line, begin)
    return any(match.start() <= column <= match.end() for match in matches)


def _define_name(file: EditedFile, offset: int) -> Iterator[Target]:
    for path, text in find_imported(file.path, file.text, offset):
        yield Target(path, text, 0, 0)
        return
    word, _, _ = file.word_at(offset)
    for place in find_names(file.path, file.text).get(word, []):
        yield _to_target(place)


def _define_word(file: EditedFile, offset: int) -> Iterator[Target]:
    """Yield the dialect, the mistake or the rule that a word names."""
    word, _, _ = file.word_at(offset)
    # The kinds of names do not overlap, so their order does not matter.
    if word in dialects():
        path = find_folder("grammars") / f"{word}.lark"
        yield Target(path, path.read_text("utf-8"), 0, 0)
        return
    if file.kind is Kind.RULE:
        for place in find_mistakes().get(word, []):
            yield _to_target(place)
        return
    for path in sorted(find_folder("repair_rules").glob(f"*/{word}.yaml")):
        if word:
            yield Target(path, path.read_text("utf-8"), 0, 0)


def _to_target(place: NamedPlace) -> Target:
    return Target(place.path, place.text, place.start, place.end)
