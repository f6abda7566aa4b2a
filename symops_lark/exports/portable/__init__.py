"""Strict parsers as data: the tables of a dialect that a small runtime of any language reads."""
