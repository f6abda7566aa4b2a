"""Respelling one line for a role by the rules: the bridge between rules and the reading of a text.

Patterns run in RE2, whose time is linear in the line: a user's rule cannot hang the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..grammar.dialect import Dialect
from ..patterns.regexes import (
    LinearSet,
    Pattern,
    PatternError,
    compile_linear,
    compile_pattern,
    escape,
    is_encodable,
    substituter,
)
from ..recovery.lines.kinds import ATTRIBUTES, OWN, Kind
from ..recovery.lines.lexer import LineLexer
from ..recovery.lines.roles import HEADS
from ..recovery.lines.spelling import Candidate, NoRepairer
from ..text.source import size
from .plain_lines import BEGINNING, stays_plain
from .rule import CARRIED, LINE_VERBS, TEXT_VERBS, Rule, fill_pattern, fill_template, fill_text
from .text_rules import TextRules


def compile_rule_pattern(pattern: str, dialect: Dialect, rule: Rule) -> Any:
    """Return a pattern of a rule with the dialect's marks in it; raise `RuleError` with the reason."""
    try:
        return compile_linear(fill_pattern(pattern, dialect))
    except KeyError as error:
        raise rule.error(f"no placeholder is called {{{error.args[0]}}}") from None
    except PatternError as error:
        hint = "RE2 syntax: no look-around, no backreferences"
        raise rule.error(f"the pattern cannot be used: {error} ({hint})") from None


def _compile_key(rule: Rule, key: str, dialect: Dialect) -> Any:
    """Return the pattern that stands under a key of a rule's verb; None if there is none."""
    named = rule.argument if isinstance(rule.argument, dict) else {}
    return compile_rule_pattern(named[key], dialect, rule) if key in named else None


_KIND_OF_ROLE = {kind.role: kind for kind in reversed(Kind) if not kind.is_respelt}
_LONGEST = 20_000  # characters; a longer line is no markup
_Hits = dict[str, tuple[int, ...]]  # role → rules
_MEMORY = 20_000  # lines of which the rules and spellings are remembered


