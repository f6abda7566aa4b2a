"""One repair rule, as its YAML file says it, and the placeholders its patterns may use.

A rule has exactly one verb. Verbs of one line respell it for a role: `replace`, `replace_all`, `lowercase`,
`translate_words`, `translate_characters`. Verbs of structure answer to a mistake of the recovery grammar:
`write_line`, `insert_line`, `prefix_lines`, `drop_lines`. Verbs of content: `unwrap_fence`, `dedent`. Of the whole
text: `replace_text`, `unwrap_text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..grammar.dialect import UNSAID, Dialect
from ..ground.errors import RuleError, SymOpsError
from ..patterns.regexes import compile_pattern, escape
from ..text.yaml_file import YamlFile

CARRIED = "encoding"  # the phase of the rules for what happens to a reply on its way
LINE_VERBS = frozenset(("replace", "replace_all", "lowercase", "translate_words", "translate_characters"))
STRUCTURE_VERBS = frozenset(("write_line", "insert_line", "prefix_lines", "drop_lines"))
CONTENT_VERBS = frozenset(("unwrap_fence", "dedent"))
TEXT_VERBS = frozenset(("replace_text", "unwrap_text"))
VERBS = LINE_VERBS | STRUCTURE_VERBS | CONTENT_VERBS | TEXT_VERBS
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
SECTION_ROLES = (*ROLES[:8], "attribute", "reason", "section")


@dataclass(frozen=True, slots=True)
class Example:
    """A text before and after a rule; both equal for a text that the rule leaves alone."""

    dialect: str
    before: str
    after: str


_UNSAID: dict[str, Any] = {"phase": "", "path": None, "dialects": (), "touches": "markup", "why": ""}


@dataclass(frozen=True, slots=True)
class Rule:
    """A mistake that models make, and its cure."""

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
    without: tuple[str, ...] = ()  # forms of dialects (`numbers`, `attributes`, …) that the rule is not meant for

    def to_data(self) -> dict[str, Any]:
        """Return what the rule does as a JSON object: all but its reason and its examples."""
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
        """Return the rule that `to_data` wrote; what is not said is as usual."""
        lists = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
        return cls(**{**_UNSAID, **lists, "argument": data["argument"]})

    def to_row(self) -> dict[str, Any]:
        """Return all that the rule's file says as a JSON object."""
        examples = [[example.dialect, example.before, example.after] for example in self.examples]
        return {**self.to_data(), "why": self.why, "examples": examples}

    @classmethod
    def from_row(cls, row: Mapping[str, Any], path: Path) -> Rule:
        """Return the rule that `to_row` wrote, of a file."""
        return cls.from_data({**row, "path": path, "examples": tuple(Example(*each) for each in row["examples"])})

    def serves(self, dialect: Dialect) -> bool:
        """Return whether the rule is meant for a dialect: one that is listed, or of such a family (no list means all).

        A rule `without` certain forms is not meant for dialects that have them.
        """
        meant = not self.dialects or bool({dialect.name, dialect.family} & set(self.dialects))
        return meant and not dialect.forms & set(self.without)

    def error(self, reason: str) -> SymOpsError:
        """Return the `RuleError` that shows the rule's verb in its file."""
        return YamlFile(self.path, "rule", RuleError).fail_at_key((self.verb,), reason)


_WORD = "0-9A-Za-z_"  # what `\\w` is in RE2
_NEVER = r"[^\x00-\x{10FFFF}]"


def _alternatives(words: set[str]) -> str:
    return "(?:" + "|".join(sorted(map(escape, words), key=len, reverse=True)) + ")"


_PLACEHOLDER = compile_pattern(r"\{([a-z_]+)\}")
_COUNTED = compile_pattern(r"\{([a-z_]+)\}(?=[?*+])")


def fill_pattern(pattern: str, dialect: Dialect) -> str:
    """Put the dialect's marks (quoted) and the shared pieces into a pattern; raise KeyError for an unknown name."""
    places = placeholders(dialect)
    whole = _COUNTED.sub(r"(?:{\1})", pattern)  # what counts a mark counts all of it
    return _PLACEHOLDER.sub(lambda match: places[match[1]], whole)


@lru_cache(maxsize=256)
def fill_text(text: str, dialect: Dialect) -> str:
    """Put the dialect's marks, as they are, into a replacement."""
    return _PLACEHOLDER.sub(lambda match: dialect.marks[match[1]], text)


def _run(mark: str) -> str:
    """Spell a mark of any length: each character at least once, from the second on perhaps not at all; a word as is."""
    if mark[0].isalnum():
        return escape(mark)
    distinct = [c for i, c in enumerate(mark) if c != mark[i - 1 : i]]
    return "(?:".join(escape(c) + "+" for c in distinct) + ")?" * (len(distinct) - 1)


