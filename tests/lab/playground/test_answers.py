"""What the page may ask: samples in every dialect, damage of every kind, grammars of strangers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hostile_grammars import GRAMMARS
from new_dialects import NEW, write_dialects, write_thin_plain

from symops_lark import derive, dialects, parse
from symops_lark.core.grammar.compiling import bounds
from symops_lark.core.grammar.dialect import UNSAID
from symops_lark.core.ground.resources import cache_folder
from symops_lark.lab.benchmark.faults.kinds import load_kinds
from symops_lark.lab.playground.answers import Answers
from symops_lark.lab.playground.samples import SAMPLES

V2 = {"dialect": "v2", "grammar": None}


@pytest.fixture(scope="module")
def answers() -> Answers:
    return Answers()


def write(answers: Answers, dialect: str, kinds: list[str], seed: int = 0, **source: str) -> Any:
    return answers.answer("write", {"dialect": dialect, "grammar": None, "kinds": kinds, "seed": seed, **source})


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("dialect", dialects())
def test_samples_are_said_in_every_dialect(answers: Answers, dialect: str) -> None:
    for sample in SAMPLES:
        text = write(answers, dialect, [], sample=sample.name)["text"]
        assert len(parse(text, dialect).sections) == len(sample.document.sections)
        damaged = write(answers, dialect, list(sample.kinds), sample=sample.name)
        assert set(damaged["made"]) == set(sample.kinds), damaged
        assert (damaged["text"] != text) is bool(sample.kinds)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["v1", "v2", "v2_1", "plain"])
def test_every_button_does_something(answers: Answers, dialect: str) -> None:
    """Each kind of damage that is offered can be made in some sample, and another draw makes it otherwise."""
    offered = [kind["name"] for kind in answers.answer("open", {"dialect": dialect, "grammar": None})["kinds"]]
    assert len(offered) > 48 and set(offered) <= set(load_kinds())
    texts = [text for sample in SAMPLES if (text := write(answers, dialect, [], sample=sample.name)["text"])]
    for kind in offered:
        replys = [write(answers, dialect, [kind], sample=single_sample.name) for single_sample in SAMPLES]
        assert any(reply["made"] and reply["text"] not in texts for reply in replys), kind
    draws = {write(answers, dialect, ["preamble-prose"], seed, sample="change")["text"] for seed in range(8)}
    assert len(draws) > 2


def test_ones_own_text_is_damaged_as_it_reads(answers: Answers) -> None:
    text = ">> go 🙂\n::c0.5\n::create @a.py >b.py\n<<<\nx = 1\n>>>\n? Why\n  1. so\n! failed @a.py\n"
    same = write(answers, "v2", [], text=text)["text"]
    assert parse(same, "v2") == parse(text, "v2")
    damaged = write(answers, "v2", ["capitalised-verb"], text=text)
    assert [*damaged["made"]] == ["capitalised-verb"] and damaged["text"].lower() == same.lower() != damaged["text"]
    assert "nothing to write" in write(answers, "v2", [], text="Sorry.")["error"]["message"]


@pytest.mark.slow
def test_what_an_edited_grammar_says_is_read(answers: Answers) -> None:
    grammar = derive("v2", {"_ACTION": '"%%"'})
    fields = {"dialect": "v2", "grammar": grammar}
    opened = answers.answer("open", fields)
    assert opened["grammar"] == grammar and opened["marks"]["_ACTION"] == "%%"
    assert opened["module"] != answers.answer("open", V2)["module"]
    text = answers.answer("write", {**fields, "sample": "change", "kinds": [], "seed": 0})["text"]
    assert "%%create @tests" in text
    answer = answers.answer("read", {**fields, "text": text, "step": 1})
    assert answer["process"]["phase"] == "strict" and answer["process"]["document"]["dialect"] == "v2"
    same = answers.answer("derive", {**V2, "marks": {"_ACTION": "%%"}})["grammar"]
    assert same == grammar


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (("thought:  _THOUGHT _SP", "thought:  _THOUGHT ( _SP"), 9, "Unexpected token"),
        (("thought:  _THOUGHT _SP", "thought:  _THOUHT _SP"), 9, "_THOUHT"),
        (('_CLOSE:    ">>>"', '_CLOSE:    ">>>'), None, ""),
        (("PATH:       /[", "PATH:       /("), None, ""),
        (("document:", "documents:"), None, "no rule `document`"),
    ],
)
def test_what_is_wrong_in_a_grammar_is_told_with_its_place(
    answers: Answers, change: tuple[str, str], line: int | None, said: str
) -> None:
    grammar = answers.answer("open", V2)["grammar"]
    assert change[0] in grammar
    error = answers.answer("open", {**V2, "grammar": grammar.replace(*change)})["error"]
    assert said in error["message"] and error["message"].startswith("v2.lark")
    assert error.get("line") == line or (line is None and isinstance(error.get("line", 1), int))
    assert "<grammar>" not in error["message"] and str(Path(__file__).parents[3]) not in error["message"]


@pytest.mark.parametrize("name", ["terminal-nested", "optionals", "choices", "number-of-digits"])
def test_grammars_of_strangers_are_refused(answers: Answers, name: str) -> None:
    text, answer = GRAMMARS[name]
    assert answer in answers.answer("open", {**V2, "grammar": text})["error"]["message"]


@pytest.mark.slow
def test_an_edited_grammar_is_not_trusted_as_the_installed_one_is(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What compiling it may take is bounded, and it is not put into the user's cache."""
    grammar = answers.answer("open", V2)["grammar"] + "\n// mine\n"
    monkeypatch.setattr(bounds, "MOST_STEPS", 1_000)
    error = answers.answer("open", {**V2, "grammar": grammar})["error"]
    assert "takes more than 1,000 steps" in error["message"]
    monkeypatch.undo()
    folder = cache_folder()
    before = set(folder.iterdir()) if folder is not None and folder.is_dir() else set()
    assert "error" not in answers.answer("open", {**V2, "grammar": grammar})
    assert folder is None or not folder.is_dir() or set(folder.iterdir()) == before
    assert "error" in answers.answer("open", {**V2, "grammar": "//" + "x" * bounds.MOST_BYTES})


