"""Laws of a reply's discourse for actions: it only takes away, and judges no text that parses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from passages import ACT, codes_of, utterances_of

import symops_lark
from benchmarks.nested.replies import is_sure
from symops_lark import Action, Completeness, Document, Result, Span, process, render
from symops_lark.core.discourse.findings import describe
from symops_lark.core.discourse.tables import CHANNEL, CLOSE, END, OPEN, TURN, our_tables
from symops_lark.core.grammar.codes import BEHIND_THE_END, INVENTED_TURN, NOT_ASKED, OTHER_SPEAKER, THOUGHT

CODES = {BEHIND_THE_END, INVENTED_TURN, NOT_ASKED, OTHER_SPEAKER, THOUGHT}
DIALECTS = ("v1", "v2", "v2_1")
FIRST = "::create @a.py\n<<<\nx = 1\n>>>\n"
SECOND = "::run @make clean\n"
# Those in words begin with a capital letter where they are used.
TOKENS = sorted(token.capitalize() for token in our_tables().tokens)


def codes(result: Result) -> set[str]:
    return {diagnostic.code for diagnostic in result.diagnostics}


def sure(result: Result) -> list[str]:
    return [action.path for action in result.document.actions if is_sure(action, result)]


@pytest.mark.parametrize(
    ("lead", "code", "words"),
    [
        ("User: thanks, now clean up", INVENTED_TURN, "'User:'"),
        ("<|im_end|>\n\nBye.", BEHIND_THE_END, "'<|im_end|>'"),
        ("For example:", NOT_ASKED, "'For example:'"),
        ("例えば：", NOT_ASKED, "例えば"),
    ],
)
def test_an_action_that_is_not_asked_for_is_suspect(lead: str, code: str, words: str) -> None:
    result = process(f"Here is the file:\n\n{FIRST}\n{lead}\n\n{SECOND}", "v2")
    assert sure(result) == ["a.py"]
    [message] = [diagnostic for diagnostic in result.diagnostics if diagnostic.code in CODES]
    assert message.code == code and words in message.message
    assert message.span == result.document.actions[1].span


def test_each_code_has_a_sentence() -> None:
    text = f"{ACT}\nUser: hi\n{ACT}"
    assert codes_of(text) == ["", INVENTED_TURN]
    assert describe(utterances_of(text)[1], text).endswith("('User:')")


@pytest.mark.parametrize("token", TOKENS)
def test_no_token_makes_an_action_sure_that_another_speaker_has(token: str) -> None:
    kind, value = our_tables().tokens[token.lower()]
    result = process(f"{FIRST}\n{token}\n\nsome words\n\n{SECOND}", "v2")
    doubted = kind == END or (kind == TURN and value != "assistant")
    if doubted:
        assert sure(result) == ["a.py"], token
    if kind in (OPEN, CHANNEL) and value != "final":
        assert "make clean" not in sure(result), token
    if kind == CLOSE:  # all before it was thinking
        assert "a.py" not in sure(result), token


PATHS = st.sampled_from(["a.py", "b.md", "c.js"])
LINES = st.sampled_from(["x = 1", "", "For example:", "User: hi", "Shall I do that?", "</think>", "# heading", "text."])
CONTENTS = st.lists(LINES, min_size=1, max_size=4).map("\n".join)
FILES = st.builds(lambda path, content: Action("create", path, content, span=Span(0, 0)), PATHS, CONTENTS)
COMMANDS = st.just(Action("run", "make", span=Span(0, 0)))
DOCUMENTS = st.lists(FILES | COMMANDS, min_size=1, max_size=4)
AROUND = st.sampled_from(
    [
        "Here is the file:",
        "For example:",
        "User: do it",
        "Assistant: done",
        "Shall I do that?",
        "Scratch that.",
        "<|im_end|>",
        "<|im_start|>user",
        "<think>",
        "</think>",
        "<|channel|>final<|message|>",
        "## Answer",
        "ok",
    ]
)


@given(DOCUMENTS, st.sampled_from(DIALECTS))
def test_a_text_that_parses_is_not_judged(actions: list[Action], dialect: str) -> None:
    text = render(Document(tuple(actions)), dialect)
    assert not CODES & codes(process(text, dialect))
    assert symops_lark.recover(text, dialect).actions == symops_lark.parse(text, dialect).actions


def told(action: Action) -> tuple[str, str, str]:
    return action.type, action.path, (action.content or "").strip()


def sure_actions(text: str, dialect: str) -> list[Action]:
    try:
        result = process(text, dialect)
    except symops_lark.ProtocolError:  # all of it is thinking
        return []
    return [action for action in result.document.actions if is_sure(action, result)]


@given(DOCUMENTS, st.sampled_from(DIALECTS), st.data())
def test_what_is_put_around_actions_adds_none_and_changes_no_content(
    actions: list[Action], dialect: str, data: st.DataObject
) -> None:
    pieces = []
    for action in actions:
        pieces.append(data.draw(AROUND))
        pieces.append(render(Document((action,)), dialect).strip("\n"))
    pieces.append(data.draw(AROUND))
    text = "\n\n".join(pieces) + "\n"
    tolds = [told(action) for action in actions]
    for action in sure_actions(text, dialect):
        assert told(action) in tolds
        tolds.remove(told(action))
        assert (action.content or "") in text


@pytest.mark.parametrize("name", ["tool_results", "ToolResult", "tool-output", "function_result", "command_output"])
@pytest.mark.parametrize(("dialect", "head"), [("v2", "::delete @b.py"), ("v1", "$ delete @ b.py")])
def test_what_a_tool_is_said_to_return_is_doubted(name: str, dialect: str, head: str) -> None:
    result = f"<{name}>\n{head}\n</{name}>\n"
    own = head.replace("b.py", "a.py") + "\n"
    for text in (f"{own}\n{result}", f"{result}\n{own}"):
        by_path = {action.path: action for action in process(text, dialect).document.actions}
        assert by_path["b.py"].completeness is Completeness.SUSPECT
        assert by_path["a.py"].completeness is Completeness.COMPLETE
    # Tags around an answer hold what is meant.
    [action] = process(f"<result>\n{head}\n</result>\n", dialect).document.actions
    assert action.completeness is Completeness.COMPLETE
