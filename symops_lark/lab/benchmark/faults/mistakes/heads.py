"""Mistakes in action heads: marks, spacing, decoration, verbs, paths, arrows."""

from __future__ import annotations

from random import Random
from typing import Any

from ..documents import Head
from ..phrases import SYNONYMS
from .draft import Draft, headish
from .registry import ANY_BLOCKS, FILES, FOREIGN, TAGGED, Forms, Mistake, in_actions, mistake, row

_REMARKS = (
    "  # new file",
    " (new file)",
    " // the module",
    "  <!-- new -->",
    " — the module",
    " (updated)",
)
# Of a verb and a path. A model may number its headings.
_HEADINGS = ("### {} `{}`", "## {} {}", "**{} `{}`**", "### {} **{}**", "{n}. {} `{}`")


def _has_block(draft: Draft, index: int) -> bool:
    return draft.action(index).content is not None


def _is_certain(draft: Draft, index: int) -> bool:
    """Return whether a block or a delete makes an action certain even without marks."""
    return _has_block(draft, index) or draft.action(index).type == "delete"


def _has_synonyms(draft: Draft, index: int) -> bool:
    return draft.action(index).type in SYNONYMS


def has_dependencies(draft: Draft, index: int) -> bool:
    """Return whether an action depends on others."""
    return bool(draft.action(index).dependencies)


def _is_independent(draft: Draft, index: int) -> bool:
    return not has_dependencies(draft, index)


def pieces(summary: str, names: str, forms: Forms, parts: str = "head", **choice: Any) -> Mistake:
    """Return a mistake that rewrites pieces of heads.

    Args:
        summary: The sentence about it.
        names: The names of the pieces.
        forms: The forms, in which `{}` is the old piece.
        parts: The parts of an action that are claimed.
        choice: Further options of `in_actions`.
    """

    def edit(draft: Draft, index: int, form: str) -> None:
        head = draft.head(index)
        for name in names.split():
            setattr(head, name, form.format(getattr(head, name)))

    return row(summary, edit, forms, parts, **choice)


def _decorate(draft: Draft, index: int, form: str) -> None:
    """Put something around a head, or around each of its lines if these have tags."""
    head = draft.head(index)
    head.before, head.after = form.split("{}")
    if draft.tagged:
        head.before_at = head.before_arrow = head.after + "\n" + head.before


def _drop_mark(head: Head) -> None:
    head.mark = head.after_mark = ""


def _drop_at(head: Head) -> None:
    head.at = head.after_at = ""


# The opener is claimed, too: a head without a mark is only certain above an intact block.
mark_missing = pieces(
    "The mark before the verb is missing.", "mark after_mark", [""], "head open", split=True
)
at_missing = pieces("The @ before the target is missing.", "at after_at", [""])
all_marks_missing = pieces(
    "A head has neither mark nor @.",
    "mark after_mark at after_at",
    [""],
    "head open",
    of=FILES,
    where=_is_certain,
)


def _longer(draft: Draft) -> list[str]:
    mark = draft.marks.action
    spaced = f"{mark} {mark}"
    if draft.tagged:
        # A tag has brackets, which are doubled without its words.
        bracket = "" if mark[-1].isalnum() else mark[-1]
        return [mark * 2, mark[0] + mark + bracket, spaced]
    if draft.paired:
        return [mark * 2, mark + mark[-1], spaced]
    return [mark * 2, spaced, mark * 3]


def _shorter(draft: Draft) -> list[str]:
    mark = draft.marks.action
    # A word without its last letter is a slip of another kind.
    if not draft.paired or (draft.tagged and mark[-1].isalnum()):
        return []
    marks = draft.marks
    shorter = mark[:-1]
    # Such a head would be another section.
    is_other = shorter in {"", marks.at, marks.thought, marks.vital}
    return [] if is_other else [shorter]


mark_doubled = pieces(
    "The mark before the verb is doubled or lengthened.", "mark", _longer, split=True
)
at_doubled = pieces(
    "The @ before the target is doubled.", "at", ["{0}{0}", "{0} {0}"], drawn="each"
)
mark_shortened = pieces("A v2 mark has lost one colon.", "mark", _shorter, split=True)


