"""Mistakes in the delimiter lines of blocks: misspelt, missing, moved, glued to their neighbours."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, Literal

from ..documents import Line, Role
from ..marks import lengthen
from ..phrases import LANGUAGES, REMARKS
from .draft import Draft, Zone, headish, zone_of
from .registry import ANY_BLOCKS, BLOCKS, TAGGED, Actions, Mistake, in_actions, mistake, row
from .tags import misspell_tag

Spelling = tuple[str | None, str | None]  # of an opener and a closer, None where it stays as it is
_ROLES: tuple[Role, Role] = ("open", "close")
_OPENERS, _CLOSERS = ("{marks.open}", "{marks.open}"), ("{marks.close}", "{marks.close}")
_WORDS = (("START", "END"), ("CONTENT", "END"), ("", "END"), ("EOF", "EOF"), (" {path}", " {path}"), ("", " end"))
_ENDS = (" # end of {path}", " // {path}", " (end of file)", " <- end", " End of {path}.")
CODE = (".py", ".js", ".ts", ".rb", ".json", ".cpp", ".go", ".rs", ".css", ".html", ".vue", ".patch", ".sql")


def language(path: str) -> str:
    """Return the info word that a model would write for a path."""
    return LANGUAGES.get(path.rsplit(".", 1)[-1], "text")


def without(draft: Draft, index: int, *spellings: str) -> bool:
    """Return whether no content line of an action equals one of the spellings, blanks aside."""
    wanted = {spelling.strip() for spelling in spellings}
    return not any(line.strip() in wanted for line in draft.content(index))


def open_ended(draft: Draft, index: int) -> bool:
    """Return whether a reader would find the end of a content that nothing closes."""
    lines = draft.content(index)
    if not lines or not lines[-1].strip() or draft.rulish(lines[-1]) or any(map(headish, lines)):
        return False
    if lines[-1].startswith((">>>", "--", "```", draft.marks.close)) or draft.fenced(index):
        return False
    behind = draft.section_behind(index)
    starts = ("::c", "::m", "::f", "::s", "#c", "#m", "#f", "#s", "? ", "! ", *draft.marks.starts)
    if any(line.lstrip().startswith(starts) for line in lines):
        return False
    if behind is not None and behind.role == "thought":
        return draft.document.actions[index].path.endswith(CODE)
    return behind is None or behind.role in {"head", "vitals"}


def zone_behind(draft: Draft, index: int) -> Zone:
    """Return what must be unharmed for the end of an unclosed content to be certain: the section behind it."""
    behind = draft.section_behind(index)
    return "end" if behind is None else zone_of(behind)


def self_opening(draft: Draft, index: int) -> bool:
    """Return whether a reader would find the start of a content that nothing opens."""
    lines = draft.content(index)
    if not lines or not lines[0].strip() or draft.rulish(lines[0]) or draft.fenced(index):
        return False
    if lines[0].startswith(("<<<", "--", "```", draft.marks.open)):
        return False
    return not any(map(headish, lines))


def _swappable(draft: Draft) -> list[int]:
    """Return the blocks behind whose content an opener would not seem to open that of an action line in it."""
    if not draft.paired:
        return []
    return [i for i in draft.blocks if not headish(unicodedata.normalize("NFKC", draft.content(i)[-1]))]


def delimit(draft: Draft, index: int, form: Spelling) -> None:
    """Write an opener and a closer in a form: `{}` is what is there, `{path}` and `{language}` are the action's."""
    path = draft.document.actions[index].path
    known = {"path": path, "language": language(path), "marks": draft.marks, "other": draft.other}
    for role, spelling in zip(_ROLES, form, strict=True):
        if spelling is not None:
            line = draft.line(index, role)
            line.text = spelling.format(line.text, **known)


def _glued(summary: str, words: Sequence[tuple[str, str]], parts: str, **options: Any) -> Mistake:
    """Return a mistake that puts words behind delimiters, without a blank of their own."""
    forms = [("{}" + opener if opener else None, "{}" + closer if closer else None) for opener, closer in words]
    return row(summary, delimit, forms, parts, of=ANY_BLOCKS, drawn="later", **options)