@pytest.mark.slow
def test_a_file_of_ones_own_is_begun_with(tmp_path: Path) -> None:
    """It may build on files beside it, also when it is edited, and stays as it is."""
    (tmp_path / "base.lark").write_text(derive("v2", {"_ACTION": '"%%"'}), encoding="utf-8")
    path = tmp_path / "mine.lark"
    path.write_text("%import .base\n", encoding="utf-8")
    answers = Answers(str(path))
    answer = answers.answer("setup", {})
    assert answer["chosen"] == answer["dialects"][0] == str(path)
    opened = answers.answer("open", {"dialect": str(path), "grammar": None})
    assert opened["grammar"] == "%import .base\n" and opened["marks"]["_ACTION"] == "%%"
    edited = '%import .base\n%override _QUESTION: "??"\n'
    repeated_answer = answers.answer("open", {"dialect": str(path), "grammar": edited})
    assert repeated_answer["marks"]["_QUESTION"] == "??" and path.read_text() == "%import .base\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lines", "blocks", "inner", "recipe"])
def test_dialects_with_custom_sections_begin_with_texts_of_their_own(tmp_path: Path, name: str) -> None:
    path = str(write_dialects(tmp_path)[name])
    answers = Answers(path)
    opened = answers.answer("open", {"dialect": path, "grammar": None})
    assert not any(UNSAID in mark for mark in opened["marks"].values())
    samples = [row["name"] for row in opened["samples"]]
    assert samples[0] == "drawn-1"
    texts = [write(answers, path, [], sample=sample)["text"] for sample in samples]
    assert all(UNSAID not in text and parse(text, path).sections for text in texts)
    assert parse(texts[0], path).custom
    refused = write(answers, path, ["preamble-prose"], text=NEW[name].text)
    assert refused["error"]["message"] == "mistakes cannot be made in a text with custom sections"
    is_sym_ops = name != "recipe"
    assert bool(opened["kinds"]) is bool(opened["examples"]) is is_sym_ops
    assert ("broken" in samples) is is_sym_ops


@pytest.mark.slow
def test_samples_leave_out_what_a_dialect_has_no_marks_for(tmp_path: Path) -> None:
    """A file without its content is left out, too: its sample showed the stand-ins of the delimiters."""
    path = str(write_thin_plain(tmp_path))
    answers = Answers(path)
    samples = [row["name"] for row in answers.answer("open", {"dialect": path, "grammar": None})["samples"]]
    texts = [write(answers, path, [], sample=sample)["text"] for sample in samples]
    assert len(texts) > 3 and all(UNSAID not in text and parse(text, path).actions for text in texts)


def test_a_slow_grammar_of_the_one_tab_does_not_stop_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = Event(), Event()

    def recover_slowly(*fields: str) -> dict[str, str]:
        begun.set()
        assert ended.wait(60)
        return {}

    monkeypatch.setattr("symops_lark.lab.playground.answers.recover_apart", recover_slowly)
    answers = Answers()
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(answers.answer, "recover", {"grammar": "", "mistakes": "", "text": ""})
        assert begun.wait(60)
        try:
            assert pool.submit(answers.answer, "setup", {}).result(60)["chosen"] == "v2"
        finally:
            ended.set()
        assert slow.result() == {}
