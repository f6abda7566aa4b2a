"""How fast: one suite on real files, whose table says of each goal whether it holds."""
