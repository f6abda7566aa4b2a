"""A request in natural language becomes slots: a model reads it, and what it does not quote from it is refused."""

from __future__ import annotations

import json
import re
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


class Decomposer:
    """Reads requests with a model; `last_answer` is what it was asked and said.

    `strict_seed` takes the source document's rule for quotes to the letter.
    """

    def __init__(self, model: Model, *, strict_seed: bool = False, antonyms: Antonyms | None = None) -> None:
        self.model, self.strict_seed, self.antonyms = model, strict_seed, antonyms
        self.last_answer: Answer | None = None

    def decompose(self, query: str, intent: IntentType | str | None = None) -> QueryFrame:
        """Return a request slot by slot; `slot_refusals` shows what the model said that the request does not.

        A model that fails, or says nothing that fits, leaves every slot missing, and `extraction_error` says why.
        """
        from ...answers.structured import ask_json  # loaded with a model alone: hooks of clients wait for the gate

        answer = self.last_answer = ask_json(
            self.model, build_prompt(query, intent), decomposition_schema(), name="query_frame"
        )
        if answer.value is None:
            last = answer.attempts[-1] if answer.attempts else None
            why = (last.error or f"the reply was {last.status}") if last else "nothing was asked"
            return QueryFrame(query, extraction_error=why)
        return read_slots(QueryFrame(query), answer.value, self.strict_seed, self.antonyms)


def read_slots(
    frame: QueryFrame, slots: dict[str, Any], strict_seed: bool = False, antonyms: Antonyms | None = None
) -> QueryFrame:
    """Fill the slots of a frame with what its request says, show what it does not, and return the frame."""
    extracted = {slot: slots[slot] for slot in SLOTS if slots.get(slot) is not None}
    for slot, given in extracted.items():
        checked = check_slot(slot, given, frame.raw_query, strict_seed, antonyms)
        if checked.value is None or checked.span is None:
            shown = {key: str(given.get(key, ""))[:500] for key in ("value", "quote") if isinstance(given, dict)}
            why = {"reason_code": checked.reason_code or "no_quote", "message": checked.message}
            frame.slot_refusals[slot] = shown | why
            continue
        frame.fill(slot, checked.value)
        frame.slot_quotes[slot] = frame.raw_query[checked.span[0] : checked.span[1]]
        frame.slot_refusals.pop(slot, None)
    validated = extracted.keys() - frame.slot_refusals
    frame.extraction_confidence = len(validated) / len(extracted) if extracted else 0.0
    return frame


@cache
def decomposition_schema() -> dict[str, Any]:
    """Return the JSON Schema of what a model answers: four slots, each null or a value with its quote."""
    schema: dict[str, Any] = json.loads(_SCHEMA.read_text(encoding="utf-8"))
    return schema


def build_prompt(query: str, intent: IntentType | str | None = None) -> str:
    """Return what a model is asked of a request, in the request's language; the request stands in a fence."""
    words = our_file("decomposition")[language_of(query)]
    meant = [f"{words['intent']} {IntentType.read(intent)}"] if intent is not None else []
    example = json.dumps(words["example"], ensure_ascii=False, indent=2)
    parts = (words["rules"].strip(), *meant, words["sample"], _fence(words["sample_query"]), words["output"], example)
    return "\n\n".join((*parts, words["query"], _fence(query), words["end"]))


def _fence(text: str) -> str:
    """Return a text between marks that nothing in it can close."""
    mark = "`" * (max((len(run) for run in re.findall(r"`{3,}", text)), default=2) + 1)
    return f"{mark}\n{text}\n{mark}"
