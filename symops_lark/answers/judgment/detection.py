"""Which rule a step matched that was not asked about its status: by its parts, by tags in what was said, by a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...core.ground.errors import SymOpsError
from ...models import Model
from .judging import GivenRule, Session
from .rules import Rule, Shown, as_rule, show_rules
from .stages import Judgment, Method, Stage, StatusNotFound
from .tags import ALIASES, find_tag, tag_name, write_tag


def detect_matched_rule(
    rules: Sequence[GivenRule],
    *,
    step: str,
    phase1: str = "",
    phase3: str = "",
    parts: Sequence[str | None] = (),
    facts: Mapping[str, Any] | None = None,
    model: Model | None = None,
    interactive: bool = True,
    aliases: Sequence[str] = ALIASES,
    language: str = "en",
    cancelled: Callable[[], bool] | None = None,
    on_stage: Callable[[Stage], object] | None = None,
) -> Judgment:
    """Return the rule that a step matched; its index counts from 0 in `rules`.

    Tried in this order: conditions on the parallel `parts` (the conditions that they matched), `when` conditions over
    `facts`, a tag in `phase3`, a tag in `phase1` (the reply of the step), `ai(…)` conditions, all conditions. The tags
    count the rules that are shown: without those for interactive runs, unless it is one. Without a `model` nothing is
    asked. Raises `StatusNotFound` with what was asked, and `SymOpsError` without rules.
    """
    listed = [as_rule(rule) for rule in rules]
    shown = show_rules(listed, interactive)
    if not shown.texts:
        raise SymOpsError("at least one rule is needed")
    if found := _decide(listed, shown, facts, parts):
        return Judgment(found[0], found[1], write_tag(step, found[0] + 1))
    for text, method in ((phase3, Method.PHASE3_TAG), (phase1, Method.PHASE1_TAG)):
        number = find_tag(text, [tag_name(step)], len(shown.texts), aliases=aliases)
        if number is not None and not listed[shown.indices[number]].is_decided:
            index = shown.indices[number]
            return Judgment(index, method, write_tag(step, index + 1))
    source = phase1 if phase1.strip() else phase3
    stages: list[Stage] = []
    if model is not None and source.strip():
        session = Session(model, shown, source, step, tuple(aliases), language, cancelled, on_stage, stages)
        for method, asked in _questions(listed, shown):
            session.shown = asked
            if judgment := session.compare(method, or_none=method is Method.AI_JUDGE):
                return judgment
    told = "; ".join(f"{stage.method}: {stage.error or stage.status}" for stage in stages)
    raise StatusNotFound(f"no rule of {step} was found: {told or 'there is no tag, and nobody to ask'}", stages)


def _decide(
    rules: Sequence[Rule], shown: Shown, facts: Mapping[str, Any] | None, parts: Sequence[str | None]
) -> tuple[int, Method] | None:
    """Return the first rule that the parts or, if none, the facts make hold."""
    for method, is_of in ((Method.AGGREGATE, lambda rule: rule.when is None), (Method.WHEN, lambda rule: rule.when)):
        for index in shown.indices:
            if is_of(rules[index]) and rules[index].holds(facts, parts):
                return index, method
    return None


def _questions(rules: Sequence[Rule], shown: Shown) -> list[tuple[Method, Shown]]:
    """Return what a model is asked: the `ai(…)` conditions, then all that are not decided otherwise."""
    free = [index for index in shown.indices if not rules[index].is_decided]
    chosen = [[index for index in free if rules[index].ai], free]
    texts = dict(zip(shown.indices, shown.texts, strict=True))
    return [
        (method, Shown(tuple(texts[index] for index in indices), tuple(indices)))
        for method, indices in zip((Method.AI_JUDGE, Method.AI_JUDGE_FALLBACK), chosen, strict=True)
        if indices
    ]
