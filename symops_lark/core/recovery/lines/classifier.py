"""Find the kind of one line: exactly a line of a section, nearly one, or plain text.

Exact kinds come from the strict grammar. Near misses come from a `LineRepairer`, which knows how
models misspell a line (`core/repairs/line_repairer` implements it with the repair rules): a line is
*nearly* an action if some rewriting of it is exactly one. The kind says what the line could be;
what it is follows only from the reading of the whole text.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...grammar.dialect import Dialect
from ...patterns.regexes import Pattern, compile_pattern, escape
from .kinds import ATTRIBUTES, BLANK, CLOSE, DELIM, FENCE, FIELDS, OPEN, TEXT, Kind, Spelling
from .roles import (
    COMMANDS,
    DELIMITER_KINDS,
    FORMS_OF_ROLE,
    HEADS,
    KIND_OF_OWN,
    KIND_OF_PART,
    KIND_OF_RULE,
    NEAR_ROLES,
    ODD_HEADS,
    OWN_ROLES,
    SPLIT_HEADS,
    SURE_ROLES,
    TALK,
)
from .spelling import Candidate, LineRepairer

# Control tokens of chat templates. A fence with one after it has no language: "```<|im_end|>".
# Matches "<|eot_id|>", "</s>", "[/INST]"; does not match "<b>" or "[INST".
_CONTROL_TOKEN = compile_pattern(
    r"<\|[0-9A-Za-z_]+\|>|</?s>|<(?:eos|bos|pad|unk|end_of_turn)>|\[/?INST\]"
)
# Nine of ten rules cost 3 or less. An indented line that needs more expensive changes to be an
# action also needs the support of its neighbors: it may be a line of a file.
_COST_OF_GUESS = 5


class KindClassifier:
    """Finds the kinds of single lines in one dialect.

    Attributes:
        dialect: The dialect whose grammar gives the exact kinds.
        repairer: Rewrites misspelled lines.
    """

    def __init__(self, dialect: Dialect, repairer: LineRepairer) -> None:
        self.dialect = dialect
        self.repairer = repairer
        self._by_line: dict[str, Kind] = {}  # the kinds of lines read before: replies repeat lines
        marks = dialect.marks
        self._open = marks["open"]
        self._close = marks["close"]
        self._openers = tuple(dialect.fences)
        self._closers = dialect.closers
        # First characters, which rule out most lines before any pattern runs.
        self._quick = {mark[0] for mark in marks.values()}
        delimiters = (*self._openers, *self._closers)
        self._signs = self._quick | {mark[0] for mark in delimiters}
        self._tagged = "lines" in dialect.forms
        self._own_sections = dialect.own_sections
        self._roles = _roles_of(dialect)
        self._shadowed = _shadowed_roles(dialect)
        self._kind_of = _kinds_of_rules(dialect)
        self._writing = frozenset(dialect.verbs["writing"])
        self._others = frozenset(dialect.all_verbs) - self._writing
        self._stub = _compile_stub(dialect)
        self._doubtful = _compile_doubtful(dialect)
        self._verb = compile_pattern(r"[a-z][a-z0-9_-]*")

    def kind_of(self, line: str) -> Kind:
        """Return the kind of one line, given without its ending."""
        bare = line.rstrip(" \t")
        if not bare:
            return BLANK
        content = bare.lstrip(" \t")
        is_marked = content[0] in self._signs
        if is_marked and (bare in self._openers or bare in self._closers):
            return self._kind_of_delimiter(bare)
        if content[:3] in _FENCE_STARTS:
            fence = _kind_of_fence(line)
            if fence is not None:
                return fence
        # A choice begins with a digit; a custom section may begin with anything.
        if is_marked or content[0].isdigit() or self._own_sections:
            exact = self._exact(line)
            if exact is not None:
                return self._check_exact(exact, line, bare)
        kind = TEXT
        if self.repairer.touches(line):
            kind = self._near(line)
        if kind is TEXT and is_marked and self._stub.fullmatch(line):
            return Kind.STUB
        return kind

    def _kind_of_delimiter(self, bare: str) -> Kind:
        """Return the kind of a line that is exactly a delimiter."""
        if self._open == self._close:
            return DELIM
        if bare in self._openers:
            return OPEN
        return CLOSE

    def _check_exact(self, exact: Kind, line: str, bare: str) -> Kind:
        """Return the kind of a line that matches a rule of the grammar but may be misspelled."""
        if exact not in ATTRIBUTES or not self._doubtful.fullmatch(bare):
            return self._end_talk(exact, bare)
        if not self.repairer.touches(line):
            return exact
        near = self._near(line)
        return near if near in FIELDS else exact

    def _end_talk(self, kind: Kind, bare: str) -> Kind:
        """Return the kind, or LAST_TEXT where a line of talk ends with a closing delimiter."""
        if kind not in TALK:
            return kind
        close = self._close
        if self._open == close:  # it may also end a word, so that it must be set off
            close = " " + close
        if bare.endswith(close):
            return Kind.LAST_TEXT
        return kind

    def _exact(self, line: str) -> Kind | None:
        """Return the kind of a line that matches a rule of the grammar, or None."""
        match = self.dialect.line_pattern.fullmatch(line + "\n")
        if match is None:
            return None
        rule = str(match.lastgroup)
        if rule not in ("head", "verb_line", "run_line"):
            return self._kind_of[rule]
        after_mark = len(self.dialect.marks["action"])
        verb_match = self._verb.search(line, after_mark)
        verb = ""
        if verb_match:
            verb = verb_match[0]
        removes = rule == "verb_line" and self._tagged
        if verb in self._writing:
            kind = Kind.ACTION
        elif verb in self._others:
            kind = Kind.COMMAND
            if removes:
                kind = Kind.SPLIT_REMOVAL
        else:
            kind = Kind.ODD_ACTION
        if rule == "head":
            return kind
        return kind.spelt(Spelling.EXACT, split=True)

    def _has_target(self, line: str) -> bool:
        """Return whether a line has a mark without which an unknown word is not a verb.

        This is the target mark; where the target has its own line, it is the action mark.
        """
        name = "target"
        if self._tagged:
            name = "action"
        return self.dialect.marks[name] in line

    def _near(self, line: str) -> Kind:
        """Return the kind of a misspelled line, or plain text."""
        if not self._tagged:
            return self._near_of(line, self._roles)
        # A tag without a meaning looks like one of the dialect's tags in other letters, so this
        # role is tried last here, and not first.
        kind = self._near_of(line, self._roles[1:])
        if kind not in _MAYBE_TAGS:
            return kind
        tag = self.repairer.candidate(line, "tag")
        if tag is None:
            return kind
        return Kind.TAG

    def _near_of(self, line: str, roles: Sequence[tuple[str, Kind]]) -> Kind:
        """Return the kind of the first role for which the rules make the line exact."""
        for role, kind in roles:
            spelling = self.repairer.candidate(line, role)
            if spelling is None:
                continue
            near = self._near_role(line, role, kind, spelling)
            if near:
                return self._end_talk(near, line.rstrip(" \t"))
        return self._near_delimiter(line)

    def _near_role(self, line: str, role: str, kind: Kind, spelling: Candidate) -> Kind | None:
        """Return the kind of a line rewritten for a role; None if that does not make it exact."""
        if role == "head":
            return self._near_head(line, spelling)
        if role in SURE_ROLES:
            return kind
        if role in self._shadowed:
            delimiter = self._near_delimiter(line)
            if delimiter is not TEXT:
                return delimiter
        first = spelling.text.split("\n")[0]
        exact = self._exact(first)
        if exact in ATTRIBUTES and kind is Kind.NEAR_ATTRIBUTE:
            if spelling.weak and not self._tagged:
                return Kind.BARE_ATTRIBUTE
            return exact.spelt(Spelling.NEAR)
        if exact is kind.base:
            return kind
        return None

    def _near_head(self, line: str, spelling: Candidate) -> Kind | None:
        """Return the kind of a line that is nearly a head, with the delimiter that it also holds.

        The rewritten line is one of: head · closer, head · head, opener · head, attribute.
        """
        first, *further = spelling.text.split("\n")
        is_behind = bool(further) and first in self._closers
        head = first
        if is_behind:
            head = further[0]
        exact = self._exact(head)
        is_alone = is_behind or not further
        if exact in SPLIT_HEADS and is_alone and "attributes" in self.dialect.forms:
            near = Spelling.NEAR
            if is_behind:
                near = Spelling.BEHIND
            return exact.spelt(near, split=True)
        # The path may still be missing: the passes look for it on the lines below.
        split = self._tagged and not self._has_field(further)
        removes = exact is Kind.SPLIT_REMOVAL
        is_command = removes or exact in COMMANDS
        kind = Kind.ACTION
        if is_command:
            kind = Kind.COMMAND
        if is_behind:
            if exact:
                return kind.spelt(Spelling.BEHIND, split=split)
            return TEXT
        if exact not in HEADS:
            return None
        ends_with_field = self._tagged and self._has_field(further[-1:])
        if further and not ends_with_field:
            return Kind.ACTION_OPEN
        if self._is_guess(line, spelling, exact):
            return None
        is_indented = line[0] in " \t"
        is_weak = spelling.weak or (is_indented and spelling.cost >= _COST_OF_GUESS)
        if split and removes:
            kind = exact
        near = Spelling.NEAR
        if is_weak:
            near = Spelling.BARE
        return kind.spelt(near, split=split)

    def _has_field(self, lines: Sequence[str]) -> bool:
        """Return whether one of some lines is exactly a field of an action."""
        return any(self._exact(line) in ATTRIBUTES for line in lines)

    def _is_guess(self, line: str, spelling: Candidate, exact: Kind) -> bool:
        """Return whether there is too little evidence that a line is the first of an action."""
        if exact in ODD_HEADS:
            return spelling.weak or not self._has_target(line)
        is_rewritten = len(spelling.rules) > 1
        return spelling.weak and is_rewritten and exact in COMMANDS

    def _near_delimiter(self, line: str) -> Kind:
        """Return the kind of a line that is nearly a delimiter or holds one, or plain text."""
        opening = self.repairer.candidate(line, "open")
        closing = self.repairer.candidate(line, "close")
        opens = 0  # as in DELIMITER_KINDS
        closes = 0
        if opening is not None:
            first = opening.text.split("\n")[0]
            if first in self._openers:
                opens = _certainty_of(opening)
        if closing is not None:
            last = closing.text.split("\n")[-1]
            if last in self._closers:
                closes = _certainty_of(closing)
        is_both = self._tagged and opens == closes == 2
        # `[CONTENT]` may be either tag: the one that needs fewer changes wins.
        if is_both and opening and closing and opening.cost != closing.cost:
            opens_cheaper = opening.cost < closing.cost
            if opens_cheaper:
                return Kind.NEAR_OPEN
            return Kind.NEAR_CLOSE
        only_closes = closes == 1 and not opens
        if only_closes and closing is not None and "\n" in closing.text:
            return Kind.LAST_TEXT
        return DELIMITER_KINDS[opens, closes]


_MAYBE_TAGS = frozenset((TEXT, Kind.THINK_OPEN, Kind.THINK_CLOSE))
_FENCE_STARTS = ("```", "~~~")


def _kind_of_fence(line: str) -> Kind | None:
    """Return the kind of a Markdown fence; None if the line is not one after all."""
    fence = FENCE.fullmatch(line)
    if fence is None:
        return None
    info = fence["info"]
    if not info or _CONTROL_TOKEN.fullmatch(info):
        return Kind.FENCE
    return Kind.FENCE_INFO


def _certainty_of(delimiter: Candidate) -> int:
    """Return 2 for a line that is only a delimiter, 1 for one with other text or for a guess."""
    if "\n" in delimiter.text or delimiter.weak:
        return 1
    return 2


def _roles_of(dialect: Dialect) -> tuple[tuple[str, Kind], ...]:
    """Return the roles that lines of a dialect may have, in the order in which they are tried."""
    roles = []
    for role, kind in NEAR_ROLES:
        if role not in FORMS_OF_ROLE or FORMS_OF_ROLE[role] & dialect.forms:
            roles.append((role, kind))
    if dialect.own_sections:
        roles += [*OWN_ROLES]
    return tuple(roles)


def _shadowed_roles(dialect: Dialect) -> set[str]:
    """Return the roles whose marks also begin a delimiter, so that delimiters are tried first."""
    marks = dialect.marks
    delimiters = (marks["open"], marks["close"])
    shadowed = set()
    for role, name in (("ask", "question"), ("error", "error")):
        mark = marks.get(name, "\n")  # a dialect without the mark has no line that begins so
        if any(delimiter.startswith(mark) for delimiter in delimiters):
            shadowed.add(role)
    return shadowed


def _kinds_of_rules(dialect: Dialect) -> dict[str, Kind]:
    """Return the kinds by the names of the grammar's rules of one line."""
    kinds = dict(KIND_OF_RULE)
    if "lines" in dialect.forms:
        kinds.update(KIND_OF_PART)
    if dialect.own_sections:
        for name, row in dialect.own_sections.items():
            kinds[name] = KIND_OF_OWN[row[1]]
    return kinds


