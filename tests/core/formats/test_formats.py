"""Laws of the formats of other agents: what is read, what is written, and what is never invented."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from counting import count_calls
from format_samples import NO_ACTIONS, OWN, SAMPLES, SECTIONS, Sample
from hypothesis import assume, given
from hypothesis import strategies as st

from symops_lark import Edited, ProtocolError, convert, edit_text, parse, process, recover
from symops_lark.core.document import Action, Completeness, Document, Replacement
from symops_lark.core.formats.documents import NAMED_BY_CALLER, read_format
from symops_lark.core.formats.grammar import compile_format
from symops_lark.core.formats.loading import find_format, formats, load_format
from symops_lark.core.formats.writer import write_format
from symops_lark.core.grammar.agent_formats import is_format
from symops_lark.core.ground.errors import GrammarError, RenderError
from symops_lark.core.text.diagnostics import ParseError, Severity

NAMES = tuple(formats())
# Lines of contents: code, marks of all formats, fences, blanks.
MARKS = [line for sample in SAMPLES for line in sample.text.split("\n")]
LINES = st.one_of(st.sampled_from(MARKS), st.sampled_from(["", "x = 1", "    return 2", "```", "EOF", "é"]))
CONTENTS = st.lists(LINES, min_size=1, max_size=6).map("\n".join).map(lambda text: text.strip("\n"))
ACTIONS = st.one_of(
    st.builds(Action, st.just("create"), st.sampled_from(["a.py", "src/b-c.txt"]), CONTENTS),
    st.builds(Action, st.just("run"), st.sampled_from(["pytest -q", "ls -l | head"])),
    st.builds(Action, st.just("delete"), st.just("old.py")),
    st.builds(
        Action,
        st.just("edit"),
        st.just("a.py"),
        edits=st.tuples(st.builds(Replacement, st.sampled_from(["x = 1", "y"]), CONTENTS)),
    ),
)


def said(document: Document) -> list[tuple[str, str, str | None]]:
    return [(action.type, action.path, action.content) for action in document.actions]


def ids(sample: Sample) -> str:
    return f"{sample.format}-{SAMPLES.index(sample)}"


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
def test_a_sample_of_the_tool_is_read(sample: Sample) -> None:
    assert tuple(said(read_format(sample.text))) == sample.actions
    assert tuple(said(read_format(sample.text, sample.format))) == sample.actions


def test_each_format_has_a_sample_and_a_description() -> None:
    assert {sample.format for sample in SAMPLES} == set(NAMES)
    assert all(format.description and format.can for format in formats().values())


@pytest.mark.parametrize("text", NO_ACTIONS)
def test_nothing_is_invented(text: str) -> None:
    assert read_format(text).actions == ()


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
def test_a_sample_between_prose_is_read_but_never_sure(sample: Sample) -> None:
    if sample.text.startswith("Do it"):
        pytest.skip("a command of a shell fence must end the reply")
    text = f"I will do it.\n\n{sample.text}\nThat is all, I think.\n"
    document = read_format(text)
    assert tuple(said(document)) == sample.actions
    assert all(action.confidence < 0.9 for action in document.actions)
    for action in document.actions:
        assert action.span.end <= len(text)


@given(st.sampled_from(SECTIONS), st.sampled_from(SECTIONS))
def test_items_are_independent(first: Sample, second: Sample) -> None:
    assume(not {row[:2] for row in first.actions} & {row[:2] for row in second.actions})
    text = f"{first.text}\nSome words.\n\n{second.text}"
    assert tuple(said(read_format(text))) == first.actions + second.actions


def write(action: Action, name: str) -> str | None:
    """Return an action in a format; None if it cannot express it."""
    try:
        return write_format(Document((action,)), name)
    except RenderError:
        return None


@given(st.sampled_from(NAMES), ACTIONS)
def test_what_is_written_reads_back(name: str, action: Action) -> None:
    text = write(action, name)
    assume(text is not None)
    (loaded,) = read_format(text or "", name).actions
    assert (loaded.type, loaded.path) == (action.type, action.path)
    if loaded.edits:
        assert [(edit.old, edit.new) for edit in loaded.edits] == [(edit.old, edit.new) for edit in action.edits]
    elif action.edits:
        # Blocks remain a content, which another module applies.
        (edit,) = action.edits
        edited = edit_text(f"{edit.old}\n", loaded.content or "", "a.py")
        assert isinstance(edited, Edited), edited
        assert edited.text == f"{edit.new}\n"
    else:
        assert (loaded.content or "") == (action.content or "")


@pytest.mark.parametrize("name", NAMES)
def test_each_format_writes_something(name: str) -> None:
    count = 0
    for action in (Action("create", "a.py", "x = 1"), Action("run", "ls"), Action("delete", "a.py")):
        try:
            count += bool(write_format(Document((action,)), name))
        except RenderError:
            continue
    edit = Action("edit", "a.py", edits=(Replacement("x\n", "y\n", lines=True),))
    with suppress(RenderError):
        count += bool(write_format(Document((edit,)), name))
    assert count


@pytest.mark.parametrize("name", formats())
def test_an_action_is_written_without_a_search(name: str) -> None:
    """A thousand words that may end a text were once tried for formats that have no such word."""
    document = Document((Action("create", "src/a.py", "x = 1\n"),))
    with suppress(RenderError):
        write_format(document, name)
        assert count_calls(lambda: write_format(document, name)) < 4_000


@given(st.sampled_from(SAMPLES), st.floats(0.3, 0.99))
def test_what_a_cut_text_gives_is_right_or_not_complete(sample: Sample, share: float) -> None:
    text = sample.text[: int(len(sample.text) * share)]
    for action in read_format(text).actions:
        is_right = (action.type, action.path, action.content) in sample.actions
        assert is_right or action.completeness is not Completeness.COMPLETE or action.type == "run"


@given(st.lists(st.sampled_from(MARKS), max_size=12).map("\n".join))
def test_paths_are_texts_of_the_reply(text: str) -> None:
    for action in read_format(text).actions:
        assert action.path in text or json.dumps(action.path)[1:-1] in text
        assert action.confidence < 0.9


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    document = read_format(text)
    assert all(section.span.end <= len(text) for section in document.sections)


@pytest.mark.parametrize(
    "part",
    [
        "<tool_call>\n<function=write>\n<parameter=path>\n",
        "a.py\n```\n",
        "a.py\n<<<<<<< SEARCH\n",
        "<write_to_file>\n<path>a</path>\n",
        '{"name": "write_file", "arguments": {"path": "a',
        "{\n",
        '{"\n',
        "a/",
        "\u200b<tool_call>",
        "</file>\n",
        '{"name": "write_file" ',
        "[a(\n",
        "[a(b=1)\n",
        '[a(b="\n',
        "[a(b=[[[[\n",
        "[a(b=1,#\n",
        '```tool_code\na(b="""\n',
        "<|im_start|>",
        "<parameter=x>\n</parameter>\n",
        "cat > a << EOF\n",
        "*** Update File: a\n@@\n",
        "*** Update File: a\n@@\n-x\n+y\nz\n",
        "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\nz\n",
        "```diff\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\nz\n",
    ],
)
def test_the_time_is_linear(part: str) -> None:
    """A text that is four times as long may take ten times as long; a quadratic reader takes sixteen times."""
    times = []
    for size in (20_000, 80_000):
        text = part * (size // len(part))
        begun = time.process_time()
        read_format(text)
        times.append(time.process_time() - begun)
    assert times[1] < max(10 * times[0], 0.5)


@pytest.mark.parametrize("name", OWN)
def test_a_format_of_a_user_is_one_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.lark"
    path.write_text(OWN[name], "utf-8")
    assert is_format(OWN[name])
    edit = Action("edit", "a.py", edits=(Replacement("x = 1\n", "x = 2\n", lines=True),))
    actions = {"team_change": edit}
    action = actions.get(name, Action("create", "a.py", "def f():\n    return 1\n\nprint(f())"))
    text = write_format(Document((action,)), path)
    result = process(f"I do it.\n{text}Done.\n", format=path)
    (loaded,) = result.document.actions
    assert (loaded.type, loaded.path) == (action.type, "a.py")
    assert loaded.edits == action.edits
    if not action.edits:
        assert loaded.content == action.content
    cut = read_format(text[: len(text) * 3 // 4], path)
    assert all(action.completeness is not Completeness.COMPLETE for action in cut.actions)


@pytest.mark.parametrize(
    "heading",
    [
        "### Create {}",
        "### {}. Create `src/{}`",
        "**Create `{}`:**",
        "**File: {}**",
        "- New file: `{}`",
        "1. Write {} with this content:",
        "Save as {}:",
        "Adding `{}`:",
    ],
)
@given(count=st.integers(1, 6), between=st.sampled_from(["\n", "\n\n", "\nThe next one:\n\n"]))
def test_each_file_under_a_heading_is_an_action(heading: str, count: int, between: str) -> None:
    """`Create` is close to a verb of dialects, which read one of these files and left out the others."""
    parts = []
    for number in range(count):
        name = f"file_{number}.py"
        line = heading.replace("{}", str(number), heading.count("{}") - 1).replace("{}", name)
        parts.append(f"{line}\n\n```python\nx = {number}\n```\n")
    document = process("Here they are.\n\n" + between.join(parts)).document
    assert [action.path.rpartition("/")[2] for action in document.actions] == [f"file_{i}.py" for i in range(count)]
    assert [action.content for action in document.actions] == [f"x = {i}" for i in range(count)]


def test_a_dialect_is_not_a_format() -> None:
    assert find_format("v2") is None
    assert find_format("auto") is None
    assert find_format("nothing") is None
    with pytest.raises(GrammarError, match="no format is called"):
        load_format("nothing")


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
def test_process_reads_a_named_format(sample: Sample) -> None:
    result = process(sample.text, format=sample.format)
    assert tuple(said(result.document)) == sample.actions
    assert recover(sample.text, sample.format).actions == result.document.actions


def test_a_named_format_may_be_certain() -> None:
    text, *_ = [sample.text for sample in SAMPLES if sample.format == "harmony"]
    (action,) = process(text, format="harmony").document.actions
    assert action.confidence == NAMED_BY_CALLER
    assert parse(text, "harmony").actions == (action,)
    with pytest.raises(ParseError, match="format harmony"):
        parse(f"Well.\n{text}", "harmony")
    with pytest.raises(ProtocolError, match="format harmony"):
        process("Well.\n", format="harmony")


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
def test_process_reads_a_reply_without_our_sections(sample: Sample) -> None:
    if sample.text.startswith("Do it"):
        pytest.skip("a shell fence needs no verb")
    result = process(f"I will do it now.\n\n{sample.text}")
    assert [row[1] for row in said(result.document)] == [row[1] for row in sample.actions]
    assert result.confidence < 0.9


def test_convert_writes_a_format() -> None:
    text = ">> I do it\n::create @a.py\n<<<\nx = 1\n>>>\n"
    converted = convert(text, "v2", "qwen_xml")
    assert said(converted.document) == [("create", "a.py", "x = 1")]
    assert [loss.code for loss in converted.losses] == ["lost-text"]
    assert convert(converted.text, "qwen_xml", "v2").text == "::create @a.py\n<<<\nx = 1\n>>>\n"
    with pytest.raises(RenderError, match="heredoc cannot express"):
        convert("::delete @a.py\n", "v2", "heredoc")


OURS = "::create @b.py\n<<<\nx = 1\n>>>\n"
# Formats whose contents may be any text, and with marks around them.
AROUND = ("qwen_xml", "invoke_xml", "hermes_json", "apply_patch", "file_tags", "harmony")


@pytest.mark.parametrize("name", AROUND)
def test_sections_of_ours_in_a_content_are_a_content(name: str) -> None:
    action = Action("create", "guide.md", f"# Guide\n\nWrite it so:\n\n{OURS}\nThat is all.")
    text = write_format(Document((action,)), name)
    (loaded,) = process(f"I write the guide.\n\n{text}").document.actions
    assert (loaded.type, loaded.path, loaded.content) == (action.type, action.path, action.content)


@pytest.mark.parametrize("name", AROUND)
def test_the_notation_that_begins_first_owns_the_reply(name: str) -> None:
    text = write_format(Document((Action("create", "a.py", "x = 1"),)), name)
    ours = process(f"{OURS}\nThen:\n\n{text}").document
    assert "b.py" in {action.path for action in ours.actions}
    result = process(f"{text}\nThen:\n\n{OURS}")
    if name == "apply_patch":
        # A reply may only show a patch.
        assert "b.py" in {action.path for action in result.document.actions}
        return
    assert [action.path for action in result.document.actions] == ["a.py"]
    (lost,) = [finding for finding in result.diagnostics if finding.code == "lost-action"]
    assert lost.severity == "warning" and result.text[lost.span.start :].startswith(OURS.lstrip()[:8])
    assert result.confidence < result.document.actions[0].confidence


def test_a_thought_of_another_agent_does_not_hide_its_command() -> None:
    text = "THOUGHT: I look at the tests first.\n\n```bash\npytest -q\n```\n"
    assert said(process(text).document) == [("run", "pytest -q", None)]


def test_a_question_of_ours_is_why_there_is_no_action() -> None:
    text = 'Hm.\n\n? "Shall I write it?"\n\n`a.py`\n\n```\nx = 1\n```\n'
    document = process(text).document
    assert document.questions
    assert document.actions == ()


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
def test_a_whole_sample_has_no_broken_section(sample: Sample) -> None:
    assert "broken-section" not in {finding.code for finding in read_format(sample.text).diagnostics}


@pytest.mark.parametrize(
    "text",
    [
        "*** Update File: a.py\nThis is no patch.\n",
        "I try:\n\n<function=write_file\n<parameter=path>a.py</parameter>\n</function>\n",
        "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n",
    ],
)
def test_a_mark_that_is_left_unread_is_reported(text: str) -> None:
    assert "broken-section" in {finding.code for finding in read_format(text).diagnostics}


def test_a_mark_in_a_sentence_is_not_reported() -> None:
    document = read_format("Each file begins with `*** Update File: a.py`, as you know.\n")
    assert {finding.code for finding in document.diagnostics} == {"outside-layout"}


def damage(sample: Sample) -> Iterator[str]:
    """Yield a sample with one mark gone, doubled, or misspelled by a letter, and all texts that it begins with."""
    marks: set[str] = set()
    for section in formats()[sample.format].sections:
        marks |= {*section.opener_texts, *section.mark_texts, *section.inner_marks}
    ignored = ("a/", "b/") if "/dev/null" in sample.text else ()  # only one heading has the name
    for mark in sorted(mark for mark in marks if len(mark.strip()) > 1 and mark not in ignored):
        for match in re.finditer(re.escape(mark), sample.text):
            before, after = sample.text[: match.start()], sample.text[match.end() :]
            yield before + after
            yield before + 2 * mark + after
            # A letter in place of a blank belongs to the word beside it, which may be a path.
            for place in (place for place, sign in enumerate(mark) if sign != " "):
                yield f"{before}{mark[:place]}{mark[place + 1 :]}{after}"
                yield f"{before}{mark[:place]}x{mark[place + 1 :]}{after}"
    for end in range(1, len(sample.text)):
        yield sample.text[:end]


def same_action(action: Action, sample: Sample) -> bool:
    """Return whether an action is one of a sample; marks of blocks may have other lengths."""
    row = (action.type, action.path, RUNS.sub(lambda match: 5 * match[0][0], action.content or ""))
    return row in {
        (verb, path, RUNS.sub(lambda match: 5 * match[0][0], text or "")) for verb, path, text in sample.actions
    }


RUNS = re.compile(r"([<=>-])\1{4,}")


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
def test_no_damaged_mark_gives_a_wrong_action_silently(sample: Sample) -> None:
    for text in damage(sample):
        try:
            result = process(text, format=sample.format)
        except ProtocolError:
            continue
        warned = any(finding.severity != Severity.NOTE for finding in result.diagnostics)
        for action in result.document.actions:
            is_whole = action.completeness is Completeness.COMPLETE
            assert same_action(action, sample) or not is_whole or warned, (text, action)


def test_compiled_formats_can_be_kept() -> None:
    """Tables that are not JSON are compiled anew in each program, which takes long."""
    for path in sorted(Path("grammars/formats").glob("*.lark")):
        data = compile_format(path).to_data()
        assert json.loads(json.dumps(data)) == data
