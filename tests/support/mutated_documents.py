"""Documents of any dialect, and the same with small changes: about half of them are still valid."""

from __future__ import annotations

import random

from wings import need_wing

from symops_lark import ParseError, parse
from symops_lark.core.grammar.compiling.compiler import WrittenDialect

_SIGNS = " \t\r\n@>,:.-_\"'`「\u200b＞x0c9A=#*[]<~!?/\u00ad😀"


def mutate(text: str, words: list[str], draw: random.Random) -> str:
    """Return a text with up to three characters or words put in, exchanged or left out."""
    for _ in range(draw.choice((0, 1, 1, 1, 2, 3))):
        at = draw.randrange(len(text) + 1)
        match draw.randrange(6):
            case 0:
                text = text[:at] + text[at + 1 :]
            case 1:
                text = text[:at] + draw.choice(words) + text[at:]
            case 2:
                text = text[:at] + draw.choice(_SIGNS) + text[at:]
            case 3:
                text = text[:at] + draw.choice(_SIGNS) + text[at + 1 :]
            case 4:
                text = text[:at] + "\n" + draw.choice(words) + text[at:]
            case _:
                text = text[:at] + text[at + draw.randrange(9) :]
    return text


def mutated_documents(dialect: WrittenDialect, count: int, seed: int = 0) -> list[str]:
    """Return texts that end with a newline, as what a grammar lets a model say does."""
    need_wing("lab")
    from symops_lark.lab.workbench.sample import sample_texts

    draw = random.Random(f"{seed}/{dialect.fingerprint}")
    marks = dialect.marks.values()
    words = [*marks, *(f" {mark} " for mark in marks), "run", "verify", "create", "c0", "::c0.9", "path:", "deps:", "1"]
    texts = sample_texts(dialect, min(count, 200), seed)
    found = (mutate(draw.choice(texts), words, draw) for _ in range(count))
    return [text if text.endswith("\n") else text + "\n" for text in found]


def is_valid(text: str, dialect: WrittenDialect) -> bool:
    """Return whether the strict parser takes the text."""
    try:
        parse(text, dialect)
    except ParseError:
        return False
    return True