def _respelt(
    summary: str,
    pairs: Callable[[Draft], Sequence[Spelling]],
    parts: str = "open close",
    of: Actions = ANY_BLOCKS,
    **options: Any,
) -> Mistake:
    """Return a mistake that writes other delimiters around some blocks, which have no such line of their own.

    A pair of nothing, as one that is no misspelling in a dialect, makes it decline.
    """

    def apply(draft: Draft, rng: random.Random) -> None:
        known = pairs(draft) or [(None, None)]
        pair = rng.choice(known) if len(known) > 1 else known[0]
        words = [word for word in pair if word is not None]
        fit = [i for i in of(draft) if without(draft, i, *words)] if words else []
        for i in draft.choose(rng, fit, *parts.split()):
            for role, word in zip(_ROLES, pair, strict=True):
                if word is not None:
                    draft.line(i, role).text = word

    return Mistake(summary, apply, **options)


def _variants(draft: Draft, role: Literal["open", "close"]) -> list[str]:
    """Return the ways in which a delimiter is misspelt; one is empty where nothing would be left."""
    mark = draft.marks.open if role == "open" else draft.marks.close
    if draft.tagged:
        return misspell_tag(mark)
    spread, opens = " ".join(mark), role == "open"
    if draft.paired:
        return [*(lengthen(mark, more) for more in (-2, -1, 1, 2, 4)), spread, *[mark + ":"] * opens]
    return [*(lengthen(mark, more) for more in (1, 2, -1)), "===", *["=="] * opens, spread, lengthen(mark, 3)]


def _is_misspelling(draft: Draft, spelling: str) -> bool:
    """Return whether it is a misspelling, and not nothing, a mark of this very dialect, or another section's line."""
    marks = draft.marks
    own = {marks.open, marks.close, marks.action, marks.end_close}
    if "fences" in draft.dialect.forms:
        own |= {lengthen(mark, more) for mark in (marks.open, marks.close) for more in range(1, 6)}
    sections = tuple(mark + " " for mark in (marks.thought, marks.question, marks.error))
    return bool(spelling) and spelling not in own and not spelling.startswith(sections)


def _misspelt(draft: Draft, roles: str = "open close") -> list[Spelling]:
    openers, closers = _variants(draft, "open"), _variants(draft, "close")
    found: list[Spelling] = list(zip(openers, closers if draft.paired else openers, strict=False))
    if roles != "open close":
        found = [(word, None) for word in openers] if roles == "open" else [(None, word) for word in closers]
    return [p if all(_is_misspelling(draft, word) for word in p if word is not None) else (None, None) for p in found]


def _chevron(draft: Draft) -> list[Spelling]:
    sign = draft.marks.open[0]
    return [(sign, None)] if draft.paired and not draft.tagged and sign != draft.marks.open else []


def _smart(draft: Draft) -> list[Spelling]:
    if (draft.marks.open, draft.marks.close) not in {("--", "--"), ("<<<", ">>>")}:
        return []
    if draft.paired:
        return [("«<", ">»"), ("‹‹‹", "›››"), ("≪<", ">≫"), ("《《《", "》》》"), ("❮❮❮", "❯❯❯")]
    return [("–", "–"), ("—", "—"), ("——", "——")]


opener_misspelt = _respelt(
    "An opening delimiter has the wrong length or sign.", lambda draft: _misspelt(draft, "open"), "open", BLOCKS
)
closer_misspelt = _respelt(
    "A closing delimiter has the wrong length or sign.", lambda draft: _misspelt(draft, "close"), "close", BLOCKS
)
delimiters_misspelt = _respelt("Both delimiters of a block have the wrong length or sign.", _misspelt, of=BLOCKS)
lone_chevron = _respelt("A lone < opens the block, as in the examples of the original notes.", _chevron, "open")
delimiters_swapped = row(
    "The closing delimiter opens the block and the opening one closes it.",
    delimit,
    [("{marks.close}", "{marks.open}")],
    "open close",
    of=_swappable,
)
opener_repeated_to_close = row(
    "The same delimiter opens and closes the block.",
    delimit,
    [_OPENERS, _OPENERS, _CLOSERS],
    "open close",
    of=_swappable,
    drawn="later",
)


