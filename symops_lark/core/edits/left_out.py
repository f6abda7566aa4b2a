"""Recognize lines that stand for code that was left out, such as `# ... rest of the code`.

This is the only module that knows such lines. There are two degrees of evidence:

- a line that *may* stand for code (`may_stand_for_code`): a person looks at it where a file
  changes;
- a line that *surely* does (`surely_stands_for_code`): it is short, and every word belongs to such
  phrases. It makes the content of an action suspect.

The sources of this module are also translated to other languages (`exports`), so it uses plain
constructs and patterns without `\\w`, `\\b` and lookaround other than the two boundaries below.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from ..patterns.line_sieves import line_sieve
from ..patterns.regexes import Sieve, compile_pattern, escape
from ..text.source import cut, size

# A comment, in whichever language: `# …`, `// …`, `/* … */`, `-- …`, `; …`, `% …`, `<!-- … -->`,
# `{/* … */}`, `{# … #}`, `(* … *)`, `REM …`; or a line that begins with dots or a bracket.
_BARE_LEAD = (
    r"#+|//+|\{?/\*+|\*+|-{2}|;+|%+|<!-{2}|\{#|\(\*|[Rr][Ee][Mm](?![0-9A-Za-z_])|"
    r"\.{3}|…|[(\[（【<～〜]"
)
# The same, or a quotation mark: `' …` is a comment of Basic, `""" …` the beginning of a docstring.
_LEAD = rf"[ \t]*(?:{_BARE_LEAD}|\"+|'+)"
# Boundaries of ASCII words: `\b` means different characters in other regular expression engines.
_START = r"(?<![0-9A-Za-z_])"
_END = r"(?![0-9A-Za-z_])"
_DOTS = r"(?:\.{3}|…)"
# The noun that was left out: `rest of the file`, `other handlers`.
_WHAT = (
    r"(?:code|file|content|contents|implementation|functions?|methods?|class(?:es)?|logic|"
    r"imports?|lines|stuff|text|"
    r"module|script|config(?:uration)?|body|sections?|tests?|document|part|parts|definitions|"
    r"handlers|routes|styles|page)"
)
# The statement that it did not change: `rest stays the same`, `as before`.
_SAME = (
    r"(?:unchanged|un-changed|not changed|the same|same as|as before|as is|omitted|elided|"
    r"remains?|stays?|goes here|"
    r"unmodified|untouched|intact|truncated)"
)
# `12 more lines`; not `more lines`.
_MANY_MORE = rf"{_START}[0-9]+ (?:more|other|further|remaining) {_WHAT}{_END}"
# One phrase a row, after the beginning of a comment. English first, then Japanese and Chinese,
# then other languages. The order does not matter: only whether any phrase occurs is asked.
_SAYS = "|".join(
    (
        # `# rest of the code remains the same`, `// other methods ...`; not `# the other file`
        rf"{_START}(?:rest|remainder|remaining|other|existing|previous|original|above|"
        rf"earlier){_END}[^\n]{{0,40}}"
        rf"{_START}{_WHAT}{_END}[^\n]{{0,40}}(?:{_SAME}|here|{_DOTS})",
        # `# ... rest`, `# ... existing code`; not `# ... or so`
        rf"{_DOTS}[ \t]*(?:the )?"
        rf"(?:rest|remaining|remainder|existing|previous|other|original|unchanged|same|keep|"
        rf"more){_END}",
        rf"{_START}(?:rest|remainder) of (?:the |your |this )?{_WHAT}{_END}",
        # `# imports unchanged`, `# body as before`; not `# functions`
        rf"{_START}{_WHAT}{_END}[^\n]{{0,20}}{_START}"
        rf"(?:unchanged|omitted|elided|as before|stays? the same|remains? the same){_END}",
        rf"{_START}(?:existing|previous|original|unchanged) code{_END}",
        # `# keep the rest`, `# leave as is`
        rf"{_START}(?:keep|leave){_END}[^\n]{{0,30}}{_START}(?:the rest|existing|as is|"
        rf"unchanged){_END}",
        # `# everything else stays`
        rf"{_START}(?:rest|remainder|remaining|everything else){_END}[^\n]{{0,12}}{_SAME}{_END}",
        rf"{_START}(?:omitted|elided|shortened|truncated) for (?:brevity|clarity|space){_END}",
        rf"{_START}(?:same as (?:before|above)|no changes? (?:here|below|needed)){_END}",
        rf"\[?snip(?:ped)?\]|<snip>|{_DOTS}[ \t]*(?:snip(?:ped)?|continues|continued|"
        rf"truncated){_END}",
        # `# ... (12 more lines)`, `# 12 more lines ...`
        rf"{_DOTS}[ \t(\[]*{_MANY_MORE}|{_MANY_MORE}[^\n]{{0,4}}{_DOTS}",
        rf"{_DOTS}[ \t]*其他[^\n]{{0,8}}代码",
        r"[(\[（](?:unchanged|omitted|truncated|elided|same)[)\]）]",
        # `# continued from above`, at the end of a line
        rf"{_START}(?:continued|cont'd)(?: (?:from|below|above)[^\n]{{0,20}})?[)\]）.… \t*/}}>-]*$",
        r"以下(?:同様|同じ|省略|略|同文)|[（(]?(?:中略|前略|後略|以下略|省略|変更なし|"
        r"変更無し)[）)]?",
        r"(?:残り|既存|元|他|その他|以降|それ以外|ほか)[^\n]{0,20}(?:そのまま|同じ|同様|省略|"
        r"変更なし|変更無し|変更しない|続く)",
        r"(?:既存|残り|元|以前)の?(?:コード|実装|内容|処理|部分|関数|メソッド)",
        r"[~〜～][ \t]*略[ \t]*[~〜～]|(?:変更|修正)(?:なし|無し|ありません)",
        r"其余[^\n]{0,12}(?:不变|相同|省略)|(?:保持|保留)(?:不变|原样)|(?:现有|原有|"
        r"剩余)的?代码|代码(?:不变|省略)",
        # In German, Spanish, French, Portuguese, Italian and Russian.
        rf"{_START}rest(?:e|o|lich|ante)?[^\n]{{0,40}}"
        r"(?:unverändert|zuvor|gleich|sin cambio|igual|inchangé|invaria|inaltera)",
        r"(?:[Cc]ode|[Cc]ódigo) exist|(?:bestehend|vorhanden)er? [Cc]ode|изменений|остальной",
        r"나머지[^\n]{0,12}(?:코드|동일|생략)|기존 코드|(?:이하|중략|생략)(?: 생략)?",
    )
)
# A comment with such a phrase among its first 60 characters.
_ELISION = compile_pattern(rf"(?i:{_LEAD}[^\n]{{0,60}}?(?:{_SAYS}))")
# `# ...`, `/* … */`, `<!-- ... -->`: a comment of dots alone.
_ONLY_DOTS = compile_pattern(
    rf"[ \t]*(?:#+|//+|/\*+|-{{2}}|;+|<!-{{2}})[ \t]*{_DOTS}(?:[ \t]*(?:\*/|-{{2}}>))?[ \t]*"
)
# `{ existing code }`, `{{ rest of the page }}`; not `{ rest }` or `{rest: 1}`.
_IN_BRACES = compile_pattern(
    r"(?i:[ \t]*\{{1,2}[ \t]*(?:existing|rest of|the rest|remaining|unchanged|previous|"
    r"other)[ \t]+[a-z]"
    r"[^{}\n]{0,60}\}{1,2}[;,]?)"
)
# Characters of a line that are read: phrases for omitted code are short, and minified files have
# lines of megabytes.
_MAX_LENGTH = 300

