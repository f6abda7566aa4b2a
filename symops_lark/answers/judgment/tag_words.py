"""The words around a tag: which announce an answer, suppose one, deny one or take one back, in English and Japanese.

Law: a text announces an answer only if every word of it does. Whatever is not known here makes a tag one that is only
named, so what is missing from a list costs another question, and no wrong answer.
"""

from __future__ import annotations

import re

DECORATION = "*_`\"'“”‘’「」『』()（）→⇒➡👉✅=- \t"
MOST = 80  # characters of an announcement

_CLAUSES = re.compile(r"[,、]|(?<=[.。])")

# No word of these is made of others, so that a text has one reading and time stays linear.
_ANNOUNCES_EN = re.compile(
    r"(?ai:(?<![a-z])(?:so|therefore|thus|hence|accordingly|finally|final|my|the|correct|matching|matched|applicable|"
    r"appropriate|selected|chosen|best|answer|tag|result|verdict|decision|judge?ment|status|output|rule|choice|"
    r"conclusion|is|i|choose|select|pick|return|it|this|number|actually|correction|instead|revised|and)(?![a-z])|"
    rf"[{re.escape(DECORATION)}:：,、.。;!>])*"
)
_CLOSES_EN = re.compile(
    r"(?ai:(?<![a-z])(?:is|the|my|final|correct|matching|applicable|best|answer|tag|rule|result|verdict|choice|one|"
    r"applies|holds|matches|fits)(?![a-z])|[*_`\"'“”‘’」』)） \t.。!！✅])*"
)
_ANNOUNCES_JA = re.compile(
    r"(?:したがって|よって|以上より|以上から|つまり|ゆえに|最終|的に|的な|私の|正しい|該当|する|一致|適切な|選択|した|選んだ|回答|"
    r"答え|解答|結論|として|結果|判定|判断|ステータス|出力|タグ|ルール|番号|訂正|修正|は|の|が|を|"
    r"[:：、,→⇒= \t*_`「『(（])*"
)
_CLOSES_JA = re.compile(
    r"[*_`」』)） \t]*"
    r"(?:です|だ|である|となります|になります|とします|(?:に|が)(?:該当|一致)(?:します|する|しています)?|"
    r"が正しい(?:です)?|を(?:選択|出力)(?:します|しました)?|を選びます|と(?:判断|判定)(?:します|しました)|"
    r"に決定します)?"
    r"[。.!！」』*_`)） \t]*"
)
_SUPPOSES = re.compile(
    r"(?i:\b(?:if|unless|otherwise|else|would|could|should|might|were|had|suppose|assuming|when|whenever|in case|"
    r"e\.g|i\.e|examples?|for instance|such as|like|one of|either|any of|options?|candidates?|possible|available|"
    r"formats?|tags are|following tags)\b)|"
    r"場合|なら|れば|たら|とき|もし|仮に|例|形式|いずれか|候補|どれか|一覧|のうち|選択肢"
)
_MIGHT = re.compile(
    r"(?i:\b(?:if|unless|otherwise|would|could|should|might|maybe|perhaps)\b)|[?？]|場合|なら|れば|たら|かもしれ"
)
_BECAUSE_BEHIND = re.compile(r"[*_`\"'”’」』 \t]*,?[ \t]*(?i:(?:because|since|as|due to|given)\b)")
_BECAUSE_BEFORE = re.compile(r"(?i:\A[*_ \t]*(?:because|since|as|given that)\b)|(?:ため|ので|から|ゆえ)、[ \t]*\Z")
_REMARKS = re.compile(r"[*_`\"'”’」』 \t]*(?:[(（—–,;]|-[ \t])")
_DENIES = re.compile(
    r"(?i:\b(?:not|never|no|neither|nor|cannot|without|wrong|incorrect|excluded?|rather than|instead of|"
    r"[a-z]{2,8}n['’]t)\b)|"
    r"ない|ません|ではなく|なく|ず[、。]|違い|誤り|除外"
)
_INTRODUCES = re.compile(
    r"(?i:\b(?:answers?|tags?|verdict|decision|judge?ment|conclusion|result)\b)|回答|答え|結論|判定|判断|結果|タグ"
)
_REPORTS = re.compile(
    r"(?i:\b(?:sa(?:id|ys?)|wr(?:ote|ites?|itten)|report(?:s|ed)?|earlier|previous(?:ly)?|quot(?:e[sd]?|ing)|before|"
    r"their|his|her|its)\b)|と(?:書|言|述)|以前|前回|引用|記載"
)
_TAKES_BACK = re.compile(
    r"(?i:\b(?:wait|hold on|scratch that|on second thoughts?|my mistake|i was wrong|i made a mistake|correction|"
    r"ignore that|actually,? no|"
    r"(?:that|this|it)(?:['’]s| is| was| may be| might be| seems) (?:wrong|incorrect|not right|not correct))\b)|"
    r"(?i:\A[*_ ]*(?:no(?:pe)?(?:[.,!]|\Z)|not (?:this|it|applicable|met|fulfilled|true|the case)\b|"
    r"(?:this |it |that )?(?:does|is|do|are|has|was)(?: not|n['’]t)\b))|"
    r"訂正|間違|取り消|撤回|誤り|やはり|やっぱり|違います|\Aいいえ|(?:当てはまら|該当し(?:てい)?|満たして?い?)ない"
)


def announces(text: str) -> bool:
    """Return whether a text has nothing but words that announce an answer."""
    return len(text) <= MOST and bool(_ANNOUNCES_EN.fullmatch(text) or _ANNOUNCES_JA.fullmatch(text))


def closes(text: str) -> bool:
    """Return whether a text has nothing but what may follow an answer in its sentence, as in `is the matching rule`."""
    return len(text) <= MOST and bool(_CLOSES_EN.fullmatch(text) or _CLOSES_JA.fullmatch(text))


def remarks(text: str, *, announced: bool) -> bool:
    """Return whether what follows a tag in its sentence gives a reason, or (if an answer was announced) a remark."""
    if _MIGHT.search(text):
        return False
    return bool(_BECAUSE_BEHIND.match(text)) or (announced and bool(_REMARKS.match(text)) and not denies(text))


def reasons(text: str) -> bool:
    """Return whether a text before a tag gives the reason for it: `Since two tests fail,`."""
    return bool(_BECAUSE_BEFORE.search(text)) and not _MIGHT.search(text)


def has_announced(text: str) -> bool:
    """Return whether the last clause of a text announces an answer: `the tests fail, so the answer is:`."""
    clause = _CLAUSES.split(text.rstrip(".。"))[-1]
    return announces(clause) and bool(clause.strip(DECORATION + ":："))


def introduces(text: str) -> bool:
    """Return whether a line that ends with a colon introduces the answer, and not an example or what somebody said."""
    if supposes(text):
        return False
    return has_announced(text) or bool(_INTRODUCES.search(text) and not _REPORTS.search(text) and not denies(text))


def supposes(text: str) -> bool:
    """Return whether a text is about what might be: a condition, an example, a choice."""
    return bool(_SUPPOSES.search(text))


def denies(text: str) -> bool:
    """Return whether a text says of something that it is not so."""
    return bool(_DENIES.search(text))


def takes_back(text: str) -> bool:
    """Return whether a text takes back what was said before it."""
    return bool(_TAKES_BACK.search(text))
