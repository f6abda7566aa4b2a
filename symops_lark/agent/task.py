"""A task: the request, its folder and its limits. A wrong one is refused before it begins."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..acting.commands.commands import Runner
from ..acting.files.paths import check_path
from ..acting.plan.policy import Policy
from ..answers.conditions import read_condition
from ..answers.judgment import End, Rule, RulesError, RulesFile, Step, as_rule, tag_name
from ..answers.judgment.rules_file import RUN_FACTS
from ..code_intelligence import IntentType
from ..code_intelligence.requests.frame import SLOTS
from ..core.grammar.loading import load_dialect
from ..core.ground.errors import SymOpsError
from ..core.ground.json_objects import coerce_fields, read_object, write_object
from ..core.ground.numbers import counted
from ..routing.contests.contest import Judging

MAX_REQUEST = 20_000  # characters, as a session of code intelligence takes
MAX_ROUNDS = 10  # more rounds have never helped: the same model repeats itself
WRONG = "wrong task: "  # before every message about a field
MAX_LIMIT = 1_000_000_000  # 31 years; waiting for much longer overflows
STEP = "fix"  # the step of rules that are given without a file
EXPLORERS = ("deterministic", "model")
# Without tests no run is complete: hence `total > 0`.
DEFAULT_RULES = (
    Rule("all tests pass", End.COMPLETE, when="failed == 0 and total > 0"),
    Rule("a test fails", STEP, when="failed > 0"),
)
# Fields that are no JSON, may be given in several ways, or have their own messages.
_CHECKED_APART = ("verifier", "rules", "frame")
GivenRules = Sequence[Rule | Mapping[str, Any] | str] | RulesFile | None


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one process may spend on a run.

    Attributes:
        seconds: Seconds, after which no step begins, and tests that run are ended. Besides, each
            command line of the tests has 120 s at most. As all three, at most 1,000,000,000.
        tokens: Tokens that models read and write, after which no model is asked. Steps that ask
            none are still done.
        calls: Calls to models, in the same way.
    """

    seconds: float = 900
    tokens: int = 200_000
    calls: int = 40

    def __post_init__(self) -> None:
        names = ("seconds", "tokens", "calls")
        coerce_fields(self, names, "limits")
        # Not NaN and not infinity, which no JSON has.
        if not all(0 < getattr(self, name) <= MAX_LIMIT for name in names):
            raise SymOpsError(
                f"limits: seconds, tokens and calls are more than 0, and {MAX_LIMIT:,} at most"
            )


