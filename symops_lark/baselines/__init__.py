"""Formats that the dialects are compared with: JSON, YAML and Markdown, one file each.

Each has an encoder, `Document → text`, and a tolerant decoder by a well-kept library, so that they compete on equal terms.
"""
