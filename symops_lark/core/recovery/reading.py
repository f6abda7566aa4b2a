"""How a broken text is best read: its lines' kinds, the cheapest reading of them, and once more without the drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..grammar.dialect import Dialect
from ..grammar.mistakes import Mistake, load_mistakes
from ..text.source import size
from .doubts.drafts import find_drafts
from .engines.choice import read_kinds
from .engines.priced_rules import Step, make_step
from .lines.kinds import DELIMITERS, INNER_HEADS, Kind, Line, Spelling
from .lines.lexer import LineLexer
from .lines.prose import merge_runs
from .lines.spelling import Candidate, LineRepairer, NoRepairer
from .outline.heads import HeadReader
from .outline.held_sections import read_held
from .outline.known_blocks import read_known
from .outline.outline import Outline, make_part


def read_outline(
    text: str, dialect: Dialect, repairer: LineRepairer | None = None, *, engine: str | None = None
) -> Outline:
    """Return the cheapest reading of a text whose lines end with line feeds alone (`source.LineEndings`).

    The automaton's time grows linearly with the length of the text. One that was read last is not read again: what
    tells the dialect and what repairs read the same.
    """
    repairer = repairer or NoRepairer()
    known, read_as, outline = repairer.read
    if engine is None and read_as is dialect and known == text:
        found: Outline = outline
        return found
    lexer = LineLexer(dialect, repairer)

    def read(lines: Sequence[Line]) -> Outline:
        return _read(text, lines, dialect, repairer, engine)

    lines, outline, doubtful = read_held(*read_known(text, lexer, read), dialect.marks["action"], read)
    drafts = find_drafts(outline, lines, HeadReader(dialect, repairer, text))
    if drafts.kinds:
        for at, kind in drafts.kinds.items():
            lines[at] = lines[at]._replace(kind=kind, inside=())
        outline = read(lines)
    outline.doubt({**doubtful, **drafts.doubtful})
    if engine is None and size(text) <= _REMEMBERED:
        repairer.read = text, dialect, outline
    return outline


_REMEMBERED = 200_000  # characters


def _read(text: str, lines: Sequence[Line], dialect: Dialect, repairer: LineRepairer, engine: str | None) -> Outline:
    lines = merge_runs(text, lines)
    kinds = intended_kinds(text, lines, dialect, repairer)
    reading, note = read_kinds(dialect, kinds, engine)
    mistakes = load_mistakes(dialect)
    steps = zip(lines, kinds, reading.steps, strict=True)
    parts = tuple(
        make_part(line, step if kind is line.kind else _as_near(step, line.kind, mistakes))
        for line, kind, step in steps
    )
    return Outline(text, parts, reading.at_end, reading.price, note)


def intended_kinds(text: str, lines: Sequence[Line], dialect: Dialect, repairer: LineRepairer) -> list[Kind]:
    """Return the kinds by which the engine reads the lines of an outline."""
    own = _own_delimiters(text, lines)
    return [_intended_kind(text, line, dialect, repairer, own) for line in lines]


def _own_delimiters(text: str, lines: Sequence[Line]) -> dict[str, Kind]:
    """Return the delimiters that a reply has chosen, if these are misspelt: what opens its first block, and its mirror.

    The first action line that a delimiter follows is no content.
    """
    for above, below in enumerate(lines[1:]):
        if lines[above].kind in INNER_HEADS and below.kind.base in DELIMITERS:
            mark = text[below.start : below.stop].strip()
            mirrored = mark.translate(_MIRROR)
            own = {mark: Kind.OPEN, mirrored: Kind.CLOSE} if mark != mirrored else {mark: Kind.DELIM}
            return own if below.kind.is_respelt else {}
    return {}


def _intended_kind(text: str, line: Line, dialect: Dialect, repairer: LineRepairer, own: Mapping[str, Kind]) -> Kind:
    """Return the kind by which a line is read: one that was right before it was sent weighs as much as an exact one."""
    kind = line.kind
    if kind.spelling is not Spelling.NEAR or not kind.role:
        return kind
    first = line.inside[0] if line.inside else line
    shown = text[first.start : first.stop]
    if kind.base not in DELIMITERS:
        return kind.base if _is_carried(repairer.candidate(shown, kind.role)) else kind
    exact = own.get(shown.strip())
    for role, found in (("open", Kind.OPEN), ("close", Kind.CLOSE)):
        if exact is None and _is_carried(repairer.candidate(shown, role)):
            exact = found
    if exact is None:
        return kind
    return Kind.DELIM if dialect.marks["open"] == dialect.marks["close"] else exact


def _is_carried(spelling: Candidate | None) -> bool:
    return spelling is not None and spelling.carried


def _as_near(step: Step, kind: Kind, mistakes: Mapping[str, Mistake]) -> Step:
    """Return the step of a line that is read as an exact one, with the mistake that it is nearly one."""
    code = "near-" + (str(kind.base).lower() if step.role == "head" else _NEARLY.get(step.role, step.role))
    if code not in mistakes:
        return step
    return make_step(step.role, (*step.mistakes, code), step.before, step.price + mistakes[code].price)


_NEARLY = {"open": "opener", "close": "closer"}
_MIRROR = str.maketrans({"<": ">", ">": "<", "[": "]", "{": "}", "(": ")", "＜": "＞", "《": "》"})
