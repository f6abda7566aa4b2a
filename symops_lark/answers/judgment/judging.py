"""Which rule holds at the end of a step, by at most three questions to a model.

    judge_status(["approved", "needs a fix"], report, model, step="review").rule_index

Laws: one rule that is left needs no model; the stages are independent (each question is a conversation of its own);
what is no clear answer leads to the next stage; every call is recorded, also one that fails; whoever is cancelled
starts none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.replies.messages import ModelError, Reply
from ...models import Finish, Message, Model, Way
from ..structured import Answer, Attempt, Status, ask_json, extract_json
from .instructions import JUDGE, build_comparison, build_instruction
from .rules import Rule, Shown, as_rule, show_rules
from .stages import Judgment, JudgmentCancelled, Method, Stage, StatusNotFound
from .tag_words import supposes
from .tags import ALIASES, find_tag, tag_name, write_tag


def _schema_of(key: str, what: str) -> dict[str, Any]:
    """Return the schema of a number and a reason; `what` tells what the number is."""
    return {
        "type": "object",
        "properties": {
            key: {"type": "integer", "description": what},
            "reason": {"type": "string", "description": "Short reason"},
        },
        "required": [key, "reason"],
        "additionalProperties": False,
    }


JUDGMENT_SCHEMA = _schema_of("step", "Number of the rule that holds, counted from 1")
EVALUATION_SCHEMA = _schema_of(
    "matched_index", "Number of the condition that is fulfilled, counted from 1 (1-based), as in the table"
)
_TURNS = {Method.STRUCTURED_OUTPUT: 3, Method.PHASE3_TAG: 3, Method.AI_JUDGE: 1}
_NUMBERS = {Method.STRUCTURED_OUTPUT: 1, Method.PHASE3_TAG: 2}

GivenRule = Rule | Mapping[str, Any] | str


def judge_status(
    rules: Sequence[GivenRule],
    source: str,
    model: Model | None,
    *,
    step: str,
    interactive: bool = True,
    facts: Mapping[str, Any] | None = None,
    structured_output: bool = True,
    aliases: Sequence[str] = ALIASES,
    language: str = "en",
    cancelled: Callable[[], bool] | None = None,
    on_stage: Callable[[Stage], object] | None = None,
) -> Judgment:
    """Return the rule that holds at the end of a step; its index counts from 0 in `rules`, numbers for models from 1.

    `source` is the report (`read_source`). Rules with `when` are decided by `facts`, first; the others are asked about:
    by number and reason (left out without `structured_output`), by a tag, by comparing conditions and report. Rules for
    interactive runs are not shown unless it is one. `cancelled` is asked before each call; `on_stage` is told of each
    call when its stage is over, also where an exception ends it. Raises `StatusNotFound` with all stages, and
    `SymOpsError` without rules, or without a source.
    """
    listed = [as_rule(rule) for rule in rules]
    shown = show_rules(listed, interactive, decided=False)
    for index, rule in enumerate(listed):
        if (interactive or not rule.interactive_only) and rule.when is not None and rule.holds(facts):
            return Judgment(index, Method.WHEN, write_tag(step, index + 1), f"{rule.when} holds")
    if not shown.texts and not any(rule.is_decided for rule in listed):
        raise SymOpsError("at least one rule is needed")
    if len(shown.texts) == 1:
        index = shown.indices[0]
        return Judgment(index, Method.AUTO_SELECT, write_tag(step, index + 1), "it is the only rule")
    if not shown.texts:
        raise StatusNotFound(f"no rule of {step} holds by the facts, and there is no other")
    if not source.strip():
        raise SymOpsError("there is nothing to judge: the source is empty")
    if model is None:
        raise SymOpsError("several rules are left, and no model was given that could judge")
    session = Session(model, shown, source, step, tuple(aliases), language, cancelled, on_stage)
    ways = (session.ask_number, session.ask_tag, session.compare)
    for ask in ways if structured_output else ways[1:]:
        if judgment := ask():
            return judgment
    session.check_cancelled()
    told = "; ".join(f"stage {each.stage} ({each.method}): {each.error or each.status}" for each in session.stages)
    raise StatusNotFound(f"no rule of {step} was found: {told}", session.stages)


@dataclass(slots=True)
class Session:
    """The questions of one judgment, and what came of them."""

    model: Model
    shown: Shown
    source: str
    step: str
    aliases: tuple[str, ...] = ALIASES
    language: str = "en"
    cancelled: Callable[[], bool] | None = None
    on_stage: Callable[[Stage], object] | None = None
    stages: list[Stage] = field(default_factory=list)

    def ask_number(self) -> Judgment | None:
        """Ask for the number of a rule and a reason, as a JSON object."""
        way = getattr(self.model, "way", Way.PROMPT)
        question = build_instruction(
            self.shown.texts, self.source, self.step, list_tags=way is Way.PROMPT, language=self.language
        )
        return self._ask_json(Method.STRUCTURED_OUTPUT, question, JUDGMENT_SCHEMA, "step")

    def ask_tag(self) -> Judgment | None:
        """Ask for a tag."""
        question = build_instruction(
            self.shown.texts, self.source, self.step, structured_output=False, language=self.language
        )
        method = Method.PHASE3_TAG
        for _ in range(_TURNS[method]):
            self.check_cancelled()
            status, text, reply, error = self._generate(question)
            number = None
            if status is Status.ANSWERED:
                number = find_tag(text, [tag_name(self.step)], len(self.shown.texts), aliases=self.aliases)
                status = Status.INVALID if number is None else status
            self._record(Stage(2, method, str(status), question, text, reply.usage, error))
            if number is not None:
                return self._judgment(self.shown.indices[number], method)
            if status is not Status.REFUSED:
                break
        return None

    def compare(self, method: Method = Method.AI_JUDGE, *, or_none: bool = False) -> Judgment | None:
        """Ask once which condition the report fulfils, or (`or_none`) whether none; a tag `[JUDGE:N]` will do."""
        question = build_comparison(self.shown.texts, self.source, or_none=or_none, language=self.language)
        return self._ask_json(method, question, EVALUATION_SCHEMA, "matched_index")

    def _ask_json(self, method: Method, question: str, schema: Mapping[str, Any], key: str) -> Judgment | None:
        self.check_cancelled()
        stage, attempts = _NUMBERS.get(method, 3), list[Attempt]()

        def is_over() -> bool:
            return len(attempts) >= _TURNS.get(method, 1) or self._is_cancelled()

        try:
            name = _FORM_NAMES[key]
            answer = ask_json(self.model, question, schema, name=name, cancelled=is_over, on_attempt=attempts.append)
        except BaseException:
            for attempt in attempts:
                self._record(_stage(stage, method, attempt))
            raise
        told = [_stage(stage, method, attempt) for attempt in attempts]
        index = None
        if attempts:
            index, status, error = self._read(answer, told[-1], schema, key)
            told[-1] = replace(told[-1], status=status, error=error)
        for each in told:
            self._record(each)
        reason = str((answer.value or {}).get("reason", ""))
        return None if index is None else self._judgment(index, method, reason)

    def _read(self, answer: Answer, last: Stage, schema: Mapping[str, Any], key: str) -> tuple[int | None, str, str]:
        """Return the index of the rule that an answer names, if it does, what came of the call, and why no more did."""
        count = len(self.shown.texts)
        if answer.value is None:
            number = None
            if last.stage == 3 and last.status == Status.INVALID:
                number = find_tag(last.response, [JUDGE], count, aliases=())
            if number is None:
                return None, last.status, last.error
            return self.shown.indices[number], str(Status.ANSWERED), ""
        if _is_doubtful(last.response, schema, key, count):
            return None, str(Status.INVALID), "it is not clear which of its objects is the answer"
        index = self.shown.index(answer.value.get(key))
        if index is None:
            return None, "out_of_range", f"{key} is {answer.value.get(key)}"
        return index, str(Status.ANSWERED), ""

    def _generate(self, question: str) -> tuple[Status, str, Reply, str]:
        """Return how a question was answered, the text, the reply and what went wrong."""
        try:
            reply = self.model.generate((Message("user", question),))
        except ModelError as error:
            reply = error.partial or Reply("")
            return Status.FAILED, reply.text, reply, str(error)
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
            self._record(Stage(2, Method.PHASE3_TAG, str(Status.FAILED), question, "", None, said))
            raise
        return _read_status(reply), reply.text, reply, ""

    def _judgment(self, index: int, method: Method, reason: str = "") -> Judgment:
        return Judgment(index, method, write_tag(self.step, index + 1), reason, tuple(self.stages))

    def _record(self, stage: Stage) -> None:
        self.stages.append(stage)
        if self.on_stage is not None:
            self.on_stage(stage)

    def _is_cancelled(self) -> bool:
        return self.cancelled is not None and bool(self.cancelled())

    def check_cancelled(self) -> None:
        """Raise `JudgmentCancelled` if the run was cancelled."""
        if self._is_cancelled():
            raise JudgmentCancelled(f"the judgment of {self.step} was cancelled", self.stages)


_FORM_NAMES = {"step": "judgment", "matched_index": "evaluation"}


def _stage(number: int, method: Method, attempt: Attempt) -> Stage:
    instruction = "\n\n".join(message.content for message in attempt.instruction)
    told = () if attempt.status is Status.ANSWERED else attempt.diagnostics
    error = attempt.error or "; ".join(diagnostic.message for diagnostic in told)
    return Stage(number, method, str(attempt.status), instruction, attempt.response, attempt.usage, error)


def _read_status(reply: Reply) -> Status:
    if reply.finish.cut_off:
        return Status.CUT_OFF
    if reply.finish is Finish.REFUSED:
        return Status.REFUSED
    if not reply.text.strip():
        return Status.EMPTY
    return Status.ANSWERED


def _is_doubtful(text: str, schema: Mapping[str, Any], key: str, count: int) -> bool:
    """Return whether the last object of a reply with several is not clearly its answer: it may be only an example.

    Another one before it says otherwise, and what stands between supposes something; or there is one object for each of
    `count` rules, one behind the other.
    """
    numbers: list[object] = []
    between: list[str] = []
    while len(numbers) <= count:
        found = extract_json(text, schema)
        if found.value is None or found.span is None:
            break
        if numbers:
            between.append(text[found.span.end :])
        numbers.append(found.value.get(key))
        text = text[: found.span.start]
    if len(set(numbers)) < 2:
        return False
    return supposes(between[0]) or (
        numbers == list(range(count, 0, -1)) and not any(each.strip(" \t\r\n,;") for each in between)
    )
