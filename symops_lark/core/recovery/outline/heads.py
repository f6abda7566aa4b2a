"""Parse the action that the lines of a head give once they are rewritten without misspellings."""

from __future__ import annotations

from dataclasses import replace

from ...document import Action, CustomSection
from ...document import Part as SectionPart
from ...grammar.dialect import Dialect
from ...grammar.lalr import Unexpected
from ...strict.builder import Builder, build
from ...text.source import Span
from ..lines.field_lines import order_tagged
from ..lines.kinds import OWN, text_of
from ..lines.own_lines import spell_own
from ..lines.spelling import LineRepairer
from .groups import Group, Part


class HeadReader:
    """Parses rewritten lines of one text by the strict grammar.

    Attributes:
        dialect: The dialect of the text.
        repairer: Rewrites misspelled lines.
        text: The text; its lines end with line feeds only.
    """

    def __init__(self, dialect: Dialect, repairer: LineRepairer, text: str) -> None:
        self.dialect = dialect
        self.repairer = repairer
        self.text = text
        self._makers = Builder(Span, Span, dialect.marks, dialect.own).makers
        self._by_start: dict[int, Action | None] = {}  # by the offset at which a head begins
        self._by_text: dict[str, Action | None] = {}  # by rewritten head: many are alike

    def action(self, group: Group) -> Action | None:
        """Return the action of a head, without content; None if the strict grammar refuses it."""
        start = group.first.line.start
        if start not in self._by_start:
            # The lines of a custom section are not an action.
            action = None if group.first.line.kind in OWN else self._read(group)
            self._by_start[start] = action
        return self._by_start[start]

    def own_section(self, part: Part, content: str | None = None) -> CustomSection | None:
        """Return the custom section that a line begins; None if the strict grammar refuses it.

        Args:
            part: The first line of the section, or all of its lines above a block.
            content: The content of its block; None if it has no block.
        """
        text = text_of(part.line, self.text)
        if part.line.kind.is_respelt:
            text = spell_own(text, self.repairer)
        match = self.dialect.line_pattern.match(text + "\n")
        if match is None:
            return None
        block = ""
        if content is not None:
            # The grammar reads an empty block, which is then replaced: so no content can close it.
            opener, closers = next(iter(self.dialect.fences.items()))
            block = f"\n{opener}\n{closers[0]}"
        node = self.parse(text + block, str(match.lastgroup))
        if not isinstance(node, CustomSection):
            return None
        if content is not None:
            parts = node.parts[:-1]
            node = replace(node, parts=(*parts, SectionPart("block", content)))
        return node

    def _read(self, group: Group) -> Action | None:
        """Return the action of a head that is not a custom section."""
        if "lines" in self.dialect.forms:
            lines = self._tagged_lines(group)
        else:
            lines = [self._head_line(group.first)]
            for part in group.following:
                lines.append(self.spelt(part, "attribute"))
        text = "\n".join(lines)
        # Replies repeat heads: `::run @pytest` is parsed once.
        if text not in self._by_text:
            node = self.parse(text, "action")
            self._by_text[text] = node if isinstance(node, Action) else None
        return self._by_text[text]

    def _tagged_lines(self, group: Group) -> list[str]:
        """Return the lines of a head whose lines have tags, in the order of the grammar."""
        rows = []
        for part in (group.first, *group.following):
            line = part.line
            rows.append((line.kind, text_of(line, self.text)))
        ordered = order_tagged(self.dialect, self.repairer, rows)
        return [spelling.text for spelling in ordered]

    def _head_line(self, part: Part) -> str:
        """Return the action line alone, without a delimiter on the same line."""
        lines = self.spelt(part, "head").split("\n")
        # Two lines where a delimiter is on the action line: `>>>`, `::create @a.py`.
        if lines[0] in self.dialect.closers:
            return lines[1]
        return lines[0]

    def spelt(self, part: Part, role: str) -> str:
        """Return a line as the repair rules rewrite it; an exact one only if it is a head.

        Args:
            part: The line.
            role: The role for which it is rewritten, as in `Kind.role`.
        """
        line = text_of(part.line, self.text)
        if not part.line.kind.is_respelt and role != "head":
            return line
        spelling = self.repairer.candidate(line, role)
        if spelling is None:
            return line
        return spelling.text

    def parse(self, text: str, start: str) -> object:
        """Return the node of a text; None if the strict grammar refuses it.

        Args:
            text: One section, without the ending of its last line.
            start: The rule of the grammar that the text must match.
        """
        # The pattern of one line is quick; the parser also reads sections of several lines.
        node = self.dialect.compiled.read_line(text + "\n", start, self._makers)
        if node is not None:
            return node
        try:
            tree = self.dialect.lalr.parse(text + "\n", start)
            return build(tree, self._makers)
        except Unexpected:
            return None
