"""The mistakes: one small seeded function or one row each, found in the modules here; to add one is to write one."""

import pkgutil
from importlib import import_module

from .draft import Draft, Expected
from .registry import REGISTRY, Mistake, applicable, apply_mistakes, register

__all__ = ["REGISTRY", "Draft", "Expected", "Mistake", "applicable", "apply_mistakes"]

for _module in pkgutil.iter_modules(__path__):
    register(import_module(f"{__name__}.{_module.name}"))
