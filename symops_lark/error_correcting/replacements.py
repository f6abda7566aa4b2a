"""Replace a part of a text by a token: misspelled words, unfinished and misquoted values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .edits import (
    BRACKETS,
    INVENTED,
    NEAR,
    NOT_AT_LINE_END,
    QUOTE_BOTH,
    REPLACE,
    UNFINISHED,
    Edit,
    Leaf,
    Move,
    Unit,
    is_word,
)
from .samples import is_near, is_token
from .tables import Tables

# Quotes that people and word processors write for others, by the quote that opens.
_LOOK_ALIKES = {'"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "„": "“", "‘": "’", "’": "’"}
_LOOK_ALIKES |= {"«": "»", "´": "´"}
_MOST_ENDS = 12  # places where an unfinished token may end
_SEPARATORS = ",;:="
_FIRST_OF_RUN = "/.$@#%~_"  # of paths, variables and handles
_ESCAPES = ("\\{}", "{0}{0}")


def find_replacements(
    tables: Tables, text: str, start: int, units: Sequence[Unit], name: str
) -> Iterator[Move]:
    """Yield the ways to write a terminal in place of the text at a place.

    Args:
        tables: The grammar.
        text: The text.
        start: The offset of the first character that is not ignored.
        units: The parts of the text that can be replaced.
        name: The terminal.
    """
    if start >= len(text) or name in tables.marks:
        return
    # Only terminals with quotes can be unfinished or misquoted.
    quoted = tables.quotes.get(name, "")
    if quoted:
        line_end = text.find("\n", start)
        if line_end < 0:
            line_end = len(text)
        line = text[start:line_end]
        regex = tables.regexes[name]
        for quote in quoted:
            yield from _close(regex, name, quote, start, line)
            yield from _open(regex, name, quote, start, line)
            yield from _quote_run(tables, regex, name, quote, start, line)
        yield from _exchange_quotes(regex, name, quoted, start, line)
    for unit in units:
        if unit.name == name or unit.name in tables.marks:
            continue
        old = text[unit.start : unit.stop]
        choice = _choose(tables, name, old, is_value=unit.name not in tables.literals)
        if choice:
            price, value = choice
            yield _replace(name, unit.start, unit.stop, value, price)


def _replace(name: str, start: int, stop: int, value: str, price: int) -> Move:
    edit = Edit("replace", start, stop, name, value, price)
    leaf = Leaf(name, start, stop, value, (edit,))
    return Move(price, stop, leaf)


def _choose(tables: Tables, name: str, old: str, *, is_value: bool) -> tuple[int, str] | None:
    """Return the best text of a terminal for an old text, and its price."""
    literal = tables.literals.get(name)
    if literal is not None:
        if is_value and not is_word(literal[0]):
            return None  # a value is not written for a sign: it is deleted, or the sign inserted
        return (NEAR if is_near(old, literal) else REPLACE), literal
    regex = tables.regexes[name]
    # A terminal with few texts is like a group of literals.
    choices = sorted(tables.choices[name])
    near = [choice for choice in choices if is_near(old, choice)]
    if near:
        return NEAR, near[0]
    # A reserved word, a bracket or a separator is never meant as a value.
    if tables.quotes[name] and is_value and any(map(is_word, old)):
        for quote in tables.quotes[name]:
            value = _enclose(regex, quote, old)
            if value and quote not in old:
                return QUOTE_BOTH, value
    # A number with a wrong letter is still this number.
    part = regex.search(old)
    if part and part[0] and is_value and is_token(regex, part[0]):
        return REPLACE, part[0]  # what the writer wrote, but for the wrong characters
    sample = tables.samples.get(name)
    if sample is None:
        return None
    return (REPLACE + INVENTED, sample)


def _enclose(regex: re.Pattern[str], quote: str, inner: str) -> str:
    """Return a text between quotes, inner quotes escaped; empty if it is not in the terminal."""
    texts = [inner, *(inner.replace(quote, escape.format(quote)) for escape in _ESCAPES)]
    for text in texts:
        if is_token(regex, quote + text + quote):
            return quote + text + quote
    return ""


def _close(regex: re.Pattern[str], name: str, quote: str, start: int, line: str) -> Iterator[Move]:
    """A token without its closing quote: the line's end first, then before other signs."""
    if not line.startswith(quote):
        return
    signs = [end for end in range(1, len(line)) if not is_word(line[end])]
    ends = [len(line.rstrip()), *signs]
    count = 0
    for end in dict.fromkeys(ends):
        value = line[:end] + quote
        if line[end - 1] == quote:
            continue
        if not is_token(regex, value):
            continue
        is_last = end == ends[0]
        after_blank = end < len(line) and line[end].isspace() and not is_last
        price = UNFINISHED
        if not is_last:
            price += NOT_AT_LINE_END
        if after_blank:
            price += NOT_AT_LINE_END
        # A separator at the end of a line belongs to the line, not to the value.
        if is_last and line[end - 1] in _SEPARATORS + BRACKETS:
            price += 3 * NOT_AT_LINE_END
        stop = start + end
        edit = Edit("insert", stop, stop, name, quote, price)
        leaf = Leaf(name, start, stop, value, (edit,))
        yield Move(price, stop, leaf)
        count += 1
        if count == _MOST_ENDS:
            return


