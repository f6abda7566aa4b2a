"""The results for a text as JSON values; `page/reading.js` has the same of the exported parser."""

from __future__ import annotations

from typing import Any

from ...core.grammar.dialect import Dialect
from ...core.ground.json_objects import write_object
from ...core.processor import SymOpsProcessor
from ...core.result import ProtocolError
from ...core.streaming import NEED_TEXT, StreamParser
from ...core.strict.parser import parse
from ...core.text.diagnostics import ParseError


def read(text: str, processor: SymOpsProcessor, dialect: Dialect, step: int) -> dict[str, Any]:
    """Return the result of each phase, of the pipeline, and of a stream.

    Args:
        text: The text.
        processor: The pipeline.
        dialect: The dialect of the strict parser.
        step: The number of characters of each piece of the stream.
    """
    return {
        "parse": _parse(text, dialect),
        "repair": write_object(processor.repair(text), "text", "changed", "repairs"),
        "recover": processor.recover(text).to_dict(),
        "process": process(text, processor),
        "stream": _stream(text, processor, step),
    }


def process(text: str, processor: SymOpsProcessor) -> dict[str, Any]:
    """Return the object that `symops process --json` prints for a text."""
    try:
        return processor.process(text).to_dict()
    except ProtocolError as error:
        return {"error": str(error), **write_object(error, "document", "diagnostics", "trace")}


def _parse(text: str, dialect: Dialect) -> dict[str, Any]:
    try:
        return {"document": parse(text, dialect).to_dict()}
    except ParseError as error:
        return write_object(error, "diagnostics")


def _stream(text: str, processor: SymOpsProcessor, step: int) -> dict[str, Any]:
    parser = StreamParser(processor)
    events: list[Any] = []

    def take() -> None:
        event = parser.next_event()
        while event is not NEED_TEXT:
            events.append(event.to_dict())
            event = parser.next_event()

    for start in range(0, len(text), step):
        parser.receive(text[start : start + step])
        take()
    # The page shows which events came before the end of the text was known.
    arrived = len(events)
    closed = parser.close()
    take()
    return {"events": events, "arrived": arrived, **write_object(closed, "differences")}
