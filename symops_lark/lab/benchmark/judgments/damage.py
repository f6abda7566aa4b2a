"""The kinds of damage in the replies of a simulated writer who knows the right rule.

Each kind is a template. Its fields are the answer as JSON and as tags, and sentences in the
language of the task. Kinds are drawn evenly: the figures show what readers make of each kind, and
are not rates of any model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from string import Template

from ....answers.judgment.tags import write_tag

# Sentences, which may have tags in them.
_EN = {
    "reason": "the report says so",
    "before": "I read the report and compared it with the rules.",
    "after": "I hope this helps.",
    "refusal": "I'm sorry, but I can't help with that.",
    "prose": "It is hard to say which one holds.",
    "is": "The answer is $tag.",
    "denied": "$other_tag does not apply, as the report shows.",
    "not": "The answer is not $other_tag.",
    "wait": "Wait, that is wrong.",
    "one_of": "I must write one of these tags:",
    "if": "If all were well, the answer would be $other_tag.",
    "weigh": "This does not hold.",
    "holds": "This one holds, as the report says.",
    "example": "In another case it would have been:",
    "mention": "Looking at the report, rule $tag seems to describe it rather well, all in all.",
    "label": "Tag",
    "yes": "yes",
    "no": "no",
}
_JA = {
    "reason": "レポートにそう書かれている",
    "before": "レポートを読み、ルールと比較しました。",
    "after": "以上です。",
    "refusal": "申し訳ありませんが、お答えできません。",
    "prose": "どれが成立するかは判断が難しいです。",
    "is": "したがって、該当するタグは $tag です。",
    "denied": "$other_tag はレポートの内容に当てはまりません。",
    "not": "$other_tag ではありません。",
    "wait": "訂正します。",
    "one_of": "次のタグのいずれか一つを出力します:",
    "if": "問題がない場合は $other_tag です。",
    "weigh": "これは成立しません。",
    "holds": "レポートの通り、これが成立します。",
    "example": "別の場合の例:",
    "mention": "レポートを見る限り、$tag が比較的よく表していると思われます。",
    "label": "回答",
    "yes": "はい",
    "no": "いいえ",
}
WORDS: Mapping[str, Mapping[str, str]] = {"en": _EN, "ja": _JA}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer that a writer means.

    Attributes:
        right: The number of the right rule, from 1.
        decoy: The number of a rule that does not hold.
        count: The number of rules.
        step: The step that the judgment is about.
        language: The language of the task: a key of `WORDS`.
        key: The key of the number in the JSON object.
    """

    right: int
    decoy: int
    count: int
    step: str
    language: str
    key: str = "step"


Damage = Callable[[Answer], str]

# `Template` leaves braces alone, which JSON needs.
_JSON: Mapping[str, str] = {
    # Only the layout differs, or there is text around the object.
    "plain": "$json",
    "indented": '{\n  "$key": $right,\n  "reason": "$reason"\n}',
    "fenced": "```json\n$json\n```",
    "fenced in prose": "$before\n\n```\n$json\n```\n\n$after",
    "fenced by tildes": "~~~jsonc\r\n$json\r\n~~~\r\n",
    "prose around": "$before $json $after",
    "braces in prose": "{$before}\n$json\n{…}",
    "other object before": '{"rules": $count, "read": true}\n\n$json',
    # The last object is meant.
    "draft, then final": "$other_json\n\n$wait\n\n$json",
    "draft fenced, then final": "```json\n$other_json\n```\n$wait\n```json\n$json\n```",
    "thinking with a draft": "<think>\n$other_json\n</think>\n\n$json",
    "thinking, end only": "$other_json\n</think>\n\n$json",
    "thinking only": "<think>\n$other_json\n$before",
    "example behind": "$json\n\n$example $other_json",
    # Not JSON, but the object can be repaired.
    "single quotes": "{'$key': $right, 'reason': '$reason'}",
    "trailing comma": '{"$key": $right, "reason": "$reason",}',
    "comment": '{ // $prose\n"$key": $right, "reason": "$reason"}',
    "keys without quotes": '{$key: $right, reason: "$reason"}',
    "curly quotes": "{“$key“: $right, “reason“: “$reason“}",
    "quotes in the reason": '{"$key": $right, "reason": ""$reason" $yes"}',
    "braces in the reason": '{"$key": $right, "reason": "} {\\"$key\\": $other} ```"}',
    "line break in the reason": '{"$key": $right, "reason": "$reason\nREASON"}',
    "brace missing": '{"$key": $right, "reason": "$reason"',
    "cut in the reason": "$cut_json",
    "cut before the number": '{"$key":',
    "draft, final cut off": "$other_json\n\n$wait\n\n$cut_json",
    # JSON, but not the object that was asked for.
    "number as text": '{"$key": "$right", "reason": "$reason"}',
    "whole float": '{"$key": $right.0, "reason": "$reason"}',
    "half": '{"$key": $right.5, "reason": "$reason"}',
    "true": '{"$key": true, "reason": "$reason"}',
    "out of range": '{"$key": $beyond, "reason": "$reason"}',
    "nought": '{"$key": 0, "reason": "$reason"}',
    "further key": '{"$key": $right, "reason": "$reason", "confidence": 0.9}',
    "reason missing": '{"$key": $right}',
    "other key": '{"rule": $right, "reason": "$reason"}',
    "wrapped": '{"result": $json}',
    "in a list": "[$json]",
    "a list of all rules": "[$json_list]",
    "all rules, one a line": "$json_lines",
    "key twice": '{"$key": $other, "$key": $right, "reason": "$reason"}',
    "not a number": '{"$key": NaN, "reason": "$reason"}',
    "as a string": "$json_string",
    "in tags": "<answer>$json</answer>",
    "byte order mark": "\ufeff$json",
    # No object at all.
    "a tag instead": "$tag",
    "prose only": "$prose",
    "refusal": "$refusal",
    "nothing": "",
}
_TAGS: Mapping[str, str] = {
    "plain": "$tag",
    "lower case": "$lower_tag",
    "bold": "**$tag**",
    "code": "`$tag`.",
    "fenced": "```\n$tag\n```",
    "label": "$label: $tag",
    "sentence": "$before\n\n$is",
    "reason before": "$before\n\n$tag",
    "reason behind": "$tag\n\n$holds",
    "alias": "$alias",
    "blank in it": "$tag_with_blank",
    "thinking with another": "<think>\n$other_tag\n</think>\n$tag",
    "thinking only": "<think>\n$other_tag\n$before",
    # Several tags, one of which is the answer.
    "list, then answer": "$one_of\n\n$list\n\n$before\n\n$tag",
    "table, then answer": "| |\n|---|\n$table\n\n$tag",
    "quotation, then answer": "$quotation\n\n$tag",
    "another denied before": "$denied\n\n$tag",
    "another denied behind": "$tag\n\n$denied",
    "corrected": "$other_tag\n\n$wait\n\n$tag",
    "taken back": "$other_tag\n\n$wait",
    # Several tags, none of which is the answer.
    "list only": "$one_of\n\n$list",
    "bare list only": "$lines",
    "list cut off": "$one_of\n\n$cut_list",
    "list in a fence": "```\n$lines\n```",
    "list on one line": "$line",
    "table only": "| |\n|---|\n$table",
    "quotation only": "$quotation",
    "denied only": "$not",
    "supposed only": "$if",
    "example only": "$example\n$other_tag",
    "one after the other": "$sentences",
    "under headings": "$headings",
    "under headings, then answer": "$headings\n\n$tag",
    "in a list with verdicts": "$verdicts",
    "two on one line": "$tag / $other_tag",
    "named in prose": "$mention",
    # No valid tag.
    "without brackets": "$tag_without_brackets",
    "number only": "$right",
    "other name": "$rule_tag",
    "out of range": "$tag_beyond",
    "nought": "$tag_of_zero",
    "JSON instead": "$json",
    "prose only": "$prose",
    "refusal": "$refusal",
    "nothing": "",
}


