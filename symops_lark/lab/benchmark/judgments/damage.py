"""The kinds of damage in the replies of a simulated writer who knows the right rule.

Each kind is a template of `damage.yaml`. Its fields are the answer as JSON and as tags, and
sentences in the language of the task. Kinds are drawn evenly: the figures show what readers make of
each kind, and are not rates of any model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from textwrap import indent
from typing import Any

from ....answers.judgment.tags import write_tag
from ....core.text.yaml_file import YamlFile


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer that a writer means.

    Attributes:
        right: The number of the right rule, from 1.
        decoy: The number of a rule that does not hold.
        count: The number of rules.
        step: The step that the judgment is about.
        language: The language of the task: "en" or "ja".
        key: The key of the number in the JSON object.
    """

    right: int
    decoy: int
    count: int
    step: str
    language: str
    key: str = "step"


# Loaded on first use: the readers of judgments can be measured without damage.
@cache
def _load() -> dict[str, Any]:
    data: dict[str, Any] = YamlFile(Path(__file__).with_suffix(".yaml")).data
    return data


def load_kinds(stage: int) -> dict[str, str]:
    """Return the templates of damaged replies in a stage of a judgment, by the kind of damage."""
    kinds: dict[str, str] = _load()["tags" if stage == 2 else "json"]
    return kinds


def fill(template: str, answer: Answer) -> str:
    """Return a reply: a template with the fields of an answer."""
    fields = _number_fields(answer) | _tag_fields(answer)
    for name, sentence in _load()["words"][answer.language].items():
        fields[name] = Template(sentence).substitute(fields)
    # The other fields have sentences of the language in them.
    fields |= _json_fields(answer, fields) | _list_fields(answer, fields)
    # `Template` leaves braces alone, which JSON needs.
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
        # Tags with another name than the step has.
        "alias": write_tag("step", answer.right),
        "rule_tag": write_tag("rule", answer.right),
        # No rule has these numbers.
        "tag_beyond": write_tag(answer.step, answer.count + 1),
        "tag_of_zero": write_tag(answer.step, 0),
    }


def _json_fields(answer: Answer, fields: Mapping[str, object]) -> dict[str, object]:
    """Return the objects of the right rule, of another one, and of all rules."""
    text = _write_json(answer.key, answer.right, fields["reason"])
    # Some models give a verdict on each rule instead of the number of one.
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
    lines = "\n".join(tags)
    return {
        "lines": lines,
        "line": ", ".join(tags),
        "list": indent(lines, "- "),
        # A list that the end of the reply has cut off.
        "cut_list": indent("\n".join(tags[:-1]), "- "),
        "table": "\n".join(f"| {tag} |" for tag in tags),
        "quotation": indent(lines, "> "),
        "sentences": "\n\n".join(sentences),
        "headings": "\n\n".join(f"### {sentence}" for sentence in sentences),
        "verdicts": "\n".join(verdicts),
    }
