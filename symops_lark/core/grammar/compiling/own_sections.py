"""What a grammar says beyond the sections that this package knows: its own sections, vitals, and arguments of verbs.

A rule's or terminal's name *is* the name of what it reads. Templates say how each is written: the trees of rules as
JSON values, which `rendering/templates` runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from .regular import Language, Unsupported, find_common, find_shortest

if TYPE_CHECKING:
    from .section_compiler import SectionCompiler

# The rules that have nodes, or parts of nodes, of their own.
KNOWN = frozenset(
    (
        *("document", "reasoning", "thought", "vitals", "action", "question", "error", "ask", "choice"),
        *("head", "verb_line", "run_line", "path_line", "command_line", "depends_line", "attribute"),
    )
)
SAID = frozenset(("PATH", "COMMAND", "DEPENDENCY", "NUMBER", "VERB", "BLOCK"))  # parts of every action
_NEEDED, _OPTIONAL = "needed", "optional"
_BLANKS = (" ", "\n", "")
Rules = Mapping[str, Any]
Template = list[Any]


class OwnSections:
    """Reads the trees of a grammar's rules, as Lark loads them, and its compiled terminals."""

    def __init__(self, rules: Rules, terminals: Mapping[str, Any], sections: SectionCompiler) -> None:
        self.rules, self.terminals, self.sections = rules, terminals, sections

    def to_data(self) -> dict[str, Any]:
        """Return the table `own` of a dialect: empty for one that says nothing of its own.

        `sections` by name, each with its mark, whether a block ends it, and its template; `parts`: further rules that
        give nodes; `vitals`: what stands before the number, by name; `arguments`: the names of further arguments of
        verbs; `verbs`: verbs that are in no group; `action`: the template of an action that has such arguments.
        """
        sections = find_sections(self.rules)
        for name in sections:
            if any(str(tree.data) == "alias" for tree in self.rules[name].iter_subtrees()):
                raise ValueError(f"the rule '{name}' has an alias, which is not its node's name: leave it out")
        parts = sorted(name for name in self.rules if not name.startswith("_") and name not in KNOWN | set(sections))
        arguments, verbs = self._find_arguments()
        vitals = dict(self._read_vitals())
        if not (sections or parts or arguments or vitals or verbs):
            return {}
        return {
            "sections": {name: self._describe(name) for name in sections},
            "parts": parts,
            "vitals": vitals,
            "arguments": arguments,
            "verbs": verbs,
            "action": self.template("action") if arguments else None,
        }

    def _describe(self, name: str) -> Template:
        """Return the mark of a section, whether a block ends it, its template, and its pattern if it has more lines."""
        above, first = tree_above_block(self.rules, name), tree_of_first_line(self.rules, name, self.terminals)
        block = find_block(self.rules, name)
        lines = "" if first is not None and _same(first, above) else self.sections.regex(name, above)
        return [self._first_mark(self.rules[name]), block, self.template(name), lines]

    def first_line(self, name: str) -> str:
        """Return the pattern of the first line of a section."""
        first = tree_of_first_line(self.rules, name, self.terminals)
        if first is not None:
            return self.sections.regex(name, first)
        mark = self._first_mark(self.rules[name])
        return re.escape(mark) + r"[^\n]*\n" if mark else self.sections.regex(name, tree_above_block(self.rules, name))

    def _first_mark(self, node: Any) -> str:
        """Return the mark with which a rule begins, if it is one in all of its alternatives."""
        from .section_compiler import find_firsts

        firsts = {self._text_of(name) for name in find_firsts(self.rules, node)[0]}
        return firsts.pop() if len(firsts) == 1 else ""

    def _text_of(self, name: str) -> str:
        pattern = self.terminals[name]
        return str(pattern.value) if pattern.type == "str" else ""

    # ---- arguments of verbs, vitals

    def _find_arguments(self) -> tuple[list[str], list[str]]:
        """Return the names of arguments that only this grammar's actions have, and the verbs that no group lists."""
        if "action" not in self.rules:
            return [], []
        names = list(dict.fromkeys(_leaves(self.rules, self.rules["action"], "")))
        kept = [(name, terminal) for name, terminal in names if not terminal.startswith("_")]
        groups = {
            terminal
            for rule in ("_running", "_writing", "_removing")
            if rule in self.rules
            for _, terminal in _leaves(self.rules, self.rules[rule], "")
        }
        words = {terminal for name, terminal in kept if self._text_of(terminal)} - groups
        verbs = [self._text_of(terminal) for name, terminal in kept if terminal in words and not name]
        arguments = [
            name or terminal.lower()
            for name, terminal in kept
            if terminal not in SAID | groups | (words if not name else set())
        ]
        return list(dict.fromkeys(arguments)), list(dict.fromkeys(verbs))

    def _read_vitals(self) -> Iterator[tuple[str, str]]:
        """Yield the names of a grammar's own vitals, with what stands before their numbers."""
        if "vitals" not in self.rules:
            return
        for _, terminal in _leaves(self.rules, self.rules["vitals"], ""):
            if terminal.startswith("_") or terminal in ("VITAL", "VITALS"):
                continue
            pattern = self.terminals[terminal].to_regexp()
            try:
                wrong = find_common(Language(pattern, literal=False), Language(r"([^\n]*[^0-9])?", literal=False))
                shortest = find_shortest(Language(pattern, literal=False)) or ""
            except Unsupported as error:
                raise ValueError(
                    f"the terminal '{terminal}' is a vital, and its numbers cannot be told: {error}"
                ) from None
            if wrong is not None:
                raise ValueError(
                    f"the terminal '{terminal}' is a vital: each of its texts ends with a number, but not {wrong!r}"
                )
            yield terminal.lower(), re.sub(r"[0-9]+(\.[0-9]+)?$", "", shortest)

    # ---- templates

    def template(self, rule: str) -> Template | None:
        """Return how a rule is written; None if that cannot be told."""
        try:
            return self._make(self.rules[rule])
        except (_Unwritable, Unsupported, RecursionError):
            return None

    def _make(self, node: Any) -> Template:
        if not hasattr(node, "data"):
            return self._make_symbol(_name_of(node))
        children = node.children
        match str(node.data):
            case "expansions":
                return ["any", *map(self._make, children)] if len(children) > 1 else self._make(children[0])
            case "expansion" | "value":
                return ["all", *map(self._make, children)] if len(children) != 1 else self._make(children[0])
            case "alias":
                return self._make(children[0])
            case "maybe":
                return ["many", self._make(children[0]), 0, 1]
            case "expr":
                low, high = _bounds([str(child) for child in children[1:]])
                return ["many", self._make(children[0]), low, high]
        raise _Unwritable

    def _make_symbol(self, name: str) -> Template:
        if name in self.rules:
            inner = self._make(self.rules[name])
            return inner if name.startswith("_") else ["rule", name, inner]
        if name not in self.terminals:
            raise _Unwritable
        pattern = self.terminals[name]
        if not name.startswith("_"):
            return ["leaf", name.lower(), pattern.to_regexp()]
        if pattern.type == "str":
            return ["text", str(pattern.value)]
        found = next((blank for blank in _BLANKS if re.fullmatch(pattern.to_regexp(), blank)), None)
        return [
            "text",
            found if found is not None else find_shortest(Language(pattern.to_regexp(), literal=False)) or "",
        ]


