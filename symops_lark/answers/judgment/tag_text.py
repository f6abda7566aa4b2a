"""Bring a reply into a plain form in which a tag is written in one way.

Purpose
    Models decorate tags: `[[REVIEW:2]]`, `【REVIEW：2】`, `ESC[1m[REVIEW:2]ESC[0m`, `~~[REVIEW:1]~~
    [REVIEW:2]`. `plain_text` removes the decoration and text that is struck out.

Invariants
    1. Only structure counts here: brackets, control sequences, markup. No words.
    2. Brackets are removed in pairs only. `[[REVIEW:2]` keeps its brackets and is not a tag.
    3. The time is linear: every pattern has a limited width.

Not here
    Thinking and other speakers (`core.discourse`), lines and sentences (`tag_lines`).
"""

from __future__ import annotations

import re

# Terminal colors and titles, also where a log shows them as text. It matches `ESC[1;31m`,
# `ESC]0;title BEL`, `\x1b[0m` and `[0m`; it does not match `a[0m` and `[REVIEW:2]`.
_ESCAPES = re.compile(
    r"(?:\x1b|\\x1b|\\033|\\u001b|\\e)\[[0-9;?]{0,30}[A-Za-z]"
    r"|\x9b[0-9;?]{0,30}[A-Za-z]"
    r"|\x1b\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)"
    r"|\x1b[()][A-Z0-9]|\x1b[=>78cDEHMNOZ]"
    r"|␛\[[0-9;?]{0,30}m"
    r"|(?<![A-Za-z0-9\]])\[(?:[0-9]{1,3}(?:;[0-9]{1,3}){0,5})m"
)
# Control characters besides tab and line feed, marks of direction, blanks of no width.
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
# RE2 reads UTF-8, which has no lone surrogates.
_SURROGATES = re.compile("[\ud800-\udfff]")
_COMMENT = re.compile(r"(?s:<!--.*?(?:-->|\Z))")
# Struck out: `~~…~~` (three tildes are a fence), `<del>…</del>`.
_STRUCK = re.compile(r"(?<!~)~~(?![~\s])([^~\n]|~(?!~)|\n(?!\n)){1,300}?(?<!~)~~(?!~)")
_STRUCK_HTML = re.compile(r"(?is:<(del|s|strike)>.{0,300}?</\1>)")

# A tag in brackets of any width. Group 1 and 4 are the brackets, 2 the name, 3 the number.
_TAG = re.compile(
    r"((?:\\?[\[【［〔]){1,3})[ \t]{0,3}([^\[\]【】［］〔〕:：\n]{1,200})[ \t]{0,3}[:：]"
    r"[ \t]{0,9}([0-9]{1,40})[ \t]{0,9}((?:\\?[\]】］〕]){1,3})"
)
_CLOSERS = {"[": "]", "【": "】", "［": "］", "〔": "〕"}
# Markup around a tag: `\boxed{…}` of mathematics, a link's target, elements of HTML for type.
_BOXED = re.compile(
    r"(?:(?<!\$)\$+)?\\boxed\{(?:\\text(?:bf|tt)?\{)?(\[[^\[\]\n]{1,250}\])\}{1,2}\$*"
)
_LINK = re.compile(r"(\[[^\[\]:\n]{1,200}:[0-9]{1,40}\])\((?:[#/.]|https?:)[^()\s]{0,200}\)")
_TYPE = re.compile(
    r"(?i:</?(?:b|i|u|em|strong|mark|code|kbd|tt|span|font|p|div|center|big|h[1-6])"
    r"(?:[ ][^<>\n]{0,200})?>)"
)


_LINE_BREAK = re.compile(r"(?i:<br[ ]?/?>)")


def plain_text(text: str) -> str:
    """Return a reply in plain form.

    Args:
        text: The reply.

    Returns:
        The reply without comments, control sequences, struck-out text and markup of type. All
        tags are written `[NAME:N]`.
    """
    text = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROLS.sub("", text)
    text = _SURROGATES.sub("\ufffd", text)
    text = _COMMENT.sub("", text)
    if "~~" in text:
        text = _STRUCK.sub("", text)
    if "<" in text or "[" in text:
        text = _STRUCK_HTML.sub("", text)
        text = _TYPE.sub("", _LINE_BREAK.sub(" ", text))
    text = _TAG.sub(_write_plainly, text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "\\boxed" in text:
        text = _BOXED.sub(r"\1", text)
    return text


def _write_plainly(match: re.Match[str]) -> str:
    """Return a tag as `[NAME:N]` if its brackets are balanced, else as it is."""
    opening = match[1].replace("\\", "")
    closing = match[4].replace("\\", "")
    expected = "".join(_CLOSERS[bracket] for bracket in reversed(opening))
    if closing != expected:
        return match[0]
    return f"[{match[2]}:{match[3]}]"
