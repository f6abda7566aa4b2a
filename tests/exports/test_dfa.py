"""Joint automata of several patterns, and the states at which a runtime may pass over whole lines."""

from __future__ import annotations

import pytest

from symops_lark.exports.portable.dfa import DEAD, find_skips, join_patterns

# Classes of code points: 0 is any character, 1 the newline, 2 is `>`.
CUTS = [[0, 0], [10, 1], [11, 0], [62, 2], [63, 0]]
HOME, LINE = 0, 1
IN_LINE = [LINE, HOME, LINE]
STOP = [DEAD, DEAD, DEAD]


def chain(count: int) -> list[list[int]]:
    """Return an automaton in which so many `>` end a block if nothing else is on their line."""
    states = [2 + depth for depth in range(count)]
    inner = [[LINE, HOME, state] for state in states[1:]]
    end = states[-1] + 1
    return [[LINE, HOME, states[0]], IN_LINE, *inner, [LINE, end, LINE], STOP]


@pytest.mark.parametrize("count", [1, 2, 3, 41])
def test_lines_of_a_block_are_passed_over_but_its_end(count: int) -> None:
    assert find_skips(chain(count), CUTS) == [(HOME, [">" * count])]


@pytest.mark.parametrize(
    "rows",
    [
        chain(42),  # a text that is too long
        [[LINE, HOME, LINE], IN_LINE],  # every line leads back: there is nothing to look for
        [[LINE, 2, 2], IN_LINE, STOP],  # an empty line does not lead back
        [[2, HOME, LINE], IN_LINE, STOP],  # what does not lead back has no single text
        [[DEAD, HOME, 1], STOP, [DEAD, HOME, DEAD]],  # no line but an empty one is read
        [[LINE, HOME, 2], [LINE, 2, LINE], STOP],  # a line does not lead back
    ],
)
def test_states_at_which_no_line_is_passed_over(rows: list[list[int]]) -> None:
    assert find_skips(rows, CUTS) == []


def test_a_class_of_several_characters_is_no_text() -> None:
    # 0 is `>`, and 3 is `a` or `b`: both begin lines that do not lead back.
    cuts = [[0, 2], [10, 1], [11, 2], [62, 0], [63, 2], [97, 3], [99, 2]]
    in_line, stop = [LINE, HOME, LINE, LINE], [DEAD] * 4
    assert find_skips([[2, HOME, LINE, 2], in_line, stop], cuts) == []
    assert find_skips([[2, HOME, LINE, LINE], in_line, stop], cuts) == [(HOME, [">"])]


def test_at_most_twelve_texts_are_looked_for() -> None:
    signs = [chr(code) for code in range(62, 75)]
    for count, is_skipped in ((12, True), (13, False)):
        cuts = [*CUTS[:3], *([62 + at, 2 + at] for at in range(count)), [62 + count, 0]]
        in_line = [LINE, HOME, *[LINE] * count]
        rows = [[LINE, HOME, *[2] * count], in_line, [DEAD] * (2 + count)]
        assert find_skips(rows, cuts) == ([(HOME, signs[:count])] if is_skipped else [])


def test_the_first_pattern_that_matches_the_whole_text_is_named() -> None:
    dfa, rows, match = join_patterns(["a\n", "a+\n", "[ab]*c?\n"])
    for text, expected in (("a", 0), ("aa", 1), ("ab", 2), ("aac", 2), ("", 2), ("cc", -1), ("ac", 2)):
        state = 0
        for character in text + "\n":
            state = DEAD if state == DEAD else rows[state][dfa.alphabet.letter(character)]
        assert (DEAD if state == DEAD else match[state]) == expected, text
        assert match[0] == -1
