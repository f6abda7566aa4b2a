"""Write actions in a format, by the same automaton that reads it.

The writer walks from free text to free text. It takes the first edge whose required values are all
available. What does not read back as it was meant is refused: the type, the path, the content and
the edits. Numbers, dependencies and attributes, which these formats do not have, are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from textwrap import shorten

from ..document import Action, Completeness, Document, Replacement
from ..grammar.free_words import choose_end, choose_fence
from ..ground.errors import RenderError
from ..patterns.regexes import Pattern, compile_pattern
from ..unfinished import find_unfinished
from .automaton import Edge
from .documents import read_format
from .expressions import (
    LINE_ENDS,
    Choice,
    Expression,
    Many,
    Sequence,
    Term,
    Text,
    children,
    from_json,
    leaves,
)
from .loading import Format, formats, load_format
from .meaning import accept, pairs_of
from .reader import find_items
from .sections import FINAL, START, Section
from .tools import load_tools

_quote = partial(json.dumps, ensure_ascii=False)  # texts are those of Python as well
_ANY_LINE = compile_pattern(r"[^\n]*\n")
_FULL_LINE = compile_pattern(r"[^\n]+\n")
# Terminals whose text the writer chooses.
_CHOSEN = ("FENCE", "END", "_HUNK", "OLD")
# Terminals of sections that always write whole files.
_WHOLE = frozenset(("ADDED", "END"))
_INDENT = "    "
_MOST_SHOWN = 100  # characters of a text that is read as something else


class _NothingLeftError(Exception):
    """A section has a terminal more often than there are values of it."""


class _Values(dict[str, list[str]]):
    """What is still to be written, by terminal; each list is used up from its front.

    Attributes:
        chosen: By terminal, the text that the writer chooses.
        same: By terminal, the text that SAME_X repeats.
    """

    def __init__(self, chosen: dict[str, str | None], **values: list[str]) -> None:
        super().__init__(values)
        self.chosen = chosen
        self.same: dict[str, str] = {}

    @property
    def left(self) -> set[str]:
        """The terminals that have something to be written."""
        return {name for name, values in self.items() if values}


def write_format(document: Document, format: str | Path | Format) -> str:
    """Write the actions of a document in a format.

    Args:
        document: The document. What is not an action is left out.
        format: A format, its name, or the path of its grammar file.

    Returns:
        The text; it ends with a line feed if the document has an action.

    Raises:
        RenderError: The format cannot express an action, or that one is incomplete.
        GrammarError: There is no such format, or its file is wrong.
    """
    chosen = load_format(format)
    for action in find_unfinished(document):
        state = f"{action.type} {action.path} is {action.completeness}"
        raise RenderError(f"{state}, and {chosen.name} cannot say so")
    # Each action must be written alone, too.
    texts = [write_action(action, chosen) for action in document.actions]
    text = "\n".join(texts)
    # Two actions that read back alone may be read as one if they follow each other.
    if len(read_format(text, chosen).actions) != len(document.actions):
        raise RenderError(f"{chosen.name} cannot write these actions after each other")
    return text


def write_action(action: Action, format: Format) -> str:
    """Write one action in a format.

    Args:
        action: The action.
        format: The format.

    Raises:
        RenderError: The format cannot express the action.
    """
    message = f"{format.name} cannot express {action.type} {action.path}"
    reason = ""
    for section in format.sections:
        for values in _find_values(action, section):
            if values.chosen["END"] is None:
                reason = ": each word of END that was tried is in the content"
                continue
            text = _write_section(section, values)
            if text is None:
                reason = f": the rule {section.rule} needs something that the action does not have"
                continue
            text = text if text.endswith("\n") else text + "\n"
            if _reads_back(action, text, format):
                return text  # of the first section that does
            start = shorten(repr(text), _MOST_SHOWN, placeholder="…")
            reason = f": what the rule {section.rule} writes is read as something else: {start}"
    raise RenderError(message + reason)


def _reads_back(action: Action, text: str, format: Format) -> bool:
    """Return whether a text means an action and nothing else, as far as the format can say it."""
    document = read_format(text, format)
    if len(document.sections) != 1 or len(document.actions) != 1:
        return False
    action_read = document.actions[0]
    if (action_read.type, action_read.path) != (action.type, action.path):
        return False
    if action_read.completeness is Completeness.TRUNCATED:
        return False
    if action.edits:
        edits = action_read.edits or _read_blocks(action_read.content or "")
        return _lines(action.edits) == _lines(edits)
    return (action_read.content or "") == (action.content or "")


def _lines(edits: tuple[Replacement, ...]) -> list[tuple[str, str, bool]]:
    """Return edits for a comparison: the format decides whether they are whole lines."""
    return [(edit.old, edit.new, edit.every) for edit in edits]


def _as_value(content: str) -> str:
    """Return a content as a value of a call: its reader takes off one line feed at the end."""
    return content + "\n" if content.endswith("\n") else content


def _find_values(action: Action, section: Section) -> Iterator[_Values]:
    """Yield the values that a section could write for an action."""
    content = action.content or ""
    # Free texts of lines end with a line feed.
    lines = f"{content}\n" if content else ""
    line_count = lines.count("\n")
    chosen = {
        "FENCE": choose_fence(content),
        "END": choose_end(content, section.patterns.get("END", "")),
        # The head of a new file in a diff, with the number of its lines.
        "_HUNK": f"@@ -0,0 +1,{line_count} @@\n",
        # A diff has the path twice.
        "OLD": action.path,
    }
    paths = [action.path]
    verb = "write" if action.type == "create" else action.type
    match section.rule:
        case "call":
            yield from _call_values(action, verb, section, chosen)
        case "command" if verb == "run":
            is_lines = any(free.is_lines for free in section.free.values())
            ending = "\n" if is_lines else ""
            command = f"{action.path}{ending}"
            yield _Values(chosen, COMMAND=[command])
        case "delete" if verb == "delete":
            yield _Values(chosen, PATH=paths)
        case "edit" if verb == "edit" and "SEARCH" in section.terminals:
            edits = action.edits or _read_blocks(content)
            if edits:
                yield _pair_values(edits, _Values(chosen, PATH=paths))
        case "edit" if verb == "write" and "SEARCH" in section.terminals:
            # A block that searches for nothing is a new file.
            new = lines if _takes_lines(section) else _as_value(content)
            whole = (Replacement("", new),)
            yield _pair_values(whole, _Values(chosen, PATH=paths))
        case "edit" if verb == "edit":
            yield _Values(chosen, PATH=paths, PATCH=[lines])
        case "write" if verb == "write" or (verb == "edit" and not _WHOLE & section.terminals):
            yield _file_values(lines, section.terminals, _Values(chosen, PATH=paths))


def _takes_lines(section: Section) -> bool:
    """Return whether the new text of a pair is whole lines; otherwise a line feed follows it."""
    names = [text.name for text in section.free.values() if text.is_lines]
    return "REPLACE" in names


def _pair_values(edits: tuple[Replacement, ...], values: _Values) -> _Values:
    """Add pairs of old and new text."""
    values["SEARCH"] = [edit.old for edit in edits]
    values["REPLACE"] = [edit.new for edit in edits]
    return values


def _file_values(lines: str, names: frozenset[str], values: _Values) -> _Values:
    """Add the lines of a file, as the terminals of its section show them."""
    if "TAG" in names:
        values["TAG"] = ["file"]
    if "ADDED" in names:
        values["ADDED"] = [_begin_lines(_ANY_LINE, "+", lines)]
    elif "INDENTED" in names:
        values["INDENTED"] = [_begin_lines(_FULL_LINE, _INDENT, lines)]
    else:
        values["CONTENT"] = [lines]
    return values


def _begin_lines(pattern: Pattern, sign: str, lines: str) -> str:
    """Return lines with a sign before each line that a pattern finds."""
    return pattern.sub(lambda match: sign + match[0], lines)


def _call_values(
    action: Action, verb: str, section: Section, chosen: dict[str, str | None]
) -> Iterator[_Values]:
    table = load_tools()
    # A tool of one edit cannot take two.
    if verb not in table.first_tools or len(action.edits) > 1:
        return
    # The usual names come first in the table.
    rows = {"path": action.path, "content": _as_value(action.content or "")}
    if verb == "run":
        rows = {"command": action.path}
    elif verb == "delete":
        rows = {"path": action.path}
    elif action.edits:
        edit = action.edits[0]
        rows = {"path": action.path, "old": edit.old, "new": edit.new}
    tool = table.first_tools[verb]
    arguments = {}
    for role, value in rows.items():
        parameter = table.first_parameters[role]
        arguments[parameter] = value
    if "PYTHON" in section.terminals:
        words = [f"{key}={_quote(value)}" for key, value in arguments.items()]
        yield _Values(chosen, PYTHON=[f"{tool}({', '.join(words)})"])
    elif "JSON" not in section.terminals:
        keys = list(arguments)
        values = list(arguments.values())
        yield _Values(chosen, TOOL=[tool], KEY=keys, VALUE=values)
    elif "TOOL" in section.terminals:
        yield _Values(chosen, TOOL=[tool], JSON=[_quote(arguments)])
    else:
        call = {"name": tool, "arguments": arguments}
        yield _Values(chosen, JSON=[_quote(call)])


def _read_blocks(content: str) -> tuple[Replacement, ...]:
    """Return the pairs of search/replace blocks; none if a content is something else."""
    text = f"x\n{content}\n"
    items = find_items(text, formats()["search_replace"].sections, accept)
    return pairs_of(text, items[0]) if len(items) == 1 else ()


# ---- the walk over the automaton


def _read_edges(section: Section) -> dict[int, list[Edge]]:
    """Return the edges out of each state of a section."""
    edges: dict[int, list[Edge]] = {}
    for state, rows in section.trees.items():
        leaving = edges[int(state)] = []
        for tree, target in rows:
            expression = from_json(tree)
            leaving.append(Edge(expression, target))
    return edges


def _write_section(section: Section, values: _Values) -> str | None:
    """Return the text of a section; None if it cannot say what there is to be written."""
    text = ""
    state = START
    free = section.free
    edges_of = _read_edges(section)
    while state != FINAL:
        if state != START:
            # The free text itself.
            row = values[free[state].name]
            text += row.pop(0)
        for edge in edges_of[state]:
            # Something that it requires is missing.
            if not _can_write(edge.expression, values):
                continue
            names = _names_in(edge.expression)
            # An end must not leave a value unwritten.
            if edge.target == FINAL:
                if not values.left <= names:
                    continue
            elif free[edge.target].name not in values.left:
                continue
            try:
                text += _write(edge.expression, values, section)
            except _NothingLeftError:
                return None
            state = edge.target
            break
        else:
            return None
    if values.left:
        return None
    return text


def _names_in(expression: Expression) -> set[str]:
    """Return the names of the terminals of an expression."""
    return {leaf.name for leaf in leaves(expression) if isinstance(leaf, Term)}


def _needs_value(term: Term) -> bool:
    return not term.is_hidden and not term.same_as and term.name not in _CHOSEN


def _can_write(expression: Expression, values: _Values) -> bool:
    """Return whether all that an expression requires is there to be written."""
    match expression:
        case Term():
            return not _needs_value(expression) or bool(values.get(expression.name))
        case Sequence(parts):
            return all(_can_write(part, values) for part in parts)
        case Choice(parts):
            return any(_can_write(part, values) for part in parts)
        case Many(part, sign):
            return sign != "+" or _can_write(part, values)
    return True


def _says_something(expression: Expression, values: _Values) -> bool:
    """Return whether an expression writes a value."""
    for leaf in leaves(expression):
        if isinstance(leaf, Text) or not _needs_value(leaf):
            continue
        if values.get(leaf.name):
            return True
    return False


def _is_usual(expression: Expression) -> bool:
    """Return whether an optional part is written although it says nothing: a text or line end."""
    match expression:
        case Text():
            return True
        case Term(name):
            return name in LINE_ENDS
        case Choice(parts):
            # The first alternative is written.
            return _is_usual(parts[0])
    return all(map(_is_usual, children(expression)))


def _write(expression: Expression, values: _Values, section: Section) -> str:
    match expression:
        case Text(value):
            return value
        case Term():
            return _write_term(expression, values, section)
        case Sequence(parts):
            return "".join(_write(part, values, section) for part in parts)
        case Choice(parts):
            for part in parts:
                if _can_write(part, values):
                    return _write(part, values, section)
            return ""
        case Many(part, sign):
            is_needed = sign == "+" or _is_usual(part) or _says_something(part, values)
            is_written = is_needed and _can_write(part, values)
            if not is_written:
                return ""
            return _write(part, values, section)


def _write_term(term: Term, values: _Values, section: Section) -> str:
    if term.same_as:
        return values.same.get(term.same_as, "")
    if term.name in _CHOSEN:
        text = str(values.chosen[term.name])
    elif term.is_hidden:
        text = section.shortest[term.name]
    else:
        row = values[term.name]
        if not row:
            raise _NothingLeftError
        text = row.pop(0)
    values.same[term.name] = text
    return text
