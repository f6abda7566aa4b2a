"""The mistakes of a writer: drawn at their rates, the same for all formats and on all machines, fairly expected."""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from dataclasses import replace

import pytest

from symops_lark import ProtocolError, SymOpsProcessor, process
from symops_lark.core.document import Question, Thought
from symops_lark.core.grammar.loading import dialects
from symops_lark.core.replies.messages import Finish, Reply
from symops_lark.lab.benchmark.faults.dialects import load
from symops_lark.lab.benchmark.faults.documents import Action, Document, draw_documents
from symops_lark.lab.benchmark.faults.draws import Damaged, draw_kinds, draw_some, end_lines, make
from symops_lark.lab.benchmark.faults.endings import NAMES, Endings, draw_endings
from symops_lark.lab.benchmark.faults.kinds import load_kinds
from symops_lark.lab.benchmark.faults.mistakes import REGISTRY, Draft, Expected, apply_mistakes
from symops_lark.lab.benchmark.faults.profile import load_profile
from symops_lark.lab.benchmark.fidelity import State, assess

GOLDEN = "b12fd8a7bc3d2c8effa9dd43066359877cb285e78d32998a5de0ba6b8ca7df67"
NEVER = {  # kinds that a dialect has no place for
    "v1": {"swapped-delimiters", "tag-spelling", "tag-order"},  # its delimiters are the same
    "v2": {"tag-spelling", "tag-order"},
    "plain": {"dependency-arrow", "head-over-lines", "remark-in-head", "missing-delimiters"},  # a line for each part
}
OF_ACTIONS = ("missing-path", "missing-delimiters", "swapped-delimiters", "lazy-elision", "head-over-lines")
WEAK = load_profile("weak")
FILES = Document(
    (
        Thought("Three files."),
        Action("create", "a.py", "import os\n\n\ndef f():\n    name = 'a'\n    return name\n\n\nprint(f())", ("b.py",)),
        Action("create", "b.py", "one = 1\ntwo = 2\nthree = 3\nfour = 4\nfive = 5\nsix = 6\nseven = 7\neight = 8"),
        Action("create", "c.py", "x = 1\ny = 2\nz = 3\nw = 4"),
    )
)


def state(dialect: str, damaged: Damaged) -> State:
    reply = Reply(damaged.text, Finish.LENGTH if damaged.cut else Finish.STOP)
    try:
        result = SymOpsProcessor(load(dialect).format).process(reply)
    except ProtocolError:
        return assess(damaged.expected, None).state
    document = result.document if result.valid else None
    return assess(damaged.expected, document, result.diagnostics, confidence=result.confidence).state


def only(name: str, dialect: str = "v2", document: Document = FILES, seed: str = "1") -> Draft:
    """Make one mistake by its name."""
    draft = apply_mistakes(Draft.of(document, load(dialect)), [REGISTRY[name]], random.Random(seed))
    assert draft is not None
    return draft


@pytest.mark.slow
def test_same_seed_gives_the_same_bytes() -> None:
    digest = hashlib.sha256()
    for dialect in ("v1", "v2", "plain"):
        for number, document in enumerate(draw_documents(100, 5, load(dialect))):
            created = make(Draft.of(document, load(dialect)), draw_kinds(WEAK, f"5/{number}"), f"5/{number}")
            damaged = end_lines(created, draw_endings(f"5/{number}"), foreign=False)
            digest.update(repr((damaged.kinds, damaged.functions, sorted(damaged.touched))).encode())
            digest.update(damaged.text.encode("utf-8", "surrogatepass"))
    assert digest.hexdigest() == GOLDEN


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dialect", ["v1", "v2", "plain"])
def test_contents_are_asked_for_with_the_endings_that_they_have_in_the_reply(dialect: str, name: str) -> None:
    for number, document in enumerate(draw_documents(20, 3, load(dialect))):
        endings = Endings(name, f"{number}")
        kinds = ("quoted-reply",) if number % 2 else ()
        created = make(Draft.of(document, load(dialect)), kinds, f"{number}")
        damaged = end_lines(created, endings, foreign=False)
        assert damaged.text.replace("\r\n", "\n") == created.text.replace("\r\n", "\n")
        sub = re.sub(r"(?m)^> ?", "", damaged.text) if kinds else damaged.text
        assert all((item.contents[0] or "") in sub for item in damaged.expected)
        assert ("\r\n" in damaged.text) is (name != "LF") or "\r\n" in created.text


def test_contents_in_escapes_and_those_of_other_formats_need_not_end_as_the_reply_does() -> None:
    escaped = Endings("CRLF").expect('"a\\nb"', [Expected("create", "a.py", ("a\nb",), ())])
    assert escaped[0].contents == ("a\nb",)
    (foreign,) = Endings("CRLF").expect("- |\n  a\n  b\n", [Expected("create", "a.py", ("a\nb",), ())], foreign=True)
    assert foreign.contents == ("a\r\nb", "a\nb")


