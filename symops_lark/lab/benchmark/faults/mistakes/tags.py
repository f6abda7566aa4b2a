"""Mistakes in tags: of dialects such as plain, in which every part of an action has a line and a tag of its own."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import partial

from ..documents import Line, Role
from .draft import Draft
from .heads import pieces
from .registry import ANY_BLOCKS, Mistake, in_actions, mistake

_PARTS = re.compile(r"(\W*)(\w.*\w)(\W*)")


def misspell_tag(mark: str) -> list[str]:
    """Return a tag in other letters, with other signs between its words, in other brackets or with half of them.

    Empty where it would be as before: a mark may have no letters, one word or no brackets.
    """
    parts = _PARTS.fullmatch(mark)
    if parts is None:
        return []
    before, words, behind = parts.groups()
    spelt = [
        mark.lower(),
        mark.title(),
        *(mark.replace("_", sign) for sign in (" ", "-", "")),
        mark + ":",
        mark.title().replace("_", " "),
        before + words,
        words + behind,
        f"**{mark}**",
        f"<{words}>",
        f"[[{words}]]",
        f"{{{words}}}",
        words.replace("_", " ").capitalize() + ":",
    ]
    return [spelling if spelling != mark else "" for spelling in spelt]


def _respell(draft: Draft, rng: random.Random, change: Callable[[str], str]) -> None:
    """Respell the tags of heads, sometimes those of their delimiters as well."""
    delimiters = rng.random() < 0.5
    parts = ("head", "open", "close") if delimiters else ("head",)
    for i in draft.choose(rng, draft.actions, *parts, split=True):
        head = draft.head(i)
        head.mark, head.at, head.arrow = change(head.mark), change(head.at), change(head.arrow)
        if delimiters and i in draft.any_blocks:
            for line in (draft.line(i, "open"), draft.line(i, "close")):
                line.text = change(line.text)


def _tags(summary: str, changes: Sequence[Callable[[str], str]]) -> Mistake:
    return Mistake(summary, lambda draft, rng: _respell(draft, rng, rng.choice(changes)), tagged=True)


def _inner(form: str) -> Callable[[str], str]:
    """Return a change that writes the words of a tag in a form, without what stands around them."""
    return lambda mark: _PARTS.sub(lambda parts: form.format(parts[2]), mark, count=1)


tags_in_other_letters = _tags(
    "Tags are written in lower case or as titles.", [str.lower, str.title, lambda mark: mark.title().replace("_", " ")]
)
tags_with_other_joints = _tags(
    "A blank, a hyphen or nothing stands for the underscore of tags.",
    [partial(re.sub, "_", sign) for sign in (" ", "-", "", " ")],
)
tags_in_other_brackets = _tags(
    "Tags stand in other brackets, or in doubled ones.",
    [_inner(form) for form in ("<{}>", "{{{}}}", "({})", "[[{}]]", "<<{}>>", "[{}]", "【{}】")],
)


@mistake(tagged=True)
def tag_bracket_missing(draft: Draft, rng: random.Random) -> None:
    """Tags have lost a bracket."""
    opening = rng.random() < 0.5
    _respell(draft, rng, lambda mark: _PARTS.sub(r"\1\2" if opening else r"\2\3", mark, count=1))


tags_without_brackets = _tags(
    "Tags have no brackets, perhaps a colon.", [_inner(form) for form in ("{}:", "{}:", "**{}:**", "**{}**:")]
)


@mistake(tagged=True)
def tags_as_words(draft: Draft, rng: random.Random) -> None:
    """Tags are written as words with a colon: "Action path: a.py"."""
    words = rng.choice((str.capitalize, str.title, str.lower))
    _respell(draft, rng, lambda mark: words(_inner("{}:")(mark).replace("_", " ")))


colon_behind_tag = _tags("A colon stands behind tags.", [form.format for form in ("{}:", "{}:", "{} :", "{}：")])
tag_emboldened = _tags(
    "Tags, not what follows them, are set in bold or as code.",
    [form.format for form in ("**{}**", "**{}**", "**{}:**", "`{}`", "__{}__")],
)


def _paths(draft: Draft) -> Sequence[str]:
    return ("[PATH]", "[FILE]", "[FILE_PATH]") if draft.marks.at.endswith("PATH]") else ()


@in_actions(forms=_paths, split=True, drawn="later", tagged=True)
def tags_shortened(draft: Draft, rng: random.Random, i: int, path: str) -> None:
    """Tags have lost their first word: "[PATH] a.py"."""
    head = draft.head(i)
    head.mark, head.at = rng.choice(("[ACTION]", head.mark)), path
    head.arrow = rng.choice(("[DEPENDS]", "[DEPENDS_ON]", head.arrow))


@in_actions(forms=("", " "), split=True, drawn="later", tagged=True)
def tags_closed(draft: Draft, rng: random.Random, i: int, gap: str) -> None:
    """Each line of a head ends with a closing tag: "[ACTION_PATH] a.py [/ACTION_PATH]"."""
    head = draft.head(i)
    ends = [_PARTS.sub(rf"{gap}\1/\2\3", mark, count=1) for mark in (head.mark, head.at, head.arrow)]
    head.before_at, head.before_arrow = ends[0] + "\n", ends[1] + "\n"
    head.after = ends[2] if head.dependencies else ends[1]


@in_actions("close", of=ANY_BLOCKS, tagged=True)
def closer_with_slash(draft: Draft, rng: random.Random, i: int) -> None:
    """The opening tag with a slash closes the block: "[/CONTENT_START]"."""
    mark = rng.choice((draft.marks.open, draft.marks.close))
    draft.line(i, "close").text = _PARTS.sub(r"\1/\2\3", mark, count=1)


@mistake(tagged=True)
def one_delimiter_respelt(draft: Draft, rng: random.Random) -> None:
    """One delimiter of a block is a tag in another spelling."""
    roles: tuple[Role, ...] = ("open", "close")
    role = rng.choice(roles)
    found = [spelling for spelling in misspell_tag(getattr(draft.marks, role)) if spelling]
    chosen = draft.choose(rng, draft.any_blocks, "open", "close") if found else []
    for i in chosen:
        draft.line(i, role).text = rng.choice(found)


@in_actions(split=True, tagged=True)
def path_before_verb(draft: Draft, rng: random.Random, i: int) -> None:
    """The line with the path stands in front of the one with the verb."""
    head = draft.head(i)
    head.mark, head.at = head.at, head.mark
    head.verb, head.path = head.path, head.verb


@in_actions(of=lambda d: [i for i in d.actions if d.document.actions[i].dependencies], split=True, tagged=True)
def dependencies_before_path(draft: Draft, rng: random.Random, i: int) -> None:
    """The line with the dependencies stands in front of the one with the path."""
    head = draft.head(i)
    head.at, head.arrow = head.arrow, head.at
    head.path, head.dependencies = ", ".join(head.dependencies), (head.path,)


head_on_one_line = pieces(
    "Verb and path stand on one line, each with its tag.",
    "before_at",
    [" ", " ", ", ", " | "],
    split=True,
    drawn="later",
    tagged=True,
)


@in_actions(split=True, tagged=True)
def blank_lines_in_head(draft: Draft, rng: random.Random, i: int) -> None:
    """Blank lines stand between the lines of a head."""
    draft.head(i).before_at = "\n\n"
    draft.head(i).before_arrow = rng.choice(("\n", "\n\n"))


values_below_tags = pieces(
    "What a tag names stands on the line below it, as reasoning does.",
    "after_mark after_at after_arrow",
    ["\n"],
    split=True,
    tagged=True,
)


@mistake(tagged=True)
def section_tag_over_action(draft: Draft, rng: random.Random) -> None:
    """A tag of no meaning, such as "[ACTION]", stands over an action."""
    chosen = draft.choose(rng, [i for i in draft.actions if i], "head", "before", split=True)
    chosen = [i for i in chosen if draft.free((i - 1, "after"))]
    for i in chosen:
        draft.claim((i - 1, "after"))
        tag = rng.choice(("[ACTION]", f"[ACTION {i + 1}]", "[ACTION_START]", f"[STEP_{i + 1}]"))
        draft.lines.insert(draft.place(draft.line(i, "head")), Line("prose", tag))
