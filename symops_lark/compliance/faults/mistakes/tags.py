"""Mistakes in tags: of dialects such as plain, in which every part of an action has a line and a tag of its own."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from ..documents import Line
from . import spellings
from .draft import Draft
from .registry import mistake

_PARTS = re.compile(r"(\W*)(\w.*\w)(\W*)")


def _respell(draft: Draft, rng: random.Random, change: Callable[[str], str]) -> bool:
    """Respell the tags of heads, sometimes those of their delimiters as well."""
    delimiters = rng.random() < 0.5
    parts = ("head", "open", "close") if delimiters else ("head",)
    chosen, before = draft.choose(rng, draft.actions, *parts, split=True), draft.text()
    for i in chosen:
        head = draft.head(i)
        head.mark, head.at, head.arrow = change(head.mark), change(head.at), change(head.arrow)
        if delimiters and i in draft.any_blocks:
            for line in (draft.line(i, "open"), draft.line(i, "close")):
                line.text = change(line.text)
    return draft.text() != before


def _inner(form: str) -> Callable[[str], str]:
    """Write the words of a tag in another form, without what stands around them."""
    return lambda mark: _PARTS.sub(lambda parts: form.format(parts[2]), mark, count=1)


@mistake(tagged=True)
def tags_in_other_letters(draft: Draft, rng: random.Random) -> bool:
    """Tags are written in lower case or as titles."""
    return _respell(draft, rng, rng.choice((str.lower, str.title, lambda mark: mark.title().replace("_", " "))))


@mistake(tagged=True)
def tags_with_other_joints(draft: Draft, rng: random.Random) -> bool:
    """A blank, a hyphen or nothing stands for the underscore of tags."""
    joint = rng.choice((" ", "-", "", " "))
    return _respell(draft, rng, lambda mark: mark.replace("_", joint))


@mistake(tagged=True)
def tags_in_other_brackets(draft: Draft, rng: random.Random) -> bool:
    """Tags stand in other brackets, or in doubled ones."""
    return _respell(draft, rng, _inner(rng.choice(("<{}>", "{{{}}}", "({})", "[[{}]]", "<<{}>>", "[{}]", "【{}】"))))


@mistake(tagged=True)
def tag_bracket_missing(draft: Draft, rng: random.Random) -> bool:
    """Tags have lost a bracket."""
    opening = rng.random() < 0.5
    return _respell(draft, rng, lambda mark: _PARTS.sub(r"\1\2" if opening else r"\2\3", mark, count=1))


@mistake(tagged=True)
def tags_without_brackets(draft: Draft, rng: random.Random) -> bool:
    """Tags have no brackets, perhaps a colon."""
    return _respell(draft, rng, _inner(rng.choice(("{}:", "{}:", "**{}:**", "**{}**:"))))


@mistake(tagged=True)
def tags_as_words(draft: Draft, rng: random.Random) -> bool:
    """Tags are written as words with a colon: "Action path: a.py"."""
    words = rng.choice((str.capitalize, str.title, str.lower))
    return _respell(draft, rng, lambda mark: words(_inner("{}:")(mark).replace("_", " ")))


@mistake(tagged=True)
def colon_behind_tag(draft: Draft, rng: random.Random) -> bool:
    """A colon stands behind tags."""
    colon = rng.choice((":", ":", " :", "："))
    return _respell(draft, rng, lambda mark: mark + colon)


@mistake(tagged=True)
def tag_emboldened(draft: Draft, rng: random.Random) -> bool:
    """Tags, not what follows them, are set in bold or as code."""
    form = rng.choice(("**{}**", "**{}**", "**{}:**", "`{}`", "__{}__"))
    return _respell(draft, rng, form.format)


@mistake(tagged=True)
def tags_shortened(draft: Draft, rng: random.Random) -> bool:
    """Tags have lost their first word: "[PATH] a.py"."""
    if not draft.marks.at.endswith("PATH]"):
        return False
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    path = rng.choice(("[PATH]", "[FILE]", "[FILE_PATH]"))
    for i in chosen:
        head = draft.head(i)
        head.mark, head.at = rng.choice(("[ACTION]", head.mark)), path
        head.arrow = rng.choice(("[DEPENDS]", "[DEPENDS_ON]", head.arrow))
    return bool(chosen)


@mistake(tagged=True)
def tags_closed(draft: Draft, rng: random.Random) -> bool:
    """Each line of a head ends with a closing tag: "[ACTION_PATH] a.py [/ACTION_PATH]"."""
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    gap, before = rng.choice(("", " ")), draft.text()
    for i in chosen:
        head = draft.head(i)
        ends = [_PARTS.sub(rf"{gap}\1/\2\3", mark, count=1) for mark in (head.mark, head.at, head.arrow)]
        head.before_at, head.before_arrow = ends[0] + "\n", ends[1] + "\n"
        head.behind = ends[2] if head.dependencies else ends[1]
    return draft.text() != before


@mistake(tagged=True)
def closer_with_slash(draft: Draft, rng: random.Random) -> bool:
    """The opening tag with a slash closes the block: "[/CONTENT_START]"."""
    chosen = draft.choose(rng, draft.any_blocks, "close")
    before = draft.text()
    for i in chosen:
        mark = rng.choice((draft.marks.open, draft.marks.close))
        draft.line(i, "close").text = _PARTS.sub(r"\1/\2\3", mark, count=1)
    return draft.text() != before


@mistake(tagged=True)
def one_delimiter_respelt(draft: Draft, rng: random.Random) -> bool:
    """One delimiter of a block is a tag in another spelling."""
    role, marks = rng.choice((("open", draft.marks.open), ("close", draft.marks.close)))
    found = [spelling for spelling in spellings.tags(marks) if spelling]
    chosen = draft.choose(rng, draft.any_blocks, "open", "close") if found else []
    for i in chosen:
        draft.line(i, "open" if role == "open" else "close").text = rng.choice(found)
    return bool(chosen)


@mistake(tagged=True)
def path_before_verb(draft: Draft, rng: random.Random) -> bool:
    """The line with the path stands in front of the one with the verb."""
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    for i in chosen:
        head = draft.head(i)
        head.mark, head.at = head.at, head.mark
        head.verb, head.path = head.path, head.verb
    return bool(chosen)


@mistake(tagged=True)
def dependencies_before_path(draft: Draft, rng: random.Random) -> bool:
    """The line with the dependencies stands in front of the one with the path."""
    owners = [i for i in draft.actions if draft.document.actions[i].dependencies]
    chosen = draft.choose(rng, owners, "head", split=True)
    for i in chosen:
        head = draft.head(i)
        head.at, head.arrow = head.arrow, head.at
        head.path, head.dependencies = ", ".join(head.dependencies), (head.path,)
    return bool(chosen)


@mistake(tagged=True)
def head_on_one_line(draft: Draft, rng: random.Random) -> bool:
    """Verb and path stand on one line, each with its tag."""
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    gap = rng.choice((" ", " ", ", ", " | "))
    for i in chosen:
        draft.head(i).before_at = gap
    return bool(chosen)


@mistake(tagged=True)
def blank_lines_in_head(draft: Draft, rng: random.Random) -> bool:
    """Blank lines stand between the lines of a head."""
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    for i in chosen:
        draft.head(i).before_at = "\n\n"
        draft.head(i).before_arrow = rng.choice(("\n", "\n\n"))
    return bool(chosen)


@mistake(tagged=True)
def values_below_tags(draft: Draft, rng: random.Random) -> bool:
    """What a tag names stands on the line below it, as reasoning does."""
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    for i in chosen:
        head = draft.head(i)
        head.after_mark = head.after_at = head.after_arrow = "\n"
    return bool(chosen)


@mistake(tagged=True)
def section_tag_over_action(draft: Draft, rng: random.Random) -> bool:
    """A tag of no meaning, such as "[ACTION]", stands over an action."""
    chosen = draft.choose(rng, [i for i in draft.actions if i], "head", "before", split=True)
    chosen = [i for i in chosen if draft.free((i - 1, "after"))]
    for i in chosen:
        draft.claim((i - 1, "after"))
        tag = rng.choice(("[ACTION]", f"[ACTION {i + 1}]", "[ACTION_START]", f"[STEP_{i + 1}]"))
        draft.lines.insert(draft.place(draft.line(i, "head")), Line("prose", tag))
    return bool(chosen)
