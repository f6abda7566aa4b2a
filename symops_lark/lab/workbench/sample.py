"""Random valid texts of a strict grammar: small ones first, in time all alternatives of all rules.

The grammar is converted to a graph of decisions: between alternatives of a rule or of a regular
expression, and on the number of repetitions. A text is one walk through it. While there are
decisions that were never taken, walks are steered to the nearest one; everything else is random,
with phrases that look like replies where the regular expressions match them. The strict parser
reads each text before it is returned, because a grammar's lexer may find other terminals than those
of the walk.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain, filterfalse, islice
from typing import TypeVar

from ...core.document import VITAL_NAMES, Document
from ...core.grammar.compiling.bounds import bounded_steps, steps_for
from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.compiling.regular import invert
from . import read_strictly
from .decisions import CharacterClass, Decision, DecisionGraph, Part, Text, height_of, spell
from .plain import PlainGrammar

_Item = TypeVar("_Item")

_PATIENCE = 400  # drafts in a row that give no new text: the language has few more, or none
_TRIES = 12  # steered drafts that fail before a decision counts as one that no valid text takes
_STEPS_OF_A_TEXT = 100_000  # ten times those of a text of the largest built-in grammar
_LARGE = 60  # decisions of a text of any grammar; after them, the shortest ways are taken
_HUGE = 4_000  # the same for a reply
_DEEP = 80  # nested decisions; below them, the shortest way out is taken

_PLAIN = (
    *(
        "a",
        "ls",
        "ok",
        "1",
        "42",
        "3.14",
        "main.py",
        "src/app.py",
        "tests/test_app.py",
        "README.md",
        "docs",
    ),
    *("refactor", "pytest -q tests", "git status", "make lint", "the tests fail", "Read the file."),
    *(
        "x = 1",
        "    return x",
        "\tcc -o a a.c",
        "def f(x):",
        "# a heading",
        "- an item",
        "",
        " ",
        "E404",
        "Which one?",
    ),
    *(
        "x = 1\ny = 2\n",
        "def f(x):\n    return x\n",
        "# Title\n\n- one\n- two\n",
        '{\n  "a": [1, 2]\n}\n',
        "\n",
    ),
)
_UNUSUAL = (
    *(
        "ファイル.txt",
        "naïve café",
        "**bold**",
        "`code`",
        "'quoted'",
        "```python",
        "~~~",
        "~/a",
        "a -> b",
        "a → b",
    ),
    *(
        "[x]",
        "(y)",
        "a\\b",
        "100%",
        "🙂",
        "＃１",
        "<div>",
        "a\u00a0b",
        "a\u2028b",
        "x;",
        "a|b",
        "=",
        "^",
        "z\t",
    ),
)
_Vocabulary = tuple[list[str], list[str], list[str]]  # usual phrases, unusual ones, vitals
_PATHS = ("PATH", "DEPENDENCY")  # terminals that read better without blanks
_POOL = "abcdefghijklmnopqrstuvwxyz" * 4 + "ABCXYZ0123456789_/-.=+:;<>[]{}()#$%&|\\^~*!é字🙂"


@dataclass(frozen=True, slots=True)
class Samples:
    """Distinct valid texts.

    Attributes:
        texts: The texts, sorted by length.
        rejected: The number of drafts that the parser refused.
        missed: The decisions that no valid text took, as `rule or terminal: way`; empty if there
            were enough texts.
    """

    texts: tuple[str, ...]
    rejected: int
    missed: tuple[str, ...]


def sample_texts(dialect: WrittenDialect, n: int, seed: int | str = 0) -> list[str]:
    """Return distinct valid texts of a dialect, sorted by length.

    The same arguments give the same texts on every machine. Raises `GrammarError` for a grammar
    that cannot be compiled, or that has a terminal for which no text can be written. Source: the
    rules and terminals that Lark compiles from the grammar.

    Args:
        dialect: The dialect.
        n: The number of texts; there are fewer if the language has fewer.
        seed: The seed.
    """
    return list(draw(dialect, n, seed).texts)


def draw(dialect: WrittenDialect, n: int, seed: int | str = 0) -> Samples:
    """Return the texts of `sample_texts`, with the number of refused drafts and the coverage.

    Args:
        dialect: The dialect.
        n: The number of texts.
        seed: The seed.
    """
    steps = steps_for(dialect.text) + n * _STEPS_OF_A_TEXT
    with bounded_steps(dialect.path, steps, what="sampled"):
        graph = DecisionGraph(dialect.parser, dialect.path)
        accepts = partial(_is_document, dialect)
        sampler = _Sampler(graph, _vocabulary(dialect), accepts, seed)
        return sampler.draw(n)


def draw_plain(grammar: PlainGrammar, n: int, seed: int | str = 0) -> Samples:
    """Return samples of a grammar that is not a dialect; each is a text that Lark parses.

    Args:
        grammar: The grammar.
        n: The number of texts.
        seed: The seed.
    """
    path = grammar.dialect.path
    steps = steps_for(grammar.dialect.text) + n * _STEPS_OF_A_TEXT
    with bounded_steps(path, steps, what="sampled"):
        graph = DecisionGraph(grammar.sampled, path, grammar.start, grammar.blank)
        words: _Vocabulary = ([*_PLAIN], [*_UNUSUAL], [])
        sampler = _Sampler(graph, words, partial(_is_finished, grammar), seed, _LARGE)
        samples = sampler.draw(n)
        # Drafts may differ only in signs that are written alike.
        texts = dict.fromkeys(map(grammar.finish, samples.texts))
        return replace(samples, texts=tuple(texts))


def _is_finished(grammar: PlainGrammar, draft: str) -> bool:
    return grammar.accepts(grammar.finish(draft))


def _is_document(dialect: WrittenDialect, text: str) -> bool:
    return isinstance(read_strictly(text, dialect), Document)


class _Sampler:
    """Walks through the graph of one grammar.

    Only `Random.random` is used: its numbers are the same in every version of Python.
    """

    def __init__(
        self,
        graph: DecisionGraph,
        words: _Vocabulary,
        accepts: Callable[[str], bool],
        seed: int | str,
        most: int = _HUGE,
    ) -> None:
        self._graph = graph
        self._most = most
        self._decisions = 0  # in the current walk
        self._accepts = accepts
        self._random = random.Random(f"{seed}").random
        self._plain, self._unusual, self._vitals = words
        self._phrases: dict[Decision, tuple[list[str], list[str], float]] = {}
        self._pools: dict[CharacterClass, str] = {}
        # The ways that no valid text took, with the number of walks to them that failed.
        self._missing: dict[tuple[Decision, int], int] = {}
        for node in graph.decisions:
            for way in range(len(node.ways)):
                self._missing[node, way] = 0
        self._used: set[tuple[Decision, int]] = set()  # ways of the current walk
        # From each decision to the nearest one with a missing way, until the walk is there.
        self._distance: dict[Decision, int] = {}

    def draw(self, n: int) -> Samples:
        texts: dict[str, None] = {}
        rejected = 0
        drafts = 0
        failures = 0
        while len(texts) < n and failures < _PATIENCE:
            drafts += 1
            self._used = set()
            self._decisions = 0
            self._distance = self._measure()
            # Texts become longer with the number of drafts.
            text = self._write(self._graph.root, 0.35 * drafts.bit_length(), 0)
            valid = text in texts or self._accepts(text)
            rejected += not valid
            is_new = valid and text not in texts
            failures = 0 if is_new else failures + 1
            self._settle(valid)
            if valid:
                texts[text] = None
        missed = {f"{node.name}: {node.describe(way)}" for node, way in self._missing}
        by_length = sorted(texts, key=lambda text: (len(text), text))
        return Samples(tuple(by_length), rejected, tuple(sorted(missed)))

    def _settle(self, valid: bool) -> None:
        """Count the ways of the walk as taken if its text is valid, else as tried."""
        for step in self._used & self._missing.keys():
            if valid:
                del self._missing[step]
            else:
                self._missing[step] += 1

    def _measure(self) -> dict[Decision, int]:
        """Return the distance of each decision to the nearest one with a missing way.

        Decisions of rules come before those of terminals.
        """
        targets = [node for (node, _), tries in self._missing.items() if tries < _TRIES]
        targets = [node for node in targets if not node.lexical] or targets
        distance = dict.fromkeys(targets, 0)
        queue = list(distance)
        for node in queue:
            for above in self._graph.above.get(node, ()):
                if above not in distance:
                    distance[above] = distance[node] + 1
                    queue.append(above)
        return distance

    def _write(self, part: Part, mean: float, depth: int) -> str:
        """Write a part; `mean` is the number of repetitions expected."""
        if isinstance(part, Text):
            return part.text
        if isinstance(part, CharacterClass):
            return self._write_character(part)
        if part.lexical and part not in self._distance:
            phrase = self._find_phrase(part)
            if phrase is not None:
                return phrase
        way = self._choose(part, mean, depth)
        self._used.add((part, way))
        times = 1
        if part.repeats:
            times = part.low
            if way:
                times += 1
                while times < part.high and self._random() < 0.6:
                    times += 1
        # Inside a repetition there are fewer ones, so that texts do not grow like trees.
        inner = mean if part not in part.below[way] else mean * 0.4
        text = ""
        for child in part.ways[way] * times:
            text += self._write(child, mean if child is part else inner, depth + 1)
        return text

    def _choose(self, node: Decision, mean: float, depth: int) -> int:
        """Return the way to take at a decision."""
        ways = range(len(node.ways))
        self._decisions += 1
        # The nearest target may be nested without end, and several nested ones grow like a tree.
        if depth > 2 * _DEEP or self._decisions > self._most:
            return self._way_out(node)
        if self._distance.get(node) == 0:
            targets = []
            for way in ways:
                step = (node, way)
                if step not in self._used and self._missing.get(step, _TRIES) < _TRIES:
                    targets.append(way)
            if self._random() < 0.3:
                # The walk has arrived: the remaining decisions are random.
                self._distance = {}
            if targets:
                return self._pick(targets)
        elif node in self._distance:
            distances = [self._distance_of(node.below[way]) for way in ways]
            nearest = min(distances)
            return self._pick([way for way in ways if distances[way] == nearest])
        if depth > _DEEP:
            return self._way_out(node)
        recursive = [way for way in ways if node in node.below[way]]
        ending = [way for way in ways if way not in recursive]
        if recursive and ending:
            is_repeated = self._random() < mean / (1 + mean)
            return self._pick(recursive if is_repeated else ending)
        return self._pick(ways, node.weights)

    def _way_out(self, node: Decision) -> int:
        """Return the way with the fewest nested decisions."""
        heights = list(map(height_of, node.below))
        return heights.index(min(heights))

    def _distance_of(self, nodes: Sequence[Decision]) -> int:
        distances = [self._distance[node] for node in nodes if node in self._distance]
        return min(distances, default=10**6)

    def _pick(self, items: Sequence[_Item], weights: Sequence[float] | None = None) -> _Item:
        if weights is None:
            return items[int(self._random() * len(items))]
        ends = list(accumulate(weights))
        return items[bisect_right(ends, self._random() * ends[-1])]

    def _find_phrase(self, node: Decision) -> str | None:
        """Return a phrase that a node matches; None: its text is written at random."""
        if node not in self._phrases:
            self._phrases[node] = self._choose_phrases(node)
        phrases, unusual, probability = self._phrases[node]
        if not phrases or self._random() >= probability:
            return None
        if unusual and self._random() < 0.25:
            phrases = unusual
        return self._pick(phrases)

    def _choose_phrases(self, node: Decision) -> tuple[list[str], list[str], float]:
        """Return the phrases that a node matches, unusual ones, and the probability of a phrase."""
        matches = re.compile(spell(node)).fullmatch
        plain = [phrase for phrase in self._plain if matches(phrase)]
        if not any(map(str.strip, plain)):
            if plain:
                return sorted(plain, key=len)[:1], [], 0.93
            return [phrase for phrase in self._vitals if matches(phrase)], [], 0.8
        several = [phrase for phrase in plain if "\n" in phrase[:-1]]
        if several:
            # A content: most of them should have several lines.
            return several, [], 0.4
        if node.name in _PATHS:
            plain = [phrase for phrase in plain if " " not in phrase] or plain
        return plain, [phrase for phrase in self._unusual if matches(phrase)], 0.8

    def _write_character(self, chars: CharacterClass) -> str:
        pool = self._pools.get(chars)
        if pool is None:
            pool = "".join(filter(chars.has, _POOL))
            if not pool:
                ranges = invert(chars.ranges) if chars.complement else chars.ranges
                spans = [range(low, high + 1) for low, high in ranges]
                # Halves of surrogate pairs cannot be encoded.
                codes = filterfalse(range(0xD800, 0xE000).__contains__, chain.from_iterable(spans))
                pool = "".join(map(chr, islice(codes, 64)))
            self._pools[chars] = pool
        return self._pick(pool)


def _vocabulary(dialect: WrittenDialect) -> _Vocabulary:
    """Return phrases that look like replies, unusual ones, each alone and as a line, and vitals.

    Some of the unusual ones look like markup.
    """
    marks = dialect.said_marks
    sign = marks.get("vital", "")
    words = [sign + key for key in VITAL_NAMES]
    words += dialect.own.get("vitals", {}).values()
    vitals = []
    for word in words:
        vitals += [f"{word}0.8", f"{word}1", f"{word}0.25"]
    head = "create a.py"
    if "action" in marks:
        head = f"{marks['action']}create {marks['target']}a.py"
    # Near misses of markup, which are content.
    unusual = [*_UNUSUAL, head, vitals[0]]
    for mark in marks.values():
        unusual += [mark, f"{mark} x", f"{mark}x", f"x {mark}", f" {mark}", mark * 2]
    return _with_lines(_PLAIN), _with_lines(unusual), vitals


def _with_lines(phrases: Sequence[str]) -> list[str]:
    lines = [phrase + "\n" for phrase in phrases if not phrase.endswith("\n")]
    return list(dict.fromkeys([*phrases, *lines]))
