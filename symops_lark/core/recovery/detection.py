"""Detect the dialect of a text: the one with the cheapest reading.

A valid text is in the plainest dialect whose strict grammar accepts it. A broken text is read in
each candidate, and three numbers decide, all in prices of the recovery grammar:

    + the price of the reading (`Outline.price`)
    + the cost of rewriting its misspelled lines of markup (`_price_spelling`)
    - the evidence: lines that are exactly markup of this dialect (`_evidence`)

The smallest sum wins. A reply in v2 whose closer lost a character:

    line             v2      v1          plain
    ::create @a.py   head    head        drop
    <<<              open    open        drop
    x = 1            body    body        drop
    >>               close   body        drop
    price             800     7,800      4,200
    + spelling      1,000     3,000
    - evidence      4,000         0
    sum            -2,200    10,800      no section is read, so no candidate

Most of the time goes into reading, so `nearest` leaves out dialects that cannot be near the best
one. `tests/core/recovery/test_detection.py` and `test_further_forms.py` compare these bounds with
reading the text in all dialects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from ..document import Document
from ..grammar.dialect import Dialect
from ..grammar.loading import dialects, load_dialect
from ..ground.numbers import whole
from ..patterns.regexes import Pattern, compile_pattern, escape
from ..strict.parser import parse_valid
from ..text.source import LineEndings, size
from .detected import MARGIN, Detection
from .fuller import Heads, find_heads, is_fuller
from .lines.further_forms import may_have_further_forms
from .lines.kinds import Kind
from .lines.lexer import LineLexer
from .lines.spelling import LineRepairer, NoRepairer
from .outline.outline import Outline
from .reading import read_outline
from .section_signs import has_heads, has_signs_outside

# Roles of lines that carry meaning. A line of a log may look like an error section, so an error
# section alone does not make a text a reply.
_MEANINGFUL = frozenset(("head", "thought", "reason", "vitals", "ask"))
_REWRITTEN = _MEANINGFUL | {"error", "open", "close"}
_MARKUP = _REWRITTEN | {"attribute"}

# An exact line counts as much as two cheap mistakes. Without evidence a dialect that skips the
# whole reply as one run of plain text would win against the one that the reply is damaged in.
_EVIDENCE_OF_LINE = 2000
_EVIDENCE_OF_STUB = 1500  # an action line that breaks off: less, because its rest is missing

_PRICE_OF_COST = 1000  # rules with a cost of 1 weigh as much as a cheap mistake
_WITHOUT_EVIDENCE = frozenset((Kind.BLANK, Kind.TEXT, Kind.STUB, Kind.CHOICE))
_MARKDOWN_FENCES = ("```", "~~~")  # some dialects accept them as delimiters
_FAMILIES = ("v2", "v1", "plain")  # in the order of preference where several fit equally


ReadOther = Callable[[str], Document]


class _Priced(NamedTuple):
    """What a text costs in one dialect."""

    price: int
    dialect: Dialect
    heads: Heads


class _Candidate(NamedTuple):
    """A dialect that a text may be read in.

    Attributes:
        position: The position of the dialect in the order of the caller.
        dialect: The dialect.
        text: The text as the repair rules of the dialect prepare it.
        max_evidence: The upper bound of the evidence; None if the dialect must be priced anyway.
    """

    position: int
    dialect: Dialect
    text: str
    max_evidence: int | None


def detect(
    text: str,
    repairer_of: Callable[[Dialect], LineRepairer],
    further: Sequence[Dialect] = (),
    *,
    nearest: bool = False,
    known: Detection | None = None,
    read_other: ReadOther | None = None,
) -> Detection:
    """Return the dialect that a text is probably written in.

    Args:
        text: The text, with any line endings.
        repairer_of: Returns the repairer to use for a dialect.
        further: Dialects to consider besides the installed ones. They count as plain ones.
        nearest: Whether to save time: a runner-up that leaves no doubt may then be missing.
            Dialects that have too few lines of markup are not priced, nor are richer ones if no
            line has a sign of what only they have.
        known: The dialect in which the text is known to be valid, and its document. The text is not
            parsed in this dialect.
        read_other: Reads a text in the formats of other agents, if it is valid in no dialect.

    Returns:
        The plainest dialect if several fit equally, and the next best one that reads the text
        differently. The dialect is None if no dialect reads a section outside of other formats.
    """
    installed = _installed()
    plain = [*plain_dialects(), *further]
    rich = [dialect for dialect in installed if not _is_plain(dialect)]
    richer = [dialect for dialect in rich if dialect not in further]
    valid = _parse(text, plain, known) or _parse(text, richer, known)
    if valid:
        return _choose_valid(valid)
    # A head of an action may be around a section of a format, or in it.
    if read_other is not None and not further and not has_heads(text, installed):
        document = read_other(text)
        # Prose outside of the sections needs no pricing, which takes most of the time.
        if document.actions and not has_signs_outside(text, document, installed):
            return Detection(None, in_formats=document)
    priced = _price(text, plain, repairer_of, installed if nearest else ())
    priced += _price_richer(text, richer, repairer_of, nearest, priced)
    return _choose_cheapest(priced)


@cache
def _installed() -> tuple[Dialect, ...]:
    """Return the installed dialects, the plainest first."""
    return tuple(sorted(map(load_dialect, dialects()), key=_plainness))


def plain_dialects() -> list[Dialect]:
    """Return the installed dialects that have only the forms of their family."""
    return [dialect for dialect in _installed() if _is_plain(dialect)]


def _is_plain(dialect: Dialect) -> bool:
    """Return whether a dialect has only the forms of its family."""
    return dialect.forms <= {"lines"}


def _plainness(dialect: Dialect) -> tuple[int, int]:
    """Return the sort key of a dialect: its family, then the number of its further forms."""
    return _FAMILIES.index(dialect.family), len(dialect.forms)


def _parse(
    text: str, candidates: Iterable[Dialect], known: Detection | None
) -> list[tuple[Dialect, Document]]:
    """Return the dialects in which a text is valid, each with its document."""
    valid = []
    for dialect in candidates:
        if known and known.dialect is dialect:
            document = known.document
        else:
            document = parse_valid(text, dialect)
        if document is not None:
            valid.append((dialect, document))
    return valid


def _choose_valid(valid: Sequence[tuple[Dialect, Document]]) -> Detection:
    """Return the first dialect of a valid text, and the first that gives another document."""
    best, document = valid[0]
    if not document.sections:
        return Detection(None, document)  # an empty text is valid in every dialect
    for dialect, other_document in valid:
        if other_document.sections and other_document != document:
            return Detection(best, document, dialect, 0)
    return Detection(best, document)


def _price_richer(
    text: str,
    richer: Sequence[Dialect],
    repairer_of: Callable[[Dialect], LineRepairer],
    nearest: bool,
    plain: Sequence[_Priced],
) -> list[_Priced]:
    """Return the prices of the richer dialects, if any of them is cheaper than the plain ones.

    The richest dialect has all forms, so it costs at most what those with some of them cost. If it
    is not cheaper than the best plain one, the others are not either: one reading instead of five.
    """
    richest = richer[-1:]
    if nearest:
        richest = [dialect for dialect in richest if _may_be_cheaper(text, dialect, repairer_of)]
    limit: int | None = None
    bounded = []
    if plain:
        cheapest = min(plain, key=lambda priced: priced.price)
        limit = cheapest.price
        if nearest:
            # Within its family the richest dialect may be cheaper in every case.
            family = cheapest.dialect.family
            bounded = [dialect for dialect in richest if dialect.family != family]
    priced = _price(text, richest, repairer_of, bounded, limit)
    if not priced or (limit is not None and priced[0].price >= limit):
        return []
    return priced + _price(text, richer[:-1], repairer_of)


def _may_be_cheaper(
    text: str, dialect: Dialect, repairer_of: Callable[[Dialect], LineRepairer]
) -> bool:
    """Return whether a text may cost less in a richer dialect than in its plain relative."""
    repairer = repairer_of(dialect)
    if not repairer.usual:
        return True  # the signs of further forms hold for the installed rules only
    return may_have_further_forms(repairer.prepare(LineEndings(text).plain), dialect)


def _price(
    text: str,
    considered: Iterable[Dialect],
    repairer_of: Callable[[Dialect], LineRepairer],
    bounded: Sequence[Dialect] = (),
    limit: int | None = None,
) -> list[_Priced]:
    """Return what a text costs in each dialect that reads a section, in the given order.

    Args:
        text: The text, with any line endings.
        considered: The dialects.
        repairer_of: Returns the repairer of a dialect.
        bounded: The dialects to leave out if they cannot be near the best price.
        limit: The best price so far, for as long as no dialect here has one.
    """
    plain = LineEndings(text).plain
    candidates = []
    for position, dialect in enumerate(considered):
        prepared = repairer_of(dialect).prepare(plain)
        evidence = _max_evidence(prepared, dialect) if dialect in bounded else None
        candidates.append(_Candidate(position, dialect, prepared, evidence))
    # The dialect with the most evidence is probably the cheapest, and bounds all others.
    candidates.sort(key=lambda candidate: -(candidate.max_evidence or 0))
    by_position = {}
    best = limit
    for candidate in candidates:
        # Prices are not negative, so the evidence alone bounds the result from below.
        evidence = candidate.max_evidence
        if evidence is not None and best is not None and best + MARGIN < -evidence:
            continue
        dialect = candidate.dialect
        reading = _price_in(candidate.text, dialect, repairer_of(dialect))
        if reading is not None:
            by_position[candidate.position] = reading
            best = min(priced.price for priced in by_position.values())
    return [by_position[position] for position in sorted(by_position)]


def _price_in(text: str, dialect: Dialect, repairer: LineRepairer) -> _Priced | None:
    """Return what a prepared text costs in a dialect; None if no section is read."""
    outline = read_outline(text, dialect, repairer)
    if not any(part.step.role in _MEANINGFUL for part in outline.parts):
        return None
    price = outline.price + _price_spelling(outline, repairer) - _evidence(outline)
    return _Priced(price, dialect, find_heads(outline))


def _max_evidence(text: str, dialect: Dialect) -> int:
    """Return an upper bound of the evidence that any reading of a text gives a dialect.

    Exact lines are counted without reading: an exact line begins with a mark or a fence. In
    dialects with tagged lines every line that begins with a tag counts, because what it is depends
    on its neighbors.
    """
    is_tagged = "lines" in dialect.forms
    signs = set()
    for mark in dialect.marks.values():
        if is_tagged and size(mark) > 1:
            signs.add(mark)
        elif not is_tagged:
            signs.add(mark[:1])
    if dialect.own_sections:
        pattern = _beginning(())  # a custom section may begin with anything
    else:
        pattern = _beginning((*_MARKDOWN_FENCES, *sorted(signs)))
    lexer = LineLexer(dialect, NoRepairer())
    count = 0
    for match in pattern.finditer(f"\n{text}"):
        if is_tagged or lexer.kind_of(match[1]) not in _WITHOUT_EVIDENCE:
            count += 1
    return _EVIDENCE_OF_LINE * count + _EVIDENCE_OF_STUB


@lru_cache
def _beginning(signs: tuple[str, ...]) -> Pattern:
    r"""Return the pattern of lines that begin with one of the signs; of all lines without signs.

    With the sign `<` it matches "\n  <<<" and not "\nx < y". Group 1 is the line.
    """
    alternatives = "|".join(map(escape, signs))
    return compile_pattern(rf"\n([ \t]*(?:{alternatives})[^\n]*)")


def _evidence(outline: Outline) -> int:
    """Return how much a reading counts for its dialect: exact lines of markup, and a stub.

    Without it a dialect that takes the whole reply for one run of plain text would be cheaper than
    the dialect in which the reply is nearly valid.
    """
    count = 0
    has_stub = False
    for part in outline.parts:
        if part.step.role in _MARKUP and not part.line.kind.is_respelt:
            count += 1
        if part.line.kind is Kind.STUB:
            has_stub = True
    evidence = _EVIDENCE_OF_LINE * count
    return evidence + _EVIDENCE_OF_STUB if has_stub else evidence


def _price_spelling(outline: Outline, repairer: LineRepairer) -> int:
    """Return the price of rewriting the misspelled lines of markup.

    The recovery grammar has one price for all near misses. So it does not distinguish a line that
    is only indented from one that has the marks of another version; the costs of the rules do.
    """
    cost = 0.0
    for part in outline.parts:
        if part.step.role not in _REWRITTEN or not part.line.kind.is_respelt:
            continue
        line = outline.text[part.line.start : part.line.stop]
        candidate = repairer.candidate(line, part.step.role)
        if candidate is not None:
            cost += candidate.cost
    return whole(cost * _PRICE_OF_COST)


def _choose_cheapest(priced: Sequence[_Priced]) -> Detection:
    """Return the cheapest dialect, and the cheapest one that is not a variant of it.

    If no line is exactly an action of that, one that reads the same actions and more is preferred.
    """
    if not priced:
        return Detection(None)
    best = min(priced, key=_price_and_plainness)
    if not best.heads.is_certain:
        fuller = [reading for reading in priced if is_fuller(reading.heads, best.heads)]
        best = min(fuller, key=_price_and_plainness, default=best)
    rivals = []
    for candidate in priced:
        # Dialects of one family with the same mark differ only in further forms: no rivals.
        is_same_family = candidate.dialect.family == best.dialect.family
        is_same_mark = candidate.dialect.marks["action"] == best.dialect.marks["action"]
        if not is_same_family or not is_same_mark:
            rivals.append(candidate)
    if not rivals:
        return Detection(best.dialect)
    runner_up = min(rivals, key=_price_and_plainness)
    return Detection(best.dialect, None, runner_up.dialect, max(0, runner_up.price - best.price))


def _price_and_plainness(priced: _Priced) -> tuple[int, tuple[int, int]]:
    """Return the sort key of a dialect: its price, then the plainer one first."""
    return priced.price, _plainness(priced.dialect)
