"""Tasks: what is asked of a model, and the document that would be right. One Markdown file each.

`benchmarks/tasks/README.md` tells all of it; in short:

    # A title

    - tags: collides, source-document
    - dictated: yes

    What a user asks, as Markdown.

    ## Reply

    - thought: One line.
    - create `src/slug.py` needs `src/words.py`

    ~~~ python
    the content; a fence of tildes longer than any in it, the word behind it is for editors
    ~~~

    - run `pytest -q`

`tags`, `dictated` and `origin` (where texts that are not ours come from, and their licence) may be left out. Items of
the reply are those of a document: `thought: …`, `vitals: confidence 0.9`, verbs with a path or a command between
backticks, `question: …` with choices (`  1. …`) below it, and `error: Type at ``target``: message`.
"""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...core.document import VITAL_NAMES, Action, Document, ErrorNote, Question, Section, Thought, Vitals
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
_KEYS = ("tags", "dictated", "origin")
_ITEM = re.compile(r"- (?P<verb>[a-z][a-z0-9_-]*) (?P<ticks>`+)(?P<path>.+?)(?P=ticks)(?: needs (?P<needs>`.+`))?")
_NOTE = re.compile(r"- (?P<kind>thought|vitals|question|error): (?P<text>\S.*)")
_ERROR = re.compile(r"(?P<type>[^\s:]+)(?: at `(?P<target>[^`]+)`)?(?:[:] (?P<message>.+))?")
_FENCE = re.compile(r"(?P<mark>~{3,}|`{3,})[ \t]*(?P<info>[^`]*)")
_CHOICE = re.compile(r"  [0-9]+\. (\S.*)")
_PATH = re.compile(r"`([^`]+)`(?:, |$)")


@dataclass(frozen=True, slots=True)
class Task:
    """One task. `dictated`: the request names every file's exact text, so that a model's reply can be compared.

    `languages` are those of its files, `tags` what is special about it (such as `collides`), `fingerprint` a hash of
    its file.
    """

    name: str
    request: str
    document: Document
    dictated: bool
    languages: tuple[str, ...]
    tags: tuple[str, ...]
    fingerprint: str


def load_tasks(selection: Sequence[str] = ()) -> tuple[Task, ...]:
    """Return the tasks of some names, globs, folders or files (`./mine/`, `one.md`); all that we have without any.

    Each comes once, by name within what was asked for. Raises `SymOpsError` for what is not there or wrong.
    """
    own = {path.stem: path for path in _files(find_folder("benchmarks/tasks"))}
    chosen: dict[str, Path] = {}
    for item in selection or ("*",):
        for path in _choose(item, own):
            if not chosen.setdefault(path.stem, path).samefile(path):
                raise SymOpsError(f"two tasks are called {path.stem!r}: {chosen[path.stem]} and {path}")
    return tuple(read_task(path) for path in chosen.values())


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.md") if path.stem != "README")


def _choose(item: str, own: dict[str, Path]) -> list[Path]:
    """Return the files that one item of a selection means."""
    path = Path(item)
    if item.endswith(".md") or "/" in item or path.is_absolute() or item in (".", ".."):
        found = _files(path) if path.is_dir() else [path] if path.is_file() else []
        if not found:
            what = "the folder has no task (*.md)" if path.is_dir() else "there is no such file or folder of tasks"
            raise SymOpsError(f"{item}: {what}")
        return found
    names = [name for name in own if fnmatch.fnmatchcase(name, item)]
    if not names:
        near = difflib.get_close_matches(item, own, 3, 0.5) or [name for name in own if item in name][:3]
        guess = f"; did you mean {' or '.join(near)}?" if near else ""
        raise SymOpsError(
            f"no task is called {item!r}{guess} (symops bench tasks lists all; a folder of your own is "
            f"named with a slash, ./{item}/)"
        )
    return [own[name] for name in names]


def read_task(path: Path) -> Task:
    """Read the file of a task; raises `SymOpsError` with file, line and column for what is wrong in it."""
    try:
        text = read_bytes(path).decode("utf-8").removeprefix(BOM).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SymOpsError(f"{path}:{line}: not UTF-8: byte 0x{error.object[error.start]:02x}") from None
    return _Reader(Source(text, str(path))).read(path.stem)


