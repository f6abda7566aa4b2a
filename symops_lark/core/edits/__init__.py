"""Compare contents of edits with the files that they change: texts only, no files, no policy."""
