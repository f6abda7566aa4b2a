"""Mistakes in action heads: marks, spacing, decoration, verbs, paths, arrows."""

from __future__ import annotations

import random
from typing import Any

from ..phrases import SYNONYMS
from .draft import Draft, headish
from .registry import FILES, FOREIGN, TAGGED, Forms, Mistake, in_actions, mistake, row

_REMARKS = ("  # new file", " (new file)", " // the module", "  <!-- new -->", " — the module", " (updated)")


def _certain(draft: Draft) -> list[int]:
    """Return the actions on a path that a block or a delete makes certain even without marks."""
    return [i for i in draft.files if i in draft.any_blocks or draft.document.actions[i].type == "delete"]


def _file_blocks(draft: Draft) -> list[int]:
    return [i for i in draft.any_blocks if i in draft.files]


def _known_verbs(draft: Draft) -> list[int]:
    return [i for i in draft.any_blocks if draft.document.actions[i].type in SYNONYMS]


def pieces(summary: str, names: str, forms: Forms, parts: str = "head", **choice: Any) -> Mistake:
    """Return a mistake that writes pieces of heads in a form, in which `{}` stands for what is there."""

    def edit(draft: Draft, index: int, form: str) -> None:
        head = draft.head(index)
        for name in names.split():
            setattr(head, name, form.format(getattr(head, name)))

    return row(summary, edit, forms, parts, **choice)


def _decorate(draft: Draft, index: int, form: str) -> None:
    """Put something around a head: around each of its lines where they have tags of their own."""
    head = draft.head(index)
    head.before, head.after = form.split("{}")
    if draft.tagged:
        head.before_at = head.before_arrow = head.after + "\n" + head.before


mark_missing = pieces("The mark before the verb is missing.", "mark after_mark", [""], "head open", split=True)
at_missing = pieces("The @ before the target is missing.", "at after_at", [""])
all_marks_missing = pieces(
    "A head has neither mark nor @.", "mark after_mark at after_at", [""], "head open", of=_certain
)


def _longer(draft: Draft) -> list[str]:
    mark = draft.marks.action
    if draft.tagged:
        return [mark * 2, mark[0] + mark + (mark[-1] if not mark[-1].isalnum() else ""), f"{mark} {mark}"]
    second, third = (mark + mark[-1], f"{mark} {mark}") if draft.paired else (f"{mark} {mark}", mark * 3)
    return [mark * 2, second, third]


def _shorter(draft: Draft) -> list[str]:
    mark = draft.marks.action[:-1]
    if not draft.paired or (draft.tagged and draft.marks.action[-1].isalnum()):
        return []
    return [mark] if mark not in {"", draft.marks.at, draft.marks.thought, draft.marks.vital} else []


mark_doubled = pieces("The mark before the verb is doubled or lengthened.", "mark", _longer, split=True)
at_doubled = pieces("The @ before the target is doubled.", "at", ["{0}{0}", "{0} {0}"], drawn="each")


mark_shortened = pieces("A v2 mark has lost one colon.", "mark", _shorter, split=True)


@in_actions(split=TAGGED)
def head_tight(draft: Draft, rng: random.Random, i: int) -> None:
    """All blanks in a head are left out."""
    head = draft.head(i)
    head.after_mark = head.after_at = head.after_arrow = ""
    head.before_at = head.before_arrow = "\n" if draft.tagged else ""
    head.number = head.number.strip()


@in_actions()
def head_loose(draft: Draft, rng: random.Random, i: int) -> None:
    """A head has blanks where none belong, also inside its mark."""
    head = draft.head(i)
    gap = rng.choice(("  ", "   ", "\t", " "))
    head.after_mark = head.before_at = head.after_at = head.before_arrow = head.after_arrow = gap
    if draft.paired and rng.random() < 0.6:
        head.mark = " ".join(head.mark)
    head.after = rng.choice(("", " ", "  \t"))
    head.before = rng.choice(("", "", " "))


@in_actions(forms=("#", "##", "###", "####"), split=TAGGED, drawn="later")
def head_in_heading(draft: Draft, rng: random.Random, i: int, level: str) -> None:
    """A head is written as a Markdown heading."""
    _decorate(draft, i, level + " {}" + rng.choice(("", "", " " + level)))


@in_actions(forms=("**", "**", "__", "*"), split=TAGGED, drawn="later")
def head_emboldened(draft: Draft, rng: random.Random, i: int, mark: str) -> None:
    """A head is written in bold or italics."""
    _decorate(draft, i, mark + ("{}:" if rng.random() < 0.15 else "{}") + mark)


head_in_list = row("A head is written as a list item.", _decorate, ["- {}", "* {}", "+ {}", "• {}"], split=True)


@mistake()
def head_numbered(draft: Draft, rng: random.Random) -> None:
    """A head is numbered, as a list item or as a step."""
    form = rng.choice(("{}. ", "{}) ", "({}) ", "Step {}: ", "**{}.** "))
    for number, i in enumerate(draft.choose(rng, draft.actions, "head", split=True), 1):
        draft.head(i).before = form.format(number)


head_in_backticks = row("A head is set as inline code.", _decorate, ["`{}`"], split=TAGGED)
head_blockquoted = row("A head is written as a Markdown block quote.", _decorate, ["> {}"], split=True)
head_indented = row(
    "Heads are indented, their blocks are not.", _decorate, [" {}", "  {}", "    {}", "\t{}"], split=True, drawn="later"
)


