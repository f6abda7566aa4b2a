"""Check: a regular expression with `|` that another terminal continues.

Lark joins the parts of a terminal without brackets, so in `BLOCK: _OPEN _LINE _CLOSE` with `_LINE:
/a|b/` the `|` divides the complete terminal: it matches the opener with `a`, or `b` with the
closer. llguidance and XGrammar read it as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....core.grammar.tokens import Definition, Word
from .report import Finding
from .subject import Subject

# An escape, a class, a bracket or a bar: in a class, brackets and bars have no meaning.
_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]", re.DOTALL)


def find_unwrapped_alternation(subject: Subject) -> Iterator[Finding]:
    """A `|` outside all brackets of a regular expression divides the terminal around it."""
    for definition in subject.statements.definitions:
        if not definition.is_terminal:
            continue
        for word in _joined(definition):
            regex = _resolve(subject, word)
            if regex is not None and _is_divided(regex.text):
                name = definition.name.text
                yield subject.warn(
                    "unwrapped-alternation",
                    f"Lark joins the parts of {name} without brackets: the `|` of {word.text} "
                    f"divides all of {name}",
                    word.start,
                    hint="put that regular expression into brackets: /(a|b)/",
                )


def _joined(definition: Definition) -> Iterator[Word]:
    """Yield the words that Lark joins to a neighbor."""
    body = definition.body
    for before, word, after in zip([None, *body], body, [*body[1:], None], strict=False):
        # A repeated part gets brackets.
        if word.kind not in ("name", "regex") or (after and after.is_sign("*+?~")):
            continue
        # At a bracket or a bar, there is nothing to join.
        neighbors = [word for word in (before, after) if word and not word.is_sign("()[]|")]
        if neighbors:
            yield word


def _resolve(subject: Subject, word: Word) -> Word | None:
    """Return the regular expression that a word is, or that its definition is."""
    # Terminals that refer to each other would lead here for ever.
    visited = set()
    while word.kind == "name" and word.text in subject.definitions and word.text not in visited:
        visited.add(word.text)
        body = subject.definitions[word.text].body
        if len(body) != 1:
            return None
        word = body[0]
    return word if word.kind == "regex" else None


def _is_divided(regex: str) -> bool:
    """Return whether a regular expression has a `|` outside its brackets."""
    depth = 0
    for part in _PART.findall(regex):
        depth += {"(": 1, ")": -1}.get(part, 0)
        if part == "|" and depth == 0:
            return True
    return False
