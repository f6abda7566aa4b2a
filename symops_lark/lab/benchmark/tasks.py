"""Tasks: a request to a model, and the document that is the right reply. One Markdown file each.

`benchmarks/tasks/README.md` describes the files; in short:

    # A title

    - tags: collides, source-document
    - dictated: yes

    What a user asks, as Markdown.

    ## Reply

    - thought: One line.
    - create `src/slug.py` needs `src/words.py`

    ~~~ python
    the content; a fence of tildes longer than any in it, the word after it is for editors
    ~~~

    - run `pytest -q`

`tags`, `dictated` and `origin` (the source of foreign texts, and their license) may be left out.
The items of the reply are those of a document: `thought: …`, `vitals: confidence 0.9`, verbs with a
path or a command between backticks, `question: …` with choices (`  1. …`) below it, and
`error: Type at ``target``: message`.
"""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ...core.document import (
    VITAL_NAMES,
    Action,
    Document,
    ErrorNote,
    Question,
    Section,
    Thought,
    Vitals,
)
from ...core.grammar.loading import load_dialect
from ...core.ground.errors import SymOpsError
from ...core.ground.file_types import language_of
from ...core.ground.json_lines import read_bytes
from ...core.ground.resources import find_folder
from ...core.text.diagnostics import Diagnostic
from ...core.text.source import BOM, Source
from ...core.text.yaml_file import nearest
from .records import identify

