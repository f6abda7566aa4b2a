"""Broken text, read at the lowest price: kinds of lines, the engines that run a recovery grammar, the document."""