class RuleRepairer:
    """Respells lines by the line rules of a rule set, in their order, until the line is exact for its role."""

    def __init__(self, dialect: Dialect, rules: Sequence[Rule]) -> None:
        self._made_of = dialect, tuple(rules)
        self.usual = False
        self.last_read: tuple[str, Any, Any] = "", None, None
        self._exact = LineLexer(dialect, NoRepairer())
        self._closers = dialect.closers
        self._action = dialect.marks["action"]
        self._number = _compile_number(dialect) if "numbers" in dialect.forms else None
        self._target = dialect.marks["target"] if "attributes" in dialect.forms else ""
        self._lent = f" {self._target}lent.py"
        runs = r"{action}[ \t]*(?:[0-9]+[ \t]+)?{running}(?:[^0-9A-Za-z_-]|$)"
        self._runs = compile_pattern(fill_pattern(runs, dialect))
        self._fences = _compile_fences(dialect) if "fences" in dialect.forms else {}
        self._longer = {pattern for row in self._fences.values() for pattern, _ in row}
        self._rules: list[tuple[Rule, Callable[[str], str]]] = []
        triggers = []
        for rule in rules:
            if rule.verb in LINE_VERBS and rule.serves(dialect):
                self._rules.append((rule, _compile_change(rule, dialect)))
                triggers.append(fill_pattern(_trigger(rule), dialect))
        self._any = LinearSet(triggers)
        closing = [at for at, (rule, _) in enumerate(self._rules) if "close" in rule.lines]
        self._closing = LinearSet([triggers[at] for at in closing])
        self._closing_changes = [self._rules[at][1] for at in closing]
        text_rules = [rule for rule in rules if rule.verb in TEXT_VERBS]
        self.text_rules = TextRules(dialect, text_rules, lambda rule, key: _compile_key(rule, key, dialect))
        self._known: dict[str, _Hits] = {}
        self._spelt: dict[tuple[str, str], Candidate | None] = {}
        self._changed: dict[tuple[int, str], str] = {}
        self._exactly: dict[str, Kind] = {}
        self._hit: dict[tuple[int, ...], _Hits] = {}
        self._plans: dict[int, Any] = {}  # those of `plain_lines`
        self._barren: Any = None
        self._last = {role: max(places) for role, places in self._by_role(range(len(self._rules))).items()}

    def prepare(self, text: str) -> str:
        """Return a text as the rules for whole texts make it, before its lines are read."""
        return self.text_rules.read(text)

    def __reduce__(self) -> tuple[Any, ...]:
        return RuleRepairer, self._made_of  # patterns of RE2 do not travel

    def touches(self, line: str) -> bool:
        """Return whether any rule could make markup of the line."""
        if self._number is not None and self._number.match(line, 0, BEGINNING) is not None:
            return True
        hits = self._hits(line)
        if any(pattern.search(line) for pattern in self._longer):
            return True
        return hits != {} and not stays_plain(self, line, hits)

    def may_close(self, line: str) -> bool:
        """Return whether any rule could make a delimiter that closes of the line."""
        for pattern, mark in self._fences.get("close", ()):
            if mark[-1] in line and pattern.search(line):
                return True
        text, done = line if is_encodable(line) else "", -1
        while (at := next((at for at in self._closing.find(text) if at > done), -1)) >= 0:
            text, done = self._closing_changes[at](text), at
            if text.rpartition("\n")[2] in self._closers:
                return True
        return False

    def _next(self, hits: _Hits, role: str, done: int) -> int:
        """Return the place of the next rule for a role behind one that was applied, or -1."""
        for at in hits.get(role, ()):
            if at > done:
                return at
        return -1

    def _change(self, rule: int, text: str) -> str:
        changed = self._changed.get((rule, text))
        if changed is None:
            if len(self._changed) >= _MEMORY:
                self._changed.clear()
            changed = self._changed[rule, text] = self._rules[rule][1](text)
        return changed

    def _hits(self, line: str) -> _Hits:
        """Return for each role the places of its rules whose patterns occur in a line: one pass of RE2 for all."""
        hits = self._known.get(line)
        if hits is None:
            found = self._any.find(line) if size(line) <= _LONGEST and is_encodable(line) else ()
            hits = self._hit.get(found)
            if hits is None:
                hits = self._hit[found] = self._by_role(found)
            if len(self._known) >= _MEMORY:
                self._known.clear()
                self._hit.clear()
            self._known[line] = hits
        return hits

    def _by_role(self, places: Sequence[int]) -> _Hits:
        served: dict[str, list[int]] = {}
        for at in places:
            roles = self._rules[at][0].lines
            for role in (*roles, "path") if "attribute" in roles and "path" not in roles else roles:
                served.setdefault(role, []).append(at)
        return {role: tuple(rules) for role, rules in served.items()}

    def candidate(self, line: str, role: str) -> Candidate | None:
        """Respell a line for a role, or give None if no rule changes it."""
        key = (line, role)
        if key in (known := self._spelt):
            return known[key]
        if len(known) >= _MEMORY:
            self._spelt = {}
        if role == "head" and "\n" not in line and self._is_exact(line, role):
            tidied = self._tidy(Candidate(line, (), 0.0))
            known[key] = tidied if tidied.rules else None
            return known[key]
        spelling = self._spell_head(line) if role == "head" else self._spell_fence(line, role)
        right = role != "head" or (spelling is not None and self._is_exact(spelling.text, role))
        lacks_target = self._target and self._target not in line.replace(self._action, "")
        if not right and lacks_target and size(line) <= BEGINNING:
            spelling = self._lend_target(line) or spelling
        if role == "head" and spelling is not None and (right or "\n" in spelling.text):
            spelling = self._tidy(spelling)
        self._spelt[key] = spelling
        return spelling

    def _spell_head(self, line: str) -> Candidate | None:
        number = self._number.match(line, 0, BEGINNING) if self._number is not None else None
        if number is None:
            return self._spell_fence(line, "head")
        spelling = self._spell_fence(number[1] + line[number.end() :], "head")
        return spelling and replace(spelling, text=self._put_number(spelling.text, number[2]))

    def _tidy(self, spelling: Candidate) -> Candidate:
        """Take off what a head says behind or around its path, if the head is exact and names one."""
        lines = spelling.text.split("\n")
        for index, line in enumerate(lines):
            if self._is_exact(line, "head") and not self._runs.match(line):
                odd = self._spell(line, "odd-head")
                if odd is not None and self._is_exact(odd.text, "head"):
                    lines[index] = odd.text
                    rules, cost = spelling.rules + odd.rules, spelling.cost + odd.cost
                    return replace(spelling, text="\n".join(lines), rules=rules, cost=cost)
        return spelling

    def _lend_target(self, line: str) -> Candidate | None:
        """Respell the first line of an action whose path is an attribute: the rules know heads with a target."""
        lent = self._lent
        spelling = self._spell_head(line.rstrip(" \t\r") + lent)
        if spelling is None or spelling.weak or not spelling.text.endswith(lent[1:]):
            return None
        if "\n" in spelling.text and spelling.text.split("\n")[0] not in self._closers:
            return None
        return replace(spelling, text=spelling.text.removesuffix(lent[1:]).rstrip(" \t"))

    def _spell_fence(self, line: str, role: str) -> Candidate | None:
        """Respell a line with a longer delimiter: the rules know the shortest one, the length is put back."""
        plain = self._spell(line, role)
        rows = self._fences.get(role, ())
        if role == "close" and rows and plain and "\n" in plain.text:
            (longer_last, closer), text = rows[0], plain.text.split("\n")[0]
            if not longer_last.search(line) and not text.rstrip().endswith(closer[-1]):
                return plain  # `>>>>>>> UPDATED >>>` ends with a closer of its own
        for pattern, mark in rows:
            found = pattern.search(line)
            if found:
                shown = found["tight"] or found["spread"]
                spelling = self._spell(line[: found.end("before")] + shown + line[found.end() :], role)
                lines = spelling.text.split("\n") if spelling else []
                if spelling and mark in lines:
                    more = line[found.end("before") : found.end()].count(mark[-1]) - shown.count(mark[-1])
                    lines[lines.index(mark)] = mark + more * mark[-1]
                    return replace(spelling, text="\n".join(lines))
        return plain

    def _put_number(self, text: str, number: str) -> str:
        """Put an action's number back behind its mark: the rules know heads without numbers."""
        lines = text.split("\n")
        for index, line in enumerate(lines):
            if line.startswith(self._action):
                lines[index] = f"{self._action}{number} {line[len(self._action) :].lstrip()}"
                break
        return "\n".join(lines)

    def _spell(self, line: str, role: str) -> Candidate | None:
        if role not in self._hits(line):
            return None
        text, used, cost, weak, carried, done = line, [], 0.0, False, True, -1
        while True:
            at = self._next(self._hits(text), role, done)
            if at < 0:
                break
            rule, changed, done = self._rules[at][0], self._change(at, text), at
            if changed == text:
                continue
            text = changed
            used.append(rule.id)
            cost += rule.cost
            weak = weak or rule.weak
            carried = carried and rule.phase == CARRIED
            if role != "odd-head" and self._is_exact(text, role):
                break
        return Candidate(text, tuple(used), cost, weak, carried) if used else None

    def _kind(self, line: str) -> Kind:
        kind = self._exactly.get(line)
        if kind is None:
            if len(self._exactly) >= _MEMORY:
                self._exactly.clear()
            kind = self._exactly[line] = self._exact.kind_of(line)
        return kind

    def _is_exact(self, text: str, role: str) -> bool:
        first, _, second = text.partition("\n")
        if role == "head" and second and first in self._closers:
            first = second
        kind = self._kind(first)
        if role == "head":
            return kind in HEADS
        if role == "close":
            return self._kind(text.split("\n")[-1]) in (Kind.CLOSE, Kind.DELIM)
        if role in ("attribute", "path"):
            return kind in (ATTRIBUTES - {Kind.COMMAND_LINE} if role == "path" else ATTRIBUTES)
        if role == "section" and kind in OWN:
            return True
        return kind is _KIND_OF_ROLE.get(role) or (role == "open" and kind is Kind.DELIM)


