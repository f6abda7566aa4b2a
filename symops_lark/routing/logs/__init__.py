"""The log of runs: rows, folding, tallies, verification."""
