"""What users would otherwise have: other readers and other formats, one file each, found by `load_format`."""
