"""The parser league: the same replies and the same damage, read by this package and by its peers."""
