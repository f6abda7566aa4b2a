"""Check existing prompts: the examples in them are found and parsed."""
