"""The rules that work on a whole text before it is read: `replace_text` and `unwrap_text`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..grammar.dialect import Dialect
from ..patterns.regexes import compile_pattern, is_encodable
from ..recovery.lines.kinds import CLOSE, DELIM, OPEN, Kind
from ..recovery.lines.lexer import LineLexer
from ..recovery.lines.roles import HEADS
from ..recovery.lines.spelling import NoRepairer
from .edits import Edit, make_edits
from .rule import Rule, fill_pattern, fill_template
from .wrappers import WRAPPERS

_TELLING = HEADS | {Kind.VITALS, Kind.THOUGHT, Kind.REASONING, OPEN, CLOSE, DELIM}


class TextRules:
    """The text rules of one dialect, in their order; `compile_key` gives a pattern of a rule by its key."""

    def __init__(self, dialect: Dialect, rules: Sequence[Rule], compile_key: Callable[[Rule, str], Any]) -> None:
        self._dialect = dialect
        self._exact = LineLexer(dialect, NoRepairer())
        self._creates = compile_pattern(
            fill_pattern(r"{action}[ \t]*(?:[0-9]+[ \t]+)?" + dialect.verbs["writing"][0], dialect)
        )
        self._rules = [(rule, compile_key(rule, "pattern"), compile_key(rule, "unless")) for rule in rules]

    def apply(self, text: str) -> Iterator[tuple[str, list[Edit], list[Edit]]]:
        """Yield, for each rule that changes the text, what it makes of it, its edits and the repairs that they are."""
        for rule, pattern, unless in self._rules:
            edits = repairs = list[Edit]()
            if rule.verb == "unwrap_text":
                edits, repairs = self._unwrap(rule, text)
            elif is_encodable(text) and (unless is None or not unless.search(text)):
                edits = repairs = list(self._replace(rule, pattern, text))
            if edits:
                text = make_edits(text, edits)
                yield text, edits, repairs

    def read(self, text: str) -> str:
        """Return what the rules make of a text."""
        for changed, _, _ in self.apply(text):
            text = changed
        return text

    def _replace(self, rule: Rule, pattern: Any, text: str) -> Iterator[Edit]:
        template = fill_template(rule.argument["with"], self._dialect)
        expand = "\\" in template
        for match in pattern.finditer(text):
            yield Edit(match.start(), match.end(), match.expand(template) if expand else template, (rule.id,))

    def _unwrap(self, rule: Rule, text: str) -> tuple[list[Edit], list[Edit]]:
        """Return the edits that take a wrapper off, if that makes more lines markup, and nothing outside of it is.

        They are one repair, of all that stands in the wrapper.
        """
        found = WRAPPERS[rule.argument](text)
        if found is None or self._has_markup(text[: found.start]) or self._has_markup(text[found.end :]):
            return [], []
        inside = text[found.start : found.end]
        inner = make_edits(inside, found.edits, found.start)
        if self._weigh(inner) <= self._weigh(inside) or (found.ambiguous and not self._is_flush(inner)):
            return [], []
        return found.edits, [Edit(found.start, found.end, inner, (rule.id,))]

    def _is_flush(self, text: str) -> bool:
        """Return whether contents surely begin where the markup does: two of them, or one of a new file."""
        creates, flush, seen = "", 0, False
        lines = text.split("\n")
        kinds = {line: self._exact.kind_of(line) for line in dict.fromkeys(lines)}
        for line in lines:
            kind = kinds[line]
            if kind in _TELLING:
                seen = False
                creates = line if kind in HEADS else creates
            elif line[:1].strip() and creates and not seen:
                seen = True
                flush += 1 + bool(self._creates.match(creates))
        return flush > 1

    def _weigh(self, text: str) -> tuple[int, int]:
        """Return how many lines are exactly a line of markup, and how many begin with the head of a new file."""
        lines = Counter(text.split("\n"))  # of which many may be alike
        marked = sum(count for line, count in lines.items() if self._exact.kind_of(line) in _TELLING)
        return marked, sum(count for line, count in lines.items() if self._creates.match(line.lstrip()))

    def _has_markup(self, text: str) -> bool:
        """Return whether a line is exactly a line of markup."""
        return any(self._exact.kind_of(line) in _TELLING for line in dict.fromkeys(text.split("\n")))
