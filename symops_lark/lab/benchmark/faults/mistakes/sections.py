"""Mistakes in thoughts, vitals, questions: none of them may cost an action."""

from __future__ import annotations

import random
from collections.abc import Sequence

from .....core.document import VITAL_NAMES
from ..documents import Line
from .draft import Draft, headish
from .registry import Mistake, in_reply, mistake
from .tags import misspell_tag


def _values(draft: Draft, line: Line) -> list[tuple[str, float]]:
    if draft.tagged:
        letters = {tag: letter for letter, tag in draft.marks.tags}
        rows = [row.rsplit(" ", 1) for row in line.text.split("\n")]
        return [(letters[tag], float(value)) for tag, value in rows]
    return [(word[0], float(word[1:])) for word in line.text.replace(draft.marks.vital, " ").split()]


def _rewrite(
    draft: Draft, rng: random.Random, forms: Sequence[str], joints: Sequence[str], names: Sequence[str]
) -> None:
    """Spell vitals by a form with {mark}, {name} and {value}; two or more values are joined."""
    lines = draft.all("vitals")
    if not lines or not draft.claim("vitals"):
        return
    form, joint, kind = rng.choice(forms), rng.choice(joints), rng.choice(names)
    letters = dict(draft.marks.tags)
    for line in lines:
        parts = []
        for letter, value in _values(draft, line):
            word = VITAL_NAMES[letter]
            name = {"letter": letters.get(letter, letter), "word": word, "Word": word.title()}[kind]
            parts.append(form.format(mark=draft.marks.vital, name=name, value=value, percent=round(value * 100)))
        line.text = joint.join(parts)


def _vitals(
    summary: str, forms: Sequence[str], joints: Sequence[str], names: Sequence[str], tagged: bool = True
) -> Mistake:
    """Return a mistake that spells vitals so, unless they have tags and the mistake is not of `tagged` ones."""

    def apply(draft: Draft, rng: random.Random) -> None:
        if tagged or not draft.tagged:
            _rewrite(draft, rng, forms, joints, names)

    return Mistake(summary, apply)


vitals_in_words = _vitals(
    'Vitals are written out: "confidence: 0.88, mood: 0.85".',
    ["{name}: {value}", "{name}: {value}", "{name} = {value}", "{name} {value}", "**{name}:** {value}"],
    [", ", " ", " | ", "\n", "; "],
    ["word", "Word"],
)
vitals_in_words_with_marks = _vitals(
    "Vitals keep their marks and are named in full.",
    ["{mark}{name}{value}", "{mark}{name} {value}", "{mark}{name}: {value}", "{mark}{name}={value}"],
    [" ", ", ", "\n"],
    ["word"],
    tagged=False,
)


@mistake()
def vitals_in_percent(draft: Draft, rng: random.Random) -> None:
    """Vitals are given in percent."""
    if rng.random() < 0.5:
        _rewrite(draft, rng, ["{mark}{name}{percent}%", "{mark}{name} {percent}%"], [" ", ", "], ["letter"])
    else:
        _rewrite(draft, rng, ["{name}: {percent}%", "{name} {percent} %"], [", ", " ", "\n"], ["word", "Word"])


_SPACED = ("{}{} {}", "{} {}{}", "{} {} {}", "{}{}: {}", "{}{}:{}", "{}{}={}")
vitals_spaced = _vitals(
    "Vitals have blanks, colons or equals signs inside.",
    [form.format("{mark}", "{name}", "{value}") for form in _SPACED],
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
    "Vitals stand on one line each, as a list or indented.",
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
def vitals_with_one_mark(draft: Draft, rng: random.Random) -> None:
    """Only the first of several vitals has its mark."""
    lines = [] if draft.tagged else [line for line in draft.all("vitals") if len(_values(draft, line)) > 1]
    for line in lines:
        line.text = draft.marks.vital + " ".join(f"{name}{value:.2f}" for name, value in _values(draft, line))


@in_reply("vitals")
def vitals_in_heading(draft: Draft, rng: random.Random) -> None:
    """Vitals are labelled or decorated."""
    form = rng.choice(("Vitals: {}", "**{}**", "`{}`", "[{}]", "({})", "- {}", "> {}", "Duck Vitals: {}"))
    for line in draft.all("vitals"):
        line.text = "\n".join(map(form.format, line.text.split("\n")))


def _thoughts(draft: Draft) -> list[Line]:
    lines = [line for line in draft.all("thought") if not line.text.startswith("\ufeff")]
    return lines if lines and draft.claim("thoughts") else []


@mistake()
def thought_wraps(draft: Draft, rng: random.Random) -> None:
    """A thought goes on over lines without a mark."""
    lines = _thoughts(draft)
    indent = rng.choice(("", "", "  ", "   "))
    for line in lines:
        words = line.text.split(" ")
        cut = rng.randint(3, len(words) - 2) if len(words) >= 6 else len(words)
        rest = " ".join(words[cut:])
        if rest and not headish(rest) and not rest.startswith((">", "-", "'")):
            line.text = " ".join(words[:cut]) + "\n" + indent + rest
            if rng.random() < 0.3:
                line.text += "\n" + indent + "and that is all that has to be done here."


@mistake()
def thought_mark_missing(draft: Draft, rng: random.Random) -> None:
    """Thoughts have no mark: they are prose between the sections."""
    mark = draft.marks.thought + ("\n" if draft.tagged else " ")
    for line in _thoughts(draft):
        bare = line.text.removeprefix(mark)
        line.text = line.text if headish(bare) else bare


@mistake()
def thought_mark_changed(draft: Draft, rng: random.Random) -> None:
    """Thoughts carry a doubled, shortened or spaced mark, or are indented or decorated."""
    lines = _thoughts(draft)
    mark = draft.marks.thought
    spread, longer = " ".join(mark), mark + mark[-1]
    further: tuple[str, ...] = (mark + ":", f"{mark} {mark}")
    if draft.tagged:
        further = tuple(misspell_tag(mark))
    elif draft.paired:
        further = (mark[:-1], spread, longer, mark + ":")
    spelling = rng.choice((mark * 2, "  " + mark, "- " + mark, *further))
    if spelling in {"", mark, draft.marks.at, draft.marks.arrow}:
        return
    for line in lines:
        line.text = spelling + line.text.removeprefix(mark)


@mistake()
def question_wraps(draft: Draft, rng: random.Random) -> None:
    """Choices of a question are not indented, or are bullets."""
    form = rng.choice(("{}", "  - {}", "\t{}", "- {}"))
    for line in draft.all("choice"):
        line.text = form.format(line.text.strip().split(". ", 1)[1] if "-" in form else line.text.strip())
