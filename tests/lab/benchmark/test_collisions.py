"""Files in which a line is a delimiter: counted against a reading of each line, and against what dialects can say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.document import Action, Document
from symops_lark.core.grammar.loading import dialects, load_grammar
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.core.ground.file_types import language_of
from symops_lark.core.rendering.renderer import can_render, render
from symops_lark.lab.benchmark.collisions import find_collisions
from symops_lark.lab.measuring.intervals import exact_interval
from symops_lark.lab.workbench.check import delimiters_of, survey

LINES = [
    "--",
    "-- ",
    "---",
    " --",
    "<<<",
    "<<<\t",
    ">>>",
    "> >>",
    "<<<<",
    ">>>>",
    "<<<<<",
    ">>>>>>>>",
    ">>>END",
    "[CONTENT_START]",
    "[CONTENT_END] ",
    "x",
    "",
    "x <<<",
]
TEXTS = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)


@given(TEXTS)
def test_what_is_counted_is_what_dialects_cannot_say(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "a.sql").write_text(text, encoding="utf-8")
    collisions = find_collisions([folder], dialects())
    document = Document((Action("create", "a.sql", text),))
    for row in collisions.rows:
        dialect = load_grammar(row.dialect)
        assert row.refused == (not can_render(document, dialect))
        assert row.files == 1 and (row.low <= row.share <= row.high)
        lone = {line.rstrip() for line in text.split("\n")}
        assert row.opener == (dialect.marks["open"] in lone) and row.closer == (dialect.marks["close"] in lone)
    for item in collisions.examples:
        assert text.split("\n")[item.line - 1].rstrip() == item.delimiter
        assert item.path == str(folder / "a.sql") and item.language == "SQL"
        carried = render(document, "v2_1").split("\n")[1] if item.fence else ""
        assert len(carried) == (item.fence or 0)


def test_files_are_counted_by_language_and_each_once(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "a.sql").write_text("--\n-- x\n--\n")
    (inner / "b.sql").write_text("select 1;\n")
    (inner / "Dockerfile").write_text("FROM x\n")
    (inner / "deep.md").write_text("<<<\n" + "\n".join(f"{'<' * n}" for n in range(4, 9)))
    (inner / "huge.txt").write_bytes(b"x" * 1_000_001)
    (inner / "link.sql").symlink_to(inner / "a.sql")
    (tmp_path / "round").symlink_to(inner)
    collisions = find_collisions([tmp_path, inner], ["v1", "v2"])
    rows = {(row.dialect, row.language): row for row in collisions.rows}
    assert rows["v1", "SQL"].files == 2 and rows["v1", "SQL"].either == 1 and rows["v1", "SQL"].lines == 3
    assert rows["v1", "SQL"].carried == (("3", 1),) and rows["v1", "all"].files == 4
    assert rows["v2", "Markdown"].refused == 1 and rows["v2", "Markdown"].carried == ()
    assert rows["v2", "Dockerfile"].either == 0
    assert collisions.skipped == {"link": 2, "over 1000000 bytes": 1} and collisions.large == (str(inner / "huge.txt"),)


@pytest.mark.slow
def test_one_survey_serves_the_workbench_too(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("<<<\n")
    [own, _] = survey([tmp_path], [delimiters_of(load_grammar("v2"))]).rows
    assert own.carried == () and own.refused == 1  # v2 is its own carrier, and has no longer fence
    [theirs, _] = find_collisions([tmp_path], ["v2"]).rows
    assert theirs.carried == (("4", 1),)
    report = json.loads(run("grammar", "check", "v2", "--corpus", str(tmp_path), "--json").stdout)
    assert report["corpus"]["rows"][0]["either"] == 1


@pytest.mark.slow
def test_intervals_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    for total in (1, 7, 100, 484):
        for hits in {0, 1, total // 3, total}:
            interval = stats.binomtest(hits, total).proportion_ci(method="exact")
            assert exact_interval(hits, total) == pytest.approx((interval.low, interval.high), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("a.SQL", "SQL"),
        ("x/Makefile", "Makefile"),
        (".env", "INI"),
        ("a.tsx", "TypeScript"),
        ("a.patch", "diff"),
        ("README", ""),
        (".gitkeep", ""),
        ("a.b.csv", "CSV"),
    ],
)
def test_languages_by_name(name: str, language: str) -> None:
    assert language_of(name) == language


def test_the_command(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.lua").write_text("x = 1\n" + "--\n" * (number == 0))
    result = run("bench", "collisions", str(tmp_path), "--format", "v1")
    assert result.exit_code == 0, result.output
    assert "25.000%  0.631% to 80.588%" in result.stdout  # R: binom.test(1, 4)
    assert f"{tmp_path / '0.lua'}:2: -- (v1, Lua; a fence of 3 in v2_1)" in result.stdout
    value = json.loads(run("bench", "collisions", str(tmp_path), "--json").stdout)
    assert {row["dialect"] for row in value["rows"]} == {"v1", "v2", "plain"} and value["claims"]["v1"] == "15 %"
    assert run("bench", "collisions", str(tmp_path / "none")).exit_code == 2
    assert run("bench", "collisions").exit_code == 2


def test_formats_without_delimiters_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SymOpsError, match="json is not a dialect"):
        find_collisions([tmp_path], ["json"])
