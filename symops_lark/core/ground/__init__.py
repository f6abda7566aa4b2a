"""What knows nothing of Sym-Ops: errors, numbers, JSON, locks, the folders of the installation and the cache."""
