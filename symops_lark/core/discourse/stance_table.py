"""Load `stances.yaml`, and files in its form: groups of patterns for sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..patterns.regexes import PatternError, compile_linear, compile_pattern
from ..text.yaml_file import Keys, YamlFile
from .checking import TableError, check_texts
from .passages import Stance

CLAUSE = "clause"  # the scope of a row that is searched in the clause that decides

STANCE_GROUPS = ("lead", "tail", "verdict_tail")  # the groups whose rows have stances
PLAIN_GROUPS = (
    "announcing_lead",
    "verdict_lead",
    "other_verdict",
    "reports",
    "verdict_line",
    "negations",
    "dismissals",
    "retractions",
    "possibilities",
    "verdict_person",
    "reasons",
    "closings",
    "announcing",
    "offers",
)
_STANCES = tuple(stance.value for stance in Stance)
# What has no other case in a pattern: `\W`, `\pL`, `\x{4E00}`, `(?P<Name>`, `(?U:`.
_CASELESS = compile_pattern(
    r"\\(?:x\{[0-9A-Fa-f]+\}|[pP](?:\{[^{}]*\}|.)|.)|\(\?(?:P?<[^<>()]*>|[A-Za-z-]+[:)])"
)


def read_groups(path: Path, names: Sequence[str]) -> dict[str, list[list[str]]]:
    """Return the rows of each group of a file: stance, pattern, exception and scope.

    Args:
        path: The file.
        names: The names of its groups.

    Raises:
        TableError: The file cannot be read, has an unknown key, a row without examples, or a
            pattern that RE2 refuses.
    """
    file = YamlFile(path, "file of stances", TableError)
    file.check_keys((), ("lists", *names))
    groups: dict[str, list[list[str]]] = {}
    for group in names:
        rows = file.data[group]
        if not isinstance(rows, list) or not rows:
            raise file.fail((group,), f"{group}: expected a list of rows")
        groups[group] = []
        for index in range(len(rows)):
            row = _row(file, (group, str(index)), group)
            groups[group].append(row)
    return groups


def _row(file: YamlFile, keys: Keys, group: str) -> list[str]:
    """Return the stance, pattern, exception and scope of a row."""
    has_stances = group in STANCE_GROUPS
    needed = ["find", "yes"]
    if has_stances:
        needed.append("stance")
    file.check_keys(keys, needed, ("unless", "no", "scope"))
    sentences = (*keys, "yes")
    if not check_texts(file, sentences):
        raise file.fail(sentences, "a row needs at least one sentence that it finds")
    check_texts(file, (*keys, "no"))
    stance = group
    if has_stances:
        stance = file.one_of((*keys, "stance"), _STANCES)
    exception = ""
    if "unless" in file.get(keys):
        exception = _pattern(file, (*keys, "unless"))
    scope = ""
    if "scope" in file.get(keys):
        scope = file.one_of((*keys, "scope"), (CLAUSE,))
    return [stance, _pattern(file, (*keys, "find")), exception, scope]


def _pattern(file: YamlFile, keys: Keys) -> str:
    """Return a pattern with its lists filled in, after RE2 has accepted it."""
    pattern = _join(file, keys)
    # Twice, because a list may use another one.
    for name in (*file.data["lists"], *file.data["lists"]):
        if f"<{name}>" in pattern:
            words = _join(file, ("lists", name))
            pattern = pattern.replace(f"<{name}>", words)
    pattern = _lower(pattern.replace("'", "['’]"))
    try:
        compile_linear(pattern)
    except PatternError as error:
        raise file.fail(keys, f"RE2 refuses the pattern: {error}") from None
    return pattern


def _lower(pattern: str) -> str:
    """Return a pattern for sentences in lower case.

    The flag for any case does not mean the same letters in all engines, and takes more time.
    """
    pieces: list[str] = []
    at = 0
    for match in _CASELESS.finditer(pattern):
        pieces += (pattern[at : match.start()].lower(), match[0])
        at = match.end()
    return "".join(pieces) + pattern[at:].lower()


def _join(file: YamlFile, keys: Keys) -> str:
    """Return a pattern that is written as a text, or as a list of alternatives.

    An alternative is a text, or a list of texts that follow each other.
    """
    value = file.get(keys)
    if isinstance(value, str) and value:
        return value
    if not isinstance(value, list) or not value:
        raise file.fail(keys, f"{keys[-1]}: expected a pattern, or a list of alternatives")
    alternatives = []
    for index in range(len(value)):
        alternative = _join_pieces(file, (*keys, str(index)))
        alternatives.append(alternative)
    return "|".join(alternatives)


def _join_pieces(file: YamlFile, keys: Keys) -> str:
    value = file.get(keys)
    if isinstance(value, str) and value:
        return value
    pieces = check_texts(file, keys)
    return "".join(pieces)
