"""Candidates are run, verified and compared; batches of requests."""
