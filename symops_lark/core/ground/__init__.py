"""Modules that do not know Sym-Ops: errors, numbers, JSON, locks, processes, folders.

They import the standard library and each other, and nothing else of this package.
"""
