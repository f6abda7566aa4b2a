"""Leads and tails: what the words around an utterance say, each with twins that must count."""

from __future__ import annotations

import pytest
from passages import ACT, codes_of, spans_of, stances_of
from symops_lark import Source
from symops_lark.core.discourse.reading import read_discourse
from symops_lark.core.discourse.stances import announces_answer, read_sentences


@pytest.mark.parametrize(
    ("lead", "stance"),
    [
        ("For example:", "example"),
        ("**Example:**", "example"),
        ("- In theory:", "example"),
        ("It is done. You would then write:", "planned"),
        ("Once you agree:", "planned"),
        ("If that fails, go back with:", "conditional"),
        ("Do not use:", "denied"),
        ("The answer is this, not", "denied"),
        ("## Option B", "alternative"),
        ("The old version was:", "past"),
        ("After the fix it becomes:", "future"),
        ("The ticket says:", "quoted"),
        ("Shall I do this?", "asked"),
        ("例えば、こう書きます。", "example"),
        ("もし失敗したら：", "conditional"),
        ("例如：", "example"),
    ],
)
def test_leads(lead: str, stance: str) -> None:
    assert stances_of(f"{lead}\n\n{ACT}\n") == [stance]
    assert stances_of(f"{lead}\r\n\r\n{ACT}\r\n") == [stance]
    assert stances_of(f"{lead}\n```\n{ACT}\n```\n") == [stance]
    # The line is not right before the utterance, or it is a statement.
    assert stances_of(f"{lead}\n\nHere is the file:\n\n{ACT}\n") == [""]
    assert stances_of(f"{lead}\n\nI did it.\n\n{ACT}\n") == [""]


@pytest.mark.parametrize(
    "lead",
    [
        "Here is the file:",
        "Let me add the tests:",
        "Adding the handler:",
        "`src/app.py`:",
        "1. Create the module:",
        "For the server:",
        "The change:",
        "Voici le fichier modifié :",
        "Isso resolve o problema:",
        "ファイルを作成します：",
        "修改如下：",
        "I fixed the example in the documentation.",
        "x = {1: 2};",
        "call(a, b):",
        "## Tests",
        "",
    ],
)
def test_leads_that_are_meant(lead: str) -> None:
    assert stances_of(f"{lead}\n\n{ACT}\n") == [""]


def test_words_before_an_answer_count_as_well() -> None:
    assert stances_of(f"For example:\n\n{ACT}", announced=False) == ["example"]


# ---- what decides in a lead: each with a twin in which the same words decide


@pytest.mark.parametrize(
    ("lead", "twin"),
    [
        # a clause that announces after another one
        ("Instead of patching it, I write it anew:", "Instead of patching it:"),
        ("I would normally split this, but it is small enough:", "I would normally split this:"),
        ("The reviewer wanted a test, which this edit adds:", "The reviewer suggested:"),
        ("I considered a decorator but settled on a function:", "I considered a decorator:"),
        ("以前の処理の代わりに、こちらを使います。", "以前の処理の代わりに"),
        ("旧的写法不再使用，换成下面这个：", "旧的写法，会出错："),
        # a reason and its conclusion
        ("If it is missing, it fails, so I check it:", "If it is missing, check it:"),
        ("You may say never; here it is:", "Never say it:"),
        ("失敗した場合は止まるので、確認を追加します。", "失敗した場合は、確認を追加します。"),
        ("如果没有文件会报错，因此我加上判断：", "如果没有文件，我加上判断："),
        ("If it fails; then:", "If it fails, then:"),
        # a condition in a relative clause
        ("失敗した場合に再試行するクラスを作ります。", "失敗した場合は再試行します。"),
        ("もし失敗しても動くように直します。", "もし失敗したら、直します。"),
        # a part of a word
        ("例外の扱いを直します。", "例です。"),
        ("不要になったファイルを消します。", "不要运行："),
    ],
)
def test_the_clause_that_decides(lead: str, twin: str) -> None:
    assert stances_of(f"{lead}\n\n{ACT}") == [""]
    assert stances_of(f"{twin}\n\n{ACT}") != [""]


@pytest.mark.parametrize("conclusion", ["so", "所以", "因此"])
def test_a_conclusion_without_words_after_it_leaves_the_whole_lead(conclusion: str) -> None:
    assert stances_of(f"如果失败，{conclusion}：\n\n{ACT}") == ["conditional"]


def test_what_is_in_parentheses_announces_nothing() -> None:
    assert stances_of(f"The trap (it is in the docs, and it fails):\n\n{ACT}") == ["denied"]
    assert stances_of(f"The trap, and it fails:\n\n{ACT}") == [""]


