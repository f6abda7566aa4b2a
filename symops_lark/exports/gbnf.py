"""GBNF: what llama.cpp, and what is built on it, constrains a model with. XGrammar reads these rules as well.

A rule stands for a state: it begins with what may come next and goes on with another rule, so a decoder is always in
one place, and no way leads where a text cannot end. Signs that only one of the two readers knows are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..core.grammar.compiling.compiler import WrittenDialect
from .automaton import WHITE, Automaton, spell_class
from .headers import header
from .losses import find_losses, require_language

__all__ = ["ENGINE", "KIND", "SUMMARY", "TOLERANT", "find_losses", "spell_rules", "write"]
SUMMARY = "llama.cpp's grammar notation, for constrained decoding"
KIND = "constraint"
ENGINE = "xllamacpp"
TOLERANT = False
_WIDEST = 60  # characters of an example in a comment


def write(
    dialect: WrittenDialect,
    *,
    tolerant: bool,
    well_formed: bool = False,
    paths: tuple[str, ...] = (),
    lead_in: bool = False,
) -> dict[str, str]:
    """Return the grammar file."""
    return {
        f"{dialect.name}.gbnf": header(dialect, "gbnf")
        + spell_rules(require_language(dialect, "gbnf", well_formed, paths, lead_in))
    }


def spell_rules(automaton: Automaton) -> str:
    """Return the rules, `root` first, each behind a text that leads to it."""
    inline = _find_inline(automaton)
    examples = automaton.examples()
    lines = []
    for state in range(len(automaton.moves)):
        if state not in inline:
            shown = repr(examples[state])
            shown = shown if len(shown) <= _WIDEST else f"… {shown[-_WIDEST:]}"
            lines.append(f"# after {shown}" if state else "# at the beginning, and between sections")
            lines.append(f"{_name(state)} ::= {' | '.join(_spell_state(automaton, state, inline))}")
    return "\n".join(lines) + "\n"


def _name(state: int) -> str:
    return f"at-{state}" if state else "root"


def _find_inline(automaton: Automaton) -> frozenset[int]:
    """Return the states with one way in and one way out: they need no rule of their own."""
    ways_in = Counter(target for targets in automaton.moves for target in targets)
    return frozenset(
        state
        for state, targets in enumerate(automaton.moves)
        if state and state not in automaton.accepting and ways_in[state] == len(targets) == 1 and state not in targets
    )


def _spell_state(automaton: Automaton, state: int, inline: frozenset[int]) -> Iterator[str]:
    if state in automaton.accepting:
        yield '""'
    for target, letters in automaton.moves[state].items():
        parts, text = [], ""
        while True:
            ranges = automaton.alphabet.ranges(letters)
            if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
                text += _escape(ranges[0][0], '"\\')
            else:
                parts += [f'"{text}"'] * bool(text) + [spell_class(ranges, lambda point: _escape(point, r"[]\^-\""))]
                text = ""
            if target not in inline:
                break
            ((target, letters),) = automaton.moves[target].items()
        yield " ".join([*parts, *([f'"{text}"'] * bool(text)), _name(target)])


def _escape(point: int, special: str) -> str:
    """Spell a character; one that is special in that place by its number."""
    character = chr(point)
    if character in WHITE:
        return WHITE[character]
    if " " <= character < "\x7f" and character not in special:
        return character
    return f"\\u{point:04X}" if point <= 0xFFFF else f"\\U{point:08X}"
