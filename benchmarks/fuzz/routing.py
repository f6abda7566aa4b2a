"""Texts of strangers that `symops route` reads: manifests, audit sets, metrics, candidates."""

from __future__ import annotations

from collections.abc import Sequence

from .calls import Target, read_files, run_commands

_CANDIDATES: Sequence[bytes] = (
    b'[{"model_id": "a", "passed": true, "q1": 0.7, "cost": 0.3}, {"model_id": "b", "passed": false, "cost": 0}]',
    b'{"model_id": "a", "verifier_result": "PASS", "cost": 0.1, "refusal_penalty": 0, "stable": true, "reward": 1}\n',
)
_METRICS: Sequence[bytes] = (
    b'{"name": "metric_v2", "lambda": 0.5, "pi": 1, "beta": 1, "t_ref": 9, "tokens_ref": 99, "w_t": 0.5, "w_o": 0.5}',
    b'{"name": "metric_v3"}',
)
_NUMBERS = (b"NaN", b"-1", b"1e999", b"null", b"true", b"9" * 5000, b"[]", b'"x"')
ROUTING = {
    "manifest": Target(
        lambda: read_files("examples/routing/*/model.yaml"),
        run_commands(("route", "validate", "{file}"), ("route", "card", "{file}"), name="model.yaml"),
        (
            b"../x",
            b"/etc",
            b"!!python/name:x ",
            b"&a ",
            b"*a",
            b"0.10",
            b"[]",
            b"{}",
            b"true",
            b"and",
            b"not (",
            b".inf",
        ),
    ),
    "audit-set": Target(
        lambda: read_files("examples/routing/audit.json"),
        run_commands(("route", "audit", "{file}", "--write", "{here}/out.json"), name="audit.json"),
        (b'"rule_check"', b'"unit_test"', b'"json_schema"', b'"pass_condition"', b"eval", *_NUMBERS),
    ),
    "metric": Target(
        lambda: _METRICS,
        run_commands(("route", "winner", "--metric", "{file}"), name="metric.json", stdin=_CANDIDATES[0]),
        (b'"alpha"', b'"metric_v1+metric_v2"', *_NUMBERS),
    ),
    "candidates": Target(
        lambda: _CANDIDATES, run_commands(("route", "winner"), ("route", "winner", "--json")), _NUMBERS
    ),
}
