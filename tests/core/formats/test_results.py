"""The result of a reply in a format: how sure it is, what it reports, and when a reply is in a format."""

from __future__ import annotations

import pytest

from symops_lark import Document, ParseError, Phase, ProtocolError, Severity
from symops_lark.core.document import Action, Completeness, Replacement, Thought
from symops_lark.core.formats.documents import read_format
from symops_lark.core.formats.loading import load_format
from symops_lark.core.formats.results import (
    convert_to_format,
    is_around,
    make_result,
    parse_format,
    read_before,
    read_named,
    read_result,
    read_whole,
    report_lost,
    says_verb,
)
from symops_lark.core.result import TraceStep
from symops_lark.core.text.diagnostics import Diagnostic
from symops_lark.core.text.source import Span

CALL = (
    "<tool_call>\n<function=write_file>\n<parameter=path>\na.py\n</parameter>\n"
    "<parameter=content>\nx = 1\n</parameter>\n</function>\n</tool_call>\n"
)
UNKNOWN = CALL.replace("write_file", "append_to_file")
QWEN = load_format("qwen_xml")
TAG = '<file path="guide.md">\n::delete @old.py\n</file>\n'
FENCE = "a.py\n```python\nx = 1\n```\n"


# ---- results


def test_a_reply_in_the_format_of_the_caller_is_strict_if_nothing_is_reported() -> None:
    result = read_result(CALL, QWEN)
    assert result is not None
    assert (result.phase, result.confidence, result.diagnostics) == (Phase.STRICT, 1.0, ())
    # Of text around it and of a call that is left out something is reported.
    for text in (f"Well.\n{CALL}", CALL + UNKNOWN):
        result = read_result(text, QWEN)
        assert result is not None and result.diagnostics
        assert (result.phase, result.confidence) == (Phase.RECOVERED, 0.85)
    result = read_result(CALL, None)
    assert result is not None
    assert (result.phase, result.confidence, result.diagnostics) == (Phase.RECOVERED, 0.85, ())


def test_a_result_has_the_steps_before_and_its_own() -> None:
    before = TraceStep("strict", "failed", "x")
    result = read_result(CALL + CALL.replace("a.py", "b.py"), QWEN, (before,))
    assert result is not None
    first, step = result.trace
    assert first == before
    assert (step.phase, step.outcome, step.succeeded) == ("strict", "2 actions in the format qwen_xml", True)
    assert step.text == result.text == CALL + CALL.replace("a.py", "b.py")


def test_a_result_is_as_sure_as_its_least_sure_action() -> None:
    result = read_result(f"{CALL}\nb.py\n```python\ny = 2\n```\n", None)
    assert result is not None
    assert [action.confidence for action in result.document.actions] == [0.85, 0.69]
    assert result.confidence == 0.69


def test_an_action_that_is_lost_lowers_the_confidence() -> None:
    document = read_format(CALL)
    lost = [Diagnostic("lost-action", "it is left out", Span(at, at + 1), Severity.WARNING) for at in range(2)]
    results = []
    for count in range(3):
        changed = Document(document.sections, document.dialect, diagnostics=tuple(lost[:count]))
        result = make_result(changed, CALL)
        assert result is not None
        results.append(result.confidence)
    assert results == [0.85, round(0.85 * 0.8, 4), round(0.85 * 0.64, 4)]


def test_a_document_without_an_action_has_no_result() -> None:
    assert read_result("Well.\n", None) is None
    assert make_result(Document((Thought("x"),)), "x") is None
    with pytest.raises(ProtocolError, match="no section of the format qwen_xml was found in the reply") as caught:
        read_named(UNKNOWN, QWEN)
    assert "partial-write" in {finding.code for finding in caught.value.diagnostics}
    assert read_named(CALL, QWEN).confidence == 1.0


