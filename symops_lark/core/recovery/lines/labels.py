"""Patterns of the labels that models write before a line of markup: numbers, boxes, times, words.

They are texts, not compiled patterns: the repair rules use them as `{label}` and `{sign}`. A form
is listed here only if the line means the same with and without it. `[SKIPPED]` and `Example 2:` are
not listed, because they may take the line back: the rule `unknown-label` reads these at a price.
"""

from __future__ import annotations

# SIGN is a picture or an arrow. It has blocks of Unicode, because exports do not translate the
# categories in placeholders. Matches "✅", "->", "➡️"; does not match "a".
_PICTURES = (
    r"\x{2190}-\x{21ff}\x{2300}-\x{23ff}\x{25a0}-\x{27bf}\x{2b00}-\x{2bff}\x{1f000}-\x{1faff}"
)
SIGN = rf"(?:[{_PICTURES}\x{{fe0e}}\x{{fe0f}}\x{{200d}}]|[-=]{{1,2}}>)"

# LABEL is one label with the blanks after it. Matches "- ", "1.", "2/3", "[x]", "a) ", "12:03:44",
# "Step 2:", "[DONE]", "①". Does not match "Example:", "and", "[WIP]". A form has one sign and one
# blank, never a run of them: exports match by backtracking, and would split a run in many ways.
_COUNT = r"#?[0-9]{1,3}(?:[ \t]*(?:/|of)[ \t]*[0-9]{1,3})?"
_NAMED = (
    r"(?i:step|action|file|task|phase|part|item|stage|todo|to[ -]do|done|next|then|now|new|ok|first"
    r"|second|third|finally|started|finished|completed?|pending|in[ -]progress"
    r"|schritt|[ée]tape|paso|passo|stap|шаг)"
    rf"(?:[ \t]*(?:{_COUNT}|(?i:one|two|three|four|five|six)))?"
)
_TIME = (
    r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2}[T \t]+)?[0-9]{1,2}:[0-9]{2}"
    r"(?::[0-9]{2}(?:[.,][0-9]{1,6})?)?(?:Z|[ \t]?[APap][Mm])?"
)
_FORMS = (
    r"[-*+•‣–—][ \t]",
    SIGN,
    r"[0-9]\x{fe0f}?\x{20e3}|[\x{2460}-\x{24ff}]",
    r"\[[ \txX✓✔√]?\]",
    rf"[\[(（【]?(?:№|[Nn]o\.[ \t]*)?(?:{_COUNT}|[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{1,3}})[\])）】]?"
    r"[.):：、]{0,2}",
    r"\(?(?:[A-Za-z]|[ivx]{2,4}|[IVX]{2,4})[.)]\*{0,2}[ \t]",  # not "e.g."
    rf"[\[(]?{_TIME}[\])]?:?",
    rf"{_NAMED}[ \t]*[:：.)–—-]+",
    rf"[\[(（【]{_NAMED}[\])）】]:?",
    r"(?:第|步骤|手順|ステップ)[ \t]*[0-9一二三四五六七八九]{1,3}[步番目]*(?:[ \t]*[:：、)-]+)?",
)
LABEL = rf"(?:\*{{0,2}}(?:{'|'.join(_FORMS)})\*{{0,2}}[ \t]*)"