# Two cheap tests before `_ELISION`, which most lines fail. A line that may stand for code begins
# with one of these …
_LEADS = (
    "#",
    "/",
    "*",
    "-",
    ";",
    "%",
    "<",
    "{",
    "(",
    '"',
    "'",
    "R",
    "r",
    "...",
    "…",
    "[",
    "（",
    "【",
    "～",
    "〜",
)
# … and contains one of these words, or a character that is not ASCII.
_HINT_WORDS = (
    "rest|remain|other|exist|previous|original|above|earlier|unchanged|same|keep|more|"
    "leave|omitted|elided|shorten|truncated|as before|stays|snip|no change|cont|"
    "everything else|bestehend|vorhanden"
)
_HINTS = compile_pattern(rf"(?i:{_HINT_WORDS}|[^\x00-\x7f])")
_WORD = compile_pattern(r"[0-9A-Za-z_'-]*[A-Za-z][0-9A-Za-z_'-]*")
# Words of which a line that surely stands for code consists: phrases as above, and articles,
# prepositions and nouns around them.
FAMILIAR = frozenset(
    _WORD.findall("""
    the a of your this all any and in to for from with is are be was were has have not no on
    rest remainder remaining other existing previous original earlier above more code file
    content contents implementation function functions method methods class classes logic
    import imports lines module script config configuration body section sections test tests
    document part parts definitions handlers routes styles everything else page template
    properties fields rules entries unchanged un-changed changed changes change same as
    before omitted elided remain remains stay stays goes go here unmodified untouched intact
    truncated shortened brevity clarity space keep leave below needed snip snipped continued
    cont cont'd continues insert include included add stuff rem
    """)
)
# The end of such a line in a language without blanks between words: `残りは省略します。`
_ENDINGS = (
    r"そのまま|同じ|同様|省略|略|変更なし|変更無し|変更しない|ありません|続く|コード|実装|"
    r"不变|相同|原样|代码|동일|생략|코드|изменений|код"
)
_ENDS_SO = compile_pattern(rf"[^\n]{{0,20}}(?:{_ENDINGS})(?:です|します|する|である|。|[.…])*")
# `# same as above` often explains the line next to it, where nothing was left out.
_ORDINARY = compile_pattern(r"(?i:same as above)")
# A string, such as `"rest of the file",` in a list: not a comment. An apostrophe closes none.
_TEXT = compile_pattern(r"\"[^\n]*|'+[^'\n](?:[^'\n]|'[0-9A-Za-z_])*'(?:[^0-9A-Za-z_][^\n]*)?")
_CODE = compile_pattern(r"[=;`$:]")  # characters of code, not of phrases
_FRAME = "#/*-;%<!{}()[]（）【】\"'>～〜 \t"  # characters of comments, around a phrase
_MAX_WORDS = 8  # of a line that surely stands for code; longer sentences explain something
_MAX_WORDS_BEFORE_DOTS = 5


