"""Templates: Markdown prose with placeholders for whatever a dialect spells, and lines that only some dialects need.

`{name}` stands for a mark or a sample line, in a code span. A line that begins with `{if a, not b}` is there only if
the dialect has `a` and not `b`: a mark, a form, or a sample that it can say. No template states a mark itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape
from pathlib import Path

from ...core.document import VITAL_NAMES, Action, Document, ErrorNote, Question, Section, Thought, Vitals
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
_VITALS = Vitals((("confidence", 0.85), ("mood", 0.8), ("focus", 0.9), ("stamina", 0.75)))
_PATHS = ("src/auth.py", "src/db.py")


def fill(dialect: Dialect, *, is_whole: bool = True) -> str:
    """Return the prose of a dialect's prompt, with every mark in its place.

    Args:
        dialect: The dialect.
        is_whole: Whether a content is always the whole text of a file.
    """
    name = "tags" if "lines" in dialect.forms else "marks"
    values = read_values(dialect)
    if is_whole:
        values["whole"] = ""
    return "\n".join(_fill((FOLDER / f"{name}.md").read_text(encoding="utf-8"), values))


def _fill(template: str, values: Mapping[str, str]) -> Iterator[str]:
    above = ""
    for line in template.rstrip("\n").split("\n"):
        condition = _CONDITION.match(line)
        if condition:
            terms = [term.strip() for term in condition[1].split(",")]
            if any((term.removeprefix("not ") in values) is term.startswith("not ") for term in terms):
                continue
            line = line[condition.end() :]
        filled = _PLACEHOLDER.sub(lambda match: values[match[1]], line).rstrip()
        if filled or above:
            yield filled
        above = filled


def quote(text: str) -> str:
    """Write a text as a code span, whatever backticks it has."""
    runs = [len(run) for run in re.findall("`+", text)]
    marks = "`" * (max(runs, default=0) + 1)
    return f"{marks} {text} {marks}" if runs else f"{marks}{text}{marks}"


def enclose(tag: str, text: str, **attributes: str) -> str:
    """Put a text between tags on lines of their own, with a number if the text has tags of that name."""
    number, name = 1, tag
    while f"<{name}" in text or f"</{name}" in text:
        number += 1
        name = f"{tag}_{number}"
    said = "".join(f' {key.replace("_", "-")}="{_attribute(value)}"' for key, value in attributes.items())
    end = "" if text.endswith("\n") or not text else "\n"
    return f"<{name}{said}>\n{text}{end}</{name}>\n"


def _attribute(value: str) -> str:
    return escape(value).translate({code: f"&#{code};" for code in (*range(32), 127)})


_FLAGS = (  # what is there only if the dialect has it, or if a sample can be said
    *("numbers", "attributes", "end_marks", "fences", "lines", "same"),
    *("vitals", "write", "needs", "remove", "run", "run_needs", "apart", "extra", "question", "error"),
    *("act", "own", "block"),
)


def read_values(dialect: Dialect) -> dict[str, str]:
    """Return the text of each placeholder that a dialect has; what it lacks is missing."""
    said = {name: mark for name, mark in dialect.marks.items() if UNSAID not in mark}
    values = {name: quote(mark) for name, mark in said.items() if name not in _FLAGS}  # a mark may be called so, too
    values |= dict.fromkeys(dialect.forms, "")
    values["dialect"] = dialect.name
    if dialect.marks["open"] == dialect.marks["close"]:
        values["same"] = ""
    values["depending"] = ""
    if "depends" in values:
        needs = "the files that it needs (only if there are any, separated by commas)"
        values["depending"] = f", {values['depends']} and {needs}"
    thoughts = "reasoning" if "lines" in dialect.forms else "thoughts"
    values["outside"] = f" Say it as {thoughts}." if "thought" in values else ""
    # Without actions, a dialect is a format of its own.
    values["language"] = name_language(dialect)
    if not dialect.marks["open"].startswith(UNSAID):
        values["block"] = ""
    delimiters = dict.fromkeys([dialect.marks["open"], *dialect.fences[dialect.marks["open"]]])
    values["lone"] = list_words([quote(mark) for mark in delimiters], "or")
    values["longest"] = str(FENCES[-1])
    keys = VITAL_NAMES | {word: name for name, word in dialect.own.get("vitals", {}).items()}
    values["vital_keys"] = ", ".join(f"{quote(key)} {name}" for key, name in keys.items())
    # The first one is in the line that is shown.
    tags = [values[name] for name in VITAL_NAMES.values() if name in values][1:]
    values["further_vitals"] = f"; the others are {list_words(tags, 'and')}" if tags else ""
    for group, verbs in dialect.verbs.items():
        values[group] = list_words([quote(verb) for verb in verbs], "or")
    values |= _samples(dialect)
    stuck = "If a file needs such a line, do not write the file but say so"
    place = " in a thought." if "thought" in values else "."
    values["if_stuck"] = stuck + (" as an error." if "error_line" in values else place)
    return values


def name_language(dialect: Dialect) -> str:
    """Return what a prompt calls a dialect: one without actions is not Sym-Ops."""
    if dialect.marks["action"].startswith(UNSAID):
        return f"the format {dialect.name}"
    return f"Sym-Ops (dialect {dialect.name})"


def _samples(dialect: Dialect) -> dict[str, str]:
    """Return lines of sections as the dialect writes them; what it cannot say is missing."""
    values: dict[str, str] = {}
    path, other = _PATHS
    number = 1 if "numbers" in dialect.forms else None
    verbs = {group: known[0] for group, known in dialect.verbs.items() if known}

    def show(flag: str, section: Section | None, *names: str, forms: RenderOptions = SHORTEST) -> None:
        lines = _lines(section, dialect, forms) if section is not None else None
        if lines is not None:
            values[flag] = values.get(flag, "")
            values.update((name, quote(line)) for name, line in zip(names, lines, strict=False) if name)

    def act(group: str, path: str, *needs: str) -> Action | None:
        return Action(verbs[group], path, None, needs, number=number) if group in verbs else None

    show("thought_line", Thought("Passwords must be hashed"), "thought_line")
    marks = dialect.said_marks
    named = [pair for pair in _VITALS.values_by_name if "vital" in marks or pair[0] in marks]
    vitals = Vitals((*named, *((name, 0.5) for name in dialect.own.get("vitals", ()))))
    show("vitals", vitals, "vitals_line")
    show("write", act("writing", path), "write_line", "write_path")
    show("needs", act("writing", "tests/test_auth.py", path, other), "needs_line")
    show("remove", act("removing", "src/old.py"), "remove_line", "remove_path")
    show("run", act("running", "pytest -q"), "run_line", "run_path")
    show("question", Question("Which database?", ("SQLite", "PostgreSQL")), "question_line", "first_choice")
    show("error", ErrorNote("MissingFile", path, "it is not among the files shown"), "error_line")
    own = [(section.name, _lines(section, dialect, SHORTEST)) for section in sample_sections(dialect)]
    own += [(action.type, _lines(action, dialect, SHORTEST)) for action in sample_actions(dialect, number)]
    said = [f"- {_title(name, dialect)}: " + ", then ".join(map(quote, lines)) for name, lines in own if lines]
    if said:
        values["own"] = "\n".join(said)
    if values.keys() & {"write", "remove", "run"}:
        values["act"] = ""
    if "attributes" in dialect.forms:
        show("run_needs", act("running", "pytest -q", path), "", "run_needs_line")
        forms = replace(forms_for(dialect), attributes=True)
        show("apart", act("writing", path, other), "apart_line", "apart_path", "apart_deps", forms=forms)
        writing = act("writing", path)
        noted = replace(writing, attributes=(("reason", "hashing moves here"),)) if writing else None
        show("extra", noted, "", "extra_line")
    if "fences" in dialect.forms:
        lone = f"A block is written so:\n\n{dialect.marks['open']}\nits text\n{dialect.marks['close']}"
        fenced = replace(act("writing", "docs/blocks.md") or Action("x", "x"), content=lone)
        values["fence_example"] = enclose("reply", render(Document((fenced,)), dialect)).rstrip("\n")
    first = values.get("first_choice")
    values["choices"] = f"; choices on indented, numbered lines below: {first}" if first else ""
    return values


def _title(name: str, dialect: Dialect) -> str:
    """Return what a section or verb of the dialect's own is called in a list."""
    return f"The {'section' if name in dialect.own_sections else 'verb'} {quote(name)}"


def _lines(section: Section, dialect: Dialect, forms: RenderOptions) -> list[str] | None:
    try:
        return render(Document((section,)), dialect, forms).removesuffix("\n").split("\n")
    except RenderError:
        return None
