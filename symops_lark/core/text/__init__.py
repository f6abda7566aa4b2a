"""Places in a text: source, spans, diagnostics, drawings of a finding, YAML files with line numbers."""
