"""The small model of this machine, held to a schema by its decoder: real weights, a real server."""

from __future__ import annotations

import pytest

from benchmarks.structured.local import REPORTS, SCHEMAS
from symops_lark.compliance.sources.local_model import LocalServer
from symops_lark.models import Way, load_model
from symops_lark.structured import Status, ask_json, find_problems

pytestmark = pytest.mark.slow


def test_a_constrained_model_answers_with_what_fits() -> None:
    """Free, the same model does not even begin with an object."""
    server = LocalServer(0)
    said = {}
    for way, tokens in ((Way.SCHEMA, 40), (Way.PROMPT, 8)):
        model = load_model("llama.cpp", base_url=f"{server.address}/v1", max_tokens=tokens, temperature=0.0, way=way)
        said[way] = ask_json(model, REPORTS[0], SCHEMAS["choice"])
    constrained, free = said[Way.SCHEMA], said[Way.PROMPT]
    assert [(each.way, each.status) for each in constrained.attempts] == [(Way.SCHEMA, Status.ANSWERED)]
    assert constrained.value is not None and find_problems(constrained.value, SCHEMAS["choice"]) == []
    assert constrained.attempts[0].strategy == "direct" and not constrained.repaired
    assert (free.value, free.status) == (None, Status.CUT_OFF)
    assert not free.attempts[0].response.lstrip().startswith("{")
