"""Instruments: the compliance benchmark, format baselines, tools for dialect designers, the playground, statistics."""
