"""Documents to be damaged, and the canonical text of each.

The encoder is our own reading of the formats: nothing of the package takes part in it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from ....core.document import VITAL_NAMES, ErrorNote, Question, Thought, Vitals
from ....core.ground.resources import find_folder
from . import phrases
from .marks import DIALECTS, MARKS, Dialect, Marks, find, lengthen

__all__ = ["DIALECTS", "MARKS", "VITAL_NAMES", "Dialect", "Marks", "Question", "Thought", "Vitals"]
COMMAND_VERBS = frozenset({"run", "test"})
_LETTERS = {name: letter for letter, name in VITAL_NAMES.items()}

Role = Literal[
    "thought", "vitals", "head", "open", "body", "close", "question", "choice", "error", "blank", "prose", "frame"
]


@dataclass(frozen=True)
class Style:
    """Which of a dialect's further forms a writer uses for an action, where the dialect has them.

    `paths_on_lines` goes with `dependencies_on_lines`: a path alone has no line of its own.
    """

    numbers: bool = True
    end_marks: bool = True
    long_fences: bool = True
    dependencies_on_lines: bool = True
    paths_on_lines: bool = True


@dataclass(frozen=True)
class Action:
    """One action; `content` is None without a block and "" for an empty one."""

    type: str
    path: str
    content: str | None = None
    dependencies: tuple[str, ...] = ()
    style: Style = Style()


Section = Thought | Vitals | Action | Question | ErrorNote


@dataclass(frozen=True)
class Document:
    """What a writer meant, and how airy the canonical text is."""

    sections: tuple[Section, ...]
    spaced: bool = True
    final_newline: bool = True

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions in order."""
        return tuple(section for section in self.sections if isinstance(section, Action))


@dataclass
class Head:
    """The pieces of an action line, so that a mistake can respell one of them."""

    mark: str = ""
    after_mark: str = ""
    verb: str = ""
    before_at: str = ""
    at: str = ""
    after_at: str = ""
    path: str = ""
    before_arrow: str = ""
    arrow: str = ""
    after_arrow: str = ""
    dependencies: tuple[str, ...] = ()
    before: str = ""
    behind: str = ""
    number: str = ""

    @property
    def split(self) -> bool:
        """Whether a part of it has a line of its own."""
        return "\n" in self.before_at or ("\n" in self.before_arrow and bool(self.dependencies))

    def __str__(self) -> str:
        text = self.before + self.mark + self.after_mark + self.number + self.verb
        text += self.before_at + self.at + self.after_at + self.path
        if self.dependencies:
            text += self.before_arrow + self.arrow + self.after_arrow + ", ".join(self.dependencies)
        return text + self.behind


@dataclass
class Line:
    """One line of a reply: its role, its text (or the pieces of a head), and the action it belongs to.

    Where a format has several parts on one line, `end` is empty for all but the last of them.
    """

    role: Role
    text: str = ""
    action: int | None = None
    head: Head | None = None
    indent: str = ""
    end: str = "\n"

    def __str__(self) -> str:
        text = str(self.head) if self.head else self.text
        # Some heads are several lines.
        return self.indent + text.replace("\n", f"\n{self.indent}")

    def copy(self) -> Line:
        """Return an independent copy."""
        head = self.head
        return Line(self.role, self.text, self.action, Head(**vars(head)) if head else None, self.indent, self.end)


def layout(document: Document, dialect: str | Dialect) -> list[Line]:
    """Return the canonical lines of a document."""
    dialect = find(dialect)
    lines: list[Line] = []
    index = 0
    for before, section in zip((None, *document.sections), document.sections, strict=False):
        together = isinstance(section, Thought) and isinstance(before, Thought)
        if before is not None and document.spaced and not together:
            lines.append(Line("blank"))
        lines.extend(_section(section, dialect, index))
        index += isinstance(section, Action)
    return lines


