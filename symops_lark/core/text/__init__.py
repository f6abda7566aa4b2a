"""Texts and positions in them: sources, spans, diagnostics and their drawings, YAML files."""
