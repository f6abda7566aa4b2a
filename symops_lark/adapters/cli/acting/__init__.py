"""Commands that write files or run commands: plan, apply, undo, check --fix."""
