"""Markdown fences in place of delimiters, beside them and inside them."""

from __future__ import annotations

import random
import re

from ..documents import Line
from .delimiters import language
from .draft import Draft, fenceish
from .registry import mistake

_INFO = re.compile(r"[ \t]*`{3,}[ \t]*\w")


def _fenceless(draft: Draft, candidates: list[int]) -> list[int]:
    return [i for i in candidates if not any(map(fenceish, draft.content(i)))]


def _nests(lines: list[str]) -> bool:
    """Tell whether the fences inside pair up: opened with an info word, closed bare, three signs long."""
    depth = found = 0
    for line in filter(fenceish, lines):
        bare = not _INFO.match(line)
        if "~" in line or "````" in line or bare == (depth == 0):
            return False
        depth += -1 if bare else 1
        found += 1
    return depth == 0 and found > 0


def _fence(draft: Draft, chosen: list[int], opener: str, closer: str) -> bool:
    for i in chosen:
        path = draft.document.actions[i].path
        draft.line(i, "open").text = opener.format(language=language(path), path=path)
        draft.line(i, "close").text = closer
    return bool(chosen)


@mistake()
def fence_for_block(draft: Draft, rng: random.Random) -> bool:
    """A Markdown fence stands in place of the delimiters."""
    chosen = draft.choose(rng, _fenceless(draft, draft.any_blocks), "open", "close")
    return _fence(draft, chosen, rng.choice(("```", "```{language}", "```{language}", "``` {language}")), "```")


@mistake()
def fence_with_path(draft: Draft, rng: random.Random) -> bool:
    """A fence that names the path stands in place of the delimiters."""
    chosen = draft.choose(rng, _fenceless(draft, draft.any_blocks), "open", "close")
    form = rng.choice(("```{path}", "```{language}:{path}", "```{language} {path}", '```{language} title="{path}"'))
    return _fence(draft, chosen, form, "```")


@mistake()
def tilde_fence_for_block(draft: Draft, rng: random.Random) -> bool:
    """A fence of tildes stands in place of the delimiters."""
    chosen = draft.choose(rng, _fenceless(draft, draft.any_blocks), "open", "close")
    return _fence(draft, chosen, rng.choice(("~~~", "~~~{language}")), "~~~")


@mistake()
def long_fence_for_block(draft: Draft, rng: random.Random) -> bool:
    """A fence of four backticks stands in place of the delimiters, often around shorter fences."""
    candidates = [i for i in draft.any_blocks if not any("````" in line for line in draft.content(i))]
    chosen = draft.choose(rng, candidates, "open", "close")
    return _fence(draft, chosen, rng.choice(("````", "````{language}")), "````")


@mistake()
def nesting_fence_for_block(draft: Draft, rng: random.Random) -> bool:
    """A fence stands in place of the delimiters of a content that has fences of its own."""
    candidates = [i for i in draft.blocks if _nests(draft.content(i))]
    chosen = draft.choose(rng, candidates, "open", "close", "after")
    return _fence(draft, chosen, rng.choice(("```markdown", "```{language}")), "```")


@mistake()
def fence_around_delimiters(draft: Draft, rng: random.Random) -> bool:
    """A fence stands around the delimiters of a block."""
    chosen = draft.choose(rng, draft.any_blocks, "open", "close", "after")
    info = rng.choice(("```", "```{language}", "~~~"))
    for i in chosen:
        opener, closer = draft.line(i, "open"), draft.line(i, "close")
        draft.lines.insert(
            draft.place(opener), Line("prose", info.format(language=language(draft.document.actions[i].path)), i)
        )
        draft.lines.insert(draft.place(closer) + 1, Line("prose", info[:3], i))
    return bool(chosen)


@mistake(neutral=True)
def fence_around_action(draft: Draft, rng: random.Random) -> bool:
    """A fence stands around each single action, head and all."""
    chosen = draft.choose(rng, draft.actions, "around", "after")
    info = rng.choice(("```", "```text", "```{language}"))
    for i in chosen:
        lines = [line for line in draft.lines if line.action == i]
        text = info.format(language=language(draft.document.actions[i].path))
        draft.lines.insert(draft.place(lines[0]), Line("prose", text, i))
        draft.lines.insert(draft.place(lines[-1]) + 1, Line("prose", "```", i))
    return bool(chosen)


@mistake()
def fence_for_one_delimiter(draft: Draft, rng: random.Random) -> bool:
    """A fence stands for one delimiter of a block, the other is right."""
    chosen = draft.choose(rng, _fenceless(draft, draft.blocks), "open", "close")
    role = rng.choice(("open", "close"))
    for i in chosen:
        if role == "open":
            draft.line(i, "open").text = rng.choice(("```", "```" + language(draft.document.actions[i].path)))
        else:
            draft.line(i, "close").text = "```"
    return bool(chosen)


@mistake(neutral=True)
def fence_inside_block(draft: Draft, rng: random.Random) -> bool:
    """A fence encloses the content inside its delimiters: valid alone, it matters beside others."""
    candidates = [i for i in _fenceless(draft, draft.blocks) if not draft.document.actions[i].path.endswith(".md")]
    chosen = draft.choose(rng, candidates, "open", "close", "body")
    for i in chosen:
        info = "```" + language(draft.document.actions[i].path)
        content = draft.document.actions[i].content
        draft.rewrite(i, f"{info}\n{content}\n```")
        draft.expected[i].contents = (content, f"{info}\n{content}\n```")
    return bool(chosen)


@mistake()
def fence_and_remark(draft: Draft, rng: random.Random) -> bool:
    """A remark or a blank line and a fence stand in place of the opening delimiter."""
    chosen = draft.choose(rng, _fenceless(draft, draft.any_blocks), "open", "close")
    if not _fence(draft, chosen, "```{language}", "```"):
        return False
    for i in chosen:
        remark = rng.choice(("", "\nHere is the code:\n", "Here's the implementation:", "\n**Code:**"))
        draft.insert(draft.place(draft.line(i, "open")), remark)
    return True
