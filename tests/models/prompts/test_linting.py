"""The lint of prompts: what it finds, where, and what it leaves alone."""

from __future__ import annotations

import json

import pytest
from counting import count_calls
from hypothesis import given, settings
from hypothesis import strategies as st

from symops_lark import Source
from symops_lark.models.prompts.linting.chat import read_chat
from symops_lark.models.prompts.linting.lint import lint_prompt

GOOD = ">> go\n\n::c0.9\n\n::create @a.py\n<<<\nx = 1\n>>>\n"
OLD = "~ go\n\n#c0.9\n\n$ create @ a.py\n--\nx = 1\n--\n"


def find(text: str, format: str = "v2") -> list[str]:
    """Give `line:column code` for each finding that is no note."""
    diagnostics = lint_prompt(text, format).diagnostics
    return [f"{d.span.line}:{d.span.column} {d.code}" for d in diagnostics if d.severity != "note"]


FOUND = {
    "loose": ("You write:\n\n::create @a.py\n<\nx\n>>>\n", ["4:1 stray-text"]),
    "unclosed": ("Say it so:\n\n::create @a.py\n<<<\nx\n", ["4:1 missing-closer"]),
    "fenced": ("```\n::Create @a.py\n<<<\nx\n>>>\n```\n", ["2:1 capital-verb"]),
    "fence-in-a-list": ("- so:\n  ```\n  ::create @a.py\n  <<<\n  x\n  ```\n", ["4:3 missing-closer"]),
    "fence-for-block": ("Like this:\n\n::create @a.py\n```python\nx\n```\n", ["4:1 code-fence"]),
    "tagged": ("<reply>\nSure!\n" + GOOD + "</reply>\n", ["2:1 stray-text"]),
    "mark-missing": ("~~~\ncreate @a.py\n<<<\nx\n>>>\n~~~\n", ["2:1 missing-action-mark"]),
    "old-example": ("Example:\n\n" + OLD, ["5:1 stale-mark"]),
    "old-example-in-a-fence": ("```\n" + OLD + "```\n", ["4:1 stale-mark"]),
    "old-line": (GOOD + "\n$ run @ pytest\n", ["10:1 stale-mark"]),
    "old-mark-in-prose": ("Begin a thought with `~`.\n", ["1:23 stale-mark"]),
    "old-line-in-prose": ("Write `$ edit @ b.py` to edit.\n", ["1:8 stale-mark"]),
    "tag-in-prose": ("Then comes `[CONTENT_START]`.\n", ["1:13 stale-mark"]),
    "newer-mark-in-prose": ("End the block by `>>>END`.\n", ["1:19 stale-mark"]),
    "validator": ("```\n::create @a.py\n```\n", ["2:1 missing-content"]),
    "validator-warns": ("```\n::destroy @a.py\n```\n", ["2:1 unknown-verb"]),
    "vitals": ("<reply>\n::c85\n</reply>\n", ["2:1 vitals-out-of-range"]),
    "result-in-turn": ("User: a\nAssistant: ::run @ls\nResult: a.py\nUser: b\n", ["3:1 tool-result-in-reply"]),
    "result-in-thought": ("<reply>\n::run @ls\n>> Output: a.py\n</reply>\n", ["3:4 tool-result-in-reply"]),
    "pytest-summary": ("<reply>\n::test @pytest\n== 3 passed in 0.1s ==\n</reply>\n", ["3:1 tool-result-in-reply"]),
    "traceback": ("<reply>\n>> a\nTraceback (most recent call last):\n</reply>\n", ["3:1 tool-result-in-reply"]),
    "tool-tag": ("<reply>\n>> a\n<tool_result>\n</reply>\n", ["3:1 tool-result-in-reply"]),
    "user-in-reply": ("<reply>\n>> a\nUser: and now?\n</reply>\n", ["3:1 other-speaker-in-reply"]),
    "placeholder-path": ("```\n::delete @[path]\n::delete @b.py\n```\n", ["2:1 placeholder-in-example"]),
    "placeholder-content": ("```\n::create @a.py\n<<<\n[code]\n>>>\n```\n", ["4:1 placeholder-in-example"]),
    "elision": ("```\n::edit @a.py\n<<<\nx\n# ... rest of the code\n>>>\n```\n", ["4:1 placeholder-in-example"]),
    "empty": ("<reply>\n\n \n</reply>\nUser: a\nAssistant:\nUser: b\n", []),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_the_lint_finds(name: str) -> None:
    text, expected = FOUND[name]
    assert find(text) == expected


CLEAN = {
    "nothing": "",
    "prose": "You are a helpful assistant. Be brief; C++ writes std::move(x), shells write $ ls.\n",
    "good": GOOD,
    "good-in-a-fence": f"```text\n{GOOD}```\n",
    "good-turns": f"User: a\n\nAssistant: {GOOD}\nUser: b\n\nAssistant:\n{GOOD}",
    "windows": f"<reply>\n{GOOD}</reply>\n".replace("\n", "\r\n"),
    "denied": "Write `>>`, not `~`, before a thought. Never begin an action with `$`.\n",
    "own-marks": "A thought begins with `>>`, an action with `::`, a block with `<<<`.\n",
    "marks-of-others-things": "Options begin with `--`, the home folder is `~`, variables are `$HOME`.\n",
    "other-code": "```python\n>>> x = 1\n```\n\n```sh\n$ ls\n```\n\n```cpp\n::std::move(x);\n```\n",
    "doctest-in-content": "```\n::create @a.md\n<<<\n>>> f()\nResult: 1\nUser: hi\n$ create @ b\n# ok\n>>>\n```\n",
    "form": ">> [what you think]\n\n::c[0-1] ::m[0-1]\n\n::[verb] @[path] >[path]\n<<<\n[text]\n>>>\n",
    "form-that-parses": "```\n::create @[path]\n<<<\n[text of the file]\n>>>\n```\n",
    "users-words": "<request>\nResult: x\n$ create @ a\n</request>\n<file path='a'>\n```\n::Create\n```\n</file>\n",
    "python-ellipsis": "```\n::create @a.py\n<<<\nclass A:\n    ...\n>>>\n```\n",
    "markdown": "# Title\n\n> quoted\n\n- a\n- b\n\n---\n\n| a | b |\n|---|---|\n\n1. x\n",
}


@pytest.mark.parametrize("name", CLEAN)
def test_what_the_lint_leaves_alone(name: str) -> None:
    assert lint_prompt(CLEAN[name], "v2").diagnostics == ()


def test_a_form_is_still_read() -> None:
    """Placeholders hide no other mistake of a form: here a lone opener of one sign."""
    text = "::c[0-1]\n\n::action @[path]\n<\n[text]\n>>>\n"
    [finding] = [d for d in lint_prompt(text, "v2").diagnostics if d.severity == "error"]
    assert (finding.span.line, finding.hint) == (4, "it would be: <<<")


def test_repairs_are_suggested() -> None:
    findings = lint_prompt("```\n::Create @a.py\n<<<\nx\n>>>\n- ::delete @`b.py`\n```\n", "v2").diagnostics
    assert findings[0].hint == "it would be: ::create @a.py" and findings[0].span.line == 2
    assert [(d.severity, d.hint) for d in findings[1:]] == [("note", "it would be: ::delete @b.py")] * len(findings[1:])
    assert len(findings) > 1 and {d.span.line for d in findings[1:]} == {6}


def test_a_dependency_that_may_exist_is_only_noted() -> None:
    linted = lint_prompt(f"```\n{GOOD.replace('@a.py', '@a.py >b.py')}```\n", "v2")
    assert linted.clean and [(d.code, d.severity) for d in linted.diagnostics] == [("dangling-dependency", "note")]


def test_stale_examples_name_the_conversion() -> None:
    [finding] = lint_prompt("```\n" + OLD + "```\n", "v2").diagnostics
    assert finding.message == "this example is v1, not v2"
    assert finding.hint == "`symops convert --format v1 --to v2` rewrites it"


@pytest.mark.parametrize(("mine", "other", "text"), [("v1", "v2", GOOD), ("plain", "v1", OLD), ("v2", "v2_1", "")])
def test_every_dialect_has_strangers(mine: str, other: str, text: str) -> None:
    text = text or "::1 create @a.py\n<<<\nx\n>>>\n"
    assert [d.code for d in lint_prompt(f"<reply>\n{text}</reply>\n", mine).diagnostics][:1] == ["stale-mark"]
    assert lint_prompt(f"<reply>\n{text}</reply>\n", other).diagnostics == ()


# ---- chats


def chat(*turns: tuple[str, object]) -> list[dict[str, object]]:
    return [{"role": role, "content": content} for role, content in turns]


BAD_TURNS = chat(
    ("system", "Use `~` for a thought."),
    ("user", "Result: mine to say"),
    ("assistant", GOOD),
    ("user", OLD),
    ("assistant", '>> \U0001f600 "q"\n::run @ls\nOutput: a b\n'),
)
WANTED = ["stale-mark", "tool-result-in-reply"]


@pytest.mark.parametrize("form", ["indented", "tabs", "one-line", "escaped", "lines", "wrapped", "pairs"])
def test_chats_in_json(form: str) -> None:
    text = {
        "indented": json.dumps(BAD_TURNS, indent=2, ensure_ascii=False),
        "tabs": json.dumps(BAD_TURNS, indent="\t"),
        "one-line": json.dumps(BAD_TURNS),
        "escaped": json.dumps(BAD_TURNS, indent=2),
        "lines": "\n".join(json.dumps({"messages": [turn]}) for turn in BAD_TURNS) + "\n",
        "wrapped": json.dumps({"model": "x", "messages": BAD_TURNS}, indent=1),
        "pairs": json.dumps(
            [
                {"system": "Use `~` for a thought.", "user": "Result: x", "assistant": ""},
                {"prompt": "Result: y", "completion": ">> a\nOutput: a b\n"},
            ],
            indent=1,
        ),
    }[form]
    findings = [d for d in lint_prompt(text, "v2").diagnostics if d.severity != "note"]
    assert [d.code for d in findings] == WANTED
    for finding, words in zip(findings, ("~", "Output: a b"), strict=True):
        assert text[finding.span.start : finding.span.end] == words


YAML = """\
# a few-shot file
- role: system
  content: Use `~` for a thought.
- role: user
  content: "Result: mine"
- role: assistant
  content: |
    >> go

    ::create @a.py
    <<<
    def f():
        return 1
    >>>
    Output: a b
- role: assistant
  content: >
    Sure, folded.
"""


def test_chats_in_yaml() -> None:
    diagnostics = [d for d in lint_prompt(YAML, "v2").diagnostics if d.severity != "note"]
    assert [(d.code, d.span.line) for d in diagnostics] == [
        ("stale-mark", 3),
        ("tool-result-in-reply", 15),
        ("stray-text", 18),
    ]
    assert [YAML[d.span.start : d.span.end] for d in diagnostics[:2]] == ["~", "Output: a b"]


def test_parts_of_messages() -> None:
    fields = {"type": "text", "text": GOOD}
    result = {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "3 passed"}]}
    call = {"type": "tool_use", "id": "1", "name": "ls", "input": {}, "content": "x"}
    good = chat(("assistant", [fields, call]), ("user", [result]), ("tool", "3 passed"))
    assert lint_prompt(json.dumps(good), "v2").diagnostics == ()
    bad = chat(("assistant", [fields, result]), ("user", [call]))
    assert [d.code for d in lint_prompt(json.dumps(bad), "v2").diagnostics] == [
        "tool-result-in-reply",
        "reply-in-user-turn",
    ]


