"""Mistakes in action heads: marks, spacing, decoration, verbs, paths, arrows."""

from __future__ import annotations

import random

from ..phrases import SYNONYMS
from .draft import Draft, headish
from .registry import FILES, TAGGED, Edit, edit_actions, mistake, row


def _certain(draft: Draft) -> list[int]:
    """Return the actions on a path that a block or a delete makes certain even without marks."""
    return [i for i in draft.files if i in draft.any_blocks or draft.document.actions[i].type == "delete"]


def _file_blocks(draft: Draft) -> list[int]:
    return [i for i in draft.any_blocks if i in draft.files]


def _foreign(draft: Draft) -> bool:
    return draft.dialect.foreign is not None


def pieces(*names: str) -> Edit[str]:
    """Return an edit that writes pieces of a head in a form, in which `{}` stands for what is there."""

    def edit(draft: Draft, index: int, form: str) -> None:
        head = draft.head(index)
        for name in names:
            setattr(head, name, form.format(getattr(head, name)))

    return edit


def around(draft: Draft, index: int, form: str) -> None:
    """Put something around a head: around each of its lines where they have tags of their own."""
    head = draft.head(index)
    head.before, head.behind = form.split("{}")
    if draft.tagged:
        head.before_at = head.before_arrow = head.behind + "\n" + head.before


row(
    "mark-missing",
    "The mark before the verb is missing.",
    edit_actions(pieces("mark", "after_mark"), [""], "head open", split=True),
)
row("at-missing", "The @ before the target is missing.", edit_actions(pieces("at", "after_at"), [""]))
row(
    "all-marks-missing",
    "A head has neither mark nor @.",
    edit_actions(pieces("mark", "after_mark", "at", "after_at"), [""], "head open", of=_certain),
)


@mistake()
def mark_doubled(draft: Draft, rng: random.Random) -> bool:
    """The mark before the verb is doubled or lengthened."""
    mark = draft.marks.action
    second, third = (mark + mark[-1], f"{mark} {mark}") if draft.paired else (f"{mark} {mark}", mark * 3)
    if draft.tagged:
        second = mark[0] + mark + (mark[-1] if not mark[-1].isalnum() else "")
    spelling = rng.choice((mark * 2, second, third))
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    for i in chosen:
        draft.head(i).mark = spelling
    return bool(chosen)


row(
    "at-doubled", "The @ before the target is doubled.", edit_actions(pieces("at"), ["{0}{0}", "{0} {0}"], drawn="each")
)


@mistake()
def mark_shortened(draft: Draft, rng: random.Random) -> bool:
    """A v2 mark has lost one colon."""
    mark = draft.marks.action[:-1]
    if draft.tagged and draft.marks.action[-1].isalnum():
        return False
    if mark in {"", draft.marks.at, draft.marks.thought, draft.marks.vital}:
        return False
    chosen = draft.choose(rng, draft.actions, "head", split=True) if draft.paired else []
    for i in chosen:
        draft.head(i).mark = mark
    return bool(chosen)


@mistake()
def head_tight(draft: Draft, rng: random.Random) -> bool:
    """All blanks in a head are left out."""
    chosen = draft.choose(rng, draft.actions, "head", split=draft.tagged)
    for i in chosen:
        head = draft.head(i)
        head.after_mark = head.after_at = head.after_arrow = ""
        head.before_at = head.before_arrow = "\n" if draft.tagged else ""
        head.number = head.number.strip()
    return bool(chosen)


@mistake()
def head_loose(draft: Draft, rng: random.Random) -> bool:
    """A head has blanks where none belong, also inside its mark."""
    chosen = draft.choose(rng, draft.actions, "head")
    for i in chosen:
        head = draft.head(i)
        gap = rng.choice(("  ", "   ", "\t", " "))
        head.after_mark = head.before_at = head.after_at = head.before_arrow = head.after_arrow = gap
        if draft.paired and rng.random() < 0.6:
            head.mark = " ".join(head.mark)
        head.behind = rng.choice(("", " ", "  \t"))
        head.before = rng.choice(("", "", " "))
    return bool(chosen)


@mistake()
def head_in_heading(draft: Draft, rng: random.Random) -> bool:
    """A head is written as a Markdown heading."""
    chosen = draft.choose(rng, draft.actions, "head", split=draft.tagged)
    level = rng.choice(("#", "##", "###", "####"))
    for i in chosen:
        around(draft, i, level + " {}" + rng.choice(("", "", " " + level)))
    return bool(chosen)


@mistake()
def head_emboldened(draft: Draft, rng: random.Random) -> bool:
    """A head is written in bold or italics."""
    chosen = draft.choose(rng, draft.actions, "head", split=draft.tagged)
    mark = rng.choice(("**", "**", "__", "*"))
    for i in chosen:
        around(draft, i, mark + ("{}:" if rng.random() < 0.15 else "{}") + mark)
    return bool(chosen)


row(
    "head-in-list",
    "A head is written as a list item.",
    edit_actions(around, ["- {}", "* {}", "+ {}", "• {}"], split=True),
)


@mistake()
def head_numbered(draft: Draft, rng: random.Random) -> bool:
    """A head is numbered, as a list item or as a step."""
    form = rng.choice(("{}. ", "{}) ", "({}) ", "Step {}: ", "**{}.** "))
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    for number, i in enumerate(chosen, 1):
        draft.head(i).before = form.format(number)
    return bool(chosen)


row("head-in-backticks", "A head is set as inline code.", edit_actions(around, ["`{}`"], split=TAGGED))
row("head-blockquoted", "A head is written as a Markdown block quote.", edit_actions(around, ["> {}"], split=True))
row(
    "head-indented",
    "Heads are indented, their blocks are not.",
    edit_actions(around, [" {}", "  {}", "    {}", "\t{}"], split=True, drawn="later"),
)


