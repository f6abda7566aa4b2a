"""The routing report: its figures are those of the verification; a page that is sound by itself, whatever the names."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest
from command_line import run as symops
from routing_logs import chain, evidence_for, make_run, manifest

from symops_lark.routing import Metric, Registry, RunLog, verify_log
from symops_lark.routing.report import RoutingReport, write_markdown, write_page
from symops_lark.routing.report.facts import find_front

HOSTILE = "a|b`<script>alert(1)</script># ![x](plot:0/rates)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log and a registry, of models one of which has an odd name."""
    place = tmp_path_factory.mktemp("report")
    log = RunLog(place / "run_log.jsonl")
    for number in range(12):
        tries = [("a", True, 0.5, 0.1), ("b", number % 3 > 0, 0.9, 0.4), (HOSTILE, number % 2 > 0, 0.2, 0.6)]
        log.append_run(make_run(f"r{number}", tries, timestamp=f"2026-01-31T{number:02}:00:00Z"))
    other_metric = Metric("metric_v2", lambda_=0.0)
    row = make_run("other", [("a", True, 0.5, 0.1)], metric_version="metric_v2", metric_params=other_metric.params)[0]
    log.append({**row, "reward": 1.5})
    with Registry(place / "registry.db") as registry:
        for name in ("a", "b"):
            registry.register(manifest(name), chain())
            registry.promote(evidence_for(name))
        registry.demote("b", "1.0.0", HOSTILE)
    return place


@pytest.fixture(scope="module")
def report(folder: Path) -> RoutingReport:
    with Registry(folder / "registry.db") as registry:
        return RoutingReport.of(verify_log(folder / "run_log.jsonl"), registry)


@pytest.fixture(scope="module")
def page(report: RoutingReport) -> str:
    return write_page(report)


@cache
def parsed(page: str) -> Element:
    element: Element = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    return element


@pytest.mark.slow
def test_the_page_is_valid_and_needs_nothing_else(page: str) -> None:
    tree = parsed(page)
    assert not re.search(r"https?:|//|@import|<script|<link|<iframe", page.replace("*/", ""))
    ids = [element.get("id") for element in tree.iter() if isinstance(element.tag, str) and element.get("id")]
    assert ids and max(Counter(ids).values()) == 1
    referred = re.findall(r'(?:url\(|href=")#([^)"]+)', page)
    assert referred and set(referred) <= set(ids)
    assert "#000000" not in page and 'name="viewport"' in page and not list(tree.iter("img"))
    drawn = [element.get("aria-label") for element in tree.iter() if str(element.tag).endswith("svg")]
    assert len(drawn) == 6, "rates, rewards and the front of the first metric, two of the second, and the states"


@pytest.mark.slow
def test_odd_names_stay_text(page: str) -> None:
    rows = [len(list(row)) for table in parsed(page).iter("table") for row in table.iter("tr")]
    for table in parsed(page).iter("table"):
        assert len({len(list(row)) for row in table.iter("tr")}) == 1, "a name must not make another column"
    assert rows and any("<script>" in "".join(element.itertext()) for element in parsed(page).iter("code"))


def test_every_figure_is_one_of_the_verification(report: RoutingReport, folder: Path) -> None:
    text, fields = (
        write_markdown(report),
        json.loads(symops("route", "log", "stats", str(report.log.path), "--json").output),
    )
    assert "**Every reward and every winner follows from the rows.**" in text
    for model in fields["models"]:
        name, rate = f"{model['model_id']}@{model['version']}".replace("|", "¦").replace("`", "'"), model["pass_rate"]
        [row, *_] = [line for line in text.splitlines() if line.startswith(f"| `{name}` | {model['rows']} ")]
        assert f", n {rate['n']} " in row
    data = report.to_dict()
    assert sum(item["rows"] for item in data["over_time"]["a@1.0.0 metric_v1"].values()) == 12
    assert [event["kind"] for event in data["events"]][-1] == "MODEL_DEMOTED" and data["models"] == fields["models"]


