"""Marks, and what follows from them: which can stand together, and the terminals that exclude them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

FENCES = range(4, 9)  # the lengths of a longer fence
Trie = dict[str, Any]
_LEADING = (
    "thought",
    "action",
    "vital",
    "confidence",
    "mood",
    "focus",
    "stamina",
    "question",
    "error",
)
_INNER = ("target", "depends", "comma")


def find_mark_faults(marks: Mapping[str, str]) -> list[str]:
    """Return what is wrong with marks: sentences; none where all sections can be told apart."""
    faults = [
        f"_{name.upper()} is {mark!r}: a mark has no blanks, line breaks, quotes or backslashes, and is not empty"
        for name, mark in marks.items()
        if not mark or re.search(r"[\s\"\\]", mark)
    ]
    leading = [(name, marks[name]) for name in _LEADING if name in marks]
    faults += _find_leading_faults(marks, leading)
    faults += _find_inner_faults(marks, [mark for _, mark in leading])
    if re.search(r"[0-9]", marks.get("vital", "")):
        faults.append(f"_VITAL {marks['vital']!r} has a digit: a value could not be told from it")
    return faults


def _find_leading_faults(
    marks: Mapping[str, str], leading: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """Yield what is wrong with marks that begin a line."""
    for place, (name, mark) in enumerate(leading):
        for other, other_mark in leading[place + 1 :]:
            if {name, other} != {"action", "vital"} and (
                mark.startswith(other_mark) or other_mark.startswith(mark)
            ):
                yield (
                    f"_{name.upper()} {mark!r} and _{other.upper()} {other_mark!r} begin alike: no line "
                    "tells the two sections apart"
                )
        for delimiter in (key for key in marks if key.startswith(("open", "close", "end_close"))):
            if marks[delimiter] == mark:
                yield f"_{name.upper()} and _{delimiter.upper()} are both {mark!r}"
            elif name == "action" and marks[delimiter].startswith(mark):
                yield f"_{delimiter.upper()} {marks[delimiter]!r} begins with _ACTION {mark!r}"


def _find_inner_faults(marks: Mapping[str, str], leading: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with marks inside an action."""
    inner = [(name, marks[name]) for name in _INNER if name in marks and marks[name] not in leading]
    tagged = (
        {"target", "depends"} if "confidence" in marks else set()
    )  # plain: they have lines of their own
    for name, mark in inner:
        if name not in tagged and re.match(r"[\w./\\~'`*-]", mark):
            yield f"_{name.upper()} {mark!r} begins with a character that paths have"
    for place, (name, mark) in enumerate(inner):
        for other, other_mark in inner[place + 1 :]:
            apart = (
                tagged >= {name, other}
                and not mark.startswith(other_mark)
                and not other_mark.startswith(mark)
            )
            if mark[:1] == other_mark[:1] and not apart:
                yield f"_{name.upper()} {mark!r} and _{other.upper()} {other_mark!r} begin alike"


_BLANKS = r" \t\r\n"
_INVISIBLE = r"\u00ad\u200b-\u200f\u2060\ufeff"
_TYPOGRAPHIC = r"\u00a0\u00ad\u200b-\u200f\u2060\u3000\ufeff‘’“”«»‹›→⇒➜＞＠"
_QUOTES = "\"'`*「」『』【】"


