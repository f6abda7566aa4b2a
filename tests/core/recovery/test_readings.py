"""Other readings: cheapest first, each with a meaning of its own, and the first is the result."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Hashable
from dataclasses import replace
from itertools import pairwise

import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from texts import DIALECTS, any_text, damaged

import symops_lark
from symops_lark import Document, Phase, ProtocolError, Result, Skipped, SymOpsProcessor, process
from symops_lark.core.readings import MOST_RUNS, WITHIN
from symops_lark.core.result import MOST_READINGS

# The line `>>` may close the block, or be a line of its content.
DOUBTFUL = "::create @a.py\n<<<\nx = 1\n>>\nmore\n::run @ls\n"
VALID = "::create @a.py\n<<<\nx = 1\n>>>\n"
CALL = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>\n'


def said(document: Document) -> Hashable:
    """Return what a document says, without places and certainty."""
    actions = [(a.type, a.path, a.content, a.dependencies, a.attributes) for a in document.actions]
    remaining = (document.thoughts, tuple(document.vitals.items()), document.custom, document.errors)
    questions = [(question.text, question.choices) for question in document.questions]
    return (tuple(actions), *remaining, tuple(questions))


def hold_laws(text: str, count: int) -> Result | None:
    """Prove the laws of the readings of a text; return its result, None if it has none."""
    try:
        plain = process(text)
    except ProtocolError:
        with pytest.raises(ProtocolError):
            process(text, readings=count)
        return None
    result = process(text, readings=count)
    first, *remaining = result.readings
    assert replace(result, readings=()) == plain
    assert first.document == plain.document
    assert first.differs == ()
    assert len(result.readings) <= count
    prices = [reading.price for reading in result.readings]
    assert prices == sorted(prices)
    assert prices[-1] <= prices[0] + WITHIN
    for reading in remaining:
        assert reading.differs, "a reading that says the same is none"
        for place in reading.differs:
            assert place.first.sections or place.here.sections
            assert not any(isinstance(s, Skipped) for s in place.first.sections)
            assert set(place.first.sections) <= set(plain.document.sections)
            assert set(place.here.sections) <= set(reading.document.sections)
            assert 0 <= place.span.start <= place.span.end <= len(text)
        for item, next_one in pairwise(reading.differs):
            assert item.span.end <= next_one.span.start
    if plain.phase is Phase.STRICT:
        assert len(result.readings) == 1
    return result


@given(any_text("v2"), st.integers(2, 5))
def test_the_laws_hold_for_any_text(text: str, count: int) -> None:
    hold_laws(text, count)


@given(st.sampled_from(DIALECTS).flatmap(damaged), st.integers(2, 5))
def test_the_laws_hold_for_broken_texts(text: str, count: int) -> None:
    result = hold_laws(text, count)
    if result is not None:
        meanings = [reading.document for reading in result.readings]
        assert len(meanings) == len(set(meanings))


def test_a_doubtful_line_has_its_readings() -> None:
    result = hold_laws(DOUBTFUL, 3)
    assert result is not None
    contents = [reading.document.actions[0].content for reading in result.readings]
    assert contents == ["x = 1\n>>\nmore", "x = 1", "x = 1\n>>\nmore\n::run @ls"]
    assert [reading.price for reading in result.readings] == [7100, 7300, 7700]
    meanings = [said(reading.document) for reading in result.readings]
    assert len(set(meanings)) == len(meanings) == 3


def test_a_difference_has_the_sections_of_both() -> None:
    result = process(DOUBTFUL, readings=5)
    [reading] = [r for r in result.readings if r.document.actions[0].content == "x = 1"]
    [place] = reading.differs
    assert place.span.line == 1
    assert [action.content for action in place.first.actions] == ["x = 1\n>>\nmore"]
    assert [action.content for action in place.here.actions] == ["x = 1"]


def test_nothing_is_computed_unless_it_is_asked_for() -> None:
    result = process(DOUBTFUL)
    assert result.readings == ()
    assert "readings" not in result.to_dict()


def test_readings_come_back_from_json() -> None:
    result = process(DOUBTFUL, readings=3)
    data = json.loads(json.dumps(result.to_dict()))
    assert len(data["readings"]) == 3
    assert Result.from_dict(data).to_dict() == result.to_dict()


@pytest.mark.parametrize("text", [VALID, CALL, VALID * 2])
def test_what_is_certain_has_one_reading(text: str) -> None:
    [reading] = process(text, readings=5).readings
    assert reading.document == process(text).document


def test_a_format_of_another_agent_has_one_reading() -> None:
    [reading] = process(CALL, "hermes_json", readings=5).readings
    assert reading.document == process(CALL, "hermes_json").document


def test_fenced_code_has_one_reading() -> None:
    processor = SymOpsProcessor(extract=True)
    result = processor.process("```python\nx = 1\n```\n", readings=5)
    assert result.phase is Phase.EXTRACTED
    assert len(result.readings) == 1


@pytest.mark.slow
def test_a_long_reply_has_one_reading() -> None:
    text = DOUBTFUL * (MOST_RUNS // 4)
    assert len(process(text, "v2", readings=5).readings) == 1


def test_line_endings_stay() -> None:
    text = DOUBTFUL.replace("\n", "\r\n")
    result = process(text, readings=3)
    contents = [reading.document.actions[0].content for reading in result.readings]
    assert "x = 1\r\n>>\r\nmore" in contents


@pytest.mark.parametrize("count", [0, -1, MOST_READINGS + 1, 2.0, True, "3", None])
def test_a_wrong_number_is_refused(count: object) -> None:
    with pytest.raises(ValueError, match="readings: expected an integer from 1 to 20, got"):
        process(VALID, readings=count)  # type: ignore[arg-type]


def test_they_can_be_waited_for() -> None:
    result = asyncio.run(SymOpsProcessor().aprocess(DOUBTFUL, readings=3))
    assert result == process(DOUBTFUL, readings=3)


def test_the_schema_describes_them() -> None:
    result = process(DOUBTFUL, readings=3).to_dict()
    schema = symops_lark.schema("result")
    reading, divergence = schema["$defs"]["reading"], schema["$defs"]["divergence"]
    assert set(result["readings"][1]) == set(reading["properties"])
    assert set(result["readings"][1]["differs"][0]) == set(divergence["properties"])


def test_the_command_shows_them() -> None:
    output = run("process", "--readings", "3", "-", stdin=DOUBTFUL).stdout
    assert "reading 2, price " in output
    assert "create a.py (1 line) instead of create a.py (3 lines)" in output
    assert "there is no other reading" in run("process", "--readings", "3", "-", stdin=VALID).stdout
    refused = run("process", "--readings", "0", "-", stdin=VALID)
    assert refused.exit_code == 2
