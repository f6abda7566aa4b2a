"""Tags: which one a reply answers with, and above all where it answers with none."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import SymOpsError
from symops_lark.answers.judgment import build_comparison, build_instruction, find_tag, tag_name, write_tag

NAMES = ["REVIEW", "MOVEMENT", "STEP"]
ANSWERS = {
    "[REVIEW:2]": 1,
    "[review:2]\r\n": 1,
    "  [Review: 2]  ": 1,
    "**[REVIEW:2]**": 1,
    "`[REVIEW:2]`.": 1,
    '"[REVIEW:2]"': 1,
    "「[REVIEW:2]」": 1,
    "- [REVIEW:2]": 1,
    "\\[REVIEW:2\\]": 1,
    "→ [REVIEW:2]": 1,
    "[MOVEMENT:1]": 0,
    "[STEP:3]": 2,
    "```\n[REVIEW:2]\n```": 1,
    "~~~text\n[REVIEW:2]": 1,
    "<answer>[REVIEW:2]</answer>": 1,
    "<answer>\n[REVIEW:2]\n</answer>": 1,
    "The tests fail.\n\n[REVIEW:2]\n": 1,
    "The tests fail. [REVIEW:2]": 1,
    "[REVIEW:2]. The tests fail.": 1,
    "[REVIEW:2]\n\nReason: the tests fail.": 1,
    "The answer is [REVIEW:2].": 1,
    "So the correct tag is **[REVIEW:2]**.": 1,
    "Final answer: `[REVIEW:2]`": 1,
    "Two tests fail, so the answer is [REVIEW:2].": 1,
    "The tests did not pass, so the answer is:\n[REVIEW:2]": 1,
    "[REVIEW:2] is the matching rule.": 1,
    "[REVIEW:2] applies.": 1,
    "回答: [REVIEW:2]": 1,
    "結論:[REVIEW:2]。": 1,
    "したがって、該当するタグは [REVIEW:2] です。": 1,
    "テストが失敗しているため、[REVIEW:2] を選択します。": 1,
    "テストが失敗しているので、[REVIEW:2] です。": 1,
    "Since two tests fail, [REVIEW:2].": 1,
    "[REVIEW:2] because two tests were not green.": 1,
    "I choose [REVIEW:2], as two tests fail.": 1,
    "Judgment: **[REVIEW:2]** (needs a fix)": 1,
    "Final answer: [REVIEW:2] - two tests fail": 1,
    "テストが失敗しています。\n\n[REVIEW:2]": 1,
    "テストが失敗しています。よって [REVIEW:2] に該当します。": 1,
    "<think>[REVIEW:1] or [REVIEW:3]?</think>\n[REVIEW:2]": 1,
    "maybe [REVIEW:1]\n</think>\n\n[REVIEW:2]": 1,
    "I considered [REVIEW:1].\n\n[REVIEW:2]": 1,
    "Wrong: [REVIEW:1]\nActually: [REVIEW:2]": 1,
    "Not [REVIEW:1]. The answer is [REVIEW:2].": 1,
    "[REVIEW:2]\n\n[REVIEW:1] does not apply, as the tests fail.": 1,
    "[REVIEW:1]\nHmm, the tests fail.\n[REVIEW:3]": 2,
    "[REVIEW:1]\n[REVIEW:3]": 2,
    "[REVIEW:2]\n[REVIEW:2]": 1,
    "[REVIEW:1]\n[REVIEW:2]\n[REVIEW:3]\n\n[REVIEW:2]": 1,
    "- [REVIEW:1] approved\n- [REVIEW:2] needs a fix\n- [REVIEW:3] blocked\n\n[REVIEW:3]": 2,
    "| # | tag |\n|---|---|\n| 1 | [REVIEW:1] |\n| 2 | [REVIEW:2] |\n\nAnswer: [REVIEW:2]": 1,
    "> [REVIEW:1]\n\n[REVIEW:2]": 1,
    "Here is my verdict:\n\n[REVIEW:2]": 1,
    "判定結果:\n[REVIEW:2]": 1,
    "[REVIEW:02]": 1,
}
NO_ANSWERS = [
    "",
    "I do not know.",
    "[REVIEW:0]",
    "[REVIEW:4]",
    "[REVIEW:-1]",
    "[REVIEW:1.0]",
    "[REVIEW:1]".replace("1", "\uff11"),  # a digit, but none of ASCII
    "[REVIEW:N]",
    "[REVIEW:]",
    "[REVIEW]",
    "REVIEW:1",
    "(REVIEW:1)",
    "[OTHER:1]",
    "[REVIEW:99999999999999999999999999999999999999999999999]",
    "[REVIEW:2]\n[REVIEW:9]",
    # the list of tags again
    "[REVIEW:1]\n[REVIEW:2]\n[REVIEW:3]",
    "[REVIEW:1]\n\n[REVIEW:2]\n\n[REVIEW:3]",
    "[REVIEW:3]\n[REVIEW:1]\n[REVIEW:2]",
    "- [REVIEW:1]\n- [REVIEW:2]\n- [REVIEW:3]",
    "- [REVIEW:1]",
    "1. [REVIEW:1]",
    "- [REVIEW:1]\n- [REVIEW:2]",
    "1. [REVIEW:1]\n2. [REVIEW:2]",
    "① [REVIEW:1]\n② [REVIEW:2]",
    "・[REVIEW:1]\n・[REVIEW:2]\n・[REVIEW:3]",
    "```\n[REVIEW:1]\n[REVIEW:2]\n[REVIEW:3]\n```",
    "```\nOne of these:\n[REVIEW:1]\n```",
    "[REVIEW:1] [REVIEW:2] [REVIEW:3]",
    "[REVIEW:1], [REVIEW:2], [REVIEW:3]",
    "[REVIEW:1] / [REVIEW:2]",
    '"[REVIEW:1]", "[REVIEW:2]"',
    "one of [REVIEW:1], [REVIEW:2], [REVIEW:3]",
    "Either [REVIEW:1]\nor [REVIEW:2]",
    "| 1 | approved | [REVIEW:1] |\n| 2 | needs a fix | [REVIEW:2] |",
    "| [REVIEW:1] |",
    "> [REVIEW:1]",
    "- [REVIEW:1] approved\n- [REVIEW:2] needs a fix",
    "[REVIEW:1] approved\n[REVIEW:2] needs a fix",
    "[REVIEW:1]: approved",
    "- [x] [REVIEW:1]\n- [ ] [REVIEW:2]",
    "Write exactly one of these tags:\n[REVIEW:1]",
    "The format is:\n[REVIEW:1]",
    "For example:\n[REVIEW:1]",
    "For example: [REVIEW:1]",
    "e.g. [REVIEW:1]",
    "Use tags such as [REVIEW:1].",
    "次のタグのいずれか一つを出力:\n[REVIEW:1]",
    "例: [REVIEW:1]",
    # not sure, not so, no longer
    "Is it [REVIEW:1]?",
    "It could be [REVIEW:1].",
    "The answer would be [REVIEW:1].",
    "not [REVIEW:1]",
    "The answer is not [REVIEW:1].",
    "Wrong answer: [REVIEW:1]",
    "~~[REVIEW:1]~~",
    "[REVIEW:1] does not apply.",
    "[REVIEW:1] or [REVIEW:2]",
    "[REVIEW:1] ではありません。",
    "[REVIEW:1] とは言えません。",
    "条件を満たす場合は [REVIEW:1] です。",
    "[REVIEW:1] か [REVIEW:2] のどちらかです。",
    "If the tests pass, the answer is [REVIEW:1].",
    "If the tests had passed, the answer is:\n[REVIEW:1]",
    "If approved:\n[REVIEW:1]\nIf not:\n[REVIEW:2]",
    "If approved:\n[REVIEW:1]\nIf a fix is needed:\n[REVIEW:2]\nIf blocked:\n[REVIEW:3]",
    "[REVIEW:1]\nWait, that is wrong.",
    "[REVIEW:1]\n\nOn second thought, I cannot tell.",
    "[REVIEW:1]\n訂正します。",
    "[REVIEW:2]\n\nBut [REVIEW:3] may hold as well.",
    "[REVIEW:2]\n\n[REVIEW:2] does not hold.",
    "[REVIEW:1] because it might be approved",
    "Answer: [REVIEW:1] (if approved)",
    "Answer: [REVIEW:1] - not sure",
    "Answer: [REVIEW:1], or is it?",
    "As I said, not [REVIEW:1].",
    "As an example, [REVIEW:1] would do.",
    "承認された場合のため、[REVIEW:1] です。",
    # one rule after the other
    "### [REVIEW:1]\nNo.\n### [REVIEW:2]\nYes.\n",
    "**[REVIEW:1]**\nThe tests fail.\n\n**[REVIEW:2]**\nThis one holds.\n",
    "[REVIEW:1]\nno\n[REVIEW:2]\nyes\n[REVIEW:3]\nno",
    "[REVIEW:1]\nno\n[REVIEW:2]\nyes",
    "[REVIEW:1]:\nno\n[REVIEW:2]:\nyes",
    "[REVIEW:3]\nNo.",
    "[REVIEW:1] ❌",
    # what others said
    "The report says:\n[REVIEW:1]",
    "Their earlier verdict:\n[REVIEW:1]",
    "レポートにはこう記載されています:\n[REVIEW:1]",
    # not said
    "<think>\n[REVIEW:1]\n</think>",
    "<think>\n[REVIEW:1]",
    "[REVIEW:1]\n</think>\nI cannot tell.",
    "<!-- [REVIEW:1] -->",
    "<!--\n[REVIEW:1]\n-->",
]


@pytest.mark.parametrize("text", ANSWERS)
def test_answers(text: str) -> None:
    assert find_tag(text, NAMES, 3) == ANSWERS[text]


@pytest.mark.parametrize("text", NO_ANSWERS)
def test_is_no_answer(text: str) -> None:
    assert find_tag(text, NAMES, 3) is None


def test_two_of_two_tags_are_the_list_of_them() -> None:
    assert find_tag("[REVIEW:1]\n[REVIEW:2]", NAMES, 2) is None
    assert find_tag("[REVIEW:1]\n[REVIEW:2]\n[REVIEW:1]", NAMES, 2) == 0
    assert find_tag("[REVIEW:1]\nNo, two tests fail.\n[REVIEW:2]", NAMES, 2) == 1


def test_the_steps_of_a_plan_are_no_answer() -> None:
    plan = "[STEP:1]\nI read the report.\n[STEP:2]\nI look at the tests.\n[STEP:3]\nI decide."
    assert find_tag(plan, NAMES, 5) is None
    assert find_tag(plan + "\n\n[STEP:2]", NAMES, 5) == 1


def test_names_and_aliases() -> None:
    assert find_tag("[STEP:2]", ["REVIEW"], 3) == 1, "aliases are known without being named"
    assert find_tag("[STEP:2]", ["REVIEW"], 3, aliases=()) is None
    assert find_tag("[PHASE:2]", "REVIEW", 3, aliases=("PHASE",)) == 1
    assert find_tag("[STRASSE:1]", ["straße"], 3) == find_tag("[straße:1]", ["STRASSE"], 3) == 0
    assert find_tag("[AI  REVIEW:1]", ["ai review"], 3) == 0
    assert find_tag("[レビュー:1]", ["レビュー"], 3) == 0
    assert find_tag("[A_B_:1]", ["a[b]"], 3) == 0
    assert find_tag("[REVIEW:1]", [], 3, aliases=()) is None
    assert find_tag("[REVIEW:1]", NAMES, 0) is None


def test_a_step_s_name_becomes_the_tag_s() -> None:
    assert write_tag("ai review", 2) == "[AI REVIEW:2]"
    assert tag_name("a:b [c]\n d") == "A_B _C_ D"
    for bad in ("", "  ", "x" * 101):
        with pytest.raises(SymOpsError, match="1 to 100 characters"):
            tag_name(bad)


RULES = ("approved | merged", "needs a fix\nnow", "blocked")
PROMPTS = [
    build_instruction(RULES, "The tests fail.", "review", structured_output=mode, list_tags=tags, language=language)
    for mode, tags in ((True, True), (True, False), (False, False))
    for language in ("en", "ja")
] + [build_comparison(RULES, "The tests fail.", or_none=none) for none in (True, False)]
WRAPPINGS = ("{}", "```\n{}\n```", "You asked:\n\n{}", "{}\n\nI will look at it.", '"{}"', "> {}", "はい。\n{}")


@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_what_was_asked_is_no_answer_wherever_it_is_cut_off(prompt: str, wrapping: str) -> None:
    text = wrapping.format(prompt)
    begin = text.index("[") if "[" in text else 0
    for end in range(begin, len(text) + 1):
        assert find_tag(text[:end], [*NAMES, "JUDGE"], 3) is None, text[:end][-80:]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_an_answer_behind_what_was_asked_is_one(prompt: str) -> None:
    assert find_tag(f"{prompt}\n\nThe tests fail.\n\n[REVIEW:2]", NAMES, 3) == 1


@pytest.mark.parametrize("order", list(permutations((1, 2, 3))))
@pytest.mark.parametrize(
    "mark", ["{}\n", "- {}\n", "{}\n\n", "`{}`\n", "**{}**\n", "Tag: {}\n", "1. {}\n", "{} ", "| {} |\n"]
)
def test_all_tags_are_no_answer_in_any_order_and_form(order: tuple[int, ...], mark: str) -> None:
    listed = "".join(mark.format(f"[REVIEW:{number}]") for number in order)
    assert find_tag(listed, NAMES, 3) is None
    assert find_tag("Tags:\n" + listed, NAMES, 3) is None
    assert find_tag(listed + "\nTwo tests fail.\n[REVIEW:2]\n", NAMES, 3) == 1


PIECES = st.sampled_from(
    [
        "[REVIEW:1]",
        "[REVIEW:2]",
        "[REVIEW:9]",
        "[STEP:3]",
        "[REVIEW:0]",
        "\n",
        "\n\n",
        "-",
        ">",
        "|",
        "```",
        "~~~",
        "**",
        "<think>",
        "</think>",
        "<!--",
        "-->",
        "not",
        "if",
        "例",
        "です。",
        "The answer is",
        ":",
        ".",
        ",",
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=15).map(" ".join), st.lists(PIECES, max_size=15).map("".join), st.text())


@given(TEXTS, st.integers(0, 9))
def test_any_text_gives_an_index_in_range_or_none(text: str, n_rules: int) -> None:
    tag = find_tag(text, NAMES, n_rules)
    assert tag is None or 0 <= tag < n_rules
    if tag is not None:
        assert f":{tag + 1}]" in text


@given(st.text(alphabet="abc .,\n", max_size=60), st.integers(1, 3))
def test_plain_prose_before_it_does_not_hide_an_answer(prose: str, number: int) -> None:
    assert find_tag(f"{prose}\n\n[REVIEW:{number}]", NAMES, 3) == number - 1


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "[REVIEW:1",
        "[REVIEW:1]\n",
        "[REVIEW:1] ",
        "<think>",
        "判定結果",
        "a, ",
        "a. ",
        "```\n",
        "* ",
        "<!--",
        "\\[",
        "、",
        "**",
    ],
)
def test_long_texts_of_one_kind_are_read(unit: str) -> None:
    tag = find_tag(unit * (100_000 // len(unit)), NAMES, 3)
    assert tag == (0 if unit == "[REVIEW:1]\n" else None)
    tag = find_tag(unit * (100_000 // len(unit)) + "\n\n[REVIEW:2]", NAMES, 3)
    assert tag in (None, 1)


@pytest.mark.parametrize(
    "text",
    [
        "Answer != [REVIEW:2]",
        "status !== [REVIEW:2]",
        "Answer: !([REVIEW:2])",
        "!`[REVIEW:2]`",
        "Answer -x-> [REVIEW:2]",
    ],
)
def test_what_is_not_equal_is_no_answer(text: str) -> None:
    assert find_tag(text, NAMES, 3) is None
    assert find_tag("Done! [REVIEW:2]", NAMES, 3) == 1


@pytest.mark.parametrize("end", ["[REVIEW:2", "[REVIEW:", "[REV", "- [review: 3", "【REVIEW:", "[REVIEW:2 \n"])
def test_a_reply_that_ends_inside_a_tag_is_cut_off(end: str) -> None:
    assert find_tag(f"[REVIEW:1]\n{end}", NAMES, 3) is None
    assert find_tag("[REVIEW:1]\n[x", NAMES, 3) == 0
