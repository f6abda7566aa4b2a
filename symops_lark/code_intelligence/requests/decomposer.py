"""Read the slots of a request with a model. A slot that the model cannot quote is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .frame import SLOTS, IntentType, QueryFrame
from .hints import language_of
from .quotes import check_slot
from .words import Antonyms, our_file

if TYPE_CHECKING:
    from ...answers.structured import Answer
    from ...models import Model

_SCHEMA = Path(__file__).with_name("decomposition.schema.json")
_MAX_SHOWN = 500  # characters of a refused value or quote


class Decomposer:
    """Reads requests with a model.

    Attributes:
        model: The model.
        strict_seed: Whether quotes are compared by the strict rule (`check_slot`).
        antonyms: Words that rule each other out. None: those of the package.
        last_answer: What the model was asked last, and its answer.
    """

    def __init__(
        self, model: Model, *, strict_seed: bool = False, antonyms: Antonyms | None = None
    ) -> None:
        self.model = model
        self.strict_seed = strict_seed
        self.antonyms = antonyms
        self.last_answer: Answer | None = None

    def decompose(self, query: str, intent: IntentType | str | None = None) -> QueryFrame:
        """Return a request slot by slot.

        Args:
            query: The request.
            intent: What the caller wants to do, if it is known.

        Returns:
            The frame. `slot_refusals` has the values of the model that are not in the request. If
            the model fails, or its answer does not fit, no slot is filled, and `extraction_error`
            gives the reason.
        """
        # Imported here: only a model needs it, and hooks of clients wait for the gate.
        from ...answers.structured import ask_json

        prompt = build_prompt(query, intent)
        answer = ask_json(self.model, prompt, decomposition_schema(), name="query_frame")
        self.last_answer = answer
        if answer.value is not None:
            return read_slots(QueryFrame(query), answer.value, self.strict_seed, self.antonyms)
        if not answer.attempts:
            return QueryFrame(query, extraction_error="nothing was asked")
        last = answer.attempts[-1]
        reason = last.error or f"the reply was {last.status}"
        return QueryFrame(query, extraction_error=reason)


def read_slots(
    frame: QueryFrame,
    slots: Mapping[str, Any],
    strict_seed: bool = False,
    antonyms: Antonyms | None = None,
) -> QueryFrame:
    """Fill the slots of a frame with values that its request contains, and refuse the others.

    Args:
        frame: The frame, which is changed.
        slots: Values with their quotes, by slot.
        strict_seed: Whether quotes are compared by the strict rule (`check_slot`).
        antonyms: Words that rule each other out. None: those of the package.

    Returns:
        The frame.
    """
    # In the order of `SLOTS`, whatever the order of the model.
    extracted = [slot for slot in SLOTS if slots.get(slot) is not None]
    valid_count = 0
    for slot in extracted:
        item = slots[slot]
        checked = check_slot(slot, item, frame.raw_query, strict_seed, antonyms)
        if checked.value is None or checked.span is None:
            refusal = {}
            if isinstance(item, dict):
                for key in ("value", "quote"):
                    refusal[key] = str(item.get(key, ""))[:_MAX_SHOWN]
            refusal["reason_code"] = checked.reason_code
            refusal["message"] = checked.message
            frame.slot_refusals[slot] = refusal
            continue
        # The words of the user are kept, not those of the model.
        valid_count += 1
        start, end = checked.span
        frame.fill(slot, checked.value)
        frame.slot_quotes[slot] = frame.raw_query[start:end]
        frame.slot_refusals.pop(slot, None)
    frame.extraction_confidence = valid_count / (len(extracted) or 1)
    return frame


@cache
def decomposition_schema() -> dict[str, Any]:
    """Return the JSON Schema of an answer: four slots, each null or a value with its quote."""
    schema: dict[str, Any] = json.loads(_SCHEMA.read_text(encoding="utf-8"))
    return schema


def build_prompt(query: str, intent: IntentType | str | None = None) -> str:
    """Return the prompt for a request, in the language of the request, which is in a fence."""
    words = our_file("decomposition")[language_of(query)]
    parts = [words["rules"].strip()]
    if intent is not None:
        name = IntentType.read(intent)
        parts.append(f"{words['intent']} {name}")
    parts += [
        words["sample"],
        _fence(words["sample_query"]),
        words["output"],
        json.dumps(words["example"], ensure_ascii=False, indent=2),
        words["query"],
        _fence(query),
        words["end"],
    ]
    return "\n\n".join(parts)


def _fence(text: str) -> str:
    """Return a text between marks that nothing in it can close."""
    runs = re.findall(r"`{3,}", text)
    longest = max(["``", *runs], key=len)
    # Longer than any run in the text, and three at least.
    mark = longest + "`"
    return f"{mark}\n{text}\n{mark}"
