"""The repair engine: reads a broken text, applies the rules to what the reading says is markup, records each repair.

A text that parses strictly is returned as it is. Content between two recognised delimiters is never touched, except
by rules that declare it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..document import Completeness
from ..grammar.codes import BLANK_BEFORE_BLOCK, FENCE_AROUND_BLOCK, WRAPPED_THOUGHT
from ..grammar.dialect import Dialect
from ..grammar.loading import load_dialect
from ..recovery.doubts.lost_actions import find_lost
from ..recovery.foreign.layouts import find_layout
from ..recovery.lines.field_lines import takes_command
from ..recovery.lines.kinds import OWN, Spelling, indentation_of
from ..recovery.outline.heads import HeadReader
from ..recovery.outline.outline import Group, Outline, Part
from ..recovery.reading import read_outline
from ..strict.parser import parse_valid
from .content import Indented, dedent_block, indentation, judge_indentation, unwrap_fence
from .edited_text import EditedText
from .edits import Edit
from .line_repairer import RuleRepairer
from .loader import load_rules
from .repaired import Repaired
from .rule import CONTENT_VERBS, STRUCTURE_VERBS, Rule, fill_text

_PASSES = 4
_FENCES = ("`", "~")


class RepairEngine:
    """The rules of one dialect, ready to run; `folders` hold the user's own rules."""

    def __init__(
        self, format: str | Path | Dialect, rules: Sequence[Rule] | None = None, folders: Sequence[str | Path] = ()
    ) -> None:
        self.dialect = load_dialect(format)
        self.rules = tuple(load_rules(self.dialect, folders) if rules is None else rules)
        self.repairer = RuleRepairer(self.dialect, self.rules)
        self.repairer.usual = rules is None and not folders
        self._by_id = {rule.id: rule for rule in self.rules}
        self._cures = {m: rule for rule in self.rules if rule.verb in STRUCTURE_VERBS for m in rule.mistakes}

    def __reduce__(self) -> tuple[Any, ...]:
        rules = None if self.repairer.usual else self.rules
        return RepairEngine, (self.dialect, rules)  # patterns of RE2 do not travel

    def repair(self, text: str, *, cut_off: bool | None = None, known_broken: bool = False) -> Repaired:
        """Repair a text; one that parses strictly (`known_broken` says that it does not) comes back as it is."""
        document = None if known_broken else parse_valid(text, self.dialect)
        if document is not None:
            return Repaired(text, text, document=document)
        state = EditedText(text, self._by_id)
        if find_layout(state.text, self.dialect)[0]:
            return Repaired(text, text)  # no line of it is markup: recovery reads it as it is
        for _, edits, repairs in self.repairer.text_rules.apply(state.text):
            state.apply(edits, repairs)
        document = parse_valid(state.text, self.dialect) if state.done else None
        for _ in range(_PASSES):
            if not state.apply(self._plan(state, cut_off)):
                break
            document = parse_valid(state.text, self.dialect)
            if document is not None:
                break
        if state.restore_endings() and document is not None:
            document = parse_valid(state.text, self.dialect)
        return state.finish(document)

    def _plan(self, state: EditedText, cut_off: bool | None) -> list[Edit]:
        """Return the edits that put right the mistakes of a text; the outline, which is large, is forgotten."""
        outline = read_outline(state.text, self.dialect, self.repairer)
        planner = _Planner(self, outline, outline.cut_off if cut_off is None else cut_off)
        planner.plan()
        state.note(planner.completeness, planner.lost)
        return planner.edits

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


