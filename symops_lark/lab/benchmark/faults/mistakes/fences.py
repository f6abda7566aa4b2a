"""Markdown fences in place of delimiters, beside them and inside them."""

from __future__ import annotations

import random
import re

from ..documents import Line
from .delimiters import delimit, language
from .draft import Draft, fenceish
from .registry import ANY_BLOCKS, Actions, Mistake, in_actions, row

_INFO = re.compile(r"[ \t]*`{3,}[ \t]*\w")


def _fenceless(draft: Draft) -> list[int]:
    return [i for i in draft.any_blocks if not any(map(fenceish, draft.content(i)))]


def _without_markdown(draft: Draft) -> list[int]:
    paths = [action.path for action in draft.document.actions]
    return [i for i in _fenceless(draft) if draft.content(i) and not paths[i].endswith(".md")]


def _nests(lines: list[str]) -> bool:
    """Return whether fences pair up: opened with an info word, closed bare, three signs long."""
    fences = list(filter(fenceish, lines))
    if not fences or any("~" in line or "````" in line for line in fences):
        return False
    return [bool(_INFO.match(line)) for line in fences] == [True, False] * (len(fences) // 2)


def _fence(summary: str, openers: list[str], of: Actions = _fenceless, parts: str = "open close") -> Mistake:
    """Return a mistake that puts a fence in place of the delimiters; its signs alone close it."""
    forms = [(opener, opener[: len(opener) - len(opener.lstrip(opener[0]))]) for opener in openers]
    return row(summary, delimit, forms, parts, of=of, drawn="later")


def _enclose(draft: Draft, index: int, info: str, roles: tuple[str, ...] = ()) -> None:
    """Put a fence around the lines of an action, or around those of some roles."""
    lines = [line for line in draft.lines if line.action == index and (line.role in roles or not roles)]
    opener = Line("prose", info.format(language=language(draft.document.actions[index].path)), index)
    draft.lines.insert(draft.place(lines[0]), opener)
    draft.lines.insert(draft.place(lines[-1]) + 1, Line("prose", info[:3], index))


fence_for_block = _fence(
    "A Markdown fence replaces the delimiters.", ["```", "```{language}", "```{language}", "``` {language}"]
)
fence_with_path = _fence(
    "A fence that names the path replaces the delimiters.",
    ["```{path}", "```{language}:{path}", "```{language} {path}", '```{language} title="{path}"'],
)
tilde_fence_for_block = _fence("A fence of tildes replaces the delimiters.", ["~~~", "~~~{language}"])
long_fence_for_block = _fence(
    "A fence of four backticks replaces the delimiters, often around shorter fences.",
    ["````", "````{language}"],
    of=lambda draft: [i for i in draft.any_blocks if not any("````" in line for line in draft.content(i))],
)
nesting_fence_for_block = _fence(
    "A fence replaces the delimiters of a content with fences in it.",
    ["```markdown", "```{language}"],
    of=lambda draft: [i for i in draft.blocks if _nests(draft.content(i))],
    parts="open close after",
)
fence_around_delimiters = row(
    "A fence is around the delimiters of a block.",
    lambda draft, index, info: _enclose(draft, index, info, ("open", "close")),
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


@in_actions(
    "open close", (True, False), lambda draft: [i for i in _fenceless(draft) if draft.content(i)], drawn="later"
)
def _fence_for_one_delimiter(draft: Draft, rng: random.Random, i: int, opens: bool) -> None:
    """A fence replaces one delimiter of a block; the other is right."""
    delimit(draft, i, (rng.choice(("```", "```{language}")), None) if opens else (None, "```"))


@in_actions("open close body", of=_without_markdown, neutral=True)
def _fence_inside_block(draft: Draft, rng: random.Random, i: int) -> None:
    """A fence encloses the content inside its delimiters: valid alone, it matters beside others."""
    action = draft.document.actions[i]
    fenced = f"```{language(action.path)}\n{action.content}\n```"
    draft.rewrite(i, fenced)
    draft.expected[i].contents = (action.content, fenced)


@in_actions("open close", of=_fenceless)
def _fence_and_remark(draft: Draft, rng: random.Random, i: int) -> None:
    """A remark or a blank line and a fence replace the opening delimiter."""
    delimit(draft, i, ("```{language}", "```"))
    remark = rng.choice(("", "\nHere is the code:\n", "Here's the implementation:", "\n**Code:**"))
    draft.insert(draft.place(draft.line(i, "open")), remark)
