"""What is odd about the text of a file that a model wrote: each function gives reasons to ask a person, or none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

# A comment, in whichever language: `# …`, `// …`, `/* … */`, `-- …`, `; …`, `% …`, `<!-- … -->`, `{# … #}`, `(* … *)`,
# `REM …`, `' …`; or a line that begins with dots or with a bracket.
_LEAD = r"[ \t]*(?:#++|//++|/\*++|\*++|-{2}|;++|%++|<!-{2}|\{#|\(\*|\"++|'++|[Rr][Ee][Mm]\b|\.{3}|…|[(\[（【<～〜])"
_DOTS = r"(?:\.{3}|…)"
_WHAT = (
    r"(?:code|file|content|contents|implementation|functions?|methods?|class(?:es)?|logic|imports?|lines|stuff|text|"
    r"module|script|config(?:uration)?|body|sections?|tests?|document|part|parts|definitions|handlers|routes|styles)"
)
_SAME = (
    r"(?:unchanged|un-changed|not changed|the same|same as|as before|as is|omitted|elided|remains?|stays?|goes here|"
    r"unmodified|untouched|intact|truncated)"
)
_SAYS = "|".join(
    (
        rf"\b(?:rest|remainder|remaining|other|existing|previous|original|above|earlier)\b[^\n]{{0,40}}\b{_WHAT}\b"
        rf"[^\n]{{0,40}}(?:{_SAME}|here|{_DOTS})",
        rf"{_DOTS}[ \t]*(?:the )?"
        r"(?:rest|remaining|remainder|existing|previous|other|original|unchanged|same|keep|more)\b",
        rf"\b(?:rest|remainder) of (?:the |your |this )?{_WHAT}\b",
        rf"\b{_WHAT}\b[^\n]{{0,20}}\b(?:unchanged|omitted|elided|as before|stays? the same|remains? the same)\b",
        r"\b(?:existing|previous|original|unchanged) code\b",
        r"\b(?:keep|leave)\b[^\n]{0,30}\b(?:the rest|existing|as is|unchanged)\b",
        r"\b(?:omitted|elided|shortened|truncated) for (?:brevity|clarity|space)\b",
        r"\b(?:same as (?:before|above)|no changes? (?:here|below|needed))\b",
        r"\[?snip(?:ped)?\]",
        r"以下(?:同様|同じ|省略|略|同文)|[（(]?(?:中略|前略|後略|以下略|省略|変更なし|変更無し)[）)]?",
        r"(?:残り|既存|元|他|その他|以降|それ以外|ほか)[^\n]{0,20}(?:そのまま|同じ|同様|省略|変更なし|変更無し|変更しない|続く)",
        r"(?:既存|残り|元|以前)の?(?:コード|実装|内容|処理|部分|関数|メソッド)",
        r"[~〜～][ \t]*略[ \t]*[~〜～]|(?:変更|修正)(?:なし|無し|ありません)",
        r"其余[^\n]{0,12}(?:不变|相同|省略)|(?:保持|保留)(?:不变|原样)|(?:现有|原有|剩余)的?代码|代码(?:不变|省略)",
        r"나머지[^\n]{0,12}(?:코드|동일|생략)|기존 코드|(?:이하|중략|생략)(?: 생략)?",
    )
)
_ELISION = re.compile(rf"{_LEAD}[^\n]{{0,60}}?(?:{_SAYS})", re.IGNORECASE)
_ONLY_DOTS = re.compile(rf"[ \t]*+(?:#++|//++|/\*++|-{{2}}|;+|<!-{{2}})[ \t]*{_DOTS}[ \t]*(?:\*/|-{{2}}>)?[ \t]*")
_LONGEST = 300  # characters of a line that is looked at: who leaves out code says it shortly

_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_MARKER = re.compile(r"(?m)^(?:<{7}|>{7})(?: |$)|^@@ -[0-9]+(?:,[0-9]+)? \+[0-9]+(?:,[0-9]+)? @@")


def find_oddities(after: str, before: str) -> Iterator[str]:
    """Yield why a new text should be looked at, apart from what stood in the old one already."""
    known = set(before.split("\n"))
    for number, line in enumerate(after.split("\n"), 1):
        head = line[:_LONGEST]
        if line not in known and (_ONLY_DOTS.fullmatch(head) or _ELISION.match(head)):
            yield f"line {number} stands for code that was left out: {head.strip()[:80]}"
            break
    for pattern, what in (
        (_BIDI, "turns the direction of writing, which can make code look like other code"),
        (_CONTROL, "is a control character"),
        (_MARKER, "is the mark of a merge conflict, a diff or a search/replace block, and was taken as text"),
    ):
        found = pattern.search(after)
        if found and not pattern.search(before):
            line_number = after.count("\n", 0, found.start()) + 1
            name = f"U+{ord(found[0]):04X}" if len(found[0]) == 1 else repr(found[0])
            yield f"on line {line_number}, {name} {what}"


def find_loss(after: str, before: str, least: int, share: float) -> Iterator[str]:
    """Yield what a file loses: more than a share of its lines, if it has at least so many, or all of its text."""
    if before.strip() and not after.strip():
        yield "the file becomes empty"
        return
    old = Counter(stripped for line in before.split("\n") if (stripped := line.strip()))
    total = old.total()
    if total < least:
        return
    kept = (old & Counter(line.strip() for line in after.split("\n"))).total()
    if kept < total * (1 - share):
        yield f"the file keeps {kept} of its {total} lines"
