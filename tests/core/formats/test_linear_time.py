"""Openers without number before one end: no text of a format takes time with the square of its length."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from symops_lark import write_format
from symops_lark.core.document import Action, Document
from symops_lark.core.formats.documents import read_format
from symops_lark.core.formats.loading import formats
from symops_lark.core.ground.errors import RenderError


def write(name: str) -> str:
    """Return a reply with one action in a format; "" if the format cannot write it."""
    try:
        return write_format(Document((Action("create", "a.py", "x = 1\ny = 2\n"),)), name) + "\n"
    except RenderError:
        return ""


@pytest.mark.slow
@pytest.mark.alike(4)
@pytest.mark.parametrize("part", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", [name for name in formats() if write(name)])
def test_beginnings_before_one_end_take_linear_time(name: str, part: int) -> None:
    """A text that is four times as long may take ten times as long; a quadratic reader takes sixteen times."""
    text = write(name)
    cut = len(text) * part // 6
    times = []
    for size in (20_000, 80_000):
        reply = text[:cut] * (size // cut) + text[cut:]
        begun = time.process_time()
        read_format(reply)
        times.append(time.process_time() - begun)
    assert times[1] < max(10 * times[0], 0.5)


CALL = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>\n'
PARAMETER = "<parameter=command>\nls\n</parameter>\n"
NUMBERED = "<parameter=command%d>\nls\n</parameter>\n"
AROUND = "<tool_call>\n<function=bash>\n%s</function>\n</tool_call>\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("hermes_json", lambda count: CALL * count),
        ("qwen_xml", lambda count: AROUND % (PARAMETER * count)),
        ("qwen_xml", lambda count: AROUND % "".join(NUMBERED % number for number in range(count))),
    ],
    ids=["calls", "values of one parameter", "parameters"],
)
def test_many_calls_and_many_parameters_take_linear_time(name: str, write: Callable[[int], str]) -> None:
    times = []
    for count in (3_000, 12_000):
        reply = write(count)
        begun = time.process_time()
        read_format(reply, name)
        times.append(time.process_time() - begun)
    assert times[1] < max(10 * times[0], 0.5)