def test_the_front_is_whom_nobody_beats_in_both(report: RoutingReport) -> None:
    front = {key.model_id for key in find_front(report.tallies("metric_v1"))}
    assert front == {"a"}, "it is the cheapest, and passes most often"


def test_a_log_that_does_not_follow_says_so_first(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes((folder / "run_log.jsonl").read_bytes().replace(b'"cost":0.1', b'"cost":0.0', 1))
    done = symops("route", "report", str(path))
    assert done.exit_code == 1 and "**1 problem: the figures below are of a log that does not follow.**" in done.output
    assert "| 1 | the reward is 1.47, and its numbers give 1.5" in done.output
    assert "There is no registry" in done.output


def test_an_empty_log_has_a_report(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.touch()
    assert "0 rows" in write_page(RoutingReport.of(verify_log(path)))


@pytest.mark.slow
def test_the_command_writes_each_form(folder: Path, tmp_path: Path, report: RoutingReport, page: str) -> None:
    log, names = str(folder / "run_log.jsonl"), [str(tmp_path / name) for name in ("r.md", "r.html", "r.json")]
    registry = ("--registry", str(folder / "registry.db"))
    options = [word for pair in zip(("--markdown", "--html", "--json"), names, strict=True) for word in pair]
    assert symops("route", "report", log, *registry, *options).exit_code == 0
    assert Path(names[0]).read_text(encoding="utf-8") == write_markdown(report)
    assert Path(names[1]).read_text(encoding="utf-8") == page, "the same bytes for the same log"
    assert json.loads(Path(names[2]).read_text(encoding="utf-8")) == report.to_dict()
    assert symops("route", "report", log, *registry).output == write_markdown(report)
    missing = symops("route", "report", log, "--registry", str(tmp_path / "none.db"))
    assert missing.exit_code == 2 and "there is no registry" in missing.stderr


def test_the_router_is_beside_the_best_single_model_and_an_oracle(report: RoutingReport) -> None:
    """Model a always passes at cost 0.1; b passes 8 of 12 at 0.4, and the third one 6 of 12 at 0.6."""
    contests = report.to_dict()["contests"]
    assert list(contests) == ["metric_v1"], "a run with one model is no contest"
    figures = {
        name: (value["runs"], value["pass_rate"]["k"], value["mean_calls"], round(value["mean_cost"], 6))
        for name, value in contests["metric_v1"].items()
    }
    assert figures == {"router": (12, 12, 3.0, 1.1), "best_single": (12, 12, 1.0, 0.1), "oracle": (12, 12, 1.0, 0.1)}
    assert contests["metric_v1"]["best_single"]["model_id"] == "a"
    text = write_markdown(report)
    assert "| best single: `a@1.0.0` | 12 |" in text and "| oracle | 12 |" in text


def test_a_router_beats_each_model_where_they_pass_at_different_requests(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "run.jsonl")
    for number in range(10):
        tries = [("a", number < 6, 0.5, 0.3), ("b", number >= 5, 0.5, 0.1), ("c", False, 0.0, 0.9)]
        log.append_run(make_run(f"r{number}", tries))
    failed = make_run("failed", [("a", False, 0.0, 0.3), ("b", False, 0.0, 0.1)])
    served = {**make_run("failed", [("d", True, 0.5, 0.2)])[0], "role": "fallback", "winner_model_id": None}
    log.append_run([*failed, served])
    comparison = verify_log(log.path).comparisons["metric_v1"]
    model, best = comparison.find_best()
    assert (model, best.passes, best.runs) == (("a", "1.0.0"), 6, 11)
    assert (comparison.router.passes, comparison.router.calls) == (11, 33)
    assert (comparison.oracle.passes, round(comparison.oracle.mean_cost * 11, 6)) == (10, 5 * 0.3 + 5 * 0.1 + 0.1)