delimiters_smart = _respelt("A word processor's dashes or quotes stand for the delimiters.", _smart)
language_on_opener = _glued(
    "A language name is glued to the opening delimiter.",
    [("{language}", ""), ("{language}", ""), (" {language}", "")],
    "open",
)
word_on_delimiter = _glued("A word such as START or END, or the path, is glued to a delimiter.", _WORDS, "open close")
text_behind_closer = _glued(
    "A remark follows the closing delimiter on its line.",
    [("", end) for end in _ENDS],
    "close",
    neutral=True,
    needs="close",
)


@in_actions("open close", of=lambda draft: [i for i in draft.blocks if self_opening(draft, i)], neutral=True)
def opener_missing(draft: Draft, rng: random.Random, i: int) -> None:
    """An opening delimiter is missing."""
    draft.remove(draft.line(i, "open"))


def _lose_closer(summary: str, which: slice) -> Mistake:
    """Return a mistake that leaves out one closer of some blocks, where a reader would find the end."""

    def apply(draft: Draft, rng: random.Random) -> None:
        candidates = [i for i in draft.any_blocks[which] if open_ended(draft, i)]
        zones = {i: [(i, "close"), (i, "open"), (i, "after"), zone_behind(draft, i)] for i in candidates}
        fit = [i for i in candidates if draft.free(*zones[i])]
        if fit:
            index = rng.choice(fit)
            draft.claim(*zones[index])
            draft.remove(draft.line(index, "close"))

    return Mistake(summary, apply, neutral=True, needs="close")


closer_missing_at_the_end = _lose_closer("The last block is not closed.", slice(-1, None))
closer_missing_in_the_middle = _lose_closer("A block before the last is not closed.", slice(-1))


def _all_lose(draft: Draft, role: Role) -> None:
    fits = open_ended if role == "close" else self_opening
    zones: list[Zone] = [(i, part) for i in draft.any_blocks for part in ("open", "close", "after")]
    zones += [zone_behind(draft, i) for i in draft.blocks if role == "close"]
    if len(draft.blocks) < 2 or draft.blocks != draft.any_blocks or not draft.claim(*zones):
        return
    if not all(fits(draft, i) for i in draft.blocks):
        return
    for line in draft.all(role):
        draft.remove(line)


closers_all_missing = Mistake(
    "No block is closed.", lambda draft, rng: _all_lose(draft, "close"), neutral=True, needs="close"
)
openers_all_missing = Mistake("No block is opened.", lambda draft, rng: _all_lose(draft, "open"), neutral=True)


@mistake()
def delimiters_missing(draft: Draft, rng: random.Random) -> None:
    """A content stands bare between its head and the next."""
    candidates = [i for i in draft.blocks if self_opening(draft, i) and open_ended(draft, i)]
    candidates = [i for i in candidates if draft.free(zone_behind(draft, i))]
    for i in draft.choose(rng, candidates, "head", "open", "close", "after"):
        draft.claims.add(zone_behind(draft, i))
        draft.remove(draft.line(i, "open"))
        draft.remove(draft.line(i, "close"))


@mistake()
def content_on_opener_line(draft: Draft, rng: random.Random) -> None:
    """The first line of the content stands on the opener's line."""
    signs = (*"-<>=`~", draft.marks.open[0], draft.marks.close[0])
    first = {i: draft.content(i)[0] for i in draft.blocks}
    spaced = [i for i, line in first.items() if line[:1].strip() and " " in line.strip() and not line.startswith(signs)]
    chosen = draft.choose(rng, spaced, "open", "body")
    gap = rng.choice((" ", " ", "")) if draft.paired else " "
    for i in chosen:
        opening = draft.line(i, "open")
        opening.text += gap + draft.lines.pop(draft.place(opening) + 1).text