def test_a_pronoun_in_a_dependent_clause_announces_nothing() -> None:
    text = "What you wrote last week, repeated so that we see the same:"
    assert stances_of(f"{text}\n\n{ACT}") == ["past"]


def test_the_sentence_before_the_last_in_japanese() -> None:
    assert stances_of(f"悪い例です。例外が隠されています。\n\n{ACT}") != [""]
    assert stances_of(f"悪い例です。修正します。\n\n{ACT}") == [""]
    assert stances_of(f"For example it fails. The file:\n\n{ACT}") == [""]


def test_how_far_a_lead_reaches() -> None:
    # To the next prose.
    assert stances_of(f"For example:\n\n{ACT}\n\n{ACT}\n\nNow this:\n\n{ACT}") == [
        "example",
        "example",
        "",
    ]
    # One that touches its utterance reaches to the end of the paragraph.
    assert stances_of(f"For example:\n{ACT}\n{ACT}\n\n{ACT}") == ["example", "example", ""]


def test_a_lead_does_not_reach_over_a_thought() -> None:
    text = f"For example:\n>> I think\n{ACT}"
    source = Source(text)
    start = text.index(ACT)
    utterance = source.span(start, len(text))
    thought = source.span(text.index(">>"), start - 1)
    passages = read_discourse(text, [utterance], own=[thought])
    assert passages[-1].code == ""
    assert read_discourse(text, [utterance])[-1].code == ""
    assert codes_of(f"For example:\n```\nold\n```\n{ACT}") == [""]
    assert codes_of(f"For example:\n<|im_sep|>\n{ACT}") == [""]
    # So does a line without words after a token.
    assert codes_of(f"For example:\n\n{ACT}\n<|im_sep|>\n***\n\n{ACT}") == ["not-asked", ""]
    # After it, a lead counts, also on the line of the mark.
    assert codes_of(f"User: go\n\nAssistant: In theory:\n\n{ACT}") == ["not-asked"]
    assert codes_of(f"```\nold\n```\nFor example:\n{ACT}") == ["not-asked"]


@pytest.mark.parametrize(
    ("tail", "stance"),
    [
        ("Shall I do that?", "asked"),
        ("Is that ok?", "asked"),
        ("Please confirm.", "asked"),
        ("Nothing has been run yet.", "asked"),
        ("Thoughts?", "asked"),
        ("¿Lo hago?", "asked"),
        ("進めてよろしいですか？", "asked"),
        ("可以继续吗？", "asked"),
        ("Wait, that is wrong.", "withdrawn"),
        ("(Scratch that.)", "withdrawn"),
        ("Do not run this.", "withdrawn"),
        ("上の内容は撤回します。", "withdrawn"),
        ("Treat this as a draft.", "example"),
        ("Only run it if the backup is done.", "conditional"),
    ],
)
def test_tails(tail: str, stance: str) -> None:
    assert stances_of(f"{ACT}\n\n{tail}\n") == [stance]
    # In a block it is content.
    assert stances_of(f"{ACT}\n\n```\n{tail}\n```\n") == [""]


@pytest.mark.parametrize(
    "tail",
    [
        "That is all.",
        "Should I also add tests?",
        "What else can I do for you?",
        "Let me know if you have questions.",
        "Why did it fail? The import was missing.",
        "Wait for the installation to complete.",
        "Don't forget to restart.",
        "## What is this?",
        "ご確認ください。",
        "他に変更はありますか？",
        "还需要其他修改吗？",
        "This is a very long question about the matter that asks for nothing at all, is it?",
    ],
)
def test_harmless_tails(tail: str) -> None:
    assert stances_of(f"{ACT}\n\n{tail}\n") == [""]


def test_how_far_a_tail_reaches() -> None:
    run = f"{ACT}\n\nNow the second:\n\n{ACT}\n\n{ACT}\n\n"
    assert stances_of(run + "Shall I do that?") == ["asked"] * 3
    assert stances_of(run + "Scratch that.") == ["", "withdrawn", "withdrawn"]
    # A question reaches what no earlier one has reached.
    text = f"{ACT}\n\nShall I do that?\n\nHere it is:\n\n{ACT}\n"
    assert stances_of(text) == ["asked", ""]


def test_a_tail_may_name_what_it_is_about() -> None:
    def codes(tail: str) -> list[str]:
        text = f"::delete @src/old.py\n\n::delete @src/new.py\n\n{tail}\n"
        spans = spans_of(text, "::delete @src/")
        source = Source(text)
        lines = [source.span(span.start, span.start + 20) for span in spans]
        return [passage.code for passage in read_discourse(text, lines) if passage.span in lines]

    assert codes("Shall I do that?") == ["not-asked", "not-asked"]
    assert codes("Please confirm `old.py`.") == ["not-asked", ""]
    assert codes("`new.py` is still needed. Shall I do that?") == ["", "not-asked"]
    assert codes("Please confirm `third.py`.") == ["not-asked", "not-asked"]


