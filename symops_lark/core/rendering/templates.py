"""Write custom sections and arguments by the templates of a grammar's rules.

Purpose
    A grammar may define sections, vitals and arguments that this package does not know. The
    compiler (`grammar/compiling/own_sections`) stores the tree of each such rule as a template, and
    this module runs it backward: from the parts of a section to a text.

Theory of operation
    A template is a tree of lists whose first item is the kind of node::

        ["text", "## "]                    this text
        ["leaf", "title", "[^\\n]+"]        a terminal: its name in lower case, and its pattern
        ["rule", "entry", NODE]            a rule: its name and template
        ["all", NODE, NODE, …]             a sequence
        ["any", NODE, NODE, …]             alternatives, in the order of trying
        ["many", NODE, LOW, HIGH]          a repetition; HIGH 0: no limit

    Each method of `_Writer` yields pairs: a text, and the parts that remain to be written. A leaf
    takes one part, and a text is complete if none remains. As a text may be possible in several
    ways (a blank that may be missing, alternatives), the first is chosen that the strict parser
    reads as the same section. This is a search with backtracking, so both the steps and the texts
    are limited.

    Parts of a section are in the order of the text. Those of an action are not: a terminal takes
    the part of its name, wherever that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ..document import Action, CustomSection, Part, Section
from ..grammar.dialect import Dialect
from ..patterns.regexes import compile_pattern
from ..strict.parser import parse_valid
from .refusal import Refusal

# Texts that are parsed, each as long as the section. Six optional blanks give 64 texts.
_MAX_WAYS = 64
# Nodes that are visited. It ends a search that would take exponential time where nothing fits.
_MAX_STEPS = 50_000
_ANY = ""  # the name of a part that any terminal may take
# Rules of every grammar's actions: they do not name an argument, so they do not count as "within".
_HEAD_RULES = frozenset(
    (
        "head",  # one line: verb, path and dependencies
        "verb_line",  # or a line for each of them
        "run_line",
        "path_line",
        "command_line",
        "depends_line",
    )
)
WriteBlock = Callable[[str], str]
_Node = Sequence[Any]  # of a template
_Parts = tuple[Part, ...]  # the parts that remain to be written
_Way = tuple[str, _Parts]


def write_section(section: CustomSection, dialect: Dialect, write_block: WriteBlock) -> str:
    """Write a custom section.

    Args:
        section: The section.
        dialect: The dialect.
        write_block: A function that writes a content with its delimiters.

    Returns:
        The text. It may be a text that the parser does not read as this section.

    Raises:
        Refusal: The dialect has no such section, or no way to write it.
    """
    if section.name not in dialect.own_sections:
        raise Refusal(f"the dialect has no section {section.name}")
    _mark, _has_block, template, _lines = dialect.own_sections[section.name]
    if template is None:
        raise Refusal(f"the grammar does not determine how the rule {section.name} is written")
    parts = section.parts
    texts = _Writer(write_block).write(template, parts)
    return _choose(texts, section, dialect) or _refuse(template, parts)


def write_action(action: Action, dialect: Dialect, write_block: WriteBlock) -> str:
    """Write an action with arguments that only a custom verb of the dialect takes.

    Args:
        action: The action.
        dialect: The dialect.
        write_block: A function that writes a content with its delimiters.

    Returns:
        The text. It may be a text that the parser does not read as this action.

    Raises:
        Refusal: The dialect has no way to write it.
    """
    template = dialect.own["action"]
    if template is None:
        raise Refusal("the grammar does not determine how the rule action is written")
    parts = []
    if action.number is not None:
        number = str(action.number)
        parts.append(Part("number", number))
    # Every grammar has a verb and a path, but each names these terminals as it likes.
    parts.append(Part(_ANY, action.type))
    parts.append(Part(_ANY, action.path))
    parts += [Part("dependency", path) for path in action.dependencies]
    parts += [Part(name, value) for name, value in action.attributes]
    if action.content is not None:
        parts.append(Part("block", action.content))
    target = dialect.marks["target"]
    own_arguments = dialect.own["arguments"]
    lines = {}  # of the attributes that are not arguments of the verb
    for key, value in action.attributes:
        if key in own_arguments:
            continue
        line = f"  {target}{key}: {value}"
        line = line.rstrip(" ")
        lines[key] = line + "\n"
    writer = _Writer(write_block, lines)
    texts = writer.write(template, tuple(parts))
    return _choose(texts, action, dialect) or _refuse(template, parts)


def _choose(texts: Iterator[str], section: Section, dialect: Dialect) -> str:
    """Return the first text that is parsed as the section; else the first text; else nothing.

    A wrong text is better than none: the renderer explains from it what is wrong.
    """
    first = ""
    for text in islice(texts, _MAX_WAYS):
        first = first or text
        document = parse_valid(text, dialect)
        if document is None:
            continue
        if document.sections == (section,):
            return text
    return first


def _refuse(template: _Node, parts: Sequence[Part]) -> str:
    """Raise `Refusal` for the first part that the grammar does not have, or does not accept."""
    patterns = _leaves(template)
    for part in _flatten(parts):
        if part.name not in patterns:
            label = part.name or part.text
            raise Refusal(f"the grammar has no part {label} of it")
        if part.name == "block":
            continue
        accepted = patterns[part.name]
        compiled = map(compile_pattern, accepted)
        if not any(pattern.fullmatch(part.text) for pattern in compiled):
            excerpt = part.text[:60]
            raise Refusal(f"its {part.name} {excerpt!r} is not one that the grammar reads")
    raise Refusal("its parts are not those of the rule, or not in its order")


def _flatten(parts: Sequence[Part]) -> Iterator[Part]:
    """Yield the named parts without inner parts."""
    for part in parts:
        if part.parts:
            yield from _flatten(part.parts)
        elif part.name != _ANY:
            yield part


def _leaves(template: _Node) -> dict[str, list[str]]:
    """Return the patterns of terminals by the names that a part may have.

    These are the terminal's name, the name of its rule, and both with a dot between them.
    """
    patterns: dict[str, list[str]] = {}
    root: tuple[Any, str] = (template, "")
    waiting = [root]
    while waiting:
        node, within = waiting.pop()
        match node:
            case ["leaf", terminal, pattern]:
                for name in (terminal, within, f"{within}.{terminal}"):
                    patterns.setdefault(name, []).append(pattern)
            case ["rule", name, inner]:
                waiting.append((inner, name))
            case ["many", inner, _, _]:
                waiting.append((inner, within))
            case ["all" | "any", *nodes]:
                waiting += [(child, within) for child in nodes]
    return patterns


class _Writer:
    """Writes parts by a template, in the order of the parts or, for an action, of the template."""

    def __init__(self, write_block: WriteBlock, lines: Mapping[str, str] | None = None) -> None:
        """Store what texts need; `lines` are an action's attribute lines, None for a section."""
        self._write_block = write_block
        self._is_ordered = lines is None
        self._lines = lines or {}
        self._steps = 0

    def write(self, template: _Node, parts: _Parts) -> Iterator[str]:
        """Yield the texts that write all of the parts."""
        for text, remaining in self._ways(template, parts, ""):
            if not remaining:
                yield text

    def _ways(self, node: _Node, parts: _Parts, within: str) -> Iterator[_Way]:
        """Yield the texts of a node, each with the remaining parts; `within` is its rule."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise Refusal("there are too many ways to write it")
        match node:
            case ["text", text]:
                yield text, parts
            case ["leaf", name, pattern]:
                yield from self._write_leaf(name, pattern, parts, within)
            case ["rule", name, inner]:
                yield from self._write_rule(name, inner, parts, within)
            case ["any", *branches]:
                for branch in branches:
                    yield from self._ways(branch, parts, within)
            case ["all", *nodes]:
                yield from self._join(nodes, parts, within)
            case ["many", inner, low, high]:
                yield from self._repeat(inner, low, high, parts, within)

    def _write_leaf(self, name: str, pattern: str, parts: _Parts, within: str) -> Iterator[_Way]:
        """Yield the text of the first part that a terminal can take."""
        names = {_ANY, name}
        if name == "path":
            names.add("dependency")  # a grammar may read dependencies by its terminal PATH
        if not self._is_ordered and within:
            # In a custom rule, the parts of an action are named after the rule.
            names = {within, f"{within}.{name}"}
        # In order, only the first part can be next.
        candidates = parts[:1] if self._is_ordered else parts
        for index, part in enumerate(candidates):
            if part.name not in names or part.parts:
                continue
            if part.name == _ANY and name in ("block", "number"):
                continue  # the verb and the path are neither
            remaining = _without(parts, index)
            if name == "block":
                yield self._write_block(part.text), remaining
                return
            compiled = compile_pattern(pattern)
            if compiled.fullmatch(part.text):
                yield part.text, remaining
                return

    def _write_rule(self, name: str, inner: _Node, parts: _Parts, within: str) -> Iterator[_Way]:
        """Yield the texts of a rule inside the rule `within`."""
        if self._is_ordered:
            if parts and parts[0].name == name:
                yield from self._write_inner(name, inner, parts)
        elif name == "attribute":
            for index, part in enumerate(parts):
                if part.name in self._lines:
                    line = self._lines[part.name]
                    yield line, _without(parts, index)
                    return
        elif name in _HEAD_RULES:
            yield from self._ways(inner, parts, within)
        else:
            path = f"{within}.{name}" if within else name
            yield from self._ways(inner, parts, path)

    def _write_inner(self, name: str, inner: _Node, parts: _Parts) -> Iterator[_Way]:
        """Yield the texts of the first part by the template of its rule."""
        first = parts[0]
        # A rule without named terminals gives a part with a text instead of parts.
        inner_parts = first.parts
        if not inner_parts and first.text:
            inner_parts = (Part(_ANY, first.text),)
        following = parts[1:]
        for text, remaining in self._ways(inner, inner_parts, name):
            if not remaining:
                yield text, following

    def _join(self, nodes: Sequence[_Node], parts: _Parts, within: str) -> Iterator[_Way]:
        """Yield the texts of a sequence of nodes."""
        if not nodes:
            yield "", parts
            return
        first, *following_nodes = nodes
        for text, remaining in self._ways(first, parts, within):
            for following, last in self._join(following_nodes, remaining, within):
                yield text + following, last

    def _repeat(
        self, inner: _Node, low: int, high: int, parts: _Parts, within: str
    ) -> Iterator[_Way]:
        """Yield a repetition with the maximum number of items, then with fewer."""
        ways = [("", parts)]  # by the number of items
        while not high or len(ways) <= high:
            text, remaining = ways[-1]
            item = self._first_way(inner, remaining, within, takes_part=True)
            if item is None:
                break
            item_text, remaining = item
            ways.append((text + item_text, remaining))
        if len(ways) == 1:
            # No part fits, but the items may be pure text, such as blanks and marks.
            empty = self._first_way(inner, parts, within, takes_part=False)
            if empty is not None:
                yield from _repeat_text(empty[0], low, parts)
                return
        # The most items first: a greedy repetition is what the parser would read.
        yield from reversed(ways[low:])

    def _first_way(self, node: _Node, parts: _Parts, within: str, takes_part: bool) -> _Way | None:
        """Return the first text of a node that takes a part, or that takes none."""
        for text, remaining in self._ways(node, parts, within):
            has_taken = remaining != parts
            if has_taken == takes_part:
                return text, remaining
        return None


def _without(parts: _Parts, index: int) -> _Parts:
    before = parts[:index]
    after = parts[index + 1 :]
    return (*before, *after)


def _repeat_text(text: str, low: int, parts: _Parts) -> Iterator[_Way]:
    """Yield a repeated text that takes no part, in the order of preference."""
    repeated = text * max(low, 1)
    is_optional = not low
    is_blank = not text.strip()
    # An optional mark is left out first, an optional blank is written first.
    if is_optional and not is_blank:
        yield "", parts
    yield repeated, parts
    if is_optional and is_blank:
        yield "", parts
