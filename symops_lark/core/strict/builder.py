"""From the strict parser's tree to nodes: which rule becomes which class, and where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..document import (
    VITAL_NAMES,
    Action,
    Completeness,
    CustomSection,
    ErrorNote,
    Part,
    Question,
    Section,
    Thought,
    Vitals,
    make_action,
    make_thought,
)
from ..grammar.lalr import Token, Tree
from ..grammar.section_patterns import CONTENT, Briefs, Makers, Place, content_of
from ..text.source import Span

SpanMaker = Callable[[int, int], Span]
_VITALS, _NEEDS = ("VITAL", "VITALS"), ("DEPENDENCY", "PATH")
_BLOCKS = ("BLOCK", CONTENT)
_PATH, _DEPENDENCIES = "<path>", "<dependencies>"  # no attribute's key looks like these


# Its verb, its path, its dependencies, its number, what only this grammar has in it.
_Head = tuple[str, str, tuple[str, ...], int | None, list[Any]]


class _Attribute(NamedTuple):
    key: str
    values: list[str]


def split_block(block: str) -> tuple[str, int]:
    """Return the content of a block (with both delimiter lines) and the offset at which it begins."""
    begin = block.index("\n") + 1
    return content_of(block, begin, block.rindex("\n", 0, len(block) - 1) + 1), begin


def _read_block(token: Token) -> tuple[str, int]:
    """Return the content of a block's token, and the offset at which it begins in it."""
    return (token.value, 0) if token.type == CONTENT else split_block(token.value)


