"""The parser league: outcomes are what they are called, and each reader reads what it claims."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from repository import ROOT

from benchmarks.league.contest import ALARM, INVENTED, REFUSED, RIGHT, SILENT, Match, judge, read_file
from benchmarks.league.peers import PEERS, Item, Peer, Reading
from symops_lark.core.document import Action, Document
from symops_lark.core.formats.loading import formats
from symops_lark.lab.benchmark.faults.mistakes import Expected
from symops_lark.lab.benchmark.formats import load_format

MEANT = Expected("create", "src/a.py", ("x = 1",), ())
CUT = Expected("create", "src/a.py", ("x",), (), cut=True, wholes=("x = 1",))
FILE = Document((Action("create", "src/a.py", "x = 1\ny = 2"),))


def outcome(reading: Reading, *expected: Expected) -> str:
    peer = Peer("p", "nothing", None, lambda text, format: reading)
    return judge(peer, Match("json_calls", "a reply", expected, is_damaged=False))


@pytest.mark.parametrize(
    ("items", "is_doubted", "expected", "said"),
    [
        ([Item("src/a.py", "x = 1")], False, [MEANT], RIGHT),
        ([Item("src/a.py", "x = 1\n")], False, [MEANT], RIGHT),
        ([], False, [MEANT], REFUSED),
        ([], False, [], RIGHT),
        ([Item("src/a.py", "x")], True, [MEANT], ALARM),
        ([Item("src/a.py", "x")], False, [MEANT], SILENT),
        ([Item("src/a.py`", "x = 1")], False, [MEANT], SILENT),
        ([Item("src/a.py", "x = 1"), Item("rm -rf b", None)], True, [MEANT], INVENTED),
        ([Item("src/a.py", "x = 1"), Item("src/a.py", "x = 1")], False, [MEANT], SILENT),
        ([Item("src/a.py", "x")], False, [CUT], SILENT),
        ([Item("src/a.py", "x")], True, [CUT], RIGHT),
        ([Item("src/a.py", "x = 1")], False, [CUT], RIGHT),
    ],
)
def test_outcomes(items: list[Item], is_doubted: bool, expected: list[Expected], said: str) -> None:
    assert outcome(Reading(items, is_doubted), *expected) == said


def test_what_a_library_raises_is_a_refusal() -> None:
    def fail(text: str, format: str) -> Reading:
        raise LookupError(text)

    assert judge(Peer("p", "nothing", None, fail), Match("glm", "", (MEANT,), is_damaged=False)) == REFUSED


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_each_reader_reads_what_it_claims(peer: Peer) -> None:
    if not peer.version:
        pytest.skip(f"{peer.library} is not installed: pip install 'symops-lark[bench]'")
    count = 0
    for name in sorted(peer.claims or formats()):
        format = load_format(name)
        if format.refuse(FILE):
            continue
        match = Match(name, format.write(FILE), tuple(format.draft(FILE).expected), is_damaged=False)
        assert judge(peer, match) == RIGHT, name
        count += 1
    assert count


def test_replies_of_your_own_are_read(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    rows = [
        {"text": "t", "format": "glm", "expect": {"files": [{"path": "a.py", "content": "x"}], "commands": ["ls"]}},
        {"text": "an edit", "expect": {"edits": [{"path": "a.py"}]}},
        {"text": "prose"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    file = list(read_file(path))
    assert [(match.format, [row.path for row in match.expected]) for match in file] == [
        ("glm", ["a.py", "ls"]),
        ("", []),
    ]


def test_the_comparison_has_the_rows_of_the_results() -> None:
    results, comparison = (
        (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("league", "comparison")
    )
    damaged = results.split("Replies with simulated mistakes")[1]
    rows = [line for line in comparison.splitlines() if line.startswith("| ") and "%" in line]
    # The page has the first columns of each row.
    measured = [line for line in damaged.splitlines() if line.startswith("| ") and "%" in line]
    assert len(rows) == len(measured) > 5
    assert all(line.startswith(row) for row, line in zip(rows, measured, strict=True))
