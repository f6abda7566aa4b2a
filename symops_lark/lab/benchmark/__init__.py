"""How often a model follows a format, and whether the intended actions are recovered.

Invariants:

1. A reply that fails to parse is never any kind of success.
2. A rate has its number of tries and its interval.
3. Simulated, replayed and live replies never share a table.
4. The same seed gives the same texts on every machine.
"""
