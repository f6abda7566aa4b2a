"""Index a folder: its files, symbols and words. Only this folder imports the engines."""

from __future__ import annotations

from .index import Index

__all__ = ["Index"]