@mistake()
def closer_on_last_line(draft: Draft, rng: random.Random) -> None:
    """The closing delimiter stands at the end of the last content line."""
    signs, last = "<>-" + draft.marks.close, {i: draft.content(i)[-1] for i in draft.blocks}
    whole = [i for i, line in last.items() if line.strip() and line == line.rstrip() and line[-1] not in signs]
    chosen = draft.choose(rng, [i for i in whole if not draft.rulish(last[i])], "close", "body")
    gap = rng.choice((" ", "")) if draft.paired else " "
    for i in chosen:
        closer = draft.line(i, "close")
        draft.lines.pop(draft.place(closer) - 1)
        closer.text = last[i] + gap + closer.text


@mistake()
def closer_glued_to_next(draft: Draft, rng: random.Random) -> None:
    """The next head or thought stands on the closer's line."""
    followed = [i for i in draft.any_blocks if (behind := draft.section_behind(i)) and behind.role == "head"]
    chosen = draft.choose(rng, [i for i in followed if draft.free((i + 1, "head"))], "close", "after")
    gap = rng.choice((" ", " ", "")) if draft.paired else " "
    for i in chosen:
        draft.claim((i + 1, "head"))
        closer = draft.line(i, "close")
        place = draft.place(closer)
        draft.head(i + 1).before = closer.text + gap
        del draft.lines[place : draft.place(draft.line(i + 1, "head"))]


@in_actions("head open", of=ANY_BLOCKS, split=TAGGED)
def opener_on_head_line(draft: Draft, rng: random.Random, i: int) -> None:
    """The opening delimiter stands at the end of the head's line."""
    opener = draft.line(i, "open")
    draft.head(i).after = " " + opener.text
    draft.remove(opener)


@mistake()
def delimiters_indented(draft: Draft, rng: random.Random) -> None:
    """Delimiter lines are indented, the content is not."""
    indent = rng.choice((" ", "  ", "    ", "\t"))
    roles = rng.choice((("open", "close"), ("open", "close"), ("close",), ("open",)))
    candidates = [i for i in draft.blocks if without(draft, i, draft.marks.open, draft.marks.close)]
    chosen = draft.choose(rng, candidates, "open", "close")
    for line in draft.lines:
        if line.action in chosen and line.role in roles:
            line.indent = indent


@in_actions("open close after", ("open", "close"), of=BLOCKS)
def delimiter_doubled(draft: Draft, rng: random.Random, i: int, role: Role) -> None:
    """A delimiter line is written twice."""
    line = draft.line(i, role)
    draft.lines.insert(draft.place(line), Line(role, line.text, i))


@in_actions("open", of=ANY_BLOCKS, neutral=True)
def blank_before_opener(draft: Draft, rng: random.Random, i: int) -> None:
    """Blank lines stand between a head and its block."""
    draft.insert(draft.place(draft.line(i, "open")), "\n" * rng.choice((0, 0, 1)), "blank")


@mistake()
def remark_before_opener(draft: Draft, rng: random.Random) -> None:
    """A line of prose stands between a head and its block."""
    chosen = draft.choose(rng, draft.any_blocks, "open")
    form = "\n{}\n" if rng.random() < 0.5 else "{}"
    for i in chosen:
        draft.insert(draft.place(draft.line(i, "open")), form.format(rng.choice(REMARKS)))


def _escaped(draft: Draft) -> list[Spelling]:
    opener, closer = draft.marks.open, draft.marks.close
    first = ("\\" + opener, "\\" + closer)
    if not draft.paired:
        return [first] * 3
    html = (opener.replace("<", "&lt;"), closer.replace(">", "&gt;")) if "<" in opener else (None, None)
    return [html, ("".join("\\" + sign for sign in opener), "".join("\\" + sign for sign in closer)), first]


delimiters_tagged = _respelt(
    "Tags of another format stand for the delimiters.",
    lambda draft: [("<content>", "</content>"), ("[CONTENT_START]", "[CONTENT_END]"), ("<code>", "</code>")],
)
delimiters_escaped = _respelt("Delimiters are escaped for HTML or Markdown.", _escaped)
