"""The repair engine: outline a broken text, apply the rules to its markup, record each repair.

Purpose
    Turn a reply with known slips into one that parses strictly, and report each change. What no
    rule repairs is left for recovery, which reads the repaired text with an error-tolerant grammar.

Invariants
    1. A text that parses strictly is returned unchanged (`tests/test_laws.py`).
    2. Content between two recognized delimiters is never changed, except by rules that declare it
       (`touches: content` or `everything`).
    3. Each change is a `Repair` with its places in the caller's text and in the repaired one, and
       the position maps lead back from any offset (`tests/core/repairs/test_edited_text.py`).
    4. Lines keep their own endings; the rules see line feeds only.

Theory of operation
    The text rules run first, once, on the whole text: they take off wrappers and replace what no
    line shows. Then come up to four passes. Each pass reads the outline of the text, the
    minimum-cost parse of its lines (`recovery/reading`), and edits the lines by their roles
    (`planner`): a line is normalized for its role, or the rule for an assumed mistake adds or
    removes a line. For example:

        line              role      assumed mistake     edit
        Here it is:       drop      prose               removed
        Create @a.py      head                          the action mark is added
        ```python         open                          becomes the opening delimiter
        print(1)          content                       none
        (end of text)               missing-closer      the closing delimiter is added

    A pass may make a better outline possible, so the next pass reads the new text. It ends when
    the text parses strictly, or when nothing changes.

Not here
    Which lines are markup is decided by `recovery/outline`, so repair and recovery cannot
    disagree about contents. How a line is normalized is in `line_repairer`, what is changed inside
    a content in `content`, and confidence in `recovery/doubts/confidence`.

Known weaknesses
    An outline of the complete text is read in each pass, which is most of the time of a repair.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..grammar.dialect import Dialect
from ..grammar.loading import dialects, load_dialect
from ..recovery.reading import read_outline
from ..strict.parser import parse_valid
from .edited_text import EditedText
from .edits import Edit
from .line_repairer import RuleRepairer
from .loader import load_rules
from .planner import Planner
from .repaired import Repaired
from .rule import Rule, RuleIndex

# Of 23,000 texts made of the corpus' lines, one changes in its third pass: each pass removes one of
# several equal actions whose path is above them. So two passes are not enough, and four are ample.
_MAX_PASSES = 4


class RepairEngine:
    """The repair rules of one dialect, ready to run.

    Attributes:
        dialect: The dialect.
        rules: The rules in running order.
        repairer: Normalizes single lines; recovery uses it as well.
    """

    def __init__(
        self,
        format: str | Path | Dialect,
        rules: Sequence[Rule] | None = None,
        folders: Sequence[str | Path] = (),
    ) -> None:
        """Load the rules.

        Args:
            format: The name of a dialect, the path of its grammar, or the dialect.
            rules: The rules to use. None: the installed rules of the dialect and those in
                `folders`.
            folders: Folders or files with custom rules; ignored if `rules` is given.

        Raises:
            GrammarError: There is no such dialect.
            RuleError: A custom rule is invalid.
        """
        is_usual = rules is None and not folders
        self.dialect = load_dialect(format)
        if rules is None:
            rules = load_rules(self.dialect, folders)
        self.rules = tuple(rules)
        self.repairer = RuleRepairer(self.dialect, self.rules, usual=is_usual)
        self._index = RuleIndex(self.rules)

    def __reduce__(self) -> tuple[Any, ...]:
        # Patterns of RE2 cannot be pickled: the copy compiles them again.
        rules = None if self.repairer.usual else self.rules
        return RepairEngine, (self.dialect, rules)

    def repair(
        self, text: str, *, cut_off: bool | None = None, known_broken: bool = False
    ) -> Repaired:
        """Repair a text.

        Args:
            text: The reply.
            cut_off: Whether the reply was truncated. None: detect it from the end of the text.
            known_broken: Whether the text is known not to parse strictly, which saves a parse.

        Returns:
            The repaired text with its repairs; unchanged if it parses strictly. Its `document` is
            None if it does not parse strictly after the repairs.
        """
        document = None if known_broken else parse_valid(text, self.dialect)
        if document is not None:
            return Repaired(text, text, document=document)
        state = EditedText(text, self._index.by_id)
        for _, edits, repairs in self.repairer.text_rules.apply(state.text):
            state.apply(edits, repairs)
        if state.done:
            document = parse_valid(state.text, self.dialect)
        for _ in range(_MAX_PASSES):
            edits = self._plan(state, cut_off)
            if not state.apply(edits):
                break
            document = parse_valid(state.text, self.dialect)
            if document is not None:
                break
        has_other_endings = state.restore_endings()
        # The document has offsets of the text with line feeds: it is read again.
        if has_other_endings and document is not None:
            document = parse_valid(state.text, self.dialect)
        return state.finish(document)

    def _plan(self, state: EditedText, cut_off: bool | None) -> list[Edit]:
        """Return the edits of one pass; the outline, which is large, is freed on return."""
        outline = read_outline(state.text, self.dialect, self.repairer)
        if cut_off is None:
            cut_off = outline.cut_off
        planner = Planner(self.dialect, self.repairer, self._index, outline, cut_off)
        planner.plan()
        state.note(planner.completeness, planner.lost)
        return planner.edits

    def cure(self, mistake: str) -> Rule | None:
        """Return the structure rule that answers a mistake of the recovery grammar, if any."""
        return self._index.cure(mistake)

    def rule(self, name: str) -> Rule | None:
        """Return a rule by its id; None if this dialect has no such rule."""
        return self._index.by_id.get(name)

    @property
    def unwrapping_rule(self) -> Rule | None:
        """The rule that takes off a fence around a complete content, if there is one."""
        for rule in self.rules:
            if rule.verb == "unwrap_fence":
                return rule
        return None

    def content_rules(self) -> list[Rule]:
        """Return the rules that are declared to work on blocks."""
        return self._index.content_rules


def load_repairs(dialect: Dialect, folders: Sequence[str | Path] = ()) -> RepairEngine:
    """Return the engine of a dialect. All processors share that of an installed dialect.

    Args:
        dialect: The dialect.
        folders: Folders or files with custom rules.

    Raises:
        RuleError: A custom rule is invalid.
    """
    name = dialect.name
    installed = load_dialect(name) if name in dialects() else None
    # An engine remembers the text that it read last. The file of a custom dialect may have
    # changed since.
    if folders or dialect is not installed:
        return RepairEngine(dialect, folders=folders)
    return _load_installed(name)


@cache
def _load_installed(name: str) -> RepairEngine:
    """Return the engine of an installed dialect; it takes a tenth of a second to compile."""
    return RepairEngine(name)
