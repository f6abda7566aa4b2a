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
from symops_lark import Completeness, Phase, ProtocolError

FOLDER = Path(__file__).parent / "transcripts"
LICENCES = ("MIT", "Apache-2.0")
KNOWN_FAULTS: frozenset[str] = frozenset()
UNDETECTED: set[str] = set()


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
PAIRS = [
    pytest.param(
        transcript,
        dialect,
        id=f"{transcript.name}-{dialect}",
        marks=[pytest.mark.xfail(strict=True)] if transcript.name in KNOWN_FAULTS else [],
    )
    for transcript in TRANSCRIPTS
    for dialect in transcript.dialects
]


def digest(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()[:16]


@pytest.mark.parametrize(("transcript", "dialect"), PAIRS)
def test_it_is_read_as_expected(transcript: Transcript, dialect: str) -> None:
    expected = transcript.record["expected"]
    try:
        result = symops_lark.process(transcript.text, dialect, cut_off=transcript.record.get("cut_off"))
    except ProtocolError as error:
        assert expected["phase"] == "refused"
        assert not error.document.actions and error.diagnostics
        return
    assert str(result.phase) == expected["phase"]
    found = [
        {
            "type": a.type,
            "path": a.path,
            "needs": list(a.dependencies),
            "completeness": str(a.completeness),
            "content": None if a.content is None else digest(a.content),
        }
        for a in result.document.actions
    ]
    wanted = [{"needs": [], "content": None, **action} for action in expected.get("actions", [])]
    assert found == wanted
    assert len(result.document.thoughts) == expected.get("thoughts", 0)
    lines = [section for section in result.document.sections if isinstance(section, symops_lark.Vitals)]
    assert len(lines) == expected.get("vitals", 0)


@pytest.mark.parametrize(("transcript", "dialect"), PAIRS)
def test_what_is_broken_shows(transcript: Transcript, dialect: str) -> None:
    """Whatever was put right has a note, and half a file is never presented as a whole one."""
    try:
        result = symops_lark.process(transcript.text, dialect, cut_off=transcript.record.get("cut_off"))
    except ProtocolError:
        return
    if result.phase is not Phase.STRICT:
        assert result.diagnostics and result.confidence < 1.0
    for action in result.document.actions:
        if action.completeness is not Completeness.COMPLETE:
            assert action.confidence < 0.9


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda transcript: transcript.name)
def test_cut_anywhere_it_gives_an_answer(transcript: Transcript) -> None:
    """A prefix of a reply is a reply, and it holds no action that the reply does not."""
    size = len(transcript.text)
    for end in range(0, size, max(1, size // 7)):
        try:
            result = symops_lark.process(transcript.text[:end], transcript.dialects[0], cut_off=True)
        except ProtocolError:
            continue
        assert len(result.document.actions) <= len(transcript.record["expected"].get("actions", [])) + 1


def found_dialect(transcript: Transcript) -> str:
    try:
        return symops_lark.process(transcript.text, cut_off=transcript.record.get("cut_off")).document.dialect
    except ProtocolError:
        return "none"


def test_the_dialect_is_found() -> None:
    """The dialect need not be told (a reply wholly in the other's marks is the other's)."""
    told = [t for t in TRANSCRIPTS if t.record["expected"].get("actions") and t.name != "composed-other-version"]
    assert len(told) >= 30
    assert {t.name for t in told if found_dialect(t) != t.record["dialect"]} == UNDETECTED


def test_every_record_is_whole() -> None:
    assert len(TRANSCRIPTS) >= 40
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
