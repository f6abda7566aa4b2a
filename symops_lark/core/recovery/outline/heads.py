"""The action that the lines of a head say, once they are respelt."""

from __future__ import annotations

from dataclasses import replace

from ...document import Action, CustomSection
from ...document import Part as Said
from ...grammar.dialect import Dialect
from ...grammar.lalr import Unexpected
from ...strict.builder import Builder, build
from ...text.source import Span
from ..lines.field_lines import order_tagged
from ..lines.kinds import OWN
from ..lines.own_lines import spell_own
from ..lines.spelling import LineRepairer
from .outline import Group, Part


class HeadReader:
    """Reads respelt lines of one text, whose lines end with line feeds alone, by the strict grammar."""

    def __init__(self, dialect: Dialect, repairer: LineRepairer, text: str) -> None:
        self.dialect, self.repairer, self.text = dialect, repairer, text
        self._makers = Builder(Span, Span, dialect.marks, dialect.own).makers
        self._known: dict[int, Action | None] = {}  # by where a head begins
        self._read_as: dict[str, Action | None] = {}  # by its lines, of which many may be alike

    def action(self, group: Group) -> Action | None:
        """Return the action that a group's head says, without content; None if the strict grammar refuses it."""
        start = group.first.line.start
        if start not in self._known:
            self._known[start] = None if group.first.line.kind in OWN else self._read(group)
        return self._known[start]

    def own_section(self, part: Part, content: str | None = None) -> CustomSection | None:
        """Return the section of the dialect's own that a line begins; None if the strict grammar refuses it.

        `content` is that of its block, None if it has none.
        """
        text = self.text[part.line.start : part.line.stop]
        text = spell_own(text, self.repairer) if part.line.kind.is_respelt else text
        match = self.dialect.line_pattern.match(text + "\n")
        if match is None:
            return None
        opener, closers = next(iter(self.dialect.fences.items()))
        block = "" if content is None else f"\n{opener}\n{closers[0]}"
        found = self.parse(text + block, str(match.lastgroup))
        if not isinstance(found, CustomSection):
            return None
        if content is not None:
            found = replace(found, parts=(*found.parts[:-1], Said("block", content)))
        return found

    def _read(self, group: Group) -> Action | None:
        if "lines" in self.dialect.forms:
            parts = [part.line for part in (group.first, *group.more)]
            rows = [(line.kind, self.text[line.start : line.stop]) for line in parts]
            lines = [spelling.text for spelling in order_tagged(self.dialect, self.repairer, rows)]
        else:
            lines = [self._head_line(group.first), *(self.spelt(part, "attribute") for part in group.more)]
        text = "\n".join(lines)
        if text not in self._read_as:
            found = self.parse(text, "action")
            self._read_as[text] = found if isinstance(found, Action) else None
        return self._read_as[text]

    def _head_line(self, part: Part) -> str:
        """Return the action line alone, without a delimiter that stands on its line."""
        lines = self.spelt(part, "head").split("\n")
        return lines[1] if lines[0] in self.dialect.closers else lines[0]

    def spelt(self, part: Part, role: str) -> str:
        """Return a line as the repair rules respell it for a role, if it is not exact or an action's first one."""
        line = self.text[part.line.start : part.line.stop]
        wanted = part.line.kind.is_respelt or role == "head"
        spelling = self.repairer.candidate(line, role) if wanted else None
        return spelling.text if spelling else line

    def parse(self, text: str, start: str) -> object:
        """Return the node of a rule of the grammar; None if the text is none."""
        node = self.dialect.compiled.read_line(text + "\n", start, self._makers)
        if node is not None:
            return node
        try:
            return build(self.dialect.lalr.parse(text + "\n", start), self._makers)
        except Unexpected:
            return None
