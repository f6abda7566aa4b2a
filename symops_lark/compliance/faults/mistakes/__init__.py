"""The mistakes: one small seeded function each, registered by name; to add one is to write one more."""

from . import contents, delimiters, encoding, fences, foreign, heads, sections, tags, versions, whole, wrapping
from .draft import REGISTRY, Draft, Expected, Mistake, applicable, damage, listed_for, spoil

__all__ = ["REGISTRY", "Draft", "Expected", "Mistake", "applicable", "damage", "listed_for", "spoil"]

ROOMS = (encoding, wrapping, fences, delimiters, heads, versions, sections, whole, tags, contents, foreign)
