"""Classify the words around a tag: they announce an answer, doubt it or deny it.

Purpose
    The only module that knows words before a tag and in its sentence. The words are data, in
    English, Japanese and Chinese: those that lead to a tag in `tag_words.yaml`, those that doubt
    it in `core/discourse/stances.yaml`, for all readers. The modules `tag_text`, `tag_lines` and
    `tags` know structure: lines, brackets and positions.

Invariants
    1. A text announces an answer only if every word of it does. A tag in any other text is only
       named, so a word that is missing costs another question, not a wrong verdict.
    2. Every pattern is RE2's: a text takes linear time.
    3. The examples of each row hold (`tests/answers/judgment/test_tag_words.py`).

Example:
    `announces("So the answer is")` and `denies("does not apply")` are true.
    `announces("I would choose")` is false, because "would" is not a word of the group.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from ...core.discourse.tables import Group, load_groups, our_tables

DECORATION = (
    "*_`\"'“”‘’「」『』()（）→⇒➡➜➔►▶👉🎯🏷📌🔖🏁✅✔☑🔴🟠🟡🟢🔵⚪⚫🟥🟧🟨🟩\ufe0f=-–— \t\u3000"
)

_FILE = Path(__file__).with_name("tag_words.yaml")
_GROUPS = (
    "announcing_words",
    "closing_words",
    "reason_before",
    "reason_after",
    "leading",
    "introducing",
    "asking",
)
# Groups whose words are all that a text may have, with the punctuation that may be between them.
_WHOLE_GROUPS = {
    "announcing_words": DECORATION + ":：,、，。;；!！>#{",
    "closing_words": "}=*_`\"'“”’‘」』)）】 \t\u3000.。!！✅✔☑\ufe0f",
}
_MAX_LENGTH = 80  # characters of an announcement; a longer text is prose
# A full stop ends a clause and belongs to it; a comma belongs to none.
_CLAUSES = re.compile(r"[,、，]|(?<=[.。])")
# The rest of a sentence after an announced tag: " (needs a fix)", ", two tests fail", " - lint".
# Not "-lint", which may be the end of a compound word.
_REMARK = re.compile(r"[*_`\"'”’」』 \t]*(?:[(（—–,;，；]|-[ \t])")
# The same without commas and semicolons, for a tag that no word announces.
_PLAIN_REMARK = re.compile(r"[*_`\"'”’」』 \t]*(?:[(（—–]|-{1,2}[ \t])")
# A rule that is named in words: "rule 2", "ルール2", "the answer is 3", "2番です".
# Not "2 tests fail" and "version 2".
_RULE_NUMBER = re.compile(
    r"(?i:\b(?:rule|condition|case|option|no\.|number))[ ]?#?([0-9]{1,3})\b"
    r"|(?:ルール|条件|规则|選択肢)[ \u3000]?([0-9]{1,3})"
    r"|(?i:\b(?:answer|verdict|tag|choice|actually|rather)(?: is| should be| would be)?[:=]?)"
    r"[ ]#?([0-9]{1,3})\b"
    r"|([0-9]{1,3})[ ]?番(?:目)?(?:です|が|の|に|を)"
)


@cache
def _own_groups() -> dict[str, Group]:
    return load_groups(_FILE, _GROUPS)


def matches_group(name: str, text: str) -> bool:
    """Return whether a group of words matches a text.

    Args:
        name: The name of a group of `tag_words.yaml`, or of `core/discourse/stances.yaml`.
        text: One line without lone surrogates.

    Returns:
        Whether all words of the text are of the group (`announcing_words`, `closing_words`), or
        whether the text has a match (all other groups).
    """
    if name in _WHOLE_GROUPS:
        if len(text) > _MAX_LENGTH:
            return False
        text = text.translate(dict.fromkeys(map(ord, _WHOLE_GROUPS[name]), " "))
    # `__` is a letter for RE2's `\b`.
    text = " ".join(text.replace("__", " ").split())
    group = _own_groups().get(name) or our_tables().groups[name]
    return bool(group.find(text))


def announces(text: str) -> bool:
    """Return whether a text has only words that announce an answer."""
    return matches_group("announcing_words", text) and not matches_group("asking", text)


def closes(text: str) -> bool:
    """Return whether a text has only words that follow an answer: `is the matching rule`."""
    return matches_group("closing_words", text)


def remarks(text: str, *, announced: bool) -> bool:
    """Return whether the text after a tag is a reason or a remark.

    Args:
        text: The rest of the sentence.
        announced: Whether words announce the tag. Without them, only a reason counts.

    Returns:
        Whether it is one that does not doubt the tag.
    """
    if matches_group("possibilities", text) or matches_group(
        "verdict_tail", text.strip(" (（—–-,;")
    ):
        return False
    # A reason may deny something: "because the tests did not pass".
    if matches_group("reason_after", text):
        return True
    return announced and bool(_REMARK.match(text)) and not denies(text)


def remarks_plainly(text: str) -> bool:
    """Return whether the text after a tag is empty, or a remark without a word of doubt."""
    if not text.strip(DECORATION + ".。!！"):
        return True
    if not _PLAIN_REMARK.match(text):
        return False
    # Without its dash, "- however, …" begins with the turn.
    remark = text.lstrip(DECORATION)
    return not matches_group("retractions", remark) and not doubts_line(remark)


def leads(text: str) -> bool:
    """Return whether the text before a tag leads to it without a word of doubt.

    `Two tests fail → ` does, `If two tests fail → ` does not.
    """
    return matches_group("leading", text) and not doubts_line(text.strip(" (（—–-"))


def doubts_line(text: str) -> bool:
    """Return whether the line of a tag that no word announces has a word of doubt."""
    groups = ("verdict_line", "verdict_tail", "verdict_lead", "negations")
    return any(matches_group(group, text) for group in groups)


def find_rule_numbers(text: str) -> set[int]:
    """Return the numbers of the rules that a text names in words: `Rule 2 applies`."""
    numbers = set()
    for match in _RULE_NUMBER.finditer(text):
        digits = next(group for group in match.groups() if group)
        numbers.add(int(digits))
    return numbers


def reasons(text: str) -> bool:
    """Return whether the text before a tag is the reason for it: `Since two tests fail,`."""
    return matches_group("reason_before", text) and not matches_group("possibilities", text)


def introduces(text: str) -> bool:
    """Return whether a line that ends with a colon introduces the answer.

    A line that introduces an example, or what somebody said, does not.
    """
    if supposes(text):
        return False
    # The last clause must have a word: a bare colon after a comma announces nothing.
    clause = _CLAUSES.split(text.rstrip(".。"))[-1]
    if announces(clause) and clause.strip(DECORATION + ":："):
        return True
    has_doubt = matches_group("reports", text) or denies(text)
    return matches_group("introducing", text) and not has_doubt


def supposes(text: str) -> bool:
    """Return whether a text is about a possibility: a condition, an example, a choice."""
    return matches_group("verdict_lead", text)


def shows_other(text: str) -> bool:
    """Return whether a heading or sentence makes the next tag a sample, or an earlier verdict."""
    return matches_group("other_verdict", text)


def denies(text: str) -> bool:
    """Return whether a text says that something is not so."""
    return matches_group("negations", text)


def sets_aside(text: str) -> bool:
    """Return whether a text names a tag only to reject it, or to mention an earlier one."""
    return denies(text) or matches_group("dismissals", text)
