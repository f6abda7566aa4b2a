"""Contents that show sections or closers.

Nothing of them is done without a question, and nothing else is doubted.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import symops_lark
from benchmarks.nested.replies import DIALECTS, draw_replies, is_sure
from hypothesis import assume, given
from hypothesis import strategies as st
from new_dialects import write_dialects
from symops_lark import Action, Completeness, Document, Span, process, render
from symops_lark.core.discourse.nesting import Nest, _Balance, _Delimiters, find_nests
from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.recovery.doubts import nested_actions
from wings import need_wing


def nests_of(text: str, dialect: Dialect, heads: dict[int, bool]) -> tuple[Nest, ...]:
    """Return the nests that the lines alone show: no delimiter is misspelled."""
    return _Balance(dialect, heads, _Delimiters()).read(text)


WRONG = ("wrong and sure", "wrong and written")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_action_of_a_content_is_sure_or_written(seed: int) -> None:
    need_wing("acting")
    from benchmarks.nested.__main__ import judge

    for reply in draw_replies(80, seed):
        for format in (reply.dialect, "auto"):
            assert not set(WRONG) & set(judge(reply, format)), reply.text


@pytest.mark.slow
def test_the_benchmark_sees_a_nest_that_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    need_wing("acting")
    from benchmarks.nested.__main__ import judge

    monkeypatch.setattr(nested_actions, "find_nests", lambda *_: ())
    judgments = [judge(reply, reply.dialect) for reply in draw_replies(80, 1)]
    assert any(set(WRONG) & set(judgment) for judgment in judgments)


# ---- what is found


@pytest.mark.parametrize(
    "path", ["gen.py", "app.js", "index.html", "ci.yaml", "docs/guide.md", "NOTES"]
)
def test_a_fence_that_ends_the_content_in_one_reading_hides_no_nest(path: str) -> None:
    text = (
        f"::create @{path}\n<<<\n```\n::create @a.py\n<<<\nx = 1\n>>>\n\n"
        "::run @make\n```\n\nMore.\n>>>\n"
        "::create @own.py\n<<<\nown = 1\n>>>\n"
    )
    result = process(text, "v2")
    sure = [action.path for action in result.document.actions if is_sure(action, result)]
    assert sure == ["own.py"]
    messages = {d.message for d in result.diagnostics if d.code == "nested-section"}
    assert messages == {f"this may be part of the content of {path} (line 1), which shows sections"}


def test_nothing_of_a_nest_is_written_without_a_question() -> None:
    need_wing("acting")
    from symops_lark import Decision, plan
    from trees import MemoryTree

    text = (
        "::create @gen.py\n<<<\nTEXT = '''\n::create @a.py\n<<<\nx = 1\n>>>\n'''\n>>>\n\n"
        "::create @b.py\n<<<\nb\n>>>\n"
    )
    planned_changes = plan(process(text, "v2").document, MemoryTree())
    assert {
        change.path for change in planned_changes.changes if change.decision is Decision.AUTO
    } == {"b.py"}


def test_misspelt_delimiters_count_as_they_were_read() -> None:
    text = (
        "::create @gen.py\n<<\nT = '''\n::create @a.py\n<<<\nx = 1\n>>>\n"
        "::create @b.py\n<<<\nx = 1\n>>>\n'''\n>>>\n"
    )
    result = process(text, "v2")
    assert not any(is_sure(action, result) for action in result.document.actions)


def test_nests_are_found_from_lines_alone() -> None:
    lines = "::create @a.md\n<<<\n::run @ls\n::create @b\n<<<\n>>>\n>>>\n::run @make\n"
    heads = {
        lines.index(head): head.startswith("::create")
        for head in ("::create @a", "::run @ls", "::create @b")
    }
    heads[lines.index("::run @make")] = False
    (nest,) = nests_of(lines, load_dialect("v2"), heads)
    assert nest.outer == 0
    assert nest.inner == (lines.index("::run @ls"), lines.index("::create @b"))


@pytest.mark.parametrize(
    ("begin", "end", "is_ended"),
    [
        ("```py", "```", True),
        ("```", "", False),
        ("````md", "```", False),
        ("````md", "````", True),
        ("~~~", "```", False),
        ("~~~", "~~~", True),
        ("~~~", "~~~ text", False),
    ],
)
def test_fences_are_paired_as_markdown_does(begin: str, end: str, is_ended: bool) -> None:
    head = f"::create @guide.md\n<<<\n{begin}\n"
    text = f"{head}::create @a.py\n<<<\nx\n>>>\n{end}\n"
    nests = nests_of(text, load_dialect("v2"), {0: True, len(head): True})
    assert [nest.inner for nest in nests] == ([(len(head),)] if is_ended else [])


def test_a_blank_line_before_a_text_moves_its_nests() -> None:
    piece = "::create @a.md\n<<<\n::create @b\n<<<\nx\n>>>\n>>>\n"
    dialect = load_dialect("v2")
    for text in (piece, f"\n{piece}", f"\n\n{piece}"):
        starts = [text.index("::create @a"), text.index("::create @b")]
        actions = [
            Action("create", text[start + 10 : start + 11], "x", span=Span(start, start + 5))
            for start in starts
        ]
        (nest,) = find_nests(Document(tuple(actions)), text, dialect)
        assert [nest.outer, *nest.inner] == starts


def test_where_one_mark_opens_and_closes_only_a_head_that_writes_opens() -> None:
    head = "$create @a.md\n--\n"
    for line, count in (("$ create a table", 0), ("$create @c", 1), ("$delete @c", 0), ("$", 0)):
        for gap in ("", "\n"):
            first = f"{head}{line}\n{gap}--\n"
            text = f"{first}$create @b\n{gap}--\nx\n--\n--\n--\n"
            heads = {0: True, len(first): True}
            assert len(nests_of(text, load_dialect("v1"), heads)) == count, line


SESSION = "::create @session.txt\n<<<\n>>> f(1)\n2\n>>>\n>>>\n\n::run @ls\n"


def test_a_closer_in_a_session_is_no_closer_written_twice() -> None:
    result = process(SESSION, "v2")
    assert [is_sure(action, result) for action in result.document.actions] == [False, True]
    assert "text-behind-closer" in {d.code for d in result.diagnostics}
    # The repaired text says it, too: who reads that asks as well.
    repeated_result = process(symops_lark.repair(SESSION, "v2").text, "v2")
    assert repeated_result.document.actions[0].completeness is Completeness.SUSPECT


# ---- what is not doubted

PATHS = st.sampled_from(["a.py", "b.md", "c.js", "src/d.html"])
LINES = st.sampled_from(
    ["x = 1", "", "  indented", "# heading", "> quoted", "- item", "text.", "<p>", "a >> b"]
)
CONTENTS = st.lists(LINES, min_size=1, max_size=5).map("\n".join)
FILES = st.builds(
    lambda path, content: Action("create", path, content, span=Span(0, 0)), PATHS, CONTENTS
)
COMMANDS = st.just(Action("run", "make", span=Span(0, 0)))


@given(st.lists(FILES | COMMANDS, min_size=1, max_size=6), st.sampled_from(DIALECTS))
def test_a_document_whose_contents_show_no_section_has_no_nest(
    actions: list[Action], dialect: str
) -> None:
    text = render(Document(tuple(actions)), dialect)
    document = symops_lark.parse(text, dialect)
    heads = {action.span.start: action.type == "create" for action in document.actions}
    assert nests_of(text, load_dialect(dialect), heads) == ()


@given(st.lists(FILES, min_size=2, max_size=5), st.data())
def test_a_forgotten_closer_doubts_no_later_action(
    actions: list[Action], data: st.DataObject
) -> None:
    text = render(Document(tuple(actions)), "v2")
    number = data.draw(st.integers(0, len(actions) - 2))
    parts = text.split("\n>>>\n")
    broken = "\n>>>\n".join(parts[: number + 1]) + "\n" + "\n>>>\n".join(parts[number + 1 :])
    result = process(broken, "v2")
    # Whether an empty content forgot its closer, or shows the next action, nobody can know.
    assume((actions[number].content or "").strip())
    codes = {d.code for d in result.diagnostics}
    assert "nested-section" not in codes and "text-behind-closer" not in codes


# ---- sections that only one dialect has


def test_custom_sections_of_a_content_are_suspect(tmp_path: Path) -> None:
    path = write_dialects(tmp_path)["blocks"]
    piece = "## a title\n<<<\nnote\n>>>\n\n== plan\n 1. look\n"
    text = f"::create @guide.md\n<<<\nLike this:\n\n{piece}\n>>>\n\n%% quiet\n"
    result = process(text, path)
    states = {section.name: section.completeness for section in result.document.custom}
    assert states["note"] is Completeness.SUSPECT
    assert states["log"] is Completeness.COMPLETE
    assert all(
        section.confidence <= 0.85 for section in result.document.custom if section.name == "note"
    )
    assert "nested-section" in {d.code for d in result.diagnostics}
