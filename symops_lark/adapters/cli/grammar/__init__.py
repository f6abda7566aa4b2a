"""`symops grammar`: the languages, exactly, and the workbench of those who design them. One file per command."""