def _compile_stub(dialect: Dialect) -> Pattern:
    """Return the pattern of an action line that breaks off.

    In v2 it matches `::`, `::create` and `::create @`, but not `::create @a.py`.
    """
    action = escape(dialect.marks["action"])
    target = escape(dialect.marks["target"])
    return compile_pattern(rf"{action}[ \t]*(?:[A-Za-z]+[ \t]*)?(?:{target}[ \t]*)?")


def _compile_doubtful(dialect: Dialect) -> Pattern:
    """Return the pattern of a field that is exact and still probably a misspelling.

    Such a line has a colon before its value, or a closing tag after it. In the dialect `plain` it
    matches `[ACTION_PATH] : a.py` and `[ACTION_PATH] a.py [/ACTION_PATH]`, but not
    `[ACTION_PATH] a.py`.
    """
    marks = dialect.marks
    name_start = compile_pattern(r"(?<!\w)(?=\w)")  # where the slash of a closing tag belongs
    tags = [marks["action"], marks["target"], marks["depends"]]
    closing_tags = [name_start.sub("/", tag, count=1) for tag in tags]
    ends = "|".join(map(escape, closing_tags))
    fields = "|".join(map(escape, tags[1:]))
    return compile_pattern(rf"(?:{fields})[ \t](?:[ \t]*[:=：].*|.*(?:{ends}))")
