"""Replies with an answer in them, made from a seed: how each was wrapped or damaged, and what a reader may make of it.

`wanted` is the answer, or None where nothing certain stands in the reply: then only a refusal is right. Each function
is one kind; its first line is what is said of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "step": {"type": "integer", "description": "Number of the rule that holds (from 1 on)"},
        "reason": {"type": "string", "description": "Short reason"},
    },
    "required": ["step", "reason"],
    "additionalProperties": False,
}
REASONS = (
    "All tests pass.",
    "The build fails: `make` says {error} in line 12",
    'He wrote "done" in the report',
    "See the block ```json\n{}\n``` above",
    "テストはすべて通りました。",
    "C:\\build\\out is missing, and so is \\\\server",
    "Rule 2 {condition: tests pass} holds, rule 3 does not",
    "it's fine, isn't it?",
    "</think> is written there",
    "1, 2 and 3",
    "",
)
Answer = dict[str, Any]
Kind = Callable[[Answer, Random], tuple[str, Answer | None]]
KINDS: dict[str, tuple[str, Kind]] = {}


class Reply(NamedTuple):
    """A reply, its kind, and the answer in it (None: nothing that is certain)."""

    kind: str
    text: str
    wanted: Answer | None


def _kind(function: Kind) -> Kind:
    KINDS[function.__name__.strip("_").replace("_", " ")] = ((function.__doc__ or "").split("\n")[0], function)
    return function


def draw_replies(count: int, seed: int) -> list[Reply]:
    """Return so many replies of each kind."""
    results = []
    for name, (_, make) in KINDS.items():
        random = Random(f"{seed} {name}")
        for _ in range(count):
            answer = {"step": random.choice((1, 2, 3, 7, 12, 25)), "reason": random.choice(REASONS)}
            results.append(Reply(name, *make(answer, random)))
    return results


def _spell(answer: Answer, random: Random) -> str:
    return json.dumps(answer, ensure_ascii=random.random() < 0.3, indent=random.choice((None, None, 2)))


def _other(answer: Answer, random: Random) -> Answer:
    return {"step": random.choice([n for n in (1, 2, 3, 4) if n != answer["step"]]), "reason": "a draft"}


@_kind
def alone(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """The reply is the answer."""
    return _spell(answer, random), answer


@_kind
def fenced(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """In a fence, prose around it."""
    word = random.choice(("json", "", "JSON"))
    return f"Here is my judgment:\n\n```{word}\n{_spell(answer, random)}\n```\n\nLet me know.\n", answer


@_kind
def one_line_fence(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """Fence and answer on one line, or tildes."""
    text = json.dumps(answer)
    return random.choice((f"```json {text}```", f"~~~json\n{text}\n~~~\n", f"```json\r\n{text}\r\n```\r\n")), answer


@_kind
def in_prose(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """In prose that has braces of its own."""
    return f"Of the rules {{1}}, {{2}} this holds: {_spell(answer, random)} {{see the report}}", answer


@_kind
def draft_before(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """A draft in a fence, then the answer in another."""
    draft = _spell(_other(answer, random), random)
    return f"```json\n{draft}\n```\nNo, wait.\n```json\n{_spell(answer, random)}\n```\n", answer


@_kind
def draft_in_thinking(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """A draft in a section of thinking."""
    return f"<think>\nperhaps {_spell(_other(answer, random), random)}\n</think>\n{_spell(answer, random)}", answer


@_kind
def draft_in_prose(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """Another object in prose before it."""
    return f"First I thought {_spell(_other(answer, random), random)}, but: {_spell(answer, random)}", answer


@_kind
def echoed_schema(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """The schema is repeated before the answer."""
    return f"```json\n{json.dumps(SCHEMA, indent=2)}\n```\n\n{_spell(answer, random)}", answer


@_kind
def trailing_comma(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """A comma too many."""
    return json.dumps(answer, indent=2)[:-2] + ",\n}", answer


@_kind
def single_quotes(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """Written as Python writes it."""
    return repr(answer), answer


@_kind
def comments(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """Comments in the object."""
    step, reason = answer["step"], json.dumps(answer["reason"])
    return f'```jsonc\n{{\n  // my judgment\n  "step": {step}, /* 1-based */\n  "reason": {reason}\n}}\n```\n', answer


@_kind
def bare_names(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """Names without quotes."""
    return f"{{step: {answer['step']}, reason: {json.dumps(answer['reason'])}}}", answer


@_kind
def missing_comma(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """No comma at the end of a line."""
    return f'{{\n  "step": {answer["step"]}\n  "reason": {json.dumps(answer["reason"])}\n}}', answer


@_kind
def raw_line_break(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """A text goes on in the next line."""
    answer = {**answer, "reason": "one\ntwo"}
    return json.dumps(answer).replace("\\n", "\n"), answer


@_kind
def cut_off(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """Cut off anywhere in the answer."""
    text = _spell(dict(random.sample(list(answer.items()), 2)), random)
    return random.choice(("", "```json\n", "So: ")) + text[: random.randrange(1, len(text))], None


@_kind
def cut_off_behind_a_draft(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """A whole draft, then the answer is cut off."""
    text = _spell(answer, random)
    return f"{_spell(_other(answer, random), random)}\nNo:\n{text[: random.randrange(1, len(text))]}", None


@_kind
def thinking_alone(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """Only the thinking arrived."""
    return f"<think>\nIt could be {_spell(answer, random)}, or" + random.choice(("", "\n</think>\n")), None


@_kind
def list_of_answers(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """A list: which item counts is not said."""
    return random.choice(("", "Candidates: ")) + json.dumps([_other(answer, random), answer]), None


@_kind
def wrapped_in_another(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """An object in another one, which does not fit."""
    return json.dumps({"rejected": answer, "chosen": None}), None


@_kind
def name_twice(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """A name stands twice."""
    other_step = _other(answer, random)["step"]
    return f'{{"step": {other_step}, "step": {answer["step"]}, "reason": {json.dumps(answer["reason"])}}}', None


@_kind
def wrong_kind(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """true, a text, half a number or nothing where a whole number is asked for."""
    step = random.choice(("true", f'"{answer["step"]}"', "1.5", "null", "NaN", "1e999", "[1]"))
    return f'{{"step": {step}, "reason": "x"}}', None


@_kind
def quotes_in_quotes(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """Quotes in a text that are not escaped: where it ends is not certain."""
    return f'{{"step": {answer["step"]}, "reason": "it says "ok", "step": 9 is wrong"}}', None


@_kind
def template(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """The form of an answer, and none."""
    return random.choice(
        ('{"step": <number>, "reason": "..."}', '{"step": N, "reason": "why"}', '{"step": , "reason": ""}')
    ), None


@_kind
def answer_in_code(answer: Answer, random: Random) -> tuple[str, Answer | None]:
    """An example in a program."""
    return f"Use it so:\n```python\nresult = {json.dumps(answer)}\nprint(result)\n```\n", None
