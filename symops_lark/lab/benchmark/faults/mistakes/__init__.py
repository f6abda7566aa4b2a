"""The mistakes, each a small function with a seed, or a row of a table.

All modules here are searched for them, in the order of their names: what is drawn depends on it.
"""

import pkgutil
from importlib import import_module

from .draft import Draft, Expected
from .registry import REGISTRY, Mistake, applicable, apply_mistakes, register

__all__ = ["REGISTRY", "Draft", "Expected", "Mistake", "applicable", "apply_mistakes"]

for _module in pkgutil.iter_modules(__path__):
    register(import_module(f"{__name__}.{_module.name}"))
