"""Choose the texts of a conformance suite, and write what the strict parser makes of them.

The texts cover each move of the automaton of the dialect, once by a valid text and once by a text
that leaves the language there; random walks and damage are added, with fixed seeds. Of all texts,
the shortest first, those are kept that take a transition of the tables that no text before them
takes. So a runtime that passes has used each part of the tables that these texts can reach.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from random import Random

from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.strict.parser import parse
from ...core.text.diagnostics import ParseError
from ..automata.alphabet import split_letters
from ..automata.automaton import Automaton
from .dfa import JsonTable
from .tracer import Counts, Texts, Tracer, Transitions

_SEED = 2026
# With these numbers, walks and damage reach the actions that the cover of one automaton misses.
_WALKS = 400
_DAMAGES = 4  # damaged texts for each walk
_INSERTED = ("\r\n", "\n\n", "\ufeff", "\u3000", "\u200b", "🙂", "é", "\t", "  ", '"', "0")


def write_cases(dialect: WrittenDialect, tables: JsonTable, language: Automaton) -> str:
    """Return the cases of a dialect, a JSON object on each line.

    Args:
        dialect: The dialect.
        tables: Its tables (`portable_tables`).
        language: The automaton of its texts (`find_language`).
    """
    marks = list(dialect.said_marks.values())
    marks.sort()
    # A set: many moves are covered by the same short texts.
    texts = set(_cover(language))
    texts.update(_walk(tables, marks))
    chosen, _ = choose(tables, texts)
    rows = []
    for text in chosen:
        row = json.dumps(_expect(dialect, text), ensure_ascii=True)
        rows.append(f"{row}\n")
    return "".join(rows)


def choose(tables: JsonTable, texts: Iterable[str]) -> tuple[list[str], Transitions]:
    """Return the texts that take a transition first, the shortest first, and all transitions.

    Args:
        tables: The tables of a dialect.
        texts: The texts to choose from.
    """
    tracer = Tracer(tables)
    transitions: Transitions = set()
    chosen = []
    for text in sorted(texts, key=_by_length):
        fresh = tracer.trace(text) - transitions
        # A text without a new transition proves no more about a port.
        if fresh:
            transitions |= fresh
            chosen.append(text)
    return chosen, transitions


def _by_length(text: str) -> tuple[int, str]:
    return len(text), text


def _expect(dialect: WrittenDialect, text: str) -> JsonTable:
    """Return a case: the document of a valid text, the error of another; offsets in code points."""
    case: JsonTable = {"dialect": dialect.name, "text": text}
    try:
        document = parse(text, dialect)
    except ParseError as error:
        [diagnostic] = error.diagnostics
        span = diagnostic.span
        case["error"] = {
            "code": diagnostic.code,
            "offset": span.start,
            "end": span.end,
            "line": span.line,
            "column": span.column,
            "message": diagnostic.message,
            "expected": list(diagnostic.expected),
            "hint": diagnostic.hint,
            "drawn": str(error),
        }
    else:
        case["document"] = document.to_dict()
    return case


def _cover(language: Automaton) -> Iterator[str]:
    """Yield for each state and letter a text that takes it, and one that ends right after it."""
    characters = language.alphabet.shown
    ends = _find_ends(language)
    prefixes = language.examples()
    for state, prefix in enumerate(prefixes):
        targets = _targets_of(language, state)
        for letter, character in enumerate(characters):
            text = prefix + character
            yield text
            if letter in targets:
                yield text + ends[targets[letter]]


def _targets_of(language: Automaton, state: int) -> dict[int, int]:
    """Return the state that each letter leads to."""
    targets = {}
    for target, letters in language.moves[state].items():
        targets.update(dict.fromkeys(split_letters(letters), target))
    return targets


def _find_ends(language: Automaton) -> Texts:
    """Return for each state a shortest text from it to an end of the language."""
    before: dict[int, list[tuple[int, str]]] = {}
    for state, moves in enumerate(language.moves):
        for target, letters in moves.items():
            letter = next(split_letters(letters))
            character = language.alphabet.shown[letter]
            before.setdefault(target, []).append((state, character))
    # A search backwards, breadth first: the first text to reach a state is a shortest one.
    ends = dict.fromkeys(sorted(language.accepting), "")
    waiting = deque(ends)
    while waiting:
        target = waiting.popleft()
        for state, character in before.get(target, ()):
            if state not in ends:
                ends[state] = character + ends[target]
                waiting.append(state)
    return ends


def _walk(tables: JsonTable, marks: Sequence[str]) -> Iterator[str]:
    """Yield random texts that the parser accepts, and each of them with damage."""
    draw = Random(_SEED)
    tracer = Tracer(tables)
    counts: Counts = {}
    for _ in range(_WALKS):
        text = tracer.walk(draw, counts)
        yield text
        for _ in range(_DAMAGES):
            yield _damage(draw, text, marks)


def _damage(draw: Random, text: str, marks: Sequence[str]) -> str:
    place = draw.randrange(len(text) + 1)
    before = text[:place]
    match draw.randrange(4):
        case 0:
            return before + draw.choice((*_INSERTED, *marks)) + text[place:]
        case 1:
            return before + text[place + draw.choice((1, 1, 2, 5)) :]
        case 2:
            return before
        case _:
            return text.replace("\n", "\r\n")
