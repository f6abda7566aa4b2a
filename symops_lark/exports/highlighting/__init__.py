"""What highlighters are made of: lines as patterns with labelled parts, and the languages of contents."""