@pytest.mark.slow
def test_rates_are_honoured() -> None:
    n, result = 2000, Counter[str]()
    for number in range(n):
        result.update(draw_kinds(WEAK, f"rates/{number}"))
    for rate in WEAK.rates:
        deviation = (n * rate.value * (1 - rate.value)) ** 0.5
        assert abs(result[rate.kind] - n * rate.value) <= 4 * deviation + 1, rate.kind


@pytest.mark.slow
def test_a_higher_rate_only_adds_mistakes() -> None:
    mid, scaled = load_profile("mid"), load_profile("mid").scaled(2)
    for number in range(200):
        assert set(draw_kinds(mid, f"{number}")) <= set(draw_kinds(scaled, f"{number}"))
    alone = mid.scaled(0, "preamble-prose")
    for number in range(200):
        assert set(draw_kinds(mid, f"{number}")) - {"preamble-prose"} == set(draw_kinds(alone, f"{number}"))


def test_some_is_at_least_one_unless_the_writer_never_errs() -> None:
    frontier = load_profile("frontier")
    assert all(draw_some(frontier, f"{number}") for number in range(100))
    assert draw_some(replace(frontier, rates=()), "1") == ()


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["v1", "v2", "plain"])
def test_every_kind_can_be_made(dialect: str) -> None:
    missing = set(load_kinds())
    for number, document in enumerate(draw_documents(60, 1, load(dialect))):
        draft = Draft.of(document, load(dialect))
        missing -= {kind for kind in missing if make(draft, (kind,), f"{number}").kinds}
    assert missing == NEVER[dialect]


@pytest.mark.parametrize("dialect", sorted(dialects()))
def test_without_mistakes_everything_is_exact_and_untouched(dialect: str) -> None:
    for number, document in enumerate(draw_documents(5, 3, load(dialect))):
        damaged = make(Draft.of(document, load(dialect)), (), f"{number}")
        assert (damaged.kinds, damaged.touched, damaged.cut) == ((), frozenset(), False)
        assert state(dialect, damaged) is State.RIGHT


@pytest.mark.parametrize("dialect", ["v1", "v2", "plain"])
@pytest.mark.parametrize(
    "sections", [(), (Question("Which?", ("a", "b")),), (Thought("one two three four five six seven"),)], ids=len
)
def test_mistakes_decline_where_there_are_no_actions(sections: tuple[Question | Thought, ...], dialect: str) -> None:
    """What needs an action is not made, and what can be made around everything else means no action."""
    kinds = load_kinds()
    of_actions = {name for kind in OF_ACTIONS for name in kinds[kind].made_by}
    declined = set()
    for name, mistake in REGISTRY.items():
        for seed in range(2):
            draft = apply_mistakes(
                Draft.of(Document(sections), load(dialect)), [mistake], random.Random(f"{name}/{seed}")
            )
            assert draft is None or not draft.expected, name
            declined |= {name} if draft is None else set()
    assert of_actions <= declined


def test_kinds_that_do_not_apply_are_left_out_and_others_stand_in() -> None:
    draft = Draft.of(Document((Action("run", "make"),)), load("v2"))
    assert make(draft, ("missing-path", "lazy-elision", "vitals-variant"), "1").kinds == ()
    created = make(draft, ("missing-path", "preamble-prose"), "1")
    assert created.kinds == ("preamble-prose",) and created.functions[0] in load_kinds()["preamble-prose"].made_by
    # of sigils only those of the head can be missing where there is no block: `all-marks-missing` gives way
    assert {make(draft, ("missing-sigil",), f"{n}").functions[0] for n in range(30)} == {
        "mark-missing",
        "at-missing",
        "mark-shortened",
    }


def test_kinds_are_made_in_the_order_of_their_stages() -> None:
    draft = Draft.of(FILES, load("v2"))
    created = make(draft, ("truncate-at-token", "missing-sigil", "preamble-prose", "trailing-ws"), "4")
    stages = [REGISTRY[name].stage for name in created.functions]
    assert stages == sorted(stages) and created.cut


def test_what_is_kept_expected_keeps_mistakes_out_that_change_it() -> None:
    draft = Draft.of(FILES, load("v2"))
    for number in range(20):
        created = make(draft, ("lazy-elision", "truncate-at-token", "preamble-prose"), f"{number}", keep=True)
        assert created.kinds == ("preamble-prose",) and list(created.expected) == draft.expected


# ---- what the new mistakes expect


def test_left_out_code_is_meant_as_it_is_written() -> None:
    draft = only("lazy-elision")
    changed = [i for i in draft.actions if draft.expected[i].contents != (FILES.actions[i].content,)]
    assert changed
    for i in changed:
        (content,) = draft.expected[i].contents
        assert content is not None and content in draft.text()
        assert len(content.split("\n")) < len(draft.content(i))
        assert content.split("\n")[:2] == draft.content(i)[:2] and content.split("\n")[-1] == draft.content(i)[-1]


