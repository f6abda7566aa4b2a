"""Recorded replies: a folder of text files, one reply each, or JSON lines with a `text`.

What is known of a reply is beside it in `NAME.toml` or `NAME.json`, or in its JSON line: `format`, `task`, `model`,
`finish`, and `id` in lines. The format may also be the name of the first folder; else it is detected from the text. A
text in no format counts for the format of most others, unless more texts than these are in no format.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from ....core.formats.documents import read_format
from ....core.formats.loading import formats
from ....core.ground.errors import SymOpsError
from ....core.ground.json_lines import read_bytes
from ....core.ground.numbers import counted
from ....core.processor import SymOpsProcessor
from ....core.replies.messages import Finish, ModelError, Reply
from ....core.text.source import BOM
from ..faults.endings import recorded_endings
from ..formats import Format, tell_refusal
from ..formats.foreign import Foreign
from ..records import Case, Provenance
from ..settings import RunSettings
from ..tasks import Task
from . import Given, meant

_FACTS = ("format", "task", "model", "finish")
_FIELDS = ", ".join(("text", "id", *_FACTS))
_SIDECARS = (".toml", ".json")
_refuse = cache(tell_refusal)


@dataclass(frozen=True, slots=True)
class Transcript:
    """One recorded reply; `text` is None where it cannot be read, and `reason` says why."""

    name: str
    place: str
    text: str | None
    reason: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


def _agent_format_of(text: str) -> str:
    """Return the format of another agent that a reply is in; empty if it is in none, or in several."""
    document = read_format(text)
    return document.dialect if document.actions and document.dialect in formats() else ""


class Transcripts:
    """The replies of a folder, or of a file of JSON lines."""

    def __init__(self, path: Path, formats: tuple[str, ...], selected: tuple[str, ...] = ()) -> None:
        self.path, self._wanted, self._selected = path, formats, selected
        self._digest = hashlib.sha256()
        self._remarks: list[str] = []
        self._ignored: dict[str, list[str]] = defaultdict(list)  # the places of each field that means nothing here
        self._found = list(self._read_lines(path, path.name) if path.is_file() else self._read_folder())
        if not self._found:
            raise SymOpsError(f"{path}: there are no replies: it is a folder of text files, or a file of JSON lines")
        self.provenance = Provenance("replayed", (("hash", self._digest.hexdigest()[:16]),))

    @property
    def remarks(self) -> Sequence[str]:
        """What was assumed of the replies, in sentences for people."""
        _ = self._cases
        ignored = [
            f"{places[0]}: the field {name!r} is ignored ({counted(len(places), 'time')}); there are {_FIELDS}"
            for name, places in self._ignored.items()
        ]
        return [*self._remarks, *ignored]

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats that the replies are in."""
        return self._wanted or tuple(sorted({case.format for case in self._cases}))

    def cases(self, formats: tuple[Format, ...], tasks: tuple[Task, ...], repetitions: int) -> Iterator[Case]:
        """Return a case for each reply, named by its task, if it has one, or by its file; `repetitions` play no part.

        The replies of one model to one task in one format are its repetitions. If formats or tasks were selected,
        others are left out.
        """
        names = {format.name for format in formats}
        chosen = {task.name for task in tasks} if self._selected else None
        if chosen is None:
            self._note_unknown({task.name for task in tasks})
        return (case for case in self._cases if case.format in names and (chosen is None or case.task in chosen))

    def give(self, case: Case, format: Format, task: Task | None) -> Given:
        """Return the reply of a case; raises `ModelError` for a file that is no text."""
        found = self._cases[case]
        if found.text is None:
            raise ModelError(f"{found.place}: {found.reason}")
        finish = Finish(found.facts.get("finish", "unknown"))
        messages = format.teach(task.request) if task is not None else ()
        expected = meant(format, task)
        if expected is not None:  # a task says its contents with line feeds; the recorder may write others
            plain = found.text.replace("\r\n", "\n")
            foreign = isinstance(format, Foreign)
            expected = tuple(recorded_endings(found.text).expect(plain, expected, foreign=foreign))
        return Given(Reply(found.text, finish, None, found.facts.get("model", "")), messages, expected)

    @cached_property
    def _cases(self) -> dict[Case, Transcript]:
        """The replies with their cases, in the order of their names."""
        own = [self._format_of(found) for found in self._found]
        usual = self._choose_usual(own)
        count: Counter[tuple[str, str, str]] = Counter()
        cases = {}
        for found, name in zip(self._found, own, strict=True):
            format, task = name or usual, found.facts.get("task", found.name)
            model = found.facts.get("model", "")
            repetition = count[format, task, model]
            cases[Case(format, task, repetition, model)] = found
            count[format, task, model] += 1
        return cases

    def _note_unknown(self, names: Collection[str]) -> None:
        """Note which tasks of replies are unknown: a misspelt one would cost its comparison in silence."""
        unknown: dict[str, list[str]] = defaultdict(list)
        for found in self._found:
            if "task" in found.facts and found.facts["task"] not in names:
                unknown[found.facts["task"]].append(found.place)
        for task, places in unknown.items():
            near = get_close_matches(task, sorted(names), 1)
            hint = f"did you mean {near[0]}?" if near else "see `symops bench tasks`"
            number = counted(len(places), "reply is", "replies are")
            self._remarks.append(f"{places[0]}: there is no task {task!r}; {hint} {number} counted without a task")

    def _choose_usual(self, formats: Sequence[str]) -> str:
        """Return the format that replies in no format count for, and note what was assumed.

        Raises:
            SymOpsError: Several formats are named and a reply does not say in which of them it is,
                or too few replies are in a format to guess that of the others.
        """
        detected = Counter(
            name for name, reply in zip(formats, self._found, strict=True) if name and "format" not in reply.facts
        )
        unsure = sum("format" not in reply.facts and reply.text is not None for reply in self._found)
        if unsure and len(self._wanted) > 1:
            raise SymOpsError(
                f"{self.path}: {counted(unsure, 'reply has', 'replies have')} no `format`, and several formats are "
                f"named: name one of {', '.join(self._wanted)}, or add the `format` to each reply"
            )
        if len(self._wanted) == 1:
            return self._wanted[0]
        most = Counter(name for name in formats if name)
        usual = min(most, key=lambda name: (-most[name], name)) if most else "v2"
        lost = sum(not name and reply.text is not None for name, reply in zip(formats, self._found, strict=True))
        if lost > most[usual]:
            raise SymOpsError(
                f"{self.path}: {lost:,} of {counted(len(self._found), 'reply is', 'replies are')} in no format, so "
                "theirs cannot be guessed: name the format that the model was asked for, as with `-f v2`, or add the "
                "`format` to each reply"
            )
        if detected:
            named = ", ".join(f"{name} ({number:,})" for name, number in sorted(detected.items()))
            self._remarks.append(f"formats were detected from the texts: {named}")
        if lost:
            self._remarks.append(f"{counted(lost, 'reply', 'replies')} in no format, counted as {usual}")
        return usual

    def _format_of(self, found: Transcript) -> str:
        """Return the format of a reply: that beside it, the only one asked for, what it looks like, or nothing."""
        if "format" in found.facts:
            return found.facts["format"]
        if len(self._wanted) == 1:
            return self._wanted[0]
        if not found.text:
            return ""
        dialect = self._processor.detect(found.text).dialect
        name = _agent_format_of(found.text) if dialect is None else dialect.name
        return "" if self._wanted and name not in self._wanted else name

    @cached_property
    def _processor(self) -> SymOpsProcessor:
        return SymOpsProcessor()

    def _read_folder(self) -> Iterator[Transcript]:
        if not self.path.is_dir():
            raise SymOpsError(f"{self.path}: there is no such file or folder of transcripts")
        for name, path, is_link in sorted(_walk(self.path)):
            if is_link:  # it may lead anywhere: to what is no transcript, and is nobody else's to see
                self._digest.update(f"{name}\na link\n".encode("utf-8", "surrogateescape"))
                yield Transcript(_printable(name), _printable(str(path)), None, "a link, which is not followed")
                continue
            if path.suffix in _SIDECARS:
                self._bytes(name, path)
                continue
            first, _, rest = name.partition("/")
            given = {"format": first} if rest and not _refuse(first) else {}
            shown = rest if given else name
            if path.suffix == ".jsonl":
                yield from self._read_lines(path, shown, given)
                continue
            sidecars = [other for end in _SIDECARS for other in (path.with_suffix(end), Path(f"{path}{end}"))]
            said = next((self._read_sidecar(other) for other in sidecars if other.is_file()), {})
            yield _decode(self._bytes(name, path), _printable(shown), _printable(str(path)), {**given, **said})

    def _read_lines(self, path: Path, name: str, given: Mapping[str, str] | None = None) -> Iterator[Transcript]:
        for number, line in enumerate(self._bytes(name, path).split(b"\n"), 1):
            if not line.strip():
                continue
            where = f"{_printable(str(path))}:{number}"
            try:
                value = json.loads(line)
            except ValueError as error:
                raise SymOpsError(f"{where}: this is no JSON: {error}: each line is an object with a `text`") from None
            if not isinstance(value, dict) or not isinstance(value.get("text"), str):
                raise SymOpsError(f"{where}: this line has no `text`: each line is an object with the reply in `text`")
            self._note_ignored(value, where, ("text", "id"))
            facts = {**(given or {}), **_check_facts(value, where)}
            named = _printable(str(value.get("id", f"{name}:{number}")))
            yield Transcript(named, where, value["text"], facts=facts)

    def _read_sidecar(self, path: Path) -> dict[str, str]:
        value = _load_sidecar(path)
        self._note_ignored(value, _printable(str(path)))
        return _check_facts(value, str(path))

    def _note_ignored(self, value: Mapping[str, Any], where: str, more: Sequence[str] = ()) -> None:
        for name in value:
            if name not in (*_FACTS, *more):
                self._ignored[name].append(where)

    def _bytes(self, name: str, path: Path) -> bytes:
        data = read_bytes(path)
        self._digest.update(f"{name}\n{len(data)}\n".encode("utf-8", "surrogateescape"))
        self._digest.update(data)
        return data


