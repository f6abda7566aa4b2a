"""Whether a value fits a JSON Schema, in bounded time, and what of a schema a provider understands."""