def _fill(template: str, answer: Answer) -> str:
    """Return a reply: a template with the fields of an answer."""
    fields = _number_fields(answer) | _tag_fields(answer)
    for name, sentence in WORDS[answer.language].items():
        fields[name] = Template(sentence).substitute(fields)
    # The other fields have sentences of the language in them.
    fields |= _json_fields(answer, fields) | _list_fields(answer, fields)
    return Template(template).substitute(fields)


def _number_fields(answer: Answer) -> dict[str, object]:
    return {
        "key": answer.key,
        "right": answer.right,
        "other": answer.decoy,
        "count": answer.count,
        "beyond": answer.count + 1,
    }


def _tag_fields(answer: Answer) -> dict[str, object]:
    tag = write_tag(answer.step, answer.right)
    return {
        "tag": tag,
        "other_tag": write_tag(answer.step, answer.decoy),
        "lower_tag": tag.lower(),
        "tag_with_blank": tag.replace(":", ": "),
        "tag_without_brackets": tag.strip("[]"),
        "alias": write_tag("step", answer.right),
        "rule_tag": write_tag("rule", answer.right),
        "tag_beyond": write_tag(answer.step, answer.count + 1),
        "tag_of_zero": write_tag(answer.step, 0),
    }


def _json_fields(answer: Answer, fields: Mapping[str, object]) -> dict[str, object]:
    """Return the objects of the right rule, of another one, and of all rules."""
    text = _write_json(answer.key, answer.right, fields["reason"])
    objects = []
    for number in range(1, answer.count + 1):
        verdict = fields["yes"] if number == answer.right else fields["no"]
        objects.append(_write_json(answer.key, number, verdict))
    return {
        "json": text,
        "other_json": _write_json(answer.key, answer.decoy, fields["reason"]),
        "cut_json": text[:-6],
        "json_string": json.dumps(text),
        "json_list": ", ".join(objects),
        "json_lines": "\n".join(objects),
    }


def _write_json(key: str, number: int, reason: object) -> str:
    return json.dumps({key: number, "reason": reason}, ensure_ascii=False)


def _list_fields(answer: Answer, fields: Mapping[str, object]) -> dict[str, object]:
    """Return lists of the tags of all rules, with a verdict on each and without."""
    tags = []
    sentences = []
    verdicts = []
    for number in range(1, answer.count + 1):
        tag = write_tag(answer.step, number)
        is_right = number == answer.right
        tags.append(tag)
        sentences.append(f"{tag}\n{fields['holds' if is_right else 'weigh']}")
        verdicts.append(f"- {tag}: {fields['yes' if is_right else 'no']}")
    return {
        "lines": "\n".join(tags),
        "line": ", ".join(tags),
        "list": "\n".join(f"- {tag}" for tag in tags),
        "cut_list": "\n".join(f"- {tag}" for tag in tags[:-1]),
        "table": "\n".join(f"| {tag} |" for tag in tags),
        "quotation": "\n".join(f"> {tag}" for tag in tags),
        "sentences": "\n\n".join(sentences),
        "headings": "\n\n".join(f"### {sentence}" for sentence in sentences),
        "verdicts": "\n".join(verdicts),
    }


JSON_DAMAGE: Mapping[str, Damage] = {kind: partial(_fill, text) for kind, text in _JSON.items()}
TAG_DAMAGE: Mapping[str, Damage] = {kind: partial(_fill, text) for kind, text in _TAGS.items()}
