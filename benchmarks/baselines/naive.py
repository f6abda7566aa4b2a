"""The algorithm that the original Sym-Ops notes describe, written anew: what Sym-Ops would be without grammars.

The text is that of v1 or v2. A loop over the lines reads it; where that fails, substitutions over the whole text repair
it and the loop tries again; where that fails, patterns pick out of it what looks like an action. v1 is the first source
document ("AutoRepair", "FuzzyParser"), v2 the second ("AutoRepair v2", its lenient loop). That loop rejects nothing, so
what the substitutions would change is not read without them; and it has no last step, so v2 has v1's with its marks.
The notes know no CRLF; lines end with line feeds before they are read, as Python reads a text file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from symops_lark.core.document import Action, Document, ErrorNote, Question, Section, Thought, Vitals
from symops_lark.core.recovery.doubts.confidence import document_confidence
from symops_lark.core.replies.messages import Message
from symops_lark.lab.benchmark.formats.foreign import Foreign
from symops_lark.lab.benchmark.formats.sym_ops import SymOps
from symops_lark.lab.benchmark.records import plain

COMPLETE_FORM, GUESSED = 0.95, 0.70  # the confidence of an action with its marks, and of one without
VERBS = ("create", "edit", "delete", "remove", "update", "run", "execute", "test", "check", "verify")
WRITING = ("create", "edit", "update")
VITALS = ("confidence", "mood", "focus", "stamina")


class _Rejected(Exception):
    """The line loop gives up."""


@dataclass(frozen=True)
class _Marks:
    thought: str
    vital: str
    action: str
    open: str
    close: str


V1 = _Marks("~", "#", "$", "--", "--")
V2 = _Marks(">>", "::", "::", "<<<", ">>>")


# The loop over the lines


def read_lines(text: str, marks: _Marks) -> Document:
    """Return what a loop over the lines reads; v1 gives up where an action has no block, v2 goes on."""
    loop = _Loop(marks)
    for line in text.split("\n"):
        if not loop.read_block(line):
            loop.read_section(line.strip())
    loop.end_action("the last action has no block, or is not closed")
    return Document(tuple(loop.sections))


class _Loop:
    """What the loop knows: the action that waits for its block, and the lines of the block that is open."""

    def __init__(self, marks: _Marks) -> None:
        self.marks, self.strict = marks, marks is V1
        self.sections: list[Section] = []
        self.action: Action | None = None
        self.block: list[str] | None = None

    def read_block(self, line: str) -> bool:
        """Return whether a line belongs to a block: as a delimiter, or inside; raises `_Rejected`."""
        strip = line.strip()
        if strip == self.marks.open and self.block is None:
            if self.action is None and self.strict:
                raise _Rejected("a block without an action")
            self.block = [] if self.action is not None else None
        elif strip == self.marks.close:
            if self.action is not None and self.block is not None:
                self.sections.append(_with_content(self.action, "\n".join(self.block)))
                self.action = None
            self.block = None
        elif self.block is None:
            return False
        elif strip == self.marks.open:
            self.block = []  # as v2's loop does: a second opener begins anew
        else:
            self.block.append(line)
        return True

    def read_section(self, shown: str) -> None:
        """Read a line outside of blocks; raises `_Rejected`."""
        marks, strict = self.marks, self.strict
        if shown.startswith(marks.thought):
            self.sections.append(Thought(shown.removeprefix(marks.thought).strip()))
        elif shown.startswith(marks.vital) and (strict or re.search(r"::[cmfs]\d", shown)):
            self.sections += _vitals(shown, marks)
        elif strict and shown.startswith("?"):
            self.sections.append(Question(shown[1:].strip().strip('"')))
        elif strict and shown.startswith("!"):
            self.sections.append(ErrorNote(shown[1:].strip()))
        elif shown.startswith(marks.action):
            self.end_action("an action without a block")
            self.action = _read_head(shown.removeprefix(marks.action), strict)

    def end_action(self, reason: str) -> None:
        """Take the waiting action without a block; v1 has none of these and raises `_Rejected`."""
        if self.action is not None:
            if self.strict:
                raise _Rejected(reason)
            self.sections.append(self.action)
            self.action = None


def _read_head(head: str, strict: bool) -> Action:
    verb, at, remainder = head.strip().partition("@")
    if not at:
        words = head.split()
        if strict:
            raise _Rejected("an action without @")
        return Action(words[0], words[1]) if len(words) > 1 else Action(head.strip() or "unknown", "unknown")
    if strict:
        remainder = remainder.partition("@")[0]
    return _with_target(verb.strip(), remainder, 1.0)


def _with_target(verb: str, target: str, confidence: float) -> Action:
    path, _, needs = target.partition(">")
    dependencies = tuple(name.strip() for name in needs.split(",") if name.strip())
    return Action(verb, path.strip(), None, dependencies, confidence)


def _with_content(action: Action, content: str) -> Action:
    return Action(action.type, action.path, content, action.dependencies, action.confidence)


def _vitals(text: str, marks: _Marks) -> Iterator[Vitals]:
    table = {name: re.search(rf"{marks.vital}{name[0]}([\d.]+)", text) for name in VITALS}
    values = tuple(
        (name, float(match[1]))
        for name, match in table.items()
        if match and match[1].count(".") < 2 and match[1] != "."
    )
    if values:
        yield Vitals(values)


# Repair by substitutions over the whole text


def _name_vitals(text: str, mark: str) -> str:
    for name in VITALS:
        text = re.sub(rf"\b{name}:\s*([\d.]+)", rf"{mark}{name[0]}\1", text, flags=re.IGNORECASE)
    return text


def repair_v1(text: str) -> str:
    """Turn fences into delimiters, add missing marks, even out delimiters, indentation and vitals."""
    languages = "python|py|javascript|js|bash|sh|json|yaml|sql"
    fence = re.compile(rf"```(?:{languages})?\n(.*?)```", re.DOTALL)
    text = fence.sub(lambda m: "--\n" + m[1].rstrip("\n") + "\n--", text)
    text = "\n".join(map(_add_marks, text.split("\n")))
    text = re.sub(r"^---+$", "--", text, flags=re.MULTILINE)
    text = re.sub(r"^```\w*$", "--", text, flags=re.MULTILINE)
    if len(re.findall(r"^--$", text, flags=re.MULTILINE)) % 2:
        text = text.rstrip() + "\n--\n"
    text = "\n".join(line.lstrip() if re.match(r"\s*[$~@!?#-]", line) else line for line in text.split("\n"))
    return _name_vitals(text, "#")


def _add_marks(line: str) -> str:
    strip = line.strip()
    match = re.match(rf"({'|'.join(VERBS)})\s+(\S+\.\w+)", strip, re.IGNORECASE)
    if strip.startswith("$") or match is None:
        return line
    return f"{line[: len(line) - len(line.lstrip())]}$ {match[1]} @ {match[2]}"


def repair_v2(text: str) -> str:
    """Turn fences, v1's delimiters, v1's action marks and vitals into v2's."""
    text = re.sub(r"```(?:\w+)?\n(.*?)```", lambda m: "<<<\n" + m[1].rstrip("\n") + "\n>>>", text, flags=re.DOTALL)
    lines, count = [], 0
    for line in text.split("\n"):
        if line.strip() in ("--", "---", "----"):
            count += 1
            line = "<<<" if count % 2 else ">>>"
        elif line.strip().startswith("$"):
            line = line.replace("$", "::", 1)
        lines.append(line)
    return _name_vitals(re.sub(r"#([cmfs])", r"::\1", "\n".join(lines)), "::")


