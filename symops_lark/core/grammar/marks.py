"""Check the marks of a dialect, and derive the terminals that depend on them.

New marks need nothing but themselves: a content line is any line except a lone delimiter, and a
path has no dependency mark. `following` writes these terminals for any marks.

Grammars must do without look-ahead, because some exporters and regular expression engines do not
have it. So "any line except" is written as its complement (`lines_except`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

FENCES = range(4, 9)  # the lengths of longer fences, in characters; models write no longer ones
# By character, the trie of the words that continue with it; "" where a word ends.
Trie = dict[str, Any]
# Marks that begin a line, and marks inside the lines of an action.
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
_LONE = ("open", "close", "end_close")  # that are a line with nothing but blanks after them
_NEVER_FIRST = ("comma", "dot", "at")  # that never begin a line
KNOWN = frozenset((*_LEADING, *_INNER, *_LONE, *_NEVER_FIRST))  # marks of no custom section


def find_mark_faults(marks: Mapping[str, str]) -> list[str]:
    """Return what is wrong with marks, as sentences.

    Args:
        marks: The marks by lower-case name without underscore.

    Returns:
        The faults; empty if no two sections of the dialect look alike.
    """
    faults = []
    for name, mark in marks.items():
        if mark and not re.search(r"[\s\"\\]", mark):
            continue
        faults.append(
            f"_{name.upper()} is {mark!r}: a mark has no blanks, line breaks, quotes or "
            "backslashes, and is not empty"
        )
    leading = [(name, marks[name]) for name in _LEADING if name in marks]
    leading_marks = [mark for _, mark in leading]
    faults += _find_leading_faults(marks, leading)
    faults += _find_inner_faults(marks, leading_marks)
    vital = marks.get("vital", "")
    if re.search(r"[0-9]", vital):
        faults.append(f"_VITAL {vital!r} has a digit, so its end and a value would look alike")
    return faults


def _find_leading_faults(
    marks: Mapping[str, str], leading: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """Yield what is wrong with marks that begin a line."""
    delimiters = [key for key in marks if key.startswith(("open", "close", "end_close"))]
    for index, (name, mark) in enumerate(leading):
        for second_name, second in leading[index + 1 :]:
            # Vitals have a letter and a number after the mark, actions a verb: they may share it.
            if {name, second_name} == {"action", "vital"}:
                continue
            if _begin_alike(mark, second):
                pair = _show_pair(name, mark, second_name, second)
                yield f"{pair} begin alike: their sections would look alike"
        terminal = name.upper()
        for key in delimiters:
            delimiter = marks[key]
            closer = key.upper()
            if delimiter == mark:
                yield f"_{terminal} and _{closer} are both {mark!r}"
            elif name == "action" and delimiter.startswith(mark):
                yield f"_{closer} {delimiter!r} begins with _{terminal} {mark!r}"


def _find_inner_faults(marks: Mapping[str, str], leading: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with marks inside an action."""
    # In plain, which has a mark for each vital, these marks begin separate lines.
    tagged = {"target", "depends"} if "confidence" in marks else set()
    inner = []
    for name in _INNER:
        mark = marks.get(name)
        if mark is None or mark in leading:
            continue
        inner.append((name, mark))
        if name in tagged:
            continue
        if re.match(r"[\w./\\~'`*-]", mark):
            terminal = name.upper()
            yield f"_{terminal} {mark!r} begins with a character that paths have"
    for (name, mark), (second_name, second) in combinations(inner, 2):
        if mark[:1] != second[:1]:
            continue
        # Inside a line the first character must decide, between lines all of the mark.
        has_lines = tagged >= {name, second_name}
        if has_lines and not _begin_alike(mark, second):
            continue
        pair = _show_pair(name, mark, second_name, second)
        yield f"{pair} begin alike"


def _show_pair(name: str, mark: str, second_name: str, second: str) -> str:
    terminal = name.upper()
    second_terminal = second_name.upper()
    return f"_{terminal} {mark!r} and _{second_terminal} {second!r}"


def _begin_alike(mark: str, second: str) -> bool:
    if mark.startswith(second):
        return True
    return second.startswith(mark)


# ---- terminals that depend on the marks

