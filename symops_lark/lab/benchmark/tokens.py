"""The cost of formats in tokens: complete tasks, by real tokenizers that need no network."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
    "Formats in the style of aider say no verb, dependency or vital: they are short for saying "
    "less, and their markup is counted too low."
)


@dataclass(frozen=True, slots=True)
class Count(JsonObject):
    """The tokens of one format in one encoding, on the tasks that the format can express.

    Attributes:
        format: The name of the format.
        encoding: The name of the encoding.
        tasks: The number of tasks.
        actions: The number of their actions.
        total: The tokens of the replies.
        payload: The tokens of the strings in them: verbs, paths, contents, texts and numbers.
        contents: The tokens of the contents only.
        json: The total of JSON on the same tasks; None if it was not counted.
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
        """The tokens of everything except the payload."""
        return self.total - self.payload

    @property
    def besides(self) -> float:
        """The tokens for one action without its content, with a share of the other text."""
        return (self.total - self.contents) / self.actions if self.actions else 0.0

    @property
    def markup_per_action(self) -> float:
        """The tokens of markup for one action."""
        return self.markup / self.actions if self.actions else 0.0

    @property
    def relative(self) -> float | None:
        """The total, divided by that of JSON on the same tasks."""
        return self.total / self.json if self.json else None

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as a JSON object."""
        names = {"besides_contents_per_action": self.besides, "relative_to_json": self.relative}
        return asdict(self) | write_object(self, "markup", "markup_per_action") | names


@dataclass(frozen=True, slots=True)
class TokenReport:
    """The counts of several formats on some tasks.

    Attributes:
        counts: The counts.
        tasks: The names of the tasks.
        refused: The format, the task and the reason, if a format cannot express a task.
        same: A format, and the counted format that writes exactly the same texts.
    """

    counts: tuple[Count, ...]
    tasks: tuple[str, ...]
    refused: tuple[tuple[str, str, str], ...]
    same: tuple[tuple[str, str], ...]

    def of(self, format: str) -> list[Count]:
        """Return the counts of a format, one for each encoding."""
        return [count for count in self.counts if count.format == format]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        keys = ("format", "task", "reason")
        refused = [dict(zip(keys, row, strict=True)) for row in self.refused]
        return write_object(self, "tasks", "counts") | {"refused": refused, "same": dict(self.same)}


@dataclass(frozen=True, slots=True)
class Claim:
    """A prediction of the original Sym-Ops notes, which name neither tokenizer nor texts.

    Attributes:
        format: The format.
        kind: `action` (tokens for one action), `task` (for the three-file task) or `more` (the
            difference from v1). Contents do not count.
        said: The prediction.
    """

    format: str
    kind: str
    said: str

    def measure(self, three: TokenReport, whole: TokenReport) -> str:
        """Return the smallest and the greatest measured value of all encodings.

        Args:
            three: The counts on the three-file task.
            whole: The counts on all tasks.

        Returns:
            The values as text; empty if the format was not counted.
        """
        # On all tasks: one task has few actions.
        if self.kind == "action":
            return _show_range([count.besides for count in whole.of(self.format)], ".1f")
        values = {count.encoding: count.total - count.contents for count in three.of(self.format)}
        if self.kind == "task":
            return _show_range(values.values(), ".0f")
        percents = []
        for v1 in three.of("v1"):
            base = v1.total - v1.contents
            if base and v1.encoding in values:
                percents.append((values[v1.encoding] / base - 1) * 100)
        return _show_range(percents, "+.0f", " %")


def _show_range(values: Collection[float], form: str, unit: str = "") -> str:
    if not values:
        return ""
    # One number if both are equal after rounding.
    ends = dict.fromkeys(format(value, form) for value in (min(values), max(values)))
    return " to ".join(ends) + unit


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
    """Count the tokens of tasks in some formats.

    Args:
        formats: The formats.
        tasks: The tasks.
        encodings: The names of the encodings. Empty: all that are installed.
        watch: Called with the number of finished formats in all encodings, and of all.

    Raises:
        SymOpsError: An encoding, or the library that counts, is not installed.
    """
    loaded = load_encodings(encodings)
    texts_by_format: dict[str, dict[str, str]] = {}
    refused = []
    same = []
    for format in formats:
        texts = {}
        refusals = []
        for task in tasks:
            reason = format.refuse(task.document)
            if reason:
                refusals.append((format.name, task.name, reason))
            else:
                texts[task.name] = format.write(task.document)
        # The variants of a format often differ only in how they are read.
        twins = [name for name in texts_by_format if texts_by_format[name] == texts]
        if twins:
            same.append((format.name, twins[0]))
            continue
        texts_by_format[format.name] = texts
        refused += refusals
    counts = []
    for name, encoding in loaded.items():
        for count in _count(texts_by_format, tasks, name, encoding):
            counts.append(count)
            watch(len(counts), len(loaded) * len(texts_by_format))
    names = tuple(task.name for task in tasks)
    return TokenReport(tuple(counts), names, tuple(refused), tuple(same))


def _count(
    texts_by_format: Mapping[str, Mapping[str, str]],
    tasks: Sequence[Task],
    name: str,
    encoding: Encoding,
) -> Iterator[Count]:
    def measure(strings: Iterable[str]) -> int:
        return sum(map(len, map(encoding.encode_ordinary, strings)))

    # By task: the actions, and the tokens of the payload and of the contents.
    rows = {}
    for task in tasks:
        actions = task.document.actions
        payload = sum(map(measure, map(payload_of, task.document.sections)))
        contents = measure(action.content or "" for action in actions)
        rows[task.name] = (len(actions), payload, contents)
    in_json = {task: measure([text]) for task, text in texts_by_format.get(JSON, {}).items()}
    for format, texts in texts_by_format.items():
        totals = in_json
        if format != JSON:
            totals = {task: measure([text]) for task, text in texts.items()}
        sums = map(sum, zip((0, 0, 0), *map(rows.__getitem__, totals), strict=True))
        # Without a text of JSON for each task, the totals cannot be compared.
        json = None
        if totals.keys() <= in_json.keys():
            json = sum(map(in_json.__getitem__, totals))
        count, payload, contents = sums
        total = sum(totals.values())
        yield Count(format, name, len(totals), count, total, payload, contents, json)
