"""What stands in a folder: its files, their symbols and words, kept up to date. Engines are imported here alone."""

from __future__ import annotations

from .index import Index

__all__ = ["Index"]
