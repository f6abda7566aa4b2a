"""Replies in another format (JSON, tags, fences) as documents."""
