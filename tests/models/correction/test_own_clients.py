"""Clients of a caller that a corrector cannot ask are errors that name what is needed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from symops_lark import SelfCorrector, SymOpsProcessor

HOLLOW = "::create @a.py\n"


class Careless:
    """A client that returns other values than replies."""

    def generate(self, messages: object) -> Any:
        return "::create @a.py\n<<<\nx = 1\n>>>\n"

    async def agenerate(self, messages: object) -> Any:
        return None


def test_an_answer_that_is_not_a_reply() -> None:
    corrector = SelfCorrector(Careless())
    processor = SymOpsProcessor("v2", corrector=corrector)
    needed = r"return symops_lark.models.Reply\(text\)"
    with pytest.raises(TypeError, match=f"returned a str; {needed}"):
        processor.process(HOLLOW)
    with pytest.raises(TypeError, match=f"returned a NoneType; {needed}"):
        asyncio.run(processor.aprocess(HOLLOW))
    with pytest.raises(TypeError, match=f"returned a str; {needed}"):
        corrector.self_correct(HOLLOW, "", [])


def test_a_function_is_not_a_client() -> None:
    client: Any = Careless().generate
    with pytest.raises(TypeError, match=r"expected an object with `generate\(messages\)`, got a method"):
        SymOpsProcessor("v2", corrector=SelfCorrector(client)).process(HOLLOW)
