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
from symops_lark.core.discourse.stance_table import PLAIN_GROUPS, STANCE_GROUPS, _lower
from symops_lark.core.discourse.tables import Group, Tables, load_tables, our_tables
from symops_lark.core.discourse.transport_table import _KEYS, load_transport, make_table

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


# ---- how the files are read

# Both files with one row of each kind: those of the package take seconds to compile.
SMALL_SPEAKERS = """
roles: {user: [user, Human], tool: [tool]}
families:
- name: Small
  source: a page
  turns: ["<{role}>", "{role}:>"]
  literals: {assistant: ["[A]"]}
  ends: ["</S>"]
  message_ends: ["<end>"]
  thinking: [["<Mull>", "</Mull>"]]
  channels: {thinking: ["<deep>"], final: ["<say>"]}
  glue: ["<sep>"]
- name: Later
  source: a page
  ends: ["<sep>", "<|>"]
labels: {user: [User, Ask], tool: [Log]}
later_labels: {tool: [Next]}
steps: {thinking: [Muse]}
headings: {source: a page, tool: [Output]}
sections: {thinking: [Plan], final: [Answer]}
stripped: {final: [assistantfinal]}
elements: {thinking: [muse], draft: [Sketch], answer: [reply], shown: [out]}
"""
TURNS = {
    **{f"<{blank}{role}>": ["turn", "user"] for role in ("user", "human") for blank in ("", " ")},
    **{f"<{blank}tool>": ["turn", "tool"] for blank in ("", " ")},
}
PAIR = {"<mull>": ["open", "</mull>"], "</mull>": ["close", "</mull>"]}
LISTS = "lists: {ONE: [cat, dog], TWO: 'the <ONE>'}\n"
STANCED = "- {stance: denied, find: 'Do not', 'yes': [Do not], 'no': [Do]}\n"
PLAIN = "- {find: word, 'yes': [word]}\n"
SMALL_STANCES = LISTS + "".join(
    f"{group}:\n{STANCED if group in STANCE_GROUPS else PLAIN}"
    for group in (*STANCE_GROUPS, *PLAIN_GROUPS)
)


def load(folder: Path, speakers: str = SMALL_SPEAKERS, stances: str = SMALL_STANCES) -> Tables:
    paths = [folder / "speakers.yaml", folder / "stances.yaml"]
    for path, text in zip(paths, (speakers, stances), strict=True):
        path.write_text(text, encoding="utf-8")
    return load_tables(*paths)


def test_what_the_files_say(tmp_path: Path) -> None:
    tables = load(tmp_path)
    assert tables.tokens == {
        **TURNS,
        **PAIR,
        ":>": ["turn-after", ""],
        "[a]": ["turn", "assistant"],
        "</s>": ["end", ""],
        "<end>": ["message-end", ""],
        "<deep>": ["channel", "thinking"],
        "<say>": ["channel", "final"],
        "<sep>": ["glue", ""],
        "<|>": ["end", ""],
    }
    assert tables.labels == {"user": "user", "ask": "user", "log": "tool"}
    assert tables.later_labels == {"next": "tool"}
    assert tables.steps == {"muse": "thinking"}
    assert tables.headings == {"output": "tool"}
    assert tables.sections == {"plan": "thinking", "answer": "final"}
    assert tables.stripped == {"assistantfinal": "final"}
    assert (tables.elements, tables.drafts) == (("muse",), ("muse", "sketch"))
    assert (tables.answers, tables.shown) == (("reply",), ("out",))
    assert tables.groups["tail"].find("Do not!") == "denied"
    assert tables.groups["offers"].find("a word") == "offers"
    assert tables.token_at("a <MULL> b", 2) == "<mull>"
    assert tables.token_at("<mul", 0) == tables.token_at("<|", 0) == ""


def test_a_token_is_found_where_a_longer_one_only_begins(tmp_path: Path) -> None:
    tables = load(tmp_path, SMALL_SPEAKERS.replace('"<|>"', '"<|>", "<|>bcd"'))
    for text, token in (("<|>bcd", "<|>bcd"), ("<|>bce", "<|>"), ("<|>bc", "<|>"), ("<|bcd", "")):
        assert tables.token_at(text, 0) == token


def lead_of(folder: Path, row: str) -> Group:
    """Return the group of one row for leads."""
    return load(folder, stances=SMALL_STANCES.replace(STANCED, f"- {{{row}}}\n", 1)).groups["lead"]


def test_a_pattern_may_use_lists_exceptions_and_pieces(tmp_path: Path) -> None:
    row = "stance: past, find: [['saw ', <TWO>], 'it''s'], unless: [again, twice], 'yes': [it's]"
    rows = lead_of(tmp_path, row)
    for sentence in ("I saw the Cat", "I SAW THE DOG", "It's", "It’s"):
        assert rows.find(sentence) == "past", sentence
        assert rows.find(f"{sentence} again") == "", sentence
    assert rows.find("I saw a cat") == ""