def following(marks: Mapping[str, str]) -> dict[str, str]:
    """Return the terminals that follow from marks, as a grammar spells them."""
    if not {"target", "depends", "open", "close"} <= marks.keys():
        return {}
    # Where each part of an action has a line of its own, its mark may stand in a path; errors have another mark then.
    target = marks.get("at", marks["target"])[:1]
    depends = "<>" if "at" in marks else "<>" + marks["depends"][:1]
    comma = marks.get("comma", "")[:1]
    at = _class(target)
    inside = _class(depends)
    # A delimiter at the end of an action line is a mistake, not a part of the path.
    behind = re.sub(r"[\w./\\~)\]}-]", "", marks["open"][-1:] + marks["close"][-1:])
    first, last = _class(depends + _QUOTES + ":;,="), _class(depends + _QUOTES + ":;,=" + behind)
    item, item_inside = _class(depends + comma + _QUOTES + ":;,="), _class(depends + comma)
    lone = {marks[name] for name in ("open", "close", "end_close") if name in marks}
    # The full-width forms of the marks are misspelt marks, not parts of a path.
    wide = [chr(ord(c) + 0xFEE0) for c in target + depends[2:] if 33 <= ord(c) < 127]
    odd = _TYPOGRAPHIC + "".join(c for c in wide if c not in _TYPOGRAPHIC)
    found = {
        "_CONTENT_LINE": lines_except(lone),
        "WORD": f"/[^{_BLANKS}{at}]+/",
        "MESSAGE": rf"/[^{_BLANKS}{at}]([^\r\n]*[^{_BLANKS}])?/",
        "COMMAND": rf"/[^{_BLANKS}`*{at}{_INVISIBLE}]([^\r\n{_INVISIBLE}]*[^{_BLANKS}{_INVISIBLE}])?/",
        "PATH": rf"/[^{_BLANKS}{at}{first}{odd}]([^\r\n{inside}{odd}]*"
        rf"[^{_BLANKS}{last}{odd}-])?/",
        "DEPENDENCY": rf"/[^{_BLANKS}{at}{item}{odd}]([^\r\n{item_inside}{odd}]*"
        rf"[^{_BLANKS}{last}{odd}-])?/",
        "LINE": lines_not_beginning(
            {mark for name, mark in marks.items() if name not in ("comma", "dot", "at")}
        ),
    }
    for length in FENCES:
        opener, closer = (lengthen(marks[name], length) for name in ("open", "close"))
        found[f"_OPEN_{length}"] = _quote(opener)
        found[f"_CLOSE_{length}"] = _quote(closer)
        found[f"_CONTENT_LINE_{length}"] = lines_except({opener, closer})
    return found


def lengthen(mark: str, length: int) -> str:
    """Make a delimiter of a longer fence: the last character once more for each step above three."""
    return mark + mark[-1] * (length - 3)


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _class(characters: str) -> str:
    """Spell characters for the inside of a class in a grammar's regular expression, each once."""
    return "".join(("\\" + c if c in "\\]^-/[" else c) for c in dict.fromkeys(characters))


def _literal(character: str) -> str:
    return "\\" + character if character in r"\^$.|?*+()[]{}/" else character


def _trie(words: Iterable[str]) -> Trie:
    """Return words as nested mappings from a character to what may follow; "" where a word ends."""
    root: Trie = {}
    for word in sorted(words):
        node = root
        for character in word:
            node = node.setdefault(character, {})
        node[""] = {}
    return root


def lines_except(words: Iterable[str]) -> str:
    """Spell any line, with its newline, but the lines that are one of the words and blanks behind it."""

    def spell(node: Trie) -> list[str]:
        others = _class("".join(sorted(node)))
        if "" in node and not others:
            return [r"[ \t\r]*[^ \t\r\n][^\n]*\n"]
        rest = [r"\n", rf"[^\n{others}][^\n]*\n"]
        if "" in node:
            rest = [r"[ \t\r]+[^ \t\r\n][^\n]*\n", rf"[^ \t\r\n{others}][^\n]*\n"]
        return rest + [_literal(c) + _group(spell(child)) for c, child in sorted(node.items()) if c]

    return "/" + "|".join(spell(_trie(words))) + "/"


def lines_not_beginning(words: Iterable[str]) -> str:
    """Spell any line, with its newline, that begins neither with a blank nor with one of the words."""

    def spell(node: Trie, first: bool) -> list[str]:
        excluded = _BLANKS if first else r"\n"
        found = [
            rf"[^{excluded}{_class(''.join(sorted(node)))}][^\n]*\n",
            *([] if first else [r"\n"]),
        ]
        inner = [(c, child) for c, child in sorted(node.items()) if "" not in child and c]
        return found + [_literal(c) + _group(spell(child, False)) for c, child in inner]

    return "/" + "|".join(spell(_trie(words), True)) + "/"


def _group(alternatives: list[str]) -> str:
    return "(" + "|".join(alternatives) + ")"