class Builder:
    """Build the nodes of one text; `span` and `exact` convert offsets of the parsed text to places in the caller's.

    `span` leaves out line endings at the end, `exact` (for contents) leaves out nothing. `makers` gives the maker of
    each rule's node by the rule's name; `marks` are those of the dialect (some have a mark for each vital),
    `own_sections` what it says of its own, `text` the caller's text.
    """

    def __init__(
        self,
        span: SpanMaker,
        exact: SpanMaker,
        marks: Mapping[str, str] | None = None,
        own_sections: Mapping[str, Any] | None = None,
        text: str = "",
    ) -> None:
        self._marks = marks or {}
        self._names: dict[str, str] = {}  # by mark; made when first asked for
        self._text = text
        self.span = span
        self.exact = exact
        self.own_sections = own_sections

    @property
    def makers(self) -> dict[str, Callable[[Any, list[Any]], Any]]:
        """The maker of each rule's node by the rule's name; not kept, for nothing here lives longer than its text."""
        makers: dict[str, Callable[[Any, list[Any]], Any]] = {
            "document": self.document,
            "reasoning": self.reasoning,
            "thought": self.thought,
            "vitals": self.vitals,
            "action": self.action,
            "head": self.head,
            "verb_line": self.head,
            "run_line": self.head,
            "path_line": self.path_line,
            "command_line": self.path_line,
            "depends_line": self.depends_line,
            "attribute": self.attribute,
            "question": self.question,
            "ask": self.ask,
            "choice": self.choice,
            "error": self.error,
        }
        if self.own_sections:
            for name in ("thought", "vitals", "ask", "choice", "error"):
                makers[name] = _flat_maker(makers[name])
            makers.update([(name, _part_maker(name)) for name in self.own_sections["parts"]])
            makers.update([(name, self._section_maker(name)) for name in self.own_sections["sections"]])
        return makers

    def document(self, place: Place, children: list[Section]) -> tuple[Section, ...]:
        return tuple(node for child in children for node in (child if isinstance(child, list) else (child,)))

    def thought(self, place: Place, children: list[Token]) -> Thought:
        return make_thought(children[0].value.rstrip(" \t\r\n") if children else "", self.span(*place))

    def vitals(self, place: Place, children: list[Token]) -> Vitals:
        values: dict[str, float] = {}
        for token in children:
            for text in token.value.split("\n") if token.type == "VITALS" else (token.value,):
                if text:
                    name, number = self._split_vital(text)
                    if self.own_sections and token.type not in _VITALS:
                        name = token.type.lower()
                    values[name] = number
        return Vitals(tuple(values.items()), self.span(*place))

    def action(self, place: Place, children: list[Any]) -> Action:
        head: _Head = children[0]
        verb, path, dependencies, number, arguments = head
        attributes: dict[str, str] = {}
        repeated: dict[str, None] = {}  # in order
        content = within = None
        if self.own_sections:
            children = [*children[:1], *_as_attributes([*arguments, *children[1:]])]
        for child in children[1:]:
            if isinstance(child, Token):
                content, begin = _read_block(child)
                at = child.start + begin
                within = self.exact(at, at + len(content))
            elif child.key == _PATH:
                path = child.values[0]
            elif child.key == _DEPENDENCIES:
                dependencies = (*dependencies, *child.values)
            else:
                if child.key in attributes:
                    repeated[child.key] = None
                attributes[child.key] = child.values[0]
        return make_action(
            verb,
            path,
            content,
            dependencies,
            1.0,
            Completeness.COMPLETE,
            self.span(*place),
            within,
            number,
            tuple(attributes.items()),
            tuple(repeated),
        )

    def head(self, place: Place, children: list[Any]) -> _Head:
        number = _read_number(children.pop(0).value) if children[0].type == "NUMBER" else None
        further: list[Any] = []
        if self.own_sections:
            for at, child in enumerate(children):
                if not isinstance(child, Token) or (at > 1 and child.type not in _NEEDS):
                    further.append(child)
            children = [child for child in children if child not in further]
        values = [token.value for token in children]
        return values[0], values[1] if len(values) > 1 else "", tuple(values[2:]), number, further

    def path_line(self, place: Place, children: list[Token]) -> _Attribute:
        return _Attribute(_PATH, [children[0].value])

    def depends_line(self, place: Place, children: list[Token]) -> _Attribute:
        return _Attribute(_DEPENDENCIES, [token.value for token in children])

    def attribute(self, place: Place, children: list[Token]) -> _Attribute:
        return _Attribute(children[0].value[:-1], [token.value for token in children[1:]] or [""])

    def reasoning(self, place: Place, children: list[Thought]) -> list[Thought]:
        # The line of the mark belongs to the first thought.
        first, begin = children[0], self.span(*place)
        return [replace(first, span=replace(begin, end=first.span.end)), *children[1:]]

    def question(self, place: Place, children: list[Any]) -> Question:
        return Question(children[0], tuple(children[1:]), self.span(*place))

    def ask(self, place: Place, children: list[Token]) -> str:
        text = children[0].value if children else ""
        return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text

    def choice(self, place: Place, children: list[Token]) -> str:
        return children[1].value if len(children) > 1 else ""

    def error(self, place: Place, children: list[Token]) -> ErrorNote:
        target = next((t.value for t in children[1:] if t.type == "WORD"), None)
        message = next((t.value for t in children if t.type == "MESSAGE"), None)
        return ErrorNote(children[0].value, target, message, self.span(*place))

    def brief_thought(self, start: int, end: int, words: list[Any], content: str | None, at: int) -> Thought:
        return make_thought((words[0] or "").rstrip(" \t\r\n"), self.span(start, end))

    def brief_action(self, start: int, end: int, words: list[Any], content: str | None, at: int) -> Action:
        within = None if content is None else self.exact(at, at + len(content))
        whole, path = Completeness.COMPLETE, words[1] or ""
        return make_action(words[0], path, content, (), 1.0, whole, self.span(start, end), within, None, (), ())

    def _section_maker(self, name: str) -> Callable[[Place, list[Any]], CustomSection]:
        def make(place: Place, children: list[Any]) -> CustomSection:
            span = self.span(*place)
            return CustomSection(name, _parts(children), self._text[span.start : span.end], span=span)

        return make

    def _split_vital(self, text: str) -> tuple[str, float]:
        """Return a vital's name and value: the name is that of its mark, or what stands between mark and number."""
        bare = text.rstrip(" \t\r")
        key = bare.rstrip(_NUMERIC)
        number = min(float(".".join(bare[len(key) :].split(".")[-2:])), _LARGEST)
        key = key.rstrip(" \t")
        if not self._names:
            self._names = {mark: name for name, mark in self._marks.items()}
        if key in self._names:
            return self._names[key], number
        key = key.removeprefix(self._marks.get("vital", ""))
        return VITAL_NAMES.get(key, key), number


