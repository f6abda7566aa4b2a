"""Lines of a dialect as patterns with labelled parts, and the languages of contents."""
