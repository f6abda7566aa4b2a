"""The simulated writer as a source: pairs across formats, a model that can be asked again, what is known of a reply."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from symops_lark.core.document import Action, Document, Thought
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.core.processor import SymOpsProcessor
from symops_lark.core.replies.messages import Finish, Message, ModelError, Reply
from symops_lark.lab.benchmark.faults.profile import Profile, Rate, load_profile
from symops_lark.lab.benchmark.fidelity import State, assess
from symops_lark.lab.benchmark.formats import Format, load_format
from symops_lark.lab.benchmark.records import Case, Record, plain
from symops_lark.lab.benchmark.scoring import judge
from symops_lark.lab.benchmark.settings import RunSettings
from symops_lark.lab.benchmark.sources import Given, load_source
from symops_lark.lab.benchmark.sources.simulated import Simulated
from symops_lark.lab.benchmark.tasks import Task, load_tasks
from symops_lark.lab.measuring.intervals import exact_interval
from symops_lark.models.correction import Mode, SelfCorrector
from symops_lark.models.correction.messages import ask_to_go_on
from symops_lark.models.scripted import ScriptedModel

CODE = "import os\n\n\ndef f(name):\n    path = os.path.join('a', name)\n    return path\n\n\nprint(f(1))\nprint(f(2))"
FILES = Document(
    (
        Thought("Two files."),
        Action("create", "a.py", CODE),
        Action("create", "b.py", CODE + "\nx = 1"),
        Action("run", "python a.py"),
    )
)
SQL = Document((Action("create", "a.sql", "-- first\nSELECT 1;\n--\n-- second\nSELECT 2;"), Action("run", "make")))
TASK = Task("files", "Write two files.", FILES, True, ("python",), (), "files")
COLLIDING = Task("sql", "Write SQL.", SQL, True, ("sql",), ("collides",), "sql")


@pytest.fixture(scope="module")
def formats() -> tuple[Format, Format]:
    return load_format("v1"), load_format("v2")


def profile(again: tuple[float, ...] = (), **rates: float) -> Profile:
    result = tuple(Rate(kind.replace("_", "-"), value, "assumed", "a test") for kind, value in rates.items())
    return Profile("test", "A test.", result, again)


def give(format: Format, source: Simulated, task: Task = TASK, repetition: int = 0) -> Given:
    return source.give(Case(format.name, task.name, repetition), format, task)


def final(format: Format, given: Given) -> tuple[str, State, bool]:
    assert given.expected is not None
    last = list(format.read(given.reply, given.messages, given.model))[-1]
    document = last.document if last.accepted else None
    state = assess(given.expected, document, last.diagnostics, confidence=last.confidence).state
    return last.phase, state, last.accepted


def test_without_mistakes_replies_are_exact_and_say_so(formats: tuple[Format, Format]) -> None:
    for format in formats:
        inputs = give(format, Simulated(profile()))
        assert (inputs.faults, inputs.touched, inputs.reply.finish) == ((), frozenset(), Finish.STOP)
        assert final(format, inputs) == ("strict", State.RIGHT, True)
        assert format.harms(inputs.reply.text) == ""
        assert inputs.messages == format.teach(TASK.request)


@pytest.mark.slow
def test_formats_are_given_the_same_kinds_of_mistakes(formats: tuple[Format, Format]) -> None:
    source = Simulated(load_profile("weak").scaled(0, "swapped-delimiters"), 3)
    differing = 0
    for number in range(60):
        first, second = (give(format, source, repetition=number) for format in formats)
        assert first.faults is not None and second.faults is not None
        drawn = source.draw(Case("v1", TASK.name, number))
        assert set(first.faults) <= set(drawn) >= set(second.faults)
        differing += set(first.faults) != set(second.faults)
    assert differing < 10  # where a mistake has no place in one of them


def test_line_endings_are_drawn_by_case_and_not_by_format(formats: tuple[Format, Format]) -> None:
    counts: Counter[str] = Counter()
    for number in range(60):
        kinds = set()
        for format in formats:
            text = give(format, Simulated(profile()), repetition=number).reply.text
            both = text.count("\r\n"), text.count("\n")
            kinds.add("LF" if not both[0] else "CRLF" if both[0] == both[1] else "mixed")
        assert len(kinds) == 1
        counts.update(kinds)
    assert set(counts) == {"LF", "CRLF", "mixed"} and min(counts.values()) >= 10


@pytest.mark.slow
def test_a_case_is_the_same_in_any_order_and_in_a_new_source(formats: tuple[Format, Format]) -> None:
    simulated, other_simulated = Simulated("weak", 7), Simulated("weak", 7)
    cases = list(simulated.cases(formats, (TASK, COLLIDING), 3))
    assert len(cases) == len(set(cases)) == 12
    tasks, by_name = {"files": TASK, "sql": COLLIDING}, {format.name: format for format in formats}

    def text(source: Simulated, case: Case) -> str:
        return source.give(case, by_name[case.format], tasks[case.task]).reply.text

    assert [text(simulated, case) for case in cases] == [text(other_simulated, case) for case in reversed(cases)][::-1]
    assert [text(simulated, case) for case in cases] != [text(Simulated("weak", 8), case) for case in cases]


def test_provenance_tells_profile_seed_and_hash() -> None:
    source = Simulated("spec72", 5)
    assert str(source.provenance) == f"simulated(spec72, 5, {load_profile('spec72').hash}, 54 of 57 rates assumed)"


def test_a_run_finds_the_source_by_its_name() -> None:
    source = load_source(RunSettings(source="faults", options=(("profile", "weak"),), seed=4))
    assert source.provenance == Simulated("weak", 4).provenance
    assert dict(load_source(RunSettings(source="faults")).provenance.detail)["profile"] == "mid"
    with pytest.raises(SymOpsError, match="did you mean 'weak'"):
        load_source(RunSettings(source="faults", options=(("profile", "week"),)))


def test_a_task_that_a_format_cannot_carry_is_a_collision(formats: tuple[Format, Format]) -> None:
    first, second = (give(format, Simulated(profile()), COLLIDING) for format in formats)
    assert (first.faults, first.touched) == (("content-collision",), frozenset({0}))
    assert (second.faults, second.touched) == ((), frozenset())
    assert first.expected is not None
    assert [plain(text or "") for text in first.expected[0].contents] == [SQL.actions[0].content]


def test_a_reply_needs_a_task(formats: tuple[Format, Format]) -> None:
    with pytest.raises(ModelError, match="must know what is right"):
        Simulated("mid").give(Case("v2", "gone"), formats[1], None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["json", "yaml", "markdown"])
def test_formats_that_are_no_dialects_get_what_has_a_place_in_them(name: str) -> None:
    format, weak = load_format(name), load_profile("weak")
    source = Simulated(replace(weak, rates=tuple(replace(rate, value=0.1) for rate in weak.rates)), 1)
    texts: set[str] = set()
    for number in range(60):
        inputs = give(format, source, repetition=number)
        assert inputs.faults is not None and set(inputs.faults) <= set(source.draw(Case(name, TASK.name, number)))
        texts |= set(inputs.faults)
    assert {"preamble-prose", "whole-fence-wrap", "truncate-at-token", "lazy-elision", "repeat-loop"} <= texts
    assert texts.isdisjoint({"sigil-spacing", "v1-v2-mix", "tag-spelling"})
    assert final(format, give(format, Simulated(profile())))[1] is State.RIGHT
    own = [give(format, Simulated(profile(foreign_format=1.0), seed)).reply.text for seed in range(8)]
    assert not any(
        final(format, Given(Reply(text), expected=tuple(format.draft(FILES).expected)))[1] is State.RIGHT
        for text in own
    )


# ---- asked again

ASKED = (Message("user", "Write."), Message("assistant", "x"), Message("user", "Your reply could not be read."))


@pytest.mark.slow
def test_asked_again_it_succeeds_as_often_as_the_profile_says(formats: tuple[Format, Format]) -> None:
    source = Simulated(profile((0.44, 0.26), foreign_format=1.0))
    right = [0, 0, 0]
    for number in range(200):
        inputs = give(formats[1], source, repetition=number)
        assert inputs.model is not None and inputs.faults == ("foreign-format",)
        faultless = formats[1].draft(FILES).text()
        for attempt in range(3):
            right[attempt] += plain(inputs.model.generate(ASKED).text) == faultless
    assert abs(right[0] - 88) < 28 and abs(right[1] - 52) < 25 and right[2] == 0


@pytest.mark.slow
def test_asked_again_it_says_the_same_in_every_run_and_from_every_thread(formats: tuple[Format, Format]) -> None:
    source = Simulated(replace(load_profile("weak"), again=(0.3, 0.3)), 2)

    def conversation(number: int) -> list[str]:
        inputs = give(formats[1], source, repetition=number)
        assert inputs.model is not None
        return [inputs.reply.text, *(inputs.model.generate(ASKED).text for _ in range(3))]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(conversation, range(20))) == list(map(conversation, range(20)))


def test_an_answer_that_fails_has_a_mistake_and_means_what_the_first_reply_meant(
    formats: tuple[Format, Format],
) -> None:
    source, cut = Simulated(profile((), preamble_prose=1.0, lazy_elision=1.0, truncate_at_token=1.0)), 0
    for number in range(10):
        inputs = give(formats[1], source, repetition=number)
        assert inputs.model is not None and inputs.expected is not None
        answer = inputs.model.generate(ASKED)
        assert answer.finish is Finish.STOP and not answer.text.startswith(">>")  # prose, and nothing is cut off
        attempts = list(formats[1].read(answer))
        assert not attempts[0].accepted
        assert assess(inputs.expected, attempts[-1].document, attempts[-1].diagnostics).state is State.RIGHT
        cut += inputs.reply.finish is Finish.LENGTH
    assert cut


def test_left_out_code_stays_left_out_when_asked_again(formats: tuple[Format, Format]) -> None:
    inputs = give(formats[1], Simulated(profile((1.0,), lazy_elision=1.0)))
    assert inputs.model is not None and inputs.expected is not None
    attempt = next(formats[1].read(inputs.model.generate(ASKED)))
    assert attempt.document is not None and attempt.document.actions != FILES.actions
    assert assess(inputs.expected, attempt.document).state is State.RIGHT


def test_cut_off_replies_say_so_and_go_on_to_the_end(formats: tuple[Format, Format]) -> None:
    source, whole_count = Simulated(profile(truncate_at_token=1.0)), 0
    for number in range(25):
        for format in formats:
            inputs = give(format, source, repetition=number)
            assert inputs.reply.finish is Finish.LENGTH and inputs.faults == ("truncate-at-token",)
            phase, state, accepted = final(format, inputs)
            assert (phase, accepted) == ("corrected", True)
            whole_count += state is State.RIGHT
    assert whole_count >= 45


def test_going_on_repeats_the_last_lines_and_gives_the_rest(formats: tuple[Format, Format]) -> None:
    inputs = give(formats[1], Simulated(profile(truncate_at_token=1.0)), repetition=1)
    text, full = inputs.reply.text, formats[1].draft(FILES).text()
    assert full.startswith(plain(text)) and plain(text) != full and inputs.model is not None
    turns = (Message("user", "Write."), Message("assistant", text), Message("user", ask_to_go_on(text)))
    answer = inputs.model.generate(turns)
    assert answer.finish is Finish.STOP and full.endswith(plain(answer.text))
    assert text[-10:] in answer.text and len(plain(answer.text)) > len(full) - len(plain(text))


def test_a_loop_never_ends_however_often_it_goes_on(formats: tuple[Format, Format]) -> None:
    inputs = give(formats[1], Simulated(profile((1.0,), repeat_loop=1.0)), repetition=2)
    assert inputs.reply.finish is Finish.LENGTH and inputs.model is not None
    text = inputs.reply.text
    for _ in range(3):
        turns = (Message("assistant", text), Message("user", ask_to_go_on(text)))
        assert inputs.model.generate(turns).finish is Finish.LENGTH


def test_the_corrector_gets_what_it_asks_for_in_either_mode(formats: tuple[Format, Format]) -> None:
    source = Simulated(profile((1.0,), foreign_tags=1.0, fence_inside_block=0.2, missing_sigil=0.5))
    for mode in Mode:
        exact = 0
        for number in range(12):
            inputs = give(formats[1], source, repetition=number)
            assert inputs.model is not None and inputs.expected is not None
            corrector = SelfCorrector(inputs.model, mode, least_confidence=0.99)
            result = SymOpsProcessor("v2", corrector=corrector).process(inputs.reply, inputs.messages)
            exact += assess(inputs.expected, result.document, result.diagnostics).state is State.RIGHT
        assert exact >= 11


@pytest.mark.parametrize("error", [StopIteration(), KeyError("x"), ModelError("busy")])
def test_a_writer_that_fails_says_nothing_about_the_format(formats: tuple[Format, Format], error: Exception) -> None:
    def fail(messages: tuple[Message, ...]) -> Reply:
        raise error

    source = Simulated(profile((1.0,), truncate_at_token=1.0), 8)
    given = replace(give(formats[1], source), model=ScriptedModel([fail] * 9))
    blank = Record(
        "key", "request", Case("v2", TASK.name, 0), source.provenance, formats[1].fingerprint, formats[1].rules, 1
    )
    record = judge(formats[1], given, blank, FILES)
    assert record.error.startswith("asked again, and no reply came: ") and record.phases == ()


def test_its_replies_are_judged_like_any(formats: tuple[Format, Format]) -> None:
    source = Simulated(profile((1.0,), missing_close_middle=1.0), 1)
    case = Case("v2", TASK.name, 0)
    blank = Record("key", "request", case, source.provenance, formats[1].fingerprint, formats[1].rules, 1)
    record = judge(formats[1], replace(give(formats[1], source), model=None), blank, FILES)
    assert record.faults == ("missing-close-middle",) and record.final is not None
    assert record.final.state == "right" and record.cascade is False and record.harmless is None
    clean = judge(formats[1], give(formats[1], Simulated(profile())), blank, FILES)
    assert clean.harmless is True and clean.faults == ()
    cut = Simulated(profile((1.0,), truncate_at_token=1.0), 8)  # before its first action
    assumed = judge(formats[1], give(formats[1], cut), blank, FILES)
    assert assumed.phases[-1].state == "right" and assumed.final == assumed.phases[-2] != assumed.phases[-1]
    assert assumed.final.state != "right"
    assert Record.from_dict(json.loads(json.dumps(record.to_dict()))).to_dict() == record.to_dict()


@pytest.mark.slow
def test_the_source_documents_writer_is_strictly_valid_in_72_percent(formats: tuple[Format, Format]) -> None:
    v1, source = formats[0], Simulated("spec72")
    tasks = [task for task in load_tasks() if not v1.refuse(task.document)]
    items = [give(v1, source, task, repetition) for task in tasks for repetition in range(10)]
    assert len(items) > 300
    valid = sum(next(iter(v1.read(reply.reply))).accepted for reply in items)
    low, high = exact_interval(valid, len(items))
    assert low < 0.72 < high and high - low < 0.1
