"""Documents to be damaged, and the canonical text of each.

No module of the package that writes or reads a format takes part in it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ....core.document import VITAL_NAMES, ErrorNote, Question, Thought, Vitals
from . import phrases
from .contents import Content, hard_contents, real_contents
from .marks import Dialect, find, lengthen

COMMAND_VERBS = frozenset({"run", "test"})
_LETTERS = {name: letter for letter, name in VITAL_NAMES.items()}

Role = (
    Literal["thought", "vitals", "head", "open", "body", "close", "question", "choice", "error"]
    | Literal["blank", "prose", "frame"]  # lines of no section
)


@dataclass(frozen=True)
class Style:
    """The optional forms that a writer uses for an action, if the dialect has them.

    Attributes:
        numbers: Actions have numbers.
        end_marks: Contents end with the long end mark.
        long_fences: Fences are longer than necessary.
        dependencies_on_lines: Dependencies have a line.
        paths_on_lines: The path has a line, too; it has none if the dependencies have none.
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
    """What a writer wants to say.

    Attributes:
        sections: The sections in order.
        spaced: Whether there are blank lines between sections.
        final_newline: Whether the text ends with a line feed.
    """

    sections: tuple[Section, ...]
    spaced: bool = True
    final_newline: bool = True

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions in order."""
        return tuple(section for section in self.sections if isinstance(section, Action))


@dataclass
class Head:
    """The pieces of an action line in their order, so that a mistake can change one of them.

    `before` is in front of all others, `number` in front of the verb, and `after` at the end.
    """

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
    after: str = ""
    number: str = ""

    @property
    def split(self) -> bool:
        """Whether the head takes several lines."""
        return "\n" in self.before_at or ("\n" in self.before_arrow and bool(self.dependencies))

    def __str__(self) -> str:
        text = self.before + self.mark + self.after_mark + self.number + self.verb
        text += self.before_at + self.at + self.after_at + self.path
        if self.dependencies:
            text += self.before_arrow + self.arrow + self.after_arrow + ", ".join(self.dependencies)
        return text + self.after


@dataclass
class Line:
    """One line of a reply, or a part of a line.

    Attributes:
        role: What the line is for.
        text: Its text, unless it is a head.
        action: The number of its action, from 0.
        head: The pieces of a head.
        indent: The blanks before the text.
        end: The end of the line; empty if another part of the same line follows.
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
        return replace(self, head=self.head and replace(self.head))


def layout(document: Document, dialect: str | Dialect) -> list[Line]:
    """Return the canonical lines of a document."""
    dialect = find(dialect)
    lines = []
    index = 0
    above: Section | None = None
    for section in document.sections:
        # Lines of thought follow each other without a blank line.
        is_continued = isinstance(section, Thought) and isinstance(above, Thought)
        if above is not None and document.spaced and not is_continued:
            lines.append(Line("blank"))
        lines.extend(_section(section, dialect, index))
        index += isinstance(section, Action)
        above = section
    return lines


def _section(section: Section, dialect: Dialect, index: int) -> Iterator[Line]:
    marks = dialect.marks
    match section:
        case Thought(text):
            yield Line("thought", marks.thought + ("\n" if dialect.lines else " ") + text)
        case Vitals():
            # A dialect has either a tag for each vital, or one mark with a letter after it.
            tags = dict(marks.tags)
            words = []
            for name, value in section.items():
                letter = _LETTERS.get(name)
                if letter is not None:
                    start = f"{tags[letter]} " if tags else marks.vital + letter
                    words.append(f"{start}{value:.2f}")
            yield Line("vitals", ("\n" if tags else " ").join(words))
        case Question(text, choices):
            yield Line("question", f'{marks.question} "{text}"')
            for number, choice in enumerate(choices, 1):
                yield Line("choice", f"  {number}. {choice}")
        case ErrorNote(type=kind, target=target):
            text = f"{marks.error} {kind}"
            if target:
                text += f" {'@' if dialect.lines else marks.at} {target}"
            yield Line("error", text)
        case Action(content=content):
            yield Line("head", action=index, head=_head(section, dialect, index))
            if content is not None:
                opener, closer = _delimiters(section, dialect)
                yield Line("open", opener, index)
                yield from write_body(content, index, dialect)
                yield Line("close", closer, index)


def write_body(content: str, index: int, dialect: Dialect) -> list[Line]:
    """Return the lines of a content, without its delimiters.

    Args:
        content: The content.
        index: The number of its action, from 0.
        dialect: The dialect or format.
    """
    foreign = dialect.foreign
    if foreign is None:
        rows = content.split("\n") if content else []
        return [Line("body", row, index) for row in rows]
    lines = []
    for row in foreign.escape(content):
        # An empty line is not indented.
        indent = foreign.indent if row else ""
        lines.append(Line("body", row, index, indent=indent, end=foreign.joint))
    return lines


