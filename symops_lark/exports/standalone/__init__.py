"""Replace, in exported parsers, the modules and functions that need files or packages."""
