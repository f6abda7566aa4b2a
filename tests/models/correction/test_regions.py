"""Broken sections that are asked for one by one: each finds its place, in linear time."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from counting import count_calls
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Action, Document, SelfCorrector, SymOpsProcessor, render
from symops_lark.models import ScriptedModel
from symops_lark.models.correction.regions import find_regions

PATHS = st.sampled_from(["a.py", "b.py", "c.py"])


def correct(first: str, answer: str, mode: str = "differential") -> list[tuple[str, str | None]]:
    processor = SymOpsProcessor("v2", corrector=SelfCorrector(ScriptedModel([answer] * 2), mode))
    return [(action.path, action.content) for action in processor.process(first, "Write it.").document.actions]


def hollow(paths: Sequence[str]) -> str:
    return "\n".join(f"::create @{path}\n" for path in paths)


def full(paths: Sequence[str]) -> str:
    actions = [Action("create", path, f"content {number}") for number, path in enumerate(paths)]
    return render(Document(tuple(actions)))


def test_two_broken_sections_on_one_path_keep_both_answers() -> None:
    first = "::edit @a.py\n\n::edit @a.py\n\n::create @c.py\n<<<\nc\n>>>\n"
    answer = "::edit @a.py\n<<<\none\n>>>\n\n::edit @a.py\n<<<\ntwo\n>>>\n"
    assert correct(first, answer) == [("a.py", "one"), ("a.py", "two"), ("c.py", "c")]


@given(st.lists(PATHS, min_size=1, max_size=6), st.randoms())
def test_each_action_of_the_answer_is_put_back_once(paths: list[str], random: Random) -> None:
    """A law: whatever the paths, and in whatever order the answer is, no action is lost or written twice."""
    shuffled = list(paths)
    random.shuffle(shuffled)
    contents = correct(hollow(paths) + "\n>> a thought\n", full(shuffled))
    assert [path for path, _ in contents] == paths
    assert sorted(contents) == sorted((path, f"content {number}") for number, path in enumerate(shuffled))


@pytest.mark.parametrize("count", [40, 80])
def test_every_broken_section_is_a_region(count: int) -> None:
    paths = [f"f{number}.py" for number in range(count)]
    regions = find_regions(SymOpsProcessor("v2").process(hollow(paths)))
    assert [region.text for region in regions] == [f"::create @{path}\n" for path in paths]
    assert all(len(region.findings) == 1 for region in regions)


@pytest.mark.slow
def test_correcting_takes_time_linear_in_the_sections() -> None:
    def work(count: int, mode: str) -> int:
        paths = [f"f{number}.py" for number in range(count)]
        sound = full(paths)
        drifting = sound.replace("content", "another") + "\n::create @q.py\n"
        first, answer = (hollow(paths), sound) if mode == "differential" else (drifting, sound)
        return count_calls(lambda: correct(first, answer, mode))

    for mode in ("differential", "whole"):
        work(2, mode)
        assert work(400, mode) < 5 * work(100, mode)
