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
    "(cd web && npm ci)",
    "(cd web; npm ci)",
    "[ -d dist ] || mkdir -p dist/[a]",
    "(cd web) ; (ls)",
    "- git push origin main",
    "| tail -n 5",
    "`make a` && `make b`",
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
    "[END]",
    "```text\nHello!\n```",
    "~~~ output\nHello!\n~~~",
    "- installs the packages",
    "- this uses src/a.py",
    "* make sure that it works",
    "`make test` runs pytest with coverage.",
    "-> runs everything",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "</action>",
    "テストを実行する",
    "---",
    "::run @npm test",
    "\nnpm test installs nothing.",
    "\nmy-script --all",
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


@pytest.mark.parametrize("above", ["::create @a.py\n<<<\nx = 1\n>>>\n", "::run @ls\n", "::run @ls\n::run @pwd\n"])
def test_a_command_is_doubted_below_another_action_as_well(above: str) -> None:
    reply = f"{above}\n::run @npm ci\nnpm test\n"
    *others, last = process(reply, format="v2").document.actions
    assert last.completeness is Completeness.SUSPECT
    assert {action.completeness for action in others} == {Completeness.COMPLETE}


@pytest.mark.parametrize("text", ["npm test", "git commit -m x\n", "    pytest -q"])
@pytest.mark.parametrize(("verb", "doubted"), [("run", True), ("delete", False)])
def test_blank_lines_do_not_hide_a_call_of_a_program_below_a_command(verb: str, doubted: bool, text: str) -> None:
    (action,) = process(f"::{verb} @first\n\n \n{text}\n", format="v2").document.actions
    assert (action.completeness is Completeness.SUSPECT) is doubted


def test_a_sentence_in_small_letters_may_explain_a_deletion_but_not_a_command() -> None:
    for verb, doubted in (("run", True), ("delete", False)):
        (action,) = process(f"::{verb} @old.py\nnobody imports it any more\n", format="v2").document.actions
        assert (action.completeness is Completeness.SUSPECT) is doubted


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("text", _NOT_NEXT)
def test_a_command_is_sure_above_text_for_people(format: str, text: str) -> None:
    result = process(f"Sure:\n\n::run @first\n{text}\n", format=format)
    assert result.document.actions[0].completeness is Completeness.COMPLETE
    assert "lost-action" not in {row.code for row in result.diagnostics}


@pytest.mark.parametrize(
    ("command", "doubted"),
    [
        *(
            (name, True)
            for name in (
                "bash",
                "/usr/bin/python3",
                "python3 -",
                "bash -s",
                "/usr/bin/env python",
                "python3.12",
                "sudo bash",
            )
        ),
        *((name, False) for name in ("pytest -q", "python3 -V", "bash a.sh", "env")),
    ],
)
def test_an_interpreter_alone_is_doubted_above_the_fence_of_its_script(command: str, doubted: bool) -> None:
    (action,) = process(f"::run @{command}\n\n```bash\necho hi\n```\n").document.actions
    assert (action.completeness is Completeness.SUSPECT) is doubted


@pytest.mark.parametrize("text", ["```\n::run @ls\n```\n", "A.\n```\n::run @ls\n```\nB.\n```\n::run @pwd\n```\n"])
def test_the_end_of_a_fence_around_a_command_is_no_script(text: str) -> None:
    actions = process(text).document.actions
    assert {action.completeness for action in actions} == {Completeness.COMPLETE}


@pytest.mark.parametrize(("verb", "words"), [("run", "each command"), ("delete", "the next action")])
def test_the_hint_belongs_to_the_verb(verb: str, words: str) -> None:
    result = process(f"::{verb} @old.py\nnpm test\n", format="v2")
    (finding,) = [row for row in result.diagnostics if row.code == "lost-action"]
    assert words in (finding.hint or "")


def test_a_block_that_is_missing_is_another_finding() -> None:
    result = process("::create @a.py\nx = 1\n", format="v2")
    assert "lost-action" not in {row.code for row in result.diagnostics}
