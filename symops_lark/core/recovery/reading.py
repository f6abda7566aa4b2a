"""How a broken text is best read: its lines' kinds, the cheapest reading of them, and once more without the drafts.

`PASSES` names what is done, in order. The first three read lines; the others look at that reading, and read the lines
once more where they find that some are content or drafts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..grammar.dialect import Dialect
from ..grammar.mistakes import UNTAGGED, Mistake, load_mistakes, load_tagged
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


class Context(NamedTuple):
    """What a text is read by; `engine` is None for the one that fits the recovery grammar."""

    dialect: Dialect
    repairer: LineRepairer
    engine: str | None


class Reading(NamedTuple):
    """A text, as far as it is read.

    Attributes:
        text: The text; its lines end with line feeds alone.
        lines: Its lines, as the passes over lines leave them (`lines/passes`).
        runs: The lines, with plain neighbours joined.
        kinds: By which kinds the engine reads the runs; none until they are weighed.
        outline: The cheapest reading of these kinds.
        doubts: The codes of doubt, by the places where actions begin.
    """

    text: str
    lines: list[Line]
    runs: Sequence[Line] = ()
    kinds: Sequence[Kind] = ()
    outline: Outline = Outline("", (), (), 0, UNTAGGED)
    doubts: Mapping[int, str] = {}


class OutlinePass(NamedTuple):
    """One pass: its name, and what runs."""

    name: str
    run: Callable[[Reading, Context], Reading]


def join_prose(reading: Reading, context: Context) -> Reading:
    """Return the reading with plain neighbours joined to runs (`lines/prose`): a run costs what one line costs.

    was      becomes  line
    drop     drop     Here is what I did.
    drop     drop     It works now.
    head     head     ::run @ls
    4000     2200     price
    """
    return reading._replace(runs=merge_runs(reading.text, reading.lines), kinds=())


def weigh_carried(reading: Reading, context: Context) -> Reading:
    """Return the reading with the kinds of its runs: a line that was right before it was sent counts as exact.

    was      becomes  line
    head     head     ::create @a.py
    open     open     &lt;&lt;&lt;
    body     body     x = 1
    close    close    &gt;&gt;&gt;
    1600     800      price
    """
    kinds = intended_kinds(reading.text, reading.runs, context.dialect, context.repairer)
    return reading._replace(kinds=kinds)


def find_cheapest(reading: Reading, context: Context) -> Reading:
    """Return the reading with its outline: the engine gives each line a role, at the least price.

    was      becomes  line
    -        thought  >> one
    -        blank
    -        head     ::run @ls
    0        0        price
    """
    kinds = reading.kinds or [line.kind for line in reading.runs]
    path, note = read_kinds(context.dialect, kinds, context.engine)
    mistakes = load_mistakes(context.dialect)
    steps = zip(reading.runs, kinds, path.steps, strict=True)
    parts = tuple(
        make_part(line, step if kind is line.kind else _as_near(step, line.kind, mistakes))
        for line, kind, step in steps
    )
    tagged = load_tagged(context.dialect)
    return reading._replace(outline=Outline(reading.text, parts, path.at_end, path.price, tagged, note))


def hold_sections(reading: Reading, context: Context) -> Reading:
    """Return the reading, once more with sections as text that a content holds, if that is cheaper.

    was      becomes  line
    head     head     ::create @docs/v1.md
    body     open     <<<A reply in v1:
    body     body     #c0.9 #m0.8
    head     body     $ create @ auth.py > base.py
    open     body     --
    body     body     x = 1
    body     body     --
    body     body     $ run @ pytest -q
    close    close    >>>
    head     head     ::delete @old.py
    7790     3000     price
    """

    def read(lines: list[Line]) -> Outline:
        return _read_lines(Reading(reading.text, lines), context).outline

    lines, outline, doubts = read_held(reading.lines, reading.outline, context.dialect.marks["action"], read)
    return reading._replace(lines=lines, outline=outline, doubts=doubts)


def leave_out_drafts(reading: Reading, context: Context) -> Reading:
    """Return the reading, once more without drafts: actions that the reply only thinks about, or names again.

    was      becomes  line
    drop     drop     <!--
    head     drop     ::delete @old.py
    drop     drop     -->
    head     head     ::create @a.py
    open     open     <<<
    body     body     x = 1
    close    close    >>>
    8000     1000     price
    """
    drafts = find_drafts(reading.outline, reading.lines, HeadReader(context.dialect, context.repairer, reading.text))
    if drafts.kinds:
        for at, kind in drafts.kinds.items():
            reading.lines[at] = reading.lines[at]._replace(kind=kind, inside=())
        reading = reading._replace(outline=_read_lines(reading, context).outline)
    return reading._replace(doubts={**reading.doubts, **drafts.doubtful})


# From lines to a reading, each time that lines are read; and once, what looks at the first reading.
_READ_LINES: tuple[OutlinePass, ...] = (
    OutlinePass("prose-runs", join_prose),
    OutlinePass("carried-lines", weigh_carried),
    OutlinePass("engine", find_cheapest),
)
_READ_AGAIN: tuple[OutlinePass, ...] = (
    OutlinePass("held-sections", hold_sections),
    OutlinePass("drafts", leave_out_drafts),
)
PASSES: tuple[OutlinePass, ...] = (*_READ_LINES, *_READ_AGAIN)


def read_outline(
    text: str, dialect: Dialect, repairer: LineRepairer | None = None, *, engine: str | None = None
) -> Outline:
    """Return the cheapest reading of a text whose lines end with line feeds alone (`source.LineEndings`).

    The automaton's time grows linearly with the length of the text. One that was read last is not read again: what
    tells the dialect and what repairs read the same.
    """
    repairer = repairer or NoRepairer()
    known, read_as, outline = repairer.last_read
    if engine is None and read_as is dialect and known == text:
        found: Outline = outline
        return found
    context = Context(dialect, repairer, engine)

    def read(lines: list[Line]) -> Outline:
        return _read_lines(Reading(text, lines), context).outline

    # Known blocks are passed over: their contents are not read line by line, and the outline is the same.
    lines, outline = read_known(text, LineLexer(dialect, repairer), read)
    reading = read_passes(Reading(text, lines, outline=outline), context, _READ_AGAIN)
    reading.outline.doubt(reading.doubts)
    if engine is None and size(text) <= _REMEMBERED:
        repairer.last_read = text, dialect, reading.outline
    return reading.outline


_REMEMBERED = 200_000  # characters


def read_passes(reading: Reading, context: Context, passes: Sequence[OutlinePass]) -> Reading:
    """Return the reading as some passes leave it, one after another."""
    for one in passes:
        reading = one.run(reading, context)
    return reading


def _read_lines(reading: Reading, context: Context) -> Reading:
    return read_passes(reading, context, _READ_LINES)


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
