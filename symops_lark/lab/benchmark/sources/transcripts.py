"""Recorded replies: a folder of text files, one reply each, or JSON lines with a `text`.

The facts about a reply are beside it in `NAME.toml` or `NAME.json`, or in its JSON line: `format`,
`task`, `model`, `finish`, and `id` in lines. The format may also be the name of the first folder;
else it is detected from the text. A text in no format counts for the format of most others, unless
more texts than these are in no format.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from ....core.formats.documents import read_format
from ....core.formats.loading import formats
from ....core.ground.errors import SymOpsError
from ....core.ground.json_lines import read_bytes
from ....core.ground.numbers import counted
from ....core.processor import SymOpsProcessor
from ....core.replies.messages import Finish, ModelError, Reply
from ..faults.endings import recorded_endings
from ..formats import Format
from ..formats.foreign import Foreign
from ..records import Case, Provenance
from ..settings import RunSettings
from ..tasks import Task
from . import Given, meant
from .transcript_files import (
    FACTS,
    SIDECARS,
    Transcript,
    check_facts,
    decode,
    load_sidecar,
    printable,
    refuse,
    sidecars,
    walk,
)

_FIELDS = ", ".join(("text", "id", *FACTS))


def _agent_format_of(text: str) -> str:
    """Return the format of another agent that a reply is in; empty if there is not exactly one."""
    # Several formats give no actions: it is not certain which one was meant.
    document = read_format(text)
    return document.dialect if document.actions and document.dialect in formats() else ""


class Transcripts:
    """The replies of a folder, or of a file of JSON lines."""

    def __init__(
        self, path: Path, formats: tuple[str, ...], selected: tuple[str, ...] = ()
    ) -> None:
        self.path = path
        self._names = formats
        self._selected = selected
        self._digest = hashlib.sha256()
        self._remarks: list[str] = []
        # The places of each unknown field.
        self._ignored: dict[str, list[str]] = defaultdict(list)
        replies = self._read_lines(path, path.name) if path.is_file() else self._read_folder()
        self._replies = list(replies)
        if not self._replies:
            raise SymOpsError(
                f"{path}: there are no replies: expected a folder of text files, or a file of JSON "
                "lines"
            )
        self.provenance = Provenance("replayed", (("hash", self._digest.hexdigest()[:16]),))

    @property
    def remarks(self) -> Sequence[str]:
        """The assumptions about the replies, as sentences for the user."""
        # Looking for the format of each reply adds remarks.
        _ = self._cases
        remarks = list(self._remarks)
        for name, places in self._ignored.items():
            times = counted(len(places), "time")
            remarks.append(
                f"{places[0]}: the field {name!r} is ignored ({times}); there are {_FIELDS}"
            )
        return remarks

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats that the replies are in."""
        return self._names or tuple(sorted({case.format for case in self._cases}))

    def cases(
        self, formats: tuple[Format, ...], tasks: tuple[Task, ...], repetitions: int
    ) -> Iterator[Case]:
        """Return a case for each reply, named by its task, or else by its file.

        The replies of one model to one task in one format are its repetitions.

        Args:
            formats: The formats; replies in others are left out.
            tasks: The tasks; if tasks were selected, replies to others are left out.
            repetitions: Not used: the recordings decide.
        """
        names = {format.name for format in formats}
        # A selection leaves out replies, so an unknown task is not a mistake then.
        chosen = {task.name for task in tasks} if self._selected else None
        if chosen is None:
            self._note_unknown({task.name for task in tasks})
        return (
            case
            for case in self._cases
            if case.format in names and (chosen is None or case.task in chosen)
        )

    def give(self, case: Case, format: Format, task: Task | None) -> Given:
        """Return the reply of a case.

        Args:
            case: The case.
            format: The format of the case.
            task: The task of the case, if it is known.

        Raises:
            ModelError: The file is not a text.
        """
        transcript = self._cases[case]
        text = transcript.text
        if text is None:
            raise ModelError(f"{transcript.place}: {transcript.reason}")
        finish = Finish(transcript.facts.get("finish", "unknown"))
        messages = format.teach(task.request) if task is not None else ()
        expected = meant(format, task)
        if expected is not None:
            # The contents of a task have line feeds; the recorder may have written other endings.
            plain = text.replace("\r\n", "\n")
            foreign = isinstance(format, Foreign)
            expected = tuple(recorded_endings(text).expect(plain, expected, foreign=foreign))
        reply = Reply(text, finish, None, transcript.facts.get("model", ""))
        return Given(reply, messages, expected)

    @cached_property
    def _cases(self) -> dict[Case, Transcript]:
        """The replies with their cases, in the order of their names."""
        formats = list(map(self._format_of, self._replies))
        usual = self._choose_usual(formats)
        # The number of the next repetition.
        count: Counter[tuple[str, str, str]] = Counter()
        cases = {}
        for reply, name in zip(self._replies, formats, strict=True):
            format = name or usual
            task = reply.facts.get("task", reply.name)
            model = reply.facts.get("model", "")
            repetition = count[format, task, model]
            cases[Case(format, task, repetition, model)] = reply
            count[format, task, model] += 1
        return cases

    def _note_unknown(self, names: Collection[str]) -> None:
        """Add a remark on each unknown task: replies with a wrong name are not compared."""
        unknown = defaultdict(list)
        for reply in self._replies:
            task = reply.facts.get("task")
            if task is not None and task not in names:
                unknown[task].append(reply.place)
        for task, places in unknown.items():
            near = get_close_matches(task, sorted(names), 1)
            hint = f"did you mean {near[0]}?" if near else "see `symops bench tasks`"
            number = counted(len(places), "reply is", "replies are")
            self._remarks.append(
                f"{places[0]}: there is no task {task!r}; {hint} {number} counted without a task"
            )

    def _choose_usual(self, formats: Sequence[str]) -> str:
        """Return the format that replies in no format count for, and add remarks on it.

        Raises:
            SymOpsError: Several formats are named and a reply does not say in which of them it is,
                or too few replies are in a format to guess that of the others.
        """
        detected: Counter[str] = Counter()
        unsure = 0  # replies without the name of a format
        lost = 0  # replies in no format
        for name, reply in zip(formats, self._replies, strict=True):
            if name and "format" not in reply.facts:
                detected[name] += 1
            # A reply that cannot be read counts for no format.
            if reply.text is not None:
                unsure += "format" not in reply.facts
                lost += not name
        if unsure and len(self._names) > 1:
            raise SymOpsError(
                f"{self.path}: {counted(unsure, 'reply has', 'replies have')} no `format`, and "
                f"several formats are named: name one of {', '.join(self._names)}, or add "
                "the `format` to each reply"
            )
        if len(self._names) == 1:
            return self._names[0]
        counts = Counter(filter(None, formats))
        # Of equally frequent formats, the first by name.
        usual = min(counts, key=lambda name: (-counts[name], name), default="v2")
        if lost > counts[usual]:
            # A guess for most replies would be worth nothing.
            replies = counted(len(self._replies), "reply is", "replies are")
            raise SymOpsError(
                f"{self.path}: {lost:,} of {replies} "
                "in no format, so theirs cannot be guessed: name the format that the model was "
                "asked for, as with `-f v2`, or add the `format` to each reply"
            )
        if detected:
            names = [f"{name} ({number:,})" for name, number in sorted(detected.items())]
            self._remarks.append(f"formats were detected from the texts: {', '.join(names)}")
        if lost:
            self._remarks.append(
                f"{counted(lost, 'reply', 'replies')} in no format, counted as {usual}"
            )
        return usual

    def _format_of(self, reply: Transcript) -> str:
        """Return the format of a reply; empty if it is in none.

        It is that of its facts, the only one that was requested, or the one that was detected.
        """
        if "format" in reply.facts:
            return reply.facts["format"]
        # It was requested, so a text that looks like another one is a broken reply.
        if len(self._names) == 1:
            return self._names[0]
        if not reply.text:
            return ""
        dialect = self._processor.detect(reply.text).dialect
        name = _agent_format_of(reply.text) if dialect is None else dialect.name
        if self._names and name not in self._names:
            return ""
        return name

    @cached_property
    def _processor(self) -> SymOpsProcessor:
        # Its dialects are loaded once, and only if a format must be detected.
        return SymOpsProcessor()

    def _read_folder(self) -> Iterator[Transcript]:
        if not self.path.is_dir():
            raise SymOpsError(f"{self.path}: there is no such file or folder of transcripts")
        for name, path, is_link in sorted(walk(self.path)):
            if is_link:
                # It may lead to private files, which must not be in a log.
                self._digest.update(f"{name}\na link\n".encode("utf-8", "surrogateescape"))
                reason = "a link, which is not followed"
                yield Transcript(printable(name), printable(str(path)), None, reason)
                continue
            if path.suffix in SIDECARS:
                # It is part of the data, but not a reply.
                self._bytes(name, path)
                continue
            facts = {}
            label = name
            first, _, remaining = name.partition("/")
            if remaining and not refuse(first):
                facts["format"] = first
                label = remaining
            if path.suffix == ".jsonl":
                yield from self._read_lines(path, label, facts)
                continue
            for sidecar in sidecars(path):
                if sidecar.is_file():
                    facts |= self._read_sidecar(sidecar)
                    break
            data = self._bytes(name, path)
            yield decode(data, printable(label), printable(str(path)), facts)

    def _read_lines(
        self, path: Path, name: str, shared: Mapping[str, str] | None = None
    ) -> Iterator[Transcript]:
        """Yield the replies of a file of JSON lines; `shared` are facts of all of them."""
        for number, line in enumerate(self._bytes(name, path).split(b"\n"), 1):
            if not line.strip():
                continue
            where = f"{printable(str(path))}:{number}"
            try:
                value = json.loads(line)
            except ValueError as error:
                raise SymOpsError(
                    f"{where}: this is not JSON: {error}: each line is an object with a `text`"
                ) from None
            if not isinstance(value, dict) or not isinstance(value.get("text"), str):
                raise SymOpsError(
                    f"{where}: this line has no `text`: each line is an object with the reply in "
                    "`text`"
                )
            self._note_ignored(value, where, {"text", "id"})
            facts = {**(shared or {}), **check_facts(value, where)}
            label = printable(str(value.get("id", f"{name}:{number}")))
            yield Transcript(label, where, value["text"], facts=facts)

    def _read_sidecar(self, path: Path) -> dict[str, str]:
        value = load_sidecar(path)
        self._note_ignored(value, printable(str(path)))
        return check_facts(value, str(path))

    def _note_ignored(
        self, value: Mapping[str, Any], where: str, fields: Collection[str] = ()
    ) -> None:
        for name in value:
            if name not in FACTS and name not in fields:
                self._ignored[name].append(where)

    def _bytes(self, name: str, path: Path) -> bytes:
        """Return the content of a file, and add it to the hash of the data."""
        data = read_bytes(path)
        self._digest.update(f"{name}\n{len(data)}\n".encode("utf-8", "surrogateescape"))
        self._digest.update(data)
        return data


def _load(settings: RunSettings) -> Transcripts:
    settings.check_options("path")
    settings.check_unused("repetitions", "seed", "max_tokens", "temperature")
    path = settings.option("path")
    if path is None:
        raise SymOpsError(
            "no transcripts are named: the source is the path of a folder, or of a file of JSON "
            "lines"
        )
    return Transcripts(Path(path), settings.formats, settings.tasks)


SOURCES = {"transcripts": _load}
