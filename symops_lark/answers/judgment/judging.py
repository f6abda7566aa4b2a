"""Find the rule that holds at the end of a step, by at most three questions to a model.

Purpose
    A runner of agents must know which rule of a list holds. `judge_status` asks a model for the
    number of the rule, then for a tag, then to compare all conditions with the report.

        judge_status(["approved", "needs a fix"], report, model, step="review").rule_index

Invariants
    1. A single rule that is left needs no model.
    2. The stages are independent: each question is a separate conversation.
    3. A reply that is not a clear answer leads to the next stage, also if its object and its tag
       name two rules.
    4. Every call is recorded, also one that fails. After cancellation no call is started.
    The tests are in `tests/answers/judgment/test_judging.py`.

Not here
    The questions (`instructions`), the tag of a reply (`tags`), the JSON object of a reply
    (`answers.structured`), rules that facts decide (`rules`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.replies.messages import ModelError, Reply
from ...models import Message, Model, Way
from ..structured import Answer, Attempt, Status, ask_json, extract_json
from .instructions import JUDGE, build_comparison, build_instruction
from .rules import Rule, Shown, as_rule, decide, show_rules
from .stages import Judgment, JudgmentCancelled, Method, Stage, StatusNotFound
from .tag_words import supposes
from .tags import ALIASES, find_tag, tag_name, write_tag


def _schema_of(key: str, description: str) -> dict[str, Any]:
    """Return the schema of a number and a reason; `description` is that of the number."""
    return {
        "type": "object",
        "properties": {
            key: {"type": "integer", "description": description},
            "reason": {"type": "string", "description": "Short reason"},
        },
        "required": [key, "reason"],
        "additionalProperties": False,
    }


JUDGMENT_SCHEMA = _schema_of("step", "Number of the rule that holds, counted from 1")
EVALUATION_SCHEMA = _schema_of(
    "matched_index",
    "Number of the condition that is fulfilled, counted from 1 (1-based), as in the table",
)
# The maximum number of calls of a stage: a refusal is asked again, and a native way that fails is
# asked again in words.
_MAX_CALLS = {Method.STRUCTURED_OUTPUT: 3, Method.PHASE3_TAG: 3, Method.AI_JUDGE: 1}
_STAGE_NUMBERS = {Method.STRUCTURED_OUTPUT: 1, Method.PHASE3_TAG: 2}
_FORM_NAMES = {"step": "judgment", "matched_index": "evaluation"}

GivenRule = Rule | Mapping[str, Any] | str


def judge_status(
    rules: Sequence[GivenRule],
    source: str,
    model: Model | None,
    *,
    step: str,
    interactive: bool = True,
    facts: Mapping[str, Any] | None = None,
    parts: Sequence[str | None] = (),
    structured_output: bool = True,
    aliases: Sequence[str] = ALIASES,
    language: str = "en",
    cancelled: Callable[[], bool] | None = None,
    on_stage: Callable[[Stage], object] | None = None,
) -> Judgment:
    """Return the rule that holds at the end of a step.

    Facts and the parallel parts decide first. The model is asked about the other rules.

    Args:
        rules: The rules: conditions in words, mappings, or `Rule`.
        source: The report (`read_source`).
        model: The model to ask. None: only facts decide.
        step: The name of the step, which is that of the tags.
        interactive: Whether the run is interactive. If not, rules for such runs are not shown.
        facts: The facts by name.
        parts: The condition that each parallel part matched. None: it matched none.
        structured_output: Whether to ask for a number and a reason first.
        aliases: Further names of the tags.
        language: The language of the questions, "en" or "ja".
        cancelled: Returns whether to stop. It is called before each call to the model.
        on_stage: Called with each call when its stage is over, also if an exception ends it.

    Returns:
        The judgment. Its index counts from 0 in `rules`.

    Raises:
        StatusNotFound: No rule was found. The error has all calls.
        SymOpsError: There are no rules; or a source, a model or the parts are needed and missing.
    """
    all_rules = [as_rule(rule) for rule in rules]
    shown = show_rules(all_rules, interactive)
    undecided = show_rules(all_rules, interactive, decided=False)
    # What is certain costs no call.
    if judgment := decide(all_rules, shown, step, facts, parts):
        return judgment
    if not undecided.texts and not any(rule.is_decided for rule in all_rules):
        raise SymOpsError("at least one rule is needed")
    if len(undecided.texts) == 1:
        open_rules = [index for index in shown.indices if all_rules[index].when is None]
        # Nothing has shown that a rule about the parts does not hold.
        if len(open_rules) > 1 and not parts:
            raise SymOpsError(f"{step} has rules about its parts: what they matched is needed")
        [index] = undecided.indices
        reason = "it is the only rule" if len(all_rules) == 1 else "no other rule is left"
        tag = write_tag(step, index + 1)
        return Judgment(index, Method.AUTO_SELECT, tag, reason)
    if not undecided.texts:
        raise StatusNotFound(f"no rule of {step} holds by the facts, and there is no other")
    if not source.strip():
        raise SymOpsError("there is nothing to judge: the source is empty")
    if model is None:
        raise SymOpsError("several rules are left, and no model was given that could judge")
    session = Session(model, undecided, source, step, tuple(aliases), language, cancelled, on_stage)
    questions = [session.ask_tag, session.compare]
    if structured_output:
        questions.insert(0, session.ask_number)
    for ask in questions:
        judgment = ask()
        if judgment:
            return judgment
    session.check_cancelled()
    summary = "; ".join(
        f"stage {stage.stage} ({stage.method}): {stage.error or stage.status}"
        for stage in session.stages
    )
    raise StatusNotFound(f"no rule of {step} was found: {summary}", session.stages)


@dataclass(slots=True)
class Session:
    """The questions of one judgment.

    Attributes:
        model: The model to ask.
        shown: The rules that the model is shown.
        source: The report.
        step: The name of the step.
        aliases: Further names of the tags.
        language: The language of the questions.
        cancelled: Returns whether to stop. None: never.
        on_stage: Called with each call.
        stages: The calls that were made, in order.
    """

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
        # A model with a native way would write a tag instead of calling the tool.
        has_no_native_way = getattr(self.model, "way", Way.PROMPT) is Way.PROMPT
        question = build_instruction(
            self.shown.texts,
            self.source,
            self.step,
            list_tags=has_no_native_way,
            language=self.language,
        )
        return self._ask_json(Method.STRUCTURED_OUTPUT, question, JUDGMENT_SCHEMA, "step")

    def ask_tag(self) -> Judgment | None:
        """Ask for a tag."""
        question = build_instruction(
            self.shown.texts,
            self.source,
            self.step,
            structured_output=False,
            language=self.language,
        )
        method = Method.PHASE3_TAG
        names = [tag_name(self.step)]
        for _ in range(_MAX_CALLS[method]):
            self.check_cancelled()
            status, text, reply, error = self._generate(question)
            place = None
            if status is Status.ANSWERED:
                place = find_tag(text, names, len(self.shown.texts), aliases=self.aliases)
                error = "" if place is None else self._find_contradiction(text, place)
                if place is None or error:
                    place, status = None, Status.INVALID
            self._record(Stage(2, method, str(status), question, text, reply.usage, error))
            if place is not None:
                return self._judgment(self.shown.indices[place], method)
            # The same question again is worth it only after a refusal.
            if status is not Status.REFUSED:
                break
        return None

    def compare(
        self, method: Method = Method.AI_JUDGE, *, or_none: bool = False
    ) -> Judgment | None:
        """Ask once which condition the report fulfills. A tag `[JUDGE:N]` is accepted as well.

        Args:
            method: The method that the judgment names.
            or_none: Whether the report may fulfill none.

        Returns:
            The judgment. None: there is no clear answer, or no condition is fulfilled.
        """
        question = build_comparison(
            self.shown.texts, self.source, or_none=or_none, language=self.language
        )
        return self._ask_json(method, question, EVALUATION_SCHEMA, "matched_index")

    def _ask_json(
        self, method: Method, question: str, schema: Mapping[str, Any], key: str
    ) -> Judgment | None:
        self.check_cancelled()
        # Both comparisons are stage 3; the fallback has the same limit of one call.
        number = _STAGE_NUMBERS.get(method, 3)
        attempts: list[Attempt] = []

        def is_over() -> bool:
            return len(attempts) >= _MAX_CALLS.get(method, 1) or self._is_cancelled()

        try:
            answer = ask_json(
                self.model,
                question,
                schema,
                name=_FORM_NAMES[key],
                cancelled=is_over,
                on_attempt=attempts.append,
            )
        except BaseException:
            # Also Ctrl-C: the calls were made, and cost money.
            for attempt in attempts:
                self._record(_stage(number, method, attempt))
            raise
        stages = [_stage(number, method, attempt) for attempt in attempts]
        index = None
        if stages:
            index, status, error = self._read(answer, stages[-1], schema, key)
            stages[-1] = replace(stages[-1], status=status, error=error)
        for stage in stages:
            self._record(stage)
        if index is None:
            return None
        reason = str((answer.value or {}).get("reason", ""))
        return self._judgment(index, method, reason)

    def _read(
        self, answer: Answer, last: Stage, schema: Mapping[str, Any], key: str
    ) -> tuple[int | None, str, str]:
        """Return the index of the rule that an answer names, and the status and error of the call.

        The index is None if the answer does not name a rule.
        """
        count = len(self.shown.texts)
        if answer.value is None:
            place = None
            # In stage 1 a tag is not read, because stage 2 asks for one.
            if last.stage == 3 and last.status == Status.INVALID:
                place = find_tag(last.response, [JUDGE], count, aliases=())
            if place is None:
                return None, last.status, last.error
            error = self._find_contradiction(last.response, place)
            if error:
                return None, last.status, error
            return self.shown.indices[place], str(Status.ANSWERED), ""
        if _is_doubtful(last.response, schema, key, count):
            error = "it is not clear which of its objects is the answer"
            return None, str(Status.INVALID), error
        index = self.shown.index(answer.value.get(key))
        if index is None:
            return None, "out_of_range", f"{key} is {answer.value.get(key)}"
        error = self._find_contradiction(last.response, answer.value[key] - 1)
        if error:
            return None, str(Status.INVALID), error
        return index, str(Status.ANSWERED), ""

    def _find_contradiction(self, text: str, place: int) -> str:
        """Return why the object and the tag of a reply contradict each other; empty if they do not.

        `place` is the index of the rule that the reply was read as, among the rules that are shown.
        """
        outside, reason = text, ""
        numbers = [place + 1]
        for schema in (JUDGMENT_SCHEMA, EVALUATION_SCHEMA):
            answer = extract_json(text, schema)
            if answer.value is not None and answer.span is not None:
                numbers.append(answer.value[schema["required"][0]])
                reason = str(answer.value["reason"])
                outside = text[: answer.span.start] + text[answer.span.end :]
        # A tag in the reason is as much a verdict as one beside the object.
        names = [tag_name(self.step), JUDGE]
        for part in (outside, reason):
            tagged = find_tag(part, names, len(self.shown.texts), aliases=self.aliases)
            if tagged is not None:
                numbers.append(tagged + 1)
        if len(set(numbers)) == 1:
            return ""
        rules = " and ".join(str(number) for number in dict.fromkeys(numbers))
        return f"its object and its tag contradict each other: they name the rules {rules}"

    def _generate(self, question: str) -> tuple[Status, str, Reply, str]:
        """Return the status of a reply, its text, the reply, and the error of the call."""
        try:
            reply = self.model.generate((Message("user", question),))
        except ModelError as error:
            reply = error.partial or Reply("")
            return Status.FAILED, reply.text, reply, str(error)
        except BaseException as error:
            message = f"{type(error).__name__}: {error}"
            method = Method.PHASE3_TAG
            self._record(Stage(2, method, str(Status.FAILED), question, "", None, message))
            raise
        return _read_status(reply), reply.text, reply, ""

    def _judgment(self, index: int, method: Method, reason: str = "") -> Judgment:
        tag = write_tag(self.step, index + 1)
        return Judgment(index, method, tag, reason, tuple(self.stages))

    def _record(self, stage: Stage) -> None:
        self.stages.append(stage)
        if self.on_stage is not None:
            self.on_stage(stage)

    def _is_cancelled(self) -> bool:
        return self.cancelled is not None and bool(self.cancelled())

    def check_cancelled(self) -> None:
        """Stop if the run was cancelled.

        Raises:
            JudgmentCancelled: It was.
        """
        if self._is_cancelled():
            raise JudgmentCancelled(f"the judgment of {self.step} was cancelled", self.stages)


def _stage(number: int, method: Method, attempt: Attempt) -> Stage:
    """Return the record of one attempt of `ask_json`."""
    instruction = "\n\n".join(message.content for message in attempt.instruction)
    error = attempt.error
    # The diagnostics of an attempt that succeeded are about repairs.
    if not error and attempt.status is not Status.ANSWERED:
        error = "; ".join(diagnostic.message for diagnostic in attempt.diagnostics)
    status = str(attempt.status)
    return Stage(number, method, status, instruction, attempt.response, attempt.usage, error)


def _read_status(reply: Reply) -> Status:
    if reply.finish.declined:
        return Status.REFUSED
    if reply.finish.cut_off:
        # Half a list of tags ends with a tag that would count.
        return Status.CUT_OFF
    if not reply.text.strip():
        return Status.EMPTY
    return Status.ANSWERED


def _is_doubtful(text: str, schema: Mapping[str, Any], key: str, count: int) -> bool:
    """Return whether the last object of a reply with several objects may be only an example.

    It may be one if an earlier object has another number and the text between the two supposes
    something, or if there is one object for each of `count` rules in turn.
    """
    numbers: list[object] = []
    gaps = []
    # From the last object to the first. One more than there are rules is enough.
    while len(numbers) <= count:
        answer = extract_json(text, schema)
        if answer.value is None or answer.span is None:
            break
        if numbers:
            gaps.append(text[answer.span.end :])
        numbers.append(answer.value.get(key))
        text = text[: answer.span.start]
    if len(set(numbers)) < 2:
        return False
    has_prose = any(gap.strip(" \t\r\n,;") for gap in gaps)
    is_listing = numbers == list(range(count, 0, -1)) and not has_prose
    return supposes(gaps[0]) or is_listing
