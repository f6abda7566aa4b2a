"""The server of the tools over MCP. Only this package imports `mcp`, which takes a second.

symops serve --root project            a client starts it and uses standard input and output
symops serve --root project --http     several clients use it at once, locally, with a token
"""
