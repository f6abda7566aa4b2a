"""An index on disk that is damaged anywhere is made again, or passed over: never a bug, and never no answer."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from command_line import run as symops

from symops_lark.code_intelligence.index.storage import place_of
from symops_lark.code_intelligence.tools import vectors


def damage(whole: bytes, draw: random.Random) -> bytes:
    damaged = bytearray(whole)
    for _ in range(draw.choice((1, 2, 5, 40, 400))):
        damaged[draw.randrange(len(damaged) if draw.random() < 0.5 else min(5_000, len(damaged)))] = draw.randrange(256)
    return bytes(damaged[: draw.randrange(len(damaged))] if draw.random() < 0.2 else damaged)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_damaged_index(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("def login(user):\n    return user\n", encoding="utf-8")
    query = ("code", "query", "login", "--root", str(root))
    assert "login" in symops(*query).output
    place = place_of(os.path.realpath(root))
    assert place is not None and place.exists()
    with closing(sqlite3.connect(place)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole_data, draw = place.read_bytes(), random.Random(seed)
    assert len(whole_data) > 20_000
    for number in range(25):
        for extra in place.parent.glob(f"{place.name}-*"):
            extra.unlink()
        place.write_bytes(damage(whole_data, draw))
        done = symops(*query)
        assert done.exit_code in (0, 1, 2), f"{number}: {done.output}"


@pytest.mark.parametrize("seed", range(3))
def test_damaged_vectors_are_opened_or_passed_over(seed: int, tmp_path: Path) -> None:
    place = tmp_path / "vectors.sqlite"
    with closing(vectors._open(place)) as database, database:
        database.executemany("INSERT INTO vectors VALUES(?, ?)", [(bytes([n]) * 16, bytes(1_536)) for n in range(20)])
    whole_data, draw = place.read_bytes(), random.Random(seed)
    for _ in range(150):
        place.write_bytes(damage(whole_data, draw))
        opened = vectors._open(place)
        assert isinstance(opened, sqlite3.Connection)
        opened.close()
