"""From the strict parser's tree to nodes: which rule becomes which class, and where it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lark import Token, Transformer, Tree, v_args

from .document import VITAL_NAMES, Action, ErrorNote, Question, Section, Thought, Vitals
from .source import Span

SpanMaker = Callable[[int, int], Span]
_RULES = ("thought", "vitals", "action", "head", "question", "ask", "choice", "error")


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
    each rule's node by the rule's name.
    """

    def __init__(self, span: SpanMaker, exact: SpanMaker) -> None:
        super().__init__(visit_tokens=False)
        self.span = span
        self.exact = exact
        self.makers: dict[str, Callable[..., Any]] = {rule: getattr(self, rule) for rule in _RULES}

    def document(self, meta: Any, children: list[Section]) -> tuple[Section, ...]:
        return tuple(children)

    def thought(self, meta: Any, children: list[Token]) -> Thought:
        return Thought(str(children[0]) if children else "", self._place(meta))

    def vitals(self, meta: Any, children: list[Token]) -> Vitals:
        values: dict[str, float] = {}
        for token in children:
            key, number = _split_vital(str(token))
            values[VITAL_NAMES[key]] = number
        return Vitals(tuple(values.items()), self._place(meta))

    def action(self, meta: Any, children: list[Any]) -> Action:
        verb, path, dependencies = children[0]
        if len(children) == 1:
            return Action(verb, path, None, dependencies, span=self._place(meta))
        block = children[1]
        content, begin = split_block(block)
        at = block.start_pos + begin
        place = self.exact(at, at + len(content))
        return Action(verb, path, content, dependencies, span=self._place(meta), content_span=place)

    def head(self, meta: Any, children: list[Token]) -> tuple[str, str, tuple[str, ...]]:
        verb, path, *dependencies = (str(token) for token in children)
        return verb, path, tuple(dependencies)

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

    def _place(self, meta: Any) -> Span:
        return self.span(meta.start_pos, meta.end_pos)


def build(tree: Tree[Token], span: SpanMaker, exact: SpanMaker) -> Any:
    """Turn a tree of the strict parser into its node (a tuple of sections for a whole document)."""
    return Builder(span, exact).transform(tree)


_LARGEST = 1e9  # so that no number becomes infinite, which JSON cannot say; anything above 1.0 is reported anyway


def _split_vital(text: str) -> tuple[str, float]:
    """Split `::c0.88` after its mark: the mark has no ASCII letter followed by a digit, the key has."""
    at = next(i for i, c in enumerate(text) if c in VITAL_NAMES and text[i + 1 : i + 2].isdigit())
    return text[at], min(float(text[at + 1 :]), _LARGEST)