def may_stand_for_code(line: str) -> bool:
    """Return whether a line looks as if code was left out there.

    Args:
        line: The line, with its indentation.

    Returns:
        Whether it does. Only the first 300 characters are read.
    """
    head = cut(line, 0, _MAX_LENGTH)
    if _ONLY_DOTS.fullmatch(head) is not None:
        return True
    return _elides(head) or _IN_BRACES.fullmatch(head) is not None


def surely_stands_for_code(line: str) -> bool:
    """Return whether a line states that code was left out there, and nothing else.

    Args:
        line: The line, with its indentation.

    Returns:
        Whether it does; False for lines of 300 characters and more.
    """
    head = cut(line, 0, _MAX_LENGTH).strip()
    return size(head) < _MAX_LENGTH and _says_nothing_else(head) and _elides(head)


def stands_for_code(line: str) -> bool:
    """Return whether a line is nothing but a mark for left-out code.

    Args:
        line: The line, with its indentation.

    Returns:
        True also for a comment of dots alone, `# ...`, which `surely_stands_for_code` does not
        accept: writers use it for a pause, too.
    """
    head = cut(line, 0, _MAX_LENGTH)
    return _ONLY_DOTS.fullmatch(head) is not None or surely_stands_for_code(line)


def find_left_out(content: str) -> Iterator[tuple[int, str]]:
    """Find the lines that surely stand for code that was left out.

    Args:
        content: The content of a file.

    Yields:
        The number of each such line, from 1, and its stripped text.
    """
    for number, line in enumerate(content.split("\n"), 1):
        if line.lstrip(" \t").startswith(_LEADS) and surely_stands_for_code(line):
            yield number, line.strip()


