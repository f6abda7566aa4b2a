"""Reports: what may share a table, the same bytes for the same records, a page that is sound by itself."""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest
from command_line import run as symops
from compliance_records import MID, WEAK, make_record, run_for_real, write_log
from wings import need_wing

from symops_lark import SymOpsError
from symops_lark.lab.benchmark.measures import MEASURES
from symops_lark.lab.benchmark.records import Provenance, Record
from symops_lark.lab.benchmark.report import (
    describe_sections,
    find_form,
    split,
    write_markdown,
    write_page,
    write_report,
)
from symops_lark.lab.benchmark.report.plots import PLOTS

CODE = "`a¦b'<script>alert(1)</script> # ![x](plot:0/latency)`"
HOSTILE = "a|b`<script>alert(1)</script>\n# ![x](plot:0/latency)"


@cache
def records() -> tuple[Record, ...]:
    """Records of two profiles, of a format that fails, crashes and has an odd name, and of recorded replies."""
    first = run_for_real()
    weak = tuple(replace(record, provenance=WEAK, key=f"weak {record.key}") for record in first[:9])
    odd = tuple(
        make_record(HOSTILE, f"task {at}", ("no-answer", "partial"), provenance=MID, faults=(HOSTILE,))
        for at in range(3)
    )
    lost = make_record("v2", "lost", (), provenance=MID, error="no reply: <b>429</b> | too many\nsecond line")
    crash = make_record("v2", "crash", ("no-answer",) * 4, provenance=first[0].provenance, error="crash: ValueError: x")
    replayed = Provenance("replayed", (("hash", "d"),))
    old = tuple(
        make_record(
            task=f"{model} {at}",
            states=(None,),
            accepted=(True,),
            provenance=replayed,
            model=model,
            expected=None,
            faults=None,
        )
        for model in ("one", "two")
        for at in range(2)
    )
    return (*first, *weak, *odd, lost, crash, *old)


@cache
def page() -> str:
    return write_page(split(records()))


@cache
def parsed() -> Element:
    element: Element = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page())
    return element


def tables(markdown: str) -> list[tuple[list[str], str]]:
    """The rows of each table, with the first line below it."""
    matches = re.findall(r"((?:^\|.*\n)+)\n*(.*)", markdown, re.MULTILINE)
    return [(rows.splitlines(), below) for rows, below in matches]


# ---- provenance


@pytest.mark.slow
def test_every_table_names_the_one_provenance_that_it_is_of() -> None:
    sections = [f"`{section.name}`" for section in split(records())]
    parts = re.split(r"(?m)^## ", write_markdown(split(records())))[3:]
    assert [part.split("\n")[0] for part in parts] == sections and len(sections) == 5
    assert {"`replayed(d), one`", "`replayed(d), two`"} <= set(sections), "two models are two sections"
    for name, part in zip(sections, parts, strict=True):
        assert len(tables(part)) > 3
        for rows, below in tables(part):
            assert below.startswith(name + "."), rows
        assert not any(single_section in part for single_section in sections if single_section != name)


@pytest.mark.slow
def test_a_section_is_the_same_whatever_else_is_in_the_report() -> None:
    together = describe_sections(split(records()))["sections"]
    for provenance in {record.provenance for record in records()}:
        alone = describe_sections(split(r for r in records() if r.provenance == provenance))["sections"]
        assert all(section in together for section in alone)


def test_formats_that_were_read_differently_are_told_apart() -> None:
    both = [make_record(task="a"), make_record(task="b", rules="other" * 3)]
    (section,) = split(both)
    assert section.formats == ("v2 (ffffff, rules othero)", "v2 (ffffff, rules rrrrrr)")
    assert split([both[0], both[0]])[0].formats == ("v2",)


# ---- the same bytes


@pytest.mark.slow
def test_the_order_of_the_records_does_not_matter() -> None:
    shuffled = random.Random("order").sample(records(), len(records()))
    assert write_markdown(split(shuffled)) == write_markdown(split(records()))
    assert describe_sections(split(shuffled)) == describe_sections(split(records()))
    assert write_page(split(shuffled)) == page()


def test_only_the_section_of_latencies_differs_from_run_to_run() -> None:
    slower = [
        replace(r, phases=tuple(replace(p, seconds=p.seconds and 3 * p.seconds) for p in r.phases)) for r in records()
    ]
    texts = [write_markdown(split(item)) for item in (records(), slower)]
    parts = [re.split(r"(?m)^(?=###? )", text) for text in texts]
    different = {first.split("\n")[0] for first, second in zip(*parts, strict=True) if first != second}
    assert different == {"### Latency of each phase"}
    assert "differ from run to run" in texts[0]


def test_a_case_counts_once_and_with_a_reply_if_it_has_one() -> None:
    lost = replace(make_record(), phases=(), error="no reply")
    for item in ([lost, make_record()], [make_record(), lost, make_record()]):
        (section,) = split(item)
        assert (len(section.records), len(section.failed)) == (1, 0)