@pytest.mark.parametrize("name", ["lazy-elision", "quotes-smart-in-content", "blanks-behind-content"])
@pytest.mark.parametrize("dialect", ["v1", "v2"])
def test_contents_are_read_as_they_were_written(name: str, dialect: str) -> None:
    draft = only(name, dialect)
    assert draft.text() != make(Draft.of(FILES, load(dialect)), (), "").text
    result = process(draft.text(), format=load(dialect).format)
    assert assess(draft.expected, result.document).state is State.RIGHT


def test_a_path_that_is_missing_is_not_demanded() -> None:
    draft = only("path-missing", document=Document((Action("create", "a.py", "x = 1"), Action("run", "make"))))
    assert "a.py" not in draft.text()
    assert (draft.expected[0].required, draft.expected[0].partial) == (False, True)
    assert draft.expected[1].required


def test_a_line_that_closes_the_block_is_content_all_the_same() -> None:
    for dialect, closer in (("v1", "--"), ("v2", ">>>")):
        draft = only("delimiter-in-content", dialect)
        items = [item.contents[0] or "" for item in draft.expected]
        assert sum(closer in content.split("\n") for content in items) == 1


def test_a_loop_is_cut_off_and_what_was_written_is_expected() -> None:
    draft = only("content-loops")
    last = draft.expected[-1]
    assert last.cut and last.contents[0] is not None and draft.text().rstrip("\n").endswith(last.contents[0])
    lines = last.contents[0].split("\n")
    assert max(Counter(lines).values()) >= 8
    repeated_only = only("action-loops")
    assert sum(item.path == "c.py" for item in repeated_only.expected) > 4
    assert [item.required for item in repeated_only.expected] == [True] * 3 + [False] * (
        len(repeated_only.expected) - 3
    )


def test_another_format_leaves_what_was_meant_and_no_line_of_ours() -> None:
    for name in ("reply-as-json", "reply-as-xml", "reply-as-file-fences"):
        draft = only(name)
        expected = Draft.of(FILES, load("v2")).expected
        assert [item.contents for item in draft.expected] == [item.contents for item in expected]
        assert all(not item.dependencies for item in draft.expected), "no such form can say them"
        assert "::create" not in draft.text() and "a.py" in draft.text()


# ---- what was cut off, and what was touched


def test_what_is_cut_off_may_come_whole_and_the_rest_may_come_or_not() -> None:
    draft = Draft.of(FILES, load("v2"))
    visited = Counter[str]()
    for number in range(30):
        created = make(draft, ("truncate-at-token",), f"{number}")
        assert created.uncut == draft.text() and created.uncut.startswith(created.text)
        assert [item.path for item in created.expected] == [action.path for action in FILES.actions]
        whole_result = process(created.uncut, format=load("v2").format)
        assert assess(created.expected, whole_result.document).state is State.RIGHT
        result = SymOpsProcessor(load("v2").format).process(Reply(created.text, Finish.LENGTH))
        visited[assess(created.expected, result.document, result.diagnostics).state] += 1
        changed_text = replace(whole_result.document.actions[0], content="something else")
        assert (
            assess(created.expected[:1], replace(whole_result.document, sections=(changed_text,))).state
            is not State.RIGHT
        )
    assert visited[State.RIGHT] > 20


def test_what_stands_behind_a_cut_gives_way_to_it() -> None:
    draft = Draft.of(FILES, load("v2"))
    for number in range(20):
        created = make(
            draft, ("postamble-prose", "whole-fence-wrap", "preamble-prose", "truncate-at-token"), f"{number}"
        )
        assert created.kinds == ("preamble-prose", "truncate-at-token") and created.cut


@pytest.mark.parametrize(
    ("kind", "touched"),
    [
        ("preamble-prose", set()),
        ("inter-action-prose", set()),
        ("whole-fence-wrap", set()),
        ("missing-close-last", {2}),
        ("quoted-reply", {0, 1, 2}),
        ("escaped-newlines", {0, 1, 2}),
        ("foreign-format", {0, 1, 2}),
    ],
)
def test_touched_are_the_actions_whose_lines_are_changed(kind: str, touched: set[int]) -> None:
    assert set(make(Draft.of(FILES, load("v2")), (kind,), "1").touched) == touched


def test_a_missing_closer_touches_its_action_and_not_the_next() -> None:
    items = [make(Draft.of(FILES, load("v2")), ("missing-close-middle",), f"{number}") for number in range(20)]
    touched = [item.touched for item in items if item.functions == ("closer-missing-in-the-middle",)]
    assert set(touched) == {frozenset({0}), frozenset({1})}
