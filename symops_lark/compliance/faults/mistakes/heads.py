"""Mistakes in action heads: marks, spacing, decoration, verbs, paths, arrows."""

from __future__ import annotations

import random

from ..phrases import SYNONYMS
from .draft import Draft, headish
from .registry import mistake


def _with_block(draft: Draft) -> list[int]:
    """Actions on a path that a block or a delete makes certain even without marks."""
    return [i for i in draft.files if i in draft.any_blocks or draft.document.actions[i].type == "delete"]


def _decorate(draft: Draft, index: int, before: str, behind: str = "") -> None:
    """Put something around a head: around each of its lines where they have tags of their own."""
    head = draft.head(index)
    head.before, head.behind = before, behind
    if draft.tagged:
        head.before_at = head.before_arrow = behind + "\n" + before


@mistake()
def mark_missing(draft: Draft, rng: random.Random) -> bool:
    """The mark before the verb is missing."""
    chosen = draft.choose(rng, draft.actions, "head", "open", split=True)
    for i in chosen:
        draft.head(i).mark = draft.head(i).after_mark = ""
    return bool(chosen)


@mistake()
def at_missing(draft: Draft, rng: random.Random) -> bool:
    """The @ before the target is missing."""
    chosen = draft.choose(rng, draft.actions, "head")
    for i in chosen:
        draft.head(i).at = draft.head(i).after_at = ""
    return bool(chosen)


@mistake()
def all_marks_missing(draft: Draft, rng: random.Random) -> bool:
    """A head has neither mark nor @."""
    chosen = draft.choose(rng, _with_block(draft), "head", "open")
    for i in chosen:
        head = draft.head(i)
        head.mark = head.after_mark = head.at = head.after_at = ""
    return bool(chosen)


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


@mistake()
def at_doubled(draft: Draft, rng: random.Random) -> bool:
    """The @ before the target is doubled."""
    chosen = draft.choose(rng, draft.actions, "head")
    for i in chosen:
        draft.head(i).at = rng.choice((draft.marks.at * 2, f"{draft.marks.at} {draft.marks.at}"))
    return bool(chosen)


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
    level = rng.choice(("# ", "## ", "### ", "#### "))
    for i in chosen:
        _decorate(draft, i, level, rng.choice(("", "", " " + level.strip())))
    return bool(chosen)


@mistake()
def head_emboldened(draft: Draft, rng: random.Random) -> bool:
    """A head is written in bold or italics."""
    chosen = draft.choose(rng, draft.actions, "head", split=draft.tagged)
    mark = rng.choice(("**", "**", "__", "*"))
    for i in chosen:
        _decorate(draft, i, mark, ":" + mark if rng.random() < 0.15 else mark)
    return bool(chosen)


@mistake()
def head_in_list(draft: Draft, rng: random.Random) -> bool:
    """A head is written as a list item."""
    bullet = rng.choice(("- ", "* ", "+ ", "• "))
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    for i in chosen:
        _decorate(draft, i, bullet)
    return bool(chosen)


@mistake()
def head_numbered(draft: Draft, rng: random.Random) -> bool:
    """A head is numbered, as a list item or as a step."""
    form = rng.choice(("{}. ", "{}) ", "({}) ", "Step {}: ", "**{}.** "))
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    for number, i in enumerate(chosen, 1):
        draft.head(i).before = form.format(number)
    return bool(chosen)


@mistake()
def head_in_backticks(draft: Draft, rng: random.Random) -> bool:
    """A head is set as inline code."""
    chosen = draft.choose(rng, draft.actions, "head", split=draft.tagged)
    for i in chosen:
        _decorate(draft, i, "`", "`")
    return bool(chosen)


@mistake()
def head_blockquoted(draft: Draft, rng: random.Random) -> bool:
    """A head is written as a Markdown block quote."""
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    for i in chosen:
        _decorate(draft, i, "> ")
    return bool(chosen)


@mistake()
def head_indented(draft: Draft, rng: random.Random) -> bool:
    """Heads are indented, their blocks are not."""
    chosen = draft.choose(rng, draft.actions, "head", split=True)
    indent = rng.choice((" ", "  ", "    ", "\t"))
    for i in chosen:
        _decorate(draft, i, indent)
    return bool(chosen)


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


@mistake()
def path_quoted(draft: Draft, rng: random.Random) -> bool:
    """A path is put in quotes."""
    left, right = rng.choice(('""', "''", "``", "“”", "‘’", "「」"))
    chosen = draft.choose(rng, draft.files, "head", split=True)
    for i in chosen:
        draft.head(i).path = left + draft.head(i).path + right
    return bool(chosen)


@mistake(neutral=True)
def path_emphasised(draft: Draft, rng: random.Random) -> bool:
    """A path is emboldened or emphasised (not by `__`: `__a.py__` is a right path, which nothing may change)."""
    mark = rng.choice(("**", "*", "**", "**`"))
    chosen = draft.choose(rng, draft.files, "head", split=True)
    for i in chosen:
        draft.head(i).path = mark + draft.head(i).path + mark[::-1]
    return bool(chosen)


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


@mistake()
def colon_behind_head(draft: Draft, rng: random.Random) -> bool:
    """A head ends with a colon."""
    chosen = draft.choose(rng, draft.files, "head", split=draft.tagged)
    for i in chosen:
        draft.head(i).behind = rng.choice((":", ":", " :"))
    return bool(chosen)


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


@mistake(listed=False)
def remark_behind_head(draft: Draft, rng: random.Random) -> bool:
    """A remark follows the target on the head's line."""
    remark = rng.choice(
        ("  # new file", " (new file)", " // the module", "  <!-- new -->", " — the module", " (updated)")
    )
    chosen = draft.choose(rng, [i for i in draft.any_blocks if i in draft.files], "head")
    for i in chosen:
        draft.head(i).behind = remark
    return bool(chosen)


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


@mistake(listed=False, neutral=True)
def path_in_link(draft: Draft, rng: random.Random) -> bool:
    """A path is written as a Markdown link or in brackets."""
    form = rng.choice(("[{0}]({0})", "[{0}]", "<{0}>", "({0})"))
    chosen = draft.choose(rng, draft.files, "head", split=draft.dialect.foreign is not None)
    for i in chosen:
        draft.head(i).path = form.format(draft.head(i).path)
    return bool(chosen)


@mistake(listed=False)
def word_before_path(draft: Draft, rng: random.Random) -> bool:
    """A noun stands between the verb and its target."""
    word = rng.choice((" file", " a new file", " the file"))
    chosen = draft.choose(rng, [i for i in draft.any_blocks if i in draft.files], "head")
    for i in chosen:
        draft.head(i).verb += word
    return bool(chosen)


@mistake(listed=False, neutral=True)
def path_missing(draft: Draft, rng: random.Random) -> bool:
    """A head names no path: nobody can know where its content belongs."""
    owners = [i for i in draft.any_blocks if not draft.document.actions[i].dependencies]
    owners = [i for i in owners if not any(map(headish, draft.content(i)))]
    chosen = draft.choose(rng, owners, "head", "open", split=draft.tagged)
    foreign = draft.dialect.foreign is not None
    bare = rng.random() < 0.6 and not foreign
    for i in chosen:
        head = draft.head(i)
        head.path = ""
        head.after_at = head.after_at if foreign else ""
        if bare:
            head.at = head.before_at = ""
        draft.expected[i].required, draft.expected[i].partial = False, True
    return bool(chosen)
