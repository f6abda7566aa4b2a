"""The repair engine: reads a broken text, applies the rules to what the reading says is markup, records each repair.

A text that parses strictly is returned as it is. Content between two recognised delimiters is never touched, except
by rules that declare it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..diagnostics import ParseError
from ..document import Completeness, Document
from ..grammar.dialect import Dialect
from ..grammar.loading import load_dialect
from ..recovery.field_lines import takes_command
from ..recovery.kinds import Spelling
from ..recovery.outline import Group, Outline, Part, find_lost, group_parts, read_outline
from ..regexes import is_encodable
from ..source import LineEndings, Source
from ..strict.parser import parse
from .content import dedent_block, unwrap_fence
from .edits import Edit, PositionMap, apply_edits
from .line_repairer import RuleRepairer, compile_rule_pattern
from .loader import load_rules
from .repaired import Repair, Repaired
from .rule import CONTENT_VERBS, STRUCTURE_VERBS, TEXT_VERBS, Rule, fill_template, fill_text

_PASSES = 4


class RepairEngine:
    """The rules of one dialect, ready to run; `folders` hold the user's own rules."""

    def __init__(
        self, format: str | Path | Dialect, rules: Sequence[Rule] | None = None, folders: Sequence[str | Path] = ()
    ) -> None:
        self.dialect = load_dialect(format)
        self.rules = tuple(load_rules(self.dialect, folders) if rules is None else rules)
        self.repairer = RuleRepairer(self.dialect, self.rules)
        self._by_id = {rule.id: rule for rule in self.rules}
        self._cures = {m: rule for rule in self.rules if rule.verb in STRUCTURE_VERBS for m in rule.mistakes}
        self._text_rules = [
            (rule, *(self._compile(rule, key) for key in ("pattern", "unless")))
            for rule in self.rules
            if rule.verb in TEXT_VERBS
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        return RepairEngine, (self.dialect, self.rules)  # patterns of RE2 do not travel

    def repair(self, text: str, *, cut_off: bool | None = None, known_broken: bool = False) -> Repaired:
        """Repair a text; one that parses strictly (`known_broken` says that it does not) comes back as it is."""
        document = None if known_broken else self._parse(text)
        if document is not None:
            return Repaired(text, text, document=document)
        state = _State(text, self._by_id)
        for rule, pattern, unless in self._text_rules:
            if is_encodable(state.text) and (unless is None or not unless.search(state.text)):
                template = fill_template(rule.argument["with"], self.dialect)
                expand = "\\" in template
                state.apply(
                    [
                        Edit(m.start(), m.end(), m.expand(template) if expand else template, (rule.id,), rule.cost)
                        for m in pattern.finditer(state.text)
                    ]
                )
        document = None
        for _ in range(_PASSES):
            outline = read_outline(state.text, self.dialect, self.repairer)
            planner = _Planner(self, outline, outline.cut_off if cut_off is None else cut_off)
            planner.plan()
            state.note(planner.completeness, planner.lost)
            if not state.apply(planner.edits):
                break
            document = self._parse(state.text)
            if document is not None:
                break
        if state.restore_endings() and document is not None:
            document = self._parse(state.text)
        return state.finish(document)

    def _compile(self, rule: Rule, key: str) -> Any:
        return compile_rule_pattern(rule.argument[key], self.dialect, rule) if key in rule.argument else None

    def _parse(self, text: str) -> Document | None:
        try:
            return parse(text, self.dialect)
        except ParseError:
            return None

    def cure(self, mistake: str) -> Rule | None:
        """Return the structure rule that answers a mistake of the recovery grammar."""
        return self._cures.get(mistake)

    def rule(self, name: str) -> Rule | None:
        """Return a rule by its id."""
        return self._by_id.get(name)

    @property
    def unwrapping_rule(self) -> Rule | None:
        """The rule that takes off a fence around a whole content, if there is one."""
        return next((rule for rule in self.rules if rule.verb == "unwrap_fence"), None)

    def content_rules(self) -> list[Rule]:
        """Return the rules that are declared to work on blocks."""
        return [rule for rule in self.rules if rule.verb in CONTENT_VERBS]


class _State:
    """The text as it changes, with what leads back."""

    def __init__(self, text: str, rules: dict[str, Rule]) -> None:
        self.original = text
        self.endings = LineEndings(text)
        self.text = self.endings.plain
        self.rules = rules
        self.maps: list[PositionMap] = []
        if self.text != text:
            edits = [Edit(start, end, "\n", (), 0) for start, end in self.endings.longer()]
            self.maps.append(apply_edits(text, edits)[1])
        self.done: list[tuple[int, Edit, str]] = []
        self.completeness: dict[int, Completeness] = {}
        self.lost: set[int] = set()

    def apply(self, edits: Sequence[Edit]) -> bool:
        edits = [edit for edit in edits if self.text[edit.start : edit.end] != edit.text]
        if not edits:
            return False
        self.done += [(len(self.maps), edit, self.text[edit.start : edit.end]) for edit in edits]
        self.text, position_map = apply_edits(self.text, edits)
        self.maps.append(position_map)
        return True

    def restore_endings(self) -> bool:
        """Give each line its own ending again, and written ones the usual one; tell whether there were others."""
        if self.endings.plain == self.original:
            return False
        edits = []
        at = self.text.find("\n")
        while at >= 0:
            edits.append(Edit(at, at + 1, self._ending(at), (), 0))
            at = self.text.find("\n", at + 1)
        self.text, position_map = apply_edits(self.text, edits)
        self.maps.append(position_map)
        return True

    def _ending(self, offset: int) -> str:
        place: int | None = offset
        for position_map in reversed(self.maps[1:]):
            place = None if place is None else position_map.to_copied(place)
        return self.endings.usual if place is None else self.endings.ending(place)

    def note(self, completeness: dict[int, Completeness], lost: Sequence[int]) -> None:
        for offset, value in completeness.items():
            self.completeness.setdefault(self._to_original(offset), value)
        self.lost.update(map(self._to_original, lost))

    def _to_original(self, offset: int) -> int:
        for position_map in reversed(self.maps):
            offset = position_map.to_old(offset)
        return offset

    def finish(self, document: Document | None) -> Repaired:
        source, result = Source(self.original), Source(self.text)
        repairs = []
        for level, edit, before in self.done:
            old = (edit.start, edit.end)
            for position_map in reversed(self.maps[:level]):
                old = position_map.to_old(old[0]), position_map.to_old(old[1], end=edit.end > edit.start)
            new = self.maps[level].to_new(edit.start) if edit.end > edit.start else edit.start
            for position_map in self.maps[level + 1 :]:
                new = position_map.to_new(new)
            span_before = source.span(old[0], max(old))
            span_after = result.span(min(new, len(self.text)), min(new + len(edit.text), len(self.text)))
            for rule in edit.rules:
                known = self.rules[rule]
                repairs.append(Repair(rule, known.summary, span_before, span_after, known.cost, before, edit.text))
        repairs.sort(key=lambda repair: (repair.before.start, repair.before.end))
        completeness = tuple(sorted(self.completeness.items()))
        return Repaired(
            self.text, self.original, tuple(repairs), tuple(self.maps), completeness, document, tuple(sorted(self.lost))
        )


class _Planner:
    """Turns an outline into edits, by the rules that answer its mistakes."""

    def __init__(self, engine: RepairEngine, outline: Outline, cut_off: bool) -> None:
        self.engine = engine
        self.dialect = engine.dialect
        self.outline = outline
        self.text = outline.text
        self.cut_off = cut_off
        self.edits: list[Edit] = []
        self.completeness: dict[int, Completeness] = {}
        self.lost: list[int] = []
        self.first = self.last = 0  # the places of the first and the last section among the groups

    def plan(self) -> None:
        groups = group_parts(self.outline)
        self.lost = [group.first.line.start for group in find_lost(groups, self.text, self.dialect)]
        sections = [index for index, group in enumerate(groups) if group.role != "drop"]
        self.first, self.last = (sections[0], sections[-1]) if sections else (len(groups), len(groups))
        for index, group in enumerate(groups):
            if group.role == "drop":
                self._drop(group, index)
            else:
                self._spell(group.first, group.role)
                self._follow(group)

    def _drop(self, group: Group, index: int) -> None:
        code = group.first.step.mistakes[0] if group.first.step.mistakes else "prose"
        rule = self.engine.cure(code)
        if rule is None or rule.verb != "drop_lines":
            return
        where = "before" if index < self.first else "after" if index > self.last else "between"
        if rule.argument not in (True, "anywhere") and where != rule.argument:
            return
        last = group.more[-1] if group.more else group.first
        self._edit(group.first.line.start, last.line.end, "", rule)

    def _follow(self, group: Group) -> None:
        """Put right what follows a section's first line: wrapped lines, choices, the block."""
        for part in group.more:
            if group.role == "head":
                self._write(part, "path" if self._wants_path(group) else "attribute")
            elif group.role == "reason":
                continue
            elif group.role == "thought":
                rule = self.engine.cure("wrapped-thought")
                if rule is not None:
                    lines = self.text[part.line.start : part.line.stop].split("\n")
                    prefix = fill_text(rule.argument, self.dialect)
                    new = "\n".join(prefix + line.strip(" \t") if line.strip() else line for line in lines)
                    self._edit(part.line.start, part.line.stop, new, rule)
            else:
                self._write(part, "choice")
        if group.role == "head":
            self._block(group)

    def _wants_path(self, group: Group) -> bool:
        """Whether what the action names is a path, and stands on a line of its own."""
        if "lines" not in self.dialect.forms:
            return False
        lines = []
        for part in (group.first, *group.more):
            line = self.text[part.line.start : part.line.stop]
            spelling = self.engine.repairer.candidate(line, "head") if part.line.kind.is_respelt else None
            lines += (spelling.text if spelling is not None else line).split("\n")
        return not takes_command(self.dialect, lines)

    def _block(self, group: Group) -> None:
        """Write the delimiters of an action's block, and mend its content."""
        completeness = group.completeness(self.cut_off)
        if completeness is not Completeness.COMPLETE:
            self.completeness[group.first.line.start] = completeness
        self._close_gaps(group)
        if not group.opened:
            return
        if group.outer is not None and (rule := self.engine.cure("fence-around-block")):
            self._edit(group.outer.line.start, group.outer.line.end, "", rule)
        if group.opener is not None:
            self._delimit(group, group.opener, "open")
        for part in group.body[:1]:
            for mistake in part.step.mistakes:
                rule = self.engine.cure(mistake)
                if rule is not None and rule.verb == "insert_line":
                    self._edit(part.line.start, part.line.start, self._filled(group, rule) + "\n", rule)
        if group.closer is not None:
            self._delimit(group, group.closer, "close")
        elif group.missing and (rule := self.engine.cure(group.missing)):
            self._insert_closer(group, rule)
        self._content(group)

    def _close_gaps(self, group: Group) -> None:
        """Take out the blank lines between an action line and its block, or the last of its attributes."""
        rule = self.engine.cure("blank-before-block") if group.opened or group.more else None
        last = group.more[-1].line.start if group.more and not group.opened else len(self.text)
        for gap in group.gaps:
            if rule is not None and gap.line.start < last:
                self._edit(gap.line.start, gap.line.end, "", rule)

    def _insert_closer(self, group: Group, rule: Rule) -> None:
        body = group.content_parts()
        last = body[-1] if body else group.opener or group.first
        at = last.line.end
        lead = "" if self.text.endswith("\n", 0, at) else "\n"
        self._edit(at, at, lead + self._filled(group, rule) + "\n", rule)

    def _filled(self, group: Group, rule: Rule) -> str:
        """The line that a rule inserts; a delimiter of the length that its block wants."""
        line = fill_text(rule.argument, self.dialect)
        known = (self.dialect.fences.keys(), self.dialect.closers)
        return next((wanted for marks, wanted in zip(known, self._fence(group), strict=True) if line in marks), line)

    def _delimit(self, group: Group, part: Part, role: str) -> None:
        """Write a delimiter as it should be, of the length of its partner."""
        count = len(self.edits)
        self._write(part, role)
        at, known = (-1, self.dialect.closers) if role == "close" else (0, self.dialect.fences.keys())
        wanted = self._fence(group)[at]
        for place in range(count, len(self.edits)):
            lines = self.edits[place].text.split("\n")
            if lines[at] in known:
                lines[at] = wanted
                self.edits[place] = replace(self.edits[place], text="\n".join(lines))
        shown = self.text[part.line.start : part.line.stop].rstrip(" \t")
        rule = self.engine.rule("wrong-closer-length" if role == "close" else "wrong-delimiter-length")
        if len(self.edits) == count and shown in known and shown != wanted and rule is not None:
            self._edit(part.line.start, part.line.start + len(shown), wanted, rule)

    def _fence(self, group: Group) -> tuple[str, str]:
        """Return the delimiters for a block: of the length of the one that is right, or else nearly right.

        If neither is, the shortest between which the content can stand.
        """
        fences = self.dialect.fences
        opener_of = {closer: opener for opener, closers in fences.items() for closer in closers}
        opener, opens = self._shown(group.opener or group.first, "open" if group.opener else "head")
        closer, closes = self._shown(group.closer, "close") if group.closer else ("", False)
        if opener not in fences or (closes and not opens):
            opener = opener_of.get(closer, "")
        if not opener:
            body = group.content_parts() if len(fences) > 1 else []
            inside = {
                line.rstrip(" \t") for part in body for line in self.text[part.line.start : part.line.stop].split("\n")
            }
            opener = next((o for o in fences if inside.isdisjoint((o, *fences[o]))), next(iter(fences)))
        return opener, closer if closer in fences[opener] else fences[opener][0]

    def _shown(self, part: Part, role: str) -> tuple[str, bool]:
        """Return the delimiter that a line holds, if its length is sure, and whether it stands there as it should."""
        shown = self.text[part.line.start : part.line.stop].rstrip(" \t")
        marks = self.dialect.closers if role == "close" else self.dialect.fences.keys()
        if shown in marks:
            return shown, True
        spelling = self.engine.repairer.candidate(shown, role) if part.line.kind.is_respelt else None
        lines = spelling.text.split("\n") if spelling else [""]
        mark = lines[0] if role == "open" else lines[-1]
        sure = mark in marks and (mark in shown or len(mark) > len(min(marks, key=len)))
        return (mark if sure else ""), False

    def _content(self, group: Group) -> None:
        body = group.content_parts()
        if not body or group.missing:
            return
        start, end = body[0].line.start, body[-1].line.end
        content = self.text[start:end]
        indents = [part.line for part in (group.opener, group.closer) if part is not None]
        depths = [
            len(self.text[line.start : line.stop]) - len(self.text[line.start : line.stop].lstrip(" \t"))
            for line in indents
        ]
        head = self.text[group.first.line.start : group.first.line.stop]
        for rule in self.engine.content_rules():
            if rule.verb == "unwrap_fence":
                new = unwrap_fence(content, head)
            else:
                new = dedent_block(content, min(depths) if len(depths) == 2 else 0)
            if new is not None and new != content:
                self._edit(start, end, new, rule)
                return

    def _write(self, part: Part, role: str) -> None:
        """Write a delimiter line (or a choice) as it should be: by respelling, or by the rule for its mistake."""
        for mistake in part.step.mistakes:
            rule = self.engine.cure(mistake)
            if rule is not None and rule.verb == "write_line":
                self._edit(part.line.start, part.line.stop, fill_text(rule.argument, self.dialect), rule)
                return
            if rule is not None and rule.verb == "prefix_lines":
                self._edit(part.line.start, part.line.start, str(rule.argument), rule)
                return
        self._spell(part, role)

    def _spell(self, part: Part, role: str) -> None:
        line = part.line
        if not line.kind.is_respelt:
            return
        old = self.text[line.start : line.stop]
        spelling = self.engine.repairer.candidate(old, role)
        if spelling is not None:
            first = spelling.text.partition("\n")[0] if line.kind.spelling is Spelling.BEHIND else ""
            kept = len(first) if old.startswith(first) else 0  # the closer belongs to the block above
            start, end = line.start + kept, line.start + len(old)
            self.edits.append(Edit(start, end, spelling.text[kept:], spelling.rules, spelling.cost))

    def _edit(self, start: int, end: int, text: str, rule: Rule) -> None:
        self.edits.append(Edit(start, end, text, (rule.id,), rule.cost))
