"""Markdown fences in place of delimiters, beside them and inside them."""

from __future__ import annotations

import random
import re

from ..documents import Line
from .delimiters import Spelling, delimit, language
from .draft import Draft, fenceish
from .registry import ANY_BLOCKS, Actions, Apply, edit_actions, mistake, row

_INFO = re.compile(r"[ \t]*`{3,}[ \t]*\w")


def _fenceless(draft: Draft) -> list[int]:
    return [i for i in draft.any_blocks if not any(map(fenceish, draft.content(i)))]


def _without_long_fences(draft: Draft) -> list[int]:
    return [i for i in draft.any_blocks if not any("````" in line for line in draft.content(i))]


def _nesting(draft: Draft) -> list[int]:
    """Return the blocks whose fences pair up: opened with an info word, closed bare, three signs long."""
    return [i for i in draft.blocks if _nests(draft.content(i))]


def _nests(lines: list[str]) -> bool:
    depth = found = 0
    for line in filter(fenceish, lines):
        bare = not _INFO.match(line)
        if "~" in line or "````" in line or bare == (depth == 0):
            return False
        depth += -1 if bare else 1
        found += 1
    return depth == 0 and found > 0


def _fence(*openers: str, of: Actions = _fenceless, parts: str = "open close") -> Apply:
    """Return a mistake that puts a fence in place of the delimiters; its signs alone close it."""
    forms: list[Spelling] = [(opener, opener[: _length(opener)]) for opener in openers]
    return edit_actions(delimit, forms, parts, of, drawn="later")


def _length(opener: str) -> int:
    return len(opener) - len(opener.lstrip(opener[0]))


def _enclose(draft: Draft, lines: list[Line], index: int, info: str) -> None:
    """Put a fence around some lines."""
    opener = Line("prose", info.format(language=language(draft.document.actions[index].path)), index)
    draft.lines.insert(draft.place(lines[0]), opener)
    draft.lines.insert(draft.place(lines[-1]) + 1, Line("prose", info[:3], index))


def _around_delimiters(draft: Draft, index: int, info: str) -> None:
    _enclose(draft, [draft.line(index, "open"), draft.line(index, "close")], index, info)


def _around_action(draft: Draft, index: int, info: str) -> None:
    _enclose(draft, [line for line in draft.lines if line.action == index], index, info)


row(
    "fence-for-block",
    "A Markdown fence stands in place of the delimiters.",
    _fence("```", "```{language}", "```{language}", "``` {language}"),
)
row(
    "fence-with-path",
    "A fence that names the path stands in place of the delimiters.",
    _fence("```{path}", "```{language}:{path}", "```{language} {path}", '```{language} title="{path}"'),
)
row("tilde-fence-for-block", "A fence of tildes stands in place of the delimiters.", _fence("~~~", "~~~{language}"))
row(
    "long-fence-for-block",
    "A fence of four backticks stands in place of the delimiters, often around shorter fences.",
    _fence("````", "````{language}", of=_without_long_fences),
)
row(
    "nesting-fence-for-block",
    "A fence stands in place of the delimiters of a content that has fences of its own.",
    _fence("```markdown", "```{language}", of=_nesting, parts="open close after"),
)
row(
    "fence-around-delimiters",
    "A fence stands around the delimiters of a block.",
    edit_actions(_around_delimiters, ["```", "```{language}", "~~~"], "open close after", of=ANY_BLOCKS, drawn="later"),
)
row(
    "fence-around-action",
    "A fence stands around each single action, head and all.",
    edit_actions(_around_action, ["```", "```text", "```{language}"], "around after", drawn="later"),
    neutral=True,
)


@mistake()
def fence_for_one_delimiter(draft: Draft, rng: random.Random) -> bool:
    """A fence stands for one delimiter of a block, the other is right."""
    chosen = draft.choose(rng, [i for i in _fenceless(draft) if draft.content(i)], "open", "close")
    opens = rng.choice((True, False))
    for i in chosen:
        delimit(draft, i, (rng.choice(("```", "```{language}")), None) if opens else (None, "```"))
    return bool(chosen)


@mistake(neutral=True)
def fence_inside_block(draft: Draft, rng: random.Random) -> bool:
    """A fence encloses the content inside its delimiters: valid alone, it matters beside others."""
    paths = [action.path for action in draft.document.actions]
    candidates = [i for i in _fenceless(draft) if draft.content(i) and not paths[i].endswith(".md")]
    chosen = draft.choose(rng, candidates, "open", "close", "body")
    for i in chosen:
        info = "```" + language(paths[i])
        content = draft.document.actions[i].content
        draft.rewrite(i, f"{info}\n{content}\n```")
        draft.expected[i].contents = (content, f"{info}\n{content}\n```")
    return bool(chosen)


@mistake()
def fence_and_remark(draft: Draft, rng: random.Random) -> bool:
    """A remark or a blank line and a fence stand in place of the opening delimiter."""
    chosen = draft.choose(rng, _fenceless(draft), "open", "close")
    for i in chosen:
        delimit(draft, i, ("```{language}", "```"))
        remark = rng.choice(("", "\nHere is the code:\n", "Here's the implementation:", "\n**Code:**"))
        draft.insert(draft.place(draft.line(i, "open")), remark)
    return bool(chosen)
