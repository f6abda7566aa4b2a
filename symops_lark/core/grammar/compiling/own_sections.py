"""Find what a grammar has beyond the installed dialects, and how to write it.

A custom grammar may have sections, vitals and arguments of verbs that this package does not know.
The name of a rule or terminal *is* the name of the part in a document. How a part is written is a
*template*: the tree of its rule as JSON values, which `rendering/templates` runs. For the rule

    note: _NOTE _SP TEXT _NL        _NOTE: "%%"

the template is ["all", ["text", "%%"], ["text", " "], ["leaf", "text", PATTERN], ["text", "\\n"]].
Other nodes of templates are "any" (alternatives), "many" (a repetition with its limits) and "rule".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .regular import Language, Unsupported, find_common, find_shortest
from .rule_trees import (
    KNOWN,
    Rules,
    find_block,
    find_leaves,
    find_sections,
    have_same_parts,
    is_tree,
    kind_of,
    name_of,
    tree_above_block,
    tree_of_first_line,
)

if TYPE_CHECKING:
    from .section_compiler import SectionCompiler

# The terminals that every action may have.
ACTION_TERMINALS = frozenset(("PATH", "COMMAND", "DEPENDENCY", "NUMBER", "VERB", "BLOCK"))
_VERB_RULES = ("_running", "_writing", "_removing")
# What a left-out terminal is written as: the first of these that it matches.
_BLANKS = (" ", "\n", "")
_UNICODE_DIGIT = re.compile(r"(?<!\\)(?:\\\\)*\\d")
# A text with nothing or another sign at the end of a line; `VITALS` has several lines.
_WITHOUT_NUMBER = r"(.|\n)*[^0-9 \t\r\n][ \t\r]*(\n(.|\n)*)?|[ \t\r\n]*"
Template = list[Any]


class OwnSections:
    """Reads the rules of a grammar.

    Attributes:
        rules: The trees of its rules by name, with terminals in place of texts in quotes.
        terminals: The patterns of its terminals by name.
        sections: The compiler of its rules to patterns.
    """

    def __init__(
        self, rules: Rules, terminals: Mapping[str, Any], sections: SectionCompiler
    ) -> None:
        self.rules = rules
        self.terminals = terminals
        self.sections = sections

    def to_data(self) -> dict[str, Any]:
        """Return the table `own` of a dialect.

        Returns:
            Empty for a dialect that has nothing custom. Else `sections`: by name, the mark, whether
            a block ends it, its template, and its pattern if it has several lines. `parts`: other
            rules that become nodes. `vitals`: by name, the text before the number. `arguments`: the
            names of custom arguments of verbs. `verbs`: verbs that are in no group. `action`: the
            template of an action with such arguments.

        Raises:
            ValueError: A section or a part has an alias, or a vital is not a number at its end.
        """
        sections = find_sections(self.rules)
        handled = KNOWN.union(sections)
        nodes = [name for name in self.rules if not name.startswith("_")]
        parts = [name for name in nodes if name not in handled]
        for name in (*sections, *parts):
            self._refuse_alias(name)
        arguments, verbs = self._find_arguments()
        vitals = dict(self._read_vitals())
        if not (sections or parts or arguments or vitals or verbs):
            return {}
        return {
            "sections": {name: self._describe(name) for name in sections},
            "parts": sorted(parts),
            "vitals": vitals,
            "arguments": arguments,
            "verbs": verbs,
            # Actions without custom arguments are written by `rendering` itself.
            "action": self.template("action") if arguments else None,
        }

    def _refuse_alias(self, name: str) -> None:
        for tree in self.rules[name].iter_subtrees():
            if kind_of(tree) == "alias":
                raise ValueError(
                    f"the rule '{name}' has an alias, which is not its node's name: leave it out"
                )

    def _describe(self, name: str) -> Template:
        """Return the mark of a section, whether a block ends it, its template, and its pattern.

        The pattern is empty for a section of one line, apart from its block.
        """
        above = tree_above_block(self.rules, name)
        first = tree_of_first_line(self.rules, name, self.terminals)
        lines = ""
        if first is None or not have_same_parts(first, above):
            lines = self.sections.regex(name, above)
        mark = self._first_mark(self.rules[name])
        return [mark, find_block(self.rules, name), self.template(name), lines]

    def first_line(self, name: str) -> str:
        """Return the pattern of the first line of a section."""
        first = tree_of_first_line(self.rules, name, self.terminals)
        if first is not None:
            return self.sections.regex(name, first)
        mark = self._first_mark(self.rules[name])
        if mark:
            # Any line with the mark: if the first line has no pattern alone, at least recovery can
            # see where the section begins.
            return re.escape(mark) + r"[^\n]*\n"
        return self.sections.regex(name, tree_above_block(self.rules, name))

    def _first_mark(self, node: Any) -> str:
        """Return the mark that all alternatives of a rule begin with; empty if there is none."""
        from .section_compiler import find_firsts

        terminals, _ = find_firsts(self.rules, node)
        marks = {self._text_of(name) for name in terminals}
        return marks.pop() if len(marks) == 1 else ""

    def _text_of(self, name: str) -> str:
        """Return the text of a terminal that is one fixed string; empty for others."""
        pattern = self.terminals[name]
        return str(pattern.value) if pattern.type == "str" else ""

    # ---- arguments of verbs, vitals

    def _find_arguments(self) -> tuple[list[str], list[str]]:
        """Return the names of custom arguments of verbs, and the verbs that are in no group."""
        if "action" not in self.rules:
            return [], []
        leaves = dict.fromkeys(find_leaves(self.rules, self.rules["action"]))
        in_groups: set[str] = set()
        for rule in _VERB_RULES:
            if rule in self.rules:
                group = find_leaves(self.rules, self.rules[rule])
                in_groups.update(terminal for _, terminal in group)
        # Dictionaries as ordered sets: a name counts once and keeps its place.
        arguments: dict[str, None] = {}
        verbs: dict[str, None] = {}
        for name, terminal in leaves:
            if terminal.startswith("_") or terminal in in_groups:
                continue
            text = self._text_of(terminal)
            if text and not name:  # a fixed text outside a custom rule is a verb
                verbs[text] = None
            elif terminal not in ACTION_TERMINALS:
                arguments[name or terminal.lower()] = None
        return list(arguments), list(verbs)

    def _read_vitals(self) -> Iterator[tuple[str, str]]:
        """Yield the custom vitals: their names, and the text before their numbers."""
        if "vitals" not in self.rules:
            return
        for _, terminal in find_leaves(self.rules, self.rules["vitals"]):
            if terminal.startswith("_"):
                continue
            shortest = self._prove_number(terminal)
            if terminal not in ("VITAL", "VITALS"):
                # The shortest text has the shortest number, and before it only the mark.
                yield terminal.lower(), re.sub(r"[0-9]+(\.[0-9]+)?$", "", shortest)

    def _prove_number(self, terminal: str) -> str:
        """Return the shortest text of the terminal of a vital.

        Raises:
            ValueError: One of its texts has a line without a number at its end: that would fail
                only in the reply that has it.
        """
        pattern = self.terminals[terminal].to_regexp()
        # For lexers `\d` is any digit of Unicode; the proof below reads it as one of ASCII.
        if _UNICODE_DIGIT.search(pattern):
            raise ValueError(
                f"the terminal '{terminal}' is a vital: write [0-9] for its digits, not \\d"
            )
        try:
            language = Language(pattern)
            counterexample = find_common(language, Language(_WITHOUT_NUMBER))
            shortest = find_shortest(language) or ""
        except Unsupported as error:
            raise ValueError(
                f"the terminal '{terminal}' is a vital, and its numbers cannot be recognized: "
                f"{error}"
            ) from None
        if counterexample is not None:
            raise ValueError(
                f"the terminal '{terminal}' is a vital: each of its texts ends with a number, "
                f"but not {counterexample!r}"
            )
        return shortest

    # ---- templates

    def template(self, rule: str) -> Template | None:
        """Return the template of a rule; None if it cannot have one, as if it refers to itself."""
        try:
            return self._make(self.rules[rule])
        except (_Unwritable, Unsupported, RecursionError):
            return None

    def _make(self, node: Any) -> Template:
        """Return the template of a part of a rule."""
        if not is_tree(node):
            return self._make_symbol(name_of(node))
        children = node.children
        match kind_of(node):
            case "expansions":
                return self._make_all("any", children)
            case "expansion" | "value":
                return self._make_all("all", children)
            case "alias":
                return self._make(children[0])
            case "maybe":
                return ["many", self._make(children[0]), 0, 1]
            case "expr":
                signs = [str(child) for child in children[1:]]
                low, high = _read_limits(signs)
                return ["many", self._make(children[0]), low, high]
        raise _Unwritable

    def _make_all(self, kind: str, children: list[Any]) -> Template:
        """Return the template of several parts; of one part it is that of the part."""
        templates = [self._make(child) for child in children]
        if len(templates) == 1:
            return templates[0]
        return [kind, *templates]

    def _make_symbol(self, name: str) -> Template:
        """Return the template of a rule or a terminal."""
        if name in self.rules:
            inner = self._make(self.rules[name])
            return inner if name.startswith("_") else ["rule", name, inner]
        if name not in self.terminals:
            raise _Unwritable
        pattern = self.terminals[name]
        regex = pattern.to_regexp()
        if not name.startswith("_"):
            return ["leaf", name.lower(), regex]
        if pattern.type == "str":
            return ["text", str(pattern.value)]
        for blank in _BLANKS:
            if re.fullmatch(regex, blank):
                return ["text", blank]
        return ["text", find_shortest(Language(regex)) or ""]


class _Unwritable(Exception):
    """A rule uses something that has no template."""


def _read_limits(signs: list[str]) -> tuple[int, int]:
    """Return how often a repeated part may occur; 0 as the upper limit means any number."""
    match signs:
        case ["?"]:
            return 0, 1
        case ["*"]:
            return 0, 0
        case ["+"]:
            return 1, 0
        case ["~", low]:
            return int(low), int(low)
        case ["~", low, high]:
            return int(low), int(high)
    raise _Unwritable
