"""Check: terminals that Lark's lexer cannot tell apart, or tells apart in another way than the grammar suggests.

Lark's contextual lexer looks only for the terminals that its state accepts, tries them in a fixed order (priority, then
the longest possible text, then the longest pattern) and takes the first that matches. What is no mistake where a state
accepts one of them is one where it accepts both, so only such pairs are compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ....core.grammar.compiling.regular import Language, Unsupported, find_common, find_longer, find_same_beginning
from .report import Finding
from .subject import Pair, Subject


def find_collisions(subject: Subject) -> Iterator[Finding]:
    """Two terminals share a text, or the one tried first leaves the other only a rest."""
    for (first, second, state), *found in _compared(subject):
        try:
            common, cut = find_common(*found), find_longer(*found)
        except Unsupported:
            yield subject.note("undecided", f"{first.name} and {second.name} are too large to compare", second.name)
            continue
        if common is not None:
            yield subject.warn(
                "terminal-collision",
                f"both {first.name} and {second.name} match {common!r} at one point; Lark takes {first.name}",
                second.name,
                example=state.prefix + common,
                hint="take the characters of one out of the other, or let another terminal stand in front of one",
            )
        elif cut is not None:
            yield subject.warn(
                "cut-short",
                f"{first.name} is tried first and takes {cut[0][: cut[1]]!r} of a longer {second.name}",
                second.name,
                example=state.prefix + cut[0],
                hint=f"let no text of {second.name} begin with one of {first.name}",
            )


def find_swallowed_words(subject: Subject) -> Iterator[Finding]:
    """A string is also a text of a regular expression beside it: Lark always takes the string."""
    words: dict[tuple[str, bool], list[Pair]] = defaultdict(list)
    for pair in subject.pairs:
        if _is_word(subject, pair):
            string, other = sorted((pair.first, pair.second), key=lambda terminal: not terminal.is_string)
            is_lost = string.name.startswith("_") and not string.pattern[0].isalnum()  # a word is a keyword
            words[other.name, is_lost].append(Pair(string, other, pair.state))
    for (other_name, is_dropped), pairs in words.items():
        listed = ", ".join(pair.first.name for pair in pairs)
        example = pairs[0].state.prefix + pairs[0].first.pattern
        if is_dropped:
            yield subject.warn(
                "swallowed-string",
                f"{other_name} matches the text of {listed}, but Lark takes the string, whose text no tree keeps",
                pairs[0].first.name,
                example=example,
                hint=f"exclude that text from {other_name}",
            )
        else:
            yield subject.note(
                "keyword",
                f"{other_name} matches the text of {listed} as well; Lark takes the string",
                other_name,
                example=example,
                hint="harmless where both mean the same kind of thing, such as known verbs",
            )


def find_hidden_readings(subject: Subject) -> Iterator[Finding]:
    """A terminal takes what a shorter one and its follower would take together: the second reading never happens."""
    for pair, one, other in _compared(subject):
        if find_same_beginning(one, other) is None:
            continue
        for long, short, *languages in ((pair.first, pair.second, one, other), (pair.second, pair.first, other, one)):
            for then in subject.followers(short.name):
                behind = subject.language(then)
                try:
                    found = find_longer(languages[1], languages[0], behind) if behind else None
                except Unsupported:
                    continue
                if found is None:
                    continue
                find = subject.warn if long.is_string else subject.note
                yield find(
                    "hidden-reading",
                    f"{found[0]!r} could be {short.name} and the beginning of {then.name}, but is always {long.name}",
                    long.name,
                    example=pair.state.prefix + found[0],
                    hint=f"write something between the two, such as a blank, to mean {short.name}",
                )
                break


def find_shared_beginnings(subject: Subject) -> Iterator[Finding]:
    """One character does not tell two terminals apart: a reader by hand, or a streaming one, must look further."""
    for pair, *found in _compared(subject):
        character = find_same_beginning(*found)
        if character is not None and not (pair.first.is_string and pair.second.is_string):
            yield subject.note(
                "look-ahead",
                f"{pair.first.name} and {pair.second.name} may both begin with {character!r}",
                pair.second.name,
                example=pair.state.prefix + character,
            )


def find_opaque_terminals(subject: Subject) -> Iterator[Finding]:
    """A terminal's pattern is no regular language, so no collision with it can be found."""
    for terminal in subject.tables.terminals.values():
        if subject.language(terminal) is None:
            yield subject.note(
                "undecided",
                f"{terminal.name} cannot be compared with other terminals: "
                "its pattern looks around, refers back or is very large",
                terminal.name,
            )


def _compared(subject: Subject) -> Iterator[tuple[Pair, Language, Language]]:
    """Yield the pairs whose texts are known, but for words."""
    for pair in subject.pairs:
        one, other = subject.language(pair.first), subject.language(pair.second)
        if one and other and not _is_word(subject, pair):
            yield pair, one, other


def _is_word(subject: Subject, pair: Pair) -> bool:
    """Return whether one is a string that the other, a pattern, matches as a whole (Lark's `_create_unless`)."""
    if pair.first.is_string == pair.second.is_string:
        return False
    string, other = sorted((pair.first, pair.second), key=lambda terminal: not terminal.is_string)
    language = subject.language(other)
    return bool(language and language.matches(string.pattern))
