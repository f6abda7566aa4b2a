"""What models get wrong in contents: it was written so, and nothing but what was written can be demanded."""

from __future__ import annotations

import random
import unicodedata

from ..documents import Line
from .draft import LINES, Draft, headish, mistake

_LEAST = 8  # lines of a content of which a middle is left out
_SIGNS = {"js": "//", "ts": "//", "go": "//", "rs": "//", "cpp": "//", "vue": "//", "css": "/*", "sql": "--",
          "hs": "--", "lua": "--", "html": "<!--", "md": "<!--", "ini": ";"}  # fmt: skip
_CLOSERS = {"/*": " */", "<!--": " -->"}
_ELISIONS = (
    "... rest of the code unchanged ...", "... existing code ...", "... (rest of the file is the same) ...",
    "rest of the implementation remains the same", "... remaining methods as before ...", "... 以下省略 ...",
)  # fmt: skip
_CURLY = str.maketrans({"'": "’"})


def _bodies(draft: Draft, index: int) -> list[Line]:
    return [line for line in draft.lines if line.action == index and line.role == "body"]


def _speaks_markup(draft: Draft, index: int) -> bool:
    """Tell whether lines of a content would seem to be actions, were they not in it."""
    return any(headish(unicodedata.normalize("NFKC", line)) for line in draft.content(index))


def _expect_as_written(draft: Draft, index: int) -> None:
    """What stands between the delimiters now is what the writer wrote."""
    draft.expected[index].contents = ("\n".join(line.text for line in _bodies(draft, index)),)


@mistake(listed=False)
def lazy_elision(draft: Draft, rng: random.Random) -> bool:
    """A remark such as "rest of the code unchanged" stands for the middle of a content."""
    candidates = [i for i in draft.blocks if len(draft.content(i)) >= _LEAST and not draft.fenced(i)]
    chosen = draft.choose(rng, candidates, "body")
    says = rng.choice(_ELISIONS)
    for i in chosen:
        lines = _bodies(draft, i)
        first = rng.randint(2, len(lines) // 2)
        last = rng.randint(first + 1, len(lines) - 2)
        sign = _SIGNS.get(draft.document.actions[i].path.rsplit(".", 1)[-1], "#")
        margin = lines[first].text[: len(lines[first].text) - len(lines[first].text.lstrip())]
        lines[first].text = f"{margin}{sign} {says}{_CLOSERS.get(sign, '')}"
        for line in lines[first + 1 : last]:
            draft.remove(line)
        _expect_as_written(draft, i)
    return bool(chosen)


@mistake(LINES, listed=False)
def quotes_smart_in_content(draft: Draft, rng: random.Random) -> bool:
    """A word processor's quotes stand for the quotes of a content."""
    quoted = [i for i in draft.blocks if {"'", '"'} & set(draft.document.actions[i].content or "")]
    chosen = draft.choose(rng, quoted, "body")
    before = draft.text()
    for i in chosen:
        for line in _bodies(draft, i):
            parts = line.text.translate(_CURLY).split('"')
            line.text = parts[0] + "".join("“”"[n % 2] + part for n, part in enumerate(parts[1:]))
        _expect_as_written(draft, i)
    return draft.text() != before


@mistake(LINES, listed=False)
def blanks_behind_content(draft: Draft, rng: random.Random) -> bool:
    """Blanks stand at the ends of lines of a content."""
    chosen = draft.choose(rng, [i for i in draft.blocks if not draft.fenced(i)], "body")
    blanks = rng.choice((" ", "  ", "\t"))
    found = False
    for i in chosen:
        lines = [line for line in _bodies(draft, i) if line.text.strip() and not draft.rulish(line.text)]
        for line in rng.sample(lines, min(len(lines), rng.randint(1, 3))):
            line.text += blanks
            found = True
        _expect_as_written(draft, i)
    return found


@mistake(listed=False)
def delimiter_in_content(draft: Draft, rng: random.Random) -> bool:
    """A content holds a line that closes its block."""
    candidates = [i for i in draft.blocks if len(draft.content(i)) > 2 and not _speaks_markup(draft, i)]
    chosen = draft.choose(rng, candidates, "open", "close", "body", "after")[:1]
    for i in chosen:
        lines = _bodies(draft, i)
        closer = draft.line(i, "close").text
        place = draft.place(lines[rng.randint(1, len(lines) - 1)])
        draft.lines.insert(place, Line("body", closer, i))
        _expect_as_written(draft, i)
    return bool(chosen)
