"""A registry that is damaged anywhere gives an error with what to do, and never a bug."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from symops_lark import SymOpsError
from symops_lark.routing import Registry


@pytest.mark.parametrize("seed", range(4))
def test_damaged_bytes(seed: int, tmp_path: Path) -> None:
    with Registry(tmp_path / "whole.db"):
        pass
    whole_data, draw = (tmp_path / "whole.db").read_bytes(), random.Random(seed)
    for _ in range(150):
        damaged = bytearray(whole_data)
        for _ in range(draw.choice((1, 2, 5, 40))):
            damaged[draw.randrange(len(damaged) if draw.random() < 0.5 else 600)] = draw.randrange(256)
        path = tmp_path / "damaged.db"
        path.write_bytes(damaged[: draw.randrange(len(damaged))] if draw.random() < 0.2 else damaged)
        try:
            with Registry(path, create=False) as registry:
                registry.history(), registry.models(), registry.metrics()
        except SymOpsError as error:
            assert str(path) in str(error)