@in_actions(split=TAGGED)
def _head_tight(draft: Draft, rng: Random, i: int) -> None:
    """All blanks in a head are left out."""
    head = draft.head(i)
    head.after_mark = head.after_at = head.after_arrow = ""
    # The lines of a tagged head stay apart.
    head.before_at = head.before_arrow = "\n" if draft.tagged else ""
    head.number = head.number.strip()


@in_actions()
def _head_loose(draft: Draft, rng: Random, i: int) -> None:
    """A head has blanks where none belong, also inside its mark."""
    head = draft.head(i)
    gap = rng.choice(("  ", "   ", "\t", " "))
    head.after_mark = head.before_at = head.after_at = gap
    head.before_arrow = head.after_arrow = gap
    # A mark of v1 is one sign, so there is no place for a blank.
    if draft.paired and rng.random() < 0.6:
        head.mark = " ".join(head.mark)
    head.after = rng.choice(("", " ", "  \t"))
    head.before = rng.choice(("", "", " "))


@in_actions(forms=("#", "##", "###", "####"), split=TAGGED, drawn="later")
def _head_in_heading(draft: Draft, rng: Random, i: int, level: str) -> None:
    """A head is written as a Markdown heading."""
    # Markdown allows the signs at the end as well.
    end = rng.choice(("", "", " " + level))
    _decorate(draft, i, level + " {}" + end)


@in_actions(forms=("**", "**", "__", "*"), split=TAGGED, drawn="later")
def _head_emboldened(draft: Draft, rng: Random, i: int, mark: str) -> None:
    """A head is written in bold or italics."""
    form = "{}:" if rng.random() < 0.15 else "{}"
    _decorate(draft, i, mark + form + mark)


head_in_list = row(
    "A head is written as a list item.", _decorate, ["- {}", "* {}", "+ {}", "• {}"], split=True
)


@mistake()
def head_numbered(draft: Draft, rng: Random) -> None:
    """A head is numbered, as a list item or as a step."""
    form = rng.choice(("{}. ", "{}) ", "({}) ", "Step {}: ", "**{}.** "))
    # Only the heads with numbers count, as in a list that a model writes.
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    for number, i in enumerate(chosen, 1):
        draft.head(i).before = form.format(number)


head_in_backticks = row("A head is set as inline code.", _decorate, ["`{}`"], split=TAGGED)
head_blockquoted = row(
    "A head is written as a Markdown block quote.", _decorate, ["> {}"], split=True
)
head_indented = row(
    "Heads are indented, their blocks are not.",
    _decorate,
    [" {}", "  {}", "    {}", "\t{}"],
    split=True,
    drawn="later",
)


@mistake()
def heading_for_head(draft: Draft, rng: Random) -> None:
    """A block is under a heading such as "### Create `auth.py`", without any mark."""
    # A heading has no place for dependencies.
    chosen = draft.choose(
        rng, draft.any_blocks, "head", "open", "after", where=_is_independent, split=draft.tagged
    )
    form = rng.choice(_HEADINGS)
    for number, i in enumerate(chosen, 1):
        head = draft.head(i)
        head.before = form.format(head.verb.capitalize(), head.path, n=number)
        _drop_mark(head)
        _drop_at(head)
        head.verb = head.number = head.before_at = head.path = ""


@in_actions("head open", split=TAGGED, neutral=True, needs="verb")
def _verb_capitalised(draft: Draft, rng: Random, i: int) -> None:
    """A verb is capitalised, in a head that may lack a mark as well."""
    head = draft.head(i)
    head.verb = head.verb.capitalize()
    # Without its tag, a line of a tagged head would have no meaning.
    if draft.tagged:
        return
    if rng.random() < 0.4:
        _drop_at(head)
    elif rng.random() < 0.4 and _has_block(draft, i):
        _drop_mark(head)


@in_actions(split=TAGGED, neutral=True, needs="verb")
def _verb_in_capitals(draft: Draft, rng: Random, i: int) -> None:
    """A verb is written in capitals."""
    head = draft.head(i)
    head.verb = head.verb.upper()
    if rng.random() < 0.3 and not draft.tagged:
        _drop_at(head)