# ---- what is said


def test_every_rate_has_its_n_and_its_interval() -> None:
    text = write_markdown(split(records()))
    rated = 0
    for rows, _ in tables(text):
        heads = [head.strip() for head in rows[0].strip("|").split(" | ")]
        for row in rows[2:]:
            for cell in row.strip("|").split(" | "):
                if " %" in cell:
                    rated += 1
                    assert re.search(r" % \((at most [\d.<]+ %|[\d.<+]+ to [\d.+]+)\)", cell), row
                    assert "n" in heads or ", n " in cell, row
    assert rated > 200
    sections = text.partition("\n## Contents")[2]
    lines = [line for line in sections.split("\n") if line.startswith("**")]
    assert lines and not any(" %" in line for line in lines), "a rate is in a table, beside its interval"


def test_what_failed_is_in_no_rate_and_what_crashed_is_rejected() -> None:
    (section,) = [section for section in split(records()) if section.provenance == MID]
    assert [record.case.task for record in section.failed] == ["lost"]
    assert all(figure.format != "v2" for figure in section.figures["compliance_by_phase"])
    text = write_markdown(split(records()))
    assert "### Cases without a reply" in text and "no reply: \\<b\\>429\\</b\\> \\| too many" in text
    assert "### Crashes of a reader" in text and "They count as no answer." in text
    (real,) = [section for section in split(records()) if section.provenance == records()[0].provenance]
    crashed = [figure for figure in real.figures["compliance_by_phase"] if figure.format == "v2"]
    assert all(figure.n == 9 and (figure.k or 0) < 9 for figure in crashed)


def test_what_cannot_be_measured_is_listed_and_is_not_0() -> None:
    text = write_markdown([section for section in split(records()) if section.model == "one"])
    assert "What was meant is not known" in text and "### Fidelity" not in text
    states = "right, wrong with alarm, no answer, wrong without alarm; strict"
    assert f"| Fidelity after each phase | {states} | nobody knows what was meant | every |" in text


@pytest.mark.slow
def test_what_is_assumed_stands_beside_every_figure_of_every_report() -> None:
    need_wing("adapters")
    from symops_lark.adapters.cli.run_view import show_run

    piece = "44 of 57 rates assumed"
    sections = split(run_for_real())
    text = write_markdown(sections)
    assert f"**{piece}**" in text.partition("## How to read this")[0], "on the first screen"
    assert all(piece in below for _, below in tables(text))
    assert describe_sections(sections)["sections"][0]["assumed"] == piece
    assert write_page(sections).count(piece) > text.count(piece) - 2
    assert piece in "\n".join(show_run(run_for_real()))


def test_different_tasks_share_no_table_unremarked() -> None:
    need_wing("adapters")
    from symops_lark.adapters.cli.run_view import show_run

    both = [make_record(name, f"task {at}") for name in ("v1", "v2") for at in range(3)]
    for records, uneven in ((both, False), (both[1:], True)):
        sections = split(records)
        text = write_markdown(sections)
        assert ("**Not all formats have the same tasks**: of 3 tasks there are replies in `v1` 2" in text) == uneven
        assert all(("Not all formats have the same tasks" in below) == uneven for _, below in tables(text))
        assert describe_sections(sections)["sections"][0]["same_tasks"] != uneven
        assert ("not all formats have replies to the same tasks" in "\n".join(show_run(records))) == uneven


def test_differences_that_are_shown_are_told() -> None:
    records = [
        make_record(name, f"task {at}", ("right" if name == "v2" or at > 20 else "no-answer",))
        for name in ("v2", "json")
        for at in range(40)
    ]
    text = write_markdown(split(records))
    assert "### Which differences are shown" in text and "| `v2` | `json` | none |" in text
    assert "greatest step" not in text
    (difference,) = describe_sections(split(records))["sections"][0]["differences"]
    assert (difference["better"], difference["worse"], difference["outcome"]) == ("v2", "json", "right in the end")


def test_what_is_never_seen_is_told_by_its_tasks_and_not_its_replies() -> None:
    for times in (1, 5):
        records = [make_record(task=f"task {at}", repetition=n) for at in range(45) for n in range(times)]
        assert "at most 7.9 %" in write_markdown(split(records)).partition("### Fidelity")[2].partition("### ")[0]


def test_no_records_give_a_report_too() -> None:
    assert "There are no records." in write_markdown([]) and "There are no records." in write_page([])
    lost = make_record(phases=(), error="no reply")
    assert "None of 1 cases has a reply" in write_markdown(split([lost])) and write_page(split([lost]))


# ---- the page


