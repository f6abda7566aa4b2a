"""Write a dialect in GBNF, which llama.cpp and programs that contain it use to constrain a model.

Each rule is a state: it begins with the next characters and ends with another rule. So a decoder
is always in one state, and every path leads to the end of a text. XGrammar reads the rules too,
because they have no signs that only one of the two programs knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

from ..core.grammar.compiling.compiler import WrittenDialect
from .automata.alphabet import WHITE, spell_class
from .automata.automaton import Automaton
from .headers import header
from .losses import require_language

__all__ = ["ENGINE", "KIND", "SUMMARY", "TOLERANT", "spell_rules", "write"]
SUMMARY = "llama.cpp's grammar notation, for constrained decoding"
KIND = "constraint"
ENGINE = "xllamacpp"
TOLERANT = False
BEGINNING = "# at the beginning, and between sections"
_MAX_EXAMPLE = 60  # characters in a comment


def write(dialect: WrittenDialect, *, tolerant: bool, **options: Any) -> dict[str, str]:
    """Return the grammar file, by its name.

    Args:
        dialect: The dialect.
        tolerant: Not used: there is no tolerant form.
        options: The options of `require_language` for well-formed texts.
    """
    automaton = require_language(dialect, "gbnf", **options)
    return {f"{dialect.name}.gbnf": header(dialect, "gbnf") + spell_rules(automaton)}


def spell_rules(automaton: Automaton) -> str:
    """Return the rules, `root` first, each after a comment with a text that leads to it."""
    inline = _find_inline(automaton)
    lines = []
    for state, example in enumerate(map(repr, automaton.examples())):
        if state in inline:
            continue
        if len(example) > _MAX_EXAMPLE:
            example = f"… {example[-_MAX_EXAMPLE:]}"
        lines.append(f"# after {example}" if state else BEGINNING)
        choices = " | ".join(_spell_state(automaton, state, inline))
        lines.append(f"{_name(state)} ::= {choices}")
    return "\n".join(lines) + "\n"


def _name(state: int) -> str:
    return f"at-{state}" if state else "root"


def _find_inline(automaton: Automaton) -> frozenset[int]:
    """Return the states with one way in and one way out, which need no separate rule."""
    ways_in = Counter(chain.from_iterable(automaton.moves))
    inline = set()
    for state, targets in enumerate(automaton.moves):
        if ways_in[state] == len(targets) == 1 and state not in targets:
            inline.add(state)
    # State 0 is the rule `root`.
    return frozenset(inline - automaton.accepting - {0})


def _spell_state(automaton: Automaton, state: int, inline: frozenset[int]) -> Iterator[str]:
    """Yield the alternatives of a rule."""
    # The empty text: a reply can end here.
    if state in automaton.accepting:
        yield '""'
    for target, letters in automaton.moves[state].items():
        # States without a rule are written in place.
        steps = [letters]
        while target in inline:
            [(target, letters)] = automaton.moves[target].items()
            steps.append(letters)
        yield " ".join([*_spell_steps(automaton, steps), _name(target)])


def _spell_steps(automaton: Automaton, steps: list[int]) -> list[str]:
    """Return classes of characters, and texts for steps with one character."""
    parts = []
    text = ""
    for letters in steps:
        ranges = automaton.alphabet.ranges(letters)
        first, last = ranges[0]
        if len(ranges) == 1 and first == last:
            text += _escape(first, '"\\')
            continue
        if text:
            parts.append(f'"{text}"')
            text = ""
        parts.append(spell_class(ranges, lambda point: _escape(point, r"[]\^-\"")))
    if text:
        parts.append(f'"{text}"')
    return parts


def _escape(point: int, special: str) -> str:
    """Return a character, or its number if it is special or not printable ASCII."""
    character = chr(point)
    if character in WHITE:
        return WHITE[character]
    if " " <= character < "\x7f" and character not in special:
        return character
    return f"\\u{point:04X}" if point <= 0xFFFF else f"\\U{point:08X}"
