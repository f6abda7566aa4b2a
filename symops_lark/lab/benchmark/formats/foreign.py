"""Formats other than dialects: taught by a prompt, read by functions, one for each phase."""

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
# Part of a prompt: another text would make new replies incomparable with recorded ones.
_EXAMPLE = "\n# Example\n\nBetween the tags stands a whole reply; the tags are no part of it.\n\n"


@dataclass(frozen=True, eq=False)  # compared by identity: caches hold results for one object
class Foreign(Writer):
    """One format that has no grammar of this package.

    Attributes:
        name: Its name.
        prompt: The system prompt, without examples.
        encode: Returns a document as text.
        draft: Returns a document as lines that can be damaged.
        readers: By phase, the function that reads a text; it returns None for a text it rejects.
        collides: Returns whether a content has a line that is read as a delimiter.
        libraries: The libraries that the readers use.
        rate: Returns the confidence of a document, if the reader has an opinion.
        judge: The reader that everyone has, such as `json.loads`. If it is named, a reply that the
            strict reader rejects gets a warning.
        rules: Empty: only dialects have repair rules.
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
        """A hash of the prompt, of the code that writes and reads, and of the libraries."""
        sources = set()
        for function in (self.encode, self.draft, *self.readers.values()):
            # Functions are often partial ones.
            function = getattr(function, "func", function)
            sources.add(inspect.getsource(sys.modules[function.__module__]))
        prompt = [message.to_dict() for message in self.teach("")]
        versions = dict.fromkeys(self.libraries, "")
        for name in self.libraries:
            for distribution in distributions(name=name):
                versions[name] = distribution.version
                break
        return identify(prompt=prompt, code=sorted(sources), libraries=versions)

    def teach(self, request: str) -> tuple[Message, ...]:
        """Return the prompt with a full example, the example turns of dialects, and the request."""
        system = self.prompt.rstrip("\n") + "\n"
        for example in self._examples(WHOLE)[:1]:
            reply = self.write(example.document)
            system += _EXAMPLE + enclose("request", example.request) + enclose("reply", reply)
        messages = [Message("system", system)]
        for example in self._examples(TURNS):
            messages.append(Message("user", example.request))
            messages.append(Message("assistant", self.write(example.document).rstrip("\n")))
        return (*messages, Message("user", request))

    def _examples(self, stem: str) -> list[Example]:
        """Return the examples, without the sections that the format cannot express."""
        examples = []
        for example in read_examples(stem):
            original = example.document
            sections = [item for item in original.sections if not self.refuse(Document((item,)))]
            document = replace(original, sections=tuple(sections))
            # An example without its actions would teach nothing.
            if bool(document.actions) == bool(original.actions) and not self.refuse(document):
                examples.append(replace(example, document=document))
        return examples

    def write(self, document: Document) -> str:
        return self.encode(document)

    def read(
        self, reply: Reply, messages: tuple[Message, ...] = (), model: Model | None = None
    ) -> Iterator[Attempt]:
        """Read a reply by one reader after the other, up to the first that gives a document.

        Args:
            reply: The reply.
            messages: Not used.
            model: Not used: only dialects have a corrector.
        """
        refusals: tuple[Diagnostic, ...] = ()
        for phase, reader in self.readers.items():
            started = time.perf_counter()
            document = _run(reader, reply.text)
            seconds = time.perf_counter() - started
            if document is None and phase == "strict" and self.judge:
                message = f"{self.judge} refuses it"
                refusals = (Diagnostic("refused", message, _EVERYWHERE, Severity.WARNING),)
            if document is None or not document.sections:
                yield Attempt(phase, None, seconds=seconds)
                continue
            document = _place(document)
            if reply.finish.cut_off:
                document = _truncate(document)
            diagnostics = (*document.diagnostics, *validate(document), *refusals)
            is_valid = all(item.severity is not Severity.ERROR for item in diagnostics)
            yield Attempt(phase, document, is_valid, self.rate(document), diagnostics, seconds)
            # The next reader may do better with a text that gives an invalid document.
            if is_valid:
                return

    def harms(self, text: str) -> str:
        """Return the first phase whose reader finds something else than the strict one."""
        documents = {phase: _run(reader, text) for phase, reader in self.readers.items()}
        # The first phase is the strict one: its document is the meaning of the text.
        first = next(iter(documents))
        if documents[first] is None:
            return first
        for phase, document in documents.items():
            if document != documents[first]:
                return phase
        return ""


def _run(reader: Reader, text: str) -> Document | None:
    try:
        return reader(text)
    except Exception:  # noqa: BLE001  (a library that raises anything has read nothing)
        return None


def _truncate(document: Document) -> Document:
    """Mark the last action of a reply that is known to be truncated, as any client would know."""
    last = document.sections[-1]
    if not isinstance(last, Action) or last.completeness is not Completeness.COMPLETE:
        return document
    last = replace(last, completeness=Completeness.TRUNCATED)
    return replace(document, sections=(*document.sections[:-1], last))


def _place(document: Document) -> Document:
    """Give each section a separate place, so that a finding belongs to one section only."""
    if any(section.span != Span(0, 0) for section in document.sections):
        return document
    # There is a gap between two places: a finding at a border would belong to both sections.
    sections = [
        replace(section, span=Span(2 * number, 2 * number + 1))
        for number, section in enumerate(document.sections, 1)
    ]
    return replace(document, sections=tuple(sections))
