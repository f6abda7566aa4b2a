"""Schemas that no model is asked about: an answer is an object."""

from __future__ import annotations

import pytest

from symops_lark import SymOpsError
from symops_lark.answers.structured import ask_json
from symops_lark.models import ScriptedModel


@pytest.mark.parametrize("kind", ["array", ["string", "null"]])
def test_a_schema_describes_an_object(kind: object) -> None:
    model = ScriptedModel([])
    with pytest.raises(SymOpsError, match="describes no object"):
        ask_json(model, "Which step comes next?", {"type": kind})
    assert not model.requests
