"""Read a broken text: give each line its role, at the lowest total price.

`PASSES` lists the steps in order, and `read_outline` runs them. The first ones turn the text into
lines and parse these. The others look at this first reading, and read the lines once more where
some of them are content or drafts.

Known blocks are an optimization: the contents of blocks that are certainly complete are not
classified line by line. Only the reading itself shows whether each of them is a content, so
`read_outline` checks that afterwards, and reads every line if one is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..grammar.dialect import Dialect
from ..grammar.mistakes import UNTAGGED, Mistake, load_mistakes, load_tagged
from ..text.source import size
from .doubts.block_ends import find_early_closes, find_outer_fences
from .doubts.drafts import find_drafts
from .engines.choice import read_kinds
from .engines.priced_rules import Step, ViterbiPath, make_step
from .lines.carried_lines import intended_kinds
from .lines.kinds import Kind, Line
from .lines.lexer import LineLexer
from .lines.prose import merge_runs
from .lines.spelling import LineRepairer, NoRepairer
from .outline.groups import make_part
from .outline.heads import HeadReader
from .outline.held_sections import read_held
from .outline.known_blocks import KnownBlocks, find_known
from .outline.outline import Outline

# The longest text, in characters, whose outline stays in memory. Repairers live as long as their
# processor, so one huge reply must not occupy memory until the next one comes.
_MAX_REMEMBERED = 200_000


class Context(NamedTuple):
    """What a text is read with.

    Attributes:
        dialect: The dialect.
        repairer: Rewrites misspelled lines.
        engine: The name of the parsing engine; None for the one that fits the recovery grammar.
        lexer: Gives lines their kinds. It keeps the kinds of the lines that it has seen.
    """

    dialect: Dialect
    repairer: LineRepairer
    engine: str | None
    lexer: LineLexer


# The outline of a reading before `find_cheapest`.
_NOTHING = Outline("", (), (), 0, UNTAGGED)


class Reading(NamedTuple):
    """A text, as far as the passes have read it.

    Attributes:
        text: The text; its lines end with line feeds only.
        lines: Its lines, as the passes over lines leave them (`lines/passes`).
        blocks: Passes over contents that are not classified; None: every line is read.
        runs: The lines; after `join_prose` with neighbors of plain text joined.
        kinds: The kinds by which the engine reads the runs; empty: their own kinds.
        outline: The minimum-cost parse of these kinds.
        doubts: The codes of doubts by the offsets at which the actions begin.
    """

    text: str
    lines: list[Line]
    blocks: KnownBlocks | None = None
    runs: Sequence[Line] = ()
    kinds: Sequence[Kind] = ()
    outline: Outline = _NOTHING
    doubts: Mapping[int, str] = {}


class OutlinePass(NamedTuple):
    """One pass.

    Attributes:
        name: The name, which nothing but tests and people use.
        run: Takes a reading and its context, and returns the reading with more of it read. Its
            docstring shows in a table the role of each line, and the price, without the pass and
            with it. For a pass that does not change roles it shows the kinds of lines.
    """

    name: str
    run: Callable[[Reading, Context], Reading]


def skip_known_blocks(reading: Reading, context: Context) -> Reading:
    """Return the reading, set to pass over contents that are certain (`outline/known_blocks`).

    Their lines become one run of plain text. No rule is tried on them, which is most of the time
    for a long reply with few mistakes.

    was      becomes  line
    ACTION   ACTION   ::create @a.py
    OPEN     OPEN     <<<
    TEXT     TEXT     x = 1
    TEXT     +        y = 2
    CLOSE    CLOSE    >>>
    """
    blocks = find_known(reading.text, context.lexer)
    return reading._replace(blocks=blocks)


def read_lines(reading: Reading, context: Context) -> Reading:
    """Return the reading with the lines of its text, each with its kind (`lines`).

    was      becomes  line
    -        thought  >> one
    -        head     ::run @ls
    0        0        price
    """
    pass_over = None
    if reading.blocks is not None:
        pass_over = reading.blocks.pass_over
    lines = context.lexer.read(reading.text, pass_over)
    return reading._replace(lines=lines, runs=lines)


def join_prose(reading: Reading, context: Context) -> Reading:
    """Return the reading with neighbors of plain text joined: a run costs as much as one line.

    was      becomes  line
    drop     drop     Here is what I did.
    drop     drop     It works now.
    head     head     ::run @ls
    4000     2200     price
    """
    runs = merge_runs(reading.text, reading.lines)
    # The kinds of an earlier parse belong to other runs.
    return reading._replace(runs=runs, kinds=())


def weigh_carried(reading: Reading, context: Context) -> Reading:
    """Return the reading with the kinds of its runs: lines that transport has changed are exact.

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
    """Return the reading with its outline: the engine gives each run a role, at the least price.

    was      becomes  line
    -        thought  >> one
    -        blank
    -        head     ::run @ls
    0        0        price
    """
    kinds = reading.kinds
    if not kinds:
        kinds = [line.kind for line in reading.runs]
    path, note = read_kinds(context.dialect, kinds, context.engine)
    outline = make_outline(reading.text, reading.runs, kinds, path, context.dialect)
    return reading._replace(outline=replace(outline, note=note))


def make_outline(
    text: str, runs: Sequence[Line], kinds: Sequence[Kind], path: ViterbiPath, dialect: Dialect
) -> Outline:
    """Return the outline that a way through the recovery grammar means.

    Args:
        text: The text; its lines end with line feeds only.
        runs: Its lines, with neighbors of plain text joined.
        kinds: The kinds by which the engine read them.
        path: The way: a step for each run.
        dialect: The dialect.
    """
    mistakes = load_mistakes(dialect)
    parts = []
    for line, kind, step in zip(runs, kinds, path.steps, strict=True):
        if kind is not line.kind:
            step = _as_near(step, line.kind, mistakes)
        parts.append(make_part(line, step))
    return Outline(text, tuple(parts), path.at_end, path.price, load_tagged(dialect))


