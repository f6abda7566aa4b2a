"""Markdown fences in place of delimiters, beside them and inside them."""

from __future__ import annotations

import re
from random import Random

from ..documents import Line, Role
from .delimiters import Spelling, delimit, language
from .draft import Condition, Draft, fenceish
from .registry import ANY_BLOCKS, BLOCKS, Actions, Mistake, in_actions, row

_INFO = re.compile(r"[ \t]*`{3,}[ \t]*\w")
_REMARKS = ("", "\nHere is the code:\n", "Here's the implementation:", "\n**Code:**")


def is_fenceless(draft: Draft, index: int) -> bool:
    """Return whether a content has no line that looks like a fence."""
    # A fence in the content would close the one around it.
    return not any(map(fenceish, draft.content(index)))


def _is_no_markdown(draft: Draft, index: int) -> bool:
    # A file of Markdown may well be a fenced text.
    path = draft.action(index).path
    return not path.endswith(".md") and is_fenceless(draft, index)


def _has_short_fences(draft: Draft, index: int) -> bool:
    return "````" not in "\n".join(draft.content(index))


def _nests(draft: Draft, index: int) -> bool:
    """Return whether fences pair up: opened with an info word, closed bare, three signs long."""
    fences = list(filter(fenceish, draft.content(index)))
    signs = "\n".join(fences)
    if not fences or "~" in signs or "````" in signs:
        return False
    opens = [bool(_INFO.match(line)) for line in fences]
    return opens == [True, False] * (len(fences) // 2)


def _fence(
    summary: str,
    openers: list[str],
    of: Actions = ANY_BLOCKS,
    where: Condition = is_fenceless,
    parts: str = "open close",
) -> Mistake:
    """Return a mistake that puts a fence in place of the delimiters; its signs alone close it."""
    forms: list[Spelling] = []
    for opener in openers:
        words = opener.lstrip(opener[0])
        forms.append((opener, opener.removesuffix(words)))
    return row(summary, delimit, forms, parts, of=of, where=where, drawn="later")


def _enclose(draft: Draft, index: int, info: str, *roles: Role) -> None:
    """Put a fence around the lines of an action, or around those of some roles."""
    lines = draft.part(index, *roles)
    path = draft.action(index).path
    opener = info.format(language=language(path))
    # Both lines count as lines of the action, so that it is known to have changed.
    start = draft.place(lines[0])
    draft.lines.insert(start, Line("prose", opener, index))
    last = draft.place(lines[-1])
    draft.lines.insert(last + 1, Line("prose", info[:3], index))


def _enclose_block(draft: Draft, index: int, info: str) -> None:
    _enclose(draft, index, info, "open", "close")


fence_for_block = _fence(
    "A Markdown fence replaces the delimiters.",
    ["```", "```{language}", "```{language}", "``` {language}"],
)
fence_with_path = _fence(
    "A fence that names the path replaces the delimiters.",
    ["```{path}", "```{language}:{path}", "```{language} {path}", '```{language} title="{path}"'],
)
tilde_fence_for_block = _fence(
    "A fence of tildes replaces the delimiters.", ["~~~", "~~~{language}"]
)
long_fence_for_block = _fence(
    "A fence of four backticks replaces the delimiters, often around shorter fences.",
    ["````", "````{language}"],
    where=_has_short_fences,
)
nesting_fence_for_block = _fence(
    "A fence replaces the delimiters of a content with fences in it.",
    ["```markdown", "```{language}"],
    of=BLOCKS,
    where=_nests,
    parts="open close after",
)
fence_around_delimiters = row(
    "A fence is around the delimiters of a block.",
    _enclose_block,
    ["```", "```{language}", "~~~"],
    "open close after",
    of=ANY_BLOCKS,
    drawn="later",
)
fence_around_action = row(
    "A fence is around each action with its head.",
    _enclose,
    ["```", "```text", "```{language}"],
    "around after",
    drawn="later",
    neutral=True,
)


@in_actions("open close", (True, False), of=BLOCKS, where=is_fenceless, drawn="later")
def _fence_for_one_delimiter(draft: Draft, rng: Random, i: int, opens: bool) -> None:
    """A fence replaces one delimiter of a block; the other is right."""
    form: Spelling = (None, "```")
    if opens:
        form = (rng.choice(("```", "```{language}")), None)
    delimit(draft, i, form)


@in_actions("open close body", of=BLOCKS, where=_is_no_markdown, neutral=True)
def _fence_inside_block(draft: Draft, rng: Random, i: int) -> None:
    """A fence encloses the content inside its delimiters: valid alone, it matters beside others."""
    action = draft.action(i)
    fenced = f"```{language(action.path)}\n{action.content}\n```"
    draft.rewrite(i, fenced)
    # A reader may remove the fence, or leave it where it is.
    draft.expected[i].contents = (action.content, fenced)


@in_actions("open close", of=ANY_BLOCKS, where=is_fenceless)
def _fence_and_remark(draft: Draft, rng: Random, i: int) -> None:
    """A remark or a blank line and a fence replace the opening delimiter."""
    delimit(draft, i, ("```{language}", "```"))
    remark = rng.choice(_REMARKS)
    draft.insert(draft.line(i, "open"), remark)
