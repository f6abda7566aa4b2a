"""Mistakes in thoughts, vitals, questions: none of them may cost an action."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from .....core.document import VITAL_NAMES
from ..documents import Line
from .draft import Draft, headish
from .registry import Mistake, in_reply, mistake
from .tags import misspell_tag


def _values(draft: Draft, line: Line) -> list[tuple[str, float]]:
    """Return the letters of the vitals on a line, each with its value."""
    if draft.tagged:
        letters = {tag: letter for letter, tag in draft.marks.tags}
        rows = [row.rsplit(" ", 1) for row in line.text.split("\n")]
        return [(letters[tag], float(value)) for tag, value in rows]
    words = line.text.replace(draft.marks.vital, " ").split()
    return [(word[0], float(word[1:])) for word in words]


def _name(draft: Draft, letter: str, kind: str) -> str:
    """Return the name of one of the vitals, of the kind "letter", "word" or "Word"."""
    if kind == "letter":
        # Dialects with tags have no letters.
        return dict(draft.marks.tags).get(letter, letter)
    word = VITAL_NAMES[letter]
    return word if kind == "word" else word.title()


def _rewrite(
    draft: Draft, rng: Random, forms: Sequence[str], joints: Sequence[str], names: Sequence[str]
) -> None:
    """Spell vitals by a form with {mark}, {name} and {value}; two or more values are joined."""
    lines = draft.all("vitals")
    if not lines or not draft.claim("vitals"):
        return
    form = rng.choice(forms)
    joint = rng.choice(joints)
    kind = rng.choice(names)
    for line in lines:
        parts: list[str] = []
        for letter, value in _values(draft, line):
            values = {"value": value, "percent": round(value * 100)}
            name = _name(draft, letter, kind)
            parts.append(form.format(mark=draft.marks.vital, name=name, **values))
        line.text = joint.join(parts)


def _vitals(
    summary: str,
    forms: Sequence[str],
    joints: Sequence[str],
    names: Sequence[str],
    tagged: bool = True,
) -> Mistake:
    """Return a mistake that writes vitals in a form, with tags only if it is `tagged`."""

    def apply(draft: Draft, rng: Random) -> None:
        if tagged or not draft.tagged:
            _rewrite(draft, rng, forms, joints, names)

    return Mistake(summary, apply)


vitals_in_words = _vitals(
    'Vitals are written out: "confidence: 0.88, mood: 0.85".',
    [
        "{name}: {value}",
        "{name}: {value}",
        "{name} = {value}",
        "{name} {value}",
        "**{name}:** {value}",
    ],
    [", ", " ", " | ", "\n", "; "],
    ["word", "Word"],
)
# The mark of a tag is its name, so a tag cannot keep the one and spell out the other.
vitals_in_words_with_marks = _vitals(
    "Vitals keep their marks and are named in full.",
    [
        "{mark}{name}{value}",
        "{mark}{name} {value}",
        "{mark}{name}: {value}",
        "{mark}{name}={value}",
    ],
    [" ", ", ", "\n"],
    ["word"],
    tagged=False,
)


@mistake()
def vitals_in_percent(draft: Draft, rng: Random) -> None:
    """Vitals are given in percent."""
    if rng.random() < 0.5:
        forms, joints = ["{mark}{name}{percent}%", "{mark}{name} {percent}%"], [" ", ", "]
        names = ["letter"]
    else:
        forms, joints = ["{name}: {percent}%", "{name} {percent} %"], [", ", " ", "\n"]
        names = ["word", "Word"]
    _rewrite(draft, rng, forms, joints, names)


vitals_spaced = _vitals(
    "Vitals have blanks, colons or equals signs inside.",
    [
        "{mark}{name} {value}",
        "{mark} {name}{value}",
        "{mark} {name} {value}",
        "{mark}{name}: {value}",
        "{mark}{name}:{value}",
        "{mark}{name}={value}",
    ],
    [" ", "  ", " "],
    ["letter"],
)
vitals_joined = _vitals(
    "Vitals are joined by commas or bars, or by nothing at all.",
    ["{mark}{name}{value}"],
    [", ", ",", " | ", "", " / "],
    ["letter"],
)
vitals_on_several_lines = _vitals(
    "Vitals have one line each, as a list or indented.",
    ["- {mark}{name}{value}", "  {mark}{name}{value}", "* {name}: {value}", "- {name} {value}"],
    ["\n"],
    ["letter", "word"],
)
vitals_without_marks = _vitals(
    "The marks of vitals are missing.",
    ["{name}{value}", "{name}:{value}", "{name}={value}"],
    [" ", ", "],
    ["letter"],
    tagged=False,
)


@in_reply("vitals")
def vitals_with_one_mark(draft: Draft, rng: Random) -> None:
    """Only the first of several vitals has its mark."""
    if draft.tagged:
        return
    for line in draft.all("vitals"):
        values = _values(draft, line)
        # One alone has its mark anyway.
        if len(values) > 1:
            words = [f"{name}{value:.2f}" for name, value in values]
            line.text = draft.marks.vital + " ".join(words)


@in_reply("vitals")
def vitals_in_heading(draft: Draft, rng: Random) -> None:
    """Vitals are labelled or decorated."""
    form = rng.choice(
        ("Vitals: {}", "**{}**", "`{}`", "[{}]", "({})", "- {}", "> {}", "Duck Vitals: {}")
    )
    for line in draft.all("vitals"):
        # Each tag has a line, and Markdown decorates lines.
        rows = map(form.format, line.text.split("\n"))
        line.text = "\n".join(rows)


def _thoughts(draft: Draft) -> list[Line]:
    """Claim the thoughts and return them; there are none if another mistake has changed them."""
    lines = [line for line in draft.all("thought") if not line.text.startswith("\ufeff")]
    return lines if lines and draft.claim("thoughts") else []


@mistake()
def thought_wraps(draft: Draft, rng: Random) -> None:
    """A thought continues on lines without a mark."""
    lines = _thoughts(draft)
    indent = rng.choice(("", "", "  ", "   "))
    for line in lines:
        words = line.text.split(" ")
        # A short line is not wrapped.
        if len(words) < 6:
            continue
        cut = rng.randint(3, len(words) - 2)
        end = " ".join(words[cut:])
        # The second line must not look like a section, nor like a rule or a quote.
        if headish(end) or end.startswith((">", "-", "'")):
            continue
        start = " ".join(words[:cut])
        line.text = start + "\n" + indent + end
        if rng.random() < 0.3:
            line.text += "\n" + indent + "and that is all that has to be done here."


@mistake()
def thought_mark_missing(draft: Draft, rng: Random) -> None:
    """Thoughts have no mark: they are prose between the sections."""
    mark = draft.marks.thought + ("\n" if draft.tagged else " ")
    for line in _thoughts(draft):
        bare = line.text.removeprefix(mark)
        # Without its mark, such a thought would be an action.
        if not headish(bare):
            line.text = bare


def _changed_marks(draft: Draft) -> list[str]:
    """Return wrong forms of the mark of a thought, which depend on the kind of dialect."""
    mark = draft.marks.thought
    if draft.tagged:
        return misspell_tag(mark)
    if draft.paired:
        return [mark[:-1], " ".join(mark), mark + mark[-1], mark + ":"]
    return [mark + ":", f"{mark} {mark}"]


@mistake()
def thought_mark_changed(draft: Draft, rng: Random) -> None:
    """Thoughts carry a doubled, shortened or spaced mark, or are indented or decorated."""
    lines = _thoughts(draft)
    mark = draft.marks.thought
    forms = [mark * 2, "  " + mark, "- " + mark]
    spelling = rng.choice(forms + _changed_marks(draft))
    # A shortened mark may be another mark of the dialect, or nothing.
    if spelling in {"", mark, draft.marks.at, draft.marks.arrow}:
        return
    for line in lines:
        line.text = spelling + line.text.removeprefix(mark)


@mistake()
def question_wraps(draft: Draft, rng: Random) -> None:
    """Choices of a question are not indented, or are bullets."""
    form = rng.choice(("{}", "  - {}", "\t{}", "- {}"))
    for line in draft.all("choice"):
        text = line.text.strip()
        # A bullet replaces the number.
        if "-" in form:
            text = text.partition(". ")[2]
        line.text = form.format(text)
