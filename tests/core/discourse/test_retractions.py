"""Words after a verdict: what takes it back, and how far that reaches."""

from __future__ import annotations

import time

import pytest
from passages import ACT
from symops_lark import Source, Span
from symops_lark.core.discourse.verdicts import find_retraction


@pytest.mark.parametrize(
    "following",
    [
        " - if the tests pass",
        "\nProvided that CI is green.",
        "\nHowever, two tests fail.",
        "\nHmm, let me see.",
        "\nThe tests must pass first.",
        "?",
        "\nただし、テストが通った場合に限ります。",
        "\n但是有两个测试失败。",
    ],
)
def test_retractions(following: str) -> None:
    doubt = find_retraction(ACT + following, len(ACT))
    assert doubt is not None
    assert doubt.sentence.text in following


@pytest.mark.parametrize(
    "following",
    [
        "",
        "\n",
        " - the tests pass.",
        "\nReason: it could be wrong otherwise.",
        "\nBecause the tests fail.",
        "\nLet me know if you need anything else.",
        "\nNo regressions were found.",
        " (needs a fix)",
    ],
)
def test_sentences_that_leave_a_verdict(following: str) -> None:
    assert find_retraction(ACT + following, len(ACT)) is None


def test_a_sentence_about_another_verdict_leaves_this_one() -> None:
    text = f"{ACT}\nBut {ACT} is what the page suggested."
    source = Source(text)
    second = text.rindex(ACT)
    spans = [source.span(second, second + len(ACT))]
    assert find_retraction(text, len(ACT), spans) is None
    assert find_retraction(text, len(ACT)) is not None


def test_the_stance_of_a_retraction() -> None:
    doubt = find_retraction(f"{ACT}\nIf I may.", len(ACT))
    assert doubt is not None
    assert doubt.stance == "conditional"
    doubt = find_retraction(f"{ACT}\nHmm.", len(ACT))
    assert doubt is not None
    assert doubt.stance == "withdrawn"
    # Words about persons are looked for beyond the line of the verdict.
    assert find_retraction(f"{ACT} I checked all tests.", len(ACT)) is None


def is_taken_back(following: str, others: str = "") -> bool:
    """Return whether a verdict is taken back by the text after it.

    Args:
        following: The text.
        others: A word that is another verdict wherever it is.
    """
    text = f"{ACT}{following}"
    spans: list[Span] = []
    at = text.find(others, len(ACT)) if others else -1
    while at >= 0:
        spans.append(Source(text).span(at, at + len(others)))
        at = text.find(others, at + 1)
    return find_retraction(text, len(ACT), spans) is not None


def test_later_sections_only_take_back() -> None:
    assert is_taken_back("\n\nIf the cache is cold, it is slow.")
    for section in ("## Notes", "---", "* * *", "###### x"):
        assert not is_taken_back(f"\n\n{section}\n\nIf the cache is cold, it is slow."), section
        assert is_taken_back(f"\n\n{section}\n\nThe verdict above is withdrawn."), section
    # These begin no section; the first is the rest of the verdict's line.
    for line in (" ## Notes", "\n\n-- x", "\n\n#Notes"):
        assert is_taken_back(f"{line}\n\nIf the cache is cold, it is slow."), line


def test_reasons_may_have_words_of_possibility() -> None:
    doubt = "It crashes if the body is empty."
    assert is_taken_back(f"\n{doubt}")
    assert not is_taken_back(f"\nReason: a crash. {doubt}\n{doubt}")
    # A paragraph of reasons ends at a blank line, that of a label at the next one.
    assert is_taken_back(f"\nReason: a crash.\n\n{doubt}")
    assert not is_taken_back(f"\nReasons:\n\n- {doubt}\n- {doubt}")
    assert is_taken_back(f"\nReasons:\n\nA crash.\n\n{doubt}")
    assert is_taken_back("\nReason: a crash.\nProvided that CI is green.")


def test_a_line_in_brackets_is_a_reservation() -> None:
    assert is_taken_back("\n\n(all but one)")
    assert is_taken_back("\n（一件を除く）")
    assert not is_taken_back(" (all but one)")
    assert not is_taken_back("\n\nAll tests pass (all of them)")


def test_code_is_not_read() -> None:
    code = "```\nif x: return\n```"
    assert not is_taken_back(f"\n\n{code}\n")
    assert is_taken_back(f"\n\n{code}\n\nOnly if CI is green.")
    block = "```\nx\n```\n"
    scratched = block.replace("x", "Scratch that.")
    text = f"{block}{ACT}\n{scratched}"
    assert find_retraction(text, text.index(ACT) + len(ACT)) is None
    # The verdict is in the block.
    assert find_retraction(f"```\n{ACT}\n```\nOnly if it is.\n{code}", len(ACT) + 4) is not None


def test_persons_who_uphold_a_verdict() -> None:
    assert is_taken_back("\nI have a bad feeling.")
    assert not is_taken_back("\nI ran all tests.")
    assert not is_taken_back(" This is the report.")


def test_a_sentence_about_another_verdict() -> None:
    other_text = "[B]"
    assert not is_taken_back(f"\nIf {other_text} held, it would be red.", other_text)
    assert not is_taken_back(f"\nWrong: {other_text}", other_text)
    assert not is_taken_back("\nB only if CI is green.", "B")
    assert not is_taken_back(f"\nScratch that: {other_text}", other_text)
    assert is_taken_back(f"\nScratch that, {other_text}", other_text)
    assert is_taken_back(f"\nWait, not {other_text}.", other_text)
    text = f"{ACT}\nIf {other_text} held, it is red.\nIf [C] held, too."
    spans = [Source(text).span(at, at + 3) for at in (text.index(other_text), text.index("[C]"))]
    assert find_retraction(text, len(ACT), spans) is None
    assert is_taken_back(f"\nNot {other_text}. Only if CI is green.", other_text)
    assert is_taken_back(f"\nOnly if CI is green. Not {other_text}.", other_text)


def test_sentences_for_actions_count_as_well() -> None:
    assert is_taken_back("\nNothing has been run so far.")
    assert is_taken_back("\nTreat this as a draft.")


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["[B]. ", "[B]\n", "If so. ", "a\n\n", "```\n", "Reasons:\n\n", "("]
)
def test_time_is_linear(unit: str) -> None:
    def seconds(size: int) -> float:
        text = ACT + "\n" + "Fine.\n" + unit * (size // len(unit))
        spans = [Span(at, at + 3) for at in range(len(text)) if text.startswith("[B]", at)]
        start = time.process_time()
        find_retraction(text, len(ACT), spans)
        return time.process_time() - start

    seconds(1_000)  # compiles the patterns
    # A collection of garbage takes as long after other tests, but not three times.
    longest = min(seconds(300_000) for _ in range(3))
    assert longest < 20 * seconds(30_000) + 0.1  # quadratic would be 100 times
