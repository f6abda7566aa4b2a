"""The server of the tools over MCP: the only room that imports `mcp`, which takes a second, and what comes with it.

symops serve --root project            a client starts it and speaks over standard input and output
symops serve --root project --http     for several clients at once, on the loopback interface, behind a token
"""
