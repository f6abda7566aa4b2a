"""Mistakes in contents. A reader can only return the content that was written."""

from __future__ import annotations

import random
import unicodedata
from dataclasses import replace

from .draft import PARTS, Draft, headish
from .registry import CUT, in_actions, mistake

_LEAST = 8  # lines of a content of which a middle is left out
_SIGNS = dict.fromkeys(("js", "ts", "go", "rs", "cpp", "vue"), "//") | dict.fromkeys(("sql", "hs", "lua"), "--")
_SIGNS |= {"css": "/*", "html": "<!--", "md": "<!--", "ini": ";"}
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


def _candidates(draft: Draft, least: int = 1) -> list[int]:
    """Return the actions whose contents can be replaced, if they have enough lines."""
    quoted = set()
    if draft.foreign and draft.foreign.bare:
        quoted = {line.action for line in draft.lines if line.role == "open" and line.text == '"'}
    blocks = [i for i in draft.blocks if len(draft.content(i)) >= least and not draft.fenced(i)]
    return [i for i in blocks if not draft.foreign or (i not in quoted and draft.free((i, "open")))]


def _write(draft: Draft, index: int, lines: list[str]) -> None:
    """Write other lines, and expect them: they are the content now."""
    content = "\n".join(lines)
    draft.rewrite(index, content)
    draft.expected[index].contents = (content,)


@in_actions("body", _ELISIONS, lambda draft: _candidates(draft, _LEAST), drawn="later", neutral=True)
def _lazy_elision(draft: Draft, rng: random.Random, i: int, says: str) -> None:
    """A remark such as "rest of the code unchanged" replaces the middle of a content."""
    lines = draft.content(i)
    first = rng.randint(2, len(lines) // 2)
    last = rng.randint(first + 1, len(lines) - 2)
    sign = _SIGNS.get(draft.document.actions[i].path.rsplit(".", 1)[-1], "#")
    margin = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    _write(draft, i, [*lines[:first], f"{margin}{sign} {says}{_CLOSERS.get(sign, '')}", *lines[last:]])


def _quoted(draft: Draft) -> list[int]:
    return [i for i in _candidates(draft) if {"'", '"'} & set(draft.document.actions[i].content or "")]


@in_actions("body", of=_quoted, neutral=True)
def _quotes_smart_in_content(draft: Draft, rng: random.Random, i: int) -> None:
    """A word processor's quotes replace the quotes of a content."""
    rows = [line.translate(_CURLY).split('"') for line in draft.content(i)]
    _write(draft, i, [row[0] + "".join("“”"[n % 2] + part for n, part in enumerate(row[1:])) for row in rows])


@in_actions("body", (" ", "  ", "\t"), _candidates, drawn="later", neutral=True)
def _blanks_behind_content(draft: Draft, rng: random.Random, i: int, blanks: str) -> None:
    """There are blanks at the ends of lines of a content."""
    lines = draft.content(i)
    places = [n for n, line in enumerate(lines) if line.strip() and not draft.rulish(line)]
    for n in rng.sample(places, min(len(places), rng.randint(1, 3))):
        lines[n] += blanks
    _write(draft, i, lines)


@mistake(neutral=True, needs="close")
def delimiter_in_content(draft: Draft, rng: random.Random) -> None:
    """A content holds a line that closes its block."""
    if draft.foreign and not draft.foreign.bare:
        return
    # After the wrong delimiter, a line that looks like an action would be one.
    texts = {i: unicodedata.normalize("NFKC", "\n".join(draft.content(i))) for i in _candidates(draft, 3)}
    candidates = [i for i, text in texts.items() if not any(map(headish, text.split("\n")))]
    for i in draft.choose(rng, candidates, "open", "close", "body", "after")[:1]:
        lines = draft.content(i)
        lines.insert(rng.randint(1, len(lines) - 1), draft.line(i, "close").text)
        _write(draft, i, lines)


@mistake(stage=CUT, neutral=True)
def content_loops(draft: Draft, rng: random.Random) -> None:
    """Some lines of a content are repeated, until the reply is cut off."""
    blocks = [i for i in _candidates(draft) if draft.free(*((i, part) for part in PARTS))]
    if not draft.foreign:
        blocks = [i for i in blocks if not any(line.startswith(draft.marks.starts) for line in draft.content(i))]
    if not blocks or not draft.claim("end", "whole", "newline"):
        return
    index = rng.choice(blocks)
    lines = draft.content(index)
    last = rng.randrange(len(lines))
    stretch = lines[max(0, last - rng.randrange(4)) : last + 1]
    if not any(map(str.strip, stretch)):
        return
    content = "\n".join([*lines[: last + 1], *stretch * rng.randint(8, 30)]).rstrip()
    draft.rewrite(index, content)
    end = max(n for n, line in enumerate(draft.lines) if line.action == index and line.role == "body")
    draft.lines = draft.lines[: end + 1]
    draft.expected = draft.expected[: index + 1]
    draft.expected[index].contents, draft.expected[index].cut = (content, content + "\n"), True
    if draft.foreign:
        draft.document = replace(draft.document, final_newline=False)
