"""Random valid texts of a strict grammar: small ones first, and sooner or later every alternative of every rule.

The grammar becomes a graph of decisions: which alternative of a rule or of a regular expression, how often a
repetition. A text is one walk through it. As long as a decision was never taken, walks are steered to the nearest such
one; all else is chance, with phrases that look like replies where the regular expressions let them. Each text is read
by the strict parser before it is given, because a grammar's lexer may see other terminals than the walk wrote.
"""

from __future__ import annotations

import itertools
import random
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
_STEPS_OF_A_TEXT = 100_000  # ten times what a text of the largest installed grammar takes
_LARGE = 60  # decisions of a text of any grammar, from which on the shortest ways are taken
_HUGE = 4_000  # the same for a reply
_DEEP = 80  # nested decisions, from which on the shortest way out is taken

_PLAIN = (
    *("a", "ls", "ok", "1", "42", "3.14", "main.py", "src/app.py", "tests/test_app.py", "README.md", "docs"),
    *("refactor", "pytest -q tests", "git status", "make lint", "the tests fail", "Read the file."),
    *("x = 1", "    return x", "\tcc -o a a.c", "def f(x):", "# a heading", "- an item", "", " ", "E404", "Which one?"),
    *("x = 1\ny = 2\n", "def f(x):\n    return x\n", "# Title\n\n- one\n- two\n", '{\n  "a": [1, 2]\n}\n', "\n"),
)
_ODD = (
    *("ファイル.txt", "naïve café", "**bold**", "`code`", "'quoted'", "```python", "~~~", "~/a", "a -> b", "a → b"),
    *("[x]", "(y)", "a\\b", "100%", "🙂", "＃１", "<div>", "a\u00a0b", "a\u2028b", "x;", "a|b", "=", "^", "z\t"),
)
_Vocabulary = tuple[list[str], list[str], list[str]]  # usual phrases, odd ones, vitals
_PATHS = ("PATH", "DEPENDENCY")  # terminals that read better without blanks
_POOL = "abcdefghijklmnopqrstuvwxyz" * 4 + "ABCXYZ0123456789_/-.=+:;<>[]{}()#$%&|\\^~*!é字🙂"


@dataclass(frozen=True, slots=True)
class Samples:
    """Distinct valid texts, sorted by length; how many drafts the parser refused; what no accepted text used.

    `missed` names decisions as `rule or terminal: what was decided`; it is empty if there were texts enough.
    """

    texts: tuple[str, ...]
    rejected: int
    missed: tuple[str, ...]


def sample_texts(dialect: WrittenDialect, n: int, seed: int | str = 0) -> list[str]:
    """Return n distinct valid texts of a dialect, sorted by length; fewer if its language is that small.

    The same grammar, n and seed give the same texts everywhere. Raises `GrammarError` for a grammar that cannot be
    compiled, or that has a terminal without a regular expression that can be written. Source: the rules and
    terminals that Lark made of the grammar.
    """
    return list(draw(dialect, n, seed).texts)


def draw(dialect: WrittenDialect, n: int, seed: int | str = 0) -> Samples:
    """Return n samples, as `sample` does, with the count of what was dropped and what they do not cover."""
    with bounded_steps(dialect.path, steps_for(dialect.text) + n * _STEPS_OF_A_TEXT, what="sampled"):
        graph = DecisionGraph(dialect.parser, dialect.path)
        return _Sampler(graph, _vocabulary(dialect), lambda text: _is_document(text, dialect), seed).draw(n)


def draw_plain(grammar: PlainGrammar, n: int, seed: int | str = 0) -> Samples:
    """Return n samples of a grammar that is not a dialect; each is a text that Lark parses."""
    path, text = grammar.dialect.path, grammar.dialect.text
    with bounded_steps(path, steps_for(text) + n * _STEPS_OF_A_TEXT, what="sampled"):
        graph = DecisionGraph(grammar.sampled, path, grammar.start, grammar.blank)
        words: _Vocabulary = ([*_PLAIN], [*_ODD], [])
        samples = _Sampler(graph, words, lambda draft: grammar.accepts(grammar.finish(draft)), seed, _LARGE).draw(n)
        return replace(samples, texts=tuple(dict.fromkeys(map(grammar.finish, samples.texts))))


def _is_document(text: str, dialect: WrittenDialect) -> bool:
    return isinstance(read_strictly(text, dialect), Document)


