"""Compare values with a JSON Schema in bounded time, and project schemas to strict mode."""
