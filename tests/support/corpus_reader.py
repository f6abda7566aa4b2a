"""Reads and rewrites the Markdown corpus: `##` names a case, tilde fences hold its input and its facets.

    ## a name
    Prose that says why.

    ~~~ v2
    the input; the info string may name the dialect (v2 if it does not)
    ~~~

    ~~~ document
    what the strict parser makes of it
    ~~~

A text fence may carry flags: `escapes` (`\\r`, `\\t`, `\\u2028` … are written out), `unended` (no newline at its end).
A facet may carry `wanted`: it is right, but the library does not do it yet (the test must fail until it does).
Whatever could make a case pass without testing anything is refused: see `CorpusError`'s uses.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from repository import ROOT, TESTS

Changes = defaultdict[Path, dict[tuple[str, str], str]]  # new texts by file, case and facet

DIALECTS = ("plain", "v1", "v2", "v2_1", "v2_attributes", "v2_end_marked", "v2_long_fence", "v2_numbered")
OUTLINES = ("document", "error", "recovered", "processed", "diagnostics", "events", "plan")
TEXTS = ("repaired", *DIALECTS)
FLAGS = ("escapes", "unended", "wanted")

_FENCE = re.compile(r"(~{3,})[ \t]*(.*?)[ \t]*")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*")
_SKIPPED = re.compile(r"^skipped, ", re.MULTILINE)
_FINDING = re.compile(r"^\d+:\d+ ", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)")
_SHORT = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\\\": "\\"}


class CorpusError(Exception):
    """A corpus file is not what it should be; the message begins with `file:line:`."""


@dataclass(frozen=True)
class Fence:
    """A fence of a case: its name (a facet's or a dialect's), its text, and its lines in the file (0-based)."""

    name: str
    text: str
    first: int
    last: int
    wanted: bool = False


@dataclass(frozen=True)
class Case:
    """One case: an input in a dialect, and what is expected of it."""

    path: Path
    name: str
    line: int
    dialect: str
    text: str
    facets: Mapping[str, Fence] = field(hash=False)

    @property
    def id(self) -> str:
        """What a test of the case is called."""
        return f"{self.path.stem}:{self.name.replace(' ', '-')}"


def corpus_files() -> list[Path]:
    """Give every file with cases: the corpus, the language reference, the examples that prompts show."""
    examples = sorted((ROOT / "symops_lark" / "models" / "prompts" / "examples").glob("*.md"))
    assert examples, "the examples of the prompts have moved"
    return [*sorted((TESTS / "corpus").glob("*.md")), ROOT / "grammars" / "README.md", *examples]


def read_cases(path: Path) -> tuple[Case, ...]:
    """Read the cases of one file; a heading without a fence is prose in README files, and an error elsewhere."""
    lines = path.read_text(encoding="utf-8").split("\n")
    cases: dict[str, Case] = {}
    for name, line, fences in _split(path, lines):
        if not fences:
            if path.name == "README.md":
                continue
            raise CorpusError(f"{path}:{line}: the case {name!r} has no fence")
        case = _case(path, name, line, fences)
        if name in cases:
            raise CorpusError(f"{path}:{line}: the name {name!r} is taken by line {cases[name].line}")
        cases[name] = case
    if not cases:
        raise CorpusError(f"{path}:1: the file has no case")
    return tuple(cases.values())


def read_corpus(paths: Iterable[Path]) -> tuple[Case, ...]:
    """Read the cases of all files; no file at all is an error, and so is a name that two files use."""
    cases: dict[str, Case] = {}
    for path in paths:
        for case in read_cases(path):
            if case.id in cases:
                raise CorpusError(f"{path}:{case.line}: the name {case.id!r} is taken")
            cases[case.id] = case
    if not cases:
        raise CorpusError("corpus:1: there is no corpus file")
    return tuple(cases.values())


def rewrite(path: Path, changes: Mapping[tuple[str, str], str]) -> None:
    """Write new texts into the fences of (case, facet) of one file."""
    lines = path.read_text(encoding="utf-8").split("\n")
    edits: list[tuple[Fence, str]] = []
    for case in read_cases(path):
        edits += [(case.facets[facet], text) for (name, facet), text in changes.items() if name == case.name]
    for fence, text in sorted(edits, key=lambda edit: -edit[0].first):
        lines[fence.first : fence.last + 1] = write_fence(fence.name, text)
    path.write_text("\n".join(lines), encoding="utf-8")


def write_fence(name: str, text: str) -> list[str]:
    """Give the lines of a fence that holds a text."""
    flags = [name]
    body = text
    if any(not _is_plain(line) for line in text.split("\n")) and name not in OUTLINES:
        flags.append("escapes")
        body = "\n".join(escape(line) for line in text.split("\n"))
    if body and not body.endswith("\n"):
        flags.append("unended")
        body += "\n"
    lines = body.split("\n")[:-1]
    longest = max((len(line) - len(line.lstrip("~")) for line in lines), default=0)
    mark = "~" * max(3, longest + 1)
    return [f"{mark} {' '.join(flags)}", *lines, mark]


def escape(line: str) -> str:
    """Write out what an editor would hide or change: control characters, odd blanks, blanks at the end."""
    body = line.rstrip(" ")
    out = "".join(c if c.isprintable() and c != "\\" else _escaped(c) for c in body)
    return out + "\\x20" * (len(line) - len(body))


def _escaped(character: str) -> str:
    for short, plain in _SHORT.items():
        if plain == character:
            return short
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _is_plain(line: str) -> bool:
    return line == line.rstrip(" ") and all(c.isprintable() for c in line)


def _unescape(text: str, fail: Callable[[str], CorpusError]) -> str:
    def replace(match: re.Match[str]) -> str:
        result = match[0]
        if result in _SHORT:
            return _SHORT[result]
        if len(result) > 2:
            digits = result[2:]  # behind a backslash and the letter u or x
            return chr(int(digits, 16))
        raise fail(f"the escape {result!r} is not known")

    return _ESCAPE.sub(replace, text)


def _split(path: Path, lines: list[str]) -> list[tuple[str, int, list[Fence]]]:
    """Split a file into its headings (below the title) with the fences under each."""
    result: list[tuple[str, int, list[Fence]]] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        heading, fence = _HEADING.fullmatch(line), _FENCE.fullmatch(line)
        if heading and len(heading[1]) > 1:
            result.append((heading[2], at + 1, []))
        elif line.startswith("```"):
            raise CorpusError(f"{path}:{at + 1}: fences of a corpus are written with tildes")
        elif fence:
            end = next((i for i in range(at + 1, len(lines)) if _closes(lines[i], fence[1])), None)
            if end is None:
                raise CorpusError(f"{path}:{at + 1}: the fence is never closed")
            if not result:
                raise CorpusError(f"{path}:{at + 1}: a fence above the first heading")
            result[-1][2].append(_fence(path, lines, at, end, fence[2]))
            at = end
        at += 1
    return result


def _closes(line: str, mark: str) -> bool:
    return line.startswith(mark) and not line.strip("~ \t")


def _fence(path: Path, lines: list[str], first: int, last: int, info: str) -> Fence:
    def fail(reason: str) -> CorpusError:
        return CorpusError(f"{path}:{first + 1}: {reason}")

    words = info.split()
    flags = [word for word in words if word in FLAGS]
    names = [word for word in words if word not in FLAGS]
    if len(names) > 1:
        raise fail(f"a fence has one name, this one has {names}")
    text = "".join(line + "\n" for line in lines[first + 1 : last])
    if "unended" in flags:
        text = text.removesuffix("\n")
    if "escapes" in flags:
        text = _unescape(text, fail)
    return Fence(names[0] if names else "", text, first, last, "wanted" in flags)


def _case(path: Path, name: str, line: int, fences: list[Fence]) -> Case:
    first, *remainder = fences
    if first.name and first.name not in DIALECTS:
        raise CorpusError(f"{path}:{first.first + 1}: {first.name!r} is no dialect: the first fence is the input")
    if not remainder:
        raise CorpusError(f"{path}:{line}: the case {name!r} has no facet, so it tests nothing")
    facets: dict[str, Fence] = {}
    for fence in remainder:
        if fence.name not in OUTLINES + TEXTS:
            raise CorpusError(f"{path}:{fence.first + 1}: the facet {fence.name!r} is not known")
        if fence.name in facets:
            raise CorpusError(f"{path}:{fence.first + 1}: the facet {fence.name!r} is there twice")
        facets[fence.name] = fence
    _refuse_silence(path, facets)
    return Case(path, name, line, first.name or "v2", first.text, facets)


def _refuse_silence(path: Path, facets: Mapping[str, Fence]) -> None:
    """Refuse what skips text and has no finding: `recovered` has its own, those of `processed` are `diagnostics`."""
    skips = [name for name in ("recovered", "processed") if name in facets and _SKIPPED.search(facets[name].text)]
    for name in skips:
        silent = "recovered" if name == "recovered" and not _FINDING.search(facets[name].text) else ""
        if not silent and "diagnostics" in facets and not facets["diagnostics"].text:
            silent = "diagnostics"
        if silent:
            line = facets[silent].first + 1
            raise CorpusError(f"{path}:{line}: {name!r} has a skipped section, and {silent!r} has no finding of it")
