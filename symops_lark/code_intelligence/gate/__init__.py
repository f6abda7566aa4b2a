"""Sessions: steps, record of evidence, phases, and whether a write is allowed."""
