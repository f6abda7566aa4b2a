"""What formats cost in model tokens: on whole tasks, by real tokenizers that need no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from ..document import Action, Document
from ..prompts.tokens import Encoding, load_counter
from ..workbench.cost import load_encodings, payload_of
from .tasks import Task

THREE_FILES = "three-file-login"  # the task that the source documents count
JSON = "json"  # the format that others are compared with


class Writer(Protocol):
    """What is asked of a format here: any `Format` can do it."""

    @property
    def name(self) -> str:
        """The name by which a user asks for it."""

    def refuse(self, document: Document) -> str:
        """Say why the format cannot carry a document; empty if it can."""

    def write(self, document: Document) -> str:
        """Give the text that a faultless model would write."""


@dataclass(frozen=True, slots=True)
class Count:
    """The tokens of some tasks in one format and encoding.

    `total` is of whole replies; `payload` of what they say, each string alone (verbs, paths, contents, texts, numbers);
    `contents` of the contents alone.
    """

    format: str
    encoding: str
    tasks: int
    actions: int
    total: int
    payload: int
    contents: int

    @property
    def markup(self) -> int:
        """Tokens of all that is neither said nor content."""
        return self.total - self.payload

    @property
    def besides(self) -> float:
        """Tokens for one action besides its content: markup, verb, path, and its share of what stands around it."""
        return (self.total - self.contents) / self.actions if self.actions else 0.0

    @property
    def markup_per_action(self) -> float:
        """Tokens of markup for one action."""
        return self.markup / self.actions if self.actions else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers as a JSON object."""
        return {**asdict(self), "markup": self.markup, "markup_per_action": self.markup_per_action,
                "besides_contents_per_action": self.besides}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TokenReport:
    """The counts of several formats on the same tasks: only on those that all of them can say.

    `refused` gives for the others, by format and task, why not.
    """

    counts: tuple[Count, ...]
    tasks: tuple[str, ...]
    refused: tuple[tuple[str, str, str], ...]

    def relative(self, count: Count, reference: str = JSON) -> float | None:
        """Give the tokens of a count as a share of those of another format; None if that was not counted."""
        found = (other for other in self.counts if (other.format, other.encoding) == (reference, count.encoding))
        return next((count.total / other.total for other in found if other.total), None)

    def to_dict(self) -> dict[str, Any]:
        """Give the report as a JSON object."""
        counts = [{**count.to_dict(), "relative_to_json": self.relative(count)} for count in self.counts]
        refused = [{"format": name, "task": task, "reason": reason} for name, task, reason in self.refused]
        return {"tasks": list(self.tasks), "counts": counts, "refused": refused}


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure of the source documents, which predict it; they do not say which tokenizer and texts it is of.

    `kind` is `action` (tokens for one action), `task` (for the three-file task) or `more` (the same over that of v1);
    contents count for none of them.
    """

    format: str
    kind: str
    said: str

    def measure(self, three: TokenReport, whole: TokenReport) -> str:
        """Give what we count instead, the least and the most of the encodings; empty if the format was not counted."""
        values = []
        for count in (whole if self.kind == "action" else three).counts:
            if count.format != self.format:
                continue
            if self.kind == "action":
                values.append(count.besides)
            elif self.kind == "task":
                values.append(count.total - count.contents)
            elif base := next((other for other in three.counts if other.format == "v1"
                               and other.encoding == count.encoding), None):  # fmt: skip
                values.append(((count.total - count.contents) / (base.total - base.contents) - 1) * 100)
        sign = {"action": ".1f", "task": ".0f", "more": "+.0f"}[self.kind]
        words = dict.fromkeys(f"{value:{sign}}" for value in (min(values), max(values))) if values else {}
        return " to ".join(words) + (" %" if words and self.kind == "more" else "")


CLAIMS = (
    Claim("v1", "action", "15 to 25"),
    Claim("v2", "action", "15 to 25"),
    Claim(JSON, "action", "45 to 60"),
    Claim("yaml", "action", "35 to 50"),
    Claim("markdown", "action", "40 to 55"),
    Claim("v1", "task", "73"),
    Claim("v2", "task", "78"),
    Claim("plain", "task", "95"),
    Claim("v2", "more", "+7 %"),
    Claim("plain", "more", "+30 %"),
)


def count_tokens(text: str, tokenizer: str) -> int:
    """Count the tokens of a text by an encoding's name; raises `SymOpsError` if it is not installed."""
    return load_counter(tokenizer).count(text)


def measure_tokens(formats: Sequence[Writer], tasks: Sequence[Task], encodings: Sequence[str] = ()) -> TokenReport:
    """Count the tokens of tasks in some formats, by encodings or all that are installed.

    Raises `SymOpsError` if an encoding, or the library that counts, is not installed.
    """
    loaded = load_encodings(encodings)
    refused = [(format.name, task.name, reason) for format in formats for task in tasks
               if (reason := format.refuse(task.document))]  # fmt: skip
    out = {task for _, task, _ in refused}
    common = [task for task in tasks if task.name not in out]
    written = {format.name: [format.write(task.document) for task in common] for format in formats}
    counts = [_count(name, texts, common, key, encoding)
              for key, encoding in loaded.items() for name, texts in written.items()]  # fmt: skip
    return TokenReport(tuple(counts), tuple(task.name for task in common), tuple(refused))


def _count(format: str, texts: Sequence[str], tasks: Sequence[Task], name: str, encoding: Encoding) -> Count:
    def measure(strings: Sequence[str]) -> int:
        return sum(len(encoding.encode_ordinary(text)) for text in strings)

    sections = [section for task in tasks for section in task.document.sections]
    actions = [section for section in sections if isinstance(section, Action)]
    payload = measure([text for section in sections for text in payload_of(section)])
    contents = measure([action.content for action in actions if action.content])
    return Count(format, name, len(tasks), len(actions), measure(texts), payload, contents)
