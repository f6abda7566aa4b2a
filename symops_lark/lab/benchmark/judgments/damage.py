"""What is wrong with the replies of a simulated writer who knows the right rule, and how it is said nevertheless.

Each kind of damage is a function of an `Answer`. Kinds are drawn evenly: they say what readers make of each, and are no
rates of any model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ....answers.judgment.tags import write_tag

_EN = {
    "reason": "the report says so",
    "before": "I read the report and compared it with the rules.",
    "after": "I hope this helps.",
    "refusal": "I'm sorry, but I can't help with that.",
    "prose": "It is hard to say which one holds.",
    "is": "The answer is {}.",
    "denied": "{} does not apply, as the report shows.",
    "not": "The answer is not {}.",
    "wait": "Wait, that is wrong.",
    "one_of": "I must write one of these tags:",
    "if": "If all were well, the answer would be {}.",
    "weigh": "This does not hold.",
    "holds": "This one holds, as the report says.",
    "example": "In another case it would have been:",
    "mention": "Looking at the report, rule {} seems to describe it rather well, all in all.",
    "yes": "yes",
    "no": "no",
}
_JA = {
    "reason": "レポートにそう書かれている",
    "before": "レポートを読み、ルールと比較しました。",
    "after": "以上です。",
    "refusal": "申し訳ありませんが、お答えできません。",
    "prose": "どれが成立するかは判断が難しいです。",
    "is": "したがって、該当するタグは {} です。",
    "denied": "{} はレポートの内容に当てはまりません。",
    "not": "{} ではありません。",
    "wait": "訂正します。",
    "one_of": "次のタグのいずれか一つを出力します:",
    "if": "問題がない場合は {} です。",
    "weigh": "これは成立しません。",
    "holds": "レポートの通り、これが成立します。",
    "example": "別の場合の例:",
    "mention": "レポートを見る限り、{} が比較的よく表していると思われます。",
    "yes": "はい",
    "no": "いいえ",
}
WORDS: Mapping[str, Mapping[str, str]] = {"en": _EN, "ja": _JA}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a writer means: rule `right` of `count` (numbers from 1), `other` being one that does not hold."""

    right: int
    other: int
    count: int
    step: str
    language: str
    key: str = "step"  # of the JSON object

    def say(self, name: str) -> str:
        """Return a sentence in the language of the task."""
        return WORDS[self.language][name]

    def tag(self, number: int | None = None) -> str:
        """Return a tag, that of the right rule without a number."""
        return write_tag(self.step, self.right if number is None else number)

    def tags(self, mark: str = "{}") -> str:
        """Return the list of all tags."""
        return "\n".join(mark.format(self.tag(number)) for number in range(1, self.count + 1))

    def json(self, number: object = None, reason: str | None = None, **more: object) -> str:
        """Return the JSON object, that of the right rule without a number."""
        value = {self.key: self.right if number is None else number, "reason": reason or self.say("reason"), **more}
        return json.dumps(value, ensure_ascii=False)


Damage = Callable[[Answer], str]


def _walk(a: Answer, head: str) -> str:
    said = [f"{head.format(a.tag(n))}\n{a.say('holds' if n == a.right else 'weigh')}" for n in range(1, a.count + 1)]
    return "\n\n".join(said)


