"""Replies in a dialect that have sections of other formats beside their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import indent

import pytest
from format_samples import SECTIONS, Sample
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Completeness, Document, Result, StreamParser, formats, process, recover, write_format
from symops_lark.core.document import Action
from symops_lark.core.formats.documents import BY_NAME, read_format

OURS = "::create @ours.py\n<<<\nx = 1\n>>>\n\n"
# The one line of ours that files of other formats show here.
SHOWN = "::delete @shown.py"
GUIDE = Document((Action("create", "guide.md", f"To remove it:\n\n{SHOWN}\n\nThat is all."),))


def writers() -> list[str]:
    """The formats that write a file with its lines as they are, and that own a reply."""
    names = []
    for name in formats():
        if name in ("original_patched", "named_fences", "unified_diff", "apply_patch", "search_replace"):
            continue
        if SHOWN in write_format(GUIDE, name).split("\n"):
            names.append(name)
    return names


WRITERS = writers()


def quote(text: str) -> str:
    return indent(text, "> ", lambda line: True)


def escape(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;")


def fence(text: str) -> str:
    return f"```\n{text}```\n"


def tab(text: str) -> str:
    return indent(text, "    ")


def embolden(text: str) -> str:
    """Put the first line, which opens the call, in bold."""
    first, remainder = text.split("\n", 1)
    return f"**{first}**\n{remainder}"


WRAPPERS: list[Callable[[str], str]] = [quote, escape, fence, tab, embolden]


def is_doubted(document: Document, path: str) -> bool:
    """Return whether no action with a path is complete."""
    states = [action.completeness for action in document.actions if action.path == path]
    return Completeness.COMPLETE not in states


def codes(result: Result) -> list[str]:
    return [finding.code for finding in result.diagnostics if finding.severity != "note"]


def test_formats_write_the_line_as_it_is() -> None:
    assert {"file_tags", "heredoc", "invoke_xml", "qwen_xml", "tag_calls"} <= set(WRITERS)


@given(st.sampled_from(SECTIONS), st.sampled_from(("v2", "auto")))
def test_a_section_after_ours_is_not_lost_silently(sample: Sample, format: str) -> None:
    actions = read_format(sample.text).actions
    result = process(OURS + sample.text, format)
    assert result.document.actions[0].path == "ours.py"
    # Ours may be as near to a sample: a heading with a verb and a path.
    paths = {action.path for action in result.document.actions}
    starts = {action.span.start for action in actions if action.confidence >= BY_NAME and action.path not in paths}
    places = {finding.span.start for finding in result.diagnostics if finding.code == "lost-action"}
    assert places >= {len(OURS) + start for start in starts}
    assert result.confidence < 0.8 or not starts


@pytest.mark.parametrize("format", ["v2", "auto"])
@pytest.mark.parametrize("name", WRITERS)
def test_a_line_that_a_file_of_a_call_shows_is_doubted(name: str, format: str) -> None:
    text = f"{OURS}{write_format(GUIDE, name)}"
    result = process(text, format)
    assert is_doubted(result.document, "shown.py")
    assert {"lost-action", "nested-section"} <= set(codes(result))
    by_path = {action.path: action for action in recover(text, format).actions}
    assert by_path["shown.py"].completeness is Completeness.SUSPECT
    assert by_path["ours.py"].completeness is Completeness.COMPLETE
    parser = StreamParser(format)
    list(parser.events([text]))
    assert parser.close().result == result


@pytest.mark.parametrize("wrap", WRAPPERS, ids=lambda wrap: wrap.__name__)
@pytest.mark.parametrize("name", ["file_tags", "heredoc", "invoke_xml", "qwen_xml", "tag_calls"])
def test_a_wrapped_call_is_doubted_too(name: str, wrap: Callable[[str], str]) -> None:
    document = recover(wrap(write_format(GUIDE, name)), "v2")
    assert is_doubted(document, "shown.py")


def damages(line: str) -> Iterator[str]:
    """Yield a line with each mistake of one character."""
    for place, sign in enumerate(line):
        yield line[:place] + line[place + 1 :]
        yield line[:place] + ("x" if sign != "x" else "y") + line[place + 1 :]
        yield f"{line[:place]} {line[place:]}"


@pytest.mark.parametrize("name", WRITERS)
@given(data=st.data())
def test_a_line_in_a_damaged_call_is_doubted(name: str, data: st.DataObject) -> None:
    """Law: one mistake in the marks of a call, or a lost line, makes no action of what its file shows."""
    lines = write_format(GUIDE, name).split("\n")
    shown = lines.index(SHOWN)
    content = {"", "To remove it:", SHOWN, "That is all."}
    index = data.draw(st.sampled_from([at for at, line in enumerate(lines) if line not in content]))
    changed = data.draw(st.sampled_from([None, *damages(lines[index])]))
    lines[index : index + 1] = [] if changed is None else [changed]
    before = data.draw(st.sampled_from(["", OURS, "Here is the guide.\n\n"]))
    text = before + "\n".join(lines)
    assert is_doubted(recover(text, "v2"), "shown.py")
    # A reply may be only the end of a call, or be cut off before it.
    lines = write_format(GUIDE, name).split("\n")
    start = data.draw(st.integers(0, shown))
    assert is_doubted(recover("\n".join(lines[start:]), "v2"), "shown.py")
    stop = data.draw(st.integers(shown + 1, len(lines)))
    assert is_doubted(recover("\n".join(lines[:stop]), "v2"), "shown.py")


@pytest.mark.parametrize("name", ["functionary", "harmony", "hermes_json", "json_calls", "python_calls", "react"])
@pytest.mark.parametrize("lost", ["path", "content"])
def test_a_damaged_string_with_raw_line_feeds_is_doubted(name: str, lost: str) -> None:
    text = write_format(GUIDE, name).replace("\\n", "\n")
    remainder = text[text.index(lost) :]
    assert "To remove" in remainder
    assert is_doubted(recover(remainder, "v2"), "shown.py")


@pytest.mark.parametrize("name", ["glm", "invoke_xml", "qwen_xml", "tag_calls"])
def test_an_action_before_a_damaged_call_is_complete(name: str) -> None:
    """The marks that are left show where the call begins, at the latest."""
    _, remainder = write_format(GUIDE, name).split("\n", 1)
    result = process(OURS + remainder, "v2")
    by_path = {action.path: action for action in result.document.actions}
    assert by_path["ours.py"].completeness is Completeness.COMPLETE
    assert by_path["shown.py"].completeness is Completeness.SUSPECT
    assert {"lost-action", "nested-section"} <= set(codes(result))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_change_nothing(ending: str) -> None:
    text = f"{OURS}{write_format(GUIDE, 'tag_calls')}".replace("\n", ending)
    assert is_doubted(process(text, "v2").document, "shown.py")


@pytest.mark.parametrize(
    "shown",
    [
        # What an action wrote is shown once more, and a command is only mentioned.
        "The file is now:\n\nours.py\n```python\nx = 1\n```\n",
        "--- a/ours.py\n+++ b/ours.py\n@@ -1 +1 @@\n-x = 0\n+x = 1\n",
        "Then run the tests:\n\n```bash\npytest -q\n```\n",
        "A call begins with `<tool_call>`.\n",
        "<tool_call>\n",
        # Ends that are no ends of a content: of a sample, of a remark, of JSON that is shown.
        "```\nx = 1\n```\n",
        "The tests pass.</p>\n",
        'The settings are now:\n\n```json\n{\n  "a": "b"}\n```\n',
        'It prints "1" (or "2").\n',
        "DONE\n",
    ],
)
def test_what_is_only_shown_is_not_lost(shown: str) -> None:
    result = process(OURS + shown)
    assert codes(result) == []
    assert result.confidence == 0.95


def test_the_content_of_ours_may_show_a_call() -> None:
    call = write_format(GUIDE, "tag_calls")
    result = process(f"Here it is:\n\n::create @calls.md\n<<<\n{call}\n>>>\n")
    assert codes(result) == []


@pytest.mark.parametrize("opener", ["<<EOF", "<<-EOF", "<< EOF", "<<'EOF'", '<<"EOF"', "<<- 'EOF'"])
def test_the_lines_of_a_here_document_hold_no_action_of_ours(opener: str) -> None:
    """The word at its end is no left end of another format: the check of commands tells of it."""
    result = process(f"{OURS}::run @cat {opener} > a.txt\nhello\nEOF\n", "v2")
    assert "here-document" in codes(result)
    assert "nested-section" not in codes(result)


@pytest.mark.parametrize("opener", ["<<OTHER", "<<<EOF", "EOF"])
def test_the_end_of_another_here_document_is_a_left_end(opener: str) -> None:
    result = process(f"{OURS}::run @cat {opener} > a.txt\nhello\nEOF\n", "v2")
    assert "nested-section" in codes(result)


@pytest.mark.parametrize("hunk", ["@@\n-y = 0\n+y = 1\n", "@@ -1 +1 @@\n-y = 0\n+y = 1\n", "@@\n-y = 0\n+y = 1"])
def test_a_diff_of_another_file_is_lost_even_if_it_is_doubted(hunk: str) -> None:
    result = process(f"{OURS}--- a/other.py\n+++ b/other.py\n{hunk}", "v2")
    assert "lost-action" in codes(result)
    assert [action.path for action in result.document.actions] == ["ours.py"]
