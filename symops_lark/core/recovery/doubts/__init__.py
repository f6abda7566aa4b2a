"""What may not be as it was read: drafts, nested and lost actions; confidence from prices."""
