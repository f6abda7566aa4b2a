"""What models put around and between the sections: prose, fences, thinking, tokens, tags."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

from .. import phrases
from ..documents import Line
from .draft import Draft, fenceish
from .registry import WRAP, Mistake, in_actions, in_reply, mistake

_FENCES = ("```", "```", "```text", "```plaintext", "```symops", "```sym-ops", "```markdown", "~~~", "````")


def _before(draft: Draft, text: str) -> None:
    draft.insert(0, text + "\n")


def _append(draft: Draft, text: str) -> None:
    draft.insert(len(draft.lines), "\n" + text)


_wrapping = partial(in_reply, stage=WRAP, neutral=True)


def _prose(summary: str, before: Sequence[str] = (), after: Sequence[str] = ()) -> Mistake:
    """Return a mistake that puts one of the texts before the reply, after it, or both."""

    def edit(draft: Draft, rng: random.Random) -> None:
        if before:
            _before(draft, rng.choice(before))
        if after:
            _append(draft, rng.choice(after))

    return _wrapping("start " * bool(before) + "end" * bool(after), summary)(edit)


def _gaps(draft: Draft) -> list[int]:
    """Return the actions before which a text belongs to no section."""
    gaps = [i for i in draft.actions if i and draft.free((i - 1, "after"), (i - 1, "close"), (i, "head"))]
    return [i for i in gaps if draft.free((i, "before"))]


def _put_before(draft: Draft, index: int, text: str) -> None:
    draft.claim((index - 1, "after"))
    draft.insert(draft.place(draft.line(index, "head")), text)


preamble = _prose("There is prose before the reply.", phrases.PREAMBLES)
preamble_with_plan = _prose("There is a plan with paths and verbs before the reply.", phrases.PLANS)
postamble = _prose("There is prose after the reply.", after=phrases.POSTAMBLES)
postamble_with_plan = _prose("There is prose with paths and verbs after the reply.", after=phrases.PLANS)
prose_around = _prose("There is prose on both sides of the reply.", phrases.PREAMBLES, phrases.POSTAMBLES)


def _between(summary: str, texts: Sequence[str]) -> Mistake:
    @in_actions("before", of=_gaps, stage=WRAP, neutral=True, summary=summary)
    def edit(draft: Draft, rng: random.Random, i: int) -> None:
        blank = draft.lines[draft.place(draft.line(i, "head")) - 1].role == "blank" or rng.random() < 0.5
        _put_before(draft, i, rng.choice(texts) + ("\n" if blank else ""))

    return edit


prose_between = _between("There is prose between the actions.", phrases.BETWEENS)
plan_between = _between("There is prose with paths and verbs between the actions.", phrases.PLANS)


@mistake(stage=WRAP, neutral=True)
def sample_in_prose(draft: Draft, rng: random.Random) -> None:
    """There is prose with a fenced sample, which belongs to no file, around the actions."""
    sample = rng.choice(phrases.SAMPLES)
    where = rng.choice(("before", "between", "after", "after"))
    if where == "between" and _between("", [sample]).apply(draft, rng):
        return
    if where == "before" and draft.claim("start"):
        _before(draft, sample)
    elif draft.claim("end"):
        _append(draft, sample)


@_wrapping("start end whole")
def reply_fenced(draft: Draft, rng: random.Random) -> None:
    """A fence is around the complete reply."""
    info = rng.choice(_FENCES)
    if draft.foreign:
        info = info.replace("sym-ops", draft.foreign.info).replace("symops", draft.foreign.info)
    sign = info[:4] if info.startswith("````") else info[:3]
    if any(line.action is not None and line.role != "body" and fenceish(str(line)) for line in draft.lines):
        sign, info = "`" * 4, "`" * 4 + info.lstrip("`~")
    draft.insert(0, info)
    draft.insert(len(draft.lines), sign)


@mistake(stage=WRAP, neutral=True)
def reply_fenced_in_prose(draft: Draft, rng: random.Random) -> None:
    """A fence is around the complete reply, and prose around the fence."""
    if not reply_fenced.apply(draft, rng):
        return
    side = rng.choice(("before", "both", "both", "after"))
    if side != "after":
        _before(draft, rng.choice(phrases.PREAMBLES + phrases.PLANS[:4]))
    if side != "before":
        _append(draft, rng.choice(phrases.POSTAMBLES))


@mistake(stage=WRAP, neutral=True)
def orphan_fence(draft: Draft, rng: random.Random) -> None:
    """Only one half of a fence around the reply is there."""
    side = rng.choice(("start", "end"))
    if not draft.claim(side, "whole") or draft.document.spaced is False:
        return
    if side == "start":
        draft.insert(0, rng.choice(("```", "```text")))
    else:
        draft.insert(len(draft.lines), "```")


@_wrapping("end")
def control_token_at_the_end(draft: Draft, rng: random.Random) -> None:
    """A control token of the model ends the reply, on a separate line or joined to the last."""
    if not draft.lines or not str(draft.lines[-1]).strip():
        return
    token = rng.choice(phrases.CONTROL_TOKENS)
    if rng.random() < 0.5:
        draft.insert(len(draft.lines), token)
    else:
        last = draft.lines[-1]
        draft.lines[-1] = Line(last.role, str(last) + token, last.action)


@_wrapping("start")
def control_token_at_the_start(draft: Draft, rng: random.Random) -> None:
    """A control token of the model opens the reply, on a separate line or joined to the first."""
    if not draft.lines:
        return
    token = rng.choice(phrases.OPENING_TOKENS)
    if rng.random() < 0.7:
        draft.insert(0, token)
    else:
        first = draft.lines[0]
        draft.lines[0] = Line(first.role, token + rng.choice(("", " ")) + str(first), first.action, end=first.end)


@mistake(stage=WRAP, neutral=True)
def control_tokens_inside(draft: Draft, rng: random.Random) -> None:
    """Control tokens are joined to delimiters, or are lines between the sections."""
    token = rng.choice(phrases.CONTROL_TOKENS)
    if rng.random() < 0.5:
        closed = [] if draft.foreign and "close" in draft.foreign.lacks else draft.any_blocks
        for i in draft.choose(rng, closed, "close"):
            draft.line(i, "close").text += token
    else:
        for i in draft.choose(rng, _gaps(draft), "before"):
            _put_before(draft, i, token)


def _think(summary: str, text: Callable[[Draft, random.Random], str]) -> Mistake:
    def edit(draft: Draft, rng: random.Random) -> None:
        thinking, tag = text(draft, rng), rng.choice(("think", "think", "think", "thinking"))
        form = rng.choice(("<{0}>\n{1}\n{2}\n", "<{0}>{1}{2}\n", "<{0}>\n{1}\n{2}", "<{0}>\n\n{1}\n\n{2}\n"))
        draft.insert(0, form.format(tag, thinking, f"</{tag}>"))

    return _wrapping("start", summary)(edit)


think_section = _think("A thinking section precedes the reply.", lambda draft, rng: rng.choice(phrases.THINKING))
think_section_empty = _think("An empty thinking section precedes the reply.", lambda draft, rng: rng.choice(("", "\n")))


def _sketch(draft: Draft) -> str:
    if draft.foreign:
        return draft.foreign.sketch
    marks = draft.marks
    gap = "\n" if draft.dialect.lines else " "
    head = f"{marks.action}{marks.after_action}create{gap}{marks.at}{marks.after_at}draft.py"
    return f"{marks.thought}{gap}a first try\n{head}\n{marks.open}\nprint('draft')\n{marks.close}"


think_section_with_draft = _think(
    "A thinking section that holds a draft of an action precedes the reply.",
    lambda draft, rng: f"{phrases.THINKING[0]}\n\n{_sketch(draft)}\n\nBut that is too short.",
)


@_wrapping("start")
def think_section_end_only(draft: Draft, rng: random.Random) -> None:
    """The closing tag of a thinking section is left, its opening tag is not."""
    text = rng.choice(phrases.THINKING)
    if rng.random() < 0.25:
        text += f"\n\n{_sketch(draft)}\n\nNo, the user wants more."
    draft.insert(0, f"{text}\n</think>\n")


@_wrapping("start end")
def tags_around(draft: Draft, rng: random.Random) -> None:
    """Tags of another format are around the reply, or one of them."""
    opening, closing = rng.choice(phrases.TAGS)
    sides = rng.choice(("both", "both", "opening", "closing"))
    if sides != "closing":
        draft.insert(0, opening)
    if sides != "opening":
        draft.insert(len(draft.lines), closing)


@mistake(stage=WRAP, neutral=True)
def tags_between(draft: Draft, rng: random.Random) -> None:
    """There are stray tag lines between the sections."""
    tags = rng.sample(["[REPORT]", "[ACTION]", "[VITALS]", "[THOUGHTS]", "<action>", "[STEP 2]", "[CODE]"], 2)
    for i in draft.choose(rng, _gaps(draft), "before"):
        _put_before(draft, i, rng.choice(tags))


@in_actions("before", of=_gaps, stage=WRAP, neutral=True)
def _headings_between(draft: Draft, rng: random.Random, i: int) -> None:
    """Markdown headings and rules divide the reply into parts."""
    form = rng.choice(("## Actions", "### File: {path}", "**{path}**", "`{path}`", "***", "## Step {n}", "* * *"))
    text = form.format(path=draft.document.actions[i].path, n=i + 1)
    _put_before(draft, i, text + "\n" * rng.choice((0, 1)))
