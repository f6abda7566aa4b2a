"""Find the rule that a step matched without asking about its status first.

The sources are the parallel parts of the step, facts, tags in its replies, and a model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...core.ground.errors import SymOpsError
from ...models import Model
from .judging import GivenRule, Session
from .rules import Rule, Shown, as_rule, decide, show_rules
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
    """Return the rule that a step matched.

    The order is: conditions on the parallel parts, `when` conditions over facts, a tag in
    `phase3`, a tag in `phase1`, `ai(…)` conditions, all conditions.

    Args:
        rules: The rules of the step.
        step: Its name, which is that of the tags.
        phase1: The reply of the step itself.
        phase3: The answer to a question about the status.
        parts: The condition that each parallel part matched. None: it matched none.
        facts: The facts by name.
        model: The model to ask at last. None: nothing is asked.
        interactive: Whether the run is interactive. If not, rules for such runs are hidden, and
            the numbers of tags count without them.
        aliases: Further names of the tags.
        language: The language of the questions, "en" or "ja".
        cancelled: Returns whether to stop. It is called before each question.
        on_stage: Called with each call to the model when its stage is over.

    Returns:
        The judgment. Its index counts from 0 in `rules`.

    Raises:
        StatusNotFound: No rule was found, or the run was cancelled (`JudgmentCancelled`). The error
            has the calls that were made.
        SymOpsError: There are no rules.
    """
    all_rules = [as_rule(rule) for rule in rules]
    numbered = show_rules(all_rules, interactive)
    if not numbered.texts:
        raise SymOpsError("at least one rule is needed")
    decision = decide(all_rules, numbered, step, facts, parts)
    if decision:
        return decision
    # The answer to a question about the status counts before the reply that did the work.
    for text, method in ((phase3, Method.PHASE3_TAG), (phase1, Method.PHASE1_TAG)):
        place = find_tag(text, [tag_name(step)], len(numbered.texts), aliases=aliases)
        if place is None:
            continue
        index = numbered.indices[place]
        if not all_rules[index].is_decided:
            return Judgment(index, method, write_tag(step, index + 1))
    # The reply of the step says more than a status without a tag.
    source = phase1 if phase1.strip() else phase3
    stages: list[Stage] = []
    if model is not None and source.strip():
        session = Session(
            model, numbered, source, step, tuple(aliases), language, cancelled, on_stage, stages
        )
        for method, question in _questions(all_rules, numbered):
            session.shown = question
            # Of the `ai(…)` conditions it may be none; then all conditions are compared.
            judgment = session.compare(method, or_none=method is Method.AI_JUDGE)
            if judgment:
                return judgment
        session.check_cancelled()
    reason = "; ".join(f"{stage.method}: {stage.error or stage.status}" for stage in stages)
    reason = reason or "there is no tag, and nobody to ask"
    raise StatusNotFound(f"no rule of {step} was found: {reason}", stages)


def _questions(rules: Sequence[Rule], numbered: Shown) -> list[tuple[Method, Shown]]:
    """Return the rules of each question: the `ai(…)` conditions, then all undecided ones."""
    undecided = [index for index in numbered.indices if not rules[index].is_decided]
    for_models = [index for index in undecided if rules[index].ai]
    texts = dict(zip(numbered.indices, numbered.texts, strict=True))
    questions = []
    for method, indices in ((Method.AI_JUDGE, for_models), (Method.AI_JUDGE_FALLBACK, undecided)):
        if indices:
            asked_texts = tuple(texts[index] for index in indices)
            questions.append((method, Shown(asked_texts, tuple(indices))))
    return questions
