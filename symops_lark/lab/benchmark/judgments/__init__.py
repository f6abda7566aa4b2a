"""How often judgments come out right: tasks, damage, readers, and what each reader made of the same replies.

Laws: the same settings give the same replies; every reader reads the same texts; what was simulated, replayed and asked
of a live model never shares a table.
"""
