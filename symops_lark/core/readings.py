"""Find the other readings of a broken reply: the next cheapest ones, as documents.

The minimum-cost parse is the best guess, and sometimes another one costs only a little more. A
person, a policy or a model may choose between them. Prices are those of readings of the reply
itself, before any rule repairs it, so that they can be compared.

Readings with one meaning count as one. The meaning of a document is what its sections say, without
skipped text, places, confidence and completeness.

There is one reading, the result itself, where nothing is ambiguous or nothing else is known: for
a valid reply, a reply in the format of another agent, a recovery grammar that nests,
and a reply of more than `MOST_RUNS` lines.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from .document import Action, Completeness, CustomSection, Document, Section, Skipped
from .grammar.dialect import Dialect
from .ground.collector import collector_paused
from .recovery.doubts.confidence import in_order, leave_out_told, mark_cut_off
from .recovery.doubts.nested_actions import find_doubts
from .recovery.engines.automaton import Automaton
from .recovery.engines.choice import load_engine
from .recovery.engines.nbest import label_of, n_best
from .recovery.engines.priced_rules import ViterbiPath
from .recovery.lines.carried_lines import intended_kinds
from .recovery.lines.spelling import LineRepairer
from .recovery.outline.outline import Outline
from .recovery.reading import make_outline, read_outline
from .recovery.recovery import build_document
from .result import Alternative, Divergence, Phase, Result
from .strict.parser import parse_valid
from .text.source import LineEndings, Source, Span
from .validator import examine, find_signs

# In prices of the recovery grammar: a reading that assumes ten more mistakes is not probable.
WITHIN = 10_000
# Lines; a run of plain text counts as one. The search keeps a table of modes for each of them.
MOST_RUNS = 1_000
# Paths that are tried for each wanted reading. Most of them mean the same as a cheaper one.
_TRIES = 8


def add_readings(
    result: Result,
    dialect: Dialect | None,
    repairer: LineRepairer | None,
    cut_off: bool | None,
    most: int,
) -> Result:
    """Return a result with its readings, the cheapest first.

    Args:
        result: The result.
        dialect: The dialect that the reply was read in; None for a format of another agent.
        repairer: Rewrites misspelled lines; None if there is no dialect.
        cut_off: Whether the reply was truncated; None if that is not known.
        most: The greatest number of readings, the result among them.
    """
    first = Alternative(result.document, result.document.price, ())
    readings = [first]
    if dialect is not None and repairer is not None and _is_guess(result, dialect):
        with collector_paused(len(result.text)):
            search = _Search(result, dialect, repairer, cut_off)
            if search.best is not None:
                readings = [replace(first, price=search.best.price)]
                readings += islice(search.find_others(most), most - 1)
    return replace(result, readings=tuple(readings))


def _is_guess(result: Result, dialect: Dialect) -> bool:
    """Return whether a result is a reading of a broken text in a dialect."""
    if result.phase in (Phase.STRICT, Phase.EXTRACTED):
        return False
    if result.document.dialect != dialect.name:
        return False
    return parse_valid(result.text, dialect) is None


class _Search:
    """The search for the readings of one text.

    Attributes:
        best: The cheapest path; None if other paths cannot be known.
    """

    def __init__(
        self, result: Result, dialect: Dialect, repairer: LineRepairer, cut_off: bool | None
    ) -> None:
        self.result = result
        self.dialect = dialect
        self.repairer = repairer
        self.cut_off = cut_off
        self.endings = LineEndings(result.text)
        self.best: ViterbiPath | None = None
        engine = load_engine(dialect)
        if not isinstance(engine, Automaton):
            return
        text = self.endings.plain
        outline = read_outline(text, dialect, repairer)
        if len(outline.parts) > MOST_RUNS:
            return
        self.engine = engine
        self.doubts = _find_doubts(outline)
        self.runs = [part.line for part in outline.parts]
        self.kinds = intended_kinds(text, self.runs, dialect, repairer)
        self.best = engine.read(self.kinds)

    def find_others(self, most: int) -> Iterator[Alternative]:
        """Yield the readings that mean something else than the result, the cheapest first."""
        assert self.best is not None
        chosen = _labels(self.best)
        first = self.result.document
        meanings = {_meaning(first)}
        paths = n_best(self.engine, self.kinds, WITHIN)
        for path in islice(paths, _TRIES * most):
            # The result was made of this one. Where they differ, a rule has repaired a content.
            if _labels(path) == chosen:
                continue
            document = self._read(path)
            meaning = _meaning(document)
            if meaning not in meanings:
                meanings.add(meaning)
                source = Source(self.result.text)
                differences = tuple(find_differences(first, document, source))
                yield Alternative(document, path.price, differences)

    def _read(self, path: ViterbiPath) -> Document:
        """Return the document of a path, with the doubts that a result would have."""
        text = self.result.text
        outline = make_outline(self.endings.plain, self.runs, self.kinds, path, self.dialect)
        outline.doubt(self.doubts)
        document = build_document(outline, self.endings, self.dialect, self.repairer, self.cut_off)
        if self.cut_off:
            document = mark_cut_off(document, text)
        document, doubts = find_doubts(document, text, self.dialect)
        verbs = self.dialect.verbs
        document, checked = examine(document, verbs, find_signs(document, verbs))
        notes = [*document.diagnostics, *doubts]
        diagnostics = in_order(notes, (), leave_out_told(checked, doubts))
        return replace(document, diagnostics=diagnostics)


def _find_doubts(outline: Outline) -> dict[int, str]:
    """Return the codes of the doubts about actions, by the offsets at which they begin."""
    return {group.first.line.start: group.doubt for group in outline.groups if group.doubt}


def _labels(path: ViterbiPath) -> tuple[Hashable, ...]:
    return (path.at_end, *map(label_of, path.steps))


def _meaning(document: Document) -> tuple[Section, ...]:
    """Return the sections of a document as `_says` leaves them, without skipped text."""
    return tuple(says for _, says in _by_line(document))


# Of any section: places do not change what it says.
_NOWHERE = Span(0, 0)


def _says(section: Section) -> Section:
    """Return a section without its place, its confidence and its completeness."""
    if isinstance(section, Action):
        section = replace(section, content_span=None)
    if isinstance(section, Action | CustomSection):
        section = replace(section, confidence=1.0, completeness=Completeness.COMPLETE)
    return replace(section, span=_NOWHERE)


def find_differences(first: Document, other: Document, source: Source) -> Iterator[Divergence]:
    """Yield the places that two documents of a text read differently, in order.

    Args:
        first: The one document.
        other: The other one.
        source: The text.
    """
    here = _by_line(first)
    there = _by_line(other)
    # Each section with whether it is the other document's, by its place.
    apart = [(section, False) for key, section in here.items() if key not in there]
    apart += [(section, True) for key, section in there.items() if key not in here]
    apart.sort(key=lambda item: item[0].span.start)
    together: list[tuple[Section, bool]] = []
    end = 0
    for section, is_others in apart:
        if together and section.span.start >= end:
            yield _differ(together, source)
            together = []
        together.append((section, is_others))
        end = max(end, section.span.end)
    if together:
        yield _differ(together, source)


def _by_line(document: Document) -> dict[tuple[int, Section], Section]:
    """Return the sections of a document, without skipped text, by first line and meaning."""
    by_line: dict[tuple[int, Section], Section] = {}
    for section in document.sections:
        # Rules remove text that recovery skips, so it would be in the other documents alone.
        if not isinstance(section, Skipped):
            key = (section.span.line, _says(section))
            by_line[key] = section
    return by_line


def _differ(together: Sequence[tuple[Section, bool]], source: Source) -> Divergence:
    """Return the difference that overlapping sections are."""
    start = min(section.span.start for section, _ in together)
    end = max(section.span.end for section, _ in together)
    first = tuple(section for section, is_others in together if not is_others)
    here = tuple(section for section, is_others in together if is_others)
    return Divergence(source.span(start, end), Document(first), Document(here))
