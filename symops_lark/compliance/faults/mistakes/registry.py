"""All mistakes by name, how one is written, and how several are made in a reply.

A mistake is a function under `@mistake()`, or a `row` where its pattern is shared with others: mostly one edit that is
made in some actions, in a form that is drawn (`edit_actions`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal, TypedDict, TypeVar, Unpack

from ..documents import Document
from ..marks import Dialect
from .draft import Draft

Apply = Callable[[Draft, random.Random], bool]
Form = TypeVar("Form")
Edit = Callable[[Draft, int, Form], None]
Actions = Callable[[Draft], Iterable[int]]

ALL, SECTION, WRAP, LINES, CUT = range(-1, 4)  # stages: later ones see what earlier ones wrote
EVERY, FILES, BLOCKS, ANY_BLOCKS = map(attrgetter, ("actions", "files", "blocks", "any_blocks"))
TAGGED = attrgetter("tagged")


@dataclass(frozen=True)
class Mistake:
    """A mistake: its kebab-case name, how and when it is made, and whether formats.md names its kind.

    A `tagged` one can be made only in dialects that have a line and a tag for every part of an action. A `neutral` one
    can be made in any format that has what it `needs`: `close` (delimiters that end contents), `verb` (verbs), `marks`
    (marks around verbs and paths).
    """

    name: str
    summary: str
    apply: Apply
    stage: int = SECTION
    listed: bool = True
    tagged: bool = False
    neutral: bool = False
    needs: str = ""

    def __call__(self, document: Document, dialect: str | Dialect, rng: random.Random) -> str | None:
        """Return the canonical text with the mistake in it; None where it does not apply."""
        draft = damage(document, dialect, [self], rng)
        return draft.text() if draft else None


class Options(TypedDict, total=False):
    """What a mistake is registered with beside its name, summary and function."""

    stage: int
    listed: bool
    tagged: bool
    neutral: bool
    needs: str


REGISTRY: dict[str, Mistake] = {}


def row(name: str, summary: str, apply: Apply, **options: Unpack[Options]) -> None:
    """Register a mistake by its name."""
    assert name not in REGISTRY and summary.endswith("."), name
    REGISTRY[name] = Mistake(name, summary, apply, **options)


def mistake(**options: Unpack[Options]) -> Callable[[Apply], Apply]:
    """Return a decorator that registers a function as the mistake of its name and docstring."""

    def register(function: Apply) -> Apply:
        row(function.__name__.replace("_", "-"), (function.__doc__ or "").split("\n")[0], function, **options)
        return function

    return register


def edit_actions(
    edit: Edit[Form],
    forms: Sequence[Form],
    parts: str = "head",
    of: Actions = EVERY,
    split: bool | Callable[[Draft], bool] = False,
    drawn: Literal["first", "later", "each"] = "first",
) -> Apply:
    """Return a mistake that makes an edit in some actions, whose `parts` it claims; see `Draft.choose`.

    The form is drawn before the actions are chosen, after it (`later`), or for each of them: random numbers are used in
    this order, and another order would give other texts for the same seed.
    """

    def apply(draft: Draft, rng: random.Random) -> bool:
        form = rng.choice(forms) if drawn == "first" and len(forms) > 1 else forms[0]
        chosen = draft.choose(rng, of(draft), *parts.split(), split=split(draft) if callable(split) else split)
        if drawn == "later":
            form = rng.choice(forms)
        for index in chosen:
            edit(draft, index, rng.choice(forms) if drawn == "each" else form)
        return bool(chosen)

    return apply


def applicable(dialect: Dialect) -> list[Mistake]:
    """Return the mistakes that can be made in a dialect, or in a format that is none, at all."""
    foreign = dialect.foreign
    if foreign is not None:
        return [item for item in REGISTRY.values() if item.neutral and item.needs not in foreign.lacks]
    return [item for item in REGISTRY.values() if dialect.lines or not item.tagged]


def listed_for(dialect: Dialect) -> list[Mistake]:
    """Return the listed ones of them."""
    return [item for item in applicable(dialect) if item.listed]


def damage(document: Document, dialect: str | Dialect, mistakes: Sequence[Mistake], rng: random.Random) -> Draft | None:
    """Return a document with all the mistakes, made in the order of their stages; None if one of them declines."""
    return apply_mistakes(Draft.of(document, dialect), mistakes, rng)


def apply_mistakes(draft: Draft, mistakes: Sequence[Mistake], rng: random.Random) -> Draft | None:
    """Return a copy of a draft with all the mistakes, made in the order of their stages; None if one declines."""
    possible = {item.name for item in applicable(draft.dialect)}
    for item in sorted(mistakes, key=lambda item: item.stage):
        trial = draft.copy()
        if item.name not in possible or not item.apply(trial, rng):
            return None
        if draft.dialect.foreign is not None and trial.text() == draft.text():
            return None
        draft = trial
    return draft
