"""The MCP server under instruments of others, and under load."""