_BLANKS = r" \t\r\n"
# Soft hyphen, zero-width characters, word joiner, byte order mark: no one sees them in a path.
_INVISIBLE = r"\u00ad\u200b-\u200f\u2060\ufeff"
# The same with wide blanks, typographic quotes and arrows: slips of models, which repairs fix.
_TYPOGRAPHIC = r"\u00a0\u00ad\u200b-\u200f\u2060\u3000\ufeff‘’“”«»‹›→⇒➜＞＠"
_QUOTES = "\"'`*「」『』【】"
_FULL_WIDTH = 0xFEE0  # from an ASCII character to its full-width form
_OF_BLOCKS = {"open", "close"}
_OF_ACTIONS = {"target", "depends", "open", "close"}


def following(marks: Mapping[str, str]) -> dict[str, str]:
    """Return the terminals that depend on marks, each as the text after its colon.

    Args:
        marks: The marks by lower-case name without underscore.

    Returns:
        The terminals by name: without the marks of actions only the lines, and without delimiters
        none.
    """
    if not marks.keys() >= _OF_BLOCKS:
        return {}
    lone = set()
    leading = set()
    for name, mark in marks.items():
        if name in _LONE:
            lone.add(mark)
        if name not in _NEVER_FIRST:
            leading.add(mark)
    terminals = _write_phrases(marks) if marks.keys() >= _OF_ACTIONS else {}
    terminals["_CONTENT_LINE"] = lines_except(lone)
    terminals["LINE"] = lines_not_beginning(leading)
    for length in FENCES:
        opener = lengthen(marks["open"], length)
        closer = lengthen(marks["close"], length)
        content_line = lines_except({opener, closer})
        terminals[f"_OPEN_{length}"] = _quote(opener)
        terminals[f"_CLOSE_{length}"] = _quote(closer)
        terminals[f"_CONTENT_LINE_{length}"] = content_line
    return terminals


def _write_phrases(marks: Mapping[str, str]) -> dict[str, str]:
    """Return the terminals of texts within a line: paths, commands, words."""
    # If each part of an action has a separate line, paths may contain its mark. Then only the mark
    # `_AT`, before the path of an error, ends words.
    target = marks["target"]
    depends = "<>" + marks["depends"][:1]
    if "at" in marks:
        target = marks["at"]
        depends = "<>"
    target = target[:1]
    comma = marks.get("comma", "")
    # A delimiter at the end of an action line is a mistake, not a part of the path.
    opener = marks["open"]
    closer = marks["close"]
    delimiters = opener[-1:] + closer[-1:]
    ends = re.sub(r"[\w./\\~)\]}-]", "", delimiters)
    odd = _TYPOGRAPHIC + _widen(target + depends[2:])
    around = _QUOTES + ":;,="
    at = _class(target)
    first = _class(depends + around)
    inside = _class(depends)
    last = _class(depends + around + ends) + odd + "-"
    depends_item = depends + comma[:1]
    item_first = _class(depends_item + around)
    item_inside = _class(depends_item)
    # A list may end with its comma, which is no part of the last path.
    item_last = _class(depends + around + ends + comma[:1]) + odd + "-"
    phrases = {}
    phrases["WORD"] = f"/[^{_BLANKS}{at}]+/"
    phrases["MESSAGE"] = _phrase(at, "", "")
    command_first = "`*" + at + _INVISIBLE
    phrases["COMMAND"] = _phrase(command_first, _INVISIBLE, _INVISIBLE)
    path_first = at + first + odd
    phrases["PATH"] = _phrase(path_first, inside + odd, last)
    dependency_first = at + item_first + odd
    phrases["DEPENDENCY"] = _phrase(dependency_first, item_inside + odd, item_last)
    return phrases


def _widen(marks: str) -> str:
    """Return the full-width forms of marks: they are misspelled marks, not parts of a path."""
    wide = ""
    for character in marks:
        if not 33 <= ord(character) < 127:  # only printable ASCII has full-width forms
            continue
        form = chr(ord(character) + _FULL_WIDTH)
        if form not in _TYPOGRAPHIC:
            wide += form
    return wide