def test_a_row_of_a_clause_is_searched_in_the_clause(tmp_path: Path) -> None:
    for scope, places in (("", (True, False, True)), ("scope: clause, ", (False, True, True))):
        rows = lead_of(tmp_path, f"stance: past, find: was, {scope}'yes': [was]")
        pairs = (("it was, so go", "go"), ("so go", "it was"), ("it was", "it was"))
        assert tuple(rows.find(*pair) == "past" for pair in pairs) == places
        assert rows.find("it was") == "past"


def test_only_the_first_400_characters_of_a_sentence_count(tmp_path: Path) -> None:
    rows = lead_of(tmp_path, "stance: past, find: was, scope: clause, 'yes': [was]")
    for count, stance in ((397, "past"), (398, "")):
        sentence = "x" * count + "was"
        assert rows.find(sentence) == rows.find("it is", sentence) == stance


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
        ("'yes': [Do not]", "yes: [Do not]", "no key is called 'True'"),
        ("'no': [Do]", "'no ': [Do]", "no key is called 'no '"),
        ("'no': [Do]", "'no': [1]", "expected a text, got 1"),
        ("stance: denied", "stance: denid", "did you mean 'denied'"),
        ("stance: denied, ", "", "'stance' is missing"),
        ("find: 'Do not'", "find: '(?=x)'", "RE2 refuses the pattern"),
        ("find: 'Do not'", "find: []", "expected a pattern, or a list of alternatives"),
        ("find: 'Do not'", "find: ''", "expected a pattern, or a list of alternatives"),
        ("find: 'Do not'", "find: 1", "expected a pattern, or a list of alternatives"),
        ("find: 'Do not'", "find: [1]", "expected a list of texts"),
        ("find: 'Do not'", "find: [[a, '']]", "expected a text, got ''"),
        ("find: 'Do not'", "find: <TWO>, unless: '('", "RE2 refuses the pattern"),
        ("find: 'Do not'", "find: a, scope: claus", "did you mean 'clause'"),
        ("'yes': [Do not]", "'yes': []", "at least one sentence"),
        (PLAIN, "- {find: word}\n", "'yes' is missing"),
        (PLAIN, "  []\n", "expected a list of rows"),
        (PLAIN, "  word\n", "expected a list of rows"),
        ("\ntail:\n", "\ntails:\n", "no key is called 'tails'"),
    ],
)
def test_mistakes_in_stances(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in SMALL_STANCES
    with pytest.raises(TableError, match=r"stances\.yaml:[0-9]+:[0-9]+: ") as caught:
        load(tmp_path, stances=SMALL_STANCES.replace(old, new, 1))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  ends: [", "  end: [", "did you mean 'ends'"),
        ('"<{role}>"', '"<>"', "has no {role}"),
        ("  source: a page\n", "", "'source' is missing"),
        ("labels: {user: [User, Ask], tool", "labels: {user: [User], tools", "did you mean 'tool'"),
        ('["<Mull>", "</Mull>"]', '["<Mull>"]', "expected two tokens"),
        ('["<sep>"]', "[1]", "expected a text, got 1"),
        ('["<sep>"]', "['']", "expected a text, got ''"),
        ('["<sep>"]', "<sep>", "expected a list of texts"),
        ('{thinking: ["<deep>"]', '{thinkin: ["<deep>"]', "did you mean 'thinking'"),
        ("later_labels", "late_labels", "did you mean 'later_labels'"),
    ],
)
def test_mistakes_in_speakers(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in SMALL_SPEAKERS
    with pytest.raises(TableError, match=r"speakers\.yaml:[0-9]+:[0-9]+: ") as caught:
        load(tmp_path, SMALL_SPEAKERS.replace(old, new, 1))
    assert message in str(caught.value)


def test_the_file_of_transport_is_read_whole() -> None:
    assert load_transport(TRANSPORT) == read(TRANSPORT)


def test_elements_of_markup_are_not_only_in_calls() -> None:
    data = {group: {name: [group] for name in names} for group, names in _KEYS.items()}
    data["elements"] = {"names": ["output", "invoke"], "markup": ["output"]}
    table = make_table(data)
    assert table.elements == {"output", "invoke"}
    assert table.only_in_calls == {"invoke"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("labels:", "label:", "did you mean 'labels'"),
        ("  closed: [", "  close: [", "did you mean 'closed'"),
        ("  source: speakers.yaml\n", "  source: 1\n", "source is a text"),
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
    cold = load(tmp_path)
    assert list(tmp_path.rglob("discourse-*.json"))
    monkeypatch.setattr("symops_lark.core.discourse.tables.YamlFile", None)
    warm = load(tmp_path)
    assert (warm.tokens, warm.labels) == (cold.tokens, cold.labels)
    assert warm.groups["lead"].find("Do not") == cold.groups["lead"].find("Do not") == "denied"