@pytest.mark.slow
def test_the_page_is_valid_and_needs_nothing_else() -> None:
    tree = parsed()
    assert not re.search(r"https?:|//|@import|<script|<link|<iframe", page().replace("*/", ""))
    ids = [element.get("id") for element in tree.iter() if isinstance(element.tag, str) and element.get("id")]
    assert ids and max(Counter(ids).values()) == 1
    referred = re.findall(r'(?:url\(|href=")#([^)"]+)', page())
    assert referred and set(referred) <= set(ids)
    assert not re.search(r"\b20\d\d-\d\d-\d\d", page()), "no dates"


@pytest.mark.slow
def test_odd_names_stay_text() -> None:
    rows = [row for table in parsed().iter("table") for row in table.iter("tr")]
    assert rows
    for table in parsed().iter("table"):
        assert len({len(list(row)) for row in table.iter("tr")}) == 1, "a name must not make another column"
    assert any("<script>" in "".join(element.itertext()) for element in parsed().iter("code"))


@pytest.mark.slow
def test_there_is_a_plot_for_each_place() -> None:
    assert set(PLOTS) <= set(MEASURES), "a plot has the name of a measure"
    drawn = [element.get("aria-label") for element in parsed().iter() if str(element.tag).endswith("svg")]
    assert len(drawn) >= 8 and all(drawn)
    assert not list(parsed().iter("img"))
    assert not re.search(r"(?<!\\)!\[", write_markdown(split(records())).replace(CODE, "")), "no image is left over"
    bold = [element for element in parsed().iter() if str(element.tag).endswith("text")]
    assert len(bold) > 50, "letters are letters, and can be read aloud and searched"
    assert "#000000" not in page(), "letters follow the colours of the page"


@pytest.mark.slow
def test_the_page_begins_with_what_was_compared_and_how_to_read_it() -> None:
    heads = [element.get("id") for element in parsed().iter("h2")]
    assert heads[:2] == ["how-to-read-this", "contents"]
    first = page().partition("<h2")[0]
    assert "What was compared" in first and "replies to" in first
    linked = re.findall(r'href="#([^"]+)"', page().partition('id="contents"')[2].partition("<h2")[0])
    anchored = [element.get("id") for element in parsed().iter() if element.tag in ("h2", "h3")][2:]
    assert linked == anchored


@pytest.mark.slow
def test_cells_say_their_column_where_the_page_is_narrow() -> None:
    for table in parsed().iter("table"):
        heads = ["".join(head.itertext()) for head in table.iter("th")]
        for row in list(table.iter("tr"))[1:]:
            assert [cell.get("data-label") for cell in row.iter("td")] == heads


@pytest.mark.slow
def test_the_page_fits_a_phone() -> None:
    assert 'name="viewport" content="width=device-width, initial-scale=1"' in page()
    boxes = [element for element in parsed().iter("div") if element.get("class") == "box"]
    assert len(boxes) == len(list(parsed().iter("table"))), "a wide table scrolls in a box of its own"


# ---- the command


@pytest.mark.slow
def test_the_command_writes_each_form(tmp_path: Path) -> None:
    log = write_log(tmp_path / "run.jsonl", run_for_real())
    finished = symops("bench", "report", str(log))
    assert finished.exit_code == 0 and finished.output == write_markdown(split(run_for_real()))
    files = [str(tmp_path / name) for name in ("r.md", "r.html", "r.json")]
    output = symops("bench", "report", str(log), "--markdown", files[0], "--html", files[1], "--json", files[2])
    assert (output.exit_code, output.output) == (0, "")
    for name in files:
        other_text = f"{name[: -len(Path(name).suffix)]}-again{Path(name).suffix}"
        write_report(run_for_real(), other_text)
        assert Path(name).read_bytes() == Path(other_text).read_bytes()
    assert json.loads(Path(files[2]).read_text(encoding="utf-8")) == describe_sections(split(run_for_real()))
    with pytest.raises(SymOpsError, match="a report ends in"):
        write_report(run_for_real(), tmp_path / "report.pdf")


def test_the_command_says_what_to_do_about_anything_else(tmp_path: Path) -> None:
    (tmp_path / "replies").mkdir()
    (tmp_path / "a.jsonl").write_text('{"text": "x"}\n')
    for name, text in (
        ("replies", "symops bench run --source"),
        ("a.jsonl", "not a run log"),
        ("none", "cannot be read"),
    ):
        done = symops("bench", "report", str(tmp_path / name))
        assert done.exit_code == 2 and text in done.stderr and "Traceback" not in done.output, name


def test_a_missing_library_is_told_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = str(write_log(tmp_path / "run.jsonl", run_for_real()))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = symops("bench", "report", log, "--html", str(tmp_path / "page.html"))
    assert done.exit_code == 2 and "matplotlib: pip install 'symops-lark[bench]'" in done.stderr
    assert not (tmp_path / "page.html").exists()


def test_a_missing_library_is_reported_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SymOpsError, match="this needs the library matplotlib"):
        find_form("report.html")
    assert find_form("report.md") is write_markdown
