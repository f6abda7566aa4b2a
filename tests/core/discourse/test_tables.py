"""The data files: their examples hold, and a mistake in one is reported with its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from symops_lark.core.discourse.checking import TableError
from symops_lark.core.discourse.clauses import read_clauses
from symops_lark.core.discourse.passages import Speaker, Stance
from symops_lark.core.discourse.stance_table import _lower
from symops_lark.core.discourse.tables import Group, load_tables, our_tables
from symops_lark.core.discourse.transport_table import load_transport

FOLDER = Path(load_tables.__code__.co_filename).parent
SPEAKERS = FOLDER / "speakers.yaml"
STANCES = FOLDER / "stances.yaml"
TRANSPORT = FOLDER / "transport.yaml"


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def rows() -> Iterator[tuple[str, int, dict[str, Any]]]:
    for group, listed in read(STANCES).items():
        if group != "lists":
            for index, row in enumerate(listed):
                yield group, index, row


# ---- examples


def find(rows: Group, group: str, sentence: str) -> str:
    if group != "lead":
        return rows.find(sentence)
    clauses = read_clauses(sentence)
    return rows.find(clauses.sentence, clauses.last)


@pytest.mark.parametrize(("group", "index", "row"), list(rows()))
def test_examples_hold(group: str, index: int, row: dict[str, Any]) -> None:
    whole_group = our_tables().groups[group]
    alone = Group([whole_group.rows[index]])
    missed = [sentence for sentence in row["yes"] if not find(alone, group, sentence)]
    assert missed == []
    table = {sentence: find(whole_group, group, sentence) for sentence in row.get("no", ())}
    assert {sentence: stance for sentence, stance in table.items() if stance} == {}


def test_patterns_are_for_lower_case_but_not_their_escapes() -> None:
    pattern = r"It\W\S(?P<Name>[A-Z])\pL\p{Lu}\x{4E}(?U:Ä)"
    assert _lower(pattern) == r"it\W\S(?P<Name>[a-z])\pL\p{Lu}\x{4E}(?U:ä)"


def test_every_stance_has_rows() -> None:
    stances = {row["stance"] for group, _, row in rows() if "stance" in row}
    # The other one is that of utterances without such a sentence.
    assert stances | {"asserted"} == set(Stance)


@pytest.mark.parametrize("group", ["lead", "tail", "verdict_tail"])
def test_every_language_has_rows(group: str) -> None:
    examples = "".join("".join(row["yes"]) for name, _, row in rows() if name == group)
    assert any("a" <= sign <= "z" for sign in examples)
    assert any("ぁ" <= sign <= "ん" for sign in examples)
    assert any(sign in examples for sign in "这请们经过")


def test_every_family_has_a_source() -> None:
    families = read(SPEAKERS)["families"]
    assert len(families) >= 24
    assert all(family["source"] for family in families)
    assert len(our_tables().tokens) >= 315


def test_every_speaker_has_labels() -> None:
    labels = set(our_tables().labels.values())
    assert labels == {Speaker.USER, Speaker.TOOL, Speaker.ASSISTANT}


def test_the_longest_token_is_found() -> None:
    tables = our_tables()
    assert tables.token_at("x<|IM_START|>user", 1) == "<|im_start|>user"
    assert tables.token_at("<|start|>assistant<|channel|>", 0) == "<|start|>assistant"
    assert tables.token_at("<|im_start|> user", 0) == "<|im_start|> user"
    assert tables.token_at("<|im_start|>nobody", 0) == ""
    assert tables.token_at("<|im_sta", 0) == ""


def test_each_token_is_found_where_it_begins() -> None:
    tables = our_tables()
    for token in tables.tokens:
        assert tables.token_at(f"a {token} b", 2) == token
        assert token.capitalize().startswith(tables.beginnings) or token.startswith(
            tables.beginnings
        )


# ---- mistakes


def broken(tmp_path: Path, path: Path, old: str, new: str) -> Path:
    text = path.read_text(encoding="utf-8")
    assert old in text
    copy = tmp_path / path.name
    copy.write_text(text.replace(old, new, 1), encoding="utf-8")
    return copy


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  'yes': [For example, ", "  yes: [For example, ", "no key is called 'True'"),
        ("  'yes': [For example, ", "  'no ': [For example, ", "no key is called 'no '"),
        ("- stance: planned", "- stance: plannd", "did you mean 'planned'"),
        ("    - '\\bonly then\\b'\n", "    - '(?=x)'\n", "RE2 refuses the pattern"),
        ("'yes': [My plan, ", "'yes': []\n  'no': [", ""),
        ("  scope: clause", "  scope: claus", "did you mean 'clause'"),
        ("\ntail:\n", "\ntails:\n", "no key is called 'tails'"),
    ],
)
def test_mistakes_in_stances(tmp_path: Path, old: str, new: str, message: str) -> None:
    copy = broken(tmp_path, STANCES, old, new)
    with pytest.raises(TableError, match=r"stances\.yaml:[0-9]+:[0-9]+: ") as caught:
        load_tables(SPEAKERS, copy)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  ends: [", "  end: [", "did you mean 'ends'"),
        ('turns: ["<|im_start|>{role}"]', 'turns: ["<|im_start|>"]', "has no {role}"),
        ("  source: openai/harmony docs/format.md\n  turns", "  turns", "'source' is missing"),
        ("    tool: [", "    tools: [", "did you mean 'tool'"),
        ('[["<seed:think>", "</seed:think>"]]', '[["<seed:think>"]]', "expected two tokens"),
        ('glue: ["<|im_sep|>"]', "glue: [1]", "expected a text, got 1"),
    ],
)
def test_mistakes_in_speakers(tmp_path: Path, old: str, new: str, message: str) -> None:
    copy = broken(tmp_path, SPEAKERS, old, new)
    with pytest.raises(TableError, match=r"speakers\.yaml:[0-9]+:[0-9]+: ") as caught:
        load_tables(copy, STANCES)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("labels:", "label:", "did you mean 'labels'"),
        ("  closed: [", "  close: [", "did you mean 'closed'"),
        ("  names: [sh, bash", "  names: [1, bash", "expected a text, got 1"),
    ],
)
def test_mistakes_in_transport(tmp_path: Path, old: str, new: str, message: str) -> None:
    copy = broken(tmp_path, TRANSPORT, old, new)
    with pytest.raises(TableError, match=r"transport\.yaml:[0-9]+:[0-9]+: ") as caught:
        load_transport(copy)
    assert message in str(caught.value)


def test_a_warm_start_reads_the_same_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cold = load_tables(SPEAKERS, STANCES)
    assert list(tmp_path.rglob("discourse-*.json"))
    monkeypatch.setattr("symops_lark.core.discourse.tables.YamlFile", None)
    warm = load_tables(SPEAKERS, STANCES)
    assert (warm.tokens, warm.labels) == (cold.tokens, cold.labels)
    assert warm.groups["lead"].find("For example") == cold.groups["lead"].find("For example")
