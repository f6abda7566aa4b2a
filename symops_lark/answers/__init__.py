"""Other answers of models: JSON by a schema (structured), status rules (judgment), conditions over facts."""
