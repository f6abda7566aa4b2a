"""What formats that are no dialects have in common: taught by a prompt, read by functions, one for each phase."""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import distributions

from ....core.document import Action, Completeness, Document
from ....core.replies.messages import Message, Reply
from ....core.text.diagnostics import Diagnostic, Severity
from ....core.text.source import Span
from ....core.validator import validate
from ....models.prompts.examples import TURNS, WHOLE, Example, read_examples
from ....models.prompts.template import enclose
from ....models.protocol import Model
from ..faults.mistakes import Draft
from ..records import Attempt, identify
from .drafts import Writer

Reader = Callable[[str], Document | None]
_EVERYWHERE = Span(0, sys.maxsize)


@dataclass(frozen=True, eq=False)  # one is itself: what was found out about it is remembered
class Foreign(Writer):
    """One format that is no dialect.

    `readers` give by phase what reads a text, or None where that phase rejects it; `libraries` are those that they
    use. `rate` gives the confidence of a document, if the reader has an opinion. What the strict reader refuses draws a
    warning if `judge` names it: the reader that everybody has, such as `json.loads`.
    """

    name: str
    prompt: str
    encode: Callable[[Document], str]
    draft: Callable[[Document], Draft]
    readers: Mapping[str, Reader]
    collides: Callable[[str], bool]
    libraries: tuple[str, ...] = ()
    rate: Callable[[Document], float | None] = field(default=lambda document: None)
    judge: str = ""
    rules: str = ""

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases that have a reader."""
        return tuple(self.readers)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the prompt, of the code that writes and reads, and of the libraries' versions."""
        functions = (getattr(f, "func", f) for f in (self.encode, self.draft, *self.readers.values()))
        code = sorted({inspect.getsource(sys.modules[function.__module__]) for function in functions})
        prompt = [message.to_dict() for message in self.teach("")]
        found = {name: next((d.version for d in distributions(name=name)), "") for name in self.libraries}
        return identify(prompt=prompt, code=code, libraries=found)

    def teach(self, request: str) -> tuple[Message, ...]:
        """Return the prompt with one whole example, the same example turns as for a dialect, and the request."""
        shown = [enclose("request", e.request) + enclose("reply", self.write(e.document)) for e in self._say(WHOLE)]
        system = self.prompt.rstrip("\n") + "\n"
        if shown:
            system += "\n# Example\n\nBetween the tags stands a whole reply; the tags are no part of it.\n\n" + shown[0]
        turns = [Message("system", system)]
        for example in self._say(TURNS):
            turns += [Message("user", example.request), Message("assistant", self.write(example.document).rstrip("\n"))]
        return (*turns, Message("user", request))

    def _say(self, stem: str) -> Iterator[Example]:
        """Return the examples, without the sections that the format cannot say."""
        for example in read_examples(stem):
            sections = tuple(s for s in example.document.sections if not self.refuse(Document((s,))))
            document = replace(example.document, sections=sections)
            if bool(document.actions) == bool(example.document.actions) and not self.refuse(document):
                yield replace(example, document=document)

    def write(self, document: Document) -> str:
        return self.encode(document)

    def read(self, reply: Reply, messages: tuple[Message, ...] = (), model: Model | None = None) -> Iterator[Attempt]:
        """Read a reply by one reader after the other, up to the first that gives a document."""
        refused: tuple[Diagnostic, ...] = ()
        for phase, reader in self.readers.items():
            started = time.perf_counter()
            document = _run(reader, reply.text)
            seconds = time.perf_counter() - started
            if document is None and phase == "strict" and self.judge:
                refused = (Diagnostic("refused", f"{self.judge} refuses it", _EVERYWHERE, Severity.WARNING),)
            if document is None or not document.sections:
                yield Attempt(phase, None, seconds=seconds)
                continue
            document = _mark_cut_off(_place(document), reply.finish.cut_off)
            found = (*document.diagnostics, *validate(document), *refused)
            valid = not any(item.severity is Severity.ERROR for item in found)
            yield Attempt(phase, document, valid, self.rate(document), found, seconds)
            if valid:
                return

    def harms(self, text: str) -> str:
        """Return which reader does not find in a faultless text what the first one finds."""
        phases = iter(self.readers.items())
        first, reader = next(phases)
        document = _run(reader, text)
        if document is None:
            return first
        return next((phase for phase, reader in phases if _run(reader, text) != document), "")


def _run(reader: Reader, text: str) -> Document | None:
    try:
        return reader(text)
    except Exception:  # noqa: BLE001  (whatever a library stumbles on: it has read nothing)
        return None


def _mark_cut_off(document: Document, cut_off: bool) -> Document:
    """Mark the last section of a reply that is known to end too early: whoever reads it knows that, too."""
    last = document.sections[-1]
    if not cut_off or not isinstance(last, Action) or last.completeness is not Completeness.COMPLETE:
        return document
    return replace(document, sections=(*document.sections[:-1], replace(last, completeness=Completeness.TRUNCATED)))


def _place(document: Document) -> Document:
    """Return sections places of their own, so that a finding about one is none about the others."""
    if any(section.span != Span(0, 0) for section in document.sections):
        return document
    places = (Span(2 * number, 2 * number + 1) for number in range(1, len(document.sections) + 1))
    sections = (replace(section, span=place) for section, place in zip(document.sections, places, strict=True))
    return replace(document, sections=tuple(sections))
