"""What formats cost in model tokens: on whole tasks, by real tokenizers that need no network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...core.ground.json_objects import JsonObject, write_object
from ...models.prompts.tokens import Encoding
from ..workbench.cost import load_encodings, payload_of
from .formats import Format
from .tasks import Task

THREE_FILES = "three-file-login"  # the task that the original Sym-Ops notes count
JSON = "json"  # the format that others are compared with
SAYING_LESS = (
    "Formats in the style of aider say no verb, dependency or vital: they are short for saying less, and "
    "their markup is counted too low."
)


@dataclass(frozen=True, slots=True)
class Count(JsonObject):
    """The tokens in one format and encoding of the tasks that the format can say.

    `total` is of whole replies; `payload` of what they say, each string alone (verbs, paths, contents, texts, numbers);
    `contents` of the contents alone. `json` is the total of JSON on the same tasks, None if that was not counted.
    """

    format: str
    encoding: str
    tasks: int
    actions: int
    total: int
    payload: int
    contents: int
    json: int | None = None

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

    @property
    def relative(self) -> float | None:
        """The total as a share of that of JSON on the same tasks."""
        return self.total / self.json if self.json else None

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as a JSON object."""
        names = {"besides_contents_per_action": self.besides, "relative_to_json": self.relative}
        return asdict(self) | write_object(self, "markup", "markup_per_action") | names


@dataclass(frozen=True, slots=True)
class TokenReport:
    """The counts of several formats on some tasks.

    `refused` gives, by format and task, why the format cannot say the task; `same` the formats that write and refuse
    just what another does, which alone is counted.
    """

    counts: tuple[Count, ...]
    tasks: tuple[str, ...]
    refused: tuple[tuple[str, str, str], ...]
    same: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        refused = [{"format": name, "task": task, "reason": reason} for name, task, reason in self.refused]
        return write_object(self, "tasks", "counts") | {"refused": refused, "same": dict(self.same)}


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure of the original Sym-Ops notes, which predict it; they do not say which tokenizer and texts it is of.

    `kind` is `action` (tokens for one action), `task` (for the three-file task) or `more` (the same over that of v1);
    contents count for none of them.
    """

    format: str
    kind: str
    said: str

    def measure(self, three: TokenReport, whole: TokenReport) -> str:
        """Return what we count instead, the least and the most of the encodings; empty if the format has no count."""
        counts = [count for count in (whole if self.kind == "action" else three).counts if count.format == self.format]
        values = [count.besides if self.kind == "action" else count.total - count.contents for count in counts]
        if self.kind == "more":
            base = {count.encoding: count.total - count.contents for count in three.counts if count.format == "v1"}
            pairs = ((value, base.get(count.encoding)) for value, count in zip(values, counts, strict=True))
            values = [(value / other - 1) * 100 for value, other in pairs if other]
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


def measure_tokens(
    formats: Sequence[Format],
    tasks: Sequence[Task],
    encodings: Sequence[str] = (),
    watch: Callable[[int, int], object] = lambda done, total: None,
) -> TokenReport:
    """Return the tokens of tasks in some formats, by encodings or all that are installed.

    `watch` is told how many formats are done, in how many encodings of all.

    Raises `SymOpsError` if an encoding, or the library that counts, is not installed.
    """
    loaded = load_encodings(encodings)
    written: dict[str, dict[str, str]] = {}
    refused, same = [], []
    for format in formats:
        reasons = {task.name: format.refuse(task.document) for task in tasks}
        texts = {task.name: format.write(task.document) for task in tasks if not reasons[task.name]}
        if twin := next((name for name, other in written.items() if other == texts), None):
            same.append((format.name, twin))
            continue
        written[format.name] = texts
        refused += [(format.name, task, reason) for task, reason in reasons.items() if reason]
    counts: list[Count] = []
    for name, encoding in loaded.items():
        for count in _count(written, tasks, name, encoding):
            counts.append(count)
            watch(len(counts), len(loaded) * len(written))
    return TokenReport(tuple(counts), tuple(task.name for task in tasks), tuple(refused), tuple(same))


def _count(
    written: Mapping[str, Mapping[str, str]], tasks: Sequence[Task], name: str, encoding: Encoding
) -> Iterator[Count]:
    def measure(strings: Iterable[str]) -> int:
        return sum(len(encoding.encode_ordinary(text)) for text in strings)

    payload = {
        task.name: measure(text for section in task.document.sections for text in payload_of(section)) for task in tasks
    }
    contents = {task.name: measure(action.content or "" for action in task.document.actions) for task in tasks}
    in_json = {task: measure([text]) for task, text in written.get(JSON, {}).items()}
    for format, texts in written.items():
        own = in_json if format == JSON else {task: measure([text]) for task, text in texts.items()}
        said = [task for task in tasks if task.name in own]
        json = sum(in_json[task] for task in own) if own.keys() <= in_json.keys() else None
        actions = sum(len(task.document.actions) for task in said)
        total, said_in, held = (sum(known[task] for task in own) for known in (own, payload, contents))
        yield Count(format, name, len(said), actions, total, said_in, held, json)
