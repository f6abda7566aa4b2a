"""One repair rule as its YAML file defines it, and the placeholders that its patterns may use.

A rule has exactly one verb (`repair_rules/README.md` has an example of each):

    verbs                                       change
    replace, replace_all, lowercase,            one line, normalized for a role
    translate_words, translate_characters
    write_line, insert_line, prefix_lines,      structure, where a mistake is assumed
    drop_lines
    unwrap_fence, dedent                        the content of a block
    replace_text, unwrap_text                   the complete text, before its lines are read
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..grammar.dialect import UNSAID, Dialect
from ..ground.errors import RuleError, SymOpsError
from ..patterns.regexes import compile_pattern, escape
from ..recovery.lines.labels import LABEL, SIGN
from ..text.yaml_file import YamlFile

# The phase of the rules for changes that happened to a reply on its way: encodings, escapes.
CARRIED = "encoding"
LINE_VERBS = frozenset(
    ("replace", "replace_all", "lowercase", "translate_words", "translate_characters")
)
STRUCTURE_VERBS = frozenset(("write_line", "insert_line", "prefix_lines", "drop_lines"))
CONTENT_VERBS = frozenset(("unwrap_fence", "dedent"))
TEXT_VERBS = frozenset(("replace_text", "unwrap_text"))
VERBS = LINE_VERBS | STRUCTURE_VERBS | CONTENT_VERBS | TEXT_VERBS
# `path` is an attribute that must name a path, `odd-head` an exact head that may have a remark
# after its path, `section` a section that only some dialect has.
ROLES = (
    "head",
    "vitals",
    "thought",
    "ask",
    "choice",
    "error",
    "open",
    "close",
    "tag",
    "think",
    "think-end",
    "attribute",
    "path",
    "reason",
    "odd-head",
    "section",
)
SECTION_ROLES = (*ROLES[:8], "attribute", "reason", "section")  # what `lines: all` means


@dataclass(frozen=True, slots=True)
class Example:
    """A text before and after a rule.

    Attributes:
        dialect: The dialect of both texts.
        before: The text that the rule is applied to.
        after: The result; equal to `before` for a text that the rule leaves unchanged.
    """

    dialect: str
    before: str
    after: str


# What `from_data` assumes of fields that the exported tables leave out.
_DEFAULTS: dict[str, Any] = {
    "phase": "",
    "path": None,
    "dialects": (),
    "touches": "markup",
    "why": "",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """A mistake that models make, and its repair.

    Attributes:
        id: The name of the mistake, which is the code of the diagnostic.
        phase: The kind of mistake: the folder of an installed rule.
        path: The YAML file.
        dialects: The dialects or families that the rule serves; empty: all.
        summary: What is wrong, in one sentence.
        why: Why models make the mistake.
        touches: `markup`, `content` or `everything`.
        cost: The cost of one repair, above 0; confidence is computed from the sum.
        verb: One of `VERBS`.
        argument: The value of the verb in the file.
        lines: The roles that a verb of one line serves.
        mistakes: The mistakes of the recovery grammar that a structure verb answers.
        weak: Whether a repair is a guess that needs the support of the lines around it.
        examples: Texts that the rule changes, and texts that it must not change.
        without: Forms of dialects (`numbers`, `attributes`, …) that make the rule needless.
    """

    id: str
    phase: str
    path: Path
    dialects: tuple[str, ...]
    summary: str
    why: str
    touches: str
    cost: float
    verb: str
    argument: Any
    lines: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()
    weak: bool = False
    examples: tuple[Example, ...] = ()
    without: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """Return the rule as a JSON object, without its file, its reason and its examples."""
        return {
            "id": self.id,
            "phase": self.phase,
            "dialects": list(self.dialects),
            "summary": self.summary,
            "touches": self.touches,
            "cost": self.cost,
            "verb": self.verb,
            "argument": self.argument,
            "lines": list(self.lines),
            "mistakes": list(self.mistakes),
            "weak": self.weak,
            "without": list(self.without),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Rule:
        """Return the rule of a JSON object from `to_data`; fields that it lacks have defaults."""
        fields = dict(_DEFAULTS)
        for name, value in data.items():
            fields[name] = tuple(value) if isinstance(value, list) else value
        fields["argument"] = data["argument"]  # lists in it stay lists
        return cls(**fields)

    def to_row(self) -> dict[str, Any]:
        """Return all fields but the path as a JSON object, for the cache of rules."""
        row = self.to_data()
        row["why"] = self.why
        row["examples"] = [
            [example.dialect, example.before, example.after] for example in self.examples
        ]
        return row

    @classmethod
    def from_row(cls, row: Mapping[str, Any], path: Path) -> Rule:
        """Return the rule of a JSON object from `to_row`.

        Args:
            row: The object.
            path: The file of the rule.
        """
        examples = tuple(Example(*example) for example in row["examples"])
        return cls.from_data({**row, "path": path, "examples": examples})

    def serves(self, dialect: Dialect) -> bool:
        """Return whether the rule is meant for a dialect.

        It is if the dialect or its family is listed, or no dialect is, unless the dialect has one
        of the forms that the rule is `without`.
        """
        if dialect.forms & set(self.without):
            return False
        if not self.dialects:
            return True
        return dialect.name in self.dialects or dialect.family in self.dialects

    def error(self, reason: str) -> SymOpsError:
        """Return the `RuleError` that shows the line of the rule's verb in its file."""
        return YamlFile(self.path, "rule", RuleError).fail_at_key((self.verb,), reason)


