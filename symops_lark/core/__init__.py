"""Sym-Ops text and documents: parse, repair, recover, validate, render, stream.

The core imports no other package of `symops_lark`, and does no network access.
"""
