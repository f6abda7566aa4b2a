"""Tags `[NAME:N]`, with which a model says that rule N holds: how they are written, and which one a reply answers with.

Law: a tag that a reply only names is no answer. What repeats the list of tags, quotes it, weighs one tag after the
other, denies one or takes one back gives nothing, so that the next way of asking may; a wrong answer would not be seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.ground.errors import SymOpsError
from .tag_lines import LONGEST_NAME, Unit, normalise_name, read_units
from .tag_words import denies, introduces, takes_back

ALIASES = ("MOVEMENT", "STEP")


def tag_name(step: str) -> str:
    """Return the name of a step's tags: in upper case, on one line, without what ends a name.

    Raises `SymOpsError` for a name that is empty or too long.
    """
    name = re.sub(r"[\[\]:]", "_", " ".join(step.upper().split()))
    if not name or len(name) > LONGEST_NAME:
        raise SymOpsError(f"a step's name has 1 to {LONGEST_NAME} characters, and this one {len(name)}")
    return name


def write_tag(step: str, number: int) -> str:
    """Return the tag of a rule, by its number from 1."""
    return f"[{tag_name(step)}:{number}]"


def find_tag(text: str, names: Sequence[str] | str, n_rules: int, *, aliases: Sequence[str] = ALIASES) -> int | None:
    """Return the index (from 0) of the rule that a reply answers with, None if it does not clearly do so.

    `names` are the names of the tags, without regard to case, and `aliases` further ones. The last answer counts.
    Never raises on a `str`; takes linear time.
    """
    own = (names,) if isinstance(names, str) else tuple(names)
    known = {normalise_name(re.sub(r"[\[\]:]", "_", form)) for n in (*own, *aliases) for form in (n, n.upper())}
    units = read_units(text, known)
    places = [place for place, unit in enumerate(units) if unit.answer is not None]
    if not places:
        return None
    number = units[places[-1]].answer or 0
    if not 1 <= number <= n_rules or _is_doubtful(units, places, n_rules):
        return None
    return number - 1


def _is_doubtful(units: Sequence[Unit], places: Sequence[int], n_rules: int) -> bool:
    last = places[-1]
    return (
        _is_supposed(units, places)
        or _is_list(units, places, n_rules)
        or _is_walk(units, places, n_rules)
        or any(_contradicts(unit, units[last].answer) for unit in units[last + 1 :])
    )


def _is_supposed(units: Sequence[Unit], places: Sequence[int]) -> bool:
    """Return whether the text before an answer introduces something else: an example, a case, what somebody said."""
    before = next((units[at] for at in range(places[-1] - 1, -1, -1) if units[at].text), None)
    if before is None or before.answer is not None:
        return False
    said = before.text.rstrip("*_` ")
    if said.lower().endswith(("e.g.", "i.e.", "ex.", "vs.")):
        return True
    return said.endswith((":", "：")) and not introduces(said)


def _is_list(units: Sequence[Unit], places: Sequence[int], n_rules: int) -> bool:
    """Return whether the last answer is one of a list of tags: several, with nothing but blank lines between.

    All tags, or three, are a list, as are two items, and an item that is the first tag: so a list begins that was cut
    off. But what comes once more behind a whole list is an answer.
    """
    run: list[Unit] = []
    for unit in reversed(units[: places[-1] + 1]):
        if unit.answer is None and unit.text:
            break
        run += [unit] if unit.text else []
    numbers = [unit.answer for unit in reversed(run)]
    found = set(numbers)
    if len(found) < 2:
        return run[0].is_listed and numbers == [1]
    if len(set(numbers[:-1])) == len(numbers) - 1 == n_rules and len(found) == n_rules:
        return False
    return len(found) >= min(n_rules, 3) or any(unit.is_listed for unit in run)


def _is_walk(units: Sequence[Unit], places: Sequence[int], n_rules: int) -> bool:
    """Return whether a reply goes through the rules one after the other, so that the last is only the last."""
    answers = [units[at] for at in places]
    numbers = [unit.answer for unit in answers]
    goes_on = any(unit.text for unit in units[places[-1] + 1 :])
    others = [unit for unit in answers if unit.answer != numbers[-1]]
    if others and goes_on and answers[-1].style and any(unit.style == answers[-1].style for unit in others):
        return True
    if len(numbers) < 2 or numbers != list(range(1, len(numbers) + 1)):
        return False
    if len(numbers) > 2 or goes_on:
        return True
    return n_rules == 2 and any(units[at - 1].text.endswith((":", "：")) for at in places if at)


def _contradicts(unit: Unit, number: int | None) -> bool:
    """Return whether what follows an answer takes it back, or names another tag without denying it."""
    denied = denies(unit.text)
    return takes_back(unit.text) or any(denied is (other == number) for other in unit.numbers)