class RuleIndex:
    """The rules of one dialect by what they answer.

    Attributes:
        by_id: The rules by their ids.
        content_rules: The rules that are declared to work on blocks, in running order.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.by_id: dict[str, Rule] = {}
        self.content_rules: list[Rule] = []
        self._cures: dict[str, Rule] = {}  # by mistake
        for rule in rules:
            self.by_id[rule.id] = rule
            if rule.verb in CONTENT_VERBS:
                self.content_rules.append(rule)
            if rule.verb in STRUCTURE_VERBS:
                for mistake in rule.mistakes:
                    self._cures[mistake] = rule

    def cure(self, mistake: str) -> Rule | None:
        """Return the structure rule that answers a mistake of the recovery grammar, if any."""
        return self._cures.get(mistake)


_WORD = "0-9A-Za-z_"  # `\\w` in RE2
_NEVER = r"[^\x00-\x{10FFFF}]"  # a class without characters: no text matches
_PLACEHOLDER = compile_pattern(r"\{([a-z_]+)\}")
_COUNTED = compile_pattern(r"\{([a-z_]+)\}(?=[?*+])")


def fill_pattern(pattern: str, dialect: Dialect) -> str:
    """Replace the placeholders of a pattern (see `placeholders`) for a dialect.

    Raises:
        KeyError: A placeholder is unknown.
    """
    places = placeholders(dialect)
    # `{open}+` repeats the complete mark, not its last character.
    grouped = _COUNTED.sub(r"(?:{\1})", pattern)
    return _PLACEHOLDER.sub(lambda match: places[match[1]], grouped)


@lru_cache(maxsize=256)
def fill_text(text: str, dialect: Dialect) -> str:
    """Replace the placeholders of a replacement by the dialect's marks, which are not escaped.

    Raises:
        KeyError: There is no such mark.
    """
    return _PLACEHOLDER.sub(lambda match: dialect.marks[match[1]], text)


def fill_template(text: str, dialect: Dialect) -> str:
    """Replace the placeholders of a replacement for `sub` and `expand` of RE2.

    Both read only ASCII, so all other characters are written as escapes.
    """
    return fill_text(text, dialect).encode("ascii", "backslashreplace").decode()


@lru_cache(maxsize=32)
def placeholders(dialect: Dialect) -> Mapping[str, str]:
    """Return the pattern for each placeholder.

    For each mark, here `open`:

        {open}          the mark
        {open_char}     its first character
        {open_last}     its last character
        {open_sign}     its first character, unless the mark is a word
        {open_loose}    the mark with or without blanks between its characters
        {open_spread}   the mark with blanks between its characters
        {open_run}      the mark, of any length
        {open_words}    the words in the mark, in any letters and with any joints
        {open_bare}     the words in the mark unchanged, if there are several
        {any_open}      the mark of this dialect or of a related one
        {other_open}    the mark of a related dialect that has another one

    Further: `{opening}` and `{closing}` (brackets, and signs at that end of one of its marks),
    `{closer}` (any closing delimiter of a block), `{section}` (the mark of any section that only
    this dialect has), `{verb}`, `{writing}`, `{running}`, `{removing}`, `{path}`, `{label}` (a
    number, a check box, a time or a word that labels a step), `{sign}` (a picture or an arrow).
    """
    places: dict[str, str] = {}
    for name, mark in dialect.marks.items():
        _add_mark(places, name, mark, dialect)
    places["opening"] = _signs(dialect, 0, "[<{(【〔「")
    places["closing"] = _signs(dialect, -1, "]>})】〕」")
    close = dialect.marks["close"]
    # Some dialects have a second closing delimiter.
    end_close = dialect.marks.get("end_close", close)
    places["closer"] = _alternatives({close, end_close})
    for group, verbs in dialect.verbs.items():
        places[group] = _group(list(map(escape, verbs)))
    places["verb"] = f"(?:{dialect.any_verb})"
    places["section"] = _NEVER
    if dialect.own_sections:
        marks = {row[0] or UNSAID for row in dialect.own_sections.values()}
        places["section"] = _alternatives(marks)
    places["path"] = _PATH
    places["label"] = LABEL
    places["sign"] = SIGN
    return places


def _add_mark(places: dict[str, str], name: str, mark: str, dialect: Dialect) -> None:
    """Add the placeholders of one mark."""
    characters = [escape(character) for character in mark]
    first = characters[0]
    sign = _NEVER if mark[0].isalnum() else first
    spread = _NEVER
    if len(mark) > 1:
        spread = r"[ \t]+".join(characters)
    related = {marks[name] for marks in dialect.relatives if name in marks}
    different = related - {mark}
    differing = _alternatives(different) if different else _NEVER
    places[name] = escape(mark)
    places[f"{name}_char"] = first
    places[f"{name}_sign"] = sign
    places[f"{name}_last"] = characters[-1]
    places[f"{name}_loose"] = r"[ \t]*".join(characters)
    places[f"{name}_spread"] = spread
    places[f"{name}_run"] = _run(mark)
    places[f"{name}_words"] = _words(mark)
    places[f"{name}_bare"] = _words(mark, "_")
    places[f"any_{name}"] = _alternatives(related)
    places[f"other_{name}"] = differing


def _run(mark: str) -> str:
    """Return a pattern of a mark of any length; a word has only its own length.

    A character that differs from the one before it comes once or more; all but the first may miss.
    """
    if mark[0].isalnum():
        return escape(mark)
    distinct = []
    for index, character in enumerate(mark):
        if character != mark[index - 1 : index]:
            distinct.append(escape(character) + "+")
    return "(?:".join(distinct) + ")?" * (len(distinct) - 1)


def _words(mark: str, joint: str = "") -> str:
    """Return a pattern of the words in a mark, in any letters and with any joints.

    With a `joint` they are as in the mark, with that joint; a single word then matches nothing.
    """
    words = [escape(word) for word in _MARK_WORD.findall(mark)]
    min_count = 2 if joint else 1
    if len(words) < min_count or mark.startswith(UNSAID):
        return _NEVER
    if joint:
        return joint.join(words)
    joined = _JOINT.join(words)
    return f"(?i:{joined})"


_JOINT = r"[ \t_＿-]*"
_MARK_WORD = compile_pattern(r"[^\W_]{2,}")  # a single letter is a sign


def _signs(dialect: Dialect, index: int, brackets: str) -> str:
    """Return a class of brackets and of the signs at one end of the dialect's marks."""
    signs = set(brackets)
    for mark in dialect.marks.values():
        sign = mark[index]
        if len(mark) > 1 and not sign.isalnum():
            signs.add(sign)
    signs -= set("-.,;:/")  # these are common in prose
    wide = set()
    for sign in signs:
        code = ord(sign)
        if 33 <= code < 127:
            wide.add(chr(code + _FULL_WIDTH))
    characters = escape("".join(sorted(signs | wide)))
    return f"[{characters}]"


