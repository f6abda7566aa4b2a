"""Print how often a small model of this machine answers with JSON that fits: `python -m benchmarks.structured local`.

SmolLM2-135M-Instruct behind llama.cpp, asked the same questions free, by words alone; constrained by llama.cpp's own
grammar of the schema; by words, constrained by ours, which bounds no text. Each once: what it says when it is asked
again does not count. It tells about nothing but this model, and nothing about whether the answers are right.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from symops_lark.answers.structured import Attempt, Status, ask_json, find_problems, schema_to_gbnf
from symops_lark.core.ground.numbers import counted as tell_count
from symops_lark.lab.benchmark.sources.local_model import WEIGHTS, LocalServer
from symops_lark.lab.measuring.intervals import exact_interval
from symops_lark.models import Model, Way, load_model

ASKED = {"free": Way.PROMPT, "constrained": Way.SCHEMA, "grammar": None}


def closed(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with these members, all of them and no others."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


TEXT = {"type": "string", "maxLength": 80}
WHOLE = {"type": "integer", "minimum": 1, "maximum": 99}
SCHEMAS: dict[str, dict[str, Any]] = {
    "judgment": closed(step=WHOLE, reason=TEXT),
    "evaluation": closed(matched_index=WHOLE, reason=TEXT),
    "choice": closed(verdict={"enum": ["approved", "rejected", "unclear"]}, certain={"type": "boolean"}),
    "nested": closed(
        files={
            "type": "array",
            "maxItems": 3,
            "items": closed(path=TEXT, lines={"type": ["integer", "null"], "minimum": 0, "maximum": 999}),
        },
        note={"anyOf": [TEXT, {"type": "null"}]},
    ),
}
REPORTS = (
    "All 12 tests pass, and the reviewer has no remarks.",
    "Two tests of src/login.py fail; line 40 compares a password with None.",
    "The work is half done: docs/index.md is written, docs/api.md is missing.",
    "設計を確認しました。問題は見つかりませんでした。",
    'The reviewer wrote: `{"verdict": "rejected"}`, then changed his mind and approved.',
)
_QUESTION = "Here is the report of a step.\n\n{report}\n\nRules: 1. it is done; 2. more work is needed; 3. it failed.\n"


@dataclass(frozen=True)
class Figures:
    """What came of one way to ask: attempts, those that gave a value, and seconds."""

    attempts: tuple[Attempt, ...]
    fit: int
    seconds: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    parser.add_argument("--n", type=int, default=len(REPORTS), help=f"reports to ask about (default {len(REPORTS)})")
    parser.add_argument("--tokens", type=int, default=256, help="the longest answer (default 256)")
    parser.add_argument("--show", action="store_true", help="print what was answered")


def run(options: argparse.Namespace) -> int:
    """Measure and print a line for each way; exit code 1 if a constrained answer does not fit its schema."""
    figures = measure(options.n, options.tokens)
    spelt_tokens = tell_count(options.tokens, "token")
    print(f"{WEIGHTS} behind llama.cpp, temperature 0, at most {spelt_tokens}; measured")
    print(f"{'asked':12} {'answers':>7} {'fit':>4} {'rate, 95 %':>16} {'seconds':>8}  what the others are")
    for name, value in figures.items():
        counts = Counter(str(attempt.status) for attempt in value.attempts if attempt.status is not Status.ANSWERED)
        low, high = exact_interval(value.fit, len(value.attempts))
        text = ", ".join(f"{count} {status}" for status, count in counts.most_common())
        rate = f"{low:.0%} to {high:.0%}"
        print(f"{name:12} {len(value.attempts):7} {value.fit:4} {rate:>16} {value.seconds:8.1f}  {text}")
        for item in value.attempts if options.show else ():
            print(f"    {item.status}: {item.response!r}")
    return int(figures["constrained"].fit < len(figures["constrained"].attempts))


def measure(n: int, tokens: int) -> dict[str, Figures]:
    """Return what came of asking about `n` reports in each schema, free and constrained."""
    server = LocalServer(0)
    return {name: _ask(server.address, way, n, tokens) for name, way in ASKED.items()}


def _ask(address: str, way: Way | None, n: int, tokens: int) -> Figures:
    began, fit = time.perf_counter(), 0
    attempts: list[Attempt] = []
    for number, (schema, question) in enumerate(_questions(n)):
        model = load_local(address, tokens, way, schema)
        answer = ask_json(
            model, question, schema, cancelled=partial(_has_asked, attempts, number), on_attempt=attempts.append
        )
        fit += answer.value is not None and not find_problems(answer.value, schema)
    return Figures(tuple(attempts), fit, time.perf_counter() - began)


def load_local(address: str, tokens: int, way: Way | None, schema: Mapping[str, Any]) -> Model:
    """Return the model, asked in a way or, without one, by words and held to our grammar of the schema."""
    grammar = schema_to_gbnf(_without_lengths(schema)) if way is None else None
    return load_model(
        "llama.cpp",
        base_url=f"{address}/v1",
        max_tokens=tokens,
        temperature=0.0,
        way=way,
        timeout=600.0,
        grammar=grammar,
    )


def _without_lengths(schema: Any) -> Any:
    """Return a schema without the lengths of texts, which no grammar of ours counts."""
    if isinstance(schema, list):
        return [_without_lengths(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {key: _without_lengths(value) for key, value in schema.items() if key != "maxLength"}


def _has_asked(attempts: Sequence[Attempt], number: int) -> bool:
    """Return whether a question was asked: what is said when it is asked again is another figure."""
    return len(attempts) > number


def _questions(n: int) -> Iterator[tuple[dict[str, Any], str]]:
    for report in REPORTS[:n]:
        for schema in SCHEMAS.values():
            yield schema, _QUESTION.format(report=report)
