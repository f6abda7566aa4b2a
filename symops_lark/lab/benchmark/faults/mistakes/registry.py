"""All mistakes by name, how one is written, and how several are made in a reply.

A mistake is a function under `@mistake()` or, where it changes some actions one by one, under `@in_actions()`; where it
claims the same zones of the reply each time, under `@in_reply()`. Where its pattern is shared with others it is a row:
`NAME = row("Summary.", …)`. All are found in their modules. A mistake that cannot be made changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from types import ModuleType
from typing import Any, Literal

from ..marks import Dialect
from .draft import Draft

Apply = Callable[[Draft, random.Random], object]
Actions = Callable[[Draft], Iterable[int]]
Forms = Sequence[Any] | Callable[[Draft], Sequence[Any]]  # in which an edit is made, one of them each time
Edit = Callable[..., None]  # of a draft, random numbers, the index of an action, and the form that was drawn

ALL, SECTION, WRAP, LINES, CUT = range(-1, 4)  # stages: later ones see what earlier ones wrote
FILES, BLOCKS, ANY_BLOCKS, TAGGED, FOREIGN = map(attrgetter, ("files", "blocks", "any_blocks", "tagged", "foreign"))


@dataclass(frozen=True)
class Mistake:
    """A mistake: how and when it is made. Its name is the one that it has in its module.

    A `tagged` one can be made only in dialects that have a line and a tag for every part of an action. A `neutral` one
    can be made in any format that has what it `needs`: `close` (delimiters that end contents), `verb` (verbs), `marks`
    (marks around verbs and paths).
    """

    summary: str
    apply: Apply
    stage: int = SECTION
    tagged: bool = False
    neutral: bool = False
    needs: str = ""
    name: str = ""


def mistake(**options: Any) -> Callable[[Apply], Mistake]:
    """Return a decorator that makes a `Mistake` of a function; the first line of its docstring is the summary."""
    return lambda function: Mistake(_summary(function), function, **options)


def in_actions(
    parts: str = "head",
    forms: Forms = (),
    of: Actions = attrgetter("actions"),
    split: bool | Callable[[Draft], bool] = False,
    drawn: Literal["first", "later", "each"] = "first",
    summary: str = "",
    **options: Any,
) -> Callable[[Edit], Mistake]:
    """Return a decorator that makes a mistake of an edit of one action: it is made in some, whose `parts` it claims.

    Where there are several `forms`, one is drawn before the actions are chosen, after it (`later`), or for each of
    them: random numbers are used in this order, and another order would give other texts for the same seed. Where a
    draft has none, it declines.
    """

    def make(edit: Edit) -> Mistake:
        def draw(rng: random.Random, known: Sequence[Any]) -> Sequence[Any]:
            return [rng.choice(known)] if len(known) > 1 else known

        def apply(draft: Draft, rng: random.Random) -> bool:
            known = forms(draft) if callable(forms) else forms
            if callable(forms) and not known:
                return False
            form = draw(rng, known) if drawn == "first" else ()
            chosen = draft.choose(rng, of(draft), *parts.split(), split=split(draft) if callable(split) else split)
            form = draw(rng, known) if drawn == "later" else form
            for index in chosen:
                edit(draft, rng, index, *(draw(rng, known) if drawn == "each" else form))
            return bool(chosen)

        return Mistake(summary or _summary(edit), apply, **options)

    return make


def row(
    summary: str, edit: Callable[[Draft, int, Any], None], forms: Forms, parts: str = "head", **choice: Any
) -> Mistake:
    """Return a mistake that makes an edit in some actions, in one of several forms; see `in_actions`."""
    make = in_actions(parts, forms, summary=summary, **choice)
    return make(lambda draft, rng, index, form: edit(draft, index, form))


def in_reply(
    zones: str, summary: str = "", **options: Any
) -> Callable[[Callable[[Draft, random.Random], None]], Mistake]:
    """Return a decorator that makes a mistake of an edit of the reply: it is made where its zones are free."""

    def make(edit: Callable[[Draft, random.Random], None]) -> Mistake:
        def apply(draft: Draft, rng: random.Random) -> bool:
            is_free = draft.claim(*zones.split())
            if is_free:
                edit(draft, rng)
            return is_free

        return Mistake(summary or _summary(edit), apply, **options)

    return make


def _summary(function: Callable[..., object]) -> str:
    return (function.__doc__ or "").split("\n")[0]


REGISTRY: dict[str, Mistake] = {}


def register(module: ModuleType) -> None:
    """Register the mistakes of a module by their names, in the order in which they stand there."""
    for key, value in vars(module).items():
        if isinstance(value, Mistake):
            name = key.replace("_", "-")
            assert name not in REGISTRY and value.summary.endswith("."), name
            REGISTRY[name] = replace(value, name=name)


def applicable(dialect: Dialect) -> list[Mistake]:
    """Return the mistakes that can be made in a dialect, or in a format that is none, at all."""
    foreign = dialect.foreign
    if foreign is not None:
        return [item for item in REGISTRY.values() if item.neutral and item.needs not in foreign.lacks]
    return [item for item in REGISTRY.values() if dialect.lines or not item.tagged]


def apply_mistakes(draft: Draft, mistakes: Sequence[Mistake], rng: random.Random) -> Draft | None:
    """Return a copy of a draft with all the mistakes, made in the order of their stages; None if one declines."""
    possible = {item.name for item in applicable(draft.dialect)}
    for item in sorted(mistakes, key=lambda item: item.stage):
        trial = draft.copy()
        if item.name in possible:
            item.apply(trial, rng)
        if trial.text() == draft.text():
            return None
        draft = trial
    return draft