def brief_makers(builder: Builder) -> Briefs:
    """Return the makers of thoughts and actions that say no more than their words and a content."""
    if builder.own_sections:
        return {}
    thought, action = builder.brief_thought, builder.brief_action
    return {"thought": (thought, (("TEXT",),)), "action": (action, (("VERB", "RUN"), ("PATH", "COMMAND")))}


def build(tree: Tree, makers: Makers) -> Any:
    """Return what the makers make of a tree of the strict parser; of a rule that has no maker, the tree itself."""
    children = [build(child, makers) if isinstance(child, Tree) else child for child in tree.children]
    maker = makers.get(tree.rule)
    if maker is not None:
        return maker((tree.start, tree.end), children)
    tree.children = children
    return tree


def _flat_maker(make: Callable[[Place, list[Any]], Any]) -> Callable[[Place, list[Any]], Any]:
    """Return a maker that takes what rules of the grammar's own say as texts, too."""
    return lambda place, children: make(
        place, [Token(child.name.upper(), _say(child), 0) if isinstance(child, Part) else child for child in children]
    )


def _say(part: Part) -> str:
    return part.text or " ".join(map(_say, part.parts))


def _part_maker(name: str) -> Callable[[Place, list[Any]], Part]:
    return lambda place, children: _make_part(name, children)


def _make_part(name: str, children: list[Any]) -> Part:
    """Return what a rule says that has no node of its own; one that is a single terminal says its text."""
    lone = len(children) == 1 and isinstance(children[0], Token) and children[0].type not in _BLOCKS
    return Part(name, children[0].value) if lone else Part(name, "", _parts(children))


def _parts(children: list[Any]) -> tuple[Part, ...]:
    found: list[Part] = []
    for child in children:
        if isinstance(child, Token):
            block = child.type in _BLOCKS
            found.append(Part("block", _read_block(child)[0]) if block else Part(child.type.lower(), child.value))
        elif isinstance(child, Part):
            found.append(child)
    return tuple(found)


def _as_attributes(children: list[Any]) -> list[Any]:
    """Return what follows an action's head, with attributes in the place of what only this grammar has there."""
    found: list[Any] = []
    for child in children:
        if isinstance(child, Part) or (isinstance(child, Token) and child.type not in _BLOCKS):
            found += [_Attribute(name, [text]) for name, text in _arguments(child)]
        else:
            found.append(child)
    return found


def _arguments(child: Any) -> list[tuple[str, str]]:
    """Return the names and texts of an argument; what a rule of several terminals says has the names of both."""
    if isinstance(child, Token):
        return [(child.type.lower(), child.value)]
    if not child.parts:
        return [(child.name, child.text)]
    return [(f"{child.name}.{name}", text) for part in child.parts for name, text in _arguments(part)]


def _read_number(digits: str) -> int:
    """Return the number of an action; one that counts no actions of any text is cut: `int` refuses very long ones."""
    return int(digits) if len(digits.lstrip("0")) <= _DIGITS else int("1" + "0" * _DIGITS)


_DIGITS = 18
_NUMERIC = "0123456789."
_LARGEST = 1e9  # so that no number becomes infinite, which JSON cannot say; anything above 1.0 is reported anyway
