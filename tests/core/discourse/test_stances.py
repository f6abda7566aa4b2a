"""Leads and tails: what the words around an utterance say, each with twins that must count."""

from __future__ import annotations

import pytest
from passages import ACT, codes_of, stances_of
from symops_lark import Source
from symops_lark.core.discourse.reading import read_discourse
from symops_lark.core.discourse.stances import announces_answer


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


def test_the_law_of_the_lead() -> None:
    assert stances_of(f"Musings:\n\n{ACT}") == ["unclear"]
    assert stances_of(f"Beyond the scope of it:\n\n{ACT}") == ["unclear"]
    # Answers need no announcement, and lines without a colon introduce nothing.
    assert stances_of(f"Musings:\n\n{ACT}", announced=False) == [""]
    assert stances_of(f"Musings\n\n{ACT}") == [""]
    # Words of denial hold for answers as well.
    assert stances_of(f"For example:\n\n{ACT}", announced=False) == ["example"]


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


def test_a_question_after_an_offer_belongs_to_it() -> None:
    assert stances_of(f"{ACT}\n\nShould I also add tests? Ok?") == [""]
    assert stances_of(f"{ACT}\n\nI could also add tests. Shall I do that?") == [""]
    assert stances_of(f"{ACT}\n\nShould I also add tests? Scratch that.") == ["withdrawn"]


def test_a_distant_sentence_is_about_something_else() -> None:
    many = "It works. " * 200
    assert stances_of(f"{ACT}\n\n{many}Scratch that.") == [""]
    assert stances_of(f"{ACT}\n\n{many[:-20]}Scratch that.") == ["withdrawn"]
    assert stances_of(f"{ACT}\n\n{many}Thoughts?") == ["asked"]


def test_lines_that_are_no_leads() -> None:
    assert stances_of(f"For example, x = {{1}};\n\n{ACT}") == [""]
    assert stances_of(f"This is for example.\n\n{ACT}") == [""]
    assert stances_of(f"雑談：\n\n{ACT}") == ["unclear"]
    assert stances_of(f"What it was like at the beginning, first:\n\n{ACT}") == ["unclear"]


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