def hold_sections(reading: Reading, context: Context) -> Reading:
    """Return the reading, once more with sections as text of a content if that is cheaper.

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
        return _parse_lines(Reading(reading.text, lines), context).outline

    mark = context.dialect.marks["action"]
    lines, outline, doubts = read_held(reading.lines, reading.outline, mark, read)
    return reading._replace(lines=lines, outline=outline, doubts=doubts)


def leave_out_drafts(reading: Reading, context: Context) -> Reading:
    """Return the reading, once more without drafts: actions of the thinking, and lists of heads.

    The end of a fence around the reply does not end a content in it either.

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
    lines = reading.lines
    outline = reading.outline
    heads = HeadReader(context.dialect, context.repairer, reading.text)
    drafts = find_drafts(outline, lines, heads)
    early_closes = find_early_closes(outline, heads)
    # These kinds, by the index of their lines, keep the engine from reading actions and closers
    # there.
    kinds = {**find_outer_fences(outline, lines), **drafts.kinds}
    if kinds:
        for index, kind in kinds.items():
            # The lines inside a head are attributes, which a draft does not have.
            lines[index] = lines[index]._replace(kind=kind, inside=())
        reading = _parse_lines(reading, context)
    # The doubts were found in the first reading and stay: where drafts are left out, the offsets
    # of the remaining actions do not change.
    return reading._replace(doubts={**reading.doubts, **early_closes, **drafts.doubtful})


# The order is fixed. Runs are joined before they get a price. Sections that a content holds become
# text before drafts are looked for; otherwise an action in a content could count as a draft.
_READ_TEXT: tuple[OutlinePass, ...] = (
    OutlinePass("known-blocks", skip_known_blocks),
    OutlinePass("lines", read_lines),
)
_PARSE_LINES: tuple[OutlinePass, ...] = (
    OutlinePass("prose-runs", join_prose),
    OutlinePass("carried-lines", weigh_carried),
    OutlinePass("engine", find_cheapest),
)
_READ_AGAIN: tuple[OutlinePass, ...] = (
    OutlinePass("held-sections", hold_sections),
    OutlinePass("drafts", leave_out_drafts),
)
PASSES: tuple[OutlinePass, ...] = (*_READ_TEXT, *_PARSE_LINES, *_READ_AGAIN)


def read_outline(
    text: str, dialect: Dialect, repairer: LineRepairer | None = None, *, engine: str | None = None
) -> Outline:
    """Return the minimum-cost parse of a text, with its doubts marked.

    The time is linear in the text for the automaton. The repairer remembers the last outline, so
    that detection and repair of the same text read it once.

    Args:
        text: The text; its lines end with line feeds only (`source.LineEndings`).
        dialect: The dialect.
        repairer: Rewrites misspelled lines; None: they stay plain text.
        engine: "automaton" or "earley"; None for the one that fits the recovery grammar.

    Returns:
        The outline. Its offsets refer to the text. Callers must not change it.

    Raises:
        GrammarError: The recovery grammar cannot read the text with this engine.
        ValueError: There is no such engine.
    """
    # A named engine is always run: callers name one to compare the engines.
    repairer = repairer or NoRepairer()
    last_text, last_dialect, last_outline = repairer.last_read
    if engine is None and last_dialect is dialect and last_text == text:
        remembered: Outline = last_outline
        return remembered
    lexer = LineLexer(dialect, repairer)
    context = Context(dialect, repairer, engine, lexer)
    reading = read_passes(Reading(text, []), context, _READ_TEXT)
    reading = _parse_lines(reading, context)
    blocks = reading.blocks
    if blocks is not None and not blocks.are_bodies(reading.outline):
        # A block that was passed over is not a content after all, so every line must be read.
        reading = read_lines(Reading(text, []), context)
        reading = _parse_lines(reading, context)
    reading = read_passes(reading, context, _READ_AGAIN)
    reading.outline.doubt(reading.doubts)
    if engine is None and size(text) <= _MAX_REMEMBERED:
        repairer.last_read = text, dialect, reading.outline
    return reading.outline


def read_passes(reading: Reading, context: Context, passes: Sequence[OutlinePass]) -> Reading:
    """Return a reading after some passes.

    Args:
        reading: The reading before the first of them.
        context: What the text is read with.
        passes: The passes, in order.
    """
    for outline_pass in passes:
        reading = outline_pass.run(reading, context)
    return reading


def _parse_lines(reading: Reading, context: Context) -> Reading:
    """Return a reading with the outline of its lines."""
    return read_passes(reading, context, _PARSE_LINES)


def _as_near(step: Step, kind: Kind, mistakes: Mapping[str, Mistake]) -> Step:
    """Return the step of a line that was read as exact, with the near miss that it is."""
    if step.role == "head":
        name = str(kind.base).lower()  # near-action or near-command
    else:
        name = _NAMES_OF_ROLES.get(step.role, step.role)
    mistake = mistakes.get("near-" + name)
    if mistake is None:  # a custom recovery grammar may have no such mistake
        return step
    codes = (*step.mistakes, mistake.code)
    price = step.price + mistake.price
    return make_step(step.role, codes, step.before, price)


_NAMES_OF_ROLES = {"open": "opener", "close": "closer"}
