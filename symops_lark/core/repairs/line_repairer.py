"""Normalize single lines by the repair rules: the bridge between rules and the reading of a text.

Recovery asks for each line whether some rules make it an exact line of a role (`Candidate`). The
answer depends only on the line and the role, so it is remembered. Most lines are lines of code that
no rule matches: one pass of RE2 over the set of all patterns finds that (`_hits`), and
`plain_lines` judges most of the others. Only what remains is normalized.

Example: the line `{action} Create the file {target}a.py` in the role `head`. The set reports the
rules `blank-after-mark`, `capital-verb`, …; each changes the line in the order of the rule set, and
the set is asked again after each change, until the strict grammar accepts the line as a head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..grammar.dialect import Dialect
from ..patterns.regexes import compile_pattern, is_encodable
from ..recovery.lines.kinds import ATTRIBUTES, OWN, Kind
from ..recovery.lines.lexer import LineLexer
from ..recovery.lines.roles import HEADS
from ..recovery.lines.spelling import Candidate, NoRepairer
from ..text.source import size
from .line_patterns import LinePatterns, compile_fences, compile_key, compile_number, write_number
from .plain_lines import BEGINNING, stays_plain
from .rule import CARRIED, LINE_VERBS, TEXT_VERBS, Rule, fill_pattern
from .text_rules import TextRules

_KIND_OF_ROLE = {kind.role: kind for kind in reversed(Kind) if not kind.is_respelt}
_MAX_LINE = 20_000  # characters; longer lines are never markup
# Lines of which hits and spellings are remembered: enough for a large reply, and a bound on memory
# for a process that reads replies for days.
_MEMORY = 20_000
_Hits = dict[str, tuple[int, ...]]  # role → indexes of its rules, in running order


class RuleRepairer:
    """Normalizes lines by the line rules of a rule set.

    The rules of a role run in their order until the line is exact for the role.

    Attributes:
        usual: Whether the rules are the installed ones, without custom rules.
        read: The text that was read last with it, its dialect and its outline.
        text_rules: The rules for complete texts.
    """

    def __init__(self, dialect: Dialect, rules: Sequence[Rule], *, usual: bool = False) -> None:
        """Prepare the rules that serve the dialect.

        Args:
            dialect: The dialect.
            rules: The rules. Custom ones are compiled here, so that a wrong one is refused; the
                installed ones on first use, because most replies need few of them.
            usual: Whether they are the installed ones.

        Raises:
            RuleError: The pattern of a rule cannot be used.
        """
        self._made_of = dialect, tuple(rules)
        self.usual = usual
        self.last_read: tuple[str, Any, Any] = "", None, None
        self._exact = LineLexer(dialect, NoRepairer())
        self._compile_marks(dialect)
        self._rules: list[Rule] = []
        for rule in rules:
            if rule.verb in LINE_VERBS and rule.serves(dialect):
                self._rules.append(rule)
        self._patterns = LinePatterns(dialect, self._rules)
        if not usual:
            self._patterns.compile_all()
        indexes = range(len(self._rules))
        by_role = self._by_role(indexes)
        self._last: dict[str, int] = {}
        for role, served in by_role.items():
            self._last[role] = max(served)
        text_rules = [rule for rule in rules if rule.verb in TEXT_VERBS]
        self.text_rules = TextRules(
            dialect, text_rules, lambda rule, key: compile_key(rule, key, dialect)
        )
        self._hits_by_line: dict[str, _Hits] = {}
        self._hits_by_rules: dict[tuple[int, ...], _Hits] = {}
        self._spellings: dict[tuple[str, str], Candidate | None] = {}  # by line and role
        self._changes: dict[tuple[int, str], str] = {}  # by rule and line
        self._kinds: dict[str, Kind] = {}  # by line, in the strict grammar
        self._plans: dict[int, Any] = {}  # of `plain_lines`
        self._barren: Any = None  # of `plain_lines`

    def _compile_marks(self, dialect: Dialect) -> None:
        """Prepare what depends on the marks and the forms of the dialect only."""
        self._closers = dialect.closers
        self._action = dialect.marks["action"]
        self._number = compile_number(dialect) if "numbers" in dialect.forms else None
        self._target = dialect.marks["target"] if "attributes" in dialect.forms else ""
        self._lent = f" {self._target}lent.py"  # see `_lend_target`
        runs = r"{action}[ \t]*(?:[0-9]+[ \t]+)?{running}(?:[^0-9A-Za-z_-]|$)"
        self._runs = compile_pattern(fill_pattern(runs, dialect))
        self._fences = compile_fences(dialect) if "fences" in dialect.forms else {}
        self._longer = {pattern for row in self._fences.values() for pattern, _ in row}

    def prepare(self, text: str) -> str:
        """Return a text as the text rules leave it, before its lines are read."""
        return self.text_rules.read(text)

    def __reduce__(self) -> tuple[Any, ...]:
        # Patterns of RE2 cannot be pickled: the copy compiles them again.
        return RuleRepairer, self._made_of

    def touches(self, line: str) -> bool:
        """Return whether any rule may make the line an exact line of some role."""
        number = self._number
        if number is not None and number.match(line, 0, BEGINNING) is not None:
            return True
        for pattern in self._longer:
            if pattern.search(line):
                return True
        hits = self._hits(line)
        if hits == {}:
            return False
        return not stays_plain(self, line, hits)

    def may_close(self, line: str) -> bool:
        """Return whether any rule makes a closing delimiter of the line, or of its end."""
        for pattern, mark in self._fences.get("close", ()):
            if mark[-1] in line and pattern.search(line):
                return True
        text = ""
        if is_encodable(line):
            text = line
        done = -1
        while True:
            done = _first_after(self._patterns.closing_triggers.find(text), done)
            if done < 0:
                return False
            text = self._patterns.closing_change(done)(text)
            if text.rpartition("\n")[2] in self._closers:
                return True

    def _change(self, rule: int, text: str) -> str:
        """Return a line as the rule with an index changes it."""
        changed = self._changes.get((rule, text))
        if changed is None:
            if len(self._changes) >= _MEMORY:
                self._changes.clear()
            changed = self._patterns.change(rule)(text)
            self._changes[rule, text] = changed
        return changed

    def _hits(self, line: str) -> _Hits:
        """Return, by role, the indexes of its rules whose patterns occur in a line."""
        hits = self._hits_by_line.get(line)
        if hits is None:
            indexes: tuple[int, ...] = ()
            if size(line) <= _MAX_LINE and is_encodable(line):
                indexes = self._patterns.triggers.find(line)
            # Many lines are hit by the same rules: `plain_lines` relies on one object for them.
            hits = self._hits_by_rules.get(indexes)
            if hits is None:
                hits = self._by_role(indexes)
                self._hits_by_rules[indexes] = hits
            if len(self._hits_by_line) >= _MEMORY:
                self._hits_by_line.clear()
                self._hits_by_rules.clear()
            self._hits_by_line[line] = hits
        return hits

    def _by_role(self, indexes: Sequence[int]) -> _Hits:
        """Sort rules by the roles that they serve."""
        served: dict[str, list[int]] = {}
        for index in indexes:
            roles = self._rules[index].lines
            # A path is an attribute that must name a path: rules for attributes serve it too.
            if "attribute" in roles and "path" not in roles:
                roles = (*roles, "path")
            for role in roles:
                served.setdefault(role, []).append(index)
        hits: _Hits = {}
        for role, rules in served.items():
            hits[role] = tuple(rules)
        return hits

    def candidate(self, line: str, role: str) -> Candidate | None:
        """Normalize a line for a role.

        Args:
            line: The line without its ending, or the lines of a head.
            role: One of `rule.ROLES`.

        Returns:
            The normalized line, which may still not be exact; None if no rule changes it.
        """
        key = (line, role)
        if key in self._spellings:
            return self._spellings[key]
        if len(self._spellings) >= _MEMORY:
            self._spellings.clear()
        spelling = self._normalize_head(line) if role == "head" else self._normalize(line, role)
        self._spellings[key] = spelling
        return spelling

    def _normalize_head(self, line: str) -> Candidate | None:
        """Normalize the first line of an action."""
        if "\n" not in line and self._is_exact(line, "head"):
            unchanged = Candidate(line, (), 0.0)
            tidied = self._tidy(unchanged)
            if not tidied.rules:
                return None
            return tidied
        spelling = self._normalize_numbered(line)
        is_right = spelling is not None and self._is_exact(spelling.text, "head")
        if not is_right and self._lacks_target(line):
            lent = self._lend_target(line)
            if lent is not None:
                spelling = lent
        if spelling is None:
            return None
        # Of several lines, one may be exact although they are not one exact head.
        if is_right or "\n" in spelling.text:
            return self._tidy(spelling)
        return spelling

    def _normalize_numbered(self, line: str) -> Candidate | None:
        """Normalize a head that may have a number: the rules see it without the number."""
        number = None
        if self._number is not None:
            number = self._number.match(line, 0, BEGINNING)
        if number is None:
            return self._normalize(line, "head")
        following = line[number.end() :]
        spelling = self._normalize(number[1] + following, "head")
        if spelling is None:
            return None
        text = write_number(spelling.text, number[2], self._action)
        return replace(spelling, text=text)

    def _tidy(self, spelling: Candidate) -> Candidate:
        """Remove remarks after or around the path of a head, if the head is exact and has one."""
        lines = spelling.text.split("\n")
        for index, line in enumerate(lines):
            # A command may contain such a remark.
            if not self._is_exact(line, "head") or self._runs.match(line):
                continue
            tidied = self._apply_rules(line, "odd-head")
            if tidied is None:
                continue
            if self._is_exact(tidied.text, "head"):
                lines[index] = tidied.text
                text = "\n".join(lines)
                rules = spelling.rules + tidied.rules
                cost = spelling.cost + tidied.cost
                return replace(spelling, text=text, rules=rules, cost=cost)
        return spelling

    def _lacks_target(self, line: str) -> bool:
        """Return whether a short line has no target mark, in a dialect that may omit it."""
        if not self._target or size(line) > BEGINNING:
            return False
        # The action mark may contain the target mark.
        return self._target not in line.replace(self._action, "")

    def _lend_target(self, line: str) -> Candidate | None:
        """Normalize the first line of an action whose path is an attribute on a line below.

        The rules know only heads with a target: the line is given one, which is removed again.
        """
        lent = self._lent
        target = lent[1:]
        spelling = self._normalize_numbered(line.rstrip(" \t\r") + lent)
        if spelling is None or spelling.weak:
            return None
        text = spelling.text
        if not text.endswith(target):
            return None
        # Another line may only be the closer of the block above.
        if "\n" in text and text.split("\n")[0] not in self._closers:
            return None
        without_target = text.removesuffix(target).rstrip(" \t")
        return replace(spelling, text=without_target)

    def _normalize(self, line: str, role: str) -> Candidate | None:
        """Normalize a line that may have a longer delimiter.

        The rules know only the shortest delimiter: the line is shortened for them, and the
        characters that were taken out are put back.
        """
        plain = self._apply_rules(line, role)
        rows = self._fences.get(role, ())
        if role == "close" and rows and plain and "\n" in plain.text:
            at_end, closer = rows[0]
            content = plain.text.split("\n")[0].rstrip()
            # `>>>>>>> UPDATED >>>` ends with a closer that is complete: nothing is longer there.
            if not at_end.search(line) and not content.endswith(closer[-1]):
                return plain
        for pattern, mark in rows:
            match = pattern.search(line)
            if not match:
                continue
            start = match.end("before")
            end = match.end()
            shortest = match["tight"] or match["spread"]
            shortened = line[:start] + shortest + line[end:]
            spelling = self._apply_rules(shortened, role)
            if spelling is None:
                continue
            lines = spelling.text.split("\n")
            if mark in lines:
                sign = mark[-1]
                longer = line[start:end]
                extra_count = longer.count(sign) - shortest.count(sign)
                at = lines.index(mark)
                lines[at] = mark + extra_count * sign
                return replace(spelling, text="\n".join(lines))
        return plain

    def _apply_rules(self, line: str, role: str) -> Candidate | None:
        """Apply the rules of a role in their order until the line is exact; None: no change."""
        if role not in self._hits(line):
            return None
        text = line
        used = []
        cost = 0.0
        is_weak = False
        is_carried = True
        index = -1
        while True:
            # What hits the line depends on what it is by now; no rule runs twice.
            indexes = self._hits(text).get(role, ())
            index = _first_after(indexes, index)
            if index < 0:
                break
            changed = self._change(index, text)
            if changed == text:
                continue
            text = changed
            rule = self._rules[index]
            used.append(rule.id)
            cost += rule.cost
            if rule.weak:
                is_weak = True
            if rule.phase != CARRIED:
                is_carried = False
            if role != "odd-head" and self._is_exact(text, role):
                break
        if not used:
            return None
        return Candidate(text, tuple(used), cost, is_weak, is_carried)

    def _kind(self, line: str) -> Kind:
        """Return the kind of a line in the strict grammar."""
        kind = self._kinds.get(line)
        if kind is None:
            if len(self._kinds) >= _MEMORY:
                self._kinds.clear()
            kind = self._exact.kind_of(line)
            self._kinds[line] = kind
        return kind

    def _is_exact(self, text: str, role: str) -> bool:
        """Return whether a normalized line is one that the strict grammar has for a role."""
        first, _, second = text.partition("\n")
        if role == "head" and second and first in self._closers:
            first = second  # the closer belongs to the block above
        if role == "close":
            last = text.split("\n")[-1]  # the content before it is on a separate line by now
            return self._kind(last) in (Kind.CLOSE, Kind.DELIM)
        kind = self._kind(first)
        if role == "head":
            return kind in HEADS
        if role == "path":
            return kind in ATTRIBUTES and kind is not Kind.COMMAND_LINE
        if role == "attribute":
            return kind in ATTRIBUTES
        if role == "section" and kind in OWN:
            return True
        # In some dialects one sign opens and closes a block.
        if role == "open" and kind is Kind.DELIM:
            return True
        return kind is _KIND_OF_ROLE.get(role)


def _first_after(indexes: Sequence[int], done: int) -> int:
    """Return the first index after that of a rule that was applied; -1 if there is none."""
    for index in indexes:
        if index > done:
            return index
    return -1
