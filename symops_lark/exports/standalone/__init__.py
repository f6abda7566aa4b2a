"""What stands in, in exported parsers, for what reads files: each file for the module whose name it spells."""
