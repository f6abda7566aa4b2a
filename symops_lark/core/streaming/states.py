"""The states of the two readers of lines, and the moves between them.

`SectionReader` (sections) and `Block` (blocks) are state machines: a state says where the next line
is. A test has a table of the moves of each: they make no other move, and some text makes each of
them (tests/core/streaming/test_states.py).

Sections. Every state but SECTIONS is left for SECTIONS when its lines end:

    SECTIONS ─┬─ an opener ──────────────────────────────────────► BLOCK
              ├─ <think> ────────────────────────────────────────► THINKING
              ├─ the first line of a custom section ─────────────► OWN
              └─ a head that needs a block, then another text ───► REMARK ─ an opener ─► BLOCK

Example of REMARK, in v2: "Here it comes:" between a head and its opener is a remark if the opener
follows. Else it is the first line of the content, and the opener is missing.

Blocks. A block begins as EXACT, LENIENT or FENCE, by its opener, and ends where the dialect's rules
for that state end it:

    EXACT ──── below a head, a mark that opens and closes ───────► SAME_MARK ─ any line ─► (ended)
    LENIENT ┬─ nearly a closer ───────► MAYBE_CLOSED ┬─ a section, prose, a blank line ──► (ended)
    FENCE ──┘                                        └─ any other text ─► back, it was content
    any of these three ─ an opener in place of the first one ────► EXACT

What an ended block returns to the reader of sections is an `End`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from ..document import Completeness
from ..ground.members import coerce_members
from .incoming import PlacedLine
from .line_classifier import Token


class SectionState(Enum):
    """Where the next line of a text can be."""

    SECTIONS = auto()  # in a section that may continue, or between two
    REMARK = auto()  # below a head that needs a block and a line that is not its opener
    BLOCK = auto()
    THINKING = auto()  # in a section of thinking in tags
    OWN = auto()  # in a custom section of the dialect


class BlockState(Enum):
    """Where the next line of a block can be."""

    EXACT = auto()  # in a block whose opener is exact
    LENIENT = auto()  # in one whose opener is malformed or missing: a near closer may end it
    FENCE = auto()  # between Markdown fences
    SAME_MARK = auto()  # below a mark that closes this block or opens the next action's
    MAYBE_CLOSED = auto()  # below a line that is nearly a closer, or a delimiter between fences


@dataclass(slots=True)
class End:
    """The end of a block.

    Attributes:
        completeness: Whether the content is complete.
        last: The last line of the block.
        following: The lines that were read and belong after the block.
        mistake: The code of a diagnostic; "" if the block ends as it should.
    """

    completeness: Completeness
    last: PlacedLine
    following: list[Token] = field(default_factory=list)
    mistake: str = ""

    def __post_init__(self) -> None:
        coerce_members(self)