JSON_DAMAGE: Mapping[str, Damage] = {
    "plain": lambda a: a.json(),
    "indented": lambda a: json.dumps(json.loads(a.json()), ensure_ascii=False, indent=2),
    "fenced": lambda a: f"```json\n{a.json()}\n```",
    "fenced in prose": lambda a: f"{a.say('before')}\n\n```\n{a.json()}\n```\n\n{a.say('after')}",
    "fenced by tildes": lambda a: f"~~~jsonc\r\n{a.json()}\r\n~~~\r\n",
    "prose around": lambda a: f"{a.say('before')} {a.json()} {a.say('after')}",
    "braces in prose": lambda a: f"{{{a.say('before')}}}\n{a.json()}\n{{…}}",
    "other object before": lambda a: f'{{"rules": {a.count}, "read": true}}\n\n{a.json()}',
    "draft, then final": lambda a: f"{a.json(a.other)}\n\n{a.say('wait')}\n\n{a.json()}",
    "draft fenced, then final": lambda a: f"```json\n{a.json(a.other)}\n```\n{a.say('wait')}\n```json\n{a.json()}\n```",
    "thinking with a draft": lambda a: f"<think>\n{a.json(a.other)}\n</think>\n\n{a.json()}",
    "thinking, end only": lambda a: f"{a.json(a.other)}\n</think>\n\n{a.json()}",
    "thinking only": lambda a: f"<think>\n{a.json(a.other)}\n{a.say('before')}",
    "example behind": lambda a: f"{a.json()}\n\n{a.say('example')} {a.json(a.other)}",
    "single quotes": lambda a: str(json.loads(a.json())),
    "trailing comma": lambda a: a.json()[:-1] + ",}",
    "comment": lambda a: a.json().replace("{", "{ // " + a.say("prose") + "\n", 1),
    "keys without quotes": lambda a: a.json().replace('"reason"', "reason").replace(f'"{a.key}"', a.key),
    "curly quotes": lambda a: a.json().replace('"', "“"),
    "quotes in the reason": lambda a: a.json(reason="REASON").replace("REASON", f'"{a.say("reason")}" {a.say("yes")}'),
    "braces in the reason": lambda a: a.json(reason=f'}} {{"{a.key}": {a.other}}} ```'),
    "line break in the reason": lambda a: a.json(reason="REASON").replace("REASON", f"{a.say('reason')}\nREASON"),
    "brace missing": lambda a: a.json()[:-1],
    "cut in the reason": lambda a: a.json()[:-6],
    "cut before the number": lambda a: a.json()[: a.json().index(":") + 1],
    "draft, final cut off": lambda a: f"{a.json(a.other)}\n\n{a.say('wait')}\n\n{a.json()[:-6]}",
    "number as text": lambda a: a.json(str(a.right)),
    "whole float": lambda a: a.json(float(a.right)),
    "half": lambda a: a.json(a.right + 0.5),
    "true": lambda a: a.json(True),
    "out of range": lambda a: a.json(a.count + 1),
    "nought": lambda a: a.json(0),
    "further key": lambda a: a.json(confidence=0.9),
    "reason missing": lambda a: json.dumps({a.key: a.right}),
    "other key": lambda a: json.dumps({"rule": a.right, "reason": a.say("reason")}, ensure_ascii=False),
    "wrapped": lambda a: f'{{"result": {a.json()}}}',
    "in a list": lambda a: f"[{a.json()}]",
    "a list of all rules": lambda a: "[" + ", ".join(
        a.json(n, a.say("yes" if n == a.right else "no")) for n in range(1, a.count + 1)
    ) + "]",
    "all rules, one a line": lambda a: "\n".join(
        a.json(n, a.say("yes" if n == a.right else "no")) for n in range(1, a.count + 1)
    ),
    "key twice": lambda a: a.json().replace("{", f'{{"{a.key}": {a.other}, ', 1),
    "not a number": lambda a: a.json().replace(f": {a.right},", ": NaN,", 1),
    "as a string": lambda a: json.dumps(a.json()),
    "in tags": lambda a: f"<answer>{a.json()}</answer>",
    "byte order mark": lambda a: "\ufeff" + a.json(),
    "a tag instead": lambda a: a.tag(),
    "prose only": lambda a: a.say("prose"),
    "refusal": lambda a: a.say("refusal"),
    "nothing": lambda a: "",
}  # fmt: skip
TAG_DAMAGE: Mapping[str, Damage] = {
    "plain": lambda a: a.tag(),
    "lower case": lambda a: a.tag().lower(),
    "bold": lambda a: f"**{a.tag()}**",
    "code": lambda a: f"`{a.tag()}`.",
    "fenced": lambda a: f"```\n{a.tag()}\n```",
    "label": lambda a: f"{'Tag' if a.language == 'en' else '回答'}: {a.tag()}",
    "sentence": lambda a: f"{a.say('before')}\n\n{a.say('is').format(a.tag())}",
    "reason before": lambda a: f"{a.say('before')}\n\n{a.tag()}",
    "reason behind": lambda a: f"{a.tag()}\n\n{a.say('holds')}",
    "alias": lambda a: write_tag("step", a.right),
    "blank in it": lambda a: a.tag().replace(":", ": "),
    "thinking with another": lambda a: f"<think>\n{a.tag(a.other)}\n</think>\n{a.tag()}",
    "thinking only": lambda a: f"<think>\n{a.tag(a.other)}\n{a.say('before')}",
    "list, then answer": lambda a: f"{a.say('one_of')}\n\n{a.tags('- {}')}\n\n{a.say('before')}\n\n{a.tag()}",
    "table, then answer": lambda a: f"| |\n|---|\n{a.tags('| {} |')}\n\n{a.tag()}",
    "quotation, then answer": lambda a: f"{a.tags('> {}')}\n\n{a.tag()}",
    "another denied before": lambda a: f"{a.say('denied').format(a.tag(a.other))}\n\n{a.tag()}",
    "another denied behind": lambda a: f"{a.tag()}\n\n{a.say('denied').format(a.tag(a.other))}",
    "corrected": lambda a: f"{a.tag(a.other)}\n\n{a.say('wait')}\n\n{a.tag()}",
    "taken back": lambda a: f"{a.tag(a.other)}\n\n{a.say('wait')}",
    "list only": lambda a: f"{a.say('one_of')}\n\n{a.tags('- {}')}",
    "bare list only": lambda a: a.tags(),
    "list cut off": lambda a: f"{a.say('one_of')}\n\n{a.tags('- {}')}"[: -len(a.tag(a.count)) - 3],
    "list in a fence": lambda a: f"```\n{a.tags()}\n```",
    "list on one line": lambda a: a.tags().replace("\n", ", "),
    "table only": lambda a: f"| |\n|---|\n{a.tags('| {} |')}",
    "quotation only": lambda a: a.tags("> {}"),
    "denied only": lambda a: a.say("not").format(a.tag(a.other)),
    "supposed only": lambda a: a.say("if").format(a.tag(a.other)),
    "example only": lambda a: f"{a.say('example')}\n{a.tag(a.other)}",
    "one after the other": lambda a: _walk(a, "{}"),
    "under headings": lambda a: _walk(a, "### {}"),
    "under headings, then answer": lambda a: f"{_walk(a, '### {}')}\n\n{a.tag()}",
    "in a list with verdicts": lambda a: "\n".join(
        f"- {a.tag(n)}: {a.say('yes' if n == a.right else 'no')}" for n in range(1, a.count + 1)
    ),
    "two on one line": lambda a: f"{a.tag()} / {a.tag(a.other)}",
    "named in prose": lambda a: a.say("mention").format(a.tag()),
    "without brackets": lambda a: a.tag().strip("[]"),
    "number only": lambda a: str(a.right),
    "other name": lambda a: write_tag("rule", a.right),
    "out of range": lambda a: a.tag(a.count + 1),
    "nought": lambda a: a.tag(0),
    "JSON instead": lambda a: a.json(),
    "prose only": lambda a: a.say("prose"),
    "refusal": lambda a: a.say("refusal"),
    "nothing": lambda a: "",
}  # fmt: skip
