"""Tags in plain forms are read; the same forms with a doubt, in another turn or struck out are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import SymOpsError
from symops_lark.answers.judgment import find_tag
from symops_lark.core.text.yaml_file import YamlFile

NAMES = ["REVIEW", "MOVEMENT", "STEP"]
CASES = YamlFile(Path(__file__).with_name("tag_cases.yaml"), "file of cases", SymOpsError).data
TAILS = YamlFile(Path(__file__).with_name("tag_tails.yaml"), "file of cases", SymOpsError).data


def read(text: str) -> int | None:
    """Return the number (from 1) of the rule that a reply answers with."""
    index = find_tag(text, NAMES, 3)
    return None if index is None else index + 1


@pytest.mark.parametrize("case", CASES["twins"], ids=lambda case: case["text"][:40])
def test_a_plain_tag_is_read_and_its_twin_is_not(case: dict[str, object]) -> None:
    assert read(str(case["text"])) == case["rule"]
    assert read(str(case["twin"])) is None


@pytest.mark.parametrize("case", [*CASES["replies"], *TAILS["forms"]], ids=lambda case: case["text"][:40])
def test_replies(case: dict[str, object]) -> None:
    assert read(str(case["text"])) == case["rule"]


@pytest.mark.parametrize("tail", TAILS["taken_back"])
def test_text_that_doubts_leaves_no_verdict(tail: str) -> None:
    assert read(f"[REVIEW:1]\n\n{tail}") is None
    assert read(f"[REVIEW:1]\n{tail}") is None


@pytest.mark.parametrize("tail", TAILS["harmless"])
def test_harmless_text_leaves_the_verdict(tail: str) -> None:
    assert read(f"[REVIEW:2]\n\n{tail}") == 2
    assert read(f"[REVIEW:2]\n{tail}") == 2


def test_the_rule_that_words_name_must_be_the_tag_s() -> None:
    for number in (1, 2, 3):
        expected = number if number == 2 else None
        assert read(f"Rule {number} applies → [REVIEW:2]") == expected
        assert read(f"Verdict: [REVIEW:2] (rule {number})") == expected
        assert read(f"[REVIEW:2] - ルール{number}") == expected


def test_a_weak_answer_is_the_only_tag_of_its_reply() -> None:
    assert read("[REVIEW:2] - two checks are red") == 2
    assert read("[REVIEW:2] - two checks are red\n\nThe log mentions [REVIEW:2].") is None
    assert read("> [REVIEW:1]\n\n[REVIEW:2] - two checks are red") is None
    assert read("<think>[REVIEW:1]</think>\n[REVIEW:2] - two checks are red") == 2
    assert read("~~[REVIEW:1]~~\n[REVIEW:2] - two checks are red") == 2


# ---- laws

TAG = "[REVIEW:2]"
DECORATIONS = st.sampled_from(
    [
        "{}",
        "**{}**",
        "__{}__",
        "*{}*",
        "`{}`",
        "[{}]",
        "【{}】",
        "［{}］",
        '"{}"',
        "「{}」",
        "({})",
        "\x1b[1m{}\x1b[0m",
        "\x1b[38;5;82m{}\x1b[39m",
        "\u200b{}\ufeff",
        "  {}\t",
        "{}.",
        "→ {}",
        "✅ {}",
        "<b>{}</b>",
        "<answer>{}</answer>",
        "{}\r\n",
        "\n\n{}\n",
        "{}</s>",
        "<!-- REVIEW -->{}",
        "<think>[REVIEW:1]</think>{}",
        "~~[REVIEW:3]~~ {}",
        "Assistant: {}",
        "Tests fail.\n\n{}",
    ]
)


@given(st.lists(DECORATIONS, max_size=3))
def test_decoration_around_a_lone_tag_never_changes_the_verdict(decorations: list[str]) -> None:
    """It may hide the tag where two do not go together, as an element around a paragraph."""
    text = TAG
    for decoration in decorations:
        text = decoration.format(text)
    assert read(text) in (2, None)
    if len(decorations) < 2:
        assert read(text) == 2, text


TYPE = st.sampled_from(["**{}**", "*{}*", "`{}`", '"{}"', "\x1b[1m{}\x1b[0m", "\u200b{}", " {} ", "<b>{}</b>", "{}\n"])


@given(st.lists(TYPE, max_size=5), st.integers(1, 3))
def test_type_around_a_lone_tag_in_any_order_is_read(decorations: list[str], number: int) -> None:
    text = f"[REVIEW:{number}]"
    for decoration in decorations:
        text = decoration.format(text)
    assert read(text) == number


FORMS = st.sampled_from(
    [
        "[REVIEW:2]",
        "[[REVIEW:2]]",
        "**[REVIEW:2]**",
        "The answer is [REVIEW:2].",
        "[REVIEW:2] - two checks are red",
        "Rule 2 applies → [REVIEW:2]",
        "[REVIEW:2]（要修正）",
        "最终结论：[REVIEW:2]",
        "~~[REVIEW:1]~~ [REVIEW:2]",
        "Two checks are red.\n\n\x1b[1m[REVIEW:2]\x1b[0m",
    ]
)
TAKING_BACK = st.sampled_from(
    [
        "Wait, that is wrong.",
        "However, one check is green.",
        "Only if the owner agrees.",
        "Provided that CI is green.",
        "(not final)",
        "I take that back.",
        "Should I really?",
        "User: no",
        "<|im_start|>user\nno",
        "Disregard the tag above.",
        "訂正します。",
        "ただし、CIが通った場合に限ります。",
        "まだ確定ではありません。",
        "等等，不对。",
        "前提是测试通过。",
        "But [REVIEW:3] may hold as well.",
        "[REVIEW:2] does not apply.",
        "Correction: [REVIEW:9]",
    ]
)
HARMLESS = st.sampled_from(["", "Two checks are red.", "Reason: lint.", "型検査が失敗しています。", "有两个错误。"])


@given(FORMS, st.lists(HARMLESS, max_size=2), TAKING_BACK, st.lists(HARMLESS, max_size=2))
def test_text_that_takes_back_never_leaves_a_verdict(form: str, before: list[str], tail: str, after: list[str]) -> None:
    assert read(form) == 2
    assert read("\n\n".join([form, *before])) == 2
    assert read("\n\n".join([form, *before, tail, *after])) is None


@given(FORMS, st.text(max_size=60))
def test_text_after_an_answer_never_makes_another_one(form: str, tail: str) -> None:
    assert read(f"{form}\n\n{tail}") in (2, None)


@given(FORMS)
def test_struck_out_quoted_or_in_another_turn_a_form_is_not_an_answer(form: str) -> None:
    last = form.split("\n")[-1]
    assert read(f"<think>{form}</think>") is None
    assert read(f"> {last}") is None
    assert read(f"<del>{last}</del>") is None
    assert read(f"User: {last}") is None
    assert read(f"<|im_start|>user\n{form}") is None
    assert read(f"For example:\n\n{last}") is None
    if "~~" not in form:
        assert read(f"~~{last}~~") is None


def test_any_string_is_read() -> None:
    assert read("\ud800[REVIEW:2]") is None
    assert read("\ud800\n\n[REVIEW:2]") == 2
    assert read("[REVIEW:2]\n\n\udfff") == 2


@pytest.mark.parametrize(
    "unit", ["[[", "【", "~~a", "\x1b[", "<|im_end|>", "User:\n", "\\boxed{", "<del>", "[REVIEW:2](", "の"]
)
def test_long_texts_of_one_kind_take_linear_time(unit: str) -> None:
    assert read(unit * (100_000 // len(unit))) in (2, None)
