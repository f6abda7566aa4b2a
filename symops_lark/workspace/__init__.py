"""From a document to files and commands. Pure inside: a plan only looks; `filesystem` and `commands` alone act."""
