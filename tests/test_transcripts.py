"""Transcripts: real replies (of a small model asked for Sym-Ops, and of others that were not), and composed ones.

Beside each reply stands a .toml that says where it comes from, under which licence, and what must be read in it.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from texts import DIALECTS

import symops_lark
from symops_lark import Action, Completeness, Document, Phase, ProtocolError

FOLDER = Path(__file__).parent / "transcripts"
LICENCES = ("MIT", "Apache-2.0")
THINKING = "composed-thinking"  # it drafts an action before it thinks better of it


@dataclass(frozen=True)
class Transcript:
    """One reply with its record."""

    name: str
    text: str
    record: dict[str, Any]

    @property
    def dialects(self) -> tuple[str, ...]:
        """The dialect that was asked for, or all: a reply in another format must be read right in each."""
        return (self.record["dialect"],) if "dialect" in self.record else DIALECTS


def read_transcript(path: Path) -> Transcript:
    text = path.read_bytes().decode("utf-8")
    return Transcript(path.stem, text, tomllib.loads(path.with_suffix(".toml").read_text(encoding="utf-8")))


TRANSCRIPTS = [read_transcript(path) for path in sorted(FOLDER.glob("*.txt"))]


def read_as(*phases: str) -> list[Any]:
    """Return the transcripts that end in one of some phases, with each dialect in which they do."""
    return [
        pytest.param(transcript, dialect, id=f"{transcript.name}-{dialect}")
        for transcript in TRANSCRIPTS
        if transcript.record["expected"]["phase"] in phases
        for dialect in transcript.dialects
    ]


def digest(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()[:16]


@pytest.mark.parametrize(("transcript", "dialect"), read_as("refused"))
def test_it_is_refused_as_expected(transcript: Transcript, dialect: str) -> None:
    with pytest.raises(ProtocolError) as refused:
        symops_lark.process(transcript.text, dialect, cut_off=transcript.record.get("cut_off"))
    assert not refused.value.document.actions and refused.value.diagnostics


@pytest.mark.parametrize(("transcript", "dialect"), read_as("strict", "repaired", "recovered"))
def test_it_is_read_as_expected(transcript: Transcript, dialect: str) -> None:
    expected = transcript.record["expected"]
    result = symops_lark.process(transcript.text, dialect, cut_off=transcript.record.get("cut_off"))
    assert str(result.phase) == expected["phase"]
    items = [
        {
            "type": a.type,
            "path": a.path,
            "needs": list(a.dependencies),
            "completeness": str(a.completeness),
            "content": None if a.content is None else digest(a.content),
        }
        for a in result.document.actions
    ]
    expected_items = [{"needs": [], "content": None, **action} for action in expected.get("actions", [])]
    assert items == expected_items
    assert len(result.document.thoughts) == expected.get("thoughts", 0)
    lines = [section for section in result.document.sections if isinstance(section, symops_lark.Vitals)]
    assert len(lines) == expected.get("vitals", 0)


@pytest.mark.parametrize(("transcript", "dialect"), read_as("repaired", "recovered"))
def test_what_is_broken_shows(transcript: Transcript, dialect: str) -> None:
    """Whatever was put right has a note, and half a file is never presented as a whole one."""
    result = symops_lark.process(transcript.text, dialect, cut_off=transcript.record.get("cut_off"))
    assert result.phase is not Phase.STRICT
    assert result.diagnostics and result.confidence < 1.0
    for action in result.document.actions:
        if action.completeness is not Completeness.COMPLETE:
            assert action.confidence < 0.9


def document_of(text: str, dialect: str, cut_off: bool | None) -> Document:
    """Return the document of a reply or of its refusal."""
    try:
        return symops_lark.process(text, dialect, cut_off=cut_off).document
    except ProtocolError as error:
        return error.document


def begins(action: Action, whole: Action) -> bool:
    """Return whether an action is the beginning of another one; one that is in doubt need only be of its file."""
    same = action.type == whole.type and whole.path.startswith(action.path)
    doubtful = action.confidence < 0.9 or action.completeness is not Completeness.COMPLETE
    content = (action.content or "").rstrip("\n")
    return same and (doubtful or (whole.content or "").startswith(content))


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda transcript: transcript.name)
def test_cut_anywhere_it_gives_an_answer(transcript: Transcript) -> None:
    """A prefix of a reply is a reply, and it holds no action that the reply does not."""
    text, dialect = transcript.text, transcript.dialects[0]
    whole_actions = document_of(text, dialect, transcript.record.get("cut_off")).actions
    for end in range(0, len(text), max(1, len(text) // 7)):
        actions = document_of(text[:end], dialect, True).actions
        strange = [
            action for action in actions if not any(begins(action, whole_action) for whole_action in whole_actions)
        ]
        assert not strange or (transcript.name == THINKING and end <= text.index("</think>") + 1), f"cut at {end}"
        assert len(actions) <= len(whole_actions)


def found_dialect(transcript: Transcript) -> str:
    try:
        return symops_lark.process(transcript.text, cut_off=transcript.record.get("cut_off")).document.dialect
    except ProtocolError:
        return "none"


def test_the_dialect_is_found() -> None:
    """The dialect need not be told (a reply wholly in the other's marks is the other's)."""
    transcripts = [t for t in TRANSCRIPTS if t.record["expected"].get("actions") and t.name != "composed-other-version"]
    assert len(transcripts) >= 30
    assert {t.name for t in transcripts if found_dialect(t) != t.record["dialect"]} == set()


def test_every_record_is_whole() -> None:
    assert len(TRANSCRIPTS) >= 40 and len(read_as("repaired", "recovered")) >= 28
    assert {path.stem for path in FOLDER.glob("*.toml")} == {transcript.name for transcript in TRANSCRIPTS}
    for transcript in TRANSCRIPTS:
        record = transcript.record
        assert record["licence"] in LICENCES, transcript.name
        assert record["origin"] in ("real", "composed")
        assert record["source"]
        assert record["origin"] == "real" or record["based_on"]
        assert record["expected"]["phase"] in ("strict", "repaired", "recovered", "refused")
    origins = Counter(transcript.record["origin"] for transcript in TRANSCRIPTS)
    assert origins["real"] >= 40 and origins["composed"] >= 20
