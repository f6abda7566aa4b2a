"""The error-correcting parser: Lark's tree for valid texts, the cheapest repair for all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lark import Lark, Token
from lark.exceptions import LarkError, UnexpectedInput

from ..core.text.diagnostics import Diagnostic
from .edits import MARGIN, Edit, Repair, Repaired, list_leaves, write_edits
from .indentation import Layout, lay_out
from .loading import Compiled, Engine, compile_grammar
from .lr_stack import StackParser
from .messages import explain_edits
from .ranking import rank_edits
from .reindent import convert_repair
from .scanner import Scanner
from .search import (
    Bounds,
    Forbidden,
    Outcome,
    StackSearch,
    find_difference,
    search_by_chart,
    search_exactly,
)
from .trees import build_tree, locate_tree

_EXACT_TOKENS = 300  # longer texts are searched in windows
# The tree of a text that Lark refuses. A valid text may have the tree None, as of `?start: [A]`.
_REFUSED: Any = object()
_MOST_SEARCHES = 8  # the first one, and those after refusals


@dataclass(frozen=True)
class CorrectedParse:
    """The cheapest reading of a text.

    Attributes:
        tree: The tree. Its tokens have their places in the text that was given. None: no repair was
            found, as where a missing token has no known text; or the text is `accepted`, and this
            is the tree that Lark builds.
        price: The sum of the prices of the edits.
        edits: The edits by place.
        text: The repaired text.
        alternatives: Other repairs that cost at most 99 more, the cheapest first. Each one gives
            other tokens.
        accepted: Whether Lark parses `text`. False if mistakes remain in it.
        complete: Whether all of the text is in the tree.
        minimal: Whether no other repair of the tokens of the text is cheaper: the text is valid, or
            all of it was searched and Lark refused no cheaper repair.
        why: The bound that was met; empty: none was.
        steps: The steps of the search.
    """

    tree: Any
    price: int
    edits: tuple[Edit, ...]
    text: str
    alternatives: tuple[tuple[Edit, ...], ...] = ()
    accepted: bool = True
    complete: bool = True
    minimal: bool = True
    why: str = ""
    steps: int = 0


class ErrorCorrectingParser:
    """A grammar of Lark whose parser repairs texts.

    Attributes:
        lark: Lark's parser of valid texts.
        notes: Decisions about the grammar, such as why it is not read as LALR.
    """

    def __init__(
        self,
        grammar: str | Path | Lark,
        start: str = "start",
        mistakes: str | Path | None = None,
        *,
        parser: Engine = "auto",
        values: Mapping[str, str] | None = None,
        **lark_options: Any,
    ) -> None:
        """Compile a grammar.

        Args:
            grammar: The grammar as text, its path, or a parser of Lark.
            start: The start rule.
            mistakes: The named mistakes: a recovery grammar as text, or its path.
            parser: "lalr", "earley", or "auto": LALR if the grammar has no conflicts.
            values: Texts to insert, by terminal.
            lark_options: Options of Lark, such as `maybe_placeholders`.

        Raises:
            GrammarError: The grammar cannot be compiled, or needs a postlexer.
        """
        self._compiled = compile_grammar(
            grammar, start, mistakes, parser, values or {}, lark_options
        )
        self.lark = self._compiled.lark
        self.notes = self._compiled.notes
        self._start = start
        self._stack_parser: StackParser | None = None
        if self._compiled.is_lalr:
            self._stack_parser = StackParser(self._compiled.reader, start)

    @property
    def compiled(self) -> Compiled:
        """The grammar as tables."""
        return self._compiled

    def parse(
        self,
        text: str,
        *,
        max_price: int = 20_000,
        max_steps: int = 200_000,
        back: int = 8,
        ahead: int = 8,
        exact: bool | None = None,
        most: int = 8,
    ) -> CorrectedParse:
        """Parse a text, and repair it if it is not valid.

        Args:
            text: The text. No text raises an error.
            max_price: The highest price of a repair; a token costs about 1000. Alternatives may
                cost up to 99 more.
            max_steps: The highest number of steps of the search.
            back: Tokens before an error that may be edited.
            ahead: Tokens after an error that must follow without another edit.
            exact: Whether all of the text is searched, so that the repair is the cheapest of all.
                None: up to 300 tokens, if a quarter of `max_steps` suffices.
            most: The highest number of alternatives.

        Returns:
            The tree, the edits and the alternatives. A valid text has Lark's own tree and no edits.

        Raises:
            TypeError: The text is not a string.
        """
        if not isinstance(text, str):
            raise TypeError(f"expected a string, got {type(text).__name__}")
        # Lark decides on valid texts, so they have exactly its tree.
        tree = self._parse_strictly(text)
        if tree is not _REFUSED:
            return CorrectedParse(tree, 0, (), text)
        bounds = Bounds(max_price, max_steps, back, ahead)
        # Lark's own reading of lines and blocks is the first one.
        layouts = self._lay_out(text)
        parses = []
        steps = 0
        for layout in layouts:
            remaining = max(1, max_steps - steps)
            left = bounds._replace(max_steps=remaining)
            parse = self._parse_layout(layout, left, exact, most)
            steps += parse.steps
            parses.append(parse)
        complete = [parse for parse in parses if parse.complete]
        if not complete:
            return replace(parses[0], steps=steps)
        complete.sort(key=lambda parse: parse.price)
        is_minimal = all(parse.minimal for parse in parses)
        joined = self._join(complete, most)
        return replace(joined, steps=steps, minimal=is_minimal)

    def diagnostics(self, text: str, parse: CorrectedParse) -> list[Diagnostic]:
        """Return the edits of a repair as messages for people.

        Args:
            text: The text that was parsed.
            parse: Its result.
        """
        return explain_edits(self._compiled, text, parse.edits)

    def apply(self, text: str, edits: Sequence[Edit]) -> str:
        """Return a text with the edits of a repair or of an alternative.

        Args:
            text: The text that was parsed.
            edits: The edits.
        """
        return self._write(text, edits)[1].text

    def _join(self, parses: Sequence[CorrectedParse], most: int) -> CorrectedParse:
        """Return the first parse, with the repairs of the others as alternatives."""
        best = parses[0]
        alternatives = [*best.alternatives]
        for parse in parses[1:]:
            if parse.price <= best.price + MARGIN and parse.text != best.text:
                alternatives += [parse.edits, *parse.alternatives]
        return replace(best, alternatives=tuple(alternatives[:most]))

    def _lay_out(self, text: str) -> list[Layout]:
        """Return the texts that the search reads."""
        indentation = self._compiled.indentation
        if indentation is None:
            return [Layout(text, text)]
        layouts = lay_out(text, self._compiled.tables, indentation)
        return sorted(layouts, key=lambda layout: (layout.price, layout.distance))

    def _parse_layout(
        self, layout: Layout, bounds: Bounds, exact: bool | None, most: int
    ) -> CorrectedParse:
        steps = 0
        least: int | None = None
        refused: CorrectedParse | None = None
        forbidden: Forbidden = frozenset()
        # Lark may refuse a repair, because its lexer finds other tokens than the search assumed.
        for _ in range(_MOST_SEARCHES):
            remaining = max(1, bounds.max_steps - steps)
            left = bounds._replace(max_steps=remaining)
            outcome, minimal = self._search(layout.text, left, exact, forbidden)
            steps += outcome.steps
            parse = self._choose(layout, outcome, minimal, steps, most)
            if least is None and outcome.repairs:
                least = layout.price + outcome.repairs[0].price
            if parse.accepted or _has_mistake(parse.edits):
                # A search without a token may miss what is as cheap as the refused repair.
                return replace(parse, minimal=parse.minimal and parse.price == least)
            # The cheapest one, if Lark refuses all.
            refused = refused or parse
            if not outcome.repairs or steps >= bounds.max_steps:
                break
            # The token is forbidden, and the next search finds another repair.
            cheapest = outcome.repairs[0]
            repaired = write_edits(layout.text, cheapest.edits, self._compiled.blank)
            tokens = self._read_tokens(repaired.text)
            difference = find_difference(cheapest, tokens, forbidden)
            if difference is None:
                break
            forbidden |= {difference}
        return replace(refused or parse, steps=steps)

    def _parse_strictly(self, text: str) -> Any:
        try:
            tree = self.lark.parse(text, self._start)
        except UnexpectedInput:
            return _REFUSED
        except (LarkError, AssertionError, IndexError):
            # Lark's `Indenter` raises these for columns and brackets that do not fit.
            if self._compiled.indentation is None:
                raise
            return _REFUSED
        return tree

    def _search(
        self, text: str, bounds: Bounds, exact: bool | None, forbidden: Forbidden
    ) -> tuple[Outcome, bool]:
        """Return the outcome of a search, and whether it was an exact one."""
        grammar = self._compiled
        tried = 0
        if exact is None:
            if _is_short(grammar, text):
                tried = bounds.max_steps // 4
        elif exact:
            tried = bounds.max_steps
        steps = 0
        if tried:
            # An exact search that takes too many steps is given up for windows.
            part = bounds._replace(max_steps=tried)
            outcome = search_exactly(grammar, text, part, forbidden)
            if outcome.repairs:
                return outcome, True
            steps = outcome.steps
        remaining = max(1, bounds.max_steps - steps)
        left = bounds._replace(max_steps=remaining)
        if self._stack_parser:
            outcome = StackSearch(grammar, self._stack_parser, text, left, forbidden).find_repairs()
        else:
            outcome = search_by_chart(grammar, text, left, forbidden)
        return outcome._replace(steps=outcome.steps + steps), False

    def _choose(
        self, layout: Layout, outcome: Outcome, minimal: bool, steps: int, most: int
    ) -> CorrectedParse:
        """Return the first repair that Lark accepts, and the others as alternatives."""
        text = layout.given
        drafts = [convert_repair(layout, repair) for repair in outcome.repairs]
        repairs = sorted(drafts, key=lambda one: (one.price, rank_edits(text, one.edits)))
        if not repairs:
            return CorrectedParse(None, 0, (), text, (), False, False, False, outcome.why, steps)
        chosen = None
        alternatives = []
        distinct = set()
        is_complete = not outcome.why
        for repair in repairs:
            leaves = list_leaves(repair.root)
            tokens = tuple((leaf.name, leaf.value) for leaf in leaves)
            is_known = tokens in distinct
            if is_known:
                continue
            tree, repaired = self._verify(text, repair)
            if tree is _REFUSED:
                continue
            distinct.add(tokens)
            if chosen is not None:
                alternatives.append(repair.by_place())
                if len(alternatives) >= most:
                    break
                continue
            # Named mistakes stay in the text, which Lark refuses: the tree is built here.
            has_mistake = _has_mistake(repair.edits)
            if has_mistake:
                tree = build_tree(repair.root, self._compiled.callbacks, text, layout.to_given)
            chosen = CorrectedParse(
                tree,
                repair.price,
                repair.by_place(),
                repaired.text,
                (),
                not has_mistake or self._parse_strictly(repaired.text) is not _REFUSED,
                is_complete,
                minimal and is_complete,
                outcome.why,
                steps,
            )
        if chosen is None:
            return self._return_refused(layout, repairs[0], outcome.why, steps)
        return replace(chosen, alternatives=tuple(alternatives[:most]))

    def _verify(self, text: str, repair: Repair) -> tuple[Any, Repaired]:
        """Return Lark's tree of a repaired text; True where mistakes remain; or `_REFUSED`."""
        tree, repaired = self._write(text, repair.edits)
        if tree is _REFUSED or _has_mistake(repair.edits):
            return tree, repaired
        return locate_tree(tree, text, repaired), repaired

    def _write(self, text: str, edits: Sequence[Edit]) -> tuple[Any, Repaired]:
        """Return Lark's tree and the text with the edits; True where mistakes remain in it."""
        blank = self._compiled.blank
        repaired = write_edits(text, edits, blank)
        if _has_mistake(edits):
            return True, repaired
        tree = self._parse_strictly(repaired.text)
        if tree is _REFUSED and blank:
            # Two signs may have become one, as in `= =`.
            wide = write_edits(text, edits, blank, wide=True)
            tree = self._parse_strictly(wide.text)
            if tree is not _REFUSED:
                return tree, wide
        return tree, repaired

    def _return_refused(
        self, layout: Layout, repair: Repair, why: str, steps: int
    ) -> CorrectedParse:
        """Return a repair that Lark refuses, with the tree of the search."""
        compiled = self._compiled
        text = layout.given
        tree = build_tree(repair.root, compiled.callbacks, text, layout.to_given)
        repaired = write_edits(text, repair.edits, compiled.blank)
        reason = why or "Lark reads the repaired text in another way"
        return CorrectedParse(
            tree,
            repair.price,
            repair.by_place(),
            repaired.text,
            (),
            False,
            False,
            False,
            reason,
            steps,
        )

    def _read_tokens(self, text: str) -> list[Token]:
        """Return the tokens of a text up to the first error."""
        tokens: list[Token] = []
        if not self._compiled.is_lalr:
            return tokens
        try:
            parser = self._compiled.reader.parse_interactive(text, self._start)
            for token in parser.iter_parse():
                tokens += [token]  # not `extend`: the tokens before an error are kept
        except UnexpectedInput as error:
            # What the parser refuses was yielded before; what the lexer refuses was not.
            refused = getattr(error, "token", None)
            last = tokens[-1:]
            if last and last[0] is refused:
                tokens.pop()
        return tokens


def _is_short(grammar: Compiled, text: str) -> bool:
    if len(text) > 40 * _EXACT_TOKENS:
        return False
    scanner = Scanner(grammar.tables, text, grammar.lexer)
    return scanner.has_at_most(_EXACT_TOKENS)


def _has_mistake(edits: Sequence[Edit]) -> bool:
    return any(edit.kind == "mistake" for edit in edits)
