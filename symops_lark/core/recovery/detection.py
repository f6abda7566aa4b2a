"""Which dialect a text is in: the one with the cheapest reading, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache

from ..document import Document
from ..grammar.dialect import Dialect
from ..grammar.loading import dialects, load_dialect
from ..ground.numbers import whole
from ..patterns.regexes import Pattern, compile_pattern, escape
from ..strict.parser import parse_valid
from ..text.source import LineEndings, size
from .detected import MARGIN, Detection
from .lines.further_forms import may_have_further_forms
from .lines.kinds import Kind
from .lines.lexer import LineLexer
from .lines.spelling import LineRepairer, NoRepairer
from .outline.outline import Outline
from .reading import read_outline

_SAYS = frozenset(("head", "thought", "reason", "vitals", "ask", "error"))
_TELLS = _SAYS - {"error"}  # a line of a log may look like one
_SPELT = _SAYS | {"open", "close"}
_PER_COST = 1000  # what a rule of cost 1 weighs among the prices of the recovery grammar
_MARKUP = _SPELT | {"attribute"}
_PER_LINE, _PER_STUB = 2000, 1500  # what a line of markup, and an action line that breaks off, speak for a dialect
_NO_MARKUP = frozenset((Kind.BLANK, Kind.TEXT, Kind.STUB, Kind.CHOICE))  # of the kinds of exact lines
_FENCES = ("```", "~~~")  # which may stand for delimiters
_FAMILIES = ("v2", "v1", "plain")  # in the order in which they are preferred


def detect(
    text: str,
    repairer_of: Callable[[Dialect], LineRepairer],
    further: Sequence[Dialect] = (),
    *,
    nearest: bool = False,
    known: Detection | None = None,
) -> Detection:
    """Return the dialect of a text among the installed and further ones; the plainest where several fit equally.

    With `nearest` a runner-up that leaves no doubt may be missing: what has too few lines of its own is not priced,
    nor are richer dialects where no line has a sign of what they alone can say. A dialect that is `known` to say
    something of the text is not asked again.
    """
    installed = _installed()
    plain = [*(dialect for dialect in installed if _is_plain(dialect)), *further]
    richer = [dialect for dialect in installed if not _is_plain(dialect) and dialect not in further]
    valid = _parse(text, plain, known) or _parse(text, richer, known)
    if valid:
        best, document = valid[0]
        others = [dialect for dialect, read in valid if read.sections and read != document]
        runner_up = others[0] if others and document.sections else None
        return Detection(best if document.sections else None, document, runner_up, 0 if runner_up else None)
    priced = _price(text, plain, repairer_of, installed if nearest else ())
    # A dialect that has all the forms reads no dearer than those that have some of them: if it is no better than the
    # plain ones, neither are they.
    richest = [each for each in richer[-1:] if not nearest or _may_be(text, each, repairer_of(each))]
    limit, cheapest = min(priced, key=lambda row: row[0]) if priced else (None, None)
    far = [each for each in richest if nearest and cheapest is not None and each.family != cheapest.family]
    most = _price(text, richest, repairer_of, far, limit)
    if most and (limit is None or most[0][0] < limit):
        priced += most + _price(text, richer[:-1], repairer_of)
    return _compare(priced)


@cache
def _installed() -> tuple[Dialect, ...]:
    """Return the installed dialects, the plainest first."""
    return tuple(sorted(map(load_dialect, dialects()), key=_plainness))


def _is_plain(dialect: Dialect) -> bool:
    return dialect.forms <= {"lines"}


def _may_be(text: str, dialect: Dialect, repairer: LineRepairer) -> bool:
    """Return whether a text could be cheaper in the richest dialect, which only what it alone can say makes it."""
    return not repairer.usual or may_have_further_forms(repairer.prepare(LineEndings(text).plain), dialect)


def _parse(text: str, dialects: Iterable[Dialect], known: Detection | None) -> list[tuple[Dialect, Document]]:
    """Return the dialects in which a text is valid, with what it says there."""
    found = []
    for dialect in dialects:
        document = known.document if known and known.dialect is dialect else parse_valid(text, dialect)
        if document is not None:
            found.append((dialect, document))
    return found


def _plainness(dialect: Dialect) -> tuple[int, int]:
    """Sort dialects: by family, within one by the number of forms they have beyond it."""
    return _FAMILIES.index(dialect.family), len(dialect.forms)


def _price(
    text: str,
    known: Iterable[Dialect],
    repairer_of: Callable[[Dialect], LineRepairer],
    bounded: Sequence[Dialect] = (),
    limit: int | None = None,
) -> list[tuple[int, Dialect]]:
    """Return the price of the cheapest reading in each dialect in which the text says something.

    Those of `bounded` are left out that cannot come near the best one, or near the `limit` if there is none yet: they
    have too few lines of markup.
    """
    found: dict[int, tuple[int, Dialect]] = {}
    plain = LineEndings(text).plain
    rows = []
    for place, dialect in enumerate(known):
        prepared = repairer_of(dialect).prepare(plain)
        most = _most_evidence(prepared, dialect) if dialect in bounded else None
        rows.append((place, dialect, prepared, most))
    for place, dialect, prepared, most in sorted(rows, key=lambda row: -(row[3] or 0)):
        best = min((price for price, _ in found.values()), default=limit)
        if most is not None and best is not None and best + MARGIN < -most:
            continue
        repairer = repairer_of(dialect)
        outline = read_outline(prepared, dialect, repairer)
        if any(part.step.role in _TELLS for part in outline.parts):
            found[place] = (outline.price + _price_spelling(outline, repairer) - _evidence(outline), dialect)
    return [found[place] for place in sorted(found)]


def _most_evidence(text: str, dialect: Dialect) -> int:
    """Return more than any reading has that speaks for a dialect: no price is below nothing, so none is below this.

    Exact lines are counted by themselves; where each part of an action has a line of its own, all that begin with tags.
    """
    lexer, tagged = LineLexer(dialect, NoRepairer()), "lines" in dialect.forms
    marks = sorted(mark if tagged else mark[:1] for mark in dialect.marks.values() if size(mark) > 1 or not tagged)
    lines = (found[1] for found in _beginning(() if dialect.own_sections else (*_FENCES, *marks)).finditer(f"\n{text}"))
    count = sum(tagged or lexer.kind_of(line) not in _NO_MARKUP for line in lines)
    return _PER_LINE * count + _PER_STUB


@lru_cache
def _beginning(signs: tuple[str, ...]) -> Pattern:
    """Return what finds the lines that begin with one of the signs, or all if there are none, behind their endings."""
    return compile_pattern(rf"\n([ \t]*(?:{'|'.join(map(escape, signs))})[^\n]*)")


def _evidence(outline: Outline) -> int:
    """Return what speaks for a dialect: lines of markup exactly as it writes them, and an action line that breaks off.

    Without it a dialect that takes them all for one run of plain text pays less than the one whose damaged lines they
    are.
    """
    exact = sum(part.step.role in _MARKUP and not part.line.kind.is_respelt for part in outline.parts)
    return _PER_LINE * exact + _PER_STUB * any(part.line.kind is Kind.STUB for part in outline.parts)


def _price_spelling(outline: Outline, repairer: LineRepairer) -> int:
    """Return the price of respelling the lines of markup.

    The reading charges the same for a line that is only indented and for one that has another version's marks as well.
    """
    cost = 0.0
    for part in outline.parts:
        if part.step.role in _SPELT and part.line.kind.is_respelt:
            line = outline.text[part.line.start : part.line.stop]
            spelling = repairer.candidate(line, part.step.role)
            cost += spelling.cost if spelling is not None else 0.0
    return whole(cost * _PER_COST)


def _compare(found: list[tuple[int, Dialect]]) -> Detection:
    if not found:
        return Detection(None)
    price, best = min(found, key=lambda row: (row[0], _plainness(row[1])))
    others = [row for row in found if row[1].family != best.family or row[1].marks["action"] != best.marks["action"]]
    if not others:
        return Detection(best)
    next_price, runner_up = min(others, key=lambda row: (row[0], _plainness(row[1])))
    return Detection(best, None, runner_up, next_price - price)
