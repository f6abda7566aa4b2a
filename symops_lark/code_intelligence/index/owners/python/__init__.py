"""Find the meaning of names of Python: by scopes, imports, classes, annotations and calls."""
