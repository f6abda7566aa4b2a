"""A command must not look whole if the text that was left out below it may be a part of it, or the next one."""

from __future__ import annotations

import pytest

from symops_lark import Completeness, process

FORMATS = ("auto", "v2")
_NEXT = [
    "touch two",
    "npm test",
    "    pytest -q",
    "`pytest -q`",
    "$ git commit -m x",
    "- make test",
    "2. make test",
    "> git push",
    "./test.sh --all",
    "Rscript a.R",
    "```bash\necho hi\n```",
    "```\necho hi\n```",
    "~~~ sh\nls\n~~~",
]
_NOT_NEXT = [
    "This runs the tests.",
    "This runs the tests and\nreports what fails.",
    "Then the tests run",
    "**Done!**",
    "but not the slow ones.",
    "2 passed in 0.01s",
    "# all of them",
    "(it takes a minute)",
    "</action>",
    "テストを実行する",
    "---",
    "\nnpm test",
    "::run @npm test",
]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("verb", ["run", "delete"])
@pytest.mark.parametrize("text", _NEXT)
def test_a_command_is_doubted_if_another_may_be_below_it(verb: str, format: str, text: str, ending: str) -> None:
    reply = f"::{verb} @first\n{text}\n"
    result = process(reply.replace("\n", ending), format=format)
    (action,) = result.document.actions
    assert (action.path, action.completeness) == ("first", Completeness.SUSPECT)
    (finding,) = [row for row in result.diagnostics if row.code == "lost-action" and row.span == action.span]
    assert repr(text.strip().split("\n")[0]) in finding.message
    assert result.confidence < 0.8


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("text", _NOT_NEXT)
def test_a_command_is_sure_above_text_for_people(format: str, text: str) -> None:
    result = process(f"Sure:\n\n::run @first\n{text}\n", format=format)
    assert result.document.actions[0].completeness is Completeness.COMPLETE
    assert "lost-action" not in {row.code for row in result.diagnostics}


@pytest.mark.parametrize(("command", "doubted"), [("bash", True), ("/usr/bin/python3", True), ("pytest -q", False)])
def test_an_interpreter_alone_is_doubted_above_the_fence_of_its_script(command: str, doubted: bool) -> None:
    (action,) = process(f"::run @{command}\n\n```bash\necho hi\n```\n").document.actions
    assert (action.completeness is Completeness.SUSPECT) is doubted


@pytest.mark.parametrize("text", ["```\n::run @ls\n```\n", "A.\n```\n::run @ls\n```\nB.\n```\n::run @pwd\n```\n"])
def test_the_end_of_a_fence_around_a_command_is_no_script(text: str) -> None:
    actions = process(text).document.actions
    assert {action.completeness for action in actions} == {Completeness.COMPLETE}


def test_a_block_that_is_missing_is_another_finding() -> None:
    result = process("::create @a.py\nx = 1\n", format="v2")
    assert "lost-action" not in {row.code for row in result.diagnostics}
