"""Write tags `[NAME:N]`, and find the one that a reply answers with.

Purpose
    A model writes `[REVIEW:2]` to say that rule 2 holds. `find_tag` reads such a reply.

Invariants
    1. A tag that a reply only names is not an answer: in a list of all tags, in a quotation, under
       a condition, rejected, struck out, in thinking, or in the turn of another speaker.
    2. Text after an answer can only take the answer away. It never makes another one.
    3. Decoration around a tag that is alone does not change the result.
    The tests are `tests/answers/judgment/test_tags.py` and `test_plain_tags.py`.

Theory of operation
    `tag_text` removes decoration. `tag_lines` leaves out what the assistant does not say
    (`core.discourse`), splits the reply into units and finds the answer of each unit. `tag_words`
    knows the words. `find_tag` takes the last unit that has an answer. Then it looks for reasons
    not to believe it: lines before it that introduce something else, a list or a walk through all
    rules, text after it that takes it back (`core.discourse.verdicts`), and other tags.

    For "Two tests fail.\n\n[REVIEW:2]\n\n[REVIEW:1] does not apply." the units are

        "Two tests fail."               no tag
        "[REVIEW:2]"                    answer 2
        "[REVIEW:1] does not apply."    names tag 1, and denies it: no contradiction

    so the result is 1, the index of rule 2.

Known weaknesses
    A remark in free words that contradicts the tag ("The tests are red." after the tag of
    "approved") is not noticed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.discourse.passages import Passage, Stance
from ...core.discourse.verdicts import find_retraction
from ...core.ground.errors import SymOpsError
from .tag_lines import LONGEST_NAME, Unit, Units, normalise_name, read_units
from .tag_words import denies, find_rule_numbers, introduces, sets_aside, shows_other, supposes

ALIASES = ("MOVEMENT", "STEP")
_MAX_HEADING = 60  # characters; a longer line is a paragraph
# The beginning of a tag at the end of a text, in any brackets.
_OPEN_TAG = re.compile(r"[\[【［〔]([^\[\]【】［］〔〕\n]{0,200})\Z")
# "Answer != [REVIEW:2]", "!([REVIEW:2])".
_NOT_EQUAL = re.compile(r"(?:!=+[^\[\]\w]{0,9}|-x->[ \t]{0,9}|![(`*_\"']{0,5})\[")


def tag_name(step: str) -> str:
    """Return the name of a step's tags.

    Args:
        step: The name of the step.

    Returns:
        The name in upper case, on one line, without the characters that end a name.

    Raises:
        SymOpsError: The name is empty or too long.
    """
    name = re.sub(r"[\[\]:]", "_", " ".join(step.upper().split()))
    if not name or len(name) > LONGEST_NAME:
        raise SymOpsError(
            f"a step's name has 1 to {LONGEST_NAME} characters, and this one {len(name)}"
        )
    return name


def write_tag(step: str, number: int) -> str:
    """Return the tag of a rule; its number counts from 1."""
    return f"[{tag_name(step)}:{number}]"


def find_tag(
    text: str, names: Sequence[str] | str, n_rules: int, *, aliases: Sequence[str] = ALIASES
) -> int | None:
    """Return the index of the rule that a reply answers with.

    The last answer counts. Never raises for a string, and takes linear time.

    Args:
        text: The reply.
        names: The names of the tags. Case does not matter.
        n_rules: The number of rules.
        aliases: Further names.

    Returns:
        The index of the rule, from 0. None: the reply does not clearly answer.
    """
    if isinstance(names, str):
        names = (names,)
    # Upper case as well, because "straße" becomes "STRASSE" in a tag.
    tag_names = set()
    for name in (*names, *aliases):
        for form in (name, name.upper()):
            tag_names.add(normalise_name(re.sub(r"[\[\]:]", "_", form)))
    if _breaks_off(text, tag_names):
        return None
    result = read_units(text, tag_names)
    units = result.units
    places = _find_places(units)
    if not places:
        return None
    last = units[places[-1]]
    number = last.answer or 0
    if not 1 <= number <= n_rules:
        return None
    if _is_doubtful(units, places, n_rules) or _is_denied(result, last):
        return None
    for unit in units[places[-1] + 1 :]:
        if _contradicts(unit, number):
            return None
    return number - 1


def _breaks_off(text: str, names: set[str]) -> bool:
    """Return whether a text ends inside a tag: the reply was cut off."""
    end = _OPEN_TAG.search(text.rstrip())
    if end is None:
        return False
    name, colon, _ = end[1].partition(":")
    begun = normalise_name(name)
    if colon:
        return begun in names
    return bool(begun) and any(whole.startswith(begun) for whole in names)


def _find_places(units: Sequence[Unit]) -> list[int]:
    """Return the indexes of the units that answer."""
    # A second tag anywhere, even a quoted one, may be a list or another verdict.
    tag_count = sum(len(unit.numbers) for unit in units)
    return [
        place
        for place, unit in enumerate(units)
        if unit.answer is not None and (tag_count == 1 or not unit.is_weak)
    ]


def _is_doubtful(units: Sequence[Unit], places: Sequence[int], n_rules: int) -> bool:
    return (
        _is_supposed(units, places)
        or _is_list(units, places, n_rules)
        or _is_walk(units, places, n_rules)
    )


def _is_denied(result: Units, unit: Unit) -> bool:
    """Return whether the words before or after an answer say that it does not hold."""
    end = unit.start + len(unit.text)
    later_tags = []
    for passage in result.passages:
        start = passage.span.start
        if start >= end:
            later_tags.append(passage.span)
        # The answer's tag is the only one of its unit.
        elif start >= unit.start and _is_doubted(result.view, passage):
            return True
    if _NOT_EQUAL.search(unit.text):
        return True
    return find_retraction(result.view, end, later_tags) is not None


def _is_doubted(view: str, passage: Passage) -> bool:
    """Return whether the line before a tag says that the tag does not hold."""
    reason = passage.why
    # What comes after a tag is judged more strictly than here. A question is answered by the tag.
    is_asked = passage.stance is Stance.ASKED
    if not passage.code or is_asked or reason.start > passage.span.start:
        return False
    # What begins or ends on the line of another tag is about that one.
    before = view[max(0, reason.start - 1) : reason.start]
    following = view[reason.end : passage.span.start]
    if before not in ("", "\n"):
        return False
    if following and not following.startswith("\n"):
        return False
    # A whole sentence is a reason: "空の場合に落ちる。"
    line = view[reason.start : reason.end].rstrip()
    return not line.endswith(("。", "！"))


def _is_supposed(units: Sequence[Unit], places: Sequence[int]) -> bool:
    """Return whether the text before an answer introduces an example, a case or a quotation."""
    last = places[-1]
    place = last - 1
    while place >= 0 and not units[place].text:
        place -= 1
    if place < 0 or units[place].answer is not None:
        return False
    unit = units[place]
    text = unit.text.rstrip("*_` ")
    # The end of a sentence, for `_ENDS`, but an abbreviation that introduces something.
    if text.lower().endswith(("e.g.", "i.e.", "ex.", "vs.")):
        return True
    if text.endswith((":", "：")):
        return not introduces(text)
    if unit.is_code or unit.numbers:
        return False
    is_adjacent = place == last - 1
    if len(text) <= _MAX_HEADING and (is_adjacent or _is_title(unit)) and shows_other(text):
        return True
    # A sentence that does not end continues with the tag: "It is definitely not", line break, tag.
    has_end = text.endswith((".", "!", "?", "。", "！", "？", ")", "）", "|"))
    if not is_adjacent or has_end or _is_title(unit):
        return False
    if supposes(text):
        return True
    return denies(text) and _is_open(text)


def _is_title(unit: Unit) -> bool:
    """Return whether a unit is a heading, or a line in bold type."""
    return unit.is_heading or (unit.text.startswith("**") and unit.text.endswith("**"))


def _is_open(text: str) -> bool:
    """Return whether a line ends with a word that needs another one after it."""
    return bool(re.search(r"(?i:\b(?:not|be|is|or|of|than|the|choose|never|with)|[,、—–-])$", text))


def _is_list(units: Sequence[Unit], places: Sequence[int], n_rules: int) -> bool:
    """Return whether the last answer is one of a list of tags.

    A list is several tags with only blank lines between them. All tags, or three, are a list; so
    are two items, and an item that is the first tag, because a list that was cut off begins so.
    A tag that comes once more after a whole list is an answer.
    """
    run = []
    for unit in reversed(units[: places[-1] + 1]):
        if unit.answer is None and unit.text:
            break
        if unit.text:
            run.append(unit)
    numbers = [unit.answer for unit in reversed(run)]
    distinct = set(numbers)
    if len(distinct) < 2:
        return run[0].is_listed and numbers == [1]
    is_whole = len(set(numbers[:-1])) == len(numbers) - 1 == n_rules
    if is_whole and len(distinct) == n_rules:
        return False
    return len(distinct) >= min(n_rules, 3) or any(unit.is_listed for unit in run)


def _is_walk(units: Sequence[Unit], places: Sequence[int], n_rules: int) -> bool:
    """Return whether a reply goes through the rules in turn, so that the last is only the last."""
    answers = [units[place] for place in places]
    numbers = [unit.answer for unit in answers]
    # The same heading or bold type for each rule, with text after each: a walk.
    has_following_text = any(unit.text for unit in units[places[-1] + 1 :])
    style = answers[-1].style
    different = [unit for unit in answers if unit.answer != numbers[-1]]
    if has_following_text and style and any(unit.style == style for unit in different):
        return True
    # Without marks, only the order of the numbers shows a walk.
    if len(numbers) < 2 or numbers != list(range(1, len(numbers) + 1)):
        return False
    if has_following_text or len(numbers) > 2:
        return True
    is_introduced = any(units[place - 1].text.endswith((":", "：")) for place in places if place)
    return n_rules == 2 and is_introduced


def _contradicts(unit: Unit, number: int | None) -> bool:
    """Return whether a unit names another tag and does not reject it, or rejects this one."""
    is_aside = sets_aside(unit.text)
    # "It should be rule 3." names another answer without a tag.
    if not is_aside:
        in_words = find_rule_numbers(unit.text)
        if in_words - {number}:
            return True
    return any(is_aside is (number_in_unit == number) for number_in_unit in unit.numbers)