def leaves_out(content: str) -> bool:
    """Return whether a line of a content surely stands for code that was left out.

    Args:
        content: The content of a file.
    """
    # Most contents have no such line, and one pass of RE2 shows it.
    if not _sieve().may_occur(f"\n{content}\n"):
        return False
    return any(find_left_out(content))


@cache
def _sieve() -> Sieve:
    return line_sieve(LEFT_OUT)


def _says_nothing_else(head: str) -> bool:
    """Return whether a line has only familiar words, dots and signs; faster than `_elides`."""
    bare = head.strip(_FRAME)
    has_dots = bare.startswith(("...", "…")) or bare.endswith(("...", "…"))
    if not has_dots and bare.isascii():
        first = _WORD.search(head)
        # Most comments begin with another word, and nothing more is searched for.
        if first is not None and first[0].lower() not in FAMILIAR:
            return False
    if _CODE.search(bare) is not None:
        return False
    words = _WORD.findall(head)
    if len(words) > _MAX_WORDS or _ORDINARY.search(bare) or _TEXT.fullmatch(head):
        return False
    # Dots alone are evidence enough: `# ... anything`, `# some words ...`.
    if bare.startswith(("...", "…")):
        return True
    if bare.endswith(("...", "…")) and len(words) <= _MAX_WORDS_BEFORE_DOTS:
        return True
    if not bare.isascii():
        return not words and _ENDS_SO.fullmatch(bare) is not None
    return all(word.lower() in FAMILIAR for word in words)


def _elides(head: str) -> bool:
    bare = head.lstrip(" \t")
    if not bare.startswith(_LEADS) or _HINTS.search(bare) is None:
        return False
    return _ELISION.match(head) is not None


# ---- the sign of such a line, for one pass of RE2

# Invariant: each line that `surely_stands_for_code` accepts matches `LEFT_OUT`. Some other lines
# match, too: a sign only decides whether a check runs. The pattern has the conditions of that
# function in another form, so that RE2 gives up most lines within their first words. The phrases
# themselves would have to be searched for in all of each comment.

# Parts of words here: a hyphen or an apostrophe counts as a character between two of them. No
# pattern is compiled for this, since it runs whenever the module is imported.
_WORDS = sorted({part for word in FAMILIAR for part in word.replace("'", "-").split("-")})
# `as before`, `everything else` and `no change` are hints of two words.
_HINT_PARTS = (*_HINT_WORDS.split("|"), "before", "else")
_FAMILIAR_HINTS = [
    word for word in _WORDS if word == "no" or any(part in word for part in _HINT_PARTS)
]
_PARTS = {
    "comment": _BARE_LEAD,
    "frame": f"[{escape(_FRAME)}]*",
    "dots": _DOTS,
    "endings": _ENDINGS,
    "hint": rf"(?:{_HINT_WORDS}|[^\x00-\x7f…])",
    "familiar": "|".join(_WORDS),
    "familiar_hint": "|".join(_FAMILIAR_HINTS),
    # What is between two words: neither letters nor characters of code.
    "between": r"[^A-Za-z\n=;`:]",
    "part": r"[^\n=;`:]",
    # After `'`, another quotation mark ends a string, and the line is no comment.
    "quoted_part": r"(?:[^\n=;`:']|'[0-9A-Za-z_])",
}
# The beginning of a line after its blanks, one form a row.
_FORMS = (
    # `# ... rest`
    "{frame}{dots}[^\n]*{hint}",
    # `# other methods ...`: to count its words would take RE2 more states than it has memory for
    "(?:{comment}){frame}{part}*{hint}{part}*{dots}",
    # `' other methods ...`
    "'+{frame}{quoted_part}*{hint}{quoted_part}*{dots}",
    # `# 以下省略`
    "(?:{comment}|'+){frame}{between}*(?:{endings})",
    # `# rest of the code unchanged`
    "(?:{comment}|'+){frame}{between}*(?:(?:{familiar}){between}+)*(?:{familiar_hint})"
    "(?:{between}+(?:{familiar}))*[^A-Za-z\n]*(?:\n|\\z)",
)
_ANY_FORM = "|".join(_FORMS).format_map(_PARTS)
# The beginning of a line, in the syntax of RE2.
LEFT_OUT = rf"(?i:[ \t]*(?:{_ANY_FORM}))"