def _compile_fences(dialect: Dialect) -> dict[str, tuple[tuple[Pattern, str], ...]]:
    """For each role the patterns of the longer delimiters on its lines, each with the shortest delimiter.

    A delimiter begins its line, perhaps behind other signs; behind an action or a content it ends its line.
    """
    opening, closing = dialect.marks["open"], dialect.marks["close"]
    open_first, open_last = _compile_longer(opening)
    close_first, close_last = _compile_longer(closing)
    return {
        "open": ((open_first, opening),),
        "close": ((close_last, closing), (close_first, closing)),
        "head": ((close_first, closing), (open_last, opening)),
    }


def _compile_longer(mark: str) -> tuple[Pattern, Pattern]:
    """Patterns of a mark that is longer by one to five signs, tight or spread, at the beginning and at the end."""
    signs, last = [escape(sign) for sign in mark], escape(mark[-1])
    tight = rf"(?P<tight>{''.join(signs)}){last}{{1,5}}"
    spread = rf"(?P<spread>{'[ ]+'.join(signs)})(?:[ ]+{last}){{1,5}}"
    run = rf"(?:{tight}|{spread})(?![ ]*{last})"
    first = compile_pattern(rf"\A(?P<before>[^\w{signs[0]}]{{0,8}}){run}")
    return first, compile_pattern(rf"(?P<before>(?<!{signs[0]})){run}[ \t\r]*\Z")