WORDS = "v2"  # the dialect whose verbs replies have
_HEADING = "## Reply"
_KEYS = ("tags", "dictated", "origin")
# An action, such as - create `a.py` needs `b.py`. A command may need more backticks around it.
_ITEM = re.compile(
    r"- (?P<verb>[a-z][a-z0-9_-]*) (?P<ticks>`+)(?P<path>.+?)(?P=ticks)(?: needs (?P<needs>`.+`))?"
)
_NOTE = re.compile(r"- (?P<kind>thought|vitals|question|error): (?P<text>\S.*)")
_ERROR = re.compile(r"(?P<type>[^\s:]+)(?: at `(?P<target>[^`]+)`)?(?:[:] (?P<message>.+))?")
_VITAL = re.compile(rf"({'|'.join(VITAL_NAMES.values())}) ([01](?:\.[0-9]+)?)")
_FENCE = re.compile(r"(?P<mark>~{3,}|`{3,})[ \t]*(?P<info>(?:[^`~ \t][^`]*)?)")
_CHOICE = re.compile(r"  [0-9]+\. (\S.*)")
_PATH = re.compile(r"`([^`]+)`(?:, |$)")


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        name: Its name.
        request: The request.
        document: The right reply.
        dictated: Whether the request contains the exact text of each file. Only then can the reply
            of a model be compared.
        languages: The languages of its files.
        tags: Its special properties, such as `collides`.
        fingerprint: A hash of its file.
    """

    name: str
    request: str
    document: Document
    dictated: bool
    languages: tuple[str, ...]
    tags: tuple[str, ...]
    fingerprint: str


def load_tasks(selection: Sequence[str] = ()) -> tuple[Task, ...]:
    """Return the tasks of a selection, each once.

    Args:
        selection: Names, globs, folders or files (`./mine/`, `one.md`). Empty: all installed tasks.

    Raises:
        SymOpsError: A task does not exist or is wrong, or two have the same name.
    """
    own = {path.stem: path for path in _files(find_folder("benchmarks/tasks"))}
    chosen: dict[str, Path] = {}
    for item in selection or ("*",):
        for path in _choose(item, own):
            # Names and globs of a selection may overlap.
            first = chosen.setdefault(path.stem, path)
            if not first.samefile(path):
                raise SymOpsError(f"two tasks are called {path.stem!r}: {first} and {path}")
    return tuple(map(read_task, chosen.values()))


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.md") if path.stem != "README")


def _choose(item: str, own: dict[str, Path]) -> list[Path]:
    """Return the files of one item of a selection."""
    path = Path(item)
    if item.endswith(".md") or "/" in item or path.is_absolute() or item in (".", ".."):
        if path.is_file():
            return [path]
        if not path.is_dir():
            raise SymOpsError(f"{item}: there is no such file or folder of tasks")
        files = _files(path)
        if not files:
            raise SymOpsError(f"{item}: the folder has no task (*.md)")
        return files
    names = [name for name in own if fnmatch.fnmatchcase(name, item)]
    if not names:
        similar = difflib.get_close_matches(item, own, 3, 0.5)
        # Such as `slug` for `slugs-of-titles`.
        similar = similar or [name for name in own if item in name][:3]
        guess = f"; did you mean {' or '.join(similar)}?" if similar else ""
        raise SymOpsError(
            f"no task is called {item!r}{guess} (symops bench tasks lists all; name a folder with "
            f"a slash, ./{item}/)"
        )
    return list(map(own.__getitem__, names))


def read_task(path: Path) -> Task:
    """Read the file of a task.

    Raises:
        SymOpsError: The file is wrong. The message begins with `file:line:column`.
    """
    try:
        text = read_bytes(path).decode("utf-8").removeprefix(BOM).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        byte = error.object[error.start]
        raise SymOpsError(f"{path}:{line}: not UTF-8: byte 0x{byte:02x}") from None
    return _Reader(Source(text, str(path))).read(path.stem)


class _Reader:
    """Reads one file from its first line to its last; `at` is the next line, from 0."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.lines = source.text.removesuffix("\n").split("\n")
        self.at = 0

    def read(self, name: str) -> Task:
        if not self.source.text.strip():
            raise self.wrong("the file is empty; a task begins with a title, `# …`")
        if not self.lines[0].startswith("# "):
            raise self.wrong("a task begins with a title, `# …`")
        self.at = 1
        header = self.read_header()
        request = self.read_request()
        document = Document(tuple(self.read_reply()), WORDS)
        if not document.sections:
            raise self.wrong("the reply is empty")
        dictated = header.get("dictated") == "yes"
        paths = [action.path for action in document.actions if not _runs(action)]
        return Task(
            name,
            dictate(request, document) if dictated else request,
            document,
            dictated,
            tuple(filter(None, dict.fromkeys(map(language_of, paths)))),
            tuple(filter(None, map(str.strip, header.get("tags", "").split(",")))),
            identify(task=self.source.text),
        )

    def wrong(
        self, reason: str, line: int | None = None, column: int = 1, hint: str = ""
    ) -> SymOpsError:
        """Return the error about a line, from 0; by default the next one."""
        number = min(self.at if line is None else line, len(self.lines) - 1)
        start = self.source.line_starts[number] + column - 1
        end = max(start, self.source.line_starts[number] + len(self.lines[number]))
        error = Diagnostic("task", reason, self.source.span(start, end), hint=hint)
        return SymOpsError(error.draw(self.source))

    @property
    def line(self) -> str:
        """The next line; empty after the last one."""
        return self.lines[self.at] if self.at < len(self.lines) else ""

    def skip_blank(self) -> None:
        while self.at < len(self.lines) and not self.line.strip():
            self.at += 1

    def read_header(self) -> dict[str, str]:
        self.skip_blank()
        header = {}
        while self.line.startswith("- "):
            key, colon, value = self.line[2:].partition(":")
            if not colon or key not in _KEYS:
                similar = nearest(key, _KEYS)
                raise self.wrong(
                    f"unknown key {key!r}; there are {', '.join(_KEYS)}",
                    column=3,
                    hint=f"did you mean {similar}?" if similar else "",
                )
            if key in header:
                raise self.wrong(f"the key {key!r} is there twice", column=3)
            if key == "dictated" and value.strip() not in ("yes", "no"):
                raise self.wrong("dictated is `yes` or `no`", column=len(key) + 5)
            header[key] = value.strip()
            self.at += 1
        return header

    def read_request(self) -> str:
        """Read up to the heading of the reply; inside a fence of the request, it does not count."""
        first = opened = self.at
        # Headings inside a code block of the request do not count.
        mark = hint = ""
        for number in range(first, len(self.lines)):
            line = self.lines[number]
            fence = _FENCE.fullmatch(line)
            if mark:
                if line.rstrip() == _HEADING:
                    hint = f"that of line {number + 1} is inside the fence of line {opened + 1}"
                if _closes(line, mark):
                    mark = ""
            elif fence:
                mark, opened = fence["mark"], number
            elif line.rstrip() == _HEADING:
                self.at = number + 1
                request = "\n".join(self.lines[first:number]).strip("\n")
                if not request.strip():
                    raise self.wrong("there is no request: nothing is above the reply", number)
                return request
        if mark:
            raise self.wrong("the fence is never closed", opened)
        last = len(self.lines) - 1
        raise self.wrong(f"there is no reply: a heading `{_HEADING}` is missing", last, hint=hint)

    def read_reply(self) -> Iterator[Section]:
        lines_by_path: dict[str, int] = {}
        self.skip_blank()
        while self.at < len(self.lines):
            number = self.at
            line = self.line
            if note := _NOTE.fullmatch(line):
                self.at += 1
                yield self.read_note(note)
            elif item := _ITEM.fullmatch(line):
                self.at += 1
                action = self.read_action(item, number)
                # A command may be run twice.
                before = number
                if not _runs(action):
                    before = lines_by_path.setdefault(action.path, number)
                if before != number:
                    raise self.wrong(
                        f"{action.path!r} is already in line {before + 1}: "
                        "a reply does one thing with a file",
                        number,
                        item.start("path") + 1,
                    )
                yield action
            elif _FENCE.fullmatch(line):
                raise self.wrong(
                    "this fence belongs to no action: an item such as - create `path` is above it"
                )
            else:
                raise self.wrong(
                    "this is not an item of a reply; a content needs a fence of tildes around it",
                    hint="items are: - thought: …, - vitals: …, - create `path`, - run `command`, "
                    "- question: …, - error: …",
                )
            self.skip_blank()

    def read_note(self, note: re.Match[str]) -> Section:
        number = self.at - 1
        text = note["text"]
        column = note.start("text") + 1
        if note["kind"] == "thought":
            return Thought(text)
        if note["kind"] == "question":
            choices = []
            while choice := _CHOICE.fullmatch(self.line):
                choices.append(choice[1])
                self.at += 1
            return Question(text, tuple(choices))
        if note["kind"] == "error":
            error = _ERROR.fullmatch(text)
            if error is None:
                message = "an error is written as: error: Type at `target`: message"
                raise self.wrong(message, number, column)
            return ErrorNote(error["type"], error["target"], error["message"])
        values = []
        for word in text.split(", "):
            vital = _VITAL.fullmatch(word)
            if vital is None:
                raise self.wrong(
                    f"{word!r} is not a vital: write one of {', '.join(VITAL_NAMES.values())} "
                    "and a number from 0 to 1",
                    number,
                    column,
                )
            values.append((vital[1], float(vital[2])))
        return Vitals(tuple(values))

    def read_action(self, item: re.Match[str], number: int) -> Action:
        verb = item["verb"]
        text = item["needs"] or ""
        verbs = load_dialect(WORDS).verbs
        all_verbs = list(chain.from_iterable(verbs.values()))
        if verb not in all_verbs:
            names = ", ".join(all_verbs)
            raise self.wrong(f"no action is called {verb!r}; there are {names}", number, 3)
        needs = tuple(_PATH.findall(text))
        # Written again, they are the same: nothing else is between the backticks.
        if ", ".join(f"`{path}`" for path in needs) != text:
            column = item.start("needs") + 1
            raise self.wrong("dependencies are written as: needs `one`, `two`", number, column)
        content = self.read_content(number) if verb in verbs["writing"] else None
        return Action(verb, item["path"], content, needs)

    def read_content(self, number: int) -> str:
        self.skip_blank()
        fence = _FENCE.fullmatch(self.line)
        if fence is None or fence["mark"][0] != "~":
            raise self.wrong("the content of a file belongs below it, in a fence of tildes", number)
        first = self.at + 1
        for last in range(first, len(self.lines)):
            if _closes(self.lines[last], fence["mark"]):
                self.at = last + 1
                return "\n".join(self.lines[first:last])
        raise self.wrong("the fence is never closed")


def _closes(line: str, mark: str) -> bool:
    # As in Markdown, a closing fence may be longer than the opening one.
    return line.startswith(mark) and not line.strip(mark[0] + " \t")


def _runs(action: Action) -> bool:
    return action.type in load_dialect(WORDS).verbs["running"]


def dictate(request: str, document: Document) -> str:
    """Add to a request each step of a document, and the exact text of each file.

    The words are those of no format.
    """
    steps = ["Do exactly this, in this order, and nothing else:", ""]
    # A part of the requests, and so of recorded runs: the words stay.
    files = ["The exact text of each file stands between the tags, which do not belong to it."]
    for number, action in enumerate(document.actions, 1):
        target = "the command" if _runs(action) else "the file"
        step = f"{number}. {action.type} {target} {action.path}"
        if action.dependencies:
            step += f", which depends on {' and '.join(action.dependencies)}"
        steps.append(step)
        if action.content is not None:
            # An empty file has no line at all.
            end = "\n" if action.content else ""
            files += ["", f'<file path="{action.path}">\n{action.content}{end}</file>']
    if len(files) > 1:
        steps += ["", *files]
    return "\n".join([request, "", *steps])