@mistake()
def heading_for_head(draft: Draft, rng: random.Random) -> None:
    """A block stands under a heading such as "### Create `auth.py`", without any mark."""
    owners = [i for i in draft.any_blocks if not draft.document.actions[i].dependencies]
    chosen = draft.choose(rng, owners, "head", "open", "after", split=draft.tagged)
    form = rng.choice(("### {} `{}`", "## {} {}", "**{} `{}`**", "### {} **{}**", "{}. {} `{}`"))
    for number, i in enumerate(chosen, 1):
        head = draft.head(i)
        words = [head.verb.capitalize(), head.path]
        text = form.format(*([number, *words] if form.count("{}") == 3 else words))
        head.before, head.verb, head.number = text, "", ""
        head.mark = head.after_mark = head.before_at = head.at = head.after_at = head.path = ""


@in_actions("head open", split=TAGGED, neutral=True, needs="verb")
def verb_capitalised(draft: Draft, rng: random.Random, i: int) -> None:
    """A verb is capitalised, in a head that may lack a mark as well."""
    head = draft.head(i)
    head.verb = head.verb.capitalize()
    if draft.tagged:
        return
    if rng.random() < 0.4:
        head.at = head.after_at = ""
    elif rng.random() < 0.4 and i in draft.any_blocks:
        head.mark = head.after_mark = ""


@in_actions(split=TAGGED, neutral=True, needs="verb")
def verb_in_capitals(draft: Draft, rng: random.Random, i: int) -> None:
    """A verb is written in capitals."""
    head = draft.head(i)
    head.verb = head.verb.upper()
    if rng.random() < 0.3 and not draft.tagged:
        head.at = head.after_at = ""


@in_actions("head open", of=_known_verbs, split=TAGGED, neutral=True, needs="verb")
def verb_synonym(draft: Draft, rng: random.Random, i: int) -> None:
    """A verb is replaced by a synonym, in a head that lacks its @."""
    head = draft.head(i)
    head.verb = rng.choice(SYNONYMS[head.verb])
    if rng.random() < 0.3:
        head.verb = head.verb.capitalize()
    if not draft.tagged:
        head.at = head.after_at = ""


path_quoted = pieces(
    "A path is put in quotes.", "path", ['"{}"', "'{}'", "`{}`", "“{}”", "‘{}’", "「{}」"], of=FILES, split=True
)
path_emphasised = pieces(
    "A path is emboldened or emphasised (not by `__`: `__a.py__` is a right path, which nothing may change).",
    "path",
    ["**{}**", "*{}*", "**{}**", "**`{}`**"],
    of=FILES,
    split=True,
    neutral=True,
)


@mistake()
def arrow_for_dependency(draft: Draft, rng: random.Random) -> None:
    """An arrow of another kind stands for the > of a dependency."""
    arrow = rng.choice(("->", "=>", "-->", "→", "==>", "⇒", draft.marks.arrow * 2))
    if arrow == draft.marks.arrow:
        return
    for i in draft.choose(rng, [i for i in draft.files if draft.document.actions[i].dependencies], "head"):
        head = draft.head(i)
        head.arrow, head.before_arrow, head.after_arrow = arrow, " ", rng.choice((" ", " ", ""))


colon_behind_head = pieces("A head ends with a colon.", "after", [":", ":", " :"], of=FILES, split=TAGGED, drawn="each")


@mistake()
def colon_behind_verb(draft: Draft, rng: random.Random) -> None:
    """A colon follows the verb."""
    chosen = draft.choose(rng, draft.actions, "head", split=draft.tagged)
    bare = rng.random() < 0.4 and not draft.tagged
    for i in chosen:
        head = draft.head(i)
        head.verb += ":"
        if bare:
            head.at = head.after_at = ""


remark_behind_head = pieces("A remark follows the target on the head's line.", "after", _REMARKS, of=_file_blocks)


@in_actions(of=FILES)
def head_over_two_lines(draft: Draft, rng: random.Random, i: int) -> None:
    """A head is broken before its @ or its >."""
    head = draft.head(i)
    if head.dependencies and rng.random() < 0.5:
        head.before_arrow = "\n" + rng.choice(("", "  "))
    else:
        head.before_at = "\n" + rng.choice(("", "  "))


path_in_link = pieces(
    "A path is written as a Markdown link or in brackets.",
    "path",
    ["[{0}]({0})", "[{0}]", "<{0}>", "({0})"],
    of=FILES,
    split=FOREIGN,
    neutral=True,
)
word_before_path = pieces(
    "A noun stands between the verb and its target.",
    "verb",
    ["{} file", "{} a new file", "{} the file"],
    of=_file_blocks,
)


@mistake(neutral=True)
def path_missing(draft: Draft, rng: random.Random) -> None:
    """A head names no path: nobody can know where its content belongs."""
    owners = [i for i in draft.any_blocks if not draft.document.actions[i].dependencies]
    owners = [i for i in owners if not any(map(headish, draft.content(i)))]
    chosen = draft.choose(rng, owners, "head", "open", split=draft.tagged)
    bare = rng.random() < 0.6 and not draft.foreign
    for i in chosen:
        head = draft.head(i)
        head.path = ""
        head.after_at = head.after_at if draft.foreign else ""
        if bare:
            head.at = head.before_at = ""
        draft.expected[i].required, draft.expected[i].partial = False, True
