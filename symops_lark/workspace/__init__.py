"""From a document to files and commands. A plan only looks; only `filesystem` and `commands` do anything."""