@mistake()
def heading_for_head(draft: Draft, rng: random.Random) -> bool:
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
    return bool(chosen)


@mistake(neutral=True, needs="verb")
def verb_capitalised(draft: Draft, rng: random.Random) -> bool:
    """A verb is capitalised, in a head that may lack a mark as well."""
    chosen = draft.choose(rng, draft.actions, "head", "open", split=draft.tagged)
    for i in chosen:
        head = draft.head(i)
        head.verb = head.verb.capitalize()
        if draft.tagged:
            continue
        if rng.random() < 0.4:
            head.at = head.after_at = ""
        elif rng.random() < 0.4 and i in draft.any_blocks:
            head.mark = head.after_mark = ""
    return bool(chosen)


@mistake(neutral=True, needs="verb")
def verb_in_capitals(draft: Draft, rng: random.Random) -> bool:
    """A verb is written in capitals."""
    chosen = draft.choose(rng, draft.actions, "head", split=draft.tagged)
    for i in chosen:
        head = draft.head(i)
        head.verb = head.verb.upper()
        if rng.random() < 0.3 and not draft.tagged:
            head.at = head.after_at = ""
    return bool(chosen)


@mistake(neutral=True, needs="verb")
def verb_synonym(draft: Draft, rng: random.Random) -> bool:
    """A verb is replaced by a synonym, in a head that lacks its @."""
    candidates = [i for i in draft.any_blocks if draft.document.actions[i].type in SYNONYMS]
    chosen = draft.choose(rng, candidates, "head", "open", split=draft.tagged)
    for i in chosen:
        head = draft.head(i)
        head.verb = rng.choice(SYNONYMS[head.verb])
        if rng.random() < 0.3:
            head.verb = head.verb.capitalize()
        if not draft.tagged:
            head.at = head.after_at = ""
    return bool(chosen)


row(
    "path-quoted",
    "A path is put in quotes.",
    edit_actions(pieces("path"), ['"{}"', "'{}'", "`{}`", "“{}”", "‘{}’", "「{}」"], of=FILES, split=True),
)
row(
    "path-emphasised",
    "A path is emboldened or emphasised (not by `__`: `__a.py__` is a right path, which nothing may change).",
    edit_actions(pieces("path"), ["**{}**", "*{}*", "**{}**", "**`{}`**"], of=FILES, split=True),
    neutral=True,
)


@mistake()
def arrow_for_dependency(draft: Draft, rng: random.Random) -> bool:
    """An arrow of another kind stands for the > of a dependency."""
    arrow = rng.choice(("->", "=>", "-->", "→", "==>", "⇒", draft.marks.arrow * 2))
    if arrow == draft.marks.arrow:
        return False
    owners = [i for i in draft.files if draft.document.actions[i].dependencies]
    chosen = draft.choose(rng, owners, "head")
    for i in chosen:
        head = draft.head(i)
        head.arrow, head.before_arrow, head.after_arrow = arrow, " ", rng.choice((" ", " ", ""))
    return bool(chosen)


row(
    "colon-behind-head",
    "A head ends with a colon.",
    edit_actions(pieces("behind"), [":", ":", " :"], of=FILES, split=TAGGED, drawn="each"),
)


@mistake()
def colon_behind_verb(draft: Draft, rng: random.Random) -> bool:
    """A colon follows the verb."""
    chosen = draft.choose(rng, draft.actions, "head", split=draft.tagged)
    bare = rng.random() < 0.4 and not draft.tagged
    for i in chosen:
        head = draft.head(i)
        head.verb += ":"
        if bare:
            head.at = head.after_at = ""
    return bool(chosen)


row(
    "remark-behind-head",
    "A remark follows the target on the head's line.",
    edit_actions(
        pieces("behind"),
        ["  # new file", " (new file)", " // the module", "  <!-- new -->", " — the module", " (updated)"],
        of=_file_blocks,
    ),
    listed=False,
)


@mistake(listed=False)
def head_over_two_lines(draft: Draft, rng: random.Random) -> bool:
    """A head is broken before its @ or its >."""
    chosen = draft.choose(rng, draft.files, "head")
    for i in chosen:
        head = draft.head(i)
        if head.dependencies and rng.random() < 0.5:
            head.before_arrow = "\n" + rng.choice(("", "  "))
        else:
            head.before_at = "\n" + rng.choice(("", "  "))
    return bool(chosen)


row(
    "path-in-link",
    "A path is written as a Markdown link or in brackets.",
    edit_actions(pieces("path"), ["[{0}]({0})", "[{0}]", "<{0}>", "({0})"], of=FILES, split=_foreign),
    listed=False,
    neutral=True,
)
row(
    "word-before-path",
    "A noun stands between the verb and its target.",
    edit_actions(pieces("verb"), ["{} file", "{} a new file", "{} the file"], of=_file_blocks),
    listed=False,
)


@mistake(listed=False, neutral=True)
def path_missing(draft: Draft, rng: random.Random) -> bool:
    """A head names no path: nobody can know where its content belongs."""
    owners = [i for i in draft.any_blocks if not draft.document.actions[i].dependencies]
    owners = [i for i in owners if not any(map(headish, draft.content(i)))]
    chosen = draft.choose(rng, owners, "head", "open", split=draft.tagged)
    bare = rng.random() < 0.6 and not _foreign(draft)
    for i in chosen:
        head = draft.head(i)
        head.path = ""
        head.after_at = head.after_at if _foreign(draft) else ""
        if bare:
            head.at = head.before_at = ""
        draft.expected[i].required, draft.expected[i].partial = False, True
    return bool(chosen)
