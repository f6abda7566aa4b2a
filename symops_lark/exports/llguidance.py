"""Write a dialect in the Lark notation of llguidance, which vLLM, SGLang and OpenAI also accept.

llguidance never backtracks, so the end of a terminal must be clear at once. Each terminal is a line
here, or the part of a line up to a state where paths join, and the terminals that are possible in a
state exclude each other. The rules are left-recursive: then each terminal costs the same, however
long the text is.
"""

from __future__ import annotations

from typing import Any

from ..core.grammar.compiling.compiler import WrittenDialect
from .automata.automaton import Automaton
from .expressions import spell_expression
from .headers import header
from .losses import require_language
from .pieces import find_pieces

__all__ = ["ENGINE", "KIND", "SUMMARY", "TOLERANT", "write"]
SUMMARY = "Lark for llguidance, also for vLLM, SGLang and OpenAI's custom tools"
KIND = "constraint"
ENGINE = "llguidance"
TOLERANT = False
_ASSIGN = "::="  # vLLM takes a text for EBNF if a line has this sign


def write(dialect: WrittenDialect, *, tolerant: bool, **options: Any) -> dict[str, str]:
    """Return the grammar file, by its name.

    Args:
        dialect: The dialect.
        tolerant: Not used: there is no tolerant form.
        options: The options of `require_language` for well-formed texts.
    """
    rules = _spell(require_language(dialect, "llguidance", **options))
    return {f"{dialect.name}.lark": header(dialect, "llguidance", "// ") + rules}


def _spell(automaton: Automaton) -> str:
    pieces = find_pieces(automaton)
    examples = automaton.examples()
    # A state can lead only to the ends of texts.
    starts = sorted({start for start, _ in pieces})
    endings = [f"at_{state}" for state in starts if state in automaton.accepting]
    # The texts that lead to each state.
    ways: dict[int, list[str]] = {state: [] for state in starts}
    # Every text begins in state 0.
    ways[0].append('""')
    terminals = []
    for (start, target), expression in pieces.items():
        choices = endings
        end = "END"
        if target is not None:
            choices = ways.setdefault(target, [])
            end = str(target)
        name = f"PIECE_{start}_{end}"
        choices.append(f"at_{start} {name}")
        pattern = spell_expression(expression, automaton.alphabet)
        terminals.append(f"{name}: /{pattern}/")
    rules = []
    for state in sorted(ways):
        comment = "at the beginning, and between sections"
        if state:
            comment = f"after {examples[state]!r}"
        rules.append(f"// {comment}")
        rules.append(f"at_{state}: {' | '.join(ways[state])}")
    lines = [f"start: {' | '.join(endings)}", "", *rules, "", *terminals]
    text = "\n".join(lines) + "\n"
    return text.replace(_ASSIGN, "::[=]")
