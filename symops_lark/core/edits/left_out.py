"""Signs that a line stands for code that was left out: the one place that knows them.

Two degrees: what may be one is for a person to look at where a file is changed; what surely is one makes a content
suspect. A line that surely stands for left-out code is short and says nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..patterns.regexes import compile_pattern
from ..text.source import cut, size

# A comment, in whichever language: `# …`, `// …`, `/* … */`, `-- …`, `; …`, `% …`, `<!-- … -->`, `{# … #}`, `(* … *)`,
# `REM …`, `' …`; or a line that begins with dots or with a bracket.
_LEAD = (
    r"[ \t]*(?:#+|//+|/\*+|\*+|-{2}|;+|%+|<!-{2}|\{#|\(\*|\"+|'+|[Rr][Ee][Mm](?![0-9A-Za-z_])|\.{3}|…|[(\[（【<～〜])"
)
_START, _END = r"(?<![0-9A-Za-z_])", r"(?![0-9A-Za-z_])"
_DOTS = r"(?:\.{3}|…)"
_WHAT = (
    r"(?:code|file|content|contents|implementation|functions?|methods?|class(?:es)?|logic|imports?|lines|stuff|text|"
    r"module|script|config(?:uration)?|body|sections?|tests?|document|part|parts|definitions|handlers|routes|styles|page)"
)
_SAME = (
    r"(?:unchanged|un-changed|not changed|the same|same as|as before|as is|omitted|elided|remains?|stays?|goes here|"
    r"unmodified|untouched|intact|truncated)"
)
_MANY_MORE = rf"{_START}[0-9]+ (?:more|other|further|remaining) {_WHAT}{_END}"
_SAYS = "|".join(
    (
        rf"{_START}(?:rest|remainder|remaining|other|existing|previous|original|above|earlier){_END}[^\n]{{0,40}}"
        rf"{_START}{_WHAT}{_END}[^\n]{{0,40}}(?:{_SAME}|here|{_DOTS})",
        rf"{_DOTS}[ \t]*(?:the )?"
        rf"(?:rest|remaining|remainder|existing|previous|other|original|unchanged|same|keep|more){_END}",
        rf"{_START}(?:rest|remainder) of (?:the |your |this )?{_WHAT}{_END}",
        rf"{_START}{_WHAT}{_END}[^\n]{{0,20}}{_START}"
        rf"(?:unchanged|omitted|elided|as before|stays? the same|remains? the same){_END}",
        rf"{_START}(?:existing|previous|original|unchanged) code{_END}",
        rf"{_START}(?:keep|leave){_END}[^\n]{{0,30}}{_START}(?:the rest|existing|as is|unchanged){_END}",
        rf"{_START}(?:rest|remainder|remaining|everything else){_END}[^\n]{{0,12}}{_SAME}{_END}",
        rf"{_START}(?:omitted|elided|shortened|truncated) for (?:brevity|clarity|space){_END}",
        rf"{_START}(?:same as (?:before|above)|no changes? (?:here|below|needed)){_END}",
        rf"\[?snip(?:ped)?\]|<snip>|{_DOTS}[ \t]*(?:snip(?:ped)?|continues|continued|truncated){_END}",
        rf"{_DOTS}[ \t(\[]*{_MANY_MORE}|{_MANY_MORE}[^\n]{{0,4}}{_DOTS}",
        rf"{_DOTS}[ \t]*其他[^\n]{{0,8}}代码",
        r"[(\[（](?:unchanged|omitted|truncated|elided|same)[)\]）]",
        rf"{_START}(?:continued|cont'd)(?: (?:from|below|above)[^\n]{{0,20}})?[)\]）.… \t*/}}>-]*$",
        r"以下(?:同様|同じ|省略|略|同文)|[（(]?(?:中略|前略|後略|以下略|省略|変更なし|変更無し)[）)]?",
        r"(?:残り|既存|元|他|その他|以降|それ以外|ほか)[^\n]{0,20}(?:そのまま|同じ|同様|省略|変更なし|変更無し|変更しない|続く)",
        r"(?:既存|残り|元|以前)の?(?:コード|実装|内容|処理|部分|関数|メソッド)",
        r"[~〜～][ \t]*略[ \t]*[~〜～]|(?:変更|修正)(?:なし|無し|ありません)",
        r"其余[^\n]{0,12}(?:不变|相同|省略)|(?:保持|保留)(?:不变|原样)|(?:现有|原有|剩余)的?代码|代码(?:不变|省略)",
        # In German, Spanish, French, Portuguese, Italian and Russian.
        rf"{_START}rest(?:e|o|lich|ante)?[^\n]{{0,40}}"
        r"(?:unverändert|zuvor|gleich|sin cambio|igual|inchangé|invaria|inaltera)",
        r"(?:[Cc]ode|[Cc]ódigo) exist|(?:bestehend|vorhanden)er? [Cc]ode|изменений|остальной",
        r"나머지[^\n]{0,12}(?:코드|동일|생략)|기존 코드|(?:이하|중략|생략)(?: 생략)?",
    )
)
ELISION = compile_pattern(rf"(?i:{_LEAD}[^\n]{{0,60}}?(?:{_SAYS}))")
_ONLY_DOTS = compile_pattern(rf"[ \t]*(?:#+|//+|/\*+|-{{2}}|;+|<!-{{2}})[ \t]*{_DOTS}[ \t]*(?:\*/|-{{2}}>)?[ \t]*")
_IN_BRACES = compile_pattern(
    r"(?i:[ \t]*\{{1,2}[ \t]*(?:existing|rest of|the rest|remaining|unchanged|previous|other)[ \t]+[a-z]"
    r"[^{}\n]{0,60}\}{1,2}[;,]?)"
)
_LONGEST = 300  # characters of a line that is looked at: who leaves out code says it shortly

# Lines that may stand for something begin with one of these; words without which none does.
_LEADS = ("#", "/", "*", "-", ";", "%", "<", "{", "(", '"', "'", "R", "r", "...", "…", "[", "（", "【", "～", "〜")
_HINTS = compile_pattern(
    r"(?i:rest|remain|other|exist|previous|original|above|earlier|unchanged|same|keep|more|leave|omitted|elided|"
    r"shorten|truncated|as before|stays|snip|no change|cont|[^\x00-\x7f])"
)
_WORD = compile_pattern(r"[0-9A-Za-z_'-]*[A-Za-z][0-9A-Za-z_'-]*")
_FAMILIAR = frozenset(
    _WORD.findall("""the a of your this all any and in to for from with is are be was were has have not no on
    rest remainder remaining other existing previous original earlier above more
    code file content contents implementation function functions method methods class classes logic import imports
    lines module script config configuration body section sections test tests document part parts definitions handlers
    routes styles everything else page template properties fields rules entries
    unchanged un-changed changed changes change same as before omitted elided remain remains stay stays goes go here
    unmodified untouched intact truncated shortened brevity clarity space keep leave below needed snip snipped continued
    cont cont'd continues insert include included add stuff rem""")
)
_ENDS_SO = compile_pattern(
    r"[^\n]{0,20}(?:そのまま|同じ|同様|省略|略|変更なし|変更無し|変更しない|ありません|続く|コード|実装|"
    r"不变|相同|原样|代码|동일|생략|코드|изменений|код)(?:です|します|する|である|。|[.…])*"
)
_ORDINARY = compile_pattern(r"(?i:same as above)")  # stands beside what it is about
_TEXT = compile_pattern(r"\"[^\n]*|'[^\n]*',?")  # a text in a list, not a comment
_MOST_WORDS = 8


