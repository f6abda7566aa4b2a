"""The text of models around and between the sections: prose, fences, thinking, tokens, tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from random import Random

from .. import phrases
from ..documents import Line
from .draft import Draft, fenceish
from .registry import WRAP, Mistake, in_actions, in_reply, mistake

_FENCES = (
    "```",
    "```",
    "```text",
    "```plaintext",
    "```symops",
    "```sym-ops",
    "```markdown",
    "~~~",
    "````",
)
_wrapping = partial(in_reply, stage=WRAP, neutral=True)


def _prepend(draft: Draft, text: str) -> None:
    # A blank line is between prose and a reply.
    draft.insert(0, text + "\n")


def _append(draft: Draft, text: str) -> None:
    draft.append("\n" + text)


def _prose(summary: str, before: Sequence[str] = (), after: Sequence[str] = ()) -> Mistake:
    """Return a mistake that puts one of the texts before the reply, after it, or both."""

    def edit(draft: Draft, rng: Random) -> None:
        if before:
            _prepend(draft, rng.choice(before))
        if after:
            _append(draft, rng.choice(after))

    zones = "start " * bool(before) + "end" * bool(after)
    return _wrapping(zones, summary)(edit)


def _has_gap(draft: Draft, index: int) -> bool:
    """Return whether a text before an action belongs to no section."""
    # The text before the first action may belong to a section without a number.
    if not index:
        return False
    above = index - 1
    return draft.free((above, "after"), (above, "close"), (index, "head"), (index, "before"))


def _put_before(draft: Draft, index: int, text: str) -> None:
    draft.claim((index - 1, "after"))
    draft.insert(draft.line(index, "head"), text)


preamble = _prose("There is prose before the reply.", phrases.PREAMBLES)
preamble_with_plan = _prose("There is a plan with paths and verbs before the reply.", phrases.PLANS)
postamble = _prose("There is prose after the reply.", after=phrases.POSTAMBLES)
postamble_with_plan = _prose(
    "There is prose with paths and verbs after the reply.", after=phrases.PLANS
)
prose_around = _prose(
    "There is prose on both sides of the reply.", phrases.PREAMBLES, phrases.POSTAMBLES
)


def _between(summary: str, texts: Sequence[str]) -> Mistake:
    """Return a mistake that puts texts between the actions."""

    @in_actions("before", where=_has_gap, stage=WRAP, neutral=True, summary=summary)
    def edit(draft: Draft, rng: Random, i: int) -> None:
        place = draft.place(draft.line(i, "head"))
        above = draft.lines[place - 1]
        # A blank line above the text needs one below it.
        is_apart = above.role == "blank" or rng.random() < 0.5
        text = rng.choice(texts)
        _put_before(draft, i, text + "\n" if is_apart else text)

    return edit


prose_between = _between("There is prose between the actions.", phrases.BETWEENS)
plan_between = _between("There is prose with paths and verbs between the actions.", phrases.PLANS)


@mistake(stage=WRAP, neutral=True)
def sample_in_prose(draft: Draft, rng: Random) -> None:
    """There is prose with a fenced sample, which belongs to no file, around the actions."""
    sample = rng.choice(phrases.SAMPLES)
    place = rng.choice(("before", "between", "after", "after"))
    if place == "between" and _between("", [sample]).apply(draft, rng):
        return
    # Where its place is not free, the sample is at the end.
    if place == "before" and draft.claim("start"):
        _prepend(draft, sample)
    elif draft.claim("end"):
        _append(draft, sample)


def _is_fenced_markup(line: Line) -> bool:
    is_content = line.action is None or line.role == "body"
    return not is_content and fenceish(str(line))


@_wrapping("start end whole")
def reply_fenced(draft: Draft, rng: Random) -> None:
    """A fence is around the complete reply."""
    info = rng.choice(_FENCES)
    if draft.foreign:
        info = info.replace("sym-ops", "symops").replace("symops", draft.foreign.info)
    signs = info.removesuffix(info.lstrip("`~"))
    # A fence around fences is longer than they are.
    if any(map(_is_fenced_markup, draft.lines)):
        info = "````" + info.removeprefix(signs)
        signs = "````"
    draft.insert(0, info)
    draft.append(signs)


@mistake(stage=WRAP, neutral=True)
def reply_fenced_in_prose(draft: Draft, rng: Random) -> None:
    """A fence is around the complete reply, and prose around the fence."""
    if not reply_fenced.apply(draft, rng):
        return
    side = rng.choice(("before", "both", "both", "after"))
    if side != "after":
        texts = phrases.PREAMBLES + phrases.PLANS[:4]
        _prepend(draft, rng.choice(texts))
    if side != "before":
        _append(draft, rng.choice(phrases.POSTAMBLES))


@mistake(stage=WRAP, neutral=True)
def orphan_fence(draft: Draft, rng: Random) -> None:
    """Only one half of a fence around the reply is there."""
    side = rng.choice(("start", "end"))
    # Without blank lines, the half fence would seem to belong to the action next to it.
    if not draft.claim(side, "whole") or not draft.document.spaced:
        return
    if side == "start":
        draft.insert(0, rng.choice(("```", "```text")))
    else:
        draft.append("```")


@_wrapping("end")
def control_token_at_the_end(draft: Draft, rng: Random) -> None:
    """A control token of the model ends the reply, on a separate line or joined to the last."""
    if not draft.lines:
        return
    last = draft.lines[-1]
    # A token after a blank line would be on a separate line anyway.
    if not str(last).strip():
        return
    token = rng.choice(phrases.CONTROL_TOKENS)
    if rng.random() < 0.5:
        draft.append(token)
    else:
        text = str(last) + token
        draft.lines[-1] = Line(last.role, text, last.action)


@_wrapping("start")
def control_token_at_the_start(draft: Draft, rng: Random) -> None:
    """A control token of the model opens the reply, on a separate line or joined to the first."""
    if not draft.lines:
        return
    token = rng.choice(phrases.OPENING_TOKENS)
    if rng.random() < 0.7:
        draft.insert(0, token)
    else:
        first = draft.lines[0]
        text = token + rng.choice(("", " ")) + str(first)
        draft.lines[0] = replace(first, text=text, head=None, indent="")


def _has_closer(draft: Draft, index: int) -> bool:
    # Some formats end a content without a mark.
    return draft.foreign is None or "close" not in draft.foreign.lacks


@mistake(stage=WRAP, neutral=True)
def control_tokens_inside(draft: Draft, rng: Random) -> None:
    """Control tokens are joined to delimiters, or are lines between the sections."""
    token = rng.choice(phrases.CONTROL_TOKENS)
    if rng.random() < 0.5:
        for i in draft.choose(rng, draft.any_blocks, "close", where=_has_closer):
            draft.line(i, "close").text += token
    else:
        for i in draft.choose(rng, draft.actions, "before", where=_has_gap):
            _put_before(draft, i, token)


def _think(summary: str, text: Callable[[Draft, Random], str]) -> Mistake:
    """Return a mistake that puts a thinking section before the reply."""

    def edit(draft: Draft, rng: Random) -> None:
        thinking = text(draft, rng)
        tag = rng.choice(("think", "think", "think", "thinking"))
        form = rng.choice(
            (
                "<{0}>\n{1}\n</{0}>\n",
                "<{0}>{1}</{0}>\n",
                "<{0}>\n{1}\n</{0}>",
                "<{0}>\n\n{1}\n\n</{0}>\n",
            )
        )
        draft.insert(0, form.format(tag, thinking))

    return _wrapping("start", summary)(edit)


think_section = _think(
    "A thinking section precedes the reply.", lambda draft, rng: rng.choice(phrases.THINKING)
)
think_section_empty = _think(
    "An empty thinking section precedes the reply.", lambda draft, rng: rng.choice(("", "\n"))
)


def _sketch(draft: Draft) -> str:
    """Return the text of an action that is not meant."""
    if draft.foreign:
        return draft.foreign.sketch
    marks = draft.marks
    gap = "\n" if draft.tagged else " "
    lines = (
        marks.thought + gap + "a first try",
        f"{marks.action}{marks.after_action}create{gap}{marks.at}{marks.after_at}draft.py",
        marks.open,
        "print('draft')",
        marks.close,
    )
    return "\n".join(lines)


think_section_with_draft = _think(
    "A thinking section that holds a draft of an action precedes the reply.",
    lambda draft, rng: f"{phrases.THINKING[0]}\n\n{_sketch(draft)}\n\nBut that is too short.",
)


@_wrapping("start")
def think_section_end_only(draft: Draft, rng: Random) -> None:
    """The closing tag of a thinking section is left, its opening tag is not."""
    # Some servers write the opening tag themselves and return only the rest.
    text = rng.choice(phrases.THINKING)
    if rng.random() < 0.25:
        text += f"\n\n{_sketch(draft)}\n\nNo, the user wants more."
    draft.insert(0, f"{text}\n</think>\n")


@_wrapping("start end")
def tags_around(draft: Draft, rng: Random) -> None:
    """Tags of another format are around the reply, or one of them."""
    opening, closing = rng.choice(phrases.TAGS)
    sides = rng.choice(("both", "both", "opening", "closing"))
    if sides != "closing":
        draft.insert(0, opening)
    if sides != "opening":
        draft.append(closing)


@mistake(stage=WRAP, neutral=True)
def tags_between(draft: Draft, rng: Random) -> None:
    """There are stray tag lines between the sections."""
    # A model that makes tags up repeats them.
    tags = rng.sample(
        ["[REPORT]", "[ACTION]", "[VITALS]", "[THOUGHTS]", "<action>", "[STEP 2]", "[CODE]"], 2
    )
    for i in draft.choose(rng, draft.actions, "before", where=_has_gap):
        _put_before(draft, i, rng.choice(tags))


@in_actions("before", where=_has_gap, stage=WRAP, neutral=True)
def _headings_between(draft: Draft, rng: Random, i: int) -> None:
    """Markdown headings and rules divide the reply into parts."""
    form = rng.choice(
        ("## Actions", "### File: {path}", "**{path}**", "`{path}`", "***", "## Step {n}", "* * *")
    )
    text = form.format(path=draft.action(i).path, n=i + 1)
    blank = rng.choice(("", "\n"))
    _put_before(draft, i, text + blank)
