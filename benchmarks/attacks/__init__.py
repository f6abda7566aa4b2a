"""Attacks on what acts: one file a kind; a module with `attack` is one, and nothing else names it.

    def attack(n: int, seed: int, place: Path) -> Figures: ...

`n` says how large it is, and `LARGE` which `n` it has by hand; `place` is an empty folder. What it tries never leaves
that folder, also where an attack succeeds.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "support"))  # attacks and tests share their tools

OUTSIDE, LOST, WRONG = "outside the root", "lost", "wrongly recovered"
_SHOWN = 5


@dataclass
class Figures:
    """What came of an attack: how much was tried, what was won (`harms`, all of them named), what else was counted."""

    harms: dict[str, int]
    tried: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def won(self, harm: str, example: str) -> None:
        """Count a success of the attacker."""
        self.harms[harm] += 1
        if len(self.examples) < _SHOWN:
            self.examples.append(f"{harm}: {example}")


class Attack(Protocol):
    """A kind of attack."""

    LARGE: int

    def attack(self, n: int, seed: int, place: Path) -> Figures:
        """Try it in an empty folder."""


def find_attacks() -> Mapping[str, Attack]:
    """Return the attacks by name."""
    names = (item.name for item in pkgutil.iter_modules(__path__) if not item.name.startswith("_"))
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in sorted(names)}
    return {name: module for name, module in modules.items() if hasattr(module, "attack")}


def count(*harms: str) -> Figures:
    """Return figures that are all zero."""
    return Figures(dict.fromkeys(harms, 0))


@contextmanager
def patient_disk() -> Iterator[None]:
    """Let `fsync` do nothing: a process that is killed leaves what it wrote, and only machines that stop need it."""
    fsync = os.fsync
    os.fsync = lambda fd: None
    try:
        yield
    finally:
        os.fsync = fsync