def _section(section: Section, dialect: Dialect, index: int) -> Iterator[Line]:
    marks = dialect.marks
    match section:
        case Thought(text):
            yield Line("thought", marks.thought + ("\n" if dialect.lines else " ") + text)
        case Vitals():
            tags, values = dict(marks.tags), [(_LETTERS[name], v) for name, v in section.items() if name in _LETTERS]
            words = [f"{tags[k]} {v:.2f}" if tags else f"{marks.vital}{k}{v:.2f}" for k, v in values]
            yield Line("vitals", ("\n" if tags else " ").join(words))
        case Question(text, choices):
            yield Line("question", f'{marks.question} "{text}"')
            for number, choice in enumerate(choices, 1):
                yield Line("choice", f"  {number}. {choice}")
        case ErrorNote(type=kind, target=target):
            at = "@" if dialect.lines else marks.at
            yield Line("error", f"{marks.error} {kind}" + (f" {at} {target}" if target else ""))
        case Action(content=content):
            yield Line("head", action=index, head=_head(section, dialect, index))
            if content is not None:
                opener, closer = _delimiters(section, dialect)
                yield Line("open", opener, index)
                yield from write_body(content, index, dialect)
                yield Line("close", closer, index)


def write_body(content: str, index: int, dialect: Dialect) -> list[Line]:
    """Return the lines of a content, without its delimiters."""
    if (foreign := dialect.foreign) is None:
        return [Line("body", text, index) for text in (content.split("\n") if content else ())]
    return [
        Line("body", text, index, indent=foreign.indent if text else "", end=foreign.joint)
        for text in foreign.escape(content)
    ]


def _head(action: Action, dialect: Dialect, index: int) -> Head:
    marks, forms, style = dialect.marks, dialect.forms, action.style
    gap = "\n" if dialect.lines else " "
    target = (gap, marks.at, marks.after_at, action.path)
    arrow = (gap, marks.arrow, marks.after_arrow)
    if "attributes" in forms and style.dependencies_on_lines and action.type not in COMMAND_VERBS:
        arrow = ("\n  ", marks.at + marks.depends_key, " ")
        if style.paths_on_lines:
            target = ("\n  ", marks.at + marks.path_key, " ", action.path)
    number = f"{index + 1} " if "numbers" in forms and style.numbers else ""
    start = (marks.action, marks.after_action, action.type)
    return Head(*start, *target, *arrow, action.dependencies, number=number)


def _delimiters(action: Action, dialect: Dialect) -> tuple[str, str]:
    marks, forms, style = dialect.marks, dialect.forms, action.style
    more = dialect.fence(action.content or "") or 0
    if "fences" in forms and style.long_fences:
        more = max(more, 1)
    closer = marks.end_close if "end_marks" in forms and style.end_marks and not more else ""
    return lengthen(marks.open, more), closer or lengthen(marks.close, more)


def write(document: Document, dialect: str | Dialect) -> str:
    """Return the canonical text of a document."""
    text = "\n".join(map(str, layout(document, dialect)))
    return text + "\n" if document.final_newline else text


@dataclass(frozen=True)
class Content:
    """A file content with a plausible path."""

    path: str
    text: str


@cache
def real_contents() -> tuple[Content, ...]:
    """Return the contents that come from real replies."""
    rows = (find_folder("benchmarks") / "contents" / "real.jsonl").read_text(encoding="utf-8").split("\n")
    items = [json.loads(row) for row in rows if row]
    return tuple(Content(item["path"], item["content"]) for item in items)


@cache
def hard_contents() -> tuple[Content, ...]:
    """Return the handwritten contents that are full of markup."""
    with (find_folder("benchmarks") / "contents" / "hard.txt").open(encoding="utf-8", newline="") as file:
        parts = file.read().split("\n%%%%%%%% ")[1:]
    found = (part.removesuffix("\n%%%%%%%%\n").partition("\n") for part in parts)
    return tuple(Content(title.split(" | ")[0], text) for title, _, text in found)


