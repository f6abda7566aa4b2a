"""Mistakes in tags, of dialects such as plain: each part of an action has a line and a tag."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from ..documents import Role
from .draft import Draft
from .heads import has_dependencies, pieces
from .registry import ANY_BLOCKS, Mistake, in_actions, mistake

Change = Callable[[str], str]  # of a tag
_PARTS = re.compile(r"(\W*)(\w.*\w)(\W*)")  # a bracket, the words, a bracket


def misspell_tag(mark: str) -> list[str]:
    """Return wrong forms of a tag: in other letters, with other signs, or in other brackets.

    A form is empty if it is the tag itself: a mark may have no letters, one word or no brackets.
    """
    parts = _PARTS.fullmatch(mark)
    if parts is None:
        return []
    before, words, after = parts.groups()
    forms = [
        mark.lower(),
        mark.title(),
        *(mark.replace("_", sign) for sign in (" ", "-", "")),
        mark + ":",
        mark.title().replace("_", " "),
        before + words,
        words + after,
        f"**{mark}**",
        f"<{words}>",
        f"[[{words}]]",
        f"{{{words}}}",
        words.replace("_", " ").capitalize() + ":",
    ]
    # The tag itself keeps its place, so that the same seed draws the same form.
    return ["" if spelling == mark else spelling for spelling in forms]


def _change(draft: Draft, rng: Random, change: Change) -> None:
    """Change the tags of heads, sometimes those of their delimiters, too."""
    parts: tuple[Role, ...] = ("head",)
    if rng.random() < 0.5:
        parts = ("head", "open", "close")
    for i in draft.choose(rng, draft.actions, *parts, split=True):
        head = draft.head(i)
        head.mark = change(head.mark)
        head.at = change(head.at)
        head.arrow = change(head.arrow)
        for role in parts[1:]:
            # An action without a block has no such line.
            for line in draft.part(i, role):
                line.text = change(line.text)


def _tags(summary: str, changes: Sequence[Change]) -> Mistake:
    """Return a mistake that makes one of the changes to tags."""

    def apply(draft: Draft, rng: Random) -> None:
        _change(draft, rng, rng.choice(changes))

    return Mistake(summary, apply, tagged=True)


def _to(template: str) -> Change:
    """Return a change that writes a tag by a template with the numbers of its three parts."""
    # Only the first match: a mark of several lines has one tag.
    return partial(_PARTS.sub, template, count=1)


def _as_title(mark: str) -> str:
    return mark.title().replace("_", " ")


tags_in_other_letters = _tags(
    "Tags are written in lower case or as titles.", [str.lower, str.title, _as_title]
)
tags_with_other_joints = _tags(
    "A blank, a hyphen or nothing replaces the underscore of tags.",
    [partial(re.sub, "_", sign) for sign in (" ", "-", "", " ")],
)
tags_in_other_brackets = _tags(
    "Tags have other brackets, or doubled ones.",
    [
        _to(r"<\2>"),
        _to(r"{\2}"),
        _to(r"(\2)"),
        _to(r"[[\2]]"),
        _to(r"<<\2>>"),
        _to(r"[\2]"),
        _to(r"【\2】"),
    ],
)


@mistake(tagged=True)
def tag_bracket_missing(draft: Draft, rng: Random) -> None:
    """Tags have lost a bracket."""
    template = r"\1\2" if rng.random() < 0.5 else r"\2\3"
    _change(draft, rng, _to(template))


tags_without_brackets = _tags(
    "Tags have no brackets, perhaps a colon.",
    [_to(r"\2:"), _to(r"\2:"), _to(r"**\2:**"), _to(r"**\2**:")],
)


@mistake(tagged=True)
def tags_as_words(draft: Draft, rng: Random) -> None:
    """Tags are written as words with a colon: "Action path: a.py"."""
    write = rng.choice((str.capitalize, str.title, str.lower))

    def change(mark: str) -> str:
        return write(_to(r"\2:")(mark).replace("_", " "))

    _change(draft, rng, change)


colon_behind_tag = _tags(
    "A colon follows tags.", [form.format for form in ("{}:", "{}:", "{} :", "{}：")]
)
tag_emboldened = _tags(
    "Tags, not what follows them, are set in bold or as code.",
    [form.format for form in ("**{}**", "**{}**", "**{}:**", "`{}`", "__{}__")],
)


def _short_paths(draft: Draft) -> Sequence[str]:
    # Tags of other words have no shorter form that says the same.
    if not draft.marks.at.endswith("PATH]"):
        return ()
    return ("[PATH]", "[FILE]", "[FILE_PATH]")


@in_actions(forms=_short_paths, split=True, drawn="later", tagged=True)
def _tags_shortened(draft: Draft, rng: Random, i: int, path: str) -> None:
    """Tags have lost their first word: "[PATH] a.py"."""
    head = draft.head(i)
    head.mark = rng.choice(("[ACTION]", head.mark))
    head.at = path
    head.arrow = rng.choice(("[DEPENDS]", "[DEPENDS_ON]", head.arrow))


@in_actions(forms=("", " "), split=True, drawn="later", tagged=True)
def _tags_closed(draft: Draft, rng: Random, i: int, gap: str) -> None:
    """Each line of a head ends with a closing tag: "[ACTION_PATH] a.py [/ACTION_PATH]"."""
    head = draft.head(i)
    close = _to(gap + r"\1/\2\3")
    path = close(head.at)
    head.before_at = close(head.mark) + "\n"
    head.before_arrow = path + "\n"
    # Without dependencies, the line of the path is the last one.
    head.after = close(head.arrow) if head.dependencies else path


@in_actions("close", of=ANY_BLOCKS, tagged=True)
def _closer_with_slash(draft: Draft, rng: Random, i: int) -> None:
    """The opening tag with a slash closes the block: "[/CONTENT_START]"."""
    mark = rng.choice((draft.marks.open, draft.marks.close))
    draft.line(i, "close").text = _to(r"\1/\2\3")(mark)


@mistake(tagged=True)
def one_delimiter_respelt(draft: Draft, rng: Random) -> None:
    """One delimiter of a block is a tag in another spelling."""
    roles: tuple[Role, ...] = ("open", "close")
    role = rng.choice(roles)
    mark = getattr(draft.marks, role)
    spellings = list(filter(None, misspell_tag(mark)))
    if not spellings:
        return
    # The right one is claimed, too: it shows where the block is.
    for i in draft.choose(rng, draft.any_blocks, *roles):
        draft.line(i, role).text = rng.choice(spellings)


@in_actions(split=True, tagged=True)
def _path_before_verb(draft: Draft, rng: Random, i: int) -> None:
    """The line with the path is before the one with the verb."""
    head = draft.head(i)
    head.mark, head.at = head.at, head.mark
    head.verb, head.path = head.path, head.verb


@in_actions(where=has_dependencies, split=True, tagged=True)
def _dependencies_before_path(draft: Draft, rng: Random, i: int) -> None:
    """The line with the dependencies is before the one with the path."""
    head = draft.head(i)
    head.at, head.arrow = head.arrow, head.at
    path = head.path
    head.path = ", ".join(head.dependencies)
    head.dependencies = (path,)


head_on_one_line = pieces(
    "Verb and path are on one line, each with its tag.",
    "before_at",
    [" ", " ", ", ", " | "],
    split=True,
    drawn="later",
    tagged=True,
)


@in_actions(split=True, tagged=True)
def _blank_lines_in_head(draft: Draft, rng: Random, i: int) -> None:
    """There are blank lines between the lines of a head."""
    head = draft.head(i)
    head.before_at = "\n\n"
    head.before_arrow = rng.choice(("\n", "\n\n"))


values_below_tags = pieces(
    "The value of a tag is on the line below it, as reasoning is.",
    "after_mark after_at after_arrow",
    ["\n"],
    split=True,
    tagged=True,
)


@mistake(tagged=True)
def section_tag_over_action(draft: Draft, rng: Random) -> None:
    """A tag without a meaning, such as "[ACTION]", is above an action."""
    # Above the first action, it would be the start of the reply.
    chosen = draft.choose(rng, draft.actions[1:], "head", "before", split=True)
    for i in chosen:
        # Its place is also that after the action before it.
        if draft.claim((i - 1, "after")):
            tag = rng.choice(("[ACTION]", "[ACTION {}]", "[ACTION_START]", "[STEP_{}]"))
            draft.insert(draft.line(i, "head"), tag.format(i + 1))
