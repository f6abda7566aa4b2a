"""Check: terminals that Lark's lexer cannot distinguish, or distinguishes in a surprising way.

Lark's contextual lexer looks only for the terminals that its state accepts, tries them in a fixed
order (priority, then the longest possible text, then the longest pattern) and takes the first that
matches. Two terminals are compared only if one state accepts both: in other states, they cannot be
confused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from ....core.grammar.compiling.regular import (
    Language,
    Unsupported,
    find_common,
    find_longer,
    find_same_beginning,
)
from .report import Finding
from .subject import Pair, Subject
from .tables import Terminal


def find_collisions(subject: Subject) -> Iterator[Finding]:
    """Two terminals share a text, or the first one matches the beginning of a longer second one."""
    for (first, second, state), *languages in _compared(subject):
        try:
            common = find_common(*languages)
            cut = find_longer(*languages)
        except Unsupported:
            message = f"{first.name} and {second.name} are too large to compare"
            yield subject.note("undecided", message, second.name)
            continue
        if common is not None:
            yield subject.warn(
                "terminal-collision",
                f"both {first.name} and {second.name} match {common!r} at one point; Lark takes "
                f"{first.name}",
                second.name,
                example=state.prefix + common,
                hint="take the characters of one out of the other, or put another terminal in "
                "front of one",
            )
        elif cut is not None:
            text, length = cut
            yield subject.warn(
                "cut-short",
                f"{first.name} is tried first and takes {text[:length]!r} of a longer "
                f"{second.name}",
                second.name,
                example=state.prefix + text,
                hint=f"let no text of {second.name} begin with one of {first.name}",
            )


def find_swallowed_words(subject: Subject) -> Iterator[Finding]:
    """A string is also a text of a regular expression: Lark always takes the string."""
    words = defaultdict(list)
    for pair in filter(partial(_is_word, subject), subject.pairs):
        string, regex = _string_first(pair)
        # A word is a keyword, which a tree keeps in the name of its rule.
        is_lost = string.name.startswith("_") and not string.pattern[0].isalnum()
        words[regex.name, is_lost].append(Pair(string, regex, pair.state))
    for (name, is_lost), pairs in words.items():
        strings = ", ".join(pair.first.name for pair in pairs)
        first = pairs[0].first
        example = pairs[0].state.prefix + first.pattern
        if is_lost:
            yield subject.warn(
                "swallowed-string",
                f"{name} matches the text of {strings}, but Lark takes the string, whose text no "
                "tree keeps",
                first.name,
                example=example,
                hint=f"exclude that text from {name}",
            )
        else:
            yield subject.note(
                "keyword",
                f"{name} matches the text of {strings} as well; Lark takes the string",
                name,
                example=example,
                hint="harmless where both mean the same kind of thing, such as known verbs",
            )


def find_hidden_readings(subject: Subject) -> Iterator[Finding]:
    """A terminal matches the text of a shorter one and its follower, which then is never read."""
    for pair, first, second in _compared(subject):
        if find_same_beginning(first, second) is None:
            continue
        orders = (
            (pair.first, pair.second, first, second),
            (pair.second, pair.first, second, first),
        )
        for long, short, long_texts, short_texts in orders:
            for follower in subject.followers(short.name):
                following = subject.language(follower)
                text = _find_hidden(short_texts, long_texts, following)
                if text is None:
                    continue
                # A string is chosen by the author of the grammar, a pattern matches by chance.
                report = subject.warn if long.is_string else subject.note
                yield report(
                    "hidden-reading",
                    f"{text!r} could be {short.name} and the beginning of {follower.name}, but is "
                    f"always {long.name}",
                    long.name,
                    example=pair.state.prefix + text,
                    hint=f"write something between the two, such as a blank, to mean {short.name}",
                )
                # One follower is enough to show it.
                break


def _find_hidden(short: Language, long: Language, following: Language | None) -> str | None:
    """Return a text of the long terminal that is also the short one and a beginning of the next."""
    if following is None:
        return None
    try:
        longer = find_longer(short, long, following)
    except Unsupported:
        return None
    return longer[0] if longer else None


def find_shared_beginnings(subject: Subject) -> Iterator[Finding]:
    """One character cannot distinguish two terminals: a hand-written reader must look further."""
    for pair, *languages in _compared(subject):
        character = find_same_beginning(*languages)
        # Two strings are compared character by character anyway.
        if character is not None and not (pair.first.is_string and pair.second.is_string):
            yield subject.note(
                "look-ahead",
                f"{pair.first.name} and {pair.second.name} may both begin with {character!r}",
                pair.second.name,
                example=pair.state.prefix + character,
            )


def find_opaque_terminals(subject: Subject) -> Iterator[Finding]:
    """The pattern of a terminal is not a regular language, so its collisions are not known."""
    for terminal in subject.tables.terminals.values():
        if subject.language(terminal) is None:
            yield subject.note(
                "undecided",
                f"{terminal.name} cannot be compared with other terminals: "
                "its pattern looks around, refers back or is very large",
                terminal.name,
            )


def _compared(subject: Subject) -> Iterator[tuple[Pair, Language, Language]]:
    """Yield the pairs whose texts are known, without keywords."""
    for pair in subject.pairs:
        first = subject.language(pair.first)
        second = subject.language(pair.second)
        if first and second and not _is_word(subject, pair):
            yield pair, first, second


def _is_word(subject: Subject, pair: Pair) -> bool:
    """Return whether one of a pair is a string that the pattern of the other one matches."""
    # As Lark's `_create_unless`: it is a keyword.
    if pair.first.is_string == pair.second.is_string:
        return False
    string, regex = _string_first(pair)
    language = subject.language(regex)
    return bool(language and language.matches(string.pattern))


def _string_first(pair: Pair) -> tuple[Terminal, Terminal]:
    if pair.first.is_string:
        return pair.first, pair.second
    return pair.second, pair.first