def may_stand_for_code(line: str) -> bool:
    """Return whether a line looks as if code was left out there."""
    head = cut(line, 0, _LONGEST)
    return _ONLY_DOTS.fullmatch(head) is not None or _elides(head) or _IN_BRACES.fullmatch(head) is not None


def surely_stands_for_code(line: str) -> bool:
    """Return whether a line says that code was left out there, and nothing else."""
    head = cut(line, 0, _LONGEST).strip()
    return size(head) < _LONGEST and _says_nothing_else(head) and _elides(head)


def _says_nothing_else(head: str) -> bool:
    """Return whether a line has none but such words, dots or signs: told faster, of most lines, than what it says."""
    bare = head.strip(_FRAME)
    if _CODE.search(bare) is not None:
        return False
    words = _WORD.findall(head)
    if len(words) > _MOST_WORDS or _ORDINARY.search(bare) or _TEXT.fullmatch(head):
        return False
    if bare.startswith(("...", "…")) or (bare.endswith(("...", "…")) and len(words) <= 5):
        return True
    if not bare.isascii():
        return not words and _ENDS_SO.fullmatch(bare) is not None
    return all(word.lower() in _FAMILIAR for word in words)


_CODE = compile_pattern(r"[=;`$:]")
_FRAME = "#/*-;%<!{}()[]（）【】\"'>～〜 \t"


def _elides(head: str) -> bool:
    shown = head.lstrip(" \t")
    return shown.startswith(_LEADS) and _HINTS.search(shown) is not None and ELISION.match(head) is not None


def find_left_out(content: str) -> Iterator[tuple[int, str]]:
    """Yield the lines, numbered from 1, that surely stand for code that was left out."""
    for number, line in enumerate(content.split("\n"), 1):
        if line.lstrip(" \t").startswith(_LEADS) and surely_stands_for_code(line):
            yield number, line.strip()
