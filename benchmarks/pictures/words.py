"""The words in the drawings, in the two languages of the READMEs; terms as in their texts and in docs/glossary.md."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """A box of the pipeline: its title, and what it is, in short lines."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """What the drawings say in one language; `suffix` is in their files' names."""

    suffix: str
    reply: Step
    steps: tuple[Step, ...]  # strict, repair, recovery
    result: Step
    valid: str
    fails: str
    outcomes: tuple[str, str, str]  # right, wrong with alarm, wrong without alarm
    readers: dict[str, str]  # by the names in the results
    damage: str
    items: str


ENGLISH = Words(
    suffix="",
    reply=Step("Reply", ("a model's", "raw text")),
    steps=(
        Step("Strict parse", ("by the grammar,", "all or nothing")),
        Step("Repair", ("by rules, of the", "markup alone")),
        Step("Recovery", ("the cheapest reading,", "mistakes have prices")),
    ),
    result=Step(
        "Result",
        (
            "actions, thoughts, vitals",
            "how sure each action is, and whether it is whole",
            "every repair and every finding, with its place in the reply",
        ),
    ),
    valid="valid",
    fails="fails",
    outcomes=("right", "wrong with alarm", "wrong without alarm"),
    readers={
        "Sym-Ops v2": "Sym-Ops v2",
        "Sym-Ops v1": "Sym-Ops v1",
        "json-repair": "json-repair",
        "BAML": "BAML",
        "aider s/r": "aider, search/replace",
        "aider whole": "aider, whole files",
    },
    damage="The same damage in six formats: % of files",
    items="simulated",
)
JAPANESE = Words(
    suffix="-ja",
    reply=Step("返答", ("モデルの", "生のテキスト")),
    steps=(
        Step("厳密なパース", ("文法どおりか、", "全部か無か")),
        Step("修復", ("ルールで、", "マークアップだけ")),
        Step("回復", ("誤りに価格を付け、", "最も安い読み方")),
    ),
    result=Step(
        "結果", ("アクション、思考、バイタル", "アクションごとの確信度と完全さ", "すべての修復と指摘、返答の中での位置")
    ),
    valid="有効",
    fails="失敗",
    outcomes=("正しい", "誤り（警報あり）", "誤り（警報なし）"),
    readers=ENGLISH.readers | {"aider s/r": "aider（検索と置換）", "aider whole": "aider（ファイル全体）"},
    damage="6 つの形式に同じ損傷：ファイルの割合（%）",
    items="シミュレーション",
)
LANGUAGES = (ENGLISH, JAPANESE)