def _open(regex: re.Pattern[str], name: str, quote: str, start: int, line: str) -> Iterator[Move]:
    """A token without its opening quote."""
    match = regex.match(quote + line)
    if not match:
        return
    if line.startswith(quote):
        return
    # The quote alone would be a new token, which costs more.
    if match.end() <= 1:
        return
    stop = start + match.end() - 1
    edit = Edit("insert", start, start, name, quote, UNFINISHED)
    leaf = Leaf(name, start, stop, match[0], (edit,))
    yield Move(UNFINISHED, stop, leaf)


def _quote_run(
    tables: Tables, regex: re.Pattern[str], name: str, quote: str, start: int, line: str
) -> Iterator[Move]:
    """Several words that are one value, up to the next separator or the line's end."""
    # Several numbers are several values, of which a separator is missing.
    if not line:
        return
    if not (line[0].isalpha() or line[0] in _FIRST_OF_RUN):
        return
    first = re.match(r"\w+", line)
    if first and first[0] in tables.reserved:
        return
    ends = [place for place, sign in enumerate(line) if sign in tables.reserved]
    run = line
    if ends:
        run = line[: ends[0]]
    run = run.rstrip()
    whole_line = line.rstrip(_SEPARATORS + " \t")
    for text in dict.fromkeys((run, whole_line)):
        has_bracket = any(sign in BRACKETS + quote for sign in text)
        if has_bracket:
            continue
        if not text:
            continue
        if first and first[0] == text:
            continue
        value = _enclose(regex, quote, text)
        if value:
            price = QUOTE_BOTH
            if text != run:
                price = QUOTE_BOTH + NOT_AT_LINE_END
            stop = start + len(text)
            yield _replace(name, start, stop, value, price)


def _exchange_quotes(
    regex: re.Pattern[str], name: str, quotes: str, start: int, line: str
) -> Iterator[Move]:
    """A value between other quotes than those of the terminal, or between mixed ones."""
    closing = _LOOK_ALIKES.get(line[:1])
    if closing is None:
        return
    partners = {*_LOOK_ALIKES, *_LOOK_ALIKES.values()}
    count = 0
    for end in range(1, len(line)):
        if line[end] not in partners:
            continue
        if line[end] != closing:
            count += 1
            # Each is a reading of the remainder, so only the right partner may be farther away.
            if count > _MOST_ENDS:
                continue
        if line[0] in quotes and line[end] == line[0]:
            return  # this is a token of the terminal, not a misquoted one
        for quote in quotes:
            value = _enclose(regex, quote, line[1:end])
            if value:
                stop = start + end + 1
                yield _replace(name, start, stop, value, NEAR)
                break
        if line[end] == closing:
            return
