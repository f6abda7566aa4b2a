"""The benchmark of near marks: its slips are slips, and what it prints supports the prices."""

from __future__ import annotations

import random
import re

import pytest

from benchmarks.near_marks.__main__ import main
from benchmarks.near_marks.slips import SLIPS
from symops_lark.core.formats.near_marks import PRICES
from symops_lark.core.text.slips import Slip, find_slip


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_of_its_kind(slip: Slip) -> None:
    for number in range(200):
        near = SLIPS[slip]("</parameter>", random.Random(number))
        assert find_slip(near, "</parameter>") is slip


@pytest.mark.slow
def test_nearly_all_corrections_are_right(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["near_marks", "--n", "2", "--seed", "5"])
    assert main() == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    assert [row[:26].strip() for row in rows] == list(PRICES)
    for row in rows:
        shares = [float(share) for share in re.findall(r"([\d.]+)%", row)]
        # Read as meant, corrections that are right, wrong ones, and texts of a content that were taken for marks.
        assert shares[0] > 50 and shares[1] > 85 and shares[3] == 0, row