def lengthen(mark: str, length: int) -> str:
    """Return the delimiter of a longer fence: `<<<` with length 5 is `<<<<<`.

    Args:
        mark: The delimiter of the shortest fence, which counts as length 3.
        length: The length of the fence; each step above 3 repeats the last character once.
    """
    added = length - 3
    return mark + mark[-1:] * added  # an empty mark is a fault that others report


def _phrase(first: str, inside: str, last: str) -> str:
    """Return a pattern of text within a line that neither begins nor ends with a blank.

    The arguments are the further characters that it must not have in these positions, written for
    the inside of a class.
    """
    begin = f"[^{_BLANKS}{first}]"
    middle = rf"[^\r\n{inside}]*"
    end = f"[^{_BLANKS}{last}]"
    return f"/{begin}({middle}{end})?/"  # one character is a phrase, too


def _quote(text: str) -> str:
    """Return a text as a string of a grammar."""
    escaped = text.replace("\\", "\\\\")
    escaped = escaped.replace('"', '\\"')
    return f'"{escaped}"'


def _class(characters: str) -> str:
    """Return characters for the inside of a class in a grammar's pattern, each once."""
    escaped = ["\\" + c if c in "\\]^-/[" else c for c in dict.fromkeys(characters)]
    return "".join(escaped)


def _literal(character: str) -> str:
    """Return a character as a pattern."""
    if character in r"\^$.|?*+()[]{}/":
        return "\\" + character
    return character


def _trie(words: Iterable[str]) -> Trie:
    """Return the trie of some words."""
    root: Trie = {}
    for word in sorted(words):
        node = root
        for character in word:
            node = node.setdefault(character, {})
        node[""] = {}
    return root


def lines_except(words: Iterable[str]) -> str:
    r"""Return a pattern of any line, with its line feed, except a lone word.

    A line is a lone word if it is one of the words, with or without blanks after it. The pattern
    follows the trie of the words. At each character, the line ends, or it continues differently, or
    it follows a word. For the word `<<`:

        \n                       the empty line
        [^\n<][^\n]*\n           another first character
        <(\n|[^\n<][^\n]*\n      `<` alone, or another second character
        |<([ \t\r]*              `<<`, but then
        [^ \t\r\n][^\n]*\n))     a character that is not blank
    """
    root = _trie(words)
    alternatives = _lines_off(root)
    pattern = "|".join(alternatives)
    return f"/{pattern}/"


def _lines_off(node: Trie) -> list[str]:
    """Return the alternatives of the remainder of a line that is not a lone word, at a node."""
    characters = "".join(sorted(node))
    continuing = _class(characters)
    if "" not in node:
        alternatives = [r"\n", rf"[^\n{continuing}][^\n]*\n"]
    elif continuing:  # a word ends here, and a longer one continues
        alternatives = [r"[ \t\r]+[^ \t\r\n][^\n]*\n", rf"[^ \t\r\n{continuing}][^\n]*\n"]
    else:
        alternatives = [r"[ \t\r]*[^ \t\r\n][^\n]*\n"]
    for character, child in sorted(node.items()):
        if not character:
            continue
        remainders = _lines_off(child)
        alternative = _literal(character) + _group(remainders)
        alternatives.append(alternative)
    return alternatives


def lines_not_beginning(words: Iterable[str]) -> str:
    """Return a pattern of any line, with its line feed, that begins with no blank and no word."""
    root = _trie(words)
    alternatives = _lines_beside(root, is_first=True)
    pattern = "|".join(alternatives)
    return f"/{pattern}/"


def _lines_beside(node: Trie, is_first: bool) -> list[str]:
    """Return the alternatives of the remainder of a line that begins with no word, at a node."""
    excluded = _BLANKS if is_first else r"\n"
    characters = "".join(sorted(node))
    continuing = _class(characters)
    alternatives = [rf"[^{excluded}{continuing}][^\n]*\n"]
    if not is_first:
        alternatives.append(r"\n")
    for character, child in sorted(node.items()):
        if not character or "" in child:  # where a word ends, no line continues
            continue
        remainders = _lines_beside(child, is_first=False)
        alternative = _literal(character) + _group(remainders)
        alternatives.append(alternative)
    return alternatives


def _group(alternatives: list[str]) -> str:
    return "(" + "|".join(alternatives) + ")"
