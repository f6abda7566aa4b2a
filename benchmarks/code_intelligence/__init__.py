"""How well and how fast the index of code answers."""