def _compile_number(dialect: Dialect) -> Pattern:
    """The signs before an action's number, with a sign of some action mark among them, and the number.

    In front of them may stand the number of a list, or the closing delimiter of the block above.
    """
    signs = "".join({*dialect.marks["action"], *":$：＄∷"})
    closers = "|".join(sorted(map(escape, dialect.closers), key=len, reverse=True))
    listed, mark = rf"(?:\(?[0-9]{{1,3}}[.)][ \t]+|{closers})?", rf"[^\w\n]*[{escape(signs)}][^\w\n]*?[ \t]*"
    return compile_pattern(rf"({listed}{mark})([0-9]{{1,6}})[ \t]+(?=[A-Za-z])")


def _trigger(rule: Rule) -> str:
    """The pattern without which the rule does nothing."""
    if rule.verb == "translate_characters":
        return "[" + "".join("\\" + c if c in r"\]^-" else c for c in rule.argument["characters"]) + "]"
    return str(rule.argument["pattern"])


def _compile_change(rule: Rule, dialect: Dialect) -> Callable[[str], str]:
    argument = rule.argument
    if rule.verb == "translate_characters":
        own = set("".join(dialect.marks.values()))  # what the dialect's own marks are made of is no mistake
        characters = {key: value for key, value in argument["characters"].items() if key not in own}
        table = str.maketrans({key: fill_text(str(value), dialect) for key, value in characters.items()})
        if not argument.get("leading"):
            return lambda line: line.translate(table)
        keys = set(characters)

        def translate_leading(line: str) -> str:
            end = next((i for i, c in enumerate(line) if c not in keys and not c.isspace()), len(line))
            return line[:end].translate(table) + line[end:]

        return translate_leading
    pattern = compile_rule_pattern(str(argument["pattern"]), dialect, rule)
    if rule.verb == "lowercase":
        return lambda line: _change_group(pattern, line, str.lower)
    if rule.verb == "translate_words":
        loose = bool(argument.get("loose"))
        plain: Callable[[str], str] = _letters if loose else str.lower
        words = {
            plain(fill_text(str(key), dialect)): fill_text(str(value), dialect)
            for key, value in argument["words"].items()
        }
        return lambda line: _change_group(pattern, line, lambda word: words.get(plain(word), word))
    template = fill_template(str(argument["with"]), dialect)
    return substituter(pattern, template, 0 if rule.verb == "replace_all" else 1)


def _letters(word: str) -> str:
    """Return the letters and digits of a word alone."""
    return "".join(filter(str.isalnum, word.lower()))


def _change_group(pattern: Any, line: str, change: Callable[[str], str]) -> str:
    """Change what the pattern's first group matched."""
    match = pattern.search(line)
    if not match or match.start(1) < 0:  # the group need not take part in the match
        return line
    return line[: match.start(1)] + change(match[1]) + line[match.end(1) :]
