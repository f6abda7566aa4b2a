"""What earlier versions wrote is still read: a document, a result, a plan, an outcome and a journal of version 0.1.0.

The samples were written before plans knew notations, places and patches. To add one, write it with an older version.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from trees import MemoryTree

from symops_lark import Document, Outcome, Plan, Result, plan, undo
from symops_lark.acting.journal.trust import UntrustedError

SAMPLES = Path(__file__).parent / "samples"
KINDS: dict[str, Any] = {"document": Document, "result": Result, "plan": Plan, "outcome": Outcome}


def sample(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return data


@pytest.mark.parametrize("name", KINDS)
def test_a_sample_is_read_and_loses_nothing(name: str) -> None:
    data = sample(name)
    repeated_fields = KINDS[name].from_dict(data).to_dict()
    assert lacks(data, repeated_fields) == []


def lacks(old: Any, new: Any, where: str = "") -> list[str]:
    """Return the places of an old value that a new one does not have; the new one may have more members."""
    if isinstance(old, dict) and isinstance(new, dict):
        inner = [lacks(value, new.get(key), f"{where}.{key}") for key, value in old.items()]
        return [place for places in inner for place in places]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        inner = [lacks(item, entry, f"{where}[{at}]") for at, (item, entry) in enumerate(zip(old, new, strict=True))]
        return [place for places in inner for place in places]
    return [] if old == new else [where]


def test_a_difference_is_noticed() -> None:
    assert lacks({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}], "c": 4}) == [".a[1].b"]
    assert lacks([1], [1, 2]) == [""]


def test_an_old_document_gives_the_plan_that_it_gave() -> None:
    tree = MemoryTree({"b.py": b"y = 1\n", "c.py": b"c\n"})
    planned_changes = plan(Document.from_dict(sample("document")), tree)
    old = Plan.from_dict(sample("plan"))
    rows = [
        (change.number, change.operation, change.path, change.before, change.after, change.decision)
        for change in planned_changes.changes
    ]
    assert rows == [
        (
            single_change.number,
            single_change.operation,
            single_change.path,
            single_change.before,
            single_change.after,
            single_change.decision,
        )
        for single_change in old.changes
    ]


def test_an_old_journal_is_undone(tmp_path: Path) -> None:
    """It was sealed by a key that is not there, in a folder that is not there: so its writes are shown first."""
    shutil.copytree(SAMPLES / "journal", tmp_path / ".symops" / "1")
    (tmp_path / "a.py").write_text("x = 3\ny = 2\n")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "b.py").write_text("z = 1\n")
    with pytest.raises(UntrustedError) as caught:
        undo(tmp_path)
    undo(tmp_path, trust=caught.value.fingerprint)
    assert (tmp_path / "a.py").read_text() == "x = 1\ny = 2\n"
    assert not (tmp_path / "new").exists()
