"""The mistakes: one small seeded function or one row each, registered by name; to add one is to write one more."""

from . import contents, delimiters, encoding, fences, foreign, heads, sections, tags, versions, whole, wrapping
from .draft import Draft, Expected
from .registry import REGISTRY, Mistake, applicable, apply_mistakes, damage, listed_for

__all__ = ["REGISTRY", "Draft", "Expected", "Mistake", "applicable", "apply_mistakes", "damage", "listed_for"]

ROOMS = (encoding, wrapping, fences, delimiters, heads, versions, sections, whole, tags, contents, foreign)