_FULL_WIDTH = 0xFEE0  # from a sign of ASCII to its full-width form


def _alternatives(words: set[str]) -> str:
    """Return a pattern of some words; a longer one comes before one that it begins with."""
    escaped = [escape(word) for word in words]
    escaped.sort(key=len, reverse=True)
    return _group(escaped)


def _group(patterns: Sequence[str]) -> str:
    """Return a pattern that matches where one of some patterns does, tried in this order."""
    return f"(?:{'|'.join(patterns)})"


# The parts of `{path}`: folders, a name with signs in it, a plain name. Below folders any plain
# name is a path. Without folders it needs an ending, or is hidden, a Makefile and the like, or in
# capitals. Each path is matched in one way only: exports match lists of paths by backtracking.
# Not matched: "create", "Create", "src/", "e.".
_FOLDER = (
    rf"[{_WORD}.~+()\[\]-][{_WORD}.~@+()\[\]-]*/"  # "src/", "./", "~/", "(app)/"; not "@x/"
    rf"(?:[{_WORD}.~@+()\[\]-]+/)*"  # below it also "@x/"
)
_ODD_NAME = (
    rf"(?:[+()\[\]]|[{_WORD}-][{_WORD}.-]*[@+()\[\]])"  # up to the first sign
    rf"[{_WORD}.@+()\[\]-]*\.[{_WORD}]+"  # "[id].tsx", "a@2x.png"; an ending is required
)
_NAME = (
    rf"[{_WORD}+()\[\]-][{_WORD}.@+()\[\]-]*\.[{_WORD}]+"  # "a.py", "c++.h"
    rf"|\.[{_WORD}][{_WORD}.-]*"  # ".env"
)
_BARE_NAME = r"[A-Z][a-z]+file|[A-Z]{4}[A-Z_]*"  # "Dockerfile"; "LICENSE", "CODE_OF_CONDUCT"
_PATH = rf"(?:{_FOLDER}(?:{_ODD_NAME}|[{_WORD}.-]+)|{_NAME}|{_BARE_NAME})"
