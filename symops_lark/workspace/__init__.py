"""From a document to files and commands. Pure inside: a plan only looks; only `filesystem` and `commands` do anything."""
