"""Mistakes in the spelling of delimiters: the wrong length, the wrong sign, glued words."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from ..documents import Role
from ..marks import lengthen
from ..phrases import LANGUAGES
from .draft import Draft, headish
from .registry import ANY_BLOCKS, BLOCKS, Actions, Mistake, draw, row
from .tags import misspell_tag

Spelling = tuple[str | None, str | None]  # of an opener and a closer; None leaves it unchanged
_ROLES: tuple[Role, Role] = ("open", "close")
_UNCHANGED: Spelling = (None, None)
_OPENERS, _CLOSERS = ("{marks.open}", "{marks.open}"), ("{marks.close}", "{marks.close}")


def language(path: str) -> str:
    """Return the info word that a model would write for a path."""
    suffix = path.rpartition(".")[2]
    return LANGUAGES.get(suffix, "text")


def without(draft: Draft, index: int, *spellings: str) -> bool:
    """Return whether no line of a content equals one of the spellings, except for blanks."""
    lines = set(map(str.strip, draft.content(index)))
    return lines.isdisjoint(map(str.strip, spellings))


def delimit(draft: Draft, index: int, form: Spelling) -> None:
    """Replace an opener and a closer.

    Args:
        draft: The draft.
        index: The number of the action.
        form: The new opener and closer. In them, `{}` is the old one, and `{path}` and
            `{language}` are those of the action.
    """
    path = draft.action(index).path
    values = {"path": path, "language": language(path), "marks": draft.marks, "other": draft.other}
    for role, spelling in zip(_ROLES, form, strict=True):
        if spelling is not None:
            line = draft.line(index, role)
            line.text = spelling.format(line.text, **values)


def respelt(
    summary: str,
    pairs: Callable[[Draft], Sequence[Spelling]],
    parts: str = "open close",
    of: Actions = ANY_BLOCKS,
) -> Mistake:
    """Return a mistake that writes other delimiters around blocks without such a line.

    It declines a pair without any text.

    Args:
        summary: The sentence about it.
        pairs: Returns the openers and closers, of which one pair is drawn.
        parts: The parts of each action that are claimed.
        of: Returns the candidates.
    """

    def apply(draft: Draft, rng: Random) -> None:
        pair: Spelling = draw(rng, pairs(draft) or [_UNCHANGED])
        words = [word for word in pair if word is not None]
        if not words:
            return

        # A reader would take such a line of the content for the delimiter.
        def is_unique(draft: Draft, index: int) -> bool:
            return without(draft, index, *words)

        for i in draft.choose(rng, of(draft), *parts.split(), where=is_unique):
            for role, word in zip(_ROLES, pair, strict=True):
                if word is not None:
                    # Marks of a dialect may have braces, so this is not a form for `delimit`.
                    draft.line(i, role).text = word

    return Mistake(summary, apply)


def _variants(draft: Draft, role: Role) -> list[str]:
    """Return wrong forms of a delimiter; one is empty if nothing would be left."""
    mark: str = getattr(draft.marks, role)
    if draft.tagged:
        return misspell_tag(mark)
    spread = " ".join(mark)
    if draft.paired:
        forms = [lengthen(mark, count) for count in (-2, -1, 1, 2, 4)]
        forms.append(spread)
        # A colon announces a content; it ends none.
        return [*forms, mark + ":"] if role == "open" else forms
    forms = [lengthen(mark, 1), lengthen(mark, 2), lengthen(mark, -1), "==="]
    if role == "open":
        forms.append("==")
    return [*forms, spread, lengthen(mark, 3)]


def _is_misspelling(draft: Draft, spelling: str | None) -> bool:
    """Return whether a text is a wrong form: not empty, and not a mark of the dialect."""
    if spelling is None:
        return True
    marks = draft.marks
    own = {"", marks.open, marks.close, marks.action, marks.end_close}
    if "fences" in draft.dialect.forms:
        # There, longer delimiters are right.
        for mark in (marks.open, marks.close):
            own.update(lengthen(mark, count) for count in range(1, 6))
    for mark in (marks.thought, marks.question, marks.error):
        if spelling.startswith(mark + " "):
            return False
    return spelling not in own


def _misspelt(draft: Draft, *roles: Role) -> list[Spelling]:
    """Return wrong forms of the delimiters with one of the roles."""
    openers, closers = _variants(draft, "open"), _variants(draft, "close")
    spellings: list[Spelling]
    if roles == ("open",):
        spellings = [(word, None) for word in openers]
    elif roles == ("close",):
        spellings = [(None, word) for word in closers]
    else:
        # If delimiters are the same, a writer errs in the same way at both.
        if not draft.paired:
            closers = openers
        spellings = list(zip(openers, closers, strict=False))
    # A right form keeps its place: without it, the same seed would draw another one.
    for number, (opener, closer) in enumerate(spellings):
        if not (_is_misspelling(draft, opener) and _is_misspelling(draft, closer)):
            spellings[number] = _UNCHANGED
    return spellings


def _chevron(draft: Draft) -> list[Spelling]:
    sign = draft.marks.open[0]
    if not draft.paired or draft.tagged or sign == draft.marks.open:
        return []
    return [(sign, None)]


def _smart(draft: Draft) -> list[Spelling]:
    # Word processors know these signs; they leave those of other dialects alone.
    pair = (draft.marks.open, draft.marks.close)
    if pair == ("--", "--"):
        return [("–", "–"), ("—", "—"), ("——", "——")]
    if pair == ("<<<", ">>>"):
        return [("«<", ">»"), ("‹‹‹", "›››"), ("≪<", ">≫"), ("《《《", "》》》"), ("❮❮❮", "❯❯❯")]
    return []


def _is_swappable(draft: Draft, index: int) -> bool:
    """Return whether the last line of a block cannot be taken for the head before an opener."""
    if not draft.paired:
        return False
    # Another mistake may make marks of full width, and a reader takes them for the usual ones.
    last = unicodedata.normalize("NFKC", draft.content(index)[-1])
    return not headish(last)


def _glued(summary: str, words: Sequence[tuple[str, str]], parts: str, **options: Any) -> Mistake:
    """Return a mistake that appends words to delimiters."""
    forms: list[Spelling] = []
    for pair in words:
        opener, closer = ("{}" + word if word else None for word in pair)
        forms.append((opener, closer))
    return row(summary, delimit, forms, parts, of=ANY_BLOCKS, drawn="later", **options)


opener_misspelt = respelt(
    "An opening delimiter has the wrong length or sign.",
    lambda draft: _misspelt(draft, "open"),
    "open",
    BLOCKS,
)
closer_misspelt = respelt(
    "A closing delimiter has the wrong length or sign.",
    lambda draft: _misspelt(draft, "close"),
    "close",
    BLOCKS,
)
delimiters_misspelt = respelt(
    "Both delimiters of a block have the wrong length or sign.", _misspelt, of=BLOCKS
)
lone_chevron = respelt(
    "A lone < opens the block, as in the examples of the original notes.", _chevron, "open"
)
delimiters_swapped = row(
    "The closing delimiter opens the block and the opening one closes it.",
    delimit,
    [("{marks.close}", "{marks.open}")],
    "open close",
    of=BLOCKS,
    where=_is_swappable,
)
opener_repeated_to_close = row(
    "The same delimiter opens and closes the block.",
    delimit,
    [_OPENERS, _OPENERS, _CLOSERS],
    "open close",
    of=BLOCKS,
    where=_is_swappable,
    drawn="later",
)
delimiters_smart = respelt("A word processor's dashes or quotes replace the delimiters.", _smart)
language_on_opener = _glued(
    "A language name is glued to the opening delimiter.",
    [("{language}", ""), ("{language}", ""), (" {language}", "")],
    "open",
)
word_on_delimiter = _glued(
    "A word such as START or END, or the path, is glued to a delimiter.",
    [
        ("START", "END"),
        ("CONTENT", "END"),
        ("", "END"),
        ("EOF", "EOF"),  # as in a shell
        (" {path}", " {path}"),
        ("", " end"),
    ],
    "open close",
)
text_behind_closer = _glued(
    "A remark follows the closing delimiter on its line.",
    [
        ("", " # end of {path}"),
        ("", " // {path}"),
        ("", " (end of file)"),
        ("", " <- end"),
        ("", " End of {path}."),
    ],
    "close",
    neutral=True,
    needs="close",
)