class _Unwritable(Exception):
    """A rule uses something that has no template."""


def _bounds(signs: list[str]) -> tuple[int, int]:
    """Return how often a part may stand; 0 for any number of times."""
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


def _same(one: Any, other: Any) -> bool:
    """Return whether two trees have the same parts."""
    while len(other.children) == 1 and hasattr(other.children[0], "children"):
        other = other.children[0]
    return bool(one.children == other.children)


def name_texts(rules: Rules, terminals: Iterable[Any]) -> dict[str, Any]:
    """Return the trees of rules in which each text in quotes is the terminal that Lark makes of it and leaves out."""
    from lark import Tree

    from .lark_insides import left_out_terminal, pattern_of_literal

    named = {terminal.pattern: str(terminal.name) for terminal in terminals}

    def name(node: Any) -> Any:
        if not isinstance(node, Tree):
            return node
        if node.data == "literal" and getattr(node.children[0], "type", "") == "STRING":
            pattern = pattern_of_literal(node.children[0])
            return left_out_terminal(named[pattern]) if pattern in named else node
        return Tree(node.data, [name(child) for child in node.children])

    return {rule: name(tree) for rule, tree in rules.items()}


def find_sections(rules: Rules) -> list[str]:
    """Return the rules that stand for sections of the grammar's own, in the order of the document."""
    found = dict.fromkeys(_nodes(rules, rules["document"], set())) if "document" in rules else {}
    return [name for name in found if name not in KNOWN]


