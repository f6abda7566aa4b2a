"""The output parser in a chain of LangChain: whole, asynchronous, cut off, unreadable, streamed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, Generation
from langchain_core.prompts import ChatPromptTemplate

from symops_lark import Completeness, ProtocolError, Result, StreamParser, SymOpsProcessor, process, system_prompt
from symops_lark.adapters.langchain import SymOpsOutputParser

TEXT = "::Create a.py\n<<<\nx = 1\n>>>\n"
PARSER = SymOpsOutputParser()
PROMPT = ChatPromptTemplate.from_messages([("system", "{format}"), ("user", "{request}")])


def model(*replies: str | AIMessage) -> GenericFakeChatModel:
    messages: Iterator[str | AIMessage] = iter(replies)
    return GenericFakeChatModel(messages=messages)


def test_a_chain_gives_results() -> None:
    chain = PROMPT.partial(format=PARSER.get_format_instructions()) | model(TEXT, TEXT, TEXT) | PARSER
    fields = {"request": "Write a.py."}
    outputs = [chain.invoke(fields), asyncio.run(chain.ainvoke(fields)), *chain.stream(fields)]
    assert outputs == [process(TEXT)] * 3 and all(type(output) is Result for output in outputs)


def test_messages_with_thinking_and_messages_that_were_cut_off() -> None:
    blocks = [{"type": "thinking", "thinking": "::run @ls"}, {"type": "text", "text": TEXT}]
    assert PARSER.invoke(AIMessage(content=blocks)) == process(TEXT)  # type: ignore[arg-type]
    for metadata in ({"finish_reason": "length"}, {"stop_reason": "max_tokens"}):
        result = PARSER.invoke(AIMessage(content=TEXT[:-4], response_metadata=metadata))
        assert result.document.actions[0].completeness is Completeness.TRUNCATED
    assert PARSER.parse(TEXT) == PARSER.parse_result([Generation(text=TEXT)]) == process(TEXT)


def test_a_reason_beside_the_answer_counts() -> None:
    text, info = "::run @ls -la", {"finish_reason": "length"}
    stopped = AIMessage(content=text, response_metadata={"finish_reason": "stop"})
    generations = [
        Generation(text=text, generation_info=info),
        ChatGeneration(message=AIMessage(content=text), generation_info=info),
        ChatGeneration(message=stopped, generation_info=info),
        Generation(text=text, generation_info={"logprobs": None}),
    ]
    results = [PARSER.parse_result([generation]) for generation in generations]
    assert [result.document.actions[0].completeness for result in results] == [
        Completeness.TRUNCATED,
        Completeness.TRUNCATED,
        Completeness.COMPLETE,
        Completeness.COMPLETE,
    ]


def test_what_cannot_be_read_is_told_to_the_chain() -> None:
    with pytest.raises(OutputParserException) as caught:
        PARSER.invoke("I would rather not.")
    assert caught.value.send_to_llm and caught.value.llm_output == "I would rather not."
    assert isinstance(caught.value.__cause__, ProtocolError) and "no section" in str(caught.value.observation)
    with pytest.raises(OutputParserException, match="has no text"):
        PARSER.invoke(AIMessage(content=[{"type": "image_url", "image_url": "x"}]))


def test_the_dialect_may_be_named_or_configured() -> None:
    assert PARSER.get_format_instructions() == system_prompt("v2")
    assert SymOpsOutputParser(format="v1").get_format_instructions() == system_prompt("v1")
    configured = SymOpsOutputParser(processor=SymOpsProcessor("v1", extract=True))
    assert configured.get_format_instructions() == system_prompt("v1")
    assert str(configured.invoke("~~~\nx\n~~~\n").phase) == "extracted"


def test_a_stream_of_a_chain_is_read_while_it_arrives() -> None:
    parser, plain = StreamParser("v2"), StreamParser("v2")
    events = list(parser.events((PROMPT | model(TEXT)).stream({"format": "", "request": ""})))
    assert events == list(plain.events([TEXT])) and len(events) > 2
    last = AIMessageChunk(content="", response_metadata={"finish_reason": "length"})
    parser = StreamParser("v2")
    list(parser.events([AIMessageChunk(content=TEXT[:-4]), last]))
    document = parser.close().document
    assert document is not None and document.actions[0].completeness is Completeness.TRUNCATED
