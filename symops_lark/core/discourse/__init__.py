"""Read the discourse of a reply: who speaks, in which channel, and whether it is asked for now.

Purpose: actions, JSON answers and tags are taken out of replies by different readers. All of them
need the same three answers, and have them from here. A reader passes its *utterances*, the parts
that it may act on, to `reading.read_discourse`, and gets passages with a code for those that do
not count.

Example, where each line is a passage or a part of one:

    text                        speaker    stance    code
    Here is the file:           assistant  asserted  -
    ::create @a.py …            assistant  asserted  -
    For example:                assistant  asserted  -
    ::delete @a.py              assistant  example   not-asked
    User: thanks, and the rest  user       asserted  invented-turn
    ::run @make clean           user       asserted  invented-turn

Invariants, each with the test that holds it (tests/core/discourse):

1. The passages partition the text. No text raises an error; time is linear (test_laws.py).
2. A token or word that is known counts for all readers (test_laws.py): there is one list.
3. Words may only take away. No row of `stances.yaml` makes an utterance count (test_laws.py).
4. The examples of the data files hold (test_tables.py).
5. The view has the length of the text; it is the text if there is no thinking (test_view.py).

Theory of operation. A reply passes these modules from top to bottom:

    read_discourse  reading    the passages
    find_tokens     marks      tokens of chat templates     ┐ speakers.yaml; `mentions`
    find_labels     labels     labels in words, code blocks ┘
    read_turns      turns      a state machine over the marks
    find_doubts     stances    the sentences before and after each utterance ┐ stances.yaml
    read_clauses    clauses    the part of a sentence that decides           ┘

A verdict, such as a tag, is judged more strictly, since it has no content and a wrong doubt costs
only another question: `turns` (rule 7), and `verdicts.find_retraction` for the text after it.

`view` blanks thinking and tokens for readers that do not know them. `transport_table` loads what
belongs to the transport of contents: names and lines that the checks of `validator` use.

What decides is structure first (where a turn can begin, what is closed, what is adjacent), then
small closed classes of words (pronouns, modal verbs, negations), and nouns and verbs last: those
were seen to hold only for the texts that they were taken from.

Not here: sections inside contents (`recovery/doubts`), and what a reader does about a code.

Known weaknesses: free words. Of leads and tails that nobody had seen when the rows were written,
four of nine are not found ("This one is theoretical."), and a new row helps only those like it.
Another speaker with an unknown name is not found if no label of the assistant follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ground import load_lazily

if TYPE_CHECKING:
    from .passages import Channel, Passage, Speaker, Stance
    from .reading import read_discourse
    from .view import read_view

__all__ = ["Channel", "Passage", "Speaker", "Stance", "read_discourse", "read_view"]
_HOMES = {
    "passages": ("Channel", "Passage", "Speaker", "Stance"),
    "reading": ("read_discourse",),
    "view": ("read_view",),
}
__getattr__ = load_lazily(__name__, _HOMES)