def test_the_checks_of_contents_hold_for_formats() -> None:
    arguments = '{"command": "cat <<EOF > a.txt\\nx"}'
    text = f'<tool_call>\n{{"name": "run_command", "arguments": {arguments}}}\n</tool_call>\n'
    assert read_format(text).diagnostics == ()
    result = read_result(text, load_format("hermes_json"))
    assert result is not None
    assert [finding.code for finding in result.diagnostics] == ["here-document"]
    assert result.phase is Phase.RECOVERED
    # What they report may lower nothing, and is no strict reply all the same.
    text = "<function=delete_file>\n<parameter=path>\na.py\n</parameter>\n</function>\n" * 2
    result = read_result(text, QWEN)
    assert result is not None
    assert [finding.code for finding in result.diagnostics] == ["duplicate-target"]
    assert (result.confidence, result.phase) == (1.0, Phase.RECOVERED)


def test_what_the_validator_would_guess_is_not_reported() -> None:
    """The reader knows why an action is suspect; the validator guesses it from the text after it."""
    text = CALL.replace("x = 1\n", "x = 1\n</parameter>\ny = 2\n")
    document = read_format(text)
    codes = [finding.code for finding in document.diagnostics]
    result = make_result(document, text)
    assert result is not None
    reported = [finding.code for finding in result.diagnostics]
    assert {code: reported.count(code) for code in ("early-close", "draft-action")} == {
        code: codes.count(code) for code in ("early-close", "draft-action")
    }


# ---- strict


def test_a_text_is_parsed_whole_or_refused_at_its_first_place() -> None:
    assert parse_format(CALL, QWEN, "reply").actions == read_format(CALL).actions
    for text, start in (
        (f"{CALL}\nWell.\n{CALL.replace('a.py', 'b.py')}", len(CALL) + 1),
        (f"{CALL}\n{UNKNOWN}", len(CALL) + 1),
        (f"Well.\n{CALL}\nSo.\n", 0),
        (f"Well.\n{CALL}{UNKNOWN}", 0),
        (CALL[:-30], 0),
        ("Well.\n", 0),
        ("", 0),
    ):
        with pytest.raises(ParseError) as caught:
            parse_format(text, QWEN, "reply")
        error = caught.value.diagnostics[0]
        assert (error.code, error.severity, error.span.start) == ("not-in-format", Severity.ERROR, start)
        assert error.message == "this is not a section of the format qwen_xml"
        assert error.hint == "process reads what is around it, and what is in doubt"


def test_a_call_of_a_section_that_is_read_may_be_left_out() -> None:
    format = load_format("json_calls")
    call = '{"name": "%s", "path": "a.py", "content": "x"}'
    text = f"[{call % 'write_file'}, {call % 'append_to_file'}]\n"
    assert len(read_format(text, format).actions) == 1
    with pytest.raises(ParseError) as caught:
        parse_format(text, format, "reply")
    assert caught.value.diagnostics[0].span.start == 0
    with pytest.raises(ParseError) as caught:
        parse_format(f"{text}\n{text}".replace("a.py", "b.py", 1), format, "reply")
    assert caught.value.diagnostics[0].span.start == 0
    assert len(parse_format(f"[{call % 'write_file'}]\n", format, "reply").actions) == 1


def test_what_is_not_an_action_is_lost_by_a_conversion() -> None:
    skipped = read_format(f"Well.\n{CALL}").sections
    converted = convert_to_format(Document((Thought("I do it."), *skipped, Thought("Done."))), QWEN)
    assert converted.text == CALL
    assert [loss.message for loss in converted.losses] == [
        "a section is left out: the format qwen_xml has only actions",
        "text (outside-layout) is left out: the format qwen_xml has only actions",
        "a section is left out: the format qwen_xml has only actions",
    ]
    assert all(loss.severity is Severity.WARNING and loss.code == "lost-text" for loss in converted.losses)
    assert [action.path for action in converted.document.actions] == ["a.py"]


