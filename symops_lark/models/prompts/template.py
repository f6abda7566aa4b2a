"""Templates of prompts: Markdown with placeholders for the marks and samples of a dialect.

`{name}` is replaced by a mark or a sample line, in a code span. A line that begins with
`{if a, not b}` is kept only if the dialect has `a` and not `b`: a mark, a form, or a sample that it
can express. No template has a mark itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape
from pathlib import Path

from ...core.document import (
    VITAL_NAMES,
    Action,
    Document,
    ErrorNote,
    Question,
    Section,
    Thought,
    Vitals,
)
from ...core.grammar.dialect import UNSAID, Dialect
from ...core.grammar.marks import FENCES
from ...core.ground.errors import RenderError
from ...core.rendering.renderer import list_words, render
from ...core.rendering.writer import SHORTEST, RenderOptions
from .examples import forms_for
from .own_samples import sample_actions, sample_sections

FOLDER = Path(__file__).parent / "templates"
_CONDITION = re.compile(r"\{if ([^}]*)\} ?")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
# Characters that would end an attribute or its line.
_REFERENCES = {code: f"&#{code};" for code in (*range(32), 127)}
_VITALS = Vitals((("confidence", 0.85), ("mood", 0.8), ("focus", 0.9), ("stamina", 0.75)))
_PATH, _OTHER_PATH = "src/auth.py", "src/db.py"
# Names in conditions that have no text: a form, or a sample that the dialect can express.
_FLAGS = {
    "numbers",
    "attributes",
    "end_marks",
    "fences",
    "lines",
    "same",
    "vitals",
    "write",
    "needs",
    "remove",
    "run",
    "run_needs",
    "apart",
    "extra",
    "question",
    "error",
    "act",
    "own",
    "block",
}


def fill(dialect: Dialect, *, is_whole: bool = True) -> str:
    """Return the prose of a dialect's prompt, with every mark in its place.

    Args:
        dialect: The dialect.
        is_whole: Whether a content is always the whole text of a file.
    """
    name = "tags" if "lines" in dialect.forms else "marks"
    template = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    values = read_values(dialect)
    if is_whole:
        values["whole"] = ""
    return "\n".join(_fill(template, values))


def _fill(template: str, values: Mapping[str, str]) -> Iterator[str]:
    above = ""
    for line in template.rstrip("\n").split("\n"):
        condition = _CONDITION.match(line)
        if condition:
            if not _holds(condition[1], values):
                continue
            line = line[condition.end() :]
        filled = _PLACEHOLDER.sub(lambda match: values[match[1]], line).rstrip()
        # Lines that are left out leave one blank line between those around them.
        if filled or above:
            yield filled
        above = filled


def _holds(condition: str, values: Mapping[str, str]) -> bool:
    for term in condition.split(","):
        name = term.strip().removeprefix("not ")
        is_negated = name != term.strip()
        if (name in values) is is_negated:
            return False
    return True


def quote(text: str) -> str:
    """Return a text as a code span of Markdown; it may have backticks."""
    longest = max(re.findall("`+", text), key=len, default="")
    # A span that begins or ends with a backtick needs a blank beside it.
    blank = " " if longest else ""
    marks = f"{longest}`"
    return f"{marks}{blank}{text}{blank}{marks}"


def enclose(tag: str, text: str, **attributes: str) -> str:
    """Return a text between tags on separate lines.

    Args:
        tag: The name of the tag. If the text has tags of this name, a number is added.
        text: The text.
        attributes: The attributes of the tag; `_` is written as `-`.
    """
    name = tag
    number = 1
    while f"<{name}" in text or f"</{name}" in text:
        number += 1
        name = f"{tag}_{number}"
    head = name
    for key, value in attributes.items():
        head += f' {key.replace("_", "-")}="{escape(value).translate(_REFERENCES)}"'
    end = "" if text.endswith("\n") or not text else "\n"
    return f"<{head}>\n{text}{end}</{name}>\n"


def read_values(dialect: Dialect) -> dict[str, str]:
    """Return the text of each placeholder that a dialect has; the others are missing."""
    values = {}
    for name, mark in dialect.marks.items():
        # A mark may have the name of a flag: the flag is set below.
        if UNSAID not in mark and name not in _FLAGS:
            values[name] = quote(mark)
    values |= dict.fromkeys(dialect.forms, "")
    values["dialect"] = dialect.name
    opener = dialect.marks["open"]
    if opener == dialect.marks["close"]:
        values["same"] = ""
    # Parts of sentences that some dialects lack are empty.
    values["depending"] = ""
    if "depends" in values:
        needs = "the files that it needs (only if there are any, separated by commas)"
        values["depending"] = f", {values['depends']} and {needs}"
    thoughts = "reasoning" if "lines" in dialect.forms else "thoughts"
    values["outside"] = f" Say it as {thoughts}." if "thought" in values else ""
    values["language"] = name_language(dialect)
    if not opener.startswith(UNSAID):
        values["block"] = ""
    # Of a content that has such a line, the block would end there.
    delimiters = dict.fromkeys([opener, *dialect.fences[opener]])
    values["lone"] = list_words([quote(mark) for mark in delimiters], "or")
    values["longest"] = str(FENCES[-1])
    custom = dialect.own.get("vitals", {})
    keys = VITAL_NAMES | {word: name for name, word in custom.items()}
    values["vital_keys"] = ", ".join(f"{quote(key)} {name}" for key, name in keys.items())
    # The first tag is in the line that is shown.
    tags = [values[name] for name in VITAL_NAMES.values() if name in values][1:]
    values["further_vitals"] = f"; the others are {list_words(tags, 'and')}" if tags else ""
    for group, verbs in dialect.verbs.items():
        values[group] = list_words([quote(verb) for verb in verbs], "or")
    # Lines of sections, and what depends on them.
    values |= _Samples(dialect).read()
    place = "in a thought" if "thought" in values else ""
    if "error_line" in values:
        place = "as an error"
    stuck = "If a file needs such a line, do not write the file but say so"
    values["if_stuck"] = f"{stuck} {place}".rstrip() + "."
    return values


def name_language(dialect: Dialect) -> str:
    """Return the name of a dialect in a prompt: without actions it is not Sym-Ops."""
    if dialect.marks["action"].startswith(UNSAID):
        return f"the format {dialect.name}"
    return f"Sym-Ops (dialect {dialect.name})"


class _Samples:
    """Lines of sections as a dialect writes them, by the names of their placeholders."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.number = 1 if "numbers" in dialect.forms else None
        self.values: dict[str, str] = {}

    def read(self) -> dict[str, str]:
        """Return the samples; those that the dialect cannot express are missing."""
        thought = Thought("Passwords must be hashed")
        self._add("thought_line", thought, "thought_line")
        self._add("vitals", self._vitals(), "vitals_line")
        self._add_actions()
        question = Question("Which database?", ("SQLite", "PostgreSQL"))
        self._add("question", question, "question_line", "first_choice")
        error = ErrorNote("MissingFile", _PATH, "it is not among the files shown")
        self._add("error", error, "error_line")
        self._add_custom()
        if "fences" in self.dialect.forms:
            self._add_fence()
        values = self.values
        if values.keys() & {"write", "remove", "run"}:
            values["act"] = ""
        values["choices"] = ""
        if "first_choice" in values:
            choice = values["first_choice"]
            values["choices"] = f"; choices on indented, numbered lines below: {choice}"
        return values

    def _add(
        self, flag: str, section: Section | None, *names: str, forms: RenderOptions = SHORTEST
    ) -> None:
        """Add the lines of a section, each by its name; an empty name leaves a line out."""
        lines = _lines(section, self.dialect, forms) if section is not None else None
        if lines is None:
            return
        self.values.setdefault(flag, "")
        for name, line in zip(names, lines, strict=False):
            if name:
                self.values[name] = quote(line)

    def _act(self, group: str, path: str, *needs: str) -> Action | None:
        """Return an action with the first verb of a group; None if the dialect has none."""
        verbs = self.dialect.verbs.get(group)
        return Action(verbs[0], path, None, needs, number=self.number) if verbs else None

    def _vitals(self) -> Vitals:
        marks = self.dialect.said_marks
        pairs = list(self.dialect.own.get("vitals", ()))
        values = [pair for pair in _VITALS.values_by_name if "vital" in marks or pair[0] in marks]
        return Vitals((*values, *((name, 0.5) for name in pairs)))

    def _add_actions(self) -> None:
        self._add("write", self._act("writing", _PATH), "write_line", "write_path")
        # Two dependencies, so that the prompt shows how they are separated.
        test = self._act("writing", "tests/test_auth.py", _PATH, _OTHER_PATH)
        self._add("needs", test, "needs_line")
        self._add("remove", self._act("removing", "src/old.py"), "remove_line", "remove_path")
        self._add("run", self._act("running", "pytest -q"), "run_line", "run_path")
        if "attributes" not in self.dialect.forms:
            return
        # The lines after the first one.
        self._add("run_needs", self._act("running", "pytest -q", _PATH), "", "run_needs_line")
        # The same action with its attributes on separate lines.
        forms = replace(forms_for(self.dialect), attributes=True)
        names = ("apart_line", "apart_path", "apart_deps")
        self._add("apart", self._act("writing", _PATH, _OTHER_PATH), *names, forms=forms)
        writing = self._act("writing", _PATH)
        if writing is not None:
            noted = replace(writing, attributes=(("reason", "hashing moves here"),))
            self._add("extra", noted, "", "extra_line")

    def _add_custom(self) -> None:
        """Add the list of the custom sections and verbs, each with its lines."""
        dialect = self.dialect
        samples: list[tuple[str, str, Section]] = []
        samples += [("section", item.name, item) for item in sample_sections(dialect)]
        samples += [("verb", item.type, item) for item in sample_actions(dialect, self.number)]
        rows = []
        for kind, name, sample in samples:
            lines = _lines(sample, dialect, SHORTEST)
            if lines:
                listed = ", then ".join(map(quote, lines))
                rows.append(f"- The {kind} {quote(name)}: {listed}")
        if rows:
            self.values["own"] = "\n".join(rows)

    def _add_fence(self) -> None:
        """Add a block whose text has delimiters."""
        marks = self.dialect.marks
        text = f"A block is written so:\n\n{marks['open']}\nits text\n{marks['close']}"
        action = self._act("writing", "docs/blocks.md") or Action("x", "x")
        reply = render(Document((replace(action, content=text),)), self.dialect)
        self.values["fence_example"] = enclose("reply", reply).rstrip("\n")


def _lines(section: Section, dialect: Dialect, forms: RenderOptions) -> list[str] | None:
    """Return the lines of a section; None if the dialect cannot express it."""
    try:
        return render(Document((section,)), dialect, forms).removesuffix("\n").split("\n")
    except RenderError:
        return None
