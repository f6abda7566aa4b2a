"""Parsing with error recovery: reading (to an outline), recovery (to a document), detection (of the dialect)."""
