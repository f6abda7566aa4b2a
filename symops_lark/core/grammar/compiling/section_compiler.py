"""The rules of a strict grammar as regular expressions, one for each kind of section.

Strict grammars do not refer to themselves, so a section is a regular language and its rule can be turned into a
pattern mechanically. What comes out is data: `SectionPatterns` reads texts by it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...ground.errors import GrammarError
from .blocks import ends_in, split_blocks
from .lark_insides import lexer_rank

if TYPE_CHECKING:
    from .lark_insides import TerminalDef


Slots = list[list[Any]]  # a slot: its group, its token or its rule, the slots in it, the shape of a repetition
_BRACKET = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?!\?)", re.DOTALL)


class _Unsupported(Exception):
    """The grammar uses something that has no pattern here."""


class SectionCompiler:
    """Makes patterns of the rules and terminals of one strict grammar."""

    def __init__(
        self,
        rules: Mapping[str, Any],
        terminals: Collection[TerminalDef],
        states: Iterable[Collection[str]] | None = None,
        *,
        marked: bool = False,
        delimiters: Collection[str] = (),
    ) -> None:
        self._marked = marked  # whether marks have slots as well
        self._rules = rules
        self._terminals = {t.name: t.pattern for t in terminals}
        ordered = sorted(terminals, key=lexer_rank)
        self._rank = {t.name: rank for rank, t in enumerate(ordered)}  # Lark's lexer tries them in this order
        self._patterns = {name: re.compile(pattern.to_regexp()) for name, pattern in self._terminals.items()}
        self._reserved: dict[str, set[str]] = {}  # words that a terminal must not match: another one is spelt so
        self._rivals: dict[str, set[str]] = {}  # the terminals that might go on where a word ends
        self._find_words([self._terminals] if states is None else states)
        self._groups = 0
        self._words: dict[str, dict[str, str]] = {}  # by group: the terminals that are words, by these
        self._gap = ""  # the pattern of what may stand before a section
        shortest = [mark for mark in delimiters if not any(map(mark.startswith, {*delimiters} - {mark}))]
        block = self._terminals.get("BLOCK") if "BLOCK" not in {*self._reserved, *self._rivals} else None
        self._stops = sorted({*shortest})
        self._blocks = split_blocks(block.to_regexp(), self._stops) if block and shortest else []

    def to_data(self, starts: Iterable[str]) -> dict[str, Any]:
        """Return the tables of `SectionPatterns` for texts that are one of `starts`."""
        starts = list(starts)
        shapes = {start: self._compile(start) for start in starts}
        if self._blocks and not all(ends_in(row[0], self._convert_terminal("BLOCK")) for row in shapes.values() if row):
            self._blocks = []
            shapes = {start: self._compile(start) for start in starts}
        rivals = {name: sorted(others) for name, others in sorted(self._rivals.items())}
        return {
            "shapes": shapes,
            "gap": self._gap,
            "blocks": [[opener, self._find_last(line, closer)] for opener, line, closer in self._blocks],
            "words": self._words,
            "reserved": {name: sorted(words) for name, words in sorted(self._reserved.items())},
            "rivals": rivals,
            "patterns": {name: self._patterns[name].pattern for names in rivals.values() for name in names},
        }

    def shape(self, rule: str) -> list[Any]:
        """Return the pattern of a line's rule and its slots."""
        slots = Slots()
        return [self._convert(self._rules[rule], slots), slots]

    def _find_last(self, line: str, closer: str) -> str:
        """Return a pattern that finds the first line that is no content, by how it begins: `last` if it is the last."""
        stops = "|".join(map(re.escape, self._stops))
        return f"\n(?={stops})(?!{_capture_nothing(line)})(?P<last>{_capture_nothing(closer)})?"

    def _find_words(self, states: Iterable[Collection[str]]) -> None:
        """Find fixed strings that another terminal, acceptable in the same state, matches as a whole."""
        fixed = {name: pattern.value for name, pattern in self._terminals.items() if pattern.type == "str"}
        pairs = {
            (word, name)
            for state in states
            for word in state
            if word in fixed
            for name in state
            if name in self._terminals and name not in fixed
        }
        for word, name in sorted(pairs):
            match = self._patterns[name].match(fixed[word])  # as Lark's lexer does
            if match is not None and match[0] == fixed[word]:
                self._reserved.setdefault(name, set()).add(fixed[word])
                self._rivals.setdefault(word, set()).add(name)

    def regex(self, rule: str, tree: Any = None) -> str:
        """Return the pattern of a rule, or of a part of it, without groups; raise `GrammarError` if there is none.

        Blocks are matched to their ends.
        """
        kept, self._blocks = self._blocks, []
        try:
            return self._convert(self._rules[rule] if tree is None else tree, None)
        except (_Unsupported, RecursionError) as error:
            raise GrammarError(
                f"the rule {rule} is no pattern: it refers to itself, or uses more than terminals, "
                "rules, groups, |, ?, * and +"
            ) from error
        finally:
            self._blocks = kept

    def _compile(self, start: str) -> list[Any] | None:
        """Return the pattern of a rule, and its slots; of the document, which repeats sections, that of one of them."""
        slots = Slots()
        try:
            if start != "document":
                return [self._convert_rule(start, slots), slots]
            [[body]] = [part.children for part in self._rules[start].children]
            if body.data != "expr" or body.children[1] != "*" or find_firsts(self._rules, body.children[0])[1]:
                return None  # not a repetition, or of something that may be empty
            pattern = self._convert_sections(body.children[0], slots)
            return [pattern, slots] if all(slot[2] for slot in slots) else None
        except (_Unsupported, RecursionError, ValueError):
            return None

    def _convert_sections(self, node: Any, slots: Slots) -> str:
        """Return the pattern of a section and the gap before it, or of a gap at the end of the text.

        A gap has no slots. What may begin a section is none, by the guards of both.
        """
        patterns = self._convert_branches(node.children if node.data == "expansions" else [node], slots)
        gaps = [pattern for pattern in patterns if "(?P<" not in pattern]
        sections = [pattern for pattern in patterns if pattern not in gaps]
        self._gap = f"(?:{'|'.join(gaps)})*+" if gaps else ""
        alternatives = "|".join([*sections, r"\Z"])
        return f"{self._gap}(?:{alternatives})"

    # ---- from rules to patterns

    def _convert_rule(self, name: str, slots: Slots | None) -> str:
        if slots is None or name.startswith("_"):
            return self._convert(self._rules[name], slots)
        group, inner = self._new_group(), Slots()
        slots.append([group, "", name, inner, None])
        return f"(?P<{group}>{self._convert(self._rules[name], inner)})"

    def _convert(self, node: Any, slots: Slots | None) -> str:
        """Return the pattern of a part of a rule; no slots means: match only."""
        if not hasattr(node, "data"):
            name = getattr(node, "name", None)
            if name is None:
                raise _Unsupported
            name = str(name)
            if name in self._rules:
                return self._convert_rule(name, slots)
            pattern = self._convert_terminal(name)
            silent = name.startswith("_") or node.filter_out
            if slots is None or (silent and name not in self._rivals and not self._marked):
                return pattern
            group = self._new_group()
            if node.filter_out and not name.startswith("_"):
                name, rivals = f"_{name}", self._rivals.get(name)
                if rivals:
                    self._rivals[name] = rivals
            slots.append([group, name, "", [], None])
            return f"(?P<{group}>{pattern})"
        match node.data:
            case "expansions":
                if slots is not None and (group := self._add_words(node, slots)):
                    return f"(?P<{group}>{self._convert(node, None)})"
                return "(?:" + "|".join(self._convert_branches(node.children, slots)) + ")"
            case "expansion" | "value":
                return "".join(self._convert(part, slots) for part in node.children)
            case "expr" if node.children[1] == "?":
                return f"(?:{self._convert(node.children[0], slots)})?+"
            case "expr" if node.children[1] in ("*", "+"):
                return self._convert_repetition(node.children[0], str(node.children[1]), slots)
        raise _Unsupported

    def _add_words(self, node: Any, slots: Slots) -> str:
        """Add one slot for alternatives that are words, all but one of them fixed; return its group, "" for others."""
        try:
            names = [] if self._marked else self._words_of(node)
        except _Unsupported:
            return ""
        fixed = {self._terminals[name].value: name for name in names if self._terminals[name].type == "str"}
        others = [name for name in names if name not in fixed.values()]
        if len(names) < 2 or len(others) > 1 or any(self._terminals[name].flags for name in names):
            return ""
        group = self._new_group()
        slots.append([group, (others or names)[0], "", [], None])
        self._words[group] = fixed
        return group

    def _words_of(self, node: Any) -> list[str]:
        """Return the terminals of which a part of a rule is one; raise `_Unsupported` if it is anything else."""
        if hasattr(node, "data"):
            if node.data != "expansions" and len(node.children) != 1:
                raise _Unsupported
            return [name for part in node.children for name in self._words_of(part)]
        name = str(getattr(node, "name", ""))
        if name.startswith("_") and name in self._rules:
            return self._words_of(self._rules[name])
        if name not in self._terminals or name.startswith("_") or node.filter_out or name == "BLOCK":
            raise _Unsupported
        return [name]

    def _convert_terminal(self, name: str) -> str:
        """Return the pattern of a terminal, which keeps what it took and is none of the words reserved to others.

        Of a block that is searched for its end it is the pattern of the first line.
        """
        if name == "BLOCK" and self._blocks:
            return f"(?>{'|'.join(row[0] for row in self._blocks)})"
        pattern = f"(?>{self._plain(name)})"
        words = [re.escape(word) for word in sorted(self._reserved.get(name, ()))]
        if not words:
            return pattern
        begins, ends = "|".join(words), "".join(f"(?<!{word})" for word in words)
        return f"(?>(?!{begins}){pattern}|(?={begins}){pattern}{ends})"

    def _plain(self, name: str) -> str:
        """Return the pattern of a terminal."""
        return _capture_nothing(self._terminals[name].to_regexp())

    def _convert_repetition(self, node: Any, sign: str, slots: Slots | None) -> str:
        pattern = f"(?:{self._convert(node, None)}){sign}+"
        if slots is None:
            return pattern
        group, inner = self._new_group(), Slots()
        again = self._convert(node, inner)
        if not inner:
            return pattern
        slots.append([group, "", "", [], [again, inner]])
        return f"(?P<{group}>{pattern})"

    def _convert_branches(self, branches: Sequence[Any], slots: Slots | None) -> list[str]:
        """Convert alternatives; one gives way where the lexer would rather see the first terminal of another."""
        firsts = [find_firsts(self._rules, branch)[0] for branch in branches]
        if not self._terminals.keys() >= set().union(*firsts):
            raise _Unsupported
        patterns = []
        for branch, own in zip(branches, firsts, strict=True):
            wins = {
                other
                for other in set().union(*firsts) - own
                for mine in own
                if self._rank[other] < self._rank[mine]  # but of a word, and what matches it, Lark's lexer tells which
                and mine not in self._rivals.get(other, ())
                and other not in self._rivals.get(mine, ())
            }
            guard = "".join(f"(?!{self._plain(name)})" for name in sorted(wins))
            patterns.append(guard + self._convert(branch, slots))
        return patterns

    def _new_group(self) -> str:
        self._groups += 1
        return f"g{self._groups}"


def find_firsts(rules: Mapping[str, Any], node: Any, within: frozenset[str] = frozenset()) -> tuple[set[str], bool]:
    """Return the terminals that a part of a rule may begin with, and whether it may be empty.

    A rule that refers to itself has no further ones `within` it.
    """
    if not hasattr(node, "data"):
        name = str(getattr(node, "name", ""))
        if name in within:
            return set(), False
        return find_firsts(rules, rules[name], within | {name}) if name in rules else ({name}, False)
    if node.data in ("maybe", "expr"):
        first, empty = find_firsts(rules, node.children[0], within)
        return first, empty or node.data == "maybe" or node.children[1] in ("?", "*")
    if node.data == "expansions":
        found = [find_firsts(rules, part, within) for part in node.children]
        return set().union(*(first for first, _ in found)), any(empty for _, empty in found)
    firsts: set[str] = set()
    for part in node.children:
        first, empty = find_firsts(rules, part, within)
        firsts |= first
        if not empty:
            return firsts, False
    return firsts, True


def _capture_nothing(pattern: str) -> str:
    """Return a pattern whose groups capture nothing: each that does costs time."""
    return _BRACKET.sub(lambda found: "(?:" if found[0] == "(" else found[0], pattern)