def _words(mark: str, joint: str = "") -> str:
    """Spell the words of a mark in any letters, with anything or nothing between them; or as they are, with a joint."""
    words = [escape(word) for word in compile_pattern(r"[^\W_]+").findall(mark) if len(word) > 1]
    if joint:
        return joint.join(words) if len(words) > 1 else _NEVER
    return "(?i:" + r"[ \t_＿-]*".join(words) + ")" if words else _NEVER


def fill_template(text: str, dialect: Dialect) -> str:
    """Put the dialect's marks into a replacement for `sub` and `expand` of RE2, which understand ASCII alone."""
    return fill_text(text, dialect).encode("ascii", "backslashreplace").decode()


@lru_cache(maxsize=32)
def placeholders(dialect: Dialect) -> Mapping[str, str]:
    """Return the pattern that each placeholder stands for.

    For each mark: `{open}` itself, `{open_char}` its first and `{open_last}` its last character, `{open_sign}` the
    first unless the mark is a word, `{open_loose}` with or without blanks between its characters, `{open_spread}` with
    some, `{open_run}` of any length,
    `{any_open}` that of v1, of v2 or its own, `{other_open}` any but its own.
    Of marks with words in them: `{action_words}` the words in any letters and with any joints, `{action_bare}` as they
    are, if they are several. `{opening}` and `{closing}` are brackets, or signs at that end of one of its marks.
    Further: `{closer}` (whichever closes a block), `{section}` (the mark of any section of its own), `{verb}`,
    `{writing}`, `{running}`, `{removing}`, `{path}`.
    """
    places: dict[str, str] = {}
    for name, mark in dialect.marks.items():
        places[name] = escape(mark)
        places[f"{name}_char"] = escape(mark[0])
        places[f"{name}_sign"] = _NEVER if mark[0].isalnum() else escape(mark[0])
        places[f"{name}_last"] = escape(mark[-1])
        places[f"{name}_loose"] = r"[ \t]*".join(escape(c) for c in mark)
        places[f"{name}_spread"] = r"[ \t]+".join(escape(c) for c in mark) if len(mark) > 1 else _NEVER
        places[f"{name}_run"] = _run(mark)
        places[f"{name}_words"] = _words(mark)
        places[f"{name}_bare"] = _words(mark, "_")
        every = {marks[name] for marks in dialect.relatives if name in marks}
        places[f"any_{name}"] = _alternatives(every)
        places[f"other_{name}"] = _alternatives(every - {mark}) if every - {mark} else _NEVER
    for name, end, usual in (("opening", 0, "[<{(【〔「"), ("closing", -1, "]>})】〕」")):
        signs = {mark[end] for mark in dialect.marks.values() if len(mark) > 1 and not mark[end].isalnum()}
        signs = (signs | set(usual)) - set("-.,;:/")
        wide = {chr(ord(sign) + 0xFEE0) for sign in signs if 33 <= ord(sign) < 127}  # the full-width forms of ASCII
        places[name] = "[" + escape("".join(sorted(signs | wide))) + "]"
    places["closer"] = _alternatives({dialect.marks["close"], dialect.marks.get("end_close", dialect.marks["close"])})
    for group, verbs in dialect.verbs.items():
        places[group] = "(?:" + "|".join(verbs) + ")"
    places["verb"] = "(?:" + "|".join(v for verbs in dialect.verbs.values() for v in verbs) + ")"
    places["section"] = _NEVER
    if dialect.own_sections:
        places["section"] = _alternatives({row[0] or UNSAID for row in dialect.own_sections.values()})
    # In folders: any plain name, or one with an ending and signs; without: a name with an ending, a hidden name,
    # Makefile and the like, LICENSE. Each path is read in one way only: exports search lists of them by trial.
    folder = rf"[{_WORD}.~+()\[\]-][{_WORD}.~@+()\[\]-]*/(?:[{_WORD}.~@+()\[\]-]+/)*"
    odd = rf"(?:[+()\[\]]|[{_WORD}-][{_WORD}.-]*[@+()\[\]])[{_WORD}.@+()\[\]-]*\.[{_WORD}]+"
    name = rf"[{_WORD}+()\[\]-][{_WORD}.@+()\[\]-]*\.[{_WORD}]+|\.[{_WORD}][{_WORD}.-]*"
    places["path"] = rf"(?:{folder}(?:{odd}|[{_WORD}.-]+)|{name}|[A-Z][a-z]+file|[A-Z]{{4}}[A-Z_]*)"
    return places
