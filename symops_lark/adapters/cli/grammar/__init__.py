"""`symops grammar`: the languages, and tools for their designers. Each module is a command."""