def test_the_lead_of_the_next_utterance_is_no_tail() -> None:
    assert stances_of(f"{ACT}\n\nOnly then, and with your approval:\n\n{ACT}") == ["", "planned"]
    assert stances_of(f"{ACT}\n\nSorry, one more file:\n\n{ACT}") == ["", ""]
    assert stances_of(f"{ACT}\n\nNot before you confirm\n\n{ACT}") == ["", "planned"]
    assert stances_of(f"{ACT}\n\nNot before you confirm.\n\nThen:\n\n{ACT}") != ["", ""]


def test_the_reason_is_the_line() -> None:
    text = f"Here it is:\n\n{ACT}\n\nOk. Shall I do that?\n"
    span = Source(text).span(text.index(ACT), text.index(ACT) + len(ACT))
    passage = read_discourse(text, [span])[1]
    assert text[passage.why.start : passage.why.end] == "Ok. Shall I do that?"


@pytest.mark.parametrize(
    "question",
    [
        "Thoughts?",
        "何ですか",
        "どうなりますか。",
        "いつにしましょうか",
        "どうでしょうか",
        "好吗",
        "なぜ？",
    ],
)
def test_any_short_question_at_the_end_waits(question: str) -> None:
    assert stances_of(f"{ACT}\n\n{question}\n") == ["asked"]
    # Not before a further utterance, and not about an answer.
    assert stances_of(f"{ACT}\n\n{question}\n\nHere it is:\n\n{ACT}\n") == ["", ""]
    assert stances_of(f"{ACT}\n\n{question}\n", announced=False) == [""]


@pytest.mark.parametrize(
    ("question", "stance"),
    [
        ("Is the LED of the board green?", ""),
        ("Is the LED green?", ""),
        ("Is LED green?", "asked"),
        ("Does that look like the right board?", "asked"),
        ("英語版も用意しましょうか？", ""),
        ("需要我顺便补充文档吗？", ""),
    ],
)
def test_a_question_about_something_else_waits_for_nothing(question: str, stance: str) -> None:
    assert stances_of(f"{ACT}\n\n{question}\n") == [stance]


def test_a_question_after_an_offer_belongs_to_it() -> None:
    assert stances_of(f"{ACT}\n\nShould I also add tests? Ok?") == [""]
    assert stances_of(f"{ACT}\n\nI could also add tests. Shall I do that?") == [""]
    assert stances_of(f"{ACT}\n\nShould I also add tests? Scratch that.") == ["withdrawn"]


def test_a_distant_sentence_is_about_something_else() -> None:
    many = "It works. " * 200
    assert stances_of(f"{ACT}\n\n{many}Scratch that.") == [""]
    assert stances_of(f"{ACT}\n\n{many[:-20]}Scratch that.") == ["withdrawn"]
    assert stances_of(f"{ACT}\n\n{many}Thoughts?") == ["asked"]
    assert stances_of(f"{ACT}\n\n{'It works. ' * 199}Scratch that.") == ["withdrawn"]


def test_lines_that_are_no_leads() -> None:
    assert stances_of(f"For example!\n\n{ACT}") == [""]
    assert stances_of(f"For example, x = {{1}};\n\n{ACT}") == [""]
    assert stances_of(f"This is for example.\n\n{ACT}") == [""]
    assert stances_of(f"Musings:\n\n{ACT}") == [""]
    assert stances_of(f"雑談：\n\n{ACT}") == [""]


def test_a_thought_ends_a_lead() -> None:
    text = f"For example:\n{ACT}\n>> I think\n{ACT}"
    source = Source(text)
    first = text.index(ACT)
    second = text.rindex(ACT)
    spans = [source.span(first, first + len(ACT)), source.span(second, len(text))]
    thought = source.span(text.index(">>"), second - 1)
    codes = [passage.code for passage in read_discourse(text, spans, own=[thought])]
    assert codes == ["", "not-asked", "", ""]


# ---- answers


def test_words_that_announce_an_answer() -> None:
    assert announces_answer("Final answer:")
    assert announces_answer("訂正")
    assert not announces_answer("and")


# ---- sentences


def test_marks_of_lists_are_no_words() -> None:
    for marks in ("", "# ", "- ", "(2) **", "> - [x] ", '> "', "* * 1. •"):
        assert [sentence.text for sentence in read_sentences(0, f"{marks}Now run it:")] == [
            "Now run it"
        ]
    # A copy of the line for each mark would take minutes.
    assert [sentence.text for sentence in read_sentences(0, "> - " * 200_000 + "Done.")] == [
        "Done."
    ]
