"""A reply read as it arrives: events at once, the whole document at the end. Half a line says nothing.

What lives here knows lines and which of them end what; it must not know files, sockets or a second grammar. `stream`
asks the pipeline for the result of the whole text, which is why this room stands above it.
"""

from .differences import Difference
from .events import (
    NEED_TEXT,
    ActionFinished,
    ActionStarted,
    ContentDelta,
    Event,
    NeedText,
    Noticed,
    SectionContent,
    SectionFinished,
    SectionParsed,
    SectionStarted,
    assemble,
)
from .stream import StreamParser, StreamResult

__all__ = [
    "NEED_TEXT",
    "ActionFinished",
    "ActionStarted",
    "ContentDelta",
    "Difference",
    "Event",
    "NeedText",
    "Noticed",
    "SectionContent",
    "SectionFinished",
    "SectionParsed",
    "SectionStarted",
    "StreamParser",
    "StreamResult",
    "assemble",
]
