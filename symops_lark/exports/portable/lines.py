"""Compile the kinds of lines of a dialect to one automaton.

The line rules, each followed by a different end mark, are the alternatives of a second start
rule. One start rule serves all of them: the lexer of a single rule would not know the words that
the other rules reserve.
"""

from __future__ import annotations

from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.compiling.dialect_tables import LINE_RULES, freeze_parser
from ..automata.alphabet import split_letters
from ..automata.language import Follower
from .dfa import DEAD, JsonTable, Rows, minimize, squeeze

_START = "line__"
# Private-use characters end the lines. A line that contains one has no kind.
_FIRST_END = 0xE000


def compile_lines(dialect: WrittenDialect) -> JsonTable:
    """Return the automaton of a dialect's lines; each text ends with its line feed.

    Args:
        dialect: The dialect.

    Returns:
        `classes`, `rows` and `match` (the index in `rules`, or -1); it begins at state 0.

    Raises:
        NotRegular: A line is not a regular language.
    """
    rules = list(filter(dialect.line_patterns.__contains__, LINE_RULES))
    alternatives = []
    ends = []
    for index, rule in enumerate(rules):
        alternatives.append(f"{rule} END_{index}")
        mark = chr(_FIRST_END + index)
        ends.append(f'END_{index}: "{mark}"')
    start = " | ".join(alternatives)
    text = "\n".join((dialect.text, f"{_START}: {start}", *ends, ""))
    parser = dialect.make_parser(text, (_START,))
    tables = freeze_parser(parser)
    # The follower begins at the rule `document`.
    for name in ("starts", "ends"):
        state = tables[name][_START]
        tables[name] = {"document": state}
    follower = Follower(tables)
    rows, match = _follow(follower, len(rules))
    rows, match, _ = minimize(rows, match, [0])
    rows, cuts = squeeze(rows, follower.alphabet)
    return {"classes": cuts, "rows": rows, "match": match, "rules": rules}


def _follow(follower: Follower, count: int) -> tuple[Rows, list[int]]:
    """Return the rows and the matches of the lines that end with one of `count` marks."""
    end_marks = {}
    for index in range(count):
        mark = chr(_FIRST_END + index)
        letter = follower.alphabet.letter(mark)
        end_marks[letter] = index
    size = 1 + max(follower.alphabet.letters)
    begin = follower.begin()
    numbers = {begin: 0}
    waiting = [begin]
    rows: Rows = []
    match = []
    # The list of states grows while it is read.
    for readings in waiting:
        row = [DEAD] * size
        ending = []
        for letter in split_letters(follower.letters(readings)):
            after = follower.follow(readings, letter)
            # An end mark shows which rule has ended; the line does not contain it.
            if letter in end_marks:
                if after and follower.ends(after):
                    ending.append(end_marks[letter])
            elif after:
                if after not in numbers:
                    numbers[after] = len(numbers)
                    waiting.append(after)
                row[letter] = numbers[after]
        rows.append(row)
        match.append(min(ending, default=-1))
    return rows, match