NO_CHATS = ("[1, 2]", "{}", "[", '{"role": 1}', '{"a": "b"}\n{', "role: x", "- role: user\n  x: [")


@pytest.mark.parametrize("text", NO_CHATS)
def test_what_is_no_chat(text: str) -> None:
    assert read_chat(text) is None
    lint_prompt(text, "v2")


def test_places_after_a_byte_order_mark_and_signs_beyond_the_plane() -> None:
    text = "\ufeff" + json.dumps(chat(("assistant", ">> \U0001d11e\nOutput: x")))
    [finding] = [d for d in lint_prompt(text, "v2").diagnostics if d.severity != "note"]
    assert text[finding.span.start : finding.span.end] == "Output: x"


# ---- any text


LINES = (
    "<reply>",
    "</reply>",
    "User: a",
    "Assistant: ::run @x",
    "Assistant:",
    "```",
    "````x",
    "# t",
    "<<<",
    ">>>",
    "--",
    "  ::Create @a",
    "::create @a.py",
    "$ create @ a.py",
    "::[x] @[y",
    "Result: x",
    "`$ edit @ b` action",
    "<file x='y'>",
    "::x",
    "",
    "[ACTION_TYPE] create",
    "\ufeff",
    "- role: user",
    "  content: |",
    "\r",
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(LINES) | st.text(max_size=5), max_size=15), st.sampled_from(("v2", "v1")))
def test_any_text_is_read_and_every_place_is_in_it(lines: list[str], format: str) -> None:
    text = "\n".join(lines)
    source = Source(text)
    for finding in lint_prompt(text, format).diagnostics:
        span = finding.span
        assert 0 <= span.start <= span.end <= len(text) and source.place(span.start) == (span.line, span.column)


@pytest.mark.slow
def test_the_lint_takes_linear_time() -> None:
    """Whatever is repeated: ten times the text takes no more than about ten times the calls."""
    pieces = [*(line + "\n" for line in LINES), "::create @a\n<<<\n", "::create @a\nfoo\n\n", GOOD, "= 1 ", "` `` "]
    for piece in pieces:
        few, many = (count_calls(lambda text=piece * n: lint_prompt("<reply>\n" + text, "v2")) for n in (60, 600))  # type: ignore[misc]
        assert many <= 13 * few + 5000, piece
