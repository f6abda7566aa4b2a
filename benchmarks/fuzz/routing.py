"""Texts of strangers that `symops route` reads: manifests, audit sets, metrics, candidates, logs, registries …"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from symops_lark.routing import Manifest, Registry, check_supply_chain

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
_RUN = b"1b90d1ce39294c329d50a33704dd61b1.1"  # of the example's log


@cache
def _registries() -> Sequence[bytes]:
    with TemporaryDirectory() as folder:
        with Registry(Path(folder) / "r.db") as registry:
            for path in ("examples/routing/tidy", "examples/routing/hesitant"):
                manifest = Manifest.load(path)
                registry.register(manifest, check_supply_chain(manifest))
        return [(Path(folder) / "r.db").read_bytes()]


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
    "routing-log": Target(
        lambda: read_files("examples/routing/run_log.jsonl"),
        run_commands(
            ("route", "log", "verify", "{file}"),
            ("route", "log", "stats", "{file}", "--json"),
            ("route", "log", "why", _RUN.decode(), "{file}"),
            ("route", "log", "rescore", "{file}", "--out", "{here}/new.jsonl"),
            ("route", "report", "{file}"),
            name="run.jsonl",
        ),
        (b'"seq"', b'"proxy_values": {"c": 1}', b'"v1"', b'"run_id"', b'"2026-01-01"', b'"\\ud800"', b"\n", *_NUMBERS),
    ),
    "registry": Target(
        _registries,
        run_commands(
            ("route", "history", "--registry", "{file}"),
            ("route", "history", "--registry", "{file}", "--at", "2999-01-01", "--json"),
            ("route", "promote", "--registry", "{file}", "--log", "examples/routing/run_log.jsonl"),
            name="r.db",
        ),
        (b"\0", b"\xff", b'"state"', b'"stable"', b"MODEL_DEMOTED", b"{}", b"null", b"tidy"),
    ),
    "requests": Target(
        lambda: read_files("examples/routing/requests.jsonl"),
        run_commands(
            ("route", "batch", "{file}", "--log", "{here}/log.jsonl", "-m", "examples/routing/tidy", "-j", "1"),
            name="requests.jsonl",
        ),
        (b'"prompt"', b'"tags"', b"\n", b'"\\ud800"', *_NUMBERS),
    ),
}
