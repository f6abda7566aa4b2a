"""Classify the words around a tag: they announce an answer, doubt it, deny it or take it back.

Purpose
    The only module that knows words. The words are data: `tag_words.yaml`, in English, Japanese
    and Chinese. The modules `tag_text`, `tag_lines` and `tags` know structure: lines, brackets and
    positions.

Invariants
    1. A text announces an answer only if every word of it does. A tag in any other text is only
       named, so a word that is missing costs another question, not a wrong verdict.
    2. Every pattern is RE2's: a text takes linear time.
    3. The examples of each row hold (`tests/answers/judgment/test_tag_words.py`).

Example:
    `announces("So the answer is")` and `takes_back("Wait, that is wrong.")` are true.
    `announces("I would choose")` is false, because "would" is not a word of the group.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.patterns.regexes import PatternError, compile_linear
from ...core.text.yaml_file import YamlFile

DECORATION = (
    "*_`\"'“”‘’「」『』()（）→⇒➡➜➔►▶👉🎯🏷📌🔖🏁✅✔☑🔴🟠🟡🟢🔵⚪⚫🟥🟧🟨🟩\ufe0f=-–— \t\u3000"
)

_FILE = Path(__file__).with_name("tag_words.yaml")
# Groups whose words are all that a text may have, with the punctuation that may be between them.
_WHOLE_GROUPS = {
    "announcing_words": DECORATION + ":：,、，.。;；!！>#{",
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


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the file.

    Attributes:
        pattern: An RE2 pattern.
        yes: Texts that its group matches.
        no: Texts that its group does not match.
    """

    pattern: str
    yes: tuple[str, ...]
    no: tuple[str, ...]


@cache
def load_rows(path: Path = _FILE) -> dict[str, tuple[Row, ...]]:
    """Return the rows of a file of words by their group.

    Args:
        path: The file. Default: that of this package.

    Returns:
        The rows, in the order of the file.

    Raises:
        SymOpsError: The file is wrong. The message has the line.
    """
    file = YamlFile(path, "file of tag words", SymOpsError)
    groups: dict[str, tuple[Row, ...]] = {}
    for group, listed in file.data.items():
        if not isinstance(listed, list):
            raise file.fail((group,), "expected a list of rows")
        groups[group] = tuple(_load_row(file, group, number) for number in range(len(listed)))
    return groups


def _load_row(file: YamlFile, group: str, number: int) -> Row:
    keys = (group, str(number))
    row = file.data[group][number]
    kind = "words" if isinstance(row, dict) and "words" in row else "find"
    file.check_keys(keys, (kind, "yes", "no"))
    pattern = row[kind]
    if kind == "words":
        # The longest word first, because RE2 takes the first that fits when it searches.
        words = sorted(row["words"], key=len, reverse=True)
        pattern = rf"\b(?:{'|'.join(re.escape(word) for word in words)})\b"
    try:
        compile_linear(pattern)
    except PatternError as error:
        raise file.fail((*keys, kind), f"expected an RE2 pattern: {error}") from None
    return Row(pattern, tuple(row["yes"]), tuple(row["no"]))


@cache
def _compile_group(group: str) -> Any:
    rows = load_rows()[group]
    pattern = "|".join(f"(?:{row.pattern})" for row in rows)
    if group in _WHOLE_GROUPS:
        punctuation = re.escape(_WHOLE_GROUPS[group])
        # Anchors, because `pattern_machine`, which replaces RE2, has no `fullmatch`.
        pattern = f"^(?:{pattern}|[{punctuation}])*$"
    return compile_linear(f"(?i){pattern}")


def matches_group(group: str, text: str) -> bool:
    """Return whether a group of the file matches a text.

    Args:
        group: The name of the group.
        text: One line without lone surrogates.

    Returns:
        Whether all words of the text are of the group (`announcing_words`, `closing_words`), or
        whether the text has a match (all other groups).
    """
    # The file writes ' and single blanks; `__` is a letter for RE2's `\b`.
    text = " ".join(text.replace("’", "'").replace("__", " ").split())
    pattern = _compile_group(group)
    if group in _WHOLE_GROUPS:
        return len(text) <= _MAX_LENGTH and bool(pattern.search(text))
    return bool(pattern.search(text))