class _Planner:
    """Turns an outline into edits, by the rules that answer its mistakes."""

    def __init__(self, engine: RepairEngine, outline: Outline, cut_off: bool) -> None:
        self.engine = engine
        self.dialect = engine.dialect
        self.outline = outline
        self.text = outline.text
        self.cut_off = cut_off
        self.heads = HeadReader(engine.dialect, engine.repairer, outline.text)
        self.indented: dict[int, tuple[int, bool]] = {}  # by a group's place: what to take off; is it sure?
        self.edits: list[Edit] = []
        self.completeness: dict[int, Completeness] = {}
        self.lost: list[int] = []
        self.first = self.last = 0  # the places of the first and the last section among the groups
        self._only = len(self.dialect.fences) == len(self.dialect.closers) == 1  # so no delimiter has a wrong length

    def plan(self) -> None:
        groups = self.outline.groups
        self.lost = [start for start, _ in find_lost(groups, self.heads)]
        self._judge_indentation(groups)
        sections = [index for index, group in enumerate(groups) if group.role != "drop"]
        self.first, self.last = (sections[0], sections[-1]) if sections else (len(groups), len(groups))
        for index, group in enumerate(groups):
            if group.role == "drop":
                self._drop(group, index)
            else:
                self._spell(group.first, group.role)
                self._follow(group)

    def _drop(self, group: Group, index: int) -> None:
        rule = self.engine.cure(group.code)
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
                rule = self.engine.cure(WRAPPED_THOUGHT)
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
        completeness = group.judge_completeness(self.cut_off)
        if completeness is not Completeness.COMPLETE:
            self.completeness[group.first.line.start] = completeness
        self._close_gaps(group)
        if not group.opened:
            return
        if group.outer is not None and (rule := self.engine.cure(FENCE_AROUND_BLOCK)):
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
        rule = self.engine.cure(BLANK_BEFORE_BLOCK) if group.opened or group.more else None
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
        if self._only:
            return line
        known = (self.dialect.fences.keys(), self.dialect.closers)
        return next((wanted for marks, wanted in zip(known, self._fence(group), strict=True) if line in marks), line)

    def _delimit(self, group: Group, part: Part, role: str) -> None:
        """Write a delimiter as it should be, of the length of its partner."""
        count = len(self.edits)
        self._write(part, role)
        if self._only:
            return
        at, known = (-1, self.dialect.closers) if role == "close" else (0, self.dialect.fences.keys())
        wanted = self._fence(group)[at]
        for place in range(count, len(self.edits)):
            lines = self.edits[place].text.split("\n")
            if lines[at] in known:
                lines[at] = wanted
                self.edits[place] = self.edits[place]._replace(text="\n".join(lines))
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

    def _judge_indentation(self, groups: Sequence[Group]) -> None:
        """Tell what is to be taken off each content whose delimiters are indented, by the evidence of all of them."""
        found: list[tuple[int, Indented]] = []
        for group in groups:
            if group.opener is not None and group.closer is not None and group.body and not group.missing:
                depth = min(indentation_of(group.opener.line, self.text), indentation_of(group.closer.line, self.text))
                content = self.text[group.body[0].line.start : group.body[-1].line.end] if depth else ""
                if content.strip():
                    action = self.heads.action(group)
                    fragment = action is None or action.type not in self.dialect.verbs["writing"][:1]
                    found.append((group.first.line.start, Indented(depth, indentation(content), fragment)))
        judged = judge_indentation([block for _, block in found])
        for (start, block), (given, sure) in zip(found, judged, strict=True):
            self.indented[start] = (block.depth if given else 0, sure)

    def _content(self, group: Group) -> None:
        if not group.body or group.missing:
            return
        start, end = group.body[0].line.start, group.body[-1].line.end
        content = self.text[start:end]
        depth, sure = self.indented.get(group.first.line.start, (0, True))
        for rule in self.engine.content_rules():
            if rule.verb == "unwrap_fence":
                action = self.heads.action(group) if content.lstrip()[:1] in _FENCES else None
                new = unwrap_fence(content, action.path) if action else None
            else:
                new = dedent_block(content, depth)
            if new is not None and new != content:
                self._edit(start, end, new, rule)
                sure = sure and rule.verb != "unwrap_fence"
                break
        if not sure:
            self.completeness.setdefault(group.first.line.start, Completeness.SUSPECT)

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
        if not line.kind.is_respelt and (role != "head" or line.kind in OWN):
            return
        old = self.text[line.start : line.stop]
        if line.kind in OWN:
            role, old = "section", old.partition("\n")[0]
        spelling = self.engine.repairer.candidate(old, role)
        if spelling is not None:
            first = spelling.text.partition("\n")[0] if line.kind.spelling is Spelling.BEHIND else ""
            kept = len(first) if old.startswith(first) else 0  # the closer belongs to the block above
            start = line.start + kept if kept else line.start
            end = line.start + len(old) if line.kind in OWN else line.stop
            self.edits.append(Edit(start, end, spelling.text[kept:], spelling.rules))

    def _edit(self, start: int, end: int, text: str, rule: Rule) -> None:
        self.edits.append(Edit(start, end, text, (rule.id,)))
