"""Replies in fresh wordings: what is meant now, and what is only an example, a plan or somebody else's turn."""
