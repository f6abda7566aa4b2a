"""Compare contents of edits with the texts of the files that they change."""
