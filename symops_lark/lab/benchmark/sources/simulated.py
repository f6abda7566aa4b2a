"""Replies made up by the fault model: a task's right document, with a writer's mistakes in it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import count, product

from ....core.document import Action, Document
from ....core.ground.errors import SymOpsError
from ....core.replies.messages import Finish, Message, ModelError, Reply
from ....models.correction.continuation import tail
from ....models.correction.messages import ask_to_go_on
from ....models.scripted import ScriptedModel
from ..faults.draws import Damaged, draw_kinds, draw_some, end_lines, make
from ..faults.endings import Endings, draw_endings
from ..faults.mistakes import Draft, Expected
from ..faults.profile import Profile, load_profile
from ..formats import Format
from ..formats.foreign import Foreign
from ..records import RESTS, Case, Provenance
from ..settings import RunSettings
from ..tasks import Task
from . import Given

COLLISION = "content-collision"  # the kind of mistake that a task itself makes, if a format cannot carry its contents
USUAL = "mid"  # the profile where nobody asks for another: most of what was counted speaks of it
_MOST = 100  # requests about one reply
_Known = tuple[Draft, tuple[Message, ...], frozenset[int]]


class Simulated:
    """A writer that knows every task's right document and makes the mistakes of a profile, drawn from a seed."""

    def __init__(self, profile: Profile | str, seed: int = 0) -> None:
        self.profile = load_profile(profile) if isinstance(profile, str) else profile
        self.seed = seed
        self._known: dict[tuple[str, str], _Known] = {}

    @property
    def provenance(self) -> Provenance:
        """The profile, the seed, the hash of what decides the mistakes, and how many of the rates are assumed."""
        rests = f"{self.profile.assumed} of {len(self.profile.rates)} rates assumed"
        named = (("profile", self.profile.name), ("seed", str(self.seed)), ("hash", self.profile.hash))
        return Provenance("simulated", (*named, (RESTS, rests)))

    def with_profile(self, profile: Profile) -> Simulated:
        """Return the same source with another profile; what it knows of formats and tasks is shared."""
        other = copy(self)
        other.profile = profile
        return other

    def cases(self, formats: tuple[Format, ...], tasks: tuple[Task, ...], repetitions: int) -> Iterator[Case]:
        """Return each task in each format, as often as it is repeated."""
        for repetition, task, format in product(range(repetitions), tasks, formats):
            yield Case(format.name, task.name, repetition)

    def draw(self, case: Case) -> tuple[str, ...]:
        """Return the kinds of mistake for a case, the same in every format."""
        return draw_kinds(self.profile, self._key(case))

    def give(self, case: Case, format: Format, task: Task | None) -> Given:
        """Return the reply of a case; raises `ModelError` if the format has no way at all to write the document."""
        if task is None:
            raise ModelError(f"nobody knows what the task {case.task!r} is: a simulated writer must know what is right")
        draft, messages, colliding = self._look_at(format, task)
        key = self._key(case)
        made, endings = make(draft, self.draw(case), key), draw_endings(key)
        damaged = end_lines(made, endings, foreign=isinstance(format, Foreign))
        kinds = (*damaged.kinds, *([COLLISION] if colliding and COLLISION not in damaged.kinds else []))
        meant = partial(_as_written, task.document, made.expected)  # seldom asked for
        answers = _Answers(self.profile, key, format, meant, damaged, endings)
        return Given(
            Reply(damaged.text, _finish(damaged), model=f"simulated:{self.profile.name}"),
            messages,
            damaged.expected,
            kinds,
            damaged.touched | colliding,
            ScriptedModel([answers.answer] * _MOST, name=self.profile.name),
        )

    def _key(self, case: Case) -> str:
        return f"{self.seed}/{case.task}/{case.repetition}"

    def _look_at(self, format: Format, task: Task) -> _Known:
        """Return the draft of a task in a format, the messages that ask for it, and the actions that collide with it.

        It is found once: a draft is copied before mistakes are made in it.
        """
        names = (format.fingerprint, task.fingerprint)
        if names not in self._known:
            draft = _draft(format, task.document)
            self._known[names] = (draft, format.teach(task.request), _colliding(format, task.document))
        return self._known[names]


class _Answers:
    """What the writer says when asked again about one reply; the questions about format are counted."""

    def __init__(
        self, profile: Profile, key: str, format: Format, meant: Callable[[], Document], first: Damaged, ends: Endings
    ) -> None:
        self.profile, self.key, self.format = profile, key, format
        self.meant, self.last, self.endings = meant, first, ends
        self._asked = count()

    def answer(self, messages: tuple[Message, ...]) -> Reply:
        """Go on where the reply was cut off, or write it again: without mistakes, or with others."""
        before = next((message.content for message in reversed(messages) if message.role == "assistant"), "")
        if before and messages[-1].content == ask_to_go_on(before):
            return self._go_on(before)
        attempt = next(self._asked)
        return self._write_again(attempt, f"{self.key}/again {attempt + 1}")

    def _go_on(self, before: str) -> Reply:
        whole, shown, arrived = self.last.uncut, tail(before), before.rstrip("\n")
        if whole is None or not whole.startswith(arrived):
            return Reply(f"{shown}\n{shown}", Finish.LENGTH)  # it repeats itself as before
        return Reply(whole[len(arrived) - len(shown) :], Finish.STOP)

    def _write_again(self, attempt: int, key: str) -> Reply:
        chances = self.profile.again
        succeeds = attempt < len(chances) and random.Random(key).random() < chances[attempt]
        draft = _draft(self.format, self.meant())
        made = make(draft, () if succeeds else draw_some(self.profile, key), key, keep=True)
        self.last = end_lines(made, self.endings, foreign=isinstance(self.format, Foreign))
        return Reply(self.last.text, _finish(self.last))


def _draft(format: Format, document: Document) -> Draft:
    try:
        return format.draft(document)
    except SymOpsError as error:
        raise ModelError(f"{format.name} has no way to write this: {error}") from error


def _finish(damaged: Damaged) -> Finish:
    return Finish.LENGTH if damaged.cut else Finish.STOP


def _colliding(format: Format, document: Document) -> frozenset[int]:
    """Return the numbers of the actions whose contents hold delimiters, if that is why a format refuses a document."""
    if not format.refuse(document):
        return frozenset()
    return frozenset(i for i, action in enumerate(document.actions) if format.collides(action.content or ""))


def _as_written(document: Document, expected: tuple[Expected, ...]) -> Document:
    """Return the document with the contents that were meant, in which code may have been left out."""
    meant = iter(expected)
    sections = []
    for section in document.sections:
        if isinstance(section, Action):
            item = next(meant)
            written = item.wholes or (() if item.partial else item.contents)
            section = replace(section, content=written[0]) if written else section
        sections.append(section)
    return replace(document, sections=tuple(sections))


def _load(settings: RunSettings) -> Simulated:
    settings.check_options("profile")
    return Simulated(settings.option("profile") or USUAL, settings.seed)


SOURCES = {"faults": _load}
