"""Write the questions to models: which rule holds, in English or Japanese, with or without tags.

Invariant
    Besides the report, no part of an instruction is an answer for `find_tag`, so a model that
    repeats the question has not answered (`tests/answers/judgment/test_tags.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.ground.errors import SymOpsError
from .tags import tag_name

JUDGE = "JUDGE"  # the name of the tags of the last stage

# The sentences of each language; `{}` is filled in.
_LANGUAGES = {
    "en": {
        "task": (
            "The step {} is over. Read the report on it and decide which one of the rules "
            "holds now.\n"
            "Do not go on with the work, run nothing and change nothing."
        ),
        "report": "# Report",
        "rules": "# Rules",
        "head": "| # | Condition |",
        "answer": "# Answer",
        "number": (
            "Return the number of the rule in the table (`step`, counted from 1) and a short "
            "reason (`reason`)."
        ),
        "tag_will_do": "Where this form cannot be had, the rule's tag will do, in the form {}.",
        "tags": "The tags, one of which could stand for a rule:",
        "only_tag": "Write exactly one of these tags, alone on one line:",
        "compare": (
            "Compare the report with the conditions, and decide which one of them it fulfils best."
        ),
        "matched": (
            "Return the number of the condition in the table (`matched_index`, counted from 1, "
            "not from 0) and a short reason (`reason`)."
        ),
        "none": "If it fulfils none of them, the number is 0.",
        "judge_tag": "Where this form cannot be had, one line in the form {} will do.",
    },
    "ja": {
        "task": (
            "ステップ {} が終了しました。"
            "次のレポートを読み、いま成立しているルールを一つだけ決めてください。\n"
            "作業の続行、コマンドの実行、変更はしないでください。"
        ),
        "report": "# レポート",
        "rules": "# ルール",
        "head": "| # | 条件 |",
        "answer": "# 回答",
        "number": "表のルール番号(`step`、1 から数える)と短い理由(`reason`)を返してください。",
        "tag_will_do": "この形式が使えない場合は、{} の形のタグでもかまいません。",
        "tags": "タグの一覧(いずれか一つがルールを表します):",
        "only_tag": "次のタグのいずれか一つだけを、1 行で出力してください:",
        "compare": "レポートと条件を比べ、最もよく当てはまる条件を一つだけ決めてください。",
        "matched": (
            "表の条件番号(`matched_index`、0 ではなく 1 から数える)と"
            "短い理由(`reason`)を返してください。"
        ),
        "none": "どれにも当てはまらない場合、番号は 0 です。",
        "judge_tag": "この形式が使えない場合は、{} の形の 1 行でもかまいません。",
    },
}
LANGUAGES = tuple(_LANGUAGES)


def build_instruction(
    rules: Sequence[str],
    source: str,
    step: str,
    *,
    structured_output: bool = True,
    list_tags: bool = False,
    language: str = "en",
) -> str:
    """Return the question which rule holds at the end of a step.

    Args:
        rules: The conditions, in order.
        source: The report.
        step: The name of the step.
        structured_output: Whether to ask for the number and a reason. One sentence then allows a
            tag instead. False: ask for a tag alone.
        list_tags: Whether to list the tags as well. Models with a native way of structured output
            are not shown them, because they would write tags.
        language: "en" or "ja".

    Returns:
        The question.

    Raises:
        SymOpsError: There are no instructions in the language.
    """
    words = _words(language)
    name = tag_name(step)
    numbers = range(1, len(rules) + 1)
    tags = "\n".join(f"- [{name}:{number}]" for number in numbers)
    if structured_output:
        # "N" instead of a digit, so that the example is not a tag.
        sentence = words["tag_will_do"].format(f"[{name}:N]")
        request = f"{words['number']}\n{sentence}"
        if list_tags:
            request += f"\n\n{words['tags']}\n\n{tags}"
    else:
        request = f"{words['only_tag']}\n\n{tags}"
    one_line_name = " ".join(step.split())
    parts = (
        words["task"].format(f'"{one_line_name}"'),
        words["report"],
        fence(source),
        words["rules"],
        write_table(rules, language),
        words["answer"],
        request,
    )
    return "\n\n".join(parts)


def build_comparison(
    rules: Sequence[str], source: str, *, or_none: bool = False, language: str = "en"
) -> str:
    """Return the question which condition a report fulfills.

    Args:
        rules: The conditions, in order.
        source: The report.
        or_none: Whether the report may fulfill none of them.
        language: "en" or "ja".

    Returns:
        The question. It does not contain the name of the step.

    Raises:
        SymOpsError: There are no instructions in the language.
    """
    words = _words(language)
    sentences = [words["matched"]]
    if or_none:
        sentences.append(words["none"])
    sentences.append(words["judge_tag"].format(f"[{JUDGE}:N]"))
    parts = (
        words["compare"],
        words["report"],
        fence(source),
        words["rules"],
        write_table(rules, language),
        words["answer"],
        "\n".join(sentences),
    )
    return "\n\n".join(parts)


def write_table(rules: Sequence[str], language: str = "en") -> str:
    """Return the table of conditions.

    Args:
        rules: The conditions, numbered from 1. Bars and line breaks in them are escaped.
        language: "en" or "ja".

    Returns:
        A table of Markdown.

    Raises:
        SymOpsError: There are no instructions in the language.
    """
    head = _words(language)["head"]
    rows = [f"| {number} | {_escape(rule)} |" for number, rule in enumerate(rules, 1)]
    return "\n".join((head, "|---|---|", *rows))


def fence(text: str) -> str:
    """Return a text in a fence that no line of the text can close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    # A fence is closed only by one of at least its own length (CommonMark, 4.5).
    mark = "`" * (longest + 1)
    return f"{mark}\n{text.rstrip()}\n{mark}"


def _escape(cell: str) -> str:
    # A bare bar or line break would end the cell.
    return "<br>".join(cell.strip().replace("|", "\\|").splitlines())


def _words(language: str) -> dict[str, str]:
    if language not in _LANGUAGES:
        names = ", ".join(_LANGUAGES)
        raise SymOpsError(f"there are no instructions in {language!r}, only in {names}")
    return _LANGUAGES[language]
