"""Figures about Sym-Ops recovery and speed, printed by `python -m benchmarks.recovery` and `.speed`."""
