"""Build the nodes of a document from the strict parser's tree.

Each rule of a grammar has a maker: a method with the rule's place and its children. A maker gets
the nodes that its children became, so `build` works from the leaves up. A rule without a maker
stays a tree. Rules that only a custom grammar has become `Part`s and `CustomSection`s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..document import (
    VITAL_NAMES,
    Action,
    Completeness,
    CustomSection,
    ErrorNote,
    Question,
    Section,
    Thought,
    Vitals,
    make_action,
    make_thought,
)
from ..grammar.lalr import Token, Tree
from ..grammar.section_patterns import Briefs, Makers, Place
from ..text.source import Span
from .parts import Attribute, as_attributes, flat_maker, part_maker, parts_of, read_block

SpanMaker = Callable[[int, int], Span]
# Terminals of the built-in grammars.
_VITALS = ("VITAL", "VITALS")
_NEEDS = ("DEPENDENCY", "PATH")
# Keys for the path and the dependencies among the attributes: no key in a text looks like these.
_PATH = "<path>"
_DEPENDENCIES = "<dependencies>"

# Verb, path, dependencies, number, and the arguments that only a custom grammar has.
_Head = tuple[str, str, tuple[str, ...], int | None, list[Any]]


class Builder:
    """Builds the nodes of one text.

    Attributes:
        span: Converts two offsets of the parsed text to a span of the caller's text that ends
            before line endings.
        exact: The same with line endings, for contents.
        own_sections: What only this dialect has; None or empty for the built-in dialects.
    """

    def __init__(
        self,
        span: SpanMaker,
        exact: SpanMaker,
        marks: Mapping[str, str] | None = None,
        own_sections: Mapping[str, Any] | None = None,
        text: str = "",
    ) -> None:
        """Prepare to build.

        Args:
            span: See the attribute.
            exact: See the attribute.
            marks: The marks of the dialect; some dialects have a mark for each vital.
            own_sections: See the attribute.
            text: The caller's text, of which custom sections keep their part.
        """
        self._marks = marks or {}
        self._names: dict[str, str] = {}  # of vitals, by mark; filled on first use
        # Only custom sections read it: they keep the text that they were written as.
        self._text = text
        self.span = span
        self.exact = exact
        self.own_sections = own_sections

    @property
    def makers(self) -> dict[str, Callable[[Any, list[Any]], Any]]:
        """The maker of each rule's node, by the name of the rule.

        It is built for each call: a kept table would hold the text in a cycle with this object.
        """
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
            # A custom grammar may extend these rules with its own, whose text is read as a token's.
            for name in ("thought", "vitals", "ask", "choice", "error"):
                makers[name] = flat_maker(makers[name])
            makers.update([(name, part_maker(name)) for name in self.own_sections["parts"]])
            makers.update(
                [(name, self._section_maker(name)) for name in self.own_sections["sections"]]
            )
        return makers

    def document(self, place: Place, children: list[Section]) -> tuple[Section, ...]:
        sections = []
        for child in children:
            if isinstance(child, list):  # the thoughts of a reasoning section
                sections += child
            else:
                sections.append(child)
        return tuple(sections)

    def thought(self, place: Place, children: list[Token]) -> Thought:
        text = children[0].value.rstrip(" \t\r\n") if children else ""
        return make_thought(text, self.span(*place))

    def vitals(self, place: Place, children: list[Token]) -> Vitals:
        values = {}
        for token in children:
            texts = token.value.split("\n") if token.type == "VITALS" else [token.value]
            for text in texts:
                if not text.strip():
                    continue
                name, number = self._split_vital(text)
                # A custom terminal gives its vital a name; the last value of a name counts.
                if self.own_sections and token.type not in _VITALS:
                    name = token.type.lower()
                values[name] = number
        return Vitals(tuple(values.items()), self.span(*place))

    def action(self, place: Place, children: list[Any]) -> Action:
        head: _Head = children[0]
        verb, path, dependencies, number, arguments = head
        attributes = {}
        repeated: dict[str, None] = {}  # an ordered set of keys
        content = within = None
        # The arguments that only a custom grammar has become attributes, before those of the text.
        if self.own_sections:
            children = [*children[:1], *as_attributes([*arguments, *children[1:]])]
        for child in children[1:]:
            if isinstance(child, Token):
                content, begin = read_block(child)
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
        # What a custom grammar adds to a head: all but verb, target and dependencies.
        further: list[Any] = []
        if self.own_sections:
            for at, child in enumerate(children):
                if not isinstance(child, Token) or (at > 1 and child.type not in _NEEDS):
                    further.append(child)
            children = [child for child in children if child not in further]
        values = [token.value for token in children]
        path = values[1] if len(values) > 1 else ""
        return values[0], path, tuple(values[2:]), number, further

    def path_line(self, place: Place, children: list[Token]) -> Attribute:
        return Attribute(_PATH, [children[0].value])

    def depends_line(self, place: Place, children: list[Token]) -> Attribute:
        return Attribute(_DEPENDENCIES, [token.value for token in children])

    def attribute(self, place: Place, children: list[Token]) -> Attribute:
        key = children[0].value[:-1]  # without the sign after it
        values = [token.value for token in children[1:]]
        return Attribute(key, values or [""])

    def reasoning(self, place: Place, children: list[Thought]) -> list[Thought]:
        # The line of the mark belongs to the first thought.
        first = children[0]
        span = replace(self.span(*place), end=first.span.end)
        return [replace(first, span=span), *children[1:]]

    def question(self, place: Place, children: list[Any]) -> Question:
        return Question(children[0], tuple(children[1:]), self.span(*place))

    def ask(self, place: Place, children: list[Token]) -> str:
        text = children[0].value if children else ""
        is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
        return text[1:-1] if is_quoted else text

    def choice(self, place: Place, children: list[Token]) -> str:
        return children[1].value if len(children) > 1 else ""

    def error(self, place: Place, children: list[Token]) -> ErrorNote:
        target = message = None
        for index, token in enumerate(children):
            # The first word is the code; without one, the message is the first child.
            if index and token.type == "WORD" and target is None:
                target = token.value
            elif token.type == "MESSAGE" and message is None:
                message = token.value
        return ErrorNote(children[0].value, target, message, self.span(*place))

    # The makers of sections that patterns read without tokens: `words` are the texts of the
    # terminals that `brief_makers` names, `at` is the offset of the content.

    def brief_thought(
        self, start: int, end: int, words: list[Any], content: str | None, at: int
    ) -> Thought:
        text = words[0] or ""
        return make_thought(text.rstrip(" \t\r\n"), self.span(start, end))

    def brief_action(
        self, start: int, end: int, words: list[Any], content: str | None, at: int
    ) -> Action:
        within = None if content is None else self.exact(at, at + len(content))
        return make_action(
            words[0],
            words[1] or "",
            content,
            (),
            1.0,
            Completeness.COMPLETE,
            self.span(start, end),
            within,
            None,
            (),
            (),
        )

    def _section_maker(self, name: str) -> Callable[[Place, list[Any]], CustomSection]:
        def make(place: Place, children: list[Any]) -> CustomSection:
            span = self.span(*place)
            text = self._text[span.start : span.end]
            return CustomSection(name, parts_of(children), text, span=span)

        return make

    def _split_vital(self, text: str) -> tuple[str, float]:
        """Return the name and the value of a vital.

        The name is that of its mark, or else the text between the mark of vitals and the number.
        """
        bare = text.rstrip(" \t\r")
        key = bare.rstrip(_NUMERIC)
        digits = bare[len(key) :]
        # The key may end with a point itself: the number has the last one.
        number = min(float(".".join(digits.split(".")[-2:])), _MAX_VITAL)
        key = key.rstrip(" \t")
        if not self._names:
            # Other marks may look like a vital: such as a comma `::m`.
            names = VITAL_NAMES.values()
            self._names = {self._marks[name]: name for name in names if name in self._marks}
        if key in self._names:
            return self._names[key], number
        # No mark for each vital: one mark for all, and a letter for the name.
        key = key.removeprefix(self._marks.get("vital", ""))
        return VITAL_NAMES.get(key, key), number


def brief_makers(builder: Builder) -> Briefs:
    """Return the makers of thoughts and actions that have only their words and a content.

    Returns:
        By rule, the maker and its terminals, each with alternatives; empty for a custom grammar,
        whose rules may have more.
    """
    if builder.own_sections:
        return {}
    verbs = ("VERB", "RUN")
    targets = ("PATH", "COMMAND")
    return {
        "thought": (builder.brief_thought, (("TEXT",),)),
        "action": (builder.brief_action, (verbs, targets)),
    }


def build(tree: Tree, makers: Makers) -> Any:
    """Build the node of a tree, after those of its children.

    Args:
        tree: A tree of the strict parser; its children are replaced.
        makers: The makers by rule (`Builder.makers`).

    Returns:
        The node; the tree itself if its rule has no maker.
    """
    children = []
    for child in tree.children:
        node = build(child, makers) if isinstance(child, Tree) else child
        children.append(node)
    maker = makers.get(tree.rule)
    if maker is not None:
        return maker((tree.start, tree.end), children)
    tree.children = children
    return tree


def _read_number(digits: str) -> int:
    """Return the number of an action; a number of too many digits is cut to a large one."""
    # `int` raises an error for more than 4,300 digits. No text has this many actions.
    if len(digits.lstrip("0")) > _MAX_DIGITS:
        return int("1" + "0" * _MAX_DIGITS)
    return int(digits)


_MAX_DIGITS = 18
_NUMERIC = "0123456789."
# So that no number becomes infinite, which JSON has no value for. Anything above 1.0 is reported.
_MAX_VITAL = 1e9
