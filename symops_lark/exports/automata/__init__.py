"""The language of a dialect as a finite automaton, and its pieces as regular expressions."""