@in_actions(
    "head open", of=ANY_BLOCKS, where=_has_synonyms, split=TAGGED, neutral=True, needs="verb"
)
def _verb_synonym(draft: Draft, rng: Random, i: int) -> None:
    """A verb is replaced by a synonym, in a head that lacks its @."""
    head = draft.head(i)
    head.verb = rng.choice(SYNONYMS[head.verb])
    if rng.random() < 0.3:
        head.verb = head.verb.capitalize()
    if not draft.tagged:
        _drop_at(head)


path_quoted = pieces(
    "A path is put in quotes.",
    "path",
    ['"{}"', "'{}'", "`{}`", "“{}”", "‘{}’", "「{}」"],
    of=FILES,
    split=True,
)
path_emphasised = pieces(
    "A path is emboldened or emphasised (not by `__`: `__a.py__` is a right path, which nothing "
    "may change).",
    "path",
    ["**{}**", "*{}*", "**{}**", "**`{}`**"],
    of=FILES,
    split=True,
    neutral=True,
)


@mistake()
def arrow_for_dependency(draft: Draft, rng: Random) -> None:
    """An arrow of another kind replaces the > of a dependency."""
    usual = draft.marks.arrow
    arrow = rng.choice(("->", "=>", "-->", "→", "==>", "⇒", usual * 2))
    # In some dialects, one of these is right.
    if arrow == usual:
        return
    for i in draft.choose(rng, draft.files, "head", where=has_dependencies):
        head = draft.head(i)
        head.arrow, head.before_arrow = arrow, " "
        head.after_arrow = rng.choice((" ", " ", ""))


colon_behind_head = pieces(
    "A head ends with a colon.", "after", [":", ":", " :"], of=FILES, split=TAGGED, drawn="each"
)


@mistake()
def colon_behind_verb(draft: Draft, rng: Random) -> None:
    """A colon follows the verb."""
    chosen = draft.choose(rng, draft.actions, "head", split=draft.tagged)
    is_bare = rng.random() < 0.4 and not draft.tagged
    for i in chosen:
        head = draft.head(i)
        head.verb += ":"
        if is_bare:
            _drop_at(head)


# Without a block, the remark might be the rest of the path.
remark_behind_head = pieces(
    "A remark follows the target on the head's line.", "after", _REMARKS, of=FILES, where=_has_block
)


@in_actions(of=FILES)
def _head_over_two_lines(draft: Draft, rng: Random, i: int) -> None:
    """A head is broken before its @ or its >."""
    head = draft.head(i)
    name = "before_at"
    if head.dependencies and rng.random() < 0.5:
        name = "before_arrow"
    indent = rng.choice(("", "  "))
    setattr(head, name, "\n" + indent)


path_in_link = pieces(
    "A path is written as a Markdown link or in brackets.",
    "path",
    ["[{0}]({0})", "[{0}]", "<{0}>", "({0})"],
    of=FILES,
    split=FOREIGN,
    neutral=True,
)
word_before_path = pieces(
    "A noun is between the verb and its target.",
    "verb",
    ["{} file", "{} a new file", "{} the file"],
    of=FILES,
    where=_has_block,
)


def _has_no_heads(draft: Draft, index: int) -> bool:
    # Below a head without a path, a reader might take one from the content.
    has_heads = any(map(headish, draft.content(index)))
    return _is_independent(draft, index) and not has_heads


@mistake(neutral=True)
def path_missing(draft: Draft, rng: Random) -> None:
    """A head names no path, so that the place of its content is unknown."""
    chosen = draft.choose(
        rng, draft.any_blocks, "head", "open", where=_has_no_heads, split=draft.tagged
    )
    is_bare = rng.random() < 0.6 and not draft.foreign
    for i in chosen:
        head = draft.head(i)
        head.path = ""
        # In other formats, this piece may be the quote that opens the path.
        if not draft.foreign:
            head.after_at = ""
        if is_bare:
            head.at = head.before_at = ""
        item = draft.expected[i]
        item.required, item.partial = False, True
