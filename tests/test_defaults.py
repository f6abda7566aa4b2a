"""One default everywhere: what reads tells the dialect from the text, what writes writes v2."""

from __future__ import annotations

import inspect

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import documents

import symops_lark
from symops_lark import Document, StreamParser, convert, dialects, parse, process, recover, render, repair
from symops_lark.adapters.cli import symops
from symops_lark.core.grammar.loading import load_grammar

READING = ("parse", "process", "recover", "repair", "SymOpsProcessor", "StreamParser")
WRITING = ("render", "system_prompt", "PromptBuilder")


def default(name: str, parameter: str) -> object:
    return inspect.signature(getattr(symops_lark, name)).parameters[parameter].default


def test_functions_have_the_defaults_of_the_commands() -> None:
    assert {default(name, "format") for name in READING} == {default("convert", "source")} == {"auto"}
    assert {default(name, "format") for name in WRITING} == {default("convert", "target")} == {"v2"}
    for verb in ("parse", "process", "recover", "repair", "stream", "convert"):
        command = symops.get_command(click.Context(symops), verb)
        assert command is not None
        table = {option.name: option.default for option in command.params}
        assert table["format"] == "auto", verb
    assert table["target"] == "v2"


@pytest.mark.slow
@settings(max_examples=30)
@given(st.sampled_from(["v1", "v2", "plain"]).flatmap(lambda name: documents(load_grammar(name))))
def test_a_valid_text_of_any_dialect_is_left_as_it_is(document: Document) -> None:
    text = render(document, document.dialect)
    assert repair(text).text == text
    result = parse(text)
    assert result == process(text).document if result.sections else not document.sections
    assert recover(text) == result
    parser = StreamParser()
    assert list(parser.events([text])) is not None and parser.close().document == (
        result if result.sections else Document()
    )
    try:
        converted = convert(text).text
    except symops_lark.RenderError as error:
        assert document.dialect != "v2" and "v2 cannot say" in str(error)  # plain has dependencies of commands
    else:
        assert parse(converted, "v2") == result


def test_what_is_in_no_dialect_is_told_as_v2_tells_it() -> None:
    for text in ("Sure!\n", "::create a.py\n"):
        messages = []
        for format in ("auto", "v2"):
            with pytest.raises(symops_lark.ParseError) as caught:
                parse(text, format, name="reply.txt")
            messages.append(str(caught.value))
        assert messages[0] == messages[1] and messages[0].startswith("reply.txt:1:")
    assert parse("") == Document() and set(dialects()) >= {"v1", "v2", "plain"}
