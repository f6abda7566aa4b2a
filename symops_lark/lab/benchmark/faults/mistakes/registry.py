"""All mistakes by name, and the ways to write one.

A mistake is a function with the decorator `@mistake()`. If it changes actions one by one, it has
`@in_actions()`, and its function is private; if it always claims the same zones of the reply, it
has `@in_reply()`. Mistakes with a common pattern are rows: `NAME = row("Summary.", …)`. A mistake
that cannot be made changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from random import Random
from types import ModuleType
from typing import Any, Literal

from ..marks import Dialect
from .draft import Condition, Draft, anywhere

Apply = Callable[[Draft, Random], object]
Actions = Callable[[Draft], Iterable[int]]
# The forms in which an edit is made, one of them each time.
Forms = Sequence[Any] | Callable[[Draft], Sequence[Any]]
# An edit gets a draft, random numbers, the number of an action, and the form that was drawn.
Edit = Callable[..., None]

# Stages: a later one sees the changes of those before it, so that a cut also removes prose.
ALL, SECTION, WRAP, LINES, CUT = range(-1, 4)
ACTIONS, FILES, BLOCKS, ANY_BLOCKS, TAGGED, FOREIGN = map(
    attrgetter, ("actions", "files", "blocks", "any_blocks", "tagged", "foreign")
)


@dataclass(frozen=True)
class Mistake:
    """A mistake: how and when it is made.

    Attributes:
        summary: A sentence about it.
        apply: Makes it in a draft.
        stage: When it is made.
        tagged: Whether it needs a dialect with a line and a tag for each part of an action.
        neutral: Whether it can be made in other formats.
        needs: What such a format must have: `close` (delimiters that end contents), `verb`
            (verbs), or `marks` (marks around verbs and paths).
        name: Its name, which is that in its module.
    """

    summary: str
    apply: Apply
    stage: int = SECTION
    tagged: bool = False
    neutral: bool = False
    needs: str = ""
    name: str = ""


def mistake(**options: Any) -> Callable[[Apply], Mistake]:
    """Return a decorator for a function; the first line of its docstring is the summary."""

    def make(function: Apply) -> Mistake:
        return Mistake(_summary(function), function, **options)

    return make


def draw(rng: Random, forms: Sequence[Any]) -> Any:
    """Return one of the forms. A form without a choice takes no random number."""
    return rng.choice(forms) if len(forms) > 1 else forms[0]


def in_actions(
    parts: str = "head",
    forms: Forms = (),
    of: Actions = ACTIONS,
    where: Condition = anywhere,
    split: bool | Callable[[Draft], bool] = False,
    drawn: Literal["first", "later", "each"] = "first",
    summary: str = "",
    **options: Any,
) -> Callable[[Edit], Mistake]:
    """Return a decorator for an edit of one action. It is made in some actions.

    Args:
        parts: The parts of each action that are claimed.
        forms: The forms of the edit. Without a form, it is not made.
        of: Returns the candidates.
        where: Returns whether a candidate is possible.
        split: Whether heads that take several lines are possible.
        drawn: When the form is drawn: before the actions, after them, or for each. Another order
            of the random numbers would give other texts for the same seed.
        summary: The sentence about it; by default the first line of the docstring.
        options: Attributes of the mistake.
    """

    def make(edit: Edit) -> Mistake:
        def apply(draft: Draft, rng: Random) -> bool:
            choices = forms(draft) if callable(forms) else forms
            if callable(forms) and not choices:
                return False
            # An edit without forms gets no further argument.
            form: list[Any] = []
            if choices and drawn == "first":
                form = [draw(rng, choices)]
            may_split = split(draft) if callable(split) else split
            candidates = of(draft)
            chosen = draft.choose(rng, candidates, *parts.split(), where=where, split=may_split)
            if choices and drawn == "later":
                form = [draw(rng, choices)]
            for index in chosen:
                if choices and drawn == "each":
                    form = [draw(rng, choices)]
                edit(draft, rng, index, *form)
            return bool(chosen)

        return Mistake(summary or _summary(edit), apply, **options)

    return make


def row(
    summary: str,
    edit: Callable[[Draft, int, Any], None],
    forms: Forms,
    parts: str = "head",
    **choice: Any,
) -> Mistake:
    """Return a mistake that makes an edit in some actions.

    Args:
        summary: The sentence about it.
        edit: Changes one action of a draft in one of the forms.
        forms: The forms.
        parts: The parts of each action that are claimed.
        choice: Further options of `in_actions`.
    """

    def apply(draft: Draft, rng: Random, index: int, form: Any) -> None:
        edit(draft, index, form)

    return in_actions(parts, forms, summary=summary, **choice)(apply)


def in_reply(
    zones: str, summary: str = "", **options: Any
) -> Callable[[Callable[[Draft, Random], None]], Mistake]:
    """Return a decorator for an edit of the reply. It is made if its zones are free."""

    def make(edit: Callable[[Draft, Random], None]) -> Mistake:
        def apply(draft: Draft, rng: Random) -> bool:
            is_free = draft.claim(*zones.split())
            if is_free:
                edit(draft, rng)
            return is_free

        return Mistake(summary or _summary(edit), apply, **options)

    return make


def _summary(function: Callable[..., object]) -> str:
    return (function.__doc__ or "").partition("\n")[0]


REGISTRY: dict[str, Mistake] = {}


def register(module: ModuleType) -> None:
    """Register the mistakes of a module by their names, in the order of the source."""
    for key, value in vars(module).items():
        if isinstance(value, Mistake):
            name = key.lstrip("_").replace("_", "-")
            # The list of mistakes shows the summaries as sentences.
            assert name not in REGISTRY and value.summary.endswith("."), name
            REGISTRY[name] = replace(value, name=name)


def applicable(dialect: Dialect) -> list[Mistake]:
    """Return the mistakes that are possible in a dialect or another format."""
    foreign = dialect.foreign
    if foreign is None:
        return [item for item in REGISTRY.values() if dialect.lines or not item.tagged]
    neutral = filter(attrgetter("neutral"), REGISTRY.values())
    return [item for item in neutral if item.needs not in foreign.lacks]


def apply_mistakes(draft: Draft, mistakes: Sequence[Mistake], rng: Random) -> Draft | None:
    """Return a copy of a draft with mistakes; None if one of them is not possible.

    Args:
        draft: The draft.
        mistakes: The mistakes, which are made in the order of their stages.
        rng: The random numbers.
    """
    possible = {item.name for item in applicable(draft.dialect)}
    for item in sorted(mistakes, key=attrgetter("stage")):
        trial = draft.copy()
        if item.name in possible:
            item.apply(trial, rng)
        # A mistake that declines may have claimed zones: its copy is not kept.
        if trial.text() == draft.text():
            return None
        draft = trial
    return draft
