"""Instruments: the benchmark, its baselines and statistics, the playground, tools for dialects."""
