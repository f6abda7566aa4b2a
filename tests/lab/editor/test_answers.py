"""No request fails: any text of any kind of file, at any place."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symops_lark import SymOpsError
from symops_lark.core.grammar.tokens import split
from symops_lark.core.ground.resources import find_folder
from symops_lark.core.processor import SymOpsProcessor
from symops_lark.lab.editor.answers import write_snippet
from symops_lark.lab.editor.completion import find_proposals
from symops_lark.lab.editor.definitions import find_definitions
from symops_lark.lab.editor.diagnostics import find_problems
from symops_lark.lab.editor.edited_file import EditedFile, Kind
from symops_lark.lab.editor.formatting import format_text
from symops_lark.lab.editor.hover import find_hover
from symops_lark.models.prompts.template import quote

GRAMMARS = find_folder("grammars")
RULES = find_folder("repair_rules")
PROCESSOR = SymOpsProcessor()
REPLY = "::create @a.py\n<<<\nx = 1\n>>>\n::edit @b.py > a.py\n<<<\ny\n>>>\n? Which?\n  1. a\n"
SAMPLES = {
    "a.symops": REPLY,
    "mine.lark": '%import .v2\n// Why.\n%override _OPEN: "BEGIN"\nextra: (NUMBER | "x")*\n',
    "mine_recovery.lark": (GRAMMARS / "v1_recovery.lark").read_text("utf-8")[:1500],
    "format.lark": (GRAMMARS / "formats" / "heredoc.lark").read_text("utf-8"),
    "rule.yaml": (RULES / "delimiters" / "missing-closer.yaml").read_text("utf-8"),
    "tools.yaml": (GRAMMARS / "formats" / "tools.yaml").read_text("utf-8"),
}
INSERTED = st.text(st.sampled_from("a:@>%.|\\/\"'(){}[]$`\n\r\t \x00\x0c\u2028😀\ud83d") | st.characters(), max_size=6)


@st.composite
def damaged_files(draw: st.DrawFn) -> EditedFile:
    """Draw a file of one kind, with some parts cut out and others put in."""
    name, text = draw(st.sampled_from(sorted(SAMPLES.items())))
    for _ in range(draw(st.integers(0, 3))):
        first = draw(st.integers(0, len(text)))
        last = first + draw(st.integers(0, 12))
        text = text[:first] + draw(INSERTED) + text[last:]
    return EditedFile(Path("/nowhere") / name, text)


@pytest.mark.slow
@given(damaged_files(), st.integers(0, 3000))
@settings(deadline=None)
def test_no_request_fails(file: EditedFile, offset: int) -> None:
    offset = min(offset, len(file.text))
    hover = find_hover(file, offset, PROCESSOR)
    if hover is not None:
        assert hover.markdown and 0 <= hover.start <= offset <= hover.end <= len(file.text)
    for proposal in find_proposals(file, offset, PROCESSOR):
        assert 0 <= proposal.start <= offset
        assert "\n" not in file.text[proposal.start : offset]  # the protocol wants a range of one line
    for target in find_definitions(file, offset, PROCESSOR):
        assert 0 <= target.start <= target.end <= len(target.text)
    for problem in find_problems(file, PROCESSOR, is_quick=True):
        assert 0 <= problem.start <= problem.end <= len(file.text)
        assert problem.message
    try:
        formatted = format_text(file, PROCESSOR)
    except SymOpsError:
        return
    repeated = format_text(EditedFile(file.path, formatted), PROCESSOR)
    if file.kind is not Kind.REPLY:
        assert repeated == formatted


# The grammar of conditions has a start rule of another name, which `symops grammar check` wants to be told.
INSTALLED = [path for path in sorted(GRAMMARS.rglob("*.lark")) if path.parent.name != "conditions"]


@pytest.mark.slow
@pytest.mark.parametrize("path", INSTALLED, ids=lambda path: path.stem)
def test_installed_grammars_have_no_mistake_of_syntax(path: Path) -> None:
    """The quick check reports nothing that Lark accepts, and formatting changes no token."""
    text = path.read_text("utf-8")
    file = EditedFile(path, text)
    assert find_problems(file, PROCESSOR, is_quick=True) == []
    blanks = EditedFile(path, text.replace("\n", " \t\n") + "\n\n")
    assert [word.text for word in split(format_text(blanks, PROCESSOR)).words] == [
        word.text for word in split(text).words
    ]


@pytest.mark.parametrize(
    ("text", "formatted"),
    [
        ("a: b \r\nc: d\r\n\r\n", "a: b\r\nc: d\r\n"),
        ("a: b \n\n", "a: b\n"),
        ("// a\r// b\r\r", "// a\r// b\r"),
        ("a: b", "a: b\n"),
    ],
)
def test_formatting_keeps_the_endings_of_lines(text: str, formatted: str) -> None:
    assert format_text(EditedFile(Path("a.lark"), text), PROCESSOR) == formatted


@pytest.mark.parametrize("blanks", ["\n", " ", "\t\r\n"])
def test_formatting_takes_linear_time(blanks: str) -> None:
    text = f"a: b\n{blanks * 60_000}c: d\n"
    begun = time.process_time()
    format_text(EditedFile(Path("a.lark"), text), PROCESSOR)
    assert time.process_time() - begun < 1  # 15 s and more, if each blank begins a search


def test_half_a_reply_is_answered_quickly() -> None:
    """Each request about a text of 200 lines that is new each time takes less than 50 ms of the processor."""
    text = "".join(f"::create @f{number}.py\n<<<\nx = {number}\n>>>\n\n" for number in range(40))
    text += "::edit @f3.py > f1.py\n<<<\ny ="
    times = []
    for number in range(6):
        file = EditedFile(Path("half.symops"), text + "1" * number)
        begun = time.process_time()
        assert find_hover(file, text.index("::edit") + 3, PROCESSOR) is not None
        assert find_definitions(file, text.index("> f1") + 3, PROCESSOR) != []
        assert find_proposals(file, text.index("> f1") + 2, PROCESSOR) != []
        times.append(time.process_time() - begun)
    assert min(times) < 0.05


def propose(text: str, dialect: str) -> set[str]:
    """Return the labels that are proposed at the end of a text."""
    return {proposal.label for proposal in find_proposals(EditedFile(HERE, text), len(text), SymOpsProcessor(dialect))}


HERE = Path("/nowhere/a.symops")
FILES = {
    "v2": "::create @a.py\n<<<\nx = 1\n>>>\n\n",
    "v2_attributes": "::create\n  @path: a.py\n<<<\nx = 1\n>>>\n\n",
    "plain": "[ACTION_TYPE] create\n[ACTION_PATH] a.py\n[CONTENT_START]\nx = 1\n[CONTENT_END]\n\n",
}


@pytest.mark.parametrize(
    ("dialect", "line", "is_path"),
    [
        ("v2", ">", False),
        ("v2", ">>", False),
        ("v2", ">> Hello, ", False),
        ("v2", "? a, ", False),
        ("v2", "? why > b", False),
        ("v2", "Hello, ", False),
        ("v2", "! Slow, but ", False),
        ("v2", "::", False),
        ("v2", "::edit @", True),
        ("v2", "  ::edit @b.py > ", True),
        ("v2", "::edit @b.py > c.py, ", True),
        ("v2", "! Slow @ ", True),
        ("v2_attributes", "::edit\n  @deps: ", True),
        ("plain", "[REASONING] Hello, ", False),
        ("plain", "[ACTION_TYPE] edit\n[ACTION_PATH] ", True),
        ("plain", "[ACTION_TYPE] edit\n[ACTION_PATH] b.py\n[ACTION_DEPENDS] c.py, ", True),
    ],
)
def test_paths_are_proposed_only_where_a_path_is_written(dialect: str, line: str, is_path: bool) -> None:
    labels = propose(FILES[dialect] + line, dialect)
    assert labels == {"a.py"} if is_path else "a.py" not in labels
    assert is_path or "thought" in labels


@pytest.mark.parametrize(("action", "name"), [("@test_a.py > a.py", "> a"), ("@lib/a.py > b.py, a.py", ", a")])
def test_a_dependency_is_defined_and_a_path_that_ends_like_it_is_not(action: str, name: str) -> None:
    text = f"::create @a.py\n<<<\nx\n>>>\n\n::create {action}\n<<<\n\n>>>\n"
    file, processor = EditedFile(HERE, text), SymOpsProcessor("v2")
    (target,) = find_definitions(file, text.index(name) + 3, processor)
    assert target.start == 0
    assert find_definitions(file, text.index(action) + 9, processor) == []


def test_an_empty_content_has_no_line() -> None:
    text = "::create @a.py\n<<<\n>>>\n"
    hover = find_hover(EditedFile(HERE, text), 3, PROCESSOR)
    assert hover is not None and "content: empty" in hover.markdown


def test_an_address_that_no_path_has_is_answered() -> None:
    file = EditedFile(Path("/nowhere/a\0.yaml"), SAMPLES["rule.yaml"])
    assert file.kind is Kind.RULE and not file.is_saved
    assert [problem.code for problem in find_problems(file, PROCESSOR)] == ["rule"], "the name is another one"


def test_a_snippet_escapes_the_signs_of_snippets() -> None:
    assert write_snippet("$ create @ path\n}\\\ncontent") == "\\$ create @ ${1:path}\n\\}\\\\\n${2:content}"


@pytest.mark.parametrize("text", ["a", "`", "``a`b", "\\"])
def test_code_of_markdown_shows_any_text(text: str) -> None:
    from markdown_it import MarkdownIt

    [_, inline, _] = MarkdownIt().parse(quote(text))
    assert inline.children is not None
    [code] = inline.children
    assert (code.type, code.content) == ("code_inline", text)