# Extraction by patterns


def extract(text: str, marks: _Marks) -> Document:
    """Pick out whatever looks like a thought, a vital or an action, wherever it stands."""
    lines = [line.strip() for line in text.split("\n")]
    sections: list[Section] = [
        Thought(line.removeprefix(marks.thought).strip())
        for line in lines
        if line.startswith(marks.thought) and line not in (marks.open, marks.close)
    ]
    sections += _vitals(text, marks)
    actions: list[Action] = []
    for item in re.finditer(rf"{re.escape(marks.action)}\s*(\w+)\s*@\s*([^\n]+)", text):
        action = _with_target(item[1], item[2], COMPLETE_FORM)
        actions.append(_find_content(action, text[item.end() :], marks))
    at = "" if marks is V1 else "@?"
    for item in re.finditer(rf"\b(create|edit|delete|run|test)\s+{at}(\S+\.\w+)", text, re.IGNORECASE):
        if all(action.path != item[2] for action in actions):
            action = Action(item[1].lower(), item[2], confidence=GUESSED)
            actions.append(_find_content(action, text[item.end() :], marks))
    sections += [action for action in actions if action.path]
    return Document(tuple(sections), price=1)


def _find_content(action: Action, rest: str, marks: _Marks) -> Action:
    """Return an action with the first block behind it, whosever it is; else the first indented lines."""
    pairs = ((re.escape(marks.open), re.escape(marks.close)), (r"```\w*", "```"))
    for opener, closer in pairs:
        if match := re.search(rf"{opener}\n(.*?)\n{closer}", rest, re.DOTALL):
            return _with_content(action, match[1])
    lines: list[str] = []
    for line in rest.split("\n"):
        if line.startswith(("    ", "\t")):
            lines.append(line.lstrip())
        elif lines and not line.strip():
            lines.append("")
        elif lines:
            break
    return _with_content(action, "\n".join(lines)) if any(lines) else action


# The format


def _read_raw(text: str, marks: _Marks, repair: Callable[[str], str]) -> Document | None:
    return _read(text, marks, str) if marks is V1 or repair(plain(text)) == plain(text) else None


def _read(text: str, marks: _Marks, repair: Callable[[str], str]) -> Document | None:
    try:
        return read_lines(repair(plain(text)), marks)
    except _Rejected:
        return None


def _extract_repaired(text: str, marks: _Marks, repair: Callable[[str], str]) -> Document | None:
    return extract(repair(plain(text)), marks)


def _rate(document: Document) -> float:
    return document_confidence(document, WRITING) if document.price else 1.0


@dataclass(frozen=True)
class Naive(Foreign):
    """The naive reader of a dialect, which is taught as it always is."""

    dialect: str = "v1"

    def teach(self, request: str) -> tuple[Message, ...]:
        """Return what teaches the dialect."""
        return SymOps(self.dialect).teach(request)


def _make(dialect: str, marks: _Marks, repair: Callable[[str], str]) -> Naive:
    symops = SymOps(dialect)
    readers = {
        "strict": partial(_read_raw, marks=marks, repair=repair),
        "repaired": partial(_read, marks=marks, repair=repair),
        "recovered": partial(_extract_repaired, marks=marks, repair=repair),
    }
    return Naive(
        f"{dialect}-naive", "", symops.write, symops.draft, readers, symops.collides, rate=_rate, dialect=dialect
    )


FORMATS = {"v1-naive": partial(_make, "v1", V1, repair_v1), "v2-naive": partial(_make, "v2", V2, repair_v2)}
