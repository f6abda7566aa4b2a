"""Contents without an end that a stream may give out, and lines that may have a damaged mark."""

from __future__ import annotations

import pytest

from symops_lark.core.formats.loading import all_sections, load_format
from symops_lark.core.formats.open_contents import NearMarks, find_open_content
from symops_lark.core.patterns.regexes import compile_pattern

LINES = "".join(f"x{number} = {number}\n" for number in range(8))
FEWER = LINES.removesuffix("x7 = 7\n")
# Beginnings of files, up to their content.
OPENERS = {
    "heredoc": "cat > a.py << 'EOF'\n",
    "file_tags": '<file path="a.py">\n',
    "named_fences": "a.py\n```python\n",
    "qwen_xml": "<tool_call>\n<function=write_file>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\n",
    "tag_calls": "<write_file>\n<path>a.py</path>\n<content>\n",
}
ENDS = {
    "heredoc": "EOF\n",
    "file_tags": "</file>\n",
    "named_fences": "```\n",
    "qwen_xml": "</parameter>\n</function>\n</tool_call>\n",
    "tag_calls": "</content>\n</write_file>\n",
}


def is_open(name: str, text: str) -> bool:
    return find_open_content(text, load_format(name).sections) is not None


@pytest.mark.parametrize("name", OPENERS)
def test_a_file_without_an_end_has_an_open_content(name: str) -> None:
    before = "I write it.\n\n"
    text = before + OPENERS[name] + LINES
    place = find_open_content(text, load_format(name).sections)
    assert place is not None
    assert (place.begin, place.start) == (len(before), len(text) - len(LINES))
    match = compile_pattern(place.ending.pattern).search(text + ENDS[name], place.start)
    assert match is not None and len(text) - 1 <= match.start() <= len(text)
    assert not is_open(name, text + ENDS[name])
    # The last section counts.
    first = OPENERS[name] + LINES + ENDS[name]
    place = find_open_content(first + text.replace("a.py", "b.py"), load_format(name).sections)
    assert place is not None and place.begin == len(first + before)


@pytest.mark.parametrize("name", OPENERS)
def test_the_first_lines_must_be_there_and_show_no_edit(name: str) -> None:
    opener = OPENERS[name]
    assert is_open(name, opener + LINES)
    assert not is_open(name, opener + FEWER)
    # Blank lines before the text do not count.
    assert not is_open(name, f"{opener}\n\n{FEWER}")
    assert is_open(name, f"{opener}\n\n{LINES}")
    assert not is_open(name, f"{opener}<<<<<<< SEARCH\n{LINES}")
    assert not is_open(name, f"{opener}# a SEARCH\n{LINES}")
    assert is_open(name, f"{opener}{LINES}<<<<<<< SEARCH\n")


def test_a_text_without_a_section_has_no_open_content() -> None:
    assert not is_open("heredoc", LINES)
    assert not is_open("heredoc", "")


@pytest.mark.parametrize(
    ("name", "opener"),
    [
        # An indentation may be taken off at the end.
        ("named_fences", "a.py\n  ```python\n"),
        ("file_tags", '  <file path="a.py">\n'),
        # What is not a file to write.
        ("file_tags", '<edit path="a.py">\n'),
        ("file_tags", '<file path="a.py" action="delete">\n'),
        ("file_tags", '<file path="a.py" lines="2-3">\n'),
        ("file_tags", '<boltAction type="shell">'),
        ("named_fences", "```bash\n"),
        ("apply_patch", "*** Update File: a.py\n@@\n"),
        ("qwen_xml", OPENERS["qwen_xml"].replace("write_file", "frobnicate")),
        ("qwen_xml", OPENERS["qwen_xml"].replace("write_file", "edit_file")),
        # Another value than the content, or one that does not count.
        ("qwen_xml", OPENERS["qwen_xml"].replace("=content", "=mode")),
        ("qwen_xml", OPENERS["qwen_xml"] + "x = 1\n</parameter>\n<parameter=content>\n"),
        ("qwen_xml", OPENERS["qwen_xml"] + f"{LINES}\n</parameter>\n<parameter=content>\n"),
        ("qwen_xml", OPENERS["qwen_xml"] + f"{LINES}\n</parameter>\n<parameter=reason>\n"),
        ("qwen_xml", OPENERS["qwen_xml"] + "x = 1\n</parameter>\n<parameter=text>\n"),
        ("qwen_xml", OPENERS["qwen_xml"] + "x = 1\n</parameter>\n<parameter=reason>\n"),
    ],
)
def test_what_may_become_something_else_is_not_given_out(name: str, opener: str) -> None:
    assert not is_open(name, opener + LINES)


def test_a_content_with_signs_or_a_json_text_is_not_given_out() -> None:
    assert not is_open("apply_patch", "*** Add File: a.py\n" + LINES.replace("x", "+x"))
    text = '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.py", "content": "\n'
    assert not is_open("hermes_json", text + LINES)


def test_a_mark_that_is_nearly_right_may_end_a_content() -> None:
    text = OPENERS["qwen_xml"] + LINES
    assert not is_open("qwen_xml", text + "</parametr>\n")
    assert is_open("qwen_xml", text + "</paragraph>\n")


# ---- lines with marks that are nearly right


def finder(text: str) -> NearMarks:
    return NearMarks(text, list(all_sections()))


@pytest.mark.parametrize(
    "line", ["</parametr>", "x = 1 </paramater>", "</PARAMETER>", "</fucntion>", "<tool_cal>", "/tool_call>"]
)
def test_a_mark_that_is_nearly_right_is_seen_in_a_line(line: str) -> None:
    assert finder(OPENERS["qwen_xml"]).are_in(line)


@pytest.mark.parametrize("line", ["x = 1", "", "</parameter>", "parameter", "</p>", "<file>", "</contnt>"])
def test_other_lines_have_no_such_mark(line: str) -> None:
    assert not finder(OPENERS["qwen_xml"]).are_in(line)


def test_only_the_formats_count_of_which_the_text_has_a_mark() -> None:
    line = "</origina>"
    assert not finder(OPENERS["qwen_xml"]).are_in(line)
    assert finder("<original>\n").are_in(line)
    for text in ("", "Some prose.\n"):
        assert not finder(text).are_in(line)
        assert not finder(text).are_in("</parametr>")
