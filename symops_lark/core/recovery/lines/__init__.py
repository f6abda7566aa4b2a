"""From lines to kinds of lines: the lexer, and the passes that join neighbouring lines."""