class _Sampler:
    """Walks through the graph of one grammar; all chance comes from `Random.random`, which no version changes."""

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
        self._decisions = 0  # of the present walk
        self._accepts = accepts
        self._random = random.Random(f"{seed}").random
        self._plain, self._odd, self._vitals = words
        self._phrases: dict[Decision, tuple[list[str], list[str], float]] = {}
        self._pools: dict[CharacterClass, str] = {}
        ways = [(node, way) for node in self._graph.decisions for way in range(len(node.ways))]
        self._wanted = dict.fromkeys(ways, 0)  # never taken so far: the number of walks there that failed
        self._used: set[tuple[Decision, int]] = set()  # by the present walk
        self._distance: dict[Decision, int] = {}  # to the nearest wanted decision, until the present walk is there

    def draw(self, n: int) -> Samples:
        texts: dict[str, None] = {}
        rejected = drafts = failures = 0
        while len(texts) < n and failures < _PATIENCE:
            drafts += 1
            self._used = set()
            self._decisions = 0
            self._distance = self._measure()
            text = self._write(self._graph.root, 0.35 * drafts.bit_length(), 0)
            valid = text in texts or self._accepts(text)
            rejected += not valid
            failures = 0 if valid and text not in texts else failures + 1
            self._settle(valid)
            if valid:
                texts[text] = None
        missed = {f"{node.name}: {node.describe(way)}" for node, way in self._wanted}
        return Samples(tuple(sorted(texts, key=lambda text: (len(text), text))), rejected, tuple(sorted(missed)))

    def _settle(self, valid: bool) -> None:
        """Count what the walk took as reached if its text is valid, else as tried."""
        for step in self._used & self._wanted.keys():
            if valid:
                del self._wanted[step]
            else:
                self._wanted[step] += 1

    def _measure(self) -> dict[Decision, int]:
        """Return how far each decision is from the nearest wanted one; those of the rules come before the lexical."""
        wanted = [node for (node, _), tries in self._wanted.items() if tries < _TRIES]
        wanted = [node for node in wanted if not node.lexical] or wanted
        distance = dict.fromkeys(wanted, 0)
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
        times = 1 if not part.repeats else part.low if way == 0 else part.low + 1
        while part.repeats and way and times < part.high and self._random() < 0.6:
            times += 1
        inner = mean if part not in part.below[way] else mean * 0.4
        return "".join(
            self._write(child, mean if child is part else inner, depth + 1)
            for _ in range(times)
            for child in part.ways[way]
        )

    def _choose(self, node: Decision, mean: float, depth: int) -> int:
        ways = range(len(node.ways))
        self._decisions += 1
        # The nearest wanted decision may be nested without end, and several nested ones grow like a tree.
        if depth > 2 * _DEEP or self._decisions > self._most:
            return min(ways, key=lambda way: height_of(node.below[way]))
        if self._distance.get(node) == 0:
            steps = [(node, way) for way in ways]
            wanted = [step for step in steps if step not in self._used and self._wanted.get(step, _TRIES) < _TRIES]
            if self._random() < 0.3:
                self._distance = {}  # arrived: chance takes over
            if wanted:
                return self._pick(wanted)[1]
        elif node in self._distance:
            far = [min((self._distance.get(child, 10**6) for child in node.below[way]), default=10**6) for way in ways]
            return self._pick([way for way in ways if far[way] == min(far)])
        if depth > _DEEP:
            return min(ways, key=lambda way: height_of(node.below[way]))
        again = [way for way in ways if node in node.below[way]]
        once = [way for way in ways if way not in again]
        if again and once:
            return self._pick(again if self._random() < mean / (1 + mean) else once)
        return self._pick(ways, node.weights)

    def _pick(self, items: Sequence[_Item], weights: Sequence[float] | None = None) -> _Item:
        if weights is None:
            return items[int(self._random() * len(items))]
        ends = list(itertools.accumulate(weights))
        return items[bisect_right(ends, self._random() * ends[-1])]

    def _find_phrase(self, node: Decision) -> str | None:
        """Return a phrase that the regular expression of a node matches, or None: then it is written by chance."""
        if node not in self._phrases:
            self._phrases[node] = self._choose_phrases(node)
        phrases, odd, likely = self._phrases[node]
        if not phrases or self._random() >= likely:
            return None
        return self._pick(odd if odd and self._random() < 0.25 else phrases)

    def _choose_phrases(self, node: Decision) -> tuple[list[str], list[str], float]:
        """Return the phrases that a node matches, the odd ones, and how likely one of them is to be taken."""
        matches = re.compile(spell(node)).fullmatch
        plain = [phrase for phrase in self._plain if matches(phrase)]
        if not any(map(str.strip, plain)):
            if plain:
                return sorted(plain, key=len)[:1], [], 0.93
            return [phrase for phrase in self._vitals if matches(phrase)], [], 0.8
        several = [phrase for phrase in plain if "\n" in phrase[:-1]]
        if several:  # several lines may stand here: let them
            return several, [], 0.4
        if node.name in _PATHS:
            plain = [phrase for phrase in plain if " " not in phrase] or plain
        return plain, [phrase for phrase in self._odd if matches(phrase)], 0.8

    def _write_character(self, chars: CharacterClass) -> str:
        pool = self._pools.get(chars)
        if pool is None:
            pool = "".join(filter(chars.has, _POOL))
            if not pool:
                ranges = invert(chars.ranges) if chars.complement else chars.ranges
                codes = (code for low, high in ranges for code in range(low, high + 1) if not 0xD800 <= code < 0xE000)
                pool = "".join(chr(code) for code in itertools.islice(codes, 64))
            self._pools[chars] = pool
        return self._pick(pool)


def _vocabulary(dialect: WrittenDialect) -> _Vocabulary:
    """Return phrases that look like replies, odd ones (some look like markup), each alone and as a line; and vitals."""
    marks = dialect.said_marks
    vitals = [f"{marks.get('vital', '')}{key}{value}" for key in VITAL_NAMES for value in ("0.8", "1", "0.25")]
    vitals += [word + value for word in dialect.own.get("vitals", {}).values() for value in ("0.8", "1", "0.25")]
    head = f"{marks['action']}create {marks['target']}a.py" if "action" in marks else "create a.py"
    like = [shape.format(mark) for mark in marks.values() for shape in ("{}", "{} x", "{}x", "x {}", " {}", "{0}{0}")]
    both = (_PLAIN, (*_ODD, head, vitals[0], *like))
    plain, odd = ([*words, *(word + "\n" for word in words if not word.endswith("\n"))] for words in both)
    return list(dict.fromkeys(plain)), list(dict.fromkeys(odd)), vitals
