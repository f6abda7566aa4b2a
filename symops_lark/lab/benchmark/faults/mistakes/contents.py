"""Mistakes in contents. A reader can only return the content that was written."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from itertools import cycle
from random import Random

from .draft import Draft, headish
from .registry import BLOCKS, CUT, in_actions, mistake

_LEAST = 8  # lines of a content of which a middle is left out
# The sign of a comment by the suffix of a path; that of other files is `#`.
_SIGNS = {
    "js": "//",
    "ts": "//",
    "go": "//",
    "rs": "//",
    "cpp": "//",
    "vue": "//",
    "sql": "--",
    "hs": "--",
    "lua": "--",
    "css": "/*",
    "html": "<!--",
    "md": "<!--",
    "ini": ";",
}
_CLOSERS = {"/*": " */", "<!--": " -->"}
_ELISIONS = (
    "... rest of the code unchanged ...",
    "... existing code ...",
    "... (rest of the file is the same) ...",
    "rest of the implementation remains the same",
    "... remaining methods as before ...",
    "... 以下省略 ...",
)
_CURLY = str.maketrans({"'": "’"})


def _can_rewrite(draft: Draft, index: int) -> bool:
    """Return whether the content of an action can be replaced."""
    if draft.fenced(index):
        return False
    if draft.foreign is None:
        return True
    # An opener that another mistake has changed does not show any more whether it is a quote.
    if not draft.free((index, "open")):
        return False
    # A block of lines would be written, which quotes cannot hold.
    openers = [line.text for line in draft.part(index, "open")]
    return not (draft.foreign.bare and '"' in openers)


def _is_long(draft: Draft, index: int) -> bool:
    lines = draft.content(index)
    return len(lines) >= _LEAST and _can_rewrite(draft, index)


def _has_quotes(draft: Draft, index: int) -> bool:
    content = draft.action(index).content or ""
    if "'" not in content and '"' not in content:
        return False
    return _can_rewrite(draft, index)


def _write(draft: Draft, index: int, lines: list[str]) -> None:
    """Write other lines, and expect them: they are the content now."""
    content = "\n".join(lines)
    draft.rewrite(index, content)
    draft.expected[index].contents = (content,)


@in_actions("body", _ELISIONS, of=BLOCKS, where=_is_long, drawn="later", neutral=True)
def _lazy_elision(draft: Draft, rng: Random, i: int, remark: str) -> None:
    """A remark such as "rest of the code unchanged" replaces the middle of a content."""
    lines = draft.content(i)
    # The first two lines and the last one stay, so that the rest is seen to be missing.
    first = rng.randint(2, len(lines) // 2)
    last = rng.randint(first + 1, len(lines) - 2)
    suffix = draft.action(i).path.rpartition(".")[2]
    sign = _SIGNS.get(suffix, "#")
    # The remark is as deep as the line in whose place it is.
    margin = lines[first].removesuffix(lines[first].lstrip())
    closer = _CLOSERS.get(sign, "")
    lines[first:last] = [f"{margin}{sign} {remark}{closer}"]
    _write(draft, i, lines)


@in_actions("body", of=BLOCKS, where=_has_quotes, neutral=True)
def _quotes_smart_in_content(draft: Draft, rng: Random, i: int) -> None:
    """A word processor's quotes replace the quotes of a content."""
    lines: list[str] = []
    for line in draft.content(i):
        # Quotes open and close in turns; each line starts with one that opens.
        text, *parts = line.translate(_CURLY).split('"')
        for quote, part in zip(cycle("“”"), parts, strict=False):
            text += quote + part
        lines.append(text)
    _write(draft, i, lines)


@in_actions("body", (" ", "  ", "\t"), BLOCKS, _can_rewrite, drawn="later", neutral=True)
def _blanks_behind_content(draft: Draft, rng: Random, i: int, blanks: str) -> None:
    """There are blanks at the ends of lines of a content."""
    lines = draft.content(i)
    # Blanks after what looks like a delimiter would be a mistake in markup.
    numbers = [n for n, line in enumerate(lines) if line.strip() and not draft.rulish(line)]
    count = min(len(numbers), rng.randint(1, 3))
    for number in rng.sample(numbers, count):
        lines[number] += blanks
    _write(draft, i, lines)


def _has_no_heads(draft: Draft, index: int) -> bool:
    lines = draft.content(index)
    if len(lines) < 3 or not _can_rewrite(draft, index):
        return False
    # After the wrong delimiter, a line that looks like an action would be one. A reader takes
    # signs of full width for the usual ones.
    text = unicodedata.normalize("NFKC", "\n".join(lines))
    return not any(map(headish, text.split("\n")))


@mistake(neutral=True, needs="close")
def delimiter_in_content(draft: Draft, rng: Random) -> None:
    """A content holds a line that closes its block."""
    if draft.foreign and not draft.foreign.bare:
        return
    parts = ("open", "close", "body", "after")
    chosen = draft.choose(rng, draft.blocks, *parts, where=_has_no_heads)
    for i in chosen[:1]:
        lines = draft.content(i)
        place = rng.randint(1, len(lines) - 1)
        lines.insert(place, draft.line(i, "close").text)
        _write(draft, i, lines)


def _can_loop(draft: Draft, index: int) -> bool:
    if not draft.is_intact(index) or not _can_rewrite(draft, index):
        return False
    if draft.foreign:
        return True
    # Repeated lines of markup would be read as sections.
    starts = draft.marks.starts
    return not any(line.startswith(starts) for line in draft.content(index))


@mistake(stage=CUT, neutral=True)
def content_loops(draft: Draft, rng: Random) -> None:
    """Some lines of a content are repeated, until the reply is cut off."""
    blocks = [i for i in draft.blocks if _can_loop(draft, i)]
    if not blocks or not draft.claim("end", "whole", "newline"):
        return
    index = rng.choice(blocks)
    lines = draft.content(index)
    end = rng.randrange(len(lines)) + 1
    start = max(0, end - 1 - rng.randrange(4))
    # Blank lines at the end of a reply are removed, and with them the loop.
    stretch = lines[start:end]
    if not any(map(str.strip, stretch)):
        return
    times = rng.randint(8, 30)
    lines[end:] = stretch * times
    content = "\n".join(lines).rstrip()
    draft.rewrite(index, content)
    *_, last = draft.part(index, "body")
    del draft.lines[draft.place(last) + 1 :]
    del draft.expected[index + 1 :]
    # Nothing shows whether the last line of a cut reply is complete.
    item = draft.expected[index]
    item.contents, item.cut = (content, content + "\n"), True
    if draft.foreign:
        # In other formats, a line feed would be a part of the content.
        draft.document = replace(draft.document, final_newline=False)
