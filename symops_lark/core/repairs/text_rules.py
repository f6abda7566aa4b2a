"""Apply the rules for a complete text before it is read: `replace_text` and `unwrap_text`."""

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

# The kinds of lines that only a reply has: prose rarely is exactly one.
_MARKUP = HEADS | {Kind.VITALS, Kind.THOUGHT, Kind.REASONING, OPEN, CLOSE, DELIM}


class TextRules:
    """The text rules of one dialect, in their order."""

    def __init__(
        self, dialect: Dialect, rules: Sequence[Rule], compile_key: Callable[[Rule, str], Any]
    ) -> None:
        """Compile the rules.

        Args:
            dialect: The dialect.
            rules: Its text rules.
            compile_key: Returns the pattern of a rule by its key; None if the rule has none.
        """
        self._dialect = dialect
        self._exact = LineLexer(dialect, NoRepairer())
        # Only the first writing verb writes a complete file.
        creating = dialect.verbs["writing"][0]
        head = r"{action}[ \t]*(?:[0-9]+[ \t]+)?" + creating
        self._creates = compile_pattern(fill_pattern(head, dialect))
        self._rules: list[tuple[Rule, Any, Any]] = []
        for rule in rules:
            pattern = compile_key(rule, "pattern")
            unless = compile_key(rule, "unless")
            self._rules.append((rule, pattern, unless))

    def apply(self, text: str) -> Iterator[tuple[str, list[Edit], list[Edit]]]:
        """Apply the rules in their order.

        Args:
            text: The text.

        Yields:
            For each rule that changes the text: the new text, the edits of the old one, and the
            repairs to report for them.
        """
        for rule, pattern, unless in self._rules:
            edits: list[Edit] = []
            repairs: list[Edit] = []
            if rule.verb == "unwrap_text":
                edits, repairs = self._unwrap(rule, text)
            elif _is_allowed(unless, text):
                edits = list(self._replace(rule, pattern, text))
                repairs = edits
            if edits:
                text = make_edits(text, edits)
                yield text, edits, repairs

    def read(self, text: str) -> str:
        """Return a text after all rules."""
        for changed, _, _ in self.apply(text):
            text = changed
        return text

    def _replace(self, rule: Rule, pattern: Any, text: str) -> Iterator[Edit]:
        """Yield the edits of a rule with a pattern."""
        template = fill_template(rule.argument["with"], self._dialect)
        has_groups = "\\" in template
        ids = (rule.id,)
        for match in pattern.finditer(text):
            replacement = template
            if has_groups:
                replacement = match.expand(template)
            yield Edit(match.start(), match.end(), replacement, ids)

    def _unwrap(self, rule: Rule, text: str) -> tuple[list[Edit], list[Edit]]:
        """Return the edits that remove a wrapper, and one repair for all of them.

        A wrapper is removed if this makes more lines markup, and no line outside of it is markup.
        """
        find_wrapper = WRAPPERS[rule.argument]
        wrapped = find_wrapper(text)
        nothing: tuple[list[Edit], list[Edit]] = ([], [])
        if wrapped is None:
            return nothing
        start = wrapped.start
        end = wrapped.end
        if self._has_markup(text[:start]) or self._has_markup(text[end:]):
            return nothing
        before = text[start:end]
        after = make_edits(before, wrapped.edits, start)
        if self._weigh(after) <= self._weigh(before):
            return nothing
        if wrapped.ambiguous and not self._is_flush(after):
            return nothing
        repair = Edit(start, end, after, (rule.id,))
        return wrapped.edits, [repair]

    def _is_flush(self, text: str) -> bool:
        """Return whether contents certainly begin in the column of the markup.

        Two contents show it, or one of a new file. The content of an edit may be a fragment, which
        is indented as in its file.
        """
        head = ""  # the last action line
        expects_content = False  # whether the next line is the first one of a content
        flush_count = 0
        kinds = {}  # by line: many lines may be alike
        for line in text.split("\n"):
            if line not in kinds:
                kinds[line] = self._exact.kind_of(line)
            kind = kinds[line]
            if kind in _MARKUP:
                if kind in HEADS:
                    head = line
                expects_content = head != ""
            elif expects_content and line[:1].strip():
                expects_content = False
                flush_count += 2 if self._creates.match(head) else 1
        return flush_count > 1

    def _weigh(self, text: str) -> tuple[int, int]:
        """Return the number of lines that are markup, and of heads of a new file."""
        line_counts = Counter(text.split("\n"))  # many lines may be alike
        markup_count = 0
        head_count = 0
        for line, count in line_counts.items():
            kind = self._exact.kind_of(line)
            if kind in _MARKUP:
                markup_count += count
            if self._creates.match(line.lstrip()):
                head_count += count
        return markup_count, head_count

    def _has_markup(self, text: str) -> bool:
        """Return whether a line is exactly a line of markup."""
        for line in dict.fromkeys(text.split("\n")):
            kind = self._exact.kind_of(line)
            if kind in _MARKUP:
                return True
        return False


def _is_allowed(unless: Any, text: str) -> bool:
    """Return whether a rule may change a text: unless its second pattern matches."""
    # Patterns of RE2 cannot search a text with lone surrogates.
    if not is_encodable(text):
        return False
    return unless is None or not unless.search(text)
