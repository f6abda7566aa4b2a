"""Find what may differ from what was read (drafts, nests, lost actions), and compute confidence."""
