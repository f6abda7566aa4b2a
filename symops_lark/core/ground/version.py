"""The version of this distribution. The build reads it from this file."""

__version__ = "0.9.0"
