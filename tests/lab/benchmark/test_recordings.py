"""The recorded replies that the benchmark ships: each says where it comes from, and the replay source reads them."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from repository import ROOT

from symops_lark.core.replies.messages import Finish
from symops_lark.lab.benchmark.formats import load_format
from symops_lark.lab.benchmark.sources.transcripts import Transcripts

FOLDER = ROOT / "benchmarks" / "transcripts"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def test_every_reply_says_where_it_comes_from() -> None:
    for name in ("small_models.jsonl", "edit_formats.jsonl"):
        replies = lines(name)
        assert len(replies) >= 60 and len({reply["id"] for reply in replies}) == len(replies)
        for reply in replies:
            assert reply["text"] and reply["provenance"]
            assert reply.get("finish", "stop") in set(map(str, Finish))
    for reply in lines("edit_formats.jsonl"):
        origin = reply["provenance"]
        assert origin["licence"] in ("MIT", "Apache-2.0") and len(origin["commit"]) == 40
        assert "/" in origin["repository"] and origin["path"] and reply["protocol"]
        assert "/home/" not in reply["text"] and "/Users/" not in reply["text"]


@pytest.fixture(scope="module")
def source() -> Transcripts:
    return Transcripts(FOLDER / "small_models.jsonl", ())


def test_small_models_are_read_as_they_were_asked(source: Transcripts) -> None:
    formats = tuple(map(load_format, source.formats))
    cases = list(source.cases(formats, (), 1))
    assert Counter(case.format for case in cases) == {"v1": 22, "v2": 23, "plain": 20}
    assert source.provenance.kind == "replayed"
    texts = {reply["id"]: reply["text"] for reply in lines("small_models.jsonl")}
    assert {case.task: source.give(case, formats[0], None).reply.text for case in cases} == texts


@pytest.mark.parametrize("name", ["v1", "v2", "plain"])
def test_nothing_that_a_small_model_says_is_too_much(source: Transcripts, name: str) -> None:
    """Replies go through every phase; those that break the format are not passed off as obeying it."""
    format = load_format(name)
    first, last = Counter[bool](), Counter[bool]()
    for case in list(source.cases((format,), (), 1))[::3]:
        attempts = list(format.read(source.give(case, format, None).reply))
        first[attempts[0].accepted] += 1
        last[attempts[-1].accepted] += 1
    assert first[False] and last[True] >= first[True]
