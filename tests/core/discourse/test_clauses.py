"""The clauses of a lead: the last one that announces something decides."""

from __future__ import annotations

from symops_lark.core.discourse.clauses import Clauses, read_clauses


def test_the_last_clause_that_announces_decides() -> None:
    words = "when we run this I write a.py"
    assert read_clauses(words) == Clauses(words, "I write a.py")
    words = "it was wrong, so now I write a.py"
    assert read_clauses(words) == Clauses("now I write a.py", "I write a.py")


def test_a_pronoun_after_a_subordinate_word_begins_no_clause() -> None:
    for words in ("where I write a.py", "this is the place where I write a.py"):
        assert read_clauses(words) == Clauses(words, words)


def test_no_clause_begins_in_parentheses() -> None:
    words = "an example (now I write a.py)"
    assert read_clauses(words) == Clauses(words, words)
