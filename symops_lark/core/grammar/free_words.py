"""Choose marks that a content does not have: a fence, or a word of a pattern."""

from __future__ import annotations

import re

from ..patterns.regexes import compile_pattern

_FENCE = compile_pattern(r"(?m)^[ ]{0,3}(`{3,})")
_MOST_WORDS = 1_000  # numbers of words that may end a here-document
_MOST_FOUND = 100  # words of a pattern without a usual word


def choose_fence(content: str) -> str:
    """Return a fence that is longer than those in a content.

    Args:
        content: The content.
    """
    fences = _FENCE.findall(content)
    longest = max(map(len, fences), default=2)
    return "`" * (longest + 1)


def choose_end(content: str, pattern: str) -> str | None:
    """Return a word of a pattern that does not occur in a content; empty without a pattern.

    None if there is no such word among those that are tried.

    Args:
        content: The content.
        pattern: The pattern of the words.
    """
    # Most formats have no such word, and no word fits the empty pattern.
    if not pattern:
        return ""
    for number in range(_MOST_WORDS):
        # A format may not allow digits in its words.
        usual = ("EOF" + "X" * number, f"EOF_{number}", "eof" + "x" * number)
        for word in usual:
            is_free = word not in content
            if is_free and re.fullmatch(pattern, word):
                return word
    return _find_word(content, pattern)


def _find_word(content: str, pattern: str) -> str | None:
    """Return a shortest word of a pattern that does not occur in a content, if there is one."""
    # Most formats allow one of the usual words, and need no automaton.
    from .compiling.regular import Language, Unsupported, find_outside

    # Short words are in most contents, so longer ones come first if the pattern has any.
    for refused in ("[^\\n]{0,2}", ""):
        try:
            language = Language(pattern)
            for _ in range(_MOST_FOUND):
                word = find_outside(language, Language(refused))
                if word is None:
                    break
                if word not in content:
                    return word
                refused += f"|{re.escape(word)}"
        except Unsupported:
            return None
    return None
