"""How often a model obeys a format, and whether what it meant is recovered.

Laws: a reply that fails to parse is never any kind of success; a rate has its n and its interval; what was simulated,
replayed and asked of a live model never shares a table; the same seed gives the same texts on every machine.
"""
