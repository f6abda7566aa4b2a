"""Show for `symops check --explain-discourse` who speaks in each part of a reply, and how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....core.discourse.findings import describe
from ....core.discourse.passages import Passage
from ....core.discourse.reading import read_discourse
from ....core.document import Document
from ....core.ground.json_objects import write_object
from ....core.recovery.doubts.unasked import find_utterances
from ..colours import paint
from ..visibility import visible_line

_MAX_SHOWN = 60  # characters of a passage


def read_passages(text: str, document: Document) -> tuple[Passage, ...]:
    """Return the passages of a reply, whose utterances are the actions of a document."""
    # The same utterances as those of the recovery, so that the codes agree.
    utterances, own = find_utterances(document)
    return read_discourse(text, utterances, own=own)


def show_passages(passages: tuple[Passage, ...], text: str) -> Iterator[str]:
    """Yield a line for each passage that is not blank, and a second one with a code's reason."""
    yield paint("discourse", bold=True)
    for passage in passages:
        content = text[passage.span.start : passage.span.end]
        words = content.strip()
        if not words:
            continue
        # The line of the first word: a span begins where the passage before it ends.
        line = passage.span.line + content[: content.index(words)].count("\n")
        voice = f"{passage.speaker:<9}  {passage.channel:<8}"
        manner = f"turn {passage.turn}  {passage.stance:<11}"
        # One line each: the passages of a reply may be long.
        excerpt = words.partition("\n")[0][:_MAX_SHOWN]
        dots = "" if excerpt == words else " …"
        yield f"  line {line:<4} {voice}  {manner}  {visible_line(excerpt)}{dots}"
        if passage.code:
            certainty = "by a token" if passage.certain else "by words"
            reason = visible_line(describe(passage, text))
            yield f"            {passage.code}, {certainty}: {reason}"


def passages_as_json(passages: tuple[Passage, ...], text: str) -> list[dict[str, Any]]:
    """Return the passages as JSON objects, each with its reason in words."""
    # The order of the members of the JSON object.
    fields = ("span", "speaker", "channel", "turn", "stance", "code")
    objects = []
    for passage in passages:
        value = write_object(passage, *fields)
        value["why"] = describe(passage, text) if passage.code else ""
        value["certain"] = passage.certain
        objects.append(value)
    return objects
