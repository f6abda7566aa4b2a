"""The law of the lead, over generated leads: how a line before an action doubts it.

A lead is doubted for known words. One without a known word is believed, because to doubt each of
them doubted more actions that were meant than it found others (see `stances`).
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from passages import ACT, codes_of
from symops_lark.core.grammar.codes import NOT_ASKED

VERBS = st.sampled_from(["create", "write", "add", "fix", "rename", "move", "split", "simplify"])
OBJECTS = st.sampled_from(["the file", "a test", "`src/a.py`", "the loader", "both modules"])
PERSONS = st.sampled_from(["I", "We"])
UNREAL = st.sampled_from(["would", "could", "might", "used to"])
FRAMES = st.sampled_from(["{}", "**{}**", "- {}", "1. {}", "## {}", "All tests pass. {}"])
# What no row of `stances.yaml` knows: made of syllables that no word of it has.
NOUNS = st.text(alphabet="bzkvo", min_size=5, max_size=12)


def _code(frame: str, lead: str) -> str:
    line = frame.format(lead)
    return codes_of(f"{line}\n\n{ACT}\n")[0]


@given(FRAMES, PERSONS, VERBS, OBJECTS)
def test_an_announcement_counts(frame: str, person: str, verb: str, item: str) -> None:
    assert _code(frame, f"{person} {verb} {item}:") == ""
    assert _code(frame, f"{verb.capitalize()} {item}:") == ""


@given(FRAMES, PERSONS, UNREAL, VERBS, OBJECTS)
def test_what_is_unreal_does_not_count(
    frame: str, person: str, modal: str, verb: str, item: str
) -> None:
    assert _code(frame, f"{person} {modal} {verb} {item}:") == NOT_ASKED


@given(FRAMES, NOUNS)
def test_an_unknown_lead_is_believed(frame: str, noun: str) -> None:
    assert _code(frame, f"The {noun}:") == ""
