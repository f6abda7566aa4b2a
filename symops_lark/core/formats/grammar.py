r"""Read the grammar file of a format: a Lark grammar in which each rule of `document` is a section.

    // A team's notation: the opener chooses the closer.
    document: write*
    write: "put " PATH " until " END _NL CONTENT SAME_END _NL
    PATH: /[^ \t\n]+/
    END: /[A-Z]+/
    SAME_END: END
    CONTENT: /([^\n]*\n)*/
    _NL: /[ \t\r]*\n/

The names of rules and terminals say what they mean, so they are reserved. Rules are regular: they
may not refer to themselves, and patterns have no look-around and no lazy repetition.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..grammar.agent_formats import NEEDED
from ..grammar.compiling.ambiguity import DOUBLES, Attack, find_attack
from ..grammar.compiling.bounds import read_grammar
from ..grammar.compiling.positions import Undecided
from ..grammar.compiling.regular import Language, Unsupported, find_shortest
from ..ground.errors import GrammarError
from .automaton import Automaton, Edge, build
from .expressions import LINE_ENDS, Choice, Expression, Many, Sequence, Term, Text, leaves, sequence
from .reading_tables import section_data
from .sections import START, VALUES

_LAZY = re.compile(r"[*+?}]\?")
_LOOK_AROUND = re.compile(r"\(\?[=!<]")
# A rule that refers to itself would be written out without an end.
_MOST_DEPTH = 30  # parts in parts; a rule in a rule counts several times


class WrittenFormat(NamedTuple):
    """A format, compiled.

    Attributes:
        name: The name of its file.
        description: The comment at the beginning of the file.
        sections: By rule, its automaton.
        shortest: By hidden terminal, the text that a writer writes for it.
    """

    name: str
    description: str
    sections: dict[str, Automaton]
    shortest: dict[str, str]

    def to_data(self) -> dict[str, Any]:
        """Return the format as JSON values, for kept tables."""
        sections: list[dict[str, Any]] = []
        for rule, automaton in self.sections.items():
            sections.append(section_data(rule, automaton, self.shortest))
        return {
            "name": self.name,
            "description": self.description,
            "sections": sections,
            "shortest": self.shortest,
        }


def compile_format(
    path: Path, text: str | None = None, *, is_installed: bool = False
) -> WrittenFormat:
    """Compile the grammar file of a format.

    Args:
        path: The file. Its name is the name of the format.
        text: Its text, if it was read before.
        is_installed: Whether the tests know that no text keeps its patterns busy.

    Raises:
        GrammarError: The file cannot be read, or is not a grammar of a format.
    """
    if text is None:
        try:
            text = read_grammar(path)
        except (OSError, UnicodeDecodeError) as error:
            raise GrammarError(f"{path}: the grammar cannot be read: {error}") from error
    compiler = _Compiler(path, text)
    from ..grammar.compiling.lark_errors import explain_failure

    # Lark raises whatever its parts raise, and a grammar of somebody may keep it busy for hours.
    compiled: WrittenFormat = explain_failure(compiler.compile, compiler)
    if not is_installed:
        compiler.refuse_endless(compiled)
    return compiled


def find_attacks(format: WrittenFormat) -> Iterator[tuple[str, Attack]]:
    """Yield the rules whose marks some text keeps busy, each with such a text.

    Very long patterns are not examined.

    Args:
        format: A compiled format.
    """
    for section in format.to_data()["sections"]:
        for _, pattern, *_ in section["exits"]:
            try:
                attack = find_attack(pattern)
            except Undecided:
                continue
            if attack is not None:
                yield section["rule"], attack


class _Compiler:
    """Compiles one file."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.rules: dict[str, Any] = {}
        self.patterns: dict[str, str] = {}

    def compile(self) -> WrittenFormat:
        self._load()
        sections = {}
        shortest = {}
        for rule in self._section_rules():
            expression = self._express(self.rules[rule], rule, 0)
            self._check_terminals(rule, expression)
            sections[rule] = build(expression)
            self._check_opener(rule, sections[rule])
            self._check_repeated(rule, sections[rule])
            for leaf in leaves(expression):
                if isinstance(leaf, Term) and leaf.is_hidden:
                    shortest[leaf.name] = self._text_of(leaf)
        # The description is the comment at the beginning of the file.
        before, _, _ = self.text.partition("document")
        description = before.replace("//", " ").split()
        return WrittenFormat(self.path.stem, " ".join(description), sections, shortest)

    def refuse_endless(self, format: WrittenFormat) -> None:
        """Refuse a rule whose marks some text keeps busy for years.

        Args:
            format: The compiled format.
        """
        for rule, attack in find_attacks(format):
            if attack.growth == DOUBLES:
                message = (
                    f"the rule {rule} may take endless time: on the text {attack}, "
                    f"{attack.growth}; write it so that each text can be read in one way only"
                )
                raise self._fail(rule, message)

    def place(self, line: int, column: int) -> tuple[Path, int, int, str]:
        """Return a place in the file, and its line (`lark_errors.Written`)."""
        lines = self.text.split("\n")
        index = min(line, len(lines)) - 1
        return self.path, index + 1, column, lines[index]

    def _fail(self, name: str, message: str) -> GrammarError:
        """Return an error at the definition of a rule or terminal."""
        lines = self.text.split("\n")
        definition = re.compile(rf"{re.escape(name)}\b")
        index = 0
        for number, line in enumerate(lines):
            # The name, and nothing that makes it longer.
            if definition.match(line):
                index = number
                break
        place = f"{self.path}:{index + 1}:1"
        return GrammarError(f"{place}: {message}\n  {lines[index]}")

    def _load(self) -> None:
        """Let Lark read the file."""
        from ..grammar.compiling.lark_insides import load_definitions

        # Lark wants a line feed at the end.
        definitions = load_definitions(self.text + "\n", self.path)
        self.rules = definitions.rules
        if "document" not in self.rules:
            raise self._fail("", "a format needs the rule `document`, which lists its sections")
        terminals, _, _ = definitions.compile(["document"], "*")
        for terminal in terminals:
            name = str(terminal.name)
            self.patterns[name] = terminal.pattern.to_regexp()
            # The first alternative that matches wins, as in a regular expression.
            if terminal.priority:
                raise self._fail(name, f"{name}: a format has no priorities; order decides")
            self._check_pattern(name, self.patterns[name])

    def _check_pattern(self, name: str, pattern: str) -> None:
        try:
            with warnings.catch_warnings():
                # `[[` may mean another set in a later Python, and does in other languages.
                warnings.simplefilter("error", FutureWarning)
                re.compile(pattern)
        except (re.error, FutureWarning, OverflowError, RecursionError) as error:
            message = f"{name}: the pattern cannot be read: {error}; escape signs with a backslash"
            raise self._fail(name, message) from None
        # Without escaped characters and sets, which may contain any sign.
        bare = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", pattern)
        if _LOOK_AROUND.search(bare):
            raise self._fail(name, f"{name}: a pattern of a format may not look around")
        if _LAZY.search(bare):
            raise self._fail(name, f"{name}: a pattern of a format has no lazy repetition")

    def _section_rules(self) -> list[str]:
        names = [str(leaf.name) for leaf in _symbols(self.rules["document"])]
        for name in names:
            if name not in NEEDED:
                allowed = ", ".join(NEEDED)
                message = f"the rule {name} has no reserved name of a format: {allowed}"
                raise self._fail(name, message)
        return list(dict.fromkeys(names))

    def _check_terminals(self, rule: str, expression: Expression) -> None:
        # What a section means is decided by its terminals.
        names = {leaf.name for leaf in leaves(expression) if isinstance(leaf, Term)}
        needed = NEEDED[rule]
        if not any(map(names.issuperset, needed)):
            alternatives = map(" and ".join, needed)
            rows = ", or ".join(alternatives)
            raise self._fail(rule, f"the section {rule} needs the terminals {rows}")
        for leaf in leaves(expression):
            if isinstance(leaf, Term) and leaf.same_as and leaf.same_as not in names:
                message = f"{leaf.name} repeats {leaf.same_as}, which this section does not have"
                raise self._fail(rule, message)

    def _check_opener(self, rule: str, automaton: Automaton) -> None:
        """Refuse a section that may begin with nothing: it would begin at every line."""
        for edge in automaton.edges[START]:
            free = automaton.free.get(edge.target)
            is_value = free is not None and free.name in VALUES
            # What a value begins with is known, although its pattern is any text.
            if not is_value and _may_lack_mark(edge.expression):
                message = f"the section {rule} may begin without any mark: any line would begin it"
                raise self._fail(rule, message)

    def _check_repeated(self, rule: str, automaton: Automaton) -> None:
        """Refuse a terminal that repeats another one before its text is known."""
        for edges in automaton.edges.values():
            for edge in edges:
                self._check_edge(rule, edge)

    def _check_edge(self, rule: str, edge: Edge) -> None:
        # The texts of an edge become known together, when all of it has matched.
        names = set()
        for leaf in leaves(edge.expression):
            if not isinstance(leaf, Term):
                continue
            if leaf.same_as and leaf.same_as in names:
                message = (
                    f"{leaf.name} is in one piece with {leaf.same_as}: a free text, such as "
                    "CONTENT or VALUE, must be between them; write the text or a pattern instead"
                )
                raise self._fail(rule, message)
            names.add(leaf.name)

    def _text_of(self, term: Term) -> str:
        """Return the text to write for a hidden terminal: the shortest, or a line feed."""
        # A blank is more usual than a tab.
        texts = ["", " "]
        if term.name in LINE_ENDS:
            texts.insert(0, "\n")
        for text in texts:
            if re.fullmatch(term.pattern, text):
                return text
        try:
            return find_shortest(Language(term.pattern)) or ""
        except Unsupported as error:
            raise self._fail(term.name, f"{term.name}: {error}") from None

    def _express(self, node: Any, rule: str, depth: int) -> Expression:
        """Return a part of a rule, with the rules in it written out."""
        if depth > _MOST_DEPTH:
            raise self._fail(rule, f"the rule {rule} refers to itself, or is nested too deep")

        def go_into(part: Any) -> Expression:
            return self._express(part, rule, depth + 1)

        # A symbol: a rule or a terminal.
        if not hasattr(node, "data"):
            name = str(node.name)
            if name in self.rules:
                return go_into(self.rules[name])
            if name not in self.patterns:
                raise self._fail(rule, f"{name} is not defined")
            return Term(name, self.patterns[name])
        return self._express_tree(node, rule, go_into)

    def _express_tree(
        self, node: Any, rule: str, go_into: Callable[[Any], Expression]
    ) -> Expression:
        parts = node.children
        match str(node.data):
            case "literal":
                from ..grammar.compiling.lark_insides import pattern_of_literal

                pattern = pattern_of_literal(parts[0])
                # A writer needs a name to decide what to write for a pattern.
                if pattern.type == "re":
                    raise self._fail(rule, "a pattern in a rule needs a name: define a terminal")
                return Text(str(pattern.value))
            case "expansions" if len(parts) > 1:
                return Choice(tuple(map(go_into, parts)))
            case "expansions" | "expansion" | "value":
                return sequence(*map(go_into, parts))
            case "maybe":
                return Many(go_into(parts[0]), "?")
            case "expr" if len(parts) == 2 and str(parts[1]) in ("?", "*", "+"):
                return Many(go_into(parts[0]), str(parts[1]))
        raise self._fail(rule, f"a format cannot have this in a rule: {node.data}")


def _symbols(tree: Any) -> list[Any]:
    return list(tree.scan_values(lambda value: hasattr(value, "name")))


def _may_lack_mark(expression: Expression) -> bool:
    """Return whether an opener may be nothing but values and blanks, which any text may be."""
    match expression:
        case Text(value):
            return not value.strip()
        case Term(name, pattern):
            is_hidden = expression.is_hidden or name == "FENCE"
            if name in LINE_ENDS or not is_hidden:
                return True
            # A terminal of blanks does not count either.
            return any(re.fullmatch(pattern, text) for text in ("", " ", "\t"))
        case Sequence(parts):
            return all(map(_may_lack_mark, parts))
        case Choice(parts):
            return any(map(_may_lack_mark, parts))
        case Many(part, sign):
            return sign != "+" or _may_lack_mark(part)
