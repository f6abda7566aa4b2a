"""The small model of this machine, held to a schema by its decoder: real weights, a real server."""

from __future__ import annotations

import pytest
from wings import need_wing

from symops_lark.answers.structured import Status, ask_json, find_problems
from symops_lark.models import Way

pytestmark = pytest.mark.slow


def test_a_constrained_model_answers_with_what_fits() -> None:
    """Free, the same model does not even begin with an object."""
    need_wing("lab")
    from benchmarks.structured.local import REPORTS, SCHEMAS, load_local
    from symops_lark.lab.benchmark.sources.local_model import LocalServer

    server, schema = LocalServer(0), SCHEMAS["choice"]
    for way, tokens in ((Way.SCHEMA, 40), (None, 40), (Way.PROMPT, 8)):
        answer = ask_json(load_local(server.address, tokens, way, schema), REPORTS[0], schema)
        attempt = answer.attempts[0]
        if way is Way.PROMPT:
            assert (answer.value, attempt.status) == (None, Status.CUT_OFF)
            assert not attempt.response.lstrip().startswith("{")
        else:
            assert attempt.way is (way or Way.PROMPT) and attempt.strategy == "direct" and not answer.repaired
            assert answer.value is not None and find_problems(answer.value, schema) == []
