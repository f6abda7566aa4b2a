"""Sym-Ops text and documents: parse, repair, recover, validate, render, stream. Knows no wing and no network."""
