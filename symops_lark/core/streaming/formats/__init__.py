"""Announce replies in formats of other agents as they arrive."""
