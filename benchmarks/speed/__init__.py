"""How fast: ratios and times of one run on one machine."""
