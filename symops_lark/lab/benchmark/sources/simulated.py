"""Simulated replies: the right document of a task, with the mistakes of a writer in it."""

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

# The kind of mistake of a task whose contents a format cannot write.
COLLISION = "content-collision"
USUAL = "mid"  # the default profile: most of its rates were measured
_MAX_REQUESTS = 100  # about one reply
_Look = tuple[Draft, tuple[Message, ...], frozenset[int]]


class Simulated:
    """A writer that knows the right document of every task, and makes the mistakes of a profile."""

    def __init__(self, profile: Profile | str, seed: int = 0) -> None:
        self.profile = load_profile(profile) if isinstance(profile, str) else profile
        self.seed = seed
        self._looks: dict[tuple[str, str], _Look] = {}

    @property
    def provenance(self) -> Provenance:
        """The profile, the seed, the hash of the profile, and how many of the rates are assumed."""
        assumed = f"{self.profile.assumed} of {len(self.profile.rates)} rates assumed"
        detail = (
            ("profile", self.profile.name),
            ("seed", str(self.seed)),
            ("hash", self.profile.hash),
            (RESTS, assumed),
        )
        return Provenance("simulated", detail)

    def with_profile(self, profile: Profile) -> Simulated:
        """Return the same source with another profile; both share the drafts of tasks."""
        source = copy(self)
        source.profile = profile
        return source

    def cases(
        self, formats: tuple[Format, ...], tasks: tuple[Task, ...], repetitions: int
    ) -> Iterator[Case]:
        """Yield each task in each format, repetition by repetition.

        Args:
            formats: The formats.
            tasks: The tasks.
            repetitions: The number of replies to each task in each format.
        """
        for repetition, task, format in product(range(repetitions), tasks, formats):
            yield Case(format.name, task.name, repetition)

    def draw(self, case: Case) -> tuple[str, ...]:
        """Return the kinds of mistake for a case, the same in every format."""
        return draw_kinds(self.profile, self._key(case))

    def give(self, case: Case, format: Format, task: Task | None) -> Given:
        """Return the reply of a case.

        Args:
            case: The case.
            format: The format of the case.
            task: The task of the case, if it is known.

        Raises:
            ModelError: The format cannot write the document, or the task is not known.
        """
        if task is None:
            raise ModelError(
                f"the task {case.task!r} is not known: a simulated writer must know what is right"
            )
        draft, messages, colliding = self._look_at(format, task)
        key = self._key(case)
        reply = make(draft, self.draw(case), key)
        endings = draw_endings(key)
        damaged = end_lines(reply, endings, foreign=isinstance(format, Foreign))
        kinds = damaged.kinds
        if colliding and COLLISION not in kinds:
            kinds = (*kinds, COLLISION)
        # A function: the document is needed only if the writer is asked again, which is rare.
        rewrite = partial(_as_written, task.document, reply.expected)
        answers = _Answers(self.profile, key, format, rewrite, damaged, endings)
        return Given(
            Reply(damaged.text, _finish(damaged), model=f"simulated:{self.profile.name}"),
            messages,
            damaged.expected,
            kinds,
            damaged.touched | colliding,
            ScriptedModel([answers.answer] * _MAX_REQUESTS, name=self.profile.name),
        )

    def _key(self, case: Case) -> str:
        return f"{self.seed}/{case.task}/{case.repetition}"

    def _look_at(self, format: Format, task: Task) -> _Look:
        """Return the draft of a task, its request, and the actions that collide."""
        names = (format.fingerprint, task.fingerprint)
        # It can be shared: a draft is copied before mistakes are made in it.
        if names not in self._looks:
            draft = _draft(format, task.document)
            self._looks[names] = (
                draft,
                format.teach(task.request),
                _colliding(format, task.document),
            )
        return self._looks[names]


class _Answers:
    """The replies of the writer when it is asked again about one reply."""

    def __init__(
        self,
        profile: Profile,
        key: str,
        format: Format,
        rewrite: Callable[[], Document],
        last: Damaged,
        endings: Endings,
    ) -> None:
        self.profile = profile
        self.key = key
        self.format = format
        self.rewrite = rewrite
        self.last = last
        self.endings = endings
        # The number of requests for a corrected reply; requests to continue do not count.
        self._attempts = count()

    def answer(self, messages: tuple[Message, ...]) -> Reply:
        """Continue a reply that was cut off, or write it again, perhaps with mistakes."""
        before = ""
        for message in messages:
            if message.role == "assistant":
                before = message.content
        if before and messages[-1].content == ask_to_go_on(before):
            return self._continue(before)
        attempt = next(self._attempts)
        return self._write_again(attempt, f"{self.key}/again {attempt + 1}")

    def _continue(self, before: str) -> Reply:
        """Return the end of the last reply, after the lines that the request repeats."""
        complete = self.last.uncut
        repeated = tail(before)
        arrived = before.rstrip("\n")
        if complete is None or not complete.startswith(arrived):
            # The writer repeats itself endlessly, as it did before.
            return Reply(f"{repeated}\n{repeated}", Finish.LENGTH)
        return Reply(complete[len(arrived) - len(repeated) :], Finish.STOP)

    def _write_again(self, attempt: int, key: str) -> Reply:
        chances = self.profile.again
        succeeds = attempt < len(chances) and random.Random(key).random() < chances[attempt]
        draft = _draft(self.format, self.rewrite())
        kinds = () if succeeds else draw_some(self.profile, key)
        reply = make(draft, kinds, key, keep=True)
        self.last = end_lines(reply, self.endings, foreign=isinstance(self.format, Foreign))
        return Reply(self.last.text, _finish(self.last))


def _draft(format: Format, document: Document) -> Draft:
    try:
        return format.draft(document)
    except SymOpsError as error:
        raise ModelError(f"{format.name} has no way to write this: {error}") from error


def _finish(damaged: Damaged) -> Finish:
    return Finish.LENGTH if damaged.cut else Finish.STOP


def _colliding(format: Format, document: Document) -> frozenset[int]:
    """Return the numbers of the actions whose contents have delimiters of the format in them."""
    # A format that can quote delimiters does not refuse the document.
    if not format.refuse(document):
        return frozenset()
    numbers = set()
    for number, action in enumerate(document.actions):
        if format.collides(action.content or ""):
            numbers.add(number)
    return frozenset(numbers)


def _as_written(document: Document, expected: tuple[Expected, ...]) -> Document:
    """Return the document with the contents of the reply, in which code may have been left out."""
    remaining = iter(expected)
    sections = []
    for section in document.sections:
        if isinstance(section, Action):
            item = next(remaining)
            contents = item.wholes
            # A partial content is not that of a file.
            if not contents and not item.partial:
                contents = item.contents
            if contents:
                section = replace(section, content=contents[0])
        sections.append(section)
    return replace(document, sections=tuple(sections))


def _load(settings: RunSettings) -> Simulated:
    settings.check_options("profile")
    settings.check_unused("max_tokens", "temperature")
    return Simulated(settings.option("profile") or USUAL, settings.seed)


SOURCES = {"faults": _load}
