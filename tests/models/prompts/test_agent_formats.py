"""The prompts of formats: the reader reads what they teach."""

from __future__ import annotations

import re

import pytest

from symops_lark import PromptBuilder, formats, parse, process, system_prompt
from symops_lark.core.ground.errors import GrammarError

TAGS = re.compile(r"<(action|reply)>\n(.*?)</\1>\n", re.DOTALL)
VERBS = {"create", "edit", "delete", "run"}


@pytest.mark.parametrize("name", formats())
def test_what_a_prompt_teaches_is_read_with_certainty(name: str) -> None:
    text = system_prompt(name)
    examples = TAGS.findall(text)
    assert any(tag == "action" for tag, _ in examples)
    for _, example in examples:
        result = process(example, format=name)
        assert result.document.actions
        # A format without closing marks can never be sure that its last text is whole.
        codes = {finding.code for finding in result.diagnostics}
        assert result.confidence == 1 or codes <= {"no-closing-mark", "file-without-verb", "shell-fence"}, codes


@pytest.mark.parametrize("name", formats())
def test_a_prompt_teaches_each_verb_of_its_format(name: str) -> None:
    taught = set()
    for _, example in TAGS.findall(system_prompt(name, include_examples=False)):
        taught |= {action.type for action in process(example, format=name).document.actions}
    # A diff that deletes needs the text of the file, which an example of a prompt cannot know.
    assert formats()[name].can & VERBS <= taught | {"delete"}


def test_the_turns_of_messages_are_in_the_format() -> None:
    messages = PromptBuilder("hermes_json").messages("Fix the bug")
    replies = [message["content"] for message in messages if message["role"] == "assistant"]
    assert replies
    for reply in replies:
        assert parse(reply + "\n", "hermes_json").actions
    assert messages[-1]["content"] == "Fix the bug"


def test_a_prompt_as_one_text_names_no_dialect() -> None:
    text = PromptBuilder("qwen_xml").build_prompt("Fix the bug")
    assert "<function=" in text
    assert "Sym-Ops" not in text


def test_edits_are_a_setting_of_dialects() -> None:
    with pytest.raises(GrammarError, match="edits"):
        system_prompt("qwen_xml", edits="diff")
    with pytest.raises(GrammarError, match="edits"):
        PromptBuilder("qwen_xml", edits="diff")