def _walk(folder: Path) -> Iterator[tuple[str, Path, bool]]:
    """Yield the name, path and whether it is a link, of each file and link below a folder; no link is followed."""
    for entry in os.scandir(folder):
        path = folder / entry.name
        if entry.name.startswith("."):
            continue
        if entry.is_symlink() or getattr(path, "is_junction", bool)():
            yield entry.name, path, True
        elif entry.is_dir(follow_symlinks=False):
            yield from ((f"{entry.name}/{name}", inner, is_link) for name, inner, is_link in _walk(path))
        elif entry.is_file(follow_symlinks=False):
            yield entry.name, path, False


def _printable(name: str) -> str:
    r"""Return a name that every file and terminal can hold: a byte that is no UTF-8 is `\xff`, half a pair `\ud800`."""
    return (
        "".join(f"\\x{ord(sign) - 0xDC00:02x}" if "\udc80" <= sign <= "\udcff" else sign for sign in name)
        .encode("utf-8", "backslashreplace")
        .decode()
    )


def _decode(data: bytes, name: str, place: str, facts: Mapping[str, str]) -> Transcript:
    try:
        return Transcript(name, place, data.decode("utf-8"), facts=facts)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start} (line {line})"
        return Transcript(name, place, None, reason, facts)


def _load_sidecar(path: Path) -> dict[str, Any]:
    if path.is_symlink():
        raise SymOpsError(f"{_printable(str(path))}: a link is not followed: put a copy of the file there")
    try:
        text = path.read_text(encoding="utf-8").removeprefix(BOM)
        value = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError) as error:
        raise SymOpsError(f"{path}: cannot be read: {error}") from None
    if not isinstance(value, dict):
        raise SymOpsError(f"{path}: this is no object with {', '.join(_FACTS)}")
    return value


def _check_facts(value: Mapping[str, Any], where: str) -> dict[str, str]:
    """Return what is known of a reply."""
    facts = {name: value[name] for name in _FACTS if value.get(name) is not None}
    for name, fact in facts.items():
        if not isinstance(fact, str) or not fact:
            raise SymOpsError(f"{where}: {name!r} is {json.dumps(fact)}; it must be a text")
        facts[name] = _printable(fact)
    if facts.get("finish", "stop") not in {str(finish) for finish in Finish}:
        raise SymOpsError(f"{where}: 'finish' is {facts['finish']!r}; there are {', '.join(map(str, Finish))}")
    if why := _refuse(facts.get("format", "v2")):
        raise SymOpsError(f"{where}: {why}")
    return facts


def _load(settings: RunSettings) -> Transcripts:
    settings.check_options("path")
    path = settings.option("path")
    if path is None:
        raise SymOpsError("no transcripts are named: the source is the path of a folder, or of a file of JSON lines")
    return Transcripts(Path(path), settings.formats, settings.tasks)


SOURCES = {"transcripts": _load}
