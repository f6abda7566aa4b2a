"""Read a reply while it arrives: events at once, the result of the whole text at the end.

Purpose: a caller hands in pieces of text as the model sends them, and gets events (`events`): a
thought, the head of an action, one more line of its content. At the end, `close` returns what
`process` returns for the whole text, and lists where the events differ from it.

Invariants, each with the test that holds it:

1. How the text was cut into pieces changes nothing (tests/core/streaming/test_laws.py).
2. For a valid text, the events put together are the document of the strict parser (test_laws.py).
3. Events are never taken back. An event depends on whole lines only (test_laws.py, test_events.py).
4. Memory is bounded by the current section, and in a block by one line (test_cost.py).
5. The state machines make the moves of their tables `MOVES`, and no others (test_states.py).
6. Each doubt of the final document about an action is announced once: before the action if the
   text up to there raises it, else at the end (test_doubts.py).

Theory of operation. A piece passes these modules from top to bottom:

    StreamParser      stream           a client's chunks, the final result
    Announcements     announcements    pieces in, events out, in one dialect
    Incoming          incoming         pieces → lines with their positions
    SectionReader     sections         lines → sections: a state machine
      Token           line_classifier  the kind of one line, computed when it is needed
      HeadCollector   head_collector   an action's head that takes several lines
      Block           blocks           the content of an action: a state machine
    Announcer         announcer        the current section and action → events
      Doubts          doubts           is an action asked for: the discourse of the text so far

Example, in v2, where each line gives its event at once:

    ::create @a.py     ActionStarted (in v2.1 after the next line, which may be an attribute)
    <<<
    x = 1              ContentDelta("x = 1")
    >>>                ActionFinished(COMPLETE)
    User: thanks       Noticed(stray-text)
    ::run @ls          Noticed(invented-turn), then ActionStarted

With "auto", `dialect_guess` holds lines back until the dialect is certain. A section in a format of
another agent may begin first. Then `formats` reads the reply, if no line before it may be ours:

    I do it.           held back
    <tool_call> …      held back up to its end, or until a content in it is certain
    Done. …            ActionStarted, ContentDelta, ActionFinished

Lines that could mean two things are held back until the next line decides: a bounded number.

Whether an action is asked for is judged when it begins, by turns, channels and leads. Its end is
not delayed. What follows it may doubt it, too (a question, a closer that is left over): such a
doubt comes after all other events. Doubts only lower the confidence in the document, and `plan`
takes the document, never events.

Not here: files, sockets and a second grammar. The strict parser and the repair rules read the
lines; this package decides only when a line can be read. It is above the pipeline, because
`stream` asks the pipeline for the result of the whole text.

References: the interface follows h11 (https://h11.readthedocs.io): it does no input and output;
`receive` takes data, `next_event` returns what follows from it.
"""

from .differences import Difference, StreamResult
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
    read_event,
)
from .stream import StreamParser

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
    "read_event",
]
