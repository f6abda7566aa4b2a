"""Regular expressions in linear time: RE2, and an automaton with the same matches without it."""
