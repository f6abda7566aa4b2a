"""What a grammar says of its own, written by the templates of its rules (`grammar/own_sections`).

A template may be written in several ways (a blank that may be missing, alternatives). The first is taken whose text the
strict parser reads as the same again.
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

_MOST_WAYS, _MOST_STEPS = 64, 50_000
_ANY = ""  # the name of a part that may stand for any terminal
WriteBlock = Callable[[str], str]
_Left = tuple[Part, ...]  # what is still to be written


def write_section(section: CustomSection, dialect: Dialect, write_block: WriteBlock) -> str:
    """Write a section of the dialect's own; raise `Refusal` if it has none of that name, or no way to write it."""
    if section.name not in dialect.own_sections:
        raise Refusal(f"the dialect has no section {section.name}")
    template = dialect.own_sections[section.name][2]
    if template is None:
        raise Refusal(f"how the rule {section.name} is written cannot be told from the grammar")
    writer = _Writer(write_block)
    return _choose(writer.write(template, section.parts), section, dialect) or _refuse(template, section.parts)


def write_action(action: Action, dialect: Dialect, write_block: WriteBlock) -> str:
    """Write an action whose verb takes arguments of the dialect's own."""
    template = dialect.own["action"]
    if template is None:
        raise Refusal("how the rule action is written cannot be told from the grammar")
    items = [Part(_ANY, action.type), Part(_ANY, action.path)]
    if action.number is not None:
        items.insert(0, Part("number", str(action.number)))
    items += [Part("dependency", dependency) for dependency in action.dependencies]
    items += [Part(name, value) for name, value in action.attributes]
    if action.content is not None:
        items.append(Part("block", action.content))
    lines = {
        key: f"  {dialect.marks['target']}{key}: {value}".rstrip(" ") + "\n"
        for key, value in action.attributes
        if key not in dialect.own["arguments"]
    }
    writer = _Writer(write_block, lines)
    return _choose(writer.write(template, tuple(items)), action, dialect) or _refuse(template, items)


def _choose(ways: Iterator[str], section: Section, dialect: Dialect) -> str:
    """Return the first text that says the section; if none does, the first at all: it tells why."""
    first = ""
    for text in islice(ways, _MOST_WAYS):
        first = first or text
        read = parse_valid(text, dialect)
        if read is not None and read.sections == (section,):
            return text
    return first


def _refuse(template: Sequence[Any], items: Sequence[Part]) -> str:
    """Raise `Refusal` with the first part that the grammar has not, or reads otherwise."""
    known = _leaves(template)
    for item in _flat(items):
        if item.name not in known:
            raise Refusal(f"the grammar has no part {item.name or item.text} of it")
        if item.name != "block" and not any(compile_pattern(each).fullmatch(item.text) for each in known[item.name]):
            raise Refusal(f"its {item.name} {item.text[:60]!r} is none that the grammar reads")
    raise Refusal("its parts are not those of the rule, or not in its order")


def _flat(items: Sequence[Part]) -> Iterator[Part]:
    for item in items:
        if item.parts:
            yield from _flat(item.parts)
        elif item.name != _ANY:
            yield item


def _leaves(template: Sequence[Any]) -> dict[str, list[str]]:
    """Return the patterns of parts by name: of a terminal, and of the rule that it is in, alone or before it."""
    found: dict[str, list[str]] = {}
    waiting: list[tuple[Any, str]] = [(template, "")]
    while waiting:
        node, within = waiting.pop()
        if node[0] == "leaf":
            for name in (node[1], within, f"{within}.{node[1]}"):
                found.setdefault(name, []).append(node[2])
        elif node[0] == "rule":
            waiting.append((node[2], node[1]))
        elif node[0] == "many":
            waiting.append((node[1], within))
        elif node[0] != "text":
            waiting += [(each, within) for each in node[1:]]
    return found


class _Writer:
    """Writes parts by templates: in their order, those of an action wherever a terminal of their name stands.

    `lines` are those of an action's attributes that have lines of their own.
    """

    def __init__(self, write_block: WriteBlock, lines: Mapping[str, str] | None = None) -> None:
        self._write_block, self._ordered, self._lines = write_block, lines is None, lines or {}
        self._steps = 0

    def write(self, template: Sequence[Any], items: _Left) -> Iterator[str]:
        """Yield the texts that write all of the items."""
        return (text for text, left in self._ways(template, items, "") if not left)

    def _ways(self, node: Sequence[Any], left: _Left, within: str) -> Iterator[tuple[str, _Left]]:
        """Yield the texts of a part of a template, each with what is left; `within` is the rule that it is in."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise Refusal("there are too many ways to write it")
        match node[0]:
            case "text":
                yield node[1], left
            case "leaf":
                yield from self._write_leaf(node[1], node[2], left, within)
            case "rule":
                yield from self._write_rule(node[1], node[2], left, within)
            case "any":
                for branch in node[1:]:
                    yield from self._ways(branch, left, within)
            case "all":
                yield from self._join(node[1:], left, within)
            case _:
                yield from self._repeat(node[1], (node[2], node[3]), left, within)

    def _write_leaf(self, name: str, pattern: str, left: _Left, within: str) -> Iterator[tuple[str, _Left]]:
        names = {_ANY, name, *(("dependency",) if name == "path" else ())}
        if not self._ordered and within:
            names = {within, f"{within}.{name}"}
        for at, item in enumerate(left):
            if self._ordered and at:
                return
            if item.name in names and not item.parts and (item.name != _ANY or name not in ("block", "number")):
                rest = (*left[:at], *left[at + 1 :])
                if name == "block":
                    yield self._write_block(item.text), rest
                    return
                if compile_pattern(pattern).fullmatch(item.text):
                    yield item.text, rest
                    return

    def _write_rule(self, name: str, inner: Sequence[Any], left: _Left, within: str) -> Iterator[tuple[str, _Left]]:
        if not self._ordered and name == "attribute":
            at = next((at for at, item in enumerate(left) if item.name in self._lines), None)
            if at is not None:
                yield self._lines[left[at].name], (*left[:at], *left[at + 1 :])
        elif not self._ordered:
            known = name in ("head", "verb_line", "run_line", "path_line", "command_line", "depends_line")
            yield from self._ways(inner, left, within if known else f"{within}.{name}".removeprefix("."))
        elif left and left[0].name == name:
            inside = left[0].parts or ((Part(_ANY, left[0].text),) if left[0].text else ())
            for text, rest in self._ways(inner, inside, name):
                if not rest:
                    yield text, left[1:]

    def _join(self, nodes: Sequence[Sequence[Any]], left: _Left, within: str) -> Iterator[tuple[str, _Left]]:
        if not nodes:
            yield "", left
            return
        for text, rest in self._ways(nodes[0], left, within):
            for further, last in self._join(nodes[1:], rest, within):
                yield text + further, last

    def _repeat(
        self, node: Sequence[Any], bounds: tuple[int, int], left: _Left, within: str
    ) -> Iterator[tuple[str, _Left]]:
        """Write as many as there are items for, then fewer; what takes no item is written if it is blank."""
        low, high = bounds
        done = [("", left)]
        while not high or len(done) <= high:
            before, at = done[-1]
            step = next(((text, rest) for text, rest in self._ways(node, at, within) if rest != at), None)
            if step is None:
                break
            done.append((before + step[0], step[1]))
        if len(done) == 1:
            empty = next((text for text, rest in self._ways(node, left, within) if rest == left), None)
            if empty is not None:
                written = (empty * max(low, 1), left)
                yield from (written,) if low else (written, ("", left)) if not empty.strip() else (("", left), written)
                return
        yield from reversed(done[low:])
