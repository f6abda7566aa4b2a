r"""Compile the rules of a strict grammar to regular expressions, one for each kind of section.

Purpose
    A valid reply can be read without a parser: a pattern matches a section with all of its parts at
    once. `section_patterns` does that with the tables that this module makes from the grammar, so
    there is no second definition of a dialect. The LALR parser remains the authority: it reads
    whatever the patterns do not.

Theory of operation
    A rule that does not refer to itself describes a regular language, so its definitions can be
    inserted into each other until only terminals are left. The tree of the rule becomes a pattern
    in one pass:

        in the grammar             in the pattern
        TEXT                       (?P<g2>(?>…))      a group: the node holds the token
        _SP                        (?>…)              no group: the node does not hold it
        A B                        ab
        a | b                      (?:a|b)            with guards (`terminal_patterns`)
        x?                         (?:x)?+
        x*  x+                     (?P<g3>(?:x)*+)    one group for all turns
        head                       (?P<g1>…)          a group: a node with children
        _mark                      …                  no group: its parts belong to the parent
        RUN | TEST | VERB          (?P<g4>…)          one group; `words` names the terminal

    Repetitions and options are possessive (`*+`, `?+`) and terminals are atomic, because an LALR(1)
    parser decides by the next token and never reconsiders. So a match takes linear time.

    Groups have *slots*, a tree beside the pattern that states what each group is. For the rule
    `ask: _QUESTION _SP TEXT _NL` of v2:

        pattern    (?P<g1>(?:(?>\?)(?>[ \t]+)(?P<g2>(?>[^ \t\r\n]…))(?>[ \t\r]*\n)))
        slots      g1 is a node `ask`; in it g2 is a token TEXT
        before     ? Which port?⏎
        after      ask(TEXT "Which port?")

    A repetition is one group because `re` keeps only the last turn of a group. Its slot holds a
    pattern of one turn, with which the matched text is read again, turn by turn.

    `document` is a repetition of sections and gaps. Its pattern matches one section and the gap
    before it; the reader applies it until the text ends. If a section ends in a block, the pattern
    matches only the first line of the block: `blocks` makes a pattern that finds its last line.

    When the LALR parser takes over:

    1. A rule has no pattern (None in the tables): it refers to itself, uses templates or counts
       (`~`), or `document` is not a repetition of named sections that take text.
    2. The pattern does not match. The parser reads from the section before on, because only it
       knows what was expected, and its error is the one that users get.
    3. A word may be part of a longer terminal (`terminal_patterns`), or a block has no last line.

Invariants
    1. The patterns and the LALR parser give the same nodes, or the parser reads the text
       (`test_it_agrees_on_any_text`, `test_it_agrees_on_every_text_on_file`).
    2. Each valid text of an installed dialect is read by patterns alone
       (`test_it_reads_every_valid_text_by_itself`).
    3. The lexer's choice between terminals is kept, whatever the order in the rules
       (`test_it_gives_way_where_the_lexer_would_take_another_terminal`).
    4. Where there is no pattern, nothing is read (`test_what_is_no_pattern_is_left_to_the_parser`).
    5. The tables are JSON values, equal in each process, so they can be cached and exported.

Not here
    Which terminal Lark's lexer takes: `terminal_patterns`. Finding the end of a block: `blocks`.
    Running the patterns: `grammar/section_patterns`. Names for texts in quotes: `own_sections`.

References
    N. Chomsky, On certain formal properties of grammars, Information and Control 2 (1959): without
    self-embedding a language is regular. https://doi.org/10.1016/S0019-9958(59)90362-6
    Lark's lexers: https://lark-parser.readthedocs.io/en/stable/parsers.html
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...ground.errors import GrammarError
from .blocks import Block, drop_longer, ends_in, make_end_pattern, split_blocks
from .terminal_patterns import TerminalPatterns
from .terminal_patterns import find_firsts as find_firsts

if TYPE_CHECKING:
    from .lark_insides import TerminalDef

# What the groups of a pattern are. Each slot is a list, because tables are JSON: its group, its
# token or its rule (one of them is empty), the slots in it, and for a repetition the pattern of one
# turn with its slots.
Slots = list[list[Any]]
_BLOCK = "BLOCK"  # the terminal of a content block, which all dialects give this name


class _Unsupported(Exception):
    """A rule uses something that has no pattern."""


class SectionCompiler:
    """Compiles the rules of one strict grammar.

    Args:
        rules: The trees of the rules by name, in which each text in quotes is a terminal.
        terminals: The terminals as Lark compiled them.
        states: The symbols that each state of the LALR parser accepts (see `TerminalPatterns`).
        marked: Whether marks have slots too, as highlighting needs them.
        delimiters: The opening and closing delimiters of blocks. Without them a block is matched
            line by line.
    """

    def __init__(
        self,
        rules: Mapping[str, Any],
        terminals: Collection[TerminalDef],
        states: Iterable[Collection[str]] | None = None,
        *,
        marked: bool = False,
        delimiters: Collection[str] = (),
    ) -> None:
        self._rules = rules
        self._terminals = TerminalPatterns(terminals, states)
        self._marked = marked
        self._group_count = 0
        # By group: the terminals of its words, by their texts.
        self._words: dict[str, dict[str, str]] = {}
        # The pattern of the gap before a section; empty if the grammar has no gaps.
        self._gap = ""
        self._delimiters = drop_longer(delimiters)
        self._blocks = self._split_blocks()

    def _split_blocks(self) -> list[Block]:
        """Return the blocks whose end is searched for; empty: they are matched line by line."""
        is_usual = _BLOCK in self._terminals and not self._terminals.competes(_BLOCK)
        if not is_usual or not self._delimiters:
            return []
        pattern = self._terminals.to_regexp(_BLOCK)
        return split_blocks(pattern, self._delimiters)

    # ---- tables

    def to_data(self, starts: Iterable[str]) -> dict[str, Any]:
        """Return the tables of `SectionPatterns`.

        Args:
            starts: The rules that a text may be.
        """
        starts = list(starts)
        shapes = {start: self._compile(start) for start in starts}
        if self._blocks and not self._end_in_blocks(shapes.values()):
            # Something follows a block in a section, so its pattern must match whole blocks.
            self._blocks = []
            shapes = {start: self._compile(start) for start in starts}
        blocks = []
        for block in self._blocks:
            end = make_end_pattern(block, self._delimiters)
            blocks.append([block.opener, end])
        return {
            "shapes": shapes,
            "gap": self._gap,
            "blocks": blocks,
            "words": self._words,
            **self._terminals.to_data(),
        }

    def shape(self, rule: str, tree: Any = None) -> list[Any]:
        """Return the pattern of a line, and its slots: a part of the tree of a rule, or all."""
        slots = Slots()
        pattern = self._convert(self._rules[rule] if tree is None else tree, slots)
        return [pattern, slots]

    def regex(self, rule: str, tree: Any = None) -> str:
        """Return the pattern of a rule, without capturing groups.

        Blocks are matched to their ends, not searched.

        Args:
            rule: The name of the rule.
            tree: A part of its tree; None: the whole rule.

        Raises:
            GrammarError: The rule has no pattern.
        """
        if tree is None:
            tree = self._rules[rule]
        blocks = self._blocks
        self._blocks = []
        try:
            return self._convert(tree, None)
        except (_Unsupported, RecursionError) as error:
            raise GrammarError(
                f"the rule {rule} is not a pattern: it refers to itself, or uses more than "
                "terminals, rules, groups, |, ?, * and +"
            ) from error
        finally:
            self._blocks = blocks

    def _end_in_blocks(self, shapes: Iterable[list[Any] | None]) -> bool:
        """Return whether sections end after their blocks: only then are ends searched for."""
        first_lines = self._convert_terminal(_BLOCK)
        patterns = [shape[0] for shape in shapes if shape]
        return all(ends_in(pattern, first_lines) for pattern in patterns)

    # ---- documents and sections

    def _compile(self, start: str) -> list[Any] | None:
        """Return the pattern of a start and its slots; None if the LALR parser must read it."""
        slots = Slots()
        try:
            if start != "document":
                pattern = self._convert_rule(start, slots)
                return [pattern, slots]
            section = self._find_repeated(start)
            if section is None:
                return None
            pattern = self._convert_sections(section, slots)
        # ValueError: the rule has several alternatives or parts.
        except (_Unsupported, RecursionError, ValueError):
            return None
        has_rules_only = all(slot[2] for slot in slots)
        return [pattern, slots] if has_rules_only else None

    def _find_repeated(self, start: str) -> Any:
        """Return the part that a rule repeats; None if it does not, or if that may be empty."""
        [expansion] = self._rules[start].children
        [body] = expansion.children
        if body.data != "expr":
            return None
        repeated, sign = body.children[:2]
        if sign != "*":
            return None
        # The reader would find an empty section again and again at the same place.
        _, may_be_empty = find_firsts(self._rules, repeated)
        return None if may_be_empty else repeated

    def _convert_sections(self, node: Any, slots: Slots) -> str:
        r"""Return the pattern of a section with the gap before it, or of the last gap of a text.

        Gaps have no slots, so the reader can skip them. Guards keep them from taking a section.
        """
        branches = node.children if node.data == "expansions" else [node]
        gaps = []
        sections = []
        for pattern in self._convert_branches(branches, slots):
            if "(?P<" in pattern:
                sections.append(pattern)
            else:
                gaps.append(pattern)
        self._gap = f"(?:{'|'.join(gaps)})*+" if gaps else ""
        section = "|".join([*sections, r"\Z"])
        return f"{self._gap}(?:{section})"

    # ---- from rules to patterns

    def _convert_rule(self, name: str, slots: Slots | None) -> str:
        tree = self._rules[name]
        if slots is None or name.startswith("_"):
            return self._convert(tree, slots)
        group = self._new_group()
        inner = Slots()
        slots.append([group, "", name, inner, None])
        pattern = self._convert(tree, inner)
        return f"(?P<{group}>{pattern})"

    def _convert(self, node: Any, slots: Slots | None) -> str:
        """Return the pattern of a part of a rule; without slots it has no groups."""
        if not hasattr(node, "data"):
            return self._convert_symbol(node, slots)
        match node.data:
            case "expansions":
                return self._convert_alternatives(node, slots)
            case "expansion" | "value":
                patterns = [self._convert(part, slots) for part in node.children]
                return "".join(patterns)
            case "expr":
                part, sign = node.children[:2]
                if sign == "?":
                    pattern = self._convert(part, slots)
                    return f"(?:{pattern})?+"
                if sign in ("*", "+"):
                    return self._convert_repetition(part, str(sign), slots)
        raise _Unsupported

    def _convert_symbol(self, symbol: Any, slots: Slots | None) -> str:
        """Return the pattern of a rule or a terminal that a rule names."""
        name = getattr(symbol, "name", None)
        if name is None:
            raise _Unsupported
        name = str(name)
        if name in self._rules:
            return self._convert_rule(name, slots)
        pattern = self._convert_terminal(name)
        is_silent = name.startswith("_") or symbol.filter_out
        # A silent word has a slot too: the reader must check that no rival matches more.
        needs_slot = not is_silent or name in self._terminals.rivals or self._marked
        if slots is None or not needs_slot:
            return pattern
        if is_silent and not name.startswith("_"):
            # The reader drops tokens with an underscore.
            self._terminals.rename_word(name, f"_{name}")
            name = f"_{name}"
        group = self._new_group()
        slots.append([group, name, "", [], None])
        return f"(?P<{group}>{pattern})"

    def _convert_alternatives(self, node: Any, slots: Slots | None) -> str:
        if slots is not None:
            group = self._add_words(node, slots)
            if group:
                words = self._convert(node, None)
                return f"(?P<{group}>{words})"
        branches = self._convert_branches(node.children, slots)
        return "(?:" + "|".join(branches) + ")"

    def _convert_terminal(self, name: str) -> str:
        """Return the pattern of a terminal, or of a block's first line if its end is searched."""
        if name == _BLOCK and self._blocks:
            openers = "|".join(block.opener for block in self._blocks)
            return f"(?>{openers})"
        return self._terminals.keeping(name)

    def _convert_repetition(self, node: Any, sign: str, slots: Slots | None) -> str:
        turn = self._convert(node, None)
        pattern = f"(?:{turn}){sign}+"
        if slots is None:
            return pattern
        group = self._new_group()
        inner = Slots()
        turn = self._convert(node, inner)
        if not inner:  # nothing in it is part of a node
            return pattern
        slots.append([group, "", "", [], [turn, inner]])
        return f"(?P<{group}>{pattern})"

    def _convert_branches(self, branches: Sequence[Any], slots: Slots | None) -> list[str]:
        """Return the patterns of alternatives, each with its guard."""
        firsts = []
        every_first = set()
        for branch in branches:
            own, _ = find_firsts(self._rules, branch)
            firsts.append(own)
            every_first |= own
        if any(name not in self._terminals for name in every_first):
            raise _Unsupported
        patterns = []
        for branch, own in zip(branches, firsts, strict=True):
            guard = self._terminals.guard(own, every_first)
            pattern = self._convert(branch, slots)
            patterns.append(guard + pattern)
        return patterns

    # ---- words

    def _add_words(self, node: Any, slots: Slots) -> str:
        """Add one slot for alternatives that are words, and at most one other terminal.

        A dozen verbs with a group each would cost a dozen groups at each match, of which one is
        used. The result is the group of the slot; empty if there are other alternatives.
        """
        if self._marked:
            return ""
        try:
            names = self._list_terminals(node)
        except _Unsupported:
            return ""
        words = {}
        expressions = []
        for name in names:
            # A word that ignores case cannot be looked up by its text.
            if self._terminals.has_flags(name):
                return ""
            text = self._terminals.fixed_text(name)
            if text is None:
                expressions.append(name)
            else:
                words[text] = name
        if len(names) < 2 or len(expressions) > 1:
            return ""
        # The token of the slot, unless the matched text is one of the words.
        token = expressions[0] if expressions else names[0]
        group = self._new_group()
        slots.append([group, token, "", [], None])
        self._words[group] = words
        return group

    def _list_terminals(self, node: Any) -> list[str]:
        """Return the terminals that a part chooses from; raise if it is not such a choice."""
        if hasattr(node, "data"):
            if node.data != "expansions" and len(node.children) != 1:
                raise _Unsupported
            names = []
            for part in node.children:
                names += self._list_terminals(part)
            return names
        name = str(getattr(node, "name", ""))
        if name.startswith("_") and name in self._rules:
            return self._list_terminals(self._rules[name])
        is_single = name in self._terminals and name != _BLOCK
        if not is_single or name.startswith("_") or node.filter_out:
            raise _Unsupported
        return [name]

    def _new_group(self) -> str:
        self._group_count += 1
        return f"g{self._group_count}"
