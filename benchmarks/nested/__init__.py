"""Replies whose contents hold sections or lone delimiters: nothing in such a content may be done without a question."""