@dataclass(frozen=True, slots=True)
class Task:
    """A change that is asked for.

    Attributes:
        request: The request, 1 to 20,000 characters.
        root: The folder.
        intent: IMPLEMENT or MODIFY; INVESTIGATE and QUESTION are answered and never written. None:
            the words of the request say which of the first two.
        frame: The slots of a client, `{slot: {"value": …, "quote": …}}`. None: those of the
            decomposer, or the raw request alone.
        explore: "deterministic", or "model".
        format: The dialect that candidates write.
        context_tokens: The most tokens of the message that shows the code.
        tests: Command lines that pass or fail. They are the caller's, never a model's: a reply that
            changes a file that they use is asked about, and wins only where all that pass do that.
        needs: Ignored folders that the tests need, such as `node_modules`; linked, not copied.
        verifier: Judges replies besides the own checks, over every manifest. None: no further one.
        rules: What the results of the tests lead to; each `next` is a step of the rules or an end.
            None: all tests pass, or another round.
        step: The first step of the rules. None: their only one.
        rounds: The most rounds, 1 to 10.
        write: Whether files are written. If not, the plan is the end.
        policy: What is written without a question.
        level: How strict the gate is, "auto" or "strict".
        limits: The most that it may cost.
        run_code: Whether tests decide between candidates also where there is no sandbox: then what
            every model has written runs with all rights of this process.
        keep_prompts: Whether the log has the prompts. If not, it has their hashes, and the lines
            of files that they show.
    """

    request: str
    root: str = "."
    intent: str | None = None
    frame: Mapping[str, Any] | None = None
    explore: str = EXPLORERS[0]
    format: str = "v2"
    context_tokens: int = 8_000
    tests: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    verifier: Judging | None = None
    rules: GivenRules = None
    step: str | None = None
    rounds: int = 3
    write: bool = False
    policy: Policy = field(default_factory=Policy)
    level: str = "auto"
    limits: Limits = field(default_factory=Limits)
    run_code: bool = False
    keep_prompts: bool = False

    def __post_init__(self) -> None:
        self._coerce()
        _expect(bool(self.request.strip()), "request: it is empty")
        size = counted(len(self.request), "character")
        _expect(
            len(self.request) <= MAX_REQUEST,
            f"request: it has {size}, at most {MAX_REQUEST:,} are read",
        )
        _expect(
            1 <= self.rounds <= MAX_ROUNDS, f"rounds: expected 1 to {MAX_ROUNDS}, got {self.rounds}"
        )
        _expect(
            self.explore in EXPLORERS,
            f"explore: expected one of {', '.join(EXPLORERS)}, got {self.explore!r}",
        )
        _expect(
            self.context_tokens > 0,
            f"context_tokens: expected 1 or more, got {self.context_tokens}",
        )
        _expect(
            self.level in ("auto", "strict"), f"level: expected auto or strict, got {self.level!r}"
        )
        _expect("\0" not in self.root, "root: it cannot be the name of a folder")
        if self.intent is not None:
            object.__setattr__(self, "intent", str(IntentType.read(self.intent)))
        for line in self.tests:
            try:
                Runner().prepare(line, self.root)
            except SymOpsError as error:
                raise SymOpsError(f"{WRONG}tests: {error}") from None
        for path in self.needs:
            # Found here, and not by the first test of a reply that is paid for.
            refusal = check_path(path).refusal
            _expect(not refusal, f"needs: {path}: {refusal}")
        if self.frame is not None:
            _check_frame(self.frame)
        _expect(
            self.verifier is None or callable(getattr(self.verifier, "judge", None)),
            "verifier: an object with a method `judge` is expected",
        )
        load_dialect(self.format)
        object.__setattr__(self, "rules", read_rules(self.rules, self.step))
        _check_rules(self.rules_file, self.step)

    def _coerce(self) -> None:
        """Give each field that JSON has its type; paths may be `Path`s, and lists any iterable."""
        for name in ("root", "format"):
            value = getattr(self, name)
            if isinstance(value, os.PathLike):
                object.__setattr__(self, name, os.fspath(value))
        for name in ("tests", "needs"):
            value = getattr(self, name)
            # A text, bytes or an object is no list of lines: refused below, as in JSON.
            if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
                items = [os.fspath(i) if isinstance(i, os.PathLike) else i for i in value]
                object.__setattr__(self, name, tuple(items))
        names = [name for name in type(self).__dataclass_fields__ if name not in _CHECKED_APART]
        try:
            coerce_fields(self, names)
        except (TypeError, ValueError) as error:  # of a policy, which has its own kinds of errors
            raise SymOpsError(f"{WRONG}{error}") from None

    @property
    def rules_file(self) -> RulesFile:
        """The rules with their steps, also where they were given as a list or not at all."""
        assert self.rules is None or isinstance(self.rules, RulesFile)
        return self.rules or RulesFile((Step(STEP, DEFAULT_RULES),))

    @property
    def writes(self) -> bool:
        """Whether the request asks for a change of files."""
        return self.intent is None or IntentType.read(self.intent).writes

    def to_dict(self) -> dict[str, Any]:
        """Return the task as a JSON object; a verifier is an object of the caller, and left out."""
        names = [name for name in Task.__dataclass_fields__ if name != "verifier"]
        return write_object(replace(self, verifier=None), *names)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], verifier: Judging | None = None) -> Task:
        """Return the task that `to_dict` wrote.

        Args:
            data: The JSON object.
            verifier: The verifier, which the JSON does not have.

        Raises:
            SymOpsError: A member is missing or wrong.
        """
        is_object = isinstance(data, Mapping)
        _expect(is_object and "request" in data, "request: missing: expected a string")
        names = [name for name in cls.__dataclass_fields__ if name != "verifier"]
        members = {name: data[name] for name in names if name in data}
        return cls(**members, verifier=verifier)


def read_rules(rules: GivenRules | Mapping[str, Any], step: str | None = None) -> RulesFile | None:
    """Return rules as a file has them.

    Args:
        rules: A file or its JSON object, or the rules of one step.
        step: The name of that step. None: "fix".

    Raises:
        SymOpsError: A rule is wrong.
    """
    if rules is None or isinstance(rules, RulesFile):
        return rules
    if isinstance(rules, Mapping):
        return read_object(RulesFile, rules, "rules")
    is_list = isinstance(rules, Sequence) and not isinstance(rules, str | bytes)
    _expect(is_list, "rules: a list of rules is expected")
    return RulesFile((Step(step or STEP, tuple(map(as_rule, rules))),))


def _check_rules(rules: RulesFile, first: str | None) -> None:
    """Raise an error for rules that would end a run in its middle, when files are written."""
    facts = dict.fromkeys(RUN_FACTS, 0)
    steps = [rules.find(first)]
    # Steps that no run reaches may be of another program, which has other facts.
    for step in steps:
        tag_name(step.name)
        _expect(bool(step.rules), f"rules: at least one rule is needed ({step.name})")
        for rule in step.rules:
            try:
                following = rules.follow(step.name, rule.next)
            except RulesError as error:
                ends = ", ".join(End)
                raise SymOpsError(f"{WRONG}rules: next: {error}, {ends}") from None
            if isinstance(following, Step) and following not in steps:
                steps.append(following)
            if rule.when is not None:
                # By their kinds, too: no fact of a run is a text.
                read_condition(rule.when, facts).holds(facts)


def _check_frame(frame: Mapping[str, Any]) -> None:
    """Raise an error if a frame has not its form; what it says is for the session to judge."""
    names = ", ".join(SLOTS)
    _expect(isinstance(frame, Mapping), f"frame: expected an object with {names}")
    for slot, value in frame.items():
        _expect(slot in SLOTS, f"frame: unknown slot {slot!r}: expected {names}")
        is_object = isinstance(value, Mapping | str | None)
        _expect(is_object, f"frame.{slot}: expected {{value, quote}}, got {value!r}")
    try:
        json.dumps(frame, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise SymOpsError(f"{WRONG}frame: it is not JSON: {error}") from None


def _expect(is_right: bool, message: str) -> None:
    if not is_right:
        raise SymOpsError(f"{WRONG}{message}")
