"""The readers that users would otherwise have: the naive algorithm of the original notes, BAML, aider."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

import symops_lark.lab.benchmark.formats as formats
from symops_lark.core.document import Action, Document, Thought, Vitals
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.core.ground.resources import find_folder
from symops_lark.core.replies.messages import Reply
from symops_lark.lab.benchmark.formats import known_formats, load_format
from symops_lark.lab.benchmark.records import Attempt

V1 = """~ Keep sessions in memory first
#c0.9 #m0.8

$ create @ src/session.py
--
def start(user):
    return {"user": user}
--

$ create @ tests/test_session.py > src/session.py
--
from src.session import start
--
"""
V2 = """>> Keep sessions in memory first
::c0.9 ::m0.8

::create @src/session.py
<<<
def start(user):
    return {"user": user}
>>>

::create @tests/test_session.py >src/session.py
<<<
from src.session import start
>>>

::run @pytest -q
"""
SAID = (
    Thought("Keep sessions in memory first"),
    Vitals((("confidence", 0.9), ("mood", 0.8))),
    Action("create", "src/session.py", 'def start(user):\n    return {"user": user}'),
    Action("create", "tests/test_session.py", "from src.session import start", ("src/session.py",)),
)


def read(name: str, text: str) -> list[Attempt]:
    return list(load_format(name).read(Reply(text)))


def last(name: str, text: str) -> tuple[str, tuple[Action, ...], float | None]:
    attempt = read(name, text)[-1]
    assert attempt.document is not None
    return attempt.phase, attempt.document.actions, attempt.confidence


def test_the_line_loops_read_what_is_right():
    [first] = read("v1-naive", V1)
    assert first.phase == "strict" and first.document == Document(SAID) and first.confidence == 1.0
    [first] = read("v2-naive", V2)
    assert first.document == Document((*SAID, Action("run", "pytest -q")))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("--\ndef", "```python\ndef"),
        ("$ create @ src/session.py", "create src/session.py"),
        ("#c0.9", "confidence: 0.9"),
        ("--\n\n$", "---\n\n$"),
        ("    $", "$"),
        ("session import start\n--", "session import start"),
    ],
)
def test_substitutions_repair_v1(before, after):
    broken = V1.replace(before, after, 1).replace("}\n--", "}\n```" if "```" in after else "}\n--", 1)
    assert last("v1-naive", broken)[1] == SAID[2:]


@pytest.mark.parametrize(
    ("before", "after"),
    [("<<<\ndef", "```python\ndef"), ("::create @src", "$ create @src"), ("<<<\nfrom", "--\nfrom"), ("::c0", "#c0")],
)
def test_substitutions_repair_v2(before, after):
    broken = V2.replace(before, after, 1)
    if "```" in after:
        broken = broken.replace("}\n>>>", "}\n```", 1)
    if after == "--\nfrom":
        broken = broken.replace("start\n>>>", "start\n--")
    phase, actions, _ = last("v2-naive", broken)
    assert actions == (*SAID[2:], Action("run", "pytest -q")) and phase in ("strict", "repaired")


def test_patterns_extract_with_the_confidences_of_the_source_documents():
    phase, actions, confidence = last("v1-naive", V1 + "\n$ run @ pytest -q\n")
    assert phase == "recovered" and [action.path for action in actions] == [*(a.path for a in SAID[2:]), "pytest -q"]
    assert {action.confidence for action in actions} == {0.95} and confidence == 0.95
    phase, actions, confidence = last("v1-naive", "Please create notes.txt like so:\n\n    one\n    two\n\n$ none\n")
    assert phase == "recovered" and [(a.path, a.confidence) for a in actions] == [("notes.txt", 0.70)]
    assert actions[0].content == "one\ntwo\n" and confidence == 0.70


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        # A command takes the block of its neighbour, and a > in it is a dependency.
        ("v1-naive", "$ run @ make > log\n\n$ create @ a.py\n--\nx = 1\n--\n", ("run", "make", "x = 1")),
        ("v2-naive", "::run @make > log\n", ("run", "make", None)),
        # The repair changes what it takes for a delimiter of the other version, in contents too.
        ("v2-naive", "::create @a.sql\n<<<\nselect 1\n--\n>>>\n", ("create", "a.sql", "")),
    ],
)
def test_what_the_naive_algorithm_gets_wrong(name, text, wrong):
    action = last(name, text)[1][0]
    assert (action.type, action.path, action.content) == wrong


def test_baml_and_json_repair_read_the_same_text():
    first, two = load_format("json-baml"), load_format("json")
    document = Document((*SAID, Action("run", "pytest -q")))
    assert first.write(document) == two.write(document)
    text = "Sure:\n\n" + first.write(document)
    for format in (first, two):
        attempts = list(format.read(Reply(text)))
        assert [(a.phase, a.accepted) for a in attempts] == [("strict", False), ("repaired", True)]
        assert attempts[-1].document == document
    assert "rename" in first.refuse(Document((Action("rename", "a.py"),)))


@pytest.mark.skipif(bool(known_formats()["aider-whole"]), reason="aider is not installed")
def test_aider_refuses_a_reply_with_one_bad_block():
    format = load_format("aider-search-replace")
    text = format.write(Document(SAID))
    assert [action.path for action in last(format.name, text)[1]] == ["src/session.py", "tests/test_session.py"]
    assert read(format.name, text.replace("start\n>>>>>>> REPLACE", "start"))[-1].document is None
    assert "delete" in format.refuse(Document((Action("delete", "a.py"),)))
    assert "no content" in format.refuse(Document((Action("create", "a.py"),)))
    assert "run" in load_format("aider-whole").refuse(Document((Action("run", "ls"),)))


@pytest.mark.parametrize(
    ("name", "module"), [("json", "json_repair"), ("json-baml", "baml_py"), ("aider-whole", "aider")]
)
def test_what_is_missing_is_said(name, module, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda sought, *r: None if sought == module else find(sought, *r))
    maker = formats._makers()[name]
    there = getattr(maker, "func", maker).__globals__
    if "find_spec" in there:
        monkeypatch.setitem(there, "find_spec", importlib.util.find_spec)
    # Whatever the format's module has cached by now was loaded while the library was there.
    for value in there.values():
        if hasattr(value, "cache_clear") and value.__module__ == there["__name__"]:
            value.cache_clear()
    with pytest.raises(SymOpsError, match="pip install"):
        load_format(name)
    assert "pip install" in known_formats()[name] and not known_formats()["v2"]


def test_a_baseline_is_one_file(tmp_path: Path, monkeypatch):
    shutil.copytree(Path(find_folder("benchmarks")) / "baselines", tmp_path / "baselines")
    (tmp_path / "baselines" / "shouting.py").write_text(
        "from symops_lark.lab.benchmark.formats.sym_ops import SymOps\n\n\n"
        "class Shouting(SymOps):\n    pass\n\n\nFORMATS = {'shouting': lambda: Shouting('v2')}\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(formats, "find_folder", lambda name: tmp_path)
    formats._makers.cache_clear()
    try:
        assert load_format("shouting").teach("x") == load_format("v2").teach("x")
        assert {"shouting", "v1-naive", "json"} <= set(known_formats())
    finally:
        formats._makers.cache_clear()