def draw_documents(n: int, seed: int | str, dialect: str | Dialect, hard: float = 0.4) -> Iterator[Document]:
    """Yield n documents; `hard` is the share of contents that are full of markup."""
    root = find(dialect).root
    for index in range(n):
        yield document(random.Random(f"{seed}/{root}/{index}/{hard}"), dialect, hard)


def document(rng: random.Random, dialect: str | Dialect, hard: float = 0.4, actions: int | None = None) -> Document:
    """Return a document that is made up, of 1 to 8 actions or of exactly so many."""
    fence = find(dialect).fence
    pools = [[c for c in pool if fence(c.text) is not None] for pool in (real_contents(), hard_contents())]
    for pool in pools:
        rng.shuffle(pool)
    count = actions or rng.choices(range(1, 9), (2, 4, 4, 3, 2, 1, 1, 1))[0]
    used: list[str] = []
    made = [_action(rng, pools, hard, used, must=number == 0) for number in range(count)]
    rng.shuffle(made)
    sections: list[Section] = [Thought(text) for text in rng.sample(phrases.THOUGHTS, rng.choice((0, 1, 1, 2, 3)))]
    if rng.random() < 0.8:
        sections.append(_vitals(rng))
    for action in made:
        if sections and rng.random() < 0.15:
            sections.append(Thought(rng.choice(phrases.THOUGHTS)))
        sections.append(action)
    sections.extend(_ending(rng))
    spaced, final_newline = rng.random() < 0.85, rng.random() < 0.8
    return Document(tuple(_with_styles(sections, rng)), spaced, final_newline)


def _with_styles(sections: list[Section], rng: random.Random) -> Iterator[Section]:
    """Yield the sections with what the writer likes, drawn behind everything else, the numbers once for all.

    Each action has one number of four digits, of which each decides on one form.
    """
    numbers = rng.randrange(10) < 6
    for section in sections:
        if isinstance(section, Action):
            paths, dependencies, fences, end_marks = map(int, f"{rng.randrange(10**4):04}")
            section = replace(section, style=Style(numbers, end_marks < 5, fences < 2, dependencies < 5, paths < 5))
        yield section


def _action(rng: random.Random, pools: list[list[Content]], hard: float, used: list[str], must: bool) -> Action:
    verb = rng.choices(("create", "edit", "delete", "run", "test"), (55, 20, 7, 10, 8))[0]
    if must and verb not in {"create", "edit"}:
        verb = "create"
    if verb in COMMAND_VERBS:
        return Action(verb, rng.choice(phrases.COMMANDS[verb]))
    content = pools[rng.random() < hard].pop()
    path = content.path
    while path in used:
        path = "more/" + path
    if verb == "delete":
        path = rng.choice([name for name in phrases.OLD_PATHS if name not in used] or [path])
    dependencies: tuple[str, ...] = ()
    if verb != "delete" and rng.random() < 0.3:
        choices = [name for name in [*used, *phrases.BASE_PATHS] if name != path]
        dependencies = tuple(rng.sample(choices, rng.choice((1, 1, 1, 2))))
    used.append(path)
    return Action(verb, path, None if verb == "delete" else content.text, dependencies)


def _vitals(rng: random.Random) -> Vitals:
    letters = "cmfs" if rng.random() < 0.6 else "".join(rng.sample("cmfs", rng.choice((1, 2, 3))))
    return Vitals(tuple((VITAL_NAMES[letter], round(rng.uniform(0.3, 1.0), 2)) for letter in letters))


def _ending(rng: random.Random) -> Iterator[Section]:
    if rng.random() < 0.25:
        yield Thought(rng.choice(phrases.LAST_THOUGHTS))
    if rng.random() < 0.12:
        text, choices = rng.choice(phrases.QUESTIONS)
        yield Question(text, choices)
    if rng.random() < 0.1:
        yield ErrorNote(*rng.choice(phrases.ERRORS))
    if rng.random() < 0.2:
        yield _vitals(rng)
