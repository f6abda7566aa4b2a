"""From the strict parser's tree to nodes: which rule becomes which class, and where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from lark import Token, Transformer, Tree, v_args

from ..document import VITAL_NAMES, Action, ErrorNote, Question, Section, Thought, Vitals
from ..source import Span

SpanMaker = Callable[[int, int], Span]
_RULES = (
    "reasoning",
    "thought",
    "vitals",
    "action",
    "head",
    "verb_line",
    "run_line",
    "path_line",
    "command_line",
    "depends_line",
    "attribute",
    "question",
    "ask",
    "choice",
    "error",
)
_NAMES = frozenset(VITAL_NAMES.values())
_PATH, _DEPENDENCIES = "<path>", "<dependencies>"  # no attribute's key looks like these


class _Head(NamedTuple):
    verb: str
    path: str
    dependencies: tuple[str, ...]
    number: int | None


class _Attribute(NamedTuple):
    key: str
    values: list[str]


def split_block(block: str) -> tuple[str, int]:
    """Give the content of a block (with both delimiter lines) and the offset at which it begins.

    The line ending before the closing delimiter belongs to the delimiter.
    """
    begin = block.index("\n") + 1
    end = block.rindex("\n", 0, len(block) - 1) + 1
    content = block[begin:end]
    return content.removesuffix("\n").removesuffix("\r"), begin


@v_args(meta=True)
class Builder(Transformer[Token, Any]):
    """Build the nodes of one text; `span` and `exact` convert offsets of the parsed text to places in the caller's.

    `span` leaves out line endings at the end, `exact` (for contents) leaves out nothing. `makers` gives the maker of
    each rule's node by the rule's name; `marks` are those of the dialect (some have a mark for each vital).
    """

    def __init__(self, span: SpanMaker, exact: SpanMaker, marks: Mapping[str, str] | None = None) -> None:
        super().__init__(visit_tokens=False)
        self.vital_marks = {mark: name for name, mark in (marks or {}).items() if name in _NAMES}
        self.span = span
        self.exact = exact
        self.makers: dict[str, Callable[..., Any]] = {rule: getattr(self, rule) for rule in _RULES}

    def document(self, meta: Any, children: list[Section]) -> tuple[Section, ...]:
        return tuple(node for child in children for node in (child if isinstance(child, list) else (child,)))

    def thought(self, meta: Any, children: list[Token]) -> Thought:
        return Thought(str(children[0]).rstrip(" \t\r\n") if children else "", self._place(meta))

    def vitals(self, meta: Any, children: list[Token]) -> Vitals:
        values: dict[str, float] = {}
        for token in children:
            for text in str(token).split("\n") if token.type == "VITALS" else (str(token),):
                if text:
                    name, number = self._split_vital(text)
                    values[name] = number
        return Vitals(tuple(values.items()), self._place(meta))

    def action(self, meta: Any, children: list[Any]) -> Action:
        head: _Head = children[0]
        path, dependencies = head.path, list(head.dependencies)
        attributes: dict[str, str] = {}
        repeated: dict[str, None] = {}  # in order
        content = place = None
        for child in children[1:]:
            if isinstance(child, Token):
                content, begin = split_block(child)
                at = (child.start_pos or 0) + begin
                place = self.exact(at, at + len(content))
            elif child.key == _PATH:
                path = child.values[0]
            elif child.key == _DEPENDENCIES:
                dependencies += child.values
            else:
                if child.key in attributes:
                    repeated[child.key] = None
                attributes[child.key] = child.values[0]
        return Action(
            head.verb,
            path,
            content,
            tuple(dependencies),
            span=self._place(meta),
            content_span=place,
            number=head.number,
            attributes=tuple(attributes.items()),
            repeated_attributes=tuple(repeated),
        )

    def head(self, meta: Any, children: list[Token]) -> _Head:
        number = _read_number(children.pop(0)) if children[0].type == "NUMBER" else None
        verb, *rest = (str(token) for token in children)
        return _Head(verb, rest[0] if rest else "", tuple(rest[1:]), number)

    verb_line = run_line = head

    def path_line(self, meta: Any, children: list[Token]) -> _Attribute:
        return _Attribute(_PATH, [str(children[0])])

    command_line = path_line

    def depends_line(self, meta: Any, children: list[Token]) -> _Attribute:
        return _Attribute(_DEPENDENCIES, [str(token) for token in children])

    def attribute(self, meta: Any, children: list[Token]) -> _Attribute:
        return _Attribute(str(children[0])[:-1], [str(token) for token in children[1:]] or [""])

    def reasoning(self, meta: Any, children: list[Thought]) -> list[Thought]:
        # The line of the mark belongs to the first thought.
        first, begin = children[0], self._place(meta)
        return [replace(first, span=replace(begin, end=first.span.end)), *children[1:]]

    def question(self, meta: Any, children: list[Any]) -> Question:
        return Question(children[0], tuple(children[1:]), self._place(meta))

    def ask(self, meta: Any, children: list[Token]) -> str:
        text = str(children[0]) if children else ""
        return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text

    def choice(self, meta: Any, children: list[Token]) -> str:
        return str(children[1]) if len(children) > 1 else ""

    def error(self, meta: Any, children: list[Token]) -> ErrorNote:
        target = next((str(t) for t in children[1:] if t.type == "WORD"), None)
        message = next((str(t) for t in children if t.type == "MESSAGE"), None)
        return ErrorNote(str(children[0]), target, message, self._place(meta))

    def _split_vital(self, text: str) -> tuple[str, float]:
        """Give a vital's name and value: the name is that of its mark, or the letter before the number (`::c0.88`; the
        mark has no ASCII letter followed by a digit).
        """
        for mark, name in self.vital_marks.items():
            if text.startswith(mark):
                return name, min(float(text[len(mark) :]), _LARGEST)
        at = next(i for i, c in enumerate(text) if c in VITAL_NAMES and text[i + 1 : i + 2].isdigit())
        return VITAL_NAMES[text[at]], min(float(text[at + 1 :]), _LARGEST)

    def _place(self, meta: Any) -> Span:
        return self.span(meta.start_pos, meta.end_pos)


def build(tree: Tree[Token], span: SpanMaker, exact: SpanMaker, marks: Mapping[str, str] | None = None) -> Any:
    """Turn a tree of the strict parser into its node (a tuple of sections for a whole document)."""
    return Builder(span, exact, marks).transform(tree)


def _read_number(digits: str) -> int:
    """Read the number of an action; one that counts no actions of any text is cut: `int` refuses very long ones."""
    return int(digits) if len(digits.lstrip("0")) <= _DIGITS else int("1" + "0" * _DIGITS)


_DIGITS = 18
_LARGEST = 1e9  # so that no number becomes infinite, which JSON cannot say; anything above 1.0 is reported anyway
