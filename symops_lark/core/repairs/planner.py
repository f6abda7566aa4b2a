"""Plan the edits of one pass: turn an outline into edits, by the rules that answer its mistakes.

Each group of the outline is one section. Its first line is normalized for its role, then the lines
that follow it, then the delimiters of its block, at last its content. No edit overlaps another.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..document import Completeness
from ..grammar.codes import BLANK_BEFORE_BLOCK, FENCE_AROUND_BLOCK, WRAPPED_THOUGHT
from ..grammar.dialect import Dialect
from ..recovery.doubts.lost_actions import find_lost
from ..recovery.lines.field_lines import takes_command
from ..recovery.lines.kinds import OWN, Spelling, indentation_of
from ..recovery.outline.groups import Group, Part
from ..recovery.outline.heads import HeadReader
from ..recovery.outline.outline import Outline
from .content import Indented, dedent_block, indentation, judge_indentation, unwrap_fence
from .edits import Edit
from .line_repairer import RuleRepairer
from .rule import Rule, RuleIndex, fill_text

_FENCES = ("`", "~")  # the characters that a Markdown fence consists of


class Planner:
    """The edits for one outline. Call `plan` once, then read the attributes.

    Attributes:
        edits: The edits of this pass.
        completeness: By the offset of an action's first line, its completeness where it may be
            incomplete.
        lost: Offsets of actions that no section holds.
    """

    def __init__(
        self,
        dialect: Dialect,
        repairer: RuleRepairer,
        rules: RuleIndex,
        outline: Outline,
        cut_off: bool,
    ) -> None:
        """Prepare a plan; `cut_off` is whether the reply was truncated."""
        self.dialect = dialect
        self.repairer = repairer
        self.rules = rules
        self.outline = outline
        self.text = outline.text
        self.cut_off = cut_off
        self.heads = HeadReader(dialect, repairer, outline.text)
        self.edits: list[Edit] = []
        self.completeness: dict[int, Completeness] = {}
        self.lost: list[int] = []
        # By the offset of a group: the blanks to take off its content, and whether this is certain.
        self._depths: dict[int, tuple[int, bool]] = {}
        # The indexes of the first and the last section among the groups.
        self._first = self._last = 0
        # With one opener and one closer, no delimiter can have the wrong length.
        self._has_one_length = len(dialect.fences) == len(dialect.closers) == 1

    def plan(self) -> None:
        """Collect the edits of all groups."""
        groups = self.outline.groups
        self.lost = [start for start, _ in find_lost(groups, self.heads)]
        self._judge_indentation(groups)
        sections = [index for index, group in enumerate(groups) if group.role != "drop"]
        self._first = sections[0] if sections else len(groups)
        self._last = sections[-1] if sections else len(groups)
        for index, group in enumerate(groups):
            if group.role == "drop":
                self._drop(group, index)
            else:
                self._normalize(group.first, group.role)
                self._follow(group)

    def _drop(self, group: Group, index: int) -> None:
        """Remove lines that belong to no section, if the rule for them serves this place."""
        rule = self.rules.cure(group.code)
        if rule is None or rule.verb != "drop_lines":
            return
        place = "between"
        if index < self._first:
            place = "before"
        elif index > self._last:
            place = "after"
        if rule.argument in (True, "anywhere", place):
            first = group.first.line
            last = group.following[-1].line if group.following else first
            self._edit(first.start, last.end, "", rule)

    def _follow(self, group: Group) -> None:
        """Repair what follows the first line of a section: wrapped lines, choices, the block."""
        for part in group.following:
            if group.role == "head":
                role = "path" if self._wants_path(group) else "attribute"
                self._write(part, role)
            elif group.role == "thought":
                self._prefix_wrapped(part)
            elif group.role != "reason":
                self._write(part, "choice")
        if group.role == "head":
            self._repair_block(group)

    def _prefix_wrapped(self, part: Part) -> None:
        """Put the mark before each line that continues a thought, which has no carriage return."""
        rule = self.rules.cure(WRAPPED_THOUGHT)
        if rule is None:
            return
        prefix = fill_text(rule.argument, self.dialect)
        lines = self._text_of(part).replace("\r", " ").split("\n")
        for index, line in enumerate(lines):
            if line.strip():
                lines[index] = prefix + line.strip(" \t")
        self._edit(part.line.start, part.line.stop, "\n".join(lines), rule)

    def _wants_path(self, group: Group) -> bool:
        """Return whether an action names a path, not a command, on a separate line."""
        if "lines" not in self.dialect.forms:
            return False
        lines = []
        for part in (group.first, *group.following):
            line = self._text_of(part)
            if part.line.kind.is_respelt:
                spelling = self.repairer.candidate(line, "head")
                line = spelling.text if spelling is not None else line
            lines += line.split("\n")
        return not takes_command(self.dialect, lines)

    # ---- the block of an action

    def _repair_block(self, group: Group) -> None:
        """Write the delimiters of the block of an action, and repair its content."""
        start = group.first.line.start
        completeness = group.judge_completeness(self.cut_off)
        if completeness is not Completeness.COMPLETE:
            self.completeness[start] = completeness
        self._close_gaps(group)
        if not group.opened:
            return
        rule = self.rules.cure(FENCE_AROUND_BLOCK)
        if group.outer is not None and rule is not None:
            fence = group.outer.line
            self._edit(fence.start, fence.end, "", rule)
        if group.opener is not None:
            self._delimit(group, group.opener, "open")
        if group.body:
            self._insert_opener(group, group.body[0])
        if group.closer is not None:
            self._delimit(group, group.closer, "close")
        elif group.missing:
            self._insert_closer(group)
        self._repair_content(group)

    def _close_gaps(self, group: Group) -> None:
        """Remove the blank lines between an action line and its block, or its last attribute."""
        if not group.opened and not group.following:
            return
        rule = self.rules.cure(BLANK_BEFORE_BLOCK)
        if rule is None:
            return
        # Without a block, blank lines after the last attribute separate sections: they stay.
        end = len(self.text) if group.opened else group.following[-1].line.start
        for gap in group.gaps:
            line = gap.line
            if line.start < end:
                self._edit(line.start, line.end, "", rule)

    def _insert_opener(self, group: Group, part: Part) -> None:
        """Insert the opening delimiter before a content, where the outline assumes it."""
        for mistake in part.step.mistakes:
            rule = self.rules.cure(mistake)
            if rule is not None and rule.verb == "insert_line":
                start = part.line.start
                inserted = self._line_of(rule, group) + "\n"
                self._edit(start, start, inserted, rule)

    def _insert_closer(self, group: Group) -> None:
        """Insert the closing delimiter after a content that nothing closes."""
        rule = self.rules.cure(group.missing)
        if rule is None:
            return
        body = group.content_parts()
        last = body[-1] if body else group.opener or group.first
        end = last.line.end
        inserted = self._line_of(rule, group) + "\n"
        # The last line of a text may have no ending.
        if not self.text.endswith("\n", 0, end):
            inserted = "\n" + inserted
        self._edit(end, end, inserted, rule)

    def _line_of(self, rule: Rule, group: Group) -> str:
        """Return the line that a rule inserts; a delimiter has the length that its block needs."""
        line = fill_text(rule.argument, self.dialect)
        if self._has_one_length:
            return line
        opener, closer = self._delimiters_of(group)
        if line in self.dialect.fences:
            return opener
        return closer if line in self.dialect.closers else line

    def _delimit(self, group: Group, part: Part, role: str) -> None:
        """Write a delimiter as the grammar has it, with the length of its partner."""
        edit_count = len(self.edits)
        self._write(part, role)
        if self._has_one_length:
            return
        marks = self._marks_of(role)
        opener, closer = self._delimiters_of(group)
        is_closer = role == "close"
        expected = closer if is_closer else opener
        # The text before a closer, or after an opener, is on a separate line by now.
        position = -1 if is_closer else 0
        for index in range(edit_count, len(self.edits)):
            edit = self.edits[index]
            lines = edit.text.split("\n")
            if lines[position] in marks:
                lines[position] = expected
                self.edits[index] = edit._replace(text="\n".join(lines))
        if len(self.edits) > edit_count:
            return
        line = self._text_of(part).rstrip(" \t")
        rule = self.rules.by_id.get(
            "wrong-closer-length" if is_closer else "wrong-delimiter-length"
        )
        if line in marks and line != expected and rule is not None:
            start = part.line.start
            self._edit(start, start + len(line), expected, rule)

    def _delimiters_of(self, group: Group) -> tuple[str, str]:
        """Return the delimiters for a block.

        They have the length of the delimiter that is exact, or else of the one that is nearly so.
        Without either, they are the shortest pair of which no line of the content is one.
        """
        fences = self.dialect.fences
        opener, opens = self._delimiter_in(
            group.opener or group.first, "open" if group.opener else "head"
        )
        closer, closes = "", False
        if group.closer is not None:
            closer, closes = self._delimiter_in(group.closer, "close")
        if opener not in fences or (closes and not opens):
            opener = self._opener_for(closer)
        if not opener:
            opener = self._shortest_opener(group)
        closers = fences[opener]
        return opener, closer if closer in closers else closers[0]

    def _opener_for(self, closer: str) -> str:
        """Return the opening delimiter of a closing one; empty if it closes none."""
        opener_of = {}
        for opener, closers in self.dialect.fences.items():
            for mark in closers:
                opener_of[mark] = opener
        return opener_of.get(closer, "")

    def _shortest_opener(self, group: Group) -> str:
        """Return the first opening delimiter of a pair of which the content holds no line."""
        fences = self.dialect.fences
        lines = set()
        if len(fences) > 1:
            for part in group.content_parts():
                for line in self._text_of(part).split("\n"):
                    lines.add(line.rstrip(" \t"))
        for opener, closers in fences.items():
            if lines.isdisjoint((opener, *closers)):
                return opener
        return next(iter(fences))

    def _delimiter_in(self, part: Part, role: str) -> tuple[str, bool]:
        """Return the delimiter that a line holds and whether the line is exactly that.

        The delimiter is empty if its length is uncertain: rules write the shortest one for many
        misspellings, which says nothing about the length that was meant.
        """
        line = self._text_of(part).rstrip(" \t")
        marks = self._marks_of(role)
        if line in marks:
            return line, True
        spelling = None
        if part.line.kind.is_respelt:
            spelling = self.repairer.candidate(line, role)
        if spelling is None:
            return "", False
        lines = spelling.text.split("\n")
        mark = lines[0] if role == "open" else lines[-1]
        shortest = min(marks, key=len)
        has_length = mark in marks and (mark in line or len(mark) > len(shortest))
        return (mark if has_length else ""), False

    def _marks_of(self, role: str) -> Sequence[str]:
        """Return the delimiters that a line of a role can be."""
        if role == "close":
            return tuple(self.dialect.closers)
        return tuple(self.dialect.fences)

    # ---- the content of a block

    def _judge_indentation(self, groups: Sequence[Group]) -> None:
        """Decide how many blanks each content loses, from all indented blocks of the reply."""
        starts = []
        blocks = []
        for group in groups:
            block = self._indented_block(group)
            if block is not None:
                starts.append(group.first.line.start)
                blocks.append(block)
        judgments = judge_indentation(blocks)
        for start, block, (is_indented, is_certain) in zip(starts, blocks, judgments, strict=True):
            self._depths[start] = (block.depth if is_indented else 0, is_certain)

    def _indented_block(self, group: Group) -> Indented | None:
        """Return the block of a group if both its delimiters are indented."""
        if group.opener is None or group.closer is None or not group.body or group.missing:
            return None
        depth = min(
            indentation_of(group.opener.line, self.text),
            indentation_of(group.closer.line, self.text),
        )
        if not depth:
            return None
        content = self.text[group.body[0].line.start : group.body[-1].line.end]
        if not content.strip():
            return None
        action = self.heads.action(group)
        # Only the first writing verb writes a complete file.
        creating = self.dialect.verbs["writing"][:1]
        is_fragment = action is None or action.type not in creating
        return Indented(depth, indentation(content), is_fragment)

    def _repair_content(self, group: Group) -> None:
        """Apply the first content rule that changes the content of a block."""
        if not group.body or group.missing:
            return
        start = group.body[0].line.start
        end = group.body[-1].line.end
        content = self.text[start:end]
        depth, is_certain = self._depths.get(group.first.line.start, (0, True))
        for rule in self.rules.content_rules:
            if rule.verb == "unwrap_fence":
                # The head is parsed only where the content begins like a fence.
                action = self.heads.action(group) if content.lstrip()[:1] in _FENCES else None
                new = unwrap_fence(content, action.path) if action else None
            else:
                new = dedent_block(content, depth)
            if new is not None and new != content:
                self._edit(start, end, new, rule)
                # A fence taken off leaves the question of the indentation open.
                is_certain = is_certain and rule.verb != "unwrap_fence"
                break
        if not is_certain:
            self.completeness.setdefault(group.first.line.start, Completeness.SUSPECT)

    # ---- single lines

    def _write(self, part: Part, role: str) -> None:
        """Write a line as the rule for its mistake says, or else normalize it for its role."""
        line = part.line
        for mistake in part.step.mistakes:
            rule = self.rules.cure(mistake)
            if rule is not None and rule.verb == "write_line":
                self._edit(line.start, line.stop, fill_text(rule.argument, self.dialect), rule)
                return
            if rule is not None and rule.verb == "prefix_lines":
                self._edit(line.start, line.start, str(rule.argument), rule)
                return
        self._normalize(part, role)

    def _normalize(self, part: Part, role: str) -> None:
        """Write a line as the line rules normalize it for a role, if they do."""
        line = part.line
        is_own = line.kind in OWN
        # The head of an action may be exact and still have a remark that a rule takes off.
        if not line.kind.is_respelt and (role != "head" or is_own):
            return
        old = self._text_of(part)
        if is_own:
            role = "section"
            old = old.partition("\n")[0]
        spelling = self.repairer.candidate(old, role)
        if spelling is None:
            return
        # The closer of the block above, on the same line, belongs to that block.
        closer = ""
        if line.kind.spelling is Spelling.BEHIND:
            closer = spelling.text.partition("\n")[0]
        skipped = len(closer) if old.startswith(closer) else 0
        end = line.start + len(old) if is_own else line.stop
        text = spelling.text[skipped:]
        self.edits.append(Edit(line.start + skipped, end, text, spelling.rules))

    def _text_of(self, part: Part) -> str:
        """Return the text of a part without the ending of its last line."""
        return self.text[part.line.start : part.line.stop]

    def _edit(self, start: int, end: int, text: str, rule: Rule) -> None:
        self.edits.append(Edit(start, end, text, (rule.id,)))
