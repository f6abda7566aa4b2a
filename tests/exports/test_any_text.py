"""Exported parsers in Python read every text: no other error than the announced ones, and what this package says."""

from __future__ import annotations

import json
from functools import cache
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import any_text

from benchmarks.exports._parsers import first_difference, ours
from symops_lark import ParseError, SymOpsProcessor, export, parse, recover, repair
from symops_lark.core import other_formats

MILLION = 1_000_000
HOSTILE = {
    "nothing": "",
    "nul": "::create @a\0b.py\n<<<\n\0\n>>>\n",
    "half a character": "\udfff::create @a.py\n<<<\n\ud83d\n>>>\n",
    "halves of characters": "Sure\n" + "\ud800" * 1000 + "\n::run @ls",
    "escaped half": '{"actions":[{"type":"create","path":"a.py","content":"\\ud800"}]}',
    "a long line": "x" * MILLION,
    "a long content": "Sure\n::create @a.py\n<<<\n" + "x" * MILLION + "\n>>>",
    "a long path": "::create @" + "x" * MILLION + "\n<<<\n>>>\n",
    "marks": "<" * MILLION,
    "fences": "`" * MILLION,
    "nesting": '{"a":' * 200_000,
    "brackets": "[" * MILLION,
    "tags": "<a>" * 200_000,
    "digits": "? q\n  " + "9" * 5000 + ". a\n::" + "9" * 5000 + " run @ls\n",
    "no words": "\ufeff" * 1000 + "\u200b" * 1000,
    "returns": "\r" * MILLION,
}


@cache
def exported(dialect: str) -> Any:
    name, text = next(iter(export("python", dialect, tolerant=True).items()))
    module = ModuleType(name.removesuffix(".py"))
    exec(compile(text, name, "exec"), module.__dict__)
    return module


def said_by(module: Any, text: str) -> Any:
    """Return what all four functions say; any other error than the announced ones is one of the test."""
    try:
        strict = module.parse(text).to_dict()
    except module.ParseError as error:
        strict = str(error)
    try:
        result = module.process(text).to_dict()
    except module.ProtocolError as error:
        result = [str(error), error.document.to_dict(), [diagnostic.to_dict() for diagnostic in error.diagnostics]]
    return json.loads(json.dumps([strict, module.repair(text).text, module.recover(text).to_dict(), result]))


def said_here(dialect: str, text: str) -> Any:
    try:
        strict: Any = parse(text, dialect).to_dict()
    except ParseError as error:
        strict = str(error)
    # The main module of an export does not read the formats of other agents.
    with (
        patch.object(other_formats, "prefer_outer", lambda result: result),
        patch.object(other_formats, "prefer_outer_document", lambda text, document: document),
    ):
        tolerant = [repair(text, dialect).text, recover(text, dialect).to_dict(), ours(SymOpsProcessor(dialect), text)]
    return json.loads(json.dumps([strict, *tolerant]))


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_alike(name: str) -> None:
    text = HOSTILE[name]
    assert first_difference(said_here("v2", text), said_by(exported("v2"), text)) == ""


@pytest.mark.slow
@pytest.mark.alike(3)
@pytest.mark.parametrize("dialect", ["v1", "v2_1", "plain"])
@given(st.data())
def test_any_text_is_read_alike(dialect: str, data: st.DataObject) -> None:
    text = data.draw(any_text(dialect))
    assert first_difference(said_here(dialect, text), said_by(exported(dialect), text)) == ""
