"""Statistics of all instruments: rates, intervals and tests. No format or model is known here."""
