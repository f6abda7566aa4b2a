"""Documents of any dialect, and the same with small changes: about half of them are still valid."""

from __future__ import annotations

import random
import re

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
    mutates = (mutate(draw.choice(texts), words, draw) for _ in range(count))
    return [text if text.endswith("\n") else text + "\n" for text in mutates]


def is_valid(text: str, dialect: WrittenDialect) -> bool:
    """Return whether the strict parser takes the text."""
    try:
        parse(text, dialect)
    except ParseError:
        return False
    return True


def portable_texts(dialect: WrittenDialect, count: int, left_out: str) -> list[str]:
    """Return valid and damaged texts, with line ends and characters of many kinds.

    Args:
        dialect: The dialect.
        count: The number of documents that are drawn.
        left_out: The pattern of characters that the other language does not have, or counts in another way.
    """
    texts = mutated_documents(dialect, count)
    texts += [text.replace("\n", "\r\n") for text in texts[: count // 8]]
    texts += ["\ufeff" + text for text in texts[: count // 16]]
    texts += [text.rstrip("\n") for text in texts[: count // 8]]
    texts += ["", "\n", "\ufeff", ">> \u3000x", ">> 🙂\r\r\nx🙂e\u0301 \u200b'\"\n", "__proto__\n", ">> a\0b\n"]
    # Of a verb that begins with another, `line_pattern` says wrongly that its line is no head, so that a missing
    # closer below it has another message here than by the tables.
    verbs = "|".join(verb for group in dialect.verbs.values() for verb in group)
    refused = re.compile(f"{left_out}|(?:{verbs})[a-z0-9_-]")
    fromkeys = [text for text in dict.fromkeys(texts) if not refused.search(text)]
    assert len(fromkeys) > len(texts) / 2
    return fromkeys
