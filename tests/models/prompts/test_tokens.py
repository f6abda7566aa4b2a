"""Long runs of letters, signs or blanks are counted in slices, and all other texts as they are."""

from __future__ import annotations

import time

import pytest

from symops_lark.models.prompts.tokens import ENCODING, list_encodings, load_counter

pytestmark = pytest.mark.skipif(ENCODING not in list_encodings(), reason="no tokenizer is installed")
PROSE = "A model may repeat a sign. " * 200


def count_exactly(text: str) -> int:
    return len(list_encodings()[ENCODING]().encode_ordinary(text))


@pytest.mark.parametrize("sign", ["あ", "x", "!", " "])
def test_a_run_of_a_sign_takes_no_time_with_its_square(sign: str) -> None:
    counter = load_counter()
    begin = time.process_time()
    tokens = counter.count(sign * 20_000)
    # A minute without slices, and a hundredth of a second with them.
    assert time.process_time() - begin < 2
    assert counter.count(sign * 10_000) * 2 == tokens >= 20_000 // 128


@pytest.mark.parametrize("text", ["", PROSE, "x" * 999, " " * 999, f"{'=' * 999}\n" * 3])
def test_a_text_without_a_long_run_is_counted_exactly(text: str) -> None:
    assert load_counter().count(text) == count_exactly(text)


def test_slices_of_a_run_are_all_counted() -> None:
    count = load_counter().count
    slices = [count_exactly(part) for part in ("x" * 500, "x" * 500, "x" * 7)]
    assert count("x" * 1_007) == sum(slices)
    assert count(f"{PROSE}\n{'x' * 1_007} {PROSE}") == count_exactly(f"{PROSE}\n") + sum(slices) + count_exactly(
        f" {PROSE}"
    )