# ---- which notation a reply is in


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (CALL, ["a.py"]),
        (f"\n\n  {CALL}".replace("\n", "\r\n"), ["a.py"]),
        (FENCE + "\n" + FENCE.replace("a.py", "b.py"), ["a.py", "b.py"]),
        (FENCE + CALL.replace("a.py", "b.py"), ["a.py", "b.py"]),
        # One file under a name, a patch, and text or calls that are left over.
        (FENCE, None),
        ("*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n", None),
        ("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n", None),
        (f"Well.\n\n{CALL}", None),
        (f"{CALL}\nWell.\n", None),
        (CALL + UNKNOWN, None),
        ('[{"name": "bash", "command": "ls"}, {"name": "append", "path": "a.py", "content": "x"}]\n', None),
        ("Well.\n", None),
        ("", None),
    ],
)
def test_a_reply_is_in_a_format_from_its_beginning_to_its_end(text: str, paths: list[str] | None) -> None:
    document = read_whole(text)
    assert (document and [action.path for action in document.actions]) == paths


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_file_is_around_the_places_in_it(ending: str) -> None:
    text = f"Well.\n\n{CALL}\n{TAG}\nSo.\n".replace("\n", ending)
    ours = Document((Action("delete", "old.py"),))
    inside = text.index("::delete")
    assert is_around(text, inside, ours)
    end = text.index("</file>") + len("</file>")
    for place in (0, text.index("<file"), end, text.index("So.")):
        assert not is_around(text, place, ours)


def test_a_fence_that_is_named_after_our_file_is_not_around_it() -> None:
    text = "a.py\n```\n::create @a.py\n<<<\nx\n>>>\n```\n"
    start = text.index("::create")
    end = text.index("```\n", start)
    ours = Action("create", "a.py", "x", span=Span(start, end))
    assert not is_around(text, start, Document((ours,)))
    other = Action("create", "b.py", "x", span=Span(start, end))
    assert is_around(text, start, Document((other,)))
    # The same path elsewhere says nothing.
    for span in (Span(0, 3), Span(end + 4, end + 9)):
        assert is_around(text, start, Document((Action("create", "a.py", "x", span=span),)))


def test_a_reply_is_owned_by_a_section_that_says_its_verb_and_comes_first() -> None:
    ours = "::delete @old.py\n"
    owner = read_before(CALL + ours, len(CALL))
    assert owner is not None and [action.path for action in owner.actions] == ["a.py"]
    assert read_before(CALL.replace("\n", "\r\n") + ours, len(CALL) + CALL.count("\n")) is not None
    # Before our section is only a mark, or a file under its name.
    assert read_before("<tool_call>\n" + ours + CALL, len("<tool_call>\n")) is None
    assert read_before(FENCE + ours, len(FENCE)) is None
    assert read_before(ours + CALL, 0) is None
    # A call is no owner that is read neither before nor after.
    assert read_before(UNKNOWN + ours, len(UNKNOWN)) is None
    assert read_before(UNKNOWN + FENCE + ours, len(UNKNOWN + FENCE)) is None
    assert read_before(UNKNOWN + ours + CALL, len(UNKNOWN)) is None
    assert read_before(UNKNOWN + CALL, len(UNKNOWN)) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (CALL, True),
        (TAG, True),
        ("cat > a.py << 'EOF'\nx\nEOF\n", True),
        (FENCE, False),
        ("*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n", False),
        ("--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x\n", False),
    ],
)
def test_a_call_says_its_verb_and_a_patch_only_shows_it(text: str, says: bool) -> None:
    for reply in (text, text.replace("\n", "\r\n"), f"Well.\n\n{text}"):
        (action,) = read_format(reply).actions
        assert says_verb(action, reply) == says


def test_our_actions_outside_of_theirs_are_lost() -> None:
    text = f"{TAG}::delete @new.py\n"
    owner = read_format(text)
    span = owner.actions[0].span
    starts = (span.start, span.start + 5, span.end - 1, span.end, len(TAG))
    ours = Document(tuple(Action("delete", f"{start}.py", span=Span(start, start + 3)) for start in starts))
    report = report_lost(owner, ours)
    lost = [finding for finding in report.diagnostics if finding.code == "lost-action"]
    assert [finding.span.start for finding in lost] == [span.end, len(TAG)]
    assert lost[0].message == "the reply is in the format file_tags: this delete is left out"
    assert lost[0].severity is Severity.WARNING
    assert report.actions == owner.actions


def test_a_pair_of_texts_that_is_converted_keeps_its_meaning() -> None:
    edit = Action("edit", "a.py", edits=(Replacement("x", "y"),), completeness=Completeness.COMPLETE)
    converted = convert_to_format(Document((edit,)), QWEN)
    assert converted.losses == ()
    (action,) = converted.document.actions
    assert [(pair.old, pair.new) for pair in action.edits] == [("x", "y")]