def announces(text: str) -> bool:
    """Return whether a text has only words that announce an answer."""
    return matches_group("announcing_words", text) and not asks(text)


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
    if matches_group("uncertain", text) or matches_group("conditional", text.lstrip(" (（—–-,;")):
        return False
    # A reason may deny something: "because the tests did not pass".
    if matches_group("reason_behind", text):
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
    is_taken_back = takes_back(remark) or turns(remark)
    return not is_taken_back and not doubts_line(text)


def leads(text: str) -> bool:
    """Return whether the text before a tag leads to it without a word of doubt.

    `Two tests fail → ` does, `If two tests fail → ` does not.
    """
    if not matches_group("leading", text):
        return False
    return not doubts_line(text)


def doubts_line(text: str) -> bool:
    """Return whether the line of a tag that no word announces has a word of doubt."""
    return (
        matches_group("doubting_line", text)
        or matches_group("conditional", text.lstrip(" (（—–-"))
        or supposes(text)
        or denies(text)
    )


def find_rule_numbers(text: str) -> set[int]:
    """Return the numbers of the rules that a text names in words: `Rule 2 applies`."""
    numbers = set()
    for match in _RULE_NUMBER.finditer(text):
        digits = next(group for group in match.groups() if group)
        numbers.add(int(digits))
    return numbers


def reasons(text: str) -> bool:
    """Return whether the text before a tag is the reason for it: `Since two tests fail,`."""
    return matches_group("reason_before", text) and not matches_group("uncertain", text)


def has_announced(text: str) -> bool:
    """Return whether the last clause announces an answer: `two tests fail, so the answer is:`."""
    # The clause must have a word: a bare colon after a comma announces nothing.
    clause = _CLAUSES.split(text.rstrip(".。"))[-1]
    return announces(clause) and bool(clause.strip(DECORATION + ":："))


def introduces(text: str) -> bool:
    """Return whether a line that ends with a colon introduces the answer.

    A line that introduces an example, or what somebody said, does not.
    """
    if supposes(text):
        return False
    if has_announced(text):
        return True
    has_doubt = matches_group("reporting", text) or denies(text)
    return matches_group("introducing", text) and not has_doubt


def supposes(text: str) -> bool:
    """Return whether a text is about a possibility: a condition, an example, a choice."""
    return matches_group("supposing", text)


def shows_other(text: str) -> bool:
    """Return whether a heading or sentence makes the next tag a sample, or an earlier verdict."""
    return matches_group("showing_other", text)


def asks(text: str) -> bool:
    """Return whether a text begins as a question does: `Is it`."""
    return matches_group("asking", text)


def denies(text: str) -> bool:
    """Return whether a text says that something is not so."""
    return matches_group("denying", text)


def sets_aside(text: str) -> bool:
    """Return whether a text names a tag only to reject it, or to mention an earlier one."""
    return denies(text) or matches_group("setting_aside", text)


def takes_back(text: str) -> bool:
    """Return whether a text takes back the text before it."""
    return matches_group("taking_back", text)


def turns(text: str) -> bool:
    """Return whether a sentence begins with a turn, such as `However, two tests fail`."""
    return matches_group("turning", text)


def closes_reply(text: str) -> bool:
    """Return whether a sentence only ends a reply politely."""
    return matches_group("closings", text)


def explains(text: str) -> bool:
    """Return whether a line begins the reasons for a verdict, such as `Reason: two tests fail`."""
    return matches_group("explaining", text)


def weakens(text: str, *, explained: bool, same_line: bool) -> bool:
    """Return whether a sentence after a tag takes certainty from it.

    Args:
        text: The sentence.
        explained: Whether it belongs to a paragraph of reasons, where `if` and `would` are about
            the program.
        same_line: Whether it is on the line of the tag, where `This …` is about the report.

    Returns:
        Whether it asks, turns, makes the verdict conditional, or is about the verdict and does not
        uphold it.
    """
    if closes_reply(text):
        return False
    is_question = text.rstrip("*_`\"' )）」").endswith(("?", "？", "吗。", "ですか。"))
    if is_question or turns(text) or matches_group("conditional", text):
        return True
    if not explained and matches_group("perhaps", text):
        return True
    if same_line or not matches_group("about_verdict", text):
        return False
    return not matches_group("upholding", text)