class _Reader:
    """Reads one file from its first line to its last; `at` is the line (from 0) that comes next."""

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
        dictated = header.get("dictated", "no") == "yes"
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

    def wrong(self, reason: str, line: int | None = None, column: int = 1, hint: str = "") -> SymOpsError:
        """Return the error about a line (from 0; the next one if not given)."""
        number = min(self.at if line is None else line, len(self.lines) - 1)
        start = self.source.line_starts[number] + column - 1
        end = max(start, self.source.line_starts[number] + len(self.lines[number]))
        return SymOpsError(Diagnostic("task", reason, self.source.span(start, end), hint=hint).draw(self.source))

    def skip_blank(self) -> None:
        while self.at < len(self.lines) and not self.lines[self.at].strip():
            self.at += 1

    def read_header(self) -> dict[str, str]:
        self.skip_blank()
        found: dict[str, str] = {}
        while self.at < len(self.lines) and self.lines[self.at].startswith("- "):
            key, colon, value = self.lines[self.at][2:].partition(":")
            if not colon or key not in _KEYS:
                hint = f"did you mean {near}?" if (near := nearest(key, _KEYS)) else ""
                raise self.wrong(f"unknown key {key!r}; there are {', '.join(_KEYS)}", column=3, hint=hint)
            if key in found:
                raise self.wrong(f"the key {key!r} is there twice", column=3)
            if key == "dictated" and value.strip() not in ("yes", "no"):
                raise self.wrong("dictated is `yes` or `no`", column=len(key) + 5)
            found[key] = value.strip()
            self.at += 1
        return found

    def read_request(self) -> str:
        """Read up to the heading of the reply, which may also stand inside a fence of the request."""
        first = opened = self.at
        mark = hint = ""
        for number in range(first, len(self.lines)):
            line = self.lines[number]
            fence = _FENCE.fullmatch(line)
            if mark:
                if line.rstrip() == "## Reply":
                    hint = f"that of line {number + 1} stands inside the fence of line {opened + 1}"
                mark = "" if _closes(line, mark) else mark
            elif fence:
                mark, opened = fence["mark"], number
            elif line.rstrip() == "## Reply":
                self.at = number + 1
                request = "\n".join(self.lines[first:number]).strip("\n")
                if not request.strip():
                    raise self.wrong("there is no request: nothing stands above the reply", number)
                return request
        if mark:
            raise self.wrong("the fence is never closed", opened)
        raise self.wrong("there is no reply: a heading `## Reply` is missing", len(self.lines) - 1, hint=hint)

    def read_reply(self) -> Iterator[Section]:
        taken: dict[str, int] = {}
        self.skip_blank()
        while self.at < len(self.lines):
            line, number = self.lines[self.at], self.at
            if note := _NOTE.fullmatch(line):
                self.at += 1
                yield self.read_note(note)
            elif item := _ITEM.fullmatch(line):
                self.at += 1
                action = self.read_action(item, number)
                if not _runs(action):
                    before = taken.setdefault(action.path, number)
                    if before != number:
                        raise self.wrong(
                            f"{action.path!r} is already in line {before + 1}: a reply does one thing with a file",
                            number,
                            item.start("path") + 1,
                        )
                yield action
            elif _FENCE.fullmatch(line):
                raise self.wrong("this fence belongs to no action: an item such as - create `path` stands above it")
            else:
                raise self.wrong(
                    "this is no item of a reply, and content stands in a fence of tildes",
                    hint="items are: - thought: …, - vitals: …, - create `path`, - run `command`, "
                    "- question: …, - error: …",
                )
            self.skip_blank()

    def read_note(self, note: re.Match[str]) -> Section:
        number, text, column = self.at - 1, note["text"], note.start("text") + 1
        if note["kind"] == "thought":
            return Thought(text)
        if note["kind"] == "question":
            choices = []
            while self.at < len(self.lines) and (choice := _CHOICE.fullmatch(self.lines[self.at])):
                choices.append(choice[1])
                self.at += 1
            return Question(text, tuple(choices))
        if note["kind"] == "error":
            error = _ERROR.fullmatch(text)
            if error is None:
                raise self.wrong("an error is written as: error: Type at `target`: message", number, column)
            return ErrorNote(error["type"], error["target"], error["message"])
        values = []
        for word in text.split(", "):
            name, _, value = word.partition(" ")
            if name not in VITAL_NAMES.values() or not re.fullmatch(r"[01](\.[0-9]+)?", value):
                raise self.wrong(
                    f"{word!r} is no vital: it is one of {', '.join(VITAL_NAMES.values())} and a number from 0 to 1",
                    number,
                    column,
                )
            values.append((name, float(value)))
        return Vitals(tuple(values))

    def read_action(self, item: re.Match[str], number: int) -> Action:
        verbs = load_dialect(WORDS).verbs
        group = next((group for group, words in verbs.items() if item["verb"] in words), None)
        if group is None:
            known = [word for words in verbs.values() for word in words]
            raise self.wrong(f"no action is called {item['verb']!r}; there are {', '.join(known)}", number, 3)
        needs = tuple(_PATH.findall(item["needs"] or ""))
        if ", ".join(f"`{path}`" for path in needs) != (item["needs"] or ""):
            raise self.wrong("dependencies are written as: needs `one`, `two`", number, item.start("needs") + 1)
        content = self.read_content(number) if group == "writing" else None
        return Action(item["verb"], item["path"], content, needs)

    def read_content(self, number: int) -> str:
        self.skip_blank()
        fence = _FENCE.fullmatch(self.lines[self.at]) if self.at < len(self.lines) else None
        if fence is None or fence["mark"][0] != "~":
            raise self.wrong("the content of a file stands below its item, in a fence of tildes", number)
        first = self.at + 1
        for last in range(first, len(self.lines)):
            if _closes(self.lines[last], fence["mark"]):
                self.at = last + 1
                return "\n".join(self.lines[first:last])
        raise self.wrong("the fence is never closed")


def _closes(line: str, mark: str) -> bool:
    return line.startswith(mark) and not line.strip(mark[0] + " \t")


def _runs(action: Action) -> bool:
    return action.type in load_dialect(WORDS).verbs["running"]


def dictate(request: str, document: Document) -> str:
    """Add to a request every step of a document in order, and the exact text of every file, in no format's words."""
    steps = ["Do exactly this, in this order, and nothing else:", ""]
    files = ["The exact text of each file stands between the tags, which do not belong to it."]
    for number, action in enumerate(document.actions, 1):
        after = f", which depends on {' and '.join(action.dependencies)}" if action.dependencies else ""
        what = "the command" if _runs(action) else "the file"
        steps.append(f"{number}. {action.type} {what} {action.path}{after}")
        if action.content is not None:
            end = "\n" if action.content else ""
            files += ["", f'<file path="{action.path}">\n{action.content}{end}</file>']
    return "\n".join([request, "", *steps, *(["", *files] if len(files) > 1 else [])])
