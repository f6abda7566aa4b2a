"""Attacks on what acts, and on what is asked: one module a kind of attack, each with `attack`."""
