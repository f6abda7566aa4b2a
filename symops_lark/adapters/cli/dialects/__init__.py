"""Commands for dialects: export, playground."""