def _nodes(rules: Rules, node: Any, seen: set[str]) -> Iterator[str]:
    """Yield the rules that give nodes right below a part of a rule."""
    if hasattr(node, "data"):
        for child in node.children:
            yield from _nodes(rules, child, seen)
        return
    name = str(getattr(node, "name", ""))
    if name in rules and not name.startswith("_"):
        yield name
    elif name in rules and name not in seen:
        seen.add(name)
        yield from _nodes(rules, rules[name], seen)


def _leaves(rules: Rules, node: Any, above: str, within: frozenset[str] = frozenset()) -> Iterator[tuple[str, str]]:
    """Yield the terminals in a part of a rule, each with the name of the rule of the grammar's own that it is in.

    A rule that refers to itself has no further ones `within` it.
    """
    if hasattr(node, "data"):
        for child in node.children:
            yield from _leaves(rules, child, above, within)
        return
    name = _name_of(node)
    if name not in rules:
        if name:
            yield above, name
        return
    if name == "attribute" or name in within:  # of the one the keys are the writer's own
        return
    own = "" if name.startswith("_") or name in KNOWN else name
    yield from _leaves(rules, rules[name], above or own, within | {name})


def _name_of(node: Any) -> str:
    """Return the name of a rule or terminal; one that Lark leaves out of its trees begins with an underscore."""
    name = str(getattr(node, "name", ""))
    return f"_{name}" if getattr(node, "filter_out", False) and not name.startswith("_") else name


def find_block(rules: Rules, name: str) -> str:
    """Return whether a rule ends with a block: `needed`, `optional`, or empty if none is there, or elsewhere."""
    node = rules[name]
    while hasattr(node, "data") and len(node.children) == 1 and str(node.data) in ("expansions", "expansion", "value"):
        node = node.children[0]
    if not hasattr(node, "data") or str(node.data) != "expansion":
        return ""
    last = node.children[-1]
    state = _NEEDED
    while hasattr(last, "data"):
        if str(last.data) == "expr" and str(last.children[1]) == "?":
            state = _OPTIONAL
        elif len(last.children) != 1:
            return ""
        last = last.children[0]
    return state if str(getattr(last, "name", "")) == "BLOCK" else ""


def tree_above_block(rules: Rules, name: str) -> Any:
    """Return the tree of a rule, without the block that ends it."""
    from lark import Tree

    node = rules[name]
    if not find_block(rules, name):
        return node
    while str(node.data) != "expansion" or len(node.children) == 1:
        node = node.children[0]
    return Tree("expansion", node.children[:-1])


def tree_of_first_line(rules: Rules, name: str, patterns: Mapping[str, Any]) -> Any:
    """Return the tree of the first line of a rule, or None if that is no beginning of it; `patterns` by terminal."""
    from lark import Tree

    node = tree_above_block(rules, name)
    while (
        str(node.data) in ("expansions", "expansion", "value")
        and len(node.children) == 1
        and hasattr(node.children[0], "data")
    ):
        node = node.children[0]
    if str(node.data) != "expansion":
        return None
    for place, child in enumerate(node.children):
        ends = [end for _, terminal in _leaves(rules, child, "") if (end := _line_ends(patterns[terminal].to_regexp()))]
        if ends:
            simple = not hasattr(child, "data") or str(child.data) == "value"
            return Tree("expansion", node.children[: place + 1]) if simple and ends == [1] else None
    return None


@cache
def _line_ends(pattern: str) -> int:
    """Return 0 for a terminal that holds no newline, 1 for one that ends with its only one, 2 for any other."""
    try:
        language = Language(pattern, literal=False)
        if find_common(language, Language(r"[^\n]*\n(.|\n)*", literal=False)) is None:
            return 0
        wrong = Language(r"[^\n]*(\n(.|\n)+)?", literal=False)
        return 1 if find_common(language, wrong) is None else 2
    except Unsupported:
        return 2
