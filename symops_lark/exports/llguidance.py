"""Lark as llguidance reads it, which vLLM, SGLang and OpenAI's custom tools take as well.

llguidance never goes back in a text, so where a terminal has ended must be clear at once: each terminal here is a line,
or the part of one up to a place where ways meet; all that may stand at one place exclude each other. The rules grow to
the left, which costs the same for each piece, however long the text.
"""

from __future__ import annotations

from ..core.grammar.compiling.compiler import WrittenDialect
from .automaton import Automaton
from .expressions import find_pieces, spell_expression
from .headers import header
from .losses import find_losses, require_language

__all__ = ["ENGINE", "KIND", "SUMMARY", "TOLERANT", "find_losses", "write"]
SUMMARY = "Lark for llguidance, also for vLLM, SGLang and OpenAI's custom tools"
KIND = "constraint"
ENGINE = "llguidance"
TOLERANT = False
_ASSIGN = "::="  # vLLM takes a text for EBNF where a line has it


def write(
    dialect: WrittenDialect,
    *,
    tolerant: bool,
    well_formed: bool = False,
    paths: tuple[str, ...] = (),
    lead_in: bool = False,
) -> dict[str, str]:
    """Return the grammar file."""
    rules = _spell(require_language(dialect, "llguidance", well_formed, paths, lead_in))
    return {f"{dialect.name}.lark": header(dialect, "llguidance", "// ") + rules}


def _spell(automaton: Automaton) -> str:
    pieces = find_pieces(automaton)
    examples = automaton.examples()
    starts = sorted({start for start, _ in pieces})
    rules, terminals = [], []
    ways: dict[int, list[str]] = {state: ['""'] if state == 0 else [] for state in starts}
    endings = [f"at_{state}" for state in starts if state in automaton.accepting]
    for (start, target), expression in pieces.items():
        name = f"PIECE_{start}_{'END' if target is None else target}"
        terminals.append(f"{name}: /{spell_expression(expression, automaton.alphabet)}/")
        if target is None:
            endings.append(f"at_{start} {name}")
        else:
            ways.setdefault(target, []).append(f"at_{start} {name}")
    for state in sorted(ways):
        rules.append(f"// after {examples[state]!r}" if state else "// at the beginning, and between sections")
        rules.append(f"at_{state}: {' | '.join(ways[state])}")
    text = "\n".join([f"start: {' | '.join(endings)}", "", *rules, "", *terminals]) + "\n"
    return text.replace(_ASSIGN, "::[=]")
