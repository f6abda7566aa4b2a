"""How often judgments are read correctly: tasks, damage, readers, and the outcome of each reader.

Invariants: the same settings give the same replies; every reader reads the same texts; simulated,
replayed and live replies never share a table.
"""