def _head(action: Action, dialect: Dialect, index: int) -> Head:
    marks = dialect.marks
    gap = "\n" if dialect.lines else " "
    target = (gap, marks.at, marks.after_at)
    arrow = (gap, marks.arrow, marks.after_arrow)
    # Attributes name a path and dependencies by a key. Commands have neither.
    has_attributes = "attributes" in dialect.forms and action.type not in COMMAND_VERBS
    if has_attributes and action.style.dependencies_on_lines:
        arrow = ("\n  ", marks.at + marks.depends_key, " ")
        if action.style.paths_on_lines:
            target = ("\n  ", marks.at + marks.path_key, " ")
    head = Head(
        marks.action,
        marks.after_action,
        action.type,
        *target,
        action.path,
        *arrow,
        action.dependencies,
    )
    if "numbers" in dialect.forms and action.style.numbers:
        head.number = f"{index + 1} "
    return head


def _delimiters(action: Action, dialect: Dialect) -> tuple[str, str]:
    marks = dialect.marks
    style = action.style
    # A content that no fence can hold is written with the usual one.
    length = dialect.fence(action.content or "") or 0
    if "fences" in dialect.forms and style.long_fences:
        length = max(length, 1)
    closer = lengthen(marks.close, length)
    # There is no long end mark for a longer fence.
    if "end_marks" in dialect.forms and style.end_marks and not length:
        closer = marks.end_close or closer
    return lengthen(marks.open, length), closer


def write(document: Document, dialect: str | Dialect) -> str:
    """Return the canonical text of a document."""
    text = "\n".join(map(str, layout(document, dialect)))
    return text + "\n" if document.final_newline else text


def draw_documents(
    n: int, seed: int | str, dialect: str | Dialect, hard: float = 0.4
) -> Iterator[Document]:
    """Yield random documents.

    Args:
        n: The number of documents.
        seed: The seed; other seeds give other documents.
        dialect: The dialect. Dialects with the same root get the same documents.
        hard: The share of contents that are full of markup, from 0 to 1.
    """
    root = find(dialect).root
    for index in range(n):
        yield document(random.Random(f"{seed}/{root}/{index}/{hard}"), dialect, hard)


def document(
    rng: random.Random, dialect: str | Dialect, hard: float = 0.4, actions: int | None = None
) -> Document:
    """Return a random document.

    Args:
        rng: The random numbers. The order of the draws is fixed: another order would give other
            documents for the same seed.
        dialect: The dialect, which must be able to carry each content.
        hard: The share of contents that are full of markup, from 0 to 1.
        actions: The number of actions; from 1 to 8 by default.
    """
    fence = find(dialect).fence
    pools: list[list[Content]] = []
    for contents in (real_contents(), hard_contents()):
        pool = [content for content in contents if fence(content.text) is not None]
        rng.shuffle(pool)
        pools.append(pool)
    count = actions or rng.choices(range(1, 9), (2, 4, 4, 3, 2, 1, 1, 1))[0]
    used: list[str] = []
    # The first one writes a file, so that each document has a content.
    drawn = [_action(rng, pools, hard, used, must_write=number == 0) for number in range(count)]
    rng.shuffle(drawn)
    thought_count = rng.choice((0, 1, 1, 2, 3))
    sections: list[Section] = [
        Thought(text) for text in rng.sample(phrases.THOUGHTS, thought_count)
    ]
    if rng.random() < 0.8:
        sections.append(_vitals(rng))
    for action in drawn:
        if sections and rng.random() < 0.15:
            sections.append(Thought(rng.choice(phrases.THOUGHTS)))
        sections.append(action)
    sections.extend(_ending(rng))
    is_spaced = rng.random() < 0.85
    has_final_newline = rng.random() < 0.8
    return Document(tuple(_with_styles(sections, rng)), is_spaced, has_final_newline)


def _with_styles(sections: list[Section], rng: random.Random) -> Iterator[Section]:
    """Yield the sections with the style of each action.

    Styles are drawn last, so that forms that were added later do not change older documents.
    """
    # A writer either numbers all actions or none.
    has_numbers = rng.randrange(10) < 6
    for section in sections:
        if isinstance(section, Action):
            # One number of four digits, of which each decides on one form.
            paths, dependencies, fences, end_marks = map(int, f"{rng.randrange(10**4):04}")
            style = Style(has_numbers, end_marks < 5, fences < 2, dependencies < 5, paths < 5)
            section = replace(section, style=style)
        yield section


def _action(
    rng: random.Random, pools: list[list[Content]], hard: float, used: list[str], must_write: bool
) -> Action:
    verbs = ("create", "edit", "delete", "run", "test")
    verb = rng.choices(verbs, (55, 20, 7, 10, 8))[0]
    if must_write and verb not in {"create", "edit"}:
        verb = "create"
    if verb in COMMAND_VERBS:
        return Action(verb, rng.choice(phrases.COMMANDS[verb]))
    content = pools[rng.random() < hard].pop()
    path = content.path
    # Two contents may have the same path.
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
    letters = "cmfs"
    # Some writers give a few vitals only, in any order.
    if rng.random() >= 0.6:
        letters = "".join(rng.sample(letters, rng.choice((1, 2, 3))))
    pairs = [(VITAL_NAMES[letter], round(rng.uniform(0.3, 1.0), 2)) for letter in letters]
    return Vitals(tuple(pairs))


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
