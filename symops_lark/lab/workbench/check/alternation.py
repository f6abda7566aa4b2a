"""Check: a regular expression with `|` that another terminal continues.

Lark puts the parts of a terminal side by side without brackets, so in `BLOCK: _OPEN _LINE _CLOSE` with `_LINE: /a|b/`
the `|` divides the whole terminal: it matches the opener with `a`, or `b` with the closer. llguidance and XGrammar
read it as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....core.grammar.tokens import Definition, Word
from .report import Finding
from .subject import Subject

_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]", re.DOTALL)


def find_unwrapped_alternation(subject: Subject) -> Iterator[Finding]:
    """A `|` outside all brackets of a regular expression reaches into the terminal around it."""
    for definition in subject.statements.definitions:
        if not definition.is_terminal:
            continue
        for word in _joined(definition):
            regex = _resolve(subject, word)
            if regex is not None and _is_divided(regex.text):
                name = definition.name.text
                yield subject.warn(
                    "unwrapped-alternation",
                    f"Lark joins the parts of {name} without brackets: the `|` of {word.text} divides all of {name}",
                    word.start,
                    hint="put that regular expression into brackets: /(a|b)/",
                )


def _joined(definition: Definition) -> Iterator[Word]:
    """Yield the words that stand beside another one without a sign of repetition, which would bring brackets."""
    body = definition.body
    for before, word, after in zip([None, *body], body, [*body[1:], None], strict=False):
        repeated = after is not None and after.is_sign("*+?~")
        joined = any(beside is not None and not beside.is_sign("()[]|") for beside in (before, after))
        if word.kind in ("name", "regex") and joined and not repeated:
            yield word


def _resolve(subject: Subject, word: Word) -> Word | None:
    """Return the regular expression that a word is or stands for."""
    seen = set()
    while word.kind == "name" and word.text in subject.definitions and word.text not in seen:
        seen.add(word.text)
        body = subject.definitions[word.text].body
        if len(body) != 1:
            return None
        word = body[0]
    return word if word.kind == "regex" else None


def _is_divided(regex: str) -> bool:
    depth = 0
    for part in _PART.findall(regex):
        depth += {"(": 1, ")": -1}.get(part, 0)
        if part == "|" and depth == 0:
            return True
    return False
