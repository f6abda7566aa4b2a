"""Translate Python to JavaScript, for the subset of Python that the modules of a bundle use."""
