"""What the page shows of a text, as JSON values: `page/reading.js` says the same with the exported parser."""

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
    """Return what each phase says of a text, what comes of all, and what a stream of `step` characters announces."""
    return {
        "parse": _parse(text, dialect),
        "repair": write_object(processor.repair(text), "text", "changed", "repairs"),
        "recover": processor.recover(text).to_dict(),
        "process": process(text, processor),
        "stream": _stream(text, processor, step),
    }


def process(text: str, processor: SymOpsProcessor) -> dict[str, Any]:
    """Return what `symops process --json` prints of a text."""
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
    parser, events = StreamParser(processor), []

    def take() -> None:
        while (event := parser.next_event()) is not NEED_TEXT:
            events.append(event.to_dict())

    for start in range(0, len(text), step):
        parser.receive(text[start : start + step])
        take()
    arrived = len(events)
    closed = parser.close()
    take()
    return {"events": events, "arrived": arrived, **write_object(closed, "differences")}
