"""From a document to files and commands: plan, policy, apply, journal, undo, sandbox."""
